package ir

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFoldConstants checks that a shuffle's register operand becomes a constant exactly if a single
// unguarded write dominates it.
func TestFoldConstants(t *testing.T) {
	t.Parallel()
	shfl := func(b *Builder, v, c Ref) {
		b.At(Pos{Text: "shfl"})
		b.Emit(Inst{Op: Shfl, Dst: v, Args: [4]Ref{v, c, b.Const(B32, 31)}})
	}
	for _, tc := range []struct {
		name string
		emit func(b *Builder, v, c, p Ref)
		want []bool // whether each shuffle is folded
	}{
		{"straight line", func(b *Builder, v, c, p Ref) { b.Move(c, b.Const(B32, 5)); shfl(b, v, c) }, []bool{true}},
		{"used before", func(b *Builder, v, c, p Ref) { shfl(b, v, c); b.Move(c, b.Const(B32, 5)); shfl(b, v, c) }, []bool{false, true}},
		{"written twice", func(b *Builder, v, c, p Ref) {
			b.Move(c, b.Const(B32, 5))
			b.Move(c, b.Const(B32, 6))
			shfl(b, v, c)
		}, []bool{false}},
		{"guarded", func(b *Builder, v, c, p Ref) {
			b.Guard(p, false)
			b.Move(c, b.Const(B32, 5))
			shfl(b, v, c)
		}, []bool{false}},
		{"not a constant", func(b *Builder, v, c, p Ref) { b.Move(c, v); shfl(b, v, c) }, []bool{false}},
		{"in one branch", func(b *Builder, v, c, p Ref) {
			skip := b.NewLabel()
			b.Guard(p, false)
			b.Bra(skip)
			b.Guard(0, false)
			b.Move(c, b.Const(B32, 5))
			shfl(b, v, c)
			b.Bind(skip)
			shfl(b, v, c)
		}, []bool{true, false}},
		{"before a loop", func(b *Builder, v, c, p Ref) {
			b.Move(c, b.Const(B32, 5))
			loop := b.NewLabel()
			b.Bind(loop)
			shfl(b, v, c)
			b.Guard(p, false)
			b.Bra(loop)
		}, []bool{true}},
		{"later in a loop", func(b *Builder, v, c, p Ref) {
			loop := b.NewLabel()
			b.Bind(loop)
			shfl(b, v, c)
			b.Move(c, b.Const(B32, 5))
			b.Guard(p, false)
			b.Bra(loop)
		}, []bool{false}},
	} {
		b := NewBuilder("f", 32)
		v, c, p := b.Vector("v", B32), b.Vector("c", B32), b.Vector("p", B1)
		b.At(Pos{Text: "x"})
		tc.emit(b, v, c, p)
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		f.FoldConstants()
		if err := f.Validate(); err != nil {
			t.Error(err)
		}
		var got []bool
		for i := range f.Code {
			if f.Code[i].Op == Shfl {
				got = append(got, f.Val(f.Code[i].Args[1]).Kind == Const)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: folded %v, want %v\n%s", tc.name, got, tc.want, f.Print())
		}
	}
}

// TestDominators compares dominators of random graphs with the definition: a dominates b if every
// path to b goes through a.
func TestDominators(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + r.IntN(24)
		b := NewBuilder("f", 32)
		p := b.Vector("p", B1)
		labels := make([]Label, n)
		for i := range labels {
			labels[i] = b.NewLabel()
		}
		for i := range labels {
			b.At(Pos{Text: fmt.Sprint(i)})
			b.Bind(labels[i])
			switch r.IntN(4) {
			case 0:
				b.Emit(Inst{Op: Exit})
			case 1:
				b.Bra(labels[r.IntN(n)])
			case 2:
				b.Guard(p, false)
				b.Bra(labels[r.IntN(n)])
			default:
				b.To(p, NotP, p)
			}
		}
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		reach := func(without int) []bool {
			seen := make([]bool, len(f.Blocks))
			work := []int{0}
			for len(work) > 0 {
				x := work[len(work)-1]
				work = work[:len(work)-1]
				if seen[x] || x == without {
					continue
				}
				seen[x] = true
				work = f.successors(x, work)
			}
			return seen
		}
		dom, all := f.dominators(), reach(-1)
		for a := range f.Blocks {
			rest := reach(a)
			for x := range f.Blocks {
				want := all[x] && all[a] && !rest[x]
				if got := dom.Dominates(a, x); got != want {
					t.Fatalf("block %d dominates %d: %v, want %v\n%s", a, x, got, want, f.Print())
				}
			}
		}
	}
}
