package lane

import (
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// Mask is a set of lanes: bit i stands for lane i. PTX membermasks and active
// masks use the low 32 bits, GCN3's EXEC and VCC use all 64.
type Mask uint64

// All returns the mask of lanes 0 to lanes-1. It is empty for lanes <= 0 and
// has 64 lanes for lanes >= 64.
func All(lanes int) Mask {
	switch {
	case lanes <= 0:
		return 0
	case lanes >= 64:
		return ^Mask(0)
	}
	return 1<<uint(lanes) - 1
}

// Lane returns the mask that holds lane i alone; it is empty unless 0 <= i < 64.
func Lane(i int) Mask {
	if uint(i) > 63 {
		return 0
	}
	return 1 << uint(i)
}

// Has reports whether lane i is in the mask. No lane outside 0..63 is.
func (m Mask) Has(i int) bool { return uint(i) < 64 && m>>(uint(i)&63)&1 != 0 }

// Count returns the number of lanes in the mask.
func (m Mask) Count() int { return bits.OnesCount64(uint64(m)) }

// First returns the lowest lane of the mask, or -1 if the mask is empty.
func (m Mask) First() int {
	if m == 0 {
		return -1
	}
	return bits.TrailingZeros64(uint64(m))
}

// Last returns the highest lane of the mask, or -1 if the mask is empty.
func (m Mask) Last() int { return bits.Len64(uint64(m)) - 1 }

// Lanes yields the lanes of the mask in ascending order.
func (m Mask) Lanes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for r := uint64(m); r != 0; r &= r - 1 {
			if !yield(bits.TrailingZeros64(r)) {
				return
			}
		}
	}
}

// String lists the lanes as ranges, "0-3, 17"; the empty mask is "none".
func (m Mask) String() string {
	if m == 0 {
		return "none"
	}
	var b strings.Builder
	for r := uint64(m); r != 0; {
		lo := bits.TrailingZeros64(r)
		n := bits.TrailingZeros64(^(r >> uint(lo)))
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(lo))
		if n > 1 {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(lo + n - 1))
		}
		if lo+n >= 64 {
			break
		}
		r = r >> uint(lo+n) << uint(lo+n)
	}
	return b.String()
}

// Hex returns the mask in the spelling of PTX and GCN3 sources: 0x and one hexadecimal digit for
// every four of the given lanes (8 digits for 32, 16 for 64). Higher lanes that are in the mask are
// still printed.
func (m Mask) Hex(lanes int) string {
	s := strconv.FormatUint(uint64(m), 16)
	if pad := (lanes+3)/4 - len(s); pad > 0 {
		s = strings.Repeat("0", min(pad, 16)) + s
	}
	return "0x" + s
}

// Named is String with the noun in singular or plural: "lane 19", "lanes 4-15", "no lane".
func (m Mask) Named() string {
	switch m.Count() {
	case 0:
		return "no lane"
	case 1:
		return "lane " + m.String()
	}
	return "lanes " + m.String()
}

// Do is Named with a verb, in the singular or in the plural.
func (m Mask) Do(one, many string) string {
	if m.Count() == 1 {
		return m.Named() + " " + one
	}
	return m.Named() + " " + many
}
