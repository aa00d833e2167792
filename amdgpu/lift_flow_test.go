package amdgpu

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
)

func TestPrefixSum(t *testing.T) {
	t.Parallel()
	st := &state{exec: math.MaxUint64}
	for l := range 64 {
		st.v[0][l] = math.Float32bits(float32(l*l%17 - 5))
	}
	sum := float32(0)
	want := *st
	for l := range 64 {
		sum += math.Float32frombits(st.v[0][l])
		want.v[1][l] = math.Float32bits(sum)
	}
	(&machine{}).run(t, assembleText(t, hooks.PrefixSum), st)
	if d := st.diff(&want); d != "" {
		t.Fatal(d)
	}
}

// TestLoopExec runs a loop that lanes leave at different times: EXEC changes within one kernel.
func TestLoopExec(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	st := randomState(r)
	exec := st.exec
	want := *st
	for l := range 64 {
		st.v[0][l] %= 40
		want.v[0][l] = st.v[0][l]
		if exec>>l&1 != 0 {
			want.v[1][l], want.v[2][l] = st.v[0][l]*(st.v[0][l]+1)/2, 0
		}
	}
	code := assembleText(t, `
		s_mov_b64 s[4:5], exec
		v_mov_b32 v1, 0
		v_mov_b32 v2, v0
	loop:
		v_cmp_ne_u32 vcc, 0, v2
		s_and_b64 exec, exec, vcc
		s_cbranch_execz done
		v_add_u32 v1, vcc, v1, v2
		v_sub_u32 v2, vcc, v2, 1
		s_branch loop
	done:
		s_mov_b64 exec, s[4:5]
		s_getpc_b64 s[6:7]`)
	got := *st
	(&machine{values: []uint64{0, 0, 0, 0x123456789000}}).run(t, code, &got)
	if got.exec != exec {
		t.Fatalf("exec %#x, want %#x", got.exec, exec)
	}
	for l := range 64 {
		if got.v[1][l] != want.v[1][l] || got.v[2][l] != want.v[2][l] {
			t.Fatalf("lane %d: v1 %d, v2 %d; want %d, %d", l, got.v[1][l], got.v[2][l], want.v[1][l], want.v[2][l])
		}
	}
	if pc := got.get64(6); pc != 0x123456789000+uint64(len(code)) {
		t.Errorf("s_getpc_b64 gave %#x", pc)
	}
}

func TestBranches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		branch string
		set    string
		taken  bool
	}{
		{"s_cbranch_scc0", "s_cmp_eq_u32 0, 0", false}, {"s_cbranch_scc0", "s_cmp_eq_u32 0, 1", true},
		{"s_cbranch_scc1", "s_cmp_eq_u32 0, 0", true}, {"s_cbranch_scc1", "s_cmp_eq_u32 0, 1", false},
		{"s_cbranch_vccz", "s_mov_b64 vcc, 0", true}, {"s_cbranch_vccz", "s_mov_b32 vcc_hi, 1", false},
		{"s_cbranch_vccnz", "s_mov_b64 vcc, 0", false}, {"s_cbranch_vccnz", "s_mov_b32 vcc_hi, 1", true},
		{"s_cbranch_execz", "s_mov_b64 exec, 0", true}, {"s_cbranch_execz", "s_mov_b64 exec, 2", false},
		{"s_cbranch_execnz", "s_mov_b64 exec, 0", false}, {"s_cbranch_execnz", "s_mov_b64 exec, 2", true},
		{"s_branch", "s_nop 0", true}, {"s_cbranch_cdbgsys", "s_nop 0", false},
	} {
		st := &state{exec: math.MaxUint64}
		(&machine{}).run(t, assembleText(t, "s_mov_b32 s0, 1\n"+c.set+"\n"+c.branch+" over\ns_mov_b32 s0, 2\nover:\ns_nop 0"), st)
		if (st.s[0] == 1) != c.taken {
			t.Errorf("%s after %s: taken %v", c.branch, c.set, st.s[0] == 1)
		}
	}
}

// TestDSCrossLane checks permutes and swizzles under partial EXEC, with the same register as source
// and destination.
func TestDSCrossLane(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(12, 12))
	for range 30 {
		st := randomState(r)
		want := *st
		var tmp, swz [64]uint32
		perm := [64]uint32{}
		for l := range 64 {
			if st.exec>>l&1 != 0 {
				tmp[l] = st.v[1][l]
				perm[(st.v[0][l]+12)>>2&63] = st.v[3][l] // the greatest lane wins
			}
		}
		for l := range 64 { // swizzle(SWAP, 4)
			if j := l ^ 4; st.exec>>j&1 != 0 {
				swz[l] = st.v[4][j]
			}
		}
		for l := range 64 {
			if st.exec>>l&1 != 0 {
				want.v[1][l] = tmp[(st.v[0][l]+8)>>2&63]
				want.v[2][l] = perm[l]
				want.v[4][l] = swz[l]
			}
		}
		(&machine{}).run(t, assembleText(t, `
			ds_bpermute_b32 v1, v0, v1 offset:8
			ds_permute_b32 v2, v0, v3 offset:12
			ds_swizzle_b32 v4, v4 offset:swizzle(SWAP,4)
			s_waitcnt lgkmcnt(0)`), st)
		if d := st.diff(&want); d != "" {
			t.Fatal(d)
		}
	}
}

// TestTrap checks that a trap names the instruction, and that execution continues after the debug
// trap.
func TestTrap(t *testing.T) {
	t.Parallel()
	err := (&machine{}).try(assembleText(t, "s_trap 2"), &state{exec: 1})
	if err == nil || !strings.Contains(err.Error(), "trap") {
		t.Errorf("s_trap 2: %v", err)
	}
	if err := (&machine{}).try(assembleText(t, "s_trap 3"), &state{exec: 1}); err != nil {
		t.Errorf("s_trap 3: %v", err)
	}
}

// TestABI checks the order of user SGPRs, system SGPRs and VGPRs.
func TestABI(t *testing.T) {
	t.Parallel()
	a := ABI{PrivateSegmentBuffer: true, DispatchPtr: true, KernargSegmentPtr: true, PrivateSegmentSize: true, UserSGPRs: 12, WorkgroupIDX: true, WorkgroupIDZ: true, WorkitemID: 1, Scratch: 64}
	got := a.Inputs()
	want := []ABIInput{
		// The V# of the private segment: LLVM AMDGPU usage, "Private Segment Buffer".
		{Kind: ir.InConst, Imm: 1<<63 | 0x8000<<32, Reg: 0, Dwords: 2},
		{Kind: ir.InConst, Imm: 64*64 | 0xea4fac<<32, Reg: 2, Dwords: 2},
		{Kind: ir.LaunchValue, Imm: ValueDispatch, Reg: 4, Dwords: 2}, {Kind: ir.LaunchValue, Imm: ValueKernarg, Reg: 6, Dwords: 2},
		{Kind: ir.InConst, Imm: 64, Reg: 8, Dwords: 1},
		{Kind: ir.BlockIDX, Reg: 12, Dwords: 1}, {Kind: ir.BlockIDZ, Reg: 13, Dwords: 1},
		{Kind: ir.ThreadIDX, VGPR: true}, {Kind: ir.ThreadIDY, VGPR: true, Reg: 1},
	}
	if len(got) != len(want) {
		t.Fatalf("%d inputs, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("input %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}
