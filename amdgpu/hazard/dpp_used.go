package hazard

import (
	"slices"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// This file decides whether lanes that a DPP instruction kept have an effect where they are read.
//
// Input: an instruction that reads the register, and the lanes that were kept.
// Output: whether a result of the instruction in one of these lanes may depend on the register.
// Invariant: "no" is a proof for the lanes that execute the instruction. A program chooses by the
// lane's number which lanes take the value, so the values that follow from constants, v_mbcnt and
// EXEC are computed for each lane. Everything else is unknown.
// Example: scans of rocPRIM take 0 in the first lane of a row.
//
//	v_mbcnt_lo_u32_b32 v3, -1, 0
//	v_mbcnt_hi_u32_b32 v3, -1, v3
//	v_and_b32 v4, 15, v3
//	v_cmp_ne_u32 vcc, 0, v4                 ; false in lanes 0, 16, 32, 48
//	v_mov_b32_dpp v2, v1 row_shr:1          ; keeps v2 in lanes 0, 16, 32, 48
//	v_cndmask_b32 v2, 0, v2, vcc            ; takes 0 in these lanes

// A laneValue is a value in one lane: its bits, the bits that are known, and the bits that may
// depend on the kept lanes. A scalar has the same value in all lanes; a mask has one bit.
type laneValue struct{ bits, known, kept uint64 }

const (
	usedDepth = 64   // how many definitions are followed, each from the one before
	usedSteps = 4096 // how many instructions are looked at for one lane
)

// uses reports whether a result of instruction j may depend on the lanes of reg in the mask.
func (s *staleSearch) uses(j int, reg amdgpu.RegRun, kept lane.Mask) bool {
	in := &s.p.insts[j].In
	if kept &= readsLanes(in, reg); kept != 0 && in.Row.Target().WaveSize != 64 {
		return true
	}
	for l := range kept.Lanes() {
		e := laneSearch{s, l, reg, usedSteps, map[usedKey]laneValue{}}
		results, ok := e.results(j, true, true, 0)
		if !ok || slices.ContainsFunc(results, func(r laneResult) bool { return r.v.kept != 0 }) {
			return true
		}
	}
	return false
}

// A laneSearch computes values of one lane.
type laneSearch struct {
	*staleSearch
	lane int
	reg  amdgpu.RegRun         // the register with kept lanes
	left int                   // how many instructions may still be looked at
	memo map[usedKey]laneValue // a value that is being computed is unknown
}

// A usedKey names a value before an instruction, if the lane executes it or in any case.
type usedKey struct {
	at     int
	reg    amdgpu.RegRun
	active bool
}

// A laneResult is the value that an instruction writes to registers.
type laneResult struct {
	reg     amdgpu.RegRun
	v       laneValue
	guarded bool // only if the lane executes the instruction
}

// results computes what instruction j writes; ok is false if it has other effects, or results that
// are not computed here. active reports that the lane executes the instruction; top that the
// instruction reads the kept lanes.
func (e *laneSearch) results(j int, active, top bool, depth int) (list []laneResult, ok bool) {
	in := &e.p.insts[j].In
	if in.Row.Sem == nil || e.p.facts[j].shifts() {
		return nil, false
	}
	f, place := amdgpu.LiftPlaced(in)
	values := map[ir.Ref]laneValue{}
	for _, in := range f.Inputs {
		if in.Kind == ir.LaneID {
			values[in.Dst] = laneValue{uint64(e.lane), ^uint64(0), 0}
		}
	}
	get := func(r ir.Ref) laneValue {
		v := f.Val(r)
		if x, ok := values[r]; ok {
			return x
		}
		if v.Kind == ir.Const {
			return laneValue{v.Const, ^uint64(0), 0}
		}
		run := place(v)
		var x laneValue
		switch {
		case run.N == 0:
			return x
		case slices.ContainsFunc(list, func(r laneResult) bool { return r.reg.Overlaps(run) }):
			k := slices.IndexFunc(list, func(r laneResult) bool { return r.reg.Overlaps(run) })
			if x = list[k].v; list[k].reg != run || list[k].guarded {
				return laneValue{kept: x.kept}
			}
		case top && run.Overlaps(e.reg):
			return laneValue{kept: ^uint64(0)}
		case run == amdgpu.Run(amdgpu.RegEXEC, 2) && active:
			x = laneValue{1 << e.lane, 1 << e.lane, 0}
		default:
			x = e.before(j, run, active, depth+1)
		}
		if v.Type == ir.B1 && !v.Scalar {
			x = laneValue{x.bits >> e.lane & 1, x.known >> e.lane & 1, x.kept >> e.lane & 1}
		}
		return x
	}
	for i := range f.Code {
		c := &f.Code[i]
		if !c.Op.Pure() || c.Dst == 0 || c.Dst2 != 0 || c.GuardNot {
			return nil, false
		}
		guarded := c.Guard != 0
		if guarded && place(f.Val(c.Guard)) != amdgpu.Run(amdgpu.RegEXEC, 2) {
			return nil, false
		}
		var args [4]laneValue
		for k := range ir.Ops[c.Op].Args {
			args[k] = get(c.Args[k])
		}
		v, d := transfer(c.Op, args), f.Val(c.Dst)
		if d.Kind == ir.Temp {
			values[c.Dst] = v
			continue
		}
		run := place(d)
		if run.N == 0 {
			run = amdgpu.Run(amdgpu.RegSCC, 1)
		}
		if d.Type == ir.B1 && !d.Scalar {
			v = laneValue{v.bits & 1 << e.lane, v.known & 1 << e.lane, v.kept & 1 << e.lane}
		}
		list = append(list, laneResult{run, v, guarded})
	}
	return list, true
}

// transfer computes the result of a pure operation in one lane.
func transfer(op ir.Op, a [4]laneValue) laneValue {
	info := &ir.Ops[op]
	mask := ^uint64(0)
	if w := info.Res.Bytes() * 8; info.Res == ir.B1 {
		mask = 1
	} else if w < 64 {
		mask = 1<<w - 1
	}
	var r laneValue
	switch op {
	case ir.Sel16, ir.Sel32, ir.Sel64, ir.SelP:
		if a[0].known&1 != 0 && a[0].kept&1 == 0 {
			r = a[1]
			if a[0].bits&1 == 0 {
				r = a[2]
			}
			return laneValue{r.bits & mask, r.known & mask, r.kept & mask}
		}
	case ir.And16, ir.And32, ir.And64, ir.AndP, ir.Or16, ir.Or32, ir.Or64, ir.OrP:
		// A bit that is 0 decides an And, one that is 1 an Or, whatever the other operand is.
		zero, one := decided(a[0])|decided(a[1]), uint64(0)
		r.bits = a[0].bits & a[1].bits
		if op == ir.Or16 || op == ir.Or32 || op == ir.Or64 || op == ir.OrP {
			zero, one = 0, a[0].bits&a[0].known&^a[0].kept|a[1].bits&a[1].known&^a[1].kept
			r.bits = a[0].bits | a[1].bits
		}
		r.known = a[0].known&a[1].known | zero | one
		r.kept = (a[0].kept | a[1].kept) &^ (zero | one)
		return laneValue{r.bits & r.known & mask, r.known & mask, r.kept & mask}
	}
	known, bits := true, [4]uint64{}
	for k, t := range info.Args {
		m := uint64(1)
		if t != ir.B1 {
			m = ^uint64(0) >> (64 - 8*t.Bytes())
		}
		known = known && a[k].known&m == m
		bits[k] = a[k].bits
		if a[k].kept&m != 0 {
			r.kept = mask
		}
	}
	if known {
		r.bits, r.known = ir.Evaluator(op)(bits)&mask, mask
	}
	return r
}

// decided returns the bits that are known to be 0.
func decided(v laneValue) uint64 { return ^v.bits & v.known &^ v.kept }

// before computes the value of registers before instruction i from all their definitions. active
// reports that the lane executes the instruction.
func (e *laneSearch) before(i int, reg amdgpu.RegRun, active bool, depth int) laneValue {
	key := usedKey{i, reg, active}
	v, ok := e.memo[key]
	if !ok && depth < usedDepth {
		e.memo[key] = laneValue{}
		v = e.search(i, reg, active, depth)
		e.memo[key] = v
	}
	return v
}

// search implements before.
func (e *laneSearch) search(i int, reg amdgpu.RegRun, active bool, depth int) (v laneValue) {
	type visit struct {
		at     int32
		active bool // no instruction since has written EXEC
	}
	exec := amdgpu.Run(amdgpu.RegEXEC, 2)
	seen, first := map[visit]bool{}, true
	var todo []visit
	meet := func(w laneValue) {
		if first {
			v, first = w, false
			return
		}
		v.known &= w.known &^ (v.bits ^ w.bits)
		v.bits &= v.known
		v.kept |= w.kept
	}
	push := func(q visit) bool {
		if q.at == e.g.Entry || len(e.g.Pred[q.at]) == 0 {
			w := laneValue{}
			if q.at == e.g.Entry && reg == exec {
				w = laneValue{^uint64(0), ^uint64(0), 0} // of the lanes that the wave begins with
			}
			meet(w)
		}
		for _, p := range e.g.Pred[q.at] {
			if p := (visit{p, q.active}); !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
		return v.known != 0 || first
	}
	if !push(visit{int32(i), active}) {
		return laneValue{}
	}
	for k := 0; k < len(todo); k++ {
		q := todo[k]
		if e.left--; e.left < 0 {
			return laneValue{}
		}
		if int(q.at) >= len(e.p.insts) {
			return laneValue{} // calls
		}
		f := &e.p.facts[q.at]
		q.active = q.active && !overlap(f.writes, exec)
		if f.shifts() {
			return laneValue{}
		}
		if !overlap(f.writes, reg) {
			if !push(q) {
				return laneValue{}
			}
			continue
		}
		w := laneValue{}
		if list, ok := e.results(int(q.at), q.active, false, depth); ok {
			for _, r := range list {
				switch {
				case r.reg == reg && (!r.guarded || q.active || e.executes(int(q.at), depth)):
					w = r.v
				case r.reg.Overlaps(reg):
					w = laneValue{}
				}
			}
		}
		if meet(w); v.known == 0 {
			return laneValue{}
		}
	}
	return v
}

// executes reports whether the lane executes instruction j whenever the wave does.
func (e *laneSearch) executes(j, depth int) bool {
	v := e.before(j, amdgpu.Run(amdgpu.RegEXEC, 2), false, depth+1)
	return v.bits&v.known>>e.lane&1 != 0
}
