package plan

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/short"
)

// rowShuffle is a random permutation of each row, in which some lanes may get any value.
func rowShuffle(r *rand.Rand, holes int) (want lanes) {
	for row := range 4 {
		for i, s := range r.Perm(16) {
			want[16*row+i] = int8(16*row + s)
		}
	}
	for range holes {
		want[r.IntN(64)] = free
	}
	return want
}

// TestBenes lets values go through the networks: each lane that wants one gets its own.
func TestBenes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	orders := [][4]int{{8, 7, 2, 1}, {1, 2, 7, 8}, {7, 1, 8, 2}, {2, 8, 1, 7}}
	for k := range short.Of(2000, 300) {
		want := rowShuffle(r, []int{0, 0, 20, 60}[k%4])
		order := orders[k/4%len(orders)]
		n, ok := benes(&want, order)
		if !ok {
			t.Fatalf("%v is not routed", want.text(64))
		}
		var value [64]int8
		for i := range value {
			value[i] = int8(i)
		}
		for stage, m := range n {
			by := order[min(stage, 6-stage)]
			next := value
			for i := range value {
				if m.Has(i) != m.Has(i^by) {
					t.Fatalf("stage %d exchanges lane %d and not lane %d", stage, i, i^by)
				}
				if m.Has(i) {
					next[i] = value[i^by]
				}
			}
			value = next
		}
		for i, w := range want {
			if w != free && value[i] != w {
				t.Fatalf("%v in the order %v: lane %d gets %d", want.text(64), order, i, value[i])
			}
		}
	}
	var own lanes
	for i := range own {
		own[i] = int8(i)
	}
	if n, _ := benes(&own, orders[0]); n != (network{}) {
		t.Errorf("a copy has exchanges: %v", n)
	}
	for _, c := range []struct{ lane, source int8 }{{0, 16}, {0, 1}, {3, zero}} { // of another row; read twice; no lane
		m := own
		if m[c.lane] = c.source; c.source == 1 {
			m[1] = 1
		}
		if _, ok := benes(&m, orders[0]); ok {
			t.Errorf("lane %d reads %d", c.lane, c.source)
		}
	}
	for i, m := range benesMasks() {
		if bits.OnesCount(uint(m.by)) == 0 || i > 0 && m.by >= benesMasks()[i-1].by {
			t.Errorf("%v", m)
		}
	}
}

// TestNetworks plans random permutations of rows without LDS; each answer proves itself.
func TestNetworks(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	for range short.Of(12, 4) {
		want := rowShuffle(r, 0)
		var list []string
		for _, s := range want {
			list = append(list, fmt.Sprint(s))
		}
		p, err := Plan(context.Background(), strings.Join(list, ","), api.PlanOptions{Target: "gfx803", Prefer: "no-lds"})
		if err != nil {
			t.Fatal(err)
		}
		if a := p.Answers[0]; !strings.Contains(a.How, "exchanges within rows") || a.Cost.LDS != 0 || a.Proof.Lanes != 64 {
			t.Errorf("%s: %+v", p.Goal, a)
		}
	}
	// Over rows there is none.
	if _, err := Plan(context.Background(), "transpose 8x8", api.PlanOptions{Target: "gfx803", Prefer: "no-lds"}); err == nil {
		t.Error("a transpose has a network")
	}
}
