package interp

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// TestDivisionForms compares the forms in assembly of the division functions and of ldexp,
// with exponents close to the limits of these forms. All lanes have the same distance from a
// limit, so that a single lane does not make the whole form bail out.
func TestDivisionForms(t *testing.T) {
	t.Parallel()
	if !haveAVX2 {
		t.Skip("this processor has no AVX2 and FMA; the forms in assembly are not used on it")
	}
	r := rand.New(rand.NewPCG(9, 9))
	frame := make([]uint64, 6*32)
	base := unsafe.Pointer(&frame[0])
	run := func(op ir.Op) {
		t.Helper()
		clear(frame[128:])
		asmFns[op](base, &inst{a: 0, b: 256, c: 512, e: 768, d: 1024})
		vecFns[op](base, &inst{a: 0, b: 256, c: 512, e: 768, d: 1280})
		for i := range 32 {
			if got, want := frame[128+i], frame[160+i]; got != want {
				t.Fatalf("%s: words %d: got %#x, want %#x; operands %#x, %#x, %#x", op, i, got, want, frame[i], frame[32+i], frame[64+i])
			}
		}
	}
	number := func(exp, man, top int) uint64 {
		return uint64(r.IntN(2))<<(man+top) | uint64(min(max(exp, 0), 1<<top-1))<<man | r.Uint64()&(1<<man-1)
	}
	for _, c := range []struct {
		man, top int
		diffs    []int // between the exponents of S2 and S1
		lows     []int // exponents
		ops      []ir.Op
	}{
		{23, 8, []int{0, 94, 95, 96, 97, -123, -124, -125, -126, -127, -149, -150, -151, -152}, []int{1, 2, 22, 23, 24, 25, 127, 251, 252, 253, 254},
			[]ir.Op{ir.VDivScaleF32, ir.VDivScaleVccF32, ir.VDivFixupF32, ir.VDivFmasF32}},
		{52, 11, []int{0, 766, 767, 768, 769, -1019, -1020, -1021, -1022, -1023, -1074, -1075, -1076, -1077}, []int{1, 2, 52, 53, 54, 55, 1023, 2043, 2044, 2045, 2046},
			[]ir.Op{ir.VDivScaleF64, ir.VDivScaleVccF64, ir.VDivFixupF64, ir.VDivFmasF64}},
	} {
		for _, diff := range c.diffs {
			for _, low := range append(c.lows, 1<<c.top/2+diff, 1<<c.top/2-diff, -diff+1, -diff+2, -diff+30, 1<<c.top-3-diff) {
				for round := range 8 {
					frame[96] = 0
					if round%4 == 3 {
						frame[96] = r.Uint64()
					}
					for lane := range 32 {
						e1, e2 := low, low+diff
						if round%2 == 1 { // the limit is for S2
							e1, e2 = low-diff, low
						}
						s1, s2 := number(e1, c.man, c.top), number(e2, c.man, c.top)
						if round >= 8 { // zeros and infinities in some lanes
							inf := uint64(1<<c.top-1) << c.man
							special := []uint64{s1, s2, 0, inf, 1 << (c.man + c.top), inf | 1<<(c.man+c.top)}
							s1, s2 = special[r.IntN(6)], special[r.IntN(6)]
						}
						s0 := []uint64{s1, s2, number(e2-e1+1<<c.top/2-1, c.man, c.top)}[round%3]
						for k, v := range []uint64{s0, s1, s2} {
							if c.man == 23 {
								p := (*[32]uint32)(unsafe.Add(base, 256*k))
								p[lane] = uint32(v)
							} else {
								frame[32*k+lane] = v
							}
						}
					}
					for _, op := range c.ops {
						run(op)
					}
				}
			}
		}
	}
	for n := -3100; n <= 3100; n++ {
		if n > -1000 && n < -400 || n > 400 && n < 1000 {
			continue
		}
		s := (*[32]uint32)(unsafe.Add(base, 256))
		for lane := range s {
			s[lane] = uint32(n)
			frame[lane] = number(1+r.IntN(2045), 52, 11)
		}
		run(ir.VLdexpF64)
		for lane := range s {
			(*[32]uint32)(base)[lane] = uint32(number(r.IntN(255), 23, 8))
		}
		run(ir.VLdexpF32)
		for lane := range s {
			(*[32]uint16)(base)[lane] = uint16(number(r.IntN(31), 10, 5))
			(*[32]uint16)(unsafe.Pointer(s))[lane] = uint16(n)
		}
		run(ir.VLdexpF16)
	}
}
