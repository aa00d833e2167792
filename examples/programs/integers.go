package programs

import (
	"encoding/binary"
	"math"
	"math/big"
)

func structCases() []Case {
	w := words(80)
	const n = 40
	m, v := w.floats(12), w.floats(3*n)
	matrix := append(encode(m), encode(2.25)...)
	matrix = append(matrix, make([]byte, 64-len(matrix))...)
	var moved []float32
	for i := range n {
		r := fill(3, func(j int) float32 {
			s := float32(m[4*j] * v[3*i])
			s += float32(m[4*j+1] * v[3*i+1])
			s += float32(m[4*j+2] * v[3*i+2])
			return s + m[4*j+3]
		})
		r[0] = float32(float64(r[0]) * 2.25)
		moved = append(moved, r...)
	}

	type small struct {
		Tag    uint8
		_      uint8
		Offset int16
		Count  uint32
	}
	type mixed struct {
		C     int8
		_     [7]byte
		Wide  uint64
		F     [3]float32
		Inner small
		_     [4]byte
	}
	s := mixed{C: -100, Wide: 0x0123456789abcdef, F: [3]float32{1.5, -2.25, 1e10}}
	t := small{Tag: 0xa5, Offset: -30000, Count: 12345}
	change := func(s mixed, by int) mixed {
		s.C += int8(by)
		s.Wide = s.Wide<<by | uint64(s.Inner.Tag)
		s.F[by%3] *= 2
		s.Inner.Offset -= int16(by)
		s.Inner.Count ^= 0x80000000 >> by
		return s
	}
	var changed []uint64
	for i := range 32 {
		r := s
		r.Inner = t
		r = change(change(r, i), 1)
		f := convert(r.F[:], func(f float32) uint64 { return uint64(math.Float32bits(f)) })
		changed = append(changed, uint64(r.C), r.Wide, f[0]|f[1]<<32, f[2], uint64(r.Inner.Tag)|uint64(uint16(r.Inner.Offset))<<16, uint64(r.Inner.Count))
	}
	table := w.bytes(200)
	folded := fill(32, func(t int) (s uint32) {
		for i := t; i < 100; i += 7 {
			s = s*5 + uint32(binary.LittleEndian.Uint16(table[2*i:]))
		}
		return s
	})
	return []Case{
		one("affine", "affine", x(2), x(32), matrix, in("in", v), out("out", moved), uint32(n)),
		one("mixed", "mixed", x(1), x(32), encode(s), encode(t), out("out", changed)),
		one("indexed", "indexed", x(1), x(32), table, out("out", folded)),
	}
}

func integerCases() []Case {
	w := words(81)
	const n = 64
	// Numbers of all lengths, both signs.
	numbers := func() []int64 {
		return fill(n, func(i int) int64 { return int64(w.next()|1) >> (i * 7 % 63) })
	}
	a, b := numbers(), numbers()
	copy(a, []int64{math.MinInt64 + 1, math.MaxInt64, -1, 0, 7, -7, 1 << 32, -1 << 32})
	copy(b, []int64{-1, math.MinInt64, math.MinInt64, 3, -2, 2, 1<<32 - 1, 1 << 16})
	var quotients []int64
	for i := range n {
		x, y := a[i], b[i]
		quotients = append(quotients, x/y, x%y, int64(uint64(x)/uint64(y)), int64(uint64(x)%uint64(y)),
			x/10, int64(uint64(x)%1000003), int64(int32(x)/(int32(y)|1)), int64(int16(x)%int16(y|1)))
	}
	c, d := w.u64s(n), w.u64s(n)
	var products []uint64
	limit := new(big.Int).Lsh(big.NewInt(1), 128)
	halves := func(v *big.Int) (low, high uint64) {
		v = new(big.Int).Mod(v, limit)
		high = new(big.Int).Rsh(v, 64).Uint64()
		return new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), 64)).Uint64(), high
	}
	for i := range n {
		x, y := new(big.Int).SetUint64(c[i]), new(big.Int).SetUint64(d[i])
		p := new(big.Int).Mul(x, y)
		p0, p1 := halves(p)
		s0, s1 := halves(new(big.Int).Add(p, x))
		d0, d1 := halves(new(big.Int).Sub(p, new(big.Int).Lsh(y, 70)))
		shifted, _ := halves(new(big.Int).Rsh(p, uint(c[i]&127)))
		products = append(products, p0, p1, s0, s1, d0, d1, shifted, uint64(int64(d1)>>(d[i]&63)))
	}
	candidates := fill(n, func(i int) uint32 { return uint32(w.next() >> (32 + i%28)) })
	copy(candidates, []uint32{0, 1, 2, 3, 4, 7, 61, 2047, 4294967291, 4294967295, 3215031751 /* a pseudoprime for 2, 3, 5 and 7 */, 25326001})
	prime := convert(candidates, func(v uint32) uint32 {
		if big.NewInt(int64(v)).ProbablyPrime(0) { // certain below 2^64
			return 1
		}
		return 0
	})
	gcds := fill(n, func(i int) uint64 {
		x, y := new(big.Int).Abs(big.NewInt(a[i])), new(big.Int).Abs(big.NewInt(b[i]))
		return new(big.Int).GCD(nil, nil, x, y).Uint64()
	})
	const k0, k1 = 0xa4093822, 0x299f31d0
	var random []uint32
	for i := range uint32(32) {
		v := philox([4]uint32{i, 1, 2, 3}, [2]uint32{k0, k1})
		random = append(random, v[:]...)
	}
	p, q := convert(w.bytes(n), func(b byte) int8 { return int8(b) }), convert(w.bytes(n), func(b byte) int8 { return int8(b) })
	var narrow []int16
	for i := range n {
		x, y := int(p[i]), int(q[i])
		diff := x - y
		if uint8(x) <= uint8(y) {
			diff = -diff
		}
		narrow = append(narrow, int16(min(max(x+y, -128), 127)), int16(x*y*8), int16(diff), int16(p[i]>>(q[i]&7))^int16(uint8(q[i]<<1)))
	}
	return []Case{
		one("divide", "divide", x(2), x(32), in("a", a), in("b", b), out("out", quotients)),
		one("wide", "wide", x(2), x(32), in("a", c), in("b", d), out("out", products)),
		one("primes", "primes", x(2), x(32), in("in", candidates), out("out", prime)),
		one("gcd", "gcds", x(2), x(32), in("a", a), in("b", b), out("out", gcds)),
		one("philox", "philox", x(1), x(32), out("out", random), uint32(k0), uint32(k1)),
		one("narrow", "narrow", x(2), x(32), in("a", p), in("b", q), out("out", narrow)),
	}
}

// philox is Philox 4x32-10 of Salmon et al. (2011), figure 4.
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		p, q := 0xd2511f53*uint64(c[0]), 0xcd9e8d57*uint64(c[2])
		c = [4]uint32{uint32(q>>32) ^ c[1] ^ k[0], uint32(q), uint32(p>>32) ^ c[3] ^ k[1], uint32(p)}
		k[0], k[1] = k[0]+0x9e3779b9, k[1]+0xbb67ae85
	}
	return c
}
