package crosslane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/static"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// A StaticReport is the result of CheckStatic for one kernel, without a run.
type StaticReport struct {
	Kernel string
	ISA    ISA
	// Findings are errors (certainly wrong, whenever control gets there), warnings and notes
	// (possibly wrong, not followed, assumed, or needless). Each names the kernel.
	Findings diag.List
	// Proved is how many pairs of GCN3 instructions that must not come too close do not, on all
	// paths that could be followed. AtLeast reports that there are more, not counted.
	Proved  int
	AtLeast bool
	// For PTX: the operations across lanes and the barriers that control can reach, and how many of
	// them are proved: all lanes that the membermask names arrive, and all lanes of a warp come to
	// the barrier together.
	Meets, MeetsProved, Barriers, BarriersProved int
}

// CheckStatic follows all paths through a kernel without running it. In GCN3 it looks for
// missing wait states and missing s_waitcnt, and for needless ones; in PTX for membermasks,
// shuffles, barriers, addresses and shifts that are wrong for constants, and for lanes,
// that are known. The error is a diag.List, class Input or Unsupported: the code cannot be
// followed.
func (k *Kernel) CheckStatic() (*StaticReport, error) { return k.CheckStaticBlock(Dim3{}) }

// CheckStaticBlock is CheckStatic for launches with blocks of the given shape, as if the
// kernel required it. With no shape, it is CheckStatic.
func (k *Kernel) CheckStaticBlock(block Dim3) (*StaticReport, error) {
	return k.CheckStaticContext(context.Background(), block)
}

// CheckStaticContext is CheckStaticBlock that ends early, with an error of class Timeout
// or the code "cancelled", when ctx does.
func (k *Kernel) CheckStaticContext(ctx context.Context, block Dim3) (*StaticReport, error) {
	if err := k.staticEnded(ctx); err != nil {
		return nil, err
	}
	var shape [3]uint32
	if block != (Dim3{}) {
		var err error
		if shape, err = k.size3("block", block, [3]uint64{maxBlockLanes, maxBlockLanes, maxBlockLanes}); err != nil {
			return nil, err
		}
	}
	if k.code != nil {
		return k.checkStaticGCN3(shape)
	}
	return k.static(ctx, shape)
}

// ended is the error of a context that has ended during a task; nil: the context goes on. A limit
// of 0 is not mentioned.
func (k *Kernel) ended(ctx context.Context, doing string, limit time.Duration, remedy string) error {
	if ctx.Err() == nil {
		return nil
	}
	d := diag.Errorf(diag.Pos{File: k.m.file}, diag.Timeout, sim.CodeCancelled, "the run was cancelled while %s", doing)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		of := ""
		if limit > 0 {
			of = fmt.Sprintf(" of %v", limit)
		}
		d.Code, d.Message, d.Remedy = sim.CodeTimeout, fmt.Sprintf("the time limit%s was reached while %s", of, doing), remedy
	}
	d.Kernel = k.name
	return diag.List{d}
}

// staticEnded is ended of a check without a launch.
func (k *Kernel) staticEnded(ctx context.Context) error {
	return k.ended(ctx, k.name+" was checked", 0, "")
}

// CheckStatic is Kernel.CheckStatic of all kernels, in the order of the file. Kernels that cannot
// be followed have no report; the error lists all of these.
func (m *Module) CheckStatic() ([]*StaticReport, error) {
	var list []*StaticReport
	var errs diag.List
	for _, k := range slices.Concat(m.kernels, m.Functions()) {
		r, err := k.CheckStatic()
		if err != nil {
			errs = append(errs, diag.Of(err)...)
			continue
		}
		list = append(list, r)
	}
	return list, errs.Err()
}

// checkStaticPTX is CheckStatic of PTX. The kernel is lifted anew for it: the changes that a run
// makes to the code would be in the way.
func (k *Kernel) checkStaticPTX(ctx context.Context, pm *ptx.Module, block [3]uint32, tell func(diag.List)) (*StaticReport, error) {
	pk, err := ptx.Lift(pm, k.name)
	if err != nil {
		return nil, inKernel(diag.Of(err), k.name)
	}
	if block[0] != 0 {
		if err := k.blockFits(pk.Func, block); err != nil {
			return nil, err
		}
		pk.Func.ReqBlock = block
	}
	opt := static.Options{DynamicShared: pk.DynamicShared}
	_, opt.ParamSize = pk.Entry.ParamLayout()
	for _, g := range pk.Globals {
		opt.Vars = append(opt.Vars, static.Var{Name: g.Name, Size: g.Size, Align: g.Align})
	}
	w := static.Check(ctx, pk.Func, opt)
	if err := k.staticEnded(ctx); err != nil {
		return nil, err
	}
	list := append(slices.Clone(pk.Warnings), sharedNeeds(pk, k.m.file, 0, pm.Target)...)
	for _, d := range w.Findings {
		if !slices.ContainsFunc(pk.Warnings, func(x *diag.Diagnostic) bool { return x.Code == d.Code && x.Pos.Line == d.Pos.Line }) {
			list = append(list, d)
		}
	}
	r := &StaticReport{Kernel: k.name, ISA: PTX, Findings: list, Meets: w.Meets, MeetsProved: w.Proved, Barriers: w.Barriers, BarriersProved: w.BarriersProved}
	tell(r.Findings)
	ptx.Suggest(pm, r.Findings)
	inKernel(r.Findings, k.name)
	return r, nil
}
