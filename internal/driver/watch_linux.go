package driver

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"example.org/crosslane/internal/device"
)

// Accesses of a client to its own memory. With checks, the client takes the right to touch memory that an operation
// uses away from itself, and gives it back when the server says that the operation has ended.

// endedWords is the offset of the words in the shared memory that say which uses have ended, by their numbers. No
// allocation is there.
const endedWords = 4 << 10

// ended returns the word of a use.
func (a *arena) ended(number uint32) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.data)), endedWords+4*uintptr(number)))
}

// publish says which uses have ended.
func (c *client) publish() {
	if c.watches {
		if c.sticky != Success {
			c.dev.EndUses() // nothing is left
		}
		c.dev.Ended(func(number uint32) { c.arena.ended(number).Store(1) })
	}
}

// maxWatched is how many numbers of uses there are.
const maxWatched = 1024

// watch notes an operation that uses memory of the host.
func (c *client) watch(in *reader) Status {
	s, ok := c.stream(in.u64())
	number, base, n, use := in.u32(), in.u64(), in.u64(), in.u32()
	if in.bad || number >= maxWatched {
		return InvalidValue
	}
	c.watches = true
	if !ok || s.Watch(number, base, n, device.HostUse(use)) != nil {
		c.arena.ended(number).Store(1) // the operation does not exist
	}
	return Success
}

// Kinds of CallTouched.
const (
	touchedInUse  = iota // memory that an operation uses
	touchedDevice        // memory of the device, by an instruction of the host
	touchedCopy          // memory of the device, as the host's side of a copy
	touchedFree          // memory of another kind than the function frees
)

// freeNames are the functions of an API that free memory: of the device, pinned memory, and registered memory.
var freeNames = [...][3]string{
	{"cuMemFree", "cuMemFreeHost", "cuMemHostUnregister"}, {"hipFree", "hipHostFree", "hipHostUnregister"}, {"cudaFree", "cudaFreeHost", "cudaHostUnregister"},
}

// kindNames are the kinds of memory by the library's numbers, with the number of the function that frees them.
var kindNames = [...]struct {
	format string
	by     int
}{
	{"memory of the device: free it with %s", 0}, {"managed memory: free it with %s", 0}, {"pinned memory: free it with %s", 1},
	{"registered memory of the host: end that with %s", 2},
}

// touched reports an access of the host.
func (c *client) touched(in *reader) Status {
	kind, write, number, addr, n := in.u32(), in.u32() != 0, in.u32(), in.u64(), in.u64()
	if in.bad {
		return InvalidValue
	}
	switch kind {
	case touchedInUse:
		c.dev.TouchedInUse(number, addr, write, n != 0)
	case touchedDevice:
		c.dev.Touched(addr, write)
	case touchedCopy:
		c.dev.CopiedAsHost(addr, n, write)
	case touchedFree:
		// n is the number of the API.
		names, k := freeNames[min(n, uint64(len(freeNames)-1))], kindNames[min(number, uint32(len(kindNames)-1))]
		c.dev.FreedAs(addr, names[flag(write)], fmt.Sprintf(k.format, names[k.by]))
	}
	return Success
}
