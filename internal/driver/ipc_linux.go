package driver

import (
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"example.org/crosslane/api"
)

// Memory that several clients use (cuIpcGetMemHandle).
//
// Input: an allocation of a client; later, its handle from another client of the same server.
// Output: the pages of the allocation in both arenas, and the file behind them, which both clients map.
// Invariant: a client sees no other memory of another client: the allocation gets a file of its own. Each arena maps
// that file over its own, so bounds, frees and the end of a client are as for other allocations, and the file lives
// as long as any arena maps it.
// Example: A: IPCShare -> handle; B: IPCOpen(handle) -> address; B launches; A reads what B's kernel wrote.

// shareID is the handle of an allocation. It cannot be guessed.
type shareID [16]byte

// share is an allocation that other clients may open, until it is freed.
type share struct {
	fd    int
	bytes uint64
	owner *client
	base  uint64 // its address for the owner
}

var memfdCreate = map[string]uintptr{"amd64": 319, "arm64": 279}[runtime.GOARCH]

// newFile makes a file in memory of n bytes that stays as large as it is.
func newFile(n uint64) (int, error) {
	if memfdCreate == 0 {
		return -1, errors.ErrUnsupported
	}
	const closeOnExec, allowSealing = 1, 2
	name, _ := syscall.BytePtrFromString("crosslane")
	fd, _, e := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(name)), closeOnExec|allowSealing, 0)
	if e != 0 {
		return -1, e
	}
	const addSeals, noSealsShrinkGrow = 1033, 1 | 2 | 4
	if err := syscall.Ftruncate(int(fd), int64(n)); err != nil {
		syscall.Close(int(fd))
		return -1, err
	}
	if _, _, e := syscall.Syscall(syscall.SYS_FCNTL, fd, addSeals, noSealsShrinkGrow); e != 0 {
		syscall.Close(int(fd))
		return -1, e
	}
	return int(fd), nil
}

// mapOver maps a file, from an offset, over a range of the arena.
func (a *arena) mapOver(off, n uint64, fd int, from uint64) error {
	const fixed, noReserve = 0x10, 0x4000
	_, _, e := syscall.Syscall6(syscall.SYS_MMAP, uintptr(unsafe.Pointer(&a.data[off])), uintptr(n),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|fixed|noReserve, uintptr(fd), uintptr(from))
	if e != 0 {
		return e
	}
	return nil
}

// lend maps a file over an allocation. gone is called when the allocation is freed.
func (a *arena) lend(off, n uint64, fd int, gone func()) error {
	n = (n + arenaAlign - 1) &^ (arenaAlign - 1)
	if err := a.mapOver(off, n, fd, 0); err != nil {
		return err
	}
	if a.lent == nil {
		a.lent = map[uint64]lentRange{}
	}
	a.lent[off] = lentRange{n, gone}
	return nil
}

// lentRange is a range of the arena with a file of its own.
type lentRange struct {
	n    uint64
	gone func()
}

// takeBack maps the arena's own file over an allocation again, if it has another one.
func (a *arena) takeBack(off uint64) {
	if l, ok := a.lent[off]; ok {
		delete(a.lent, off)
		l.gone()
		if err := a.mapOver(off, l.n, a.fd, off); err != nil {
			panic(err) // the range was mapped a moment ago
		}
	}
}

// ipcShare makes the handle of the allocation that holds an address.
func (c *client) ipcShare(in *reader) Status {
	p := api.DevicePtr(in.u64())
	if in.bad {
		return InvalidValue
	}
	var found *api.Allocation
	c.dev.Shares()
	for _, a := range c.dev.Allocations() {
		if p >= a.Ptr && uint64(p-a.Ptr) < a.Size && !a.Managed {
			found = &a
			break
		}
	}
	if found == nil {
		return InvalidValue
	}
	base := uint64(found.Ptr)
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	for id, s := range c.server.shares {
		if s.owner == c && s.base == base {
			return c.lendTo(id, s, base)
		}
	}
	off := base - ArenaBase
	if base < ArenaBase || off >= ArenaBytes || off%arenaAlign != 0 {
		return InvalidValue
	}
	fd, err := newFile((found.Size + arenaAlign - 1) &^ (arenaAlign - 1))
	if err != nil {
		c.server.logf("no memory can be shared: %v", err)
		return NotSupported
	}
	for at, data := 0, c.arena.data[off:off+found.Size]; at < len(data); {
		n, err := syscall.Pwrite(fd, data[at:], int64(at))
		if err != nil {
			syscall.Close(fd)
			return OutOfMemory
		}
		at += n
	}
	var id shareID
	rand.Read(id[:])
	s := &share{fd, found.Size, c, base}
	if err := c.arena.lend(off, found.Size, fd, func() { c.server.forget(id) }); err != nil {
		syscall.Close(fd)
		return OutOfMemory
	}
	if c.server.shares == nil {
		c.server.shares = map[shareID]*share{}
	}
	c.server.shares[id] = s
	return c.lendTo(id, s, base)
}

// lendTo writes the reply about a shared allocation. Its file follows the reply.
func (c *client) lendTo(id shareID, s *share, address uint64) Status {
	fd, err := syscall.Dup(s.fd)
	if err != nil {
		return OutOfMemory
	}
	syscall.CloseOnExec(fd)
	c.file = fd
	c.out.bytes(id[:])
	c.out.u64(address)
	c.out.u64(s.bytes)
	return Success
}

// forget makes a handle invalid.
func (s *Server) forget(id shareID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.shares[id]; x != nil {
		syscall.Close(x.fd)
		delete(s.shares, id)
	}
}

// ipcOpen gives a client an allocation of another one. What is in it counts as defined.
func (c *client) ipcOpen(in *reader) Status {
	var id shareID
	if n := copy(id[:], in.bytes()); in.bad || n != len(id) {
		return InvalidValue
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	s := c.server.shares[id]
	if s == nil {
		return InvalidHandle
	}
	p, err := c.dev.Alloc(fmt.Sprintf("memory of process %d at %#x", s.owner.who.PID, s.base), s.bytes, true)
	if err != nil {
		return statusOf(err)
	}
	if err := c.arena.lend(uint64(p)-ArenaBase, s.bytes, s.fd, func() {}); err != nil {
		c.dev.Free(p)
		return OutOfMemory
	}
	return c.lendTo(id, s, uint64(p))
}

// sendFile sends the file that follows a reply.
func (c *client) sendFile(status Status) {
	if c.file == 0 {
		return
	}
	if status == Success {
		_, _, _ = c.conn.WriteMsgUnix([]byte{0}, syscall.UnixRights(c.file), nil)
	}
	syscall.Close(c.file)
	c.file = 0
}
