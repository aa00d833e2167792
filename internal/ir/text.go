package ir

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The text form of a function: Parse is the inverse of Text.
//
// Input and output: a function, one line for each value, input, guest instruction and operation.
// Invariant: Parse(f.Text()) equals f in all fields that engines and passes read; a second Text
// gives the same bytes. An Observer, which is Go code, becomes one without effect.
// Example:
//
//	func k lanes=32 guest=320 frame=576 shared=0 local=0
//	value %r1 b32 @64
//	const 0x4:b32 @320
//	temp t3 b32 @448
//	input LaneID %r1 0x0
//	b0:
//	  ; 7 "add.u32 %r1, %r1, 4"
//	    t3 = Add32 %r1, 0x4:b32
//	    %r1 = Mov32 t3
//	    Exit

// errNoText names the parts that the text form does not have.
var errNoText = errors.New("ir: there is no text form of collective operations and of functions that tools have rewritten")

// plainName matches names of guest values that can stand in the text as they are.
var plainName = regexp.MustCompile(`^[^\s,|#"@=!0-9t{}][^\s,|#"={}]*$`)

// names returns the operand text of each value. A guest value has its own name if no earlier value
// has that name and the text form allows it; else it is #, followed by its index.
func (f *Func) names() []string {
	list := make([]string, len(f.Values))
	used := map[string]bool{}
	list[0] = "_"
	for i := 1; i < len(f.Values); i++ {
		v := &f.Values[i]
		name := v.Name
		switch v.Kind {
		case Temp:
			name = fmt.Sprintf("t%d", i)
		case Const:
			name = fmt.Sprintf("%#x:%s", v.Const, v.Type)
			if v.Scalar {
				name += ".s"
			}
		default:
			if !plainName.MatchString(name) {
				name = ""
			}
		}
		if name == "" || used[name] {
			name = fmt.Sprintf("#%d", i)
		}
		used[name] = true
		list[i] = name
	}
	return list
}

// Text returns the function in the form that Parse reads.
func (f *Func) Text() (string, error) {
	if len(f.Collectives) > 0 || len(f.Tensors) > 0 || f.Steps != nil || f.Recorded != nil || f.Apart != nil {
		return "", errNoText
	}
	name := f.names()
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("func %q lanes=%d guest=%d frame=%d shared=%d local=%d", f.Name, f.Lanes, f.GuestSize, f.FrameSize, f.SharedStatic, f.LocalSize)
	if f.Ranked {
		p(" ranked=1")
	}
	p(" max=%d req=%d,%d,%d windows=%#x,%#x,%#x", f.MaxBlock, f.ReqBlock[0], f.ReqBlock[1], f.ReqBlock[2], f.Windows.shared, f.Windows.local, f.Windows.param)
	p(" exec=%s", name[f.Exec])
	for _, x := range []struct {
		is   bool
		name string
	}{{f.MeetAnywhere, "meet"}, {f.Stack, "stack"}, {f.StackUp, "stackup"}, {f.Met, "met"}, {f.NewObserver != nil, "observer"}, {f.Observed != nil, "observed"}} {
		if x.is {
			p(" %s", x.name)
		}
	}
	p("\nfile %q\n", f.File)
	for i := 1; i < len(f.Values); i++ {
		v := &f.Values[i]
		p("%s %s %s", [...]string{"value", "temp", "const"}[v.Kind], name[i], v.Type)
		if v.Scalar {
			p(" scalar")
		}
		p(" @%d", v.Off)
		switch {
		case v.Kind == Const:
			p(" = %#x", v.Const)
		case v.Name != name[i] && v.Name != "":
			p(" = %q", v.Name)
		}
		p("\n")
	}
	for _, v := range f.SharedVars {
		p("var %q %d %d\n", v.Name, v.Off, v.Size)
	}
	for _, n := range f.Functions {
		p("function %q\n", n)
	}
	for _, t := range f.Tables {
		p("table")
		for _, b := range t {
			p(" %d", b)
		}
		p("\n")
	}
	for _, i := range slices.Sorted(maps.Keys(f.Observed)) {
		o := f.Observed[i]
		p("observed %d %s %s %s\n", i, name[o.Address], name[o.Refs[0]], name[o.Refs[1]])
	}
	for _, in := range f.Inputs {
		p("input %d %s %#x\n", in.Kind, name[in.Dst], in.Imm)
	}
	pos, shown := int32(-1), map[int32]bool{}
	for bi, blk := range f.Blocks {
		p("b%d:\n", bi)
		for i := blk.Start; i < blk.End; i++ {
			in := &f.Code[i]
			first := in.Pos != pos && !shown[in.Pos]
			if in.Pos != pos {
				pos = in.Pos
				p("  ; %d", pos)
				if x := &f.Pos[pos]; !shown[pos] {
					p(" %d %d %d %q %q %q", x.Line, x.Col, x.Off, x.Text, x.Name, x.Section)
					for _, o := range x.Open {
						p(" %q", o)
					}
				}
				p("\n")
				shown[pos] = true
			}
			p("    %s\n", instText(in, name, first))
		}
	}
	return b.String(), nil
}

// instText returns the text of an operation. first is the usual value of in.First here.
func instText(in *Inst, name []string, first bool) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	refs := func(list []Ref) {
		n := len(list)
		for n > 0 && list[n-1] == 0 {
			n--
		}
		for i, r := range list[:n] {
			if i > 0 {
				p(",")
			}
			p(" %s", name[r])
		}
	}
	if in.Guard != 0 || in.GuardNot {
		p("@")
		if in.GuardNot {
			p("!")
		}
		p("%s ", name[in.Guard])
	}
	if in.Dst != 0 || in.Dst2 != 0 {
		p("%s", name[in.Dst])
		if in.Dst2 != 0 {
			p("|%s", name[in.Dst2])
		}
		p(" = ")
	}
	if in.Scalar {
		p("s.")
	}
	p("%s", in.Op)
	if in.Size != 0 || in.Space != 0 {
		p(".%s.%d", in.Space, in.Size)
	}
	refs(in.Args[:])
	if in.Imm != 0 || in.Op == Bra || in.Op == SBra {
		p(" #%#x", in.Imm)
	}
	for _, x := range []struct {
		name  string
		value uint64
	}{{"align", uint64(in.Align)}, {"flags", uint64(in.Flags)}, {"order", uint64(in.Order)}} {
		if x.value != 0 {
			p(" %s=%#x", x.name, x.value)
		}
	}
	if in.Surplus {
		p(" surplus=true")
	}
	if in.First != first {
		p(" first=%t", in.First)
	}
	if in.Shadow != [4]Ref{} {
		p(" shadow")
		refs(in.Shadow[:])
	}
	return b.String()
}
