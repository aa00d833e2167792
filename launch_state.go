package crosslane

import "slices"

// A launchState is what the buffers of a launch hold, for launches that are made again.
type launchState struct {
	data    map[*Buffer][]byte
	written map[*Buffer]bool
}

// buffers are those of the launch, each once: those of the arguments in their order and those
// of symbols, each followed by those that it points to.
func (l *Launch) buffers() []*Buffer {
	var all []*Buffer
	seen := map[*Buffer]bool{}
	var add func(b *Buffer)
	follow := func(list []Pointer) {
		for _, p := range list {
			add(p.To)
		}
	}
	add = func(b *Buffer) {
		if b != nil && !seen[b] {
			seen[b] = true
			all = append(all, b)
			follow(b.Pointers)
		}
	}
	for _, a := range l.Args {
		switch a := a.(type) {
		case *Buffer:
			add(a)
		case Pointer:
			add(a.To)
		case Bytes:
			follow(a.Pointers)
		}
	}
	for _, s := range l.Symbols {
		add(s.Value)
	}
	return all
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
