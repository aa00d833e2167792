package bench

import (
	"math"
	"math/cmplx"

	"example.org/crosslane"
)

// gather is the launch with a table of size words, and rounds accesses a lane.
func gather(size, rounds int) func(n int) *Work {
	return func(n int) *Work {
		table, out := words(6, size), space[uint32](n*256)
		w := line(n, crosslane.Slice("out", out), crosslane.Slice("table", table), u32(size-1), u32(rounds))
		w.Bytes = float64(n*256*rounds) * 4
		w.Check = func() error {
			for id := range sample(len(out), rounds/8) {
				x, want := uint32(id)*2654435761+12345, uint32(0)
				for range rounds {
					x = x*1664525 + 1013904223
					want += table[x>>7&uint32(size-1)]
				}
				if out[id] != want {
					return wrong("out", id, out[id], want)
				}
			}
			return nil
		}
		return w
	}
}

// histogram is the launch of a histogram of bytes, with n blocks. All blocks add to the same bins.
func histogram(n int) *Work {
	in, bins := words(7, n*4096), make([]uint32, 256)
	b := crosslane.Slice("bins", bins)
	w := line(n, crosslane.Slice("in", in), b)
	w.Reset = []*crosslane.Buffer{b}
	w.Bytes = float64(len(in)) * 4
	w.Check = func() error {
		var want [256]uint32
		for _, v := range in {
			want[v&255]++
			want[v>>8&255]++
			want[v>>16&255]++
			want[v>>24]++
		}
		for i, v := range want {
			if bins[i] != v {
				return wrong("bins", i, bins[i], v)
			}
		}
		return nil
	}
	return w
}

// transpose is the launch of a matrix transposition with 32*n rows and 2,048 columns.
func transpose(n int) *Work {
	const cols = 2048
	rows := n * 32
	in, out := words(8, rows*cols), space[uint32](rows*cols)
	w := &Work{Grid: dim(cols/32, n), Block: dim(32, 8),
		Args: []crosslane.Arg{crosslane.Slice("in", in), crosslane.Slice("out", out), u32(cols), u32(rows)}}
	w.Bytes = float64(len(in)) * 8
	w.Check = func() error {
		for i := range sample(len(out), 1) {
			if want := in[i%rows*cols+i/rows]; out[i] != want {
				return wrong("out", i, out[i], want)
			}
		}
		return nil
	}
	return w
}

// triad is the launch of a = b + 3*c, with n blocks.
func triad(n int) *Work {
	a, b, c := space[float32](n*256), unit(9, n*256), unit(10, n*256)
	w := line(n, crosslane.Slice("a", a), crosslane.Slice("b", b), crosslane.Slice("c", c))
	w.Bytes, w.Flops = float64(len(a))*12, float64(len(a))*2
	w.Check = func() error {
		for i := range sample(len(a), 1) {
			if want := fma32(c[i], 3, b[i]); a[i] != want {
				return wrong("a", i, a[i], want)
			}
		}
		return nil
	}
	return w
}

// fft is the launch of n Fourier transforms of 512 points each. The check compares some outputs
// with the definition.
func fft(n int) *Work {
	const size = 512
	in, out, factors := unit(11, n*size*2), space[float32](n*size*2), make([]float32, size)
	for k := range size / 2 {
		s, c := math.Sincos(-2 * math.Pi * float64(k) / size)
		factors[2*k], factors[2*k+1] = float32(c), float32(s)
	}
	w := line(n, crosslane.Slice("in", in), crosslane.Slice("out", out), crosslane.Slice("w", factors))
	w.Flops, w.Bytes = float64(n*size)*5*9, float64(n*size)*16
	w.Check = func() error {
		for i := range sample(n*size, size) {
			base := i / size * size
			var want complex128
			for k := range size {
				f := cmplx.Rect(1, -2*math.Pi*float64(k*(i-base)%size)/size)
				want += complex(float64(in[2*(base+k)]), float64(in[2*(base+k)+1])) * f
			}
			got := complex(float64(out[2*i]), float64(out[2*i+1]))
			if !(cmplx.Abs(got-want) < 1e-3) { // sums of 512 numbers below 1.5
				return wrong("out", i, got, want)
			}
		}
		return nil
	}
	return w
}

// softmax is the launch of the softmax of rows of 1,024 numbers, one row for each warp, with n
// blocks.
func softmax(n int) *Work {
	in, out := unit(12, n*8192), space[float32](n*8192)
	for i := range in {
		in[i] = in[i]*16 - 8
	}
	w := line(n, crosslane.Slice("in", in), crosslane.Slice("out", out))
	w.Flops, w.Bytes = float64(len(in))*6, float64(len(in))*8
	w.Check = func() error {
		for i := range sample(len(out), 1) {
			if i%1024 != 0 {
				continue
			}
			var sum float64
			for j := range 1024 {
				sum += math.Exp(float64(in[i+j]))
			}
			for j := range 1024 {
				if got, want := float64(out[i+j]), math.Exp(float64(in[i+j]))/sum; !approximates(got, want, 1e-5) {
					return wrong("out", i+j, got, want)
				}
			}
		}
		return nil
	}
	return w
}

// spmv is the launch of the product of a sparse matrix in CSR form with a vector. The matrix has
// 256*n rows with 8 to 24 elements each.
func spmv(n int) *Work {
	const cols = 65536
	rows := n * 256
	start := make([]uint32, rows+1)
	for r := range rows {
		start[r+1] = start[r] + 8 + mix(uint32(r)+13)%17
	}
	size := int(start[rows])
	column := words(14, size)
	for i := range column {
		column[i] %= cols
	}
	value, x, y := integers(15, size), integers(16, cols), space[float32](rows)
	w := line(n, crosslane.Slice("start", start), crosslane.Slice("column", column), crosslane.Slice("value", value), crosslane.Slice("x", x), crosslane.Slice("y", y))
	w.Flops, w.Bytes = float64(size)*2, float64(size)*8
	w.Check = func() error {
		for r := range sample(rows, 16) {
			var want float32
			for i := start[r]; i < start[r+1]; i++ {
				want += value[i] * x[column[i]]
			}
			if y[r] != want {
				return wrong("y", r, y[r], want)
			}
		}
		return nil
	}
	return w
}

// bfs is the launch of n breadth-first searches in one graph of 1,024 nodes; each block searches
// from its own node.
func bfs(n int) *Work {
	const nodes = 1024
	start, to := make([]uint32, nodes+1), []uint32{}
	for v := range uint32(nodes) {
		to = append(to, (v+1)%nodes, (v+nodes-1)%nodes)
		for e := range mix(v) % 5 {
			to = append(to, mix(v*8+e+17)%nodes)
		}
		start[v+1] = uint32(len(to))
	}
	level := space[uint32](n * nodes)
	w := line(n, crosslane.Slice("start", start), crosslane.Slice("to", to), crosslane.Slice("level", level))
	w.Check = func() error {
		for b := range sample(n, 256) {
			dist := make([]uint32, nodes)
			for i := range dist {
				dist[i] = math.MaxUint32
			}
			dist[b%nodes] = 0
			for queue := []int{b % nodes}; len(queue) > 0; queue = queue[1:] {
				v := queue[0]
				for _, t := range to[start[v]:start[v+1]] {
					if dist[t] == math.MaxUint32 {
						dist[t] = dist[v] + 1
						queue = append(queue, int(t))
					}
				}
			}
			for i, want := range dist {
				if got := level[b*nodes+i]; got != want {
					return wrong("level", b*nodes+i, got, want)
				}
			}
		}
		return nil
	}
	return w
}
