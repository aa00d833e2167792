package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file has what is to be known of webs that stand for two registers: webs.Halves.

// halved reports whether a web is one of them.
func (g *gen) halved(w webs.Web) bool { return g.s.Halves[w] != webs.Halves{} }

// storeHalves puts what the operation in hand reads of such webs where the interpreter looks
// for it: the whole in the home of what the guest's code has made of the halves there, or
// the half that an observer sees in its own.
func (g *gen) storeHalves() {
	if g.s.Halves == nil {
		return
	}
	store := func(w webs.Web, r ir.Ref) {
		h := g.s.Halves[w]
		if h == (webs.Halves{}) {
			return
		}
		shift := uint8(0)
		if r == h.High {
			shift = 32
		}
		if g.handOver(w, r, shift) {
			return
		}
		was := g.len
		g.len = uint8(g.w)
		defer func() { g.len = was }()
		switch n := g.unitsOf(ir.B64); r {
		case h.Low, h.High:
			from := 0
			if r == h.High {
				from = 1
			}
			for u := int32(0); u < n; u += 2 {
				half := g.everyOther([]x64.Reg{g.value(w, u, ir.B64), g.value(w, u+1, ir.B64)}, from)
				g.storeAt(r, u/2, half[0])
			}
		default:
			for u := range n {
				g.storeAt(r, u, g.value(w, u, ir.B64))
			}
		}
	}
	for k, w := range g.ops.Args {
		store(w, g.in.Args[k])
	}
	if x := g.ops.Ext; x > 0 {
		e := &g.s.Ext[x-1]
		for k, w := range e.Uses {
			store(w, e.UseRefs[k])
		}
	}
}

// storeAt puts vector register u of a value in its home.
func (g *gen) storeAt(r ir.Ref, u int32, v x64.Reg) {
	g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: uint8(g.w), B: v, HasMem: true, M: g.frame(g.f.Val(r).Off + uint32(u*g.w))})
}
