package lane_test

import (
	"math/rand/v2"
	"testing"

	"example.org/crosslane/lane"
)

// field returns x[hi:lo].
func field(x uint32, hi, lo uint) uint32 { return x << (31 - hi) >> (31 - hi + lo) }

// refShfl is a second, literal transcription of the pseudo-code of PTX ISA
// 9.7.9.6, with the comparison done on signed values.
func refShfl(mode string, laneid uint32, b, c uint32) (j int32, p bool) {
	laneN := field(laneid, 4, 0)
	bval := field(b, 4, 0)
	cval := field(c, 4, 0)
	segmask := field(c, 12, 8)
	notSegmask := field(^segmask, 4, 0)
	maxLane := int32((laneN & segmask) | (cval & notSegmask))
	minLane := laneN & segmask
	switch mode {
	case "up":
		j = int32(laneN) - int32(bval)
		p = !(j < maxLane)
	case "down":
		j = int32(laneN) + int32(bval)
		p = !(j > maxLane)
	case "bfly":
		j = int32(laneN ^ bval)
		p = !(j > maxLane)
	case "idx":
		j = int32(minLane | (bval & notSegmask))
		p = !(j > maxLane)
	}
	if !p {
		j = int32(laneN)
	}
	return j, p
}

var shflModes = []lane.ShflMode{lane.ShflUp, lane.ShflDown, lane.ShflBfly, lane.ShflIdx}

// TestShflExhaustive checks 4 modes x 32 lanes x 64 values of b x all 1,024 pairs (cval, segmask),
// with random values in every ignored bit. It also checks the maps for uniform operands.
func TestShflExhaustive(t *testing.T) {
	t.Parallel()
	for _, mode := range shflModes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(mode)))
			for pair := range uint32(1024) {
				c := pair&31 | pair>>5<<8
				for b := range uint32(64) {
					noiseB, noiseC := rng.Uint32()<<6, rng.Uint32()&^0x1f1f
					exec, members := lane.Mask(rng.Uint32()), lane.Mask(rng.Uint32())
					m, pred := lane.ShflUniform(mode, b|noiseB, c|noiseC, exec, members)
					for i := range 32 {
						wantJ, wantP := refShfl(mode.String(), uint32(i), b, c)
						j, p := lane.ShflSource(mode, i, b|noiseB, c|noiseC)
						if j != int(wantJ) || p != wantP {
							t.Fatalf("ShflSource(%v, lane %d, b %#x, c %#x) = %d, %v; want %d, %v", mode, i, b|noiseB, c|noiseC, j, p, wantJ, wantP)
						}
						src, undef := lane.Keep, false
						if exec>>i&1 == 1 {
							src = lane.Source(wantJ)
							undef = exec>>wantJ&1 == 0 || members>>wantJ&1 == 0 || members>>i&1 == 0
						} else {
							wantP = false
						}
						if m.Src[i] != src || m.Undef.Has(i) != undef || pred.Has(i) != wantP {
							t.Fatalf("ShflUniform(%v, b %#x, c %#x, exec %v, members %v) lane %d: source %v, undefined %v, p %v; want %v, %v, %v",
								mode, b, c, exec, members, i, m.Src[i], m.Undef.Has(i), pred.Has(i), src, undef, wantP)
						}
					}
				}
			}
		})
	}
}

// TestShflVarying compares per-lane operands with the reference, lane by lane.
func TestShflVarying(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20000 {
		mode := shflModes[rng.IntN(4)]
		var b, c, member [32]uint32
		masks := [2]uint32{rng.Uint32(), rng.Uint32()}
		for i := range b {
			b[i], c[i] = rng.Uint32(), rng.Uint32()
			member[i] = masks[rng.IntN(2)]
		}
		if rng.IntN(2) == 0 { // c is nearly always uniform
			for i := range c {
				c[i] = c[0]
			}
		}
		exec, members := lane.Mask(rng.Uint64()), lane.Mask(rng.Uint64())
		if rng.IntN(2) == 0 {
			exec, members = lane.All(32), lane.All(32)
		}
		m, pred := lane.ShflVarying(mode, &b, &c, exec, members)
		s, spred, outside := lane.ShflSync(mode, &b, &c, &member, exec)
		if m.Lanes != 32 || s.Lanes != 32 {
			t.Fatalf("map of %d and %d lanes, want 32", m.Lanes, s.Lanes)
		}
		for i := range 64 {
			on := i < 32 && exec>>i&1 == 1
			if !on {
				if m.Src[i] != lane.Keep || s.Src[i] != lane.Keep || (m.Undef | s.Undef | pred | spred | outside).Has(i) {
					t.Fatalf("lane %d does not execute but is touched: %v / %v", i, &m, &s)
				}
				continue
			}
			j, p := refShfl(mode.String(), uint32(i), b[i], c[i])
			if m.Src[i] != lane.Source(j) || s.Src[i] != lane.Source(j) || pred.Has(i) != p || spred.Has(i) != p {
				t.Fatalf("%v lane %d: source %v and %v, p %v and %v; want %d, %v", mode, i, m.Src[i], s.Src[i], pred.Has(i), spred.Has(i), j, p)
			}
			undef := !exec.Has(int(j)) || !members.Has(int(j)) || !members.Has(i)
			if m.Undef.Has(i) != undef {
				t.Fatalf("ShflVarying lane %d reads %d: undefined %v, want %v", i, j, m.Undef.Has(i), undef)
			}
			own := member[i]>>i&1 == 1
			undef = !exec.Has(int(j)) || member[i]>>uint(j)&1 == 0 || member[j] != member[i] || !own
			if s.Undef.Has(i) != undef || outside.Has(i) != !own {
				t.Fatalf("ShflSync lane %d reads %d: undefined %v, outside %v; want %v, %v", i, j, s.Undef.Has(i), outside.Has(i), undef, !own)
			}
		}
	}
}

// TestShflDecided pins the decisions that other implementations miss.
func TestShflDecided(t *testing.T) {
	t.Parallel()
	for _, d := range []struct {
		name string
		mode lane.ShflMode
		lane int
		b, c uint32
		j    int
		in   bool
	}{
		{"b is taken modulo 32: 32 acts as 0", lane.ShflIdx, 5, 32, 0x1f, 0, true},
		{"b is taken modulo 32: 33 acts as 1", lane.ShflUp, 5, 33, 0, 4, true},
		{"b is taken modulo 32: 63 acts as 31", lane.ShflBfly, 0, 63, 0x1f, 31, true},
		{"40 acts as 8", lane.ShflIdx, 0, 40, 31, 8, true},
		{"up below zero is out of range", lane.ShflUp, 0, 1, 0, 0, false},
		{"up below zero is out of range in any segment", lane.ShflUp, 3, 31, 0x1f00, 3, false},
		{"up stops at the segment", lane.ShflUp, 8, 1, 0x1800, 8, false},
		{"down stops at the segment", lane.ShflDown, 7, 1, 0x181f, 7, false},
		{"down past 31", lane.ShflDown, 31, 1, 0x1f, 31, false},
		{"bfly crosses down, not up, out of a segment", lane.ShflBfly, 8, 8, 0x181f, 0, true},
		{"bfly up out of a segment", lane.ShflBfly, 0, 8, 0x181f, 0, false},
		{"idx stays in the segment", lane.ShflIdx, 13, 1, 0x181f, 9, true},
		{"idx above the clamp", lane.ShflIdx, 13, 7, 0x1803, 13, false},
	} {
		j, in := lane.ShflSource(d.mode, d.lane, d.b, d.c)
		if j != d.j || in != d.in {
			t.Errorf("%s: got %d, %v; want %d, %v", d.name, j, in, d.j, d.in)
		}
	}
	// p only reports whether the source is in range.
	m, pred := lane.ShflUniform(lane.ShflBfly, 16, 0x1f, 0xffff, 0xffff)
	if pred != 0xffff || m.Undef != 0xffff || m.SourcesOf(m.Undef) != 0xffff0000 {
		t.Errorf("bfly with partners outside membermask: p %v, undefined %v, reading %v", pred, m.Undef, m.SourcesOf(m.Undef))
	}
}

func TestShflC(t *testing.T) {
	t.Parallel()
	for c := range uint32(1 << 13) {
		p := lane.ParseC(c)
		if got := p.Encode(); got != c&0x1f1f {
			t.Fatalf("ParseC(%#x).Encode() = %#x", c, got)
		}
		for _, mode := range shflModes {
			// Regular holds if every lane reaches exactly its aligned segment.
			width, ok := p.Regular(mode)
			if w, _ := p.Width(); w != width {
				t.Fatalf("Width %d, Regular %d", w, width)
			}
			want, packed := lane.PackC(mode, width)
			if !packed {
				if ok {
					t.Fatalf("c %#x %v: regular with width %d", c, mode, width)
				}
				continue
			}
			same := true // same map as the packed form for all b
			for b := range uint32(32) {
				for l := range 32 {
					j, in := lane.ShflSource(mode, l, b, c)
					wj, win := lane.ShflSource(mode, l, b, want)
					same = same && j == wj && in == win
				}
			}
			if ok != same {
				t.Fatalf("c %#x %v: Regular %v, but same maps as %#x: %v", c, mode, ok, want, same)
			}
		}
	}
	for _, d := range []struct {
		mode  lane.ShflMode
		width int
		c     uint32
		ok    bool
	}{
		{lane.ShflUp, 32, 0, true}, {lane.ShflDown, 32, 0x1f, true}, {lane.ShflUp, 8, 0x1800, true},
		{lane.ShflBfly, 8, 0x181f, true}, {lane.ShflIdx, 1, 0x1f1f, true},
		{lane.ShflIdx, 0, 0, false}, {lane.ShflIdx, 24, 0, false}, {lane.ShflIdx, 64, 0, false}, {lane.ShflIdx, -8, 0, false},
	} {
		if c, ok := lane.PackC(d.mode, d.width); c != d.c || ok != d.ok {
			t.Errorf("PackC(%v, %d) = %#x, %v; want %#x, %v", d.mode, d.width, c, ok, d.c, d.ok)
		}
	}
	if got, want := lane.ParseC(0x181f).Describe(lane.ShflBfly), "clamp 31, segmask 0x18: 4 segments of 8 lanes, each lane reaches its whole segment"; got != want {
		t.Errorf("Describe: %q, want %q", got, want)
	}
	if got, want := lane.ParseC(0x0103).Describe(lane.ShflDown), "clamp 3, segmask 0x01: 2 segments of 16 lanes that agree in lane bits 0b00001, in range when j <= (lane & 0x01) | 0x02"; got != want {
		t.Errorf("Describe: %q, want %q", got, want)
	}
}

func TestShflModeNames(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"up", "down", "bfly", "idx"} {
		if m, ok := lane.ParseShflMode(name); !ok || m != shflModes[i] || m.String() != name {
			t.Errorf("ParseShflMode(%q) = %v, %v", name, m, ok)
		}
	}
	if _, ok := lane.ParseShflMode("xor"); ok {
		t.Error("xor is not a mode")
	}
	if s := lane.ShflMode(9).String(); s != "ShflMode(9)" {
		t.Error(s)
	}
}

// shfl applies a shuffle to a register of 32 lanes.
func shfl(t *testing.T, mode lane.ShflMode, b, c uint32, r []int32) (d []int32, p lane.Mask) {
	t.Helper()
	m, p := lane.Shfl(mode, b, c, lane.All(32))
	if m.Undef != 0 {
		t.Fatalf("undefined lanes %v in a full warp", m.Undef)
	}
	d = make([]int32, 32)
	lane.Apply(&m, d, r, nil)
	return d, p
}

// TestShflWorkedExamples runs the manual's three examples on random input.
func TestShflWorkedExamples(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	in := make([]int32, 32)
	sum := int32(0)
	for i := range in {
		in[i] = rng.Int32()
		sum += in[i]
	}
	scan := func(mode lane.ShflMode, c uint32) []int32 {
		x := append([]int32(nil), in...)
		for b := uint32(1); b <= 16; b *= 2 {
			y, p := shfl(t, mode, b, c, x) //     shfl.up.b32  Ry|p, Rx, 0x1, 0x0;
			for i := range x {             // @p  add.f32      Rx, Ry, Rx;
				if p.Has(i) {
					x[i] += y[i]
				}
			}
		}
		return x
	}
	up, down := scan(lane.ShflUp, 0), scan(lane.ShflDown, 0x1f)
	acc := int32(0)
	for i := range in {
		acc += in[i]
		if up[i] != acc {
			t.Errorf("inclusive scan lane %d: %d, want %d", i, up[i], acc)
		}
		if want := sum - acc + in[i]; down[i] != want {
			t.Errorf("reverse scan lane %d: %d, want %d", i, down[i], want)
		}
	}
	x := append([]int32(nil), in...)
	for b := uint32(16); b >= 1; b /= 2 {
		y, _ := shfl(t, lane.ShflBfly, b, 0x1f, x)
		for i := range x {
			x[i] += y[i]
		}
	}
	for i := range x {
		if x[i] != sum {
			t.Errorf("butterfly lane %d: %d, want %d", i, x[i], sum)
		}
	}
}
