package recording

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/provenance"
	"example.org/crosslane/lane"
)

// bad is an error about a question.
func (r *Recording) bad(remedy, format string, args ...any) error {
	d := r.k.Errorf("bad-target", format, args...)
	d.Remedy = remedy
	return diag.List{d}
}

// Info describes the recording.
func (r *Recording) Info() api.RecordingInfo {
	i := api.RecordingInfo{
		File: r.k.Module().File(), Kernel: r.k.Name(), ISA: r.k.Module().ISA(), Lanes: r.sim.Func.Lanes, Grid: r.sim.Grid, Block: r.sim.Block,
		First: r.first, Steps: r.steps, Total: r.h.Total, Full: r.h.Full(), Bytes: r.h.Used(), Waves: []api.RecordedWave{},
		Memories: r.memories(), Findings: r.findings, Undefined: r.undef, Output: r.res.Output,
	}
	for _, w := range r.waves {
		i.Waves = append(i.Waves, api.RecordedWave{Block: r.sim.Index(w.Block), Warp: w.ID, Lanes: api.Hex(w.Initial), Steps: w.Steps})
	}
	if i.Findings == nil {
		i.Findings = []api.RecordedFinding{}
	}
	return i
}

// Bounds returns the number of the first step that is kept, and how many are.
func (r *Recording) Bounds() (first, steps int) { return r.first, r.steps }

// StepsOf returns the numbers of the kept steps of a wave, in order.
func (r *Recording) StepsOf(wave int) ([]int, error) {
	if err := r.hasWave(wave); err != nil {
		return nil, err
	}
	return r.h.StepsOf(context.Background(), wave)
}

func (r *Recording) hasWave(wave int) error {
	if wave < 0 || wave >= len(r.waves) {
		return r.bad("name a wave by its index in the recording", "there is no wave %d; the recording has %d", wave, len(r.waves))
	}
	return nil
}

// hasStep checks the number of a step; end says that the number after the last one is allowed.
func (r *Recording) hasStep(n int, end bool) error {
	last := r.first + r.steps - 1
	if end {
		last++
	}
	if n >= r.first && n <= last {
		return nil
	}
	remedy := "name a step that is recorded"
	if r.h.Full() || r.first > 0 {
		remedy = "record around that step: see Around"
	}
	return r.bad(remedy, "there is no step %d; the steps %d to %d are recorded", n, r.first, last)
}

// Step returns a step.
func (r *Recording) Step(n int) (*api.Step, error) {
	if err := r.hasStep(n, false); err != nil {
		return nil, err
	}
	v, err := r.h.Step(context.Background(), n)
	if err != nil {
		return nil, err
	}
	s := r.step(v)
	for i := range v.Writes {
		if w, ok := r.written(v.Pos, &v.Writes[i]); ok {
			s.Writes = append(s.Writes, w)
		}
	}
	for _, a := range v.Access {
		s.Access = append(s.Access, api.MemoryAccess{Kind: a.Kind, Space: a.Space.String(), Size: int(a.Size), Lanes: api.Hex(a.Lanes), Addresses: hexes(a.Addr)})
	}
	s.Exchange = r.exchange(v.Exchange)
	s.Barrier, err = r.barrier(v.Pos, n, v.Wave, v.Lanes.First())
	return s, err
}

// step has what the full and the brief description of a step share.
func (r *Recording) step(v *why.StepView) *api.Step {
	return &api.Step{
		Step: v.Number, Wave: v.Wave, Fragment: v.Fragment, Location: r.location(v.Pos), Lanes: api.Hex(v.Lanes), Active: api.Hex(v.Active), Scalar: v.Scalar,
		Branch: v.Branch, Taken: api.Hex(v.Taken), Exits: api.Hex(v.Exits), Done: v.Done, Findings: r.at[v.Number],
	}
}

// written describes a write of a step; ok is false if it is to no register of the text, but to the stack pointer or a return address.
func (r *Recording) written(pos int32, w *why.Value) (v api.RegisterValue, ok bool) {
	val := r.sim.Func.Val(w.Ref)
	if val.Name == "" {
		return v, false
	}
	return r.named(api.RegisterValue{Name: val.Name, Type: typeOf(&r.sim.Func.Pos[pos], val), Scalar: val.Scalar,
		Lanes: api.Hex(w.Lanes), Bits: hexes(w.Bits), Undefined: hexes(w.Undef)}), true
}

// StepBrief returns a step without Writes, Access, Exchange and Barrier, and the lanes in which it wrote undefined bits; a scalar
// instruction writes for all its lanes.
func (r *Recording) StepBrief(n int) (s *api.Step, undefined api.Hex, err error) {
	if err := r.hasStep(n, false); err != nil {
		return nil, 0, err
	}
	v, err := r.h.Brief(context.Background(), n)
	if err != nil {
		return nil, 0, err
	}
	s = r.step(v)
	for i := range v.Writes {
		w, ok := r.written(v.Pos, &v.Writes[i])
		if !ok {
			continue
		}
		var bits api.Hex // the lanes, or bit 0
		k := 0
		for l := range lane.Mask(w.Lanes).Lanes() {
			if k < len(w.Undefined) && w.Undefined[k] != 0 {
				bits |= 1 << uint(l)
			}
			k++
		}
		if w.Scalar && bits != 0 {
			bits = s.Lanes
		}
		undefined |= bits
	}
	return s, undefined, nil
}

// barrier returns the number of the barrier of the block at which an instruction waits, as a lane has it before step n;
// nil: the instruction is no barrier, or its number is not known.
func (r *Recording) barrier(pos int32, n, wave, lane int) (*int, error) {
	f := r.plan.Func()
	if r.bars == nil {
		r.bars = map[int32]ir.Ref{}
		for i := range f.Code {
			if in := &f.Code[i]; in.Op == ir.Bar {
				r.bars[in.Pos] = in.Args[0]
			}
		}
	}
	ref, is := r.bars[pos]
	if !is {
		return nil, nil
	}
	number := 0
	switch v := f.Val(ref); {
	case ref == 0:
	case v.Kind == ir.Const:
		number = int(v.Const)
	case v.Kind != ir.Guest || v.Name == "":
		return nil, nil
	default:
		w, err := r.h.State(context.Background(), n, wave)
		if err != nil {
			return nil, err
		}
		list := r.registers(w, []string{v.Name})
		if len(list) == 0 {
			return nil, nil
		}
		bits, undefined, ok := list[0].Lane(lane)
		if !ok || undefined != 0 {
			return nil, nil
		}
		number = int(uint32(bits))
	}
	return &number, nil
}

// StepLanes returns the lanes of a step, and whether its instruction acts once for the wave.
func (r *Recording) StepLanes(n int) (lanes api.Hex, scalar bool, err error) {
	if err := r.hasStep(n, false); err != nil {
		return 0, false, err
	}
	m, scalar, err := r.h.LanesOf(context.Background(), n)
	return api.Hex(m), scalar, err
}

func hexes(list []uint64) []api.Hex {
	if len(list) == 0 {
		return nil
	}
	out := make([]api.Hex, len(list))
	for i, x := range list {
		out[i] = api.Hex(x)
	}
	return out
}

// exchange is an exchange in the form of the API.
func (r *Recording) exchange(x *why.Exchange) *api.LaneExchange {
	if x == nil {
		return nil
	}
	lanes := lane.All(r.sim.Func.Lanes)
	out := &api.LaneExchange{Readers: api.Hex(x.Readers), Together: api.Hex(x.Together & lanes), Members: api.Hex(x.Members), Fold: x.Fold}
	if !x.Fold {
		for i := range r.sim.Func.Lanes {
			out.Source = append(out.Source, int(x.Source[i]))
		}
	}
	rec := r.record()
	for i := range x.Absent {
		out.Absent = append(out.Absent, rec.Absent(&x.Absent[i]))
	}
	return out
}

// location describes the place of an instruction, with the lines that it was compiled from.
func (r *Recording) location(pos int32) api.Location {
	if p, ok := r.places[pos]; ok {
		return p
	}
	at := &r.sim.Func.Pos[pos]
	m := r.k.Module()
	p := api.Location{Column: at.Col, Offset: at.Off, Op: at.Name, Text: m.Original(provenance.PlainText(at)), Function: at.Func}
	if p.File, p.Line = m.SourceLine(at.Line); p.File == m.File() {
		p.File = ""
	}
	if r.p.Origin != nil {
		d := &diag.Diagnostic{Pos: diag.Pos{File: r.sim.Func.File, Line: at.Line, Col: at.Col}}
		if at.Line == 0 {
			d.Pos.Off, d.Pos.HasOff = at.Off, true
		}
		r.p.Origin(diag.List{d})
		for _, x := range d.Related {
			if x.Origin {
				p.Source = append(p.Source, api.SourceLine{File: x.Pos.File, Line: x.Pos.Line, Column: x.Pos.Col})
			}
		}
	}
	r.places[pos] = p
	return p
}

// At returns the state of a wave before step n. n may be the number after the last step, for the end. registers names those
// that are wanted; none: all.
func (r *Recording) At(n, wave int, registers ...string) (*api.State, error) {
	if err := r.hasStep(n, true); err != nil {
		return nil, err
	}
	if err := r.hasWave(wave); err != nil {
		return nil, err
	}
	w, err := r.h.State(context.Background(), n, wave)
	if err != nil {
		return nil, err
	}
	s := &api.State{Step: n, Wave: wave, Running: w.Running, Fragments: []api.FragmentState{}, Exited: api.Hex(w.Exited), Registers: []api.RegisterValue{}}
	if r.sim.Func.Exec != 0 {
		exec := api.Hex(w.Exec)
		s.Exec = &exec
	}
	for _, f := range w.Fragments {
		x := api.FragmentState{ID: f.ID, Lanes: api.Hex(f.Lanes), Next: f.Next}
		if f.Pos >= 0 {
			x.Location = r.location(f.Pos)
			if x.Calls, err = r.callsOf(context.Background(), n, wave, f.Pos, f.Lanes.First()); err != nil {
				return nil, err
			}
		}
		if f.Since >= 0 {
			x.Waiting, x.Since = true, f.Since
			if x.Barrier, err = r.barrier(f.Pos, f.Since, wave, f.Lanes.First()); err != nil {
				return nil, err
			}
		}
		s.Fragments = append(s.Fragments, x)
	}
	s.Registers = r.registers(w, registers)
	return s, nil
}

// Memory returns bytes of a memory as they were before step n.
func (r *Recording) Memory(n int, m api.MemoryRange) ([]byte, error) {
	if err := r.hasStep(n, true); err != nil {
		return nil, err
	}
	at, err := r.memory(&m)
	if err != nil {
		return nil, err
	}
	time, err := r.h.Time(context.Background(), n)
	if err != nil {
		return nil, err
	}
	r.h.Before(at, time)
	return at.Data, nil
}

// register finds a register and checks a lane of it.
func (r *Recording) register(n, wave int, name string, l int) (ir.Ref, error) {
	if err := r.hasStep(n, true); err != nil {
		return 0, err
	}
	if err := r.hasWave(wave); err != nil {
		return 0, err
	}
	ref := r.ref(name)
	if ref == 0 {
		return 0, r.bad("name a register of the kernel, as its text does", "there is no register %q", name)
	}
	if r.sim.Func.Val(ref).Scalar {
		return ref, nil
	}
	if l < 0 || l >= r.sim.Func.Lanes {
		return 0, r.bad("lanes count from 0 on", "there is no lane %d; a wave has %d", l, r.sim.Func.Lanes)
	}
	return ref, nil
}

// LastWrite returns the last step before step n that wrote a lane of a register of a wave; -1: none is kept that did.
func (r *Recording) LastWrite(n, wave int, register string, l int) (int, error) {
	ref, err := r.register(n, wave, register, l)
	if err != nil {
		return -1, err
	}
	if r.sim.Func.Val(ref).Scalar {
		l = 0
	}
	return r.h.LastWrite(context.Background(), n, wave, ref, l)
}

// NextWrite returns the first step from step n on that writes a lane of a register of a wave; -1: none is kept that does.
func (r *Recording) NextWrite(n, wave int, register string, l int) (int, error) {
	ref, err := r.register(n, wave, register, l)
	if err != nil {
		return -1, err
	}
	if r.sim.Func.Val(ref).Scalar {
		l = 0
	}
	return r.h.NextWrite(context.Background(), n, wave, ref, l)
}

// LastStore returns the last store before step n to bytes of memory; ok is false if no kept one reached them.
func (r *Recording) LastStore(n int, m api.MemoryRange) (s api.StepStore, ok bool, err error) {
	if err := r.hasStep(n, true); err != nil {
		return s, false, err
	}
	at, err := r.memory(&m)
	if err != nil {
		return s, false, err
	}
	x, ok, err := r.h.LastStore(context.Background(), n, at)
	if !ok || err != nil {
		return s, false, err
	}
	i := r.sim.Index(x.Block)
	return api.StepStore{Step: x.Step, Block: api.Dim3{X: i[0], Y: i[1], Z: i[2]}, Warp: x.Wave, Lane: x.Lane}, true, nil
}

// Find returns the numbers of steps, in order. It fails only if the context ends or the query is wrong.
func (r *Recording) Find(ctx context.Context, q api.StepQuery) ([]int, error) {
	from, to := max(q.From, r.first), r.first+r.steps
	if q.To > 0 {
		to = min(to, q.To)
	}
	var ref ir.Ref
	if q.Register != "" {
		if ref = r.ref(q.Register); ref == 0 {
			return nil, r.bad("name a register of the kernel, as its text does", "there is no register %q", q.Register)
		}
	}
	file, line := "", 0
	if q.Source != "" {
		i := strings.LastIndexByte(q.Source, ':')
		if i < 0 {
			return nil, r.bad("give FILE:LINE", "%q is no line of a program", q.Source)
		}
		if _, err := fmt.Sscanf(q.Source[i+1:], "%d", &line); err != nil || line <= 0 {
			return nil, r.bad("give FILE:LINE", "%q is no line of a program", q.Source)
		}
		file = q.Source[:i]
	}
	out := []int{}
	for n := from; n < to; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wave, pos, lanes, err := r.h.Where(ctx, n)
		if err != nil {
			return nil, err
		}
		switch {
		case q.Wave != nil && wave != *q.Wave:
			continue
		case q.Lane != nil && !lanes.Has(*q.Lane):
			continue
		case q.Line > 0 && (r.location(pos).Line != q.Line || r.location(pos).File != ""):
			continue
		case q.Findings && len(r.at[n]) == 0:
			continue
		case file != "" && !fromLine(r.location(pos).Source, file, line):
			continue
		}
		if ref != 0 && !r.writes(ctx, n, wave, ref, q.Lane) {
			continue
		}
		if out = append(out, n); len(out) == q.Max {
			break
		}
	}
	return out, nil
}

// writes reports whether step n writes a register, in a lane if that is given.
func (r *Recording) writes(ctx context.Context, n, wave int, ref ir.Ref, l *int) bool {
	found, err := r.h.Writes(ctx, n, ref, l)
	return err == nil && found
}

// fromLine reports whether one of the lines is a line of a file, given by the end of its name.
func fromLine(list []api.SourceLine, file string, line int) bool {
	for _, s := range list {
		if s.Line == line && (s.File == file || strings.HasSuffix(filepath.ToSlash(s.File), "/"+filepath.ToSlash(file))) {
			return true
		}
	}
	return false
}

// Data returns the steps from one on up to another, without it, for JSON. to 0 stands for the end.
func (r *Recording) Data(from, to int) (*api.RecordingData, error) {
	if to == 0 {
		to = r.first + r.steps
	}
	from, to = max(from, r.first), min(to, r.first+r.steps)
	d := &api.RecordingData{Schema: "crosslane.record/1", RecordingInfo: r.Info(), Timeline: []api.Step{}}
	for n := from; n < to; n++ {
		s, err := r.Step(n)
		if err != nil {
			return nil, err
		}
		d.Timeline = append(d.Timeline, *s)
	}
	return d, nil
}

// Digest is a number that differs if the kept steps differ.
func (r *Recording) Digest() api.Hex { return api.Hex(r.h.Digest()) }
