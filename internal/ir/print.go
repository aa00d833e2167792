package ir

import (
	"fmt"
	"strings"
)

// Print returns the function as text, one operation a line, for people and golden tests.
func (f *Func) Print() string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s lanes=%d frame=%d shared=%d local=%d\n", f.Name, f.Lanes, f.FrameSize, f.SharedStatic, f.LocalSize)
	for _, in := range f.Inputs {
		fmt.Fprintf(&b, "  input %s = %d %#x\n", f.refName(in.Dst), in.Kind, in.Imm)
	}
	pos := int32(-1)
	for bi, blk := range f.Blocks {
		fmt.Fprintf(&b, "b%d:\n", bi)
		for i := blk.Start; i < blk.End; i++ {
			if p := f.Code[i].Pos; p != pos {
				pos = p
				fmt.Fprintf(&b, "  ; %d: %s\n", f.Pos[p].Line, f.Pos[p].Text)
			}
			fmt.Fprintf(&b, "    %s\n", f.FormatInst(&f.Code[i]))
		}
	}
	return b.String()
}

// FormatInst returns one operation as text.
func (f *Func) FormatInst(in *Inst) string {
	var b strings.Builder
	if in.Guard != 0 {
		not := ""
		if in.GuardNot {
			not = "!"
		}
		fmt.Fprintf(&b, "@%s%s ", not, f.refName(in.Guard))
	}
	if in.Dst != 0 {
		b.WriteString(f.refName(in.Dst))
	}
	if in.Dst2 != 0 {
		b.WriteString("|" + f.refName(in.Dst2))
	}
	if in.Dst != 0 || in.Dst2 != 0 {
		b.WriteString(" = ")
	}
	if in.Scalar {
		b.WriteString("s.")
	}
	b.WriteString(in.Op.String())
	if in.Size != 0 {
		fmt.Fprintf(&b, ".%s.%d", in.Space, in.Size)
	}
	sep := " "
	for _, a := range in.Args {
		if a != 0 {
			b.WriteString(sep + f.refName(a))
			sep = ", "
		}
	}
	if in.Op == Collective && in.Imm < uint64(len(f.Collectives)) {
		info := &f.Collectives[in.Imm]
		for i, list := range [][]Ref{info.Dst, info.Src} {
			b.WriteString(sep + [2]string{"to", "from"}[i] + " {")
			for j, r := range list {
				if j > 0 {
					b.WriteString(", ")
				}
				b.WriteString(f.refName(r))
			}
			b.WriteString("}")
		}
		return b.String()
	}
	if in.Op == Tensor && in.Imm < uint64(len(f.Tensors)) {
		for _, r := range f.Tensors[in.Imm].Src {
			b.WriteString(sep + f.refName(r))
		}
		return b.String()
	}
	switch {
	case in.Op == Bra || in.Op == SBra:
		fmt.Fprintf(&b, "%sb%d", sep, in.Imm)
	case in.Op == BraTable:
		fmt.Fprintf(&b, "%s%v", sep, f.Tables[in.Imm])
	case in.Imm != 0:
		fmt.Fprintf(&b, "%s#%#x", sep, in.Imm)
	}
	return b.String()
}

// refName returns the text of an operand.
func (f *Func) refName(r Ref) string {
	v := f.Val(r)
	switch {
	case v.Kind == Const:
		return fmt.Sprintf("%#x:%s", v.Const, v.Type)
	case v.Name != "":
		return v.Name
	}
	return fmt.Sprintf("t%d:%s", r, v.Type)
}
