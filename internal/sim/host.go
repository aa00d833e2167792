package sim

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Host performs a HostCall for lanes, at least one, in their order. It returns false if w.Fault is set.
// Engines call it as they call rendezvous.
func (w *Wave) Host(in *ir.Inst, lanes lane.Mask) bool {
	s, _, _ := ir.HostFields(in.Imm)
	switch s {
	case ir.HostPush:
		return w.push(in, lanes)
	case ir.HostPop:
		return w.pop(in, lanes)
	case ir.HostAssert:
		return w.assert(in, lanes)
	case ir.HostInterrupt:
		return w.interrupt(in, lanes)
	}
	// Services are served lane by lane, in the order of lanes; every one counts as a change of memory.
	w.Changes++
	for i := range lanes.Lanes() {
		c := hostCall{w: w, in: in, lane: i}
		for j, a := range in.Args {
			if a != 0 {
				c.args[j] = w.Get(a, i)
			}
		}
		res := c.serve(s)
		if c.fault != nil {
			w.Fault = c.fault
			return false
		}
		if in.Dst != 0 {
			w.Set(in.Dst, i, res)
		}
		if r := in.Shadow[2]; r != 0 {
			bad := w.marks(in.Shadow[1])
			if c.loose {
				bad |= lane.Lane(i)
			}
			w.setBits(r, lane.Lane(i), bad)
		}
	}
	return true
}

// interrupt lets the runtime of the launch serve what the kernel has left in memory, and prints its text.
func (w *Wave) interrupt(in *ir.Inst, lanes lane.Mask) bool {
	w.Changes++
	var fault *Fault
	if f := w.Launch.Interrupt; f == nil {
		fault = &Fault{Code: CodeNotProvided, Text: "it interrupts the host, and the launch has no runtime that waits for that",
			Remedy: "use printf of kernels with hidden_hostcall_buffer, or no messages"}
	} else if text, problem := f(); problem != "" {
		fault = &Fault{Code: CodeNotProvided, Text: problem, Remedy: "only printf and assert are served"}
	} else {
		fault = w.print(text)
	}
	if fault != nil {
		fault.Pos, fault.Lanes = in.Pos, lanes&-lanes
		w.Fault = fault
	}
	return fault == nil
}

// A hostCall is a service for one lane. After a fault its methods return empty results.
type hostCall struct {
	w     *Wave
	in    *ir.Inst
	lane  int
	args  [4]uint64
	fault *Fault
	loose bool   // it has read undefined bits of memory
	at    uint64 // the address of the first of them
}

// maxHostBytes limits the bytes that one call copies, sets, compares or searches.
const maxHostBytes = 1 << 32

// serve performs a service and returns its result.
func (c *hostCall) serve(s ir.HostService) uint64 {
	a, b, n := c.args[0], c.args[1], c.args[2]
	switch s {
	case ir.HostPrintf:
		return c.printf(a, b)
	case ir.HostMalloc:
		return c.w.Mem.heap.alloc(a, c.w.Launch.Heap, c.w.Mem.wide)
	case ir.HostFree:
		c.free(a)
	case ir.HostMemcpy, ir.HostMemmove:
		if n > 0 {
			// C11 leaves overlapping ranges of memcpy undefined; memmove is one of the allowed results.
			copy(c.memory(a, n, true), c.memory(b, n, false))
			c.copyUndefined(a, b, n)
		}
		return a
	case ir.HostMemset:
		if n > 0 {
			d := c.memory(a, n, true)
			for i := range d {
				d[i] = byte(b)
			}
			c.define(a, n)
		}
		return a
	case ir.HostMemcmp:
		if n > 0 {
			c.look(a, n)
			c.look(b, n)
			return order(bytes.Compare(c.memory(a, n, false), c.memory(b, n, false)))
		}
	case ir.HostMemchr:
		// C11 7.24.5.1: the search stops at the first match, which may be the last byte
		// that exists.
		if n == 0 {
			return 0
		}
		if i := bytes.IndexByte(c.some(a, n), byte(b)); i >= 0 {
			c.look(a, uint64(i)+1)
			return a + uint64(i)
		}
		c.memory(a, n, false)
		c.look(a, n)
	case ir.HostStrlen:
		return uint64(len(c.text(a)))
	case ir.HostStrcpy, ir.HostStrcat:
		to := c.copyText(s, a, b)
		c.loose = false // the undefined bits are copied along
		return to
	case ir.HostStrncpy:
		if n > 0 {
			src := c.someText(b, n)
			if d := c.memory(a, n, true); d != nil {
				clear(d[copy(d, src):])
				c.define(a, n)
				c.copyUndefined(a, b, uint64(len(src)))
				c.loose = false
			}
		}
		return a
	case ir.HostStrcmp:
		return order(bytes.Compare(c.text(a), c.text(b)))
	case ir.HostStrncmp:
		if n > 0 {
			return order(bytes.Compare(c.someText(a, n), c.someText(b, n)))
		}
	case ir.HostStrchr:
		s := c.text(a)
		if byte(b) == 0 && c.fault == nil {
			return a + uint64(len(s))
		}
		if i := bytes.IndexByte(s, byte(b)); i >= 0 {
			return a + uint64(i)
		}
	}
	return 0
}

// order returns a comparison as 32 bits of two's complement.
func order(c int) uint64 { return uint64(uint32(int32(c))) }

// copyText performs strcpy and strcat.
func (c *hostCall) copyText(s ir.HostService, to, from uint64) uint64 {
	src := c.text(from)
	at := to
	if s == ir.HostStrcat {
		at += uint64(len(c.text(to)))
	}
	n := len(src)
	if d := c.memory(at, uint64(n)+1, true); d != nil {
		copy(d, src)
		d[n] = 0
		c.copyUndefined(at, from, uint64(n)+1)
	}
	return to
}

// free performs free, and reports an address that malloc did not give.
func (c *hostCall) free(p uint64) {
	if p == 0 {
		return
	}
	why := "it is no address of the heap"
	if c.w.Mem.heap.holds(p, c.w.Mem.wide) {
		if why = c.w.Mem.heap.free(p); why == "" {
			c.w.Mem.heap.by(c.in.Pos)
		}
		c.w.forget()
	}
	if why != "" {
		c.fault = &Fault{Code: CodeBadFree, Pos: c.in.Pos, Lanes: lane.Lane(c.lane),
			Text:   fmt.Sprintf("lane %d of wave %d frees %#x, which malloc did not return: %s", c.lane, c.w.ID, p, why),
			Remedy: "free each address that malloc returned once, and no other address"}
		if pos, ok := c.w.Mem.heap.freed(p); ok && pos >= 0 {
			at, src := where(c.w.Func, pos)
			c.fault.Others = append(c.fault.Others, related(at, c.w.Func.Pos[pos].Name+": it was freed here", src))
		}
	}
}

// access returns a load or store of bytes at a generic address, for find and its messages.
func (c *hostCall) access(store bool) *ir.Inst {
	in := &ir.Inst{Op: ir.Load, Space: ir.Generic, Pos: c.in.Pos, Size: 1, Args: c.in.Args}
	if store {
		in.Op = ir.Store
	}
	return in
}

// memory returns n bytes of the guest's memory. It returns nil if they do not all exist, which is a fault.
func (c *hostCall) memory(addr, n uint64, store bool) []byte {
	if c.fault != nil {
		return nil
	}
	w, in := c.w, c.access(store)
	p, a, code, why := unsafe.Pointer(nil), (*Alloc)(nil), CodeOutOfBounds, "no memory is that large"
	if n <= maxHostBytes {
		p, a, code, why = w.find(in, addr, n, c.lane, store)
	}
	if p == nil {
		w.fault(code, in, addr, n, c.lane, store, why)
		c.fault, w.Fault = w.Fault, nil
		c.fault.Lanes = lane.Lane(c.lane)
		return nil
	}
	if store {
		w.wrote(in, c.lane, addr, n)
	}
	if a != nil && store {
		c.w.Mem.write(a)
	}
	if store {
		c.touch(ir.AccessWrite, addr, n)
	}
	return unsafe.Slice((*byte)(p), n)
}

// some returns up to n bytes at an address: fewer if the memory ends before; at least one, or it is a
// fault.
func (c *hostCall) some(addr, n uint64) []byte {
	if c.fault != nil {
		return nil
	}
	// The longest existing piece is found by bisection: the test is whether more bytes fit.
	in := c.access(false)
	lo, hi := uint64(0), min(n, maxHostBytes)
	for step := min(uint64(64), hi); lo < hi; {
		// Strings are short, so the search begins with few bytes.
		try := min(lo+step, hi)
		if p, _, _, _ := c.w.find(in, addr, try, c.lane, false); p != nil {
			lo = try
			step *= 2
			if s := unsafe.Slice((*byte)(p), try); bytes.IndexByte(s, 0) >= 0 && n == maxHostBytes {
				return s
			}
			continue
		}
		hi = try - 1
		step = max(1, (hi-lo+1)/2)
	}
	if lo == 0 {
		c.memory(addr, 1, false)
		return nil
	}
	return c.memory(addr, lo, false)
}

// text returns a C string without its zero byte.
func (c *hostCall) text(addr uint64) []byte {
	s := c.some(addr, maxHostBytes)
	if i := bytes.IndexByte(s, 0); i >= 0 {
		c.look(addr, uint64(i)+1)
		return s[:i]
	}
	// The string runs beyond the end of its memory.
	c.memory(addr, uint64(len(s))+1, false)
	return nil
}

// someText returns a C string of which at most n bytes count.
func (c *hostCall) someText(addr, n uint64) []byte {
	s := c.some(addr, n)
	if i := bytes.IndexByte(s, 0); i >= 0 {
		c.look(addr, uint64(i)+1)
		return s[:i]
	}
	if uint64(len(s)) < n {
		c.memory(addr, uint64(len(s))+1, false)
	}
	c.look(addr, uint64(len(s)))
	return s
}

// assert makes the fault of a failed assertion of lanes. Its text is the one that the vendor's runtime
// prints.
func (w *Wave) assert(in *ir.Inst, lanes lane.Mask) bool {
	i := lanes.First()
	c := hostCall{w: w, in: in, lane: i}
	part := func(j int) string {
		if in.Args[j] == 0 {
			return ""
		}
		a := w.Get(in.Args[j], i)
		if a == 0 {
			return "(null)"
		}
		s := c.text(a)
		if c.fault != nil {
			c.fault = nil
			return fmt.Sprintf("(no text at %#x)", a)
		}
		return strings.ToValidUTF8(string(s[:min(len(s), 1000)]), "?")
	}
	msg, file, fn := part(0), part(1), part(3)
	line := uint64(0)
	if in.Args[2] != 0 {
		line = w.Get(in.Args[2], i)
	}
	t := w.thread(i)
	w.Fault = &Fault{Code: CodeAssert, Pos: in.Pos, Lanes: lanes,
		Text: fmt.Sprintf("%s:%d: %s: block: [%d,%d,%d], thread: [%d,%d,%d] Assertion `%s` failed.", file, line, fn,
			w.index[0], w.index[1], w.index[2], t[0], t[1], t[2], msg),
		Remedy: "the program requested this itself: find out why the condition does not hold"}
	return false
}

// thread returns the index of a lane in its block.
func (w *Wave) thread(i int) [3]uint64 {
	bx, by := uint64(w.Launch.Block[0]), uint64(w.Launch.Block[1])
	t := uint64(w.ID*w.Func.Lanes + i)
	return [3]uint64{t % bx, t / bx % by, t / bx / by}
}
