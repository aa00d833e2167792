package x64

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
)

// The table lists for each instruction the operands that it reads and writes. TestProcessor
// checks that on the processor: no other state changes, and the results depend on no other
// state.

// A state is all that an instruction can read and write. Registers are in the order of their
// numbers.
type state struct {
	vec   [32][64]byte
	mem   [256]byte
	gpr   [16]uint64
	k     [8]uint64
	flags [8]uint64 // in: [0] is compared with flagsOf; out: O, B, E, S, P
}

// frame is the memory of the test's code. It is aligned to 64.
type frame struct{ in, out state }

const (
	offVec   = int32(unsafe.Offsetof(state{}.vec))
	offMem   = int32(unsafe.Offsetof(state{}.mem))
	offGPR   = int32(unsafe.Offsetof(state{}.gpr))
	offK     = int32(unsafe.Offsetof(state{}.k))
	offFlags = int32(unsafe.Offsetof(state{}.flags))
	offOut   = int32(unsafe.Offsetof(frame{}.out))
)

// keep lists the registers that Go needs, and the frame's.
func keep(r Reg) bool { return r == RBX || r == RSP || r == RBP }

// around is code that loads the state, executes one instruction, and stores the state.
func around(in Inst) []Inst {
	at := func(disp int32) Mem { return Mem{Base: RBX, Disp: disp} }
	var l []Inst
	for i := range int32(32) {
		l = append(l, Load(Vec, 64, V0+Reg(i), at(offVec+64*i)))
	}
	for i := range int32(8) {
		l = append(l, Load(Mask, 8, K0+Reg(i), at(offK+8*i)))
	}
	for r := RAX; r <= R15; r++ {
		if !keep(r) {
			l = append(l, Load(GPR, 8, r, at(offGPR+8*int32(r-RAX))))
		}
	}
	l = append(l, Inst{Op: CMPImm, Len: 4, HasMem: true, M: at(offFlags), Imm: 1 << 30}, in)
	for r := RAX; r <= R15; r++ {
		if !keep(r) {
			l = append(l, Store(GPR, 8, at(offOut+offGPR+8*int32(r-RAX)), r))
		}
	}
	for i, c := range []Cond{CondO, CondB, CondE, CondS, CondP} {
		l = append(l, Inst{Op: c.SETcc(), Dst: RAX}, Inst{Op: MOVSt, Len: 1, HasMem: true, M: at(offOut + offFlags + 8*int32(i)), B: RAX})
	}
	for i := range int32(8) {
		l = append(l, Store(Mask, 8, at(offOut+offK+8*i), K0+Reg(i)))
	}
	for i := range int32(32) {
		l = append(l, Store(Vec, 64, at(offOut+offVec+64*i), V0+Reg(i)))
	}
	return append(l, Inst{Op: RET})
}

// fill draws a random state.
func (s *state) fill(r *rand.Rand) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s))
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], r.Uint64())
	}
	s.flags = [8]uint64{uint64([]uint32{0, 1 << 30, 5 << 28, 1 << 31, 0x40000100, 0x7fffffff}[r.IntN(6)])}
}

// regs returns the registers of a state as bytes, by Reg; nil for those that are kept.
func (s *state) reg(r Reg) []byte {
	switch ClassOf(r) {
	case GPR:
		if keep(r) {
			return nil
		}
		return unsafe.Slice((*byte)(unsafe.Pointer(&s.gpr[r.Num()])), 8)
	case Vec:
		return s.vec[r.Num()][:]
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.k[r.Num()])), 8)
}

// uses returns the registers that an instruction reads and writes according to the table.
func uses(in *Inst) (reads, writes []Reg) {
	i := in.Op.Info()
	add := func(to *[]Reg, r Reg, yes bool) {
		if r != NoReg && yes {
			*to = append(*to, r)
		}
	}
	add(&reads, in.Dst, in.ReadsDst())
	add(&writes, in.Dst, true)
	add(&reads, in.A, !i.AWrite)
	add(&writes, in.A, i.AWrite)
	add(&reads, in.B, true)
	add(&writes, in.B, i.BWrite)
	add(&reads, in.C, true)
	add(&reads, in.K, true)
	add(&writes, in.K, i.KWrite)
	add(&reads, in.M.Base, true)
	add(&reads, in.M.Index, true)
	for n := range 16 {
		add(&reads, RAX+Reg(n), i.Uses>>n&1 != 0)
		add(&writes, RAX+Reg(n), i.Defs>>n&1 != 0)
	}
	return reads, writes
}

// drawRunnable draws an instruction that can run in around; false if there is none.
func drawRunnable(r *rand.Rand, op Op) (Inst, bool) {
	switch i := op.Info(); {
	case !isPlain(op), i.Ends, i.enc.shape == fixed && op == VZEROUPPER,
		slices.Contains([]Op{CALLReg, PUSH, POP, INT3, LDMXCSR, DIV, IDIV}, op):
		return Inst{}, false
	}
	for {
		in := draw(r, op)
		if in.HasMem {
			m := Mem{Base: RBX, Disp: offMem, Bcst: in.M.Bcst}
			if op.Info().VSIB {
				m.Index, m.Scale = in.M.Index, 1
			} else if op == LEA {
				m.Index, m.Scale, m.Base = R9, 4, R10
			}
			in.M = m
		}
		ok := true
		for _, x := range []Reg{in.Dst, in.A, in.B, in.C} {
			ok = ok && !keep(x)
		}
		if op.Info().Distinct && (in.Dst == in.M.Index || in.Dst == in.B || in.B == in.M.Index) {
			ok = false
		}
		if op.Info().SetsFlags && op.Info().Imm == 1 && in.Imm&31 == 0 {
			ok = false // shifts by 0 leave the flags unchanged
		}
		if ok {
			return in, true
		}
	}
}

func TestProcessor(t *testing.T) {
	t.Parallel()
	if best := exec.Detect().Best; best < isa.AVX512 {
		t.Skipf("the processor has no AVX-512; its tier is %s", best)
	}
	arena := exec.NewArena(1 << 22)
	buf := make([]byte, unsafe.Sizeof(frame{})+64)
	f := (*frame)(unsafe.Pointer(&buf[-uintptr(unsafe.Pointer(&buf[0]))&63]))
	var a Assembler
	for op := range Op(len(table)) {
		if strings.HasSuffix(op.String(), "PH") && !exec.Detect().Half && op != VCVTPS2PH {
			continue // the processor has no instructions for f16
		}
		r := rng(op)
		seen := facts{}
		n := 6
		for range n {
			in, ok := drawRunnable(r, op)
			if !ok {
				break
			}
			code, err := a.Encode(around(in), nil)
			if err != nil {
				t.Fatal(err)
			}
			c, err := arena.Map(code.Bytes)
			if err != nil {
				t.Skip(err)
			}
			why := tryOne(in, f, r, &seen, func() { c.Call(0, unsafe.Pointer(f)) })
			c.Free()
			if why != "" {
				t.Errorf("%s (%s): %s", in, op, why)
				break
			}
		}
		i := op.Info()
		if seen.runs == 0 {
			continue
		}
		if i.SetsFlags != seen.flags {
			t.Errorf("%s: the table says that it sets flags: %t; it did: %t", op, i.SetsFlags, seen.flags)
		}
		if i.DstRead && !seen.dst {
			t.Errorf("%s: the table says that it reads its destination, which has no effect", op)
		}
		if i.ReadsFlags && !seen.fromFlags {
			t.Errorf("%s: the table says that it reads flags, which has no effect", op)
		}
	}
}

// facts are the observations of an instruction.
type facts struct {
	runs                  int
	flags, dst, fromFlags bool
}

// tryOne runs an instruction on several states.
func tryOne(in Inst, f *frame, r *rand.Rand, seen *facts, run func()) string {
	info := in.Op.Info()
	reads, writes := uses(&in)
	for range 4 {
		f.in.fill(r)
		if info.VSIB { // addresses in f.in.mem, dwords as qwords
			for i := 0; i < 64; i += 4 {
				binary.LittleEndian.PutUint32(f.in.reg(in.M.Index)[i:], uint32(r.IntN(200))*uint32(1-i/4%2))
			}
		}
		f.in.gpr[RCX.Num()] |= 1 // shifts by cl are not by 0
		before := f.in
		run()
		seen.runs++
		first := f.out
		first.mem = f.in.mem
		for x := RAX; x < K0+8; x++ {
			if !slices.Contains(writes, x) && string(first.reg(x)) != string(before.reg(x)) {
				return fmt.Sprintf("changes %s", regName(x))
			}
		}
		if first.mem != before.mem && !info.DstMem {
			return "changes memory"
		}
		flags := [5]byte{}
		for i := range flags {
			flags[i] = byte(first.flags[i])
		}
		if flags != flagsOf(uint32(before.flags[0])) {
			seen.flags = true
		}
		// All state that the instruction must not depend on gets other values.
		f.in.fill(r)
		f.in.mem = before.mem
		for _, x := range reads {
			copy(f.in.reg(x), before.reg(x))
		}
		if info.ReadsFlags {
			f.in.flags = before.flags
		}
		run()
		for _, x := range writes {
			if string(f.out.reg(x)) != string(first.reg(x)) {
				return fmt.Sprintf("%s depends on something else", regName(x))
			}
		}
		if f.in.mem != first.mem {
			return "what it writes to memory depends on something else"
		}
		// Each operand on which it must depend has an effect.
		effect := func(change func()) bool {
			f.in = before
			change()
			run()
			for _, x := range writes {
				if string(f.out.reg(x)) != string(first.reg(x)) {
					return true
				}
			}
			return f.in.mem != first.mem || f.out.flags != first.flags
		}
		if info.DstRead {
			seen.dst = seen.dst || effect(func() {
				for i := range f.in.reg(in.Dst) {
					f.in.reg(in.Dst)[i] ^= byte(1 + r.IntN(255))
				}
			})
		}
		if info.ReadsFlags {
			seen.fromFlags = seen.fromFlags || effect(func() { f.in.flags = [8]uint64{uint64(r.Uint32())} })
		}
	}
	return ""
}

// flagsOf returns O, B, E, S and P of x compared with 1<<30: Intel SDM volume 1, 3.4.3.1.
func flagsOf(x uint32) (f [5]byte) {
	d := x - 1<<30
	f[0] = byte(((x ^ 1<<30) & (x ^ d)) >> 31)
	if x < 1<<30 {
		f[1] = 1
	}
	if d == 0 {
		f[2] = 1
	}
	f[3] = byte(d >> 31)
	f[4] = 1
	for i := range 8 {
		f[4] ^= byte(d>>i) & 1
	}
	return f
}

func regName(r Reg) string { return string(appendReg(nil, r, 64)) }
