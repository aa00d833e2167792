package sim

import "example.org/crosslane/lane"

// What is remembered of the accesses to a place.

// A touch is an access that is remembered: a segment, a lane, an instruction. 0: none.
type touch uint64

const (
	posBits  = 24
	laneBits = 6
	segBits  = 32
	eitherAt = posBits + laneBits + segBits // bit: strong if the other one is
	manyAt   = 63                           // bit: of reads: it is the number of a set
)

func newTouch(seg uint32, i int, pos int32) touch {
	return touch(seg)<<(posBits+laneBits) | touch(i&63)<<posBits | touch(pos)&(1<<posBits-1)
}

func (t touch) seg() uint32  { return uint32(t >> (posBits + laneBits)) }
func (t touch) lane() int    { return int(t >> posBits & 63) }
func (t touch) pos() int32   { return int32(t & (1<<posBits - 1)) }
func (t touch) either() bool { return t>>eitherAt&1 != 0 }
func (t touch) many() bool   { return t>>manyAt != 0 }

// readSet is several reads of one place.
type readSet struct {
	list []readers
	more uint32 // further ones: a chain of readNode
}

// readers are lanes that have read, or strong accesses of a place.
type readers struct {
	seg   uint32
	pos   int32
	lanes lane.Mask
	// Of strong accesses:
	read, write bool
	dev         bool // their scope is the device
	data        bool // see ir.Data
}

// cell is what is known of one piece of memory.
type cell struct{ w, r touch }

// racePage is the size of a page of shadow, as a power of two of bytes.
const racePage = 10

// shadowPage is what is known of a page: of pieces of 4 bytes, until somebody accesses
// less.
type shadowPage struct {
	cells  []cell
	strong []*strongSet // nil: none
	fixed  []touch      // reads of data that nothing may write; nil: none
	bytes  bool         // the pieces are bytes
}

// strongSet is the strong accesses of a place, and what they signal.
type strongSet struct {
	list []readers
	to   [2]*clock // what has been released to the block .of, and to the device
	of   uint64
	from uint64 // the block that released to the device
	mix  bool   // several blocks did
}

// shadowMem is what is known of the bytes of an allocation, or of a block's shared memory.
type shadowMem struct{ pages []*shadowPage }

// page returns the page that holds an offset, made if need be; nil if there is no memory
// left for it.
func (k *races) page(s *shadowMem, size int, off uint64) *shadowPage {
	n := int(off >> racePage)
	if s.pages == nil {
		s.pages = make([]*shadowPage, (size+1<<racePage-1)>>racePage)
	}
	if p := s.pages[n]; p != nil {
		return p
	}
	const cells = 1 << racePage / 4
	if !k.take(cells * 16) {
		return nil
	}
	p := &shadowPage{cells: make([]cell, cells)}
	s.pages[n] = p
	return p
}

// take accounts for memory.
func (k *races) take(n uint64) bool {
	if k.used+n > k.limit {
		k.over = true
		return false
	}
	k.used += n
	return true
}

// split makes pieces of 4 bytes pieces of 1 byte.
func (k *races) split(p *shadowPage) bool {
	if p.bytes {
		return true
	}
	if !k.take(1 << racePage * 12) {
		return false
	}
	cells := make([]cell, 1<<racePage)
	for i, c := range p.cells {
		for j := range 4 {
			cells[4*i+j] = c
			if c.r.many() && j > 0 {
				cells[4*i+j].r = k.copySet(c.r)
			}
		}
	}
	if p.strong != nil {
		strong := make([]*strongSet, 1<<racePage)
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
		fixed := make([]touch, 1<<racePage)
		for i := range fixed {
			fixed[i] = p.fixed[i/4]
		}
		p.fixed = fixed
	}
	p.cells, p.bytes = cells, true
	return true
}

// newSet makes a set of reads.
func (k *races) newSet() uint32 {
	if n := len(k.free); n > 0 {
		i := k.free[n-1]
		k.free = k.free[:n-1]
		return i
	}
	k.used += 64
	k.sets = append(k.sets, readSet{})
	return uint32(len(k.sets) - 1)
}

func (k *races) copySet(t touch) touch {
	i := k.newSet()
	from := &k.sets[uint32(t)]
	s := &k.sets[i]
	s.list, s.more = append(s.list[:0], from.list...), from.more
	return touch(i) | 1<<manyAt
}

// drop forgets reads.
func (k *races) drop(t touch) {
	if t.many() {
		s := &k.sets[uint32(t)]
		s.list, s.more = s.list[:0], 0
		k.free = append(k.free, uint32(t))
	}
}
