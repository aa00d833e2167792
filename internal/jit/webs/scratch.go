package webs

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// Scratch is memory that functions are built in, one after the other. The zero Scratch is
// ready.
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

	// Lists that grow.
	globals               []varID
	exposed, killed       []varAt
	parent, view          []int32
	ext                   []Ext
	symbols, less, madeIn []symbol
	pairs                 []regPair
	joints                []joint
	blocks                []int
}

// Build is like the function Build. What it returns is there up to the next call only.
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

// Size is about how many bytes of memory are kept.
func (m *Scratch) Size() int {
	return m.ops.size() + m.infos.size() + m.code.size() + m.vals.size() + m.ints.size() + m.webs.size() + m.words.size() + m.lives.size() +
		8*(cap(m.parent)+cap(m.exposed)+cap(m.killed)) + cap(m.ext)*int(unsafe.Sizeof(Ext{}))
}

// A room is memory that is given out piece by piece. What there is no room for is made anew,
// and the next time there is.
type room[T any] struct {
	all, left []T
	used      int
}

// reset takes all pieces back.
func (r *room[T]) reset() {
	if r.used > len(r.all) {
		r.all = make([]T, r.used)
	}
	r.left, r.used = r.all, 0
}

// take is n elements that are zero.
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

func (r *room[T]) size() int {
	var x T
	return len(r.all) * int(unsafe.Sizeof(x))
}
