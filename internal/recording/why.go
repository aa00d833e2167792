package recording

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/session"
)

// maxRuns bounds the launches that one question makes: each but the first records further blocks.
const maxRuns = 8

// Why explains what step n wrote in a lane: its registers, or the value that it stored.
func (r *Recording) Why(ctx context.Context, n, l int) (*api.Provenance, error) {
	if err := r.hasStep(n, false); err != nil {
		return nil, err
	}
	wave, _, lanes, err := r.h.Where(ctx, n)
	if err != nil {
		return nil, err
	}
	if l < 0 || l >= r.sim.Func.Lanes || !lanes.Has(l) && r.sim.Func.Exec == 0 {
		return nil, r.bad("name one of the lanes of the step", "step %d is not one of lane %d", n, l)
	}
	steps, err := r.h.StepsOf(ctx, wave)
	if err != nil {
		return nil, err
	}
	k, _ := slices.BinarySearch(steps, n)
	x := r
	for run := 1; ; run++ {
		p, missing, err := x.explain(ctx, r, r.waves[wave].Block, r.waves[wave].ID, k, l)
		if err != nil || len(missing) == 0 || run == maxRuns || r.first > 0 || r.launch.On != nil {
			return p, err
		}
		blocks := maps.Clone(x.blocks)
		for _, b := range missing {
			blocks[b] = true
		}
		if x, err = r.withBlocks(ctx, blocks); err != nil {
			return nil, err
		}
	}
}

// stepsOf returns the steps of a node of x as steps of r. x has recorded the same launch with more blocks, or is r itself.
func (r *Recording) stepsOf(ctx context.Context, x *Recording, n *why.Node) []int {
	wave, list, err := x.h.NodeSteps(ctx, n)
	if err != nil || len(list) == 0 {
		return nil
	}
	of := slices.IndexFunc(r.waves, func(w why.WaveInfo) bool { return w.Block == x.waves[wave].Block && w.ID == x.waves[wave].ID })
	if of < 0 {
		return nil
	}
	out := make([]int, len(list))
	for i, k := range list {
		if out[i], err = r.h.StepAt(ctx, of, k); err != nil || out[i] < 0 {
			return nil
		}
	}
	slices.Sort(out)
	return out
}

// explain explains the k-th step of a wave, for the recording that was asked.
func (r *Recording) explain(ctx context.Context, asked *Recording, block uint64, id, k, l int) (*api.Provenance, []uint64, error) {
	for wave := range r.waves {
		if r.waves[wave].Block != block || r.waves[wave].ID != id {
			continue
		}
		steps, err := r.h.StepsOf(ctx, wave)
		if err != nil || k >= len(steps) {
			return nil, nil, err
		}
		event, err := r.h.EventOf(ctx, steps[k])
		if err != nil {
			return nil, nil, err
		}
		if event < 0 {
			return nil, nil, r.bad("ask about a step that writes a register or memory", "step %d writes no value", steps[k])
		}
		_, pos, _, _ := r.h.Where(ctx, steps[k])
		at := r.sim.Index(block)
		where := fmt.Sprintf("line %d", r.location(pos).Line)
		if r.location(pos).Line == 0 {
			where = fmt.Sprintf("+%#x", r.location(pos).Offset)
		}
		text := fmt.Sprintf("%s, lane %d of %s %d of block %d,%d,%d, step %d", where, l, r.waveWord(), id, at[0], at[1], at[2], steps[k])
		rec := r.record()
		rec.Steps = func(ctx context.Context, n *why.Node) []int { return asked.stepsOf(ctx, r, n) }
		return rec.Explain(ctx, event, l, text, r.res)
	}
	return nil, nil, r.bad("record the block", "the block is not recorded")
}

func (r *Recording) waveWord() string {
	if r.sim.Func.Exec != 0 {
		return "wave"
	}
	return "warp"
}

// withBlocks records the launch again with other blocks. The memory of the launch stays as it is.
func (r *Recording) withBlocks(ctx context.Context, blocks map[uint64]bool) (x *Recording, err error) {
	o := r.o
	o.Blocks = nil
	for _, b := range slices.Sorted(maps.Keys(blocks)) {
		i := r.sim.Index(b)
		o.Blocks = append(o.Blocks, api.Dim3{X: i[0], Y: i[1], Z: i[2]})
	}
	r.again(func(l session.Launch) { x, err = RecordOn(ctx, r.k, l, o) })
	return x, err
}

// Around records the launch again so that step n is kept, with steps before it. The recording stays as it is.
func (r *Recording) Around(ctx context.Context, n int) (x *Recording, err error) {
	if n < 0 || n >= r.h.Total {
		return nil, r.bad("name a step of the launch", "there is no step %d; the launch has %d", n, r.h.Total)
	}
	if r.launch.On != nil {
		return nil, r.bad("record the launch with From", "a launch in the memory of a device cannot be recorded again")
	}
	o := r.o
	o.From = max(0, n-max(1, r.steps/2))
	r.again(func(l session.Launch) { x, err = RecordOn(ctx, r.k, l, o) })
	return x, err
}
