package sim

import (
	"fmt"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Bulk copies memory to memory for the lanes of m, one lane after another. Each copy is done at once, which
// is one of the orders that asynchronous copies may have. It returns false after a fault.
//
//go:norace
func (w *Wave) Bulk(in *ir.Inst, m lane.Mask) bool {
	space, elem, op := ir.BulkFields(in.Imm)
	// Reads and writes are two accesses for the race detector.
	src := *in // the read as an access of its own, for find and its messages
	src.Args[0], src.Space, src.Flags = in.Args[1], space, in.Flags&ir.Undefined
	dest, kind := in, ir.AccessWrite
	if elem != 0 && w.races != nil {
		// PTX 9.7.9.26.4.2: each element is an atomic, .relaxed.gpu, of the destination.
		atomic := *in
		atomic.Order = ir.Strong | ir.Device
		dest, kind = &atomic, ir.AccessUpdate
	}
	reads, writes := w.accesses(&src, ir.AccessRead), w.accesses(dest, kind)
	defer reads.end()
	defer writes.end()
	for i := range m.Lanes() {
		to, n := w.Get(in.Args[0], i), w.Get(in.Args[2], i)
		if a := uint64(in.Align); a > 1 && n%a != 0 {
			w.fault(CodeMisaligned, in, to, n, i, true, fmt.Sprintf("the size must be a multiple of %d", a))
			return false
		}
		if n == 0 {
			continue
		}
		var r Region
		d := w.Slow(in, &r, to, n, i, true)
		if d == nil {
			return false
		}
		if in.Space <= ir.Global || w.cluster != nil {
			w.Stored(to)
		}
		w.wrote(in, i, to, n)
		dst := unsafe.Slice((*byte)(d), n)
		if in.Args[1] == 0 {
			writes.touch(i, in.Space, to, n, nil)
			clear(dst)
			continue
		}
		from := w.Get(in.Args[1], i)
		var rs Region
		s := w.Slow(&src, &rs, from, n, i, false)
		if s == nil {
			return false
		}
		data := unsafe.Slice((*byte)(s), n)
		reads.touch(i, space, from, n, nil)
		w.read(in, i, space, from, n)
		if in.Args[3] == 0 {
			writes.touch(i, in.Space, to, n, data)
		}
		if in.Flags&ir.Undefined != 0 {
			reachBulk(w, in, space, i, to, from, data)
		}
		switch {
		case elem != 0 && in.Flags&ir.Undefined != 0:
			undefReduce(dst, data, int(elem))
		case elem != 0:
			w.reduce(dst, data, to, elem, op, r.Ptr != nil && !r.Private)
		case in.Args[3] != 0:
			mask := w.Get(in.Args[3], i)
			for j := range dst {
				if mask>>(j&15)&1 != 0 {
					writes.touch(i, in.Space, to+uint64(j), 1, data[j:j+1])
					dst[j] = data[j]
				}
			}
		default:
			copy(dst, data)
		}
	}
	return true
}

// reduce combines each element of dst with the element of data at the same index.
//
//go:norace
func (w *Wave) reduce(dst, data []byte, addr uint64, size uint8, op ir.AtomicOp, global bool) {
	f := AtomicFn(op, size)
	if global {
		f = AtomicFnGlobal(op, size)
	}
	for j := 0; j < len(dst); j += int(size) {
		p := unsafe.Pointer(&dst[j])
		a := element(unsafe.Pointer(&data[j]), size)
		if global && !w.Alone() {
			w.AtomicRMW(p, addr+uint64(j), op, size, f, a, 0)
			continue
		}
		v := f(element(p, size), a, 0)
		switch size {
		case 2:
			*(*uint16)(p) = uint16(v)
		case 4:
			*(*uint32)(p) = uint32(v)
		default:
			*(*uint64)(p) = v
		}
	}
}

// element reads one element of 2, 4 or 8 bytes.
//
//go:norace
func element(p unsafe.Pointer, size uint8) uint64 {
	switch size {
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// Fail faults for the lanes of m whose element of Args[0] is not 0: it is the number of a reason. It
// returns true if there are none.
func (w *Wave) Fail(in *ir.Inst, m lane.Mask) bool {
	var bad lane.Mask
	why := uint64(0)
	var some [4]uint64
	p := w.Ptr(in.Args[0])
	for range w.Func.Lanes / 8 {
		v := (*[4]uint64)(p)
		some[0] |= v[0]
		some[1] |= v[1]
		some[2] |= v[2]
		some[3] |= v[3]
		p = unsafe.Add(p, 32)
	}
	if some == [4]uint64{} {
		return true // the usual case
	}
	for i := range m.Lanes() {
		if v := w.Get(in.Args[0], i); v != 0 {
			if bad == 0 {
				why = v
			}
			if v == why {
				bad |= lane.Lane(i)
			}
		}
	}
	if bad == 0 {
		return true
	}
	reason := ir.FailReason(min(in.Imm+why-1, uint64(ir.NumFails)-1))
	if reason == ir.NoteLimit {
		w.note(w, CodeLDSLimit, in.Pos, finding{lanes: bad})
		return true
	}
	code, text, remedy := failText(reason)
	if in.Args[1] != 0 {
		text = fmt.Sprintf(text, int32(w.Get(in.Args[1], bad.First())))
	}
	one, many := "of wave %d fails", "of wave %d fail"
	w.Fault = &Fault{Code: code, Pos: in.Pos, Lanes: bad, Remedy: remedy,
		Text: bad.Do(fmt.Sprintf(one, w.ID), fmt.Sprintf(many, w.ID)) + ": " + text}
	return false
}

// failText returns the code, the text and the remedy of a reason.
func failText(r ir.FailReason) (code, text, remedy string) {
	const init = "mbarrier.init the object first, wait until all threads see it, and leave its 8 bytes alone until mbarrier.inval"
	switch r {
	case ir.FailMbarNoObject:
		return CodeBadMbarrier, "the address holds no mbarrier object: it was never initialised, was invalidated, or was written over (PTX 9.7.14.16.4)", init
	case ir.FailMbarBadCount:
		return CodeBadMbarrier, "the count of mbarrier.init is outside 1 to 1048575 (PTX 9.7.14.16.12)", "initialise with the number of arrivals that complete a phase"
	case ir.FailMbarTooMany:
		return CodeBadMbarrier, "more arrivals than the phase of the mbarrier object has pending (PTX 9.7.14.16.3)", "count the arrivals of a phase: threads, cp.async.mbarrier.arrive.noinc and counts given; let no thread arrive twice in one phase"
	case ir.FailMbarTxRange:
		return CodeBadMbarrier, "the tx-count of the mbarrier object leaves -1048575 to 1048575 (PTX 9.7.14.16.3)", "expect as many bytes with expect_tx as the copies deliver"
	case ir.FailMbarIncomplete:
		return CodeBadMbarrier, "an arrival with .noComplete completes the phase (PTX 9.7.14.16.16)", "leave .noComplete out where the arrival may be the last one"
	case ir.FailNoRank:
		return CodeNoRank, "a block of the cluster is addressed that does not exist (PTX 9.7.9.24)", "use ranks below %cluster_nctarank, or launch larger clusters with --cluster"
	case ir.FailRegister:
		return CodeBadRegister, "M0 gives the register number %d, which the kernel does not have", "check the index against the array that is kept in registers; .amdhsa_next_free_vgpr says how many there are"
	case ir.FailPair:
		return CodeBadRegister, "M0 gives the number %d for a pair of registers: pairs begin at even numbers", "add even numbers to pairs of registers"
	case ir.FailBufferFormat:
		return CodeBufferFormat, "the manual specifies no conversion for the buffer's data and number format, its DST_SEL, or the stored value (GCN3 ISA 8.1.4)",
			"set the format in the last dword of the descriptor; store integers and floats that the format can hold, and as many components as it has"
	case ir.FailTensorField:
		return CodeTensorMap, "the field of the tensor map cannot hold the value (PTX 9.7.9.27)",
			"replace rank by 0 to 4 (the rank minus 1), box_dim by 1 to 256, element_stride by 1 to 8, and global_stride by a multiple of 16 below 2^40"
	case ir.FailNotCooperative:
		return CodeNotCooperative, "the kernel synchronises the grid, and the launch is not cooperative: its blocks need not be in flight at the same time", "launch it with --cooperative (in CUDA: cudaLaunchCooperativeKernel)"
	}
	return CodeTrap, "the instruction failed", ""
}
