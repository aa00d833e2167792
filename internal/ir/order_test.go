package ir

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomFlow makes a function of n blocks. Each block has one marked Nop, and an end that goes to
// random blocks. If forward is set, there are no loops.
func randomFlow(t *testing.T, r *rand.Rand, n int, forward bool) *Func {
	t.Helper()
	b := NewBuilder("k", 32)
	b.Vector("pad", B32)
	p := b.Vector("p", B1)
	labels := make([]Label, n)
	for i := range labels {
		labels[i] = b.NewLabel()
	}
	// In a forward flow, the layout of the blocks differs from their order.
	place := r.Perm(n)
	if i := slices.Index(place, 0); forward || r.IntN(2) > 0 {
		place[0], place[i] = place[i], place[0]
	}
	order := make([]int, n) // indexed by place
	for i, at := range place {
		order[at] = i
	}
	to := func(i int) Label {
		if forward {
			return labels[i+1+r.IntN(n-i-1)]
		}
		return labels[r.IntN(n)]
	}
	for at, i := range order {
		b.Bind(labels[i])
		b.At(Pos{Line: i + 1, Name: "block", Text: "block"})
		b.Emit(Inst{Op: Nop})
		last := at == n-1
		switch k := r.IntN(6); {
		case forward && i == n-1 || last && k == 0:
			b.Emit(Inst{Op: Exit})
		case k == 0 && (!forward || !last && order[at+1] > i):
			b.Guard(p, false)
			b.Emit(Inst{Op: Exit})
			b.Guard(0, false)
		case k == 1 && !last && (!forward || order[at+1] > i):
			b.Emit(Inst{Op: Bar})
		case k == 2 && !last && (!forward || order[at+1] > i):
			// falls through
		case k < 5 && !last && (!forward || order[at+1] > i):
			b.Guard(p, r.IntN(2) == 0)
			b.Bra(to(i))
			b.Guard(0, false)
		default:
			b.Bra(to(i))
		}
		if last && !forward {
			b.Emit(Inst{Op: Exit})
		}
	}
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// walk follows one lane through the function, with random guards, and returns the lines of the
// marks on its path.
func walk(f *Func, r *rand.Rand, steps int) (lines []int) {
	pc := 0
	for range steps {
		b := f.Blocks[pc]
		for i := b.Start; i < b.End; i++ {
			if f.Code[i].Op == Nop {
				lines = append(lines, f.Pos[f.Code[i].Pos].Line)
			}
		}
		last := &f.Code[b.End-1]
		taken := true
		if last.Guard != 0 {
			// r is drawn once for each branch of the original function.
			taken = r.IntN(2) == 0
		}
		switch {
		case last.Op == Bra && taken:
			pc = int(last.Imm)
		case last.Op == Exit && taken:
			return append(lines, -1)
		default:
			pc++
		}
	}
	return lines
}

// TestConvergeKeepsTheFlow checks that a lane takes the same path before and after.
func TestConvergeKeepsTheFlow(t *testing.T) {
	t.Parallel()
	moved := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 3 + r.IntN(14)
		f := randomFlow(t, r, n, seed%3 == 0)
		old := *f
		old.Code, old.Blocks = slices.Clone(f.Code), slices.Clone(f.Blocks)
		f.Converge()
		if err := f.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(old.Blocks, f.Blocks) {
			moved++
		}
		for way := range uint64(20) {
			a, b := walk(&old, rand.New(rand.NewPCG(seed, way)), 200), walk(f, rand.New(rand.NewPCG(seed, way)), 200)
			m := min(len(a), len(b)) // inserted branches take additional steps
			if !slices.Equal(a[:m], b[:m]) || m < 60 && len(a) != len(b) && (a[len(a)-1] == -1) != (b[len(b)-1] == -1) {
				t.Fatalf("seed %d, way %d: %v, was %v", seed, way, b, a)
			}
		}
	}
	if moved < 1000 {
		t.Errorf("only %d functions changed", moved)
	}
}

// TestConvergeSorts checks that a block comes after all its predecessors if there are no loops.
func TestConvergeSorts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := randomFlow(t, r, 3+r.IntN(20), true)
		f.Converge()
		reached := make([]bool, len(f.Blocks))
		reached[0] = true
		for changed := true; changed; {
			changed = false
			for bi, b := range f.Blocks {
				if !reached[bi] {
					continue
				}
				last := &f.Code[b.End-1]
				if last.Op == Bra {
					changed = changed || !reached[last.Imm]
					reached[last.Imm] = true
					if int(last.Imm) <= bi {
						t.Fatalf("seed %d: block %d leads back to %d", seed, bi, last.Imm)
					}
				}
				if !(last.Op == Bra || last.Op == Exit) || last.Guard != 0 {
					changed = changed || !reached[bi+1]
					reached[bi+1] = true
				}
			}
		}
	}
}

// TestConvergeInTime checks that long chains of blocks and deep nests of loops take little time.
func TestConvergeInTime(t *testing.T) {
	t.Parallel()
	b := NewBuilder("k", 32)
	b.Vector("pad", B32)
	p := b.Vector("p", B1)
	const n = 3000
	var tops []Label
	for range n {
		l := b.NewLabel()
		b.Bind(l)
		b.At(Pos{Line: 1})
		b.Emit(Inst{Op: Nop})
		tops = append(tops, l)
	}
	for i := range n {
		b.At(Pos{Line: 2})
		b.Guard(p, false)
		b.Bra(tops[n-1-i])
		b.Bra(tops[n-1-i])
		b.Guard(0, false)
	}
	b.Emit(Inst{Op: Exit})
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	f.Converge()
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
}
