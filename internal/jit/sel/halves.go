package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file handles webs that stand for two guest registers: see webs.Halves.
//
// Input: an operation that the interpreter is about to do and that reads these webs.
// Output: stores to frame slots, or recipes of the exit.
// Invariant: the interpreter finds in each frame slot the value that the guest's code computes
// there.
// Example: v[2:3] is one web; an observer reads v3: store the upper words of the web to v3's slot.

// halved reports whether a web stands for two registers.
func (g *lowering) halved(w webs.Web) bool { return g.s.Halves[w] != webs.Halves{} }

// storeHalves stores the webs of two registers that the operation in hand reads. If the operation
// reads the pair, the whole number goes to the frame slot of the value that the guest's code builds
// from the halves. If an observer reads one half, that half goes to its own slot.
func (g *lowering) storeHalves() {
	if g.s.Halves == nil {
		return
	}
	store := func(w webs.Web, r ir.Ref) {
		h := g.s.Halves[w]
		if h == (webs.Halves{}) {
			return
		}
		// An exit in cold code may carry a recipe instead.
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
		// Words of 64-bit elements: every other word of two vectors.
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

// storeAt stores vector register u of a value in its frame slot.
func (g *lowering) storeAt(r ir.Ref, u int32, v x64.Reg) {
	g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: uint8(g.w), B: v, HasMem: true, M: g.frame(g.f.Val(r).Off + uint32(u*g.w))})
}
