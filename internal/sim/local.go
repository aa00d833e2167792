package sim

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Private memory. A lane has Func.LocalSize bytes of variables, and above them its stack. There are two
// kinds of stacks: one grows down and ir.HostPush makes room on it (Func.Stack); the code itself lays out
// the other one from below (Func.StackUp).
//
// Invariant: lane i has the bytes from i*localStep on. If growsDown, no lane has used the bytes from
// static up to stackLow in this block.

// privateMemory is the private memory of the lanes of a wave.
type privateMemory struct {
	Local      []byte // of all lanes: see LocalOf
	undefLocal []byte // the undefined bits of Local, if Launch.Track
	localStep  uint64 // distance in bytes from the memory of one lane to that of the next
	laneBytes  uint64 // bytes of a lane: variables and stack
	static     uint64 // bytes of the variables
	growsDown  bool   // Func.Stack
	stackLow   uint32 // the lowest that a lane's stack has reached in this block
}

// makeLocal makes the memory of the wave's lanes. It uses left, memory of an earlier launch, if that is
// large enough.
func (w *Wave) makeLocal(left []byte) {
	w.static, w.growsDown = uint64(w.Func.LocalSize), w.Func.Stack
	if w.laneBytes = w.static; w.Func.Stack || w.Func.StackUp {
		w.laneBytes += uint64(w.Launch.Stack)
	}
	if w.laneBytes == 0 {
		return
	}
	n := (w.laneBytes + 15) &^ 15
	// The memories of lanes are an odd number of cache lines apart, so that the same variable of all lanes
	// does not compete for one set of the cache.
	w.localStep = (n+63)&^63 | 64
	if size := w.localStep * uint64(w.Func.Lanes); uint64(cap(left)) >= size {
		w.Local = left[:size]
		clear(w.Local)
	} else {
		w.Local = alignedBytes(size)
	}
	w.stackLow = uint32(n)
	if w.Launch.Track {
		w.undefLocal = alignedBytes(uint64(len(w.Local)))
	}
}

// A LocalLayout describes the private memory of a wave's lanes. The addresses below Static, and those from
// Low up to Top, may be used.
type LocalLayout struct {
	Ptr              unsafe.Pointer // the memory of lane 0; nil: there is none
	Step             uint64         // bytes from lane to lane
	Static, Low, Top uint64
}

// LocalLayout returns the current layout of the wave. It changes when the stacks of lanes grow.
func (m *privateMemory) LocalLayout() LocalLayout {
	if m.Local == nil {
		return LocalLayout{}
	}
	l := LocalLayout{Ptr: unsafe.Pointer(&m.Local[0]), Step: m.localStep, Top: m.laneBytes}
	l.Static = l.Top
	if m.growsDown {
		l.Static, l.Low = m.static, uint64(m.stackLow)
	}
	return l
}

// LocalOf returns the private memory of a lane.
func (m *privateMemory) LocalOf(i int) []byte {
	if m.Local == nil {
		return nil
	}
	at := uint64(i) * m.localStep
	return m.Local[at : at+m.laneBytes]
}

// LocalRow returns the place of size bytes at an address of private memory for lane 0, and the distance to
// those of the next lane; nil if that memory does not exist.
func (m *privateMemory) LocalRow(in *ir.Inst, at, size uint64) (p unsafe.Pointer, stride uint64) {
	if n := m.laneBytes; m.Local == nil || at > n || n-at < size || m.deadStack(at, size) {
		return nil, 0
	}
	if in.Flags&ir.Undefined != 0 {
		return unsafe.Pointer(&m.undefLocal[at]), m.localStep
	}
	return unsafe.Pointer(&m.Local[at]), m.localStep
}

// deadStack reports whether size bytes at an address of private memory touch the part of the stacks that no
// lane of the wave has used in this block. That part holds no live value.
func (m *privateMemory) deadStack(at, size uint64) bool {
	return m.growsDown && at < uint64(m.stackLow) && at+size > m.static
}

// clearLocal clears the bytes that the last block may have written. Stacks are large and mostly unused, so
// it clears only their used part.
func (w *Wave) clearLocal() {
	if w.Local == nil {
		return
	}
	w.undefineLocal()
	if !w.Func.Stack {
		clear(w.Local)
		return
	}
	static := uint64(w.Func.LocalSize)
	for i := range w.Func.Lanes {
		data := w.LocalOf(i)
		clear(data[:static])
		clear(data[max(static, min(uint64(w.stackLow), uint64(len(data)))):])
	}
	w.stackLow = uint32(w.laneBytes)
}

// push makes room on the stacks of lanes: see ir.HostPush. It returns false after a fault.
func (w *Wave) push(in *ir.Inst, lanes lane.Mask) bool {
	_, size, align := ir.HostFields(in.Imm)
	static, top := uint64(w.Func.LocalSize), w.laneBytes
	if w.undefLocal != nil {
		w.undefinePush(in, lanes)
	}
	if in.Args[1] == 0 && w.Func.Lanes == 32 && w.pushTogether(in, lanes, uint64(size), uint64(align)) {
		return true
	}
	sp := (*[64]uint32)(w.Ptr(in.Args[0]))
	var new [64]uint32
	for m := uint64(lanes); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		n := uint64(size)
		if in.Args[1] != 0 {
			n = w.Get(in.Args[1], i)
		}
		old := uint64(sp[i])
		if n > old || (old-n)&^uint64(align-1) < static {
			w.overflow(in, lanes, i, n, top-min(old, top))
			return false
		}
		at := uint32((old - n) &^ uint64(align-1))
		new[i] = at
		w.stackLow = min(w.stackLow, at)
	}
	dst := (*[64]uint32)(w.Ptr(in.Dst))
	for m := uint64(lanes); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		dst[i] = new[i]
	}
	return true
}

// pushTogether is push for lanes that have the same stack pointer, which is usual. It returns false if they
// do not, or have no room.
func (w *Wave) pushTogether(in *ir.Inst, lanes lane.Mask, size, align uint64) bool {
	sp, same := w.uniform(in.Args[0], lanes)
	if !same || size > uint64(sp) || (uint64(sp)-size)&^(align-1) < uint64(w.Func.LocalSize) {
		return false
	}
	at := uint32((uint64(sp) - size) &^ (align - 1))
	dst := (*[32]uint32)(w.Ptr(in.Dst))
	if uint32(lanes) == math.MaxUint32 {
		for i := range dst {
			dst[i] = at
		}
	} else {
		for i := range lanes.Lanes() {
			dst[i&31] = at
		}
	}
	w.stackLow = min(w.stackLow, at)
	return true
}

// overflow makes the fault of lanes whose stack has no room.
func (w *Wave) overflow(in *ir.Inst, lanes lane.Mask, i int, n, used uint64) {
	var all lane.Mask
	for j := range lanes.Lanes() {
		all |= w.noRoom(in, j)
	}
	w.Fault = &Fault{Code: CodeStackOverflow, Pos: in.Pos, Lanes: all,
		Text:   fmt.Sprintf("lane %d of wave %d needs %d bytes more, and uses %d of the %d bytes of its stack", i, w.ID, n, used, w.Launch.Stack),
		Remedy: fmt.Sprintf("if the recursion ends, give it more: --stack %d", max(1<<12, min(math.MaxUint32/2, 4*(used+n))))}
}

// noRoom returns the mask of lane i if it has no room for a push, else 0.
func (w *Wave) noRoom(in *ir.Inst, i int) lane.Mask {
	_, size, align := ir.HostFields(in.Imm)
	n, old := uint64(size), w.Get(in.Args[0], i)
	if in.Args[1] != 0 {
		n = w.Get(in.Args[1], i)
	}
	if n > old || (old-n)&^uint64(align-1) < uint64(w.Func.LocalSize) {
		return lane.Lane(i)
	}
	return 0
}

// pop sets stack pointers back: see ir.HostPop. It returns false after a fault.
func (w *Wave) pop(in *ir.Inst, lanes lane.Mask) bool {
	top := w.laneBytes
	for i := range lanes.Lanes() {
		sp, to := w.Get(in.Args[0], i), w.Get(in.Args[1], i)
		if to < sp || to > top {
			w.Fault = &Fault{Code: CodeBadStack, Pos: in.Pos, Lanes: lane.Lane(i),
				Text:   fmt.Sprintf("lane %d of wave %d sets the stack pointer to %#x, which stacksave did not return: it is %#x, and the stack ends at %#x", i, w.ID, to, sp, top),
				Remedy: "restore only a value that stacksave returned in the same function"}
			return false
		}
		w.Set(in.Dst, i, to)
	}
	return true
}
