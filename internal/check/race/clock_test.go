package race

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// TestClocks checks the join of two clocks against a look-up of every block, wave and lane: each entry has
// to be the later one of the two entries.
func TestClocks(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 7))
	const waves = 2
	blocks := []uint64{0, 1, 17, 39}
	moments := func() []epoch {
		m := make([]epoch, waves)
		for i := range m {
			m[i] = epoch{all: uint32(rng.IntN(3))}
			if rng.IntN(3) == 0 {
				m[i] = m[i].with(1<<rng.IntN(32), uint32(rng.IntN(4)))
			}
		}
		return m
	}
	all := newClocks(40)
	all.memo = make([]joined, 1) // a table of one entry: answers to other questions are in it, too
	random := func() *clock {
		c := &clock{all: all, block: blocks[rng.IntN(len(blocks))], own: moments()}
		for range rng.IntN(len(blocks)) {
			if b := blocks[rng.IntN(len(blocks))]; b != c.block {
				c.others = all.add(c.others, b, moments())
			}
		}
		return c
	}
	knows := func(c *clock, b uint64, w, l int) uint32 {
		if m := c.of(b); m != nil {
			return m[w].of(l)
		}
		return 0
	}
	var last *clock
	for range 5000 {
		c, d := random(), random()
		if rng.IntN(3) == 0 {
			d = d.join(c) // it covers c
		}
		if rng.IntN(4) == 0 { // a clock of one block, without epochs of other blocks
			c = &clock{all: all, block: d.block, own: moments()}
		}
		for _, ask := range []func(o *clock){func(o *clock) { o.covers(last) }, func(o *clock) { o.join(last) }} {
			if last != nil && rng.IntN(2) == 0 {
				ask(c) // its answer must not be reused for the next question
			}
		}
		last = d
		has := true // c holds all of d
		for _, blk := range blocks {
			for w := range d.of(blk) {
				for l := range 32 {
					has = has && c.of(blk) != nil && knows(c, blk, w, l) >= knows(d, blk, w, l)
				}
			}
		}
		if c.covers(d) != has {
			t.Fatalf("that a clock covers another one is told to be %t:\n%+v\n%+v", !has, c, d)
		}
		a, b := c.join(d), latest(c, d)
		if a.block != c.block {
			t.Fatalf("the clock of block %d became one of block %d", c.block, a.block)
		}
		for _, blk := range blocks {
			for w := range waves {
				for l := range 32 {
					want := max(knows(c, blk, w, l), knows(d, blk, w, l))
					if x, y := knows(a, blk, w, l), knows(b, blk, w, l); x != want || y != want {
						t.Fatalf("block %d, wave %d, lane %d: %d by join, %d by latest, want %d of\n%+v\n%+v", blk, w, l, x, y, want, c, d)
					}
				}
			}
		}
	}
}

// TestClockChain checks a chain of blocks in which each block signals to the next one, or to the last one.
// Time and memory have to be proportional to the number of blocks, and the last block has to know the
// release of each.
func TestClockChain(t *testing.T) {
	t.Parallel()
	most := short.Of(uint64(16384), 4096)
	for name, acquires := range map[string]bool{"each acquires": true, "only the last acquires": false} {
		cost := func(blocks uint64) (work, made, kept uint64) {
			all := newClocks(blocks)
			var told *clock
			seen := census{seen: map[unsafe.Pointer]bool{}}
			for b := range blocks {
				c := &clock{all: all, block: b, own: make([]epoch, 4)}
				if acquires {
					c = c.join(told)
				}
				c = c.set(0, c.own[0].with(1, 1))
				told = latest(told, c)
				seen.clock(told)
			}
			last := (&clock{all: all, block: blocks - 1, own: make([]epoch, 4)}).join(told)
			for b := range blocks {
				if m := last.of(b); m == nil || m[0].of(0) != 1 || m[0].of(1) != 0 || m[1].all != 0 {
					t.Fatalf("%s: of block %d of %d the last one knows %v", name, b, blocks, m)
				}
			}
			return all.work, all.made, seen.bytes
		}
		work, made, kept := cost(1024)
		moreWork, moreMade, moreKept := cost(most)
		// Twice the cost per block is more than the one further level of the tree takes.
		if f := 2 * most / 1024; moreWork > f*work || moreMade > f*made || moreKept > f*kept {
			t.Errorf("%s: %d times the blocks take %d nodes for %d, %d bytes for %d and keep %d for %d", name, most/1024, moreWork, work, moreMade, made, moreKept, kept)
		}
		if kept > made+1024*64 { // memory of the test itself
			t.Errorf("%s: %d bytes are kept of %d", name, kept, made)
		}
		if kept < 1024*(clockBytes+lanesBytes+4*epochBytes) {
			t.Errorf("%s: %d bytes are counted for 1024 clocks", name, kept)
		}
	}
}

// TestClockRounds checks barriers of the grid, at which each block acquires the releases of all blocks and
// then makes its next release. The time has to be proportional to the number of blocks, too.
func TestClockRounds(t *testing.T) {
	t.Parallel()
	const rounds = 3
	cost := func(blocks uint64) uint64 {
		all := newClocks(blocks)
		var told *clock
		have := make([]*clock, blocks)
		for b := range have {
			have[b] = &clock{all: all, block: uint64(b), own: make([]epoch, 2)}
		}
		for r := range uint32(rounds) {
			for b, c := range have {
				have[b] = c.set(0, epoch{all: r + 1})
				told = latest(told, have[b])
			}
			for b, c := range have {
				have[b] = c.join(told)
				for o := range uint64(3) {
					o = (o*(blocks-1)/2 + uint64(b)) % blocks
					if m := have[b].of(o); m == nil || m[0].all != r+1 || m[1].all != 0 {
						t.Fatalf("after round %d block %d of %d knows %v of block %d", r, b, blocks, m, o)
					}
				}
			}
		}
		return all.work
	}
	if work, more := cost(short.Of(uint64(256), 64)), cost(short.Of(uint64(4096), 1024)); more > 40*work {
		t.Errorf("16 times the blocks look at %d nodes for %d", more, work)
	}
}

// TestPromiseSeen checks the clock of a place after a release, against a look-up of every entry. It has to
// be the later one of the earlier releases and the promise, with the time of the promise for the lanes that
// release.
func TestPromiseSeen(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	const waves = 2
	blocks := []uint64{0, 3, 20}
	all := newClocks(40)
	clockOf := func(block uint64) *clock {
		m := make([]epoch, waves)
		for i := range m {
			m[i].all = uint32(rng.IntN(3))
		}
		return all.clock(block, m, nil)
	}
	knows := func(c *clock, b uint64, w, l int) uint32 {
		if c == nil || c.of(b) == nil {
			return 0
		}
		return c.of(b)[w].of(l)
	}
	know := &Detector{clocks: all}
	var told *clock
	var list [waves]*wave
	var last promise
	for n := range 5000 {
		if n%16 == 0 {
			told, last = nil, promise{}
			lockstep := rng.IntN(4) == 0
			for i := range list {
				list[i] = &wave{Wave: &sim.Wave{ID: i}, d: know, lockstep: lockstep}
			}
		}
		w := list[rng.IntN(waves)]
		w.block = blocks[rng.IntN(len(blocks))]
		p := promise{t: uint32(rng.IntN(6))}
		switch rng.IntN(8) {
		case 0: // nothing is promised
		case 1:
			p.clk = clockOf(w.block).join(told) // it covers all earlier releases
		default:
			p.clk = clockOf(w.block)
		}
		if told != nil && told.block == w.block && rng.IntN(4) == 0 {
			p.clk = told
		}
		if last.clk != nil && last.clk.block == w.block && rng.IntN(2) == 0 {
			p = last // as for waves that were at a barrier together
		}
		last = p
		lanes := lane.Lane(rng.IntN(32))
		out := p.released(told, w, lanes)
		if w.lockstep {
			lanes = ^lane.Mask(0)
		}
		for _, b := range blocks {
			for v := range waves {
				for l := range 32 {
					want := max(knows(told, b, v, l), knows(p.clk, b, v, l))
					if p.clk != nil && b == w.block && v == w.ID && lanes.Has(l) {
						want = max(want, p.t)
					}
					if got := knows(out, b, v, l); got != want {
						t.Fatalf("block %d, wave %d, lane %d: %d, want %d", b, v, l, got, want)
					}
				}
			}
		}
		told = out
	}
}

// TestGroups checks that, after any sequence of acquires, each lane is in one group, the group has the
// state that the lane has acquired, and no two groups have equal state.
func TestGroups(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 1))
	all := newClocks(1)
	clocks := []*clock{all.clock(0, nil, nil), all.clock(0, nil, nil), all.clock(0, nil, nil)}
	type state struct {
		t   uint32
		clk *clock
		saw [reaches]*clock
	}
	w := &wave{groups: []laneGroup{{lanes: ^lane.Mask(0)}}}
	var want [64]state
	for range 4000 {
		m := lane.Mask(rng.Uint64())
		if rng.IntN(2) == 0 {
			m = lane.Lane(rng.IntN(64))
		}
		clk, saw, later := clocks[rng.IntN(3)], [reaches]*clock{inGrid: clocks[rng.IntN(3)]}, rng.IntN(9) == 0
		learn := func(s *state) {
			switch s.clk = clk; {
			case later:
				s.saw = saw
			default:
				s.t = 0
			}
		}
		w.eachGroup(m, func(g *laneGroup) {
			s := state{g.t, g.clk, g.saw}
			learn(&s)
			g.t, g.clk, g.saw = s.t, s.clk, s.saw
		})
		for i := range m.Lanes() {
			learn(&want[i])
		}
		of := map[state]lane.Mask{}
		for i, s := range want {
			of[s] |= lane.Lane(i)
		}
		if len(of) != len(w.groups) {
			t.Fatalf("%d groups, want %d", len(w.groups), len(of))
		}
		for _, g := range w.groups {
			if s := (state{g.t, g.clk, g.saw}); of[s] != g.lanes {
				t.Fatalf("lanes %s are a group, want %s", g.lanes, of[s])
			}
		}
	}
}
