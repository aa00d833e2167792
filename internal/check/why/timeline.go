package why

import (
	"context"
	"slices"
	"sort"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// A timeline is the index of the steps of a History.
//
// Input: the events in order.
// Output: for each step its wave and its events; for each wave its registers and fragments at any time.
// Invariant: a time is the number of an event: the state of time n has the effects of all events before n.
// The events of a step follow the one that begins it, except those of a rendezvous that completes later.
type timeline struct {
	order    []stepRef // by step, from the first one on that is kept
	waves    map[int32]*waveLine
	recorded []int32 // the waves whose registers are recorded
	waits    []bool  // by position: the instruction is a rendezvous or a barrier
}

// stepRef names a step of a wave by its number in the wave.
type stepRef struct{ wave, k int32 }

// A waveLine is the timeline of one wave.
type waveLine struct {
	events []int32            // in order
	steps  []waveStep         // in order
	late   map[int32][]int32  // by step: its events that come after the next step of the wave
	owners map[int32][]int32  // by late event: its steps
	frames []frame            // the registers at some times, see frameAt
	parts  map[int32]laneSets // by step: its lanes, if they do not go on together
	marks  []mark             // the fragments at some steps, see fragmentsAt
	// latest and latestMark are what the last question was about: the next one often is about a moment soon after.
	latest     frame
	latestMark mark
	latestStep int // of latestMark
}

// A waveStep is a step: the index of its first event in waveLine.events, and its number in all waves.
type waveStep struct{ at, number int32 }

type laneSets []lane.Mask

// A frame holds the registers of a wave before event index at of waveLine.events. undef holds their
// undefined bits; nil: they are not known.
type frame struct {
	at          int
	data, undef []uint64
}

// clone returns a copy.
func (f frame) clone() frame { return frame{f.at, slices.Clone(f.data), slices.Clone(f.undef)} }

// frameEvery and markEvery are the distances of the frames and the marks that are kept.
const (
	frameEvery = 1 << 11
	markEvery  = 1 << 12
)

// timeline builds the index when it is first needed. It fails only if the context ends.
func (h *History) timeline(ctx context.Context) (*timeline, error) {
	if h.line != nil {
		return h.line, nil
	}
	if err := h.finish(ctx); err != nil {
		return nil, err
	}
	t := &timeline{waves: map[int32]*waveLine{}, recorded: h.recordedWaves(), waits: make([]bool, len(h.Plan.f.Pos))}
	for i := range h.Plan.f.Code {
		if in := &h.Plan.f.Code[i]; in.Op.Meets() || in.Op == ir.Bar {
			t.waits[in.Pos] = true
		}
	}
	for n := h.begin(); n < h.end(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, _ := h.event(n)
		if !h.waves[e.wave].full {
			continue
		}
		l := t.waves[e.wave]
		if l == nil {
			l = &waveLine{late: map[int32][]int32{}, owners: map[int32][]int32{}}
			t.waves[e.wave] = l
		}
		if h.begins(e) {
			l.steps = append(l.steps, waveStep{int32(len(l.events)), int32(len(t.order))})
			t.order = append(t.order, stepRef{e.wave, int32(len(l.steps) - 1)})
		}
		l.events = append(l.events, int32(n))
	}
	for _, l := range t.waves {
		h.assign(l)
		h.diverge(l)
	}
	h.line = t
	return t, nil
}

// begins reports whether an event begins a step.
func (h *History) begins(e *event) bool {
	return (e.kind == kStep || e.kind == kWrites) && h.Plan.segs[e.seg].step
}

// posOf returns the position of an event's instruction; -1 if it is not known.
func (h *History) posOf(e *event) int32 {
	switch {
	case e.kind != kMet && e.kind != kWrote:
		return h.Plan.segs[e.seg].pos
	case e.seg >= 0:
		return h.Plan.f.Code[e.seg].Pos
	}
	return -1
}

// maxOpen is how many steps of one instruction may wait for events at a time: one for each lane.
const maxOpen = 64

// assign finds the events that belong to a step before the current one of the wave.
func (h *History) assign(l *waveLine) {
	open := map[int32][]int32{} // by position: the last steps, and the lanes whose results have not come
	cur := int32(-1)
	for _, n := range l.events {
		e, _ := h.event(int(n))
		pos := h.posOf(e)
		if h.begins(e) {
			cur++
			list := append(open[pos], cur)
			if len(list) > maxOpen {
				list = list[1:]
			}
			open[pos] = list
			continue
		}
		left := e.lanes
		if cur >= 0 && (pos < 0 || h.stepPos(l, cur) == pos) {
			if left &^= h.stepLanes(l, cur); left == 0 || e.kind != kMet {
				continue
			}
		}
		list := open[pos]
		for k := len(list) - 1; k >= 0 && left != 0; k-- {
			if m := h.stepLanes(l, list[k]) & left; m != 0 && list[k] != cur {
				l.late[list[k]] = append(l.late[list[k]], n)
				l.owners[n] = append(l.owners[n], list[k])
				left &^= m
			}
		}
	}
}

// stepEvent returns the event that begins a step of a wave.
func (h *History) stepEvent(l *waveLine, k int32) (int, *event) {
	n := int(l.events[l.steps[k].at])
	e, _ := h.event(n)
	return n, e
}

func (h *History) stepPos(l *waveLine, k int32) int32 {
	_, e := h.stepEvent(l, k)
	return h.posOf(e)
}

func (h *History) stepLanes(l *waveLine, k int32) lane.Mask {
	_, e := h.stepEvent(l, k)
	return e.lanes
}

// eventsOf returns the events of a step, in order.
func (h *History) eventsOf(l *waveLine, k int32) (list []int) {
	end := len(l.events)
	if int(k)+1 < len(l.steps) {
		end = int(l.steps[k+1].at)
	}
	pos := h.stepPos(l, k)
	for _, n := range l.events[l.steps[k].at:end] {
		if e, _ := h.event(int(n)); h.posOf(e) == pos || h.posOf(e) < 0 {
			list = append(list, int(n))
		}
	}
	for _, n := range l.late[k] {
		list = append(list, int(n))
	}
	return list
}

// stepOf returns the step of the wave that event n belongs to, for a lane: the number in the wave; -1 if
// its step is not kept.
func (h *History) stepOf(l *waveLine, n int, at lane.Mask) int32 {
	for _, k := range l.owners[int32(n)] {
		if h.stepLanes(l, k)&at != 0 {
			return k
		}
	}
	i := sort.Search(len(l.events), func(i int) bool { return int(l.events[i]) >= n })
	return int32(sort.Search(len(l.steps), func(k int) bool { return int(l.steps[k].at) > i })) - 1
}

// diverge notes, for each step, the sets of its lanes that go on in different steps. It goes backwards
// through the steps of the wave: next holds the lanes by their next step.
func (h *History) diverge(l *waveLine) {
	l.parts = map[int32]laneSets{}
	next := []lane.Mask{} // disjoint
	for k := int32(len(l.steps)) - 1; k >= 0; k-- {
		m := h.stepLanes(l, k)
		var sets laneSets
		rest := m
		kept := next[:0]
		for _, s := range next {
			if s&m == 0 {
				kept = append(kept, s)
				continue
			}
			sets = append(sets, s&m)
			rest &^= s
			if s &^= m; s != 0 {
				kept = append(kept, s)
			}
		}
		next = append(kept, m)
		if rest != 0 {
			sets = append(sets, rest)
		}
		if len(sets) > 1 {
			slices.SortFunc(sets, func(a, b lane.Mask) int { return a.First() - b.First() })
			l.parts[k] = sets
		}
	}
}

// A Fragment is a set of lanes of a wave that go on together. Its ID stays: if lanes part, those with the
// lowest lane keep it; if fragments join, the lowest ID stays.
type Fragment struct {
	ID    int
	Lanes lane.Mask
}

// A mark holds the fragments before a step.
type mark struct {
	frags []Fragment
	ids   int // the next new one
}

// clone returns a copy.
func (m mark) clone() mark { return mark{slices.Clone(m.frags), m.ids} }

// join makes the lanes of a step one fragment and returns its ID.
func (m *mark) join(lanes lane.Mask) int {
	id := -1
	kept := m.frags[:0]
	var more []Fragment
	for _, f := range m.frags {
		in, out := f.Lanes&lanes, f.Lanes&^lanes
		switch {
		case in == 0:
			kept = append(kept, f)
			continue
		case out == 0:
		case out.First() < in.First():
			more = append(more, Fragment{f.ID, out})
			continue
		default:
			more = append(more, Fragment{m.ids, out})
			m.ids++
		}
		if id < 0 || f.ID < id {
			id = f.ID
		}
	}
	if id < 0 {
		id = m.ids
		m.ids++
	}
	m.frags = append(append(kept, more...), Fragment{id, lanes})
	return id
}

// divide parts the fragment of a step.
func (m *mark) divide(id int, sets laneSets) {
	i := slices.IndexFunc(m.frags, func(f Fragment) bool { return f.ID == id })
	m.frags[i].Lanes = sets[0]
	for _, s := range sets[1:] {
		m.frags = append(m.frags, Fragment{m.ids, s})
		m.ids++
	}
}

// exit removes lanes.
func (m *mark) exit(lanes lane.Mask) {
	kept := m.frags[:0]
	for _, f := range m.frags {
		if f.Lanes &^= lanes; f.Lanes != 0 {
			kept = append(kept, f)
		}
	}
	m.frags = kept
}

// fragmentsAt returns the fragments of a wave when k of its steps are over, by their lowest lane; and the
// ID of the fragment that does step k, -1 if there is none.
func (h *History) fragmentsAt(wave int32, l *waveLine, k int) ([]Fragment, int) {
	m := h.markAt(wave, l, k).clone()
	list := slices.Clone(m.frags)
	slices.SortFunc(list, func(a, b Fragment) int { return a.Lanes.First() - b.Lanes.First() })
	id := -1
	if k < len(l.steps) {
		id = m.join(h.stepLanes(l, int32(k)))
	}
	return list, id
}

// fragmentOf returns the ID of the fragment that does step k of a wave.
func (h *History) fragmentOf(wave int32, l *waveLine, k int) int {
	m, lanes := h.markAt(wave, l, k), h.stepLanes(l, int32(k))
	for _, f := range m.frags {
		if f.Lanes == lanes {
			return f.ID
		}
	}
	joined := m.clone()
	return joined.join(lanes)
}

// markAt returns the fragments of a wave when k of its steps are over. It holds until the next question about the wave, and the
// caller must not change it.
func (h *History) markAt(wave int32, l *waveLine, k int) *mark {
	if len(l.marks) == 0 {
		l.marks = []mark{{[]Fragment{{0, h.initialLanes(wave)}}, 1}}
	}
	at := min(k/markEvery, len(l.marks)-1)
	if l.latestMark.frags == nil || l.latestStep > k || l.latestStep < at*markEvery {
		l.latestMark, l.latestStep = l.marks[at].clone(), at*markEvery
	}
	for {
		i := l.latestStep
		if i%markEvery == 0 && i/markEvery == len(l.marks) {
			l.marks = append(l.marks, l.latestMark.clone())
		}
		if i == k {
			break
		}
		h.advance(l, &l.latestMark, int32(i))
		l.latestStep++
	}
	return &l.latestMark
}

// advance does step i.
func (h *History) advance(l *waveLine, m *mark, i int32) {
	id := m.join(h.stepLanes(l, i))
	if sets := l.parts[i]; sets != nil {
		m.divide(id, sets)
	}
	end := len(l.events)
	if int(i)+1 < len(l.steps) {
		end = int(l.steps[i+1].at)
	}
	for _, n := range l.events[l.steps[i].at:end] {
		if e, _ := h.event(int(n)); e.kind == kExit {
			m.exit(e.lanes)
		}
	}
}

// initialLanes are the lanes of a wave at its start. On GCN3 all lanes run, also those that the block
// does not fill.
func (h *History) initialLanes(wave int32) lane.Mask {
	if h.Plan.f.Exec != 0 {
		return lane.All(h.Plan.f.Lanes)
	}
	return h.waves[wave].initial
}

// frameAt returns the registers of a wave at a time, and their undefined bits, nil if these are not
// known. The caller must not change them.
func (h *History) frameAt(wave int32, l *waveLine, time int) frame {
	return h.frameNow(wave, l, time).clone()
}

// frameNow is frameAt without a copy: it holds until the next question about the wave.
func (h *History) frameNow(wave int32, l *waveLine, time int) *frame {
	w := &h.waves[wave]
	if len(l.frames) == 0 {
		l.frames = []frame{{0, slices.Clone(w.frame), slices.Clone(h.atStart[wave])}}
	}
	end := sort.Search(len(l.events), func(i int) bool { return int(l.events[i]) >= time })
	at := min(end/frameEvery, len(l.frames)-1)
	f := &l.latest
	if f.data == nil || f.at > end || f.at < l.frames[at].at {
		*f = l.frames[at].clone()
	}
	for f.at < end {
		h.apply(f, int(l.events[f.at]))
		f.at++
		if f.at == len(l.frames)*frameEvery {
			l.frames = append(l.frames, f.clone())
		}
	}
	return f
}

// apply writes the registers that event n wrote.
func (h *History) apply(f *frame, n int) {
	h.written1(n, func(r ir.Ref, m lane.Mask, data, undef []uint64) {
		h.put(f.data, r, m, data)
		if f.undef != nil {
			h.put(f.undef, r, m, undef)
		}
	})
}

// written1 calls do with each register that event n wrote: the lanes, its words, and the words of its
// undefined bits; nil: all bits are defined.
func (h *History) written1(n int, do func(r ir.Ref, m lane.Mask, data, undef []uint64)) {
	e, d := h.event(n)
	switch e.kind {
	case kMet:
		i := 3
		for _, x := range h.Plan.results(int(e.seg)) {
			if h.Plan.guest(x) {
				size := h.Plan.size(x)
				do(x, e.lanes, d[i:i+size], h.undefined[undefinedKey{n, h.Plan.register(x)}])
				i += size
			}
		}
	case kWrites:
		i := 0
		for k := range h.Plan.segs[e.seg].writes {
			w := &h.Plan.segs[e.seg].writes[k]
			size := h.Plan.size(w.ref)
			do(w.ref, lane.Mask(d[i]), d[i+1:i+1+size], h.undefined[undefinedKey{n, w.ref}])
			i += 1 + size
		}
	}
}

// put writes lanes of a register in a frame from its words; nil stands for zeros.
func (h *History) put(frame []uint64, r ir.Ref, m lane.Mask, data []uint64) {
	v := h.Plan.f.Val(r)
	if len(frame) == 0 {
		return
	}
	dst := unsafe.Slice((*byte)(unsafe.Pointer(&frame[0])), 8*len(frame))[v.Off:]
	if data == nil {
		data = zeroWords[:h.Plan.size(r)]
	}
	src := unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 8*len(data))
	size := int(v.Type.Bytes())
	switch {
	case v.Scalar && m != 0:
		copy(dst[:size], src)
	case v.Scalar:
	case v.Type == ir.B1:
		p, q := (*lane.Mask)(unsafe.Pointer(&dst[0])), (*lane.Mask)(unsafe.Pointer(&src[0]))
		*p = *p&^m | *q&m
	case m&lane.All(h.Plan.f.Lanes) == lane.All(h.Plan.f.Lanes):
		copy(dst[:size*h.Plan.f.Lanes], src)
	default:
		for i := range (m & lane.All(h.Plan.f.Lanes)).Lanes() {
			copy(dst[i*size:(i+1)*size], src[i*size:])
		}
	}
}

// elementOf returns lane i of a register in a frame.
func (h *History) elementOf(frame []uint64, r ir.Ref, i int) uint64 {
	v := h.Plan.f.Val(r)
	p := unsafe.Add(unsafe.Pointer(&frame[0]), v.Off)
	return sim.Element(v, p, i)
}
