package session

import (
	"math"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/sim"
)

// A State is the contents of the memory of a launch, for launches that are made again.
type State struct {
	data    map[*api.Buffer][]byte
	written map[*api.Buffer]bool
	journal *journal // of a launch in a Resident; nil: the launch has memory of its own
}

// BuffersOf returns the buffers of the launch, each once: those of the arguments in their order and
// those of symbols, each followed by the buffers that it points to.
func BuffersOf(l *api.Launch) []*api.Buffer {
	all := bufferSet{list: make([]*api.Buffer, 0, len(l.Args)+len(l.Symbols))}
	for _, a := range l.Args {
		switch a := a.(type) {
		case *api.Buffer:
			all.add(a)
		case api.Pointer:
			all.add(a.To)
		case api.Bytes:
			all.follow(a.Pointers)
		}
	}
	for _, s := range l.Symbols {
		all.add(s.Value)
	}
	return all.list
}

// NamedBuffers returns the buffers whose elements a request can name: those of the launch, or the allocations of the
// device, as 32-bit words where their size allows that.
func NamedBuffers(l *Launch) []*api.Buffer {
	if l.On != nil {
		return l.On.r.named()
	}
	return BuffersOf(&l.Launch)
}

// A bufferSet is buffers in the order in which they were added.
type bufferSet struct {
	list []*api.Buffer
	seen map[*api.Buffer]bool // the list as a set, if it is long
}

// add adds a buffer and those that it points to.
func (s *bufferSet) add(b *api.Buffer) {
	if b == nil || s.has(b) {
		return
	}
	s.list = append(s.list, b)
	if s.seen != nil {
		s.seen[b] = true
	}
	s.follow(b.Pointers)
}

// follow adds the buffers that are pointed to.
func (s *bufferSet) follow(list []api.Pointer) {
	for _, p := range list {
		s.add(p.To)
	}
}

func (s *bufferSet) has(b *api.Buffer) bool {
	const few = 16
	if s.seen == nil && len(s.list) > few {
		s.seen = make(map[*api.Buffer]bool, 2*few)
		for _, b := range s.list {
			s.seen[b] = true
		}
	}
	if s.seen == nil {
		return slices.Contains(s.list, b)
	}
	return s.seen[b]
}

// StateOf returns the present contents. The state of a launch in a Resident has to be closed.
func StateOf(l *Launch) State {
	if l.On != nil {
		return State{journal: l.On.r.begin()}
	}
	s := State{data: map[*api.Buffer][]byte{}, written: map[*api.Buffer]bool{}}
	for _, b := range BuffersOf(&l.Launch) {
		s.data[b], s.written[b] = slices.Clone(b.Data), b.Written
	}
	return s
}

// Restore puts the contents back.
func (s State) Restore() {
	if s.journal != nil {
		s.journal.restore()
	}
	for b, data := range s.data {
		copy(b.Data, data)
		b.Written = s.written[b]
	}
}

// Close ends the state. It may be called several times.
func (s State) Close() {
	if s.journal != nil {
		s.journal.close()
	}
}

// Unlimited lets the state copy all that the launch changes.
func (s State) Unlimited() {
	if s.journal != nil {
		s.journal.left = math.MaxUint64
	}
}

// Kept reports whether Restore can put the contents back. It cannot if a launch on a device changed more
// bytes than may be copied.
func (s State) Kept() bool { return s.journal == nil || !s.journal.over }

// Old returns the contents that a buffer had.
func (s State) Old(b *api.Buffer) []byte { return s.data[b] }

// Journals reports whether First knows the contents of all allocations.
func (s State) Journals() bool { return s.journal != nil }

// First returns the contents that an allocation of a device had, if it was written since; else nil.
func (s State) First(a *sim.Alloc) []byte {
	if s.journal == nil || s.journal.saved[a] == nil {
		return nil
	}
	s.journal.lent = true
	return s.journal.saved[a].Data()
}

// Changes lists buffers with the contents of the state: those of the launch, or the allocations of the device
// that were written since.
func (s State) Changes(list []*api.Buffer) (out []Change) {
	if s.journal != nil {
		return s.journal.changes()
	}
	for _, b := range list {
		out = append(out, Change{Buffer: b, Old: s.data[b]})
	}
	return out
}
