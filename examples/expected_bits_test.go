package examples

import (
	"math/big"
	"math/bits"
)

// edges are shift counts at and around every limit of a funnel shift.
func edges() []uint32 {
	return []uint32{0, 1, 2, 7, 8, 15, 16, 17, 24, 30, 31, 32, 33, 34, 47, 62, 63, 64, 65, 95, 96, 127, 128, 255, 256, 1 << 16, 1 << 31, 1<<31 + 5, 1<<32 - 32, 1<<32 - 1}
}

// commonBitLaunches covers shifts, rotates and integer arithmetic.
func commonBitLaunches() []launch {
	w := words(10)
	const n = 128
	a, b := w.u32s(n), w.u32s(n)
	copy(a, []uint32{0, 1<<32 - 1, 1 << 31, 1, 0x01234567, 0})
	copy(b, []uint32{1<<32 - 1, 0, 1, 1 << 31, 0x89abcdef, 0})
	shift := fill(n, func(i int) uint32 { return edges()[i%len(edges())] })
	var words12, words8 []uint32
	divisor := fill(n, func(i int) uint32 { return b[i]>>(i%32) | 1 })
	for i := range n {
		words12 = append(words12, bitResults(a[i], b[i], shift[i])...)
		words8 = append(words8, arithmeticResults(a[i], divisor[i])...)
	}
	return []launch{{
		name: "bits", files: forBoth("bits"), kernel: "bits", grid: x(2), block: x(64),
		args: []any{
			buffer{name: "a", data: a},
			buffer{name: "b", data: b},
			buffer{name: "n", data: shift},
			buffer{name: "out", data: make([]uint32, 12*n), want: words12},
		},
	}, {
		name: "arithmetic", files: forBoth("arithmetic"), kernel: "arithmetic", grid: x(2), block: x(64),
		args: []any{
			buffer{name: "a", data: a},
			buffer{name: "b", data: divisor},
			buffer{name: "out", data: make([]uint32, 8*n), want: words8},
		},
	}}
}

func bitResults(x, y, s uint32) []uint32 {
	yx := uint64(y)<<32 | uint64(x) // y is the high word
	xy := bits.RotateLeft64(uint64(x)<<32|uint64(y), int(s%64))
	return []uint32{
		uint32(yx << (s % 32) >> 32),
		uint32(yx >> (s % 32)),
		bits.RotateLeft32(x, int(s%32)),
		bits.RotateLeft32(x, -7),
		uint32(xy),
		uint32(xy >> 32),
		uint32(bits.OnesCount32(x)),
		uint32(bits.LeadingZeros32(y | 1)),
		bits.Reverse32(x),
		bits.ReverseBytes32(x),
		x / 32 % 2048,
		uint32(int32(x<<3) >> 20),
	}
}

func arithmeticResults(x, y uint32) []uint32 {
	product := new(big.Int).Mul(big.NewInt(int64(x)), big.NewInt(int64(y)))
	signed := new(big.Int).Mul(big.NewInt(int64(int32(x))), big.NewInt(int64(int32(y))))
	word := func(p *big.Int, i uint) uint32 {
		v := new(big.Int).Rsh(p, 32*i)
		return uint32(v.And(v, big.NewInt(1<<32-1)).Uint64())
	}
	return []uint32{
		word(product, 0),
		word(product, 1),
		x / y,
		x % y,
		word(signed, 1),
		x / 10,
		uint32(int32(x) / 7),
		max(x, y) - min(x, y),
	}
}

// funnel is shf (PTX ISA 9.7.8.7) in 64-bit arithmetic: hi:lo shifted, one half
// taken.
func funnel(left, clamp bool, lo, hi, c uint32) uint32 {
	n := c % 32
	if clamp {
		n = min(c, 32)
	}
	v := uint64(hi)<<32 | uint64(lo)
	if left {
		return uint32(v << n >> 32)
	}
	return uint32(v >> n)
}

// prmt is byte selection in its default mode (PTX ISA 9.7.9.7): bit 3 of a selector
// spreads the sign of the byte it picks.
func prmt(a, b, selector uint32) uint32 {
	all := uint64(b)<<32 | uint64(a)
	var d uint32
	for i := range 4 {
		sel := selector >> (4 * i) & 15
		byte8 := uint8(all >> (8 * (sel & 7)))
		if sel&8 != 0 {
			byte8 = uint8(int8(byte8) >> 7)
		}
		d |= uint32(byte8) << (8 * i)
	}
	return d
}
