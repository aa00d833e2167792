package interp

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// edgeBits are operands at which operations differ: signs, limits of shifts, zeros,
// subnormals, infinities, quiet and signalling NaNs of 32 and 64 bits.
var edgeBits = []uint64{0, 1, 2, 30, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000, 0xbf800000,
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x34000000,
	0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0xffffffff00000000, 0x100000000,
	// f64: numbers, infinities, quiet and signalling NaNs, subnormals.
	0x3ff0000000000000, 0xbff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0xfff8000000000002, 0x7ff0000000000003,
	0xfff4000000000004, 0x000fffffffffffff, 0x47efffffe0000000, 0x47efffffefffffff, 0x380fffffffffffff, 0x41dfffffffc00000,
	// Around 2^31 and 2^32 as f32; f16 in both halves.
	0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000, 0xbf000000, 0x4b000001, 0x3f000000, 0x3c003c01, 0x7c00fc00, 0x7e017c01, 0xfe3303ff, 0x04007bff, 0x80018000}

// TestAssemblyForms compares every form in assembly with the generated Go form, which the
// conformance suite compares with the table: all triples of edge operands, then random ones.
func TestAssemblyForms(t *testing.T) {
	t.Parallel()
	if !haveAVX2 {
		t.Skip("this processor has no AVX2 and FMA; the forms in assembly are not used on it")
	}
	tested := 0
	for op := range asmFns {
		if asmFns[op] == nil {
			continue
		}
		tested++
		t.Run(ir.Op(op).String(), func(t *testing.T) {
			t.Parallel()
			frame := make([]uint64, 256+32)
			base := unsafe.Pointer(&frame[0])
			in := &inst{a: 0, b: 256, c: 512, d: 1024, e: 768}
			ref := *in
			ref.d = 1536
			n := len(ir.Ops[op].Args)
			set := func(arg, lane int, v uint64) {
				switch ir.Ops[op].Args[arg] {
				case ir.B64:
					frame[32*arg+lane] = v
				case ir.B16:
					*(*uint16)(unsafe.Add(base, 256*arg+2*lane)) = uint16(v)
				case ir.B1:
					p := (*uint32)(unsafe.Add(base, 256*arg))
					*p = *p&^(1<<lane) | uint32(v&1)<<lane
				default:
					*(*uint32)(unsafe.Add(base, 256*arg+4*lane)) = uint32(v)
				}
			}
			check := func() {
				clear(frame[128:])
				asmFns[op](base, in)
				vecFns[op](base, &ref)
				for i := range 64 {
					if got, want := frame[128+i], frame[192+i]; got != want {
						t.Fatalf("words %d: got %#x, want %#x; operands %#x", i, got, want, frame[:96])
					}
				}
			}
			edges := len(edgeBits)
			lanes := 0
			cases := edges * edges
			if n > 2 {
				cases *= edges
			}
			for k := range cases {
				set(0, lanes, edgeBits[k%edges])
				if n > 1 {
					set(1, lanes, edgeBits[k/edges%edges])
				}
				if n > 2 {
					set(2, lanes, edgeBits[k/edges/edges])
				}
				if lanes++; lanes == 32 {
					lanes = 0
					check()
				}
			}
			r := rand.New(rand.NewPCG(1, uint64(op)))
			trials := short.Of(600, 120)
			if n == 1 {
				trials = short.Of(1500, 300)
			}
			for range trials {
				for i := range frame[:96] {
					frame[i] = r.Uint64()
					if i%4 == 0 { // f32 from 2^-8 to 2^8, where functions are not flat
						frame[i] = frame[i]&0x807fffff_807fffff | uint64(119+r.IntN(16))<<55 | uint64(119+r.IntN(16))<<23
					}
				}
				check()
			}
			// A form bails out for all lanes at once, so here no lane has an unusual value.
			for k := range trials {
				for arg := range n {
					for lane := range 32 {
						set(arg, lane, ordinary(r, ir.Ops[op].Args[arg], k%4))
					}
				}
				check()
			}
			if n == 1 && ir.Ops[op].Args[0] == ir.B16 {
				for v := range uint64(1 << 16) {
					set(0, int(v%32), v)
					if v%32 == 31 {
						check()
					}
				}
			}
		})
	}
	if tested < 50 {
		t.Errorf("%d forms tested, want at least 50", tested)
	}
}

// ordinary returns an operand that is not a NaN, whether it is read as a float or not: a
// number near 1, any number, a limit of numbers, or a few bits.
func ordinary(r *rand.Rand, t ir.Type, kind int) uint64 {
	man, exp := uint64(23), uint64(255)
	switch t {
	case ir.B64:
		man, exp = 52, 2047
	case ir.B16:
		man, exp = 10, 31
	}
	sign := uint64(r.IntN(2)) << man * (exp + 1)
	fraction := r.Uint64() & (1<<man - 1)
	switch kind {
	case 0:
		return sign | (exp/2+uint64(r.IntN(9))-4)<<man | fraction
	case 1:
		return sign | uint64(r.IntN(int(exp)))<<man | fraction
	case 2:
		near := exp/2 + uint64(r.IntN(int(man)+12))
		return sign | []uint64{0, 1, 1<<man - 1, 1 << man, 1<<man + 1, exp/2<<man - 1, exp / 2 << man, (exp/2 - 1) << man, (exp/2 + 1) << man, exp/2<<man + 1<<(man-1), exp<<man - 1, near << man, near<<man - 1, near<<man | 1<<(man-1)}[r.IntN(14)]
	}
	return uint64(r.IntN(140))
}

// TestAffine compares both forms of the test for equal steps.
func TestAffine(t *testing.T) {
	t.Parallel()
	if !haveAVX2 {
		t.Skip("this processor has no AVX2 and FMA; the forms in assembly are not used on it")
	}
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 40000 {
		var a32 [32]uint32
		var a64 [32]uint64
		base, step := r.Uint64(), r.Uint64()>>r.IntN(64)
		for i := range a32 {
			a64[i] = base + uint64(i)*step
			a32[i] = uint32(a64[i])
		}
		out := n%33 - 1 // the lane that breaks the steps, if any
		if out >= 0 {
			bit := r.IntN(64)
			a64[out] ^= 1 << bit
			a32[out] ^= 1 << (bit & 31)
		}
		for _, wide := range []bool{false, true} {
			if _, ok := affine(&a32, wide); ok != (out < 0) {
				t.Fatalf("32 bits, assembly %v: %v for %#x, lane %d out of line", wide, ok, a32, out)
			}
			if _, ok := affine(&a64, wide); ok != (out < 0) {
				t.Fatalf("64 bits, assembly %v: %v for %#x, lane %d out of line", wide, ok, a64, out)
			}
		}
	}
}

// TestBF16Forms compares the forms in assembly for bf16 with sums that are close to the
// middle of two numbers, or out of range: few mantissas, and exponents that are close
// together.
func TestBF16Forms(t *testing.T) {
	t.Parallel()
	if !haveAVX2 {
		t.Skip("this processor has no AVX2 and FMA; the forms in assembly are not used on it")
	}
	r := rand.New(rand.NewPCG(5, 5))
	frame := make([]uint64, 16*8)
	base := unsafe.Pointer(&frame[0])
	half := func(exp int) uint64 {
		man := uint64([]int{0, 1, 0x40, 0x7f, 0x7e, r.IntN(128)}[r.IntN(6)])
		return uint64(r.IntN(2))<<15 | uint64(min(max(exp, 0), 255))<<7 | man
	}
	for range short.Of(30000, 4000) {
		for i := range 64 {
			ea := r.IntN(256)
			eb := []int{r.IntN(256), 127, 254 - ea, 127 - ea, 120 + r.IntN(10)}[r.IntN(5)]
			ec := ea + eb - 127 + r.IntN(40) - 20
			for k, e := range []int{ea, eb, ec} {
				at, shift := 16*k+i/4, i%4*16
				frame[at] = frame[at]&^(0xffff<<shift) | half(e)<<shift
			}
		}
		for _, op := range []ir.Op{ir.AddBF16x2, ir.SubBF16x2, ir.MulBF16x2, ir.FmaBF16x2} {
			asmFns[op](base, &inst{a: 0, b: 128, c: 256, d: 384})
			vecFns[op](base, &inst{a: 0, b: 128, c: 256, d: 512})
			for i := range 16 {
				if got, want := frame[48+i], frame[64+i]; got != want {
					t.Fatalf("%s: words %d: got %#x, want %#x; operands %#x, %#x, %#x", op, i, got, want, frame[i], frame[16+i], frame[32+i])
				}
			}
		}
	}
}

// TestPermute applies the permutations of every DPP control and of random maps, in place and
// to another vector, and compares with a loop over lanes.
func TestPermute(t *testing.T) {
	t.Parallel()
	if !haveAVX2 {
		t.Skip("this processor has no AVX2 and FMA; the forms in assembly are not used on it")
	}
	r := rand.New(rand.NewPCG(4, 4))
	made := 0
	for n := range 20000 {
		var from [64]uint8
		var source lane.Mask = ^lane.Mask(0)
		if n < 512 {
			if !lane.DPPCtrl(n).Valid() {
				continue
			}
			for i := range from {
				if j, ok := lane.DPPSource(lane.DPPCtrl(n), i); ok {
					from[i] = uint8(j)
				} else {
					source &^= lane.Lane(i)
				}
			}
		} else {
			var groups [2]uint8
			for i := range from {
				if i%8 == 0 {
					groups = [2]uint8{uint8(r.IntN(8)), uint8(r.IntN(8))}
				}
				from[i] = groups[r.IntN(2)]*8 + uint8(r.IntN(8))
				if r.IntN(5) == 0 {
					source &^= lane.Lane(i)
				}
			}
		}
		p := newPermutation(&from, source)
		if p == nil {
			t.Fatalf("no permutation for %v", from)
		}
		made++
		var src, dst, want [64]uint32
		for i := range src {
			src[i], dst[i] = r.Uint32(), r.Uint32()
		}
		for i := range want {
			if source.Has(i) {
				want[i] = src[from[i]]
			}
		}
		p.apply(unsafe.Pointer(&dst), unsafe.Pointer(&src))
		p.apply(unsafe.Pointer(&src), unsafe.Pointer(&src))
		if dst != want || src != want {
			t.Fatalf("%v of %v, %#x:\ngot  %v\nin place %v\nwant %v", from, src, source, dst, src, want)
		}
	}
	if made < 19500 {
		t.Errorf("%d permutations made", made)
	}
	three := [64]uint8{0, 8, 16}
	if newPermutation(&three, ^lane.Mask(0)) != nil {
		t.Error("a group of lanes from three groups has a permutation")
	}
}
