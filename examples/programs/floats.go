package programs

import (
	"math"
	"slices"

	"example.org/crosslane"
)

// A format is a binary floating-point format of at most 16 bits.
type format struct{ fraction, least int } // bits behind the point; the least exponent

func f16() format  { return format{10, -14} }
func bf16() format { return format{7, -126} }

// bits rounds a number to nearest even.
func (f format) bits(v float64) uint16 {
	var sign uint16
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	infinity := uint16(2*(1-f.least)+1) << f.fraction // the exponent field full of ones
	if v == 0 {
		return sign
	}
	if math.IsInf(v, 0) {
		return sign | infinity
	}
	e := max(math.Ilogb(v), f.least)
	q := math.RoundToEven(math.Ldexp(v, f.fraction-e)) // 2^fraction to 2^(fraction+1), less if subnormal
	b := uint64(e-f.least)<<f.fraction + uint64(q)
	return sign | uint16(min(b, uint64(infinity)))
}

// value is the number that bits stand for.
func (f format) value(b uint16) float64 {
	magnitude := int(b & 0x7fff)
	e, m := magnitude>>f.fraction, magnitude&(1<<f.fraction-1)
	v := math.Ldexp(float64(m), f.least-f.fraction)
	if e == 2*(1-f.least)+1 {
		v = math.Inf(1)
		if m != 0 {
			return math.NaN()
		}
	} else if e > 0 {
		v = math.Ldexp(float64(m|1<<f.fraction), f.least-f.fraction+e-1)
	}
	if b&0x8000 != 0 {
		return -v
	}
	return v
}

// round rounds to the format and back.
func (f format) round(v float64) float64 { return f.value(f.bits(v)) }

func (f format) randoms(w *words, n int) []uint16 {
	return convert(w.floats(n), func(v float32) uint16 { return f.bits(float64(v)) })
}

func halfCases() []Case {
	w := words(90)
	const n = 96
	// Sums and products of two numbers of 11 bits are exact in float64.
	x1, y1 := f16().randoms(&w, n), f16().randoms(&w, n)
	copy(x1, []uint16{0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0x3c00})
	copy(y1, []uint16{0x0001, 0x0001, 0x8001, 0x83ff, 0x7bff, 0x7bff, 0x3c00, 0xfc00})
	a := f16().bits(1.37)
	axpy := fill(n, func(i int) uint16 {
		return f16().bits(f16().round(f16().value(a)*f16().value(x1[i])) + f16().value(y1[i]))
	})
	slope, bias := []uint16{f16().bits(0.1), f16().bits(0.25)}, []uint16{f16().bits(0.5), f16().bits(-0.125)}
	v := f16().randoms(&w, 64)
	leaky := fill(64, func(i int) uint16 {
		s := f16().round(f16().value(v[i]) + f16().value(bias[i%2]))
		if s > 0 {
			return f16().bits(s)
		}
		return f16().bits(s * f16().value(slope[i%2]))
	})
	p, q := f16().randoms(&w, 75), f16().randoms(&w, 75)
	parts := make([]float32, 32)
	for i := range p {
		parts[i%32] += float32(f16().value(p[i])) * float32(f16().value(q[i])) // exact: 22 bits
	}
	singles := w.floats(64)
	for i := range 40 { // every exponent that counts
		singles[i] = float32(math.Ldexp(float64(singles[i]), i-28))
	}
	copy(singles[40:], []float32{65504, 65519, 65520, 65536, -1e30, 0x1p-24, 0x1p-25, 0x1.002p0, 0x1.006p0, 0x1.001p0, 0x1.003p0, 0x1.0020002p0, 0, float32(math.Copysign(0, -1))})
	from := fill(64, func(i int) uint16 { return uint16(i*0x3d7 + i<<15) })
	for i := range from {
		from[i] %= 0xfc00
		if from[i]&0x7fff >= 0x7c00 {
			from[i] &= 0x83ff
		}
	}
	half := convert(singles, func(f float32) uint16 { return f16().bits(float64(f)) })
	wide := convert(from, f16().value)
	whole := convert(from, func(b uint16) int32 { return int32(math.Trunc(f16().value(b))) })

	u, t := bf16().randoms(&w, 64), bf16().randoms(&w, 64)
	scaled := fill(64, func(i int) uint16 {
		prod := float32(bf16().value(u[i])) * 0.7
		return bf16().bits(float64(float32(prod) + float32(bf16().value(t[i]))))
	})
	return []Case{
		one("axpy", "axpy_f16", x(3), x(32), encode(a), in("x", x1), &Buffer{Name: "y", Data: y1, Want: axpy}, uint32(n)),
		one("leaky", "leaky_f16x2", x(1), x(32), in("in", v), out("out", leaky), encode(slope), encode(bias)),
		one("dot", "dot_f16", x(1), x(32), in("a", p), in("b", q), out("out", []float32{treeSum(parts)}), uint32(75)),
		one("convert", "convert_f16", x(2), x(32), in("in", singles), out("out", half), in("from", from), out("wide", wide), out("whole", whole)),
		one("bf16", "scale_bf16", x(2), x(32), in("x", u), in("y", t), out("out", scaled), float32(0.7)),
	}
}

func bfloatCases() []Case {
	w := words(91)
	v := bf16().randoms(&w, 64)
	scale := bf16().bits(1.7)
	// For NVIDIA's targets clang evaluates an expression of __bf16 in float and rounds where
	// it is stored; for GCN3 it rounds each result.
	gelu := func(b uint16, product func(float64) float64) uint16 {
		x := float32(bf16().value(b))
		sq := float32(x*x) * 0.02
		inner := float32(x * float32(0.25-float32(sq)))
		poly := float32(bf16().round(float64(float32(x * float32(0.5+inner)))))
		prod := poly * float32(bf16().value(scale))
		return bf16().bits(float64(float32(product(float64(prod))) + x))
	}
	wide := convert(v, func(b uint16) uint16 { return gelu(b, func(p float64) float64 { return p }) })
	rounded := convert(v, func(b uint16) uint16 { return gelu(b, bf16().round) })
	const n = 12
	rows := bf16().randoms(&w, 32*n)
	sums := fill(32, func(r int) uint16 {
		s := 0.0
		for _, b := range rows[r*n : (r+1)*n] {
			s = bf16().round(s + bf16().value(b))
		}
		return bf16().bits(s)
	})
	ptx := one("gelu", "gelu_bf16", x(2), x(32), in("in", v), out("out", wide), encode(scale))
	gcn := one("gelu rounded", "gelu_bf16", x(2), x(32), in("in", v), out("out", rounded), encode(scale))
	ptx.ISA, gcn.ISA = crosslane.PTX, crosslane.GCN3
	return []Case{
		ptx, gcn,
		one("sum", "sum_bf16", x(1), x(32), in("in", rows), out("out", sums), uint32(n)),
	}
}

func doubleCases() []Case {
	w := words(92)
	const n, systems = 8, 32
	random := func(count int) []float64 {
		return fill(count, func(int) float64 { return float64(int64(w.next())) / (1 << 62) })
	}
	a, b := random(systems*n*n), random(systems*n)
	solved := make([]float64, 0, systems*n)
	for s := range systems {
		rows := fill(n, func(r int) []float64 {
			return append(slices.Clone(a[(s*n+r)*n:(s*n+r+1)*n]), b[s*n+r])
		})
		solved = append(solved, gauss(rows)...)
	}
	const length = 20
	values := fill(32*length, func(i int) float32 {
		return float32(math.Ldexp(float64(int64(w.next()))/(1<<63), w.below(60)-20))
	})
	sums := fill(32, func(r int) float32 {
		var s, lost float32
		for _, v := range values[r*length : (r+1)*length] {
			t := s + v
			large, small := s, v
			if math.Abs(float64(s)) < math.Abs(float64(v)) {
				large, small = v, s
			}
			lost += float32(large-t) + small
			s = t
		}
		return s + lost
	})
	starts := convert(random(32), func(f float64) float64 { return math.Abs(f) * 20 })
	var roots []float64
	for _, v := range starts {
		r := max(v, 1)
		for range 60 {
			r = (float64(2*r) + v/float64(r*r)) / 3
		}
		area := 0.0
		for i := range 17 {
			t := float64(float64(i) * (v / 16))
			f := t / (1 + float64(t*t))
			weight := [2]float64{2, 4}[i%2]
			if i == 0 || i == 16 {
				weight = 1
			}
			area += float64(weight * f)
		}
		parts := math.Floor(v) + math.Ceil(-v*0.5)
		parts += math.Trunc(v * 3)
		roots = append(roots, r, math.Sqrt(v), float64(area*(v/16))/3, parts+math.RoundToEven(v*2.5))
	}
	whole := fill(96, func(i int) float64 { return float64(i*i*1000003 - 7) })
	total := 0.0
	for _, v := range whole {
		total += v
	}
	given := fill(64, func(i int) float64 {
		return math.Ldexp(float64(int64(w.next()))/(1<<63), i%32)
	})
	copy(given, []float64{0.5, -0.5, 1.5, 2.5, 2147483647.75, -2147483648.5, 0x1.000001p0, 0x1.0000010000001p0, 0x1.000003p0, 1e-40, 1e-46})
	return []Case{
		one("solve", "solve", x(1), x(systems), in("a", a), in("b", b), out("x", solved)),
		one("kahan", "kahan", x(1), x(32), in("in", values), out("out", sums), uint32(length)),
		one("newton", "newton", x(1), x(32), in("in", starts), out("out", roots)),
		one("atomic", "add_f64", x(3), x(32), in("in", whole), out("sum", []uint64{math.Float64bits(total)})),
		one("convert", "convert_f64", x(2), x(32), in("in", given),
			out("a", convert(given, func(f float64) int64 { return int64(f) })),
			out("b", convert(given, func(f float64) uint32 { return uint32(math.Abs(f)) })),
			out("c", convert(given, func(f float64) float32 { return float32(f) })),
			out("d", convert(given, func(f float64) int16 { return int16(int32(f / 65536)) }))),
	}
}

// gauss solves a linear system whose last column is the right side.
func gauss(m [][]float64) []float64 {
	n := len(m)
	for k := range m {
		best := k
		for r := k + 1; r < n; r++ {
			if math.Abs(m[r][k]) > math.Abs(m[best][k]) {
				best = r
			}
		}
		m[k], m[best] = m[best], m[k]
		for _, row := range m[k+1:] {
			f := row[k] / m[k][k]
			for c := k; c <= n; c++ {
				row[c] = math.FMA(-f, m[k][c], row[c])
			}
		}
	}
	v := make([]float64, n)
	for r := n - 1; r >= 0; r-- {
		s := m[r][n]
		for c := r + 1; c < n; c++ {
			s -= float64(m[r][c] * v[c])
		}
		v[r] = s / m[r][r]
	}
	return v
}
