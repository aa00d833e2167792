package verdict

import (
	"context"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/static"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/ptx"
)

// CheckStatic is crosslane.Kernel.CheckStatic.
func CheckStatic(k *session.Kernel) (*api.StaticReport, error) {
	return CheckStaticBlock(k, api.Dim3{})
}

// CheckStaticBlock is crosslane.Kernel.CheckStaticBlock.
func CheckStaticBlock(k *session.Kernel, block api.Dim3) (*api.StaticReport, error) {
	return CheckStaticContext(context.Background(), k, block)
}

// CheckStaticContext is crosslane.Kernel.CheckStaticContext.
func CheckStaticContext(ctx context.Context, k *session.Kernel, block api.Dim3) (*api.StaticReport, error) {
	return CheckStaticWith(ctx, k, api.StaticOptions{Block: block})
}

// CheckStaticWith is crosslane.Kernel.CheckStaticWith.
func CheckStaticWith(ctx context.Context, k *session.Kernel, o api.StaticOptions) (*api.StaticReport, error) {
	block := o.Block
	if err := staticEnded(k, ctx); err != nil {
		return nil, err
	}
	var shape [3]uint32
	if block != (api.Dim3{}) {
		var err error
		if shape, err = k.Size3("block", block, [3]uint64{session.MaxBlockLanes, session.MaxBlockLanes, session.MaxBlockLanes}); err != nil {
			return nil, err
		}
	}
	if k.Module().ISA() == api.GCN3 {
		return checkGCN3(k, shape)
	}
	return checkPTX(k, ctx, shape, o.Registers)
}

// staticEnded is ended of a check without a launch.
func staticEnded(k *session.Kernel, ctx context.Context) error {
	return k.Ended(ctx, k.Name()+" was checked", 0, "")
}

// CheckStaticAll is crosslane.Module.CheckStatic.
func CheckStaticAll(m *session.Module) ([]*api.StaticReport, error) {
	var list []*api.StaticReport
	var errs diag.List
	for _, k := range slices.Concat(m.Kernels(), m.Functions()) {
		r, err := CheckStatic(k)
		if err != nil {
			errs = append(errs, diag.Of(err)...)
			continue
		}
		list = append(list, r)
	}
	return list, errs.Err()
}

// checkPTX is CheckStatic of PTX.
func checkPTX(k *session.Kernel, ctx context.Context, block [3]uint32, registers bool) (*api.StaticReport, error) {
	pm := k.Module().PTX()
	pk, err := k.LiftStatic()
	if err != nil {
		list := diag.Of(err)
		k.Module().Translate(list)
		return nil, session.InKernel(list, k.Name())
	}
	if block[0] != 0 {
		if err := k.BlockFits(pk.Func, block); err != nil {
			return nil, err
		}
		pk.Func.ReqBlock = block
	}
	opt := static.Options{DynamicShared: pk.DynamicShared, Shapes: registers}
	_, opt.ParamSize = pk.Entry.ParamLayout()
	for _, g := range pk.Globals {
		opt.Vars = append(opt.Vars, static.Var{Name: g.Name, Size: g.Size, Align: g.Align})
	}
	w := static.Check(ctx, pk.Func, opt)
	if err := staticEnded(k, ctx); err != nil {
		return nil, err
	}
	list := append(slices.Clone(pk.Warnings), sharedNeeds(pk, pm.File, 0, pm.Target)...)
	for _, d := range w.Findings {
		if !slices.ContainsFunc(pk.Warnings, func(x *diag.Diagnostic) bool { return x.Code == d.Code && x.Pos.Line == d.Pos.Line }) {
			list = append(list, d)
		}
	}
	r := &api.StaticReport{Kernel: k.Name(), ISA: api.PTX, Findings: list, Meets: w.Meets, MeetsProved: w.Proved, Barriers: w.Barriers, BarriersProved: w.BarriersProved}
	for _, x := range w.Shapes {
		at := &pk.Func.Pos[x.Pos]
		r.Registers = append(r.Registers, api.RegisterShape{Line: at.Line, Col: at.Col, Register: x.Register, Written: x.Written, Known: x.Known, Base: x.Base, Stride: x.Stride, Rows: x.Rows})
	}
	k.AddOrigins(r.Findings)
	ptx.Suggest(pm, r.Findings)
	session.InKernel(r.Findings, k.Name())
	return r, nil
}
