package interp

import (
	"unsafe"

	"example.org/crosslane/lane"
)

// A permutation says for permute64 where the 64 lanes of a result come from, in groups of
// eight lanes: from one group of eight lanes of the source, or from two.
type permutation [8]struct {
	lane  [8]uint32 // in its group
	other [8]uint32 // the sign bit chooses the second group
	keep  [8]uint32 // ones, or 0 for lanes without a source, which get 0
	at    [2]uint32 // the groups' distance from the first lane, in bytes
	_     [2]uint32
}

// newPermutation returns the permutation that takes lane i from lane src[i], and 0 where
// source has no bit; nil if a group of lanes would need three groups.
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
