package alloc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/internal/short"
)

// TestPieces compares the results of programs before and after they are ordered by pieces:
// with random pieces, only the order of stores to different addresses changes.
func TestPieces(t *testing.T) {
	t.Parallel()
	moved := 0
	var p lir.Piecer
	for seed := range short.Of(uint64(300), 60) {
		fn := generate(seed+1000, 20+int(seed%5)*60)
		r := rand.New(rand.NewPCG(seed, 7))
		n := 2 << r.IntN(3)
		own := make([]uint16, len(fn.VRegs))
		for i := range own {
			if fn.VRegs[i].Const == 0 && r.IntN(8) > 0 {
				own[i] = 1 << r.IntN(n)
			}
		}
		old := slices.Clone(fn.Code)
		p.Order(fn, own, n, r.IntN(6))
		if err := lir.Verify(fn); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range old {
			if in := &old[i]; in.Label != 0 || in.Op == x64.NOP {
				if fn.Code[i] != *in {
					t.Fatalf("seed %d: instruction %d has moved", seed, i)
				}
			} else if fn.Code[i] != *in {
				moved++
			}
		}
		const events, steps = 4000, 20000
		want := newMachine(fn, old, 4096, seed)
		if err := want.run(events, steps); err != nil {
			t.Fatal(err)
		}
		if len(want.trace) == 0 || want.trace[len(want.trace)-1] != "ret" {
			continue // it does not end
		}
		got := newMachine(fn, fn.Code, 4096, seed)
		if err := got.run(events, steps); err != nil {
			t.Fatal(err)
		}
		slices.Sort(want.trace)
		slices.Sort(got.trace)
		if err := same(want.trace, got.trace); err != nil || len(want.trace) != len(got.trace) || !bytes.Equal(want.frame, got.frame) {
			t.Fatalf("seed %d: %d events instead of %d: %v", seed, len(got.trace), len(want.trace), err)
		}
	}
	if moved < short.Of(1000, 200) {
		t.Errorf("%d instructions have moved", moved)
	}
}

// TestPiecesInOrder: two operations on four pieces, with sums that are needed together.
func TestPiecesInOrder(t *testing.T) {
	t.Parallel()
	fn := &lir.Func{Name: "turn"}
	a, b, c := vecs(fn, 4, "a"), make([]x64.Reg, 4), make([]x64.Reg, 4)
	own := []uint16{1, 2, 4, 8}
	for _, to := range [][]x64.Reg{b, c} {
		for u := range to {
			to[u] = fn.Vec(32, "")
			own = append(own, 1<<u)
			fn.Op(x64.VPADDD, 32, to[u], a[u], a[u])
			if &to[0] == &c[0] {
				fn.Op(x64.VPMULLD, 32, to[u], to[u], b[u])
			}
			for range 2 {
				fn.Op(x64.VPADDD, 32, to[u], to[u], a[u])
			}
		}
	}
	sum := fn.Vec(32, "sum")
	own = append(own, 0)
	fn.Op(x64.VPADDD, 32, sum, c[0], c[3])
	new(lir.Piecer).Order(fn, own, 4, 4)
	piece := -1
	for i := range fn.Code[:len(fn.Code)-1] {
		in := &fn.Code[i]
		u := max(slices.Index(a, in.Dst), slices.Index(b, in.Dst), slices.Index(c, in.Dst))
		if u < piece {
			t.Errorf("instruction %d is of piece %d behind piece %d", i, u, piece)
		}
		piece = u
	}
	if fn.Code[len(fn.Code)-1].Dst != sum {
		t.Error("the sum is not the last")
	}
}

// TestPiecesFlags: two pieces read the flags of one comparison, and an instruction of the
// first piece after them sets other flags.
func TestPiecesFlags(t *testing.T) {
	t.Parallel()
	fn := &lir.Func{Name: "flags"}
	v := vecs(fn, 4, "v")
	a, b, c, d := fn.GPR(8, "a"), fn.GPR(8, "b"), fn.GPR(8, "c"), fn.GPR(8, "d")
	own := []uint16{1, 2, 1, 2, 1, 2, 0, 1}
	for i, r := range []x64.Reg{a, b, c, d} {
		fn.Load(x64.MOV, 8, r, 0, at(int32(8*i)))
	}
	fn.Emit(x64.Inst{Op: x64.CMPImm, Len: 8, B: shared(fn, &own), Imm: 3})
	fn.Op(x64.CMOVE, 8, a, 0, c)
	fn.Op(x64.CMOVE, 8, b, 0, c)
	fn.Emit(x64.Inst{Op: x64.ADDImm, Len: 8, Dst: d, Imm: 5})
	for i, r := range []x64.Reg{a, b, c, d} {
		fn.Store(x64.MOVSt, 8, at(int32(8*i)), r)
	}
	for i, r := range v {
		fn.Store(x64.VMOVDQUSt, 32, at(int32(64+32*i)), r)
	}
	old := slices.Clone(fn.Code)
	new(lir.Piecer).Order(fn, own, 2, 0)
	if slices.Equal(old, fn.Code) {
		t.Error("nothing has moved")
	}
	cmp := slices.IndexFunc(fn.Code, func(in x64.Inst) bool { return in.Op == x64.CMPImm })
	add := slices.IndexFunc(fn.Code, func(in x64.Inst) bool { return in.Op == x64.ADDImm })
	for i := range fn.Code {
		if fn.Code[i].Op == x64.CMOVE && (i < cmp || i > add) {
			t.Errorf("the flags of instruction %d are read at %d, and others set at %d", cmp, i, add)
		}
	}
}

// shared returns a general register of no piece, which is loaded here.
func shared(fn *lir.Func, own *[]uint16) x64.Reg {
	r := fn.GPR(8, "shared")
	*own = append(*own, 0)
	fn.Load(x64.MOV, 8, r, 0, at(48))
	return r
}
