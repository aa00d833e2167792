package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// liftGCN3 returns the function of a program in GCN3 assembly: v0 is the index of the
// work-item, s[20:21] the first and s[22:23] the second launch value.
func liftGCN3(t testing.TB, text string) *ir.Func {
	t.Helper()
	insts, errs := asm.AssembleInsts(text, "k.s")
	if err := errs.Err(); err != nil {
		t.Fatal(err, "\n", text)
	}
	var code []byte
	for i := range insts {
		code = append(code, insts[i].Bytes...)
	}
	f, err := amdgpu.Lift(amdgpu.Code{Bytes: code, File: "k.s"}, amdgpu.LiftOptions{Track: hazard.Track, Name: "k", MinVGPRs: 24, Inputs: []amdgpu.ABIInput{
		{Kind: ir.ThreadIDX, VGPR: true}, {Kind: ir.ActiveMask0, Reg: amdgpu.RegEXEC, Dwords: 2},
		{Kind: ir.LaunchValue, Imm: 0, Reg: 20, Dwords: 2}, {Kind: ir.LaunchValue, Imm: 1, Reg: 22, Dwords: 2}}})
	if err != nil {
		t.Fatal(err, "\n", text)
	}
	f.Converge()
	return f
}

// A lanesOff writes a random program for TestLanesOff.
type lanesOff struct {
	*rand.Rand
	b                     strings.Builder
	labels, stores, depth int
}

// maxStores is the largest number of stores of a program.
const maxStores = 36

func (w *lanesOff) line(f string, a ...any) { fmt.Fprintf(&w.b, f+"\n", a...) }

// saves is the pair of registers where EXEC is saved.
func (w *lanesOff) saves() string { return fmt.Sprintf("s[%d:%d]", 4+2*w.depth, 5+2*w.depth) }
func (w *lanesOff) v() int {
	if w.IntN(4) > 0 {
		return 1 + w.IntN(3)
	}
	return 1 + w.IntN(6)
}
func (w *lanesOff) s() string {
	return []string{"s[0:1]", "s[2:3]", "s[4:5]", "vcc"}[w.IntN(4)]
}
func (w *lanesOff) label() string { w.labels++; return fmt.Sprint("L", w.labels) }

// store stores a register at its own address.
func (w *lanesOff) store(v int) {
	if w.stores == maxStores {
		return
	}
	w.line("s_mov_b32 s36, %d\nv_lshlrev_b32 v12, 2, v0\nv_add_u32 v12, s[38:39], s36, v12\nv_mov_b32 v13, s23\nv_add_u32 v12, s[38:39], s22, v12\nv_addc_u32 v13, s[38:39], 0, v13, s[38:39]\nflat_store_dword v[12:13], v%d", 512*w.stores, v)
	w.stores++
}

// cmp makes a mask.
func (w *lanesOff) cmp() string {
	d := w.s()
	op := []string{"v_cmp_lt_u32", "v_cmp_eq_u32", "v_cmp_gt_i32"}[w.IntN(3)]
	w.line("%s %s, v%d, v%d", op, d, w.v(), w.v())
	return d
}

func (w *lanesOff) valu() {
	switch w.IntN(14) {
	case 7:
		w.line("v_mov_b32 v%d, v0", w.v())
	case 8:
		w.line("v_mov_b32 v%d, s%d", w.v(), []int{30, 31, 20, 25}[w.IntN(4)])
	case 9:
		w.line("v_lshlrev_b32 v%d, %d, v%d", w.v(), 1+w.IntN(3), w.v())
	case 10:
		w.line("v_and_b32 v%d, %d, v%d", w.v(), []int{3, 7, 31, 60, -4}[w.IntN(5)], w.v())
	case 11: // a load of memory that lanes stored
		w.line("v_and_b32 v12, 0xfc, v%d\nv_mov_b32 v13, s21\nv_add_u32 v12, vcc, s20, v12\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dword v%d, v[12:13]\ns_waitcnt vmcnt(0)", w.v(), w.v())
	case 12:
		w.line("v_mov_b32 v13, s21\nv_mov_b32 v12, s20\nflat_load_%s v%d, v[12:13]\ns_waitcnt vmcnt(0)", []string{"dword", "ubyte", "sbyte"}[w.IntN(3)], w.v())
	case 13:
		w.line("v_mbcnt_lo_u32_b32 v%d, exec_lo, 0\ns_add_u32 s30, s30, 3", w.v())
	case 0:
		w.line("v_mov_b32 v%d, v%d", w.v(), w.v())
	case 1:
		w.line("v_mov_b32 v%d, %d", w.v(), w.IntN(64))
	case 2, 3:
		w.line("v_xor_b32 v%d, v%d, v%d", w.v(), w.v(), w.v())
	case 4:
		w.line("v_sub_u32 v%d, s[38:39], v%d, v%d", w.v(), w.v(), w.v())
	case 5:
		w.line("v_cndmask_b32 v%d, v%d, v%d, %s", w.v(), w.v(), w.v(), w.s())
	default:
		w.line("v_add_u32 v%d, s[38:39], 3, v%d", w.v(), w.v())
	}
}

func (w *lanesOff) cross() {
	switch w.IntN(6) {
	case 0:
		w.line("v_readlane_b32 s30, v%d, %d\ns_nop 4\nv_xor_b32 v%d, s30, v%d", w.v(), w.IntN(64), w.v(), w.v())
	case 1:
		w.line("v_readfirstlane_b32 s30, v%d\ns_nop 4\nv_xor_b32 v%d, s30, v%d", w.v(), w.v(), w.v())
	case 2:
		w.line("s_mov_b32 s31, 77\nv_writelane_b32 v%d, s31, %d", w.v(), w.IntN(64))
	case 3:
		w.line("v_lshlrev_b32 v14, 2, v%d\nds_bpermute_b32 v%d, v14, v%d\ns_waitcnt lgkmcnt(0)", w.v(), w.v(), w.v())
	case 4:
		w.line("v_lshlrev_b32 v14, 2, v%d\nds_permute_b32 v%d, v14, v%d\ns_waitcnt lgkmcnt(0)", w.v(), w.v(), w.v())
	default:
		w.line("s_nop 4\nv_xor_b32 v%d, v%d, v%d %s row_mask:0xf bank_mask:%#x", w.v(), w.v(), w.v(), []string{"row_shr:1", "quad_perm:[1,0,3,2]", "row_bcast:15"}[w.IntN(3)], []int{15, 7}[w.IntN(2)])
	}
}

// masks computes masks from other masks.
func (w *lanesOff) masks() {
	a, b, c := w.s(), w.s(), w.s()
	if w.IntN(4) == 0 {
		b = "exec"
	}
	if w.IntN(4) == 0 {
		c = "exec"
	}
	switch w.IntN(5) {
	case 0:
		w.line("s_mov_b64 %s, %s", a, b)
	default:
		w.line("%s %s, %s, %s", []string{"s_and_b64", "s_or_b64", "s_andn2_b64", "s_xor_b64"}[w.IntN(4)], a, b, c)
	}
}

func (w *lanesOff) stmt() {
	w.depth++
	defer func() { w.depth-- }()
	n := w.IntN(24)
	if w.depth > 5 && n >= 15 {
		n = w.IntN(15)
	}
	switch {
	case n < 5:
		w.valu()
	case n == 5:
		w.cmp()
	case n == 6 || n == 7:
		w.masks()
	case n == 8:
		if w.IntN(6) == 0 {
			w.cross()
		}
	case n < 12:
		w.store(w.v())
	case n < 15:
		switch w.IntN(17) {
		case 6:
			w.line("s_load_dwordx2 %s, s[20:21], %d\ns_waitcnt lgkmcnt(0)", []string{"vcc", "s[2:3]"}[w.IntN(2)], 8*w.IntN(64))
		case 7:
			w.line("v_readlane_b32 exec_lo, v%d, %d\ns_nop 4", w.v(), w.IntN(64))
		case 8:
			w.line("v_cmpx_lt_u32 vcc, v%d, v%d", w.v(), w.v())
		case 9:
			w.line("s_wqm_b64 exec, %s", w.s())
		case 10:
			w.line("s_bitset1_b32 exec_hi, %d", w.IntN(32))
		case 11:
			w.line("s_cmp_lt_u32 s30, s31\ns_cselect_b64 exec, %s, %s", w.s(), w.s())
		case 12:
			w.line("s_lshl_b64 exec, exec, %d", w.IntN(20))
		case 13:
			w.line("s_%s_saveexec_b64 %s, %s", []string{"nand", "nor", "xnor", "orn2", "andn2", "xor"}[w.IntN(6)], w.s(), w.s())
		case 14:
			w.line("s_not_b64 %s, %s", []string{"exec", w.s()}[w.IntN(2)], []string{"exec", w.s()}[w.IntN(2)])
		case 15:
			w.line("s_cmp_lt_u32 s31, s30\ns_cmov_b64 exec, %s", w.s())
		case 16:
			w.line("v_cmpx_eq_u32 s[2:3], v%d, v%d", w.v(), w.v())
		case 0:
			w.line("s_mov_b64 exec, -1")
		case 1:
			w.line("s_mov_b64 exec, %s", w.s())
		case 2:
			w.line("s_and_b64 exec, exec, %s", w.s())
		case 3:
			w.line("s_or_b64 exec, exec, %s", w.s())
		case 4:
			w.line("s_mov_b32 %s, s30", []string{"exec_lo", "exec_hi", "vcc_lo", "s1"}[w.IntN(4)])
		default:
			w.line("s_and_saveexec_b64 %s, %s", w.s(), w.s())
		}
	case n < 19: // if, maybe else
		c := w.cmp()
		if w.IntN(3) == 0 {
			c = w.s()
		}
		save := w.saves()
		if w.IntN(5) == 0 {
			save = w.s()
		}
		w.line("s_and_saveexec_b64 %s, %s", save, c)
		l, end := w.label(), w.label()
		x := w.IntN(2) == 0
		if x {
			w.line("s_xor_b64 %s, exec, %s", save, save)
		}
		if w.IntN(2) == 0 {
			w.line("s_cbranch_execz %s", l)
		}
		w.body(1 + w.IntN(3))
		w.line("%s:", l)
		if w.IntN(2) == 0 {
			if x {
				w.line("s_or_saveexec_b64 %s, %s\ns_xor_b64 exec, exec, %s", save, save, save)
			} else {
				w.line("s_andn2_b64 exec, %s, exec", save)
			}
			if w.IntN(2) == 0 {
				w.line("s_cbranch_execz %s", end)
			}
			w.body(1 + w.IntN(3))
		}
		w.line("%s:", end)
		if w.IntN(3) == 0 {
			w.line("s_mov_b64 exec, %s", save)
		} else {
			w.line("s_or_b64 exec, exec, %s", save)
		}
	case n < 22: // a loop that lanes leave one by one
		save := w.saves()
		cnt := 24 + w.depth
		top := w.label()
		w.line("s_mov_b32 s%d, %d", cnt, 2+w.IntN(3))
		switch w.IntN(3) {
		case 0:
			w.line("s_mov_b64 %s, 0", save)
		case 1:
			w.line("s_mov_b64 %s, exec", save)
		}
		w.line("%s:", top)
		w.body(1 + w.IntN(3))
		c := w.cmp()
		switch w.IntN(3) {
		case 0:
			w.line("s_or_b64 %s, %s, %s\ns_andn2_b64 exec, exec, %s", save, c, save, save)
		case 1:
			w.line("s_and_b64 exec, exec, %s", c)
		default:
			w.line("s_andn2_b64 exec, exec, %s", c)
		}
		w.body(w.IntN(2))
		w.line("s_sub_u32 s%d, s%d, 1\ns_cmp_eq_u32 s%d, 0", cnt, cnt, cnt)
		out := w.label()
		w.line("s_cbranch_scc1 %s\ns_cbranch_execnz %s\n%s:", out, top, out)
		if w.IntN(4) > 0 {
			w.line("s_or_b64 exec, exec, %s", save)
		} else {
			w.line("s_mov_b64 exec, %s", save)
		}
	default: // all lanes take one of two paths
		l := w.label()
		w.line("s_cmp_lt_u32 s30, s31\ns_cbranch_%s %s", []string{"scc0", "vccz", "execz"}[w.IntN(3)], l)
		w.body(1 + w.IntN(3))
		w.line("%s:", l)
	}
}

func (w *lanesOff) body(n int) {
	for range n {
		w.stmt()
	}
}

// lanesOffText returns a program.
func lanesOffText(seed uint64) string {
	w := &lanesOff{Rand: rand.New(rand.NewPCG(seed, 7))}
	w.line("s_mov_b32 s30, 0x12345678\ns_mov_b32 s31, 5\ns_mov_b32 m0, -1")
	w.line("v_lshlrev_b32 v12, 2, v0\nv_mov_b32 v13, s21\nv_add_u32 v12, vcc, s20, v12\nv_addc_u32 v13, vcc, 0, v13, vcc")
	for v := 1; v <= 6; v++ {
		w.line("flat_load_dword v%d, v[12:13]\ns_waitcnt vmcnt(0)\nv_and_b32 v%d, %#x, v%d", v, v, []int{15, 63, 7}[w.IntN(3)], v)
		w.line("s_movk_i32 s36, 0x200\nv_add_u32 v12, vcc, s36, v12\nv_addc_u32 v13, vcc, 0, v13, vcc")
	}
	for _, s := range []string{"s[0:1]", "s[2:3]", "s[4:5]", "vcc"} {
		w.line("v_cmp_lt_u32 %s, v%d, v%d", s, w.v(), w.v())
	}
	w.body(4 + w.IntN(8))
	w.store(w.v())
	w.line("s_endpgm")
	return w.b.String()
}

// TestLanesOff runs programs that switch lanes off and on again in all possible ways, and
// store some registers of the active lanes. Other random programs store all registers of all
// lanes at their end, so inactive lanes matter there.
func TestLanesOff(t *testing.T) {
	t.Parallel()
	programs := uint64(120)
	if testing.Short() {
		programs = 10
	}
	for seed := range programs {
		text := lanesOffText(seed)
		block := uint32(128 - 28*(seed%2))
		agree(t, fmt.Sprint("program ", seed), func(e sim.Engine) string {
			mem := sim.NewMemory()
			in, out := mem.Add("in", noise(8192)), mem.Add("out", make([]byte, 512*maxStores))
			l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}}
			return fmt.Sprintln(ended(t, e, liftGCN3(t, text), l), out.Data)
		})
		if t.Failed() {
			t.Log(text)
			return
		}
	}
}
