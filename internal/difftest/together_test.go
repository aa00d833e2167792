package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// This file makes programs in PTX and GCN3 whose waves may begin together in a coarsened body (see
// package sel). They have several waves, a loop near the start, and no effect before its end. Few
// of the remaining programs have a coarsened body.

// together reports whether the program of a seed is of this kind.
func together(seed uint64) bool { return seed/16%3 == 1 && seed/128%2 == 0 }

// calm returns the templates without effects that other waves can see or wait for.
func calm(templates []string, noisy ...string) []string {
	return slices.DeleteFunc(slices.Clone(templates), func(t string) bool {
		return slices.ContainsFunc(noisy, func(s string) bool { return strings.HasPrefix(t, s) })
	})
}

var (
	gcnCalm = calm(gcnPure, "s_barrier", "s_memtime", "s_setreg", "s_getreg", "ds_", "v_readlane", "v_cmpx", "s_mov_b64 exec", "s_or_b64 exec", "s_and_b64 exec", "s_{and/or/andn2/xor}_saveexec", "v_{fract/trunc", "v_{rcp/", "v_div", "v_cvt_{f32_i32", "v_ldexp_f64", "v_writelane", "v_fma_f64", "v_mad_u64", "v_{add/mul/min/max}_f64")
	ptxCalm = calm(ptxPure, "mov.u32 {r}, %clock", "activemask", "fns", "div", "rem", "tanh")
)

// gcnTogether are templates of code that is rare in these loops otherwise. EXEC changes in them,
// and then has its old value again.
var gcnTogether = []string{
	"v_cmp_{lt/ge/ne}_{u32/i32} vcc, {x}, {y}\ns_{and/andn2/or}_saveexec_b64 s[12:13], vcc\n{calm}\ns_{cselect_b32/addc_u32/subb_u32} {s}, {t}, {u}\ns_mov_b64 exec, s[12:13]",
	"s_mov_b64 s[12:13], exec\ns_{mov/not/brev}_b64 exec, {T}\n{calm}\n{calm}\ns_mov_b64 exec, s[12:13]",
	"s_mov_b64 s[12:13], exec\ns_{and/or/xor/andn2}_b64 exec, exec, {T}\ns_addc_u32 {s}, {t}, {u}\n{calm}\ns_mov_b64 exec, s[12:13]",
	"s_mov_b64 s[12:13], exec\nv_cmpx_{lt/ge/ne}_{u32/i32} vcc, {x}, {y}\n{calm}\ns_mov_b64 exec, s[12:13]",
	"s_cmp_{lt/le/gt/ge/eq/lg}_{i32/u32} {t}, {u}\ns_{cselect_b32/addc_u32/subb_u32} {s}, {t}, {u}", "s_cmp_{lt/eq}_u32 s60, {1/2}\ns_cselect_b64 {S}, {T}, {T}",
	"ds_swizzle_b32 {v}, {y} offset:{o16}", "ds_{permute/bpermute}_b32 {v}, {y}, {y}", "v_lshlrev_b32 v14, {2/2/3}, v15\nds_bpermute_b32 {v}, v14, {y}", "v_readfirstlane_b32 {s}, {y}", "v_readlane_b32 {s}, {y}, {l}", "v_readlane_b32 {s}, {y}, s60",
	"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, {4/2}), {0/5/10/15/1/6}", "s_getreg_b32 {s}, hwreg(HW_REG_MODE, 0, 10)",
	"v_lshlrev_b32 v14, {2/3/4}, v15\nv_mov_b32 v13, s21\nv_add_u32 v12, vcc, s20, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dword {v}, v[12:13]",
	"v_mad_u32_u24 v14, s60, 4, v15\nv_lshlrev_b32 v14, 2, v14\nv_mov_b32 v13, s21\nv_add_u32 v12, vcc, s20, v14\nv_addc_u32 v13, vcc, 0, v13, vcc\nflat_load_dword {v}, v[12:13]",
	"s_lshl_b32 s26, s60, 2\ns_load_dword {s}, s[20:21], s26", "v_cvt_f32_u32 {v}, v0", "v_mov_b32 {v}, v15", "v_mov_b32 {v}, s60",
}

// ptxTogether are similar templates in PTX.
var ptxTogether = []string{
	"shfl.sync.{bfly/down/up/idx}.b32 {r}, {R0}, {1/2/4/8/16/31}, {31/31/31/0/0x181f/0x1c1f}, -1;", "shfl.sync.{bfly/down/up/idx}.b32 {r}|{p}, {R0}, {R}, {31/0x1c1f}, -1;", "shfl.sync.idx.b32 {r}, {R0}, {R}, 31, -1;", "shfl.sync.bfly.b32 %a0, %r0, 16, 31, -1;\nadd.f32 %r0, %r0, %a0;",
	"vote.sync.{all/any/uni}.pred {p}, {!p}, -1;", "vote.sync.ballot.b32 {r}, {!p}, -1;", "match.any.sync.b32 {r}, {R0}, -1;", "redux.sync.{add.s32/min.u32/max.s32/and.b32/or.b32/xor.b32} {r}, {R0}, -1;", "activemask.b32 {r};",
	"ld.global.u32 {r}, [%c4+{n4}];", "ld.global.f32 {r}, [%q0];", "ld.global.u64 {d}, [%c8+{n16}];", "ld.global.u32 {r}, [%in+{n4}];", "cvt.rn.f32.u32 {r}, %tid.x;", "mov.u32 {r}, %n0;", "mad.lo.u32 {r}, %tid.x, %n0, {r};",
	"mma.sync.aligned.m16n8k16.row.col.f32.{f16.f16/bf16.bf16}.f32 <{w}, {x}, {y}, {z}>, <{r}, {r}, {r}, {r}>, <{r}, {r}>, <{r}, {r}, {r}, {r}>;", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 <{w}, {x}, {y}, {z}>, <{r}, {r}, {r}, {r}>, <{r}, {r}>, <{w}, {x}, {y}, {z}>;",
	"mma.sync.aligned.m8n8k16.row.col{/.satfinite}.s32.{s8.s8/u8.s8}.s32 <{w}, {x}>, <{r}>, <{r}>, <{r}, {r}>;", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 <%d0, %d1>, <{d}>, <{d}>, <{d}, {d}>;", "movmatrix.sync.aligned.m8n8.trans.b16 {r}, {r};",
	"setp.{lt/ge/eq/ne}.u32 {p}, %lane, {n};", "setp.{lt/eq/ne}.u32 {p}, %n0, {0/1/2};", "setp.lt.u32 {p}, %tid.x, {31/32/40/64/100};",
	"@{!p} ld.global.u32 {r}, [%c4+{n4}];", "@{!p} mul.f32 {r}, {F}, {F};", "@{!p} cvt.rz.f32.f64 {r}, {G};",
}

// someWaves chooses the lanes of a block of several waves.
func (p *textProgram) someWaves(w *writer, lanes uint32) {
	p.grid = uint32(2 + w.IntN(3))
	p.block = lanes * pickOne(w.Rand, uint32(2), 2, 3, 4, 4)
	if w.IntN(3) == 0 {
		p.wide = pickOne(w.Rand, uint32(8), 16, 32, lanes)
		p.high = p.block / p.wide
	}
	p.mode = 0xc0 | short | whole
}

// loop emits loops in which waves may continue together, with barriers between the loops.
func (w *writer) loop(n, most int, some, zero, again, barrier string, statement func()) {
	for range n {
		w.line("%s", zero)
		top := w.label()
		w.line("%s:", top)
		for range 1 + w.IntN(most) {
			statement()
		}
		if w.IntN(6) == 0 {
			skip := w.label()
			w.fill(fmt.Sprintf(some, skip))
			statement()
			w.line("%s:", skip)
		}
		w.line(again, 2+w.IntN(4), top)
		if w.IntN(3) == 0 {
			w.fill(barrier)
		}
	}
}

func makeGCNTogether(seed uint64) (made, error) {
	w := &gcnWriter{writer: writer{Rand: rand.New(rand.NewPCG(seed, 0x676f6e65))}, clean: true, short: true}
	w.operand = w.reg
	p := &textProgram{seed: seed, build: buildGCN}
	p.someWaves(&w.writer, 64)
	w.begin()
	statement := func() {
		if w.IntN(5) > 1 {
			w.waited(gcnCalm[w.IntN(len(gcnCalm))])
			return
		}
		t := gcnTogether[w.IntN(len(gcnTogether))]
		for strings.Contains(t, "{calm}") {
			t = strings.Replace(t, "{calm}", gcnCalm[w.IntN(len(gcnCalm))], 1)
		}
		w.waited(t)
	}
	w.loop(1+w.IntN(2), 5, "s_cmp_{eq/lg}_u32 s60, {0/1/2}\ns_cbranch_{scc0/scc1/vccz/execz} %s", "s_mov_b32 s60, 0", "s_add_u32 s60, s60, 1\ns_cmp_lt_u32 s60, %d\ns_cbranch_scc1 %s", "s_barrier", statement)
	w.end()
	p.lines = w.lines
	return p.made(".s")
}

func makePTXTogether(seed uint64) (made, error) {
	w := &ptxWriter{writer: writer{Rand: rand.New(rand.NewPCG(seed, 0x706f6e65))}, short: true}
	w.operand = w.reg
	p := &textProgram{seed: seed, build: buildPTX}
	p.someWaves(&w.writer, 32)
	w.begin()
	w.line("mov.b64 %%q0, %%c4;")
	statement := func() {
		t := ptxCalm[w.IntN(len(ptxCalm))]
		if w.IntN(5) < 2 {
			t = ptxTogether[w.IntN(len(ptxTogether))]
		} else if w.IntN(5) == 0 && !strings.Contains(t, "|") {
			t = "@{!p} " + t
		}
		w.fill(t)
	}
	w.loop(1+w.IntN(2), 10, "setp.{eq/ne}.u32 %%p4, %%n0, {0/1/2};\n@%%p4 bra %s;", "mov.u32 %n0, 0;", "add.u64 %%q0, %%q0, 4;\nadd.u32 %%n0, %%n0, 1;\nsetp.lt.u32 %%p4, %%n0, %d;\n@%%p4 bra %s;", "bar.sync 0;", statement)
	w.end()
	p.lines = w.lines
	return p.made(".ptx")
}
