package enginetest

import (
	"fmt"
	"slices"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/internal/sim"
)

// MatrixRows compares ldmatrix and stmatrix on an engine and on another one: with good
// addresses, with a misaligned one, and with addresses outside shared memory.
func MatrixRows(t *testing.T, e, reference sim.Engine) {
	for _, num := range []int{1, 2, 4} {
		for _, trans := range []bool{false, true} {
			for _, typ := range []ir.Type{ir.B32, ir.B64} {
				for _, c := range []struct {
					offset int64
					bad    uint32 // lane 5 adds it to its address
				}{{0, 0}, {48, 0}, {-16, 0}, {0, 4}, {0, 1 << 12}, {0, 1 << 31}, {1 << 20, 0}, {-1 << 20, 0}} {
					name := fmt.Sprintf("x%d, trans %v, %s, offset %d, %#x more", num, trans, typ, c.offset, c.bad)
					got, err := matrixRows(t, e, num, trans, typ, c.offset, c.bad)
					want, wrong := matrixRows(t, reference, num, trans, typ, c.offset, c.bad)
					if fmt.Sprint(err) != fmt.Sprint(wrong) || !slices.Equal(got, want) {
						t.Fatalf("%s: %v and %#x, want %v and %#x", name, err, got, wrong, want)
					}
				}
			}
		}
	}
}

// matrixRows runs one ldmatrix and one stmatrix of num matrices and returns shared memory and the
// loaded registers. bad is added to the address of lane 5.
func matrixRows(t *testing.T, e sim.Engine, num int, trans bool, typ ir.Type, offset int64, bad uint32) ([]uint32, error) {
	const words = 16 // words of shared memory for each lane
	k := newKern(t)
	k.Func().SharedStatic = words * 4 * 32
	for i := range uint32(words) {
		k.ins("st")
		at := k.T(ir.Add32, k.T(ir.Mul32, k.tid, k.c(words*4)), k.c(4*i))
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, k.T(ir.Mul32, k.T(ir.Add32, at, k.c(77)), k.c(0x9e3779b1))}, Size: 4, Align: 4, Space: ir.Shared})
	}
	k.ins("wait")
	k.Emit(ir.Inst{Op: ir.WarpSync, Args: [4]ir.Ref{0, 0, 0, k.c(1<<32 - 1)}})
	// Lanes give rows in another order, and one row twice.
	a := k.do(ir.Add32, k.do(ir.Mul32, k.do(ir.And32, k.do(ir.Mul32, k.tid, k.c(11)), k.c(15)), k.c(32)), k.c(64))
	a = k.do(ir.Add32, a, k.do(ir.Sel32, k.do(ir.EqU32, k.tid, k.c(5)), k.c(bad), k.c(0)))
	if typ == ir.B64 {
		a = k.do(ir.CvtU64FromU32, a)
	}
	var regs []ir.Ref
	for range num {
		regs = append(regs, k.reg(ir.B32))
	}
	dst := slices.Clone(regs)
	if num == 4 {
		dst[2] = 0 // not used
	}
	f := k.Func()
	f.Collectives = []ir.CollectiveInfo{
		{Matrix: matrix.Op{Kind: matrix.LoadRows, RowTransfer: matrix.RowTransfer{Num: num, Trans: trans}}, Dst: dst, Offset: offset},
		{Matrix: matrix.Op{Kind: matrix.StoreRows, RowTransfer: matrix.RowTransfer{Num: num, Trans: trans}}, Src: regs, Offset: offset + 256},
	}
	for i := range f.Collectives {
		k.ins("matrix")
		k.Emit(ir.Inst{Op: ir.Collective, Imm: uint64(i), Args: [4]ir.Ref{a, 0, 0, k.c(1<<32 - 1)}, Size: 8, Align: 16, Space: ir.Shared})
		for _, r := range regs {
			k.ins("add")
			k.To(r, ir.Add32, r, k.c(0x10001))
		}
	}
	n := uint32(words + num)
	for i, r := range regs {
		k.store(r, n, uint32(i), 0)
	}
	for i := range uint32(words) {
		k.ins("ld")
		x := k.reg(ir.B32)
		k.Emit(ir.Inst{Op: ir.Load, Dst: x, Args: [4]ir.Ref{k.T(ir.Add32, k.T(ir.Mul32, k.tid, k.c(words*4)), k.c(4*i))}, Size: 4, Align: 4, Space: ir.Shared})
		k.store(x, n, uint32(num)+i, 0)
	}
	k.exit(0)
	out, _, err := k.run(e, 1, 32, int(32*n), nil)
	return out, err
}
