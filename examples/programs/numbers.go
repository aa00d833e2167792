package programs

import "math"

func escape32(cx, cy float32, limit int) (n int) {
	var x, y float32
	for n < limit {
		xx, yy := float32(x*x), float32(y*y)
		if float32(xx+yy) > 4 {
			break
		}
		y = float32(float32(float32(2*x)*y) + cy)
		x = float32(float32(xx-yy) + cx)
		n++
	}
	return n
}

func escape64(cx, cy float64, limit int) (n int) {
	var x, y float64
	for n < limit && math.FMA(x, x, float64(y*y)) <= 4 {
		x, y = float64(math.FMA(x, x, -float64(y*y))+cx), math.FMA(float64(2*x), y, cy)
		n++
	}
	return n
}

func mandelbrotCases() []Case {
	const width, height, limit = 33, 19, 50
	a := fill(width*height, func(i int) uint32 {
		return uint32(escape32(-2.2+float32(float32(i%width)*0.09), -1.2+float32(float32(i/width)*0.125), limit))
	})
	b := fill(4*64, func(i int) uint16 {
		return uint16(escape64(-0.75+float64(float64(i%16)*0.01), 0.1+float64(float64(i/16)*0.01), 40))
	})
	return []Case{
		one("f32", "mandelbrot_f32", xy(5, 3), xy(8, 8), out("out", a), uint32(width), uint32(height), float32(-2.2), float32(-1.2), float32(0.09), float32(0.125), uint32(limit)),
		one("f64", "mandelbrot_f64", x(4), x(64), out("out", b), uint32(16), float64(-0.75), float64(0.1), float64(0.01), uint32(40)),
	}
}

func fma32(a, b, c float32) float32 {
	// The product is exact in float64. The sum is rounded to odd in case the exact one
	// is no float64, so that rounding it again, to float32, is as rounding once.
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	t := s - p
	if e := (p - (s - t)) + (q - t); e != 0 && math.Float64bits(s)&1 == 0 {
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return float32(s)
}

func matmulCases() []Case {
	w := words(20)
	const m, n, k = 19, 21, 35
	a, b := w.floats(m*k), w.floats(k*n)
	c := fill(m*n, func(i int) (s float32) {
		for j := range k {
			s = fma32(a[i/n*k+j], b[j*n+i%n], s)
		}
		return s
	})
	const rows, cols, inner = 8, 16, 9
	d, e := w.floats(rows*inner), w.floats(inner*cols)
	f := fill(rows*cols, func(i int) (s float32) {
		for j := range inner {
			s += float32(d[i/cols*inner+j] * e[j*cols+i%cols])
		}
		return s
	})
	bytes := w.bytes(32 * 20)
	v := w.bytes(20)
	products := fill(32, func(i int) (s int32) {
		for j := range 20 {
			s += int32(int8(bytes[20*i+j])) * int32(int8(v[j]))
		}
		return s
	})
	return []Case{
		one("tiled", "matmul_tiled", xy(2, 2), xy(16, 16), in("a", a), in("b", b), out("c", c), uint32(m), uint32(n), uint32(k)),
		one("registers", "matmul_registers", x(1), x(32), in("a", d), in("b", e), out("c", f), uint32(cols), uint32(inner)),
		one("bytes", "matvec_bytes", x(1), x(32), in("a", bytes), in("v", v), out("out", products), uint32(5)),
	}
}
