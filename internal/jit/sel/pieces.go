package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// byPieces orders the code by pieces of the wave, where values of 32 bits take several
// registers: see lir.Piecer.
func (g *gen) byPieces() {
	n := g.unitsOf(ir.B32)
	if n < 2 || n > lir.MaxPieces {
		return
	}
	room := 12 // vector registers, but for constants and the like
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
		return // there is room for all at once
	}
	own := lir.Cleared(&g.mem.pieces, len(g.fn.VRegs))
	for i := range g.out.Owners {
		o := &g.out.Owners[i]
		if o.Kind != Unit {
			continue
		}
		units := g.places[o.Web].n
		if units < n && g.periods != nil && g.periods[o.Web] != 0 {
			own[i] = 1<<n - 1
			continue
		}
		from, to := o.Unit*n/units, max(o.Unit*n/units+1, (o.Unit+1)*n/units)
		own[i] = uint16(1<<to - 1<<from)
	}
	g.mem.piecer.Order(g.fn, own, int(n), room)
}
