package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"example.org/crosslane"
)

// alu is the launch of a mix of integer and float operations on registers, with n blocks.
func alu(n int) *Work {
	const rounds = 256
	out := space[uint32](n * 256)
	w := line(n, crosslane.Slice("out", out), u32(rounds))
	w.Flops = float64(n*256*rounds) * 6
	w.Check = func() error {
		for id := range sample(len(out), rounds/8) {
			s, f := uint32(id)*2654435761+12345, float32(id&1023)
			for i := range uint32(rounds) {
				t := s*1664525 + 1013904223
				t ^= t >> 16
				s = (s + t) ^ i
				h := fma32(f, 0.5, 0.25)
				f = float32(float32(h+f) * 0.375)
				s = (s ^ (t<<7 | s>>25)) + t
				f += float32(float32(s&0xffff) * (1.0 / 65536))
				f = min(f, 1.5)
				if f < 1 {
					s += t
				} else {
					s += s
				}
			}
			if want := s ^ math.Float32bits(f); out[id] != want {
				return wrong("out", id, out[id], want)
			}
		}
		return nil
	}
	return w
}

// matmul is the launch of rows of blocks of the matrix product with the given unrolling, or with
// tiles.
func matmul(unroll int) func(n int) *Work {
	return func(n int) *Work {
		const size = 512
		rows := 4
		if unroll == 16 {
			rows = 16
		}
		a, b, c := integers(1, n*rows*size), integers(2, size*size), space[float32](n*rows*size)
		w := &Work{Grid: dim(size/64, n), Block: dim(64, 4),
			Args: []crosslane.Arg{crosslane.Slice("a", a), crosslane.Slice("b", b), crosslane.Slice("c", c), u32(size)}}
		if unroll == 16 {
			w.Grid, w.Block = dim(size/16, n), dim(16, 16)
		}
		w.Flops = float64(n*rows) * size * size * 2
		w.Check = func() error {
			for i := range sample(len(c), size/8) {
				var want float32
				for k := range size {
					want += a[i/size*size+k] * b[k*size+i%size]
				}
				if c[i] != want {
					return wrong("c", i, c[i], want)
				}
			}
			return nil
		}
		return w
	}
}

// mandelbrot is the launch of the Mandelbrot set, 1,024 points for each unit of n. Lanes leave the
// loop at different times.
func mandelbrot(n int) *Work {
	const limit = 256
	out := space[uint32](n * 1024)
	dy := 3 / float32(n)
	w := line(n*4, crosslane.Slice("out", out), u32(limit), crosslane.Typed(crosslane.F32, uint64(math.Float32bits(dy))))
	w.Check = func() error {
		for id := range sample(len(out), limit/16) {
			cx, cy := fma32(float32(id&1023), 3.0/1024, -2.2), fma32(float32(id>>10), dy, -1.5)
			var x, y float32
			var i, mixed uint32
			for {
				x2, y2 := float32(x*x), float32(y*y)
				m := x2 + y2
				if y < 0 {
					mixed = (mixed*3 + 1) ^ i
				}
				y, x = fma32(float32(x*y), 2, cy), float32(x2-y2)+cx
				i++
				if m >= 4 || i >= limit {
					break
				}
			}
			if want := i ^ mixed; out[id] != want {
				return wrong("out", id, out[id], want)
			}
		}
		return nil
	}
	return w
}

// mma is the launch of matrix products. The elements of a lane are those of the kernel: the words a
// and b.
func mma(n int) *Work {
	const rounds = 256
	out := space[float32](n * 1024)
	w := line(n, crosslane.Slice("out", out), u32(rounds))
	w.Flops = float64(n*8*rounds) * 16 * 8 * 16 * 2
	w.Check = func() error {
		// Lane l holds, of A, rows l/4 and l/4 + 8, columns 2(l%4) and the next, and those 8
		// further (PTX 9.7.14.5.8); the third register is B's word. The word a differs between even
		// and odd lanes, and between the warps of a block.
		var a [8][16][16]float32
		var b [8][16][8]float32
		for w := range 8 {
			for l := range 32 {
				g, t := l/4, l%4*2
				low := float32(1+l%2) * float32(16+w) / 16
				for j, v := range [2]float32{low, 1} {
					a[w][g][t+j], a[w][g+8][t+j], a[w][g+8][t+8+j] = v, v, v
					b[w][t+8+j][g] = v
				}
				for j, v := range [2]float32{2, 1} {
					a[w][g][t+8+j], b[w][t+j][g] = v, v
				}
			}
		}
		for i := range sample(len(out), 16) {
			w, l, e := i/128%8, i/4%32, i%4
			row, col := l/4+e/2*8, l%4*2+e%2
			var want float32
			for k := range 16 {
				want += a[w][row][k] * b[w][k][col]
			}
			if want *= rounds; out[i] != want {
				return wrong("out", i, out[i], want)
			}
		}
		return nil
	}
	return w
}

// nbody is the launch of the accelerations of 2,048 bodies that attract each other, with n blocks.
// The check compares with f64, with a tolerance relative to the sum of the terms' magnitudes.
func nbody(n int) *Work {
	const size = 2048
	bodies, out := unit(3, size*4), space[float32](n*1024)
	w := line(n, crosslane.Slice("bodies", bodies), crosslane.Slice("out", out), u32(size))
	w.Flops = float64(n*256) * size * 19
	w.Check = func() error {
		for id := range sample(n*256, size/8) {
			p := bodies[id%size*4:]
			var want, most [3]float64
			for k := 0; k < size*4; k += 4 {
				q := bodies[k:]
				var d [3]float64
				r := 0.0625
				for i := range d {
					d[i] = float64(q[i]) - float64(p[i])
					r += d[i] * d[i]
				}
				for i := range d {
					v := d[i] * float64(q[3]) / (r * math.Sqrt(r))
					want[i] += v
					most[i] += math.Abs(v)
				}
			}
			for i := range want {
				if got := float64(out[id*4+i]); !(math.Abs(got-want[i]) <= 2e-5*most[i]) {
					return wrong("out", id*4+i, got, want[i])
				}
			}
		}
		return nil
	}
	return w
}

// sha256Work is the launch of repeated SHA-256 compressions, with n blocks. A lane's digest is the
// first half of its next block.
func sha256Work(n int) *Work {
	const rounds = 4
	blocks, digests := words(4, 16*256), space[uint32](n*2048)
	for i := range 256 { // the padding of a message of 55 bytes, which the kernel need not have
		blocks[15*256+i] = 55 * 8
	}
	w := line(n, crosslane.Slice("blocks", blocks), crosslane.Slice("digests", digests), u32(rounds))
	w.Check = func() error {
		for id := range sample(n*256, 20) {
			var m [16]uint32
			for i := range m {
				m[i] = blocks[i*256+id%256]
			}
			m[15] ^= uint32(id)
			for range rounds {
				d := compress(m)
				copy(m[:], d[:])
			}
			for i := range 8 {
				if at := id/256*2048 + i*256 + id%256; digests[at] != m[i] {
					return wrong("digests", at, digests[at], m[i])
				}
			}
		}
		return nil
	}
	return w
}

// compress is SHA-256's compression of one block from the initial state. The standard
// library's hash stops before its padding if it is asked for its state.
func compress(m [16]uint32) (digest [8]uint32) {
	var block [64]byte
	for i, v := range m {
		binary.BigEndian.PutUint32(block[4*i:], v)
	}
	h := sha256.New()
	h.Write(block[:])
	state, err := h.(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary()
	if err != nil {
		return digest
	}
	for i := range digest { // the digest follows a word that names the hash
		digest[i] = binary.BigEndian.Uint32(state[4+4*i:])
	}
	return digest
}

// f64 is the launch of polynomials in f64 by fused multiply-adds, with n blocks.
func f64(n int) *Work {
	const rounds = 64
	out := make([]float64, n*256)
	w := line(n, crosslane.Slice("out", out), u32(rounds))
	w.Flops = float64(n*256*rounds) * 34
	w.Check = func() error {
		for id := range sample(len(out), rounds) {
			x := float64(id&4095) * (1.0 / 4096)
			for range rounds {
				p := 1.0 / 65536
				for i := 1; i <= 16; i++ {
					p = math.FMA(p, x, 1/float64(int(65536>>i)))
				}
				x = min(p, x+1.0/16)
				x -= math.Trunc(x)
			}
			if out[id] != x {
				return wrong("out", id, out[id], x)
			}
		}
		return nil
	}
	return w
}

// f16 is the launch of polynomials in pairs of f16, with n blocks.
func f16(n int) *Work {
	const rounds = 256
	out := space[uint32](n * 256)
	w := line(n, crosslane.Slice("out", out), u32(rounds))
	w.Flops = float64(n*256*rounds) * 2 * 18
	w.Check = func() error {
		for id := range sample(len(out), rounds) {
			if want := polynomial16(id&511, 1.0/1024, rounds) | polynomial16(id&255, 1.0/512, rounds)<<16; out[id] != want {
				return wrong("out", id, out[id], want)
			}
		}
		return nil
	}
	return w
}

// polynomial16 computes in f64, where products and sums of these f16 are exact, and rounds
// to f16 after each operation.
func polynomial16(i int, scale float64, rounds int) uint32 {
	round := func(v float64) float64 { // all values are normal: 11 bits, ties to even
		_, e := math.Frexp(v)
		return math.Ldexp(math.RoundToEven(math.Ldexp(v, 11-max(e, -13))), max(e, -13)-11)
	}
	x := round(float64(i) * scale)
	y := x
	for range rounds {
		p := round(y * 0.125)
		for range 8 {
			p = round(p*x + 0.25)
		}
		y = round(p + x)
	}
	_, e := math.Frexp(y)
	return uint32(e+14)<<10 | uint32(math.Ldexp(y, 11-e))&0x3ff
}
