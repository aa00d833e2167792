package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// Weights of the cost, in cycles. A GCN3 wave issues one instruction in four cycles, and a wait state
// is one turn; a trip through the LDS hardware is a weight within the range that is published
// for GCN. A PTX target issues one instruction of a warp per cycle; simple results can be read
// after about five cycles, those of the shared-memory data path after about 24. They order
// sequences; they predict no time.
const (
	cyclesVALU  = 4
	cyclesTrans = 16
	cyclesLDS   = 64
	issueLDS    = 8 // the four units of a processor share the LDS hardware

	latencySimple = 5
	latencyShared = 24
	issueReduced  = 2
	issueShared   = 4
)

// measured is a sequence with its waits and its cost.
type measured struct {
	sequence
	code    []string // with waits
	cost    api.PlanCost
	reasons []string
	finds   diag.List // of the check of all paths
}

// Instructions around a GCN3 sequence: the source has just been written, and the result is read.
const (
	writesSource = "v_mov_b32_e32 v0, v0"
	readsResult  = "v_mov_b32_e32 v1, v1"
)

// measureGCN3 inserts the waits that the sequence needs between a vector instruction that writes its
// sources and one that reads its results, and adds up its cost. The units and encodings of the
// decoded instructions decide.
func measureGCN3(s sequence, prologue, epilogue []string) (*measured, error) {
	before, after := len(prologue), len(epilogue)
	lines := slices.Concat(prologue, s.code, epilogue)
	setup := s.setup
	out := &measured{sequence: s}
	for range 64 {
		insts, diags := asm.AssembleInsts(strings.Join(append(slices.Clone(lines), "s_endpgm"), "\n"), "plan")
		if diags.Err() != nil {
			return nil, diags
		}
		code := amdgpu.Code{File: "plan"}
		at := map[int64]int{}
		for i, e := range insts {
			at[int64(e.Offset)] = i
			code.Bytes = append(code.Bytes, e.Bytes...)
		}
		r, err := hazard.CheckStatic(code)
		if err != nil {
			return nil, err
		}
		edits := r.Edits()
		if len(r.Missing) == 0 || len(edits) == 0 {
			out.code = lines[before : len(lines)-after]
			for _, m := range r.Missing {
				out.finds = append(out.finds, m.Diag)
			}
			out.finds = append(out.finds, hazard.CheckOther(code)...)
			out.addGCN3(insts[before:len(lines)-after], setup)
			return out, nil
		}
		for _, e := range slices.Backward(edits) {
			i, ok := at[e.Off]
			if !ok {
				continue
			}
			switch e.How {
			case hazard.EditBefore, hazard.EditAfter:
				i += btoi(e.How == hazard.EditAfter)
				lines = slices.Insert(lines, i, e.Text())
				if i < before+setup {
					setup++
				}
			case hazard.EditReplace:
				lines[i] = e.Text()
			}
		}
		if len(edits) == 0 {
			break
		}
	}
	return nil, fmt.Errorf("the waits of %q were not found", s.how)
}

// addGCN3 adds up the cost of instructions.
func (m *measured) addGCN3(insts []amdgpu.Encoded, setup int) {
	c := &m.cost
	c.Instructions, c.Setup = len(insts), setup
	vgprs, sgprs := map[uint16]bool{}, map[uint16]bool{}
	dpp, waits := 0, 0
	for i := range insts {
		in := &insts[i].Inst
		c.Bytes += len(insts[i].Bytes)
		for _, o := range in.Operands() {
			run := amdgpu.OperandRun(&o)
			for k := range run.N {
				switch r := run.Lo + k; {
				case r > amdgpu.RegVGPR0:
					vgprs[r] = true
				case r < amdgpu.RegVCC:
					sgprs[r] = true
				}
			}
		}
		cycles, issue := cyclesVALU, cyclesVALU
		switch u := in.Row.Unit; {
		case u == amdgpu.UnitTrans:
			cycles, issue = cyclesTrans, cyclesTrans
		case u == amdgpu.UnitLDS:
			c.LDS++
			cycles, issue = cyclesVALU, issueLDS
		case in.Row.Flags.Has(amdgpu.FlagNop):
			n := int(in.Ops[0].Bits(amdgpu.B32)) + 1
			c.WaitStates += n
			cycles, issue = n*cyclesVALU, 0
		case u == amdgpu.UnitVALU, u == amdgpu.UnitSALU:
		default: // s_waitcnt
			waits++
			cycles, issue = cyclesLDS+cyclesVALU, 0
		}
		if in.Enc == amdgpu.EncDPP {
			dpp++
		}
		c.Latency += cycles
		c.Issue += issue
	}
	c.Registers, c.Scalars = len(vgprs), len(sgprs)
	why := func(format string, args ...any) { m.reasons = append(m.reasons, fmt.Sprintf(format, args...)) }
	if c.WaitStates > 0 {
		why("a DPP instruction reads its source 2 wait states after a vector instruction wrote it: s_nop, unless other work stands there")
	}
	if waits > 0 {
		why("a result of the LDS hardware arrives after about %d cycles: s_waitcnt", cyclesLDS)
	}
	if c.Setup > 0 {
		why("the first %d instructions depend on nothing but the lane's number: a loop needs them once", c.Setup)
	}
	if n := len(insts) - 1; n >= 0 && dpp > 0 && insts[n].Inst.Enc == amdgpu.EncDPP && len(insts[n].Inst.Row.Operands) == 2 {
		why("the last DPP move folds into a vector instruction that reads the result and takes the modifier")
	}
}

var ptxRegister = regexp.MustCompile(`%[rp]\d+`)

// measurePTX adds up the cost of a PTX sequence. The latency is that of the longest chain, for a warp
// that issues one instruction per cycle in order; the rates are those of the instruction table.
func measurePTX(s sequence) (*measured, error) {
	out := &measured{sequence: s, code: s.code}
	c := &out.cost
	c.Instructions, c.Setup = len(s.code), s.setup
	ready := map[string]int{}
	clock := 0
	for _, line := range s.code {
		e, err := ptx.Explain(line, ptx.ExplainOptions{})
		if err != nil {
			return nil, err
		}
		latency, issue := latencySimple, 1
		switch e.Rate {
		case ptx.RateShared:
			latency, issue = latencyShared, issueShared
			c.Shuffles++
		case ptx.RateReduced, ptx.RateOther:
			latency, issue = latencyShared, issueReduced
		}
		writes := map[string]bool{}
		for _, p := range e.Operands {
			if p.Writes {
				for _, r := range ptxRegister.FindAllString(p.Text, -1) {
					writes[r] = true
				}
			}
		}
		regs := ptxRegister.FindAllString(line, -1)
		at := clock
		for _, r := range regs {
			at = max(at, ready[r])
		}
		clock = at + 1
		for r := range writes {
			ready[r] = at + latency
		}
		c.Issue += issue
		for _, t := range ready {
			c.Latency = max(c.Latency, t)
		}
	}
	for r := range ready {
		if strings.HasPrefix(r, "%p") {
			c.Scalars++
		} else if r != "%r0" {
			c.Registers++
		}
	}
	if c.Shuffles > 0 {
		out.reasons = append(out.reasons, fmt.Sprintf("a shuffle takes about %d cycles, a simple instruction %d; a shuffle issues at a quarter of the rate", latencyShared, latencySimple))
	}
	if c.Setup > 0 {
		out.reasons = append(out.reasons, fmt.Sprintf("the first %d instructions depend on nothing but the lane's number: a loop needs them once", c.Setup))
	}
	return out, nil
}
