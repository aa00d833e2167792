package hazard

import (
	"fmt"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// CodeStaleDPP is a DPP instruction with lanes that keep the result of another computation.
const CodeStaleDPP = "dpp-stale"

// staleDPP finds DPP instructions that leave lanes of their destination unchanged (row_mask,
// bank_mask, or lanes without a source and no bound_ctrl:0; GCN3 ISA, DPP) although no instruction
// has prepared the destination. A destination counts as prepared if, on every path, one of these
// holds:
//
//   - it is an operand of the instruction too, as in sums that are accumulated in place;
//   - its last writer is a plain move, or another DPP instruction;
//   - only this instruction uses the value that was written;
//   - the moved value was computed from the value that was written;
//   - no instruction wrote it: the value is undefined, and is followed as undefined.
//
// In all other cases the old value served another purpose. staleDPP reports the instruction if a
// lane that keeps the old value is read afterwards, and the value that is read may have an effect:
// see dpp_used.go. The report is a warning, because a program may merge two results into one
// register on purpose.
func staleDPP(code amdgpu.Code, insts []amdgpu.Decoded, g *amdgpu.FlowGraph) (list diag.List) {
	var s *staleSearch
	for i := range insts {
		in := &insts[i].In
		kept := keptLanes(in)
		if kept == 0 || len(list) >= maxMissing {
			continue
		}
		dst := amdgpu.OperandRun(&in.Ops[0])
		if s == nil {
			p := newTracking(code, insts, nil)
			s = &staleSearch{p: p, g: g.Folded(len(insts))}
		}
		if s.user(i, dst, kept, s.mayUse) < 0 {
			continue
		}
		if by := s.leftBy(i, dst); by >= 0 {
			user := s.user(i, dst, kept, s.uses)
			if user < 0 {
				continue
			}
			pos, from, to := code.Pos(&insts[i]), code.Pos(&insts[by]), code.Pos(&insts[user])
			e := diag.Errorf(code.DiagPos(pos), diag.Finding, CodeStaleDPP, "%s: %s of %s %s the value that %s (%s) computed for another purpose, and %s (%s) may read it",
				pos.Name, kept.Named(), s.p.chip.RunText(dst), kept.Do("keeps", "keep"), from.Name, whereText(from), to.Name, whereText(to))
			e.Severity, e.Source, e.Lanes, e.Section = diag.Warning, pos.Text, kept.String(), "GCN3 ISA, DPP: row_mask, bank_mask, bound_ctrl"
			e.Remedy = fmt.Sprintf("move the values for these lanes to %s first, such as 0 for sums; or take full masks and bound_ctrl:0", s.p.chip.RunText(dst))
			e.Related = []diag.Related{{Pos: code.DiagPos(from), Message: "computed here", Source: from.Text}, {Pos: code.DiagPos(to), Message: "read here", Source: to.Text}}
			list = append(list, e)
		}
	}
	return list
}

// keptLanes returns the lanes of the destination that a DPP instruction leaves unchanged, if all
// lanes execute; none if the destination is an operand too.
func keptLanes(in *amdgpu.Inst) (kept lane.Mask) {
	if in.Enc != amdgpu.EncDPP || in.Row.Flags.Has(amdgpu.FlagTied) {
		return 0
	}
	dst := amdgpu.OperandRun(&in.Ops[0])
	if dst.N != 1 || dst.Lo < amdgpu.RegVGPR0 || !in.WritesOperand(0) {
		return 0
	}
	for i := range in.Row.Operands {
		if i > 0 && amdgpu.OperandRun(&in.Ops[i]).Overlaps(dst) {
			return 0
		}
	}
	return ^dppLanes(in)
}

// dppLanes returns the lanes that a DPP instruction writes, if all lanes execute.
func dppLanes(in *amdgpu.Inst) lane.Mask {
	m := lane.DPPLanes(uint8(in.Mod(amdgpu.ModRowMask)), uint8(in.Mod(amdgpu.ModBankMask)))
	if in.Has(amdgpu.ModBoundCtrl) {
		return m
	}
	for l := range in.Row.Target().WaveSize {
		if _, ok := lane.DPPSource(lane.DPPCtrl(in.Mod(amdgpu.ModDPPCtrl)), l); !ok {
			m &^= lane.Lane(l)
		}
	}
	return m
}

type staleSearch struct {
	p *tracking
	g amdgpu.FlowGraph
}

// staleSteps bounds one search, staleBack the distance over which values are followed back.
const (
	staleSteps = 4096
	staleBack  = 512
)

// user finds an instruction that uses lanes of a register that instruction i kept; -1 if there is
// none.
func (s *staleSearch) user(i int, reg amdgpu.RegRun, kept lane.Mask, uses func(j int, reg amdgpu.RegRun, kept lane.Mask) bool) int {
	return s.g.Search(int32(i), staleSteps, func(j int) (found, end bool) {
		f := &s.p.facts[j]
		return overlap(f.reads, reg) && uses(j, reg, kept), overlap(f.writes, reg)
	})
}

// mayUse reports whether instruction j may read lanes of a register that are in the mask.
func (s *staleSearch) mayUse(j int, reg amdgpu.RegRun, kept lane.Mask) bool {
	return readsLanes(&s.p.insts[j].In, reg)&kept != 0
}

func overlap(uses []use, reg amdgpu.RegRun) bool {
	for _, u := range uses {
		if u.registers().Overlaps(reg) {
			return true
		}
	}
	return false
}

// readsLanes returns the lanes of a VGPR that the instruction may read.
func readsLanes(in *amdgpu.Inst, reg amdgpu.RegRun) lane.Mask {
	if n := len(in.Row.Operands) - 1; n > 0 && in.Row.Operands[n].Kind == amdgpu.ClassLane && in.Ops[n].IsConst() {
		return lane.Lane(lane.ReadLane(uint32(in.Ops[n].Bits(amdgpu.B32))))
	}
	if in.Enc != amdgpu.EncDPP {
		return ^lane.Mask(0)
	}
	var m lane.Mask
	for i := range in.Row.Operands {
		switch {
		case !in.ReadsOperand(i) || !amdgpu.OperandRun(&in.Ops[i]).Overlaps(reg):
		case in.Row.Operands[i].Field != amdgpu.FieldSRC0:
			m |= dppLanes(in)
		default:
			for l := range in.Row.Target().WaveSize {
				if j, ok := lane.DPPSource(lane.DPPCtrl(in.Mod(amdgpu.ModDPPCtrl)), l); ok && dppLanes(in).Has(l) {
					m |= lane.Lane(j)
				}
			}
		}
	}
	return m
}

// leftBy finds an instruction that wrote a register for another purpose than that of DPP
// instruction i; -1 if there is none.
func (s *staleSearch) leftBy(i int, reg amdgpu.RegRun) int {
	type place struct {
		at   int32
		read bool // an instruction has read the register since
	}
	seen := map[place]bool{}
	var todo []place
	push := func(at int32, read bool) {
		for _, p := range s.g.Pred[at] {
			if q := (place{p, read}); !seen[q] {
				seen[q] = true
				todo = append(todo, q)
			}
		}
	}
	push(int32(i), false)
	for k := 0; k < len(todo) && k < staleSteps; k++ {
		q := todo[k]
		if int(q.at) < len(s.p.insts) {
			f := &s.p.facts[q.at]
			if overlap(f.writes, reg) {
				in := &s.p.insts[q.at].In
				if q.read && in.Enc != amdgpu.EncDPP && !f.shifts() && !isMove(in) && !s.related(int(q.at), i, reg) {
					return int(q.at)
				}
				continue
			}
			q.read = q.read || overlap(f.reads, reg)
		}
		push(q.at, q.read)
	}
	return -1
}

// related reports whether the value that DPP instruction i moves may have been computed from the
// value that instruction by wrote to a register. A loaded value is not computed from its address.
// The search assumes that code runs in its layout order.
func (s *staleSearch) related(by, i int, reg amdgpu.RegRun) bool {
	if by > i || i-by > staleBack {
		return true
	}
	from := map[uint16]bool{}
	add := func(uses []use) {
		for _, u := range uses {
			for k := range u.N {
				from[u.Lo+k] = true
			}
		}
	}
	add(s.p.facts[i].reads)
	for j := i - 1; j > by; j-- {
		f := &s.p.facts[j]
		if !amdgpu.IsVALU(s.p.insts[j].In.Row) && s.p.insts[j].In.Row.Unit != amdgpu.UnitSALU {
			continue
		}
		for _, u := range f.writes {
			if from[u.Lo] || u.N > 1 && from[u.Lo+1] {
				add(f.reads)
				break
			}
		}
	}
	return from[reg.Lo]
}

// isMove reports whether an instruction means "D = operand", and no more.
func isMove(in *amdgpu.Inst) bool {
	if in.Row.Sem == nil || !amdgpu.IsVALU(in.Row) || in.Enc == amdgpu.EncSDWA || in.Enc == amdgpu.EncDPP {
		return false
	}
	f := amdgpu.LiftAlone(in)
	return len(f.Code) == 1 && f.Code[0].Op == ir.Mov32
}
