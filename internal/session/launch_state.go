package session

import (
	"slices"

	"example.org/crosslane/api"
)

// A State is the contents of a launch's buffers, for launches that are made again.
type State struct {
	Data    map[*api.Buffer][]byte
	written map[*api.Buffer]bool
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

func StateOf(l *api.Launch) State {
	s := State{map[*api.Buffer][]byte{}, map[*api.Buffer]bool{}}
	for _, b := range BuffersOf(l) {
		s.Data[b], s.written[b] = slices.Clone(b.Data), b.Written
	}
	return s
}

func (s State) Restore() {
	for b, data := range s.Data {
		copy(b.Data, data)
		b.Written = s.written[b]
	}
}
