package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNoEffect checks that instructions that only inform caches, counters and other wavefronts
// change no register and continue, and that a branch for debuggers is not taken.
func TestNoEffect(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 12))
	for _, text := range []string{"s_wakeup", "s_setprio 3", "s_icache_inv", "s_incperflevel 1", "s_decperflevel 2", "s_ttracedata", "s_barrier",
		"s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol", "buffer_wbinvl1", "buffer_wbinvl1_vol", "ds_nop",
		"v_nop", "v_nop_e64", "v_clrexcp", "v_clrexcp_e64", "s_cbranch_cdbguser end", "s_cbranch_cdbgsys_or_user end", "s_cbranch_cdbgsys_and_user end"} {
		st := randomState(r)
		want := *st
		want.s[5] = 77
		(&machine{}).run(t, assembleText(t, text+"\ns_movk_i32 s5, 77\nend:"), st)
		if d := st.diff(&want); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	for _, text := range []string{"s_endpgm", "s_endpgm_saved"} {
		st := randomState(r)
		want := *st
		want.s[5] = 77
		(&machine{}).run(t, assembleText(t, "s_movk_i32 s5, 77\n"+text+"\ns_movk_i32 s5, 78"), st)
		if d := st.diff(&want); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

// TestClocks checks that the clocks never run backwards, and that no other register changes.
func TestClocks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"s_memtime", "s_memrealtime"} {
		st := randomState(rand.New(rand.NewPCG(2, 12)))
		want := *st
		(&machine{}).run(t, assembleText(t, name+" s[2:3]\ns_waitcnt lgkmcnt(0)\n"+name+" s[4:5]\n"), st)
		a, b := st.get64(2), st.get64(4)
		if a > b {
			t.Errorf("%s: %d, then %d", name, a, b)
		}
		want.put64(2, a)
		want.put64(4, b)
		if d := st.diff(&want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// refClass returns the bit of v_cmp_class for a number with exp exponent bits and frac fraction
// bits: signaling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal,
// +infinity.
func refClass(v uint64, exp, frac uint) int {
	negative := v>>(exp+frac)&1 != 0
	e, f := v>>frac&(1<<exp-1), v&(1<<frac-1)
	pick := func(plus, minus int) int {
		if negative {
			return minus
		}
		return plus
	}
	switch {
	case e == 1<<exp-1 && f == 0:
		return pick(9, 2)
	case e == 1<<exp-1:
		return int(f >> (frac - 1)) // the top bit makes a NaN quiet
	case e != 0:
		return pick(8, 3)
	case f != 0:
		return pick(7, 4)
	}
	return pick(6, 5)
}

// TestCompareClassAll checks the classes of all three widths, in every encoding.
func TestCompareClassAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 12))
	for _, row := range Rows() {
		if row.Format != VOPC || !strings.Contains(row.Name, "class") {
			continue
		}
		width := map[Type][2]uint{F16: {5, 10}, F32: {8, 23}, F64: {11, 52}}[row.Operands[1].Type]
		for e := E32; e <= EncSDWA; e++ {
			if !row.Encs.Has(e) {
				continue
			}
			for range 12 {
				in, ok := anyInst(r, row, e)
				if !ok {
					t.Fatalf("%s: no %v form", row.Name, e)
				}
				st := floatState(r)
				for l := range 64 {
					for n := range 8 {
						if r.IntN(2) == 0 { // exponents of all zeros and all ones
							x := uint64(r.Uint32N(2)) * (1<<width[0] - 1) << width[1]
							x |= r.Uint64()&(r.Uint64N(2)*(1<<width[1]-1)) | r.Uint64N(2)<<(width[0]+width[1])
							st.v[n][l] = uint32(x >> (32 * b2u(row.Operands[1].Type == F64 && n&1 != 0)))
						}
					}
				}
				want := *st
				var mask uint64
				for l := range 64 {
					if st.exec>>l&1 != 0 {
						c := refClass(refSource(st, &in, 1, l, true), width[0], width[1])
						mask |= refSource(st, &in, 2, l, true) >> c & 1 << l
					}
				}
				want.put64(in.Ops[0].Reg, mask)
				if strings.HasPrefix(row.Name, "v_cmpx") {
					want.exec = mask
				}
				checkInst(t, &in, st, &want)
			}
		}
	}
}

// TestDivFixupF16 checks v_div_fixup_f16 on all pairs of special denominators and numerators.
func TestDivFixupF16(t *testing.T) {
	t.Parallel()
	values := []uint32{0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x4248, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0xfe55, 0x7d00}
	for _, den := range values {
		st := &state{exec: math.MaxUint64}
		want := *st
		for l := range 64 {
			num, quot := values[l%len(values)], []uint32{0x3555, 0xb555, 0x0003, 0x7bff}[l/16]
			st.v[0][l], st.v[1][l], st.v[2][l] = quot|0xabcd0000, den|0x12340000, num
			a, b := f16v(uint64(num)), f16v(uint64(den))
			sign := (num ^ den) & 0x8000
			var v uint32
			switch {
			case a != a:
				v = num | 0x200
			case b != b:
				v = den | 0x200
			case a == 0 && b == 0, math.IsInf(a, 0) && math.IsInf(b, 0):
				v = 0xfe00
			case b == 0, math.IsInf(a, 0):
				v = sign | 0x7c00
			case a == 0, math.IsInf(b, 0):
				v = sign
			default:
				v = quot&0x7fff | sign
			}
			want.v[3][l] = v
		}
		want.v[0], want.v[1], want.v[2] = st.v[0], st.v[1], st.v[2]
		(&machine{}).run(t, assembleText(t, "v_div_fixup_f16 v3, v0, v1, v2"), st)
		for l := range 64 {
			if sameFloat(F16, uint64(st.v[3][l]), uint64(want.v[3][l])) && st.v[3][l]>>16 == 0 {
				want.v[3][l] = st.v[3][l]
			}
		}
		if d := st.diff(&want); d != "" {
			t.Errorf("denominator %#x: %s", den, d)
		}
	}
}

// TestDSTwo checks LDS instructions with two places: exchanges and stores at offsets that count
// elements or 64 elements, and the forms of loads that TestDS leaves out.
func TestDSTwo(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 12))
	for _, bytes := range []int{4, 8} {
		for _, unit := range []int{1, 64} {
			for k := range 8 {
				off := [2]int{r.IntN(3), 3 + r.IntN(3)}
				st := randomState(r)
				st.s[RegM0] = math.MaxUint32
				n := bytes / 4
				mem := make([]byte, 64*1024)
				fill := ""
				for l := range 64 {
					st.v[0][l] = uint32(16 * bytes * l)
					if unit == 64 {
						st.v[0][l] = uint32(bytes * l)
					}
				}
				name := []string{"ds_write2", "ds_wrxchg2"}[k&1]
				if unit == 64 {
					name += "st64"
				}
				dst := ""
				if k&1 != 0 {
					name, dst = name+"_rtn", regRange("v", 6, 2*n)+", "
				}
				text := fmt.Sprintf("%s_b%d %sv0, %s, %s offset0:%d offset1:%d", name, 8*bytes, dst, regRange("v", 1, n), regRange("v", 1+n, n), off[0], off[1])
				// Initially lane l's v10 is at dword l, and at l + 64, ….
				at := func(l, i int) int { return int(st.v[0][l]) + off[i]*bytes*unit }
				for d := range 32 {
					fill += fmt.Sprintf("ds_write_b32 v11, v10 offset:%d\n", 256*d)
				}
				for l := range 64 {
					st.v[11][l] = uint32(4 * l)
					for d := range 32 {
						binary.LittleEndian.PutUint32(mem[256*d+4*l:], st.v[10][l])
					}
				}
				want := *st
				exec := st.exec
				for i := range 2 {
					for l := range 64 {
						if exec>>l&1 == 0 {
							continue
						}
						for j := range n {
							p := mem[at(l, i)+4*j:]
							if k&1 != 0 {
								want.v[6+i*n+j][l] = binary.LittleEndian.Uint32(p)
							}
							binary.LittleEndian.PutUint32(p, st.v[1+i*n+j][l])
						}
					}
				}
				// Then all lanes read the memory: at v11 + 4096, at v11, and at lane l's places.
				all := fmt.Sprintf("s_mov_b64 s[20:21], exec\ns_mov_b64 exec, -1\n%ss_mov_b64 exec, s[20:21]\n%s\ns_mov_b64 exec, -1\n", fill, text)
				for l := range 64 {
					want.v[9][l] = binary.LittleEndian.Uint32(mem[4*l:])
				}
				all += "ds_read_b32 v9, v11\n"
				if k&1 == 0 {
					all += fmt.Sprintf("ds_read_b%d %s, v0 offset:%d\n", 8*bytes, regRange("v", 6, n), off[1]*bytes*unit)
					for l := range 64 {
						for j := range n {
							want.v[6+j][l] = binary.LittleEndian.Uint32(mem[at(l, 1)+4*j:])
						}
					}
				}
				want.put64(20, exec)
				want.exec = math.MaxUint64
				(&machine{lds: 64 * 1024}).run(t, assembleText(t, all), st)
				if d := st.diff(&want); d != "" {
					t.Fatalf("%s: %s", text, d)
				}
			}
		}
	}
	st := randomState(r)
	st.exec, st.s[RegM0] = math.MaxUint64, math.MaxUint32
	for l := range 64 {
		st.v[0][l] = uint32(16 * l)
	}
	want := *st
	for l := range 64 {
		want.v[4][l] = uint32(int32(int8(st.v[2][l])))
		want.v[5][l] = st.v[3][l] & 0xffff
		for i := range 3 {
			want.v[8+i][l] = st.v[1+i][l]
		}
		want.v[11][l] = st.v[11][l]
	}
	(&machine{lds: 2048}).run(t, assembleText(t, "ds_write_b96 v0, v[1:3]\nds_write_b32 v0, v11 offset:12\nds_read_i8 v4, v0 offset:4\nds_read_u16 v5, v0 offset:8\nds_read_b128 v[8:11], v0"), st)
	if d := st.diff(&want); d != "" {
		t.Error(d)
	}
	st = randomState(r)
	st.exec, st.s[RegM0] = math.MaxUint64, math.MaxUint32
	for l := range 64 {
		st.v[0][l] = uint32(8 * l)
	}
	want = *st
	want.v[5], want.v[6], want.v[7], want.v[8] = st.v[1], st.v[2], st.v[3], st.v[4]
	(&machine{lds: 2048}).run(t, assembleText(t, "ds_write_b64 v0, v[1:2] offset:512\nds_write_b64 v0, v[3:4] offset:1024\nds_read2st64_b64 v[5:8], v0 offset0:1 offset1:2"), st)
	if d := st.diff(&want); d != "" {
		t.Error(d)
	}
}

// TestForkTo checks s_cbranch_g_fork, which is s_cbranch_i_fork with the address in registers.
func TestForkTo(t *testing.T) {
	t.Parallel()
	code := assembleText(t, `
		v_cmp_gt_u32 s[36:37], 10, v0
		s_mov_b64 s[42:43], exec
		s_getreg_b32 s33, hwreg(HW_REG_MODE, 29, 3)
		s_getpc_b64 s[50:51]
		s_add_u32 s50, s50, 28
		s_addc_u32 s51, s51, 0
		s_cbranch_g_fork s[36:37], s[50:51]
		v_mov_b32 v1, 3
		s_branch met
		s_nop 0
		s_nop 0
		v_mov_b32 v1, 1
	met:
		s_cbranch_join s33
		s_mov_b64 exec, s[42:43]
		v_add_u32 v3, vcc, 1, v1`)
	for _, exec := range []uint64{math.MaxUint64, 0x3ff, 1 << 40, 0x00f0f0f0f0f0f0f0} {
		st := &state{exec: exec}
		for l := range 64 {
			st.v[0][l] = uint32(l)
		}
		(&machine{}).run(t, code, st)
		for l := range 64 {
			want := uint32(4)
			if l < 10 {
				want = 2
			}
			if exec>>l&1 != 0 && st.v[3][l] != want {
				t.Fatalf("exec %#x, lane %d: %d, want %d", exec, l, st.v[3][l], want)
			}
		}
	}
}
