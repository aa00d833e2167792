package difftest

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Webs is the interpreter on functions in which every web has storage of its own, as in the native
// engine. It scribbles over all values that the native engine may destroy: lanes that a write need
// not preserve, and webs that are not live. It checks the assumptions of that engine: the shapes of
// values, and the blocks at which lanes wait. So if the results equal those of the interpreter,
// packages webs, mask and shape are right about the program.
type Webs struct {
	Exact  bool
	NoWrap bool
	Report func(msg string) // called for each wrong claim
	Seen   *WebsSeen
}

// NoTrials marks engines whose programs cannot be run operation by operation: see enginetest.
func (Webs) NoTrials() {}

// WebsSeen counts the actions of a Webs engine, so that tests can check that it acted.
type WebsSeen struct {
	Launches, Plain  atomic.Int64
	Spoilt, Looks    atomic.Int64 // lanes scribbled over; claims about uniform and affine webs checked
	Affine, Masked   atomic.Int64 // numbers of instructions
	Divergent, Rests atomic.Int64 // branches; waves that had deferred lanes
	Rows, InRows     atomic.Int64 // claims checked: affine with rows; varying, but affine in rows
	Free             atomic.Int64 // writes under a guard that preserve nothing
}

func (s *WebsSeen) String() string {
	return fmt.Sprintf("launches %d (plain %d), lanes spoilt %d, claims %d (of rows %d, in rows %d), affine %d, masked %d, divergent %d, rests %d, free %d",
		s.Launches.Load(), s.Plain.Load(), s.Spoilt.Load(), s.Looks.Load(), s.Rows.Load(), s.InRows.Load(), s.Affine.Load(), s.Masked.Load(), s.Divergent.Load(), s.Rests.Load(), s.Free.Load())
}

// Name returns "webs".
func (Webs) Name() string { return "webs" }

// Compile keeps the function for its launch.
func (e Webs) Compile(f *ir.Func) (sim.Program, error) {
	orig := *f
	p, err := interp.Engine{}.Compile(f)
	return &webProgram{Program: p, f: &orig, e: e}, err
}

type webProgram struct {
	sim.Program
	f *ir.Func
	e Webs
}

// Specialise replaces the launch's function by the function in webs.
func (p *webProgram) Specialise(l *sim.Launch) (sim.Program, error) {
	seen := p.e.Seen
	if l.Schedule != (sim.Schedule{}) || l.Recorder != nil || l.Inspect != nil || l.Setup != nil || l.Look != nil || l.Track || l.Idle != 0 || l.Races != nil {
		return p.Program, nil
	}
	fn := webs.Build(p.f, webs.Geometry{Block: l.Block, Grid: l.Grid, Exact: p.e.Exact, NoWrap: p.e.NoWrap})
	s := shape.Analyze(fn)
	r := &spoiler{e: p.e, fn: fn, s: s, seen: seen, waves: map[*sim.Wave]*spoilt{}}
	if !r.build() {
		if seen != nil {
			seen.Plain.Add(1)
		}
		return p.Program, nil
	}
	l.Func, l.Recorder, l.Workers = r.out, r, 1
	prog, err := interp.Engine{}.Compile(r.out)
	for i := range r.out.Code {
		r.index[&r.out.Code[i]] = r.from[i]
	}
	if seen != nil {
		seen.Launches.Add(1)
		for i := range fn.Ops {
			if o := &fn.Ops[i]; o.Dst != 0 {
				if sh := s.Web(o.Dst); sh.Kind == shape.Affine && fn.Webs[o.Dst].Flags&webs.Aliased == 0 && !fn.Value(o.Dst).Scalar {
					seen.Affine.Add(1)
				}
			}
			if o := &fn.Ops[i]; o.Guard != 0 && o.Dst != 0 && !o.Merge && !fn.Has(o.Dst, webs.Temporary) {
				seen.Free.Add(1)
			}
			if s.Masks.NeedMask(i) {
				seen.Masked.Add(1)
			}
		}
		for b := range p.f.Blocks {
			if s.Masks.Divergent(b) {
				seen.Divergent.Add(1)
			}
		}
	}
	return prog, err
}

// spoiler is the Recorder of a function in webs.
type spoiler struct {
	e     Webs
	fn    *webs.Func
	s     *shape.Shapes
	seen  *WebsSeen
	out   *ir.Func
	index map[*ir.Inst]int // index of the original instruction
	from  []int            // index of the original instruction, by index
	at    []uint32         // by web: its offset in the frame
	view  map[viewKey]ir.Ref
	own   []ir.Ref     // by web: a view with the type of its frame slot
	dies  [][]webs.Web // by instruction: webs that are dead after it
	dead  [][]webs.Web // by block: webs that are dead at its start
	waves map[*sim.Wave]*spoilt
	rng   uint64
}

// spoilt is the state of a wave.
type spoilt struct {
	off bool // no further claim can be checked
	// bad holds the lanes of each web that were scribbled over, or computed from scribbled values.
	// Shapes do not apply to them. The run's results show that they are never used.
	bad []lane.Mask
}

type viewKey struct {
	w      webs.Web
	t      ir.Type
	scalar bool
}

// build makes the function in webs. It returns false for functions that it does not support.
func (r *spoiler) build() bool {
	f, fn := r.fn.IR, r.fn
	if fn.TooLarge {
		return false
	}
	out := *f
	r.out, r.index, r.view = &out, map[*ir.Inst]int{}, map[viewKey]ir.Ref{}
	out.Values = slices.Clone(f.Values)
	r.at, r.own = make([]uint32, len(fn.Webs)), make([]ir.Ref, len(fn.Webs))
	top := f.GuestSize
	// Registers come first, because the wave's start clears them; constants and temporaries move
	// after them.
	for w := 1; w < len(fn.Webs); w++ {
		v := fn.Value(webs.Web(w))
		exec := v.Kind == ir.Guest && inExec(f, v.Off)
		switch {
		case fn.Webs[w].Flags&(webs.Const|webs.Temporary) != 0:
		case fn.Webs[w].Flags&webs.Aliased != 0 || exec:
			r.at[w] = v.Off
		default:
			r.at[w] = top
			top += (v.Size(f.Lanes) + 63) &^ 63
		}
	}
	moved := top - f.GuestSize
	out.GuestSize = top
	for i := range out.Values {
		if out.Values[i].Kind == ir.Const && i > 0 {
			out.Values[i].Off += moved
		}
	}
	top = f.FrameSize + moved
	for w := 1; w < len(fn.Webs); w++ {
		if fn.Webs[w].Flags&webs.Temporary != 0 {
			r.at[w] = top
			top += (fn.Value(webs.Web(w)).Size(f.Lanes) + 63) &^ 63
		}
		if fn.Webs[w].Flags&webs.Const == 0 {
			r.own[w] = r.ref(webs.Web(w), fn.Webs[w].Ref)
		}
	}
	for i := r.fn.Given; i < len(out.Values); i++ {
		if i < len(f.Values) && out.Values[i].Kind == ir.Const {
			out.Values[i].Off = top
			top += (out.Values[i].Size(f.Lanes) + 63) &^ 63
		}
	}
	out.FrameSize = top
	out.Code, out.Blocks = nil, make([]ir.Block, len(f.Blocks))
	out.Collectives = slices.Clone(f.Collectives)
	r.findDead()
	emit := func(in ir.Inst, from int) {
		out.Code = append(out.Code, in)
		r.from = append(r.from, from)
	}
	for b, blk := range f.Blocks {
		start := len(out.Code)
		emit(ir.Inst{Op: ir.Record, Imm: 1<<32 | uint64(b), Pos: f.Code[blk.Start].Pos}, -1)
		for i := blk.Start; i < blk.End; i++ {
			in := f.Code[i]
			if !r.rename(i, &in) {
				return false
			}
			emit(in, i)
			if !in.Op.EndsBlock() {
				emit(ir.Inst{Op: ir.Record, Imm: uint64(i), Pos: in.Pos}, -1)
			}
		}
		out.Blocks[b] = ir.Block{Start: start, End: len(out.Code)}
	}
	return true
}

// ref returns the Value of a web that corresponds to the original's value orig.
func (r *spoiler) ref(w webs.Web, orig ir.Ref) ir.Ref {
	if w == 0 || r.fn.Webs[w].Flags&webs.Const != 0 {
		return orig
	}
	v := r.fn.IR.Values[orig]
	k := viewKey{w, v.Type, v.Scalar}
	if x := r.view[k]; x != 0 {
		return x
	}
	v.Off = r.at[w]
	r.out.Values = append(r.out.Values, v)
	r.view[k] = ir.Ref(len(r.out.Values) - 1)
	return r.view[k]
}

// rename replaces the values of an instruction by those of webs. It returns false for an
// instruction that it does not support.
func (r *spoiler) rename(i int, in *ir.Inst) bool {
	o := &r.fn.Ops[i]
	if in.Shadow != [4]ir.Ref{} || in.Op == ir.Reach || in.Op == ir.Observe {
		return false
	}
	if in.Op.Meets() || in.Op == ir.Bar {
		// While lanes wait, other lanes may use the storage of their temporaries. The interpreter's
		// result in that case is not modelled.
		for _, a := range in.Args {
			if a != 0 && r.fn.IR.Val(a).Kind == ir.Temp {
				return false
			}
		}
	}
	var hi [3]ir.Ref // the high halves of an atomic of 16 bytes
	if o.Ext != 0 && !in.Op.Pure() {
		e := &r.fn.Ext[o.Ext-1]
		uses, defs := e.Uses, e.Defs
		next := func(l *[]webs.Web, orig ir.Ref) ir.Ref {
			w := (*l)[0]
			*l = (*l)[1:]
			return r.ref(w, orig)
		}
		if in.Op == ir.Atomic {
			for k, a := range [3]ir.Ref{in.Args[1], in.Args[2], in.Dst} {
				if a != 0 {
					hi[k] = next([]*[]webs.Web{&uses, &uses, &defs}[k], a+1)
				}
			}
		} else {
			c := r.out.Collectives[in.Imm]
			if c.SrcShadow != nil || c.DstShadow != nil || c.OwnShadow != 0 {
				return false
			}
			src, dst := slices.Clone(c.Src), slices.Clone(c.Dst)
			for k, a := range src {
				if a != 0 {
					src[k] = next(&uses, a)
				}
			}
			for k, a := range dst {
				if a != 0 {
					dst[k] = next(&defs, a)
				}
			}
			c.Src, c.Dst = src, dst
			r.out.Collectives = append(r.out.Collectives, c)
			in.Imm = uint64(len(r.out.Collectives) - 1)
		}
	}
	for k, a := range in.Args {
		in.Args[k] = r.ref(o.Args[k], a)
	}
	in.Guard = r.ref(o.Guard, in.Guard)
	if o.Guard == 0 {
		in.Guard = 0
	}
	in.Dst, in.Dst2 = r.ref(o.Dst, in.Dst), r.ref(o.Dst2, in.Dst2)
	// The halves of a pair are adjacent in the list of values.
	for k, p := range [3]*ir.Ref{&in.Args[1], &in.Args[2], &in.Dst} {
		if hi[k] != 0 {
			lo := r.out.Values[*p]
			r.out.Values = append(r.out.Values, lo, r.out.Values[hi[k]])
			*p = ir.Ref(len(r.out.Values) - 2)
		}
	}
	return true
}

// findDead lists the webs that die at each instruction, and those that are dead at the start of
// each block.
func (r *spoiler) findDead() {
	fn := r.fn
	r.dies, r.dead = make([][]webs.Web, len(fn.Ops)), make([][]webs.Web, len(fn.IR.Blocks))
	live, other := fn.NewSet(), fn.NewSet()
	for b := range fn.IR.Blocks {
		fn.Backward(b, live, func(i int, after *webs.Set) {
			other.Fill(nil)
			for w := range after.All {
				other.Add(w)
			}
			fn.Before(i, other)
			for w := range other.All {
				if !after.Has(w) {
					r.dies[i] = append(r.dies[i], w)
				}
			}
			for _, w := range [2]webs.Web{fn.Ops[i].Dst, fn.Ops[i].Dst2} {
				if w != 0 && !after.Has(w) && !other.Has(w) {
					r.dies[i] = append(r.dies[i], w)
				}
			}
		})
		live.Fill(fn.LiveIn[b])
		for w := 1; w < len(fn.Webs); w++ {
			if !live.Has(webs.Web(w)) && len(fn.Webs) < 2000 {
				r.dead[b] = append(r.dead[b], webs.Web(w))
			}
		}
	}
}

// Start copies the registers that are live at the start to their webs.
func (r *spoiler) Start(w *sim.Wave) {
	r.waves[w] = &spoilt{bad: make([]lane.Mask, len(r.fn.Webs))}
	for _, web := range r.fn.LiveIn[0] {
		if v := r.fn.Value(web); v.Kind == ir.Guest && r.at[web] != v.Off {
			n := 1
			if !v.Scalar {
				n = r.fn.IR.Lanes
			}
			for i := range n {
				w.Set(r.own[web], i, w.Get(r.fn.Webs[web].Ref, i))
			}
		}
	}
}

// Wrote does nothing.
func (r *spoiler) Wrote(*sim.Wave, *ir.Inst, int, ir.Space, uint64, uint64) {}

// Met follows a rendezvous. If no lane had to wait, the rendezvous is treated like any other
// instruction.
func (r *spoiler) Met(w *sim.Wave, who []sim.Meeting, all, members lane.Mask) {
	if i := r.index[who[0].Inst]; len(who) == 1 && w.Active&all == all && w.Fault == nil {
		// w.Active also holds the lanes outside the guard.
		r.after(w, i)
	}
}

func (r *spoiler) Record(w *sim.Wave, in *ir.Inst, lanes lane.Mask) {
	if in.Imm>>32 != 0 {
		r.begin(w, int(uint32(in.Imm)))
		return
	}
	r.after(w, int(in.Imm))
}

func (r *spoiler) report(w *sim.Wave, format string, args ...any) {
	r.e.Report(fmt.Sprintf("wave %d, lanes %#x: ", w.ID, uint64(w.Active)) + fmt.Sprintf(format, args...))
}

// An opText is one operation, which becomes text only if a report shows it.
type opText struct {
	fn *webs.Func
	i  int
}

// String returns the operation as text.
func (o opText) String() string { return o.fn.FormatInst(o.i) }

// begin checks the claims about the start of a block.
func (r *spoiler) begin(w *sim.Wave, b int) {
	st := r.waves[w]
	var places []int
	type frag struct {
		pc    int
		lanes lane.Mask
	}
	var frags []frag
	if !w.TakeFragments(func(pc int, lanes lane.Mask) {
		places = append(places, pc)
		frags = append(frags, frag{pc, lanes})
	}) {
		if !st.off && r.seen != nil {
			r.seen.Rests.Add(1)
		}
		st.off = true // other lanes overtake deferred lanes
		return
	}
	for _, f := range frags {
		w.AddFragment(f.pc, f.lanes)
	}
	if st.off {
		return
	}
	m := r.s.Masks
	if len(places) > 0 && !m.Together(b, places, nil) {
		r.report(w, "b%d runs while lanes wait at %v", b, places)
	}
	if m.Alone(b) && w.Active != w.Live {
		r.report(w, "b%d runs without lanes %#x", b, uint64(w.Live&^w.Active))
	}
	if m.Full(b) && w.Active != lane.All(r.fn.IR.Lanes) {
		r.report(w, "b%d is full, but not all lanes run it", b)
	}
	for _, web := range r.fn.LiveIn[b] {
		r.look(w, web, r.own[web], w.Active, "at the start of b%d", b)
	}
	for _, web := range r.dead[b] {
		r.spoil(w, web, w.Active, true)
	}
}

// after checks the results of an instruction and scribbles over dead values.
func (r *spoiler) after(w *sim.Wave, i int) {
	if r.waves[w].off {
		return
	}
	in, o := &r.fn.IR.Code[i], &r.fn.Ops[i]
	guard := lane.All(64)
	if o.Guard != 0 {
		if o.Guard == o.Dst || o.Guard == o.Dst2 {
			return
		}
		guard = w.Mask(r.ref(o.Guard, in.Guard))
		if in.GuardNot {
			guard = ^guard
		}
	}
	st := r.waves[w]
	var from lane.Mask
	for _, a := range o.Args {
		from |= st.bad[a]
	}
	if c := r.s.Check(i); c != shape.NoCheck && r.wraps(w, i, c) {
		r.waves[w].off = true // the native engine would exit to the interpreter
		return
	}
	if in.Op.Pure() && !in.Scalar { // the shape that it assumes for its arguments, if that is not the shape of the web
		for k, a := range o.Args {
			if a == 0 || a == o.Dst || a == o.Dst2 || r.s.Carry(i, k) != 0 {
				continue
			}
			if sh := r.s.Arg(i, k); sh != r.s.Web(a) && r.fn.IR.Val(in.Args[k]).Type != ir.B1 {
				r.lookAt(w, a, r.ref(a, in.Args[k]), sh, w.Active&guard, "arg %d of %d: %s", k, i, opText{r.fn, i})
			}
		}
	}
	for k, d := range [2]webs.Web{o.Dst, o.Dst2} {
		if d == 0 {
			continue
		}
		orig := [2]ir.Ref{in.Dst, in.Dst2}[k]
		written := w.Active & guard
		if f := r.fn; f.Has(d, webs.Temporary) && (in.Op.Pure() || in.Op == ir.Splat) {
			written = lane.All(64)
		}
		st.bad[d] = st.bad[d]&^written | from&written
		r.look(w, d, r.ref(d, orig), w.Active&guard, "after %d: %s", i, opText{r.fn, i})
		spoil := ^w.Active
		if r.s.Masks.NeedMask(i) {
			spoil = 0
		}
		if [2]bool{o.Merge, o.Merge2}[k] {
			spoil &= guard
			if o.Guard == 0 {
				spoil = 0 // it writes only some lanes
			}
		} else {
			spoil |= w.Active &^ guard
		}
		r.spoil(w, d, spoil, false)
	}
	for _, web := range r.dies[i] {
		r.spoil(w, web, w.Active, true)
	}
}

// wraps reports whether an assumption of a shape does not hold.
func (r *spoiler) wraps(w *sim.Wave, i int, c shape.Check) bool {
	in, o := &r.fn.IR.Code[i], &r.fn.Ops[i]
	k := 0
	if r.s.Arg(i, 0).Uniform() && c != shape.CheckSign && c != shape.CheckHigh {
		k = 1
	}
	sh := r.s.Arg(i, k)
	size := uint(8 * r.fn.IR.Val(in.Args[k]).Type.Bytes())
	good := w.Active &^ r.waves[w].bad[o.Args[k]]
	if good == 0 {
		return false
	}
	first := good.First()
	ref := r.ref(o.Args[k], in.Args[k])
	signed := func(x uint64) uint64 { return uint64(int64(x) << (64 - size) >> (64 - size)) }
	sh.Stride, sh.Step = signed(sh.Stride), signed(sh.Step)
	base := w.Get(ref, first) - distance(sh, first)
	if o.Args[k] == o.Dst {
		return true
	}
	mask := uint64(1)<<size - 1
	last := int64(distance(sh, r.fn.IR.Lanes-1))
	switch c {
	case shape.CheckCarry:
		yg := w.Active &^ r.waves[w].bad[o.Args[1-k]]
		if yg == 0 {
			return false
		}
		y := w.Get(r.ref(o.Args[1-k], in.Args[1-k]), yg.First()) & mask
		b := base & mask
		return int64(b)+last < 0 || int64(b)+last > int64(mask) || (b+y)>>32 != uint64(int64(b+y)+last)>>32
	case shape.CheckSign:
		b := int64(int32(base))
		return (b < 0) != (b+last < 0) || b+last != int64(int32(b+last))
	case shape.CheckHigh:
		return base>>32 != (base+uint64(last))>>32
	}
	if c == shape.CheckRows {
		for i := 0; i < r.fn.IR.Lanes; i += 1 << sh.Tile {
			if w.Get(ref, i)&mask+(1<<sh.Tile-1)*sh.Stride > mask {
				return true
			}
		}
		return false
	}
	for i := range r.fn.IR.Lanes {
		if c == shape.CheckSigned {
			if e := signed(base) + distance(sh, i); e != signed(e) {
				return true
			}
		} else if e := int64(base&mask) + int64(distance(sh, i)); e < 0 || e > int64(mask) {
			return true
		}
	}
	return false
}

// distance returns the distance of a lane from lane 0 in an affine shape.
func distance(sh shape.Shape, i int) uint64 {
	if sh.Tile == 0 {
		return uint64(i) * sh.Stride
	}
	n := 1 << sh.Tile
	return uint64(i/n)*sh.Step + uint64(i%n)*sh.Stride
}

// inExec reports whether an offset of the frame is in EXEC.
func inExec(f *ir.Func, at uint32) bool {
	return f.Exec != 0 && at >= f.Val(f.Exec).Off && at < f.Val(f.Exec).Off+8
}

// spoil scribbles over lanes of a web.
func (r *spoiler) spoil(w *sim.Wave, web webs.Web, lanes lane.Mask, dead bool) {
	f := r.fn
	if f.Webs[web].Flags&(webs.Const|webs.Aliased) != 0 || inExec(f.IR, r.at[web]) {
		return
	}
	v := f.Value(web)
	if v.Scalar {
		if dead && f.IR.Exec != 0 {
			w.Set(r.own[web], 0, r.random())
		}
		return
	}
	lanes &= lane.All(f.IR.Lanes)
	r.waves[w].bad[web] |= lanes
	for i := range lanes.Lanes() {
		w.Set(r.own[web], i, r.random())
	}
	if r.seen != nil {
		r.seen.Spoilt.Add(int64(lanes.Count()))
	}
}

func (r *spoiler) random() uint64 {
	r.rng = r.rng*6364136223846793005 + 1442695040888963407
	return bits.RotateLeft64(r.rng, 23) ^ r.rng>>31
}

// look compares a web with its shape.
func (r *spoiler) look(w *sim.Wave, web webs.Web, ref ir.Ref, lanes lane.Mask, format string, args ...any) {
	r.lookAt(w, web, ref, r.s.Web(web), lanes, format, args...)
}

// lookAt compares lanes of a value with a shape, and reports the first difference.
func (r *spoiler) lookAt(w *sim.Wave, web webs.Web, ref ir.Ref, sh shape.Shape, lanes lane.Mask, format string, args ...any) {
	f := r.fn
	lanes &= lane.All(f.IR.Lanes) &^ r.waves[w].bad[web]
	if lanes == 0 {
		return
	}
	v := r.out.Val(ref)
	bad := func(i int, x uint64) {
		r.report(w, "%s: %s is %s, but lane %d holds %#x", fmt.Sprintf(format, args...), f.Name(web), sh, i, x)
	}
	if v.Scalar || f.IR.Exec != 0 && v.Kind == ir.Guest && v.Type == ir.B1 {
		x := w.Get(ref, 0)
		if !v.Scalar {
			x = uint64(w.Mask(ref))
		}
		if sh.Known && sh.Base != x || x > sh.Max || sh.Kind == shape.Affine && sh.Stride == 0 && x&(1<<sh.Zeros-1) != 0 {
			bad(0, x)
		}
		return
	}
	if sh.Kind == shape.Unseen {
		if f.Webs[web].Flags&webs.Aliased == 0 {
			bad(lanes.First(), w.Get(ref, lanes.First()))
		}
		return
	}
	size := uint64(1)
	if v.Type != ir.B1 {
		size = ^uint64(0) >> (64 - 8*v.Type.Bytes())
	}
	rows := sh.Kind == shape.Varying && sh.Tile > 0
	if r.seen != nil {
		if sh.Kind == shape.Affine {
			r.seen.Looks.Add(1)
		}
		if rows {
			r.seen.InRows.Add(1)
		} else if sh.Tile > 0 {
			r.seen.Rows.Add(1)
		}
	}
	first := lanes.First()
	base := w.Get(ref, first) - distance(sh, first)
	zeros := sh.Zeros
	if sh.Kind == shape.Affine && base&size&(1<<zeros-1) != 0 {
		bad(first, w.Get(ref, first))
		return
	}
	row, start := -1, uint64(0) // for values varying in rows: a row, and the expected value of its first lane
	for i := range lanes.Lanes() {
		x := w.Get(ref, i)
		if n := 1 << sh.Tile; rows {
			if within := uint64(i%n) * sh.Stride; i/n != row {
				row, start = i/n, x-within
			} else if (start+within)&size != x {
				bad(i, x)
				return
			}
		}
		switch {
		case x > sh.Max, sh.Kind == shape.Affine && (base+distance(sh, i))&size != x,
			sh.Known && (sh.Base+distance(sh, i))&size != x, sh.Kind == shape.Varying && x&(1<<zeros-1) != 0:
			bad(i, x)
			return
		}
	}
}
