package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// This file makes programs that deoptimise everywhere: between the halves of a sum, between a 64-bit
// number and its copy, before a use of a mask, around the steps of an address.

// exitsBegin sets the registers. v13 wraps at 2^32 in lane 16, and v15 changes its sign in lane 56: the
// code assumes that neither happens.
const exitsBegin = `s_mov_b32 s24, 0x7fffffc8
v_mov_b32 v14, 0
v_add_u32 v15, vcc, s24, v0
v_mul_lo_u32 v16, v0, v0
s_load_dword s25, s[20:21], 0
s_load_dwordx2 s[44:45], s[20:21], 8
s_load_dwordx2 s[46:47], s[20:21], 16
s_waitcnt lgkmcnt(0)
s_and_b32 s25, s25, 0
s_sub_u32 s25, s25, 16
s_mov_b64 s[48:49], exec
v_add_u32 v13, vcc, s25, v0
v_mov_b32 v1, 0xff800000
v_cvt_f64_i32 v[2:3], v16
v_cvt_f64_u32 v[4:5], v0
v_lshlrev_b64 v[6:7], 3, v[4:5]
v_mov_b32 v8, v16
v_mov_b32 v9, 0
v_lshlrev_b64 v[8:9], 2, v[8:9]
v_mov_b32 v10, 5
v_mov_b32 v11, 0
v_mov_b32 v12, 0
v_mov_b32 v17, 1
v_mov_b32 v18, 2
v_mov_b32 v19, 3
v_mov_b32 v20, 3
v_mov_b32 v21, 3
v_mov_b32 v22, 3
v_mov_b32 v23, 3
v_cmp_lt_u32 vcc, 5, v0
v_cmp_lt_u32 s[40:41], 9, v0
s_mov_b64 s[38:39], 0
`

// exitsGroups are sequences; the lines of several ones are mixed. P, Q and R are pairs with halves l and
// h, a is a register, x and y may also be v0, v1, v13, v15 or v16, m and n are masks. {check} is an
// operation whose check fails.
var exitsGroups = []string{
	"{check}", "{check}", "{check}",
	"v_add_f64 {P}, {Q}, {R}; {check}; v_mul_f64 {Q}, {P}, {R}",
	"v_add_f64 {P}, {Q}, {R}; {check}; v_mul_f64 {Q}, {P}, {P}; v_mov_b32 {Pl}, {x}; v_mov_b32 {Ph}, {y}",
	"v_add_u32 {Pl}, {m}, {Ql}, {Rl}; v_addc_u32 {Ph}, {n}, {Qh}, {Rh}, {m}",
	"v_add_u32 {Pl}, {m}, s22, {Rl}; v_addc_u32 {Ph}, {n}, v14, {Rh}, {m}",
	"v_sub_u32 {Pl}, {m}, {Ql}, {Rl}; v_subb_u32 {Ph}, {n}, {Qh}, {Rh}, {m}",
	"v_ldexp_f64 {Q}, {R}, {x}; v_add_u32 {Pl}, {m}, {Ql}, {Rl}; {check}; v_addc_u32 {Ph}, {n}, {Qh}, {Rh}, {m}; v_mov_b32 {Pl}, {x}; v_mov_b32 {Ph}, {y}",
	"v_cndmask_b32 {Pl}, {Ql}, {Rl}, {m}; v_cndmask_b32 {Ph}, {Qh}, {Rh}, {m}",
	"v_add_f64 {Q}, {R}, {R}; v_cndmask_b32 {Pl}, {Ql}, {Rl}, {m}; v_cndmask_b32 {Ph}, {Qh}, {Rh}, {m}; v_cmp_lt_u32 {m}, 7, v0; {check}; v_mul_f64 {P}, {P}, {P}",
	"v_mov_b32 {Pl}, {Ql}; v_mov_b32 {Ph}, {Qh}; v_lshlrev_b64 {R}, 2, {P}",
	"v_rcp_f64 {P}, {Q}; v_fma_f64 {R}, {P}, {Q}, {R}; v_cvt_i32_f64 {a}, {R}",
	"v_cvt_f16_f32 {a}, {x}; {check}; v_add_f16 {Pl}, {a}, {y}; v_mov_b32 {a}, {x}",
	"v_mul_f32 {a}, {x}, {y}; v_xor_b32 {Pl}, {a}, {x}; v_max_f32 {a}, {Pl}, {y}",
	"v_cmp_lt_u32 {m}, {x}, {y}; {check}; s_and_saveexec_b64 s[42:43], {m}; s_nop 0; s_mov_b64 exec, s[48:49]",
	"s_mov_b64 exec, s[44:45]; {check}; s_mov_b64 exec, s[48:49]",
	"s_and_b64 s[42:43], s[44:45], s[48:49]; {check}; s_mov_b64 exec, s[42:43]; s_nop 0; s_mov_b64 exec, s[48:49]",
	"v_and_b32 {a}, 15, {x}; v_lshlrev_b32 {Pl}, 2, {a}; v_mov_b32 {Ph}, s21; {check}; v_add_u32 {Pl}, {m}, s20, {Pl}; v_addc_u32 {Ph}, {m}, 0, {Ph}, {m}; {load}",
	"v_and_b32 {a}, 15, {x}; v_mov_b32 {Pl}, {a}; v_mov_b32 {Ph}, 0; v_lshlrev_b64 {P}, 2, {P}; {check}; v_add_u32 {Pl}, {m}, s20, {Pl}; v_mov_b32 {Ql}, s21; v_addc_u32 {Ph}, {m}, {Ql}, {Ph}, {m}; {check}; {load}",
}

// exitsProgram is a program: lines between exitsBegin and the stores of some registers.
type exitsProgram struct {
	lines []string
	loop  bool
	outs  []string
}

// newExits makes a program from a seed.
func newExits(seed uint64) (p exitsProgram) {
	r := rand.New(rand.NewPCG(seed, 77))
	pick := func(l ...string) string { return l[r.IntN(len(l))] }
	one := func() string {
		return fmt.Sprint("v", []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 18, 19, 20, 21, 22, 23}[r.IntN(18)])
	}
	source := func() string { return pick(one(), one(), one(), "v0", "v1", "v13", "v15", "v16") }
	for range 2 + r.IntN(5) {
		var runs [][]string
		for range 1 + r.IntN(3) {
			t := exitsGroups[r.IntN(len(exitsGroups))]
			pairs := []int{2, 4, 6, 8, 10, 18, 20, 22}
			r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
			replace := []string{"{a}", one(), "{x}", source(), "{y}", source(), "{m}", pick("vcc", "s[38:39]", "s[40:41]"), "{n}", pick("vcc", "s[40:41]")}
			for i, name := range []string{"P", "Q", "R"} {
				n := pairs[i]
				replace = append(replace, "{"+name+"}", fmt.Sprintf("v[%d:%d]", n, n+1), "{"+name+"l}", fmt.Sprint("v", n), "{"+name+"h}", fmt.Sprint("v", n+1))
			}
			var lines []string
			for line := range strings.SplitSeq(t, "; ") {
				switch line {
				case "{check}":
					line = pick("v_ashrrev_i32 "+one()+", 31, v15", "v_ashrrev_i32 "+one()+", 31, v15", "v_mad_u64_u32 {R}, s[42:43], v13, 3, {Q}", "v_lshlrev_b64 {R}, 2, v[13:14]")
				case "{load}":
					line = pick("flat_load_dword "+one()+", {P}", "flat_load_dwordx2 {R}, {P}", "flat_load_ubyte {Pl}, {P}", "flat_load_dwordx2 {P}, {P}") + "\ns_waitcnt vmcnt(0) & lgkmcnt(0)"
				}
				lines = append(lines, strings.NewReplacer(replace...).Replace(line))
			}
			if strings.Contains(t, "{load}") { // nothing may change an address between its steps
				lines = []string{strings.Join(lines, "\n")}
			}
			runs = append(runs, lines)
		}
		randprog.Mix(r, runs, func(line string) { p.lines = append(p.lines, line) })
	}
	p.loop = r.IntN(4) == 0
	for range 1 + r.IntN(6) {
		p.outs = append(p.outs, one())
	}
	return p
}

// text is the program in assembly.
func (p *exitsProgram) text() string {
	s := exitsBegin
	if p.loop {
		s += "s_mov_b32 s50, 0\nloop:\n"
	}
	s += strings.Join(p.lines, "\n") + "\ns_mov_b64 exec, s[48:49]\n"
	if p.loop {
		s += "s_add_u32 s50, s50, 1\ns_cmp_lt_u32 s50, 3\ns_cbranch_scc1 loop\n"
	}
	s += "v_mov_b32 v13, 0\n"
	for _, o := range p.outs {
		s += "v_mul_lo_u32 v13, v13, v16\nv_add_u32 v13, vcc, v13, " + o + "\nv_xor_b32 v13, v13, " + o + "\n"
	}
	return s + "v_lshlrev_b32 v20, 2, v0\nv_mov_b32 v21, s23\nv_add_u32 v20, vcc, s22, v20\nv_addc_u32 v21, vcc, 0, v21, vcc\nflat_store_dword v[20:21], v13\ns_endpgm\n"
}

// run runs the program, and returns how it ended, with all counts and results.
func (p *exitsProgram) run(t *testing.T, e sim.Engine) string {
	mem := sim.NewMemory()
	in, out := mem.Add("in", noise(256)), mem.Add("out", make([]byte, 256))
	l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}}
	return fmt.Sprintln(ended(t, e, liftGCN3(t, p.text()), l), out.Data)
}

// TestExitsOfRandomPrograms compares results and counts of these programs with the interpreter, in several
// modes of the engine.
func TestExitsOfRandomPrograms(t *testing.T) {
	t.Parallel()
	engines := map[string]sim.Engine{}
	for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
		for name, m := range map[string]Mode{
			"eager": {Eager: true, Passes: true}, "scribble": {Eager: true, Scribble: true}, "exact": {Eager: true, Exact: true}, "after": {After: 45},
		} {
			m.Tier = tier
			if e, err := New(Options{Mode: m}); err == nil { // the processor has the tier
				engines[tier.String()+" "+name] = e
			}
		}
	}
	if len(engines) == 0 {
		t.Skip("the processor has neither AVX2 nor AVX-512")
	}
	wrong := func(p *exitsProgram) string {
		want := p.run(t, interp.Engine{Portable: true})
		for name, e := range engines {
			if got := p.run(t, e); got != want {
				return fmt.Sprintf("%s:\ngot  %.300s\nwant %.300s", name, got, want)
			}
		}
		return ""
	}
	for seed := range uint64(short.Of(800, 20)) {
		p := newExits(seed)
		if wrong(&p) == "" {
			continue
		}
		for k := 0; k < len(p.lines); k++ { // leave out the lines that do not matter
			q := p
			if q.lines = slices.Delete(slices.Clone(p.lines), k, k+1); wrong(&q) != "" {
				p, k = q, -1
			}
		}
		t.Fatalf("seed %d, loop %v, results %v:\n%s\n%s", seed, p.loop, p.outs, strings.Join(p.lines, "\n"), wrong(&p))
	}
}
