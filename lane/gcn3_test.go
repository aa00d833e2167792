package lane_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.org/crosslane/lane"
)

// refPermute follows the two-step description of AMD's article literally, with a temporary buffer.
func refPermute(push bool, addr *[64]uint32, offset uint32, exec uint64, src, dest [64]uint32) [64]uint32 {
	active := func(i int) bool { return exec>>i&1 == 1 }
	element := func(i int) int {
		byteAddress := uint64(addr[i]) + uint64(offset)
		return int(byteAddress % 256 / 4) // bits [7:2]
	}
	var tmp [64]uint32
	for i := range 64 { // all active lanes write data to a temporary buffer
		if active(i) && push {
			tmp[element(i)] = src[i] // the lane with the greater ID wins
		} else if active(i) {
			tmp[i] = src[i]
		}
	}
	for i := range 64 { // all active lanes read data from the temporary buffer
		if active(i) && push {
			dest[i] = tmp[i]
		} else if active(i) {
			dest[i] = tmp[element(i)]
		}
	}
	return dest
}

func TestPermutesMatchTheBuffer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var addr, src, old [64]uint32
		kind := rapid.SampledFrom([]string{"any", "few", "lanes"}).Draw(t, "kind")
		for i := range addr {
			switch kind {
			case "any":
				addr[i] = rapid.Uint32().Draw(t, "addr")
			case "few": // conflicts
				addr[i] = rapid.Uint32Range(0, 31).Draw(t, "addr")
			case "lanes":
				addr[i] = 4 * rapid.Uint32Range(0, 127).Draw(t, "lane")
			}
			src[i], old[i] = uint32(i)+1000, uint32(i)+2000
		}
		offset := rapid.Uint32Range(0, 0xffff).Draw(t, "offset")
		exec := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, ^uint64(0), 1 << 63})).Draw(t, "exec")

		push := lane.DSPermute(&addr, offset, lane.Mask(exec))
		pull := lane.DSBpermute(&addr, offset, lane.Mask(exec))
		var got [64]uint32
		push.Apply32(&got, &src, &old)
		if want := refPermute(true, &addr, offset, exec, src, old); got != want {
			t.Fatalf("ds_permute_b32:\n%v, want\n%v", got, want)
		}
		lost := lane.DSPermuteLost(&addr, offset, lane.Mask(exec))
		for i, v := range src {
			arrived := false
			for _, g := range got {
				arrived = arrived || g == v
			}
			if on := exec>>i&1 == 1; lost.Has(i) != (on && !arrived) {
				t.Fatalf("lane %d: lost %v, but its value arrived: %v", i, lost.Has(i), arrived)
			}
		}
		pull.Apply32(&got, &src, &old)
		if want := refPermute(false, &addr, offset, exec, src, old); got != want {
			t.Fatalf("ds_bpermute_b32:\n%v, want\n%v", got, want)
		}
		if push.Undef|pull.Undef != 0 {
			t.Fatal("permutes leave nothing undefined")
		}
		// The low two bits and everything from bit 8 are ignored.
		noise := addr
		for i := range noise {
			noise[i] = (noise[i]+offset)&^3 + rapid.Uint32Range(0, 3).Draw(t, "low") + rapid.Uint32().Draw(t, "high")<<8
		}
		if lane.DSPermute(&noise, 0, lane.Mask(exec)) != push || lane.DSBpermute(&noise, 0, lane.Mask(exec)) != pull {
			t.Fatal("ignored address bits changed a map")
		}
	})
}

// TestPermuteFigures checks the text of the article about its two figures, for a wavefront of lanes
// 0 to 7.
func TestPermuteFigures(t *testing.T) {
	t.Parallel()
	var addr [64]uint32
	copy(addr[:], []uint32{8, 9, 0, 12, 4, 28, 20, 272})
	full, part := lane.Mask(0xff), lane.Mask(0xf3)

	b := lane.DSBpermute(&addr, 0, full)
	if b.Src[0] != 2 || b.Src[1] != 2 {
		t.Errorf("addresses 8 and 9 differ in ignored bits only; read lanes %v, %v", b.Src[0], b.Src[1])
	}
	if b.Src[7] != 4 {
		t.Errorf("address 272 in lane 7 wraps to element 4, not %v", b.Src[7])
	}
	b = lane.DSBpermute(&addr, 0, part)
	if b.Src[2] != lane.Keep || b.Src[3] != lane.Keep {
		t.Errorf("lanes 2 and 3 are disabled; dest gets %v, %v", b.Src[2], b.Src[3])
	}
	if b.Src[0] != lane.Zero || b.Src[1] != lane.Zero || b.Src[7] != 4 {
		t.Errorf("lanes 0 and 1 read the element of disabled lane 2: %v, %v; lane 7: %v", b.Src[0], b.Src[1], b.Src[7])
	}

	p := lane.DSPermute(&addr, 0, full)
	if p.Src[2] != 1 {
		t.Errorf("lanes 0 and 1 write element 2; the greater wins, not %v", p.Src[2])
	}
	if p.Src[4] != 7 {
		t.Errorf("lane 7 pushes to 272, element 4; found %v", p.Src[4])
	}
	if p.Src[6] != lane.Zero {
		t.Errorf("nobody writes element 6; it gives %v", p.Src[6])
	}
	if lost := lane.DSPermuteLost(&addr, 0, full); lost != 1 {
		t.Errorf("lane 0 loses its value; found %v", lost)
	}
	p = lane.DSPermute(&addr, 0, part)
	if p.Src[2] != lane.Keep || p.Src[3] != lane.Keep || p.Src[0] != lane.Zero {
		t.Errorf("EXEC without lanes 2 and 3: lanes 0, 2, 3 get %v, %v, %v", p.Src[0], p.Src[2], p.Src[3])
	}
}

// refSwizzle transcribes AMD's formal description of ds_pattern: out[i] is the lane read, or -1 for
// 0.
func refSwizzle(offset uint32, valid uint64) (out [64]int) {
	for half := 0; half < 64; half += 32 {
		in := func(i int, src int) {
			out[half+i] = -1
			if valid>>(half+src)&1 == 1 {
				out[half+i] = half + src
			}
		}
		if field(offset, 15, 15) == 1 {
			for i := 0; i < 32; i += 4 {
				in(i+0, i+int(field(offset, 1, 0)))
				in(i+1, i+int(field(offset, 3, 2)))
				in(i+2, i+int(field(offset, 5, 4)))
				in(i+3, i+int(field(offset, 7, 6)))
			}
			continue
		}
		andMask, orMask, xorMask := int(field(offset, 4, 0)), int(field(offset, 9, 5)), int(field(offset, 14, 10))
		for i := range 32 {
			in(i, ((i&andMask)|orMask)^xorMask)
		}
	}
	return out
}

// TestSwizzleExhaustive checks all 65,536 patterns under several EXEC masks.
func TestSwizzleExhaustive(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	for p := range uint32(1 << 16) {
		for _, exec := range []uint64{^uint64(0), 0xffff0000ffff, rng.Uint64(), rng.Uint64() & rng.Uint64()} {
			m := lane.DSSwizzle(uint16(p), lane.Mask(exec))
			if m.Undef != 0 || m.Lanes != 64 {
				t.Fatalf("pattern %#x: %d lanes, undefined %v", p, m.Lanes, m.Undef)
			}
			want := refSwizzle(p, exec)
			for i, w := range want {
				src := lane.Source(w)
				if w < 0 {
					src = lane.Zero
				}
				if exec>>i&1 == 0 {
					src = lane.Keep
				}
				if m.Src[i] != src {
					t.Fatalf("pattern %#x exec %#x lane %d: %v, want %v", p, exec, i, m.Src[i], src)
				}
			}
		}
	}
}

// TestSwizzleForms checks the effect of the named forms on lane numbers.
func TestSwizzleForms(t *testing.T) {
	t.Parallel()
	for size := -1; size <= 64; size++ {
		pow := size > 0 && size&(size-1) == 0
		if p, err := lane.SwizzleSwap(size); (err == nil) != (pow && size <= 16) {
			t.Errorf("SWAP %d: %v", size, err)
		} else if err == nil {
			for i := range 64 { // neighbouring groups are exchanged
				if got, want := lane.SwizzleSource(p, i), i-i%size+size*(1-i/size%2*2)+i%size; got != want {
					t.Errorf("SWAP %d lane %d reads %d, want %d", size, i, got, want)
				}
			}
		}
		if p, err := lane.SwizzleReverse(size); (err == nil) != (pow && size >= 2 && size <= 32) {
			t.Errorf("REVERSE %d: %v", size, err)
		} else if err == nil {
			for i := range 64 {
				if got, want := lane.SwizzleSource(p, i), i-i%size+size-1-i%size; got != want {
					t.Errorf("REVERSE %d lane %d reads %d, want %d", size, i, got, want)
				}
			}
		}
		for l := -1; l <= size; l++ {
			p, err := lane.SwizzleBroadcast(size, l)
			if (err == nil) != (pow && size >= 2 && size <= 32 && l >= 0 && l < size) {
				t.Errorf("BROADCAST %d, %d: %v", size, l, err)
			} else if err == nil {
				for i := range 64 {
					if got, want := lane.SwizzleSource(p, i), i-i%size+l; got != want {
						t.Errorf("BROADCAST %d, %d lane %d reads %d, want %d", size, l, i, got, want)
					}
				}
			}
		}
	}
	p, err := lane.SwizzleBitmaskPerm("01pi0")
	if err != nil || p != 0x0906 { // LLVM's encoding
		t.Errorf("01pi0 is %#x, %v", uint16(p), err)
	}
	for _, bad := range []string{"", "01pi", "01pi00", "01px0"} {
		if _, err := lane.SwizzleBitmaskPerm(bad); err == nil {
			t.Errorf("BITMASK_PERM %q accepted", bad)
		}
	}
	if p := lane.SwizzleQuad(2, 1, 3, 3); p != 0x80f6 || p.String() != "swizzle(QUAD_PERM,2,1,3,3)" {
		t.Errorf("QUAD_PERM 2,1,3,3 is %#x, %v", uint16(p), p)
	}
	for want, p := range map[string]lane.SwizzlePattern{
		"QDMode: in every group of 4, lanes 0 to 3 read lanes 2, 1, 3, 3": 0x80f6,
		": neighbouring groups of 16 swap":                                0x401f,
		": groups of 8 are reversed":                                      0x1c1f,
		": groups of 8 read their lane 3":                                 0x0078,
		": groups of 32 read their lane 0":                                0,
		": every lane reads itself":                                       0x001f,
		"j = ((i & 0x06) | 0x08) ^ 0x02 in each half of 32":               0x0906,
	} {
		if got := p.Describe(); !strings.HasSuffix(got, want) {
			t.Errorf("%#x.Describe() = %q, want …%q", uint16(p), got, want)
		}
	}
}

// TestSwizzleBits checks that BITMASK_PERM strings describe every BitMode pattern.
func TestSwizzleBits(t *testing.T) {
	t.Parallel()
	for p := range lane.SwizzlePattern(1 << 15) {
		q, err := lane.SwizzleBitmaskPerm(p.Bits())
		if err != nil {
			t.Fatalf("%#x: %v", uint16(p), err)
		}
		and, or, xor := p.Masks()
		if lane.SwizzleBits(and, or, xor) != p {
			t.Fatalf("masks of %#x do not give it back", uint16(p))
		}
		for i := range 32 {
			if lane.SwizzleSource(p, i) != lane.SwizzleSource(q, i) {
				t.Fatalf("%#x is not %s: lane %d", uint16(p), p.Bits(), i)
			}
		}
	}
}

func FuzzSwizzleBitmaskPerm(f *testing.F) {
	f.Add("01pi0")
	f.Add("ppppp")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := lane.SwizzleBitmaskPerm(s); err == nil && p.Bits() != s {
			t.Errorf("%q gives %#x, which is %q", s, uint16(p), p.Bits())
		}
	})
}

func TestMbcnt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		mask := rapid.Uint64().Draw(t, "mask")
		add := rapid.Uint32().Draw(t, "add")
		for l := range 64 {
			lo, hi := add, add
			for below := range l {
				switch {
				case mask>>below&1 == 0:
				case below < 32:
					lo++
				default:
					hi++
				}
			}
			if got := lane.MbcntLo(uint32(mask), add, l); got != lo {
				t.Fatalf("MbcntLo(%#x, %d, lane %d) = %d, want %d", uint32(mask), add, l, got, lo)
			}
			if got := lane.MbcntHi(uint32(mask>>32), add, l); got != hi {
				t.Fatalf("MbcntHi(%#x, %d, lane %d) = %d, want %d", uint32(mask>>32), add, l, got, hi)
			}
		}
	})
	for l := range 64 { // the article's lane id: v_mbcnt_lo v6, -1, 0; v_mbcnt_hi v6, -1, v6
		if id := lane.MbcntHi(^uint32(0), lane.MbcntLo(^uint32(0), 0, l), l); id != uint32(l) {
			t.Errorf("lane %d computes lane id %d", l, id)
		}
	}
}

func TestLaneSelects(t *testing.T) {
	t.Parallel()
	for sel, want := range map[uint32]int{0: 0, 63: 63, 64: 0, 67: 3, ^uint32(0): 63} {
		if lane.ReadLane(sel) != want || lane.WriteLane(sel) != want {
			t.Errorf("lane select %d: read %d, write %d, want %d", sel, lane.ReadLane(sel), lane.WriteLane(sel), want)
		}
	}
	for exec, want := range map[lane.Mask]int{0: 0, 1: 0, 8: 3, 1 << 63: 63, 0xffffffff00000000: 32} {
		if got := lane.ReadFirstLane(exec); got != want {
			t.Errorf("ReadFirstLane(%v) = %d, want %d", exec, got, want)
		}
	}
}
