package hazard

import (
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// CodeM0 reports an LDS or GDS instruction that is reached before M0 was written.
const CodeM0 = "m0-uninitialised"

// CheckOther finds mistakes that are visible without a run and do not concern waits: CodeM0,
// CodeStaleDPP.
func CheckOther(code amdgpu.Code) diag.List {
	p, err := amdgpu.Follow(code, true)
	if err != nil {
		return nil // Lift reports the error
	}
	g := p.Graph(code)
	return otherRules(code, p.Insts, &g)
}

func otherRules(code amdgpu.Code, insts []amdgpu.Decoded, g *amdgpu.FlowGraph) diag.List {
	return append(limitedBeforeM0(code, insts, g), staleDPP(code, insts, g)...)
}

// m0State holds the possible states of M0 at a place; if paths with different states meet, both
// bits are set.
type m0State uint8

const (
	m0Unset m0State = 1 << iota
	m0Set
)

// limitedBeforeM0 finds DS instructions that access memory before an instruction has written M0, on
// all paths from the entry (an error) or on some (a warning). M0 holds the limit of LDS, and is not
// set when a wave begins (GCN3 ISA 12, DS; AMDGPUUsage, "M0"). There is one finding of each kind,
// at the first place in the code. If no instruction writes M0, the finding is a warning too:
// hand-written kernels rely on the value that launches leave there. Permutes and swizzles access no
// memory.
func limitedBeforeM0(code amdgpu.Code, insts []amdgpu.Decoded, g *amdgpu.FlowGraph) diag.List {
	needs, never := false, true
	for i := range insts {
		needs = needs || limitedByM0(&insts[i].In)
		never = never && !writesM0(&insts[i].In)
	}
	if !needs {
		return nil
	}
	// Each node is visited at most twice: once for each bit.
	at := make([]m0State, len(g.Succ))
	todo := []int32{}
	reach := func(i int32, s m0State) {
		if at[i]|s != at[i] {
			at[i] |= s
			todo = append(todo, i)
		}
	}
	if g.Entry >= 0 && !code.Function { // the caller of a function may have written it
		reach(g.Entry, m0Unset)
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		s := at[i]
		if g.Real(i) && writesM0(&insts[g.At(i)].In) {
			s = m0Set
		}
		for _, to := range g.Succ[i] {
			reach(to, s)
		}
	}
	known := make([]m0State, len(insts))
	for i := range g.N {
		known[g.At(int32(i))] |= at[i]
	}
	var list diag.List
	var told [m0Set + 1]bool // by the other known state at the place
	for i := range insts {
		s := known[i]
		if s&m0Unset == 0 || told[s&m0Set] || !limitedByM0(&insts[i].In) {
			continue
		}
		told[s&m0Set] = true
		pos := code.Pos(&insts[i])
		e := diag.Errorf(code.DiagPos(pos), diag.Finding, CodeM0, "%s: M0 has not been written: the limit of LDS is the value that an earlier wave left there", pos.Name)
		if never { // on purpose
			e.Severity = diag.Warning
			e.Message = pos.Name + ": no instruction writes M0, the limit of LDS: the kernel relies on the value that a launch leaves there, which the ABI does not define"
		}
		if s&m0Set != 0 {
			e.Severity = diag.Warning
			e.Message = pos.Name + ": M0, the limit of LDS, has not been written on one of the paths that lead here"
		}
		if insts[i].In.Has(amdgpu.ModGDS) {
			e.Message = pos.Name + ": M0, the wave's part of GDS, may not have been written"
		}
		e.Remedy = "write s_mov_b32 m0, -1 before it, on all paths"
		e.Source, e.Section = pos.Text, "GCN3 ISA, DS instructions: M0"
		list = append(list, e)
	}
	return list
}

// limitedByM0 reports whether M0 limits the memory that the instruction accesses.
func limitedByM0(in *amdgpu.Inst) bool {
	return in.Row.Unit == amdgpu.UnitLDS && in.Row.Reads&amdgpu.M0 != 0
}

// writesM0 reports whether the instruction writes M0, or may do so.
func writesM0(in *amdgpu.Inst) bool {
	for _, s := range in.Writes() {
		if s.Overlaps(amdgpu.Run(amdgpu.RegM0, 1)) {
			return true
		}
	}
	return in.Row.GPRIdx != amdgpu.IdxNone // s_set_gpr_idx writes parts of it
}
