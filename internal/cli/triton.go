package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/internal/launchspec"
)

// tritonKernel is the record in the cache of Triton of a kernel beside its PTX: k.json of k.ptx has the arguments that Triton passes to
// the driver at a launch, k.ttir the names of the parameters.
type tritonKernel struct {
	Name     string `json:"name"`
	Warps    uint32 `json:"num_warps"`
	Lanes    uint32 `json:"warp_size"`
	Clusters uint32 `json:"num_ctas"`
	Shared   uint32 `json:"shared"` // bytes
	Target   struct {
		Backend string `json:"backend"`
	} `json:"target"`
	Cooperative    bool   `json:"launch_cooperative_grid"`
	GlobalScratch  uint64 `json:"global_scratch_size"` // bytes of a block
	ProfileScratch uint64 `json:"profile_scratch_size"`

	params []string // without the hidden ones; nil if they are not known
}

// maxTritonFile is how large a file of the cache is read, in bytes.
const maxTritonFile = 16 << 20

// tritonBeside reads the record beside a file of PTX; nil: Triton did not write it.
func tritonBeside(file string) *tritonKernel {
	base, ok := strings.CutSuffix(file, ".ptx")
	if !ok {
		return nil
	}
	text, err := readFile(base+".json", maxTritonFile)
	if err != nil {
		return nil
	}
	var t tritonKernel
	if json.Unmarshal(text, &t) != nil || t.Target.Backend != "cuda" || t.Name == "" || t.Warps == 0 || t.Warps > 32 || t.Lanes != 32 {
		return nil
	}
	if text, err := readFile(base+".ttir", maxTritonFile); err == nil {
		t.params = tritonParams(string(text), t.Name)
	}
	return &t
}

var tritonParam = regexp.MustCompile(`%([A-Za-z_]\w*): `)

// tritonParams returns the names of the parameters of a function in Triton's IR.
func tritonParams(text, kernel string) (names []string) {
	_, rest, ok := strings.Cut(text, "tt.func public @"+kernel+"(")
	if !ok {
		return nil
	}
	head, _, _ := strings.Cut(rest, "\n")
	for _, m := range tritonParam.FindAllStringSubmatch(head, -1) {
		names = append(names, m[1])
	}
	return names
}

// tritonFile is the PTX in a folder of Triton's cache that holds one kernel; "": the folder is none.
func tritonFile(folder string) string {
	if st, err := os.Stat(folder); err != nil || !st.IsDir() {
		return ""
	}
	list, err := filepath.Glob(filepath.Join(literal(folder), "*.ptx"))
	if err != nil || len(list) != 1 || tritonBeside(list[0]) == nil {
		return ""
	}
	return list[0]
}

// literal is a name as a pattern that only it matches.
func literal(name string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(name, `\$0`)
}

// program is the file that a name of a program stands for: a folder of Triton's cache stands for its PTX.
func program(name string) string {
	if file := tritonFile(name); file != "" {
		return file
	}
	return name
}

// addTriton adds to a launch the arguments that Triton passes to the driver and the launch does not name.
func addTriton(l *launchspec.Spec, t *tritonKernel) error {
	if t == nil || l.Kernel != "" && !strings.Contains(t.Name, l.Kernel) {
		return nil
	}
	if l.Block.X == 0 && l.BlockBy == nil {
		l.Block = crosslane.Dim3{X: t.Warps * t.Lanes, Y: 1, Z: 1}
	}
	if l.Shared == 0 && l.SharedBy == nil {
		l.Shared = t.Shared
	}
	l.Cooperative = l.Cooperative || t.Cooperative
	if t.Clusters > 1 && l.Cluster.X == 0 {
		l.Cluster = crosslane.Dim3{X: t.Clusters, Y: 1, Z: 1}
	}
	return nil
}

// addTritonScratch adds the scratch memory that Triton passes after the arguments, if the kernel has any.
func addTritonScratch(l *launchspec.Spec, t *tritonKernel, k kernel) error {
	if t == nil || k.Name() != t.Name || t.GlobalScratch+t.ProfileScratch == 0 {
		return nil
	}
	hidden := 0
	params := k.Params()
	for hidden < len(params) && params[len(params)-1-hidden].Hidden != "" {
		hidden++
	}
	if len(l.Args) != len(params)-hidden {
		return nil // they are given, or some argument is missing
	}
	for i, size := range []uint64{t.GlobalScratch, t.ProfileScratch} {
		if i >= hidden {
			break
		}
		text := "0"
		if size > 0 {
			text = fmt.Sprintf("%s:u8[%d*grid]", []string{"global_scratch", "profile_scratch"}[i], size)
		}
		arg, err := launchspec.ParseArg(text)
		if err != nil {
			return err
		}
		l.Args = append(l.Args, arg)
	}
	return nil
}
