package plan

import (
	"context"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// computations are the goals of templates: each with every operation that it takes.
func computations() []string {
	// A short run takes every third goal: each operation, each form and a goal of each other name.
	list := []string{"ballot-rank", "argmax", "argmax s32", "argmax f32", "reduce", "scan"}
	for _, o := range operations() {
		for _, form := range []string{"reduce ", "scan inclusive ", "scan exclusive ", "scan segmented "} {
			list = append(list, form+o.name+" "+o.typ)
		}
	}
	return list
}

// TestComputations plans every reduction and scan for three targets; Plan proves them. Scans, and
// reductions by DPP, have to keep the order of the lanes.
func TestComputations(t *testing.T) {
	t.Parallel()
	for _, goal := range short.Sample(computations(), 3) {
		for _, target := range []string{"gfx803", "sm_70", "sm_80"} {
			p, err := Plan(context.Background(), goal, api.PlanOptions{Target: target})
			if err != nil {
				t.Errorf("%s on %s: %v", goal, target, err)
				continue
			}
			for _, a := range p.Answers {
				ordered := strings.Contains(a.Proof.What, "affine maps")
				if want := strings.HasPrefix(goal, "scan") || strings.HasPrefix(goal, "reduce") && target == "gfx803"; ordered != want && a.How != "one instruction" && !strings.HasPrefix(goal, "argmax") && want {
					t.Errorf("%s on %s: %s", goal, target, a.Proof.What)
				}
				if a.Proof.Vectors < 3 {
					t.Errorf("%s on %s: %d inputs", goal, target, a.Proof.Vectors)
				}
			}
		}
	}
}

// TestComputationMutants changes single instructions of proved texts: a wrong identity, zeros of
// bound_ctrl, a wrong direction, a missing mask, a lane that counts twice. The proof refuses each.
func TestComputationMutants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ goal, target, old, new string }{
		{"scan exclusive max s32", "gfx803", "v_mov_b32_e32 v1, 0x80000000", "v_mov_b32_e32 v1, 0"},
		{"scan min u32", "gfx803", "row_shr:4 row_mask:0xf bank_mask:0xf", "row_shr:4 row_mask:0xf bank_mask:0xf bound_ctrl:0"},
		{"scan max s32", "gfx803", "row_bcast:15 row_mask:0xa bank_mask:0xf", "row_bcast:15 row_mask:0xa bank_mask:0xf bound_ctrl:0; v_max_i32_dpp v1, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"},
		{"scan add u32", "gfx803", "row_shr:2", "row_shl:2"},
		{"scan add u32", "gfx803", "row_mask:0xa", "row_mask:0xf"},
		{"scan add f32", "gfx803", "row_mask:0xc", "row_mask:0x8"},
		{"reduce add u32", "gfx803", "row_shr:8", "row_shr:4"},
		{"reduce xor u32", "gfx803", "v_readlane_b32 s4, v1, 63", "v_readlane_b32 s4, v1, 62"},
		{"reduce min f32", "gfx803", "row_bcast:31", "row_bcast:15"},
		{"scan segmented add u32", "gfx803", "v_or_b32_dpp v3, v3, v3 row_shr:2", "v_or_b32_dpp v3, v3, v3 row_shr:1"},
		{"scan segmented min s32", "gfx803", "v_mov_b32_e32 v5, 0x7fffffff", "v_mov_b32_e32 v5, 0"},
		{"ballot-rank", "gfx803", "v1, vcc_hi, v1", "v1, vcc_hi, 0"},
		{"argmax", "gfx803", "s_ff1_i32_b64", "s_flbit_i32_b64"},
		{"scan add u32", "sm_80", "@%p1 ", ""},
		{"scan exclusive min u32", "sm_80", "selp.b32 %r1, %r1, -1", "selp.b32 %r1, %r1, 0"},
		{"reduce add u32", "sm_70", "up.b32 %r2, %r1, 8", "up.b32 %r2, %r1, 4"},
		{"scan segmented add u32", "sm_80", "max.s32 %r3, %r3, 0;", "max.s32 %r3, %r3, 1;"},
		{"scan segmented add u32", "sm_80", "lanemask_le", "lanemask_lt"},
		{"argmax", "sm_80", "brev.b32 %r2, %r2;", "mov.b32 %r2, %r2;"},
	} {
		n, sm, d := 64, 0, fullGCN3()
		isa := api.GCN3
		if c.target != "gfx803" {
			n, sm, d, isa = 32, 80, fullPTX(), api.PTX
		}
		if c.target == "sm_70" {
			sm = 70
		}
		tm := &templates{isa: isa, n: n, sm: sm, d: d}
		w := &words{text: c.goal, list: strings.Fields(c.goal), n: n}
		var list []sequence
		for _, f := range templateList() {
			if w.take(f.name) {
				var err error
				if list, err = f.list(tm, w); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		p := &planner{ctx: context.Background(), out: &api.Plan{ISA: isa}, n: n}
		m, err := p.measure(list[0])
		if err != nil {
			t.Fatal(err)
		}
		text := m.code
		if isa == api.GCN3 {
			text = append(prologue(m.sequence), text...)
		}
		r := &run{isa: isa, n: n, active: ^p.active >> (64 - n), text: text}
		if _, err := proveTemplate(context.Background(), r, m.check); err != nil {
			t.Errorf("%s on %s: %v", c.goal, c.target, err)
		}
		old := strings.Join(text, "\n")
		r.text = []string{strings.ReplaceAll(old, c.old, c.new)}
		if r.text[0] == old {
			t.Errorf("%s on %s has no %q:\n%s", c.goal, c.target, c.old, old)
			continue
		}
		if proof, err := proveTemplate(context.Background(), r, m.check); err == nil {
			t.Errorf("%s on %s: %q for %q was proved: %+v", c.goal, c.target, c.new, c.old, proof)
		}
	}
}

// TestOrder runs steps that are right for operations that commute with affine maps, and expects the
// proof of their order to fail: the butterfly of PTX with all moved values on the left.
func TestOrder(t *testing.T) {
	t.Parallel()
	tm := &templates{isa: api.PTX, n: 32, sm: 70, d: fullPTX()}
	list, err := tm.reduce(&words{text: "reduce", n: 32})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tm.trees() {
		c := &check{order: tm.affine(r.steps, 1), shape: func(pairs [][2]uint32, _ uint64) [][2]uint32 {
			all := scanned(pairs, 0)
			for i := range all {
				all[i] = all[len(all)-1]
			}
			return all
		}}
		c.order = append(append(c.order, tm.pick("%r1", r.holders.First())...), tm.pick("%r11", r.holders.First())...)
		err := proveOrder(context.Background(), &run{isa: api.PTX, n: 32, active: 0xffffffff}, c)
		if ordered := tm.ordered(r); (err == nil) != ordered {
			t.Errorf("the words of %d steps say ordered %v, the run says %v", len(r.steps), ordered, err)
		}
	}
	if len(list) == 0 {
		t.Error("no reduction")
	}
}

// TestComputationErrors checks the errors of templates.
func TestComputationErrors(t *testing.T) {
	t.Parallel()
	some := uint64(0xff)
	for _, c := range []struct {
		goal, want string
		active     *uint64
		class      diag.Class
	}{
		{"reduce mul", "no such operation", nil, diag.Input},
		{"reduce and f32", "no such operation", nil, diag.Input},
		{"reduce add u32 x", `"x" is not understood`, nil, diag.Input},
		{"scan backwards", "no such operation", nil, diag.Input},
		{"argmax u64", "no such operation", nil, diag.Input},
		{"ballot-rank 3", `"3" is not understood`, nil, diag.Input},
		{"reduce", "all lanes to be active", &some, diag.Unsupported},
	} {
		_, err := Plan(context.Background(), c.goal, api.PlanOptions{Target: "sm_80", Active: c.active})
		l := diag.Of(err)
		if len(l) == 0 || l[0].Class != c.class || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.goal, err, c.want)
		}
	}
}
