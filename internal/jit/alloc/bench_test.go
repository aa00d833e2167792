package alloc

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// kernel returns code like that of a kernel with a number of blocks. Each block has some
// loads with cold exits, operations on values of this and earlier blocks, and sometimes a
// loop.
func kernel(blocks int) *lir.Func {
	fn := &lir.Func{Name: "bench", Slots: 4096, Pool: []lir.Const{{Bits: 1, Size: 4, Len: 32}}}
	r := rand.New(rand.NewPCG(1, 2))
	one := fn.New(lir.VReg{Class: x64.Vec, Len: 32, Const: 1})
	fn.Emit(x64.Inst{Op: x64.ENTRY, Label: fn.NewLabel()})
	p := fn.GPR(8, "p")
	fn.Load(x64.MOV, 8, p, 0, at(0))
	old := vecs(fn, 16, "old")
	var tops []x64.Label
	for b := range blocks {
		if b%7 == 3 {
			tops = append(tops, fn.NewLabel())
			fn.Bind(tops[len(tops)-1])
		}
		var own []x64.Reg
		pick := func() x64.Reg {
			if len(own) == 0 || r.IntN(4) == 0 {
				return old[r.IntN(len(old))]
			}
			return own[max(0, len(own)-1-r.IntN(6))]
		}
		for range 2 {
			slow, back := fn.NewLabel(), fn.NewLabel()
			a, v := fn.GPR(8, "a"), fn.Vec(32, "load")
			fn.Op(x64.MOV, 8, a, 0, p)
			fn.Emit(x64.Inst{Op: x64.ADDImm, Len: 8, Dst: a, Imm: 64})
			fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: a, HasMem: true, M: at(16)})
			fn.Jump(x64.JA, slow)
			fn.Load(x64.VMOVDQU, 32, v, 0, x64.Mem{Base: a})
			fn.Emit(x64.Inst{Op: x64.COLD})
			fn.Bind(slow)
			fn.Emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: x64.RAX, Imm: 5})
			fn.Store(x64.VMOVDQUSt, 32, at(64), pick())
			fn.Load(x64.VMOVDQU, 32, v, 0, at(128))
			fn.Jump(x64.JMP, back)
			fn.Emit(x64.Inst{Op: x64.HOT})
			fn.Bind(back)
			own = append(own, v)
			for range 12 {
				d := fn.Vec(32, "d")
				switch r.IntN(4) {
				case 0:
					fn.Op(x64.VMOVDQU, 32, d, 0, pick())
					fn.Op(x64.VFMADD231PS, 32, d, pick(), pick())
				case 1:
					fn.Op(x64.VPADDD, 32, d, pick(), one)
				default:
					fn.Op(x64.VPADDD, 32, d, pick(), pick())
				}
				own = append(own, d)
			}
		}
		if r.IntN(2) == 0 {
			fn.Op(x64.VPADDD, 32, old[r.IntN(len(old))], pick(), pick())
		} else { // a value for the blocks after this one
			d := fn.Vec(32, "value")
			fn.Op(x64.VPADDD, 32, d, pick(), pick())
			if n := len(tops); n == 0 || b%7 == 0 {
				old[r.IntN(len(old))] = d
			}
		}
		fn.Emit(x64.Inst{Op: x64.SUBImm, Len: 8, Dst: p, Imm: 64})
		if b%7 == 6 && len(tops) > 0 {
			fn.Jump(x64.JNE, tops[len(tops)-1])
			tops = tops[:len(tops)-1]
		} else if b%3 == 0 {
			l := fn.NewLabel()
			fn.Jump(x64.JE, l)
			fn.Op(x64.VPADDD, 32, old[r.IntN(len(old))], pick(), pick())
			fn.Bind(l)
		}
	}
	for _, v := range old {
		fn.Store(x64.VMOVDQUSt, 32, at(64), v)
	}
	fn.Emit(x64.Inst{Op: x64.RET})
	return fn
}

func BenchmarkRun(b *testing.B) {
	for _, blocks := range []int{1, 20, 2000, 20000} {
		fn := kernel(blocks)
		if err := lir.Verify(fn); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(len(fn.Code)), func(b *testing.B) {
			b.ReportAllocs()
			var res *Result
			for b.Loop() {
				res, _ = Run(fn, isa.AVX2)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(fn.Code)), "ns/inst")
			b.ReportMetric(float64(res.Stats.Loads+res.Stats.Stores)/float64(len(fn.Code)), "moves/inst")
		})
	}
}
