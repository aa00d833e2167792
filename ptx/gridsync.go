package ptx

import "example.org/crosslane/internal/ir"

// The device runtime synchronises grids with two functions (CUDA, cuda_device_runtime_api.h). A
// handle is the address of the grid's workspace, the one that %envreg1 and %envreg2 hold; it is 0 if
// the launch is not cooperative, and for other scopes than that of the grid.
const (
	scopeGrid     = 1   // cudaCGScopeGrid
	invalidHandle = 400 // cudaErrorInvalidResourceHandle
	workspaceWord = 4   // the offset of the word in which the blocks count, in bytes
)

// gridHandle is cudaCGGetIntrinsicHandle(scope).
func gridHandle(l *lifter, s site) {
	scope := l.argument(&s.args[0], B32)
	grid := l.b.T(ir.EqU32, scope, l.b.Const(ir.B32, scopeGrid))
	l.answer(s, l.b.T(ir.Sel64, grid, l.workspace(), l.b.Const(ir.B64, 0)), B64)
}

// gridSync is cudaCGSynchronize(handle, flags): a barrier of the block, then one thread of each block
// waits for the other blocks, then again a barrier of the block. It is the algorithm of
// cooperative_groups::this_grid().sync(), with the same word, so a kernel may use both. The word counts
// the blocks in its low bits; the arrivals of a barrier add 0x80000000 together, in any order.
//
// Input: the handle.
// Output: 0; for a handle that is not the grid's, cudaErrorInvalidResourceHandle at once.
// Invariant: between two barriers, bit 31 of the word changes once, at the last arrival.
// Example: with 3 blocks the word gets 0x7ffffffe+1+1 = 0x80000000, and then 0 (modulo 2^32).
func gridSync(l *lifter, s site) {
	b := l.b
	pos := b.Func().Pos[len(b.Func().Pos)-1]
	zero := b.Const(ir.B32, 0)
	done, refused, met, again := b.NewLabel(), b.NewLabel(), b.NewLabel(), b.NewLabel()

	work := l.workspace()
	none := b.T(ir.B2U32, b.T(ir.EqU64, work, b.Const(ir.B64, 0)))
	b.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{none}, Imm: uint64(ir.FailNotCooperative)})
	b.Guard(b.T(ir.NeU64, l.argument(&s.args[0], B64), work), false)
	b.Bra(refused)
	b.Resume()
	b.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarSync)})
	b.Resume()

	// The first thread of the block counts it.
	b.Guard(b.T(ir.NeU32, l.anyAxis(SrTid), zero), false)
	b.Bra(met)
	b.Resume()
	blocks := l.axis(SrNctaid, "x")
	for _, comp := range []string{"y", "z"} {
		blocks = b.T(ir.Mul32, blocks, l.axis(SrNctaid, comp))
	}
	rest := b.T(ir.Sub32, b.Const(ir.B32, 0x80000001), blocks)
	n := b.T(ir.Sel32, b.T(ir.EqU32, l.anyAxis(SrCtaid), zero), rest, b.Const(ir.B32, 1))
	word := l.stable(0, l.workspace())
	old := l.keep(1, ir.B32)
	b.Emit(ir.Inst{Op: ir.Fence, Order: ir.Acquire | ir.Release | ir.Device})
	b.Emit(ir.Inst{
		Op: ir.Atomic, Imm: ir.AtomicImm(ir.AtomAdd, workspaceWord), Size: 4, Align: 4, Space: ir.Global, Dst: old,
		Args: [4]ir.Ref{word, n}, Order: ir.Strong | ir.Release | ir.Device,
	})

	// The wait is an instruction of its own, so a budget of instructions bounds each turn.
	b.Bind(again)
	b.At(pos)
	now := b.Temp(ir.B32)
	b.Emit(ir.Inst{
		Op: ir.Load, Imm: workspaceWord, Size: 4, Align: 4, Space: ir.Global, Dst: now, Flags: ir.Volatile,
		Args: [4]ir.Ref{word}, Order: ir.Strong | ir.Acquire | ir.Device,
	})
	b.Guard(b.T(ir.GeS32, b.T(ir.Xor32, now, old), zero), false)
	b.Bra(again)
	b.Resume()
	b.Emit(ir.Inst{Op: ir.Fence, Order: ir.Acquire | ir.Release | ir.Device})

	b.Bind(met)
	b.At(pos)
	b.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarSync)})
	b.Resume()
	l.answer(s, zero, B32)
	b.Bra(done)
	b.Bind(refused)
	b.At(pos)
	l.answer(s, b.Const(ir.B32, invalidHandle), B32)
	b.Bind(done)
	b.At(pos)
}

// setConditional is cudaGraphSetConditional(handle, value): the handle of a conditional node is the address of its
// value in global memory.
func setConditional(l *lifter, s site) {
	l.b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{l.argument(&s.args[0], B64), l.argument(&s.args[1], B32)}, Size: 4, Align: 4, Space: ir.Global})
}

// answer stores the result of a call, if the caller wants it.
func (l *lifter) answer(s site, val ir.Ref, t Type) {
	if len(s.results) > 0 && s.results[0].Kind != KindSink {
		l.result(&s.results[0], val, t)
	}
}

// workspace returns the address of the grid's workspace; 0 in a launch that is not cooperative.
func (l *lifter) workspace() ir.Ref {
	half := func(n Special, name string) ir.Ref {
		return l.b.S(ir.CvtU64FromU32, l.specialValue(&Operand{Special: SrEnvreg0 + n, Name: name}, ir.B32))
	}
	low, high := half(2, "%envreg2"), half(1, "%envreg1")
	return l.b.Splat(l.b.S(ir.Or64, l.b.S(ir.Shl64, high, l.b.SConst(ir.B32, 32)), low))
}

// axis returns one component of a special register as a lane vector.
func (l *lifter) axis(r Special, comp string) ir.Ref {
	return l.b.Splat(l.specialValue(&Operand{Special: r, Name: r.Info().Name, Comp: comp}, ir.B32))
}

// anyAxis returns a value that is 0 if the components x, y and z of a special register are 0.
func (l *lifter) anyAxis(r Special) ir.Ref {
	return l.b.T(ir.Or32, l.b.T(ir.Or32, l.axis(r, "x"), l.axis(r, "y")), l.axis(r, "z"))
}
