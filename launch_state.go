package crosslane

import "slices"

// A launchState is the contents of a launch's buffers, for launches that are made again.
type launchState struct {
	data    map[*Buffer][]byte
	written map[*Buffer]bool
}

// buffers returns the buffers of the launch, each once: those of the arguments in their order and
// those of symbols, each followed by the buffers that it points to.
func (l *Launch) buffers() []*Buffer {
	all := bufferSet{list: make([]*Buffer, 0, len(l.Args)+len(l.Symbols))}
	for _, a := range l.Args {
		switch a := a.(type) {
		case *Buffer:
			all.add(a)
		case Pointer:
			all.add(a.To)
		case Bytes:
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
	list []*Buffer
	seen map[*Buffer]bool // the list as a set, if it is long
}

// add adds a buffer and those that it points to.
func (s *bufferSet) add(b *Buffer) {
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
func (s *bufferSet) follow(list []Pointer) {
	for _, p := range list {
		s.add(p.To)
	}
}

func (s *bufferSet) has(b *Buffer) bool {
	const few = 16
	if s.seen == nil && len(s.list) > few {
		s.seen = make(map[*Buffer]bool, 2*few)
		for _, b := range s.list {
			s.seen[b] = true
		}
	}
	if s.seen == nil {
		return slices.Contains(s.list, b)
	}
	return s.seen[b]
}

func stateOf(l *Launch) launchState {
	s := launchState{map[*Buffer][]byte{}, map[*Buffer]bool{}}
	for _, b := range l.buffers() {
		s.data[b], s.written[b] = slices.Clone(b.Data), b.Written
	}
	return s
}

func (s launchState) restore() {
	for b, data := range s.data {
		copy(b.Data, data)
		b.Written = s.written[b]
	}
}
