package matrix

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/short"
)

// A stack is a layout of the layout algebra of CuTe: a function from coordinates, counted with the first mode fastest, to
// an offset. It is the second source of the layouts of wgmma, independent of the formulas of the package.
type stack struct{ shape, stride []int }

func (s stack) at(i int) (off int) {
	for d, n := range s.shape {
		if d == len(s.shape)-1 {
			n = math.MaxInt
		}
		off += i % n * s.stride[d]
		i /= n
	}
	return off
}

// A fragmentTable is a layout of CuTe from thread and value to an element of a matrix of 64 rows, counted by columns.
type fragmentTable struct{ thread, value stack }

var (
	cuteD = fragmentTable{stack{[]int{4, 8, 4}, []int{128, 1, 16}}, stack{[]int{2, 2, 32}, []int{64, 8, 512}}}
	// A in registers, by the bits of an element.
	cuteA = map[int]fragmentTable{
		32: {stack{[]int{4, 8, 4}, []int{64, 1, 16}}, stack{[]int{2, 2}, []int{8, 256}}},
		16: {stack{[]int{4, 8, 4}, []int{128, 1, 16}}, stack{[]int{2, 2, 2}, []int{64, 8, 512}}},
		8:  {stack{[]int{4, 8, 4}, []int{256, 1, 16}}, stack{[]int{4, 2, 2}, []int{64, 8, 1024}}},
	}
	// The metadata of a sparse A: from thread and element of K to the element of the dense A. Of the threads with the
	// same place, the selector chooses.
	cuteE = map[int]fragmentTable{
		32: {stack{[]int{2, 2, 8, 4}, []int{512, 0, 1, 16}}, stack{[]int{8, 2}, []int{64, 8}}},
		16: {stack{[]int{2, 2, 8, 4}, []int{1024, 0, 1, 16}}, stack{[]int{16, 2}, []int{64, 8}}},
		8:  {stack{[]int{2, 2, 8, 4}, []int{8, 2048, 1, 16}}, stack{[]int{32}, []int{64}}},
	}
)

// cuteAddress returns the offset in bytes of element (mn, k) in the canonical layout of wgmma for a swizzle of w bytes
// at address start, as CuTe's comments on make_gmma_desc give it, with a 16-byte unit of t elements.
func cuteAddress(t *SharedTile, start, mn, k int) (off, bit int) {
	unit := 128 / t.Bits
	w := max(int(t.Swizzle), 16) / 16
	lead, stride := int(t.Lead)*8/t.Bits, int(t.Stride)*8/t.Bits
	var m, n stack
	switch {
	case !t.Major && t.Swizzle == 0:
		m, n = stack{[]int{8, 99}, []int{unit, stride}}, stack{[]int{unit, 99}, []int{1, lead}}
	case !t.Major:
		m, n = stack{[]int{8, 99}, []int{w * unit, stride}}, stack{[]int{unit, 99}, []int{1, unit}}
	case t.Swizzle == 0:
		m, n = stack{[]int{unit, 1, 99}, []int{1, unit, stride}}, stack{[]int{8, 99}, []int{unit, lead}}
	default:
		m, n = stack{[]int{unit, w, 99}, []int{1, unit, lead}}, stack{[]int{8, 99}, []int{w * unit, stride}}
	}
	bitsAt := (m.at(mn) + n.at(k)) * t.Bits
	off, bit = start+bitsAt/8, bitsAt%8
	// Swizzle<B, 4, 3>: B bits from bit 7 are XORed to the bits from 4 on.
	if b := map[uint8]uint{0: 0, 32: 1, 64: 2, 128: 3}[t.Swizzle]; b > 0 {
		mask := (1<<b - 1) << 7
		off ^= off & mask >> 3
	}
	return off, bit
}

// warpgroupOps returns all products of a warpgroup with N columns, A in registers or not.
func warpgroupOps(n int) (ops []Op) {
	add := func(k int, a, b, d []Elem, edit func(*Op)) {
		for _, x := range a {
			for _, y := range b {
				for _, z := range d {
					for i := range 2 {
						o := Op{Kind: WarpgroupMultiply, M: 64, N: n, K: k, Operands: Operands{A: x, B: y, C: z, D: z}, Shared: Shared{SharedA: i == 1}}
						if edit != nil {
							edit(&o)
						}
						ops = append(ops, o)
					}
				}
			}
		}
	}
	e := func(l ...Elem) []Elem { return l }
	for sp := range 2 {
		sparse := func(o *Op) {
			o.Sparse = sp == 1
			if o.Sparse && o.A.Bits() >= 16 {
				o.Selector = uint8(n / 8 % 2)
			}
		}
		k := 1 + sp
		add(16*k, e(F16), e(F16), e(F16, F32), sparse)
		add(16*k, e(BF16), e(BF16), e(F32), sparse)
		add(8*k, e(TF32), e(TF32), e(F32), sparse)
		add(32*k, e(E4M3, E5M2), e(E4M3, E5M2), e(F16, F32), sparse)
		if n <= 32 || n%16 == 0 {
			add(32*k, e(S8, U8), e(S8, U8), e(S32), sparse)
			add(32*k, e(S8), e(U8), e(S32), func(o *Op) { sparse(o); o.Sat = true })
		}
	}
	if n <= 32 || n%16 == 0 {
		add(256, e(B1), e(B1), e(S32), func(o *Op) { o.And = true })
	}
	return ops
}

// TestWarpgroupFragments compares the fragments of D, of A and of the metadata with CuTe's tables.
func TestWarpgroupFragments(t *testing.T) {
	t.Parallel()
	for n := 8; n <= 256; n += 8 {
		for i, o := range warpgroupOps(n) {
			if n > 16 && i > 3 {
				break // A does not depend on N
			}
			p := NewProduct(o)
			if p == nil {
				t.Fatalf("%+v: no product", o)
			}
			check := func(what string, l *Layout, f fragmentTable, elems int) {
				if l.Elems() != elems || l.Threads() != 128 || l.Regs() != elems*l.Elem.Bits()/32 {
					t.Fatalf("%s of n%d %v: %d elements of %d threads in %d registers", what, n, l.Elem, l.Elems(), l.Threads(), l.Regs())
				}
				for thread := range 128 {
					for i := range elems {
						_, row, col := l.At(thread, i)
						if want := f.thread.at(thread) + f.value.at(i); row+64*col != want {
							t.Fatalf("%s of n%d %v: thread %d, element %d is at %d,%d, want %d,%d", what, n, l.Elem, thread, i, row, col, want%64, want/64)
						}
					}
				}
			}
			check("D", p.D, cuteD, n/2)
			if f, ok := cuteA[o.A.Bits()]; ok {
				check("A", p.A, f, 128/o.A.Bits())
			} else {
				// b1, by analogy with mma.m16n8k256.
				for thread := range 128 {
					for i := range 128 {
						_, row, col := p.A.At(thread, i)
						if row != thread/32*16+thread%32/4+i/32%2*8 || col != thread%4*32+i%32+i/64*128 {
							t.Fatalf("A of b1: thread %d, bit %d is at %d,%d", thread, i, row, col)
						}
					}
				}
			}
			if o.Sparse {
				checkMetadata(t, p)
			}
		}
	}
}

// checkMetadata compares the places of metadata with CuTe's table. A chunk of 4 bits belongs to 4 elements of K, or to 2
// of tf32.
func checkMetadata(t *testing.T, p *Product) {
	f, width := cuteE[p.Op.A.Bits()], 4
	if p.Op.A == TF32 {
		width = 2
	}
	seen := 0
	for lane := range 32 {
		if p.Op.A.Bits() >= 16 && lane/2%2 != int(p.Selector) {
			continue
		}
		for chunk := range 8 {
			at := f.thread.at(lane) + f.value.at(chunk*width)
			row, c := at%64, at/64/width
			if m := p.meta[row*p.chunks()+c]; int(m.owner) != lane || int(m.bit) != 4*chunk {
				t.Fatalf("%v k%d: chunk %d of row %d is in bit %d of lane %d, want bit %d of lane %d", p.Op.A, p.K, c, row, m.bit, m.owner, 4*chunk, lane)
			}
			seen++
		}
	}
	if seen != len(p.meta) {
		t.Fatalf("%v k%d: %d chunks, want %d", p.Op.A, p.K, seen, len(p.meta))
	}
}

// randomTile returns a descriptor for a matrix, with enough distance between its parts that no two elements have the same
// place.
func randomTile(r *rand.Rand, mn, k, bits int, major bool) (v uint64, t SharedTile) {
	t = SharedTile{MN: mn, K: k, Bits: bits, Major: major}
	lines, units := t.Lines()
	for {
		code := r.IntN(4)
		w := []int{16, 128, 64, 32}[code]
		if code != 0 && !major && units*16 > w || code != 0 && major && mn*bits/8%w != 0 {
			continue
		}
		start := r.IntN(8) * 1024
		lead, stride := 0, 0
		extra := func(base int) int { return base * (1 + r.IntN(2)) }
		switch {
		case code == 0 && !major:
			start += r.IntN(64) * 16
			stride = extra(128 * units)
			lead = 128
			if r.IntN(2) == 0 {
				stride, lead = 128, 128*((lines+7)/8)
			}
		case !major:
			start += 16 * r.IntN(w/16-units+1) // a step of K inside a line
			stride = extra(8 * w)
		case code == 0:
			start += r.IntN(64) * 16
			lead = 128
			stride = extra(128 * (lines / 8))
		default:
			stride = extra(8 * w)
			lead = stride * (lines / 8)
			if r.IntN(2) == 0 {
				lead = extra(8 * w)
				stride = lead * (mn * bits / 8 / w)
			}
		}
		if lead >= 1<<18 || stride >= 1<<18 {
			continue
		}
		v = uint64(start>>4) | uint64(lead>>4)<<16 | uint64(stride>>4)<<32 | uint64(code)<<62
		t.Descriptor = DecodeDescriptor(v)
		return v, t
	}
}

// TestDescriptors compares the addresses of elements with CuTe's canonical layouts.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	seen := map[string]bool{}
	for range 150 {
		bits := []int{1, 8, 16, 32}[r.IntN(4)]
		k := 256 / bits
		if bits != 1 && r.IntN(3) == 0 {
			k *= 2
		}
		major := bits == 16 && r.IntN(2) == 0
		mn := 8 * (1 + r.IntN(32))
		_, tile := randomTile(r, mn, k, bits, major)
		seen[fmt.Sprint(major, tile.Swizzle)] = true
		places := map[[2]int]bool{}
		for i := range mn {
			for j := range k {
				addr, bit := tile.At(i, j)
				want, wantBit := cuteAddress(&tile, int(tile.Start), i, j)
				if int(addr) != want || bit != wantBit {
					t.Fatalf("%s, major %v, %d by %d of %d bits: element %d,%d is at %#x, want %#x", &tile.Descriptor, major, mn, k, bits, i, j, addr, want)
				}
				places[[2]int{want, wantBit}] = true
			}
		}
		if len(places) != mn*k {
			t.Fatalf("%s: %d places for %d elements", &tile.Descriptor, len(places), mn*k)
		}
		if text, _ := tile.Problem(1 << 20); text != "" {
			t.Fatalf("%s: %s", &tile.Descriptor, text)
		}
	}
	if len(seen) != 8 {
		t.Errorf("orders and swizzles: %v", seen)
	}
}

// TestDescriptorProblems checks that each wrong field is named, and that the right one is not.
func TestDescriptorProblems(t *testing.T) {
	t.Parallel()
	good := uint64(0x400>>4) | 1<<16 | uint64(1024>>4)<<32 | 1<<62
	for _, c := range []struct {
		v, k uint64
		size int
		want string
	}{
		{good, 16, 64 << 10, ""},
		{good + 96>>4, 16, 64 << 10, ""}, // a step of K
		{good | 1<<14, 16, 64 << 10, "bits are set"},
		{good | 1<<46, 16, 64 << 10, "bits are set"},
		{good | 1<<61, 16, 64 << 10, "bits are set"},
		{good&^(3<<62) | 1<<49, 16, 64 << 10, "no swizzle"},
		{good + 128>>4, 16, 64 << 10, "no multiple of 1024"},
		{good + 128>>4 | 1<<49, 16, 64 << 10, ""},
		{good, 16, 9 << 10, ""},
		{good, 16, 9<<10 - 16, "the tile ends at"},
		{good | 3<<62, 32, 64 << 10, "holds 32 bytes"},
	} {
		tile := SharedTile{Descriptor: DecodeDescriptor(c.v), MN: 64, K: int(c.k), Bits: 16}
		if got, remedy := tile.Problem(c.size); !strings.Contains(got, c.want) || (c.want == "") != (got == "") || (got == "") != (remedy == "") {
			t.Errorf("%#x: %q, want %q", c.v, got, c.want)
		}
	}
}

// TestWarpgroupProducts compares every product with a naive one in exact arithmetic. The matrices lie in memory in a
// random order with a random swizzle, so the result does not depend on them.
func TestWarpgroupProducts(t *testing.T) {
	t.Parallel()
	var s Scratch
	r := rand.New(rand.NewPCG(5, 6))
	n := 0
	for _, columns := range []int{8, 24, 96, 256} {
		for i, o := range warpgroupOps(columns) {
			if columns > 8 && i%8 != columns/8%8 || !short.Every(i, 4) {
				continue
			}
			o.Negate = o.D != S32 && r.IntN(3) == 0
			if o.A == F16 || o.A == BF16 {
				o.TransA, o.TransB = o.SharedA && r.IntN(2) == 0, r.IntN(2) == 0
			}
			o.Zero = r.IntN(6) == 0
			checkWarpgroup(t, r, NewProduct(o), &s)
			if t.Failed() {
				t.Fatalf("%+v", o)
			}
			n++
		}
	}
	t.Logf("%d products", n)
}

func checkWarpgroup(t *testing.T, r *rand.Rand, p *Product, s *Scratch) {
	o, tame := p.Op, r.IntN(2) == 0
	mem := make([]byte, 1<<20)
	for i := range mem {
		mem[i] = byte(r.Uint32())
	}
	// random elements, and their places in memory by the second source.
	matrix := func(mn, k int, e Elem, isA, major bool) (uint64, map[[3]int]uint64) {
		v, tile := randomTile(r, mn, k, e.Bits(), major)
		m := map[[3]int]uint64{}
		l := &Layout{Elem: e, RegBits: 32, elems: mn * k}
		w := fill(r, l, tame)
		for i := range mn {
			for j := range k {
				at := i*k + j
				x := w.regs[at/l.PerReg()%len(w.regs)][at%32] & (1<<e.Bits() - 1)
				addr, bit := cuteAddress(&tile, int(tile.Start), i, j)
				switch e.Bits() {
				case 1:
					mem[addr] = mem[addr]&^(1<<bit) | byte(x)<<bit
				default:
					for b := range e.Bits() / 8 {
						mem[addr+b] = byte(x >> (8 * b))
					}
				}
				if isA {
					m[[3]int{0, i, j}] = x
				} else {
					m[[3]int{0, j, i}] = x
				}
			}
		}
		return v, m
	}
	descB, mb := matrix(o.N, o.K, o.B, false, o.TransB)
	var b, a Panel
	b.Load(p.TileB(descB), o.B, true, mem)
	var all map[[3]int]uint64
	if o.SharedA {
		// The memory of B stays: A is at the other end.
		half := mem
		mem = make([]byte, 1<<20)
		var descA uint64
		descA, all = matrix(o.M, p.A.Cols, o.A, true, o.TransA)
		a.Load(p.TileA(descA), o.A, false, mem)
		mem = half
	}
	for warpID := range 4 {
		var src []unsafe.Pointer
		ma := map[[3]int]uint64{}
		var pa *Panel
		if o.SharedA {
			pa = &a
			src = append(src, nil)
			for row := range 16 {
				for k := range p.A.Cols {
					ma[[3]int{0, row, k}] = all[[3]int{0, 16*warpID + row, k}]
				}
			}
		} else {
			w := fill(r, p.A, tame)
			src = pointers(w)
			for lane := range 32 {
				for i := range p.A.Elems() {
					_, row, col := p.A.At(lane, i)
					ma[[3]int{0, row, col}] = w.get(p.A, lane, i)
				}
			}
		}
		src = append(src, nil) // the descriptor of B
		var at [][]int
		if o.Sparse {
			var e *warp
			e, at = metadata(r, &o)
			src = append(src, pointers(e)...)
		}
		src = append(src, nil)[:p.SrcC]
		c := fill(r, p.D, tame)
		dst := pointers(c)
		src = append(src, dst...)
		keep, mask := uint32(math.MaxUint32), uint32(math.MaxUint32)
		switch r.IntN(4) {
		case 0:
			keep = 0
		case 1:
			mask, keep = r.Uint32(), r.Uint32()
		}
		mc := map[[3]int]uint64{}
		for lane := range 32 {
			for i := range p.D.Elems() {
				_, row, col := p.D.At(lane, i)
				if mc[[3]int{0, row, col}] = 0; keep>>lane&1 != 0 && !o.Zero {
					mc[[3]int{0, row, col}] = c.get(p.D, lane, i)
				}
			}
		}
		if o.Negate {
			sign := uint64(1) << (o.A.Bits() - 1)
			for k := range ma {
				ma[k] ^= sign
			}
		}
		if f := p.RunWarp(warpID, pa, &b, src, dst, mask, keep, s); f != 0 {
			t.Errorf("fault %d", f)
		}
		for lane := range 32 {
			for i := range p.D.Elems() {
				reg, sh := i/p.D.PerReg(), i%p.D.PerReg()*p.D.Elem.Bits()
				got := uint64((*[32]uint32)(dst[reg])[lane]) >> sh & (1<<p.D.Elem.Bits() - 1)
				_, row, col := p.D.At(lane, i)
				want := c.get(p.D, lane, i)
				if mask>>lane&1 != 0 {
					want = element(&o, p, ma, mb, mc, 0, row, col, at, nil, nil)
				}
				if got != want {
					t.Errorf("warp %d, element %d,%d: got %#x, want %#x", warpID, row, col, got, want)
					return
				}
			}
		}
	}
}

// TestPanelSeesChanges checks that a panel is converted again if and only if memory, place or type have changed.
func TestPanelSeesChanges(t *testing.T) {
	t.Parallel()
	mem := make([]byte, 4096)
	mem[0] = 1
	tile := SharedTile{Descriptor: DecodeDescriptor(8<<16 | 16<<32), MN: 8, K: 32, Bits: 8}
	var q Panel
	q.Load(tile, U8, true, mem)
	if q.i[0] != 1 {
		t.Fatalf("%d, want 1", q.i[0])
	}
	mem[0] = 255
	q.Load(tile, U8, true, mem)
	if q.i[0] != 255 {
		t.Errorf("after a store: %d, want 255", q.i[0])
	}
	q.i[0] = 7 // stays if nothing is converted
	q.Load(tile, U8, true, mem)
	if q.i[0] != 7 {
		t.Errorf("converted again without a change")
	}
	q.Load(tile, S8, true, mem)
	if q.i[0] != -1 {
		t.Errorf("as s8: %d, want -1", q.i[0])
	}
}
