package hazard

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/ir"
)

// This file follows the outstanding results, instruction by instruction as one wave runs them.
//
// A wave has three counters of outstanding operations (GCN3 ISA 4.4). Results of one class arrive
// in the order of their instructions, or in any order. Results of different classes arrive in any
// order. So after s_waitcnt cnt(n) the last n results of an ordered class may still be outstanding,
// and any result of an unordered class unless n is 0.

// flightClass is a class of outstanding operations.
type flightClass uint8

const (
	flyVM   flightClass = iota // vector memory: in order
	flyLDS                     // LDS: in order
	flyGDS                     // GDS: in order
	flySMEM                    // scalar memory: in any order
	flyFlat                    // flat instructions that address LDS: in any order
	flyExp                     // GDS instructions that have not yet read their VGPRs
	numClasses
)

// counter returns the counter of a class, and whether its results arrive in order.
func (c flightClass) counter() (counter amdgpu.Counters, ordered bool) {
	switch c {
	case flyVM:
		return amdgpu.VMCnt, true
	case flyExp:
		return amdgpu.ExpCnt, true
	}
	return amdgpu.LGKMCnt, c == flyLDS || c == flyGDS
}

// field returns the index of the class's counter in Target.Counters.
func (c flightClass) field() int {
	switch c {
	case flyVM:
		return 0
	case flyExp:
		return 1
	}
	return 2
}

// A use is a run of registers that an instruction uses; shift is the value that is added to their
// number.
type use struct {
	amdgpu.RegRun
	shift shiftKind
}

type shiftKind uint8

const (
	shiftNone shiftKind = iota
	shiftM0             // v_movrel, s_movrel: M0
	shiftIdx            // GPR indexing: M0[7:0]
)

// room returns the largest number of later operations of an ordered class while one of its results
// is outstanding. A counter of 4 bits holds 15 (GCN3 ISA 4.4: VM_CNT, LGKM_CNT; EXP_CNT has 3
// bits), and an operation is not issued if the counter has no room for it. So when 16 later
// operations are issued, the first result has arrived.
func (c flightClass) room(t *amdgpu.Target) int { return t.Counters[c.field()].Max() }

// facts holds the effects of an instruction on its successors, and its demands on its predecessors.
type facts struct {
	reads, writes []use
	rules         []ruleUse
	left          [amdgpu.TrailStore + 1][]amdgpu.RegRun
	class         flightClass
	flies         bool            // a result arrives later
	fills         []amdgpu.RegRun // the registers of that result
	locks         []use
	isFlat        bool
	flat          uint16 // for a flat instruction, the VGPR of its address
	waits         bool
	leave         [3]int // for s_waitcnt, the number of operations that may stay outstanding, by counter in the order of Target.Counters
	states        int
	vector        bool // it acts on the lanes of EXEC
	across        bool // it reads other lanes, or ignores EXEC
	stores        bool // it writes LDS
	barrier       bool // it waits for the other waves of the block
	writesMem     bool // it writes vector memory
	invalidates   bool // it invalidates the vector cache
	watch         bool // the tracker observes it
	shadows       []shadow
}

// A ruleUse is the registers that an instruction must not use too soon, with the number of the rule
// in amdgpu.Target.WaitRules.
type ruleUse struct {
	rule int
	uses []amdgpu.RegRun
}

// A shadow is a place in the frame that holds the old value of registers that an instruction reads
// too soon.
type shadow struct {
	amdgpu.RegRun
	rule int
	off  uint32
}

// tracking holds the data that the trackers of all waves share.
type tracking struct {
	chip     *amdgpu.Target
	code     amdgpu.Code
	insts    []amdgpu.Decoded
	facts    []facts
	index    amdgpu.OffsetIndex
	rules    []amdgpu.WaitRule
	barriers map[int32]bool // barriers at which writes to LDS may be outstanding
	late     bool
	light    bool // the only open question is whether flat instructions address LDS
	rests    bool // some place may have too few wait states
	// The places of s0, v0 and MODE in the frame; mode is 0 if the code does not name MODE.
	sgpr, vgpr, mode uint32
}

// newTracking collects the facts. idx returns the state of GPR indexing at an offset; it may be
// nil.
func newTracking(code amdgpu.Code, insts []amdgpu.Decoded, idx func(off int64) amdgpu.IndexState) *tracking {
	chip := code.Target.OrDefault()
	p := &tracking{chip: chip, code: code, insts: insts, facts: make([]facts, len(insts)), index: amdgpu.NewOffsetIndex(insts), rules: chip.WaitRules}
	n := len(insts)
	m := lists{uses: make([]use, 0, 4*n), spans: make([]amdgpu.RegRun, 0, 2*n), rules: make([]ruleUse, 0, n)}
	for i := range insts {
		on := amdgpu.IndexOff
		if idx != nil {
			on = idx(insts[i].Off)
		}
		m.collect(&p.facts[i], &insts[i].In, on, p.rules)
	}
	return p
}

// lists is memory for the lists of facts; there are many short lists.
type lists struct {
	uses  []use
	spans []amdgpu.RegRun
	rules []ruleUse
}

// collect collects the facts of one instruction.
func (m *lists) collect(f *facts, in *amdgpu.Inst, idx amdgpu.IndexState, rules []amdgpu.WaitRule) {
	r := in.Row
	f.states, f.watch = in.WaitStates(), true
	f.reads = m.operands(in, r.Reads, in.ReadsOperand, idx)
	f.writes = m.operands(in, r.Writes, in.WritesOperand, idx)
	for i := range r.Operands {
		if r.Operands[i].Kind == amdgpu.ClassWait {
			f.waits = true
			f.leave[0], f.leave[1], f.leave[2] = r.Target().WaitCounts(in.Ops[i].Imm)
		}
		if r.Unit == amdgpu.UnitFlat && r.Operands[i].Field == amdgpu.FieldADDR {
			f.isFlat, f.flat = true, in.Ops[i].Reg
		}
	}
	from := len(m.rules)
	for i := range rules {
		if uses := rules[i].Uses(in); len(uses) > 0 {
			m.rules = append(m.rules, ruleUse{i, uses})
		}
	}
	f.rules = m.rules[from:len(m.rules):len(m.rules)]
	from = len(m.spans)
	m.spans = in.AppendWrites(m.spans)
	writes := m.spans[from:len(m.spans):len(m.spans)]
	for k := range f.left {
		f.left[k] = in.Trails(amdgpu.TrailKind(k), writes)
	}
	f.stores, f.barrier = writesLDS(in), r.Flags.Has(amdgpu.FlagBarrier)
	f.writesMem, f.invalidates = writesMem(in), invalidates(in)
	f.vector = amdgpu.IsVALU(r) || r.Unit == amdgpu.UnitVMEM || r.Unit == amdgpu.UnitFlat || r.Unit == amdgpu.UnitLDS
	f.across = amdgpu.IsVALU(r) && (r.Flags.Has(amdgpu.FlagCrossLane) || in.Enc == amdgpu.EncDPP)
	f.class, f.flies = flightOf(in)
	if f.flies {
		f.fills = writes
	}
	if f.class == flyGDS && in.Has(amdgpu.ModGDS) {
		for i := range r.Operands {
			if s := amdgpu.OperandRun(&in.Ops[i]); s.Lo >= amdgpu.RegVGPR0 && in.ReadsOperand(i) {
				f.locks = append(f.locks, use{RegRun: s})
			}
		}
	}
}

// operands returns the special registers and the operands that an instruction uses.
func (m *lists) operands(in *amdgpu.Inst, special amdgpu.Special, used func(i int) bool, idx amdgpu.IndexState) []use {
	from := len(m.uses)
	var room [3]amdgpu.RegRun
	for _, s := range amdgpu.SpecialRuns(room[:0], special) {
		m.uses = append(m.uses, use{RegRun: s})
	}
	for i := range in.Row.Operands {
		if used(i) {
			m.uses = append(m.uses, use{amdgpu.OperandRun(&in.Ops[i]), shift(in, i, idx)})
		}
	}
	return m.uses[from:len(m.uses):len(m.uses)]
}

// shift returns the kind of value that is added to the register number of operand i.
func shift(in *amdgpu.Inst, i int, idx amdgpu.IndexState) shiftKind {
	s, o := &in.Row.Operands[i], &in.Ops[i]
	f := in.Row.Flags
	if s.Dst && f.Has(amdgpu.FlagM0Dst) || !s.Dst && f.Has(amdgpu.FlagM0Src) {
		return shiftM0
	}
	if idx&amdgpu.IndexOn == 0 || o.Kind != amdgpu.KindVGPR || !amdgpu.IsVALU(in.Row) {
		return shiftNone
	}
	bit := -1
	switch s.Field {
	case amdgpu.FieldSRC0:
		bit = 0
	case amdgpu.FieldSRC1, amdgpu.FieldVSRC1:
		bit = 1
	case amdgpu.FieldSRC2:
		bit = 2
	case amdgpu.FieldVDST:
		bit = 3
	}
	if bit >= 0 && idx>>bit&1 != 0 {
		return shiftIdx
	}
	return shiftNone
}

// flightOf returns the class in which the instruction is outstanding; flies reports whether its
// completion fills registers.
func flightOf(in *amdgpu.Inst) (c flightClass, flies bool) {
	returns := in.Row.Unit == amdgpu.UnitSMEM || in.Returns()
	switch in.Row.Unit {
	case amdgpu.UnitSMEM:
		return flySMEM, returns && len(in.Writes()) > 0
	case amdgpu.UnitVMEM, amdgpu.UnitFlat:
		return flyVM, returns && !in.Has(amdgpu.ModLDS)
	case amdgpu.UnitLDS:
		if in.Has(amdgpu.ModGDS) {
			return flyGDS, returns
		}
		return flyLDS, returns
	}
	return numClasses, false
}

// trail is the effect of an instruction on one register.
type trail struct {
	kind amdgpu.TrailKind
	reg  uint16
	by   int32
	at   int    // wait states from the start to the end of the instruction
	old  []byte // the old value of the register, if values are delivered late
}

// condition is one condition for the arrival of a flight.
type condition struct {
	class flightClass
	seq   int // number of operations of the class that were issued before
}

// flight is an instruction whose result has not been waited for, or which has not read its sources
// yet.
type flight struct {
	by    int32
	regs  []amdgpu.RegRun
	lanes uint64
	locks bool
	told  bool
	// stores reports that it is a write to LDS, without registers.
	stores bool
	conds  [2]condition
	open   uint8  // number of conds that are not met; 0: it has arrived
	value  []byte // the result, if it is delivered late
}

// tracker follows one wave. It implements ir.Observer.
type tracker struct {
	p       *tracking
	clock   int
	trails  []trail
	flights []flight
	issued  [numClasses]int
	notes   []ir.Note
	open    *flight // the load that is being executed
	before  []byte  // old value of its destination
}

// Start implements ir.Observer.
func (t *tracker) Start() {
	t.clock, t.trails, t.flights, t.issued, t.open = 0, t.trails[:0], t.flights[:0], [numClasses]int{}, nil
}

// At implements ir.Observer. imm is twice the number of the next instruction, plus 1 after a load
// if results are delivered late. If frame is nil, the values are unknown.
func (t *tracker) At(imm uint64, frame []byte) []ir.Note {
	i := int32(imm >> 1)
	f := &t.p.facts[i]
	if imm&1 != 0 {
		t.catch(frame)
		return nil
	}
	t.notes, t.open = t.notes[:0], nil
	if t.p.light && len(t.flights) == 0 && !f.isFlat {
		return nil // the most common case
	}
	exec := ^uint64(0)
	if frame != nil {
		exec = binary.NativeEndian.Uint64(frame[t.p.sgpr+4*amdgpu.RegEXEC:])
	}
	t.checkFlights(i, f, exec, frame)
	if f.waits {
		t.wait(f, frame)
	}
	if f.barrier && t.p.barriers[i] {
		t.checkBarrier()
	}
	if t.p.light {
		if f.isFlat {
			t.issue(i, f, exec, frame)
		}
		return t.notes
	}
	if t.p.rests {
		t.checkTrails(i, f, exec, frame)
		t.clock += f.states
		old := 0 // trails are in the order of time
		for old < len(t.trails) && t.clock-t.trails[old].at >= t.p.chip.MaxWaitStates() {
			old++
		}
		if old > 0 {
			t.trails = slices.Delete(t.trails, 0, old)
		}
		t.leave(i, f, exec, frame)
	}
	t.issue(i, f, exec, frame)
	return t.notes
}

// Calm implements ir.Calm. It reports true if only flat instructions that address LDS matter, and
// none is outstanding.
func (t *tracker) Calm() bool { return t.p.light && len(t.flights) == 0 }

// resolve returns the registers that a use means now.
func (t *tracker) resolve(u use, frame []byte) amdgpu.RegRun {
	if u.shift == shiftNone || frame == nil {
		return u.RegRun
	}
	m0 := binary.NativeEndian.Uint32(frame[t.p.sgpr+4*amdgpu.RegM0:])
	if u.shift == shiftIdx {
		m0 &= 255
	}
	n := uint64(u.Lo) + uint64(m0)
	top := uint64(amdgpu.RegM0)
	if u.Lo >= amdgpu.RegVGPR0 {
		top = amdgpu.RegHW0
	}
	if n+uint64(u.N) > top {
		return amdgpu.RegRun{} // a fault
	}
	return amdgpu.Run(uint16(n), u.N)
}

// at returns the place of a register in the frame, and its size; ok is false if it has none.
func (p *tracking) at(reg uint16) (off, size uint32, ok bool) {
	switch {
	case reg < 128:
		return p.sgpr + 4*uint32(reg), 4, true
	case reg >= amdgpu.RegHW0:
		return p.mode, 4, reg == amdgpu.RegHW0+amdgpu.HWRegMode && p.mode != 0
	case reg >= amdgpu.RegVGPR0:
		return p.vgpr + p.chip.RowBytes()*uint32(reg-amdgpu.RegVGPR0), p.chip.RowBytes(), true
	}
	return 0, 0, false
}

// copyOf returns the contents of registers.
func (p *tracking) copyOf(s amdgpu.RegRun, frame []byte) []byte {
	var b []byte
	for i := range s.N {
		if off, n, ok := p.at(s.Lo + i); ok && uint64(off)+uint64(n) <= uint64(len(frame)) {
			b = append(b, frame[off:off+n]...)
		}
	}
	return b
}

// checkFlights looks for uses of registers with outstanding values. A load may overwrite the
// registers of an earlier load of its class, if the class is in order: its own result arrives last.
func (t *tracker) checkFlights(i int32, f *facts, exec uint64, frame []byte) {
	if len(t.flights) == 0 {
		return
	}
	check := func(u use, kind int32) {
		s := t.resolve(u, frame)
		noted := false // only the last of several is reported, because a wait for it is a wait for all
		for j := len(t.flights) - 1; j >= 0; j-- {
			e := &t.flights[j]
			_, ordered := f.class.counter()
			switch {
			case e.told, e.locks && kind == noteRead:
				continue
			case kind == noteWrite && f.flies && ordered && !e.locks && e.open == 1 && e.conds[0].class == f.class:
				continue
			}
			for _, r := range e.regs {
				if !r.Overlaps(s) {
					continue
				}
				lanes := uint64(0)
				if r.Lo >= amdgpu.RegVGPR0 {
					if lanes = e.lanes; !f.across {
						lanes &= exec
					}
					if lanes == 0 {
						continue // the lanes are different
					}
				}
				k := kind
				if e.locks {
					k = noteLocked
				}
				if !noted {
					t.notes = append(t.notes, ir.Note{Code: codeWaitcnt, Lanes: lanes, With: e.by, Args: [4]int32{k, int32(s.Lo), int32(s.N), t.needs(e)}})
				}
				e.told, noted = true, true
				break
			}
		}
	}
	for _, u := range f.reads {
		check(u, noteRead)
	}
	for _, u := range f.writes {
		check(u, noteWrite)
	}
	if !t.p.late && len(t.notes) > 0 { // they need no further report, and nothing is delivered
		t.flights = slices.DeleteFunc(t.flights, func(e flight) bool { return e.told })
	}
}

// needs packs the counts that an s_waitcnt needs, each plus 1, in the format of SIMM16.
func (t *tracker) needs(e *flight) (packed int32) {
	for _, c := range e.conds[:e.open] {
		n := 0
		if _, ordered := c.class.counter(); ordered {
			n = t.issued[c.class] - c.seq - 1
		}
		k := c.class.field()
		packed |= int32(min(n, t.p.chip.Counters[k].Max()-1)+1) << (8 * k)
	}
	return packed
}

// checkTrails applies the rules of wait states. The last of several writers counts. The reader gets
// the value before the first writer that is too close.
func (t *tracker) checkTrails(i int32, f *facts, exec uint64, frame []byte) {
	for _, u := range f.rules {
		r, uses := u.rule, u.uses
		if len(t.trails) == 0 || f.vector && !f.across && exec == 0 {
			break
		}
		rule := &t.p.rules[r]
		for _, s := range uses {
			if l := t.tooClose(rule, s); l != nil {
				n := ir.Note{Code: codeWaitStates, With: l.by, Args: [4]int32{noteStates, int32(s.Lo), int32(s.N), int32(r)<<8 | int32(t.clock-l.at)}}
				if f.vector {
					n.Lanes = exec
				}
				t.notes = append(t.notes, n)
			}
		}
	}
	for _, s := range f.shadows {
		t.fill(s, frame)
	}
}

// tooClose finds the last trail on the registers, if it is too close.
func (t *tracker) tooClose(rule *amdgpu.WaitRule, s amdgpu.RegRun) *trail {
	for j := len(t.trails) - 1; j >= 0; j-- {
		l := &t.trails[j]
		if l.kind == rule.After && s.Overlaps(amdgpu.Run(l.reg, 1)) {
			if t.clock-l.at < rule.States {
				return l
			}
			return nil
		}
	}
	return nil
}

// fill writes the values that the reader sees to the shadow.
func (t *tracker) fill(s shadow, frame []byte) {
	copy(frame[s.off:], t.p.copyOf(s.RegRun, frame))
	rule := &t.p.rules[s.rule]
	for j := len(t.trails) - 1; j >= 0; j-- {
		l := &t.trails[j]
		if l.kind != rule.After || t.clock-l.at >= rule.States || !s.Overlaps(amdgpu.Run(l.reg, 1)) || l.old == nil {
			continue
		}
		copy(frame[s.off+uint32(l.reg-s.Lo)*uint32(len(l.old)):], l.old)
	}
}

// leave adds the trails of the instruction. Registers that other units write are safe at once.
func (t *tracker) leave(i int32, f *facts, exec uint64, frame []byte) {
	if len(f.left[amdgpu.TrailVALU]) == 0 && len(t.trails) > 0 {
		for _, u := range f.writes {
			s := t.resolve(u, frame)
			t.trails = slices.DeleteFunc(t.trails, func(l trail) bool { return l.kind == amdgpu.TrailVALU && s.Overlaps(amdgpu.Run(l.reg, 1)) })
		}
	}
	for k, left := range f.left {
		for _, s := range left {
			if s.Lo >= amdgpu.RegVGPR0 && s.Lo < amdgpu.RegHW0 {
				if exec == 0 && !f.across {
					continue // nothing was written
				}
				if amdgpu.TrailKind(k) == amdgpu.TrailVALU && f.shifts() {
					for _, u := range f.writes {
						if u.RegRun == s {
							s = t.resolve(u, frame)
						}
					}
				}
			}
			for n := range s.N {
				l := trail{kind: amdgpu.TrailKind(k), reg: s.Lo + n, by: i, at: t.clock}
				if t.p.late && frame != nil && l.kind != amdgpu.TrailStore {
					l.old = t.p.copyOf(amdgpu.Run(l.reg, 1), frame)
				}
				t.trails = append(t.trails, l)
			}
		}
	}
}

// shifts reports whether the number of a destination is computed.
func (f *facts) shifts() bool {
	return slices.ContainsFunc(f.writes, func(u use) bool { return u.shift != shiftNone })
}

// Describe implements ir.Observer.
func (t *tracker) Describe(n ir.Note) ir.NoteText {
	by := &t.p.insts[n.With]
	from := t.p.code.Pos(by)
	regs := t.p.chip.RunText(amdgpu.Run(uint16(n.Args[1]), uint16(n.Args[2])))
	d := ir.NoteText{Other: from, Role: "issued here", Section: "GCN3 ISA 4.4"}
	who := fmt.Sprintf("%s (%s)", from.Name, whereText(from))
	switch n.Args[0] {
	case noteRead:
		d.Text = fmt.Sprintf("%s is read before the result of %s has arrived", regs, who)
	case noteWrite:
		d.Text = fmt.Sprintf("%s is written before the result of %s has arrived", regs, who)
	case noteLocked:
		d.Text = fmt.Sprintf("%s is written before %s has read it", regs, who)
	case noteBarrier:
		d.Text = fmt.Sprintf("it is reached before the write of %s to LDS is known to be done: another wave may read the old contents", who)
		d.Role, d.Section, d.Mild = "written here", sectionLDS, true
	case noteStates:
		rule, have := &t.p.rules[n.Args[3]>>8], int(n.Args[3]&0xff)
		did := "was written"
		d.Role = "written here"
		if rule.After == amdgpu.TrailStore {
			did, d.Role = "was stored", "stored here"
		}
		d.Text = fmt.Sprintf("%s %s %s ago by %s: %d of %d wait states", regs, did, amdgpu.StatesText(have), who, have, rule.States)
		d.Remedy = fmt.Sprintf("add s_nop %d before it, or independent instructions", rule.States-have-1)
		d.Section = "GCN3 ISA 4.5: " + rule.What
		return d
	}
	var counts []string
	for k, w := range t.p.chip.Counters {
		if v := n.Args[3] >> (8 * k) & 0xff; v > 0 {
			counts = append(counts, fmt.Sprintf("%s(%d)", w.Name, v-1))
		}
	}
	d.Remedy = fmt.Sprintf("add s_waitcnt %s before it", strings.Join(counts, " & "))
	return d
}
