// Package exec runs machine code: it holds executable memory, the entry into the code and the
// return from it, and the detection of processor features.
//
// Input: bytes of position-independent code.
// Output: a Code, which Call enters; CPU, the best tier of this machine.
// Invariant: no page is writable and executable at the same time.
// Example: c, err := arena.Map(code); c.Call(0, frame).
//
// # The contract of the code
//
// Code is position independent. It is entered by a call, with RBX pointing to its frame; the
// return address is at RSP. It changes RSP only to return, and never changes RBP or the
// direction flag; at the return MXCSR is unchanged, too. It may use every other register. It
// does not call Go, and stores no Go pointer. A goroutine is not preempted while it is in the
// code, and a stop of the world waits for it. So the code counts instructions and returns
// after a bounded time.
//
// Code is written to pages without the right to execute. Afterwards these pages get the right
// to execute and lose the right to write.
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

// ErrFull reports that an arena has no room for more code. It helps to drop other code.
var ErrFull = errors.New("the memory for machine code is used up")

// RefusedError reports that machine code cannot run here: the platform has no executable
// memory, or the operating system refuses it.
type RefusedError struct {
	Err error
}

func (e *RefusedError) Error() string { return "no executable memory: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// pages is the interface to the operating system's memory. Tests replace it.
type pages interface {
	// reserve returns n bytes, a multiple of the page size, that can be read and written.
	reserve(n int) ([]byte, error)
	protect(b []byte, r rights) error
	release(b []byte) error
}

// rights are the access rights of a page.
type rights uint8

const (
	readWrite rights = iota // no execution
	readExec                // no writes
)

// regionBytes is the size of a region that is requested from the operating system, unless the
// code is longer.
const regionBytes = 1 << 20

// Arena is executable memory of limited size that many pieces of code share. Several
// goroutines may use it at the same time.
type Arena struct {
	limit int // of used
	used  int // bytes of pages in use; the holding's lock protects it
	*holding
}

// holding is the memory that arenas have from the operating system. It holds no reference to
// an arena, so that it can be released when no arena and no code of it exists any more.
type holding struct {
	mu      sync.Mutex
	sys     pages
	regions []*region
	limit   int // of mapped
	mapped  int // bytes of regions
}

// common is the holding of all arenas that share their pages. It is never released as a
// whole: to request a region takes as long as to translate three operations, and the first
// touch of a page as long as one more. Its size is bounded by the sum of its arenas' limits.
var common = &holding{sys: system{}, limit: math.MaxInt}

// release returns all regions to the operating system.
func (h *holding) release() {
	for _, r := range h.regions {
		_ = h.sys.release(r.mem) // if that fails, the memory is lost
	}
}

// region is a piece of memory that is handed out in pages.
type region struct {
	mem  []byte
	used []bool // by page
	shut []bool // by page: it is not writable
	n    int    // pages in use
	next int    // where the search for free pages begins
}

// NewArena returns an arena of at most limit bytes, with pages of its own.
func NewArena(limit int) *Arena { return newArena(system{}, limit) }

// SharingArena returns an arena of at most limit bytes in use. Its pages come from the common
// holding, so an arena with little code costs little.
func SharingArena(limit int) *Arena { return &Arena{limit: limit, holding: common} }

func newArena(sys pages, limit int) *Arena {
	a := &Arena{limit: limit, holding: &holding{sys: sys, limit: limit}}
	runtime.AddCleanup(a, (*holding).release, a.holding)
	return a
}

// Probe returns nil if code can run here, and otherwise a *RefusedError. The system is asked
// once.
func Probe() error { return probed() }

var probed = sync.OnceValue(func() error { return NewArena(pageSize()).Probe() })

// Probe returns nil if the arena accepts code.
func (a *Arena) Probe() error {
	const ret = 0xc3
	c, err := a.Map([]byte{ret})
	if err == nil {
		c.Free()
	}
	return err
}

// Refusing returns an arena that refuses all code, like an operating system that forbids
// programs to make code. It is for tests.
func Refusing(err error) *Arena { return newArena(refusing{err: err}, 1<<30) }

type refusing struct {
	pages
	err error
}

func (r refusing) reserve(int) ([]byte, error) { return nil, r.err }

// Code is machine code that is ready to run. Its memory is freed after the last reference to
// the Code.
type Code struct {
	addr    uintptr
	size    int
	cleanup runtime.Cleanup
	where   pageRun
	once    sync.Once
}

// pageRun is a run of pages of a region.
type pageRun struct {
	a        *Arena
	r        *region
	first, n int
}

// slack is the number of bytes after the code that may be read. The code loads short
// constants at its end as whole vector registers, and ignores the rest.
const slack = 64

// Map copies code into the arena. Its error is ErrFull, or a *RefusedError.
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
	// The bytes after the code, which an older piece may have left there, become INT3, so
	// that a stray jump stops.
	rest := b[len(code):]
	rest[0] = 0xcc
	for n := 1; n < len(rest); n *= 2 {
		copy(rest[n:], rest[:n])
	}
	for i := range s.n {
		s.r.shut[s.first+i] = true // even if protect fails below
	}
	if err := a.sys.protect(b, readExec); err != nil {
		a.put(s, page)
		return nil, &RefusedError{err}
	}
	c := &Code{addr: uintptr(unsafe.Pointer(&b[0])), size: len(code), where: s}
	c.cleanup = runtime.AddCleanup(c, pageRun.free, s)
	return c, nil
}

// find takes n free pages, from a region or from the operating system.
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

// fit returns the first of n consecutive free pages; -1 if there are none.
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

// take marks pages as used.
func (a *Arena) take(r *region, first, n, page int) pageRun {
	for i := range n {
		r.used[first+i] = true
	}
	r.n += n
	r.next = first + n
	a.used += n * page
	return pageRun{a, r, first, n}
}

// put returns pages to their region. A region without used pages is released to the operating
// system, unless it is the last one.
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

// bytes returns the memory of the pages.
func (s pageRun) bytes(page int) []byte { return s.r.mem[s.first*page : (s.first+s.n)*page] }

// free returns the pages of code that is not used any more.
func (s pageRun) free() {
	page := pageSize()
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	// No reference to the code exists any more. Without the right to execute, a stray jump
	// cannot run it, and the next code need not request the right to write. If protect fails,
	// the pages stay as they are.
	if s.a.sys.protect(s.bytes(page), readWrite) == nil {
		clear(s.r.shut[s.first : s.first+s.n])
	}
	s.a.put(s, page)
}

// Mapped returns the number of bytes that the arena, or all arenas with which it shares
// pages, have from the operating system, and the number of bytes that hold this arena's code.
func (a *Arena) Mapped() (mapped, used int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mapped, a.used
}

// Free frees the memory at once. The caller guarantees that no goroutine is in the code or
// enters it later.
func (c *Code) Free() {
	c.once.Do(func() {
		c.cleanup.Stop()
		c.addr = 0
		c.where.free()
	})
}

// Addr returns the address of the code, a multiple of 64.
func (c *Code) Addr() uintptr { return c.addr }

// Size returns the number of bytes of the code.
func (c *Code) Size() int { return c.size }

// Call enters the code at an offset with a frame, and returns when the code does. It panics
// if the offset is outside the code, which is a mistake of the engine, never of a guest.
//
// It must not be inlined: a goroutine that only calls code is preempted in Call's prologue.
//
//go:noinline
func (c *Code) Call(off uint32, frame unsafe.Pointer) {
	if c.addr == 0 || uint64(off) >= uint64(c.size) {
		panic("exec: entry outside the code")
	}
	call(c.addr+uintptr(off), frame)
	runtime.KeepAlive(c)
}
