package ir

import "testing"

// TestWindowsOfPTX checks that the windows of PTX do not hide mistakes. A generic address that is
// cut to 32 bits, that has a window added twice, or that has another space's window subtracted, is
// in no space. This holds in every layout.
func TestWindowsOfPTX(t *testing.T) {
	t.Parallel()
	checkWindows(t, Windows{})
	seen := map[Windows]bool{{}: true}
	for seed := range uint64(10_000) {
		w := RandomWindows(seed)
		if checkWindows(t, w); w != RandomWindows(seed) {
			t.Errorf("seed %d has two layouts", seed)
		}
		seen[w] = true
		if t.Failed() {
			t.Fatalf("windows of seed %d", seed)
		}
	}
	if len(seen) < 9_990 {
		t.Errorf("10,000 seeds have %d layouts", len(seen))
	}
}

func checkWindows(t *testing.T, in Windows) {
	windows := []struct {
		space Space
		base  uint64
	}{{Shared, in.Shared()}, {Local, in.Local()}, {Param, in.Param()}}
	const most = 1 << 22 // the maximum number of bytes in a window
	sums := map[uint64]bool{}
	for i, w := range windows {
		if w.base%(1<<16) != 0 || w.base>>48 != [...]uint64{7, 8, 10}[i] {
			t.Errorf("%#x is no multiple of 64 KiB, or in another window", w.base)
		}
		for _, off := range []uint64{0, 1, 4096, most} {
			if s, at := in.Resolve(Generic, w.base+off, true); s != w.space || at != off {
				t.Errorf("%#x is %#x of %v, want %#x of %v", w.base+off, at, s, off, w.space)
			}
			if s, _ := in.Resolve(Generic, uint64(uint32(w.base+off)), true); s != Global || uint32(w.base+off) < most || uint64(uint32(w.base+off)) >= ConstantWindow {
				t.Errorf("the low half of %#x is an address of %v", w.base+off, s)
			}
		}
		if s, at := in.Resolve(Generic, w.base-1, true); s != Global || at != w.base-1 {
			t.Errorf("%#x is %#x of %v, want global memory", w.base-1, at, s)
		}
		for _, x := range windows[i:] {
			if sums[w.base+x.base] {
				t.Errorf("the sum of %#x and %#x is that of two other windows", w.base, x.base)
			}
			sums[w.base+x.base] = true
			if s, _ := in.Resolve(Generic, w.base+x.base, true); s != Global {
				t.Errorf("%#x + %#x is of %v", w.base, x.base, s)
			}
			if d := uint32(w.base) - uint32(x.base); x != w && min(d, -d) < most {
				t.Errorf("the low halves of %#x and %#x are too near", w.base, x.base)
			}
		}
	}
}
