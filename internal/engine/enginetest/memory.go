package enginetest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// memory tests loads and stores of every size, sign, destination and space.
func memory(t *testing.T, e sim.Engine) {
	data := make([]byte, 512)
	for i := range data {
		data[i] = byte(i*37 + 11)
	}
	for _, space := range []ir.Space{ir.Global, ir.Generic, ir.Shared, ir.Local, ir.Param} {
		for _, size := range []uint8{1, 2, 4, 8} {
			for _, signed := range []bool{false, true} {
				for _, dst := range []ir.Type{ir.B8, ir.B16, ir.B32, ir.B64} {
					for _, wide := range []bool{false, true} {
						if dst.Bytes() < uint32(size) || !wide && space != ir.Shared && space != ir.Local && space != ir.Param {
							continue
						}
						loadCase(t, e, data, space, size, signed, dst, wide)
					}
				}
			}
		}
	}
	t.Run("the greatest lane wins", func(t *testing.T) {
		k := newKern(t)
		k.ins("st")
		addr := k.T(ir.Mov64, k.out)
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, k.tid}, Size: 4, Align: 4, Space: ir.Global})
		out, _, err := k.run(e, 1, 27, 1, nil)
		if err != nil || out[0] != 26 {
			t.Errorf("got %v %v, want 26", out, err)
		}
	})
}

// loadCase fills a space, loads an element per lane under a guard, and compares it with the
// bytes in memory.
func loadCase(t *testing.T, e sim.Engine, data []byte, space ir.Space, size uint8, signed bool, dst ir.Type, wide bool) {
	name := fmt.Sprintf("%s %d signed %v to %s", space, size, signed, dst)
	k := newKern(t)
	f := k.Func()
	f.SharedStatic, f.LocalSize = 512, 512
	src := k.Scalar("src", ir.B64)
	k.Input(ir.LaunchValue, src, 1)
	k.ins("ld")
	at := k.T(ir.Mul32, k.tid, k.c(uint32(size)))
	addr := at
	if wide {
		addr = k.T(ir.Pack64, at, k.c(0))
	}
	if space == ir.Global || space == ir.Generic {
		addr = k.T(ir.Add64, addr, src)
	}
	if space == ir.Shared || space == ir.Local {
		// The bytes come from global memory, so they are copied first.
		for i := range 64 {
			v := k.Temp(ir.B64)
			k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{k.Splat(src)}, Size: 8, Space: ir.Global, Imm: uint64(8 * i)})
			k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.c(0), v}, Size: 8, Space: space, Imm: uint64(8 * i)})
		}
	}
	d := k.reg(dst)
	g := k.T(ir.NeU32, k.T(ir.And32, k.tid, k.c(3)), k.c(2))
	flags := ir.Flags(0)
	if signed {
		flags = ir.SignExtend
	}
	k.Guard(g, false)
	k.Emit(ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{addr}, Size: size, Align: uint16(size), Space: space, Flags: flags, Imm: 16})
	mem := sim.NewMemory()
	a := mem.Add("data", data)
	seen := false
	_, _, err := launch(t, e, k.finish(), 1, 30, mem, func(l *sim.Launch) {
		l.Values, l.Param = []uint64{0, a.Base}, data
		l.Inspect = func(w *sim.Wave) {
			seen = true
			for i := range 30 {
				var raw [8]byte
				copy(raw[:], data[16+i*int(size):][:size])
				want := binary.LittleEndian.Uint64(raw[:])
				if shift := 64 - 8*uint(size); signed {
					want = uint64(int64(want<<shift) >> shift)
				}
				want &= bitsOf(dst)
				if i&3 == 2 {
					want = 0
				}
				if got := w.Get(d, i); got != want {
					t.Errorf("%s, lane %d: got %#x, want %#x", name, i, got, want)
					return
				}
			}
		}
	})
	if err != nil || !seen {
		t.Errorf("%s: %v", name, err)
	}
}

// faults tests that every access out of bounds is refused, and that the report names its
// place.
func faults(t *testing.T, e sim.Engine) {
	cases := []struct {
		name  string
		space ir.Space
		addr  uint64 // added to the base of the buffer for global
		size  uint8
		store bool
		want  []string
	}{
		{"past the end", ir.Global, 128, 4, false, []string{"out-of-bounds", "lane 5", "reads 4 bytes", `just past the end of "out" (128 bytes)`}},
		{"across the end", ir.Global, 124, 8, true, []string{"out-of-bounds", "writes 8 bytes", "the last 4 of these bytes are past the end"}},
		{"before the start", ir.Global, ^uint64(3), 4, true, []string{"out-of-bounds", "4 bytes before the start"}},
		{"null", ir.Generic, 1 << 63, 4, false, []string{"out-of-bounds", "near no allocation"}},
		{"misaligned", ir.Global, 2, 4, false, []string{"misaligned", "multiple of 4"}},
		{"shared past the end", ir.Shared, 64, 4, true, []string{"out-of-bounds", "shared memory of the block has 64 bytes"}},
		{"local past the end", ir.Local, 16, 4, false, []string{"out-of-bounds", "private memory of the lane has 16 bytes"}},
		{"shared window", ir.Generic, ir.SharedWindow + 64, 4, false, []string{"out-of-bounds", "shared memory"}},
		{"parameters", ir.Param, 8, 4, false, []string{"out-of-bounds", "the kernel's parameters have 8 bytes"}},
		{"parameters written", ir.Param, 0, 4, true, []string{"write-to-const"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := newKern(t)
			k.Func().SharedStatic, k.Func().LocalSize = 64, 16
			only5 := k.do(ir.EqU32, k.tid, k.c(5))
			k.ins("access")
			addr := k.Const(ir.B64, c.addr)
			if c.space == ir.Global {
				addr = k.T(ir.Add64, k.Splat(k.out), addr)
			}
			k.Guard(only5, false)
			v := k.reg(ir.B64)
			if c.store {
				k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, v}, Size: c.size, Align: 4, Space: c.space})
			} else {
				k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{addr}, Size: c.size, Align: 4, Space: c.space})
			}
			out, _, err := k.run(e, 1, 32, 32, func(l *sim.Launch) { l.Param = make([]byte, 8) })
			if err == nil {
				t.Fatal("no fault")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
			expect(t, "out", out, func(int) uint32 { return 0 })
		})
	}
	t.Run("trap", func(t *testing.T) {
		k := newKern(t)
		p := k.do(ir.EqU32, k.tid, k.c(5))
		k.ins("trap")
		k.Guard(p, false)
		k.Emit(ir.Inst{Op: ir.Trap})
		k.Guard(0, false)
		k.exit(0)
		if _, _, err := k.run(e, 1, 5, 1, nil); err != nil {
			t.Errorf("nobody traps, but: %v", err)
		}
	})
}

// atomics tests every atomic operation with all lanes on one word, so that the result depends
// on the order of the lanes.
func atomics(t *testing.T, e sim.Engine) {
	ops := []struct {
		op  ir.AtomicOp
		ref func(old, v uint32) uint32
	}{
		{ir.AtomAdd, func(o, v uint32) uint32 { return o + v }},
		{ir.AtomSub, func(o, v uint32) uint32 { return o - v }},
		{ir.AtomMinU, func(o, v uint32) uint32 { return min(o, v) }},
		{ir.AtomMaxU, func(o, v uint32) uint32 { return max(o, v) }},
		{ir.AtomMinS, func(o, v uint32) uint32 { return uint32(min(int32(o), int32(v))) }},
		{ir.AtomMaxS, func(o, v uint32) uint32 { return uint32(max(int32(o), int32(v))) }},
		{ir.AtomAnd, func(o, v uint32) uint32 { return o & v }},
		{ir.AtomOr, func(o, v uint32) uint32 { return o | v }},
		{ir.AtomXor, func(o, v uint32) uint32 { return o ^ v }},
		{ir.AtomExch, func(o, v uint32) uint32 { return v }},
		{ir.AtomInc, func(o, v uint32) uint32 {
			if o >= v {
				return 0
			}
			return o + 1
		}},
		{ir.AtomDec, func(o, v uint32) uint32 {
			if o == 0 || o > v {
				return v
			}
			return o - 1
		}},
	}
	for _, c := range ops {
		for _, shared := range []bool{false, true} {
			k := newKern(t)
			k.Func().SharedStatic = 16
			v := k.do(ir.Mul32, k.do(ir.Add32, k.tid, k.c(3)), k.c(0x9e3779b1))
			old := k.reg(ir.B32)
			k.ins("atom")
			in := ir.Inst{Op: ir.Atomic, Dst: old, Args: [4]ir.Ref{k.Splat(k.out), v}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(c.op, 128)}
			if shared {
				in.Args[0], in.Space, in.Imm = k.c(0), ir.Shared, ir.AtomicImm(c.op, 4)
			}
			k.Emit(in)
			k.store(old, 1, 0, 0)
			out, _, err := k.run(e, 1, 32, 33, nil)
			if err != nil {
				t.Fatal(err)
			}
			word := uint32(0)
			for i := range 32 {
				if out[i] != word {
					t.Errorf("atomic %d, shared %v: lane %d saw %#x, want %#x", c.op, shared, i, out[i], word)
					break
				}
				word = c.ref(word, uint32(i+3)*0x9e3779b1)
			}
			if !shared && out[32] != word {
				t.Errorf("atomic %d: memory holds %#x, want %#x", c.op, out[32], word)
			}
		}
	}
	// atom.add.f32 flushes subnormals on global memory and keeps them in shared memory.
	for _, shared := range []bool{false, true} {
		k := newKern(t)
		k.Func().SharedStatic = 16
		old := k.reg(ir.B32)
		k.ins("atom")
		in := ir.Inst{Op: ir.Atomic, Dst: old, Args: [4]ir.Ref{k.Splat(k.out), k.c(3)}, Size: 4, Align: 4, Space: ir.Generic, Imm: ir.AtomicImm(ir.AtomAddF32, 128)}
		if shared {
			in.Args[0], in.Space, in.Imm = k.c(0), ir.Shared, ir.AtomicImm(ir.AtomAddF32, 4)
		}
		k.Emit(in)
		k.store(old, 1, 0, 0)
		out, _, err := k.run(e, 1, 32, 33, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "atomic f32 add", out[:32], func(i int) uint32 {
			if shared {
				return uint32(3 * i) // subnormals of bits 0, 3, 6, …
			}
			return 0
		})
	}
}
