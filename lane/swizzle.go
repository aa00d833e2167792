package lane

import (
	"fmt"
	"math/bits"
	"strconv"
)

// SwizzlePattern is the offset field of ds_swizzle_b32.
//
//	 15 14        10 9          5 4          0
//	+--+------------+------------+------------+
//	| 0|  xor_mask  |  or_mask   |  and_mask  |   BitMode
//	+--+------------+---+--+--+--+--+--+--+---+
//	| 1|     (ignored)  | l3  | l2  | l1  | l0 |   QDMode: l0 = [1:0] … l3 = [7:6]
//	+--+----------------+-----+-----+-----+----+
type SwizzlePattern uint16

// SwizzleQuad returns the QDMode pattern in which lane i of every four reads the i-th of the given
// elements (0..3, higher bits are ignored).
func SwizzleQuad(l0, l1, l2, l3 uint8) SwizzlePattern {
	return 0x8000 | SwizzlePattern(l0&3) | SwizzlePattern(l1&3)<<2 | SwizzlePattern(l2&3)<<4 | SwizzlePattern(l3&3)<<6
}

// SwizzleBits returns the BitMode pattern with the given masks (5 bits each).
func SwizzleBits(and, or, xor uint8) SwizzlePattern {
	return SwizzlePattern(and&31) | SwizzlePattern(or&31)<<5 | SwizzlePattern(xor&31)<<10
}

// SwizzleSwap returns the pattern that swaps neighbouring groups of size lanes:
// 1, 2, 4, 8 or 16.
func SwizzleSwap(size int) (SwizzlePattern, error) {
	if size < 1 || size > 16 || size&(size-1) != 0 {
		return 0, fmt.Errorf("swizzle(SWAP,%d): group size must be 1, 2, 4, 8 or 16", size)
	}
	return SwizzleBits(31, 0, uint8(size)), nil
}

// SwizzleReverse returns the pattern that reverses groups of size lanes: 2, 4,
// 8, 16 or 32.
func SwizzleReverse(size int) (SwizzlePattern, error) {
	if size < 2 || size > 32 || size&(size-1) != 0 {
		return 0, fmt.Errorf("swizzle(REVERSE,%d): group size must be 2, 4, 8, 16 or 32", size)
	}
	return SwizzleBits(31, 0, uint8(size-1)), nil
}

// SwizzleBroadcast returns the pattern that gives every group of size lanes
// (2, 4, 8, 16 or 32) the value of its given lane (0..size-1).
func SwizzleBroadcast(size, lane int) (SwizzlePattern, error) {
	if size < 2 || size > 32 || size&(size-1) != 0 {
		return 0, fmt.Errorf("swizzle(BROADCAST,%d,%d): group size must be 2, 4, 8, 16 or 32", size, lane)
	}
	if lane < 0 || lane >= size {
		return 0, fmt.Errorf("swizzle(BROADCAST,%d,%d): lane must be 0 to %d", size, lane, size-1)
	}
	return SwizzleBits(uint8(32-size), uint8(lane), 0), nil
}

// SwizzleBitmaskPerm returns the BitMode pattern for a string of five
// characters, one per bit of the lane number, highest first: 0 sets the bit to
// 0, 1 sets it to 1, p preserves it, i inverts it.
func SwizzleBitmaskPerm(s string) (SwizzlePattern, error) {
	if len(s) != 5 {
		return 0, fmt.Errorf("swizzle(BITMASK_PERM,%q): the mask has 5 characters of 0, 1, p, i; this one has %d", s, len(s))
	}
	var and, or, xor uint8
	for i := range len(s) {
		bit := uint8(16) >> uint(i)
		switch s[i] {
		case '0':
		case '1':
			or |= bit
		case 'p':
			and |= bit
		case 'i':
			and |= bit
			xor |= bit
		default:
			return 0, fmt.Errorf("swizzle(BITMASK_PERM,%q): %q is none of 0, 1, p, i", s, s[i])
		}
	}
	return SwizzleBits(and, or, xor), nil
}

// QuadMode reports whether the pattern is in QDMode (bit 15 set).
func (p SwizzlePattern) QuadMode() bool { return p>>15 != 0 }

// Quad returns the four element numbers of a QDMode pattern.
func (p SwizzlePattern) Quad() [4]uint8 {
	return [4]uint8{uint8(p & 3), uint8(p >> 2 & 3), uint8(p >> 4 & 3), uint8(p >> 6 & 3)}
}

// Masks returns and_mask, or_mask and xor_mask of a BitMode pattern.
func (p SwizzlePattern) Masks() (and, or, xor uint8) {
	return uint8(p & 31), uint8(p >> 5 & 31), uint8(p >> 10 & 31)
}

// Bits returns a BitMode pattern in the spelling of BITMASK_PERM: for every bit of the lane number,
// highest first, 0, 1, p (preserve) or i (invert).
func (p SwizzlePattern) Bits() string {
	and, or, xor := p.Masks()
	zero := or ^ xor         // the lane that lane 0 reads
	ones := (and | or) ^ xor // the lane that lane 31 reads
	var s [5]byte
	for i := range s {
		bit := uint8(16) >> uint(i)
		switch {
		case zero&bit == 0 && ones&bit == 0:
			s[i] = '0'
		case zero&bit != 0 && ones&bit != 0:
			s[i] = '1'
		case zero&bit == 0:
			s[i] = 'p'
		default:
			s[i] = 'i'
		}
	}
	return string(s[:])
}

// String returns the pattern as LLVM's disassembler prints it after "offset:": the swizzle macro in
// its most specific form, or the number in decimal if no form yields these bits (QDMode with
// ignored bits set). LLVM prints no offset at all for 0.
func (p SwizzlePattern) String() string {
	if p.QuadMode() {
		if p&0x7f00 != 0 {
			return strconv.Itoa(int(p))
		}
		q := p.Quad()
		return fmt.Sprintf("swizzle(QUAD_PERM,%d,%d,%d,%d)", q[0], q[1], q[2], q[3])
	}
	and, or, xor := p.Masks()
	if and == 31 && or == 0 && xor != 0 {
		if xor&(xor-1) == 0 {
			return fmt.Sprintf("swizzle(SWAP,%d)", xor)
		}
		if xor&(xor+1) == 0 {
			return fmt.Sprintf("swizzle(REVERSE,%d)", xor+1)
		}
	}
	if group := 32 - int(and); group > 1 && group&(group-1) == 0 && int(or) < group && xor == 0 {
		return fmt.Sprintf("swizzle(BROADCAST,%d,%d)", group, or)
	}
	return fmt.Sprintf("swizzle(BITMASK_PERM,%q)", p.Bits())
}

// Describe describes the effect of the pattern in words.
func (p SwizzlePattern) Describe() string {
	if p.QuadMode() {
		q := p.Quad()
		return fmt.Sprintf("QDMode: in every group of 4, lanes 0 to 3 read lanes %d, %d, %d, %d", q[0], q[1], q[2], q[3])
	}
	and, or, xor := p.Masks()
	s := fmt.Sprintf("BitMode: j = ((i & 0x%02x) | 0x%02x) ^ 0x%02x in each half of 32", and, or, xor)
	switch {
	case and == 31 && or == 0 && xor == 0:
		s += ": every lane reads itself"
	case and == 31 && or == 0 && bits.OnesCount8(xor) == 1:
		s += fmt.Sprintf(": neighbouring groups of %d swap", xor)
	case and == 31 && or == 0 && xor&(xor+1) == 0:
		s += fmt.Sprintf(": groups of %d are reversed", int(xor)+1)
	case xor == 0 && bits.OnesCount8(32-and) == 1 && or < 32-and:
		s += fmt.Sprintf(": groups of %d read their lane %d", 32-int(and), or)
	}
	return s
}

// SwizzleSource returns the lane that a lane (0..63) reads under a pattern. Lanes 32 to 63 exchange
// data among themselves in the same way as lanes 0 to 31.
//
//	// QDMode
//	if (offset[15]) for (i = 0; i < 32; i+=4)
//	     thread_out[i+0] = thread_valid[i+offset[1:0]] ? thread_in[i+offset[1:0]] : 0;
//	     thread_out[i+1] = … offset[3:2] …; thread_out[i+2] = … offset[5:4] …; thread_out[i+3] = … offset[7:6] …
//	// BitMode
//	else and_mask = offset[4:0]; or_mask = offset[9:5]; xor_mask = offset[14:10];
//	     for (i = 0; i < 32; i++)
//	         j = ((i & and_mask) | or_mask) ^ xor_mask;
//	         thread_out[i] = thread_valid[j] ? thread_in[j] : 0;
//	// Same shuffle applied to the second half of wavefront
func SwizzleSource(p SwizzlePattern, lane int) int {
	i, half := lane&31, lane&32
	if p>>15 != 0 {
		return half | i&^3 | int(p>>(uint(i&3)*2)&3)
	}
	and, or, xor := int(p&31), int(p>>5&31), int(p>>10&31)
	return half | (i&and | or) ^ xor
}

// DSSwizzle is ds_swizzle_b32 dest, src offset:pattern. A lane whose source is disabled by exec
// receives 0; lanes that exec disables keep dest. No result is undefined.
func DSSwizzle(pattern uint16, exec Mask) Map {
	m := NewMap(WavefrontLanes)
	for i := range WavefrontLanes {
		if exec>>uint(i)&1 == 0 {
			continue
		}
		m.Src[i] = Zero
		if j := SwizzleSource(SwizzlePattern(pattern), i); exec>>(uint(j)&63)&1 != 0 {
			m.Src[i] = Source(j)
		}
	}
	return m
}
