package sel

import (
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// TestAcrossNative demands machine code for the operations across lanes, on both tiers. Waves of 32
// lanes have all modes with constant and varying controls; all lanes take part. Waves of 64 lanes
// have DPP, swizzles, permutes and lane accesses.
func TestAcrossNative(t *testing.T) {
	for _, lanes := range []int{32, 64} {
		b := ir.NewBuilder("native", lanes)
		off := b.Reserve(8)
		v, w, wide, p := b.Vector("v", ir.B32), b.Vector("w", ir.B32), b.Vector("wide", ir.B64), b.Vector("p", ir.B1)
		s := b.Scalar("s", ir.B32)
		d, q := b.Vector("d", ir.B32), b.Vector("q", ir.B1)
		all := b.Const(ir.B32, 1<<32-1)
		n := 0
		emit := func(in ir.Inst) {
			n++
			b.At(ir.Pos{Line: n, Text: "x", Name: "x"})
			b.Emit(in)
		}
		// PTX: shuffles, votes, matches, reductions.
		if lanes == 32 {
			for mode := range uint64(4) {
				for _, c := range []ir.Ref{w, b.Const(ir.B32, 0x1f)} {
					for _, m := range []ir.Ref{all, 0} {
						op := ir.ShflSync
						if m == 0 {
							op = ir.Shfl
						}
						emit(ir.Inst{Op: op, Dst: d, Dst2: q, Args: [4]ir.Ref{v, c, c, m}, Imm: mode})
					}
				}
				emit(ir.Inst{Op: ir.VoteSync, Dst: d, Dst2: q, Args: [4]ir.Ref{p, 0, 0, all}, Imm: mode})
				emit(ir.Inst{Op: ir.Vote, Dst: d, Dst2: q, Args: [4]ir.Ref{p}, Imm: mode})
			}
			for mode := range uint64(2) {
				emit(ir.Inst{Op: ir.MatchSync, Dst: d, Args: [4]ir.Ref{v, 0, 0, all}, Imm: mode})
				emit(ir.Inst{Op: ir.MatchSync, Dst: d, Args: [4]ir.Ref{wide, 0, 0, all}, Imm: mode})
			}
			for mode := range uint64(10) {
				emit(ir.Inst{Op: ir.ReduxSync, Dst: d, Args: [4]ir.Ref{v, 0, 0, all}, Imm: mode})
			}
			emit(ir.Inst{Op: ir.ElectSync, Dst: d, Dst2: q, Args: [4]ir.Ref{0, 0, 0, all}})
			emit(ir.Inst{Op: ir.WarpSync, Args: [4]ir.Ref{0, 0, 0, all}})
			emit(ir.Inst{Op: ir.ActiveMask, Dst: d})
		} else {
			// GCN3: EXEC guards the vector operations.
			exec := b.View("exec", ir.B1, false, off)
			b.Func().Exec = exec
			for _, ctrl := range []uint16{0x1b, 0x101, 0x118, 0x121, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143} {
				imm := ir.DPPImm(ctrl, 15, 15, ctrl&1 != 0)
				emit(ir.Inst{Op: ir.DPPRead, Dst: d, Args: [4]ir.Ref{v, exec}, Imm: imm})
				emit(ir.Inst{Op: ir.DPPMask, Dst: q, Args: [4]ir.Ref{exec}, Imm: imm})
			}
			b.Guard(exec, false)
			emit(ir.Inst{Op: ir.DSSwizzle, Dst: d, Args: [4]ir.Ref{v}, Imm: 0x8055})
			emit(ir.Inst{Op: ir.DSPermute, Dst: d, Args: [4]ir.Ref{w, v}})
			emit(ir.Inst{Op: ir.DSBpermute, Dst: d, Args: [4]ir.Ref{w, v}})
			b.Guard(0, false)
			emit(ir.Inst{Op: ir.ReadLane, Scalar: true, Dst: s, Args: [4]ir.Ref{v, s}})
			emit(ir.Inst{Op: ir.ReadFirstLane, Scalar: true, Dst: s, Args: [4]ir.Ref{v, exec}, Imm: 1})
			emit(ir.Inst{Op: ir.WriteLane, Dst: d, Args: [4]ir.Ref{s, s}})
		}
		emit(ir.Inst{Op: ir.Clock, Dst: d})
		emit(ir.Inst{Op: ir.EndWave})
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		// Select must mark every operation but the last as native.
		for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
			g := webs.Build(f, webs.Geometry{Lanes: lanes, Block: [3]uint32{64, 1, 1}})
			sh := shape.Analyze(g)
			c := Select(g, sh, sh.Masks, tier, abi.Layout{Control: 1 << 16, Pend: 1 << 17, Caches: 1 << 18})
			for i, native := range c.Native {
				if op := f.Code[i].Op; !native && op != ir.EndWave {
					t.Errorf("%s, %d lanes: operation %d, %s %#x, is left to the interpreter", tier, lanes, i, op, f.Code[i].Imm)
				}
			}
		}
	}
}
