// Package exec runs machine code: memory that may be executed, the way into the code and
// back, and what the processor offers.
//
// # The contract of the code
//
// Code is position independent. It is entered with RBX pointing to its frame, by a call:
// the return address is at RSP. It never moves RSP but to return, never changes RBP, the
// direction flag or, when it returns, MXCSR; every other register is its own. It calls
// nothing in Go and stores no Go pointer. A goroutine is not preempted while it is in the
// code, and whoever stops the world waits for it: the code counts what it does, and
// returns in good time.
//
// A page is never writable and executable at once: code is written to pages without
// the right to execute, which then lose the right to write.
package exec

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// ErrFull says that an arena has no room for more code. Dropping other code helps.
var ErrFull = errors.New("the memory for machine code is used up")

// RefusedError says that machine code cannot run here: the platform has no memory that
// may be executed, or the operating system refuses it.
type RefusedError struct {
	Err error
}

func (e *RefusedError) Error() string { return "no executable memory: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// pages are how the operating system is asked for memory.
type pages interface {
	// reserve returns n bytes, a multiple of the page size, that may be read and written.
	reserve(n int) ([]byte, error)
	protect(b []byte, r rights) error
	release(b []byte) error
}

// rights are what may be done with a page.
type rights uint8

const (
	readWrite rights = iota // and not execute
	readExec                // and not write
)

// regionBytes is how much is asked of the operating system at a time, if the code is not
// longer.
const regionBytes = 1 << 20

// Arena is executable memory of bounded size that many pieces of code share. It may be
// used by several goroutines at once.
type Arena struct {
	limit int // of used
	used  int // bytes of pages in use, under the lock of the holding
	*holding
}

// holding is what arenas have of the operating system. It knows nothing of them, so
// that it can be given back when nobody holds an arena, or code of it.
type holding struct {
	mu      sync.Mutex
	sys     pages
	regions []*region
	limit   int // of mapped
	mapped  int // bytes of regions
}

// common is the holding of the arenas that have none of their own. It is never given back
// as a whole: asking the operating system for a region takes as long as translating three
// operations, and the first touch of each page as long as another one.
// How much it has is bounded by what its arenas may use.
var common = &holding{sys: system{}, limit: math.MaxInt}

func (h *holding) release() {
	for _, r := range h.regions {
		_ = h.sys.release(r.mem) // if it fails, the memory is lost
	}
}

// region is a piece of memory, given out by pages.
type region struct {
	mem  []byte
	used []bool // by page
	shut []bool // by page: it must not be written
	n    int    // pages in use
	next int    // where to look for free ones first
}

// NewArena returns an arena of at most limit bytes, whose pages no other arena has.
func NewArena(limit int) *Arena { return newArena(system{}, limit) }

// SharingArena returns an arena of at most limit bytes in use. It takes its pages where all
// such arenas do, so that one that holds little code costs little.
func SharingArena(limit int) *Arena { return &Arena{limit: limit, holding: common} }

func newArena(sys pages, limit int) *Arena {
	a := &Arena{limit: limit, holding: &holding{sys: sys, limit: limit}}
	runtime.AddCleanup(a, (*holding).release, a.holding)
	return a
}

// Probe reports whether code can run here: nil, or a *RefusedError. The system is asked once.
func Probe() error { return probed() }

var probed = sync.OnceValue(func() error { return NewArena(pageSize()).Probe() })

// Probe reports whether the arena takes code.
func (a *Arena) Probe() error {
	const ret = 0xc3
	c, err := a.Map([]byte{ret})
	if err == nil {
		c.Free()
	}
	return err
}

// Refusing returns an arena that refuses all code, as an operating system may that
// forbids its programs to make code. It is for tests of what happens then.
func Refusing(err error) *Arena { return newArena(refusing{err: err}, 1<<30) }

type refusing struct {
	pages
	err error
}

func (r refusing) reserve(int) ([]byte, error) { return nil, r.err }

// Code is machine code ready to run. Its memory is freed when nobody holds the Code.
type Code struct {
	addr    uintptr
	size    int
	cleanup runtime.Cleanup
	where   pageRun
	once    sync.Once
}

// span are pages of a region.
type pageRun struct {
	a        *Arena
	r        *region
	first, n int
}

// slack is how many bytes behind the code may be read: code loads a whole vector register of
// a constant of its end that is shorter, and does not look at the rest.
const slack = 64

// Map copies code into the arena. The error is ErrFull, or a *RefusedError.
func (a *Arena) Map(code []byte) (*Code, error) {
	if !callable {
		return nil, &RefusedError{fmt.Errorf("there is no machine code for %s/%s", runtime.GOOS, runtime.GOARCH)}
	}
	page := pageSize()
	n := (len(code) + slack + page - 1) / page
	a.mu.Lock()
	defer a.mu.Unlock()
	s, err := a.find(n, page)
	if err != nil {
		return nil, err
	}
	b := s.bytes(page)
	if shut := s.r.shut[s.first : s.first+s.n]; slices.Contains(shut, true) {
		if err := a.sys.protect(b, readWrite); err != nil {
			a.put(s, page)
			return nil, &RefusedError{err}
		}
	}
	copy(b, code)
	// What lies behind the code, and what an older piece left there, stops whoever gets
	// there: INT3.
	rest := b[len(code):]
	rest[0] = 0xcc
	for n := 1; n < len(rest); n *= 2 {
		copy(rest[n:], rest[:n])
	}
	for i := range s.n {
		s.r.shut[s.first+i] = true // whatever comes of it
	}
	if err := a.sys.protect(b, readExec); err != nil {
		a.put(s, page)
		return nil, &RefusedError{err}
	}
	c := &Code{addr: uintptr(unsafe.Pointer(&b[0])), size: len(code), where: s}
	c.cleanup = runtime.AddCleanup(c, pageRun.free, s)
	return c, nil
}

// find takes n free pages.
func (a *Arena) find(n, page int) (pageRun, error) {
	if a.used+n*page > a.limit {
		return pageRun{}, ErrFull
	}
	for _, r := range a.regions {
		if first := r.fit(n); first >= 0 {
			return a.take(r, first, n, page), nil
		}
	}
	rest := a.holding.limit - a.mapped
	size := max(n*page, min(regionBytes, rest)/page*page)
	if size > rest {
		return pageRun{}, ErrFull
	}
	mem, err := a.sys.reserve(size)
	if err != nil {
		return pageRun{}, &RefusedError{err}
	}
	r := &region{mem: mem, used: make([]bool, size/page), shut: make([]bool, size/page)}
	a.regions = append(a.regions, r)
	a.mapped += size
	return a.take(r, 0, n, page), nil
}

// fit looks for n free pages in a row; -1: there are none.
func (r *region) fit(n int) int {
	if len(r.used)-r.n < n {
		return -1
	}
	for _, from := range [...]int{r.next, 0} {
		for i, free := from, 0; i < len(r.used); i++ {
			if free++; r.used[i] {
				free = 0
			}
			if free == n {
				return i - n + 1
			}
		}
	}
	return -1
}

func (a *Arena) take(r *region, first, n, page int) pageRun {
	for i := range n {
		r.used[first+i] = true
	}
	r.n += n
	r.next = first + n
	a.used += n * page
	return pageRun{a, r, first, n}
}

// put gives pages back. A region without any is given back to the operating system, but
// for the last one.
func (a *Arena) put(s pageRun, page int) {
	for i := range s.n {
		s.r.used[s.first+i] = false
	}
	s.r.n -= s.n
	s.r.next = min(s.r.next, s.first)
	a.used -= s.n * page
	if s.r.n > 0 || len(a.regions) == 1 && len(s.r.mem) <= regionBytes {
		return
	}
	if a.sys.release(s.r.mem) != nil {
		return // its pages are used again
	}
	a.mapped -= len(s.r.mem)
	a.regions = slices.DeleteFunc(a.regions, func(r *region) bool { return r == s.r })
}

func (s pageRun) bytes(page int) []byte { return s.r.mem[s.first*page : (s.first+s.n)*page] }

func (s pageRun) free() {
	page := pageSize()
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	// Nobody has a way into the code any more; a stray jump shall not find one, and the next code
	// need not ask for the right to be written. Should it fail, the pages stay as they are.
	if s.a.sys.protect(s.bytes(page), readWrite) == nil {
		clear(s.r.shut[s.first : s.first+s.n])
	}
	s.a.put(s, page)
}

// Mapped is how many bytes the arena has of the operating system, or those it shares pages
// with together, and how many of them hold its code.
func (a *Arena) Mapped() (mapped, used int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mapped, a.used
}

// Free frees the memory at once. Nobody may be in the code, or enter it later.
func (c *Code) Free() {
	c.once.Do(func() {
		c.cleanup.Stop()
		c.addr = 0
		c.where.free()
	})
}

// Addr is where the code is: a multiple of 64.
func (c *Code) Addr() uintptr { return c.addr }

// Size is how many bytes the code has.
func (c *Code) Size() int { return c.size }

// Call enters the code at an offset with a frame, and returns when it does. It panics if
// the offset lies outside the code, which has nothing to do with guests.
//
// It must not be inlined: its prologue is where a goroutine is preempted that does
// nothing but call code.
//
//go:noinline
func (c *Code) Call(off uint32, frame unsafe.Pointer) {
	if c.addr == 0 || uint64(off) >= uint64(c.size) {
		panic("exec: entry outside the code")
	}
	call(c.addr+uintptr(off), frame)
	runtime.KeepAlive(c)
}
