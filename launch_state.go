package crosslane

import "slices"

// A launchState is what the buffers of a launch hold, for launches that are made again.
type launchState struct {
	data    map[*Buffer][]byte
	written map[*Buffer]bool
}

func stateOf(args []Arg) launchState {
	s := launchState{map[*Buffer][]byte{}, map[*Buffer]bool{}}
	for _, a := range args {
		if b, ok := a.(*Buffer); ok && b != nil && s.data[b] == nil {
			s.data[b], s.written[b] = slices.Clone(b.Data), b.Written
		}
	}
	return s
}

func (s launchState) restore() {
	for b, data := range s.data {
		copy(b.Data, data)
		b.Written = s.written[b]
	}
}
