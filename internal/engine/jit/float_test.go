package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// lower compares the machine code of operations with the interpreter, on all tiers.
func lower(t *testing.T, random int, match string) {
	tiers := engines
	if strings.Contains(match, "F16") {
		tiers = enginesF16
	}
	tiers(t, func(t *testing.T, e *jit.Engine) {
		enginetest.Lowering{Engine: e, Reference: interp.Engine{Portable: true}, Match: regexp.MustCompile(match), Random: random}.Test(t)
	})
}

func TestLowerF32(t *testing.T) {
	lower(t, 500, `^(Add|Sub|Mul|Div|Fma|Rcp|Sqrt|Rndne|Trunc|Floor|Ceil)F32(R[ZMP])?(Ftz)?(Sat)?$`)
}

func TestLowerF32Other(t *testing.T) {
	lower(t, 500, `^(Is\w+|M(in|ax)\w*|Abs|Neg|Copysign|Canon|Flush|Sat|Relu|Sel|Slct|Set|(Eq|Ne|Lt|Le|Gt|Ge)u?|Num|Nan)F32(Ftz)?$`)
}

// All special values, for the approximate functions and the remaining operations of GCN3.
func TestLowerF32Approx(t *testing.T) {
	lower(t, 20_000, `^(\w+ApproxF32|DivFullF32)(Ftz)?$|^V(Rcp|Rsq|Sqrt|Exp|Log|Sin|Cos)F32$`)
}

func TestLowerF32GCN3(t *testing.T) {
	lower(t, 500, `^V(Add|Sub|Mul|Fma|Mad|(Mul|Mad)Legacy|(Min|Max|Med)3?|Rndne|Trunc|Floor|Ceil|Fract|Ldexp|Frexp\w+|CmpClass|Clamp|OMod|Flush(In|Out)|Div(Scale|ScaleVcc|Fmas|Fixup))(Mode)?F32(Ftz|Round)?$`)
}

// TestHardF32 uses values for which an approximate function is within 2^-46 of the middle of
// two f32; they were found with package math. The code cannot decide how to round these, and
// must detect that.
func TestHardF32(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	values := map[ir.Op][]uint32{
		ir.Ex2ApproxF32:   {0x3dc9abe2, 0x3deb2f8e, 0x3e196c0e, 0x3e96975c, 0x3f800b8b, 0x3fa5a5d7},
		ir.Lg2ApproxF32:   {0x3d8d64de, 0x3f442160, 0x3feddffd, 0x408d64de},
		ir.SinApproxF32:   {0x3ef32001, 0x3fa0fa4e, 0x401f2100, 0x4b000001, 0x7f7fffff},
		ir.CosApproxF32:   {0x3dd22a0a, 0x3e5fa70e, 0x3ef63405, 0x3fdb3c0e, 0x4b000001, 0x7f7fffff},
		ir.TanhApproxF32:  {0x3eee0566, 0x3f20b67f, 0x40a6ef82, 0x40c5e8ca},
		ir.RsqrtApproxF32: {0x3e3a18e3, 0x3e7ffffe, 0x3f09f038, 1, 0x007fffff, 0x80000001},
		ir.VSinF32:        {0x3d00c8a4, 0x3d7d7f58},
		ir.VCosF32:        {0x3d079f7e, 0x3d33021a},
		ir.VExpF32:        {0x3dc9abe2, 0x3deb2f8e, 0x3e196c0e, 0x3e96975c, 0x3f800b8b, 0x3fa5a5d7},
		ir.VLogF32:        {0x3d8d64de, 0x3f442160, 0x3feddffd, 0x408d64de},
	}
	engines(t, func(t *testing.T, e *jit.Engine) {
		for op, v := range values {
			// One of them at a time, in each lane, among lanes that are not hard.
			f := oneOp(t, op)
			var data []byte
			for i := range 64 * len(v) {
				x := uint32(0x3fa00000)
				if i/64 == i%64%len(v) || i%64 == i/len(v)%64 {
					x = v[i%len(v)]
				}
				data = binary.LittleEndian.AppendUint32(data, x)
			}
			got := run(t, e, f, data)
			for i := range len(data) / 4 {
				x := binary.LittleEndian.Uint32(data[4*i:])
				if r, want := binary.LittleEndian.Uint32(got[4*i:]), ir.Evaluator(op)([4]uint64{uint64(x)}); uint64(r) != want {
					t.Errorf("%s(%#x) in lane %d = %#x, want %#x", op, x, i, r, want)
				}
			}
		}
	})
}

// TestChainsF32: an operation may rely on facts about the result of another one: which NaN it
// is, and that it is not subnormal.
func TestChainsF32(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	ops := []ir.Op{ir.AddF32, ir.MulF32, ir.FmaF32, ir.AddF32Ftz, ir.MulF32Ftz, ir.FmaF32Ftz, ir.SubF32RZ, ir.MulF32RMFtz, ir.AddF32Sat, ir.FmaF32FtzSat,
		ir.MinF32, ir.MaxF32Ftz, ir.MinNaNF32, ir.NegF32, ir.AbsF32, ir.CopysignF32, ir.RcpApproxF32Ftz, ir.Ex2ApproxF32, ir.Lg2ApproxF32Ftz, ir.RsqrtApproxF32, ir.SinApproxF32,
		ir.FlushF32, ir.Mov32, ir.Mov32, ir.Sel32, ir.SelF32, ir.CvtF32FromS32, ir.SatF32, ir.Add32, ir.Xor32, ir.MinS32, ir.VAddF32, ir.VMulF32Ftz, ir.VMadF32, ir.VFmaF32Ftz, ir.VMaxF32, ir.VMinF32, ir.VExpF32}
	engines(t, func(t *testing.T, e *jit.Engine) {
		for seed := range uint64(240) {
			r := rand.New(rand.NewPCG(seed, 7))
			hidden := seed%3 > 0 // the bits of NaNs are not visible at the end, and in one of three cases also not before
			ops := ops
			if seed%3 == 2 {
				ops = slices.DeleteFunc(slices.Clone(ops), func(op ir.Op) bool {
					switch op {
					case ir.CopysignF32, ir.FlushF32, ir.Add32, ir.Xor32, ir.MinS32:
						return true
					}
					return strings.HasPrefix(op.String(), "V")
				})
			}
			chain := func(k *ir.Builder, d ir.Ref) ir.Ref {
				if seed%4 == 0 { // all values are uniform
					d = k.Vector("one", ir.B32)
					k.Input(ir.LaunchValue, d, 2)
				}
				regs := []ir.Ref{d}
				for range 7 {
					v := k.Vector("r", ir.B32)
					k.Move(v, d)
					switch r.IntN(4) {
					case 0:
						k.To(v, ir.Mov32, k.Const(ir.B32, enginetest.RandomValue(r, ir.B32)))
					case 1: // some NaN
						k.To(v, ir.Mov32, k.Const(ir.B32, 0x7fc00000|r.Uint64N(1<<22)))
					}
					regs = append(regs, v)
				}
				p := k.Vector("p", ir.B1)
				k.To(p, ir.LtS32, d, k.Const(ir.B32, 0x3f800000))
				for range 40 {
					op := ops[r.IntN(len(ops))]
					var a []ir.Ref
					for _, t := range ir.Ops[op].Args {
						x := regs[r.IntN(len(regs))]
						if t == ir.B1 {
							x = p
						}
						a = append(a, x)
					}
					if k.Guard(0, false); r.IntN(3) == 0 {
						k.Guard(p, r.IntN(2) == 0)
					}
					k.To(regs[r.IntN(len(regs))], op, a...)
				}
				k.Guard(0, false)
				x := regs[0]
				if hidden {
					for _, v := range regs[1:] {
						x = k.T(ir.FmaF32, x, k.Const(ir.B32, 0x40400000), v)
					}
					return x
				}
				for i, v := range regs[1:] { // some bits of each
					x = k.T(ir.Add32, k.T(ir.Mul32, x, k.Const(ir.B32, uint64(2*i+3))), v)
				}
				return x
			}
			f := kernel(t, chain)
			var data []byte
			for range 64 {
				data = binary.LittleEndian.AppendUint32(data, uint32(enginetest.RandomValue(r, ir.B32)))
			}
			of := *f
			want, got := run(t, interp.Engine{Portable: true}, &of, data), run(t, e, f, data)
			for i := range 64 {
				if x, y := binary.LittleEndian.Uint32(want[4*i:]), binary.LittleEndian.Uint32(got[4*i:]); x != y {
					t.Fatalf("seed %d, lane %d: %#x, want %#x", seed, i, y, x)
				}
			}
		}
	})
}

// TestOtherNaNs: a value is a NaN that is not canonical in some lanes, and a result in the
// other lanes.
func TestOtherNaNs(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) {
		f := kernel(t, func(k *ir.Builder, v ir.Ref) ir.Ref {
			d, p := k.Vector("d", ir.B32), k.Vector("p", ir.B1)
			k.To(p, ir.LtF32, v, k.Const(ir.B32, 0x40000000))
			k.To(d, ir.Mov32, k.Const(ir.B32, 0x7fc12345))
			k.Guard(p, false)
			k.To(d, ir.AddF32, v, v)
			k.To(d, ir.MulF32, d, v)
			k.To(d, ir.AddF32, d, v)
			k.Guard(0, false)
			return d
		})
		got := run(t, e, f, []byte("\x00\x00\x80\x3f\x01\x00\xc0\x7f\x00\x00\x80\xff\x00\x00\x80\x40"))
		want := []uint32{0x40400000, 0x7fc12345, 0x7fffffff, 0x7fc12345} // 3; untouched; inf - inf; untouched
		for i, x := range want {
			if y := binary.LittleEndian.Uint32(got[4*i:]); y != x {
				t.Errorf("lane %d: %#x, want %#x", i, y, x)
			}
		}
	})
}

// TestFusedInPlace: a fused operation overwrites a source, in all lanes and in some, with
// NaNs of which one is the result.
func TestFusedInPlace(t *testing.T) {
	var data []byte
	r := rand.New(rand.NewPCG(7, 7))
	for range 64 {
		x := r.Uint32()
		if r.IntN(2) == 0 {
			x = math.Float32bits(r.Float32()*16 - 8)
		}
		data = binary.LittleEndian.AppendUint32(data, x)
	}
	ops := []ir.Op{ir.FmaF32, ir.VFmaF32, ir.FmaF64, ir.FmaF64RZ}
	engines(t, func(t *testing.T, e *jit.Engine) {
		for n := range len(ops) * 8 * 2 {
			op, places, some := ops[n/16], n/2&7, n&1 != 0
			f := kernel(t, func(k *ir.Builder, v ir.Ref) ir.Ref {
				wide := ir.Ops[op].Res == ir.B64
				bits := k.Const(ir.B32, 0x7fc00000)
				vary := func(by, bit uint64) ir.Ref { // other numbers, and NaNs in lanes in which a bit is set
					x := k.T(ir.Mul32, v, k.Const(ir.B32, by))
					nan := k.T(ir.NeU32, k.T(ir.And32, x, k.Const(ir.B32, 1<<bit)), k.Const(ir.B32, 0))
					x = k.T(ir.Sel32, nan, k.T(ir.Or32, x, bits), k.T(ir.And32, x, k.Const(ir.B32, 0xbfffffff)))
					d := k.Vector("x", ir.Ops[op].Res)
					if wide {
						x = k.T(ir.Pack64, x, k.T(ir.Sel32, nan, k.T(ir.Or32, x, k.Const(ir.B32, 0x7ff80000)), x))
						k.To(d, ir.Mov64, x)
					} else {
						k.To(d, ir.Mov32, x)
					}
					return d
				}
				args := []ir.Ref{vary(0x9e3779b1, 3), vary(0x85ebca6b, 5), vary(0xc2b2ae35, 7)}
				d := vary(0x27d4eb2f, 9)
				for i := range args {
					if places>>i&1 != 0 {
						args[i] = d
					}
				}
				if some {
					p := k.Vector("p", ir.B1)
					k.To(p, ir.NeU32, k.T(ir.And32, v, k.Const(ir.B32, 4)), k.Const(ir.B32, 0))
					k.Guard(p, false)
				}
				k.To(d, op, args...)
				k.Guard(0, false)
				if wide {
					return k.T(ir.Xor32, k.T(ir.Lo32, d), k.T(ir.Hi32, d))
				}
				return d
			})
			of := *f
			want, got := run(t, interp.Engine{Portable: true}, &of, data), run(t, e, f, data)
			if !bytes.Equal(got, want) {
				t.Errorf("%s, places %03b, of some lanes %t:\ngot  %x\nwant %x", op, places, some, got, want)
			}
		}
	})
}

// oneOp is a kernel that applies an operation of one argument to each word of its input.
func oneOp(t *testing.T, op ir.Op) *ir.Func {
	return kernel(t, func(k *ir.Builder, v ir.Ref) ir.Ref {
		d := k.Vector("d", ir.B32)
		k.To(d, op, v)
		return d
	})
}

// kernel is a kernel that computes a word for each word of its input.
func kernel(t *testing.T, of func(k *ir.Builder, v ir.Ref) ir.Ref) *ir.Func {
	k := ir.NewBuilder("k", 32)
	k.Func().MeetAnywhere = true
	ins := func(name string) { k.At(ir.Pos{Line: 1, Text: name, Name: name}) }
	tid, in, out := k.Vector("tid", ir.B32), k.Vector("in", ir.B64), k.Vector("out", ir.B64)
	k.Input(ir.ThreadIDX, tid, 0)
	k.Input(ir.LaunchValue, in, 0)
	k.Input(ir.LaunchValue, out, 1)
	v := k.Vector("v", ir.B32)
	ins("ld")
	k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{k.T(ir.MadWideU32, tid, k.Const(ir.B32, 4), in)}, Size: 4, Align: 4, Space: ir.Global})
	ins("op")
	d := of(k, v)
	ins("st")
	k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.T(ir.MadWideU32, tid, k.Const(ir.B32, 4), out), d}, Size: 4, Align: 4, Space: ir.Global})
	ins("exit")
	k.Emit(ir.Inst{Op: ir.Exit})
	f, err := k.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run runs one of these kernels in one block.
func run(t *testing.T, e sim.Engine, f *ir.Func, data []byte) []byte {
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	mem := sim.NewMemory()
	in, out := mem.Add("in", data), mem.Add("out", make([]byte, len(data)))
	_, list, err := sim.Run(context.Background(), &sim.Launch{Func: f, Program: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(len(data) / 4), 1, 1},
		Memory: mem, Values: []uint64{in.Base, out.Base, uint64(binary.LittleEndian.Uint32(data))}, Workers: 1, Limits: sim.Limits{Timeout: time.Minute}})
	if err == nil {
		err = list.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Data
}
