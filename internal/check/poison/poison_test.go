package poison_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

// A machine is an instrumented function, ready to run one wave.
type machine struct {
	t       *testing.T
	f       *ir.Func
	shadow  map[ir.Ref]ir.Ref
	prog    sim.Program
	origins []int32 // see sim.Launch.Origins
}

// mark makes all bits of a register undefined in the given lanes, and defined in the remaining lanes.
func (m *machine) mark(w *sim.Wave, r ir.Ref, lanes lane.Mask) {
	for i := range elements(m.f, m.f.Val(r)) {
		x := uint64(0)
		if lanes.Has(i) {
			x = ^x
		}
		w.Set(m.shadow[r], i, x)
	}
}

// marked returns the lanes with undefined bits.
func (m *machine) marked(w *sim.Wave, r ir.Ref) (lanes lane.Mask) {
	for i := range elements(m.f, m.f.Val(r)) {
		if m.poisonBits(w, r, i) != 0 {
			lanes |= lane.Lane(i)
		}
	}
	return lanes
}

func newMachine(t *testing.T, f *ir.Func) *machine {
	t.Helper()
	g, shadow := poison.Track(f, poison.Options{Quiet: true})
	if err := g.Validate(); err != nil {
		t.Fatalf("%v\n%s", err, g.Print())
	}
	p, err := interp.Engine{}.Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, f: g, shadow: shadow, prog: p}
}

// run executes one wave of all lanes and returns its state at the end.
func (m *machine) run(setup func(w *sim.Wave)) *sim.Wave {
	m.t.Helper()
	var wave *sim.Wave
	l := &sim.Launch{Func: m.f, Program: m.prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(m.f.Lanes), 1, 1},
		Memory: sim.NewMemory(), Workers: 1, Checks: sim.Checks{Track: true, Origins: m.origins}, Limits: sim.Limits{Timeout: 10 * time.Second}, Dynamic: 4096, Stack: 4096, Hooks: sim.Hooks{Setup: func(w *sim.Wave) {
			wave = w
			if setup != nil {
				setup(w)
			}
		}}}
	if _, _, err := sim.Run(context.Background(), l); err != nil {
		m.t.Errorf("%v\n%s", err, m.f.Print())
	}
	return wave
}

// width returns the number of bits of an element of a value.
func width(v *ir.Value) int {
	if v.Type == ir.B1 {
		return 1
	}
	return 8 * int(v.Type.Bytes())
}

// elements returns the number of elements of a value.
func elements(f *ir.Func, v *ir.Value) int {
	if v.Scalar {
		return 1
	}
	return f.Lanes
}

// poisonBits returns the marked bits of element i of a guest value.
func (m *machine) poisonBits(w *sim.Wave, r ir.Ref, i int) uint64 {
	return w.Get(m.shadow[r], i)
}

// sound checks the meaning of "not poisoned": for all contents of the poisoned inputs, the bits of the
// outputs that are not marked are the same. marks returns the poisoned bits of an input's element.
// sound returns the marks of the outputs of the last run.
func (m *machine) sound(what string, r *rand.Rand, in, out []ir.Ref, values, marks func(r ir.Ref, i int) uint64) map[ir.Ref][]uint64 {
	m.t.Helper()
	base := map[ir.Ref][]uint64{}
	mark := map[ir.Ref][]uint64{}
	for _, a := range in {
		for i := range elements(m.f, m.f.Val(a)) {
			base[a] = append(base[a], values(a, i))
			mark[a] = append(mark[a], marks(a, i))
		}
	}
	var first map[ir.Ref][]uint64
	got := map[ir.Ref][]uint64{}
	for round := range 3 {
		w := m.run(func(w *sim.Wave) {
			for _, a := range in {
				v := m.f.Val(a)
				for i := range elements(m.f, v) {
					x, k := base[a][i], mark[a][i]
					if round > 0 {
						x ^= r.Uint64() & k
					}
					w.Set(a, i, x)
					w.Set(m.shadow[a], i, k)
				}
			}
		})
		now := map[ir.Ref][]uint64{}
		for _, o := range out {
			got[o] = nil
			for i := range elements(m.f, m.f.Val(o)) {
				now[o] = append(now[o], w.Get(o, i))
				got[o] = append(got[o], m.poisonBits(w, o, i))
			}
		}
		if first == nil {
			first = now
			continue
		}
		for _, o := range out {
			for i, x := range now[o] {
				if d := (x ^ first[o][i]) &^ got[o][i]; d != 0 {
					m.t.Errorf("%s: %s[%d] depends on poisoned bits (%#x and %#x) but bits %#x are not marked", what, m.f.Val(o).Name, i, first[o][i], x, d)
					return got
				}
			}
		}
	}
	return got
}

// interesting values make absorbing elements and equal operands likely.
func interesting(r *rand.Rand, v *ir.Value) uint64 {
	max := uint64(1)<<uint(width(v)) - 1
	switch r.IntN(4) {
	case 0:
		return 0
	case 1:
		return max
	}
	return r.Uint64() & max
}

func someMarks(r *rand.Rand, v *ir.Value) uint64 {
	max := uint64(1)<<uint(width(v)) - 1
	switch {
	case r.IntN(2) == 0:
		return 0
	case r.IntN(2) == 0:
		return r.Uint64() & max
	}
	return max
}

// Every operation of the table, on lane vectors and on scalars, with registers and
// constants as operands and with and without a guard.
func TestPureSound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for op := range ir.NumOps {
		if !ir.Op(op).Pure() {
			continue
		}
		info := &ir.Ops[op]
		for form := range 3 {
			if !short.Every(form+int(op), 3) {
				continue // a short run takes one form for each operation
			}
			lanes := 32 + 32*(op&1)
			b := ir.NewBuilder("t", lanes)
			b.Vector("pad", ir.B64)
			var in, args []ir.Ref
			scalar := form == 2
			declare := func(ty ir.Type) ir.Ref {
				if scalar {
					return b.Scalar("in", ty)
				}
				return b.Vector("in", ty)
			}
			for i, ty := range info.Args {
				if r.IntN(5) == 0 {
					k := interesting(r, &ir.Value{Type: ty})
					if scalar {
						args = append(args, b.SConst(ty, k))
					} else {
						args = append(args, b.Const(ty, k))
					}
					continue
				}
				if i > 0 && ty == info.Args[i-1] && r.IntN(6) == 0 {
					args = append(args, args[i-1])
					continue
				}
				a := declare(ty)
				in, args = append(in, a), append(args, a)
			}
			d := declare(info.Res)
			in = append(in, d)
			b.At(ir.Pos{Name: info.Name})
			if form == 1 {
				g := b.Vector("guard", ir.B1)
				in = append(in, g)
				b.Guard(g, r.IntN(2) == 0)
			}
			b.To(d, ir.Op(op), args...)
			f, err := b.Finish()
			if err != nil {
				t.Fatal(err)
			}
			m := newMachine(t, f)
			for range 2 {
				m.sound(info.Name, r, in, []ir.Ref{d},
					func(a ir.Ref, _ int) uint64 { return interesting(r, f.Val(a)) },
					func(a ir.Ref, _ int) uint64 { return someMarks(r, f.Val(a)) })
			}
		}
	}
}

// The operations that move data between the lanes of 64, and scalars to and from
// them, through masks that overlap with scalars.
func TestCrossSound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		b := ir.NewBuilder("t", 64)
		off := b.Reserve(16)
		lo, hi := b.View("s0", ir.B32, true, off), b.View("s1", ir.B32, true, off+4)
		pair, mask := b.View("s[0:1]", ir.B64, true, off), b.View("s[0:1].mask", ir.B1, false, off)
		exec, execBits := b.View("exec", ir.B1, false, off+8), b.View("exec.bits", ir.B64, true, off+8)
		b.Func().Exec = exec
		v0, v1, v2 := b.Vector("v0", ir.B32), b.Vector("v1", ir.B32), b.Vector("v2", ir.B32)
		s := b.Scalar("s", ir.B32)
		scc := b.Scalar("scc", ir.B1)
		lanes4 := b.Vector("addr", ir.B32)
		imm := ir.DPPImm([]uint16{0x1b, 0x101, 0x111, 0x121, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143}[round%12], uint8(r.IntN(16)), 15, round%2 == 0)
		ops := []func(){
			func() {
				t := b.Temp(ir.B32)
				b.Emit(ir.Inst{Op: ir.DPPRead, Dst: t, Args: [4]ir.Ref{v0, exec}, Imm: imm})
				k := b.Temp(ir.B1)
				b.Emit(ir.Inst{Op: ir.DPPMask, Dst: k, Args: [4]ir.Ref{exec}, Imm: imm})
				b.Guard(k, false)
				b.To(v1, ir.Add32, t, v1)
			},
			func() {
				b.Guard(exec, false)
				b.Emit(ir.Inst{Op: ir.DSSwizzle, Dst: v0, Args: [4]ir.Ref{v1}, Imm: uint64(r.Uint32() & 0xffff)})
			},
			func() {
				b.Guard(exec, false)
				b.Emit(ir.Inst{Op: ir.DSPermute, Dst: v2, Args: [4]ir.Ref{lanes4, v0}, Imm: uint64(4 * r.IntN(9))})
			},
			func() {
				b.Guard(exec, false)
				b.Emit(ir.Inst{Op: ir.DSBpermute, Dst: lanes4, Args: [4]ir.Ref{lanes4, v1}, Imm: 8})
			},
			func() {
				b.Emit(ir.Inst{Op: ir.ReadLane, Scalar: true, Dst: s, Args: [4]ir.Ref{v2, lo}})
			},
			func() {
				b.Emit(ir.Inst{Op: ir.ReadFirstLane, Scalar: true, Dst: hi, Args: [4]ir.Ref{v1, exec}})
			},
			func() {
				b.Emit(ir.Inst{Op: ir.WriteLane, Scalar: true, Dst: v0, Args: [4]ir.Ref{s, hi}})
			},
			func() { b.To(mask, ir.AndP, b.T(ir.LtU32, v0, v1), exec) },
			func() { b.To(execBits, ir.And64, execBits, pair) },
			func() { b.To(pair, ir.OrN64, pair, execBits); b.To(scc, ir.NeU64, pair, b.SConst(ir.B64, 0)) },
			func() { b.To(lo, ir.Sel32, scc, s, hi) },
			func() { b.Guard(exec, false); b.To(v1, ir.Sel32, mask, v0, v2) },
			func() { b.Guard(exec, false); b.To(v2, ir.Xor32, v2, b.Splat(s)) },
			func() {
				k := b.Temp(ir.B1)
				b.Emit(ir.Inst{Op: ir.LaneBit, Dst: k, Args: [4]ir.Ref{scc}})
				b.To(mask, ir.OrP, mask, k)
			},
		}
		for range 6 {
			b.At(ir.Pos{Name: "x"})
			ops[r.IntN(len(ops))]()
		}
		b.At(ir.Pos{Name: "end"})
		b.Emit(ir.Inst{Op: ir.EndWave, Scalar: true})
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(t, f)
		regs := []ir.Ref{pair, execBits, v0, v1, v2, s, scc, lanes4}
		for range 3 {
			dense := r.IntN(3) == 0
			m.sound(f.Print(), r, regs, append(regs, mask, lo, hi),
				func(a ir.Ref, i int) uint64 {
					if a == lanes4 {
						return uint64(4 * r.IntN(64))
					}
					return interesting(r, f.Val(a))
				},
				func(a ir.Ref, _ int) uint64 {
					if !dense && r.IntN(8) != 0 || a == execBits && r.IntN(4) != 0 {
						return 0
					}
					return someMarks(r, f.Val(a))
				})
		}
	}
}

// PTX snippets: the registers named d… are outputs, all other registers are inputs.
func TestSnippetsSound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, src := range []string{
		"shfl.sync.bfly.b32 d|dp, a, 3, 0x1f, 0xffffffff",
		"shfl.sync.idx.b32 a|dp, a, b, 0x1f, 0xffffffff; mov.b32 d, a",
		"shfl.sync.down.b32 d|p, a, b, c, -1; mov.pred dp, p",
		"shfl.down.b32 d|dp, a, 4, 0x181f",
		"vote.sync.all.pred dp, p, -1; vote.sync.ballot.b32 d, !p, -1",
		"vote.any.pred dp, p; vote.ballot.b32 d, q",
		"match.any.sync.b32 d, a, -1; match.all.sync.b32 de|dp, b, -1",
		"redux.sync.add.u32 d, a, -1; redux.sync.min.s32 de, b, -1",
		"setp.lt.u32 p, a, b; @p add.u32 d, a, 1; @!p mov.u32 d, c",
		"bfe.u32 a, a, 0, 1; setp.eq.u32 p, a, 1; and.pred q, p, q; selp.u32 d, a, b, q; lop3.b32 de, a, b, c, 0xe8",
		"add.cc.u32 d, a, b; addc.u32 de, b, c",
		"movmatrix.sync.aligned.m8n8.trans.b16 d, a; movmatrix.sync.aligned.m8n8.trans.b16 b, b; mov.u32 de, b",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {d,de}, {a,b}, {c}, {x,y}",
		"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {d0,d1,d2,d3,d4,d5,d6,d7}, {a,b}, {c,x}, {y,z,i,j}",
		"mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {d0,d1,d2,d3}, {a,b}, {c}, {d0,d1,d2,d3}",
		"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d0,d1,d2,d3}, {a,b}, {c,x}, {d0,d1,d2,d3}, y, 1",
		"mov.b64 x, {a, b}; shl.b64 x, x, 3; mov.b64 {d, de}, x",
		"bfe.u32 i, %laneid, 0, 1; setp.eq.u32 p, i, 0; @p bra L; shfl.sync.bfly.b32 d, a, 2, 0x1f, 0xaaaaaaaa; bra E; L: shfl.sync.up.b32 d, b, 2, 0, 0x55555555; E: add.u32 d, d, 1",
	} {
		tr, err := ptx.ParseTry("", src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		m := newMachine(t, tr.Kernel.Func)
		var in, out []ir.Ref
		for _, reg := range tr.Regs {
			in = append(in, reg.Ref)
			if reg.Name[0] == 'd' {
				out = append(out, reg.Ref)
			}
		}
		if len(out) == 0 {
			t.Fatal(src)
		}
		for n := range short.Of(40, 10) {
			m.sound(src, r, in, out,
				func(a ir.Ref, _ int) uint64 {
					if r.IntN(2) == 0 {
						return uint64(r.IntN(2))
					}
					return interesting(r, m.f.Val(a))
				},
				func(a ir.Ref, _ int) uint64 {
					if n%4 != 0 && r.IntN(10) != 0 {
						return 0
					}
					return someMarks(r, m.f.Val(a))
				})
		}
	}
}

// The marks that have to be set and those that must not be set: precision, by hand.
func TestMarks(t *testing.T) {
	t.Parallel()
	const all = lane.Mask(0xffffffff)
	type marks map[string]lane.Mask // registers that are not named are defined
	for _, tt := range []struct {
		src  string
		set  map[string]uint64 // values, equal in all lanes; 0 if not named
		in   marks
		want marks
	}{
		{"add.u32 d, a, b", nil, marks{"a": 0xf0}, marks{"d": 0xf0}},
		{"add.u32 d, a, b", nil, marks{"a": 0xf0, "b": 0x18}, marks{"d": 0xf8}},
		{"mov.u32 d, 5", nil, marks{"d": all}, marks{"d": 0}},
		{"xor.b32 d, a, a; sub.u32 e, a, a; or.b32 f, a, a", nil, marks{"a": all}, marks{"d": 0, "e": 0, "f": all}},
		{"and.b32 d, a, 0; and.b32 e, a, 1; or.b32 f, a, -1", nil, marks{"a": all}, marks{"d": 0, "e": all, "f": 0}},
		{"and.b32 d, a, b", nil, marks{"a": 0xff, "b": 0xf0}, marks{"d": 0xf0}}, // b is a defined 0 in lanes 0 to 3
		{"and.b32 d, a, b", map[string]uint64{"b": 4}, marks{"a": 0xff}, marks{"d": 0xff}},
		{"selp.u32 d, a, b, p", map[string]uint64{"p": 1, "b": 9}, marks{"a": 1, "b": 2, "p": 4}, marks{"d": 5}},
		{"selp.u32 d, a, b, p", map[string]uint64{"p": 1}, marks{"a": 1, "b": 2, "p": 4}, marks{"d": 1}}, // the same for both choices
		{"@p mov.u32 d, a", map[string]uint64{"p": 1}, marks{"a": 1, "d": 2, "p": 4}, marks{"d": 5}},
		{"@!p mov.u32 d, a", map[string]uint64{"p": 1}, marks{"a": 1, "d": 2, "p": 4}, marks{"d": 6}},
		{"@p setp.eq.u32 p, a, b", map[string]uint64{"p": 1}, marks{"a": 1, "p": 4}, marks{"p": 5}},
		{"shfl.sync.up.b32 d|p, a, 1, 0, -1", nil, marks{"a": 1, "d": 0xf00}, marks{"d": 3, "p": 0}},
		{"shfl.sync.up.b32 a, a, 1, 0, -1", nil, marks{"a": 2}, marks{"a": 4}},
		{"shfl.sync.idx.b32 d|p, a, b, 31, -1", nil, marks{"b": 8}, marks{"d": 8, "p": 8}},
		{"shfl.sync.idx.b32 d|p, a, b, 31, -1", nil, marks{"a": 1}, marks{"d": all, "p": 0}},
		{"shfl.bfly.b32 d, a, 1, 31", nil, marks{"a": 4}, marks{"d": 8}},
		{"vote.sync.any.pred d, p, -1", nil, marks{"p": 4}, marks{"d": all}},
		{"vote.sync.ballot.b32 d, p, -1", nil, nil, marks{"d": 0}},
		{"redux.sync.add.u32 d, a, -1", nil, marks{"a": 1}, marks{"d": all}},
		{"match.any.sync.b32 d, a, -1", nil, marks{"a": 1 << 31}, marks{"d": all}},
		{"movmatrix.sync.aligned.m8n8.trans.b16 d, a", nil, marks{"a": 1}, marks{"d": 0x11}},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d,e,f,g}, {a,b}, {c}, {x,y,z,v}", nil, marks{"a": 1 << 5}, marks{"d": 0xf0, "e": 0xf0, "f": 0, "g": 0}},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d,e,f,g}, {a,b}, {c}, {x,y,z,v}", nil, marks{"b": 1 << 5}, marks{"d": 0, "e": 0, "f": 0xf0, "g": 0xf0}},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {x,y,z,v}, {a,b}, {c}, {x,y,z,v}", nil, marks{"c": 1 << 5, "z": 2}, marks{"x": 0, "y": 0x11111111, "z": 2, "v": 0x11111111}},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {d}, [a]", nil, marks{"a": 1<<2 | 1<<9}, marks{"d": 0xf00}},
		{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {d,e}, [a]", nil, marks{"a": 1 << 8}, marks{"d": 0, "e": 0x11111111}},
		{"wmma.load.c.sync.aligned.row.m8n8k32.shared.s32 {d,e}, [a], b", map[string]uint64{"b": 8}, marks{"b": 4}, marks{"d": 4, "e": 4}},
		{"alloca.u32 d, a", nil, marks{"a": 3}, marks{"d": 3}},
		{"stacksave.u32 d; alloca.u32 e, 16", nil, nil, marks{"d": 0, "e": 0}},
		{"activemask.b32 d", nil, marks{"d": all}, marks{"d": 0}},
		{"ld.shared.u32 d, [a]", nil, marks{"a": 3}, marks{"d": 3}},
		// Lane 31 executes it and is not in its membermask; lane 30 reads lane 31.
		{"shfl.sync.down.b32 d|p, a, 1, 31, 0x7fffffff", nil, nil, marks{"d": 3 << 30, "p": 1 << 31}},
		{"vote.sync.any.pred d, p, 0x7fffffff", nil, marks{"p": 1 << 31}, marks{"d": 1 << 31}},
	} {
		tr, err := ptx.ParseTry("", tt.src)
		if err != nil {
			t.Fatalf("%s: %v", tt.src, err)
		}
		m := newMachine(t, tr.Kernel.Func)
		if strings.Contains(tt.src, "ld") || strings.Contains(tt.src, "load") {
			m.origins = []int32{} // shared memory is defined
		}
		regs := map[string]ir.Ref{}
		for _, r := range tr.Regs {
			regs[r.Name] = r.Ref
		}
		w := m.run(func(w *sim.Wave) {
			for name, r := range regs {
				w.Fill(r, tt.set[name])
				m.mark(w, r, tt.in[name])
			}
		})
		for name, want := range tt.want {
			if got := m.marked(w, regs[name]); got != want {
				t.Errorf("%s: %s is poisoned in lanes %v, want %v", tt.src, name, got, want)
			}
		}
	}
}

// Registers start poisoned and inputs defined. Temporaries and constants need no sets.
func TestStart(t *testing.T) {
	t.Parallel()
	tr, err := ptx.ParseTry("", "add.u32 d, a, 1; mov.u32 e, %tid.x; mov.u32 f, %ctaid.x; shl.b32 g, 1, 2")
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, tr.Kernel.Func)
	w := m.run(nil)
	want := map[string]lane.Mask{"a": 0xffffffff, "d": 0xffffffff, "e": 0, "f": 0, "g": 0}
	for _, r := range tr.Regs {
		if got := m.marked(w, r.Ref); got != want[r.Name] {
			t.Errorf("%s is poisoned in lanes %v, want %v", r.Name, got, want[r.Name])
		}
	}
}

// Sets of values that share bytes share them, too.
func TestOddOverlap(t *testing.T) {
	t.Parallel()
	b := ir.NewBuilder("t", 32)
	b.Vector("pad", ir.B64)
	off := b.Reserve(512)
	wide, half := b.View("wide", ir.B64, false, off), b.View("half", ir.B32, false, off)
	mask := b.View("mask", ir.B1, false, off)
	b.At(ir.Pos{Name: "x"})
	b.To(wide, ir.Mov64, b.Const(ir.B64, 7))
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, f)
	w := m.run(nil)
	for _, r := range []ir.Ref{wide, half, mask} {
		if got := m.marked(w, r); got != 0 {
			t.Errorf("%s is poisoned in lanes %v", f.Val(r).Name, got)
		}
	}
}

func ExampleTrack() {
	b := ir.NewBuilder("example", 32)
	d, a := b.Vector("d", ir.B32), b.Vector("a", ir.B32)
	b.At(ir.Pos{Line: 1, Text: "add d, a, 1"})
	b.To(d, ir.Add32, a, b.Const(ir.B32, 1))
	f, _ := b.Finish()
	g, _ := poison.Track(f, poison.Options{})
	for _, in := range g.Code[:2] {
		fmt.Println(g.FormatInst(&in))
	}
	// Output:
	// d undefined = UndefCarry32 a undefined, 0x0:b32
	// d = Add32 a, 0x1:b32
}
