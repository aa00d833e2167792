package plan

import (
	"math/bits"
	"slices"
)

// An indexOp is an operation with which a lane computes the number of the lane that it reads.
type indexOp uint8

const (
	opLane   indexOp = iota // the lane's number
	opConst                 // k
	opAndXor                // a & k ^ l
	opAdd                   // a + k
	opMul                   // a * k
	opShl                   // a << k
	opShr                   // a >> k
	opSelect                // a & k | b &^ k
	opXor                   // a ^ b
	opTable                 // bit j is that of the lane in table[j]
)

// An indexStep is one operation; a and b are numbers of earlier steps.
type indexStep struct {
	op   indexOp
	a, b int
	k, l uint32
}

// An index is a program whose last step is the number of the source lane, modulo the lanes of the
// wave, after offset is added.
type index struct {
	how    string // the form of the formula
	steps  []indexStep
	offset uint32
	table  []uint64 // of opTable, by bit of the number
	wave   uint32   // the lanes of the wave
}

func (x *index) add(s indexStep) int {
	x.steps = append(x.steps, s)
	return len(x.steps) - 1
}

// source evaluates the index for a lane.
func (x *index) source(lane, n int) int {
	v := make([]uint32, len(x.steps))
	for i, s := range x.steps {
		switch s.op {
		case opLane:
			v[i] = uint32(lane)
		case opConst:
			v[i] = s.k
		case opAndXor:
			v[i] = v[s.a]&s.k ^ s.l
		case opAdd:
			v[i] = v[s.a] + s.k
		case opMul:
			v[i] = v[s.a] * s.k
		case opShl:
			v[i] = v[s.a] << s.k
		case opShr:
			v[i] = v[s.a] >> s.k
		case opSelect:
			v[i] = v[s.a]&s.k | v[s.b]&^s.k
		case opXor:
			v[i] = v[s.a] ^ v[s.b]
		case opTable:
			for j, m := range x.table {
				v[i] |= uint32(m>>lane&1) << j
			}
		}
	}
	return int(v[len(v)-1]+x.offset) & (n - 1)
}

// indexes returns formulas for the sources of a goal, the simplest first, and the table of constants
// last. Only lanes that read a lane count. Every formula is evaluated for all of them before it is
// returned.
func indexes(want *lanes, n int) []*index {
	var care []int
	for i, s := range want[:n] {
		if s >= 0 {
			care = append(care, i)
		}
	}
	if len(care) == 0 {
		return nil
	}
	var out []*index
	for _, form := range []func(want *lanes, care []int, n int) *index{constantIndex, bitwiseIndex, sumIndex, rotatedIndex, productIndex, linearIndex} {
		x := form(want, care, n)
		if x == nil {
			continue
		}
		x.wave = uint32(n)
		if slices.ContainsFunc(care, func(i int) bool { return x.source(i, n) != int(want[i]) }) {
			continue
		}
		out = append(out, x)
	}
	t := &index{how: "a table of constants, one mask for each bit of the number", table: make([]uint64, bits.Len(uint(n-1))), wave: uint32(n)}
	for _, i := range care {
		for j := range t.table {
			t.table[j] |= uint64(want[i]>>j&1) << i
		}
	}
	t.add(indexStep{op: opLane})
	t.add(indexStep{op: opTable})
	return append(out, t)
}

func constantIndex(want *lanes, care []int, _ int) *index {
	x := &index{how: "a constant"}
	x.add(indexStep{op: opConst, k: uint32(want[care[0]])})
	return x
}

// bitwiseIndex is lane & k ^ l: each bit of the source is the lane's, its complement or constant.
func bitwiseIndex(want *lanes, care []int, n int) *index {
	and, xor := uint32(n-1), uint32(0)
	for b := uint32(1); b < uint32(n); b <<= 1 {
		var same, other, zeros, ones = true, true, true, true
		for _, i := range care {
			s, l := uint32(want[i])&b, uint32(i)&b
			same, other = same && s == l, other && s != l
			zeros, ones = zeros && s == 0, ones && s != 0
		}
		switch {
		case same:
		case other:
			xor |= b
		case zeros:
			and &^= b
		case ones:
			and &^= b
			xor |= b
		default:
			return nil
		}
	}
	x := &index{how: "the lane's number, masked and complemented"}
	x.add(indexStep{op: opLane})
	if and != uint32(n-1) || xor != 0 {
		x.add(indexStep{op: opAndXor, k: and, l: xor})
	}
	return x
}

// sumIndex is lane + k modulo the lanes.
func sumIndex(want *lanes, care []int, n int) *index {
	x := &index{how: "the lane's number plus a constant", offset: uint32(int(want[care[0]])-care[0]) & uint32(n-1)}
	x.add(indexStep{op: opLane})
	return x
}

// rotatedIndex is lane + k in segments: the high bits are the lane's.
func rotatedIndex(want *lanes, care []int, n int) *index {
	for width := uint32(2); width < uint32(n); width <<= 1 {
		x := &index{how: "the lane's number plus a constant, in segments"}
		l := x.add(indexStep{op: opLane})
		s := x.add(indexStep{op: opAdd, a: l, k: uint32(int(want[care[0]])-care[0]) & (width - 1)})
		x.add(indexStep{op: opSelect, a: s, b: l, k: width - 1})
		if !slices.ContainsFunc(care, func(i int) bool { return x.source(i, n) != int(want[i]) }) {
			return x
		}
	}
	return nil
}

// productIndex is lane * k + c modulo the lanes.
func productIndex(want *lanes, care []int, n int) *index {
	for k := range uint32(n) {
		x := &index{how: "the lane's number times a constant", offset: (uint32(want[care[0]]) - k*uint32(care[0])) & uint32(n-1)}
		x.add(indexStep{op: opMul, a: x.add(indexStep{op: opLane}), k: k})
		if !slices.ContainsFunc(care, func(i int) bool { return x.source(i, n) != int(want[i]) }) {
			return x
		}
	}
	return nil
}

// linearIndex is affine over F2: each bit of the source is the exclusive or of some bits of the
// lane's number and a constant. The bits of equal distance are moved by one shift.
func linearIndex(want *lanes, care []int, n int) *index {
	long := bits.Len(uint(n - 1))
	columns := make([]uint32, long) // by output bit: the input bits
	var constant uint32
	for k := range long {
		c, ok := solve(want, care, k, long)
		if !ok {
			return nil
		}
		columns[k] = c &^ (1 << long)
		constant |= c >> long & 1 << k
	}
	x := &index{how: "the bits of the lane's number, moved and combined (affine over F2)"}
	l := x.add(indexStep{op: opLane})
	groups := map[int]uint32{} // by distance: the output bits
	single, inputs := true, uint32(0)
	for k, c := range columns {
		single = single && c&(c-1) == 0
		for j := range long {
			if c>>j&1 != 0 {
				groups[k-j] |= 1 << k
				inputs |= 1 << k
			}
		}
	}
	shifted := func(by int) int {
		switch {
		case by > 0:
			return x.add(indexStep{op: opShl, a: l, k: uint32(by)})
		case by < 0:
			return x.add(indexStep{op: opShr, a: l, k: uint32(-by)})
		}
		return l
	}
	acc := -1
	for _, by := range distances(groups) {
		s := shifted(by)
		if !single {
			s = x.add(indexStep{op: opAndXor, a: s, k: groups[by]})
		}
		switch {
		case acc < 0:
			acc = s
		case single:
			acc = x.add(indexStep{op: opSelect, a: s, b: acc, k: groups[by]})
		default:
			acc = x.add(indexStep{op: opXor, a: s, b: acc})
		}
	}
	if acc < 0 {
		return nil // a constant
	}
	if all := uint32(n - 1); single && inputs != all || constant != 0 {
		if !single {
			inputs = all
		}
		x.add(indexStep{op: opAndXor, a: acc, k: inputs, l: constant})
	} else if acc != len(x.steps)-1 {
		x.add(indexStep{op: opAndXor, a: acc, k: all})
	}
	return x
}

// distances lists the keys in a fixed order, 0 first.
func distances(groups map[int]uint32) []int {
	var out []int
	for _, d := range []int{0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5} {
		if groups[d] != 0 {
			out = append(out, d)
		}
	}
	return out
}

// solve finds the input bits whose exclusive or, with bit long as constant 1, is output bit k in all
// lanes of care. Bits that the lanes leave open are not used.
func solve(want *lanes, care []int, k, long int) (uint32, bool) {
	pivots := make([]uint32, long+1) // by leading bit: an equation, with its right side in bit long+1
	for _, i := range care {
		e := uint32(i) | 1<<long | uint32(want[i]>>k&1)<<(long+1)
		for b := range long + 1 {
			if e>>b&1 == 0 {
				continue
			}
			if pivots[b] == 0 {
				pivots[b] = e
				e = 0
				break
			}
			e ^= pivots[b]
		}
		if e != 0 {
			return 0, false // 0 = 1
		}
	}
	var c uint32
	for b := long; b >= 0; b-- {
		e := pivots[b]
		if e == 0 {
			continue
		}
		others := e & c & (1<<(long+1) - 1) &^ (1 << b)
		if (uint32(bits.OnesCount32(others))^e>>(long+1))&1 != 0 {
			c |= 1 << b
		}
	}
	return c, true
}
