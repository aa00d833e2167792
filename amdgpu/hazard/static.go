package hazard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// The check of all waits without a run. A may-analysis of all paths (flow.go) finds the
// instructions that may lack a wait. From each of them, the code is searched backwards for the
// cause, along the shortest path (static_path.go). The search for s_nop and s_waitcnt that nothing
// needs starts from each of them (static_spare.go).

// A WaitReport is the result of CheckStatic for a kernel.
type WaitReport struct {
	Missing []MissingWait // by place
	Spare   []SpareWait   // by place
	Other   diag.List     // findings of other rules: CheckOther
	Waits   []int64       // offsets of all s_nop and s_waitcnt that can be reached
	Limits  diag.List     // parts that could not be followed, and assumptions
	// Proved is the number of pairs of instructions that must not come too close on some path, and
	// do not. AtLeast reports that there are further pairs, which were not counted.
	Proved  int
	AtLeast bool
	check   *staticCheck
}

// A MissingWait is a pair of instructions that come too close on some path.
type MissingWait struct {
	Diag               *diag.Diagnostic
	Producer, Consumer int64   // offsets
	Path               []int64 // offsets of the instructions from Producer to Consumer
	// States is the number of missing wait states; 0: a result has not arrived. Counts is then the
	// number of operations that s_waitcnt may leave outstanding, by counter in the order of
	// Target.Counters; -1 for the other counters.
	States int
	Counts [3]int
	// The best place for the missing wait is directly before Consumer or, if Outer, directly after
	// the instruction at After, which leads into the loop that contains Consumer. Counts are
	// right for that place.
	Outer bool
	After int64
}

// Certain reports that a wait is missing for all values that the code computes, so that it can be
// inserted.
func (m *MissingWait) Certain() bool {
	return m.Diag.Severity == diag.Error || m.Diag.Code == CodeWaitcntBarrier
}

// maxMissing bounds the number of reports for one kernel.
const maxMissing = 500

// staticCheck is one check.
type staticCheck struct {
	code  amdgpu.Code
	p     *tracking
	prog  *amdgpu.Program
	g     amdgpu.FlowGraph // graph of nodes
	flow  amdgpu.FlowGraph // graph of instructions
	bad   []suspects
	steps int // remaining steps for counting pairs
	rep   *WaitReport
}

// CheckStatic examines every path through the code that can be reached from the entry. It finds
// missing wait states (GCN3 ISA 4.5) and registers that are used before an s_waitcnt guarantees
// that they are ready (GCN3 ISA 4.4). If it finds none, and has no Limits of severity Warning, no
// run has any: it assumes that every branch may go both ways, and computed branches to all targets
// that context.go finds.
//
// A flat instruction counts in vmcnt and, because it may address LDS, in lgkmcnt too. Whether it
// addresses LDS is not visible here; CheckStatic demands vmcnt only, and reports that in Limits.
//
// An error is the reason why the code cannot be followed at all.
func CheckStatic(code amdgpu.Code) (*WaitReport, error) {
	c, err := newStaticCheck(code)
	if err != nil {
		return nil, err
	}
	c.run()
	return c.rep, nil
}

// newStaticCheck decodes the code and collects its facts and graphs.
func newStaticCheck(code amdgpu.Code) (*staticCheck, error) {
	prog, err := amdgpu.Follow(code, true)
	if err != nil {
		return nil, err
	}
	insts := prog.Insts
	at := prog.Indexing(code.Entry)
	c := &staticCheck{code: code, prog: prog, steps: 40 << 20, rep: &WaitReport{}}
	c.p = newTracking(code, insts, func(off int64) amdgpu.IndexState {
		switch s, ok := at[off]; {
		case !ok:
			return amdgpu.IndexOff
		case s == amdgpu.IndexUnknown:
			return amdgpu.IndexOn | 15 // any operand may be indexed
		default:
			return s
		}
	})
	c.g = prog.Graph(code)
	c.flow = c.g.Folded(len(insts))
	c.rep.check = c
	return c, nil
}

// run finds the suspects, searches the cause of each, and fills the report.
func (c *staticCheck) run() {
	spare := c.newSpare()
	c.bad = c.p.suspect(&c.g, spare.see)
	missing := map[pairKey]bool{}
	flat, more := -1, 0
	found := map[pairKey]*blamed{} // per pair, the context that lacks most
	var order []*blamed
	for i, b := range c.bad {
		i := int32(i)
		if b.flat && flat < 0 {
			flat = int(c.g.At(i))
		}
		if b.unsaid && (c.code.OneWave || !c.p.readBehind(&c.g, i)) {
			c.bad[i].unsaid, b.unsaid = false, false
		}
		if b.unseen && (c.code.OneWave || !c.p.behind(&c.g, i, readsMem)) {
			c.bad[i].unseen, b.unseen = false, false
		}
		if !b.flight && b.rules == 0 && !b.unsaid && !b.unseen && !b.early {
			continue
		}
		if len(order) >= maxMissing {
			more++
			continue
		}
		for _, m := range c.blame(i) {
			key := c.ofInsts(m.pairKey)
			missing[key] = true
			if o := found[key]; o == nil {
				found[key] = &m
				order = append(order, &m)
			} else if m.n < o.n || o.guessed && !m.guessed {
				m.guessed = m.guessed && o.guessed
				*o = m
			}
		}
	}
	for _, m := range order {
		c.rep.Missing = append(c.rep.Missing, c.missing(*m))
	}
	slices.SortStableFunc(c.rep.Missing, func(a, b MissingWait) int {
		return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Producer, b.Producer))
	})
	c.rep.Proved = c.pairs(missing)
	if more > 0 {
		c.limit(-1, diag.Warning, "%s more instructions come too early; only the first %d are reported", fmt.Sprint(more), maxMissing)
	}
	c.limits(flat)
	c.rep.Spare = spare.find()
	c.rep.Other = otherRules(c.code, c.p.insts, &c.g)
}

// limits reports the assumptions.
func (c *staticCheck) limits(flat int) {
	for i := range c.p.insts {
		d := &c.p.insts[i]
		switch {
		case !d.Computed || !c.prog.Open(i):
		case len(c.prog.Hub) == 0 || amdgpu.IsCall(&d.In) && len(c.prog.Callees()) == 0:
			c.limit(i, diag.Warning, "%s goes to an address that is not known: what follows it is not checked", d.In.Mnemonic())
		case amdgpu.IsCall(&d.In):
			c.limit(i, diag.Note, "%s is assumed to go to one of the functions of the file, or to an address that the code computes", d.In.Mnemonic())
		case amdgpu.IsReturn(&d.In):
			c.limit(i, diag.Note, "%s goes to an address that is not known: it is assumed to return from any call, or to go to an address that the code computes", d.In.Mnemonic())
		}
	}
	if flat >= 0 {
		c.limit(flat, diag.Note, "flat instructions before it are assumed to address no LDS: no wait for lgkmcnt is required for them")
	}
}

// limit adds a line about an instruction, or about the kernel.
func (c *staticCheck) limit(i int, s diag.Severity, format string, args ...any) {
	d := diag.Errorf(diag.Pos{File: c.code.File}, diag.Finding, codeNotFollowed, format, args...)
	d.Severity = s
	if i >= 0 {
		pos := c.code.Pos(&c.p.insts[i])
		d.Pos, d.Source = c.code.DiagPos(pos), pos.Text
	}
	if len(c.rep.Limits) < maxMissing {
		c.rep.Limits = append(c.rep.Limits, d)
	}
}

// codeNotFollowed is the code for an assumption of a static check, or a part that it cannot follow.
const codeNotFollowed = "not-followed"

// ofInsts returns a pair of instructions, without their contexts.
func (c *staticCheck) ofInsts(k pairKey) pairKey {
	k.by, k.to = c.g.At(k.by), c.g.At(k.to)
	return k
}

// missing describes a pair.
func (c *staticCheck) missing(b blamed) MissingWait {
	by, to := &c.p.insts[c.g.At(b.by)], &c.p.insts[c.g.At(b.to)]
	m := MissingWait{Producer: by.Off, Consumer: to.Off, Counts: [3]int{-1, -1, -1}}
	for _, i := range b.path {
		m.Path = append(m.Path, c.p.insts[c.g.At(i)].Off)
	}
	from, pos := c.code.Pos(by), c.code.Pos(to)
	who, regs := fmt.Sprintf("%s (%s)", from.Name, whereText(from)), c.p.chip.RunText(b.regs)
	over := ""
	jumps := c.jumps(b.path)
	if len(jumps) > 0 {
		over = " when control comes over " + jumpsText(jumps)
	}
	var text, role, insert, section string
	if b.rule >= 0 {
		rule := &c.p.rules[b.rule]
		m.States = rule.States - b.n
		did := "was written"
		role = "written here"
		if rule.After == amdgpu.TrailStore {
			did, role = "was stored", "stored here"
		}
		text = fmt.Sprintf("%s %s %s ago by %s%s: %d of %d wait states", regs, did, amdgpu.StatesText(b.n), who, over, b.n, rule.States)
		insert, section = nopText(m.States), "GCN3 ISA 4.5: "+rule.What
	} else {
		m.Counts[b.class.field()] = b.n
		role, section = "issued here", "GCN3 ISA 4.4"
		switch {
		case b.regs.Lo == regLDS:
			role, section = "written here", sectionLDS
			text = fmt.Sprintf("it is reached before the write of %s to LDS is known to be done%s: another wave may read the old contents", who, over)
		case b.regs.Lo == regMem:
			role, section = "written here", sectionLDS
			text = fmt.Sprintf("it is reached before the write of %s is known to be done%s", who, over)
		case b.regs.Lo == regOps:
			section = sectionLDS
			text = fmt.Sprintf("the cache is invalidated before %s is known to be done%s: a later read may return older data", who, over)
		case b.locks:
			text = fmt.Sprintf("%s is written before %s has read it%s", regs, who, over)
		case b.write:
			text = fmt.Sprintf("%s is written before the result of %s has arrived%s", regs, who, over)
		default:
			text = fmt.Sprintf("%s is read before the result of %s has arrived%s", regs, who, over)
		}
		insert = WaitText(c.p.chip, m.Counts)
	}
	c.locate(&m, b)
	code := codeWaitcnt
	if b.rule >= 0 {
		code = codeWaitStates
	} else if b.regs.Lo >= regLDS {
		code = CodeWaitcntBarrier
	}
	e := diag.Errorf(c.code.DiagPos(pos), diag.Finding, code, "%s: %s", pos.Name, text)
	e.Source, e.Section = pos.Text, section
	e.Remedy = fmt.Sprintf("insert %s before %s", insert, whereText(pos))
	if m.Outer {
		if i, ok := c.g.Index.At(m.After); ok {
			e.Remedy = fmt.Sprintf("insert %s after %s, before the loop", insert, whereText(c.code.Pos(&c.p.insts[i])))
		}
	}
	e.Related = []diag.Related{{Pos: c.code.DiagPos(from), Message: role, Source: from.Text}}
	for _, j := range jumps {
		e.Related = append(e.Related, diag.Related{Pos: c.code.DiagPos(j.at), Message: "from here control " + j.how, Source: j.at.Text})
	}
	if b.regs.Lo >= regLDS {
		e.Severity = diag.Warning
	}
	if b.guessed && e.Severity == diag.Error {
		e.Severity = diag.Warning
		e.Message += "; whether it goes there is not known"
	}
	if b.maybe {
		e.Severity = diag.Warning
		e.Message += "; it is any register from there on, because its number is computed"
		// A compiler has the bounds of its array, so a load beyond its end is no mistake.
		if b.far {
			e.Severity = diag.Note
		}
	}
	m.Diag = e
	return m
}

// nopText returns the s_nop with the given wait states.
func nopText(states int) string { return fmt.Sprintf("s_nop %d", states-1) }

// WaitText returns the s_waitcnt that leaves the given counts outstanding, by counter in the order
// of Target.Counters; -1: any number.
func WaitText(t *amdgpu.Target, counts [3]int) string {
	var l []string
	for k, w := range t.Counters {
		if counts[k] >= 0 {
			l = append(l, fmt.Sprintf("%s(%d)", w.Name, counts[k]))
		}
	}
	if len(l) == 0 {
		return ""
	}
	return "s_waitcnt " + strings.Join(l, " & ")
}
