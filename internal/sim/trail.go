package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The way of undefined bits, for the paths of findings. It is followed if Func.Steps exists, which takes
// several times as long as the undefined bits themselves. So Check asks for it in a second run, if the
// first run found a mistake.
//
// Input: ir.Reach operations of the kinds ReachFrom, ReachInto and ReachStep.
// Output: way, the instructions that undefined bits passed, from their origin to the finding.
// Invariant: steps[pos] is the cause of the last undefined result of the instruction at pos.
// Example: ld r1 (uninitialised); add r2, r1, 1; st [out], r2. The way of the store is ld, then add.
//
// Literature: Bond et al., Tracking bad apples: reporting the origin of null and undefined value errors
// (OOPSLA 2007).

// trail is the history that the blocks of a worker share.
type trail struct {
	steps map[int32]step   // the cause of the last undefined result of each instruction
	began map[int32]string // the cause of the first undefined result without a predecessor
	mem   map[memKey]maker // the store of undefined bits to each word of 4 bytes
	from  maker            // the store from which the current instruction loads
	where string           // the name of that memory
}

// maker is an instruction that stored undefined bits, and its lane. pos is noStep if no instruction has,
// and noLoad if the loaded value is defined.
type maker struct {
	pos   int32
	lane  int
	wave  int
	block uint64
}

// step is the cause of an undefined result: the undefined result of the instruction from, or, if from is
// noStep, the text.
type step struct {
	from int32
	text string
	who  string // the lane that executed from, if it is of another wave
}

// memKey identifies a word of 4 bytes.
type memKey struct {
	space ir.Space
	owner uint64 // block, or lane
	word  uint64
}

const (
	noStep    = -1
	noLoad    = -2
	maxMemory = 1 << 20 // remembered words
	maxWay    = 8       // steps that a finding names
)

// ways returns the trail of the worker, and makes it on first use.
func (w *Wave) ways() *trail {
	if w.trail == nil {
		w.Worker.trail = &trail{steps: map[int32]step{}, began: map[int32]string{}, mem: map[memKey]maker{}, from: maker{pos: noLoad}}
	}
	if w.last == nil {
		w.last = map[uint32]int32{}
	}
	return w.trail
}

// follow notes a step.
func (w *Wave) follow(in *ir.Inst, kind ir.ReachKind, m lane.Mask) {
	t := w.ways()
	if in.Scalar && kind != ir.ReachStep {
		m = lane.Lane(0)
	}
	switch kind {
	case ir.ReachFrom:
		for i := range m.Lanes() {
			if t.load(w, in.Space, w.Address(in.Args[1], i, in.Imm), uint64(in.Align), i) {
				return
			}
		}
	case ir.ReachInto:
		bad := w.undefinedIn(in.Args[0], m)
		for i := range m.Lanes() {
			key, _ := w.memKey(in.Space, w.Address(in.Args[1], i, in.Imm), i)
			for range max(1, in.Align/4) {
				if bad.Has(i) && len(t.mem) < maxMemory {
					t.mem[key] = maker{in.Pos, i, w.ID, w.block}
				} else {
					delete(t.mem, key)
				}
				key.word++
			}
		}
		if bad != 0 {
			t.note(in.Pos, w.why(in.Pos, t, bad))
		}
	case ir.ReachStep:
		s := &w.Func.Steps[in.Pos]
		var bad lane.Mask
		for _, r := range s.DstSet {
			bad |= w.undefinedIn(r, m)
		}
		if bad != 0 {
			if why := w.why(in.Pos, t, bad); why.from != in.Pos {
				t.note(in.Pos, why)
			}
		}
		for i, r := range s.DstSet {
			for _, off := range w.places(s.Dst[i]) {
				if w.undefinedIn(r, m) != 0 {
					w.last[off] = in.Pos
				} else {
					delete(w.last, off)
				}
			}
		}
		t.from.pos = noLoad
	}
}

// note remembers the cause of an undefined result.
func (t *trail) note(pos int32, why step) {
	t.steps[pos] = why
	if why.from == noStep && t.began[pos] == "" {
		t.began[pos] = why.text
	}
}

// places returns the frame offsets by which a guest value is known. Registers that are masks or scalars of
// 64 bits have two, because their halves are read separately, too.
func (w *Wave) places(r ir.Ref) []uint32 {
	v := w.Func.Val(r)
	if (v.Scalar || v.Type == ir.B1) && v.Size(w.Func.Lanes) == 8 {
		return []uint32{v.Off, v.Off + 4}
	}
	return []uint32{v.Off}
}

// writer returns the instruction that wrote the undefined bits of a guest value.
func (w *Wave) writer(r ir.Ref) (pos int32, ok bool) {
	for _, off := range w.places(r) {
		if pos, ok = w.last[off]; ok {
			return pos, true
		}
	}
	return 0, false
}

// undefinedIn returns the lanes of m whose element of a set is not empty. For a scalar it returns all
// lanes.
func (w *Wave) undefinedIn(r ir.Ref, m lane.Mask) lane.Mask {
	if !w.Func.Val(r).Scalar {
		return w.bitsOf(r) & m
	}
	if w.Get(r, 0) != 0 {
		return math.MaxUint64
	}
	return 0
}

// memKey returns the key of the memory that lane i accesses, and its name.
func (w *Wave) memKey(space ir.Space, addr uint64, i int) (memKey, string) {
	switch space, addr = w.Resolve(space, addr); space {
	case ir.Shared:
		return memKey{ir.Shared, w.block, addr / 4}, "shared memory"
	case ir.Local:
		return memKey{ir.Local, w.block<<16 | uint64(w.ID)<<6 | uint64(i), addr / 4}, "private memory"
	}
	name := "global memory"
	if a := w.Mem.Find(addr, 1); a != nil {
		name = fmt.Sprintf("%q", a.Name)
	}
	return memKey{ir.Global, 0, addr / 4}, name
}

// load finds the store of the value that lane i of w loads, and reports whether the value has undefined
// bits.
func (t *trail) load(w *Wave, space ir.Space, addr, size uint64, i int) bool {
	look := ir.Inst{Op: ir.Load, Space: space, Flags: ir.Undefined}
	p, _, _, _ := w.find(&look, addr, size, i, false)
	if p == nil || getBytes(p, size) == 0 {
		return false
	}
	key, name := w.memKey(space, addr, i)
	t.from, t.where = maker{pos: noStep}, name
	for n := range (size + 3) / 4 {
		k := key
		k.word += n
		if from, ok := t.mem[k]; ok {
			t.from = from
		}
	}
	return true
}

// who names the lane that stored a value, if it is of another wave.
func (w *Wave) who(m maker) string {
	switch {
	case m.block != w.block:
		b := w.Launch.blockIndex(m.block)
		return fmt.Sprintf("lane %d of wave %d, block (%d,%d,%d)", m.lane, m.wave, b[0], b[1], b[2])
	case m.wave != w.ID:
		return fmt.Sprintf("lane %d of wave %d", m.lane, m.wave)
	}
	return ""
}

// foundWay ends the launch if that was the last way to be found.
func (w *Wave) foundWay() {
	if l := w.Launch; l.Ways > 0 {
		if l.Ways--; l.Ways == 0 {
			l.stop.CompareAndSwap(nil, &Fault{Code: LimitReached, Text: "all ways are known"})
		}
	}
}

// why returns the cause for which an instruction's result, or its effect, is undefined in lanes.
func (w *Wave) why(pos int32, t *trail, m lane.Mask) step {
	if t.from.pos != noLoad {
		if t.from.pos != noStep {
			return step{from: t.from.pos, who: w.who(t.from)}
		}
		return step{from: noStep, text: "reads " + t.where + " where nothing has been written"}
	}
	s := &w.Func.Steps[pos]
	name := ""
	absent := w.found[findingKey{code: CodeUndefinedSource, pos: pos}] != nil
	for i, r := range s.SrcSet {
		if w.undefinedIn(r, m) == 0 {
			continue
		}
		if from, ok := w.writer(s.Src[i]); ok {
			return step{from: from}
		}
		// A value that it read from absent lanes may by now be in the register that it read.
		if name == "" && !(absent && slices.Contains(s.Dst, s.Src[i])) {
			name = w.Func.Val(s.Src[i]).Name
			// It is worth reporting that other lanes of the register have been written: a mask or a lane
			// number is wrong. The registers of lanes that do not run are unreliable: engines keep only
			// values that are read.
			if bad, on := w.undefinedIn(r, m), w.on(); !w.Func.Val(r).Scalar && w.bitsOf(r)&on != on {
				name = bad.Named() + " of " + name
			}
		}
	}
	if name != "" {
		return step{from: noStep, text: "reads " + name + ", which nothing has written"}
	}
	// The instruction may have overwritten its own sources since.
	for i := range s.Src {
		if from, ok := w.writer(s.Src[i]); ok && from != pos {
			return step{from: from}
		}
	}
	if have, ok := t.steps[pos]; ok {
		return have
	}
	if w.found[findingKey{code: CodeUndefinedSource, pos: pos}] == nil {
		for _, r := range s.Keeps {
			if from, ok := w.writer(r); ok && from != pos {
				return step{from: from}
			} else if !ok {
				return step{from: noStep, text: "keeps " + w.Func.Val(r).Name + ", which nothing has written, in lanes that get no value"}
			}
		}
	}
	return w.origin(pos)
}

// on returns the lanes that run.
func (w *Wave) on() lane.Mask {
	if w.Func.Exec != 0 {
		return w.Mask(w.Func.Exec) & w.Active
	}
	return w.Active
}

// origin is the step of an instruction whose result is undefined for any operands.
func (w *Wave) origin(pos int32) step {
	text := "its result is undefined"
	if open := w.Func.Pos[pos].Open; len(open) > 0 {
		text += ": " + strings.Join(open, "; ")
	}
	if w.found[findingKey{code: CodeUndefinedSource, pos: pos}] != nil {
		text = "reads lanes that do not take part"
	}
	return step{from: noStep, text: text}
}

// way returns the path by which undefined bits came to the instruction at pos, from their origin on.
func (w *Wave) way(pos int32, m lane.Mask) []diag.Related {
	t := w.ways()
	steps, end := t.back(w, w.why(pos, t, m))
	if len(steps) == 0 {
		steps = []step{{from: pos}}
	}
	steps[len(steps)-1].text = end
	left := max(len(steps)-maxWay, 0)
	steps = slices.Delete(steps, len(steps)-1-left, len(steps)-1)
	var rel []diag.Related
	for _, s := range slices.Backward(steps) {
		text := cmp.Or(s.text, "passes them on")
		if s.who != "" {
			text += ", as " + s.who
		}
		p, src := where(w.Func, s.from)
		rel = append(rel, related(p, w.Func.Pos[s.from].Name+": "+text, src))
	}
	if left > 0 {
		rel[0].Message += fmt.Sprintf(" (the next %d steps are not shown)", left)
	}
	return rel
}

// back returns the instructions that undefined bits passed, the last one first, and the cause at their
// origin.
func (t *trail) back(w *Wave, why step) (steps []step, end string) {
	at := map[int32]int{}
	for why.from != noStep {
		from := why.from
		if first, again := at[from]; again {
			// A round of a loop: a later round has replaced the cause at which the first one began, unless
			// an instruction of the loop is known to have begun it.
			for i := first; i < len(steps); i++ {
				if began := t.began[steps[i].from]; began != "" {
					return steps[:i+1], began
				}
			}
			return steps, w.origin(steps[len(steps)-1].from).text
		}
		at[from] = len(steps)
		steps = append(steps, step{from: from, who: why.who})
		next, ok := t.steps[from]
		if !ok {
			next = w.origin(from)
		}
		why = next
	}
	return steps, why.text
}
