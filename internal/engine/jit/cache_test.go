package jit

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"weak"

	"example.org/crosslane/internal/ir"
)

// filling is a cache, with a record of the requests to it.
type filling struct {
	*cache
	f    *ir.Func
	made []int
}

func newFilling(entries int) *filling {
	return &filling{cache: newCache(entries * entryBytes), f: &ir.Func{}}
}

func (c *filling) key(n int) key {
	k := key{fn: weak.Make(c.f)}
	k.geom.Grid[0] = uint32(n)
	return k
}

// ask requests number n, for which there is no code; it is translated only if again is set.
func (c *filling) ask(n int, again bool, while func()) {
	c.get(c.f, c.key(n), func(error) bool { return again }, func() (*Kernel, error) {
		c.made = append(c.made, n)
		if while != nil {
			while()
		}
		return nil, errors.New("none")
	})
}

// state returns the numbers in the ring, the newest first, the number of entries, and the sum
// of their bytes.
func (c *filling) state() string {
	var ring, back []int
	for e := c.head.next; e != &c.head; e = e.next {
		ring = append(ring, int(e.key.geom.Grid[0]))
	}
	for e := c.head.prev; e != &c.head; e = e.prev {
		back = append(back, int(e.key.geom.Grid[0]))
	}
	if slices.Reverse(back); !slices.Equal(ring, back) {
		return fmt.Sprint("ring ", ring, " is another one backwards: ", back)
	}
	return fmt.Sprint(ring, len(c.entries), c.bytes/entryBytes)
}

// TestCacheKeepsNewest checks which entries a small cache keeps.
func TestCacheKeepsNewest(t *testing.T) {
	t.Parallel()
	c := newFilling(3)
	expect := func(what, want string) {
		t.Helper()
		if got := c.state(); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	for n := range 3 {
		c.ask(n, false, nil)
	}
	expect("three entries", "[2 1 0] 3 3")
	c.ask(0, false, nil)
	expect("the oldest used", "[0 2 1] 3 3")
	c.ask(0, false, nil)
	expect("the newest used", "[0 2 1] 3 3")
	c.peek(c.key(2))
	expect("one looked for", "[2 0 1] 3 3")
	c.ask(3, false, nil)
	expect("a fourth", "[3 2 0] 3 3")
	c.ask(4, true, nil)
	expect("one that is asked for again", "[3 2 0] 3 3")
	c.halve()
	expect("halved", "[3] 1 1")
	c.limit = 0
	c.ask(5, false, nil)
	expect("without room", "[5] 1 1")
	if want := []int{0, 1, 2, 3, 4, 5}; !slices.Equal(c.made, want) {
		t.Errorf("made %v, want %v", c.made, want)
	}
	c.forget(c.key(5).fn)
	expect("forgotten", "[] 0 0")
}

// TestCacheForgetsMeanwhile: a function is freed while its code is made.
func TestCacheForgetsMeanwhile(t *testing.T) {
	t.Parallel()
	c := newFilling(3)
	c.ask(0, false, nil)
	c.ask(1, false, func() {
		if k := c.peek(c.key(1)); k != nil {
			t.Error("there is code before it is made")
		}
		c.forget(c.key(1).fn)
	})
	if got, want := c.state(), "[] 0 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.ask(1, false, nil)
	if got, want := c.state(), "[1] 1 1"; got != want {
		t.Errorf("then %s, want %s", got, want)
	}
}
