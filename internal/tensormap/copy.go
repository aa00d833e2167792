package tensormap

import (
	"math"
	"strconv"
)

// A Mode is the load mode of a copy (PTX ISA 9.7.9.26.5).
type Mode uint8

// The modes.
const (
	Tile       Mode = iota
	Gather4         // .tile::gather4 and .tile::scatter4: a column and four lines
	PixelsOf        // .im2col
	PixelsW         // .im2col::w
	PixelsW128      // .im2col::w::128
	PixelsBare      // .im2col_no_offs
)

// A Copy is one copy through a map, as its instruction describes it.
type Copy struct {
	Mode Mode
	Dim  int            // of the instruction: 1 to 5
	At   [MaxRank]int32 // tensor coordinates; of Gather4 the column and the four lines
	// Off has the offsets of im2col in W, H, D; for im2col::w the halo and the offset in W.
	Off [3]uint16
	// Store says that the copy goes from shared memory to the tensor; Reduce, that it combines elements.
	Store, Reduce bool
}

// A Run is a number of bytes that stay together.
type Run struct {
	Shared uint64 // address in shared memory, with the swizzle
	Global uint64 // address in global memory, if In
	In     bool   // inside the tensor; else a load fills the bytes and a store omits them
	Bytes  int    // in shared memory, without padding; in global memory the same
	Pad    int    // bytes of padding that follow in shared memory
}

// Bad says why a map does not suit a copy, or returns "". The map's own fields are right (Map.Check).
func (m *Map) Bad(c *Copy) string {
	kind := Tiled
	switch c.Mode {
	case PixelsOf, PixelsBare:
		kind = Im2col
	case PixelsW:
		kind = Im2colW
	case PixelsW128:
		kind = Im2colW128
	}
	switch {
	case c.Mode == PixelsBare && m.Kind != Tiled: // every im2col map suits
	case m.Kind != kind:
		return "the instruction copies in the mode " + kindNames[kind] + ", and the map is of the mode " + kindNames[m.Kind]
	}
	switch {
	case m.Rank != c.Dim:
		return "the instruction has " + strconv.Itoa(c.Dim) + " dimensions, and the map " + strconv.Itoa(m.Rank)
	case c.Mode == Gather4 && m.Box[1] != 1:
		return "a copy of four lines needs box[1] = 1, and it is " + strconv.Itoa(m.Box[1])
	case m.Interleave != 0:
		return "the interleave layout is that of 16 or 32 bytes, which is not supported: the manual does not say where the slices of channels lie"
	case m.Swizzle == Swizzle96 && c.Mode != Tile && c.Mode != Gather4:
		return "the swizzle mode of 96 bytes is for tiled copies"
	case c.Reduce && (m.Elem == U8 || m.Elem == U16 || m.Elem.Packed()):
		return "there are no reductions of " + m.Elem.String()
	case c.Store && m.Elem == B4x16P64:
		return "there are no stores of b4x16_p64 (PTX 9.7.9.26.5.1)"
	case m.Elem.padded() && c.At[0]%128 != 0:
		return "coordinate 0 is " + strconv.Itoa(int(c.At[0])) + ", want a multiple of 128 for elements of " + m.Elem.String()
	case m.Elem.Packed() && c.At[0]%2 != 0:
		return "coordinate 0 is " + strconv.Itoa(int(c.At[0])) + ", want an even number for elements of " + m.Elem.String()
	}
	if c.Store {
		return ""
	}
	return m.badOffsets(c)
}

// kindNames are the names of kinds in messages.
var kindNames = [...]string{"tile", "im2col", "im2col::w", "im2col::w::128"}

// badOffsets checks the ranges of im2col offsets (PTX ISA 5.5.4.1, 5.5.5.3).
func (m *Map) badOffsets(c *Copy) string {
	limits := [3]int{}
	switch c.Mode {
	case PixelsOf:
		for i := range m.Rank - 2 {
			limits[i] = 1 << cornerBits[m.Rank]
		}
	case PixelsW:
		limits = [3]int{512, 32}
	case PixelsW128:
		limits = [3]int{32, 32}
	}
	for i, n := range limits {
		if n != 0 && int(c.Off[i]) >= n {
			return "im2col offset " + strconv.Itoa(i) + " is " + strconv.Itoa(int(c.Off[i])) + ", want 0 to " + strconv.Itoa(n-1)
		}
	}
	return ""
}

// Swizzled returns where the byte lies whose address in shared memory is a without a swizzle (PTX ISA 5.5.7). The pattern
// depends on the address, not on the offset in the box.
//
// Unspecified: which 16 bytes have their halves exchanged with an atomicity of 32 bytes with 8-byte flip; here those of odd
// lines of 128 bytes.
func (m *Map) Swizzled(a uint64) uint64 {
	line := a >> 7
	switch m.Swizzle {
	case Swizzle32, Swizzle96:
		return a ^ line&1<<4
	case Swizzle64:
		return a ^ line&3<<4
	case Swizzle128:
		switch m.Atom {
		case Atom16:
			return a ^ line&7<<4
		case Atom32:
			return a ^ line&3<<5
		case Atom32Flip8:
			return a ^ line&3<<5 ^ line&1<<3
		case Atom64:
			return a ^ line&1<<6
		}
	}
	return a
}

// Pattern is the number of bytes after which the swizzle repeats: a destination that is no multiple of it begins inside a
// pattern. 1: there is no swizzle.
func (m *Map) Pattern() uint64 {
	switch m.Swizzle {
	case SwizzleNone:
		return 1
	case Swizzle32, Swizzle96:
		return 256
	case Swizzle64:
		return 512
	}
	return 1024
}

// lines returns how many lines a copy has, and how many elements each line has.
func (m *Map) lines(c *Copy) (count, elements int) {
	switch c.Mode {
	case Tile:
		count = 1
		for d := 1; d < m.Rank; d++ {
			count *= (m.Box[d] + m.Steps[d] - 1) / m.Steps[d]
		}
		return count, m.Box[0]
	case Gather4:
		return 4, m.Box[0]
	case PixelsW:
		return m.Pixels + int(c.Off[0]), m.Channels
	case PixelsW128:
		return 128 + 4*int(c.Off[0]), m.Channels
	}
	return m.Pixels, m.Channels
}

// Line is the number of bytes in shared memory of a line of elements.
func (m *Map) line(elements int) int {
	if m.Elem.padded() {
		return elements
	}
	return elements * m.Elem.Bits() / 8
}

// Bytes is the number of bytes of a copy in shared memory, with elements outside the tensor and padding: the number that an
// mbarrier object is credited with.
func (m *Map) Bytes(c *Copy) int {
	count, n := m.lines(c)
	return count * m.line(n)
}

// Runs calls f for all bytes of a copy, in the order of unswizzled addresses, until f returns false. shared is the address of
// the box in shared memory. The map suits the copy (Map.Bad).
func (m *Map) Runs(c *Copy, shared uint64, f func(Run) bool) {
	count, n := m.lines(c)
	r := runner{m: m, elements: n, at: shared, step: 16, f: f}
	switch {
	case m.Swizzle == SwizzleNone && !m.Elem.padded():
		r.step = math.MaxUint64 // a line is one run
	case m.Atom == Atom32Flip8:
		r.step = 8
	}
	switch c.Mode {
	case Tile:
		m.tile(c, count, &r)
	case Gather4:
		for _, y := range c.At[1:5] {
			if !r.line(int64(c.At[0]), m.position(1, int64(y))) {
				return
			}
		}
	case PixelsW, PixelsW128:
		m.pixelsW(c, count, &r)
	default:
		m.pixels(c, count, &r)
	}
}

// outside is an offset of a line that is not in the tensor.
const outside = math.MaxUint64

// position returns the offset of a coordinate of a dimension from 1 on, in bytes; outside if the tensor does not have it.
func (m *Map) position(d int, x int64) uint64 {
	if x < 0 || uint64(x) >= m.Dims[d] {
		return outside
	}
	return uint64(x) * m.Strides[d]
}

// plus adds offsets of lines.
func plus(a, b uint64) uint64 {
	if a == outside || b == outside {
		return outside
	}
	return a + b
}

// tile makes the lines of a tiled copy: coordinate + index * element stride in each dimension.
func (m *Map) tile(c *Copy, count int, r *runner) {
	for k := range count {
		off, rest := uint64(0), k
		for d := 1; d < m.Rank; d++ {
			n := (m.Box[d] + m.Steps[d] - 1) / m.Steps[d]
			off = plus(off, m.position(d, int64(c.At[d])+int64(rest%n)*int64(m.Steps[d])))
			rest /= n
		}
		if !r.line(int64(c.At[0]), off) {
			return
		}
	}
}

// pixels makes the lines of an im2col copy: a line for each pixel from the coordinates on, W first, inside the bounding box of
// each image, and image after image (PTX ISA 5.5.4).
func (m *Map) pixels(c *Copy, count int, r *runner) {
	var at [MaxRank]int64
	for d := range m.Rank {
		at[d] = int64(c.At[d])
	}
	last := m.Rank - 1
	for range count {
		off := m.position(last, at[last])
		for d := 1; d < last; d++ {
			x := at[d]
			if c.Mode == PixelsOf {
				x += int64(c.Off[d-1])
			}
			off = plus(off, m.position(d, x))
		}
		if !r.line(at[0], off) {
			return
		}
		d := 1
		for ; d < last; d++ {
			at[d] += int64(m.Steps[d])
			if at[d] <= int64(m.Dims[d])-1+int64(m.Upper[d-1]) {
				break
			}
			at[d] = int64(m.Lower[d-1])
		}
		if d == last {
			at[last]++
		}
	}
}

// pixelsW makes the lines of an im2col::w copy: the pixels along W from the coordinates on. The halo follows all pixels, or
// each 32 of them with im2col::w::128 (PTX ISA 5.5.5).
//
// Unspecified: what pixels outside the bounding box are. Here they are filled; those of the halo are filled outside the tensor
// only.
func (m *Map) pixelsW(c *Copy, count int, r *runner) {
	group, halo := m.Pixels, int(c.Off[0])
	if c.Mode == PixelsW128 {
		group = 32
	}
	fixed := uint64(0)
	for d := 2; d < m.Rank; d++ {
		fixed = plus(fixed, m.position(d, int64(c.At[d])))
	}
	move := int64(c.Off[1])
	low, high := int64(m.Lower[0])+move, int64(m.Dims[1])-1+int64(m.Upper[0])+move
	for k := range count {
		g, i := k/(group+halo), k%(group+halo)
		x := int64(c.At[1]) + int64(g*group+i)*int64(m.Steps[1]) + move
		off := plus(fixed, m.position(1, x))
		if i < group && (x < low || x > high) {
			off = outside
		}
		if !r.line(int64(c.At[0]), off) {
			return
		}
	}
}

// A runner cuts lines into runs.
type runner struct {
	m        *Map
	elements int    // of a line
	at       uint64 // where the next line begins in shared memory, without the swizzle
	step     uint64 // runs do not go beyond multiples of it
	f        func(Run) bool
}

// line makes the runs of a line that begins at coordinate x and, in the other dimensions, at an offset.
func (r *runner) line(x int64, off uint64) bool {
	m := r.m
	n := int64(r.elements)
	lo := min(max(-x, 0), n)
	hi := max(min(int64(m.Dims[0])-x, n), lo)
	if off == outside {
		lo, hi = 0, 0
	}
	start := r.at
	r.at += uint64(m.line(r.elements))
	if m.Elem.padded() {
		return r.padded(x, off, start, lo, hi)
	}
	bits := int64(m.Elem.Bits())
	for _, p := range [3]struct {
		from, to int64
		in       bool
	}{{0, lo, false}, {lo, hi, true}, {hi, n, false}} {
		from, to := uint64(p.from*bits/8), uint64(p.to*bits/8)
		for from < to {
			k := to - from
			if r.step != math.MaxUint64 {
				k = min(k, r.step-(start+from)%r.step)
			}
			run := Run{Shared: m.Swizzled(start + from), In: p.in, Bytes: int(k)}
			if p.in {
				run.Global = m.Addr + off + uint64(x*bits/8) + from
			}
			if !r.f(run) {
				return false
			}
			from += k
		}
	}
	return true
}

// padded makes the runs of a line of padded elements, 16 elements each.
func (r *runner) padded(x int64, off, start uint64, lo, hi int64) bool {
	m := r.m
	bytes := 2 * m.Elem.Bits() // of 16 elements
	for i := int64(0); i < int64(r.elements); i += 16 {
		run := Run{Shared: m.Swizzled(start + uint64(i)), In: lo <= i && i < hi, Bytes: bytes, Pad: 16 - bytes}
		if run.In {
			run.Global = m.Addr + off + uint64((x+i)/16*int64(bytes))
		}
		if !r.f(run) {
			return false
		}
	}
	return true
}
