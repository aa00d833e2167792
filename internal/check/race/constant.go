package race

import "example.org/crosslane/internal/sim"

// Reads of memory that the guest cannot write. They race with nothing in their launch, and may with a copy of the
// host.
//
// Input: the reads of a launch for which Constants was called.
// Output: ranges of read-only allocations (Ranges).
// Invariant: a bit stands for 4 bytes of the allocation, and is set if a lane has read one of them.
// Example: ld.const.u32 of table[1] sets bit 1.

// constantReads is the reads of one allocation.
type constantReads struct {
	words []uint64
	pos   int32 // the first instruction that read it
}

// Constants makes the detector remember reads of read-only memory, too.
func (d *Detector) Constants() { d.constants = map[*sim.Alloc]*constantReads{} }

// readConstant remembers that the present access of the wave reads n bytes of a read-only allocation.
func (w *wave) readConstant(a *sim.Alloc, off, n uint64) {
	k := w.d
	if k.constants == nil || n == 0 {
		return
	}
	c := k.constants[a]
	if c == nil {
		size := uint64(len(a.Data)+255) / 256
		if !k.take(8 * size) {
			return
		}
		c = &constantReads{words: make([]uint64, size), pos: w.pos}
		k.constants[a] = c
	}
	for i := off / 4; i <= (off+n-1)/4; i++ {
		c.words[i/64] |= 1 << (i % 64)
	}
}

// ranges yields the bytes that were read, by offset.
func (c *constantReads) ranges(a *sim.Alloc, yield func(a *sim.Alloc, r Range)) {
	size := uint64(len(a.Data))
	for lo := uint64(0); lo < size; lo += 4 {
		if !c.read(lo) {
			continue
		}
		hi := lo
		for hi < size && c.read(hi) {
			hi += 4
		}
		yield(a, Range{Lo: lo, Hi: min(hi, size), Pos: c.pos})
		lo = hi
	}
}

// read reports whether the piece of 4 bytes at an offset was read.
func (c *constantReads) read(off uint64) bool { return c.words[off/256]>>(off/4%64)&1 != 0 }
