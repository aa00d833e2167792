package interp

import (
	"unsafe"

	"example.org/crosslane/lane"
)

// A permutation describes for permute64 the source lane of each of 64 lanes. A group of eight
// lanes takes its values from one or two groups of eight lanes of the source.
type permutation [8]struct {
	lane  [8]uint32 // the source lane in its group
	other [8]uint32 // the sign bit selects the second group
	keep  [8]uint32 // all ones; 0 for a lane without a source, which gets 0
	at    [2]uint32 // the byte offsets of the two groups
	_     [2]uint32
}

// newPermutation returns the permutation that copies lane src[i] to lane i, and 0 if source
// has no bit i. It is nil if a group of lanes needs more than two groups.
func newPermutation(src *[64]uint8, source lane.Mask) *permutation {
	p := new(permutation)
	for g := range p {
		k := &p[g]
		n := 0
		for i := range 8 {
			if !source.Has(8*g + i) {
				continue
			}
			from := uint32(src[8*g+i] & 63)
			k.lane[i], k.keep[i] = from&7, 1<<32-1
			at := from / 8 * 32
			switch {
			case n > 0 && k.at[0] == at:
			case n > 1 && k.at[1] == at:
				k.other[i] = 1 << 31
			case n == 2:
				return nil
			default:
				k.at[n] = at
				k.other[i] = uint32(n) << 31
				n++
			}
		}
	}
	return p
}

// apply performs the permutation; dst and src may be the same.
func (p *permutation) apply(dst, src unsafe.Pointer) { permute64(dst, src, unsafe.Pointer(p)) }
