package plan

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// named are the patterns of the documentation. Their sources are written out here a second time.
var named = []struct {
	goal string
	n    int // 32 or 64; 0: both
	src  func(i, n int) int
}{
	{"identity", 0, func(i, _ int) int { return i }},
	{"xor 1", 0, func(i, _ int) int { return i ^ 1 }},
	{"xor 2", 0, func(i, _ int) int { return i ^ 2 }},
	{"xor 3", 0, func(i, _ int) int { return i ^ 3 }},
	{"xor 4", 0, func(i, _ int) int { return i ^ 4 }},
	{"xor 5", 0, func(i, _ int) int { return i ^ 5 }},
	{"xor 7", 0, func(i, _ int) int { return i ^ 7 }},
	{"xor 8", 0, func(i, _ int) int { return i ^ 8 }},
	{"xor 12", 0, func(i, _ int) int { return i ^ 12 }},
	{"xor 15", 0, func(i, _ int) int { return i ^ 15 }},
	{"xor 16", 0, func(i, _ int) int { return i ^ 16 }},
	{"xor 31", 0, func(i, _ int) int { return i ^ 31 }},
	{"xor 32", 64, func(i, _ int) int { return i ^ 32 }},
	{"xor 63", 64, func(i, _ int) int { return i ^ 63 }},
	{"rotate 1", 0, func(i, n int) int { return (i + 1) % n }},
	{"rotate -1", 0, func(i, n int) int { return (i + n - 1) % n }},
	{"rotate 2", 0, func(i, n int) int { return (i + 2) % n }},
	{"rotate 3", 0, func(i, n int) int { return (i + 3) % n }},
	{"rotate 4", 0, func(i, n int) int { return (i + 4) % n }},
	{"rotate 16", 0, func(i, n int) int { return (i + 16) % n }},
	{"rotate 3 in 8", 0, func(i, _ int) int { return i&^7 | (i+3)&7 }},
	{"rotate 5 in 16", 0, func(i, _ int) int { return i&^15 | (i+5)&15 }},
	{"reverse", 0, func(i, n int) int { return n - 1 - i }},
	{"reverse in 8", 0, func(i, _ int) int { return i ^ 7 }},
	{"reverse in 16", 0, func(i, _ int) int { return i ^ 15 }},
	{"broadcast 0", 0, func(_, _ int) int { return 0 }},
	{"broadcast 5", 0, func(_, _ int) int { return 5 }},
	{"broadcast 0 in 16", 0, func(i, _ int) int { return i &^ 15 }},
	{"broadcast 3 in 4", 0, func(i, _ int) int { return i | 3 }},
	{"broadcast 9 in 16", 0, func(i, _ int) int { return i&^15 | 9 }},
	{"transpose 4x4", 0, func(i, _ int) int { return i&^15 | i>>2&3 | i&3<<2 }},
	{"transpose 8x8", 64, func(i, _ int) int { return i>>3 | i&7<<3 }},
	{"transpose 4x8", 0, func(i, _ int) int { return i&^31 | i&3<<3 | i>>2&7 }},
	{"transpose 2x16", 0, func(i, _ int) int { return i&^31 | i&1<<4 | i>>1&15 }},
	{"bits 0,1,2,3,4,5", 64, func(i, _ int) int { return int(bits.Reverse8(uint8(i)) >> 2) }},
	{"bits 0,1,2,3,4", 32, func(i, _ int) int { return int(bits.Reverse8(uint8(i)) >> 3) }},
	{"bits 5:0 -> 2:0,5:3", 64, func(i, _ int) int { return i&7<<3 | i>>3 }},
	{"bits 5:3,0,2:1", 64, func(i, _ int) int { return i&^7 | i&1<<2 | i>>1&3 }},
	{"shift 1 fill zero", 0, shifted(1, 64, -1)},
	{"shift -1 fill zero", 0, shifted(-1, 64, -1)},
	{"shift -1 fill keep", 0, shifted(-1, 64, -2)},
	{"shift 3 in 16 fill zero", 0, shifted(3, 16, -1)},
	{"shift -4 in 16 fill keep", 0, shifted(-4, 16, -2)},
	{"shift -5 in 8 fill zero", 0, shifted(-5, 8, -1)},
	{"shift 16 fill any", 0, shifted(16, 64, -3)},
	{"__shfl_down_sync(m, v, 4, 16)", 0, func(i, _ int) int {
		if i&15 < 12 {
			return i + 4
		}
		return i
	}},
	{"__shfl_up_sync(0xffffffff, f(x, y), 1)", 0, func(i, _ int) int {
		if i&31 == 0 {
			return i
		}
		return i - 1
	}},
	{"__shfl_xor(v, 16)", 0, func(i, _ int) int { return i ^ 16 }},
	{"__shfl(v, 3, 8);", 0, func(i, _ int) int { return i&^7 | 3 }},
	{"__shfl_down(v, 40)", 64, func(i, _ int) int {
		if i < 24 {
			return i + 40
		}
		return i
	}},
	{"shfl.sync.bfly.b32 %r1, %r0, 16, 0x1f, -1;", 0, func(i, _ int) int { return i ^ 16 }},
	{"v_mov_b32_dpp v1, v0 row_half_mirror row_mask:0xf bank_mask:0xf", 0, func(i, _ int) int { return i ^ 7 }},
	{"ds_swizzle_b32 v1, v0 offset:swizzle(QUAD_PERM,1,2,3,0)", 0, func(i, _ int) int { return i&^3 | (i+1)&3 }},
	{"v_mov_b32_dpp v1, v0 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:0", 0, shifted(-2, 16, -1)},
}

// shifted is a shift within segments; -1, -2 and -3 stand for zero, keep and any.
func shifted(k, width, fill int) func(i, n int) int {
	return func(i, n int) int {
		w := min(width, n)
		if j := i%w + k; j < 0 || j >= w {
			return fill
		}
		return i + k
	}
}

func sourceName(s int) string {
	if s < 0 {
		return []string{"zero", "keep", "any"}[-1-s]
	}
	return fmt.Sprint(s)
}

// targets are the two targets and their waves.
var targets = []struct {
	name string
	n    int
}{{"gfx803", 64}, {"sm_80", 32}}

// TestNamed plans every named pattern for both targets. Plan proves its answers; here the map that
// was proved is compared with a second definition of the pattern.
func TestNamed(t *testing.T) {
	t.Parallel()
	for _, c := range named {
		for _, target := range targets {
			if c.n != 0 && c.n != target.n {
				continue
			}
			p, err := Plan(context.Background(), c.goal, api.PlanOptions{Target: target.name})
			if err != nil {
				t.Errorf("%s on %s: %v", c.goal, target.name, err)
				continue
			}
			for i, s := range p.Map {
				if want := sourceName(c.src(i, target.n)); s != want {
					t.Errorf("%s on %s: lane %d reads %s, want %s", c.goal, target.name, i, s, want)
				}
			}
			for _, a := range p.Answers {
				if a.Proof.Vectors != 2 || a.Proof.Lanes == 0 || a.Proof.Waits != 0 || !strings.HasPrefix(a.Proof.What, "proved: ") {
					t.Errorf("%s on %s: proof %+v", c.goal, target.name, a.Proof)
				}
			}
		}
	}
}

// TestBest compares the first answers with sequences that are known to be the shortest.
func TestBest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ goal, target, prefer, code string }{
		{"xor 1", "gfx803", "", "s_nop 1; v_mov_b32_dpp v1, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:0"},
		{"xor 7", "gfx803", "", "s_nop 1; v_mov_b32_dpp v1, v0 row_half_mirror row_mask:0xf bank_mask:0xf bound_ctrl:0"},
		{"xor 4", "gfx803", "", "s_nop 1; v_mov_b32_dpp v1, v0 row_shl:4 row_mask:0xf bank_mask:0x5; v_mov_b32_dpp v1, v0 row_shr:4 row_mask:0xf bank_mask:0xa"},
		{"shift -1 fill zero", "gfx803", "", "s_nop 1; v_mov_b32_dpp v1, v0 wave_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"},
		{"shift -1 fill keep", "gfx803", "", "s_nop 1; v_mov_b32_dpp v1, v0 wave_shr:1 row_mask:0xf bank_mask:0xf"},
		{"broadcast 63", "gfx803", "", "v_readlane_b32 s4, v0, 63; v_mov_b32_e32 v1, s4"},
		{"xor 16", "gfx803", "", "ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,16); s_waitcnt lgkmcnt(0)"},
		{"rotate 2", "gfx803", "no-lds", "s_nop 1; v_mov_b32_dpp v1, v0 wave_rol:1 row_mask:0xf bank_mask:0xf bound_ctrl:0; s_nop 1; v_mov_b32_dpp v1, v1 wave_rol:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"},
		{"xor 16", "sm_80", "", "shfl.sync.bfly.b32 %r1, %r0, 16, 0x1f, 0xffffffff;"},
		{"shift -1 fill zero", "sm_70", "", "shfl.sync.up.b32 %r1|%p1, %r0, 1, 0x0, 0xffffffff; selp.b32 %r1, %r1, 0, %p1;"},
		{"rotate 3", "sm_80", "", "mov.u32 %r2, %laneid; add.u32 %r2, %r2, 3; shfl.sync.idx.b32 %r1, %r0, %r2, 0x1f, 0xffffffff;"},
	} {
		p, err := Plan(context.Background(), c.goal, api.PlanOptions{Target: c.target, Prefer: c.prefer})
		if err != nil {
			t.Errorf("%s on %s: %v", c.goal, c.target, err)
			continue
		}
		if got := strings.Join(p.Answers[0].Code, "; "); strings.ReplaceAll(got, ";;", ";") != c.code {
			t.Errorf("%s on %s:\n%s\nwant\n%s", c.goal, c.target, got, c.code)
		}
	}
}

// TestMutants swaps the direction of shifts, and fills and keeps, in proved texts: the proof refuses
// each of them.
func TestMutants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ goal, target, old, new string }{
		{"shift -1 in 16 fill zero", "gfx803", "row_shr:1", "row_shl:1"},
		{"shift 1 fill zero", "gfx803", "wave_shl:1", "wave_shr:1"},
		{"shift -1 fill keep", "gfx803", "bank_mask:0xf", "bank_mask:0xf bound_ctrl:0"},
		{"shift -1 fill zero", "gfx803", " bound_ctrl:0", ""},
		{"rotate 3", "gfx803", "wave_rol", "wave_ror"},
		{"xor 4", "gfx803", "bank_mask:0x5", "bank_mask:0xa"},
		{"transpose 8x8", "gfx803", "v_bfi_b32 v1, 7", "v_bfi_b32 v1, 56"},
		{"xor 16", "gfx803", "SWAP,16", "SWAP,8"},
		{"shift -1 fill zero", "sm_80", "shfl.sync.up.b32 %r1|%p1, %r0, 1, 0x0", "shfl.sync.down.b32 %r1|%p1, %r0, 1, 0x1f"},
		{"shift -1 fill keep", "sm_80", "selp.b32 %r1, %r2, %r1", "selp.b32 %r1, %r1, %r2"},
		{"xor 1", "sm_80", "0xffffffff", "0x7fffffff"},
		{"rotate 3", "sm_80", ", 3;", ", 4;"},
	} {
		n := 64
		if c.target != "gfx803" {
			n = 32
		}
		g, err := parseGoal(c.goal, n)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Plan(context.Background(), c.goal, api.PlanOptions{Target: c.target})
		if err != nil {
			t.Fatal(err)
		}
		r := &run{isa: p.ISA, n: n, active: g.active, text: p.Answers[0].Ran}
		if _, err := proveMap(context.Background(), r, g); err != nil {
			t.Fatalf("%s on %s: %v", c.goal, c.target, err)
		}
		old := strings.Join(r.text, "\n")
		text := strings.ReplaceAll(old, c.old, c.new)
		if text == old {
			t.Errorf("%s on %s has no %q:\n%s", c.goal, c.target, c.old, old)
			continue
		}
		r.text = strings.Split(text, "\n")
		if proof, err := proveMap(context.Background(), r, g); err == nil {
			t.Errorf("%s on %s: %q for %q was proved: %+v", c.goal, c.target, c.new, c.old, proof)
		}
	}
}

// TestErrors checks that a mistake of the input is named, with a code and a class.
func TestErrors(t *testing.T) {
	t.Parallel()
	mask := func(m uint64) *uint64 { return &m }
	for _, c := range []struct {
		goal, want string
		o          api.PlanOptions
		class      diag.Class
	}{
		{"", "the goal is empty", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{strings.Repeat("1,", 4096), "at most 4096", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"xor", "K is missing", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"xor 32", "want a number from 0 to 31", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"xor 1 2", `"2" is not understood`, api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"rotate 1 in 6", "power of two", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"shift 1 fill one", "fill what", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"broadcast 9 in 8", "lanes 0 to 7", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"transpose 3x3", "must divide 32", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"transpose -4x8", "must divide", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"bits 0,1,2,3,3", "want each of 5 once", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"bits 9:0", "names no bits", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"1,0,3,2", "the list has 4 sources", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{strings.Repeat("1,", 31) + "32", "the source of lane 31", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"__shfl_sync(m, v, k)", `argument 3 is "k"`, api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"__shfl_sync(m, v", "parentheses", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"__shfl_sync(m, v)", "2 arguments", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"__shfl_sync(m, v, 1, 12)", "power of two", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"frobnicate", "no pattern", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"add.u32 %r1, %r0, 1;", "no lane map", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"v_mov_b32_dpp v1, v0 wave_shr:1 row_mask:0xf bank_mask:0xf", "32 lanes cannot do the same", api.PlanOptions{Target: "sm_80"}, diag.Input},
		{"xor 1", "no target", api.PlanOptions{}, diag.Input},
		{"xor 1", `"gfx1100" is not supported`, api.PlanOptions{Target: "gfx1100"}, diag.Unsupported},
		{"xor 1", "sm_20 has no instruction", api.PlanOptions{Target: "sm_20"}, diag.Unsupported},
		{"xor 1", `no preference "speed"`, api.PlanOptions{Target: "sm_80", Prefer: "speed"}, diag.Input},
		{"xor 1", "mask of active lanes", api.PlanOptions{Target: "sm_80", Active: mask(0)}, diag.Input},
		{"xor 1", "mask of active lanes", api.PlanOptions{Target: "sm_80", Active: mask(1 << 32)}, diag.Input},
		{"xor 1", "within the bound", api.PlanOptions{Target: "sm_80", Active: mask(1)}, diag.Unsupported},
		{"transpose 8x8", "no sequence without LDS", api.PlanOptions{Target: "gfx803", Prefer: "no-lds"}, diag.Unsupported},
	} {
		_, err := Plan(context.Background(), c.goal, c.o)
		l := diag.Of(err)
		if len(l) == 0 || l[0].Class != c.class || l[0].Code == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %+v: %v, want %q", c.goal, c.o, err, c.want)
		}
	}
}

// TestActive plans for some lanes: the answer is right in these lanes although the inactive lanes hold
// other values, and reads no other lane.
func TestActive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		goal, target string
		mask         uint64
	}{
		{"xor 1", "gfx803", 0x0f0f}, {"reverse", "gfx803", 0xff000000000000ff}, {"shift -1 fill zero", "gfx803", 0xffff}, {"transpose 4x4", "gfx803", 0xffff}, {"broadcast 5", "gfx803", 0x20},
		{"xor 1", "sm_80", 0xff}, {"rotate 3 in 8", "sm_80", 0xff00}, {"transpose 4x4", "sm_80", 0xffff}, {"shift -1 fill keep", "sm_80", 0xffff},
	} {
		p, err := Plan(context.Background(), c.goal, api.PlanOptions{Target: c.target, Active: &c.mask})
		if err != nil {
			t.Errorf("%s on %s, active %#x: %v", c.goal, c.target, c.mask, err)
			continue
		}
		if p.Answers[0].Proof.Lanes != bits.OnesCount64(c.mask) || !slices.Contains(p.Map, "any") {
			t.Errorf("%s on %s, active %#x: %+v", c.goal, c.target, c.mask, p.Answers[0].Proof)
		}
	}
}

// FuzzGoal reads random goals: each is an error with a code, or a map of lanes.
func FuzzGoal(f *testing.F) {
	for _, c := range named {
		f.Add(c.goal)
	}
	for _, s := range []string{"rotate -64", "shift 63 in 1 fill keep", "bits ,", "bits 5:", "bits 0:5", "transpose 1x1", "transpose x", "__shfl(", "__shfl(v, -1)", "__shfl_up_sync(m, v, 4294967295, 2)", "=,*,z", "xor 0x1f", "broadcast 0 in 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, n := range []int{32, 64} {
			g, err := parseGoal(s, n)
			if err != nil {
				if l := diag.Of(err); len(l) == 0 || l[0].Code == "" {
					t.Errorf("%q: %v has no code", s, err)
				}
				continue
			}
			for i, x := range g.want {
				if int(x) >= n || x < free || i >= n && x != free {
					t.Errorf("%q: lane %d of %d reads %d", s, i, n, x)
				}
			}
		}
	})
}
