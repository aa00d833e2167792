package amdgpu

import (
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/short"
)

// checkAll runs instructions on a state, several at a time. Each instruction writes its own VGPR
// and reads v0 to v3 only.
func checkAll(t *testing.T, r *rand.Rand, refs modelRefs, list []Inst) {
	t.Helper()
	const each = 8
	for len(list) > 0 {
		n := min(each, len(list))
		m := &model{state: *floatState(r), mode: modeBits(DefaultMode())}
		got := m.state
		var code []byte
		for i := range list[:n] {
			in := &list[i]
			in.Ops[0].Reg = uint16(4 + i)
			b, err := Encode(in)
			if err != nil {
				t.Fatalf("%s: %v", Print(in), err)
			}
			code = append(code, b...)
			if !m.step(in, refs) {
				t.Fatalf("the model does not know %s", Print(in))
			}
		}
		(&machine{}).run(t, code, &got)
		for i := range list[:n] {
			for l := range 64 {
				if got.v[4+i][l] != m.v[4+i][l] {
					t.Fatalf("%s: lane %d = %#x, want %#x (exec %#x)", Print(&list[i]), l, got.v[4+i][l], m.v[4+i][l], m.exec)
				}
			}
		}
		list = list[n:]
	}
}

// TestSDWAAll checks every select of both sources and of the destination, every treatment of unused
// bits, and sext, neg and abs: SDWA of an integer type and of two float types.
func TestSDWAAll(t *testing.T) {
	t.Parallel()
	r, refs := rand.New(rand.NewPCG(31, 1)), newModelRefs()
	var list []Inst
	for _, name := range []string{"v_xor_b32", "v_add_u16", "v_mul_f16", "v_add_f32"} {
		row := LookUp(name)
		for c := range 7 * 7 * 7 * 3 * 4 {
			if !short.Every(c, 11) {
				continue
			}
			in := Inst{Row: row, Enc: EncSDWA}
			in.Ops[0], in.Ops[1], in.Ops[2] = V(4, 1), V(r.IntN(4), 1), V(r.IntN(4), 1)
			in.Mods[ModDstSel], in.Mods[ModSrc0Sel], in.Mods[ModSrc1Sel] = uint16(c%7), uint16(c/7%7), uint16(c/49%7)
			in.Mods[ModDstUnused] = uint16(c / 343 % 3)
			for i, bits := 0, c/1029; i < 2; i++ {
				o := &in.Ops[1+i]
				if row.Operands[1].Type.IsFloat() {
					o.Neg, o.Abs = bits>>i&1 != 0, r.IntN(2) == 0
				} else {
					o.Sext = bits>>i&1 != 0
				}
			}
			list = append(list, in)
		}
	}
	checkAll(t, r, refs, list)
}

// TestDPPAll checks every DPP control, with and without bounds, under row and bank masks, and with
// neg and abs, in VOP1 and VOP2.
func TestDPPAll(t *testing.T) {
	t.Parallel()
	r, refs := rand.New(rand.NewPCG(32, 1)), newModelRefs()
	var list []Inst
	for ctrl := range 0x150 {
		if dppText(ctrl) == "" {
			continue
		}
		for k := range 8 {
			row := LookUp([]string{"v_mov_b32", "v_sub_f32", "v_subrev_f32", "v_and_b32"}[k%4])
			in := Inst{Row: row, Enc: EncDPP}
			in.Ops[0], in.Ops[1] = V(4, 1), V(r.IntN(4), 1)
			if len(row.Operands) > 2 {
				in.Ops[2] = V(r.IntN(4), 1)
			}
			if row.Operands[1].Type.IsFloat() {
				in.Ops[1].Neg, in.Ops[2].Abs = r.IntN(2) == 0, r.IntN(2) == 0
			}
			in.Mods[ModDPPCtrl], in.Mods[ModBoundCtrl] = uint16(ctrl), uint16(k/4)
			in.Mods[ModRowMask], in.Mods[ModBankMask] = uint16(r.IntN(16)), uint16(r.IntN(16))
			if r.IntN(2) == 0 {
				in.Mods[ModRowMask], in.Mods[ModBankMask] = 15, 15
			}
			list = append(list, in)
		}
	}
	checkAll(t, r, refs, list)
}

// TestAtomicOrder checks that lanes with the same address execute in order, for each half of the
// wavefront that is full.
func TestAtomicOrder(t *testing.T) {
	t.Parallel()
	for _, exec := range []uint64{1<<64 - 1, 0xffffffff00000f0f, 0x00f00f00ffffffff, 0xffffffff00000000, 0xffffffff80000001} {
		for _, op := range []string{"ds_add_rtn_u32 v2, v0, v1", "ds_wrxchg_rtn_b32 v2, v0, v1", "flat_atomic_add v2, v[3:4], v1 glc", "flat_atomic_swap v2, v[3:4], v1 glc"} {
			m, buf := flatMachine(256)
			m.lds = 64
			st := &state{exec: exec}
			for l := range 64 {
				st.v[1][l] = uint32(l + 1)
				pointTo(st, 3, l, buf.Base)
			}
			m.run(t, assembleText(t, "s_mov_b32 m0, -1\n"+op), st)
			want := uint32(0)
			for l := range 64 {
				if exec>>l&1 == 0 {
					continue
				}
				if st.v[2][l] != want {
					t.Fatalf("%s, exec %#x: lane %d got %d, want %d", op, exec, l, st.v[2][l], want)
				}
				if want += uint32(l + 1); op[3] == 'w' || op[12] == 's' {
					want = uint32(l + 1)
				}
			}
		}
	}
}
