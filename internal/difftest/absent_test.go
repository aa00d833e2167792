package difftest

import (
	"testing"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/ir"
	sample "example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// TestAbsentLanes fills registers of absent lanes with random values, in waves that the block does
// not fill. Machine code computes with these values, and checks addresses of absent lanes, but no
// visible result may depend on them.
func TestAbsentLanes(t *testing.T) {
	t.Parallel()
	all := Engines()[1:]
	if len(all) == 0 {
		t.Skip("there is no machine code here")
	}
	programs := sample.Of(300, 12)
	absent := func(l *sim.Launch) {
		before := l.Setup
		l.Setup = func(w *sim.Wave) {
			if before != nil {
				before(w)
			}
			spoilAbsent(w)
		}
	}
	for n, ran := uint64(0), 0; ran < programs; n++ {
		s := sources()[n%2] // IR and PTX
		m, err := s.make(*seed + n)
		if err != nil {
			t.Fatalf("%s, seed %d: %v", s.name, *seed+n, err)
		}
		c := m.launch
		if c.Func.Exec != 0 || c.Block[0]*c.Block[1]*c.Block[2]%uint32(c.Func.Lanes) == 0 {
			continue // EXEC may switch absent lanes on
		}
		ran++
		e := all[n/2%uint64(len(all))]
		turns := 1 + int(n/4%12)
		plain, inTurns := c.Run(Reference(), randprog.Mode{}), c.Run(Reference(), randprog.Mode{Turns: turns})
		differ := func(what string, d string) {
			if d != "" {
				t.Errorf("%s, seed %d, %s, %s: %s\n%s", s.name, *seed+n, e.Name, what, d, m.text())
			}
		}
		differ("as it is", c.Compare(Reference(), plain, e.Engine, randprog.Mode{Edit: absent}))
		differ("late", c.Compare(Reference(), plain, e.Late, randprog.Mode{Edit: absent}))
		differ("spoilt, in turns", c.Compare(Reference(), inTurns, e.Spoilt, randprog.Mode{Edit: absent, Turns: turns}))
	}
}

// spoilAbsent gives absent lanes values that no program computes.
func spoilAbsent(w *sim.Wave) {
	gone := lane.All(w.Func.Lanes) &^ w.Initial
	for r := range w.Func.Values {
		v := &w.Func.Values[r]
		if v.Kind != ir.Guest || v.Scalar {
			continue
		}
		r := ir.Ref(r)
		if v.Type == ir.B1 {
			w.SetMask(r, w.Mask(r)&^gone|0x5555555555555555&gone)
			continue
		}
		for i := range gone.Lanes() {
			w.Set(r, i, 0xdeadbee7deadbee7+uint64(i)*0x1000300010003)
		}
	}
}
