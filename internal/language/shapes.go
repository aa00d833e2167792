package language

import (
	"fmt"
	"strings"

	"example.org/crosslane"
)

// A shapeKey names a register of an instruction: the offset of the opcode, the name, and whether the value is that
// after the instruction.
type shapeKey struct {
	op      int
	name    string
	written bool
}

// detachedShapes copies shapes, so that they do not keep a text alive.
func detachedShapes(list []crosslane.RegisterShape) []crosslane.RegisterShape {
	out := make([]crosslane.RegisterShape, len(list))
	for i, x := range list {
		x.Register = strings.Clone(x.Register)
		out[i] = x
	}
	return out
}

// keepShapes keeps the shapes of registers for hovers and hints. Where two kernels call one function, a shape that
// both have stays.
func (d *Document) keepShapes(bodies []*bodyFindings) {
	all := map[shapeKey]crosslane.RegisterShape{}
	named := map[shapeKey]int{} // the bodies that have a shape
	for _, b := range bodies {
		for _, x := range b.shapes {
			k := shapeKey{d.text.byteAt(x.Line, x.Col), x.Register, x.Written}
			old, twice := all[k]
			if named[k]++; twice && old != x {
				x.Known, x.Base, x.Rows = false, 0, x.Rows || old.Rows
				if old.Stride != x.Stride {
					named[k] = -len(bodies)
				}
			}
			all[k] = x
		}
	}
	for _, f := range d.funcs {
		if f.kernel || f.open < 0 || f.end < 0 {
			continue
		}
		// A kernel without a shape may call the function, too.
		from, to := d.toks[f.open].from, d.toks[f.end].from
		for k := range all {
			if k.op > from && k.op < to && named[k] != len(bodies) {
				delete(all, k)
			}
		}
	}
	for k, n := range named {
		if n < 0 {
			delete(all, k)
		}
	}
	d.shapes.Store(&all)
}

// shapeAt returns the shape of the register that a token names; ok is false if it is not known.
func (d *Document) shapeAt(s *statement, t int) (x crosslane.RegisterShape, ok bool) {
	known := d.shapes.Load()
	if known == nil || s == nil || s.kind != instruction || s.op < 0 {
		return x, false
	}
	k := shapeKey{d.toks[s.op].from, d.tok(t), false}
	if sym := d.symbolAt(t); sym != nil {
		for _, r := range sym.refs {
			if r.tok == t {
				k.written = r.writes
			}
		}
	} else if d.is(t+1, ".x") || d.is(t+1, ".y") || d.is(t+1, ".z") {
		k.name += d.tok(t + 1)
	}
	x, ok = (*known)[k]
	return x, ok
}

// shapeText says how the lanes of a register differ at a place; "" if that is not known.
func (d *Document) shapeText(s *statement, t int) string {
	x, ok := d.shapeAt(s, t)
	if !ok {
		return ""
	}
	text := "here "
	switch {
	case x.Stride == 0 && x.Known:
		text += fmt.Sprintf("%d = %#x, the same in all lanes", int64(x.Base), x.Base)
	case x.Stride == 0:
		text += "the same in all lanes of a warp"
	case x.Known:
		text += fmt.Sprintf("%d + %d · lane", int64(x.Base), x.Stride)
	default:
		text += fmt.Sprintf("base + %d · lane, and the base is the same in all lanes of a warp", x.Stride)
	}
	return text + rowsText(x)
}

func rowsText(x crosslane.RegisterShape) string {
	if x.Rows {
		return ", in blocks that are rows of whole warps"
	}
	return ""
}

// addressHints returns hints for the accesses to memory in a range whose lanes have addresses in equal steps.
func (d *Document) addressHints(at Range) (list []InlayHint) {
	for i := range d.stmts {
		s := &d.stmts[i]
		if s.kind != instruction || s.op < 0 {
			continue
		}
		line := d.text.lineOf(d.toks[s.op].from)
		if line < at.Start.Line || line > at.End.Line {
			continue
		}
		for _, a := range s.args {
			sym := d.symbolAt(a.from + 1)
			if !d.is(a.from, "[") || sym == nil || sym.kind != symRegister {
				continue
			}
			x, ok := d.shapeAt(s, a.from+1)
			if !ok {
				continue
			}
			h := InlayHint{At: d.text.position(d.toks[s.to-1].to), Label: "one address", Tooltip: "all lanes of a warp have the same address" + rowsText(x)}
			if x.Stride != 0 {
				h.Label = fmt.Sprintf("%+d B a lane", x.Stride)
				h.Tooltip = fmt.Sprintf("the address of each lane is %d bytes from that of the lane before it", x.Stride) + rowsText(x)
			}
			list = append(list, h)
			break
		}
	}
	return list
}
