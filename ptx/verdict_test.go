package ptx

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// ptxas is the vendor's assembler; with it, TestVerdicts renews the verdicts:
//
//	pip install nvidia-cuda-nvcc
//	go test ./ptx -run TestVerdicts -ptxas .../nvidia/cu13/bin/ptxas
var ptxas = flag.String("ptxas", "", "assembler whose verdicts on testdata/verdicts are written there")

// A verdict is a line of testdata/verdicts:
//
//	"+ 9.4 sm_90 | .global .u32 x; | mov.u64 d1, x;"
//	"-!E129 9.4 sm_90 | … | …"
//
// + means that the vendor's assembler accepts the module, - that it refuses it. Crosslane decides
// in the same way, or in the opposite way if an erratum follows after an exclamation mark. Then
// come .version and .target, the text of the module, and the body of a kernel with the registers p
// h r d f g; = means that there is no kernel. A \n in a text stands for a new line.
type verdict struct {
	takes         bool
	erratum       string
	version, arch string
	module, body  string
}

var verdictLine = regexp.MustCompile(`^([+-])(?:!(E\d+))? (\d+\.\d+) (\S+) \|(.*?)(?:\s\||\|)(?:\s(.*))?$`)

func (v *verdict) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n", v.version, v.arch)
	if major, _ := strconv.ParseFloat(v.version, 64); major >= 2.3 {
		b.WriteString(".address_size 64\n")
	}
	b.WriteString(v.module + "\n")
	if v.body != "=" {
		b.WriteString(".visible .entry k(.param .u64 P)\n{\n .reg .pred p<4>; .reg .b16 h<9>; .reg .b32 r<30>; .reg .b64 d<9>; .reg .f32 f<9>; .reg .f64 g<9>;\n" + v.body + "\n ret;\n}\n")
	}
	return strings.ReplaceAll(b.String(), `\n`, "\n")
}

// ask returns the verdict of the assembler.
func (v *verdict) ask(t *testing.T) bool {
	arch, _, _ := strings.Cut(v.arch, ",")
	if n, err := strconv.Atoi(strings.TrimPrefix(arch, "sm_")); err == nil && n < 75 {
		arch = "sm_75" // the lowest target that it compiles for
	}
	in := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(in, []byte(v.text()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(*ptxas, "-arch="+arch, in, "-o", filepath.Join(filepath.Dir(in), "k.cubin")).CombinedOutput()
	// A function without a definition is a matter of the linker, not of the language.
	return err == nil || bytes.Contains(out, []byte("Unresolved extern"))
}

// TestVerdicts compares Crosslane's verdicts with those of the vendor's assembler on a grid of
// variants of each kind of syntax.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/verdicts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no verdicts: ", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		for i, line := range lines {
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			m := verdictLine.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s:%d: cannot read %q", file, i+1, line)
				continue
			}
			v := &verdict{m[1] == "+", m[2], m[3], m[4], strings.TrimSpace(m[5]), strings.TrimSpace(m[6])}
			if *ptxas != "" {
				v.takes = v.ask(t)
				lines[i] = map[bool]string{true: "+", false: "-"}[v.takes] + line[1:]
			}
			mod, l := Parse("v.ptx", v.text())
			if l.Err() == nil {
				l = append(l, Check(mod)...)
			}
			takes := true
			var why string
			for _, d := range l {
				if d.Severity == diag.Error && d.Class == diag.Input && takes {
					takes, why = false, ": "+d.Message
				}
			}
			if takes && v.body != "=" {
				Lift(mod, "k") // the result does not matter here, but the call has to return
			}
			if takes != (v.takes != (v.erratum != "")) {
				t.Errorf("%s:%d: taken is %v%s\n%s", file, i+1, takes, why, line)
			}
		}
		if *ptxas != "" {
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
