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

// tracer follows the undefined bits of a wave.
type tracer struct {
	*Wave
	*trail
}

// ways returns the tracer of the wave, and makes the trail of the worker on first use.
func (w *Wave) ways() tracer {
	if w.trail == nil {
		w.Worker.trail = &trail{steps: map[int32]step{}, began: map[int32]string{}, mem: map[memKey]maker{}, from: maker{pos: noLoad}}
	}
	if w.last == nil {
		w.last = map[uint32]int32{}
	}
	return tracer{w, w.Worker.trail}
}

// follow notes a step.
func (t tracer) follow(in *ir.Inst, kind ir.ReachKind, m lane.Mask) {
	if in.Scalar && kind != ir.ReachStep {
		m = lane.Lane(0)
	}
	switch kind {
	case ir.ReachFrom:
		for i := range m.Lanes() {
			if t.load(in.Space, t.Address(in.Args[1], i, in.Imm), uint64(in.Align), i) {
				return
			}
		}
	case ir.ReachInto:
		bad := t.undefinedIn(in.Args[0], m)
		for i := range m.Lanes() {
			key, _ := t.memKey(in.Space, t.Address(in.Args[1], i, in.Imm), i)
			for range max(1, in.Align/4) {
				if bad.Has(i) && len(t.mem) < maxMemory {
					t.mem[key] = maker{in.Pos, i, t.ID, t.block}
				} else {
					delete(t.mem, key)
				}
				key.word++
			}
		}
		if bad != 0 {
			t.note(in.Pos, t.why(in.Pos, bad))
		}
	case ir.ReachStep:
		s := &t.Func.Steps[in.Pos]
		var bad lane.Mask
		for _, r := range s.DstSet {
			bad |= t.undefinedIn(r, m)
		}
		if bad != 0 {
			if why := t.why(in.Pos, bad); why.from != in.Pos {
				t.note(in.Pos, why)
			}
		}
		for i, r := range s.DstSet {
			for _, off := range t.places(s.Dst[i]) {
				if t.undefinedIn(r, m) != 0 {
					t.last[off] = in.Pos
				} else {
					delete(t.last, off)
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
func (f *ValueFrame) places(r ir.Ref) []uint32 {
	v := f.Func.Val(r)
	if (v.Scalar || v.Type == ir.B1) && v.Size(f.Func.Lanes) == 8 {
		return []uint32{v.Off, v.Off + 4}
	}
	return []uint32{v.Off}
}

// writer returns the instruction that wrote the undefined bits of a guest value.
func (t tracer) writer(r ir.Ref) (pos int32, ok bool) {
	for _, off := range t.places(r) {
		if pos, ok = t.last[off]; ok {
			return pos, true
		}
	}
	return 0, false
}

// undefinedIn returns the lanes of m whose element of a set is not empty. For a scalar it returns all
// lanes.
func (f *ValueFrame) undefinedIn(r ir.Ref, m lane.Mask) lane.Mask {
	if !f.Func.Val(r).Scalar {
		return f.bitsOf(r) & m
	}
	if f.Get(r, 0) != 0 {
		return math.MaxUint64
	}
	return 0
}

// memKey returns the key of the memory that lane i accesses, and its name.
func (t tracer) memKey(space ir.Space, addr uint64, i int) (memKey, string) {
	switch space, addr = t.Resolve(space, addr); space {
	case ir.Shared:
		block := t.block
		if owner, off := t.SharedAt(addr); owner != nil {
			block, addr = owner.block, off
		}
		return memKey{ir.Shared, block, addr / 4}, "shared memory"
	case ir.Local:
		return memKey{ir.Local, t.block<<16 | uint64(t.ID)<<6 | uint64(i), addr / 4}, "private memory"
	}
	name := "global memory"
	if a := t.Mem.Find(addr, 1); a != nil {
		name = fmt.Sprintf("%q", a.Name)
	}
	return memKey{ir.Global, 0, addr / 4}, name
}

// load finds the store of the value that lane i loads, and reports whether the value has undefined
// bits.
func (t tracer) load(space ir.Space, addr, size uint64, i int) bool {
	look := ir.Inst{Op: ir.Load, Space: space, Flags: ir.Undefined}
	p, _, _, _ := t.find(&look, addr, size, i, false)
	if p == nil || getBytes(p, size) == 0 {
		return false
	}
	key, name := t.memKey(space, addr, i)
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
func (t tracer) who(m maker) string {
	switch {
	case m.block != t.block:
		b := t.Launch.blockIndex(m.block)
		return fmt.Sprintf("lane %d of wave %d, block (%d,%d,%d)", m.lane, m.wave, b[0], b[1], b[2])
	case m.wave != t.ID:
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
func (t tracer) why(pos int32, m lane.Mask) step {
	if t.from.pos != noLoad {
		if t.from.pos != noStep {
			return step{from: t.from.pos, who: t.who(t.from)}
		}
		return step{from: noStep, text: "reads " + t.where + " where nothing has been written"}
	}
	s := &t.Func.Steps[pos]
	name := ""
	absent := t.found[findingKey{code: CodeUndefinedSource, pos: pos}] != nil
	for i, r := range s.SrcSet {
		if t.undefinedIn(r, m) == 0 {
			continue
		}
		if from, ok := t.writer(s.Src[i]); ok {
			return step{from: from}
		}
		// A value that it read from absent lanes may by now be in the register that it read.
		if name == "" && !(absent && slices.Contains(s.Dst, s.Src[i])) {
			name = t.Func.Val(s.Src[i]).Name
			// It is worth reporting that other lanes of the register have been written: a mask or a lane
			// number is wrong. The registers of lanes that do not run are unreliable: engines keep only
			// values that are read.
			if bad, on := t.undefinedIn(r, m), t.on(); !t.Func.Val(r).Scalar && t.bitsOf(r)&on != on {
				name = bad.Named() + " of " + name
			}
		}
	}
	if name != "" {
		return step{from: noStep, text: "reads " + name + ", which nothing has written"}
	}
	// The instruction may have overwritten its own sources since.
	for i := range s.Src {
		if from, ok := t.writer(s.Src[i]); ok && from != pos {
			return step{from: from}
		}
	}
	if have, ok := t.steps[pos]; ok {
		return have
	}
	if t.found[findingKey{code: CodeUndefinedSource, pos: pos}] == nil {
		for _, r := range s.Keeps {
			if from, ok := t.writer(r); ok && from != pos {
				return step{from: from}
			} else if !ok {
				return step{from: noStep, text: "keeps " + t.Func.Val(r).Name + ", which nothing has written, in lanes that get no value"}
			}
		}
	}
	return t.origin(pos)
}

// on returns the lanes that run.
func (t tracer) on() lane.Mask {
	if t.Func.Exec != 0 {
		return t.Mask(t.Func.Exec) & t.Active
	}
	return t.Active
}

// origin is the step of an instruction whose result is undefined for any operands.
func (t tracer) origin(pos int32) step {
	text := "its result is undefined"
	if open := t.Func.Pos[pos].Open; len(open) > 0 {
		text += ": " + strings.Join(open, "; ")
	}
	if t.found[findingKey{code: CodeUndefinedSource, pos: pos}] != nil {
		text = "reads lanes that do not take part"
	}
	return step{from: noStep, text: text}
}

// way returns the path by which undefined bits came to the instruction at pos, from their origin on.
func (t tracer) way(pos int32, m lane.Mask) []diag.Related {
	steps, end := t.back(t.why(pos, m))
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
		p, src := where(t.Func, s.from)
		rel = append(rel, related(p, t.Func.Pos[s.from].Name+": "+text, src))
	}
	if left > 0 {
		rel[0].Message += fmt.Sprintf(" (the next %d steps are not shown)", left)
	}
	return rel
}

// back returns the instructions that undefined bits passed, the last one first, and the cause at their
// origin.
func (t tracer) back(why step) (steps []step, end string) {
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
			return steps, t.origin(steps[len(steps)-1].from).text
		}
		at[from] = len(steps)
		steps = append(steps, step{from: from, who: why.who})
		next, ok := t.steps[from]
		if !ok {
			next = t.origin(from)
		}
		why = next
	}
	return steps, why.text
}
