package launchspec

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane"
)

// Drafted is what a draft has to know of the kernel that it is for.
type Drafted interface {
	Params() []crosslane.Param
	BlockLimits() (required crosslane.Dim3, most uint32, err error)
}

// draftElements is how many elements the buffers of a draft have.
const draftElements = 1024

// draftBlock is how many lanes the blocks of a draft have, if the kernel lets them.
const draftBlock = 128

// Draft is a block and arguments that a kernel takes, one for each parameter that is not hidden. names are the names of those
// parameters; of another length they are of no use.
func Draft(k Drafted, names []string) (block crosslane.Dim3, args []string, err error) {
	required, most, err := k.BlockLimits()
	if err != nil {
		return block, nil, err
	}
	if block = required; required.X == 0 {
		block = crosslane.Dim3{X: min(most, draftBlock), Y: 1, Z: 1}
	}
	params := k.Params()
	last := len(params)
	for last > 0 && params[last-1].Hidden != "" {
		last-- // a runtime passes them
	}
	args = []string{}
	used := map[string]bool{}
	named := len(names) == last
	for i, p := range params[:last] {
		if named {
			p.Name = names[i]
		}
		args = append(args, draftArgument(&p, draftName(p.Name, i, used)))
	}
	return block, args, nil
}

// draftName is a name for the buffer of a parameter: its own, without the prefix that compilers put
// before its number.
func draftName(name string, i int, used map[string]bool) string {
	valid := func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if at := strings.LastIndex(name, "_param_"); at >= 0 {
		name = "p" + name[at+len("_param_"):]
	}
	if name == "" || name[0] >= '0' && name[0] <= '9' || strings.ContainsFunc(name, func(r rune) bool { return !valid(r) }) || used[name] {
		name = fmt.Sprintf("p%d", i)
	}
	used[name] = true
	return name
}

// draftArgument is an argument that a parameter takes.
func draftArgument(p *crosslane.Param, name string) string {
	switch {
	// PTX of C++ declares addresses as u64.
	case p.Kind == crosslane.ParamPointer, p.Kind == crosslane.ParamBytes && p.Size == 8, p.Type == crosslane.U64:
		return fmt.Sprintf("%s:f32[%d]=zero", name, draftElements)
	case p.Kind == crosslane.ParamShared:
		return fmt.Sprintf("shared:%d", 4*draftElements)
	case p.Kind == crosslane.ParamBytes:
		return fmt.Sprintf("%s:u8[%d]=zero", name, p.Size)
	case slices.Contains([]crosslane.ElemType{crosslane.F16, crosslane.BF16, crosslane.F32, crosslane.F64}, p.Type):
		return "0.0"
	case p.Type == "":
		return fmt.Sprintf("u%d:0", 8*p.Size)
	}
	return "0"
}
