package enginetest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// collective32 runs a matrix product and a transposition of 32 lanes, all of which reach it,
// on two paths through the kernel, and compares with package matrix; and the same with
// missing lanes, which is a finding.
func collective32(t *testing.T, e sim.Engine) {
	r := rand.New(rand.NewPCG(7, 8))
	p := matrix.NewProduct(matrix.Op{M: 16, N: 8, K: 16, Operands: matrix.Operands{A: matrix.S8, B: matrix.U8, C: matrix.S32, D: matrix.S32}})
	for round := range 40 {
		exec := lane.All(32)
		if round%4 == 3 {
			exec = lane.Mask(r.Uint32() | 1)
		}
		k := newKern(t)
		far, run := k.reg(ir.B1), k.reg(ir.B1)
		var src, dst []ir.Ref
		values := make([][32]uint32, p.SrcE)
		var in []unsafe.Pointer
		for i := range values {
			src = append(src, k.reg(ir.B32))
			for l := range 32 {
				values[i][l] = r.Uint32()
			}
		}
		dst = append(dst, src[p.SrcC:p.SrcC+2]...) // sources are destinations
		dst = append(dst, k.reg(ir.B32), 0)        // one result is not used
		turned := k.reg(ir.B32)
		end, join := k.NewLabel(), k.NewLabel()
		k.branch(end, run, true)
		k.branch(join, far, false)
		k.ins("nop")
		k.Emit(ir.Inst{Op: ir.Nop})
		k.Bind(join)
		f := k.Func()
		f.Collectives = []ir.CollectiveInfo{
			{Matrix: p.Op, Product: p, Src: src, Dst: dst},
			{Matrix: matrix.Op{Kind: matrix.Transpose}, Src: src[:1], Dst: []ir.Ref{turned}},
		}
		for i := range f.Collectives {
			k.ins("collective")
			k.Emit(ir.Inst{Op: ir.Collective, Imm: uint64(i), Args: [4]ir.Ref{0, 0, 0, k.c(1<<32 - 1)}})
		}
		k.Bind(end)
		k.exit(0)

		want := make([][32]uint32, 4)
		present := make([][32]uint32, len(values)) // missing lanes hold zeros
		var out []unsafe.Pointer
		for i := range values {
			for l := range exec.Lanes() {
				present[i][l] = values[i][l]
			}
			in = append(in, unsafe.Pointer(&present[i]))
		}
		for i := range want {
			out = append(out, unsafe.Pointer(&want[i]))
		}
		var s matrix.Scratch
		p.Run(in, out, uint32(exec), &s)

		found, _, err := launch(t, e, k.finish(), 1, 32, nil, func(l *sim.Launch) {
			l.Setup = func(w *sim.Wave) {
				for i, ref := range src {
					for l := range 32 {
						w.Set(ref, l, uint64(values[i][l]))
					}
				}
				w.SetMask(run, exec)
				w.SetMask(far, lane.Mask(r.Uint32()))
			}
			l.Inspect = func(w *sim.Wave) {
				for l := range exec.Lanes() {
					for i := range 3 {
						if got := uint32(w.Get(dst[i], l)); got != want[i][l] {
							t.Errorf("round %d: register %d of lane %d is %#x, want %#x", round, i, l, got, want[i][l])
							return
						}
					}
					at := func(row, col int) uint64 { return uint64(present[0][4*row+col/2] >> (16 * (col % 2)) & 0xffff) }
					if got, want := w.Get(turned, l), at(2*(l%4), l/4)|at(2*(l%4)+1, l/4)<<16; got != want {
						t.Errorf("round %d: transposed register of lane %d is %#x, want %#x", round, l, got, want)
						return
					}
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if reported := slices.ContainsFunc(found, func(s string) bool { return len(s) > 11 && s[:11] == "not-aligned" }); reported != (exec != lane.All(32)) {
			t.Errorf("round %d: lanes %v, findings %v", round, exec, found)
		}
	}
}
