package gcn3

import (
	"fmt"

	"crosslane/diag"
	"crosslane/internal/ir"
)

// Two things that GCN3 leaves to the program: wait states between certain
// instructions (GCN3 ISA 4.5), and s_waitcnt before the result of a memory
// instruction is used (GCN3 ISA 4.4).

// CheckWaits looks for missing wait states and missing waits in the code that can
// be reached from the entry. Each finding is of class Finding, with the code
// "wait-states" or "waitcnt".
//
// The code is followed in straight lines: from the entry, and from every branch
// target, to the next branch target or the next branch that is always taken. What
// is pending where lines meet is not known, and nothing is reported about it.
//
// A flat instruction counts in vmcnt and, because it may address LDS, in lgkmcnt
// too. Whether it does address LDS cannot be seen here, and vmcnt must be waited
// for in any case; so vmcnt alone is asked for.
func CheckWaits(code Code) diag.List {
	insts, hub, err := reachable(code, true)
	if err != nil {
		return nil // Lift says why
	}
	joins := map[int64]bool{}
	for _, off := range hub {
		joins[off] = true
	}
	for i := range insts {
		for _, to := range successors(&insts[i]) {
			if to != insts[i].next {
				joins[to] = true
			}
		}
	}
	h := hazards{code: code}
	for i := range insts {
		d := &insts[i]
		if i > 0 && (joins[d.off] || stops(&insts[i-1].in) || insts[i-1].next != d.off) {
			h.reset()
		}
		h.step(d)
	}
	return h.list
}

// span is a run of registers: scalar codes, or 256 and up for VGPRs.
type span struct{ lo, n uint16 }

func (s span) overlaps(t span) bool { return s.lo < t.lo+t.n && t.lo < s.lo+s.n }

// spanOf is the run of an operand; n is 0 if it is no register.
func spanOf(o *Operand) span {
	switch o.Kind {
	case KindVGPR:
		return span{regVGPR0 + o.Reg, uint16(o.Dwords)}
	case KindSGPR:
		return span{o.Reg, uint16(o.Dwords)}
	}
	return span{}
}

// text names the first register of the run that t touches, or the run itself.
func (s span) text() string {
	if s.lo >= regVGPR0 {
		return regRange("v", int(s.lo-regVGPR0), int(s.n))
	}
	if t := sgprName(s.lo, int(s.n)); t != "" {
		return t
	}
	return regRange("s", int(s.lo), int(s.n))
}

// specialSpans are the implicit registers that are also numbered.
func specialSpans(s Special) []span {
	var l []span
	if s&VCC != 0 {
		l = append(l, span{RegVCC, 2})
	}
	if s&EXEC != 0 {
		l = append(l, span{RegEXEC, 2})
	}
	if s&M0 != 0 {
		l = append(l, span{RegM0, 1})
	}
	return l
}

// reads returns the registers that the instruction reads, writes those that it
// writes; implicit ones too, but not EXEC as the mask of vector instructions.
func (in *Inst) reads() []span {
	l := specialSpans(in.Row.Reads)
	for i := range in.Row.Operands {
		s := &in.Row.Operands[i]
		if sp := spanOf(&in.Ops[i]); sp.n > 0 && (!s.Dst || in.Row.Flags.Has(FlagTied)) {
			l = append(l, sp)
		}
	}
	return l
}

func (in *Inst) writes() []span {
	l := specialSpans(in.Row.Writes)
	atomicData := in.Row.Flags.Has(FlagAtomic) && (in.Row.Format == MUBUF || in.Row.Format == MIMG) && in.Returns()
	for i := range in.Row.Operands {
		s := &in.Row.Operands[i]
		if sp := spanOf(&in.Ops[i]); sp.n > 0 && (s.Dst || atomicData && s.Field == FieldVDATA) {
			l = append(l, sp)
		}
	}
	return l
}

// waitStates is what an instruction contributes between two others.
func (in *Inst) waitStates() int {
	if in.isNop() {
		return int(in.Ops[0].Imm&0xf) + 1
	}
	return 1
}

// isNop reports s_nop: a number of wait states in the format SOPP.
func (in *Inst) isNop() bool { return in.Row.Flags.Has(FlagNop) }

// write is a VALU write that later instructions must keep away from.
type write struct {
	reg span
	by  *decoded
	at  int // wait states from the start of the line to the end of the writer
}

// inFlight is a memory instruction whose result has not been waited for.
type inFlight struct {
	by      *decoded
	regs    []span
	counter Counters // the one that tells
	inOrder bool
}

// hazards is the state of one straight line of code.
type hazards struct {
	code    Code
	list    diag.List
	clock   int
	valu    []write
	pending []inFlight
}

func (h *hazards) reset() { h.clock, h.valu, h.pending = 0, nil, nil }

// maxWaitStates is the longest distance that any rule asks for.
const maxWaitStates = 5

// A waitRule says which registers an instruction must not read too soon after a
// VALU instruction wrote them. GCN3 ISA 4.5, "Manually Inserted Wait States".
type waitRule struct {
	states int
	what   string
	uses   func(in *Inst) []span
}

// waitRules returns the rules.
func waitRules() []waitRule {
	return []waitRule{
		{2, "DPP reads a VGPR that a VALU instruction wrote", dppSource},
		{5, "DPP runs under an EXEC that a VALU instruction wrote", dppExec},
		{5, "vector memory reads an SGPR that a VALU instruction wrote", vmemScalars},
		{4, "the lane select is an SGPR that a VALU instruction wrote", laneSelect},
		{4, "v_div_fmas reads a VCC that a VALU instruction wrote", implicitVCC},
	}
}

func dppSource(in *Inst) []span {
	if in.Enc != EncDPP {
		return nil
	}
	return in.fieldSpans(FieldSRC0)
}

func dppExec(in *Inst) []span {
	if in.Enc != EncDPP {
		return nil
	}
	return []span{{RegEXEC, 2}}
}

func vmemScalars(in *Inst) []span {
	if in.Row.Unit != UnitVMEM {
		return nil
	}
	var l []span
	for _, s := range in.reads() {
		if s.lo < regVGPR0 && s.lo != RegM0 {
			l = append(l, s)
		}
	}
	return l
}

func laneSelect(in *Inst) []span {
	if i := len(in.Row.Operands) - 1; i >= 0 && in.Row.Operands[i].Kind == ClassLane {
		if s := spanOf(&in.Ops[i]); s.n > 0 {
			return []span{s}
		}
	}
	return nil
}

func implicitVCC(in *Inst) []span {
	if isVALU(in.Row) && in.Row.Reads&VCC != 0 {
		return []span{{RegVCC, 2}}
	}
	return nil
}

// fieldSpans are the registers of the operand in a field.
func (in *Inst) fieldSpans(f FieldID) []span {
	for i := range in.Row.Operands {
		if in.Row.Operands[i].Field == f {
			if s := spanOf(&in.Ops[i]); s.n > 0 {
				return []span{s}
			}
		}
	}
	return nil
}

func isVALU(r *Row) bool { return r.Unit == UnitVALU || r.Unit == UnitTrans }

// step checks one instruction and then adds what it does.
func (h *hazards) step(d *decoded) {
	in := &d.in
	h.checkStates(d)
	h.checkPending(d)
	for i := range in.Row.Operands {
		if in.Row.Operands[i].Kind == ClassWait {
			h.wait(in.Ops[i].Imm)
		}
	}
	h.clock += in.waitStates()
	kept := h.valu[:0]
	for _, w := range h.valu {
		if h.clock-w.at < maxWaitStates {
			kept = append(kept, w)
		}
	}
	h.valu = kept
	if isVALU(in.Row) {
		for _, s := range in.writes() {
			h.valu = append(h.valu, write{reg: s, by: d, at: h.clock})
		}
	}
	h.issue(d)
}

// checkStates applies the rules of wait states. Of several writers the last one
// counts.
func (h *hazards) checkStates(d *decoded) {
	for _, rule := range waitRules() {
		for _, use := range rule.uses(&d.in) {
			for i := len(h.valu) - 1; i >= 0; i-- {
				w := h.valu[i]
				if !w.reg.overlaps(use) {
					continue
				}
				if have := h.clock - w.at; have < rule.states {
					h.states(d, rule, use, w.by, have)
				}
				break
			}
		}
	}
}

// states reports a missing wait state.
func (h *hazards) states(d *decoded, rule waitRule, use span, by *decoded, have int) {
	pos, from := h.code.pos(d), h.code.pos(by)
	e := diag.Errorf(h.code.diagPos(pos), diag.Finding, "wait-states", "%s: %s was written %s ago by %s (%s): %d of %d wait states",
		pos.Name, use.text(), plural(have, "wait state"), from.Name, whereText(from), have, rule.states)
	e.Remedy = fmt.Sprintf("add s_nop %d before it, or independent instructions", rule.states-have-1)
	e.Source, e.Section = pos.Text, "GCN3 ISA 4.5: "+rule.what
	e.Related = []diag.Related{{Pos: h.code.diagPos(from), Message: "written here", Source: from.Text}}
	h.list = append(h.list, e)
}

// whereText is where an instruction stands, for messages.
func whereText(p ir.Pos) string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d", p.Line)
	}
	return fmt.Sprintf("offset %#x", p.Off)
}

// flight says which counter tells that the instruction is done, and whether its
// results come back in order; ok is false if it is done at once.
func flight(in *Inst) (f inFlight, ok bool) {
	switch c := in.Counters(); {
	case c&VMCnt != 0:
		return inFlight{counter: VMCnt, inOrder: true}, true
	case c&LGKMCnt != 0:
		// Scalar memory and messages come back in any order.
		return inFlight{counter: LGKMCnt, inOrder: in.Row.Unit == UnitLDS}, true
	}
	return inFlight{}, false
}

// issue adds what the instruction leaves pending.
func (h *hazards) issue(d *decoded) {
	in := &d.in
	p, ok := flight(in)
	if !ok {
		return
	}
	p.by = d
	if in.Row.Unit == UnitSMEM || in.Returns() {
		p.regs = in.writes()
	}
	h.pending = append(h.pending, p)
}

// wait removes what an s_waitcnt waits for.
func (h *hazards) wait(simm int64) {
	vm, _, lgkm := WaitCounts(simm)
	h.drain(VMCnt, vm)
	h.drain(LGKMCnt, lgkm)
}

// drain leaves the last n of a counter pending; all of them if some come back in
// any order and n is not 0.
func (h *hazards) drain(c Counters, n int) {
	count, ordered := 0, true
	for i := range h.pending {
		if h.pending[i].counter == c {
			count++
			ordered = ordered && h.pending[i].inOrder
		}
	}
	if !ordered && n > 0 {
		return
	}
	kept := h.pending[:0]
	for _, p := range h.pending {
		if p.counter == c {
			if count--; count >= n {
				continue
			}
		}
		kept = append(kept, p)
	}
	h.pending = kept
}

// checkPending looks for uses of registers whose value is still on its way. A load may
// overwrite what an earlier load has not delivered, if both come back in order: its
// own result arrives last.
func (h *hazards) checkPending(d *decoded) {
	own, loads := flight(&d.in)
	for verb, regs := range [...][]span{d.in.reads(), d.in.writes()} {
		for _, use := range regs {
			for i := range h.pending {
				p := &h.pending[i]
				if verb == 1 && loads && own.inOrder && p.inOrder && own.counter == p.counter {
					continue
				}
				for _, r := range p.regs {
					if r.overlaps(use) {
						h.missing(d, use, i, verb == 1)
						h.pending[i].regs = nil // one report is enough
						break
					}
				}
			}
		}
	}
}

// missing reports a use before the wait.
func (h *hazards) missing(d *decoded, use span, i int, writes bool) {
	p := h.pending[i]
	n, ordered := 0, true
	for j, q := range h.pending {
		if q.counter == p.counter {
			ordered = ordered && q.inOrder
			if j > i {
				n++
			}
		}
	}
	if !ordered {
		n = 0
	}
	name := "vmcnt"
	if p.counter == LGKMCnt {
		name = "lgkmcnt"
	}
	verb := "is read"
	if writes {
		verb = "is written"
	}
	pos, from := h.code.pos(d), h.code.pos(p.by)
	e := diag.Errorf(h.code.diagPos(pos), diag.Finding, "waitcnt", "%s: %s %s before the result of %s (%s) has arrived",
		pos.Name, use.text(), verb, from.Name, whereText(from))
	e.Remedy = fmt.Sprintf("add s_waitcnt %s(%d) before it", name, n)
	e.Source, e.Section = pos.Text, "GCN3 ISA 4.4"
	e.Related = []diag.Related{{Pos: h.code.diagPos(from), Message: "issued here", Source: from.Text}}
	h.list = append(h.list, e)
}
