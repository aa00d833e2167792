package alloc

import (
	"encoding/binary"
	"fmt"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// A machine runs lists of instructions, on virtual or machine registers. Instructions that
// the allocator inserts, drops or changes (copies, loads, stores, LEA, idioms) have their
// real meaning. Every other Op computes a hash of all operands that it reads, so that a wrong
// place, a missing load or a clobbered register shows for every Op.
type machine struct {
	fn     *lir.Func
	code   []x64.Inst
	regs   map[x64.Reg]*[64]byte
	flags  uint64
	frame  []byte
	trace  []string
	labels map[x64.Label]int
	seed   uint64
	// forget, if set, returns the registers that keep their values before instruction i; the
	// remaining ones are overwritten.
	forget func(i int) map[x64.Reg]bool
	// park, if set, runs at calls.
	park func(m *machine, i int)
}

const frameBase = 0x10000000

func newMachine(fn *lir.Func, code []x64.Inst, frame int, seed uint64) *machine {
	m := &machine{fn: fn, code: code, regs: map[x64.Reg]*[64]byte{}, frame: make([]byte, frame),
		labels: map[x64.Label]int{}, seed: seed}
	for i := range code {
		if code[i].Op == x64.LABEL || code[i].Op == x64.ENTRY {
			m.labels[code[i].Label] = i
		}
	}
	m.scramble()
	return m
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// scramble simulates an exit to Go and an entry: all registers are overwritten.
func (m *machine) scramble() {
	for r := range m.regs {
		m.garbage(r)
	}
	binary.LittleEndian.PutUint64(m.reg(x64.RBX)[:], frameBase)
}

func (m *machine) garbage(r x64.Reg) {
	if r >= x64.Virtual && m.fn.VRegs[r-x64.Virtual].Const != 0 {
		return
	}
	m.seed = mix(m.seed)
	for i := range m.regs[r] {
		m.regs[r][i] = byte(m.seed >> (i % 8 * 8))
	}
}

func (m *machine) reg(r x64.Reg) *[64]byte {
	v := m.regs[r]
	if v == nil {
		v = new([64]byte)
		m.regs[r] = v
		if r >= x64.Virtual && m.fn.VRegs[r-x64.Virtual].Const != 0 {
			m.constant(int(m.fn.VRegs[r-x64.Virtual].Const), v[:])
		} else {
			m.garbage(r)
		}
	}
	return v
}

func (m *machine) constant(c int, to []byte) {
	p := m.fn.Pool[c-1]
	for i := range to {
		to[i] = byte(p.Bits >> (i % int(p.Size) * 8))
	}
}

func (m *machine) word(r x64.Reg) uint64 {
	if r == 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(m.reg(r)[:])
}

func (m *machine) address(a *x64.Mem) uint64 {
	return m.word(a.Base) + m.word(a.Index)*uint64(a.Scale) + uint64(int64(a.Disp))
}

func (m *machine) load(in *x64.Inst, n int) []byte {
	v := make([]byte, n)
	if in.M.Pool != 0 {
		m.constant(int(in.M.Pool), v)
		return v
	}
	at := m.address(&in.M)
	if in.Op.Info().VSIB {
		at = m.word(in.M.Base) + hash(0, m.reg(in.M.Index)[:])
	}
	for i := range v {
		if x := at + uint64(i); x-frameBase < uint64(len(m.frame)) {
			v[i] = m.frame[x-frameBase]
		} else {
			v[i] = byte(mix(x))
		}
	}
	return v
}

func hash(h uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
	}
	for _, x := range b {
		h = mix(h ^ uint64(x))
	}
	return h
}

func fill(h uint64, n int) []byte {
	v := make([]byte, n)
	for i := range v {
		if i%8 == 0 {
			h = mix(h)
		}
		v[i] = byte(h >> (i % 8 * 8))
	}
	return v
}

// write sets a register: bytes above n become 0; under a mask, elements of four bytes without
// a bit stay, or become 0.
func (m *machine) write(r x64.Reg, v []byte, k x64.Reg, zero bool) {
	to := m.reg(r)
	old := *to
	*to = [64]byte{}
	copy(to[:], v)
	if k == 0 {
		return
	}
	bits := m.word(k)
	for i := range v {
		if bits>>(i/4)&1 == 0 {
			to[i] = 0
			if !zero {
				to[i] = old[i]
			}
		}
	}
}

func (m *machine) store(in *x64.Inst, v []byte) {
	at := m.address(&in.M)
	bits := ^uint64(0)
	if in.K != 0 {
		bits = m.word(in.K)
	}
	program := false
	for i, x := range v {
		if bits>>(i/4)&1 == 0 {
			v[i] = 0
			continue
		}
		off := at + uint64(i) - frameBase
		if off < uint64(len(m.frame)) {
			m.frame[off] = x
		}
		program = program || off >= uint64(len(m.frame))
	}
	if program || at-frameBase < homes {
		m.trace = append(m.trace, fmt.Sprintf("store %x %x", at, v))
	}
}

// homes is the frame offset from which only registers use the frame.
const homes = 2048

// run executes until RET, or until a number of events or steps.
func (m *machine) run(events, steps int) error {
	pc := 0
	for len(m.trace) < events && steps > 0 {
		if pc >= len(m.code) {
			return fmt.Errorf("ran off the end")
		}
		in := &m.code[pc]
		if m.forget != nil && in.Op != x64.COLD {
			keep := m.forget(pc)
			for r := range m.regs {
				if r >= x64.Virtual && !keep[r] {
					m.garbage(r)
				}
			}
		}
		steps--
		next, err := m.step(in, pc)
		if err != nil {
			return err
		}
		if next < 0 {
			m.trace = append(m.trace, "ret")
			return nil
		}
		pc = next
	}
	return nil
}

func (m *machine) step(in *x64.Inst, pc int) (int, error) {
	info := in.Op.Info()
	goTo := func(l x64.Label) (int, error) {
		t, ok := m.labels[l]
		if !ok {
			return 0, fmt.Errorf("no label %d", l)
		}
		return t, nil
	}
	switch {
	case in.Op == x64.ENTRY:
		m.scramble()
		return pc + 1, nil
	case in.Op == x64.COLD: // laid out elsewhere
		for m.code[pc].Op != x64.HOT {
			pc++
		}
		return pc + 1, nil
	case info.Pseudo:
		return pc + 1, nil
	case in.Op == x64.RET:
		return -1, nil
	case in.Op == x64.JMP:
		return goTo(in.Label)
	case in.Op == x64.JMPReg:
		if in.HasMem {
			return goTo(x64.Label(binary.LittleEndian.Uint64(m.load(in, 8))))
		}
		return goTo(x64.Label(m.word(in.B)))
	case in.Op == x64.CALLLabel:
		if m.park != nil {
			m.park(m, pc)
		}
		return pc + 1, nil
	case in.Op == x64.LEALabel:
		m.write(in.Dst, binary.LittleEndian.AppendUint64(nil, uint64(in.Label)), 0, false)
		return pc + 1, nil
	case info.Jump:
		taken := mix(m.flags)&1 != 0
		m.trace = append(m.trace, fmt.Sprintf("jump L%d %v", in.Label, taken))
		if taken {
			return goTo(in.Label)
		}
		return pc + 1, nil
	}
	m.compute(in, info)
	return pc + 1, nil
}

func (m *machine) compute(in *x64.Inst, info *x64.Info) {
	size := func(s x64.Size, c x64.Class) int {
		if c == x64.Mask {
			return 8
		}
		return s.Of(in.Len)
	}
	memory := max(info.MemSize.Of(in.Len), 1)
	var last []byte // the source that may be memory
	if in.HasMem && in.Op != x64.LEA && (!info.DstMem || !exactStore(in.Op)) {
		last = m.load(in, memory)
	}
	switch {
	case in.Op == x64.LEA:
		b := binary.LittleEndian.AppendUint64(nil, m.address(&in.M))
		m.write(in.Dst, b[:in.Len], 0, false)
		return
	case lir.Idiom(in):
		m.write(in.Dst, fill(uint64(in.Op)<<8|uint64(in.Imm)&0xff, size(info.DstSize, info.Dst)), 0, false)
		return
	case in.Op == x64.VMOVDToGPR || in.Op == x64.VMOVQToGPR:
		n := map[x64.Op]int{x64.VMOVDToGPR: 4, x64.VMOVQToGPR: 8}[in.Op]
		m.write(in.Dst, append([]byte(nil), m.reg(in.B)[:n]...), 0, false)
		return
	case moves(in):
		n := size(0, info.Dst)
		if last == nil {
			last = m.reg(in.B)[:n]
		}
		m.write(in.Dst, append([]byte(nil), last[:n]...), in.K, in.Z)
		return
	case info.DstMem && exactStore(in.Op):
		m.store(in, append([]byte(nil), m.reg(in.B)[:size(0, info.B)]...))
		return
	}
	h := mix(uint64(in.Op)<<32 ^ uint64(in.Imm) ^ uint64(in.Len)<<24 ^ uint64(in.RC)<<56)
	source := func(r x64.Reg, s x64.Size, c x64.Class, mem bool) {
		switch {
		case c == x64.NoClass:
			h = mix(h)
		case mem && in.HasMem:
			h = hash(h, last)
		case mem:
			h = hash(h, m.reg(r)[:memory])
		default:
			h = hash(h, m.reg(r)[:size(s, c)])
		}
	}
	if info.Commutes && !info.DstRead && !in.Ordered { // in any order
		h0 := h
		source(in.A, info.ASize, info.A, false)
		ha := h
		h = h0
		source(in.B, info.BSize, info.B, info.BMem)
		h += ha
	} else if !info.AWrite {
		source(in.A, info.ASize, info.A, info.AMem)
	}
	if !info.Commutes || info.DstRead || in.Ordered {
		source(in.B, info.BSize, info.B, info.BMem)
	}
	source(in.C, info.CSize, info.C, false)
	if info.DstRead {
		source(in.Dst, info.DstSize, info.Dst, false)
	}
	if in.K != 0 && (info.Dst == x64.Mask || info.Chooses) {
		h = hash(h, m.reg(in.K)[:8])
	}
	for n := range 16 {
		if info.Uses>>n&1 != 0 {
			h = hash(h, m.reg(x64.RAX + x64.Reg(n))[:8])
		}
	}
	if info.ReadsFlags {
		h = mix(h ^ m.flags)
	}
	if info.SetsFlags {
		m.flags = h
	}
	for n := range 16 {
		if info.Defs>>n&1 != 0 {
			m.write(x64.RAX+x64.Reg(n), fill(h+uint64(n), 8), 0, false)
		}
	}
	if in.HasMem && info.DstMem {
		m.store(in, fill(h, memory))
	}
	if in.Dst != 0 {
		k := in.K
		if info.Dst == x64.Mask || info.Chooses && !in.Z {
			k = 0
		}
		m.write(in.Dst, fill(h, size(info.DstSize, info.Dst)), k, in.Z)
	}
	if info.AWrite {
		m.write(in.A, fill(h+100, size(info.ASize, info.A)), 0, false)
	}
	if info.BWrite {
		m.write(in.B, fill(h+200, size(info.BSize, info.B)), 0, false)
	}
	if info.KWrite {
		m.write(in.K, fill(h+300, 8), 0, false)
	}
}

// moves reports whether in only moves a value, also from memory or under a mask.
func moves(in *x64.Inst) bool {
	return lir.IsMove(&x64.Inst{Op: in.Op, Dst: x64.RAX, B: x64.RAX}) && !in.Op.Info().DstMem
}

func exactStore(op x64.Op) bool {
	return op == x64.MOVSt || op == x64.VMOVDQUSt || op == x64.KMOVQSt
}
