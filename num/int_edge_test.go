package num

import (
	"math/big"
	"testing"
)

// edgeInts returns the n-bit values at which division and shifts differ.
func edgeInts(n uint) []uint64 {
	mask := ^uint64(0) >> (64 - n)
	var list []uint64
	for _, v := range []uint64{0, 1, 2, 3, 7, 10, 255, 256, 1<<15 - 1, 1 << 15, 1<<31 - 1, 1 << 31, 1<<63 - 1, 1 << 63, mask >> 1, mask>>1 + 1, mask, mask - 1, 0x5555555555555555} {
		list = append(list, v&mask, -v&mask)
	}
	return list
}

func signed(v uint64, n uint) *big.Int { return big.NewInt(int64(v<<(64-n)) >> (64 - n)) }

// TestDivisionEdges checks quotients and remainders for all pairs of edges, of every width and
// sign. Zero and the negation of the least number are among them. By zero both results are all ones
// (Errata E11).
func TestDivisionEdges(t *testing.T) {
	t.Parallel()
	for _, w := range []struct {
		n              uint
		du, ru, ds, rs func(a, b uint64) uint64
	}{
		{16, func(a, b uint64) uint64 { return uint64(DivU16(uint16(a), uint16(b))) }, func(a, b uint64) uint64 { return uint64(RemU16(uint16(a), uint16(b))) },
			func(a, b uint64) uint64 { return uint64(uint16(DivS16(int16(a), int16(b)))) }, func(a, b uint64) uint64 { return uint64(uint16(RemS16(int16(a), int16(b)))) }},
		{32, func(a, b uint64) uint64 { return uint64(DivU32(uint32(a), uint32(b))) }, func(a, b uint64) uint64 { return uint64(RemU32(uint32(a), uint32(b))) },
			func(a, b uint64) uint64 { return uint64(uint32(DivS32(int32(a), int32(b)))) }, func(a, b uint64) uint64 { return uint64(uint32(RemS32(int32(a), int32(b)))) }},
		{64, DivU64, RemU64, func(a, b uint64) uint64 { return uint64(DivS64(int64(a), int64(b))) }, func(a, b uint64) uint64 { return uint64(RemS64(int64(a), int64(b))) }},
	} {
		mask := ^uint64(0) >> (64 - w.n)
		dividends := edgeInts(w.n)
		if w.n == 16 {
			dividends = nil
			for a := range uint64(1 << 16) {
				dividends = append(dividends, a)
			}
		}
		for _, a := range dividends {
			for _, b := range edgeInts(w.n) {
				wantQ, wantR := [2]uint64{mask, mask}, [2]uint64{mask, mask}
				if b != 0 && w.n < 64 { // 64-bit division cannot overflow here
					x, y := int64(a<<(64-w.n))>>(64-w.n), int64(b<<(64-w.n))>>(64-w.n)
					wantQ, wantR = [2]uint64{a / b, uint64(x/y) & mask}, [2]uint64{a % b, uint64(x%y) & mask}
				} else if b != 0 {
					q, r := new(big.Int).QuoRem(bigU(a), bigU(b), new(big.Int))
					wantQ[0], wantR[0] = q.Uint64(), r.Uint64()
					q, r = new(big.Int).QuoRem(signed(a, w.n), signed(b, w.n), new(big.Int))
					wantQ[1], wantR[1] = wrap(q, w.n), wrap(r, w.n)
				}
				for i, got := range [2][2]uint64{{w.du(a, b), w.ru(a, b)}, {w.ds(a, b), w.rs(a, b)}} {
					if got != [2]uint64{wantQ[i], wantR[i]} {
						t.Fatalf("%d bits, signed %d: %#x / %#x = %#x, want %#x and %#x", w.n, i, a, b, got, wantQ[i], wantR[i])
					}
				}
			}
		}
	}
}

// TestShiftEdges checks PTX 9.7.8.8 and 9.7.8.9: an amount beyond the width counts as the width,
// even if its low bits are small.
func TestShiftEdges(t *testing.T) {
	t.Parallel()
	for _, w := range []struct {
		n           uint
		shl, su, ss func(a uint64, c uint32) uint64
	}{
		{16, func(a uint64, c uint32) uint64 { return uint64(Shl16(uint16(a), c)) }, func(a uint64, c uint32) uint64 { return uint64(ShrU16(uint16(a), c)) }, func(a uint64, c uint32) uint64 { return uint64(uint16(ShrS16(int16(a), c))) }},
		{32, func(a uint64, c uint32) uint64 { return uint64(Shl32(uint32(a), c)) }, func(a uint64, c uint32) uint64 { return uint64(ShrU32(uint32(a), c)) }, func(a uint64, c uint32) uint64 { return uint64(uint32(ShrS32(int32(a), c))) }},
		{64, Shl64, ShrU64, func(a uint64, c uint32) uint64 { return uint64(ShrS64(int64(a), c)) }},
	} {
		var counts []uint32
		for c := range uint32(130) {
			counts = append(counts, c, 1<<31|c, -c)
		}
		for _, a := range edgeInts(w.n) {
			for _, c := range counts {
				k := min(uint(c), w.n)
				want := [3]uint64{wrap(new(big.Int).Lsh(bigU(a), k), w.n), new(big.Int).Rsh(bigU(a), k).Uint64(), wrap(new(big.Int).Rsh(signed(a, w.n), k), w.n)}
				if got := [3]uint64{w.shl(a, c), w.su(a, c), w.ss(a, c)}; got != want {
					t.Fatalf("%d bits: shl, shr.u, shr.s of %#x by %d = %#x, want %#x", w.n, a, c, got, want)
				}
			}
		}
	}
}
