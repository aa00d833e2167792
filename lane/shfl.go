package lane

import (
	"fmt"
	"math/bits"
)

// WarpLanes is the number of lanes of a PTX warp.
const WarpLanes = 32

// ShflMode is the .mode qualifier of shfl and shfl.sync.
type ShflMode uint8

// The four modes, in the manual's order.
const (
	ShflUp ShflMode = iota
	ShflDown
	ShflBfly
	ShflIdx
)

// String returns the mode as PTX writes it, without the dot.
func (m ShflMode) String() string {
	switch m {
	case ShflUp:
		return "up"
	case ShflDown:
		return "down"
	case ShflBfly:
		return "bfly"
	case ShflIdx:
		return "idx"
	}
	return fmt.Sprintf("ShflMode(%d)", uint8(m))
}

// ParseShflMode returns the mode with the given name: up, down, bfly or idx.
func ParseShflMode(name string) (ShflMode, bool) {
	for m := ShflUp; m <= ShflIdx; m++ {
		if m.String() == name {
			return m, true
		}
	}
	return 0, false
}

// ShflSource computes the source lane of one lane (0..31) of shfl.mode and shfl.sync.mode. j is the
// lane whose a arrives in d; if the computed source is out of range, it is the lane itself. inRange
// is the predicate p, which is set if j was in range, even if lane j did not take part.
//
// b and c are the unmodified operands: only b[4:0], c[4:0] and c[12:8] are used. j is signed: .up
// may go below 0 and is then out of range, because maxLane is never negative.
//
// PTX ISA 9.7.9.6 (shfl.sync) and 9.7.9.5 (shfl), Semantics; the two agree.
func ShflSource(mode ShflMode, lane int, b, c uint32) (j int, inRange bool) {
	l := lane & 31              // lane[4:0] = [Thread].laneid;
	bval := int(b & 31)         // bval[4:0] = b[4:0];
	cval := int(c & 31)         // cval[4:0] = c[4:0];
	segmask := int(c >> 8 & 31) // segmask[4:0] = c[12:8];

	maxLane := l&segmask | cval&^segmask // maxLane = (lane[4:0] & segmask[4:0]) | (cval[4:0] & ~segmask[4:0]);
	minLane := l & segmask               // minLane = (lane[4:0] & segmask[4:0]);

	switch mode { // switch (.mode) {
	case ShflUp: // case .up: j = lane - bval; pval = (j >= maxLane); break;
		j = l - bval
		inRange = j >= maxLane
	case ShflDown: // case .down: j = lane + bval; pval = (j <= maxLane); break;
		j = l + bval
		inRange = j <= maxLane
	case ShflBfly: // case .bfly: j = lane ^ bval; pval = (j <= maxLane); break;
		j = l ^ bval
		inRange = j <= maxLane
	case ShflIdx: // case .idx: j = minLane | (bval[4:0] & ~segmask[4:0]); pval = (j <= maxLane); break;
		j = minLane | bval&^segmask
		inRange = j <= maxLane
	}
	if !inRange { // if (!pval) j = lane; // copy from own lane
		j = l
	}
	return j, inRange
}

// Shfl returns the map and the predicate of legacy shfl with b and c the same in all lanes; active
// is the set of lanes that execute it together. A lane that reads a lane outside active is in Undef
// ("results are undefined in divergent control flow within a warp, if an active thread sources a
// register from an inactive thread", PTX ISA 9.7.9.5). Lanes outside active keep their value.
func Shfl(mode ShflMode, b, c uint32, active Mask) (m Map, pred Mask) {
	return ShflUniform(mode, b, c, active, active)
}

// ShflUniform is [ShflVarying] with b and c the same in all lanes.
func ShflUniform(mode ShflMode, b, c uint32, executing, members Mask) (m Map, pred Mask) {
	return shflMap(mode, nil, b, c, executing, members)
}

// ShflVarying returns the map and the predicate of shfl or shfl.sync if b and c may differ per
// lane. executing is the set of lanes that perform the operation together (shfl.sync: the lanes
// that arrived). members is the membermask that they all gave (legacy shfl: the executing lanes).
//
// A source lane is valid if it is in executing and in members. Two kinds of lanes are undefined,
// and so in Undef: lanes that read an invalid lane; and executing lanes that are not in members,
// for every source ("the behavior of shfl.sync is undefined if the executing thread is not in the
// membermask", PTX ISA 9.7.9.6). Lanes that do not execute keep their value and have no predicate.
func ShflVarying(mode ShflMode, b, c *[32]uint32, executing, members Mask) (m Map, pred Mask) {
	diff := uint32(0)
	for _, x := range c {
		diff |= x ^ c[0]
	}
	if diff == 0 {
		return shflMap(mode, b, 0, c[0], executing, members)
	}
	m = NewMap(WarpLanes)
	executing &= All(WarpLanes)
	valid := executing & members
	for i := range WarpLanes {
		j, in := ShflSource(mode, i, b[i], c[i])
		shflPut(&m, &pred, i, j, in, executing, valid)
	}
	m.Undef |= executing &^ members
	return m, pred
}

// shflPut enters one lane into a map under construction.
func shflPut(m *Map, pred *Mask, i, j int, in bool, executing, valid Mask) {
	if executing>>uint(i)&1 == 0 {
		return
	}
	m.Src[i&63] = Source(j)
	if in {
		*pred |= 1 << uint(i)
	}
	m.Undef |= (^valid >> uint(j) & 1) << uint(i)
}

// ShflSync is [ShflVarying] for lanes that may have given different membermasks: member[i] is lane
// i's own. executing is the set of lanes that arrived.
//
// Lane i may read lane j if j arrived, is in i's membermask, and gave the same membermask. Only
// then did they meet: threads wait for threads "that have executed shfl.sync with the same
// qualifiers and same membermask value". All other readers are in Undef. outside is the set of
// executing lanes that are not in their own membermask, which is undefined behaviour by itself;
// these lanes are in Undef too.
func ShflSync(mode ShflMode, b, c, member *[32]uint32, executing Mask) (m Map, pred, outside Mask) {
	m = NewMap(WarpLanes)
	executing &= All(WarpLanes)
	for i := range WarpLanes {
		if !executing.Has(i) {
			continue
		}
		j, in := ShflSource(mode, i, b[i], c[i])
		m.Src[i] = Source(j)
		if in {
			pred |= 1 << uint(i)
		}
		if member[i]>>uint(i)&1 == 0 {
			outside |= 1 << uint(i)
		}
		if valid := executing & Mask(member[i]); !valid.Has(j) || member[j] != member[i] {
			m.Undef |= 1 << uint(i)
		}
	}
	m.Undef |= outside
	return m, pred, outside
}

// ShflC is the packed operand c of shfl, decoded.
type ShflC struct {
	// Clamp is cval, c[4:0]: together with SegMask it bounds the source lane.
	Clamp uint8
	// SegMask is segmask, c[12:8]: lanes that agree in these bits of their number form a segment,
	// and data moves inside segments only.
	SegMask uint8
}

// ParseC decodes operand c. Like the instruction, it ignores bits outside c[4:0] and c[12:8].
func ParseC(c uint32) ShflC { return ShflC{Clamp: uint8(c & 31), SegMask: uint8(c >> 8 & 31)} }

// Encode packs the fields into an operand c.
func (c ShflC) Encode() uint32 { return uint32(c.Clamp&31) | uint32(c.SegMask&31)<<8 }

// Width returns the segment size if the segments are runs of 1, 2, 4, 8, 16 or 32 neighbouring
// lanes, that is, if SegMask is 32 - width. It ignores the clamp value; see [ShflC.Regular].
func (c ShflC) Width() (width int, ok bool) {
	w := 32 - int(c.SegMask&31)
	return w, w&(w-1) == 0
}

// Regular reports whether c is the operand that CUDA's __shfl functions pack for the returned
// width: segments as in [ShflC.Width], and a clamp value that lets a lane reach its whole segment
// (0 for .up, all ones for the other modes). The clamp bits that SegMask covers have no effect and
// are ignored.
func (c ShflC) Regular(mode ShflMode) (width int, ok bool) {
	width, ok = c.Width()
	free := ^c.SegMask & 31
	if mode == ShflUp {
		return width, ok && c.Clamp&free == 0
	}
	return width, ok && c.Clamp&free == free
}

// PackC returns the operand c that CUDA's __shfl_*(…, width) pass to shfl: segmask 32 - width,
// clamp 0 for .up and 0x1f for the other modes. Width is a power of two from 1 to 32; ok is false
// for other widths, which CUDA leaves undefined.
func PackC(mode ShflMode, width int) (c uint32, ok bool) {
	if width < 1 || width > 32 || width&(width-1) != 0 {
		return 0, false
	}
	c = uint32(32-width) << 8
	if mode != ShflUp {
		c |= 0x1f
	}
	return c, true
}

// Describe describes the meaning of c for the mode: the segments and the bound.
func (c ShflC) Describe(mode ShflMode) string {
	s := fmt.Sprintf("clamp %d, segmask 0x%02x: ", c.Clamp&31, c.SegMask&31)
	w, ok := c.Width()
	switch {
	case ok && w == 32:
		s += "one segment of 32 lanes"
	case ok && w == 1:
		s += "32 segments of 1 lane"
	case ok:
		s += fmt.Sprintf("%d segments of %d lanes", 32/w, w)
	default:
		n := 1 << bits.OnesCount8(c.SegMask&31)
		s += fmt.Sprintf("%d segments of %d lanes that agree in lane bits 0b%05b", n, 32/n, c.SegMask&31)
	}
	if _, regular := c.Regular(mode); regular {
		return s + ", each lane reaches its whole segment"
	}
	if mode == ShflUp {
		return s + fmt.Sprintf(", in range when j >= (lane & 0x%02x) | 0x%02x", c.SegMask&31, c.Clamp&^c.SegMask&31)
	}
	return s + fmt.Sprintf(", in range when j <= (lane & 0x%02x) | 0x%02x", c.SegMask&31, c.Clamp&^c.SegMask&31)
}
