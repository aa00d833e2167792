package amdgpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMovRel checks that v_movrel and s_movrel move the register whose number is completed by M0.
// It tries all numbers; the numbers outside the registers are faults.
func TestMovRel(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	for m0 := -4; m0 < 12; m0++ {
		for _, c := range []struct {
			text     string
			dst, src int // registers before M0 is added
			addD     bool
			addS     bool
		}{
			{"v_movrels_b32 v2, v3", 2, 3, false, true}, {"v_movreld_b32 v2, v3", 2, 3, true, false}, {"v_movrelsd_b32 v2, v5", 2, 5, true, true}, {"v_movrelsd_b32 v4, v1", 4, 1, true, true},
			{"v_movrels_b32_e64 v0, v0", 0, 0, false, true}, {"v_movreld_b32_e64 v1, v2", 1, 2, true, false}, {"v_movrelsd_b32_e64 v3, v4", 3, 4, true, true},
		} {
			st := randomState(r)
			st.s[RegM0] = uint32(m0)
			d, s := c.dst, c.src
			if c.addD {
				d += m0
			}
			if c.addS {
				s += m0
			}
			want := *st
			got := *st
			err := (&machine{}).try(assembleText(t, c.text), &got)
			if d < 0 || d >= testVGPRs || s < 0 || s >= testVGPRs {
				if err == nil || !strings.Contains(err.Error(), "bad-register") {
					t.Errorf("%s, M0 = %d: error %v", c.text, m0, err)
				}
				continue
			}
			for l := range 64 {
				if st.exec>>l&1 != 0 {
					want.v[d][l] = st.v[s][l]
				}
			}
			if err != nil {
				t.Fatalf("%s, M0 = %d: %v", c.text, m0, err)
			}
			if diff := got.diff(&want); diff != "" {
				t.Errorf("%s, M0 = %d: %s", c.text, m0, diff)
			}
		}
	}
	for _, m0 := range []int{-20, -4, 0, 1, 2, 3, 50, 81, 82, 96, 1 << 30} {
		for _, n := range []int{1, 2} {
			for _, dst := range []bool{false, true} {
				st := randomState(r)
				st.s[RegM0] = uint32(m0)
				want, got := *st, *st
				at := 20 + m0
				text := fmt.Sprintf("s_movrels_b%d s[4:%d], s[20:%d]", 32*n, 3+n, 19+n)
				if dst {
					text = fmt.Sprintf("s_movreld_b%d s[20:%d], s[4:%d]", 32*n, 19+n, 3+n)
				}
				err := (&machine{}).try(assembleText(t, text), &got)
				if at < 0 || at+n > 102 || at%n != 0 {
					if err == nil || !strings.Contains(err.Error(), "bad-register") {
						t.Errorf("%s, M0 = %d: error %v", text, m0, err)
					}
					continue
				}
				for i := range n {
					if dst {
						want.s[at+i] = st.s[4+i]
					} else {
						want.s[4+i] = st.s[at+i]
					}
				}
				if err != nil {
					t.Fatalf("%s, M0 = %d: %v", text, m0, err)
				}
				if diff := got.diff(&want); diff != "" {
					t.Errorf("%s, M0 = %d: %s", text, m0, diff)
				}
			}
		}
	}
}

// TestGPRIndexing checks each indexed operand alone and all of them together, with indexes that
// change during the program.
func TestGPRIndexing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 5))
	for idx := range 6 {
		for mode := range 16 {
			st := randomState(r)
			st.s[3], st.s[RegM0] = uint32(idx)|r.Uint32()&^255, 0xabcdef12
			want, got := *st, *st
			n := func(base, bit int) int {
				if mode>>bit&1 != 0 {
					return base + idx
				}
				return base
			}
			for l := range 64 {
				if st.exec>>l&1 == 0 {
					continue
				}
				a, b, c := st.v[n(0, 0)][l], st.v[n(1, 1)][l], st.v[n(2, 2)][l]
				want.v[n(4, 3)][l] = a&b | ^a&c
			}
			want.s[RegM0] = 0xabcd0f12&^0xff | uint32(idx) | uint32(mode)<<12
			text := fmt.Sprintf("s_set_gpr_idx_on s3, %d\nv_bfi_b32 v4, v0, v1, v2\ns_set_gpr_idx_off", mode)
			(&machine{}).run(t, assembleText(t, text), &got)
			if diff := got.diff(&want); diff != "" {
				t.Fatalf("index %d, mode %d: %s", idx, mode, diff)
			}
		}
	}
	// The indexes and the operands change. Scalar operands are left alone. After s_set_gpr_idx_off,
	// no index is added.
	st := randomState(r)
	st.exec = ^uint64(0)
	want, got := *st, *st
	for l := range 64 {
		want.v[6][l] = st.v[3][l]        // source 0 + 3
		want.v[8][l] = st.s[9] | 1<<31   // destination 5 + 3
		want.v[7][l] = want.v[0][l] ^ 15 // destination 5 + 2
		want.v[5][l] = want.v[1][l]
	}
	want.s[RegM0] = st.s[RegM0]&0xffff0f00 | 2 | 8<<12
	(&machine{}).run(t, assembleText(t, `
		s_set_gpr_idx_on 3, gpr_idx(SRC0)
		v_mov_b32 v6, v0
		s_set_gpr_idx_mode gpr_idx(DST)
		v_or_b32 v5, s9, v11
		s_set_gpr_idx_idx 2
		v_xor_b32 v5, 15, v0
		s_set_gpr_idx_off
		v_mov_b32 v5, v1`), func() *state {
		for l := range 64 {
			got.v[11][l], want.v[11][l] = 1<<31, 1<<31
		}
		return &got
	}())
	if diff := got.diff(&want); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct{ text, want string }{
		{"s_set_gpr_idx_on 11, gpr_idx(SRC0)\nv_mov_b32 v6, v3\ns_set_gpr_idx_off", "gives the register number 14,"},
		{"s_mov_b32 m0, 3\ns_movrels_b64 s[4:5], s[6:7]", "the number 9 for a pair of registers:"},
		{"s_mov_b32 m0, -8\ns_movrels_b32 s4, s6", "gives the register number -2,"},
		{"s_set_gpr_idx_on 1, gpr_idx(SRC0)\ns_mov_b32 m0, 3\nv_mov_b32 v6, v3", "whether GPR indexing is on"},
		{"s_cbranch_scc1 over\ns_set_gpr_idx_on 1, gpr_idx(SRC0)\nover:\nv_mov_b32 v6, v3", "whether GPR indexing is on"},
		{"s_set_gpr_idx_on 1, gpr_idx(SRC0)\nv_mov_b32_dpp v6, v3 row_shl:1", "GPR indexing with it"},
		{"s_set_gpr_idx_on 1, gpr_idx(DST)\nv_mac_f32 v6, v3, v4", "GPR indexing with it"},
	} {
		if err := (&machine{}).try(assembleText(t, c.text), &state{exec: 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
	// The number of indexed instructions does not grow the code without bound.
	many := "s_set_gpr_idx_on s3, 1\n" + strings.Repeat("v_mov_b32 v0, v1\n", 6000)
	if err := (&machine{}).try(assembleText(t, many), &state{exec: 1}); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("error %v", err)
	}
}

// TestInterrupt checks that s_sendmsg asks the host once for the whole wave, changes no register, and faults if the host cannot
// serve what it finds.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	times := 0
	m := &machine{interrupt: func() ([]byte, string) { times++; return []byte("text"), "" }}
	st := randomState(rand.New(rand.NewPCG(3, 12)))
	want := *st
	m.run(t, assembleText(t, "s_sendmsg sendmsg(MSG_INTERRUPT)\ns_nop 0\ns_sendmsg sendmsg(MSG_INTERRUPT)"), st)
	if d := st.diff(&want); d != "" || times != 2 {
		t.Errorf("%d interrupts; %s", times, d)
	}
	m.interrupt = func() ([]byte, string) { return nil, "it asks for tea" }
	if err := m.try(assembleText(t, "s_sendmsg sendmsg(MSG_INTERRUPT)"), st); err == nil || !strings.Contains(err.Error(), "it asks for tea") {
		t.Errorf("error %v", err)
	}
}

// TestStops checks that s_sethalt stops with a fault, that s_sleep changes no value, and that an
// instruction that can never run gives the reason.
func TestStops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"s_sethalt 0\ns_sleep 3", ""}, {"s_sethalt 1", "s_sethalt"}, {"s_sendmsg sendmsg(MSG_INTERRUPT)", "interrupts the host, and the launch has no runtime"},
		{"s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)", "no receiver"}, {"s_sendmsghalt sendmsg(MSG_INTERRUPT)", "messages have no receiver"},
		{"s_rfe_b64 s[2:3]", "trap handlers"}, {"s_setkill 1", "debugger"}, {"s_setvskip s1, 3", "VSKIP"},
	} {
		err := (&machine{}).try(assembleText(t, c.text), &state{exec: 1})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
	// Every row has a meaning, or a reason for its absence.
	for _, row := range Rows() {
		if row.Sem == nil && row.Why == "" {
			t.Errorf("%s has neither a meaning nor a reason why not", row.Name)
		}
	}
}
