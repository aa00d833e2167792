package webs

import (
	"fmt"
	"strings"

	"example.org/crosslane/internal/ir"
)

// Name returns the name of a web: the Value's name with the version, for example "%r3.2".
func (f *Func) Name(w Web) string {
	if w == 0 {
		return "none"
	}
	info := &f.Webs[w]
	v := f.IR.Val(info.Ref)
	name := v.Name
	switch {
	case v.Kind == ir.Const:
		return fmt.Sprintf("%#x:%s", v.Const, v.Type)
	case v.Kind == ir.Temp:
		return fmt.Sprintf("t%d", w)
	case name == "":
		name = fmt.Sprintf("g%d", info.Ref)
	}
	// Brackets mark a web in memory.
	if info.Flags&Aliased != 0 {
		return "[" + name + "]"
	}
	return fmt.Sprintf("%s.%d", name, info.Version)
}

// Print returns the function as text, one operation a line. note, if not nil, adds text to
// the line of an instruction, or of a block: its argument is the index of the instruction, or
// -1-block.
func (f *Func) Print(note func(i int) string) string {
	var b strings.Builder
	g := &f.Geom
	fmt.Fprintf(&b, "func %s lanes=%d block=%dx%dx%d", f.IR.Name, g.Lanes, g.Block[0], g.Block[1], g.Block[2])
	if g.Exact {
		b.WriteString(" exact")
	}
	if f.TooLarge {
		b.WriteString(" too-large")
	}
	b.WriteByte('\n')
	for i, in := range f.IR.Inputs {
		if f.Inputs[i] != 0 {
			fmt.Fprintf(&b, "  input %s = %d %#x\n", f.Name(f.Inputs[i]), in.Kind, in.Imm)
		}
	}
	// end ends a line, after the note.
	end := func(i int) {
		if note != nil {
			if s := note(i); s != "" {
				b.WriteString("  ; " + s)
			}
		}
		b.WriteByte('\n')
	}
	// The guest instruction is printed before its operations.
	pos := int32(-1)
	for bi, blk := range f.IR.Blocks {
		// The line of a block has its loop depth, its predecessors and the live webs.
		fmt.Fprintf(&b, "b%d: depth=%d preds=%v in=", bi, f.Depth[bi], f.Preds[bi])
		f.list(&b, f.LiveIn[bi])
		end(-1 - bi)
		for i := blk.Start; i < blk.End; i++ {
			if p := f.IR.Code[i].Pos; p != pos {
				pos = p
				fmt.Fprintf(&b, "  # %d: %s\n", f.IR.Pos[p].Line, f.IR.Pos[p].Text)
			}
			b.WriteString("    " + f.FormatInst(i))
			end(i)
		}
	}
	return b.String()
}

// list writes the names of webs in braces.
func (f *Func) list(b *strings.Builder, l []Web) {
	b.WriteByte('{')
	for i, w := range l {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f.Name(w))
	}
	b.WriteByte('}')
}

// FormatInst returns one operation as text.
func (f *Func) FormatInst(i int) string {
	var b strings.Builder
	in, o := &f.IR.Code[i], &f.Ops[i]
	if o.Guard != 0 {
		b.WriteByte('@')
		if in.GuardNot {
			b.WriteByte('!')
		}
		b.WriteString(f.Name(o.Guard) + " ")
	}
	for k, w := range [2]Web{o.Dst, o.Dst2} {
		if w == 0 {
			continue
		}
		if k == 1 {
			b.WriteByte('|')
		}
		b.WriteString(f.Name(w))
		// A plus marks a definition that merges.
		if [2]bool{o.Merge, o.Merge2}[k] {
			b.WriteByte('+')
		}
	}
	if o.Dst != 0 || o.Dst2 != 0 {
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
	for _, a := range o.Args {
		if a != 0 {
			b.WriteString(sep + f.Name(a))
			sep = ", "
		}
	}
	if o.Ext != 0 {
		// Operands that no field names are listed after the rest.
		e := &f.Ext[o.Ext-1]
		b.WriteString(sep + "uses ")
		f.list(&b, e.Uses)
		b.WriteString(" defines ")
		f.list(&b, e.Defs)
	}
	switch {
	// The immediate of a branch is a block.
	case in.Op == ir.Bra || in.Op == ir.SBra:
		fmt.Fprintf(&b, "%sb%d", sep, in.Imm)
	case in.Op == ir.BraTable:
		fmt.Fprintf(&b, "%s%v", sep, f.IR.Tables[in.Imm])
	case in.Imm != 0:
		fmt.Fprintf(&b, "%s#%#x", sep, in.Imm)
	}
	return b.String()
}
