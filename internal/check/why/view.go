package why

import (
	"context"
	"slices"
	"sort"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A WaveInfo names a wave whose steps are recorded.
type WaveInfo struct {
	Block   uint64
	ID      int       // in the block
	Initial lane.Mask // the lanes that exist
	Steps   int       // that are kept
}

// A StepView is one step.
type StepView struct {
	Number   int
	Wave     int // in the order of Waves
	Pos      int32
	Fragment int       // see Fragment
	Lanes    lane.Mask // of the fragment
	Active   lane.Mask // those for which the instruction acts, by its guard or EXEC
	Scalar   bool      // it acts once for the wave
	Exits    lane.Mask // lanes that ended
	Writes   []Value   // the registers that it wrote
	Taken    lane.Mask // lanes that go on elsewhere than at the next instruction, if it is a branch
	Branch   bool
	// Done is the step of the launch in whose course the results of a rendezvous or a call came; -1: never.
	// It is Number for all other instructions.
	Done   int
	Access []Access
	// Exchange says which lanes read which; nil: the instruction moves nothing between lanes.
	Exchange *Exchange
}

// An Access is a load, a store or an atomic of some lanes.
type Access struct {
	Kind  string // "load", "store", "atomic", "copy"
	Space ir.Space
	Size  uint64 // bytes of each lane
	Lanes lane.Mask
	Addr  []uint64 // for each lane of Lanes, the offset in its space; nil: not known
}

// Waves lists the recorded waves, in the order in which they began.
func (h *History) Waves(ctx context.Context) ([]WaveInfo, error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return nil, err
	}
	var list []WaveInfo
	for _, i := range h.recordedWaves() {
		w := &h.waves[i]
		x := WaveInfo{Block: w.block, ID: w.id, Initial: w.initial}
		if l := t.waves[i]; l != nil {
			x.Steps = len(l.steps)
		}
		list = append(list, x)
	}
	return list, nil
}

// recordedWaves are the indices of the waves whose registers are recorded.
func (h *History) recordedWaves() (list []int32) {
	for i := range h.waves {
		if h.waves[i].full {
			list = append(list, int32(i))
		}
	}
	return list
}

// Steps returns the number of the first step that is kept, and how many are.
func (h *History) Steps(ctx context.Context) (first, count int, err error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return 0, 0, err
	}
	return h.steps.first, len(t.order), nil
}

// StepsOf returns the numbers of the kept steps of a wave, in order.
func (h *History) StepsOf(ctx context.Context, wave int) ([]int, error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return nil, err
	}
	waves := h.recordedWaves()
	if wave < 0 || wave >= len(waves) || t.waves[waves[wave]] == nil {
		return nil, nil
	}
	l := t.waves[waves[wave]]
	out := make([]int, len(l.steps))
	for i, s := range l.steps {
		out[i] = int(s.number) + h.steps.first
	}
	return out, nil
}

// Where returns the wave and the position of a step, without the work of Step. The step must be kept.
func (h *History) Where(ctx context.Context, number int) (wave int, pos int32, lanes lane.Mask, err error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	ref := t.order[number-h.steps.first]
	l := t.waves[ref.wave]
	return h.waveNumber(ref.wave), h.stepPos(l, ref.k), h.stepLanes(l, ref.k), nil
}

// StepAt returns the number of the k-th step of a wave, by its place in Waves; -1: it is not kept. It is StepsOf(ctx, wave)[k].
func (h *History) StepAt(ctx context.Context, wave, k int) (number int, err error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return -1, err
	}
	waves := h.recordedWaves()
	if wave < 0 || wave >= len(waves) || t.waves[waves[wave]] == nil {
		return -1, nil
	}
	steps := t.waves[waves[wave]].steps
	if k < 0 || k >= len(steps) {
		return -1, nil
	}
	return int(steps[k].number) + h.steps.first, nil
}

// LanesOf returns the lanes of a step, and whether its instruction acts once for the wave, without the work of Step. The step must be
// kept.
func (h *History) LanesOf(ctx context.Context, number int) (lanes lane.Mask, scalar bool, err error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return 0, false, err
	}
	ref := t.order[number-h.steps.first]
	_, e := h.stepEvent(t.waves[ref.wave], ref.k)
	return e.lanes, h.scalar(h.Plan.segs[e.seg].start), nil
}

// waveNumber is the place of a wave in Waves.
func (h *History) waveNumber(wave int32) int {
	var list []int32
	if h.line != nil {
		list = h.line.recorded
	} else { // the launch still runs
		list = h.recordedWaves()
	}
	n, _ := slices.BinarySearch(list, wave)
	return n
}

// Time returns the time at which a step begins; the number after the last step stands for the end.
func (h *History) Time(ctx context.Context, number int) (int, error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return 0, err
	}
	i := number - h.steps.first
	if i >= len(t.order) {
		return h.end(), nil
	}
	n, _ := h.stepEvent(t.waves[t.order[i].wave], t.order[i].k)
	return n, nil
}

// numberAt returns the number of the last step of the launch that began at or before an event.
func (h *History) numberAt(t *timeline, n int) int {
	return h.steps.first - 1 + sort.Search(len(t.order), func(i int) bool {
		m, _ := h.stepEvent(t.waves[t.order[i].wave], t.order[i].k)
		return m > n
	})
}

// Step describes a step that is kept.
func (h *History) Step(ctx context.Context, number int) (*StepView, error) {
	v, met, err := h.view(ctx, number, false)
	if err != nil {
		return nil, err
	}
	ref := h.line.order[number-h.steps.first]
	l := h.line.waves[ref.wave]
	n, e := h.stepEvent(l, ref.k)
	op := h.Plan.segs[e.seg].start
	s := h.slicer(ctx)
	s.accesses(v, ref.wave, n, op, h.eventsOf(l, ref.k))
	v.Exchange = s.exchange(ref.wave, n, met, op, v.Lanes)
	return v, nil
}

// Brief is Step without Access and Exchange, and with those writes alone that have undefined bits. It takes a small part of the time of
// Step if the steps of a wave are asked for in order.
func (h *History) Brief(ctx context.Context, number int) (*StepView, error) {
	v, _, err := h.view(ctx, number, true)
	return v, err
}

// view describes a step, but for Access and Exchange. met is the event of its rendezvous; -1: there is none.
func (h *History) view(ctx context.Context, number int, brief bool) (v *StepView, met int, err error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return nil, -1, err
	}
	ref := t.order[number-h.steps.first]
	l := t.waves[ref.wave]
	n, e := h.stepEvent(l, ref.k)
	seg := &h.Plan.segs[e.seg]
	v = &StepView{Number: number, Wave: h.waveNumber(ref.wave), Pos: seg.pos, Lanes: e.lanes, Done: number, Fragment: h.fragmentOf(ref.wave, l, int(ref.k))}
	next, err := h.Time(ctx, number+1)
	if err != nil {
		return nil, -1, err
	}
	before := h.frameNow(ref.wave, l, n)
	v.Active, v.Scalar = h.active(before, seg.start, e.lanes)
	met = -1
	for _, ev := range h.eventsOf(l, ref.k) {
		x, _ := h.event(ev)
		if ev >= next {
			v.Done = max(v.Done, h.numberAt(t, ev))
		}
		h.written1(ev, func(r ir.Ref, m lane.Mask, data, undef []uint64) {
			if x.kind == kMet {
				m &= v.Lanes
			}
			if !brief || undef != nil {
				v.addWrite(h, r, m, data, undef)
			}
		})
		switch x.kind {
		case kExit:
			v.Exits |= x.lanes
		case kMet:
			met = ev
		case kBranch:
			v.Branch = true
			in := &h.Plan.f.Code[h.Plan.segs[x.seg].op]
			if g := in.Guard; g != 0 && h.Plan.guest(g) {
				v.Taken = h.guardIn(before, in) & x.lanes
			}
		}
	}
	if met < 0 && t.waits[seg.pos] && h.meetsAt(seg.start) {
		v.Done = -1
	}
	return v, met, nil
}

// meetsAt reports whether the instruction that begins at an operation waits for a rendezvous.
func (h *History) meetsAt(op int) bool {
	f := h.Plan.f
	for i := op; i < len(f.Code) && f.Code[i].Pos == f.Code[op].Pos; i++ {
		if f.Code[i].Op.Meets() {
			return true
		}
	}
	return false
}

// addWrite adds lanes of a register.
func (v *StepView) addWrite(h *History, r ir.Ref, m lane.Mask, data, undef []uint64) {
	val := h.Plan.f.Val(r)
	x := Value{Ref: h.Plan.register(r), Lanes: m & lane.All(h.Plan.f.Lanes)}
	if val.Scalar {
		x.Lanes = 1
	}
	if m == 0 {
		return
	}
	any := false
	for i := range x.Lanes.Lanes() {
		x.Bits = append(x.Bits, element(val, data, i))
		u := uint64(0)
		if undef != nil {
			u = element(val, undef, i)
		}
		any = any || u != 0
		x.Undef = append(x.Undef, u)
	}
	if !any {
		x.Undef = nil
	}
	v.Writes = append(v.Writes, x)
}

// active returns the lanes for which the instruction that begins at an operation acts, and whether it
// acts once for the wave.
func (h *History) active(before *frame, op int, lanes lane.Mask) (lane.Mask, bool) {
	f := h.Plan.f
	scalar := h.scalar(op)
	var guard *ir.Inst
	for i := op; i < len(f.Code) && f.Code[i].Pos == f.Code[op].Pos; i++ {
		in := &f.Code[i]
		if guard == nil && in.Guard != 0 && h.Plan.guest(in.Guard) && !f.Val(in.Guard).Scalar {
			guard = in
		}
	}
	switch {
	case scalar:
		return h.maskIn(before, f.Exec) & lanes, true
	case guard != nil:
		return h.guardIn(before, guard) & lanes, false
	case f.Exec != 0:
		return h.maskIn(before, f.Exec) & lanes, false
	}
	return lanes, false
}

// scalar reports whether the instruction that begins at an operation acts once for the wave.
func (h *History) scalar(op int) bool {
	f := h.Plan.f
	for i := op; i < len(f.Code) && f.Code[i].Pos == f.Code[op].Pos; i++ {
		if in := &f.Code[i]; !in.Scalar && in.Op != ir.Nop {
			return false
		}
	}
	return f.Exec != 0
}

// guardIn returns the lanes for which an operation's guard holds.
func (h *History) guardIn(f *frame, in *ir.Inst) lane.Mask {
	m := h.maskIn(f, in.Guard)
	if in.GuardNot {
		m = ^m
	}
	return m
}

// maskIn reads a lane vector of B1.
func (h *History) maskIn(f *frame, r ir.Ref) lane.Mask {
	var m lane.Mask
	for i := range h.Plan.f.Lanes {
		if h.elementOf(f.data, r, i)&1 != 0 {
			m |= lane.Lane(i)
		}
	}
	return m
}

// A FragmentView is a fragment at a time.
type FragmentView struct {
	Fragment
	Next int   // its next step in the launch; -1: there is none
	Pos  int32 // the position of that step, else that of its last one; -1: it has done none
	// Since and Until are set while it waits at a rendezvous or a barrier: the step in which it arrived,
	// and the step in which it goes on; -1: never. Since is -1 if it does not wait.
	Since, Until int
}

// A WaveState is the state of a wave before a step of the launch.
type WaveState struct {
	Fragments []FragmentView
	Running   int       // the fragment that does the wave's next step; -1: there is none
	Exited    lane.Mask // lanes that have ended
	Exec      lane.Mask // GCN3
	h         *History
	frame     frame
}

// State returns the state of a wave, by its place in Waves, before a step of the launch.
func (h *History) State(ctx context.Context, number, wave int) (*WaveState, error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return nil, err
	}
	time, err := h.Time(ctx, number)
	if err != nil {
		return nil, err
	}
	id := h.recordedWaves()[wave]
	l := t.waves[id]
	if l == nil {
		l = &waveLine{}
	}
	k := sort.Search(len(l.steps), func(k int) bool { return int(l.steps[k].number)+h.steps.first >= number })
	s := &WaveState{h: h, frame: h.frameAt(id, l, time)}
	list, running := h.fragmentsAt(id, l, k)
	s.Running = running
	if h.Plan.f.Exec != 0 {
		s.Exec = h.maskIn(&s.frame, h.Plan.f.Exec)
	}
	s.Exited = h.initialLanes(id)
	for _, f := range list {
		s.Exited &^= f.Lanes
		s.Fragments = append(s.Fragments, h.fragmentView(t, l, k, f))
	}
	return s, nil
}

// fragmentView finds where a fragment is when k steps of its wave are over.
func (h *History) fragmentView(t *timeline, l *waveLine, k int, f Fragment) FragmentView {
	v := FragmentView{Fragment: f, Next: -1, Pos: -1, Since: -1, Until: -1}
	next, last := -1, -1
	for i := k; i < len(l.steps) && next < 0; i++ {
		if h.stepLanes(l, int32(i))&f.Lanes != 0 {
			next = i
		}
	}
	for i := min(k, len(l.steps)) - 1; i >= 0 && last < 0; i-- {
		if h.stepLanes(l, int32(i))&f.Lanes != 0 {
			last = i
		}
	}
	if last >= 0 {
		v.Pos = h.stepPos(l, int32(last))
	}
	if next >= 0 {
		v.Next, v.Pos = int(l.steps[next].number)+h.steps.first, h.stepPos(l, int32(next))
	}
	if last < 0 || !t.waits[h.stepPos(l, int32(last))] {
		return v
	}
	// It waits if its lanes did not go on at once.
	if arrived := int(l.steps[last].number); next < 0 || int(l.steps[next].number) != arrived+1 {
		v.Since, v.Until = arrived+h.steps.first, v.Next
		v.Pos = h.stepPos(l, int32(last))
	}
	return v
}

// A RegisterState is a register of a wave.
type RegisterState struct {
	Ref    ir.Ref
	Name   string
	Type   ir.Type
	Scalar bool
	Bits   []uint64 // one element per lane, or one
	Undef  []uint64 // the undefined bits, as Bits; nil: they are not known
}

// Registers returns registers, by name; nil: all that have a name, in the order of the function.
func (s *WaveState) Registers(names []string) (list []RegisterState) {
	seen := map[shape]bool{}
	f := s.h.Plan.f
	for i := range f.Values {
		v := &f.Values[i]
		r := ir.Ref(i)
		if i == 0 || v.Kind != ir.Guest || v.Name == "" || len(names) > 0 && !slices.Contains(names, v.Name) {
			continue
		}
		if sh := s.h.Plan.shapeOf(r); seen[sh] {
			continue
		} else if len(names) == 0 {
			seen[sh] = true
		}
		list = append(list, s.register(r))
	}
	return list
}

func (s *WaveState) register(r ir.Ref) RegisterState {
	v := s.h.Plan.f.Val(r)
	x := RegisterState{Ref: r, Name: v.Name, Type: v.Type, Scalar: v.Scalar}
	n := s.h.Plan.f.Lanes
	if v.Scalar {
		n = 1
	}
	x.Bits = make([]uint64, n)
	if s.frame.undef != nil {
		x.Undef = make([]uint64, n)
	}
	for i := range n {
		x.Bits[i] = s.h.elementOf(s.frame.data, r, i)
		if x.Undef != nil {
			x.Undef[i] = s.h.elementOf(s.frame.undef, r, i)
		}
	}
	return x
}

// Frame returns the registers as bytes, in the layout of the function. The caller must not change them.
func (s *WaveState) Frame() []byte {
	d := s.frame.data
	return unsafe.Slice((*byte)(unsafe.Pointer(&d[0])), 8*len(d))
}

// Func is the function that was instrumented.
func (p *Plan) Func() *ir.Func { return p.f }

// Digest is a number that differs if the kept steps differ: their places, lanes, and the registers and memory that they
// wrote. It does not depend on how the function is lifted.
func (h *History) Digest() uint64 {
	d := uint64(14695981039346656037)
	add := func(x uint64) {
		d ^= x
		d *= 0x9e3779b97f4a7c15
		d ^= d >> 29
	}
	for n := h.begin(); n < h.end(); n++ {
		e, data := h.event(n)
		if !h.waves[e.wave].full {
			continue
		}
		if pos := h.posOf(e); pos >= 0 {
			p := &h.Plan.f.Pos[pos]
			add(uint64(p.Line)<<32 ^ uint64(p.Off))
		}
		if h.begins(e) {
			add(uint64(e.lanes))
			add(uint64(h.waves[e.wave].id)<<32 ^ h.waves[e.wave].block)
		}
		h.written1(n, func(r ir.Ref, m lane.Mask, words, _ []uint64) {
			v := h.Plan.f.Val(r)
			if v.Scalar {
				add(element(v, words, 0))
				return
			}
			for i := range (m & lane.All(h.Plan.f.Lanes)).Lanes() {
				add(element(v, words, i))
			}
		})
		if e.kind == kAccess {
			for i := range min(3, len(data)) {
				add(data[i])
			}
		}
	}
	return d
}
