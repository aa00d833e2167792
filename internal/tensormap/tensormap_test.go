package tensormap

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// tiled returns a dense tiled map.
func tiled(e Elem, dims []uint64, box []int) Map {
	m := Map{Elem: e, Rank: len(dims), Addr: 0x2_0000_0000}
	size := uint64(e.Bits())
	for d := range dims {
		m.Dims[d], m.Box[d], m.Steps[d] = dims[d], box[d], 1
		if d > 0 {
			m.Strides[d] = size * dims[d-1] / 8
			size = m.Strides[d] * 8
			continue
		}
	}
	return m
}

func words(m *Map) (q [8]uint64) {
	b := m.Encode()
	for i := range q {
		q[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return q
}

// TestKnownWords compares with words of maps that other programs make for hardware.
func TestKnownWords(t *testing.T) {
	t.Parallel()
	a := tiled(F16, []uint64{64, 128}, []int{64, 128})
	a.Swizzle, a.L2 = Swizzle128, 2
	q := words(&a)
	if low := q[1] & 0xffffffff; low != 0x46312 {
		t.Errorf("f16, 2 dimensions, 128B: %#x", low)
	}
	if q[6] != 0x3f<<56 || q[7] != 127 || q[4] != 63|127<<32 || q[1]>>32 != 8 || q[0] != a.Addr {
		t.Errorf("f16: %#x", q)
	}
	a = tiled(F16, []uint64{64, 8, 8}, []int{64, 8, 1}) // 8 KiB: not large
	a.Swizzle, a.L2 = Swizzle128, 2
	if low := words(&a)[1] & 0xffffffff; low != 0x46322 {
		t.Errorf("f16, 3 dimensions: %#x", low)
	}
	a = tiled(F32, []uint64{16, 8, 8}, []int{16, 8, 1})
	a.Swizzle, a.L2 = Swizzle64, 2
	if low := words(&a)[1] & 0xffffffff; low != 0x443a2 {
		t.Errorf("f32, 3 dimensions, 64B: %#x", low)
	}
	a.Swizzle, a.Atom = Swizzle128, Atom32
	if low := words(&a)[1] & 0xffffffff; low != 0x563a2 {
		t.Errorf("f32, 128B with 32-byte atoms: %#x", low)
	}
	// The bit for tensors of 128 KiB and more.
	for _, c := range []struct {
		lines uint64
		large bool
	}{{1023, false}, {1024, true}} {
		a = tiled(U8, []uint64{128, c.lines}, []int{16, 1})
		if got := words(&a)[1]>>21&1 == 1; got != c.large {
			t.Errorf("%d lines of 128 bytes: large is %v", c.lines, got)
		}
	}
}

// randomMap makes a map that Check accepts.
func randomMap(r *rand.Rand) Map {
	for {
		m := Map{Kind: Kind(r.IntN(4)), Elem: Elem(r.IntN(16)), Rank: 1 + r.IntN(5), Addr: uint64(r.Uint32()) << 8, Swizzle: Swizzle(r.IntN(5)),
			L2: uint8(r.IntN(4)), NaN: r.IntN(2) == 0, Channels: 16 * (1 + r.IntN(8)), Pixels: 1 + r.IntN(1024)}
		if m.Swizzle == Swizzle128 {
			m.Atom = Atom(r.IntN(4))
		}
		for d := range m.Rank {
			m.Dims[d], m.Steps[d], m.Box[d] = 128*(1+r.Uint64N(1<<uint(r.IntN(25)))), 1+r.IntN(8), 1+r.IntN(256)
			if d > 0 {
				m.Strides[d] = r.Uint64N(1<<40) &^ 31
			}
		}
		m.Steps[0] = 1
		if m.Kind == Tiled {
			m.Channels, m.Pixels = 0, 0
			m.Box[0] = []int{8, 16, 32, 64, 128, 256}[r.IntN(6)]
		} else {
			m.Box = [MaxRank]int{}
			n := m.corners()
			if m.Rank < 3 {
				continue
			}
			limit := 1 << (cornerBits[n+2] - 1)
			for i := range n {
				m.Lower[i], m.Upper[i] = r.IntN(2*limit)-limit, r.IntN(2*limit)-limit
			}
		}
		if m.Check() == "" {
			return m
		}
	}
}

// TestRoundTrip: each field comes back.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	kinds := map[Kind]int{}
	for range 3000 {
		m := randomMap(r)
		kinds[m.Kind]++
		b := m.Encode()
		if got := Decode(&b); got != m {
			t.Fatalf("\n%+v comes back as\n%+v", m, got)
		}
	}
	if len(kinds) != 4 {
		t.Errorf("kinds %v", kinds)
	}
}

// TestCheck: each rule has a map that breaks it alone.
func TestCheck(t *testing.T) {
	t.Parallel()
	good := func() Map { return tiled(F16, []uint64{64, 64, 8}, []int{32, 8, 2}) }
	pix := func() Map {
		m := tiled(F16, []uint64{64, 9, 14, 8}, []int{1, 1, 1, 1})
		m.Kind, m.Box, m.Channels, m.Pixels = Im2col, [MaxRank]int{}, 64, 64
		return m
	}
	for _, c := range []struct {
		want string
		base func() Map
		edit func(m *Map)
	}{
		{"", good, func(*Map) {}},
		{"", pix, func(*Map) {}},
		{"the rank is 6, want 1 to 5", good, func(m *Map) { m.Rank = 6 }},
		{"the rank of an im2col map is 2", pix, func(m *Map) { m.Rank = 2 }},
		{"the interleave layout is 3", good, func(m *Map) { m.Interleave = 3 }},
		{"the rank of an interleaved map is 2", good, func(m *Map) { m.Interleave, m.Rank = 1, 2 }},
		{"needs the swizzle mode of 32 bytes", good, func(m *Map) { m.Interleave = 2 }},
		{"the swizzle mode is 5", good, func(m *Map) { m.Swizzle = 5 }},
		{"OOB-NaN needs", good, func(m *Map) { m.Elem, m.NaN = U16, true }},
		{"swizzle atomicity", good, func(m *Map) { m.Swizzle, m.Atom = Swizzle64, Atom32 }},
		{"is no multiple of 16", good, func(m *Map) { m.Addr += 8 }},
		{"size[1] is outside", good, func(m *Map) { m.Dims[1] = 0 }},
		{"stride[2] is 24 bytes", good, func(m *Map) { m.Strides[2] = 24 }},
		{"stride[1] is 1099511627776 bytes", good, func(m *Map) { m.Strides[1] = 1 << 40 }},
		{"element stride[1] is 9", good, func(m *Map) { m.Steps[1] = 9 }},
		{"box[1] is 257", good, func(m *Map) { m.Box[1] = 257 }},
		{"want a multiple of 16", good, func(m *Map) { m.Box[0] = 12 }},
		{"more than the 32 of its swizzle mode", good, func(m *Map) { m.Swizzle = Swizzle32 }},
		{"channels per pixel is 264", pix, func(m *Map) { m.Channels = 264 }},
		{"pixels per column is 1025", pix, func(m *Map) { m.Pixels = 1025 }},
		{"a corner of the bounding box is 128, want -128 to 127", pix, func(m *Map) { m.Lower[0] = 128 }},
		{"the bounding box is empty in dimension 2", pix, func(m *Map) { m.Lower[1], m.Upper[1] = 5, -9 }},
		{"im2col::w map needs a swizzle", pix, func(m *Map) { m.Kind = Im2colW }},
		{"is no multiple of 32", good, func(m *Map) {
			*m = tiled(B4x16P64, []uint64{128, 4}, []int{128, 2})
			m.Addr += 16
		}},
		{"size[0] that is a multiple of 128", good, func(m *Map) { *m = tiled(B6x16P32, []uint64{64}, []int{128}) }},
		{"box[0] of 128", good, func(m *Map) { *m = tiled(B4x16P64, []uint64{128, 4}, []int{64, 2}) }},
	} {
		m := c.base()
		c.edit(&m)
		if got := m.Check(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("want %q, have %q", c.want, got)
		}
	}
}

// chunks are the tables of PTX ISA 5.5.7: of each line of 128 bytes in shared memory, which 16 bytes of the data lie there.
var chunks = map[string][8][8]int{
	"128": {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
		{4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2}, {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}},
	"64": {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
		{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4}},
	"32": {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
		{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}},
	"128/32": {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1},
		{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}},
	"128/64": {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3},
		{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}},
}

// TestSwizzle compares the formula with the tables, at several bases.
func TestSwizzle(t *testing.T) {
	t.Parallel()
	for name, table := range chunks {
		m := Map{Swizzle: map[string]Swizzle{"128": Swizzle128, "64": Swizzle64, "32": Swizzle32, "128/32": Swizzle128, "128/64": Swizzle128}[name]}
		m.Atom = map[string]Atom{"128/32": Atom32, "128/64": Atom64}[name]
		for base := uint64(0); base < 4096; base += 1024 {
			for line := range uint64(8) {
				for i, data := range table[line] {
					from, want := base+line*128+uint64(data)*16, base+line*128+uint64(i)*16
					if got := m.Swizzled(from + 5); got != want+5 {
						t.Errorf("%s: byte %#x lies at %#x, want %#x", name, from+5, got, want+5)
					}
				}
			}
		}
	}
}

// reference lists the bytes of a copy by the definitions, element after element: from the index of a byte in the box to its
// address in global memory, or -1. It knows no runs, and bytes of padded elements have the index in shared memory.
func reference(m *Map, c *Copy) []int64 {
	var list []int64
	bits := int64(m.Elem.Bits())
	element := func(in bool, coords []int64) {
		for d, x := range coords {
			in = in && x >= 0 && x < int64(m.Dims[d])
		}
		n := bits / 8
		if m.Elem.Packed() {
			panic("the reference has no packed elements")
		}
		for b := range n {
			if !in {
				list = append(list, -1)
				continue
			}
			a := big.NewInt(int64(m.Addr) + coords[0]*n + b)
			for d := 1; d < m.Rank; d++ {
				a.Add(a, new(big.Int).Mul(big.NewInt(coords[d]), new(big.Int).SetUint64(m.Strides[d])))
			}
			list = append(list, a.Int64())
		}
	}
	co := make([]int64, m.Rank)
	switch c.Mode {
	case Tile:
		var loop func(d int)
		loop = func(d int) {
			if d < 0 {
				element(true, co)
				return
			}
			step := 1
			if d > 0 {
				step = m.Steps[d]
			}
			for b := 0; b < m.Box[d]; b += step {
				co[d] = int64(c.At[d]) + int64(b)
				loop(d - 1)
			}
		}
		loop(m.Rank - 1)
	case Gather4:
		for i := range 4 {
			for b := range m.Box[0] {
				co[0], co[1] = int64(c.At[0])+int64(b), int64(c.At[1+i])
				element(true, co)
			}
		}
	case PixelsOf, PixelsBare:
		// All pixels of the bounding boxes of all images that the traversal reaches, in order.
		n := m.Rank - 2
		pos := make([]int64, n+1)
		for i := range pos {
			pos[i] = int64(c.At[1+i])
		}
		for range m.Pixels {
			for b := range m.Channels {
				co[0] = int64(c.At[0]) + int64(b)
				for i := range pos {
					co[1+i] = pos[i]
					if i < n && c.Mode == PixelsOf {
						co[1+i] += int64(c.Off[i])
					}
				}
				element(true, co)
			}
			for i := range pos {
				if i == n {
					pos[i]++
					break
				}
				if pos[i] += int64(m.Steps[1+i]); pos[i] <= int64(m.Dims[1+i])-1+int64(m.Upper[i]) {
					break
				}
				pos[i] = int64(m.Lower[i])
			}
		}
	}
	return list
}

// TestCopies compares the runs of random copies with the reference, with every swizzle.
func TestCopies(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	seen := map[string]int{}
	for range 4000 {
		m := Map{Elem: Elem(r.IntN(13)), Rank: 1 + r.IntN(5), Addr: 0x2_0000_0000, Swizzle: Swizzle(r.IntN(5))}
		c := Copy{Mode: []Mode{Tile, Tile, Gather4, PixelsOf, PixelsBare}[r.IntN(5)]}
		if m.Swizzle == Swizzle128 {
			m.Atom = Atom(r.IntN(4))
		}
		es := m.Elem.Bits() / 8
		line := 16 * (1 + r.IntN(8))
		if n := m.Swizzle.Bytes(); n != 0 {
			line = min(line, n)
		}
		switch c.Mode {
		case Gather4:
			m.Rank = 2
		case PixelsOf, PixelsBare:
			m.Rank, m.Kind = 3+r.IntN(3), Im2col
		}
		m.Channels, m.Pixels = line/es, 1+r.IntN(40)
		for d := range m.Rank {
			m.Dims[d], m.Steps[d], m.Box[d] = 1+r.Uint64N(9), 1+r.IntN(2), 1+r.IntN(3)
			c.At[d] = int32(r.IntN(14) - 4)
			if d > 0 {
				m.Strides[d] = 16 * r.Uint64N(1000)
			}
		}
		m.Dims[0], m.Box[0] = 1+r.Uint64N(100), line/es
		if c.Mode == Gather4 {
			m.Box[1] = 1
			for i := range c.At {
				c.At[i] = int32(r.IntN(14) - 4)
			}
		}
		for i := range 3 {
			m.Lower[i], m.Upper[i], c.Off[i] = r.IntN(3)-1, r.IntN(3)-1, uint16(r.IntN(3))
		}
		if m.Kind == Tiled {
			m.Channels, m.Pixels, m.Lower, m.Upper = 0, 0, [3]int{}, [3]int{}
		}
		c.Dim = m.Rank
		if m.Check() != "" || m.Bad(&c) != "" {
			continue
		}
		seen[fmt.Sprint(c.Mode, m.Swizzle, m.Atom)]++
		want := reference(&m, &c)
		const base = 0x1400 // a multiple of 1024: swizzles begin anew
		got, have := make([]int64, len(want)), make([]bool, len(want))
		m.Runs(&c, base, func(x Run) bool {
			for i := range x.Bytes {
				at := m.Swizzled(x.Shared+uint64(i)) - base // the swizzle is its own inverse
				if have[at] {
					t.Fatalf("byte %d is written twice", at)
				}
				have[at], got[at] = true, -1
				if x.In {
					got[at] = int64(x.Global) + int64(i)
				}
			}
			return true
		})
		if m.Bytes(&c) != len(want) {
			t.Fatalf("%+v %+v: %d bytes, want %d", m, c, m.Bytes(&c), len(want))
		}
		for i := range want {
			if !have[i] || got[i] != want[i] {
				t.Fatalf("%+v\n%+v\nbyte %d comes from %#x, want %#x", m, c, i, got[i], want[i])
			}
		}
	}
	if len(seen) < 24 {
		t.Errorf("only %d combinations: %v", len(seen), seen)
	}
}

// TestManualPixels has the pixels of the examples of PTX ISA 5.5.4.
func TestManualPixels(t *testing.T) {
	t.Parallel()
	m := Map{Kind: Im2col, Elem: F16, Rank: 4, Dims: [5]uint64{64, 9, 14, 64}, Steps: [5]int{1, 1, 1, 1}, Pixels: 64, Channels: 8}
	m.Strides = [5]uint64{0, 1 << 8, 1 << 16, 1 << 24}
	pixel := func(x Run) [3]int {
		return [3]int{int(x.Global >> 8 & 255), int(x.Global >> 16 & 255), int(x.Global >> 24)}
	}
	for _, c := range []struct {
		lower, upper int
		off          uint16
		first        [4][3]int // W, H, N of the first pixels
	}{
		{-1, -1, 0, [4][3]int{{7, 4, 7}, {-1, 5, 7}, {0, 5, 7}, {1, 5, 7}}},
		{0, -2, 2, [4][3]int{{9, 6, 7}, {2, 7, 7}, {3, 7, 7}, {4, 7, 7}}},
	} {
		m.Lower, m.Upper = [3]int{c.lower, c.lower}, [3]int{c.upper, c.upper}
		cp := Copy{Mode: PixelsOf, Dim: 4, At: [5]int32{0, 7, 4, 7}, Off: [3]uint16{c.off, c.off}}
		i := 0
		m.Runs(&cp, 0, func(x Run) bool {
			w := c.first[i]
			if in := w[0] >= 0 && w[0] < 9; in != x.In || in && pixel(x) != w {
				t.Errorf("corners %d, %d: pixel %d is %v (%v), want %v", c.lower, c.upper, i, pixel(x), x.In, w)
			}
			i++
			return i < 4
		})
	}
}

// TestWide: the halo follows all pixels, or each 32 of them.
func TestWide(t *testing.T) {
	t.Parallel()
	m := Map{Kind: Im2colW, Elem: U8, Rank: 3, Dims: [5]uint64{32, 200, 4}, Strides: [5]uint64{0, 32, 32 * 200}, Steps: [5]int{1, 1, 1},
		Pixels: 5, Channels: 32, Swizzle: Swizzle32}
	list := func(c Copy) (w []int) {
		m.Runs(&c, 0, func(x Run) bool {
			if x.Shared&16 == x.Shared>>7&1<<4 { // the first half of a line
				n := -1
				if x.In {
					n = int(x.Global) / 32
				}
				w = append(w, n)
			}
			return true
		})
		return w
	}
	if got := fmt.Sprint(list(Copy{Mode: PixelsW, Dim: 3, At: [5]int32{0, 10, 0}, Off: [3]uint16{2, 3}})); got != "[13 14 15 16 17 18 19]" {
		t.Error(got)
	}
	m.Kind = Im2colW128
	w := list(Copy{Mode: PixelsW128, Dim: 3, At: [5]int32{0, 10, 0}, Off: [3]uint16{1, 0}})
	if len(w) != 132 || w[31] != 41 || w[32] != 42 || w[33] != 42 || w[131] != 138 {
		t.Error(w)
	}
}

// TestPadded: 16 elements of 4 or 6 bits take 16 bytes of shared memory.
func TestPadded(t *testing.T) {
	t.Parallel()
	for e, bytes := range map[Elem]int{B4x16P64: 8, B6x16P32: 12} {
		m := tiled(e, []uint64{256, 4}, []int{128, 2})
		m.Strides[1] = 192
		c := Copy{Dim: 2, At: [5]int32{128, 3}}
		if m.Check() != "" || m.Bad(&c) != "" || m.Bytes(&c) != 256 {
			t.Errorf("%v: %q %q %d", e, m.Check(), m.Bad(&c), m.Bytes(&c))
		}
		i := 0
		m.Runs(&c, 1024, func(x Run) bool {
			in := i < 8 // the second line is outside
			if x.In != in || x.Bytes != bytes || x.Pad != 16-bytes || x.Shared != uint64(1024+16*i) || in && x.Global != m.Addr+3*192+uint64(bytes*(8+i)) {
				t.Errorf("%v: unit %d is %+v", e, i, x)
			}
			i++
			return true
		})
		if i != 16 {
			t.Errorf("%v: %d units", e, i)
		}
	}
	in := [16]byte{}
	want := new(big.Int)
	for i := range in {
		in[i] = byte(i*37 + 200)
		want.Or(want, new(big.Int).Lsh(big.NewInt(int64(in[i]&63)), uint(6*i)))
	}
	out := Squeeze(in[:])
	got := new(big.Int)
	for i, b := range out {
		got.Or(got, new(big.Int).Lsh(big.NewInt(int64(b)), uint(8*i)))
	}
	if got.Cmp(want) != 0 {
		t.Errorf("%x, want %x", got, want)
	}
}

// TestConvert rounds f32 to tf32, and flushes subnormals. The expected value is the nearer one of the two neighbours.
func TestConvert(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		v := r.Uint32()
		x := math.Float32frombits(v)
		b := binary.LittleEndian.AppendUint32(nil, v)
		m := Map{Elem: TF32}
		m.Convert(b)
		got := binary.LittleEndian.Uint32(b)
		if x != x {
			if g := math.Float32frombits(got); g == g || got&0x1fff != 0 {
				t.Fatalf("NaN %#x becomes %#x", v, got)
			}
			continue
		}
		lo, hi := v&^0x1fff, v&^0x1fff+0x2000
		d, e := v-lo, hi-v
		want := lo
		if d > e || d == e && lo>>13&1 == 1 {
			want = hi
		}
		if v&0x7fffffff == 0x7f800000 {
			want = v
		}
		if got != want {
			t.Fatalf("%#x becomes %#x, want %#x", v, got, want)
		}
	}
	for e, want := range map[Elem]uint32{F32: 0x80000001, F32Ftz: 0x80000000, TF32Ftz: 0x80000000, U32: 0x80000001} {
		b := binary.LittleEndian.AppendUint32(nil, 0x80000001)
		m := Map{Elem: e}
		m.Convert(b)
		if got := binary.LittleEndian.Uint32(b); got != want {
			t.Errorf("%v: %#x, want %#x", e, got, want)
		}
	}
}

// TestBad: each rule about a copy and its map.
func TestBad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want string
		m    Map
		c    Copy
	}{
		{"", tiled(F16, []uint64{64, 4}, []int{32, 1}), Copy{Mode: Gather4, Dim: 2}},
		{"has 2 dimensions, and the map 3", tiled(F16, []uint64{64, 4, 4}, []int{32, 1, 1}), Copy{Dim: 2}},
		{"mode im2col, and the map is of the mode tile", tiled(F16, []uint64{64, 4, 4}, []int{32, 1, 1}), Copy{Mode: PixelsOf, Dim: 3}},
		{"needs box[1] = 1, and it is 2", tiled(F16, []uint64{64, 4}, []int{32, 2}), Copy{Mode: Gather4, Dim: 2}},
		{"no reductions of u8", tiled(U8, []uint64{64, 4}, []int{32, 2}), Copy{Dim: 2, Store: true, Reduce: true}},
		{"no stores of b4x16_p64", tiled(B4x16P64, []uint64{128, 4}, []int{128, 2}), Copy{Dim: 2, Store: true}},
		{"coordinate 0 is 64, want a multiple of 128", tiled(B6x16P32, []uint64{256, 4}, []int{128, 2}), Copy{Dim: 2, At: [5]int32{64}}},
		{"coordinate 0 is 3, want an even number", tiled(B4x16, []uint64{256, 4}, []int{128, 2}), Copy{Dim: 2, At: [5]int32{3}}},
		{"im2col offset 1 is 256, want 0 to 255", Map{Kind: Im2col, Rank: 4}, Copy{Mode: PixelsOf, Dim: 4, Off: [3]uint16{0, 256}}},
		{"im2col offset 0 is 512, want 0 to 511", Map{Kind: Im2colW, Rank: 4}, Copy{Mode: PixelsW, Dim: 4, Off: [3]uint16{512}}},
		{"not supported", Map{Interleave: 1, Rank: 3}, Copy{Dim: 3}},
	} {
		if got := c.m.Bad(&c.c); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("want %q, have %q", c.want, got)
		}
	}
}

// TestAnyBytes: no bytes make a copy fail otherwise than with a text.
func TestAnyBytes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		var b [Size]byte
		for i := range 64 {
			if r.IntN(2) == 0 {
				b[i] = byte(r.Uint32())
			}
		}
		m := Decode(&b)
		if m.Check() != "" {
			continue
		}
		c := Copy{Mode: []Mode{Tile, PixelsOf, PixelsW, PixelsW128}[m.Kind], Dim: m.Rank, At: [5]int32{math.MinInt32, math.MaxInt32, 0, -1, 1}}
		if m.Bad(&c) != "" {
			continue
		}
		n := 0
		m.Runs(&c, 0, func(x Run) bool { n++; return n < 1000 })
	}
}
