package programs

import (
	"math"
	"math/bits"
	"math/cmplx"
)

func nbodyCases() []Case {
	w := words(60)
	const n, eps = 128, 0.01
	bodies := w.floats(4 * n)
	for i := range n {
		bodies[4*i+3] = 0.5 + bodies[4*i+3]/8
	}
	force := make([]float32, 4*n)
	for i := range n {
		for j := range n {
			var d [3]float64
			r2 := float64(float32(eps))
			for c := range d {
				d[c] = float64(bodies[4*j+c]) - float64(bodies[4*i+c])
				r2 += d[c] * d[c]
			}
			for c := range d {
				force[4*i+c] += float32(float64(bodies[4*j+3]) * d[c] / (r2 * math.Sqrt(r2)))
			}
		}
	}
	const few = 20
	start, v := bodies[:4*few], w.floats(4*few)
	next := make([]float32, 4*few)
	const dt = float32(0.0625)
	for i := range few {
		var a [3]float32
		for j := range few {
			if i == j {
				continue
			}
			var d, sq [3]float32
			for c := range d {
				d[c] = start[4*j+c] - start[4*i+c]
				sq[c] = d[c] * d[c]
			}
			d2 := float32(sq[0]+sq[1]) + sq[2]
			s := start[4*j+3] / float32(d2*float32(math.Sqrt(float64(d2))))
			for c := range d {
				a[c] += float32(d[c] * s)
			}
		}
		for c := range a {
			next[4*i+c] = start[4*i+c] + float32(float32(v[4*i+c]+float32(a[c]*dt))*dt)
		}
		next[4*i+3] = start[4*i+3]
	}
	return []Case{
		one("approximate", "nbody", x(2), x(64), in("bodies", bodies), approx("force", force, 2e-5, "rsqrt.approx, and sums of 128 forces of up to 1000"), uint32(n), float32(eps)),
		one("exact", "nbody_exact", x(1), x(few), &Buffer{Name: "bodies", Data: start, Want: next}, in("v", v), uint32(few), dt),
	}
}

type pair struct{ re, im float32 }

// fft divides into even and odd, in float32.
func fft(v, twiddle []pair) []pair {
	n := len(v)
	if n == 1 {
		return v
	}
	even := fft(fill(n/2, func(i int) pair { return v[2*i] }), twiddle)
	odd := fft(fill(n/2, func(i int) pair { return v[2*i+1] }), twiddle)
	r := make([]pair, n)
	for i, e := range even {
		w, o := twiddle[i*len(twiddle)*2/n], odd[i]
		t := pair{float32(o.re*w.re) - float32(o.im*w.im), float32(o.re*w.im) + float32(o.im*w.re)}
		r[i], r[i+n/2] = pair{e.re + t.re, e.im + t.im}, pair{e.re - t.re, e.im - t.im}
	}
	return r
}

func pairs(f []float32) []pair {
	return fill(len(f)/2, func(i int) pair { return pair{f[2*i], f[2*i+1]} })
}

func flat(p []pair) (f []float32) {
	for _, e := range p {
		f = append(f, e.re, e.im)
	}
	return f
}

func fftCases() []Case {
	w := words(61)
	v := w.floats(2 * 512)
	twiddle := fill(128, func(i int) pair {
		s, c := math.Sincos(-2 * math.Pi * float64(i) / 256)
		return pair{float32(c), float32(s)}
	})
	a := append(flat(fft(pairs(v[:512]), twiddle)), flat(fft(pairs(v[512:]), twiddle))...)
	// By the definition, in float64.
	var b []float32
	for base := 0; base < 64; base += 32 {
		for k := range 32 {
			var s complex128
			for i := range 32 {
				e := complex(float64(v[2*(base+i)]), float64(v[2*(base+i)+1]))
				s += e * cmplx.Exp(complex(0, -2*math.Pi*float64(i*k)/32))
			}
			b = append(b, float32(real(s)), float32(imag(s)))
		}
	}
	return []Case{
		one("256", "fft256", x(2), x(128), in("in", v), out("out", a), in("w", flat(twiddle))),
		one("32", "fft32", x(1), x(64), in("in", v[:128]), approx("out", b, 1e-5, "sin.approx and cos.approx have an absolute error of 2^-20.5")),
	}
}

func stencilCases() []Case {
	w := words(62)
	const width, height = 37, 19
	m := w.floats(width * height)
	mirrored := func(i, n int) int {
		if i < 0 {
			return -i
		}
		return min(i, 2*n-2-i)
	}
	weights := [3]float32{0.25, 0.5, 0.25}
	blurred := fill(width*height, func(i int) (s float32) {
		for dy := range 3 {
			for dx := range 3 {
				e := m[mirrored(i/width+dy-1, height)*width+mirrored(i%width+dx-1, width)]
				s += float32(weights[dy] * weights[dx] * e)
			}
		}
		return s
	})
	const n = 7
	cube := fill(n*n*n, func(int) float64 { return float64(int64(w.next())) / (1 << 40) })
	at := func(x, y, z int) float64 {
		if min(x, y, z) < 0 || max(x, y, z) >= n {
			return 0
		}
		return cube[(z*n+y)*n+x]
	}
	laplace := fill(n*n*n, func(i int) float64 {
		x, y, z := i%n, i/n%n, i/n/n
		s := at(x, y, z-1) + at(x, y, z+1) + at(x-1, y, z) + at(x+1, y, z) + at(x, y-1, z) + at(x, y+1, z)
		return math.FMA(-6, at(x, y, z), s)
	})
	world := w.u32s(32)
	lived := world
	for range 5 {
		lived = generation(lived)
	}
	return []Case{
		one("2d", "stencil2d", xy(3, 3), xy(16, 8), in("in", m), out("out", blurred), int32(width), int32(height)),
		one("3d", "stencil3d", x(1), xy(8, 8), in("in", cube), out("out", laplace), uint32(n)),
		one("life", "life", x(1), x(32), in("in", world), out("out", lived), uint32(5)),
	}
}

// generation is one step of Conway's game of life on a torus, cell by cell.
func generation(world []uint32) []uint32 {
	return fill(32, func(y int) (row uint32) {
		for x := range 32 {
			// Bits x-1, x and x+1 of three rows, the cell itself left out.
			near := bits.RotateLeft32(world[(y+31)%32], 1-x)&7 | bits.RotateLeft32(world[y], 1-x)&5<<3 | bits.RotateLeft32(world[(y+1)%32], 1-x)&7<<6
			n := bits.OnesCount32(near)
			if n == 3 || n == 2 && world[y]>>x&1 == 1 {
				row |= 1 << x
			}
		}
		return row
	})
}
