package why

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Recordings of steps. A step is one execution of a guest instruction by a fragment of a wave.
//
// Input: a launch of the function that InstrumentSteps made.
// Output: a History whose events also say where each instruction began, and which bytes each store
// overwrote; timeline.go reads them.
// Invariant: every instruction that the launch counts has exactly one event that begins a step. An
// instruction whose only effect is to write registers has one event: its kWrites event begins the step
// and is made after the instruction. All other instructions begin with a kStep event.
// Example: "add v0; store [a], v0; bar": kWrites (step 0), kStep (step 1), kAccess, kStep (step 2).

// InstrumentSteps is Instrument for recordings of steps.
func InstrumentSteps(f *ir.Func) (*ir.Func, *Plan) { return instrument(f, true) }

// joined reports whether the kWrites event of the operations from s up to e can stand for the step: all
// of them are pure, so that nothing can happen between the begin of the instruction and the event.
func (p *Plan) joined(s, e, guards, writes int) bool {
	if !p.steps || guards > 0 || writes == 0 || !p.f.Code[s].First {
		return false
	}
	for i := s; i < e; i++ {
		if in := &p.f.Code[i]; !in.Op.Pure() || in.First != (i == s) {
			return false
		}
	}
	return true
}

// steps is the part of a History that only recordings of steps have.
type steps struct {
	From  int // the first step that is kept
	Total int // steps of the recorded blocks so far, kept or not
	// Closed, if set, is called when the history becomes full. Events are kept no longer then, and the
	// memory has the contents that it had at the end of the last event.
	Closed func()

	open  bool // events are kept
	full  bool // the history was full
	first int  // the number of the first step that is kept
	lost  bool // a store overwrote more bytes than are kept
	line  *timeline

	// The undefined bits, if a second run found them: of registers at the start of waves, and of the
	// registers that events wrote. A register that is missing has none.
	atStart   map[int32][]uint64
	undefined map[undefinedKey][]uint64
	main      *History // of a second run: the first one, see Second
	same      bool
}

// Full reports whether steps were left out because the history had reached its limit.
func (h *History) Full() bool { return h.full }

// FirstStep is the number of the first step that is kept.
func (h *History) FirstStep() int { return h.steps.first }

// Used is the memory that the records take, in bytes.
func (h *History) Used() int64 { return h.used }

// started begins the history at step 0, unless a later one is wanted.
func (h *History) started(w *sim.Wave) {
	if !h.Plan.steps {
		return
	}
	if h.From <= 0 && h.Total == 0 {
		h.open = true
	}
	if h.main != nil {
		h.startUndefined(w, h.current[w])
	}
}

// keeps counts a step if an event begins one, and reports whether the event is kept. recorded says that
// the wave's block is recorded.
func (h *History) keeps(w *sim.Wave, s *segment, recorded bool) bool {
	if !s.step || !recorded {
		return h.open
	}
	n := h.Total
	h.Total++
	switch {
	case h.open && h.used > h.Limit:
		h.open, h.full = false, true
		if h.Closed != nil {
			h.Closed()
		}
	case !h.open && !h.full && n >= h.From-1:
		// The registers before the first step that is kept. A joined event comes after its instruction, so
		// the next step is the first.
		h.begin0()
		h.open, h.steps.first = true, n
		if s.kind == kWrites {
			h.steps.first = n + 1
			return false
		}
	}
	return h.open
}

// begin0 takes the registers of all recorded waves as those of their start.
func (h *History) begin0() {
	for w, id := range h.current {
		if id >= 0 && h.waves[id].full {
			r := &h.waves[id]
			copy(r.frame, unsafe.Slice((*uint64)(w.Base), len(r.frame)))
			if h.main != nil {
				h.startUndefined(w, id)
			}
		}
	}
}

// maxOverwritten bounds the bytes that one event keeps.
const maxOverwritten = 16 << 20

// overwritten adds to the access that was just recorded the bytes that are now at the addresses of its
// lanes: size bytes for each lane, in order, in whole words.
func (h *History) overwritten(w *sim.Wave, c *chunk, space ir.Space, size uint64) {
	e := &c.events[len(c.events)-1]
	e.old = true
	n := h.end() - 1
	count := e.lanes.Count()
	at := len(c.data)
	words := (uint64(count)*size + 7) / 8
	c.data = append(c.data, zeroWords[:min(words, uint64(len(zeroWords)))]...)
	out := unsafe.Slice((*byte)(unsafe.Pointer(&c.data[at])), words*8)
	// Lanes in equal steps of the size lie side by side.
	if d := c.data[e.at:]; d[0] != 0 && d[2] == size {
		if b := w.Bytes(space, d[1], uint64(count)*size, e.lanes.First()); b != nil && h.oneMemory(w, space, d[1]) {
			copy(out, b)
			return
		}
	}
	k := uint64(0)
	h.addresses(n, func(l int, a uint64) bool {
		copy(out[k:k+size], w.Bytes(space, a, size, l))
		k += size
		return true
	})
}

// zeroWords is as long as the bytes of an access of 64 lanes with 16 bytes each.
var zeroWords [64 * 16 / 8]uint64

// oneMemory reports whether neighbouring lanes see the same memory at an address: private memory they
// do not.
func (h *History) oneMemory(w *sim.Wave, space ir.Space, addr uint64) bool {
	sp, _ := w.Resolve(space, addr)
	return sp != ir.Local
}

// overwrittenBytes is overwritten for a piece of memory of any size.
func (h *History) overwrittenBytes(w *sim.Wave, c *chunk, space ir.Space, addr, n uint64, l int) {
	if n > maxOverwritten {
		h.lost = true
		return
	}
	at := len(c.data)
	c.data = append(c.data, make([]uint64, (n+7)/8)...)
	if n > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&c.data[at])), n), w.Bytes(space, addr, n, l))
	}
	c.events[len(c.events)-1].old = true
}

// old calls do with each piece of memory that event n overwrote: the lane, the address as the
// instruction gave it, and the bytes that were there. Later lanes come first.
func (h *History) old(n int, do func(space ir.Space, l int, addr uint64, data []byte)) {
	e, d := h.event(n)
	if !e.old {
		return
	}
	if e.kind == kWrote {
		if size := d[2]; size > 0 {
			do(ir.Space(d[0]), e.lanes.First(), d[1], unsafe.Slice((*byte)(unsafe.Pointer(&d[4])), size))
		}
		return
	}
	in := &h.Plan.f.Code[h.Plan.segs[e.seg].op]
	size := uint64(in.Size)
	at := 3
	if d[0] == 0 {
		at += e.lanes.Count()
	}
	data := unsafe.Slice((*byte)(unsafe.Pointer(&d[at])), uint64(e.lanes.Count())*size)
	var lanes [64]int
	var addr [64]uint64
	k := 0
	h.addresses(n, func(l int, a uint64) bool {
		lanes[k], addr[k] = l, a
		k++
		return true
	})
	for k--; k >= 0; k-- {
		do(in.Space, lanes[k], addr[k], data[uint64(k)*size:][:size])
	}
}

// undefinedKey names a register that an event wrote.
type undefinedKey struct {
	event int
	ref   ir.Ref
}

// PlaceOf returns the place in Waves of a wave that runs now; -1 if its block is not recorded.
func (h *History) PlaceOf(w *sim.Wave) int {
	id, ok := h.current[w]
	if !ok || id < 0 || !h.waves[id].full {
		return -1
	}
	return h.waveNumber(id)
}

// Live calls do for each recorded wave that began last on its storage.
func (h *History) Live(do func(w *sim.Wave)) {
	for w, id := range h.current {
		if id >= 0 && h.waves[id].full {
			do(w)
		}
	}
}

// Lost reports whether an event overwrote more bytes than are kept.
func (h *History) Lost() bool { return h.steps.lost }
