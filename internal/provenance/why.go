// Package provenance answers why a value is what it is: it records a launch with package check/why,
// follows the value backwards, and makes an api.Provenance of the graph.
package provenance

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// Why is crosslane.Kernel.Why.
func Why(ctx context.Context, k *session.Kernel, l api.Launch, o api.WhyOptions) (*api.Provenance, error) {
	return WhyOn(ctx, k, session.Launch{Launch: l}, o)
}

// WhyOn is Why of a launch that may be in a Resident. The memory of the Resident is as before when it returns.
func WhyOn(ctx context.Context, k *session.Kernel, l session.Launch, o api.WhyOptions) (*api.Provenance, error) {
	if l.Adversarial {
		d := k.Errorf("bad-launch", "provenance is that of the intended values, not of results that are delivered late")
		d.Remedy = "leave adversarial out"
		return nil, diag.List{d}
	}
	k = k.LaidOut(&l.Launch)
	plain, err := k.Prepare(false)
	if err != nil {
		return nil, err
	}
	if l.Timeout > 0 { // for all launches, and for the work after them
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.Timeout, sim.ErrTimeLimit)
		defer cancel()
	}
	x := &whyRun{k: k, o: o, blocks: map[uint64]bool{}, before: session.StateOf(&l), limit: l.Timeout}
	defer x.before.Close()
	if l.On != nil {
		defer x.before.Restore()
	}
	if x.o.History <= 0 {
		x.o.History = api.DefaultHistory
	}
	if err := x.target(l); err != nil {
		return nil, err
	}
	fn, plan := why.Instrument(plain.Fn)
	p, err := k.WithCode(plain, fn)
	if err != nil {
		return nil, err
	}
	x.plan, p.Watch = plan, x.watch
	return x.explain(ctx, p, l)
}

// whyRun is one Why.
type whyRun struct {
	k      *session.Kernel
	o      api.WhyOptions
	plan   *why.Plan
	blocks map[uint64]bool
	before session.State
	buffer *api.Buffer
	limit  time.Duration

	history *why.History
	mem     *session.Memory
	launch  *sim.Launch
	initial map[*sim.Alloc][]byte
}

// target checks the request.
func (x *whyRun) target(l session.Launch) error {
	o, k := &x.o, x.k
	bad := func(format string, args ...any) error {
		return diag.List{k.Errorf("bad-target", format, args...)}
	}
	if o.Buffer == "" {
		g := [3]uint32{max(l.Grid.X, 1), max(l.Grid.Y, 1), max(l.Grid.Z, 1)}
		if o.Block.X >= g[0] || o.Block.Y >= g[1] || o.Block.Z >= g[2] {
			return bad("block %d,%d,%d is not in the grid of %d,%d,%d", o.Block.X, o.Block.Y, o.Block.Z, g[0], g[1], g[2])
		}
		x.blocks[uint64(o.Block.X)+uint64(g[0])*(uint64(o.Block.Y)+uint64(g[1])*uint64(o.Block.Z))] = true
		return nil
	}
	var names []string
	for _, b := range session.NamedBuffers(&l) {
		if names = append(names, b.Name); b.Name == o.Buffer {
			x.buffer = b
		}
	}
	if max(l.Grid.X, 1) == 1 && max(l.Grid.Y, 1) == 1 && max(l.Grid.Z, 1) == 1 {
		x.blocks[0] = true // the first launch need not look for the block
	}
	if x.buffer == nil {
		return bad("there is no buffer %q (there are: %s)", o.Buffer, strings.Join(names, ", "))
	}
	if o.Index < 0 || o.Index >= x.buffer.Len() {
		return bad("%s has the elements 0 to %d; there is no %d", o.Buffer, x.buffer.Len()-1, o.Index)
	}
	return nil
}

// watch prepares the recording of a launch.
func (x *whyRun) watch(mem *session.Memory, s *sim.Launch) {
	x.mem, x.launch = mem, s
	s.Recorder = x.history
	x.initial = map[*sim.Alloc][]byte{}
	if x.before.Journals() {
		return // it has the first contents of all that is written
	}
	for b, a := range mem.Allocs {
		x.initial[a] = x.before.Old(b)
	}
	for _, a := range mem.All() {
		if x.initial[a] == nil && !a.ReadOnly && len(a.Data) <= maxSnapshot {
			x.initial[a] = slices.Clone(a.Data)
		}
	}
}

// maxSnapshot is the largest variable of a module whose first contents are kept.
const maxSnapshot = 64 << 20

// maxWhyRuns bounds the launches of one Why. Each but the first adds blocks to those that
// are recorded.
const maxWhyRuns = 8

func (x *whyRun) explain(ctx context.Context, p *session.Prepared, l session.Launch) (*api.Provenance, error) {
	quiet := l
	quiet.Stdout = io.Discard
	for run := 1; ; run++ {
		x.history = &why.History{Plan: x.plan, Blocks: x.blocks, Limit: x.o.History}
		x.before.Restore()
		res, err := x.k.Execute(ctx, p, quiet)
		if res == nil {
			return nil, err
		}
		for _, d := range diag.Of(err) {
			if outOfTime(d) {
				return nil, err
			}
			res.Findings = append(res.Findings, d)
		}
		g, at, err := x.graph(ctx)
		if err != nil {
			return nil, x.stopped(ctx, err)
		}
		more := false
		for _, b := range g.Missing {
			more = more || !x.blocks[b]
			x.blocks[b] = true
		}
		if more && run < maxWhyRuns {
			continue
		}
		undefined, err := x.undefined(ctx, p, l, g)
		if err != nil {
			return nil, err
		}
		pr, err := x.provenance(ctx, g, at, res)
		if err != nil {
			return nil, x.stopped(ctx, err)
		}
		x.markUndefined(pr, g, undefined)
		return pr, nil
	}
}

// outOfTime reports whether a launch was stopped for its time, not for a fault of its own.
func outOfTime(d *diag.Diagnostic) bool { return d.Class == diag.Timeout }

// stopped turns an error of the context into one of the API; it returns other errors unchanged.
func (x *whyRun) stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return x.k.Ended(ctx, "the value was followed back", x.limit, "raise --timeout, or ask about an earlier value")
}

// graph answers the request.
func (x *whyRun) graph(ctx context.Context) (*why.Graph, string, error) {
	if x.buffer != nil {
		size := uint64(x.buffer.Type.Size())
		at := x.buffer.Name + "[" + x.buffer.IndexText(x.o.Index) + "]"
		g, err := x.history.Memory(ctx, x.mem.Allocs[x.buffer].Base+uint64(x.o.Index)*size, size)
		return g, at, err
	}
	return x.lineGraph(ctx)
}

// initialBytes reads memory as the launch found it.
func (x *whyRun) initialBytes(addr, n uint64) (bits uint64, a *sim.Alloc) {
	if a = x.mem.Find(addr, n); a == nil {
		return 0, nil
	}
	data := x.initial[a]
	if data == nil {
		data = x.before.First(a)
	}
	if data == nil {
		data = a.Data
	}
	var b [8]byte
	copy(b[:], data[addr-a.Base:][:min(n, 8)])
	return binary.LittleEndian.Uint64(b[:]), a
}

// special is the name of the value that a launch puts into a register; "" if it has none.
func (x *whyRun) special(in ir.InputKind) string {
	names := map[ir.InputKind][2]string{
		ir.ThreadIDX: {"%tid.x", "work-item id x"}, ir.ThreadIDY: {"%tid.y", "work-item id y"}, ir.ThreadIDZ: {"%tid.z", "work-item id z"},
		ir.BlockIDX: {"%ctaid.x", "workgroup id x"}, ir.BlockIDY: {"%ctaid.y", "workgroup id y"}, ir.BlockIDZ: {"%ctaid.z", "workgroup id z"},
		ir.BlockDimX: {"%ntid.x", "workgroup size x"}, ir.BlockDimY: {"%ntid.y", "workgroup size y"}, ir.BlockDimZ: {"%ntid.z", "workgroup size z"},
		ir.GridDimX: {"%nctaid.x", "workgroups x"}, ir.GridDimY: {"%nctaid.y", "workgroups y"}, ir.GridDimZ: {"%nctaid.z", "workgroups z"},
		ir.LaneID: {"%laneid", "lane"}, ir.WaveID: {"%warpid", "wave"}, ir.WaveCount: {"%nwarpid", "waves"}, ir.WaveInfo: {"", "workgroup info"},
		ir.ActiveMask0: {"", "EXEC at the start"}, ir.LaunchValue: {"an address", "an address of the launch"},
		ir.SharedTotal: {"%total_smem_size", "LDS size"}, ir.SharedDynamic: {"%dynamic_smem_size", "dynamic LDS size"},
		ir.GridID: {"%gridid", "dispatch id"}, ir.LinearBlockID: {"the block's number", "workgroup number"},
		ir.GlobalSizeX: {"", "grid size x"}, ir.GlobalSizeY: {"", "grid size y"}, ir.GlobalSizeZ: {"", "grid size z"}, ir.StackTop: {"the stack's end", "the stack's end"},
		ir.WorkspaceLow: {"%envreg2", ""}, ir.WorkspaceHigh: {"%envreg1", ""},
	}
	if x.k.Module().ISA() == api.GCN3 {
		return names[in][1]
	}
	return names[in][0]
}
