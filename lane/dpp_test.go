package lane_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
	"example.org/crosslane/lane"
)

const (
	refBound   = -1 // "use bound_cntl"
	refIllegal = -2
)

// refDPP is a second transcription of the GCN3 ISA's DPP_CTRL enumerations. It treats rows as lists
// of lanes.
func refDPP(ctrl, n int) int {
	row, col := n/16, n%16
	at := func(c int) int { return row*16 + c }
	in := func(ok bool, src int) int {
		if ok {
			return src
		}
		return refBound
	}
	family, cnt := ctrl/16, ctrl%16
	switch {
	case ctrl < 0x100:
		sel := []int{ctrl % 4, ctrl / 4 % 4, ctrl / 16 % 4, ctrl / 64 % 4}
		return n/4*4 + sel[n%4]
	case family == 0x10 && cnt > 0:
		return in(col+cnt <= 15, at(col+cnt))
	case family == 0x11 && cnt > 0:
		return in(col-cnt >= 0, at(col-cnt))
	case family == 0x12 && cnt > 0:
		return at((col + 16 - cnt) % 16)
	}
	switch ctrl {
	case 0x130:
		return in(n != 63, n+1)
	case 0x134:
		return (n + 1) % 64
	case 0x138:
		return in(n != 0, n-1)
	case 0x13c:
		return (n + 63) % 64
	case 0x140:
		return at(15 - col)
	case 0x141:
		return at(col/8*8 + 7 - col%8)
	case 0x142:
		if row == 0 {
			return n
		}
		return row*16 - 1
	case 0x143:
		if row < 2 {
			return n
		}
		return 31
	}
	return refIllegal
}

// execMasks returns 64 EXEC masks: regular masks, and random masks of several densities.
func execMasks() []lane.Mask {
	ms := []lane.Mask{
		^lane.Mask(0), 0, 1, 1 << 63, 1 << 31, 1 << 32, 0xffffffff, 0xffffffff00000000,
		0xffff, 0xffff0000, 0xffff00000000, 0xffff000000000000, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa,
		0x00ff00ff00ff00ff, 0xf0f0f0f0f0f0f0f0, 0x7fff7fff7fff7fff, 0xfffefffefffefffe, 0x7fffffffffffffff, 0xfffffffffffffffe,
		0x8000800080008000, 0x0001000100010001, 0x1111111111111111, 0xfff0fff0fff0fff0,
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for i := 0; len(ms) < 64; i++ {
		m := rng.Uint64()
		switch i % 3 {
		case 1:
			m &= rng.Uint64()
		case 2:
			m |= rng.Uint64()
		}
		ms = append(ms, lane.Mask(m))
	}
	return ms
}

// TestDPPExhaustive checks all 512 control values x 16 row masks x 16 bank masks x 2 bound controls
// x 64 EXEC masks.
func TestDPPExhaustive(t *testing.T) {
	t.Parallel()
	execs := execMasks()
	if raceEnabled {
		execs = execs[16:28]
	}
	execs = short.Sample(execs, 5)
	const parts = 16
	for part := range parts {
		t.Run(fmt.Sprintf("ctrl%%%d=%d", parts, part), func(t *testing.T) {
			t.Parallel()
			for ctrl := part; ctrl < 512; ctrl += parts {
				dppControl(t, ctrl, execs)
			}
		})
	}
}

func dppControl(t *testing.T, ctrl int, execs []lane.Mask) {
	t.Helper()
	if refDPP(ctrl, 0) == refIllegal {
		for _, bound := range []bool{false, true} {
			var de *lane.DPPError
			if _, err := lane.DPP(lane.DPPCtrl(ctrl), 15, 15, bound, execs[0]); !errors.As(err, &de) {
				t.Fatalf("ctrl %#x is reserved; error %v", ctrl, err)
			}
			if int(de.Ctrl) != ctrl || refDPP(int(de.Nearest), 0) == refIllegal {
				t.Fatalf("ctrl %#x: error %v names an illegal control", ctrl, de)
			}
			if !strings.Contains(de.Error(), fmt.Sprintf("0x%03x", ctrl)) || !strings.Contains(de.Error(), de.Nearest.String()) {
				t.Fatalf("ctrl %#x: error %q does not name it and its nearest", ctrl, de)
			}
		}
		if _, ok := lane.DPPSource(lane.DPPCtrl(ctrl), 0); ok {
			t.Fatalf("DPPSource(%#x) is ok", ctrl)
		}
		return
	}
	for _, exec := range execs {
		for _, bound := range []bool{false, true} {
			var want [64]lane.Source
			for n := range want {
				src := refDPP(ctrl, n)
				switch {
				case src != refBound && exec>>src&1 == 1:
					want[n] = lane.Source(src)
				case bound:
					want[n] = lane.Zero
				default:
					want[n] = lane.Keep
				}
			}
			for masks := range 256 {
				row, bank := masks/16, masks%16
				m, err := lane.DPP(lane.DPPCtrl(ctrl), uint8(row), uint8(bank), bound, exec)
				if err != nil || m.Lanes != 64 || m.Undef != 0 {
					t.Fatalf("ctrl %#x: %v, %d lanes, undefined %v", ctrl, err, m.Lanes, m.Undef)
				}
				for n := range 64 {
					w := want[n]
					if int(exec>>n)&(row>>(n>>4))&(bank>>(n>>2&3))&1 == 0 {
						w = lane.Keep
					}
					if m.Src[n] != w {
						t.Fatalf("ctrl %#x row_mask %#x bank_mask %#x bound_ctrl %v exec %s: lane %d is %v, want %v",
							ctrl, row, bank, bound, exec.Hex(64), n, m.Src[n], w)
					}
				}
			}
		}
	}
}

func TestDPPCtrlText(t *testing.T) {
	t.Parallel()
	for c := range lane.DPPCtrl(1024) {
		legal := c < 512 && refDPP(int(c), 0) != refIllegal
		if c.Valid() != legal {
			t.Errorf("%#x.Valid() = %v", uint16(c), c.Valid())
		}
		if !c.Nearest().Valid() || legal && c.Nearest() != c {
			t.Errorf("%#x.Nearest() = %#x", uint16(c), uint16(c.Nearest()))
		}
		got, err := lane.ParseDPPCtrl(c.String())
		if legal && (err != nil || got != c) {
			t.Errorf("ParseDPPCtrl(%q) = %#x, %v; want %#x", c, uint16(got), err, uint16(c))
		}
		if !legal && err == nil {
			t.Errorf("ParseDPPCtrl(%q) accepts a reserved control", c)
		}
		if (c.Describe() == "reserved") == legal {
			t.Errorf("%v.Describe() = %q", c, c.Describe())
		}
	}
	for _, d := range []struct{ in, out, err string }{
		{"row_shr:1", "row_shr:1", ""},
		{"row_shr: 0xf", "row_shr:15", ""},
		{"quad_perm:[ 0, 1,2 ,3]", "quad_perm:[0,1,2,3]", ""},
		{"row_shr:16", "", "row_shr takes 1 to 15, found 16"},
		{"row_shr:0", "", "row_shr takes 1 to 15, found 0"},
		{"wave_shr:2", "", "wave_shr takes 1 only, found 2"},
		{"wave_shr", "", `wave_shr takes 1 only, found ""`},
		{"row_bcast:16", "", "row_bcast takes 15 or 31, found 16"},
		{"row_mirror:1", "", `row_mirror takes no value, found "1"`},
		{"quad_perm:[0,1,2,4]", "", `quad_perm takes four lanes from 0 to 3 as [a,b,c,d], found "[0,1,2,4]"`},
		{"quad_perm:[0,1,2]", "", `quad_perm takes four lanes from 0 to 3 as [a,b,c,d], found "[0,1,2]"`},
		{"row_share:1", "", "unknown DPP control \"row_share\""},
	} {
		c, err := lane.ParseDPPCtrl(d.in)
		if d.err == "" && (err != nil || c.String() != d.out) {
			t.Errorf("ParseDPPCtrl(%q) = %v, %v; want %s", d.in, c, err, d.out)
		}
		if d.err != "" && (err == nil || !strings.HasPrefix(err.Error(), d.err)) {
			t.Errorf("ParseDPPCtrl(%q): error %v, want %s", d.in, err, d.err)
		}
	}
	for c, want := range map[lane.DPPCtrl]lane.DPPCtrl{0x100: 0x101, 0x110: 0x111, 0x120: 0x121, 0x133: 0x130, 0x13f: 0x13c, 0x144: 0x143, 0x1ff: 0x143, 0x2ff: 0x143} {
		if got := c.Nearest(); got != want {
			t.Errorf("%#x.Nearest() = %#x, want %#x", uint16(c), uint16(got), uint16(want))
		}
	}
}

func FuzzParseDPPCtrl(f *testing.F) {
	for _, s := range []string{"quad_perm:[0,1,2,3]", "row_shl:15", "wave_ror:1", "row_bcast:31", "row_half_mirror", "row_shr:", ":"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := lane.ParseDPPCtrl(s)
		if err != nil {
			return
		}
		if back, err := lane.ParseDPPCtrl(c.String()); err != nil || back != c || !c.Valid() {
			t.Errorf("ParseDPPCtrl(%q) = %v, which reads back as %v, %v", s, c, back, err)
		}
	})
}

// vadd computes v_add_f32 dst, src0, src1 with a DPP modifier on src0, on integers.
func vadd(t *testing.T, dst, src0, src1 []int, ctrl string, row, bank uint8, bound bool) {
	t.Helper()
	c, err := lane.ParseDPPCtrl(ctrl)
	if err != nil {
		t.Fatal(err)
	}
	m, err := lane.DPP(c, row, bank, bound, lane.All(64))
	if err != nil {
		t.Fatal(err)
	}
	moved := make([]int, 64)
	lane.Apply(&m, moved, src0, nil)
	second := append([]int(nil), src1...)
	for i := range m.Writes().Lanes() {
		dst[i] = moved[i] + second[i]
	}
}

// prefixSum runs the seven instructions of AMD's prefix sum example. The two row masks and the
// optional bank masks are parameters.
func prefixSum(t *testing.T, v0 []int, row6, row7, bank4, bank5 uint8) (after6, after7 []int) {
	t.Helper()
	v1 := make([]int, 64)
	for i := range v1 {
		v1[i] = -1000000 // v1 is uninitialised before instruction 1
	}
	vadd(t, v1, v0, v0, "row_shr:1", 15, 15, true)
	vadd(t, v1, v0, v1, "row_shr:2", 15, 15, true)
	vadd(t, v1, v0, v1, "row_shr:3", 15, 15, true)
	vadd(t, v1, v1, v1, "row_shr:4", 15, bank4, false)
	vadd(t, v1, v1, v1, "row_shr:8", 15, bank5, false)
	vadd(t, v1, v1, v1, "row_bcast:15", row6, 15, false)
	after6 = append([]int(nil), v1...)
	vadd(t, v1, v1, v1, "row_bcast:31", row7, 15, false)
	return after6, v1
}

// TestDPPPrefixSum runs the example of AMD's cross-lane article, and checks the article's
// statements about leaving out its masks.
func TestDPPPrefixSum(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	v0, want := make([]int, 64), make([]int, 64)
	acc := 0
	for i := range v0 {
		v0[i] = 1 + rng.IntN(1000)
		acc += v0[i]
		want[i] = acc
	}
	differ := func(a, b []int) (m lane.Mask) {
		for i := range a {
			if a[i] != b[i] {
				m |= lane.Lane(i)
			}
		}
		return m
	}
	good6, good7 := prefixSum(t, v0, 0xa, 0xc, 0xe, 0xc)
	if d := differ(good7, want); d != 0 {
		t.Errorf("prefix sum wrong in lanes %v: %v", d, good7)
	}
	if _, all := prefixSum(t, v0, 0xa, 0xc, 0xf, 0xf); differ(all, want) != 0 {
		t.Error("the bank masks of instructions 4 and 5 are optional, but matter here")
	}
	bad6, _ := prefixSum(t, v0, 0xf, 0xc, 0xe, 0xc)
	if d := differ(bad6, good6); d != 0x0000ffff0000ffff {
		t.Errorf("instruction 6 without row_mask corrupts lanes %v, want 0-15, 32-47", d)
	}
	_, bad7 := prefixSum(t, v0, 0xa, 0xf, 0xe, 0xc)
	if d := differ(bad7, good7); d != 0xffffffff {
		t.Errorf("instruction 7 without row_mask corrupts lanes %v, want 0-31", d)
	}
}
