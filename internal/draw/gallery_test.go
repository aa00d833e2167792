package draw_test

import (
	"strconv"
	"testing"

	"example.org/crosslane/internal/draw"
	"example.org/crosslane/lane"
)

// A picture is one entry of the gallery that the tests draw.
type picture struct {
	name string
	m    lane.Map
	o    draw.Options
}

func dpp(t *testing.T, text string, row, bank uint8, bound bool, exec lane.Mask) lane.Map {
	t.Helper()
	c, err := lane.ParseDPPCtrl(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := lane.DPP(c, row, bank, bound, exec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func gallery(t *testing.T) []picture {
	t.Helper()
	var ps []picture
	add := func(name string, m lane.Map, o draw.Options) { ps = append(ps, picture{name, m, o}) }

	m, p := lane.Shfl(lane.ShflBfly, 4, 0x1f, lane.All(32))
	add("shfl_bfly_4", m, draw.Options{
		Title:    "shfl.sync.bfly.b32 %r1|%p, %r0, 4, 0x1f, 0xffffffff;",
		Subtitle: []string{"b = 4: lane i reads lane i ^ 4", "c = 0x1f: " + lane.ParseC(0x1f).Describe(lane.ShflBfly)},
		Pred:     p, HasPred: true,
	})
	m, p = lane.Shfl(lane.ShflUp, 1, 0x1800, lane.All(32))
	add("shfl_up_1_width_8", m, draw.Options{
		Title:    "shfl.sync.up.b32 %r1|%p, %r0, 1, 0x1800, 0xffffffff;",
		Subtitle: []string{"c = 0x1800: " + lane.ParseC(0x1800).Describe(lane.ShflUp)},
		Pred:     p, HasPred: true,
	})
	m, p = lane.ShflUniform(lane.ShflDown, 16, 0x1f, 0xfffff, 0xfffff)
	add("shfl_down_16_partial", m, draw.Options{
		Title: "shfl.sync.down.b32 %r1|%p, %r0, 16, 0x1f, 0xfffff;", Subtitle: []string{"20 lanes execute; 12 of them read lanes that are not there"},
		Inactive: ^lane.Mask(0xfffff), Pred: p, HasPred: true,
	})
	add("row_bcast_15", dpp(t, "row_bcast:15", 0xa, 0xf, false, lane.All(64)), draw.Options{
		Title:    "v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa",
		Subtitle: []string{"row_bcast:15: " + lane.DPPRowBcast15.Describe(), "row_mask 0xa: rows 1 and 3 are written"},
	})
	add("row_shr_1_bound", dpp(t, "row_shr:1", 0xf, 0xf, true, lane.All(64)), draw.Options{Title: "v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0"})
	add("swizzle_quad", lane.DSSwizzle(0x80f6, lane.All(64)), draw.Options{
		Title: "ds_swizzle_b32 v5, v2 offset:swizzle(QUAD_PERM,2,1,3,3)", Subtitle: []string{lane.SwizzlePattern(0x80f6).Describe()},
	})
	add("swizzle_swap_16", lane.DSSwizzle(0x401f, lane.All(64)), draw.Options{
		Title: "ds_swizzle_b32 v5, v2 offset:swizzle(SWAP,16)", Subtitle: []string{lane.SwizzlePattern(0x401f).Describe()},
	})
	var addr [64]uint32
	before := make([]string, 64)
	for i := range addr {
		addr[i] = uint32(i*i*4 + i)
		before[i] = string(rune('a'+i%26)) + string(rune('A'+i/26))
	}
	exec := lane.Mask(0xffffff00ffff0ff3)
	m = lane.DSPermute(&addr, 0, exec)
	after := make([]string, 64)
	lane.Apply(&m, after, before, make([]string, 64))
	add("permute_conflicts", m, draw.Options{
		Title: "ds_permute_b32 v0, v1, v2", Subtitle: []string{"v1 = 4*i*i + i", "EXEC = " + exec.Hex(64)},
		Inactive: ^exec, Lost: lane.DSPermuteLost(&addr, 0, exec), Before: before, After: after,
	})
	add("wave_ror_1", dpp(t, "wave_ror:1", 0xf, 0xf, false, lane.All(64)), draw.Options{Title: "v_mov_b32 v1, v0 wave_ror:1"})
	add("wave_shl_1_exec", dpp(t, "wave_shl:1", 0xf, 0xf, false, 0xffffffff0fffff0f), draw.Options{
		Title: "v_mov_b32 v1, v0 wave_shl:1", Inactive: ^lane.Mask(0xffffffff0fffff0f),
	})
	return ps
}

func folds() map[string]draw.Fold {
	pred := lane.Mask(0x00f0a5f1)
	var vals [32]uint32
	in, bit := make([]string, 32), make([]string, 32)
	for i := range vals {
		vals[i] = uint32(i * i % 7)
		in[i], bit[i] = strconv.Itoa(int(vals[i])), strconv.Itoa(int(pred>>i&1))
	}
	active := lane.Mask(0xfffffff0)
	groups := lane.MatchAny32(&vals, active)
	out := make([]string, 32)
	for i := range active.Lanes() {
		out[i] = groups[i].Hex(32)
	}
	v := make([]string, 64)
	for i := range v {
		v[i] = strconv.Itoa(100000000 + 37*i)
	}
	return map[string]draw.Fold{
		"vote_ballot": {
			Title: "vote.sync.ballot.b32 %r1, %p0, 0xfffffff0;", Lanes: 32, Active: active, Picked: pred & active,
			In: bit, InName: "p", Result: lane.VoteBallot(pred, active).Hex(32), ResultName: "%r1",
		},
		"match_any": {
			Title: "match.any.sync.b32 %r1, %r0, 0xfffffff0;", Lanes: 32, Active: active,
			In: in, InName: "a", Out: out, OutName: "d",
		},
		"redux_add": {
			Title: "redux.sync.add.u32 %r1, %r0, 0xfffffff0;", Lanes: 32, Active: active,
			In: in, InName: "a", Result: strconv.Itoa(int(lane.Redux(lane.ReduxAdd, &vals, active))), ResultName: "%r1",
		},
		"readfirstlane": {
			Title: "v_readfirstlane_b32 s0, v1", Subtitle: []string{"EXEC = 0xffffffffffff0000"}, Lanes: 64, Active: 0xffffffffffff0000,
			Picked: lane.Lane(16), In: v, InName: "v1", Result: v[16], ResultName: "s0",
		},
	}
}
