package matrix

import "fmt"

// A Descriptor says where shared memory holds a matrix of wgmma (PTX ISA 9.7.16.5.1).
//
// Input: the 64 bits of a register (DecodeDescriptor), the order of the matrix and its size (Tile).
// Output: the address of each element, in bytes from the start of the block's shared memory.
// Invariant: a swizzle exchanges 16-byte units by bits of their addresses, so it depends on where the tile lies.
// Example: K-major f16 with a 128-byte swizzle at address 0: row 1, column 0 is at 128+16, because bit 7 of the
// address flips bit 4.
type Descriptor struct {
	Start    uint32 // bytes; the low 18 bits of the address
	Lead     uint32 // bytes between repetitions of the core matrix in the leading dimension
	Stride   uint32 // bytes between repetitions of the core matrix in the other dimension
	Base     uint8  // number of the 128-byte line at which the swizzle's pattern begins, modulo 8
	Swizzle  uint8  // bytes of a line of the pattern: 0 (none), 32, 64 or 128
	Atom     uint8  // bytes that the swizzle moves together: 16, or 32 (tcgen05)
	Reserved uint64 // bits that have to be 0 and are not
}

// descriptorFields are the bits of a Descriptor that have a meaning.
const descriptorFields = 0x3fff | 0x3fff<<16 | 0x3fff<<32 | 7<<49 | 3<<62

// DecodeDescriptor reads the fields of a descriptor.
func DecodeDescriptor(v uint64) Descriptor {
	return Descriptor{
		Start: uint32(v&0x3fff) << 4, Lead: uint32(v>>16&0x3fff) << 4, Stride: uint32(v>>32&0x3fff) << 4,
		Base: uint8(v >> 49 & 7), Swizzle: [4]uint8{0, 128, 64, 32}[v>>62], Atom: unitBytes, Reserved: v &^ descriptorFields,
	}
}

// tensorConstant is what bits 46 to 48 of a descriptor of tcgen05 hold (PTX ISA 9.7.17.4.1).
const tensorConstant = 1 << 46

// DecodeTensorDescriptor reads the fields of a descriptor of tcgen05. Its swizzle has three bits, and bits 46 to 48 hold 1.
func DecodeTensorDescriptor(v uint64) Descriptor {
	d := DecodeDescriptor(v)
	d.Swizzle, d.Reserved = [8]uint8{0, 128, 128, 0, 64, 0, 32}[v>>61], v&^(descriptorFields|1<<61|7<<46)|v&(7<<46)^tensorConstant
	switch v >> 61 {
	case 1:
		d.Atom = 2 * unitBytes
	case 3, 5, 7:
		d.Reserved |= v & (7 << 61)
	}
	return d
}

// String returns the fields as text: "address 0x400, 128-byte swizzle, leading offset 16, stride offset 1024".
func (d *Descriptor) String() string {
	s := fmt.Sprintf("address %#x, ", d.Start)
	if d.Swizzle == 0 {
		s += "no swizzle"
	} else {
		s += fmt.Sprintf("%d-byte swizzle", d.Swizzle)
	}
	if d.Atom > unitBytes {
		s += fmt.Sprintf(" of %d-byte atoms", d.Atom)
	}
	s += fmt.Sprintf(", leading offset %d, stride offset %d", d.Lead, d.Stride)
	if d.Base != 0 {
		s += fmt.Sprintf(", base offset %d", d.Base)
	}
	return s
}

// unitBytes is the size of the pieces of a matrix that a layout moves together.
const unitBytes = 16

// A SharedTile is a matrix in shared memory: A with rows mn = 0..M-1, or B with columns mn = 0..N-1.
type SharedTile struct {
	Descriptor
	MN    int  // rows of A, or columns of B
	K     int  // columns of A, or rows of B
	Bits  int  // bits of an element
	Major bool // MN-major: the elements along M or N are adjacent, not those along K

	Tensor bool // of tcgen05
}

// Lines returns the number of lines of the tile, and the number of 16-byte units in a line. The elements of a line
// are adjacent before the swizzle, at least in units.
func (t *SharedTile) Lines() (lines, units int) {
	if t.Major {
		return t.K, t.MN * t.Bits / 8 / unitBytes
	}
	return t.MN, t.K * t.Bits / 8 / unitBytes
}

// Unit returns the address of a 16-byte unit of a line, in bytes. It may lie outside shared memory.
func (t *SharedTile) Unit(line, unit int) uint32 {
	b, w, i := uint32(unit*unitBytes), uint32(t.Swizzle), uint32(line)
	a := t.Start
	switch {
	case t.Major && w == 0:
		a += b/16*t.Stride + i%8*16 + i/8*t.Lead
	case t.Atom > unitBytes:
		a += b/w*t.Lead + b%w + i%4*w + i/4*t.Stride
		return a ^ ((a>>7)-uint32(t.Base))&3<<5
	case t.Major:
		a += b/w*t.Lead + b%w + i%8*w + i/8*t.Stride
	case w == 0:
		a += i/8*t.Stride + i%8*16 + b/16*t.Lead
	case b >= w:
		// Only a sparse product reads more than 32 bytes of a line: see Problem.
		a += i/8*t.Stride + i%8*w + b/w*t.Lead + b%w
	default:
		a += i/8*t.Stride + i%8*w + b
	}
	if w == 0 {
		return a
	}
	// 32, 64 and 128 bytes: 1, 2 and 3 bits of the number of the 128-byte line.
	return a ^ ((a>>7)-uint32(t.Base))&(w/16-1)<<4
}

// At returns the address of the byte that holds element (mn, k), and the lowest bit of the element there.
func (t *SharedTile) At(mn, k int) (addr uint32, bit int) {
	line, at := mn, k*t.Bits
	if t.Major {
		line, at = k, mn*t.Bits
	}
	return t.Unit(line, at/8/unitBytes) + uint32(at/8%unitBytes), at % 8
}

// Problem returns what is wrong with the descriptor of the tile, and the remedy; "" if nothing is. size is the
// number of bytes of the block's shared memory.
func (t *SharedTile) Problem(size int) (text, remedy string) {
	lines, units := t.Lines()
	w := uint32(t.Swizzle)
	pattern := 8 * w // bytes after which the swizzle repeats
	if t.Atom > unitBytes {
		pattern = 4 * w
	}
	switch {
	case t.Reserved != 0 && t.Tensor:
		return fmt.Sprintf("bits are wrong that have to be a constant, or the swizzle is 3, 5 or 7 (%#x)", t.Reserved), "set address>>4 in bits 0 to 13, the leading offset>>4 in 16 to 29, the stride offset>>4 in 32 to 45, 1 in 46 to 48, the base offset in 49 to 51 and the swizzle, 0, 1, 2, 4 or 6, in 61 to 63"
	case t.Tensor && (t.Atom > unitBytes) != (t.Major && t.Bits == 32) && (t.Atom > unitBytes || t.Swizzle != 0):
		return "a swizzle of 32-byte atoms is for transposed matrices of 32-bit types, and these have no other", "set the swizzle, bits 61 to 63, to 1 for a transposed matrix of tf32, and to 0, 2, 4 or 6 for others"
	case t.Reserved != 0:
		return fmt.Sprintf("bits are set that have to be 0 (%#x)", t.Reserved), "set address>>4 in bits 0 to 13, the leading offset>>4 in 16 to 29, the stride offset>>4 in 32 to 45, the base offset in 49 to 51 and the swizzle in 62 and 63"
	case w == 0 && t.Base != 0:
		return fmt.Sprintf("the base offset is %d and there is no swizzle", t.Base), "set the base offset to 0"
	case w != 0 && !t.Major && uint32(units*unitBytes) > w:
		return fmt.Sprintf("a %d-byte swizzle holds %d bytes of K in a line, and the product reads %d", w, w, units*unitBytes), "use a swizzle of 64 or 128 bytes for a sparse product"
	case w != 0 && t.Base == 0 && t.Start%pattern >= w:
		return fmt.Sprintf("the tile starts at %#x, which is no multiple of %d plus a step inside a line: a %d-byte swizzle repeats every %d bytes", t.Start, pattern, w, pattern),
			fmt.Sprintf("align the buffer to %d bytes, or set the base offset", pattern)
	}
	last := uint32(0)
	for i := range lines {
		for u := range units {
			last = max(last, t.Unit(i, u)+unitBytes)
		}
	}
	if int(last) > size {
		return fmt.Sprintf("the tile ends at %#x and the block has %d bytes of shared memory", last, size), "check the address and the two offsets, which are in units of 16 bytes"
	}
	return "", ""
}
