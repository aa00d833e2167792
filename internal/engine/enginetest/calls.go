package enginetest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// tables tests branches through tables.
func tables(t *testing.T, e sim.Engine) {
	// build makes a kernel: r is the number of the target that lane picks(tid) takes, and act
	// the lanes that are together after it.
	build := func(t *testing.T, pick func(k *kern) (index, guard ir.Ref)) *kern {
		k := newKern(t)
		r, act := k.reg(ir.B32), k.reg(ir.B32)
		index, guard := pick(k)
		targets := make([]ir.Label, 5)
		for i := range targets {
			targets[i] = k.NewLabel()
		}
		end := k.NewLabel()
		k.ins("mov")
		k.Move(r, k.c(99))
		table := k.NewTable(targets[0], targets[1], ir.NoTarget, targets[2], targets[3])
		if n := k.Target(table, targets[4]); n != 5 {
			t.Errorf("the sixth target has index %d", n)
		}
		k.ins("brx.idx")
		k.Guard(guard, false)
		k.BraTable(table, index, 0)
		k.Guard(0, false)
		k.ins("bra")
		k.Bra(end)
		for i, l := range targets {
			k.Bind(l)
			k.ins("mov")
			k.Move(r, k.c(uint32(i)))
			k.ins("bra")
			k.Bra(end)
		}
		k.Bind(end)
		k.ins("activemask")
		k.Emit(ir.Inst{Op: ir.ActiveMask, Dst: act})
		k.store(r, 2, 0, 0)
		k.store(act, 2, 1, 0)
		return k
	}
	for _, tt := range []struct {
		name string
		pick func(k *kern) (index, guard ir.Ref)
		want func(tid int) uint32
	}{
		{"the same target", func(k *kern) (ir.Ref, ir.Ref) { return k.c(3), 0 }, func(int) uint32 { return 2 }},
		{"every lane its own", func(k *kern) (ir.Ref, ir.Ref) {
			x := k.do(ir.RemU32, k.tid, k.c(5))
			return k.do(ir.Add32, x, k.do(ir.B2U32, k.do(ir.GeU32, x, k.c(2)))), 0
		}, func(i int) uint32 { return uint32(i % 5) }},
		{"two of them, guarded", func(k *kern) (ir.Ref, ir.Ref) {
			odd := k.do(ir.And32, k.tid, k.c(1))
			return k.do(ir.Mul32, odd, k.c(5)), k.do(ir.GeU32, k.tid, k.c(7))
		}, func(i int) uint32 {
			switch {
			case i < 7:
				return 99
			case i%2 == 1:
				return 4
			}
			return 0
		}},
		{"nobody", func(k *kern) (ir.Ref, ir.Ref) { return k.c(77), k.do(ir.LtU32, k.tid, k.c(0)) }, func(int) uint32 { return 99 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, _, err := build(t, tt.pick).run(e, 1, 32, 64, nil)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, "out", out, func(i int) uint32 {
				if i&1 == 1 {
					return 1<<32 - 1 // all lanes are together again
				}
				return tt.want(i / 2)
			})
		})
	}
	t.Run("outside the table", func(t *testing.T) {
		for _, tt := range []struct {
			index func(k *kern) ir.Ref
			lanes string
		}{
			{func(k *kern) ir.Ref { return k.c(6) }, "0-31"},
			{func(k *kern) ir.Ref { return k.c(2) }, "0-31"}, // there is no target
			{func(k *kern) ir.Ref { return k.do(ir.Sub32, k.c(7), k.do(ir.And32, k.tid, k.c(7))) }, "0-1,5,8-9,13,16-17,21,24-25,29"},
			{func(k *kern) ir.Ref { return k.c(1 << 31) }, "0-31"},
		} {
			_, _, err := build(t, func(k *kern) (ir.Ref, ir.Ref) { return tt.index(k), 0 }).run(e, 1, 32, 64, nil)
			d := diag.Of(err)
			if len(d) != 1 || d[0].Code != sim.CodeBadBranch || strings.ReplaceAll(d[0].Lanes, " ", "") != tt.lanes {
				t.Errorf("%v (lanes %s), want a bad branch of lanes %s", err, d[0].Lanes, tt.lanes)
			}
		}
	})
	t.Run("no function", func(t *testing.T) {
		for _, tt := range []struct {
			addr uint64
			want string
		}{{ir.FuncAddress(1, true), "calls g, which has other parameters"}, {0x1234, "calls address 0x1234, which is no function"}, {ir.FuncAddress(2, true), "which is no function"}, {ir.FuncAddress(0, true) + 1, "which is no function"}} {
			k := newKern(t)
			k.Func().Functions = []string{"f", "g"}
			l := k.NewLabel()
			a := k.Vector("a", ir.B64)
			k.Input(ir.InConst, a, tt.addr)
			k.ins("call")
			k.BraTable(k.NewTable(l, ir.NoTarget), k.c(1), a)
			k.Bind(l)
			k.exit(0)
			_, _, err := k.run(e, 1, 32, 1, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), sim.CodeBadCall) {
				t.Errorf("%#x: %v, want %q", tt.addr, err, tt.want)
			}
		}
	})
}

// host tests the services of the host.
func host(t *testing.T, e sim.Engine) {
	t.Run("stack", func(t *testing.T) {
		// Every lane pushes tid times 16 bytes, keeps the address, and pops one of them.
		k := newKern(t)
		k.Func().Stack, k.Func().LocalSize = true, 48
		sp, n := k.reg(ir.B32), k.reg(ir.B32)
		k.Input(ir.StackTop, sp, 0)
		top := k.do(ir.Add32, sp, k.c(0))
		k.ins("mov")
		k.Move(n, k.tid)
		loop, end := k.NewLabel(), k.NewLabel()
		k.Bind(loop)
		k.branch(end, k.do(ir.EqU32, n, k.c(0)), false)
		k.ins("push")
		k.Emit(ir.Inst{Op: ir.HostCall, Dst: sp, Args: [4]ir.Ref{sp}, Imm: ir.PushImm(9, 16)})
		k.ins("sub")
		k.To(n, ir.Sub32, n, k.c(1))
		k.ins("bra")
		k.Bra(loop)
		k.Bind(end)
		k.store(k.do(ir.Sub32, top, sp), 2, 0, 0)
		k.ins("pop")
		k.Emit(ir.Inst{Op: ir.HostCall, Dst: sp, Args: [4]ir.Ref{sp, top}, Imm: uint64(ir.HostPop)})
		k.store(k.do(ir.Sub32, top, sp), 2, 1, 0)
		out, _, err := k.run(e, 1, 32, 64, func(l *sim.Launch) { l.Stack = 31 * 16 })
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(i int) uint32 {
			if i&1 == 1 {
				return 0
			}
			return uint32(i / 2 * 16)
		})
	})
	t.Run("stack overflow", func(t *testing.T) {
		k := newKern(t)
		k.Func().Stack, k.Func().LocalSize = true, 48
		sp := k.reg(ir.B32)
		k.Input(ir.StackTop, sp, 0)
		size := k.do(ir.Mul32, k.tid, k.c(10))
		k.ins("alloca")
		k.Emit(ir.Inst{Op: ir.HostCall, Dst: sp, Args: [4]ir.Ref{sp, size}, Imm: ir.PushImm(0, 8)})
		k.exit(0)
		_, _, err := k.run(e, 1, 32, 1, func(l *sim.Launch) { l.Stack = 256 })
		d := diag.Of(err)
		if len(d) != 1 || d[0].Code != sim.CodeStackOverflow || d[0].Lanes != "26-31" || !strings.Contains(d[0].Message, "needs 260 bytes more, and uses 0 of the 256 bytes") {
			t.Errorf("%v (%q), want a stack overflow of lanes 26 to 31", err, d[0].Lanes)
		}
	})
	t.Run("a foreign stack pointer", func(t *testing.T) {
		for _, to := range []uint32{0, 48 + 256 + 8, 1 << 31} {
			k := newKern(t)
			k.Func().Stack, k.Func().LocalSize = true, 48
			sp := k.reg(ir.B32)
			k.Input(ir.StackTop, sp, 0)
			k.ins("stackrestore")
			k.Emit(ir.Inst{Op: ir.HostCall, Dst: sp, Args: [4]ir.Ref{sp, k.c(to)}, Imm: uint64(ir.HostPop)})
			k.exit(0)
			_, _, err := k.run(e, 1, 32, 1, func(l *sim.Launch) { l.Stack = 256 })
			if err == nil || !strings.Contains(err.Error(), sim.CodeBadStack) {
				t.Errorf("%d: %v, want a bad stack pointer", to, err)
			}
		}
	})
	t.Run("private memory is the lane's own, and empty at the start of a block", func(t *testing.T) {
		k := newKern(t)
		k.Func().Stack, k.Func().LocalSize = true, 16
		sp, v := k.reg(ir.B32), k.reg(ir.B32)
		k.Input(ir.StackTop, sp, 0)
		k.ins("push")
		k.Emit(ir.Inst{Op: ir.HostCall, Dst: sp, Args: [4]ir.Ref{sp}, Imm: ir.PushImm(64, 16)})
		sum := k.do(ir.Add32, k.tid, k.c(0))
		for _, at := range []ir.Ref{k.c(4), k.do(ir.Add32, sp, k.c(4)), k.do(ir.Add32, sp, k.do(ir.And32, k.do(ir.Mul32, k.tid, k.c(4)), k.c(60)))} {
			k.ins("ld")
			k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{at}, Size: 4, Align: 4, Space: ir.Local})
			k.ins("add")
			k.To(sum, ir.Add32, sum, v) // 0
			k.ins("st")
			k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, k.tid}, Size: 4, Align: 4, Space: ir.Local})
		}
		k.ins("ld")
		k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{k.c(4)}, Size: 4, Align: 4, Space: ir.Local})
		k.ins("add")
		k.To(sum, ir.Add32, sum, k.do(ir.Mul32, v, k.c(1000)))
		k.store(sum, 1, 0, 0)
		out, _, err := k.run(e, 3, 70, 70, func(l *sim.Launch) { l.Stack = 128 })
		if err != nil {
			t.Fatal(err)
		}
		// The third store may go to the address of the second one: 4 bytes above sp, in lanes
		// that are 1 modulo 16. These lanes have read their own number there.
		expect(t, "out", out, func(i int) uint32 {
			if i%16 == 1 {
				return uint32(1002 * i)
			}
			return uint32(1001 * i)
		})
	})
	t.Run("text in the order of blocks", func(t *testing.T) {
		for _, workers := range []int{1, 2, 7} {
			k := newKern(t)
			cta := k.Vector("cta", ir.B32)
			k.Input(ir.BlockIDX, cta, 0)
			k.Func().LocalSize = 32
			fmtAddr, argAddr := k.Vector("fmt", ir.B64), k.Vector("args", ir.B64)
			k.Input(ir.LaunchValue, fmtAddr, 1)
			k.Input(ir.InConst, argAddr, ir.LocalPTX)
			for i, v := range []ir.Ref{cta, k.tid} {
				k.ins("st")
				k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.c(uint32(4 * i)), v}, Size: 4, Align: 4, Space: ir.Local})
			}
			n := k.reg(ir.B32)
			k.ins("call")
			k.Guard(k.do(ir.EqU32, k.do(ir.And32, k.tid, k.c(15)), k.c(3)), false)
			k.Emit(ir.Inst{Op: ir.HostCall, Dst: n, Args: [4]ir.Ref{fmtAddr, argAddr}, Imm: uint64(ir.HostPrintf)})
			k.Guard(0, false)
			k.store(n, 1, 0, k.do(ir.EqU32, cta, k.c(0)))
			var got bytes.Buffer
			mem := sim.NewMemory()
			out := mem.Add("out", make([]byte, 4*40))
			text := mem.Add("fmt", append([]byte("%d:%-3u|%%\n"), 0))
			_, _, err := launch(t, e, k.finish(), 50, 40, mem, func(l *sim.Launch) {
				l.Values, l.Stdout, l.Workers = []uint64{out.Base, text.Base}, &got, workers
			})
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			for b := range 50 {
				for _, i := range []int{3, 19, 35} {
					want += fmt.Sprintf("%d:%-3d|%%\n", b, i)
				}
			}
			if got.String() != want {
				t.Errorf("%d workers: got %q, want %q", workers, got.String(), want)
			}
			if out.Data[4*3] != 2 || out.Data[4*4] != 0 {
				t.Errorf("results % x, want 2 in lane 3 only", out.Data[12:20])
			}
		}
	})
}
