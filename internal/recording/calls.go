package recording

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Call stacks.
//
// The calls of an inlined function are known from the position of its instructions. A function with code of its own begins
// with a step of its own (ir.FuncEntry) and ends with one (ir.FuncReturn); the step of the same lane before the first is the call.

// An edge is a step that enters a function with code of its own or returns from it.
type edge struct {
	step  int
	lanes lane.Mask
	enter bool
	calls []callStep // of enter
}

// A callStep is the step of a call, and the lanes that it brought.
type callStep struct {
	step  int
	lanes lane.Mask
}

// call is the step by which a lane came; -1: it is not kept.
func (e *edge) call(l int) int {
	for _, c := range e.calls {
		if c.lanes.Has(l) {
			return c.step
		}
	}
	return -1
}

// Calls returns the calls that the lanes of a step have not returned from, the innermost first; if they came by several
// ways, those of the lowest lane.
func (r *Recording) Calls(n int) ([]api.Location, error) {
	if err := r.hasStep(n, false); err != nil {
		return nil, err
	}
	ctx := context.Background()
	wave, pos, lanes, err := r.h.Where(ctx, n)
	if err != nil {
		return nil, err
	}
	return r.callsOf(ctx, n, wave, pos, lanes.First())
}

// callsOf returns the calls in which lane l is before step n, if it does the instruction at pos next. Calls before the first
// step that is kept are not known.
func (r *Recording) callsOf(ctx context.Context, n, wave int, pos int32, l int) ([]api.Location, error) {
	var out []api.Location
	var edges []edge
	i := 0
	for {
		p := &r.sim.Func.Pos[pos]
		switch {
		case p.Func == "" || l < 0:
			return out, nil
		case p.Call > 0: // inlined
			pos = p.Call - 1
			out = append(out, r.location(pos))
			continue
		}
		if edges == nil {
			var err error
			if edges, err = r.edgesOf(ctx, wave); err != nil {
				return nil, err
			}
			i = sort.Search(len(edges), func(i int) bool { return edges[i].step >= n })
		}
		call := -1
		if p.Edge == ir.FuncEntry {
			// The instruction has not been done.
			var err error
			if call, err = r.stepBefore(ctx, n, wave, l); err != nil {
				return nil, err
			}
		} else {
			depth := 0
			for i--; i >= 0; i-- {
				e := &edges[i]
				if !e.lanes.Has(l) {
					continue
				}
				if e.enter && depth == 0 {
					break
				}
				if e.enter {
					depth--
				} else {
					depth++
				}
			}
			if i < 0 {
				return out, nil
			}
			call = edges[i].call(l)
		}
		if call < 0 {
			return out, nil
		}
		var err error
		if _, pos, _, err = r.h.Where(ctx, call); err != nil {
			return nil, err
		}
		out = append(out, r.location(pos))
	}
}

// Code returns the instructions of the kernel, those that were not executed too, in the order of their offsets, files and lines;
// an instruction of a function that is inlined several times is one.
func (r *Recording) Code() []api.Location {
	out := []api.Location{}
	seen := map[[2]int64]map[string]bool{}
	for i := range r.sim.Func.Code {
		in := &r.sim.Func.Code[i]
		at := &r.sim.Func.Pos[in.Pos]
		if !in.First || at.Edge != ir.NoEdge {
			continue
		}
		l := r.location(in.Pos)
		key := [2]int64{int64(at.Line)<<32 | int64(at.Col), at.Off}
		if seen[key][l.File] {
			continue
		}
		if seen[key] == nil {
			seen[key] = map[string]bool{}
		}
		seen[key][l.File] = true
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(a, b api.Location) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return out
}

// edgesOf returns the edges of a wave, in order.
func (r *Recording) edgesOf(ctx context.Context, wave int) ([]edge, error) {
	if list, ok := r.edges[wave]; ok {
		return list, nil
	}
	steps, err := r.h.StepsOf(ctx, wave)
	if err != nil {
		return nil, err
	}
	list := []edge{}
	var last [64]int // by lane: 1 + its last step
	for _, n := range steps {
		_, pos, lanes, err := r.h.Where(ctx, n)
		if err != nil {
			return nil, err
		}
		if k := r.sim.Func.Pos[pos].Edge; k != ir.NoEdge {
			e := edge{step: n, lanes: lanes, enter: k == ir.FuncEntry}
			for l := range lanes.Lanes() {
				from := last[l] - 1
				i := slices.IndexFunc(e.calls, func(c callStep) bool { return c.step == from })
				if i < 0 {
					e.calls, i = append(e.calls, callStep{step: from}), len(e.calls)
				}
				e.calls[i].lanes |= lane.Lane(l)
			}
			list = append(list, e)
		}
		for l := range lanes.Lanes() {
			last[l] = n + 1
		}
	}
	if r.edges == nil {
		r.edges = map[int][]edge{}
	}
	r.edges[wave] = list
	return list, nil
}

// stepBefore returns the last step of a lane before step n; -1: none is kept.
func (r *Recording) stepBefore(ctx context.Context, n, wave, l int) (int, error) {
	steps, err := r.h.StepsOf(ctx, wave)
	if err != nil {
		return -1, err
	}
	for i := sort.SearchInts(steps, n) - 1; i >= 0; i-- {
		_, _, lanes, err := r.h.Where(ctx, steps[i])
		if err != nil {
			return -1, err
		}
		if lanes.Has(l) {
			return steps[i], nil
		}
	}
	return -1, nil
}
