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

// key is what code is made for.
type key struct {
	fn   weak.Pointer[ir.Func] // functions are immutable: what was made for one stays right
	geom webs.Geometry         // a class of them
	tier isa.Tier
	// given says that nothing but the launch sets what waves begin with: the inputs hold
	// what they should.
	given    bool
	scribble bool // see Mode.Spoil
}

// cache keeps the code that was made, up to a number of bytes: what was used last stays.
// Whoever has code keeps it, although the cache has dropped it.
type cache struct {
	limit int

	mu      sync.Mutex
	entries map[key]*entry
	bytes   int
	// The ring of entries that are made, in the order of their last use: head.next is the
	// newest.
	head entry
	// funcs are the keys of each function that is alive.
	funcs map[weak.Pointer[ir.Func]][]key
}

// entry is code that is made, or about to be.
type entry struct {
	prev, next *entry
	key        key
	ready      chan struct{} // closed when kernel or err is set
	kernel     *Kernel
	err        error
	bytes      int
}

func newCache(limit int) *cache {
	c := &cache{limit: limit, entries: map[key]*entry{}, funcs: map[weak.Pointer[ir.Func]][]key{}}
	c.head.prev, c.head.next = &c.head, &c.head
	return c
}

// get returns the code for a key of function f. If there is none it is made: once,
// although several ask for it. A failure is kept as well, as long as the function is,
// for it would fail again; but not if again says of it that it might not.
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

// entryBytes is about what an entry takes beside its code.
const entryBytes = 256

// peek returns the code for a key if it is made.
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

func (c *cache) push(e *entry) {
	e.prev, e.next = &c.head, c.head.next
	e.prev.next, e.next.prev = e, e
}

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

// shrink drops the entries that were not used for longest until the others have at most
// limit bytes, but not the one to keep.
func (c *cache) shrink(limit int, keep *entry) {
	for c.bytes > limit && c.head.prev != &c.head && c.head.prev != keep {
		c.remove(c.head.prev)
	}
}

// halve drops the older half of what the cache has.
func (c *cache) halve() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink(c.bytes/2, nil)
}

// forget drops the code of a function that is gone.
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
