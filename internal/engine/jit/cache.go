package jit

import (
	"runtime"
	"slices"
	"sync"
	"weak"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/webs"
)

// Input: a function, the class of its launch, and a way to translate it.
// Output: the code of the function, translated at most once per key.
// Invariant: bytes is the sum of entry.bytes over the entries in the ring; an entry that is still being
// translated is in the map, but not in the ring.
// Example: two goroutines call get with one key; the first translates, the second waits for ready.

// key identifies code: all that the code relies on. Two launches with equal keys share code.
type key struct {
	fn   weak.Pointer[ir.Func] // functions are immutable, so code of a function stays correct
	geom webs.Geometry         // a class of geometries
	tier isa.Tier
	// given reports that only the launch sets the values with which waves begin, so the inputs hold the values
	// that their kinds promise. A launch with Setup may set them differently.
	given    bool
	scribble bool // see Mode.Scribble
}

// cache keeps translated code, up to a number of bytes, and drops the least recently used code first. Code that
// is still in use stays valid after the cache has dropped it.
type cache struct {
	limit int

	mu      sync.Mutex
	entries map[key]*entry
	bytes   int
	// The ring of the entries that are translated, in the order of their last use: head.next is the newest,
	// head.prev the oldest.
	head entry
	// funcs lists the keys of each function that is alive.
	funcs map[weak.Pointer[ir.Func]][]key
}

// entry is code that is translated, or is being translated.
type entry struct {
	prev, next *entry
	key        key
	ready      chan struct{} // closed when kernel or err is set
	kernel     *Kernel
	err        error
	bytes      int
}

// newCache returns an empty cache that keeps at most limit bytes.
func newCache(limit int) *cache {
	c := &cache{limit: limit, entries: map[key]*entry{}, funcs: map[weak.Pointer[ir.Func]][]key{}}
	c.head.prev, c.head.next = &c.head, &c.head
	return c
}

// get returns the code for a key of function f. If there is none, get calls translate: once, even if several
// goroutines ask for the same key at the same time. An error is kept as long as the function is alive, because
// a second attempt would fail in the same way; it is not kept if again reports that a second attempt may
// succeed.
func (c *cache) get(f *ir.Func, k key, again func(error) bool, translate func() (*Kernel, error)) (*Kernel, error) {
	c.mu.Lock()
	if e := c.entries[k]; e != nil {
		c.use(e)
		c.mu.Unlock()
		<-e.ready
		return e.kernel, e.err
	}
	e := &entry{key: k, ready: make(chan struct{})}
	c.entries[k] = e
	if _, ok := c.funcs[k.fn]; !ok {
		runtime.AddCleanup(f, c.forget, k.fn)
	}
	if list := c.funcs[k.fn]; !slices.Contains(list, k) {
		c.funcs[k.fn] = append(list, k)
	}
	c.mu.Unlock()

	kernel, err := translate()
	c.mu.Lock()
	defer c.mu.Unlock()
	e.kernel, e.err = kernel, err
	close(e.ready)
	switch {
	case c.entries[k] != e:
		// The cache was emptied in the meantime.
	case err != nil && again(err):
		c.remove(e)
	default:
		e.bytes = entryBytes
		if kernel != nil {
			e.bytes += kernel.size()
		}
		c.bytes += e.bytes
		c.push(e)
		c.shrink(c.limit, e)
	}
	return kernel, err
}

// entryBytes is the approximate size of an entry without its code.
const entryBytes = 256

// peek returns the code for a key, or nil if it is not translated yet.
func (c *cache) peek(k key) *Kernel {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	if e == nil || e.next == nil {
		return nil
	}
	c.use(e)
	return e.kernel
}

// use makes an entry the newest, if it is in the ring.
func (c *cache) use(e *entry) {
	if e.next != nil && c.head.next != e {
		e.unlink()
		c.push(e)
	}
}

// push puts an entry into the ring as the newest.
func (c *cache) push(e *entry) {
	e.prev, e.next = &c.head, c.head.next
	e.prev.next, e.next.prev = e, e
}

// unlink takes an entry out of the ring, if it is in the ring.
func (e *entry) unlink() {
	if e.next != nil {
		e.prev.next, e.next.prev = e.next, e.prev
		e.prev, e.next = nil, nil
	}
}

// remove takes an entry out of the cache.
func (c *cache) remove(e *entry) {
	delete(c.entries, e.key)
	if e.next != nil {
		c.bytes -= e.bytes
		e.unlink()
	}
}

// shrink drops the least recently used entries until the rest has at most limit bytes. It never drops keep.
func (c *cache) shrink(limit int, keep *entry) {
	for c.bytes > limit && c.head.prev != &c.head && c.head.prev != keep {
		c.remove(c.head.prev)
	}
}

// halve drops the older half of the code in the cache, to make room in the arena.
func (c *cache) halve() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink(c.bytes/2, nil)
}

// forget drops all code of a function that the garbage collector has freed.
func (c *cache) forget(fn weak.Pointer[ir.Func]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.funcs[fn] {
		if e := c.entries[k]; e != nil {
			c.remove(e)
		}
	}
	delete(c.funcs, fn)
}
