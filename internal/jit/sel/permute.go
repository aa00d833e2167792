package sel

import (
	"slices"

	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file moves 32-bit lanes between and inside vector registers.
//
// Input: the vector registers of a lane vector, and a pattern: a constant lane number
// for each result lane, or registers of indices.
// Output: vector registers with the moved lanes, by the cheapest instruction that fits
// the pattern.
// Invariant: the sources are not written, and a register of the result may be one of
// the sources.
// Example: shfl.up by 1 over two registers is one VALIGND per register (AVX-512), or
// VPERM2I128 and VPALIGNR (AVX2).

// Values of a constant pattern that are not lane numbers.
const (
	fromNone = -1 // the lane becomes 0
	fromAny  = -2 // the lane is irrelevant
)

// perReg is the number of 32-bit lanes of a vector register.
func (g *facts) perReg() int { return int(g.w) / 4 }

// sources are the vector registers of 32-bit web w, for reads by other lanes: with
// canonical NaNs, because another lane may use the bits.
func (g *crossLane) sources(w webs.Web) []x64.Reg {
	s := make([]x64.Reg, g.f.Lanes/g.perReg())
	t := g.typ(w)
	for u := range s {
		s[u] = g.value(w, int32(u), t)
		// Equal lanes: one register is enough, and permute sees that they are the same.
		if p := &g.places[w]; u > 0 && (p.splat != 0 || g.s.Has(w, webs.Const)) {
			s[u] = s[0]
		}
	}
	return s
}

// permute moves lanes by a constant pattern: lane i of the result is lane from[i]. It
// may return registers of src. Result registers with equal patterns are made once.
func (g *crossLane) permute(src []x64.Reg, from []int) []x64.Reg {
	n := g.perReg()
	out := make([]x64.Reg, len(from)/n)
	for u := range out {
		one := from[u*n : (u+1)*n]
		for k := range u {
			if out[u] == 0 && slices.Equal(from[k*n:(k+1)*n], one) {
				out[u] = out[k]
			}
		}
		if out[u] == 0 {
			out[u] = g.permuteOne(src, one)
		}
	}
	return out
}

// permuteOne makes one vector register of a result: from each source register (or each
// pair, with AVX-512) it takes the lanes that the pattern needs, and blends them.
func (g *crossLane) permuteOne(src []x64.Reg, from []int) x64.Reg {
	n := len(from)
	// Consecutive lanes are one instruction, also across two registers.
	if r := g.window(src, from); r != 0 {
		return r
	}
	parts := make([][]int, len(src)) // by source register: the pattern of the lanes that come from it
	var used []int
	zeros := false
	for i, f := range from {
		if f < 0 {
			zeros = zeros || f == fromNone
			continue
		}
		u := f / n
		if parts[u] == nil {
			parts[u] = make([]int, n)
			for k := range parts[u] {
				parts[u][k] = fromAny
			}
			used = append(used, u)
		}
		parts[u][i] = f % n
	}
	// No lane has a source: all are 0, or irrelevant.
	if len(used) == 0 {
		return g.zero()
	}
	var r x64.Reg
	add := func(x x64.Reg, f []int) {
		if r == 0 {
			r = x
			return
		}
		r = g.blendLanes(r, x, f)
	}
	for len(used) > 0 {
		// One source register, or AVX2, which permutes only inside one register.
		if u := used[0]; !g.avx512 || len(used) == 1 {
			add(g.within(src[u], parts[u]), parts[u])
			used = used[1:]
			continue
		}
		// AVX-512 permutes two registers at once.
		a, b := used[0], used[1]
		used = used[2:]
		both := make([]int, n)
		for i := range both {
			both[i] = parts[a][i]
			if x := parts[b][i]; x >= 0 {
				both[i] = n + x
			}
		}
		add(g.fromTwo(src[a], src[b], both), both)
	}
	// Lanes that must be 0 are cleared at the end.
	if zeros {
		keep := make([]byte, 4*n)
		for i, f := range from {
			if f != fromNone {
				copy(keep[4*i:], "\xff\xff\xff\xff")
			}
		}
		r = g.v2(x64.VPAND, r, g.table(keep))
	}
	return r
}

// window makes a vector register of lanes that are consecutive in src. The pattern may
// ask for 0 in all lanes that would come from one of the two source registers. It
// returns 0 if the pattern is different.
func (g *crossLane) window(src []x64.Reg, from []int) x64.Reg {
	n := len(from)
	first, some := 0, false // lane i comes from lane first+i of src
	for i, f := range from {
		switch {
		case f < 0:
		case !some:
			first, some = f-i, true
		case first != f-i:
			return 0
		}
	}
	// Lane 0 comes from lane k of register at.
	k := (first%n + n) % n
	at := (first - k) / n
	if !some || k == 0 {
		return 0
	}
	var none, used [2]bool // of the lower and of the higher source register
	for i, f := range from {
		half := b2i(i+k >= n)
		none[half] = none[half] || f == fromNone
		used[half] = used[half] || f >= 0
	}
	// All lanes from one register must be read, or all must be 0.
	if none[0] && used[0] || none[1] && used[1] {
		return 0
	}
	a, b := g.zero(), g.zero()
	if g.avx512 {
		if used[0] {
			a = src[at]
		}
		if used[1] {
			b = src[at+1]
		}
		return g.once(x64.VALIGND, b, a, int64(k))
	}
	var mid x64.Reg // the upper half of a, the lower half of b
	switch {
	// The window covers both registers, or one of them and zeros.
	case used[0] && used[1]:
		a, b = src[at], src[at+1]
		mid = g.once(x64.VPERM2I128, a, b, 0x21)
	case used[0]:
		a = src[at]
		mid = g.once(x64.VPERM2I128, a, a, 0x81) // 0 above
	default:
		b = src[at+1]
		mid = g.once(x64.VPERM2I128, b, b, 0x08) // 0 below
	}
	switch {
	// VPALIGNR shifts inside halves of 16 bytes: combine with the middle.
	case k < 4:
		return g.v2i(x64.VPALIGNR, mid, a, int64(4*k))
	case k > 4:
		return g.v2i(x64.VPALIGNR, b, mid, int64(4*(k-4)))
	}
	return mid
}

// nearby bounds how many instructions back once looks.
const nearby = 128

// once is v2i, or the earlier result if the same instruction was emitted shortly before
// and its operands are unchanged.
func (g *crossLane) once(op x64.Op, a, b x64.Reg, imm int64) x64.Reg {
	code := g.fn.Code
	var written []x64.Reg
	for i := len(code) - 1; i >= max(0, len(code)-nearby); i-- {
		in := &code[i]
		info := in.Op.Info()
		// The same instruction, with a result that no later one has overwritten.
		if in.Op == op && in.A == a && in.B == b && in.Imm == imm && in.Len == g.len && in.K == 0 && !in.HasMem && !slices.Contains(written, in.Dst) {
			return in.Dst
		}
		if in.Dst == a || in.Dst == b || info.AWrite || info.BWrite || info.Ends || info.Pseudo && in.Op != x64.NOP || in.Op == x64.CALLLabel {
			break
		}
		written = append(written, in.Dst)
	}
	return g.v2i(op, a, b, imm)
}

// blendLanes is b in the lanes for which f has a lane number, else a.
func (g *crossLane) blendLanes(a, b x64.Reg, f []int) x64.Reg {
	m := uint64(0)
	for i, x := range f {
		if x >= 0 {
			m |= 1 << i
		}
	}
	if !g.avx512 {
		return g.v2i(x64.VPBLENDD, a, b, int64(m))
	}
	return g.blend(g.chunk(g.constOf(constKey{bits: m, size: 4, len: 4, gpr: true}), uint8(len(f)), 4, 0), a, b, 4)
}

// indices is a constant vector of lane numbers; values of the pattern that are not lane
// numbers become 0.
func (g *crossLane) indices(f []int) x64.Reg {
	data := make([]byte, 4*len(f))
	for i, x := range f {
		data[4*i] = byte(max(x, 0))
	}
	return g.table(data)
}

// fromTwo moves lanes of two vector registers: lane numbers of b count from n on.
func (g *crossLane) fromTwo(a, b x64.Reg, f []int) x64.Reg {
	n := len(f)
	if a == b {
		one := make([]int, n)
		for i, x := range f {
			one[i] = x
			if x >= n {
				one[i] = x - n
			}
		}
		return g.within(a, one)
	}
	// A constant distance is a shift of the concatenation.
	by := fromAny
	for i, x := range f {
		switch {
		case x < 0 || by == x-i:
		case by == fromAny:
			by = x - i
		default:
			// VPERMI2D overwrites the indices with the result.
			return g.v3(x64.VPERMI2D, g.indices(f), a, b)
		}
	}
	if by > 0 && by < n {
		return g.v2i(x64.VALIGND, b, a, int64(by))
	}
	return g.v3(x64.VPERMI2D, g.indices(f), a, b)
}

// within moves lanes inside one vector register. It looks for patterns with cheap
// instructions: identity, broadcast, one shuffle in all quads, a permutation of quads.
func (g *crossLane) within(r x64.Reg, f []int) x64.Reg {
	same, first := true, true // each lane stays; each lane gets lane 0
	quads, blocks := true, true
	imm, block := [4]int{fromAny, fromAny, fromAny, fromAny}, [4]int{fromAny, fromAny, fromAny, fromAny}
	set := func(to *int, x int) bool {
		if *to == fromAny {
			*to = x
		}
		return *to == x
	}
	for i, x := range f {
		if x < 0 {
			continue
		}
		same = same && x == i
		first = first && x == 0
		quads = quads && x/4 == i/4 && set(&imm[i%4], x%4)
		blocks = blocks && x%4 == i%4 && set(&block[i/4], x/4)
	}
	pack := func(a [4]int) int64 {
		v := int64(0)
		for k, x := range a {
			v |= int64(max(x, 0)) << (2 * k)
		}
		return v
	}
	switch {
	// From the cheapest pattern to a permutation by an index vector.
	case same:
		return r
	case first:
		return g.v1(x64.VPBROADCASTD, r)
	// All quads have the same pattern inside.
	case quads:
		return g.vi(x64.VPSHUFD, r, pack(imm))
	case blocks && g.avx512:
		return g.v2i(x64.VSHUFI32X4, r, r, pack(block))
	case blocks: // two quads: four pairs of lanes
		b0, b1 := max(block[0], 0), max(block[1], 0)
		return g.vi(x64.VPERMQImm, r, pack([4]int{2 * b0, 2*b0 + 1, 2 * b1, 2*b1 + 1}))
	}
	return g.v2(x64.VPERMD, g.indices(f), r)
}

// gatherLanes moves lanes of web w, which has the registers src, by registers of
// indices. Only the bits of a lane number count.
func (g *crossLane) gatherLanes(w webs.Web, src, idx []x64.Reg) []x64.Reg {
	alike := true // all registers of src are the same one
	for _, s := range src {
		alike = alike && s == src[0]
	}
	// Eight source registers: a gather from memory is shorter.
	if len(src) == 8 && !alike {
		return g.gatherStored(src, idx)
	}
	out := make([]x64.Reg, len(idx))
	for u, x := range idx {
		switch {
		case alike && g.inOne(w): // one value in all lanes
			out[u] = src[0]
		// Equal indices give equal lanes.
		case u > 0 && x == idx[u-1]:
			out[u] = out[u-1]
		case alike:
			out[u] = g.v2(x64.VPERMD, x, src[0])
		case g.avx512:
			if len(src) == 2 {
				out[u] = g.v3(x64.VPERMI2D, x, src[0], src[1])
				continue
			}
			// Four source registers: bit 5 of the index chooses the pair.
			k := g.kreg()
			g.emit(x64.Inst{Op: x64.VPTESTMD, Len: g.len, Dst: k, A: x, B: g.c32(32)})
			lo := g.v3(x64.VPERMI2D, x, src[0], src[1])
			out[u] = g.blend(k, lo, g.v3(x64.VPERMI2D, x, src[2], src[3]), 4)
		default:
			// AVX2: permute each source register, then select by the bits of the index.
			t := make([]x64.Reg, len(src))
			for k, s := range src {
				t[k] = g.v2(x64.VPERMD, x, s)
			}
			for bit := int64(3); len(t) > 1; bit++ { // which half: the bit becomes the sign, which VBLENDVPS tests
				sign := g.vi(x64.VPSLLDImm, x, 31-bit)
				for k := range len(t) / 2 {
					d := g.vec()
					g.emit(x64.Inst{Op: x64.VBLENDVPS, Len: g.len, Dst: d, A: t[2*k], B: t[2*k+1], C: sign})
					t[k] = d
				}
				t = t[:len(t)/2]
			}
			out[u] = t[0]
		}
	}
	return out
}
