package crosslane

import (
	"slices"

	"crosslane/diag"
	"crosslane/internal/check/static"
	"crosslane/ptx"
)

// A StaticReport is what CheckStatic found in one kernel without running it.
type StaticReport struct {
	Kernel string
	ISA    ISA
	// Findings are errors (what is certainly wrong, whenever control gets there),
	// warnings and notes (what may be wrong, could not be followed, was taken for granted,
	// or is needless). Each names the kernel.
	Findings diag.List
	// Proved is how many pairs of GCN3 instructions that must not come too close do not, on
	// all paths that could be followed. AtLeast says that there are more, not counted.
	Proved  int
	AtLeast bool
	// Of PTX: the operations across lanes and the barriers that control can reach, and how
	// many of them are proved: all lanes that the membermask names arrive, and all lanes of
	// a warp come to the barrier together.
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
	return k.static(shape)
}

// CheckStatic is Kernel.CheckStatic of all kernels, in the order of the file.
func (m *Module) CheckStatic() ([]*StaticReport, error) {
	var list []*StaticReport
	for _, k := range m.kernels {
		r, err := k.CheckStatic()
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// checkStaticPTX is CheckStatic of PTX. The kernel is lifted for it: what a run changes
// in the code would be in the way.
func (k *Kernel) checkStaticPTX(pm *ptx.Module, block [3]uint32, tell func(diag.List)) (*StaticReport, error) {
	pk, err := ptx.Lift(pm, k.name)
	if err != nil {
		return nil, err
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
	w := static.Check(pk.Func, opt)
	list := slices.Clone(pk.Warnings)
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
