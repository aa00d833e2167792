package sim

import (
	"math/bits"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// shflEntry remembers the lane map of a shuffle whose b and c are the same in all lanes: the source of
// every lane and the range predicate.
type shflEntry struct {
	key  uint32 // 1 + packed mode, b, c; 0: empty
	src  [32]uint8
	pred lane.Mask
}

// shflTable returns the entry for a mode and uniform b and c. It is a direct-mapped cache.
func (k *Worker) shflTable(mode lane.ShflMode, b, c uint32) *shflEntry {
	b, c = b&31, c&0x1f1f
	key := 1 + (uint32(mode)<<21 | b<<16 | c)
	e := &k.shfl[(key*0x9e3779b1)>>26]
	if e.key != key {
		e.key, e.pred = key, 0
		for i := range e.src {
			j, in := lane.ShflSource(mode, i, b, c)
			e.src[i] = uint8(j) & 31
			if in {
				e.pred |= lane.Lane(i)
			}
		}
	}
	return e
}

// Shfl performs a legacy shuffle for the lanes that execute it together.
func (w *Wave) Shfl(in *ir.Inst, lanes lane.Mask) {
	w.shuffle(in, (*[32]uint32)(w.Ptr(in.Args[0])), w.sourceShadow(in), lanes, lanes, lanes, lanes, false)
}

// shuffle performs shfl for lanes that read from src. poison holds the poisoned lanes of src. all are the
// lanes that have arrived; valid are the lanes that may be read. src may be the destination.
//
// Input: mode, b and c of the instruction; the values of the source lanes.
// Output: the values in Dst, the range predicate in Dst2, marks in Shadow, findings of undefined sources.
// Invariant: all sources are read before a destination is written.
// Example: shfl.sync.down with b = 1, c = 31: lane i reads lane i+1; lane 31 is out of range, keeps its own
// value and gets a false predicate.
func (w *Wave) shuffle(in *ir.Inst, src *[32]uint32, poison, lanes, all, valid, members lane.Mask, sync bool) {
	mode := lane.ShflMode(in.Imm)
	var local shflEntry
	var e *shflEntry
	b, sameB := w.uniform(in.Args[1], lanes)
	c, sameC := w.uniform(in.Args[2], lanes)
	// b and c are mostly uniform, so the lane map comes from the cache.
	if sameB && sameC {
		e = w.shflTable(mode, b, c)
	} else {
		e = &local
		bs, cs := (*[32]uint32)(w.Ptr(in.Args[1])), (*[32]uint32)(w.Ptr(in.Args[2]))
		for i := range e.src {
			j, inRange := lane.ShflSource(mode, i, bs[i], cs[i])
			e.src[i] = uint8(j) & 31
			if inRange {
				e.pred |= lane.Lane(i)
			}
		}
	}
	if in.Shadow != noShadow {
		w.shadowShuffle(in, poison, &e.src, lanes, valid, members)
	}
	if in.Dst2 != 0 {
		p := (*lane.Mask)(w.Ptr(in.Dst2))
		*p = *p&^lanes | e.pred&lanes
	}
	// If all lanes may be read and all live lanes execute it, one gather suffices. Otherwise the result is
	// built in tmp, and the lanes of the instruction are blended in.
	defined := valid|^w.full == ^lane.Mask(0)
	if in.Dst == 0 && defined {
		return
	}
	dst := (*[32]uint32)(w.tmp[:32])
	if in.Dst != 0 {
		dst = (*[32]uint32)(w.Ptr(in.Dst))
		if defined && lanes|w.Dead == w.full && dst != src {
			gather32(dst, src, &e.src)
			return
		}
	}
	t := (*[32]uint32)(w.tmp[:32])
	gather32(t, src, &e.src)
	if !defined {
		w.undefined(in, t, src, &e.src, lanes, valid, members, sync)
	}
	if in.Dst != 0 {
		blend32(dst, t, lanes|w.Dead)
	}
}

// undefined finds lanes that read a lane that does not take part, reports them, and gives them the value of
// the launch's policy.
func (w *Wave) undefined(in *ir.Inst, t, src *[32]uint32, from *[32]uint8, lanes, valid, members lane.Mask, sync bool) {
	var bad, read lane.Mask
	for i := range lanes.Lanes() {
		j := int(from[i&31])
		// The value of a lane that is not in its own membermask is undefined for any source lane. That
		// is another finding, and shadowShuffle poisons the value.
		if valid.Has(j) {
			continue
		}
		if members.Has(i) || i != j {
			bad |= lane.Lane(i)
			read |= lane.Lane(j)
		}
		switch w.Launch.Undefined {
		case Own:
			t[i&31] = src[i&31]
		case Zero:
			t[i&31] = 0
		case Poison:
			t[i&31] = PoisonBits
		}
	}
	if bad != 0 {
		w.note(w, CodeUndefinedSource, in.Pos, finding{lanes: bad, others: read, members: members, exited: w.Dead, sync: sync})
	}
}

// Vote performs a legacy vote.
func (w *Wave) Vote(in *ir.Inst, lanes lane.Mask) {
	w.vote(in, w.Mask(in.Args[0]), lanes, lanes)
	w.shadowFold(in, w.sourceShadow(in), lanes, lanes)
}

// vote performs vote for lanes; voters are the lanes whose predicates count.
func (w *Wave) vote(in *ir.Inst, pred, lanes, voters lane.Mask) {
	res := false
	switch ir.VoteMode(in.Imm) {
	case ir.VoteBallot:
		w.splat32(in.Dst, uint32(lane.VoteBallot(pred, voters)), lanes)
		return
	case ir.VoteAll:
		res = lane.VoteAll(pred, voters)
	case ir.VoteAny:
		res = lane.VoteAny(pred, voters)
	case ir.VoteUni:
		res = lane.VoteUni(pred, voters)
	}
	w.setPred(in.Dst2, lanes, res)
}

// match performs match for lanes; members are the lanes whose values count.
func (w *Wave) match(in *ir.Inst, src unsafe.Pointer, lanes, members lane.Mask) {
	wide := w.Func.Values[in.Args[0]].Type == ir.B64
	if ir.MatchMode(in.Imm) == ir.MatchAll {
		var d lane.Mask
		var p bool
		if wide {
			d, p = lane.MatchAll64((*[32]uint64)(src), members)
		} else {
			d, p = lane.MatchAll32((*[32]uint32)(src), members)
		}
		w.splat32(in.Dst, uint32(d), lanes)
		w.setPred(in.Dst2, lanes, p)
		return
	}
	var d [32]lane.Mask
	if wide {
		d = lane.MatchAny64((*[32]uint64)(src), members)
	} else {
		d = lane.MatchAny32((*[32]uint32)(src), members)
	}
	if in.Dst == 0 {
		return
	}
	dst := (*[32]uint32)(w.Ptr(in.Dst))
	for i := range lanes.Lanes() {
		dst[i&31] = uint32(d[i&31])
	}
}

// redux performs redux for lanes; members are the lanes whose values count.
func (w *Wave) redux(in *ir.Inst, src *[32]uint32, lanes, members lane.Mask) {
	mode := ir.ReduxMode(in.Imm)
	abs, nan := mode&ir.ReduxAbs != 0, mode&ir.ReduxNaN != 0
	var r uint32
	switch mode &^ (ir.ReduxAbs | ir.ReduxNaN) {
	case ir.ReduxMinF32:
		r = lane.ReduxMinF32(src, members, abs, nan)
	case ir.ReduxMaxF32:
		r = lane.ReduxMaxF32(src, members, abs, nan)
	default:
		r = lane.Redux(lane.ReduxOp(mode), src, members)
	}
	w.splat32(in.Dst, r, lanes)
}

// elect performs elect for lanes; members are the candidates.
func (w *Wave) elect(in *ir.Inst, lanes, members lane.Mask) {
	e := lane.Elect(members)
	if in.Dst != 0 {
		w.splat32(in.Dst, uint32(e), lanes)
	}
	if in.Dst2 != 0 && e >= 0 {
		p := (*lane.Mask)(w.Ptr(in.Dst2))
		*p = *p&^lanes | lane.Lane(e)&lanes
	}
}

// ActiveMask performs activemask.
func (w *Wave) ActiveMask(in *ir.Inst, lanes lane.Mask) {
	w.splat32(in.Dst, uint32(lane.ActiveMask(lanes)), lanes)
}

// splat32 writes one value to lanes of a destination, and to lanes that have exited if that saves a loop.
func (w *Wave) splat32(dst ir.Ref, v uint32, lanes lane.Mask) {
	if dst == 0 {
		return
	}
	d := (*[32]uint32)(w.Ptr(dst))
	if lanes|w.Dead == w.full {
		for i := range d {
			d[i] = v
		}
		return
	}
	for i := range lanes.Lanes() {
		d[i&31] = v
	}
}

// setPred writes one predicate to lanes of a destination.
func (f *ValueFrame) setPred(dst ir.Ref, lanes lane.Mask, v bool) {
	if dst == 0 {
		return
	}
	p := (*lane.Mask)(f.Ptr(dst))
	*p &^= lanes
	if v {
		*p |= lanes
	}
}

// gather32 computes d[i] = s[from[i]]; d and s must differ.
func gather32(d, s *[32]uint32, from *[32]uint8) {
	for i := 0; i < 32; i += 8 {
		f := (*[8]uint8)(from[i:])
		t := (*[8]uint32)(d[i:])
		t[0], t[1], t[2], t[3] = s[f[0]&31], s[f[1]&31], s[f[2]&31], s[f[3]&31]
		t[4], t[5], t[6], t[7] = s[f[4]&31], s[f[5]&31], s[f[6]&31], s[f[7]&31]
	}
}

// blend32 computes d[i] = s[i] for the lanes of m.
func blend32(d, s *[32]uint32, m lane.Mask) {
	if uint32(m) == ^uint32(0) {
		*d = *s
		return
	}
	for i := range d {
		d[i] ^= (d[i] ^ s[i]) & -(uint32(m>>uint(i)) & 1)
	}
}

// DPPTable is the lane map of a DPP control with every lane enabled. An engine makes it once, when it
// compiles an instruction.
type DPPTable struct {
	src    [64]uint8
	source lane.Mask // lanes that have a source at all
	masks  lane.Mask // lanes that row_mask and bank_mask leave enabled
	bound  bool
	steps  []dppStep
}

// A dppStep is a set of lanes whose source is equally far away: lane i reads lane i + by.
type dppStep struct {
	by    int
	lanes lane.Mask
}

// NewDPPTable decodes the Imm of DPPRead and DPPMask. The control must be valid.
func NewDPPTable(imm uint64) *DPPTable {
	ctrl, rows, banks, bound := ir.DPPFields(imm)
	t := &DPPTable{masks: lane.DPPLanes(rows, banks), bound: bound}
	for i := range t.src {
		if j, ok := lane.DPPSource(lane.DPPCtrl(ctrl), i); ok {
			t.src[i] = uint8(j) & 63
			t.source |= lane.Lane(i)
			k := slices.IndexFunc(t.steps, func(s dppStep) bool { return s.by == j-i })
			if k < 0 {
				k, t.steps = len(t.steps), append(t.steps, dppStep{by: j - i})
			}
			t.steps[k].lanes |= lane.Lane(i)
		}
	}
	return t
}

// Sources returns the source of every lane, and the lanes that have one.
func (t *DPPTable) Sources() (*[64]uint8, lane.Mask) { return &t.src, t.source }

// readable returns the lanes whose source exists and is enabled by exec.
func (t *DPPTable) readable(exec lane.Mask) lane.Mask {
	if exec == ^lane.Mask(0) {
		return t.source
	}
	var m lane.Mask
	for _, s := range t.steps {
		if s.by < 0 {
			m |= exec << uint(-s.by) & s.lanes
		} else {
			m |= exec >> uint(s.by) & s.lanes
		}
	}
	return m
}

// Read performs DPPRead: dst = src moved. Lanes without a source get 0.
func (t *DPPTable) Read(dst, src *[64]uint32, exec lane.Mask) {
	r := t.readable(exec)
	gather64(dst, src, &t.src)
	for rest := ^r; rest != 0; rest &= rest - 1 {
		dst[bits.TrailingZeros64(uint64(rest))&63] = 0
	}
}

// gather64 computes dst[i] = src[from[i]]. dst and src may be the same.
func gather64(dst, src *[64]uint32, from *[64]uint8) {
	s := src
	if dst == src {
		tmp := *src
		s = &tmp
	}
	for i := 0; i < 64; i += 8 {
		f := (*[8]uint8)(from[i:])
		t := (*[8]uint32)(dst[i:])
		t[0], t[1], t[2], t[3] = s[f[0]&63], s[f[1]&63], s[f[2]&63], s[f[3]&63]
		t[4], t[5], t[6], t[7] = s[f[4]&63], s[f[5]&63], s[f[6]&63], s[f[7]&63]
	}
}

// SwizzleTable is the lane map of a ds_swizzle_b32 with every lane enabled. An engine makes it once, when
// it compiles an instruction.
type SwizzleTable struct {
	pattern uint16
	src     [64]uint8
}

// NewSwizzleTable decodes the pattern, the Imm of DSSwizzle.
func NewSwizzleTable(pattern uint16) *SwizzleTable {
	t := &SwizzleTable{pattern: pattern}
	m := lane.DSSwizzle(pattern, ^lane.Mask(0))
	for i, s := range &m.Src {
		t.src[i] = uint8(s) & 63
	}
	return t
}

// Sources returns the source of every lane.
func (t *SwizzleTable) Sources() *[64]uint8 { return &t.src }

// Apply performs DSSwizzle.
func (t *SwizzleTable) Apply(dst, src *[64]uint32, exec lane.Mask) {
	if exec == ^lane.Mask(0) { // every lane has a source
		gather64(dst, src, &t.src)
		return
	}
	m := lane.DSSwizzle(t.pattern, exec)
	ApplyMap(&m, dst, src)
}

// Bpermute performs DSBpermute: see lane.DSBpermute.
func Bpermute(dst, src, addr *[64]uint32, offset uint32, exec lane.Mask) {
	if exec != ^lane.Mask(0) {
		m := lane.DSBpermute(addr, offset, exec)
		ApplyMap(&m, dst, src)
		return
	}
	// Every lane has a source: bits 7:2 of its address.
	var from [64]uint8
	for i, a := range addr {
		from[i] = uint8((a + offset) >> 2 & 63)
	}
	gather64(dst, src, &from)
}

// Mask performs DPPMask: the lanes that the instruction updates.
func (t *DPPTable) Mask(exec lane.Mask) lane.Mask {
	m := exec & t.masks
	if !t.bound {
		m &= t.readable(exec)
	}
	return m
}

// ApplyMap moves src to dst by a lane map, for the lanes that it writes. dst and src may be the same.
func ApplyMap(m *lane.Map, dst, src *[64]uint32) {
	tmp := *src
	for i, s := range &m.Src {
		switch {
		case s < 64:
			dst[i] = tmp[s&63]
		case s == lane.Zero:
			dst[i] = 0
		}
	}
}

// NoteNobody notes that the first active lane is requested while no lane is active.
func (w *Wave) NoteNobody(in *ir.Inst) { w.note(w, CodeExecZero, in.Pos, finding{}) }
