package alloc

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

func at(off int32) x64.Mem { return x64.Mem{Base: x64.RBX, Disp: off} }

// vecs returns n new vector registers, which are written here.
func vecs(fn *lir.Func, n int, name string) []x64.Reg {
	out := make([]x64.Reg, n)
	for i := range out {
		out[i] = fn.Vec(32, name)
		fn.Load(x64.VMOVDQU, 32, out[i], 0, at(int32(32*i)))
	}
	return out
}

// loop emits code that repeats with a counter.
func loop(fn *lir.Func, body func()) {
	n := fn.GPR(8, "n")
	fn.Load(x64.MOV, 8, n, 0, at(0))
	top := fn.NewLabel()
	fn.Bind(top)
	body()
	fn.Emit(x64.Inst{Op: x64.SUBImm, Len: 8, Dst: n, Imm: 1})
	fn.Jump(x64.JNE, top)
}

func run(t *testing.T, fn *lir.Func, tier isa.Tier) *Result {
	t.Helper()
	if err := lir.Verify(fn); err != nil {
		t.Fatal(err)
	}
	res, err := Run(fn, tier)
	if err != nil {
		t.Fatal(err)
	}
	if err := lir.VerifyCode(fn, res.Code); err != nil {
		t.Fatal(err)
	}
	if err := compare(fn, res, 1); err != nil {
		t.Fatal(err)
	}
	return res
}

func text(fn *lir.Func, code []x64.Inst) string {
	var b bytes.Buffer
	fn.Print(&b, code)
	return b.String()
}

// inner returns the code between the last label that is the target of a backward jump, and
// that jump.
func inner(t *testing.T, code []x64.Inst) []x64.Inst {
	labels := map[x64.Label]int{}
	from, to := -1, -1
	for i, in := range code {
		if in.Op == x64.LABEL {
			labels[in.Label] = i
		}
		if j, ok := labels[in.Label]; ok && in.Op == x64.JNE && j > from {
			from, to = j, i
		}
	}
	if from < 0 {
		t.Fatal("no loop")
	}
	return code[from:to]
}

// traffic counts the instructions that only load or store, and the folded operands, of the
// frame and the pool.
func traffic(code []x64.Inst) (moves, folded int) {
	for _, in := range code {
		switch {
		case !in.HasMem || in.M.Base != x64.RBX && in.M.Pool == 0:
		case in.Op == x64.VMOVDQU || in.Op == x64.VMOVDQUSt || in.Op == x64.MOV || in.Op == x64.MOVSt ||
			in.Op == x64.KMOVQ || in.Op == x64.KMOVQSt:
			moves++
		default:
			folded++
		}
	}
	return moves, folded
}

func TestLoopsStayInRegisters(t *testing.T) {
	tests := []struct {
		name                     string
		sums, invariants, around int // around: values that live across the loop unused
		folded                   int // the largest number of memory operands, on AVX2
	}{
		{"fma with 8 sums", 8, 1, 0, 0},
		{"fma with 8 sums, much around", 8, 1, 30, 0},
		{"fma with 11 sums, 2 invariants", 11, 2, 3, 2},
		{"12 sums, 6 invariants", 12, 6, 3, 6},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fn := &lir.Func{Slots: 4096}
			around := vecs(fn, test.around, "around")
			p := fn.GPR(8, "p")
			fn.Load(x64.MOV, 8, p, 0, at(8))
			inv := vecs(fn, test.invariants, "inv")
			sums := vecs(fn, test.sums, "sum")
			loop(fn, func() {
				for i, s := range sums {
					fn.Load(x64.VFMADD231PS, 32, s, inv[i%len(inv)], x64.Mem{Base: p, Disp: int32(32 * i)})
				}
				fn.Op(x64.VADDPS, 32, sums[0], sums[0], inv[0])
				fn.Emit(x64.Inst{Op: x64.ADDImm, Len: 8, Dst: p, Imm: 256})
			})
			for i, s := range append(sums, around...) {
				fn.Store(x64.VMOVDQUSt, 32, at(int32(32*i)), s)
			}
			fn.Emit(x64.Inst{Op: x64.RET})
			for tier := isa.AVX2; tier <= isa.AVX512; tier++ {
				res := run(t, fn, tier)
				code := inner(t, res.Code)
				moves, folded := traffic(code)
				limit := 0
				if tier == isa.AVX2 && test.name == "12 sums, 6 invariants" {
					// A sum and an invariant as operands leave one register: all others are
					// loaded.
					continue
				}
				if tier == isa.AVX2 {
					limit = test.folded
				}
				if moves > 0 || folded > limit {
					t.Errorf("tier %d: %d loads and stores, %d operands in memory in the loop:\n%s", tier, moves, folded, text(fn, code))
				}
			}
		})
	}
}

// TestCopies checks that a copy before an operation that writes its first source vanishes if
// the source dies there.
func TestCopies(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	a, b, d, e := fn.GPR(8, "a"), fn.GPR(8, "b"), fn.GPR(8, "d"), fn.GPR(8, "e")
	fn.Load(x64.MOV, 8, a, 0, at(0))
	fn.Load(x64.MOV, 8, b, 0, at(8))
	fn.Op(x64.MOV, 8, d, 0, a)
	fn.Op(x64.ADD, 8, d, 0, b)
	fn.Op(x64.MOV, 8, e, 0, d)
	fn.Op(x64.SUB, 8, e, 0, b)
	fn.Store(x64.MOVSt, 8, at(16), e)
	fn.Emit(x64.Inst{Op: x64.RET})
	res := run(t, fn, isa.AVX2)
	if res.Stats.Copies != 2 || len(res.Code) != len(fn.Code)-2 {
		t.Errorf("%+v:\n%s", res.Stats, text(fn, res.Code))
	}
}

// TestNarrowCopies: a copy of four bytes vanishes only if the upper bytes of its source are
// already 0.
func TestNarrowCopies(t *testing.T) {
	for _, high := range []bool{false, true} {
		fn := &lir.Func{Slots: 4096}
		a, d := fn.GPR(8, "a"), fn.GPR(8, "d")
		fn.Load(x64.MOV, 4, a, 0, at(0))
		if high {
			fn.Op(x64.ADD, 8, a, 0, x64.RBX)
		}
		fn.Op(x64.ADD, 4, a, 0, a)
		if high {
			fn.Op(x64.ADD, 8, a, 0, a)
		}
		b := fn.GPR(8, "b")
		fn.Op(x64.MOV, 8, b, 0, a)
		fn.Op(x64.MOV, 4, d, 0, b)
		fn.Store(x64.MOVSt, 8, at(16), d)
		fn.Emit(x64.Inst{Op: x64.RET})
		if res := run(t, fn, isa.AVX2); (res.Stats.Copies == 1) != high {
			t.Errorf("high %v: %+v:\n%s", high, res.Stats, text(fn, res.Code))
		}
	}
}

// TestNarrowConstants: a copy of four bytes of an eight-byte constant does not vanish either.
func TestNarrowConstants(t *testing.T) {
	for _, bits := range []uint64{0x12345678, 0x123456789} {
		fn := &lir.Func{Slots: 4096, Pool: []x64.Const{{Bits: bits, Size: 8, Len: 8}}}
		c, sum, d := fn.New(lir.VReg{Class: x64.GPR, Len: 8, Const: 1}), fn.GPR(8, "sum"), fn.GPR(8, "d")
		fn.Op(x64.MOV, 8, sum, 0, c)
		loop(fn, func() {
			fn.Op(x64.ADD, 8, sum, 0, c)
			fn.Op(x64.MOV, 8, d, 0, c)
			fn.Op(x64.MOV, 4, d, 0, d)
			fn.Store(x64.MOVSt, 8, at(16), d)
			fn.Store(x64.MOVSt, 8, at(24), sum)
		})
		fn.Emit(x64.Inst{Op: x64.RET})
		copies := 0
		if bits>>32 == 0 {
			copies = 1
		}
		if res := run(t, fn, isa.AVX2); res.Stats.Copies != copies {
			t.Errorf("%#x: %+v:\n%s", bits, res.Stats, text(fn, res.Code))
		}
	}
}

// pressure emits code that needs all vector registers for its own values.
func pressure(fn *lir.Func) {
	for _, v := range vecs(fn, 40, "own") {
		fn.Op(x64.VPADDD, 32, v, v, v)
		fn.Store(x64.VMOVDQUSt, 32, at(64), v)
	}
	list := vecs(fn, 40, "own")
	for _, v := range list {
		fn.Store(x64.VMOVDQUSt, 32, at(64), v)
	}
}

// TestMergeCarried: if a path skips the instruction that writes all of a register, a merge on
// that path keeps the value of the iteration before.
func TestMergeCarried(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	v, k, x := fn.Vec(32, "v"), fn.Mask("k"), fn.Vec(32, "x")
	top, over := fn.NewLabel(), fn.NewLabel()
	fn.Load(x64.KMOVQ, 8, k, 0, at(0))
	fn.Load(x64.VMOVDQU, 32, x, 0, at(8))
	start := len(fn.Code)
	fn.Bind(top)
	pressure(fn)
	fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: x64.RBX, B: x64.RBX})
	fn.Jump(x64.JE, over)
	fn.Op(x64.VPADDD, 32, v, x, x)
	fn.Bind(over)
	fn.Emit(x64.Inst{Op: x64.VPADDD, Len: 32, Dst: v, A: x, B: x, K: k})
	fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: x64.RBX, B: x64.RBX, Imm: 1})
	fn.Jump(x64.JNE, top)
	fn.Emit(x64.Inst{Op: x64.VMOVDQUSt, Len: 32, K: k, HasMem: true, M: at(128), B: v})
	fn.Emit(x64.Inst{Op: x64.RET})
	res := run(t, fn, isa.AVX512)
	if !slices.Contains(res.LiveAt(start), v) || slices.Contains(res.LiveAt(0), v) {
		t.Error("does not live around the loop, or does in front of it")
	}
}

// TestMergeFirst: a register that is merged first in a loop and read after it lives through
// the whole loop.
func TestMergeFirst(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	v, k, x := fn.Vec(32, "v"), fn.Mask("k"), fn.Vec(32, "x")
	top := fn.NewLabel()
	fn.Load(x64.KMOVQ, 8, k, 0, at(0))
	fn.Load(x64.VMOVDQU, 32, x, 0, at(8))
	fn.Bind(top)
	pressure(fn)
	fn.Emit(x64.Inst{Op: x64.VPADDD, Len: 32, Dst: v, A: x, B: x, K: k})
	fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: x64.RBX, B: x64.RBX})
	fn.Jump(x64.JNE, top)
	fn.Emit(x64.Inst{Op: x64.VMOVDQUSt, Len: 32, K: k, HasMem: true, M: at(128), B: v})
	fn.Emit(x64.Inst{Op: x64.RET})
	res := run(t, fn, isa.AVX512)
	for i, in := range fn.Code {
		if in.Op == x64.JNE && !slices.Contains(res.LiveAt(i), v) || in.Op == x64.LABEL && !slices.Contains(res.LiveAt(i), v) {
			t.Errorf("at %d: not live", i)
		}
	}
	// On the path to the first merge it does not live.
	if slices.Contains(res.LiveAt(1), v) {
		t.Error("live before anything is written to it")
	}
}

// TestMergeOnce: a register whose first write is a merge lives from there on, and not before.
func TestMergeOnce(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	v, k, x := fn.Vec(32, "v"), fn.Mask("k"), fn.Vec(32, "x")
	over := fn.NewLabel()
	fn.Load(x64.KMOVQ, 8, k, 0, at(0))
	fn.Load(x64.VMOVDQU, 32, x, 0, at(8))
	fn.Emit(x64.Inst{Op: x64.VPADDD, Len: 32, Dst: v, A: x, B: x, K: k})
	fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: x64.RBX, B: x64.RBX})
	fn.Jump(x64.JE, over)
	pressure(fn)
	middle := len(fn.Code)
	fn.Bind(over)
	fn.Emit(x64.Inst{Op: x64.VPADDD, Len: 32, Dst: v, A: v, B: x, K: k})
	fn.Emit(x64.Inst{Op: x64.VMOVDQUSt, Len: 32, K: k, HasMem: true, M: at(128), B: v})
	fn.Emit(x64.Inst{Op: x64.RET})
	res := run(t, fn, isa.AVX512)
	if !slices.Contains(res.LiveAt(4), v) || !slices.Contains(res.LiveAt(middle), v) || slices.Contains(res.LiveAt(1), v) {
		t.Error("lives in the wrong places")
	}
}

// TestLongLoop: a register that only the start of a loop reads lives through the whole loop,
// regardless of the number of blocks.
func TestLongLoop(t *testing.T) {
	for _, blocks := range []int{3, 70, 500} {
		fn := &lir.Func{Slots: 4096}
		v := vecs(fn, 1, "v")[0]
		middle := 0
		loop(fn, func() {
			fn.Store(x64.VMOVDQUSt, 32, at(128), v)
			for b := range blocks {
				l := fn.NewLabel()
				fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: x64.RBX, B: x64.RBX, Imm: int64(b)})
				fn.Jump(x64.JE, l)
				fn.Emit(x64.Inst{Op: x64.CDQ, Len: 4})
				fn.Bind(l)
				if b == blocks/2 {
					middle = len(fn.Code)
				}
			}
		})
		fn.Emit(x64.Inst{Op: x64.RET})
		res := run(t, fn, isa.AVX2)
		if !slices.Contains(res.LiveAt(middle), v) || slices.Contains(res.LiveAt(len(fn.Code)-1), v) {
			t.Errorf("%d blocks: lives in the wrong places", blocks)
		}
	}
}

// TestEdges: a register that is live at the target of an edge without code is live at the
// edge; a STATE reads to the instruction after it.
func TestEdges(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	list := vecs(fn, 3, "v")
	a, b := fn.NewLabel(), fn.NewLabel()
	fn.Jump(x64.EDGE, a)
	fn.Jump(x64.EDGE, b)
	jump := len(fn.Code)
	fn.Jump(x64.JMP, b)
	fn.Bind(a)
	fn.Store(x64.VMOVDQUSt, 32, at(0), list[0])
	fn.Bind(b)
	fn.Store(x64.VMOVDQUSt, 32, at(0), list[1])
	fn.StateRegs = append(fn.StateRegs, list[2:]...)
	fn.Emit(fn.AddState(0))
	fn.Emit(x64.Inst{Op: x64.RET})
	res := run(t, fn, isa.AVX2)
	if live := res.LiveAt(jump); len(live) != 3 {
		t.Errorf("%d live at the edges", len(live))
	}
	if live := res.LiveAt(len(fn.Code) - 2); len(live) != 1 || live[0] != list[2] {
		t.Errorf("live at the state: %v", live)
	}
	for _, in := range res.Code {
		if in.Op == x64.EDGE || in.Op == x64.STATE {
			t.Errorf("%s is left", in.Op)
		}
	}
}

// TestNeverRead: a register that is never read lives nowhere, also if the budget of the
// analysis is used up: its writes may have been removed.
func TestNeverRead(t *testing.T) {
	for _, hurry := range []bool{false, true} {
		fn := &lir.Func{Slots: 4096}
		list := vecs(fn, 1, "v")
		gone := fn.Vec(32, "gone")
		a := fn.NewLabel()
		fn.Bind(a)
		fn.Store(x64.VMOVDQUSt, 32, at(0), list[0])
		here := len(fn.Code)
		fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: x64.RBX, B: x64.RBX})
		fn.Jump(x64.JNE, a)
		fn.Emit(x64.Inst{Op: x64.RET})
		for range 2 {
			fn.Emit(x64.Inst{Op: x64.ENTRY, Label: fn.NewLabel()})
			fn.Emit(x64.Inst{Op: x64.UNDEF, Dst: gone})
			fn.Emit(x64.Inst{Op: x64.UNDEF, Dst: list[0]})
			fn.Jump(x64.JMP, a)
		}
		m := Scratch{hurry: hurry}
		res, err := m.Run(fn, isa.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		if live := res.LiveAt(here); len(live) != 1 || live[0] != list[0] {
			t.Errorf("hurry %v: live in the loop: %v", hurry, live)
		}
	}
}

// TestWayAround: a value lives on its path wherever that is in the list, even if no
// instruction names it there.
func TestWayAround(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	x := fn.Vec(32, "x")
	start, around, end := fn.NewLabel(), fn.NewLabel(), fn.NewLabel()
	fn.Jump(x64.JMP, start)
	fn.Bind(around)
	pressure(fn)
	fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: x64.RBX, B: x64.RBX, Imm: 3})
	fn.Jump(x64.JNE, around)
	fn.Jump(x64.JMP, end)
	fn.Bind(start)
	fn.Load(x64.VMOVDQU, 32, x, 0, at(8))
	fn.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: x64.RBX, B: x64.RBX, Imm: 5})
	fn.Jump(x64.JE, around)
	fn.Bind(end)
	fn.Store(x64.VMOVDQUSt, 32, at(160), x)
	fn.Emit(x64.Inst{Op: x64.RET})
	for tier := isa.AVX2; tier <= isa.AVX512; tier++ {
		res := run(t, fn, tier)
		if !slices.Contains(res.LiveAt(3), x) {
			t.Error("not live on the way")
		}
		if slices.Contains(res.LiveAt(0), x) {
			t.Error("live at the start")
		}
	}
}

// TestGather: the registers of a gather differ, although the index dies there and the
// destination was not written before.
func TestGather(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	k, m, d, x := fn.Mask("k"), fn.Mask("m"), fn.Vec(64, "d"), fn.Vec(64, "x")
	fn.Load(x64.KMOVQ, 8, k, 0, at(0))
	fn.Op(x64.KMOVQ, 8, m, 0, k)
	fn.Load(x64.VMOVDQU, 64, x, 0, at(0))
	fn.Emit(x64.Inst{Op: x64.VPGATHERDD, Len: 64, Dst: d, K: k, HasMem: true, M: x64.Mem{Base: x64.RBX, Index: x, Scale: 4}})
	fn.Emit(x64.Inst{Op: x64.VMOVDQUSt, Len: 64, K: m, HasMem: true, M: at(128), B: d})
	fn.Emit(x64.Inst{Op: x64.RET})
	run(t, fn, isa.AVX512)
}

// TestConstants: constants that loops read are loaded once after each entry; constants that
// are read once are memory operands.
func TestConstants(t *testing.T) {
	fn := &lir.Func{Slots: 4096, Pool: []lir.Const{{Bits: 7, Size: 4, Len: 32}, {Bits: 9, Size: 4, Len: 32}}}
	often := fn.New(lir.VReg{Class: x64.Vec, Len: 32, Const: 1})
	once := fn.New(lir.VReg{Class: x64.Vec, Len: 32, Const: 2})
	fn.Emit(x64.Inst{Op: x64.ENTRY, Label: fn.NewLabel()})
	v := vecs(fn, 1, "v")[0]
	fn.Op(x64.VPADDD, 32, v, v, once)
	loop(fn, func() { fn.Op(x64.VPADDD, 32, v, v, often) })
	fn.Store(x64.VMOVDQUSt, 32, at(0), v)
	fn.Emit(x64.Inst{Op: x64.RET})
	res := run(t, fn, isa.AVX2)
	if res.Stats.Constants != 1 || res.Stats.Folded != 1 || res.Stats.Loads != 0 {
		t.Errorf("%+v", res.Stats)
	}
	if res.Code[0].Op != x64.ENTRY || res.Code[1].M.Pool != 1 {
		t.Errorf("the constant is not loaded behind the entry:\n%s", text(fn, res.Code))
	}
	if p := res.Place(once); p.String() != "pool[1]" {
		t.Errorf("%s", p)
	}
}

// TestOperandsInMemory: every operand in memory, of instructions with many operands.
func TestOperandsInMemory(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	long := vecs(fn, 40, "long")
	var gprs, masks []x64.Reg
	for i := range 20 {
		gprs = append(gprs, fn.GPR(8, "g"))
		fn.Load(x64.MOV, 8, gprs[i], 0, at(int32(8*i)))
		masks = append(masks, fn.Mask("k"))
		fn.Load(x64.KMOVQ, 8, masks[i], 0, at(int32(8*i)))
	}
	use := func(i int) {
		v := func(j int) x64.Reg { return long[(i+j)%len(long)] }
		g := func(j int) x64.Reg { return gprs[(i+j)%len(gprs)] }
		fn.Emit(x64.Inst{Op: x64.VFMADD231PS, Len: 32, Dst: v(0), A: v(1), B: v(2), K: masks[i%20]})
		fn.Emit(x64.Inst{Op: x64.VBLENDVPS, Len: 32, Dst: v(0), A: v(1), B: v(2), C: v(3)})
		fn.Emit(x64.Inst{Op: x64.VPGATHERDDVex, Len: 32, Dst: v(0), B: v(1), HasMem: true, M: x64.Mem{Base: g(0), Index: v(2), Scale: 4}})
		fn.Emit(x64.Inst{Op: x64.ADD, Len: 8, Dst: g(0), HasMem: true, M: x64.Mem{Base: g(1), Index: g(2), Scale: 8, Disp: 5}})
		fn.Emit(x64.Inst{Op: x64.MOVSt, Len: 8, B: g(0), HasMem: true, M: x64.Mem{Base: g(1), Index: g(2), Scale: 8, Disp: 5}})
		fn.Emit(x64.Inst{Op: x64.PDEP, Len: 8, Dst: g(0), A: g(1), B: g(2)})
		fn.Emit(x64.Inst{Op: x64.VPCMPD, Len: 32, Dst: masks[i%20], A: v(1), B: v(2), K: masks[(i+1)%20], Imm: 1})
	}
	loop(fn, func() {
		for i := range 40 {
			use(i)
		}
	})
	for i, v := range long {
		fn.Store(x64.VMOVDQUSt, 32, at(int32(32*i)), v)
	}
	for i := range gprs {
		fn.Store(x64.MOVSt, 8, at(int32(16*i)), gprs[i])
		fn.Store(x64.KMOVQSt, 8, at(int32(16*i+8)), masks[i])
	}
	fn.Emit(x64.Inst{Op: x64.RET})
	for tier := isa.AVX2; tier <= isa.AVX512; tier++ {
		run(t, fn, tier)
	}
}

// TestImplicit: a register that an instruction reads without naming it is not given to
// another value before it.
func TestImplicit(t *testing.T) {
	fn := &lir.Func{Name: "implicit", Slots: 4096}
	fn.Emit(x64.Inst{Op: x64.ENTRY, Label: fn.NewLabel()})
	v := fn.GPR(8, "v")
	fn.Load(x64.MOV, 8, x64.RCX, 0, at(0))
	fn.Load(x64.MOV, 8, v, 0, at(8))
	fn.Emit(x64.Inst{Op: x64.SHLCL, Len: 8, Dst: v})
	fn.Store(x64.MOVSt, 8, at(16), v)
	fn.Emit(x64.Inst{Op: x64.RET})
	if r := run(t, fn, isa.AVX2).Place(v).Reg; r == 0 || r == x64.RCX {
		t.Errorf("in register %d, want another than that of the count, %d", r, x64.RCX)
	}
}

// TestErrors: wrong code gives an error, never a panic or wrong output.
func TestErrors(t *testing.T) {
	ret := x64.Inst{Op: x64.RET}
	tests := []struct {
		want string
		fn   lir.Func
	}{
		{"label 1 is not one of 1 to 0", lir.Func{Code: []x64.Inst{{Op: x64.LABEL, Label: 1}, ret}}},
		{"label 2 is nowhere", lir.Func{Labels: 2, Code: []x64.Inst{{Op: x64.JMP, Label: 2}}}},
		{"is there twice", lir.Func{Labels: 2, Code: []x64.Inst{{Op: x64.LABEL, Label: 2}, {Op: x64.LABEL, Label: 2}}}},
		{"without a label", lir.Func{Labels: 2, Code: []x64.Inst{{Op: x64.JE}}}},
		{"COLD without HOT", lir.Func{Code: []x64.Inst{ret, {Op: x64.COLD}}}},
		{"HOT without COLD", lir.Func{Code: []x64.Inst{ret, {Op: x64.HOT}}}},
		{"falls out", lir.Func{Code: []x64.Inst{ret, {Op: x64.COLD}, {Op: x64.CDQ}, {Op: x64.HOT}, ret}}},
		{"in a cold region", lir.Func{Code: []x64.Inst{ret, {Op: x64.COLD}, {Op: x64.COLD}, {Op: x64.HOT}, ret}}},
		{"no register 64", lir.Func{Code: []x64.Inst{{Op: x64.MOV, Len: 8, Dst: x64.RAX, B: x64.Virtual}}}},
		{"no register -3", lir.Func{Code: []x64.Inst{{Op: x64.MOV, Len: 8, Dst: x64.RAX, B: -3}}}},
		{"has 5 bytes", lir.Func{VRegs: []lir.VReg{{Class: x64.GPR, Len: 5}}}},
		{"constant 0 of 0", lir.Func{VRegs: []lir.VReg{{Class: x64.GPR, Len: 8, Const: 1}}}},
		{"writes a constant", lir.Func{Pool: []lir.Const{{Bits: 1, Size: 8, Len: 8}}, VRegs: []lir.VReg{{Class: x64.GPR, Len: 8, Const: 1}},
			Code: []x64.Inst{{Op: x64.MOV, Len: 8, Dst: x64.Virtual, B: x64.RAX}}}},
	}
	for _, test := range tests {
		_, err := Run(&test.fn, isa.AVX2)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	if _, err := Run(&lir.Func{}, isa.AVX512); err != nil {
		t.Errorf("nothing: %v", err)
	}
}
