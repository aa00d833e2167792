package webs

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// Scratch is memory in which successive calls of Build work. The zero Scratch is ready.
type Scratch struct {
	ints  room[int32]
	webs  room[Web]
	refs  room[ir.Ref]
	words room[uint64]
	bools room[bool]
	bytes room[uint8]
	edges room[[]int32]
	lives room[[]Web]
	ops   room[Operands]
	infos room[WebInfo]
	code  room[ir.Inst]
	vals  room[ir.Value]

	// lists that grow
	globals               []varID
	exposed, killed       []varAt
	parent, view          []int32
	ext                   []Ext
	symbols, less, madeIn []symbol
	pairs                 []regPair
	joints                []joint
	blocks                []int
}

// Build is like the function Build. Its result is valid until the next call.
func (m *Scratch) Build(f *ir.Func, g Geometry) *Func {
	m.ints.reset()
	m.webs.reset()
	m.refs.reset()
	m.words.reset()
	m.bools.reset()
	m.bytes.reset()
	m.edges.reset()
	m.lives.reset()
	m.ops.reset()
	m.infos.reset()
	m.code.reset()
	m.vals.reset()
	return build(f, g, m)
}

// Size returns the approximate number of bytes that are kept.
func (m *Scratch) Size() int {
	return m.ops.size() + m.infos.size() + m.code.size() + m.vals.size() + m.ints.size() + m.webs.size() + m.words.size() + m.lives.size() +
		8*(cap(m.parent)+cap(m.exposed)+cap(m.killed)) + cap(m.ext)*int(unsafe.Sizeof(Ext{}))
}

// A room is memory that is handed out in pieces. If a piece does not fit, it is allocated
// separately, and the next reset enlarges the room.
//
// Invariant: a room never frees or moves a piece before reset.
type room[T any] struct {
	all, left []T
	used      int
}

// reset takes back all pieces.
func (r *room[T]) reset() {
	if r.used > len(r.all) {
		r.all = make([]T, r.used)
	}
	r.left, r.used = r.all, 0
}

// take returns n elements that are zero.
func (r *room[T]) take(n int) []T {
	r.used += n
	if n > len(r.left) {
		return make([]T, n)
	}
	s := r.left[:n:n]
	r.left = r.left[n:]
	clear(s)
	return s
}

// size returns the bytes that the room keeps.
func (r *room[T]) size() int {
	var x T
	return len(r.all) * int(unsafe.Sizeof(x))
}
