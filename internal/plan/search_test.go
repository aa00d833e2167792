package plan

import (
	"cmp"
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/lane"
)

var randomProducts = flag.Int("products", 0, "how many random products of moves TestRandomProducts plans for each target; 0: 100, and 25 with -short")

// least returns the measured sequence of the least latency for a goal.
func least(t *testing.T, p *planner, g *goal) *measured {
	t.Helper()
	list := p.measureAll(moveSequences(g, p.out.ISA == api.GCN3))
	if len(list) == 0 {
		t.Fatalf("no sequence for %v", g.want.text(g.n))
	}
	return slices.MinFunc(list, func(a, b *measured) int { return cmp.Compare(a.cost.Latency, b.cost.Latency) })
}

// TestRandomProducts composes up to three random moves. The answer for the composition must not
// cost more than these moves; every tenth answer is proved.
func TestRandomProducts(t *testing.T) {
	t.Parallel()
	for _, target := range targets {
		isa, d := api.GCN3, fullGCN3()
		if target.n == 32 {
			isa, d = api.PTX, fullPTX()
		}
		p := &planner{ctx: context.Background(), out: &api.Plan{ISA: isa, Prefer: "latency"}, n: target.n, active: lane.All(target.n)}
		r := rand.New(rand.NewPCG(7, uint64(target.n)))
		for k := range cmp.Or(*randomProducts, short.Of(100, 25)) {
			list := make([]int, 1+r.IntN(3))
			for i := range list {
				// Half of the moves are those without LDS, of which there are few.
				list[i] = r.IntN(len(d.moves))
				if r.IntN(2) == 0 {
					list[i] = r.IntN(d.plain)
				}
			}
			g := &goal{n: target.n, active: lane.All(target.n), want: d.moves[list[0]].m}
			for _, m := range list[1:] {
				g.want = follow(&g.want, &d.moves[m].m, d.n)
			}
			s := &search{g: g, d: d, w: gcn3Writer{}, prices: gcn3Prices()}
			if isa == api.PTX {
				s.w, s.prices = ptxWriter{active: lane.All(32)}, ptxPrices()
			}
			product, err := p.measure(s.product(list))
			if err != nil {
				t.Fatal(err)
			}
			kinds := make([]kind, len(list))
			for i, m := range list {
				kinds[i] = d.moves[m].kind
			}
			if c := s.prices.of(kinds...); c != product.cost.Latency {
				t.Fatalf("%s: the price of %v is %d, but the product has %d:\n%s", target.name, kinds, c, product.cost.Latency, strings.Join(product.code, "\n"))
			}
			best := least(t, p, g)
			if best.cost.Latency > product.cost.Latency {
				t.Errorf("%s: %q of latency %d, but the product has %d:\n%s\n%s", target.name, best.how, best.cost.Latency, product.cost.Latency, strings.Join(product.code, "\n"), g.want.text(g.n))
			}
			if k%10 == 0 {
				text := best.text(isa)
				if _, err := proveMap(context.Background(), &run{isa: isa, n: target.n, active: g.active, text: text}, g); err != nil {
					t.Errorf("%s: %v:\n%s", target.name, err, strings.Join(text, "\n"))
				}
			}
		}
	}
}

// TestPairs compares the search without LDS with all pairs of DPP moves, composed one by one: it finds
// one move for the map of one, two for the maps that need two, and no pair for other maps.
func TestPairs(t *testing.T) {
	t.Parallel()
	d := fullGCN3()
	shortest := map[lanes]int{}
	for i := range d.moves[:d.plain] {
		shortest[d.moves[i].m] = 1
	}
	var order []lanes
	for i := range d.moves[:d.plain] {
		for j := range d.moves[:d.plain] {
			m := follow(&d.moves[i].m, &d.moves[j].m, d.n)
			if shortest[m] == 0 {
				shortest[m] = 2
				order = append(order, m)
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	stride := short.Of(40, 400)
	long := 0
	for k := 0; k < len(order); k += stride {
		for _, want := range []lanes{order[k], d.moves[r.IntN(d.plain)].m, follow(&order[k], &d.moves[r.IntN(d.plain)].m, d.n)} {
			p := newProducts(d)
			p.shape(&want, shape{kinds: []kind{kindDPP}, latency: 1})
			p.shape(&want, shape{kinds: []kind{kindDPP, kindDPP}, latency: 2})
			got := len(p.best[0])
			if got != shortest[want] {
				t.Fatalf("%v: %d moves, all pairs say %d", want.text(64), got, shortest[want])
			}
			long += btoi(got == 0)
			p.shape(&want, shape{kinds: []kind{kindDPP, kindDPP, kindDPP}, latency: 3})
			if n := len(p.best[0]); n == 0 || got > 0 && n > got {
				t.Fatalf("%v: %d moves of at most three", want.text(64), n)
			}
		}
	}
	if long == 0 {
		t.Error("no map needs more than two moves")
	}
	t.Logf("%d maps of two moves", len(order))
}

// TestPermutations compares meet in the middle with a search in breadth from one side.
func TestPermutations(t *testing.T) {
	t.Parallel()
	p, one := gcn3LongPermutations(), makePermutations(fullGCN3(), 1)
	if got := []int{len(p.known), len(p.known) - len(p.levels[4]), len(p.levels[1]), len(p.moves)}; !slices.Equal(got, []int{66373, 7248, 42, 42}) {
		t.Errorf("%d products of at most four, %d of at most three, %d of one, %d moves; want 66373, 7248, 42 and 42", got[0], got[1], got[2], got[3])
	}
	for k := range fullGCN3().moves[:fullGCN3().plain] {
		m := &fullGCN3().moves[k].m
		if _, ok := periodicOf(m); ok != m.bijective(64) {
			t.Errorf("%v: a permutation that is not periodic, or the reverse", m.text(64))
		}
	}
	for long, level := range p.levels[:3] {
		for k, q := range level {
			if k%11 != 0 {
				continue
			}
			want := q.lanes()
			list := one.find(&want)
			if long == 0 {
				list = p.find(&want)
			}
			if len(list) != long {
				t.Fatalf("%v has %d moves, want %d", want.text(64), len(list), long)
			}
		}
	}
}

// TestLongPermutations plans products of seven and eight moves: the product is the goal, and as short as the lengths of its
// halves from a search in breadth allow.
func TestLongPermutations(t *testing.T) {
	t.Parallel()
	p, d := gcn3LongPermutations(), fullGCN3()
	r := rand.New(rand.NewPCG(7, 8))
	product := func(list []int) (m lanes) {
		for i := range m {
			m[i] = int8(i)
		}
		for _, k := range list {
			m = follow(&m, &d.moves[k].m, 64)
		}
		return m
	}
	lengths := map[int]int{}
	for range short.Of(40, 12) {
		a, b := p.levels[4][r.IntN(len(p.levels[4]))], p.levels[4][r.IntN(len(p.levels[4]))]
		q := a.then(&b)
		want := q.lanes()
		list := p.find(&want)
		if list == nil || len(list) > 8 || product(list) != want {
			t.Fatalf("%v: %d moves, want 8 or fewer", want.text(64), len(list))
		}
		lengths[len(list)]++
		if len(list) > 6 && lengths[len(list)] == 1 && shorter(p, &q, len(list)) {
			t.Fatalf("%v has a product of fewer than %d moves", want.text(64), len(list))
		}
	}
	if lengths[7] == 0 || lengths[8] == 0 {
		t.Errorf("lengths: %v", lengths)
	}
	for k := 1; k <= 8; k++ { // only wave rotations change rows
		var want lanes
		for i := range want {
			want[i] = int8((i + k) % 64)
		}
		if list := p.find(&want); len(list) != k {
			t.Errorf("rotate %d: %d moves", k, len(list))
		}
	}
}

// shorter looks for a product of fewer moves, from each last move.
func shorter(p *permutations, want *periodic, long int) bool {
	for _, tail := range p.levels[1] {
		undo := tail.inverse()
		rest := want.then(&undo)
		m := rest.lanes()
		if list := p.find(&m); list != nil && len(list)+int(p.known[tail].long) < long {
			return true
		}
	}
	return false
}

// TestIndexes compares formulas with the maps that they are made for: every affine map over F2 of a
// sample, partly with free lanes, and random maps, which only a table fits.
func TestIndexes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 32 << r.IntN(2)
		var want lanes
		var columns [6]int
		for j := range columns {
			columns[j] = r.IntN(n)
		}
		c := r.IntN(n)
		for i := range want {
			want[i] = free
			if i < n {
				x := c
				for j, col := range columns {
					x ^= col * (i >> j & 1)
				}
				want[i] = int8(x % n)
			}
		}
		if r.IntN(2) == 0 {
			for range 20 {
				want[r.IntN(n)] = free
			}
		}
		list := indexes(&want, n)
		if len(list) < 2 {
			t.Fatalf("no formula for %v", want.text(n))
		}
		for _, x := range list {
			for i, s := range want[:n] {
				if s >= 0 && x.source(i, n) != int(s) {
					t.Fatalf("%s: lane %d reads %d, want %d", x.how, i, x.source(i, n), s)
				}
			}
		}
		for i := range n {
			want[i] = int8(r.IntN(n))
		}
		if list := indexes(&want, n); len(list) != 1 {
			t.Fatalf("%d formulas for a random map, the first is %s", len(list), list[0].how)
		}
	}
}

// TestHeldOut plans the cases at which compilers and libraries failed or were mended by hand.
func TestHeldOut(t *testing.T) {
	t.Parallel()
	first := func(goal string) string {
		p, err := Plan(context.Background(), goal, api.PlanOptions{Target: "gfx803"})
		if err != nil {
			t.Fatalf("%s: %v", goal, err)
		}
		return strings.Join(p.Answers[0].Code, "; ")
	}
	// A butterfly of 32 lanes never needs an address register: DPP, or one swizzle.
	for k := 1; k < 32; k++ {
		for _, goal := range []string{"xor ", "__shfl_xor(v, ", "__shfl_xor_sync(m, v, "} {
			end := ""
			if strings.HasSuffix(goal, ", ") {
				end = ")"
			}
			code := first(goal + sourceText(int8(k)) + end)
			if strings.Contains(code, "bpermute") || strings.Contains(code, "mbcnt") || k >= 16 && !strings.HasPrefix(code, "ds_swizzle_b32 v1, v0 ") {
				t.Errorf("%s%d: %s", goal, k, code)
			}
		}
	}
	// Rotations of a DPP row are one instruction, in the direction of the manual: row_ror moves to
	// the right, so that lane i reads lane i - k.
	for k := 1; k < 16; k++ {
		want := "s_nop 1; v_mov_b32_dpp v1, v0 row_ror:" + sourceText(int8(k)) + " row_mask:0xf bank_mask:0xf bound_ctrl:0"
		if code := first("rotate -" + sourceText(int8(k)) + " in 16"); code != want && k != 8 {
			t.Errorf("rotate -%d in 16: %s, want %s", k, code, want)
		}
		want = "s_nop 1; v_mov_b32_dpp v1, v0 row_shr:" + sourceText(int8(k)) + " row_mask:0xf bank_mask:0xf bound_ctrl:0"
		if code := first("shift -" + sourceText(int8(k)) + " in 16 fill zero"); code != want {
			t.Errorf("shift -%d in 16: %s, want %s", k, code, want)
		}
	}
	// A rotation of a whole wave by one, and the mirrors, are one instruction.
	for goal, want := range map[string]string{"rotate 1": "wave_rol:1", "rotate -1": "wave_ror:1", "reverse in 16": "row_mirror", "reverse in 8": "row_half_mirror"} {
		if code := first(goal); !strings.Contains(code, want) || strings.Count(code, ";") != 1 {
			t.Errorf("%s: %s", goal, code)
		}
	}
	// A scan with minimum must not take the zeros of bound_ctrl.
	for _, goal := range []string{"scan min u32", "scan min f32", "scan max s32", "reduce and", "scan exclusive min u32"} {
		if code := first(goal); strings.Contains(code, "bound_ctrl") {
			t.Errorf("%s: %s", goal, code)
		}
	}
}

// BenchmarkNamed plans the named patterns and the computations; the dictionaries are made.
func BenchmarkNamed(b *testing.B) {
	fullGCN3()
	fullPTX()
	gcn3Permutations()
	for _, target := range targets {
		goals := computations()
		for _, c := range named {
			if c.n == 0 || c.n == target.n {
				goals = append(goals, c.goal)
			}
		}
		for _, goal := range goals {
			b.Run(target.name+"/"+strings.ReplaceAll(goal, " ", "_"), func(b *testing.B) {
				for b.Loop() {
					if _, err := Plan(context.Background(), goal, api.PlanOptions{Target: target.name}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestLateSwizzle plans a product whose only trip through LDS is its last move, which the search
// reaches after all products that end with DPP.
func TestLateSwizzle(t *testing.T) {
	t.Parallel()
	goal := ""
	for i := range 64 {
		src := 0
		switch {
		case i < 16:
			src = 13
		case i < 32:
			src = 5 - i%2
		case i < 48:
			src = 45
		default:
			src = 29
		}
		goal += sourceText(int8(src)) + ","
	}
	p, err := Plan(context.Background(), goal[:len(goal)-1], api.PlanOptions{Target: "gfx803"})
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Answers[0].Cost; c.Latency > 96 {
		t.Errorf("latency %d, a product of two DPP moves and a swizzle has 96:\n%s", c.Latency, p.Text())
	}
}

// TestEarlySwizzle plans products of one trip through LDS and two DPP moves, of which the first reads
// what s_waitcnt waited for and so needs no wait states. A read by index costs 96 for each of them.
func TestEarlySwizzle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		how string
		src map[int]int // the other lanes are zero
	}{
		// Lane 6 of each row of 16 gets lane 15 of what the swizzle gave.
		{"swizzle i ^ 29, row_shl:15, row_shr:6", map[int]int{6: 18, 22: 2, 38: 50, 54: 34}},
		{"swizzle i ^ 28, row_shl:15, row_shr:6", map[int]int{6: 19, 22: 3, 38: 51, 54: 35}},
		// Lanes 6 to 9 of each row of 16 get lanes 15 to 12 of the other row of a pair.
		{"row_shl:12, swizzle i ^ 19, row_shr:6", map[int]int{6: 31, 7: 30, 8: 29, 9: 28, 22: 15, 23: 14, 24: 13, 25: 12, 38: 63, 39: 62, 40: 61, 41: 60, 54: 47, 55: 46, 56: 45, 57: 44}},
	} {
		goal := make([]string, 64)
		for i := range goal {
			goal[i] = "z"
			if s, ok := c.src[i]; ok {
				goal[i] = sourceText(int8(s))
			}
		}
		p, err := Plan(context.Background(), strings.Join(goal, ","), api.PlanOptions{Target: "gfx803"})
		if err != nil {
			t.Fatal(err)
		}
		if l := p.Answers[0].Cost.Latency; l > 88 {
			t.Errorf("latency %d, %s has 88:\n%s", l, c.how, p.Text())
		}
	}
}

// TestCopiedBase plans lanes that mostly stay: a copy fills a wait state of the first DPP move, so that
// it costs less than a DPP move of the lanes that stay.
func TestCopiedBase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		how    string
		source func(i int) int
		want   int
	}{
		{"a copy, s_nop 0, one patch", func(i int) int { return i ^ btoi(i/16 == 1)*15 }, 12},
		{"a copy, s_nop 0, two patches", func(i int) int { return i ^ btoi(i/16 == 1)*15 ^ btoi(i/16 == 2) }, 16},
		{"s_nop 1, a move, a patch", func(i int) int { return i ^ btoi(i/16 == 1)*14 ^ 1 }, 16}, // no lane stays
	} {
		goal := make([]string, 64)
		for i := range goal {
			goal[i] = sourceText(int8(c.source(i)))
		}
		p, err := Plan(context.Background(), strings.Join(goal, ","), api.PlanOptions{Target: "gfx803"})
		if err != nil {
			t.Fatal(err)
		}
		if l := p.Answers[0].Cost.Latency; l != c.want {
			t.Errorf("latency %d, %s has %d:\n%s", l, c.how, c.want, p.Text())
		}
	}
}

// TestRandomPatches composes a base with up to three random DPP moves of the source into some lanes,
// which write over each other.
// The answer for the composition must not cost more than these instructions; every tenth answer is
// proved.
func TestRandomPatches(t *testing.T) {
	t.Parallel()
	d := fullGCN3()
	p := &planner{ctx: context.Background(), out: &api.Plan{ISA: api.GCN3, Prefer: "latency"}, n: 64, active: lane.All(64)}
	r := rand.New(rand.NewPCG(10, 11))
	for k := range cmp.Or(*randomProducts, short.Of(200, 50)) {
		g := &goal{n: 64, active: lane.All(64)}
		for i := range g.want {
			g.want[i] = keep
		}
		s := &search{g: g, d: d, w: gcn3Writer{}}
		var base *move
		kinds := []kind{}
		switch r.IntN(4) {
		case 0: // none: the old result
		case 1:
			base = &d.moves[slices.IndexFunc(d.moves, func(m move) bool { return own(&m.m, 64) })]
			kinds = append(kinds, kindCopy)
		case 2:
			base = &d.moves[r.IntN(d.plain)]
			kinds = append(kinds, kindDPP)
		case 3:
			base = &d.moves[d.plain+r.IntN(len(d.moves)-d.plain)]
			kinds = append(kinds, kindSwizzle)
		}
		if base != nil {
			g.want = base.m
			if own(&base.m, 64) {
				kinds[0] = kindCopy
			}
		}
		var list []patch
		for range 1 + r.IntN(3) {
			x := patch{move: &d.dpp[r.IntN(len(d.dpp))], rows: 1 + r.IntN(15), banks: []int{15, 1 + r.IntN(15)}[r.IntN(2)]}
			list = append(list, x)
			kinds = append(kinds, kindPatch)
			for i := range 64 {
				if lane.DPPLanes(uint8(x.rows), uint8(x.banks)).Has(i) && x.move.m[i] != keep {
					g.want[i] = x.move.m[i]
				}
			}
		}
		made, err := p.measure(s.patches("", base, list))
		if err != nil {
			t.Fatal(err)
		}
		if c := gcn3Prices().of(kinds...); c != made.cost.Latency {
			t.Fatalf("the price of %v is %d, but the sequence has %d:\n%s", kinds, c, made.cost.Latency, strings.Join(made.code, "\n"))
		}
		best := least(t, p, g)
		if k%10 == 0 {
			text := best.text(api.GCN3)
			if _, err := proveMap(context.Background(), &run{isa: api.GCN3, n: 64, active: g.active, text: text}, g); err != nil {
				t.Errorf("%v:\n%s", err, strings.Join(text, "\n"))
			}
		}
		if best.cost.Latency > made.cost.Latency {
			t.Errorf("%q of latency %d, but this has %d:\n%s\n%s", best.how, best.cost.Latency, made.cost.Latency, strings.Join(made.code, "\n"), g.want.text(64))
		}
	}
}

// TestSequences proves every sequence that the search finds, not the answers alone, for random moves
// with patches and for some active lanes: Plan drops a sequence whose proof fails, which would hide a
// fault of the search.
func TestSequences(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(14, 15))
	forms := map[string]int{}
	for k := range cmp.Or(*randomProducts, short.Of(120, 30)) {
		g := &goal{n: 64, active: lane.All(64)}
		isa := api.GCN3
		if k%4 == 3 {
			isa, g.n, g.active = api.PTX, 32, lane.All(32)
		}
		if k%2 == 1 {
			g.active &= lane.Mask(r.Uint64() | r.Uint64())
		}
		d := fullPTX()
		if isa == api.GCN3 {
			d = fullGCN3()
		}
		g.want = d.moves[r.IntN(len(d.moves))].m
		if r.IntN(2) == 0 {
			g.want = follow(&g.want, &d.moves[r.IntN(len(d.moves))].m, g.n)
		}
		from := r.IntN(g.n)
		for i := range g.want {
			if r.IntN(3) == 0 && i >= from {
				g.want[i] = []int8{free, zero, keep, int8(i)}[k/4%4]
			}
			if i >= g.n || !g.active.Has(i) || g.want[i] >= 0 && !g.active.Has(int(g.want[i])) {
				g.want[i] = free
			}
		}
		list := moveSequences(g, isa == api.GCN3)
		if len(list) == 0 {
			t.Errorf("active %#x: no sequence, but a table fits each goal:\n%s", uint64(g.active), g.want.text(g.n))
		}
		for _, q := range list {
			m, err := measure(isa, q)
			if err != nil || len(m.finds) > 0 {
				t.Errorf("%s: %v", q.how, err)
				continue
			}
			text := m.text(isa)
			if _, err := proveMap(context.Background(), &run{isa: isa, n: g.n, active: g.active, text: text}, g); err != nil {
				t.Errorf("%s, active %#x: %v:\n%s\n%s", q.how, uint64(g.active), err, strings.Join(text, "\n"), g.want.text(g.n))
			}
			how, _, _ := strings.Cut(q.how, ":")
			forms[how]++
		}
	}
	if len(forms) < 6 {
		t.Errorf("only %v were found", forms)
	}
	t.Log(forms)
}

// TestNothingRead plans goals in which no lane reads a lane, for both targets.
func TestNothingRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lanes, how string }{
		{"*", "nothing to do"}, {"=", "nothing to do"}, {"=*", "nothing to do"},
		{"z", "zeros"}, {"z*", "zeros"}, {"z=", "zeros in some lanes"}, {"z=*=", "zeros in some lanes"},
	} {
		for _, target := range targets {
			goal := make([]string, target.n)
			for i := range goal {
				k := i % len(c.lanes)
				goal[i] = c.lanes[k : k+1]
			}
			p, err := Plan(context.Background(), strings.Join(goal, ","), api.PlanOptions{Target: target.name})
			switch {
			case err != nil:
				t.Errorf("%s on %s: %v", c.lanes, target.name, err)
			case !slices.ContainsFunc(p.Answers, func(a api.PlanAnswer) bool { return a.How == c.how }):
				t.Errorf("%s on %s: no answer is %q:\n%s", c.lanes, target.name, c.how, p.Text())
			}
		}
	}
}
