package driver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
)

// The memory that a client and the server share.
//
// The client makes a file in memory without storage behind it, of arenaBytes, maps it twice and passes it to the
// server, which maps it once. Offset 0 of the file is the address ArenaBase of the device, in the client too: device
// memory cannot be touched there, managed and pinned memory can. So a copy needs no message with the bytes, and a
// pointer in memory means the same on both sides.
const (
	// ArenaBase is the address of the device at which the arena begins. It lies below the heap of the device
	// and below the windows of generic addresses. No library of a process is mapped there, nor the shadow of
	// AddressSanitizer.
	ArenaBase = 0x1100_0000_0000
	// ArenaBytes is the size of the arena.
	ArenaBytes = 64 << 30

	arenaGap   = 64 << 10 // unused bytes between allocations
	arenaAlign = 4 << 10  // a page: managed memory has access rights of its own
)

// arena gives out ranges of the shared memory. An address is not used again while there are fresh ones, so that
// uses after free are found.
type arena struct {
	fd   int
	data []byte
	next uint64 // offset of the first byte that was never used
	// free are the freed ranges, in the order in which they were freed; used again only if the arena is full.
	free []arenaRange
	// pages are those that the client has put into its own memory, and fixed is the address of the next allocation
	// if it has to be in them; 0: anywhere. registered counts these allocations.
	pages      []*hostPages
	fixed      uint64
	registered int
	lent       map[uint64]lentRange // allocations that several clients use, by offset
	mapped     map[uint64]uint64    // bytes of ranges that show other bytes of the arena, by offset: see virtual_linux.go
}

type arenaRange struct{ off, n uint64 }

// newArena maps the file of a client.
func newArena(fd int) (*arena, error) {
	const noReserve = 0x4000 // MAP_NORESERVE
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Size != ArenaBytes || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, fmt.Errorf("the shared memory has %d bytes, not %d", st.Size, int64(ArenaBytes))
	}
	// A client that made the file shorter would end the server by a signal.
	const getSeals, shrink = 1034, 0x2 // F_GET_SEALS, F_SEAL_SHRINK
	if seals, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), getSeals, 0); e != 0 || seals&shrink == 0 {
		return nil, errors.New("the shared memory can be made shorter: it has no seal")
	}
	// A file of another system could be slow, or end the server when its storage fails.
	const inMemory = 0x01021994 // TMPFS_MAGIC
	var fs syscall.Statfs_t
	if err := syscall.Fstatfs(fd, &fs); err != nil || fs.Type != inMemory {
		return nil, fmt.Errorf("the shared memory is no file in memory (%v)", err)
	}
	data, err := syscall.Mmap(fd, 0, ArenaBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|noReserve)
	if err != nil {
		return nil, err
	}
	return &arena{fd: fd, data: data, next: arenaGap}, nil
}

// close unmaps the memory.
func (a *arena) close() {
	if a.data != nil {
		for _, l := range a.lent {
			l.gone()
		}
		syscall.Munmap(a.data)
		syscall.Close(a.fd)
		a.data = nil
	}
}

// room is how many bytes an allocation takes with its gap.
func room(n uint64) uint64 { return (n+arenaAlign-1)&^(arenaAlign-1) + arenaGap }

// Alloc returns the address and the bytes, all zero, of an allocation.
func (a *arena) Alloc(n uint64) (base uint64, data []byte, err error) {
	if a.fixed != 0 {
		return a.allocFixed(n)
	}
	if n > ArenaBytes-2*arenaGap {
		return 0, nil, a.full(n)
	}
	need := room(n)
	off := a.next
	if need <= ArenaBytes-a.next {
		a.next += need
	} else if off, err = a.again(n, need); err != nil {
		return 0, nil, err
	}
	return ArenaBase + off, a.data[off : off+n : off+n], nil
}

// again returns the offset of a freed range that is large enough, the one that was freed first. Neighbours are joined
// if no range is large enough.
func (a *arena) again(n, need uint64) (uint64, error) {
	if off, ok := a.take(need); ok {
		return off, nil
	}
	a.join()
	if off, ok := a.take(need); ok {
		return off, nil
	}
	return 0, a.full(n)
}

// join joins freed ranges that are neighbours. The order in which they were freed is lost.
func (a *arena) join() {
	slices.SortFunc(a.free, func(x, y arenaRange) int { return cmp.Compare(x.off, y.off) })
	joined := a.free[:0]
	for _, r := range a.free {
		if i := len(joined) - 1; i >= 0 && joined[i].off+joined[i].n == r.off {
			joined[i].n += r.n
		} else {
			joined = append(joined, r)
		}
	}
	a.free = joined
}

// take takes bytes from the first freed range that has so many.
func (a *arena) take(need uint64) (off uint64, ok bool) {
	for i, r := range a.free {
		if r.n < need {
			continue
		}
		if r.n == need {
			a.free = append(a.free[:i], a.free[i+1:]...)
		} else {
			a.free[i] = arenaRange{r.off + need, r.n - need}
		}
		return r.off, true
	}
	return 0, false
}

func (a *arena) full(n uint64) error {
	return diag.List{{Severity: diag.Error, Class: diag.Input, Code: device.CodeOutOfMemory,
		Message: fmt.Sprintf("an allocation of %d bytes: the memory of the device has %d bytes, and no range of that size is left", n, int64(ArenaBytes)),
		Remedy:  "free memory first, or allocate less"}}
}

// reset gives back all ranges.
func (a *arena) reset() {
	a.pages = nil
	for off := range a.lent {
		a.takeBack(off)
	}
	for off, n := range a.mapped {
		a.Unmap(ArenaBase+off, n)
	}
	if a.next > arenaGap {
		a.release(arenaGap, a.next-arenaGap)
		a.free = []arenaRange{{arenaGap, a.next - arenaGap}}
	}
}

// release returns the storage of a range to the system. Its bytes are zero again.
func (a *arena) release(off, n uint64) {
	const punch = 0x2 | 0x1 // FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
	if err := syscall.Fallocate(a.fd, punch, int64(off), int64((n+arenaAlign-1)&^(arenaAlign-1))); err != nil {
		clear(a.data[off : off+n])
	}
}

// Free gives a range back.
func (a *arena) Free(base, n uint64) {
	if a.freeFixed(base, n) {
		return
	}
	a.takeBack(base - ArenaBase)
	off := base - ArenaBase
	a.release(off, n)
	a.free = append(a.free, arenaRange{off, room(n)})
}
