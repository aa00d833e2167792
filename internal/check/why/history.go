package why

import (
	"maps"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// chunkEvents is the number of events that are forgotten together.
const chunkEvents = 1 << 12

// An event is one record.
type event struct {
	lanes lane.Mask
	seg   int32 // the segment of the plan; for kMet and kWrote the operation, -1 if unknown
	wave  int32
	at    uint32 // index of its data in the chunk
	kind  kind
	old   bool // its data ends with the bytes that it overwrote: see overwritten
}

// A chunk holds chunkEvents events and their data.
type chunk struct {
	events []event
	data   []uint64
}

// A waveRun is one wave of one block.
type waveRun struct {
	block   uint64
	id      int
	initial lane.Mask
	full    bool                          // registers are recorded: the block is in History.Blocks
	frame   []uint64                      // the registers at the wave's start, if full
	writes  []int                         // events that wrote registers
	index   map[ir.Ref]*eventLog[laneSet] // by register, filled when first needed: see written
	exits   eventLog[laneSet]
	arrives []int // events of kind kArrive
	branch  []int // events of kind kBranch
	// branchOf holds the branches by segment; here holds all events, see lastSeen.
	branchOf map[int32]*eventLog[laneSet]
	here     *eventLog[laneSet]
	count    [numKinds]int // number of events of each kind
}

// History is a sim.Recorder. It keeps the stores to global memory of all blocks, and all records of the
// blocks in Blocks. When the records take more than Limit bytes, the oldest are forgotten.
//
// Invariant: events have consecutive numbers in the order in which they happened; the number stays
// valid when older events are forgotten. Event n lies in chunk n/chunkEvents-first.
type History struct {
	Plan   *Plan
	Blocks map[uint64]bool
	Limit  int64

	launch  *sim.Launch
	mem     *sim.Memory
	chunks  []chunk
	first   int   // number of chunks that have been forgotten
	used    int64 // bytes
	waves   []waveRun
	current map[*sim.Wave]int32
	guards  map[*sim.Wave][]lane.Mask
	last    *sim.Wave // the wave of the last call of id, and its number
	lastID  int32
	global  spaceLog
	shared  map[uint64]*spaceLog // by cluster; offsets have the rank of the block
	local   map[int32]*spaceLog  // by wave
	indexed bool

	probes    map[int]*probe // events of a second run that are wanted: see Probe
	shadow    map[ir.Ref]ir.Ref
	functions map[ir.Op]func(a [4]uint64) uint64 // see function

	steps // of a Plan of InstrumentSteps
}

// Start implements sim.Recorder.
func (h *History) Start(w *sim.Wave) {
	if h.current == nil {
		h.current, h.guards = map[*sim.Wave]int32{}, map[*sim.Wave][]lane.Mask{}
		h.launch, h.mem = w.Launch, w.Mem
		// The blocks of a cluster use each other's shared memory: they are recorded together.
		for _, b := range slices.Collect(maps.Keys(h.Blocks)) {
			for other := range w.Launch.BlocksOf(w.Launch.ClusterOf(b)) {
				h.Blocks[other] = h.Blocks[other] || h.Blocks[b]
			}
		}
	}
	h.current[w], h.last = -1, nil
	if h.Blocks[w.Number()] {
		defer h.started(w)
		h.current[w] = h.wave(w)
		r := &h.waves[h.current[w]]
		r.full = true
		r.frame = make([]uint64, (h.Plan.f.GuestSize+7)/8)
		copy(r.frame, unsafe.Slice((*uint64)(w.Base), len(r.frame)))
		h.used += int64(8 * len(r.frame))
	}
}

// id returns the index of a wave in waves; -1 if the wave has none yet.
func (h *History) id(w *sim.Wave) int32 {
	if h.last != w {
		h.last, h.lastID = w, h.current[w]
	}
	return h.lastID
}

// wave adds an entry for a wave and returns its index.
func (h *History) wave(w *sim.Wave) int32 {
	h.waves = append(h.waves, waveRun{block: w.Number(), id: w.ID, initial: w.Initial})
	h.used += int64(unsafe.Sizeof(waveRun{}))
	return int32(len(h.waves) - 1)
}

// add begins an event and returns its chunk; the caller appends the data. It forgets the oldest chunks
// if the history is over its limit, but keeps at least two.
func (h *History) add(e event) *chunk {
	n := len(h.chunks)
	if n == 0 || len(h.chunks[n-1].events) == chunkEvents {
		room := 0
		if n > 0 { // as much as the last chunk took
			room = len(h.chunks[n-1].data) * 9 / 8
		}
		h.chunks = append(h.chunks, chunk{events: make([]event, 0, chunkEvents), data: make([]uint64, 0, room)})
		h.used += int64(8 * room)
		n++
		h.used += chunkEvents * int64(unsafe.Sizeof(event{}))
		for h.used > h.Limit && n > 2 && !h.Plan.steps {
			old := &h.chunks[0]
			h.used -= int64(8*cap(old.data)) + chunkEvents*int64(unsafe.Sizeof(event{}))
			h.chunks = h.chunks[1:]
			h.first++
			n--
		}
	}
	h.waves[e.wave].count[e.kind]++
	c := &h.chunks[n-1]
	e.at = uint32(len(c.data))
	c.events = append(c.events, e)
	return c
}

// grown accounts for data that was appended to a chunk; before is the capacity before that.
func (h *History) grown(c *chunk, before int) { h.used += int64(8 * (cap(c.data) - before)) }

// Record implements sim.Recorder. For kWrites the data is, for each written register, the mask of the
// lanes that were written and the register's bytes.
func (h *History) Record(w *sim.Wave, in *ir.Inst, lanes lane.Mask) {
	s := &h.Plan.segs[in.Imm]
	id := h.id(w)
	if h.Plan.steps && !h.keeps(w, s, id >= 0 && h.waves[id].full) {
		return
	}
	if s.kind == kAccess {
		h.access(w, &h.Plan.f.Code[s.op], int32(in.Imm), lanes)
		return
	}
	if id < 0 || !h.waves[id].full {
		return
	}
	if s.kind == kGuards {
		g := h.guards[w][:0]
		for _, op := range s.writes[0].by {
			g = append(g, h.guard(w, op))
		}
		h.guards[w] = g
		return
	}
	c := h.add(event{kind: s.kind, seg: int32(in.Imm), wave: id, lanes: lanes})
	before := cap(c.data)
	for i := range s.writes {
		wr := &s.writes[i]
		var m lane.Mask
		for j, op := range wr.by {
			g := ^lane.Mask(0)
			x := &h.Plan.f.Code[op]
			switch {
			case x.Op == ir.WriteLane:
				g = lane.Lane(int(w.Get(x.Args[1], 0)) & (h.Plan.f.Lanes - 1))
			case wr.saved[j] >= 0:
				g = h.guards[w][wr.saved[j]] & lanes
			case !x.Scalar:
				g = h.guard(w, op) & lanes
			}
			m |= g
		}
		c.data = append(c.data, uint64(m))
		c.data = append(c.data, h.words(w, wr.ref)...)
	}
	h.grown(c, before)
	if h.probes != nil {
		h.probed(w, s.pos)
	}
	if h.main != nil {
		h.added(w)
	}
}

// guard returns the mask of the lanes for which an operation's guard holds now.
func (h *History) guard(w *sim.Wave, op int) lane.Mask {
	x := &h.Plan.f.Code[op]
	if x.Guard == 0 {
		return ^lane.Mask(0)
	}
	m := w.Mask(x.Guard)
	if x.GuardNot {
		m = ^m
	}
	return m
}

// words returns the bytes of a value as words. The slice is a view of the frame.
func (h *History) words(w *sim.Wave, r ir.Ref) []uint64 {
	return unsafe.Slice((*uint64)(w.Ptr(r)), h.Plan.size(r))
}

// size returns the number of words that a recorded value takes. A scalar of 4 bytes includes the 4
// bytes after it, which is safe because guest storage is padded to 64 bytes.
func (p *Plan) size(r ir.Ref) int { return int(p.f.Val(r).Size(p.f.Lanes)+7) / 8 }

// access records a store or an atomic with the addresses of its lanes. The data is: 1 if the addresses
// are in equal steps, the first address, the step; if they are not, all addresses follow.
func (h *History) access(w *sim.Wave, in *ir.Inst, seg int32, lanes lane.Mask) {
	id := h.id(w)
	off := in.Offset()
	if in.Scalar {
		lanes = 1
	}
	if id < 0 {
		// For blocks that are not recorded only global memory matters.
		if sp, _ := w.Resolve(in.Space, w.Address(in.Args[0], lanes.First(), off)); sp != ir.Global && in.Space != ir.Generic {
			return
		}
		id = h.wave(w)
		h.current[w], h.last = id, nil
	} else if !h.waves[id].full && (in.Space == ir.Shared || in.Space == ir.Local) {
		return
	}
	narrow := h.Plan.f.Val(in.Args[0]).Type == ir.B32
	c := h.add(event{kind: kAccess, seg: seg, wave: id, lanes: lanes})
	before := cap(c.data)
	// Addresses in equal steps need no list. The full mask of 64-bit addresses is tested without a
	// copy.
	at := len(c.data)
	c.data = append(c.data, 0, 0, 0)
	var first, step uint64
	row := false
	if lanes == lane.All(h.Plan.f.Lanes) && !narrow && !h.Plan.f.Val(in.Args[0]).Scalar {
		a := unsafe.Slice((*uint64)(w.Ptr(in.Args[0])), h.Plan.f.Lanes)
		first, step, row = a[0]+off, a[1]-a[0], true
		for i := 2; i < len(a) && row; i++ {
			row = a[i]-a[i-1] == step
		}
	}
	if !row {
		var prev uint64
		n := 0
		row = true
		for i := range lanes.Lanes() {
			a := w.Address(in.Args[0], i, off)
			c.data = append(c.data, a)
			switch n {
			case 0:
				first = a
			case 1:
				step = a - prev
			default:
				row = row && a-prev == step
			}
			prev, n = a, n+1
		}
	}
	if row {
		c.data = c.data[:at+3]
		c.data[at] = 1
	}
	c.data[at+1], c.data[at+2] = first, step
	if h.Plan.steps {
		h.overwritten(w, c, in.Space, uint64(in.Size))
	}
	h.grown(c, before)
	if h.probes != nil {
		h.probed(w, h.Plan.segs[seg].pos)
	}
}

// addresses calls do with every lane of an access and its address, in the order of lanes, until do
// returns false.
func (h *History) addresses(n int, do func(lane int, addr uint64) bool) {
	e, d := h.event(n)
	k := uint64(0)
	for i := range e.lanes.Lanes() {
		a := d[1] + k*d[2]
		if d[0] == 0 {
			a = d[3+k]
		}
		if !do(i, a) {
			return
		}
		k++
	}
}

// Met implements sim.Recorder. It adds one event for each instruction at which lanes met. The data is:
// the lanes that met, the members, the event's index in its group with the size of the group in the
// upper 32 bits, and the results.
func (h *History) Met(w *sim.Wave, who []sim.Meeting, all, members lane.Mask) {
	id := h.id(w)
	if id < 0 || !h.waves[id].full || h.Plan.steps && !h.open {
		return
	}
	for i, m := range who {
		op, ok := h.Plan.at[m.Inst]
		if !ok {
			continue
		}
		c := h.add(event{kind: kMet, seg: int32(op), wave: id, lanes: m.Lanes})
		before := cap(c.data)
		c.data = append(c.data, uint64(all), uint64(members), uint64(i)|uint64(len(who))<<32)
		for _, r := range h.Plan.results(op) {
			if h.Plan.guest(r) {
				c.data = append(c.data, h.words(w, r)...)
			}
		}
		h.grown(c, before)
		if h.probes != nil {
			h.probed(w, h.Plan.f.Code[op].Pos)
		}
		if h.main != nil {
			h.added(w)
		}
	}
}

// Wrote implements sim.Recorder. The data is: space, address, number of bytes, and the source address
// of a copy.
func (h *History) Wrote(w *sim.Wave, in *ir.Inst, l int, space ir.Space, addr, n uint64) {
	if h.Plan.steps && !h.open {
		return
	}
	id := h.id(w)
	sp, _ := w.Resolve(space, addr)
	if id < 0 {
		if sp != ir.Global {
			return
		}
		id = h.wave(w)
		h.current[w], h.last = id, nil
	}
	op, ok := h.Plan.at[in]
	if !ok {
		op = h.Plan.find(in.Pos)
	}
	c := h.add(event{kind: kWrote, seg: int32(op), wave: id, lanes: lane.Lane(l)})
	before := cap(c.data)
	from := uint64(0) // the source address, for copies
	switch {
	case in.Op == ir.Tensor:
		from = in.Imm
	case in.Args[1] != 0:
		from = w.Get(in.Args[1], l)
	}
	c.data = append(c.data, uint64(space), addr, n, from)
	if h.Plan.steps {
		h.overwrittenBytes(w, c, space, addr, n, l)
	}
	h.grown(c, before)
}

// find returns an operation of a guest instruction that writes memory by itself; -1 if there is none.
func (p *Plan) find(pos int32) int {
	for i := range p.f.Code {
		if in := &p.f.Code[i]; in.Pos == pos && (in.Op == ir.HostCall || in.Op == ir.Bulk || in.Op == ir.Tensor || in.Op == ir.Collective) {
			return i
		}
	}
	return -1
}

// end returns the number after the last event.
func (h *History) end() int {
	if len(h.chunks) == 0 {
		return h.begin()
	}
	return (h.first+len(h.chunks)-1)*chunkEvents + len(h.chunks[len(h.chunks)-1].events)
}

// begin returns the number of the first event that is kept.
func (h *History) begin() int { return h.first * chunkEvents }

// event returns an event, and the data of its chunk from the event's on.
func (h *History) event(n int) (*event, []uint64) {
	c := &h.chunks[n/chunkEvents-h.first]
	e := &c.events[n%chunkEvents]
	return e, c.data[e.at:]
}

// recorded returns the lanes of a register that event n wrote, and the bytes of the value; 0 and nil if
// it did not write r.
func (h *History) recorded(n int, r ir.Ref) (m lane.Mask, data []uint64) {
	e, d := h.event(n)
	switch e.kind {
	case kMet:
		i := 3
		for _, x := range h.Plan.results(int(e.seg)) {
			if !h.Plan.guest(x) {
				continue
			}
			if h.Plan.same(x, r) {
				return e.lanes, d[i : i+h.Plan.size(r)]
			}
			i += h.Plan.size(x)
		}
	case kWrites:
		i := 0
		for k := range h.Plan.segs[e.seg].writes {
			w := &h.Plan.segs[e.seg].writes[k]
			n := h.Plan.size(w.ref)
			if w.ref == r || h.Plan.same(w.ref, r) {
				return lane.Mask(d[i]), d[i+1 : i+1+n]
			}
			i += 1 + n
		}
	}
	return 0, nil
}

// element returns lane i of a value from its bytes.
func element(v *ir.Value, data []uint64, i int) uint64 {
	return sim.Element(v, unsafe.Pointer(&data[0]), i)
}
