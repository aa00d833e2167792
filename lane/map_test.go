package lane_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.org/crosslane/lane"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for _, d := range []struct {
		m           lane.Mask
		s, hex      string
		first, last int
	}{
		{0, "none", "0x00000000", -1, -1},
		{1, "0", "0x00000001", 0, 0},
		{0x2000f, "0-3, 17", "0x0002000f", 0, 17},
		{0x3, "0-1", "0x00000003", 0, 1},
		{1 << 63, "63", "0x8000000000000000", 63, 63},
		{^lane.Mask(0), "0-63", "0xffffffffffffffff", 0, 63},
		{0xf000000000000005, "0, 2, 60-63", "0xf000000000000005", 0, 63},
	} {
		if d.m.String() != d.s || d.m.Hex(32) != d.hex || d.m.First() != d.first || d.m.Last() != d.last {
			t.Errorf("%#x: %q, %s, first %d, last %d; want %q, %s, %d, %d",
				uint64(d.m), d.m, d.m.Hex(32), d.m.First(), d.m.Last(), d.s, d.hex, d.first, d.last)
		}
	}
	if got := lane.Mask(5).Hex(64); got != "0x0000000000000005" {
		t.Errorf("Hex(64): %s", got)
	}
	if got := lane.Mask(0).Hex(-4) + lane.Mask(0).Hex(1000); got != "0x00x00000000000000000" {
		t.Errorf("Hex of silly widths: %s", got)
	}
	for n, want := range map[int]lane.Mask{-1: 0, 0: 0, 1: 1, 32: 0xffffffff, 63: 1<<63 - 1, 64: ^lane.Mask(0), 99: ^lane.Mask(0)} {
		if lane.All(n) != want {
			t.Errorf("All(%d) = %v", n, lane.All(n))
		}
	}
	if m := lane.Lane(-1) | lane.Lane(64); m != 0 || lane.Lane(63) != 1<<63 {
		t.Errorf("Lane out of 0..63 gives %v", m)
	}
	if m := ^lane.Mask(0); m.Has(-1) || m.Has(64) || !m.Has(63) || m.Count() != 64 {
		t.Error("Has or Count")
	}
	if got := slices.Collect(lane.Mask(0x8000000000000021).Lanes()); !slices.Equal(got, []int{0, 5, 63}) {
		t.Errorf("Lanes: %v", got)
	}
	for i := range lane.Mask(6).Lanes() {
		if i != 1 {
			t.Errorf("break out of Lanes, at %d", i)
		}
		break
	}
}

// drawMap draws a random well-formed map.
func drawMap(t *rapid.T, name string, lanes int) lane.Map {
	m := lane.NewMap(lanes)
	for i := range lanes {
		switch k := rapid.IntRange(0, lanes+7).Draw(t, name); {
		case k < lanes:
			m.Src[i] = lane.Source(k)
		case k%2 == 0:
			m.Src[i] = lane.Zero
		}
	}
	m.Undef = lane.Mask(rapid.Uint64().Draw(t, name+" undef")) & m.Writes()
	return m
}

// interpret evaluates a map as its documentation specifies, one lane at a time.
func interpret(m *lane.Map, src, old [64]uint32) (d [64]uint32, w, r, z lane.Mask) {
	d = old
	for i := range m.Lanes {
		j, reads := m.Src[i].Lane()
		switch {
		case reads:
			d[i] = src[j]
			w |= lane.Lane(i)
			r |= lane.Lane(j)
		case m.Src[i] == lane.Zero:
			d[i] = 0
			w |= lane.Lane(i)
			z |= lane.Lane(i)
		}
	}
	return d, w, r, z
}

func TestMapApply(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lanes := rapid.SampledFrom([]int{32, 64}).Draw(t, "lanes")
		m := drawMap(t, "src", lanes)
		var src, old [64]uint32
		var srcMask, oldMask lane.Mask
		for i := range src {
			src[i], old[i] = rapid.Uint32().Draw(t, "v"), rapid.Uint32().Draw(t, "old")
			srcMask |= lane.Mask(src[i]&1) << i
			oldMask |= lane.Mask(old[i]&1) << i
		}
		want, w, r, z := interpret(&m, src, old)
		if m.Writes() != w || m.Reads() != r || m.Zeroes() != z {
			t.Fatalf("writes %v, reads %v, zeroes %v; want %v, %v, %v", m.Writes(), m.Reads(), m.Zeroes(), w, r, z)
		}
		for i := range 64 {
			one := lane.Lane(i)
			if got := m.ReadersOf(one).Has(i); i < lanes && got != (m.Src[i] == lane.Source(i)) {
				t.Fatalf("ReadersOf(%d) has it: %v", i, got)
			}
			if j, ok := m.Src[i].Lane(); ok && (m.SourcesOf(one) != lane.Lane(j) || !m.ReadersOf(lane.Lane(j)).Has(i)) {
				t.Fatalf("lane %d reads %d; SourcesOf %v, ReadersOf %v", i, j, m.SourcesOf(one), m.ReadersOf(lane.Lane(j)))
			}
		}
		dst := old
		m.Apply32(&dst, &src, nil)
		if dst != want {
			t.Fatalf("in dst: %v, want %v", dst, want)
		}
		dst = src // dst is src
		m.Apply32(&dst, &dst, &old)
		if !slices.Equal(dst[:lanes], want[:lanes]) || !slices.Equal(dst[lanes:], src[lanes:]) {
			t.Fatalf("dst is src: %v, want %v", dst, want)
		}
		slice := slices.Clone(src[:lanes])
		lane.Apply(&m, slice, slice, old[:lanes])
		if !slices.Equal(slice, want[:lanes]) {
			t.Fatalf("Apply, dst is src: %v, want %v", slice, want)
		}
		mask := m.ApplyMask(srcMask, oldMask)
		for i := range 64 {
			if mask.Has(i) != (i < lanes && want[i]&1 == 1) {
				t.Fatalf("ApplyMask lane %d: %v", i, mask.Has(i))
			}
		}
		// Short slices deliver zero and receive nothing.
		short := []uint32{7}
		lane.Apply(&m, short, nil, nil)
		if m.Src[0] != lane.Keep && short[0] != 0 || m.Src[0] == lane.Keep && short[0] != 7 {
			t.Fatalf("Apply on short slices: %v", short)
		}
	})
}

func TestMapThen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lanes := rapid.SampledFrom([]int{32, 64}).Draw(t, "lanes")
		a, b := drawMap(t, "first", lanes), drawMap(t, "second", lanes)
		both := a.Then(&b)
		var r [64]uint32
		for i := range r {
			r[i] = rapid.Uint32().Draw(t, "v")
		}
		got := r
		both.Apply32(&got, &got, nil)
		want, _, _, _ := interpret(&a, r, r)
		want, _, _, _ = interpret(&b, want, want)
		if got != want {
			t.Fatalf("%v\nthen %v\nis   %v", &a, &b, &both)
		}
		if both.Writes() != a.Writes()|b.Writes() {
			for i := range (both.Writes() ^ (a.Writes() | b.Writes())).Lanes() {
				t.Fatalf("lane %d: %v then %v is %v", i, a.Src[i], b.Src[i], both.Src[i])
			}
		}
		// Undefined marks move with the values.
		mark := b.ApplyMask(a.Undef, a.Undef) | b.Undef
		if both.Undef != mark {
			t.Fatalf("undefined %v, want %v", both.Undef, mark)
		}
		id := lane.Identity(lanes)
		if x := a.Then(&id); x.Reads()|lane.All(lanes) != lane.All(lanes) || x.Undef != a.Undef {
			t.Fatalf("then identity: %v", &x)
		}
	})
}

func TestMapText(t *testing.T) {
	t.Parallel()
	m := lane.NewMap(4)
	m.Src[0], m.Src[1], m.Src[2], m.Undef = 3, lane.Zero, 9, 4
	if got := m.String(); got != "3 z 9! =" {
		t.Errorf("%q", got)
	}
	if s := lane.Source(12).String() + lane.Zero.String() + lane.Keep.String(); s != "12zerokeep" {
		t.Errorf("%q", s)
	}
	n := m
	if !n.Equal(&m) {
		t.Error("a copy is equal")
	}
	n.Undef = 0
	if n.Equal(&m) {
		t.Error("undefined lanes make a difference")
	}
}

// TestMapHostile checks that maps that no function of the package makes do not cause a panic.
func TestMapHostile(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{-5, 0, 7, 1000} {
		m := lane.Map{Lanes: lanes}
		for i := range m.Src {
			m.Src[i] = lane.Source(i * 5)
		}
		var r [64]uint32
		m.Apply32(&r, &r, nil)
		lane.Apply(&m, r[:], r[:], nil)
		n := lane.NewMap(lanes)
		n = n.Then(&m)
		_, _, _, _ = m.Reads(), m.Writes(), m.String(), n.String()
		id := lane.Identity(lanes)
		_ = id.ApplyMask(1, 1)
	}
}

// TestNoAllocation checks that the functions that an engine calls for each instruction do not
// allocate.
func TestNoAllocation(t *testing.T) {
	var b, c [32]uint32
	var addr, r [64]uint32
	var vals [32]uint32
	for name, f := range map[string]func(){
		"ShflUniform": func() { lane.ShflUniform(lane.ShflBfly, 4, 31, 0xffffffff, 0xffffffff) },
		"ShflVarying": func() { lane.ShflVarying(lane.ShflIdx, &b, &c, 0xffffffff, 0xffffffff) },
		"DPP":         func() { _, _ = lane.DPP(lane.DPPRowMirror, 15, 15, false, 1) },
		"DSSwizzle":   func() { lane.DSSwizzle(0x80f6, ^lane.Mask(0)) },
		"DSPermute":   func() { lane.DSPermute(&addr, 0, ^lane.Mask(0)) },
		"DSBpermute":  func() { lane.DSBpermute(&addr, 0, ^lane.Mask(0)) },
		"MatchAny32":  func() { lane.MatchAny32(&vals, 0xffffffff) },
		"Redux":       func() { lane.Redux(lane.ReduxAdd, &vals, 0xffffffff) },
		"ReduxMinF32": func() { lane.ReduxMinF32(&vals, 0xffffffff, true, true) },
		"Apply32": func() {
			m := lane.Identity(64)
			m.Apply32(&r, &r, nil)
		},
		"Apply": func() {
			m := lane.Identity(64)
			lane.Apply(&m, r[:], r[:], nil)
		},
	} {
		if n := testing.AllocsPerRun(20, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
