package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// Input: the list of instructions, with the place of each web.
// Output: the same instructions, in an order that handles the lanes piece by piece.
// Invariant: dependences by registers, memory and flags keep their order (see
// lir.Piecer).
// Example: 64 lanes in 8 registers: `a0..a7; b0..b7` becomes `a0 b0; a1 b1; …`, so a_i
// dies at once.
// Literature: the idea is that of blocking for caches (Lam, Rothberg and Wolf, ASPLOS
// 1991).

// byPieces orders the code by pieces of the wave, if values of 32 bits take several
// registers and vector registers are scarce.
func (g *emitter) byPieces() {
	n := g.unitsOf(ir.B32)
	if n < 2 || n > lir.MaxPieces {
		return
	}
	room := 12 // vector registers, without those for constants and temporaries
	if g.avx512 {
		room = 27
	}
	vectors := 0
	for i := range g.fn.VRegs {
		if v := &g.fn.VRegs[i]; v.Class == x64.Vec && v.Const == 0 {
			vectors++
		}
	}
	if vectors <= room {
		return // all values fit at once
	}
	own := lir.Cleared(&g.mem.pieces, len(g.fn.VRegs))
	for w := range g.places {
		if g.rep(webs.Web(w)) != webs.Web(w) {
			continue
		}
		units := g.places[w].n
		for u := range units {
			r := g.places[w].units - x64.Virtual + x64.Reg(u)
			if !g.fn.VRegs[r].Filled {
				continue // several webs share it: see peephole.List.Loads
			}
			of := &own[r]
			if units < n && g.periods != nil && g.periods[w] != 0 {
				*of = 1<<n - 1
				continue
			}
			from, to := u*n/units, max(u*n/units+1, (u+1)*n/units)
			*of = uint16(1<<to - 1<<from)
		}
	}
	g.mem.piecer.Order(g.fn, own, int(n), room)
}
