package x64

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Code is encoded machine code.
type Code struct {
	// Bytes holds the instructions, and after them the constants. They must start at an
	// address that is a multiple of 64, and are otherwise position independent.
	Bytes []byte
	// Labels holds the offset of each label; -1 for a label that is not in the list.
	Labels []int32
	// Text is the length of the instructions.
	Text int // length of the instructions, without the constants
}

// Encode encodes a list of instructions on machine registers. Package lir describes the
// pseudo-instructions in it. Labels[i] of the result is the offset of label i.
func Encode(insts []Inst, pool []Const) (Code, error) {
	var a Assembler
	return a.Encode(insts, pool)
}

// An Assembler encodes lists of instructions.
//
// Input: instructions on machine registers, and a pool of constants.
// Output: position-independent bytes, and the offsets of labels.
// Invariant: raw holds all bytes except jumps, calls and padding; marks, in the order of raw,
// say where these go in.
// Example: L1: add eax, 1; jne L1 gives raw 83 c0 01, a label mark at 0 and a jump mark at 3;
// relax finds that two bytes suffice: 83 c0 01 75 fb.
//
// The steps: emit fills raw and marks, relax finds the sizes of jumps, lay copies the parts
// together, layPool appends the constants, and patch fills in displacements. An Assembler
// keeps its memory between calls.
//
// Literature: Szymanski, Assembling code for machines with span-dependent instructions (CACM
// 1978).
type Assembler struct {
	raw    []byte // the instructions without jumps and padding
	marks  []mark
	labels []int32    // at first offsets in raw; -1: not seen
	poolAt []int32    // -1: not used; 0: used; later the offset
	cold   [][2]int32 // the cold regions: first instruction, and the one after the last

	out []byte // the last result

	items     []poolItem
	poolBytes []byte
}

// A mark is a place in raw that depends on the lengths of other parts.
type mark struct {
	at     int32 // in raw
	kind   uint8
	size   uint8 // number of bytes that are inserted here
	tail   uint8 // for markPool: number of bytes of the instruction after the displacement
	cc     uint8 // for jumps: the condition
	target int32 // label or constant; of markAlign: the alignment
	disp   int32 // for markPool: is added to the constant's address
}

// The marks.
const (
	markLabel = iota
	markJcc
	markJmp
	markCall
	markAlign
	markPool // four bytes here are the displacement of a constant
	markLea  // or of a label
)

const (
	maxLabel = 1 << 22
	maxCode  = 1 << 28 // so that displacements stay small
	maxInst  = 32      // number of bytes that are reserved; an instruction has at most 15
)

// Encode is like the function Encode. The result is valid until the next call.
func (a *Assembler) Encode(insts []Inst, pool []Const) (Code, error) {
	a.raw, a.marks, a.labels = a.raw[:0], a.marks[:0], a.labels[:0]
	a.poolAt = a.poolAt[:0]
	for range pool {
		a.poolAt = append(a.poolAt, -1)
	}
	// emit comes first: the sizes of jumps depend on the lengths of all other instructions.
	if err := a.emit(insts); err != nil {
		return Code{}, err
	}
	if err := a.relax(); err != nil {
		return Code{}, err
	}
	out := a.lay()
	text := len(out)
	out, err := a.layPool(out, pool)
	if err != nil {
		return Code{}, err
	}
	a.patch(out)
	a.out = out
	return Code{Bytes: out, Labels: a.labels, Text: text}, nil
}

// emit encodes everything except jumps: hot code first, then the cold regions.
func (a *Assembler) emit(insts []Inst) error {
	a.cold = a.cold[:0]
	open, last := -1, -1 // the start of the open cold region; its last instruction
	for i := range insts {
		in := &insts[i]
		switch {
		case in.Op == COLD:
			if open >= 0 {
				return fail(i, in, "inside another one")
			}
			open, last = i, -1
		case in.Op == HOT:
			if open < 0 {
				return fail(i, in, "without COLD")
			}
			if last < 0 || !insts[last].Op.Info().Ends {
				return fail(i, in, "control goes on behind the end of the cold region")
			}
			a.cold = append(a.cold, [2]int32{int32(open) + 1, int32(i)})
			open = -1
		// Instructions of cold regions are encoded after the loop; here only the last one is
		// noted.
		case open >= 0:
			if in.Op > lastPseudo {
				last = i
			}
		default:
			if err := a.one(insts, i); err != nil {
				return err
			}
		}
	}
	if open >= 0 {
		return fmt.Errorf("COLD without HOT")
	}
	// The cold regions follow in their order.
	for _, region := range a.cold {
		for i := region[0]; i < region[1]; i++ {
			if err := a.one(insts, int(i)); err != nil {
				return err
			}
		}
	}
	if len(a.raw) > maxCode {
		return fmt.Errorf("%d bytes of code; the limit is %d", len(a.raw), maxCode)
	}
	return nil
}

// one encodes instruction i.
func (a *Assembler) one(insts []Inst, i int) error {
	if cap(a.raw)-len(a.raw) < maxInst {
		a.grow(len(insts))
	}
	if why := a.inst(&insts[i]); why != "" {
		return fail(i, &insts[i], why)
	}
	return nil
}

// grow makes room in raw for the rest of a list of insts instructions.
func (a *Assembler) grow(insts int) {
	// Most instructions take less than eight bytes.
	b := make([]byte, len(a.raw), 2*cap(a.raw)+8*insts+maxInst)
	copy(b, a.raw)
	a.raw = b
}

// fail returns an error that names the instruction.
func fail(i int, in *Inst, why string) error {
	return fmt.Errorf("instruction %d: %s (%s): %s", i, in, in.Op, why)
}

// label makes room for the entry of a label; false if its number is out of range.
func (a *Assembler) label(l Label) bool {
	if l <= 0 || l > maxLabel {
		return false
	}
	for len(a.labels) <= int(l) {
		a.labels = append(a.labels, -1)
	}
	return true
}

// mark appends a mark at the end of raw.
func (a *Assembler) mark(m mark) {
	m.at = int32(len(a.raw))
	a.marks = append(a.marks, m)
}

// relax finds the shortest jumps. All are short at first, and those that do not reach become
// long. A long jump stays long, so the iteration ends; after some rounds all jumps become
// long.
func (a *Assembler) relax() error {
	const rounds = 12
	for _, m := range a.marks {
		switch m.kind {
		case markJcc, markJmp, markCall, markLea:
			if a.labels[m.target] < 0 {
				return fmt.Errorf("label %d is nowhere", m.target)
			}
		}
	}
	// Each round computes all offsets anew, and then lengthens the jumps that do not reach.
	for round := 0; ; round++ {
		// delta is the number of bytes inserted so far.
		delta := int32(0)
		for i := range a.marks { // the offset of each part
			m := &a.marks[i]
			switch m.kind {
			case markLabel:
				a.labels[m.target] = m.at + delta
			case markAlign:
				m.size = uint8(-(m.at + delta) & (m.target - 1))
			}
			delta += int32(m.size)
		}
		delta = 0
		grown := false
		for i := range a.marks {
			m := &a.marks[i]
			if m.size == 2 && (m.kind == markJcc || m.kind == markJmp) {
				// The distance counts from the end of the jump.
				d := a.labels[m.target] - (m.at + delta + 2)
				if d != int32(int8(d)) || round >= rounds {
					m.size = longJump(m.kind)
					grown = true
				}
				delta += 2 // as assumed for the labels
				continue
			}
			delta += int32(m.size)
		}
		if !grown {
			return nil
		}
	}
}

// longJump returns the size of a long jump.
func longJump(kind uint8) uint8 {
	if kind == markJcc {
		return 6
	}
	return 5
}

// lay copies the code, and inserts jumps and padding.
func (a *Assembler) lay() []byte {
	n := len(a.raw)
	for _, m := range a.marks {
		n += int(m.size)
	}
	// The capacity includes the constants, so that the next steps do not reallocate.
	out := slices.Grow(a.out[:0], n+maxConst+len(a.poolAt)*maxConst)
	from := int32(0)
	for i := range a.marks {
		m := &a.marks[i]
		out = append(out, a.raw[from:m.at]...)
		from = m.at
		end := int32(len(out)) + int32(m.size)
		switch m.kind {
		case markJcc, markJmp:
			d := a.labels[m.target] - end
			switch {
			case m.size == 2 && m.kind == markJcc:
				out = append(out, 0x70|m.cc, byte(d))
			case m.size == 2:
				out = append(out, 0xEB, byte(d))
			case m.kind == markJcc:
				out = append(out, 0x0F, 0x80|m.cc)
				out = binary.LittleEndian.AppendUint32(out, uint32(d))
			default:
				out = append(out, 0xE9)
				out = binary.LittleEndian.AppendUint32(out, uint32(d))
			}
		case markCall:
			out = append(out, 0xE8)
			out = binary.LittleEndian.AppendUint32(out, uint32(a.labels[m.target]-end))
		case markAlign:
			out = pad(out, int(m.size))
		case markPool, markLea:
			m.at = int32(len(out)) // from here on an offset in out, for patch
		}
	}
	return append(out, a.raw[from:]...)
}

// patch fills in the displacements of constants and labels.
func (a *Assembler) patch(out []byte) {
	for i := range a.marks {
		m := &a.marks[i]
		var to int32
		switch m.kind {
		case markPool:
			to = a.poolAt[m.target] + m.disp
		case markLea:
			to = a.labels[m.target]
		default:
			continue
		}
		binary.LittleEndian.PutUint32(out[m.at:], uint32(to-(m.at+4+int32(m.tail))))
	}
}

// pad appends n bytes of no-operations, in the forms of Intel SDM volume 2, NOP, table 4-12.
func pad(out []byte, n int) []byte {
	// nops holds the forms of 1 to 9 bytes, one after the other; form k begins at k*(k-1)/2.
	const nops = "\x90" + "\x66\x90" + "\x0f\x1f\x00" + "\x0f\x1f\x40\x00" + "\x0f\x1f\x44\x00\x00" +
		"\x66\x0f\x1f\x44\x00\x00" + "\x0f\x1f\x80\x00\x00\x00\x00" + "\x0f\x1f\x84\x00\x00\x00\x00\x00" +
		"\x66\x0f\x1f\x84\x00\x00\x00\x00\x00"
	for n > 0 {
		k := min(n, 9)
		out = append(out, nops[k*(k-1)/2:k*(k+1)/2]...)
		n -= k
	}
	return out
}

// fitsInt8 and fitsInt32 report whether v is a signed number of 8 or 32 bits.
func fitsInt8(v int64) bool  { return v == int64(int8(v)) }
func fitsInt32(v int64) bool { return v == int64(int32(v)) }

// fitsBytes reports whether v is a number of n bytes, signed or unsigned.
func fitsBytes(v int64, n uint8) bool {
	switch n {
	case 1:
		return v >= math.MinInt8 && v <= math.MaxUint8
	case 2:
		return v >= math.MinInt16 && v <= math.MaxUint16
	case 4:
		return v >= math.MinInt32 && v <= math.MaxUint32
	}
	return true
}
