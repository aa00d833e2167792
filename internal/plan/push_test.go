package plan

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/lane"
)

// TestPush plans maps that are easier to send than to read, and twins of them that need a read.
func TestPush(t *testing.T) {
	t.Parallel()
	decoded := func(i int) int { // the number whose Gray code is i
		return i ^ i>>1 ^ i>>2 ^ i>>3 ^ i>>4 ^ i>>5
	}
	for _, c := range []struct {
		how    string
		source func(i int) int // -1: zero, -2: keep
		pushes bool
	}{
		{"lane i reads the lane whose Gray code is i: lane j sends to j ^ j>>1", decoded, true},
		{"lane i reads the Gray code of i", func(i int) int { return i ^ i>>1 }, false},
		{"the odd lanes first, then zeros: lane j sends to j>>1, and the odd one of two wins", func(i int) int {
			if i < 32 {
				return 2*i + 1
			}
			return -1
		}, true},
		{"two lanes read one", func(i int) int { return decoded(i) &^ 1 }, false},
		{"the odd lanes first; the others keep", func(i int) int {
			if i < 32 {
				return 2*i + 1
			}
			return -2
		}, false},
	} {
		goal := make([]string, 64)
		for i := range goal {
			switch src := c.source(i); src {
			case -1:
				goal[i] = "z"
			case -2:
				goal[i] = "="
			default:
				goal[i] = sourceText(int8(src))
			}
		}
		p, err := Plan(context.Background(), strings.Join(goal, ","), api.PlanOptions{Target: "gfx803"})
		if err != nil {
			t.Errorf("%s: %v", c.how, err)
			continue
		}
		pushes := slices.ContainsFunc(p.Answers[0].Code, func(s string) bool { return strings.HasPrefix(s, "ds_permute_b32 ") })
		if pushes != c.pushes {
			t.Errorf("%s: a send is %v, want %v:\n%s", c.how, pushes, c.pushes, p.Text())
		}
	}
}

// TestPushes proves every send that is found for random maps in which no lane is read twice, with
// zeros, free lanes and lanes that are not active, by running it.
func TestPushes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 9))
	w := gcn3Writer{pushName: "ds_permute_b32"}
	p := &planner{ctx: context.Background(), out: &api.Plan{ISA: api.GCN3, Prefer: "latency"}, n: 64}
	tables, formulas, chosen := 0, 0, 0
	for k := range short.Of(400, 60) {
		g := &goal{n: 64, active: lane.All(64)}
		if k%4 == 3 {
			g.active = lane.Mask(r.Uint64())
		}
		order := r.Perm(64)
		shift, flip := r.IntN(64), r.IntN(64)
		for i := range g.want {
			g.want[i] = int8(order[i])
			if k%3 == 0 { // one that has a formula
				g.want[i] = int8((i+shift)%64 ^ flip*(k&1))
			}
			if k%2 == 0 && r.IntN(4) == 0 {
				g.want[i] = []int8{free, zero}[r.IntN(2)]
			}
			if !g.active.Has(i) || g.want[i] >= 0 && !g.active.Has(int(g.want[i])) {
				g.want[i] = free
			}
		}
		s := &search{g: g, isa: api.GCN3, d: fullGCN3(), w: w}
		s.pushed(w)
		for _, q := range s.out {
			m, err := p.measure(q)
			if err != nil || len(m.finds) > 0 {
				t.Fatalf("%s: %v %v", q.how, err, m)
			}
			text := m.text(api.GCN3)
			if _, err := proveMap(context.Background(), &run{isa: api.GCN3, n: 64, active: g.active, text: text}, g); err != nil {
				t.Fatalf("%v, active %#x: %v:\n%s", g.want.text(64), uint64(g.active), err, strings.Join(text, "\n"))
			}
			isTable := strings.Contains(q.how, "table")
			tables += btoi(isTable)
			formulas += btoi(!isTable)
			chosen += btoi(strings.Contains(m.code[len(m.code)-1], "cndmask"))
		}
	}
	// Each of these goals has a lane to which the others can send without harm.
	if goals := short.Of(400, 60); tables != goals || formulas == 0 || chosen == 0 {
		t.Errorf("%d tables for %d goals, %d formulas, %d of both with chosen zeros: one of these was not tested", tables, goals, formulas, chosen)
	}
}

// TestLostPushes finds sends for the even lanes. The formula j >> 1 fits them, but lane 2k + 1 would
// overwrite lane 2k: only a table sends the odd lanes elsewhere, and lane 63, which no lane
// overwrites, needs a lane that may get anything.
func TestLostPushes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		odd  int
		rest int8 // of lanes 32 to 63
		want []string
	}{
		{0, zero, nil},
		{0, free, []string{"table"}},
		{1, zero, []string{"affine", "table"}},
	} {
		g := &goal{n: 64, active: lane.All(64)}
		for i := range g.want {
			g.want[i] = c.rest
			if i < 32 {
				g.want[i] = int8(2*i + c.odd)
			}
		}
		s := &search{g: g, isa: api.GCN3, d: fullGCN3(), w: gcn3Writer{}}
		s.pushed(gcn3Writer{pushName: "ds_permute_b32"})
		got := make([]string, len(s.out))
		for i, q := range s.out {
			got[i] = q.how
		}
		if !slices.EqualFunc(got, c.want, strings.Contains) {
			t.Errorf("lanes 2k + %d, then %s: %q, want %q", c.odd, sourceText(c.rest), got, c.want)
		}
	}
}
