package race

import (
	"cmp"
	"maps"
	"slices"

	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Shadow memory: the accesses to each place that the detector remembers.
//
// Input: a place: an allocation or the shared memory of a block, and an offset.
// Output: the cell of the place, made on first use.
// Invariant: a page has cells for pieces of 4 bytes until an access touches a part of one; split then makes
// one cell per byte.
// Example: a store of 1 byte at offset 6 splits page 0 into 1,024 cells and changes cell 6.

// A touch is a remembered access, packed: a segment, a lane, an instruction. 0: none.
type touch uint64

const (
	posBits  = 24
	laneBits = 6
	segBits  = 32
	eitherAt = posBits + laneBits + segBits // bit: the access is strong if the other one is
	manyAt   = 63                           // bit, of reads: the touch is the index of a set
)

// newTouch packs an access.
func newTouch(seg uint32, i int, pos int32) touch {
	return touch(seg)<<(posBits+laneBits) | touch(i&63)<<posBits | touch(pos)&(1<<posBits-1)
}

func (t touch) seg() uint32  { return uint32(t >> (posBits + laneBits)) }
func (t touch) lane() int    { return int(t >> posBits & 63) }
func (t touch) pos() int32   { return int32(t & (1<<posBits - 1)) }
func (t touch) either() bool { return t>>eitherAt&1 != 0 }
func (t touch) many() bool   { return t>>manyAt != 0 }

// readSet holds several reads of one place.
type readSet struct {
	list []readers
	more uint32 // further reads: a chain of readNode
}

// readers are the lanes of one instruction that have read a place, or have accessed it strongly.
type readers struct {
	seg   uint32
	pos   int32
	lanes lane.Mask
	// For strong accesses:
	read, write bool
	reach       reach
	data        bool // see ir.Data
}

// cell holds the last write of a piece of memory and its reads since then.
type cell struct{ w, r touch }

// pageBits is the size of a shadow page, as a power of two of bytes.
const pageBits = 10

// shadowPage is the shadow of a page: of pieces of 4 bytes, until an access touches less.
type shadowPage struct {
	cells  []cell
	strong []*strongSet // nil: none
	fixed  []touch      // reads of data that nothing may write; nil: none
	bytes  bool         // the pieces are bytes
}

// strongSet holds the strong accesses of a place, and the clocks that they release.
type strongSet struct {
	list []readers
	releases
	lost bool // the list had more than maxStrong accesses
}

// shadowMem is the shadow of an allocation, or of the shared memory of a block.
type shadowMem struct{ pages []*shadowPage }

// page returns the page that holds an offset, and makes it if need be; nil if no memory is left for it.
func (k *Detector) page(s *shadowMem, size int, off uint64) *shadowPage {
	n := int(off >> pageBits)
	if s.pages == nil {
		s.pages = make([]*shadowPage, (size+1<<pageBits-1)>>pageBits)
	}
	if p := s.pages[n]; p != nil {
		return p
	}
	const cells = 1 << pageBits / 4
	if !k.take(cells * 16) {
		return nil
	}
	p := &shadowPage{cells: make([]cell, cells)}
	s.pages[n] = p
	return p
}

// take accounts for n bytes. It returns false if the limit does not allow them.
func (k *Detector) take(n uint64) bool {
	if k.used+n > k.limit {
		k.over = true
		return false
	}
	k.used += n
	return true
}

// split turns pieces of 4 bytes into pieces of 1 byte. It returns false if no memory is left.
func (k *Detector) split(p *shadowPage) bool {
	if p.bytes {
		return true
	}
	if !k.take(1 << pageBits * 12) {
		return false
	}
	cells := make([]cell, 1<<pageBits)
	for i, c := range p.cells {
		for j := range 4 {
			cells[4*i+j] = c
			if c.r.many() && j > 0 {
				cells[4*i+j].r = k.copySet(c.r)
			}
		}
	}
	if p.strong != nil {
		strong := make([]*strongSet, 1<<pageBits)
		for i, s := range p.strong {
			for j := range 4 {
				if s != nil {
					if j == 0 {
						strong[4*i] = s
						continue
					}
					c := *s
					c.list = append([]readers(nil), s.list...)
					strong[4*i+j] = &c
					k.signals = append(k.signals, &c)
				}
			}
		}
		p.strong = strong
	}
	if p.fixed != nil {
		fixed := make([]touch, 1<<pageBits)
		for i := range fixed {
			fixed[i] = p.fixed[i/4]
		}
		p.fixed = fixed
	}
	p.cells, p.bytes = cells, true
	return true
}

// newSet returns the index of an empty set of reads.
func (k *Detector) newSet() uint32 {
	if n := len(k.free); n > 0 {
		i := k.free[n-1]
		k.free = k.free[:n-1]
		return i
	}
	k.used += 64
	k.sets = append(k.sets, readSet{})
	return uint32(len(k.sets) - 1)
}

// copySet returns a touch of a copy of a set.
func (k *Detector) copySet(t touch) touch {
	i := k.newSet()
	from := &k.sets[uint32(t)]
	s := &k.sets[i]
	s.list, s.more = append(s.list[:0], from.list...), from.more
	return touch(i) | 1<<manyAt
}

// drop forgets reads, and frees their set.
func (k *Detector) drop(t touch) {
	if t.many() {
		s := &k.sets[uint32(t)]
		s.list, s.more = s.list[:0], 0
		k.free = append(k.free, uint32(t))
	}
}

// A Range is bytes of an allocation that a launch accessed.
type Range struct {
	Lo, Hi uint64 // offsets of the first byte and after the last one
	Write  bool
	Strong bool  // all accesses were strong, in the scope of the device: they race with no other such access
	Pos    int32 // an instruction that accessed the first byte; -1: not known
}

// Ranges yields the bytes of global memory that the launch accessed, by allocation and offset. Bytes that it
// read and wrote count as written. The pieces are those of the shadow: 4 bytes, or single bytes. Read-only
// memory follows if Constants was called.
func (k *Detector) Ranges(yield func(a *sim.Alloc, r Range)) {
	byAddress := func(a, b *sim.Alloc) int { return cmp.Compare(a.Base, b.Base) }
	for _, a := range slices.SortedFunc(maps.Keys(k.shadows), byAddress) {
		s := k.shadows[a]
		var last Range
		for n, p := range s.pages {
			if p == nil {
				continue
			}
			step := uint64(4)
			if p.bytes {
				step = 1
			}
			for i := range p.cells {
				r, ok := k.accessed(p, i)
				if !ok {
					continue
				}
				r.Lo = uint64(n)<<pageBits + uint64(i)*step
				r.Hi = min(r.Lo+step, uint64(len(a.Data)))
				if last.Hi == r.Lo && last.Write == r.Write && last.Strong == r.Strong && last.Hi != 0 {
					last.Hi = r.Hi
					continue
				}
				if last.Hi != 0 {
					yield(a, last)
				}
				last = r
			}
		}
		if last.Hi != 0 {
			yield(a, last)
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(k.constants), byAddress) {
		k.constants[a].ranges(a, yield)
	}
}

// accessed returns how the launch accessed a piece of a page, without its offsets. ok is false if it did not.
func (k *Detector) accessed(p *shadowPage, i int) (r Range, ok bool) {
	c := p.cells[i]
	switch {
	case c.w != 0:
		return Range{Write: true, Pos: c.w.pos()}, true
	case c.r.many():
		ok = true
		if list := k.sets[uint32(c.r)].list; len(list) > 0 {
			r.Pos = list[0].pos
		}
	case c.r != 0:
		r.Pos, ok = c.r.pos(), true
	case p.fixed != nil && p.fixed[i] != 0:
		r.Pos, ok = p.fixed[i].pos(), true
	}
	if p.strong == nil || p.strong[i] == nil {
		return r, ok
	}
	r.Strong = !ok
	for _, x := range p.strong[i].list {
		if x.write && !r.Write || !ok {
			r.Pos = x.pos
		}
		r.Write, r.Strong, ok = r.Write || x.write, r.Strong && x.reach == inGrid, true
	}
	return r, ok
}
