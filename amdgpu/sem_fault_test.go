package amdgpu

import (
	"fmt"
	"strings"
	"testing"
)

// TestMemoryFaults checks that every access path faults with the lane, the address and the nearest
// allocation. Only lane 5 is wrong.
func TestMemoryFaults(t *testing.T) {
	t.Parallel()
	m0 := "s_mov_b32 m0, -1\n"
	for _, c := range []struct {
		text string
		set  func(st *state, base uint64)
		want []string
	}{
		{"flat_load_dword v2, v[0:1]", nil, []string{"lane 5", "reads 4 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"flat_load_dwordx3 v[2:4], v[0:1]", nil, []string{"lane 5", "past the end of \"buf\""}},
		{"flat_store_short v[0:1], v2", nil, []string{"lane 5", "writes 2 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"flat_atomic_add v[0:1], v2", nil, []string{"lane 5", "updates 4 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"buffer_load_dword v2, v6, s[8:11], 0 offen", nil, []string{"lane 5", "reads 4 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"buffer_store_byte v2, v6, s[8:11], 0 offen", nil, []string{"lane 5", "writes 1 byte ", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"buffer_atomic_swap v2, v6, s[8:11], 0 offen", nil, []string{"lane 5", "updates 4 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"buffer_load_format_x v2, v6, s[8:11], 0 offen", nil, []string{"lane 5", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"tbuffer_store_format_x v2, v6, s[8:11], dfmt:4, nfmt:4, 0 offen", nil, []string{"lane 5", "writes 4 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"s_load_dword s0, s[12:13], 0x0", nil, []string{"wave 0", "reads 4 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"s_buffer_load_dword s0, s[8:11], 0x104", nil, []string{"reads 4 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{"s_store_dword s0, s[12:13], 0x0", nil, []string{"writes 4 bytes", "4 bytes past the end of \"buf\" (256 bytes)"}},
		{m0 + "ds_read_b32 v2, v7", nil, []string{"lane 5", "reads 4 bytes", "4 bytes past the end: shared memory of the block has 64 bytes"}},
		{m0 + "ds_write2_b32 v7, v2, v3 offset0:0 offset1:1", nil, []string{"lane 5", "writes 4 bytes", "past the end: shared memory"}},
		{m0 + "ds_rsub_rtn_u32 v2, v7, v3", nil, []string{"lane 5", "updates 4 bytes", "4 bytes past the end: shared memory of the block has 64 bytes"}},
		{m0 + "ds_min_src2_f32 v7", nil, []string{"lane 5", "past the end: shared memory"}},
		{"s_mov_b32 m0, 0x44\nds_append v2", nil, []string{"updates 4 bytes", "4 bytes past the end: shared memory of the block has 64 bytes"}},
		{"flat_load_dword v2, v[8:9]", nil, []string{"lane 5", "shared memory of the block has 64 bytes"}},
		{"flat_load_dword v2, v[10:11]", nil, []string{"lane 5", "private memory of the lane has 32 bytes"}},
		{"buffer_load_dword v2, v7, s[16:19], 0 offen", nil, []string{"lane 5", "private memory of the lane has 32 bytes"}},
		{"flat_atomic_add v[0:1], v2", func(st *state, base uint64) { pointTo(st, 0, 5, base+2) }, []string{"lane 5", "multiple of 4"}},
		{"buffer_atomic_add_x2 v[2:3], v6, s[8:11], 0 offen", func(st *state, _ uint64) { st.v[6][5] = 4 }, []string{"lane 5", "multiple of 8"}},
		{m0 + "ds_read_b64 v[2:3], v7", func(st *state, _ uint64) { st.v[7][5] = 4 }, []string{"lane 5", "multiple of 8"}},
	} {
		m, buf := flatMachine(256)
		m.lds, m.opt.Scratch = 64, 32
		st := &state{exec: 0xff}
		for l := range 8 {
			pointTo(st, 0, l, buf.Base+uint64(8*l))
			pointTo(st, 8, l, 1<<48)
			pointTo(st, 10, l, 2<<48)
		}
		pointTo(st, 0, 5, buf.Base+260)
		st.v[6][5], st.v[7][5] = 260, 68
		pointTo(st, 8, 5, 1<<48+64)
		pointTo(st, 10, 5, 2<<48+32)
		w := rsrc{base: buf.Base, records: 1000, sel: identitySel, dfmt: 4, nfmt: 4}.words()
		copy(st.s[8:], w[:])
		if strings.Contains(c.text, "s[12:13]") {
			st.s[12], st.s[13] = uint32(buf.Base+260), uint32(buf.Base>>32)
		}
		st.s[17], st.s[18], st.s[19] = 0x80008000, 32*64, 0x00ea4fac
		addr := buf.Base + 260
		if c.set != nil {
			pointTo(st, 0, 5, buf.Base)
			st.v[6][5], st.v[7][5] = 0, 0
			c.set(st, buf.Base)
			addr = 0
		}
		err := m.try(assembleText(t, c.text), st)
		if err == nil {
			t.Errorf("%s: no fault", c.text)
			continue
		}
		for _, s := range c.want {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v; want %q", c.text, err, s)
			}
		}
		if at := fmt.Sprintf("%#x", addr); addr != 0 && strings.Contains(err.Error(), "\"buf\" (256") && !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v; want the address %s", c.text, err, at)
		}
	}
}

// TestLastAddress checks that an access to the last address of all is an ordinary fault, even as
// the first access of a wave: by one lane, by all lanes, and after accesses that leave the wave no
// memory to try first.
func TestLastAddress(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"flat_load_ubyte v2, v[0:1]", "flat_load_dword v2, v[0:1]", "flat_store_byte v[0:1], v2", "flat_store_dword v[0:1], v2", "flat_store_short v[0:1], v2",
		"flat_load_dwordx4 v[2:5], v[0:1]", "flat_store_dwordx2 v[0:1], v[2:3]", "flat_atomic_add v[0:1], v2"} {
		for _, lanes := range []uint64{1 << 5, 1<<5 | 1<<6, ^uint64(0)} {
			for _, before := range []string{"", "flat_store_byte v[8:9], v2\n", "flat_store_byte v[6:7], v2\n"} {
				m, buf := flatMachine(256)
				m.opt.Scratch = 32
				st := &state{exec: lanes}
				for l := range 64 {
					pointTo(st, 0, l, ^uint64(0))
					pointTo(st, 8, l, 2<<48)
					pointTo(st, 6, l, buf.Base)
				}
				err := m.try(assembleText(t, before+text), st)
				if err == nil || !strings.Contains(err.Error(), "0xffffffffffffffff") {
					t.Errorf("%s%s, lanes %#x: %v, want a fault at the last address", before, text, lanes, err)
				}
			}
		}
	}
}
