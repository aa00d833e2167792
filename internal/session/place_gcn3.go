package session

import (
	"sync"

	"example.org/crosslane/codeobject"
)

// An objectPlacer puts a code object's segments into the memory of launches. Launches share the
// read-only part, code and constants; each launch has its own copy of the rest, which follows it.
type objectPlacer struct {
	o *codeobject.Object

	mu   sync.Mutex
	last *placedObject
	own  sync.Pool // *[]byte: the writable parts of launches that have ended
}

// placedObject is a code object as it stands in memory before a launch.
type placedObject struct {
	base     uint64
	image    []byte
	writable int // offset of the writable part; all bytes before it never change
}

// maxPlaced is how many bytes an object may have to be kept for the next launch.
const maxPlaced = 1 << 22

// place puts the object's segments into memory, so that constants and variables can be
// read, and returns the base address.
func (p *objectPlacer) load(mem *Memory) uint64 {
	size := int(p.o.Size())
	a := mem.Add("code object", nil)
	placed := p.at(a.Base, size)
	mem.Extend(a, placed.image)
	n := placed.writable
	// In files of LLVM's linker and of ours, code and constants lie before the writable part. In
	// other files the bytes after it can be written, too.
	if n > 0 && n < size {
		own := mem.Split(a, n)
		own.Data = p.clone(own.Data, n, mem)
	} else if n == 0 {
		a.Data = p.clone(a.Data, 0, mem)
	}
	a.ReadOnly = n > 0
	return a.Base
}

// clone copies the writable part, n bytes after an address that is a multiple of 8, to another
// address of that kind. It reuses the part of a launch that has ended, if there is one: n and the
// length are those of the object.
func (p *objectPlacer) clone(data []byte, n int, mem *Memory) []byte {
	c, _ := p.own.Get().(*[]byte)
	if c == nil || len(*c) != len(data) {
		fresh := Aligned(n%8 + len(data))[n%8:]
		c = &fresh
	}
	copy(*c, data)
	if len(data) <= maxPlaced {
		mem.unused = func() { p.own.Put(c) }
	}
	return *c
}

// at is the object as it stands at an address.
func (p *objectPlacer) at(base uint64, size int) *placedObject {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && p.last.base == base {
		return p.last
	}
	x := &placedObject{base: base, image: Aligned(size), writable: size}
	for _, seg := range p.o.Loaded(base) {
		copy(x.image[seg.Addr-base:], seg.Data)
		if seg.Write {
			x.writable = min(x.writable, int(seg.Addr-base))
		}
	}
	if size <= maxPlaced {
		p.last = x
	}
	return x
}
