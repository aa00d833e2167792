package driver

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// A control is the start of the shared memory, which no allocation uses. It lets a client see how far the server is
// without a call, and lets the server wait for functions of the host.
//
// Input: calls that are carried out; CallHostFunc; the numbers of functions that have returned.
// Output: the client's queries of streams and events; the order of functions of the host and other calls.
// Invariant: the server writes all words but returned, and believes nothing that the client writes: returned only ends a
// wait.
// Example: launch, host function 1, launch: the second kernel runs when the client has set returned to 1.
type control struct {
	done     atomic.Uint64 // requests that have been carried out, CallCallers included
	turn     atomic.Uint32 // the number of the last function of the host whose turn has come; a futex
	returned atomic.Uint32 // the number of the last one that has returned; a futex
	status   atomic.Int32  // of the device when the turn came
	// ahead holds numbers of requests, from 1 on, that were carried out before earlier ones: the last ones of them, in a ring.
	ahead [64]atomic.Uint64
}

// control returns the words of the arena.
func (a *arena) control() *control { return (*control)(unsafe.Pointer(unsafe.SliceData(a.data))) }

// finished counts a request.
func (k *control) finished() { k.done.Add(1) }

// finishedAhead notes a request that is carried out before earlier ones; n counts these requests from 0 on.
func (k *control) finishedAhead(n int, number uint64) { k.ahead[n%len(k.ahead)].Store(number) }

const (
	futexWait = 0
	futexWake = 1
)

// wake wakes all threads that wait for a word, those of other processes included.
func wake(word *atomic.Uint32) {
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1<<30, 0, 0, 0)
}

// sleep waits until a word is not v, for at most d.
func sleep(word *atomic.Uint32, v uint32, d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(v), uintptr(unsafe.Pointer(&t)), 0, 0)
}

// hostFunction lets the client run a function, and waits until it has returned or the client has ended.
func (c *client) hostFunction(in *reader) Status {
	n, stream := in.u32(), in.u64()
	if in.bad {
		return InvalidValue
	}
	k := c.arena.control()
	status := statusOf(c.dev.Err())
	if status == Success {
		status = c.sticky
	}
	if c.watches {
		if s, ok := c.stream(stream); ok {
			s.EndUses() // the function may use what operations before it have written
		}
		c.publish()
	}
	k.status.Store(int32(status))
	k.turn.Store(n)
	wake(&k.turn)
	for {
		v := k.returned.Load()
		if v == n || c.ctx.Err() != nil {
			return Success
		}
		sleep(&k.returned, v, 50*time.Millisecond)
	}
}

// replies is the state of a client's replies and errors.
type replies struct {
	pending  Status // the first error of a request that got no reply
	sticky   Status // the status after which every call fails, beside a fault of the device
	answered bool   // the present request needs no reply, or has got it
	exited   bool   // the process ends by itself
	file     int    // a file that follows the reply; 0: none
	first    bool   // the host has waited before the present call, and does not wait for it
	watches  bool   // the client has sent CallWatch
}

// answer sends the reply of the present request. If the client has gone, the next read says so.
func (c *client) answer(status Status) {
	c.answered = true
	if status != Success && c.dev != nil {
		c.dev.Heard()
	}
	c.publish()
	_, _ = c.conn.Write(c.out.reply(status))
	c.sendFile(status)
}

// before returns the error that a call gets before it is carried out: of an earlier one without a reply, or the sticky
// status. reply says that the call gets a reply. Calls that free something are carried out, because what a host
// frees is gone for it.
func (c *client) before(call Call, reply bool) Status {
	switch call {
	case CallReset, CallExit, CallHostFunc, CallRefused, CallFindings, CallWatch, CallTouched:
		return Success
	}
	if c.sticky != Success {
		return c.sticky
	}
	switch call {
	case CallFree, CallDrop, CallUnload, CallStreamClose, CallEventClose, CallUnreserve, CallRelease, CallUnmap:
		return Success
	}
	if !reply {
		return Success
	}
	s := c.pending
	c.pending = Success
	return s
}

// exit is synchronize of a process that exits by itself.
func (c *client) exit(*reader) Status {
	c.exited = true
	return c.status(c.dev.Synchronize())
}

// drop frees memory whose context ends.
func (c *client) drop(in *reader) Status {
	p := api.DevicePtr(in.u64())
	if in.bad {
		return InvalidValue
	}
	return c.status(c.dev.Drop(p))
}

// unusable reports that code which a file registers cannot be loaded: the program may go on without it. Success says that
// the finding was reported.
func (c *client) unusable(file string) Status {
	if c.server.opt.Report == nil || len(c.unloaded) == 0 {
		return InvalidValue
	}
	for _, d := range c.unloaded {
		x := *d
		if file != "" && x.Pos.Line == 0 {
			x.Pos = diag.Pos{File: file}
		}
		c.server.found(c.who, &x)
	}
	c.unloaded = nil
	return Success
}

// refused reports a call that the library has refused.
func (c *client) refused(in *reader) Status {
	status, text := Status(in.u32()), in.text()
	if in.bad {
		return InvalidValue
	}
	if len(in.b) > 0 {
		file := in.text()
		if in.bad {
			return InvalidValue
		}
		return c.unusable(file)
	}
	c.dev.Refused(status == InvalidHandle || status == InvalidContext || status == ContextDestroyed, text, "look at the error of the call")
	return Success
}
