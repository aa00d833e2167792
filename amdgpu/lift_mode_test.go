package amdgpu

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/crosslane/internal/sim"
)

// TestSetMode uses s_setreg to switch f32 denormals on and off during the program.
func TestSetMode(t *testing.T) {
	t.Parallel()
	st := &state{exec: math.MaxUint64}
	for l := range 64 {
		st.v[1][l] = 0x00200000
	}
	(&machine{}).run(t, assembleText(t, `
		v_add_f32 v2, v1, v1
		s_mov_b32 s4, 3
		s_mov_b32 s5, 0
		s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s4
		v_add_f32 v3, v1, v1
		s_cbranch_scc1 over
		v_add_f32 v4, v1, v1
	over:
		v_add_f32 v5, v1, v1
		s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s5
		v_add_f32 v6, v1, v1`), st)
	if got := fmt.Sprintf("%x %x %x %x %x", st.v[2][0], st.v[3][0], st.v[4][0], st.v[5][0], st.v[6][0]); got != "0 400000 400000 400000 0" {
		t.Errorf("sums of denormals: %s", got)
	}
	for _, c := range []struct{ text, want string }{
		{"s_setreg_b32 hwreg(HW_REG_TRAPSTS), s4", "hardware register 3 cannot be written"},
		{"s_getreg_b32 s4, hwreg(HW_REG_TRAPSTS)", "hardware register 3 has no value"},
		{"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1", "GPR_IDX_EN"},
		{"s_setreg_b32 hwreg(HW_REG_MODE), s4", "VSKIP"},
	} {
		err := (&machine{}).try(assembleText(t, c.text), &state{exec: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

// TestGetReg checks that s_getreg reads the value that s_setreg wrote, and the remaining hardware
// registers.
func TestGetReg(t *testing.T) {
	t.Parallel()
	st := &state{exec: 1, scc: true}
	st.s[4], st.s[9] = 0xdeadbeef, 0xffffffff
	(&machine{opt: LiftOptions{Mode: FloatMode{Round32: 2, Round16_64: 1, Denorm32: 1, Denorm16_64: 3}}}).run(t, assembleText(t, `
		s_getreg_b32 s5, hwreg(HW_REG_MODE)
		s_getreg_b32 s6, hwreg(HW_REG_MODE, 2, 5)
		s_setreg_b32 hwreg(HW_REG_MODE, 4, 3), s4
		s_nop 1
		s_getreg_b32 s7, hwreg(HW_REG_MODE)
		s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 12), 0xabc
		s_nop 1
		s_getreg_b32 s8, hwreg(HW_REG_MODE)
		s_getreg_b32 s9, hwreg(HW_REG_STATUS)
		s_getreg_b32 s10, hwreg(HW_REG_HW_ID)
		s_getreg_b32 s11, hwreg(HW_REG_IB_STS)`), st)
	mode := uint32(2 | 1<<2 | 1<<4 | 3<<6 | 1<<8 | 1<<9)
	for n, want := range map[int]uint32{5: mode, 6: mode >> 2 & 31, 7: mode&^0x70 | 0x70, 8: 0xabc, 9: 1<<16 | 1<<10 | 1, 10: 0, 11: 0} {
		if st.s[n] != want {
			t.Errorf("s%d = %#x, want %#x", n, st.s[n], want)
		}
	}
}

// TestScratch checks that each lane has its own scratch memory.
func TestScratch(t *testing.T) {
	t.Parallel()
	st := &state{exec: 0xfffffffffffffffe}
	st.s[4] = 64 * 8
	st.s[1], st.s[2], st.s[3] = 0x80008000, 64*64, 0x00ea4fac
	// The same kernel also has a buffer that is not scratch memory.
	mem := sim.NewMemory()
	buf := mem.Add("buf", make([]byte, 256))
	st.s[8], st.s[9], st.s[10], st.s[11] = uint32(buf.Base), uint32(buf.Base>>32), 256, 4<<15
	for l := range 64 {
		st.v[0][l], st.v[1][l] = uint32(4*(l%8)), uint32(1000+l)
	}
	want := *st
	for l := 1; l < 64; l++ {
		want.v[2][l], want.v[3][l] = uint32(1000+l), uint32(1000+l)
		want.v[4][l] = uint32(int32(int8(1000 + l)))
		want.v[5][l] = uint32(1000 + l%8 + (63-l%8)/8*8) // the last lane wins
	}
	code := assembleText(t, `
		buffer_store_dword v1, v0, s[0:3], s4 offen offset:16
		buffer_store_dword v1, off, s[0:3], 0 offset:4
		buffer_load_dword v2, v0, s[0:3], 0 offen offset:24
		buffer_load_dword v3, off, s[0:3], 0 offset:4
		buffer_load_sbyte v4, off, s[0:3], 0 offset:4
		buffer_store_dword v1, v0, s[8:11], 0 offen offset:16
		buffer_load_dword v5, v0, s[8:11], 0 offen offset:16`)
	(&machine{mem: mem, opt: LiftOptions{Scratch: 64}}).run(t, code, st)
	if d := st.diff(&want); d != "" {
		t.Error(d)
	}
}
