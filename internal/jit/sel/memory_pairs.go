package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// Input: two neighbouring words of each lane, at arbitrary addresses.
// Output: one gather or scatter of elements of twice the size.
// Invariant: the order of stores between lanes that overlap stays that of the guest.
// Example: ld.v2.u32 is one VPGATHERDQ per 8 lanes; apart2 takes the words apart.

// The cost of a gather or scatter is its number of elements, so pairs halve it.

// wordPairs reports whether the n pieces from the access in hand on are pairs of 4-byte
// words.
func (g *access) wordPairs(n int, data ir.Ref) bool {
	return n%2 == 0 && g.in.Size == 4 && g.f.Val(data).Type == ir.B32
}

// loadPairs loads n pieces, as n/2 pairs, for the lanes of m.
func (g *access) loadPairs(n int, o offsets, m x64.Reg) {
	per := g.w / 8
	var runs [][]x64.Reg
	if g.mayRun(o, 8) {
		runs = g.loadRun(n/2, 8, o, m)
	}
	for k := 0; k < n; k += 2 {
		var z []x64.Reg
		if runs != nil {
			z = runs[k/2]
		} else {
			for c := range int32(g.f.Lanes) / per {
				z = append(z, g.gatherChunk(8, o, g.offsetsOf(o, c, 8), m, uint8(per), 8, c, int32(k)*4))
			}
		}
		for u := range g.unitsOf(ir.B32) {
			for j, d := range g.apart2(z[2*u:2*u+2], 4) {
				g.piece(k+j, func() { g.defineUnit(g.ops.Dst, u, d, len(g.fn.Code), 1<<30) })
			}
		}
	}
}

// storesPairs reports whether n pieces can be stored as pairs. The alignment implies
// that lanes that overlap have one address; then the order of lanes and pieces does not
// matter.
func (g *access) storesPairs(n int) bool { return g.in.Align >= 8 && g.wordPairs(n, g.in.Args[1]) }

// allPairs are the n pieces to be stored, as pairs: for each pair the registers of all
// lanes.
func (g *access) allPairs(n int) [][]x64.Reg {
	z := make([][]x64.Reg, n/2)
	for k := range z {
		for u := range g.unitsOf(ir.B32) {
			z[k] = append(z[k], g.together(g.twoWords(2*k, u), 4)...)
		}
	}
	return z
}

// storePairs stores n pieces by scatters of pairs.
func (g *access) storePairs(n int, o offsets) {
	per := g.w / 8
	op := [2]x64.Op{x64.VPSCATTERDQSt, x64.VPSCATTERQQSt}[o.e/8]
	for k := 0; k < n; k += 2 {
		for u := range g.unitsOf(ir.B32) {
			for j, z := range g.together(g.twoWords(k, u), 4) {
				c := 2*u + int32(j)
				mask := g.kreg()
				g.move(mask, g.chunk(g.lanesMask(), uint8(per), 8, c))
				g.emit(x64.Inst{Op: op, Len: uint8(g.w), B: z, HasMem: true, M: o.mem(g.offsetsOf(o, c, 8), 4*int32(k)), K: mask})
			}
		}
	}
}

// twoWords are vector register u of the words that pieces k and k+1 store.
func (g *access) twoWords(k int, u int32) []x64.Reg {
	words := make([]x64.Reg, 2)
	for j := range words {
		g.piece(k+j, func() { words[j] = g.value(g.ops.Args[1], u, ir.B32) })
	}
	return words
}
