package matrix

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// A tensorCase is a product of Tensor Memory with its instruction descriptor, put together field by field.
type tensorCase struct {
	TensorForm
	m, n, a, b, d int // M, N, and the codes of types
	neg, trans    int // bit 0: A, bit 1: B
	sat, scale    int
	factorA, facB int
}

// descriptor is the 32 bits of the instruction descriptor, by tables 45 to 47 of PTX 9.7.17.4.2.
func (c *tensorCase) descriptor() uint32 {
	v := c.neg<<13 | c.trans<<15 | c.n/8<<17 | c.a<<7 | c.b<<10
	if c.Sparse {
		v |= 1 << 2
	}
	if !c.Kind.Scaled() {
		return uint32(v | c.sat<<3 | c.d<<4 | c.m/16<<24)
	}
	return uint32(v | c.facB<<4 | c.scale<<23 | c.m/128<<27 | c.factorA<<29)
}

// randomTensor returns a product that the manual has.
func randomTensor(r *rand.Rand) (c tensorCase) {
	for {
		c = tensorCase{TensorForm: TensorForm{Kind: TensorKind(r.IntN(int(kindCount))), Pair: r.IntN(3) == 0, Sparse: r.IntN(3) == 0, Stationary: r.IntN(3) == 0, SharedA: r.IntN(2) == 0}}
		c.neg, c.trans = r.IntN(4), r.IntN(4)
		pair := 1
		if c.Pair {
			pair = 2
		}
		c.m, c.n = 64*pair<<r.IntN(2), 16*pair*(1+r.IntN(16/pair))
		if c.Stationary {
			c.m, c.n = 32<<r.IntN(3), 64<<r.IntN(2)
			if c.Pair || c.Kind.Scaled() {
				continue
			}
		}
		c.d = 1
		one := func(n ...int) int { return n[r.IntN(len(n))] }
		switch c.Kind {
		case KindF16:
			c.a = r.IntN(2)
			c.b = c.a
			c.d = one(1, c.a)
		case KindTF32:
			c.a, c.b = 2, 2
			if c.trans&1 != 0 && (c.m/pair)%32 != 0 || c.trans&2 != 0 && (c.n/pair)%32 != 0 {
				continue
			}
		case KindF8F6F4, KindMXF8F6F4:
			c.a, c.b = one(0, 1, 3, 4, 5), one(0, 1, 3, 4, 5)
			if c.Kind == KindF8F6F4 {
				c.d = r.IntN(2)
			}
		case KindI8:
			c.a, c.b, c.d, c.sat, c.neg = r.IntN(2), r.IntN(2), 2, r.IntN(2), 0
		default:
			c.a, c.b, c.trans = 1, 1, 0
		}
		if !c.SharedA {
			c.trans &= 2
		}
		if c.Kind.Scaled() {
			if c.Pair && c.Sparse {
				c.m = 256
			} else if !c.Pair {
				c.m = 128
			}
			c.scale, c.ScaleVec = 1, 1
			switch c.Kind {
			case KindMXF4:
				c.ScaleVec = 2
			case KindMXF4NVF4:
				c.ScaleVec = one(2, 4)
				if c.ScaleVec == 4 {
					c.scale = r.IntN(2)
				}
			}
			c.factorA, c.facB = r.IntN(4), r.IntN(4)
			switch c.ScaleVec {
			case 2:
				c.factorA, c.facB = c.factorA&2, c.facB&2
			case 4:
				c.factorA, c.facB = 0, 0
			}
		}
		return c
	}
}

// The layouts of Tensor Memory in CuTe's layout algebra, in bits: a column has 32, a lane 512 columns. They are the second
// source, next to the formulas of the package.
const (
	cuteColumn = 32
	cuteLane   = 512 * cuteColumn
)

// cuteTensor returns the layouts of D (rows and columns), and of rows of A and metadata, of one block.
func cuteTensor(c *tensorCase) (rows, cols stack, lead int) {
	m := c.m
	if c.Pair {
		m /= 2
	}
	whole := stack{[]int{m}, []int{cuteLane}}
	switch {
	case m == 128:
		return whole, stack{[]int{c.n}, []int{cuteColumn}}, 16
	case c.Stationary && m == 64, c.Pair && !c.Sparse:
		return whole, stack{[]int{c.n / 2, 2}, []int{cuteColumn, 64 * cuteLane}}, 16
	case c.Stationary:
		return whole, stack{[]int{c.n / 4, 4}, []int{cuteColumn, 32 * cuteLane}}, 16
	}
	return stack{[]int{16, 4}, []int{cuteLane, 32 * cuteLane}}, stack{[]int{c.n}, []int{cuteColumn}}, 32
}

// tensorAddress is cuteAddress for tiles of tcgen05.
func tensorAddress(t *SharedTile, mn, k int) (off, bit int) {
	if t.Atom == unitBytes {
		return cuteAddress(t, int(t.Start), mn, k)
	}
	// ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO)) with T = 4, and Swizzle<2,5,2>.
	m, n := stack{[]int{4, 8, 99}, []int{1, 4, int(t.Lead) / 4}}, stack{[]int{4, 99}, []int{32, int(t.Stride) / 4}}
	off = int(t.Start) + 4*(m.at(mn)+n.at(k))
	return off ^ off&(3<<7)>>2, 0
}

// randomTensorTile returns a descriptor of tcgen05.
func randomTensorTile(r *rand.Rand, mn, k, bits int, major bool) uint64 {
	if major && bits == 32 {
		stride := 512
		lead := stride * (k / 4)
		if r.IntN(2) == 0 {
			lead, stride = 512, 512*(mn/32)
		}
		return uint64(r.IntN(8)*512>>4) | uint64(lead>>4)<<16 | uint64(stride>>4)<<32 | 1<<46 | 1<<61
	}
	v, _ := randomTile(r, mn, k, bits, major)
	return v&(1<<46-1) | 1<<46 | []uint64{0, 2, 4, 6}[v>>62]<<61
}

// putBits writes n bits into memory.
func putBits(mem []byte, at, n int, v uint64) {
	for i := range n {
		b := at + i
		mem[b/8] = mem[b/8]&^(1<<(b%8)) | byte(v>>i&1)<<(b%8)
	}
}

// randomElems returns numbers of a type by row and column; tame ones have sums that stay finite.
func randomElems(r *rand.Rand, e Elem, rows, cols int, tame bool) map[[3]int]uint64 {
	m := map[[3]int]uint64{}
	l := &Layout{Elem: e, RegBits: 32, elems: rows * cols}
	per := 32 / e.Bits()
	if l.elems%(32*per) != 0 {
		l.elems = (l.elems/(32*per) + 1) * 32 * per
	}
	l.elems /= 32
	w := fill(r, l, tame)
	for i := range rows {
		for j := range cols {
			at := i*cols + j
			x := w.regs[at/32/per][at%32] >> (at / 32 % per * e.Bits()) & (1<<e.Bits() - 1)
			switch e {
			case E2M1:
				x &= 15 << 2
			case E2M3, E3M2:
				x &= 63
			}
			m[[3]int{0, i, j}] = x
		}
	}
	return m
}

// TestTensorProducts compares products of every kind and layout with naive ones in exact arithmetic. The places of all
// operands come from CuTe's layouts. The matrices of shared memory lie in a random order with a random swizzle.
func TestTensorProducts(t *testing.T) {
	t.Parallel()
	var s Scratch
	r := rand.New(rand.NewPCG(7, 8))
	seen := map[string]int{}
	for i := range 160 {
		if !short.Every(i, 4) {
			continue
		}
		c := randomTensor(r)
		o, text, _ := c.Decode(c.descriptor())
		if text != "" {
			t.Fatalf("%+v: %s", c, text)
		}
		seen[string(o.Layout)]++
		seen[fmt.Sprint(o.Kind, o.Sparse, o.SharedA)]++
		checkTensor(t, r, &c, &o, &s)
		if t.Failed() {
			t.Fatalf("%+v", o)
		}
	}
	for _, l := range "ABCDEFG" {
		if seen[string(l)] == 0 {
			t.Errorf("layout %c was not met", l)
		}
	}
	if len(seen) != 7+7*4 {
		t.Errorf("%d layouts and kinds: %v", len(seen), seen)
	}
}

func checkTensor(t *testing.T, r *rand.Rand, c *tensorCase, o *TensorOp, s *Scratch) {
	t.Helper()
	blocks := o.Blocks()
	rows, cols, tall := cuteTensor(c)
	rowsOf := c.m / blocks
	ka := o.K
	if o.Sparse {
		ka /= 2
	}
	tame := r.IntN(2) == 0
	ma, mb := randomElems(r, o.A, c.m, ka, tame), randomElems(r, o.B, o.K, c.n, tame)
	base := 0
	if tall == 32 && r.IntN(2) == 0 {
		base = 16
	}
	x := TensorInput{AtD: uint32(base << 16), AtA: uint32(base<<16 | 256), AtE: uint32(base<<16 | 400), AtFA: 410 | 1<<30, AtFB: 430 | 2<<30}
	x.Keep = r.IntN(4) > 0
	var planes, before [2]*TensorPlane
	for p := range blocks {
		planes[p] = new(TensorPlane)
		for l := range planes[p] {
			for i := range planes[p][l] {
				planes[p][l][i] = r.Uint32()
			}
		}
	}
	x.Planes = planes
	put := func(p, at, n int, v uint64) { // bits of Tensor Memory
		for i := range n {
			b := at + i
			w := &planes[p][b/cuteLane][b%cuteLane/cuteColumn]
			*w = *w&^(1<<(b%32)) | uint32(v>>i&1)<<(b%32)
		}
	}
	address := func(at uint32) int { return int(at>>16&127)*cuteLane + int(at&511)*cuteColumn }
	groups := 1
	if len(cols.shape) > 1 {
		groups = cols.shape[1]
	}
	// A: in Tensor Memory a copy for each group of columns.
	for p := range blocks {
		if !o.SharedA {
			for g := range groups {
				for i := range rowsOf {
					for k := range ka {
						v := ma[[3]int{0, p*rowsOf + i, k}]
						step := 0
						if groups > 1 {
							step = g * cols.stride[1]
						}
						put(p, address(x.AtA)+rows.at(i)+step+k*o.A.Bits(), o.A.Bits(), v)
					}
				}
			}
			continue
		}
		x.A[p] = tensorPanel(r, o.TileA(randomTensorTile(r, rowsOf, ka, o.A.Bits(), o.TransA)), o.A, false, func(i, k int) uint64 { return ma[[3]int{0, p*rowsOf + i, k}] })
	}
	for p := range blocks {
		held := c.n / blocks
		x.B[p] = tensorPanel(r, o.TileB(randomTensorTile(r, held, o.K, o.B.Bits(), o.TransB)), o.B, true, func(i, k int) uint64 { return mb[[3]int{0, k, p*held + i}] })
	}
	var at [][]int
	if o.Sparse {
		chunks := map[bool]int{true: 8, false: 16}[o.A.Bits() >= 16]
		width := o.K / chunks
		for p := range blocks {
			for i := range rowsOf {
				var in []int
				for ch := range chunks {
					valid := []uint64{0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110, 0b0110}
					if o.A == TF32 {
						valid = []uint64{0b0100, 0b1110}
					}
					v := valid[r.IntN(len(valid))]
					a, b := int(v&3), int(v>>2)
					switch width {
					case 2:
						in = append(in, 2*ch+a/2)
					case 4:
						in = append(in, 4*ch+a, 4*ch+b)
					default:
						in = append(in, 8*ch+2*a, 8*ch+2*a+1, 8*ch+2*b, 8*ch+2*b+1)
					}
					where := rows.at(i) + 4*ch
					if chunks == 8 {
						where = stack{[]int{8, 2, 9}, []int{cuteLane, 16, tall * cuteLane}}.at(i) + stack{[]int{4, 2}, []int{4, 8 * cuteLane}}.at(ch)
					}
					for g := range groups {
						step := 0
						if groups > 1 {
							step = g * cols.stride[1]
						}
						put(p, address(x.AtE)+where+step, 4, v)
					}
				}
				at = append(at, in)
			}
		}
	}
	var fa, fb func(i, j int) float64
	if o.Kind.Scaled() {
		factors := func(n int) [][]uint64 {
			f := make([][]uint64, n)
			for i := range f {
				for range o.ScaleVec {
					f[i] = append(f[i], uint64(r.Uint32()&255))
				}
			}
			return f
		}
		sa, sb := factors(c.m), factors(c.n)
		piece := func(k int) int { return k / (o.K / o.ScaleVec) }
		fa = func(i, k int) float64 { return value(o.Scale, sa[i][piece(k)]) }
		fb = func(k, j int) float64 { return value(o.Scale, sb[j][piece(k)]) }
		// SFA: (32, rows/32) with four copies.
		place := stack{[]int{32, 9}, []int{cuteLane, cuteColumn}}
		for p := range blocks {
			for q := range 4 {
				for i := range rowsOf {
					for j, v := range sa[p*rowsOf+i] {
						put(p, address(x.AtFA)+place.at(i)+q*32*cuteLane+8*(c.factorA+j), 8, v)
					}
				}
			}
			for q := range 4 / groups {
				for i := range c.n {
					wide := c.n / groups
					for j, v := range sb[i] {
						put(p, address(x.AtFB)+place.at(i%wide)+i/wide*64*cuteLane+q*32*cuteLane+8*(c.facB+j), 8, v)
					}
				}
			}
		}
	}
	mc := map[[3]int]uint64{}
	place := func(i, n int) (p, lane, column int) {
		at := address(x.AtD) + rows.at(i%rowsOf) + cols.at(n)
		return i / rowsOf, at / cuteLane, at % cuteLane / cuteColumn
	}
	for i := range c.m {
		for n := range c.n {
			p, lane, column := place(i, n)
			v := uint64(planes[p][lane][column])
			if tame && o.D == F32 {
				v = v&0x80ffffff | 0x3f000000
				planes[p][lane][column] = uint32(v)
			}
			if !x.Keep {
				v = 0
			} else if o.D == F16 {
				v &= 0xffff
			}
			mc[[3]int{0, i, n}] = v
		}
	}
	if r.IntN(3) == 0 {
		for p := range x.Off {
			for i := range x.Off[p] {
				x.Off[p][i] = r.Uint32()
			}
		}
	}
	if o.Stationary && r.IntN(2) == 0 {
		x.Zero = make([]bool, c.n)
		for i := range x.Zero {
			x.Zero[i] = r.IntN(2) == 0
		}
	}
	for p := range blocks {
		before[p] = new(TensorPlane)
		*before[p] = *planes[p]
	}
	if f := o.Run(&x, s); f != 0 {
		t.Fatalf("fault %d", f)
	}
	w := Op{M: c.m, N: c.n, K: o.K, Operands: Operands{A: o.A, B: o.B, C: o.D, D: o.D}, Sat: o.Sat}
	p := &Product{Op: w, A: &Layout{Cols: ka}}
	if o.NegA != o.NegB {
		for k, v := range ma {
			ma[k] = v ^ map[Elem]uint64{E2M1: 1 << 5, E2M3: 1 << 5, E3M2: 1 << 5}[o.A]
			if ma[k] == v {
				ma[k] = v ^ 1<<(o.A.Bits()-1)
			}
		}
	}
	for range 60 {
		i, n := r.IntN(c.m), r.IntN(c.n)
		if r.IntN(4) == 0 {
			i = c.m - 1 - r.IntN(2)
		}
		b, lane, column := place(i, n)
		want := before[b][lane][column]
		if x.Off[b][lane/32]>>(lane%32)&1 == 0 {
			column := mb
			if x.Zero != nil && x.Zero[n] {
				column = map[[3]int]uint64{}
			}
			want = uint32(element(&w, p, ma, column, mc, 0, i, n, at, fa, fb))
		}
		if got := planes[b][lane][column]; got != want {
			t.Errorf("element %d,%d in lane %d, column %d: got %#x, want %#x", i, n, lane, column, got, want)
			return
		}
	}
	// Nothing else has changed.
	for i := range c.m {
		for n := range c.n {
			p, lane, column := place(i, n)
			planes[p][lane][column] = before[p][lane][column]
		}
	}
	for p := range blocks {
		if *planes[p] != *before[p] {
			t.Errorf("a word outside D has changed")
		}
	}
}

// tensorPanel stores a matrix in memory in the order of a tile, and loads it.
func tensorPanel(r *rand.Rand, tile SharedTile, e Elem, isB bool, at func(mn, k int) uint64) *Panel {
	mem := make([]byte, 1<<20)
	for i := 0; i < len(mem); i += 97 {
		mem[i] = byte(r.Uint32())
	}
	for i := range tile.MN {
		for k := range tile.K {
			addr, bit := tensorAddress(&tile, i, k)
			v := at(i, k)
			switch e {
			case E2M1: // 16 in the low 8 bytes of 16
				putBits(mem, addr&^15*8+addr%16*4, 4, v>>2)
			case E2M3, E3M2:
				putBits(mem, addr&^15*8+addr%16*6, 6, v)
			default:
				putBits(mem, addr*8+bit, e.Bits(), v)
			}
		}
	}
	if text, _ := tile.Problem(len(mem)); text != "" {
		panic(fmt.Sprintf("%+v: %s", tile, text))
	}
	q := new(Panel)
	q.Load(tile, e, isB, mem)
	return q
}

// TestTensorDescriptors checks the fields of instruction descriptors that compilers make, and that each wrong field is named.
func TestTensorDescriptors(t *testing.T) {
	t.Parallel()
	f16, tf32 := TensorForm{Kind: KindF16, SharedA: true}, TensorForm{Kind: KindTF32, SharedA: true}
	if o, text, _ := f16.Decode(0x08210010); text != "" || o.M != 128 || o.N != 128 || o.K != 16 || o.A != F16 || o.D != F32 || !o.TransB || o.TransA || o.Layout != 'D' {
		t.Errorf("%+v: %s", o, text)
	}
	if o, text, _ := tf32.Decode(0x08200910); text != "" || o.M != 128 || o.N != 128 || o.K != 8 || o.A != TF32 || o.TransB || o.Layout != 'D' {
		t.Errorf("%+v: %s", o, text)
	}
	i8 := TensorForm{Kind: KindI8}
	ws := TensorForm{Kind: KindF16, Stationary: true}
	sp := TensorForm{Kind: KindF16, Sparse: true}
	mx := TensorForm{Kind: KindMXF8F6F4, ScaleVec: 1}
	nv := TensorForm{Kind: KindMXF4NVF4, ScaleVec: 4}
	pair := TensorForm{Kind: KindF16, Pair: true}
	const good = 1<<4 | 16<<17 | 8<<24 // f16, 128 by 128
	for _, c := range []struct {
		f    TensorForm
		v    uint32
		want string
	}{
		{f16, good, ""},
		{f16, 0xffffffff, "bits are set"},
		{f16, good | 1, "bits are set"},
		{f16, good | 1<<3, "bits are set"},
		{f16, good | 1<<6, "bits are set"},
		{f16, good | 1<<23, "bits are set"},
		{f16, good | 1<<29, "bits are set"},
		{f16, good | 1<<30, "bits are set"},
		{ws, good | 1<<30, ""},
		{f16, good | 1<<2, "bit 2 (sparse)"},
		{sp, good, "bit 2 (sparse)"},
		{sp, good | 1<<2, ""},
		{sp, good | 1<<2 | 1, "sparsity selector"},
		{f16, good | 2<<7, "the type of A (2)"},
		{f16, good | 1<<7, ""},
		{tf32, good, "the type of A (0)"},
		{f16, good ^ 3<<4, "the type of D, 2"},
		{f16, good ^ 1<<4, ""},
		{f16, good ^ 1<<4 | 1<<7, "the type of D, 0"},
		{i8, good, "the type of D, 1"},
		{i8, good ^ 3<<4, ""},
		{i8, good ^ 3<<4 | 1<<13, "bits are set"},
		{i8, good ^ 3<<4 ^ 1<<17, "no multiple of 16"},
		{f16, good ^ 1<<17, ""},
		{f16, good &^ (63 << 17), "N = 0"},
		{f16, good | 63<<17, "N = 504"},
		{ws, good ^ 1<<17, "which .ws has"},
		{f16, good ^ 12<<24, ""},
		{f16, good ^ 10<<24, "M = 32"},
		{ws, good ^ 10<<24, ""},
		{pair, good, ""},
		{pair, good ^ 12<<24, "M = 64"},
		{pair, good ^ 24<<24, ""},
		{pair, good ^ 1<<17, "no multiple of 16"},
		{mx, 16<<17 | 1<<27 | 1<<23, ""},
		{mx, 16<<17 | 2<<27 | 1<<23, "M = 256"},
		{mx, 16<<17 | 1<<27, "ue4m3"},
		{mx, 16<<17 | 1<<27 | 1<<23 | 3<<29, ""},
		{mx, 16<<17 | 1<<27 | 1<<23 | 1<<31, "bits are set"},
		{mx, 16<<17 | 1<<27 | 1<<23 | 2<<7, "the type of A (2)"},
		{nv, 16<<17 | 1<<27 | 1<<7 | 1<<10, ""},
		{nv, 16<<17 | 1<<27 | 1<<7 | 1<<10 | 2<<29, "begin at byte 2"},
		{nv, 16<<17 | 1<<27 | 1<<7 | 1<<10 | 1<<31, "K = 96"},
		{nv, 16<<17 | 1<<27 | 1<<7 | 1<<10 | 1<<15, "bits are set"},
	} {
		_, text, remedy := c.f.Decode(c.v)
		if !strings.Contains(text, c.want) || (c.want == "") != (text == "") || (text == "") != (remedy == "") {
			t.Errorf("%+v, %#x: %q, want %q", c.f, c.v, text, c.want)
		}
	}
	for _, c := range []struct {
		v     uint64
		bits  int
		major bool
		want  string
	}{
		{1<<46 | 2<<61 | 64<<32, 16, false, ""},
		{2<<61 | 64<<32, 16, false, "bits are wrong"},
		{1<<46 | 3<<61 | 64<<32, 16, false, "bits are wrong"},
		{1<<46 | 1<<52 | 64<<32, 16, false, "bits are wrong"},
		{1<<46 | 1<<61 | 64<<32, 16, false, "32-byte atoms"},
		{1<<46 | 1<<61 | 64<<32 | 32<<16, 32, true, ""},
		{1<<46 | 2<<61 | 64<<32 | 32<<16, 32, true, "32-byte atoms"},
		{1<<46 | 2<<61 | 64<<32 | 8, 16, false, "no multiple of 1024"},
		{1<<46 | 1<<61 | 64<<32 | 32<<16 | 32, 32, true, ""},
		{1<<46 | 1<<61 | 64<<32 | 32<<16 | 8, 32, true, "no multiple of 512"},
	} {
		tile := SharedTile{Descriptor: DecodeTensorDescriptor(c.v), MN: 64, K: 16, Bits: c.bits, Major: c.major, Tensor: true}
		if got, _ := tile.Problem(64 << 10); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%#x: %q, want %q", c.v, got, c.want)
		}
	}
}
