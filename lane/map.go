package lane

import (
	"strconv"
	"strings"
)

// Source is the origin of the value of one destination lane: 0..63 is that lane, [Zero] and [Keep]
// are the two other possibilities.
type Source uint8

const (
	// Zero: the lane receives 0.
	Zero Source = 0x80
	// Keep: the lane's destination is not updated.
	Keep Source = 0x81
)

// Lane returns the lane read, and whether a lane is read at all.
func (s Source) Lane() (lane int, ok bool) { return int(s & 63), s < 64 }

// String prints the lane number, "zero" or "keep".
func (s Source) String() string {
	switch {
	case s < 64:
		return strconv.Itoa(int(s))
	case s == Zero:
		return "zero"
	}
	return "keep"
}

// Map is a cross-lane instruction that moves data, with its controls applied: for every destination
// lane, the source of its value. All sources are read before any destination is written, so the
// destination may be the source register.
//
// Maps are comparable with ==: entries of Src from Lanes on are always Keep. The zero Map is not a
// valid map; see [NewMap].
type Map struct {
	// Lanes is the wave size, 32 or 64.
	Lanes int
	// Src holds, for every destination lane, the source of its value.
	Src [64]Source
	// Undef is the set of destination lanes whose value the manual leaves undefined. Src still
	// holds the lane that they would read.
	Undef Mask
}

// keepAll is the Src of a map that moves nothing. It is never written.
var keepAll = func() (k [64]Source) {
	for i := range k {
		k[i] = Keep
	}
	return k
}()

// NewMap returns the map over the given number of lanes (clamped to 0..64) in which every lane
// keeps its old value.
func NewMap(lanes int) Map { return Map{Lanes: min(max(lanes, 0), 64), Src: keepAll} }

// Identity returns the map in which every lane reads itself.
func Identity(lanes int) Map {
	m := NewMap(lanes)
	for i := range m.Lanes {
		m.Src[i] = Source(i)
	}
	return m
}

// lanes returns Lanes, clamped to a bound that is safe for Src.
func (m *Map) lanes() int { return min(max(m.Lanes, 0), 64) }

// Writes returns the destination lanes that are written: those that are not Keep.
func (m *Map) Writes() Mask {
	var w Mask
	for i, s := range &m.Src {
		if s != Keep {
			w |= 1 << uint(i)
		}
	}
	return w & All(m.Lanes)
}

// Zeroes returns the destination lanes that receive 0.
func (m *Map) Zeroes() Mask {
	var z Mask
	for i, s := range &m.Src {
		if s == Zero {
			z |= 1 << uint(i)
		}
	}
	return z & All(m.Lanes)
}

// Reads returns the lanes that are read by some lane, undefined readers included.
func (m *Map) Reads() Mask { return m.SourcesOf(^Mask(0)) }

// SourcesOf returns the lanes that the given destination lanes read. With m.Undef it returns the
// lanes that should not have been read.
func (m *Map) SourcesOf(readers Mask) Mask {
	var r Mask
	readers &= All(m.Lanes)
	for i, s := range &m.Src {
		if s < 64 {
			r |= (readers >> uint(i) & 1) << s
		}
	}
	return r
}

// ReadersOf returns the destination lanes that read one of the given lanes.
func (m *Map) ReadersOf(sources Mask) Mask {
	var r Mask
	for i, s := range &m.Src {
		if s < 64 {
			r |= (sources >> s & 1) << uint(i)
		}
	}
	return r & All(m.Lanes)
}

// Apply32 moves 32-bit values: dst[i] = src[Src[i]], 0 for Zero, old[i] for Keep. All of src and
// old is read before dst is written, so dst may be src or old. A nil old means dst. Entries of dst
// from Lanes on are unchanged.
func (m *Map) Apply32(dst, src, old *[64]uint32) {
	if old == nil {
		old = dst
	}
	out := *old
	n := m.lanes()
	for i, s := range m.Src[:n] {
		switch {
		case s < 64:
			out[i] = src[s]
		case s == Zero:
			out[i] = 0
		}
	}
	copy(dst[:n], out[:n])
}

// Apply is [Map.Apply32] for slices of any type; Zero delivers the zero value of T. The slices hold
// at least m.Lanes entries. In a shorter slice the missing lanes deliver T's zero and receive
// nothing. dst may be src or old; a nil old means dst.
func Apply[T any](m *Map, dst, src, old []T) {
	var out [64]T
	if old == nil {
		old = dst
	}
	n := m.lanes()
	for i, s := range m.Src[:n] {
		switch {
		case int(s) < len(src) && s < 64:
			out[i] = src[s]
		case s == Keep && i < len(old):
			out[i] = old[i]
		}
	}
	copy(dst[:min(n, len(dst))], out[:])
}

// ApplyMask moves one bit per lane, like Apply32 moves words. It serves predicates, and marks like
// poison that travel with a value. Undef is not included.
func (m *Map) ApplyMask(src, old Mask) Mask {
	var out Mask
	for i, s := range &m.Src {
		switch {
		case s < 64:
			out |= (src >> s & 1) << uint(i)
		case s == Keep:
			out |= old & (1 << uint(i))
		}
	}
	return out & All(m.Lanes)
}

// Then returns the map of m followed by n, both in place on one register: a lane that keeps its
// value in m passes its own value on to n. The result has the larger number of lanes.
func (m *Map) Then(n *Map) Map {
	r := NewMap(max(m.Lanes, n.Lanes))
	for i := range r.Lanes {
		s := n.Src[i]
		r.Undef |= n.Undef & Lane(i)
		if s == Zero {
			r.Src[i] = Zero
			continue
		}
		j := i
		if s != Keep {
			j = int(s & 63)
		}
		r.Undef |= (m.Undef >> uint(j) & 1) << uint(i)
		t := m.Src[j]
		if t == Keep && j != i {
			t = Source(j)
		}
		if t == Keep && s != Keep {
			t = Source(i)
		}
		r.Src[i] = t
	}
	return r
}

// Equal reports whether two maps are the same, undefined lanes included.
func (m *Map) Equal(n *Map) bool { return *m == *n }

// String returns one word per destination lane, in order: the source lane, "z" for zero, "=" for
// keep, and "!" after lanes whose value is undefined.
func (m *Map) String() string {
	var b strings.Builder
	for i := range m.lanes() {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch s := m.Src[i]; {
		case s < 64:
			b.WriteString(strconv.Itoa(int(s)))
		case s == Zero:
			b.WriteByte('z')
		default:
			b.WriteByte('=')
		}
		if m.Undef.Has(i) {
			b.WriteByte('!')
		}
	}
	return b.String()
}
