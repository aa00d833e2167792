package plan

import (
	"fmt"
	"slices"

	"example.org/crosslane/lane"
)

// A sequence is an answer before its waits are inserted: it reads the source register (v0, %r0) and
// writes the result register (v1, %r1).
type sequence struct {
	how    string
	code   []string
	setup  int    // the first instructions, which depend on nothing but the lane's number
	check  *check // of a computation; nil for a lane map
	inputs int    // source registers, if they are more than one: v0 and v2, %r0 and %r2
}

// A writer writes the instructions of a target.
type writer interface {
	// index writes the steps of an index. It returns the operand with which pull reads, and its
	// offset.
	index(x *index, spare bool) (code []string, operand string, setup int)
	// pull reads the lane of an operand.
	pull(dst, src, operand string, offset uint32) string
	// choose gives the lanes of a mask the value of the operand b in dst, and the other lanes that of
	// a.
	choose(dst, a, b string, m lane.Mask) []string
	// number writes the lane's number to a register.
	number(dst string) []string
	// move copies a register or a constant.
	move(dst, src string) string
	reg(n int) string
}

// gcn3Writer writes GCN3.
type gcn3Writer struct{ pullName, pushName, readName string }

func (gcn3Writer) reg(n int) string { return fmt.Sprintf("v%d", n) }

func (gcn3Writer) move(dst, src string) string { return "v_mov_b32_e32 " + dst + ", " + src }

func (gcn3Writer) number(dst string) []string {
	return []string{"v_mbcnt_lo_u32_b32 " + dst + ", -1, 0", "v_mbcnt_hi_u32_b32 " + dst + ", -1, " + dst}
}

// mask writes a mask to s[2:3].
func (gcn3Writer) mask(m lane.Mask) []string {
	if v := int64(m); v >= -16 && v <= 64 {
		return []string{fmt.Sprintf("s_mov_b64 s[2:3], %d", v)}
	}
	return []string{fmt.Sprintf("s_mov_b32 s2, %s", constant(uint32(m))), fmt.Sprintf("s_mov_b32 s3, %s", constant(uint32(m>>32)))}
}

// constant writes a number as the assembler's inline constant, or in hexadecimal.
func constant(v uint32) string {
	if i := int32(v); i >= -16 && i <= 64 {
		return fmt.Sprint(i)
	}
	return fmt.Sprintf("%#x", v)
}

func (w gcn3Writer) choose(dst, a, b string, m lane.Mask) []string {
	return append(w.mask(m), fmt.Sprintf("v_cndmask_b32_e64 %s, %s, %s, s[2:3]", dst, a, b))
}

func (w gcn3Writer) pull(dst, src, operand string, offset uint32) string {
	return byAddress(w.pullName, dst, src, operand, offset)
}

// push sends to the lane of an operand.
func (w gcn3Writer) push(dst, src, operand string, offset uint32) string {
	return byAddress(w.pushName, dst, src, operand, offset)
}

// byAddress writes an exchange with an address in each lane, and an offset in lanes.
func byAddress(op, dst, src, operand string, offset uint32) string {
	s := fmt.Sprintf("%s %s, %s, %s", op, dst, operand, src)
	if offset != 0 {
		s += fmt.Sprintf(" offset:%d", 4*offset)
	}
	return s
}

func (w gcn3Writer) index(x *index, spare bool) (code []string, operand string, setup int) {
	regs := assign(x, 2-btoi(spare))
	last := len(x.steps) - 1
	scaled := false // by the 4 bytes of a lane
	for i, s := range x.steps {
		d, a, b := w.reg(regs[i]), w.reg(regs[s.a]), w.reg(regs[s.b])
		line := func(format string, args ...any) { code = append(code, fmt.Sprintf(format, args...)) }
		switch s.op {
		case opLane:
			if i != last && x.steps[i+1].op == opTable {
				continue // the masks replace it
			}
			code = append(code, w.number(d)...)
		case opConst:
			line("v_mov_b32_e32 %s, %s", d, constant(4*s.k))
			scaled = true
		case opAndXor:
			switch all := x.wave - 1; {
			case s.l == 0:
				line("v_and_b32_e32 %s, %s, %s", d, constant(s.k), a)
			case s.k&all == all:
				line("v_xor_b32_e32 %s, %s, %s", d, constant(s.l), a)
			default:
				line("v_and_b32_e32 %s, %s, %s", d, constant(s.k), a)
				line("v_xor_b32_e32 %s, %s, %s", d, constant(s.l), d)
			}
		case opAdd:
			line("v_add_u32_e32 %s, vcc, %s, %s", d, constant(s.k), a)
		case opMul:
			k := s.k
			if i == last {
				k, scaled = 4*k, true
			}
			line("v_mul_u32_u24_e32 %s, %s, %s", d, constant(k), a)
		case opShl:
			k := s.k
			if i == last {
				k, scaled = k+2, true
			}
			line("v_lshlrev_b32_e32 %s, %d, %s", d, k, a)
		case opShr:
			line("v_lshrrev_b32_e32 %s, %d, %s", d, s.k, a)
		case opSelect:
			line("v_bfi_b32 %s, %s, %s, %s", d, constant(s.k), a, b)
		case opXor:
			line("v_xor_b32_e32 %s, %s, %s", d, a, b)
		case opTable:
			began := false
			for _, m := range slices.Backward(x.table) {
				switch {
				case m == 0 && !began:
				case m == 0:
					line("v_lshlrev_b32_e32 %s, 1, %s", d, d)
				case !began:
					code = append(code, w.mask(lane.Mask(m))...)
					line("v_cndmask_b32_e64 %s, 0, 1, s[2:3]", d)
					began = true
				default:
					code = append(code, w.mask(lane.Mask(m))...)
					line("v_addc_u32_e64 %s, vcc, %s, %s, s[2:3]", d, d, d)
				}
			}
		}
	}
	d := w.reg(regs[last])
	if !scaled {
		code = append(code, fmt.Sprintf("v_lshlrev_b32_e32 %s, 2, %s", d, d))
	}
	return code, d, len(code)
}

// assign gives each step a register, from the first one on. A register is free after its last use.
func assign(x *index, first int) []int {
	last := make([]int, len(x.steps)) // by step: the last step that reads it
	for i, s := range x.steps {
		last[i] = i
		for _, a := range operands(s) {
			last[a] = i
		}
	}
	regs := make([]int, len(x.steps))
	var used []int // by register: the step in it
	for i := range x.steps {
		regs[i] = -1
		for r, holder := range used {
			if last[holder] <= i {
				regs[i], used[r] = r, i
				break
			}
		}
		if regs[i] < 0 {
			regs[i] = len(used)
			used = append(used, i)
		}
	}
	for i := range regs {
		regs[i] += first
	}
	return regs
}

// operands lists the steps that a step reads.
func operands(s indexStep) []int {
	switch s.op {
	case opLane, opConst:
		return nil
	case opSelect, opXor:
		return []int{s.a, s.b}
	}
	return []int{s.a}
}

// ptxWriter writes PTX.
type ptxWriter struct {
	pullName string
	active   lane.Mask
}

func (ptxWriter) reg(n int) string { return fmt.Sprintf("%%r%d", n) }

func (ptxWriter) move(dst, src string) string { return "mov.b32 " + dst + ", " + src + ";" }

func (ptxWriter) number(dst string) []string { return []string{"mov.u32 " + dst + ", %laneid;"} }

func (w ptxWriter) pull(dst, src, operand string, _ uint32) string {
	return fmt.Sprintf("%s %s, %s, %s, 0x1f, %#x;", w.pullName, dst, src, operand, uint32(w.active))
}

// choose tells the lanes of the mask apart by a comparison if they are the first or the last ones,
// of the warp or of segments, and by a bit of a constant if not.
func (w ptxWriter) choose(dst, a, b string, m lane.Mask) []string {
	m &= lane.All(lane.WarpLanes)
	number := w.reg(9)
	code := w.number(number)
	for width := 32; width >= 2; width /= 2 {
		for k := 1; k < width; k++ {
			for _, less := range []bool{true, false} {
				var have lane.Mask
				for i := range 32 {
					if (i%width < k) == less {
						have |= lane.Lane(i)
					}
				}
				if have != m {
					continue
				}
				if width < 32 {
					code = append(code, fmt.Sprintf("and.b32 %%r8, %s, %d;", number, width-1))
					number = "%r8"
				}
				cmp := "lt"
				if !less {
					cmp = "ge"
				}
				return append(code, fmt.Sprintf("setp.%s.u32 %%p1, %s, %d;", cmp, number, k), fmt.Sprintf("selp.b32 %s, %s, %s, %%p1;", dst, b, a))
			}
		}
	}
	return append(code, fmt.Sprintf("bfe.u32 %%r8, %#x, %s, 1;", uint32(m), number), "setp.ne.u32 %p1, %r8, 0;",
		fmt.Sprintf("selp.b32 %s, %s, %s, %%p1;", dst, b, a))
}

func (w ptxWriter) index(x *index, _ bool) (code []string, operand string, setup int) {
	if x.steps[0].op == opConst {
		return nil, fmt.Sprint((x.steps[0].k + x.offset) & 31), 0
	}
	regs := assign(x, 2)
	for i, s := range x.steps {
		d, a, b := w.reg(regs[i]), w.reg(regs[s.a]), w.reg(regs[s.b])
		line := func(format string, args ...any) { code = append(code, fmt.Sprintf(format+";", args...)) }
		switch s.op {
		case opLane:
			code = append(code, w.number(d)...)
		case opAndXor:
			switch all := uint32(lane.WarpLanes - 1); {
			case s.l == 0:
				line("and.b32 %s, %s, %d", d, a, s.k)
			case s.k&all == all:
				line("xor.b32 %s, %s, %d", d, a, s.l)
			case s.k&s.l == 0:
				line("lop3.b32 %s, %s, %d, %d, 0xea", d, a, s.k, s.l)
			default:
				line("lop3.b32 %s, %s, %d, %d, 0x6a", d, a, s.k, s.l)
			}
		case opAdd:
			line("add.u32 %s, %s, %d", d, a, s.k)
		case opMul:
			if i == len(x.steps)-1 && x.offset != 0 {
				line("mad.lo.u32 %s, %s, %d, %d", d, a, s.k, x.offset)
				return code, d, len(code)
			}
			line("mul.lo.u32 %s, %s, %d", d, a, s.k)
		case opShl:
			line("shl.b32 %s, %s, %d", d, a, s.k)
		case opShr:
			line("shr.u32 %s, %s, %d", d, a, s.k)
		case opSelect:
			line("lop3.b32 %s, %s, %s, %d, 0xd8", d, b, a, s.k)
		case opXor:
			line("xor.b32 %s, %s, %s", d, a, b)
		case opTable:
			code = append(code, w.table(x.table, a, regs[s.a])...)
			regs[i] = regs[s.a] + 1
		}
	}
	d := w.reg(regs[len(regs)-1])
	if x.offset != 0 {
		code = append(code, fmt.Sprintf("add.u32 %s, %s, %d;", d, d, x.offset))
	}
	return code, d, len(code)
}

// table reads the bits of a number from masks; the result is in the register after that of the
// lane's number. Halves are joined as a tree, which is shorter than a chain.
func (w ptxWriter) table(masks []uint64, number string, at int) []string {
	var code []string
	type piece struct {
		reg  string
		bits int
	}
	var list []piece
	for j, m := range masks {
		r := w.reg(at + 1 + j)
		code = append(code, fmt.Sprintf("bfe.u32 %s, %#x, %s, 1;", r, uint32(m), number))
		list = append(list, piece{r, 1})
	}
	for len(list) > 1 {
		var next []piece
		for i := 0; i < len(list); i += 2 {
			if i+1 == len(list) {
				next = append(next, list[i])
				continue
			}
			lo, hi := list[i], list[i+1]
			code = append(code, fmt.Sprintf("mad.lo.u32 %s, %s, %d, %s;", lo.reg, hi.reg, 1<<lo.bits, lo.reg))
			next = append(next, piece{lo.reg, lo.bits + hi.bits})
		}
		list = next
	}
	return code
}
