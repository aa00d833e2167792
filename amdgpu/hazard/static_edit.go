package hazard

import "example.org/crosslane/amdgpu"

// A WaitEdit is a change of the code that adds or removes a wait.
type WaitEdit struct {
	Off int64 // offset of an instruction
	How EditKind
	// One of the two is used: the wait states of an s_nop, or the operations that an s_waitcnt may
	// leave outstanding, by counter in the order of Target.Counters, -1 for any number.
	States int
	Counts [3]int
	Why    string

	chip *amdgpu.Target
}

// An EditKind is the action of an edit on its instruction.
type EditKind uint8

// The kinds.
const (
	EditBefore  EditKind = iota // a new instruction precedes it, after its labels
	EditAfter                   // a new instruction follows it, before the next labels
	EditReplace                 // it is an s_nop or s_waitcnt, which changes
	EditRemove                  // it is removed
)

// Text returns the instruction that the edit makes.
func (e *WaitEdit) Text() string {
	switch {
	case e.How == EditRemove:
		return ""
	case e.States > 0:
		return nopText(e.States)
	}
	return WaitText(e.chip.OrDefault(), e.Counts)
}

// maxNop is the largest number of wait states of one s_nop: SIMM16[3:0] + 1.
const maxNop = 16

// Edits returns changes that add the missing waits. If two of them would meet, one is deferred:
// apply the edits and check the code again, until no wait is missing.
func (r *WaitReport) Edits() []WaitEdit {
	c := r.check
	type spotKey struct {
		off   int64
		outer bool
	}
	groups := map[spotKey]*WaitEdit{}
	var order []spotKey
	edited := map[int64]bool{} // instructions before which a new one is inserted
	// First the waits inside loops: they may suffice for paths that enter the loop from outside.
	var missing []*MissingWait
	for _, outer := range []bool{false, true} {
		for i := range r.Missing {
			if m := &r.Missing[i]; m.Outer == outer && m.Certain() {
				missing = append(missing, m)
			}
		}
	}
	for _, m := range missing {
		key := spotKey{m.Consumer, false}
		if m.Outer {
			key = spotKey{m.After, true}
		}
		e := groups[key]
		if e == nil {
			if (m.States > 0 || m.Outer) && meets(m, edited) {
				continue
			}
			e = &WaitEdit{Counts: [3]int{-1, -1, -1}, Why: m.Diag.Message, chip: c.p.chip}
			groups[key] = e
			order = append(order, key)
			edited[m.Consumer] = true
		}
		if e.States = max(e.States, m.States); m.States == 0 {
			e.Counts = fewer(e.Counts, m.Counts)
		}
	}
	var list []WaitEdit
	for _, key := range order {
		e := groups[key]
		if e.Counts != [3]int{-1, -1, -1} {
			e.States = 0 // s_waitcnt is a wait state too: the next check finds the rest
		}
		if i, ok := c.g.Index.At(key.off); ok {
			c.put(e, i, key.outer)
			list = append(list, *e)
		}
	}
	return list
}

// IsWait reports whether a code is for a missing s_nop or s_waitcnt.
func IsWait(code string) bool { return code == codeWaitcnt || code == codeWaitStates }

// EditOf returns the change that fixes one pair, if no other change is made.
func (r *WaitReport) EditOf(m *MissingWait) (e WaitEdit, ok bool) {
	off := m.Consumer
	if m.Outer {
		off = m.After
	}
	i, ok := r.check.g.Index.At(off)
	if !ok || !m.Certain() {
		return e, false
	}
	e = WaitEdit{States: m.States, Counts: m.Counts, Why: m.Diag.Message, chip: r.check.p.chip}
	r.check.put(&e, i, m.Outer)
	return e, true
}

// meets reports whether an edit is already on the path of a pair.
func meets(m *MissingWait, edited map[int64]bool) bool {
	for _, off := range m.Path[1:] {
		if edited[off] {
			return true
		}
	}
	return false
}

// fewer returns the counts that satisfy both.
func fewer(a, b [3]int) [3]int {
	for k := range a {
		if a[k] < 0 || b[k] >= 0 && b[k] < a[k] {
			a[k] = b[k]
		}
	}
	return a
}

// put chooses the form of an edit: a change of an existing s_nop or s_waitcnt, or a new one. An
// existing wait is usable if control always goes from it to the instruction.
func (c *staticCheck) put(e *WaitEdit, i int, outer bool) {
	at := i - 1
	e.Off, e.How = c.p.insts[i].Off, EditBefore
	if outer {
		at, e.How = i, EditAfter
	}
	for n := 0; n < 2 && at >= 0 && (outer && n == 0 || c.onlyInto(at)); at, n = at-1, n+1 {
		d := &c.p.insts[at]
		switch f := &c.p.facts[at]; {
		case d.In.IsNop():
			if e.States > 0 {
				if f.states+e.States <= maxNop {
					e.Off, e.How, e.States = d.Off, EditReplace, f.states+e.States
				}
				return
			}
		case f.waits:
			if e.States == 0 {
				e.Off, e.How, e.Counts = d.Off, EditReplace, fewer(e.Counts, c.limitsOf(at))
				return
			}
		default:
			return
		}
	}
}

// limitsOf returns the operations that an s_waitcnt may leave outstanding, as WaitEdit.Counts.
func (c *staticCheck) limitsOf(i int) (counts [3]int) {
	for k, w := range c.p.chip.Counters {
		if counts[k] = c.p.facts[i].leave[k]; counts[k] == w.Max() {
			counts[k] = -1
		}
	}
	return counts
}

// onlyInto reports whether the next instruction is the only successor of an instruction and has no
// other predecessor.
func (c *staticCheck) onlyInto(i int) bool {
	return len(c.flow.Succ[i]) == 1 && int(c.flow.Succ[i][0]) == i+1 && len(c.flow.Pred[i+1]) == 1 && c.p.insts[i+1].Off != c.code.Entry
}
