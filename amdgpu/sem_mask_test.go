package amdgpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// put64 writes a pair of scalar registers; EXEC is the state's exec.
func (st *state) put64(r uint16, v uint64) {
	if r == RegEXEC {
		st.exec = v
	}
	st.s[r], st.s[r+1] = uint32(v), uint32(v>>32)
}

func (st *state) get64(r uint16) uint64 {
	if r == RegEXEC {
		return st.exec
	}
	return uint64(st.s[r]) | uint64(st.s[r+1])<<32
}

// checkInst runs one instruction on st and compares the result with want, which the caller derived
// from a copy of st.
func checkInst(t *testing.T, in *Inst, st, want *state) {
	t.Helper()
	code, err := Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	got := *st
	(&machine{}).run(t, code, &got)
	if d := got.diff(want); d != "" {
		t.Fatalf("%s: %s (exec before %#x)", Print(in), d, st.exec)
	}
}

// TestCarry checks additions and subtractions with carries, in every encoding.
func TestCarry(t *testing.T) {
	t.Parallel()
	for _, row := range Rows() {
		var f func(a, b, c uint64) uint64 // the result with the carry in bit 32
		sub := func(a, b, c uint64) uint64 { return (a - b - c) & (1<<33 - 1) }
		switch row.Name {
		case "v_add_u32", "v_addc_u32":
			f = func(a, b, c uint64) uint64 { return a + b + c }
		case "v_sub_u32", "v_subb_u32":
			f = sub
		case "v_subrev_u32", "v_subbrev_u32":
			f = func(a, b, c uint64) uint64 { return sub(b, a, c) }
		default:
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(row.Op), 9))
			for e := E32; e <= EncSDWA; e++ {
				for range 12 {
					in, ok := anyInst(r, row, e)
					if !ok {
						t.Fatalf("no %v form", e)
					}
					st := randomState(r)
					want := *st
					var mask uint64
					for l := range 64 {
						if !refActive(st, &in, l) {
							continue
						}
						c := uint64(0)
						if len(row.Operands) == 5 {
							c = st.get64(in.Ops[4].Reg) >> l & 1
						}
						v := f(refSource(st, &in, 2, l, true), refSource(st, &in, 3, l, true), c)
						refPut(&want, &in, l, v)
						mask |= v >> 32 & 1 << l
					}
					want.put64(in.Ops[1].Reg, mask)
					checkInst(t, &in, st, &want)
				}
			}
		})
	}
}

// TestIntegerClamp checks that clamped additions saturate.
func TestIntegerClamp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, text := range []string{"v_add_u32 v0, s[2:3], v1, v2 clamp", "v_sub_u32 v0, s[2:3], v1, v2 clamp", "v_add_u16 v0, v1, v2 clamp", "v_sub_u16 v0, v1, v2 clamp"} {
		st := randomState(r)
		for l := range 64 {
			st.v[1][l], st.v[2][l] = r.Uint32()|1<<31, r.Uint32()|1<<31
		}
		want := *st
		var mask uint64
		for l := range 64 {
			if st.exec>>l&1 == 0 {
				continue
			}
			a, b := int64(st.v[1][l]), int64(st.v[2][l])
			hi := int64(math.MaxUint32)
			if strings.Contains(text, "u16") {
				a, b, hi = a&0xffff, b&0xffff, 0xffff
			}
			v := a + b
			if strings.Contains(text, "sub") {
				v = a - b
			}
			mask |= b2u(v < 0 || v > hi) << l
			want.v[0][l] = uint32(max(0, min(hi, v)))
		}
		if strings.Contains(text, "u32") {
			want.put64(2, mask)
		}
		in, err := hooks.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		checkInst(t, &in, st, &want)
	}
}

// TestCompare checks that comparisons write 0 for the lanes outside EXEC, and that v_cmpx writes
// EXEC.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, row := range Rows() {
		if row.Format != VOPC || strings.Contains(row.Name, "class") {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(row.Op), 10))
		for e := E32; e <= EncSDWA; e++ {
			if !row.Encs.Has(e) {
				continue
			}
			for range 2 {
				in, ok := anyInst(r, row, e)
				if !ok {
					t.Fatalf("%s: no %v form", row.Name, e)
				}
				st := floatState(r)
				for l := 0; l < 64; l += 3 { // equal operands
					st.v[1], st.v[3] = st.v[2], st.v[4]
				}
				want := *st
				var mask uint64
				for l := range 64 {
					if st.exec>>l&1 != 0 {
						mask |= b2u(cmpRef(row.Name, row.Operands[1].Type, refSource(st, &in, 1, l, false), refSource(st, &in, 2, l, false))) << l
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

// TestCompareClass checks that v_cmp_class sees denormals even if MODE flushes them.
func TestCompareClass(t *testing.T) {
	t.Parallel()
	values := []uint32{0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001, 0x80000000, 0, 1, 0x3f800000, 0x7f800000}
	st := &state{exec: math.MaxUint64}
	for l := range 64 {
		st.v[0][l], st.v[1][l] = values[l%10], 1<<(l/10)
		if l >= 60 {
			st.v[1][l] = 0x3ff
		}
	}
	want := *st
	var mask uint64
	for l := range 64 {
		mask |= b2u(st.v[1][l]>>(l%10)&1 != 0) << l
	}
	want.put64(RegVCC, mask)
	in, err := hooks.Parse("v_cmp_class_f32 vcc, v0, v1")
	if err != nil {
		t.Fatal(err)
	}
	checkInst(t, &in, st, &want)
}

func TestCndmask(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	row := LookUp("v_cndmask_b32")
	for e := E32; e <= EncSDWA; e++ {
		for range 20 {
			in, ok := anyInst(r, row, e)
			if !ok {
				t.Fatalf("no %v form", e)
			}
			st := randomState(r)
			want := *st
			for l := range 64 {
				if refActive(st, &in, l) {
					i := 1 + int(st.get64(in.Ops[3].Reg)>>l&1)
					refPut(&want, &in, l, refSource(st, &in, i, l, true))
				}
			}
			checkInst(t, &in, st, &want)
		}
	}
}

func TestMad64(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	for _, name := range []string{"v_mad_u64_u32", "v_mad_i64_i32"} {
		for range 20 {
			in, ok := anyInst(r, LookUp(name), E32)
			if !ok {
				t.Fatal("no form")
			}
			st := randomState(r)
			want := *st
			var mask uint64
			for l := range 64 {
				if st.exec>>l&1 == 0 {
					continue
				}
				a, b, c := refSource(st, &in, 2, l, true), refSource(st, &in, 3, l, true), refSource(st, &in, 4, l, true)
				v := a*b + c
				over := v < c
				if name == "v_mad_i64_i32" {
					p := sext(a, 32) * sext(b, 32)
					s := p + int64(c)
					v, over = uint64(s), (p^s)&(int64(c)^s) < 0
				}
				refPut(&want, &in, l, v)
				mask |= b2u(over) << l
			}
			want.put64(in.Ops[1].Reg, mask)
			if in.Ops[1].Reg%2 == 0 {
				checkInst(t, &in, st, &want)
			}
		}
	}
}

// TestLaneAccess checks that lane access ignores EXEC, and that mbcnt counts below the lane.
func TestLaneAccess(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for range 40 {
		st := randomState(r)
		if r.IntN(8) == 0 {
			st.exec = 0
		}
		want := *st
		code := assembleText(t, `
			v_readlane_b32 s10, v1, s2
			v_readlane_b32 s11, v2, 37
			v_readfirstlane_b32 s12, v3
			v_writelane_b32 v4, -5, s4
			v_writelane_b32 v5, 17, 63
			v_mbcnt_lo_u32_b32 v6, s6, v8
			v_mbcnt_hi_u32_b32 v6, s7, v6
			v_mbcnt_lo_u32_b32 v7, -1, 0`)
		want.s[10], want.s[11] = st.v[1][st.s[2]%64], st.v[2][37]
		first := 0
		for l := 63; l >= 0; l-- {
			if st.exec>>l&1 != 0 {
				first = l
			}
		}
		want.s[12] = st.v[3][first]
		want.v[4][st.s[4]%64], want.v[5][63] = 0xfffffffb, 17
		mask := st.get64(6)
		for l := range 64 {
			if st.exec>>l&1 == 0 {
				continue
			}
			n := st.v[8][l]
			for i := range l {
				n += uint32(mask >> i & 1)
			}
			want.v[6][l], want.v[7][l] = n, uint32(min(l, 32))
		}
		got := *st
		(&machine{}).run(t, code, &got)
		if d := got.diff(&want); d != "" {
			t.Fatal(d)
		}
	}
}

// TestDivision checks that the manual's division sequence divides correctly, even with denormals.
func TestDivision(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	f32code := assembleText(t, `
		v_div_scale_f32 v4, vcc, v1, v1, v0
		v_div_scale_f32 v5, vcc, v0, v1, v0
		v_rcp_f32 v6, v4
		v_fma_f32 v7, -v4, v6, 1.0
		v_fma_f32 v6, v7, v6, v6
		v_mul_f32 v7, v5, v6
		v_fma_f32 v8, -v4, v7, v5
		v_fma_f32 v7, v8, v6, v7
		v_fma_f32 v4, -v4, v7, v5
		v_div_fmas_f32 v4, v4, v6, v7
		v_div_fixup_f32 v2, v4, v1, v0`)
	f64code := assembleText(t, `
		v_div_scale_f64 v[4:5], s[2:3], v[2:3], v[2:3], v[0:1]
		v_rcp_f64 v[6:7], v[4:5]
		v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
		v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]
		v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
		v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]
		v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]
		v_mul_f64 v[10:11], v[8:9], v[6:7]
		v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]
		s_nop 1
		v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]
		v_div_fixup_f64 v[4:5], v[4:5], v[2:3], v[0:1]`)
	m := &machine{opt: LiftOptions{Mode: FloatMode{Denorm32: DenormKeep, Denorm16_64: DenormKeep}}}
	for range 60 {
		st := &state{exec: math.MaxUint64}
		for l := range 64 {
			for n := range 2 {
				st.v[n][l] = r.Uint32()
				if r.IntN(3) == 0 {
					st.v[n][l] = math.Float32bits(float32(r.IntN(40) - 20))
				}
			}
		}
		got := *st
		m.run(t, f32code, &got)
		for l := range 64 {
			a, b := math.Float32frombits(st.v[0][l]), math.Float32frombits(st.v[1][l])
			if !sameFloat(F32, uint64(got.v[2][l]), uint64(math.Float32bits(a/b))) {
				t.Fatalf("%g (%#x) / %g (%#x) = %#x, want %#x", a, st.v[0][l], b, st.v[1][l], got.v[2][l], math.Float32bits(a/b))
			}
		}
		for l := range 64 {
			for n := range 2 {
				x := r.Uint64()
				if r.IntN(3) == 0 {
					x = math.Float64bits(float64(r.IntN(40) - 20))
				}
				st.v[2*n][l], st.v[2*n+1][l] = uint32(x), uint32(x>>32)
			}
		}
		got = *st
		m.run(t, f64code, &got)
		for l := range 64 {
			at := func(s *state, n int) float64 {
				return math.Float64frombits(uint64(s.v[n][l]) | uint64(s.v[n+1][l])<<32)
			}
			a, b := at(st, 0), at(st, 2)
			if g := math.Float64bits(at(&got, 4)); !sameFloat(F64, g, math.Float64bits(a/b)) {
				t.Fatalf("%g / %g = %g, want %g", a, b, at(&got, 4), a/b)
			}
		}
	}
}

// TestOutputModifiers checks omod and clamp of floats.
func TestOutputModifiers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		in, out float32
	}{
		{"v_add_f32 v0, v1, 0 mul:2", 3, 6}, {"v_add_f32 v0, v1, 0 mul:4", 3, 12}, {"v_add_f32 v0, v1, 0 div:2", 3, 1.5},
		{"v_add_f32 v0, v1, 0 clamp", 3, 1}, {"v_add_f32 v0, v1, 0 clamp", -3, 0}, {"v_add_f32 v0, v1, 0 mul:2 clamp", 0.375, 0.75},
		{"v_add_f32 v0, v1, 0 clamp", float32(math.NaN()), 0}, {"v_add_f32 v0, -|v1|, 0 clamp", 0.5, 0}, {"v_mad_f32 v0, v1, 1.0, 0 mul:2", 3, 6},
		{"v_mac_f32 v0, v1, 1.0 div:2", 3, 1.5}, {"v_mov_b32 v0, v1", 5, 5}, {"v_add_f32_sdwa v0, v1, v2 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD", 3, 1},
	} {
		st := &state{exec: math.MaxUint64}
		for l := range 64 {
			st.v[1][l] = math.Float32bits(c.in)
		}
		(&machine{opt: LiftOptions{Mode: FloatMode{Denorm16_64: DenormKeep, NoIEEE: true}}}).run(t, assembleText(t, c.text), st)
		if got := math.Float32frombits(st.v[0][9]); got != c.out {
			t.Errorf("%s of %g = %g, want %g", c.text, c.in, got, c.out)
		}
	}
	// omod is ignored with IEEE on.
	ieee := &state{exec: 1}
	ieee.v[1][0] = math.Float32bits(3)
	(&machine{}).run(t, assembleText(t, "v_add_f32 v0, v1, 0 mul:2"), ieee)
	if ieee.v[0][0] != math.Float32bits(3) {
		t.Errorf("omod with IEEE on gave %#x", ieee.v[0][0])
	}
	// With denormals kept, omod has no effect (GCN3 ISA 6.2.3).
	st := &state{exec: 1}
	st.v[1][0] = math.Float32bits(3)
	(&machine{opt: LiftOptions{Mode: FloatMode{Denorm32: DenormKeep, NoIEEE: true}}}).run(t, assembleText(t, "v_add_f32 v0, v1, 0 mul:2"), st)
	if st.v[0][0] != math.Float32bits(3) {
		t.Errorf("omod with denormals kept gave %#x", st.v[0][0])
	}
}

// TestDenormalModes checks that MODE decides about denormals.
func TestDenormalModes(t *testing.T) {
	t.Parallel()
	for mode := DenormFlush; mode <= DenormKeep; mode++ {
		st := &state{exec: math.MaxUint64}
		for l := range 64 {
			st.v[1][l], st.v[2][l] = 0x00400000, 0x00800000 // a denormal; the least normal
		}
		m := &machine{opt: LiftOptions{Mode: FloatMode{Denorm32: mode, NoDX10Clamp: true}}}
		m.run(t, assembleText(t, "v_add_f32 v3, v1, v1\nv_mul_f32 v4, 0.5, v2\nv_max_f32 v5, v1, v1\nv_mad_f32 v6, v1, 1.0, v1\nv_cmp_eq_f32 vcc, 0, v1"), st)
		var want [3]uint32
		if mode&DenormInput != 0 {
			want[0] = 0x00800000
		}
		if mode&DenormOutput != 0 {
			want[1] = 0x00400000
		}
		got := fmt.Sprintf("%x %x %x %x vcc %v", st.v[3][0], st.v[4][0], st.v[5][0], st.v[6][0], st.get64(RegVCC) != 0)
		if w := fmt.Sprintf("%x %x 400000 0 vcc %v", want[0], want[1], mode&DenormInput == 0); got != w {
			t.Errorf("mode %d: %s, want %s", mode, got, w)
		}
	}
}
