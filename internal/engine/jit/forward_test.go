package jit_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/num"
)

// A partsKernel computes with 64-bit and 16-bit values of which its 32-bit registers hold
// parts, like the registers of GCN3.
type partsKernel struct {
	*ir.Builder
	r     *rand.Rand
	regs  []ir.Ref
	tid   ir.Ref
	exec  ir.Ref
	masks []ir.Ref
	line  int
}

func (k *partsKernel) ins(name string) {
	k.line++
	k.At(ir.Pos{Line: k.line, Text: name, Name: name})
	k.Guard(0, false)
}

func (k *partsKernel) reg() ir.Ref { return k.regs[k.r.IntN(len(k.regs))] }

// to writes a register, under EXEC if there is one, or sometimes under another mask.
func (k *partsKernel) to(op ir.Op, a ...ir.Ref) { k.into(k.reg(), op, a...) }

func (k *partsKernel) into(d ir.Ref, op ir.Op, a ...ir.Ref) {
	switch {
	case k.exec != 0:
		k.Guard(k.exec, false)
	case len(k.masks) == 2 && k.r.IntN(8) == 0:
		k.Guard(k.masks[k.r.IntN(len(k.masks))], k.r.IntN(2) == 0)
	}
	k.To(d, op, a...)
	k.Guard(0, false)
}

// instruction emits one instruction of the guest.
func (k *partsKernel) instruction() {
	c := func(v uint64) ir.Ref { return k.Const(ir.B32, v) }
	long := func() ir.Ref {
		i := k.r.IntN(len(k.regs) - 1)
		return k.T(ir.Pack64, k.regs[i], k.regs[i+1])
	}
	short := func() ir.Ref {
		if v := k.reg(); k.r.IntN(3) > 0 {
			return k.T(ir.Lo16, v)
		} else {
			return k.T(ir.Lo16, k.T(ir.ShrU32, v, c(16)))
		}
	}
	parts := func(x ir.Ref) {
		i := k.r.IntN(len(k.regs) - 1)
		k.into(k.regs[i], ir.Lo32, x)
		k.into(k.regs[i+1], ir.Hi32, x)
	}
	switch k.ins("op"); k.r.IntN(13) {
	case 0, 1:
		parts(k.T([]ir.Op{ir.AddF64, ir.MulF64, ir.Add64, ir.MaxF64}[k.r.IntN(4)], long(), long()))
	case 2, 3:
		parts(k.T(ir.FmaF64, long(), long(), long()))
	case 4:
		k.to(ir.CvtU32FromU16, k.T([]ir.Op{ir.VAddF16, ir.VMulF16, ir.Add16, ir.AddF16}[k.r.IntN(4)], short(), short()))
	case 5:
		k.to(ir.CvtU32FromU16, k.T([]ir.Op{ir.VFmaF16, ir.FmaF16}[k.r.IntN(2)], short(), short(), short()))
	case 6:
		k.to([]ir.Op{ir.FmaF16x2, ir.VFmaF32}[k.r.IntN(2)], k.reg(), k.reg(), k.reg())
	case 7:
		k.to([]ir.Op{ir.AddF16x2, ir.Add32, ir.MulF32}[k.r.IntN(3)], k.reg(), k.reg())
	case 8: // a value that is assumed not to wrap, and sometimes does
		x := k.T(ir.CvtU64FromU32, k.T(ir.Add32, k.tid, c([]uint64{5, 1<<32 - 20}[k.r.IntN(2)])))
		parts(k.T(ir.Add64, x, long()))
	case 10: // two registers change places
		a, b := k.reg(), k.reg()
		x := k.T(ir.Mov32, a)
		k.into(a, ir.Mov32, b)
		k.into(b, ir.Add32, x, c(1))
	case 11, 12: // one of two values
		pair := func(i int, op ir.Op, a func() ir.Ref) {
			k.ins("whole")
			x := k.T(op, a(), long())
			k.into(k.regs[i], ir.Lo32, x)
			k.into(k.regs[i+1], ir.Hi32, x)
		}
		pair(0, ir.AddF64, long)
		pair(2, ir.MulF64, long)
		m := k.masks[k.r.IntN(2)]
		for h := range 2 {
			k.ins("sel")
			k.into(k.regs[4+h], ir.Sel32, m, k.regs[h], k.regs[2+h])
			switch k.r.IntN(8) {
			case 0:
				m = k.masks[k.r.IntN(2)]
			case 1:
				k.ins("setp")
				k.into(m, ir.LtS32, k.reg(), k.reg())
			case 2:
				k.instruction()
			}
		}
		pair(6, ir.AddF64, func() ir.Ref { return k.T(ir.Pack64, k.regs[4], k.regs[5]) })
	case 9: // parts of one value, in one instruction
		x := long()
		y := k.T(ir.Pack64, k.T(ir.Lo32, x), k.T(ir.Hi32, x))
		z := k.T(ir.CvtU64FromU32, k.T(ir.Add32, k.tid, c([]uint64{9, 1<<32 - 40}[k.r.IntN(2)])))
		parts(k.T(ir.Add64, y, z))
	}
}

func partsOf(t *testing.T, seed uint64, lanes int) *ir.Func {
	b := ir.NewBuilder("parts", lanes)
	k := &partsKernel{Builder: b, r: rand.New(rand.NewPCG(seed, uint64(lanes)))}
	b.Func().MeetAnywhere = true
	var bits ir.Ref
	if lanes == 64 {
		off := k.Reserve(8)
		bits = k.View("exec", ir.B64, true, off)
		k.exec = k.View("exec", ir.B1, false, off)
		k.Input(ir.ActiveMask0, bits, 0)
		k.Func().Exec = k.exec
	}
	k.tid = k.Vector("tid", ir.B32)
	in, out := k.Vector("in", ir.B64), k.Vector("out", ir.B64)
	k.Input(ir.ThreadIDX, k.tid, 0)
	k.Input(ir.LaunchValue, in, 0)
	k.Input(ir.LaunchValue, out, 1)
	for i := range 8 {
		v := k.Vector(fmt.Sprint("r", i), ir.B32)
		k.ins("ld")
		k.Guard(k.exec, false)
		k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{k.T(ir.MadWideU32, k.tid, k.Const(ir.B32, 4), in)}, Imm: uint64(16 * i), Size: 4, Align: 4, Space: ir.Global})
		k.regs = append(k.regs, v)
	}
	for i := range 2 {
		p := k.Vector("p", ir.B1)
		k.ins("setp")
		k.into(p, ir.LtS32, k.regs[i], k.regs[i+1])
		k.masks = append(k.masks, p)
	}
	count := k.Vector("n", ir.B32)
	scount := k.Scalar("n", ir.B32)
	k.ins("mov")
	k.To(count, ir.Mov32, k.Const(ir.B32, 0))
	k.To(scount, ir.Mov32, k.SConst(ir.B32, 0))
	top := k.NewLabel()
	k.Bind(top)
	for range 3 + k.r.IntN(20) {
		if k.exec == 0 && k.r.IntN(6) == 0 { // some lanes only
			l := k.NewLabel()
			k.ins("bra")
			k.Guard(k.masks[k.r.IntN(2)], k.r.IntN(2) == 0)
			k.Bra(l)
			k.instruction()
			k.instruction()
			k.Bind(l)
		}
		k.instruction()
		if k.exec != 0 && k.r.IntN(12) == 0 { // other lanes, or some of them
			k.ins("s_mov")
			k.To(bits, ir.Mov64, k.SConst(ir.B64, k.r.Uint64()|1))
		}
	}
	if k.exec != 0 {
		k.ins("s_mov")
		k.To(bits, ir.Mov64, k.SConst(ir.B64, 1<<64-1))
	}
	k.ins("loop")
	if k.exec != 0 {
		k.To(scount, ir.Add32, scount, k.SConst(ir.B32, 1))
		k.SBra(top, k.S(ir.LtU32, scount, k.SConst(ir.B32, 3)), false)
	} else {
		p := k.Vector("more", ir.B1)
		k.To(count, ir.Add32, count, k.Const(ir.B32, 1))
		k.To(p, ir.LtU32, count, k.Const(ir.B32, 3))
		k.ins("bra")
		k.Guard(p, false)
		k.Bra(top)
		k.Guard(0, false)
	}
	for i, v := range k.regs {
		k.ins("st")
		k.Guard(k.exec, false)
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.T(ir.MadWideU32, k.tid, k.Const(ir.B32, 32), out), v}, Imm: uint64(4 * i), Size: 4, Align: 4, Space: ir.Global})
	}
	k.ins("exit")
	k.Guard(0, false)
	if lanes == 64 {
		k.Emit(ir.Inst{Op: ir.EndWave})
	} else {
		k.Emit(ir.Inst{Op: ir.Exit})
	}
	f, err := k.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestParts: values are packed from registers and unpacked again, which machine code mostly
// need not do: with masks, in loops, and with exits to the interpreter.
func TestParts(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	const lanes = 128 // in a block
	engines(t, func(t *testing.T, e *jit.Engine) {
		for seed := range uint64(150) {
			n := 32 << (seed % 2)
			r := rand.New(rand.NewPCG(seed, 9))
			var data []byte
			for range lanes + 32 {
				data = binary.LittleEndian.AppendUint32(data, uint32(enginetest.RandomValue(r, ir.B32)))
			}
			results := func(e sim.Engine) ([]byte, [2]uint64) {
				f := partsOf(t, seed, n)
				p, err := e.Compile(f)
				if err != nil {
					t.Fatal(err)
				}
				mem := sim.NewMemory()
				in, out := mem.Add("in", data), mem.Add("out", make([]byte, 32*lanes))
				st, list, err := sim.Run(context.Background(), &sim.Launch{Func: f, Program: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{lanes - 7, 1, 1},
					Memory: mem, Values: []uint64{in.Base, out.Base}, Workers: 1, Limits: sim.Limits{Timeout: time.Minute}})
				if err == nil {
					err = list.Err()
				}
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				return out.Data, [2]uint64{st.WaveInstructions, st.LaneInstructions}
			}
			want, counts := results(interp.Engine{Portable: true})
			got, counted := results(e)
			if counted != counts {
				t.Fatalf("seed %d: %d instructions of waves and lanes, want %d", seed, counted, counts)
			}
			for i := range len(want) / 4 {
				if x, y := binary.LittleEndian.Uint32(want[4*i:]), binary.LittleEndian.Uint32(got[4*i:]); x != y {
					t.Fatalf("seed %d, lane %d, register %d: %#x, want %#x", seed, i/8, i%8, y, x)
				}
			}
		}
	})
}

// TestTiesF16 uses sums that f32 rounds to the middle of two f16, although they are not in
// the middle; and sums that are.
func TestTiesF16(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	cases := [][3]uint64{
		{0x0c01, 0x07fe, 0x03ff}, // subnormal numbers: (1-2^-20) / 2^25 more than 1023 / 2^24
		{0x0c01, 0x07fe, 0x03fe},
		{0x8c01, 0x07fe, 0x83ff},
		{0x0c00, 0x0800, 0x03ff}, // it is half way
		{0x0c01, 0x07fe, 0},      // less than half of the least number
		{0x0c00, 0x0800, 0},      // half of it
		{0x0801, 0x3bfe, 0x3c01}, // (1-2^-20) / 2^13 more than 1 + 2^-10
		{0x9001, 0x3bfe, 0x3c01},
		{0x1001, 0x3bff, 0x3c01},
		{0x3c20, 0x3c10, 0x0001}, // 1 + 2^-5 + 2^-6 + 2^-11, and hardly more, or less
		{0x3c20, 0x3c10, 0x8001},
		{0xcc20, 0x3c10, 0x8003},
	}
	// Products that are about half of the last place of their addend, or of the least number.
	r := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		b, n := uint64(r.IntN(0x2000))+0x3400, uint64(r.IntN(20)) // b from 1/4 to 4; the sum is about 2^(n-14)
		half := math.Ldexp(1, int(max(n, 1))-26) / float64(num.CvtF32FromF16(uint16(b)))
		a := uint64(num.CvtF16FromF32(float32(half)))
		sign := uint64(r.IntN(4))
		cases = append(cases, [3]uint64{a | sign<<15&0x8000, b, n<<10 | uint64(r.IntN(0x400)) | sign>>1<<15})
	}
	enginesF16(t, func(t *testing.T, e *jit.Engine) {
		for n, c := range cases {
			for _, op := range []ir.Op{ir.FmaF16, ir.VFmaF16} {
				f := kernel(t, func(k *ir.Builder, v ir.Ref) ir.Ref {
					d := k.Vector("d", ir.B32)
					k.To(d, ir.CvtU32FromU16, k.T(op, k.T(ir.Lo16, v), k.Const(ir.B16, c[1]), k.Const(ir.B16, c[2])))
					return d
				})
				var data []byte
				for i := range 64 {
					x := uint32(0x3c00)
					switch {
					case i%5 == 0:
						x = uint32(c[0])
					case n >= 12: // and the neighbours
						x = max(uint32(c[0])+uint32(i), 32) - 32
					}
					data = binary.LittleEndian.AppendUint32(data, x)
				}
				got := run(t, e, f, data)
				for i := range 64 {
					x := uint64(binary.LittleEndian.Uint32(data[4*i:]))
					if r, want := binary.LittleEndian.Uint32(got[4*i:]), ir.Evaluator(op)([4]uint64{x, c[1], c[2]}); uint64(r) != want {
						t.Errorf("%s(%#x, %#x, %#x) in lane %d = %#x, want %#x", op, x, c[1], c[2], i, r, want)
					}
				}
			}
		}
	})
}
