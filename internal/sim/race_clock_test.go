package sim

import (
	"math/rand/v2"
	"testing"
)

// What clocks are joined to knows, of each block, wave and lane, the later one of what the
// two know: looked up one by one.
func TestClocks(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 7))
	const blocks, waves = 4, 2
	moments := func() []moment {
		m := make([]moment, waves)
		for i := range m {
			m[i] = moment{all: uint32(rng.IntN(3))}
			if rng.IntN(3) == 0 {
				m[i] = m[i].with(1<<rng.IntN(64), uint32(rng.IntN(4)))
			}
		}
		return m
	}
	random := func() *clock {
		c := &clock{block: uint64(rng.IntN(blocks)), own: moments()}
		for range rng.IntN(blocks) {
			if b := uint64(rng.IntN(blocks)); b != c.block {
				if c.others == nil {
					c.others = map[uint64][]moment{}
				}
				c.others[b] = moments()
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
	for range 5000 {
		c, d := random(), random()
		if rng.IntN(3) == 0 {
			d = d.join(c) // it covers c
		}
		if rng.IntN(4) == 0 { // of one block, which knew nothing else
			c = &clock{block: d.block, own: moments()}
		}
		a, b := c.join(d), latest(c, d)
		if a.block != c.block {
			t.Fatalf("the clock of block %d became one of block %d", c.block, a.block)
		}
		for blk := range uint64(blocks) {
			for w := range waves {
				for l := range 64 {
					want := max(knows(c, blk, w, l), knows(d, blk, w, l))
					if x, y := knows(a, blk, w, l), knows(b, blk, w, l); x != want || y != want {
						t.Fatalf("block %d, wave %d, lane %d: %d by join, %d by latest, want %d of\n%+v\n%+v", blk, w, l, x, y, want, c, d)
					}
				}
			}
		}
	}
}
