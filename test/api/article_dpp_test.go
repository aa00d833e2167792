package api_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane"
)

// The article's list of DPP patterns, lanes as rows and columns. The source of a lane
// is at another row and column; ok is false where there is none.
var articlePatterns = []struct {
	keyword string
	source  func(lane int) (int, bool)
}{
	{"quad_perm:[2,1,3,3]", func(l int) (int, bool) { return l/4*4 + [4]int{2, 1, 3, 3}[l%4], true }},
	{"quad_perm:[3,2,1,0]", func(l int) (int, bool) { return l/4*4 + 3 - l%4, true }},
	{"wave_shl:1", func(l int) (int, bool) { return l + 1, l < 63 }},
	{"wave_shr:1", func(l int) (int, bool) { return l - 1, l > 0 }},
	{"wave_ror:1", func(l int) (int, bool) { return (l + 63) % 64, true }},
	{"wave_rol:1", func(l int) (int, bool) { return (l + 1) % 64, true }},
	{"row_shl:1", func(l int) (int, bool) { return l + 1, l%16+1 < 16 }},
	{"row_shl:15", func(l int) (int, bool) { return l + 15, l%16 == 0 }},
	{"row_shr:1", func(l int) (int, bool) { return l - 1, l%16 >= 1 }},
	{"row_shr:8", func(l int) (int, bool) { return l - 8, l%16 >= 8 }},
	{"row_shr:15", func(l int) (int, bool) { return l - 15, l%16 == 15 }},
	{"row_ror:1", func(l int) (int, bool) { return l/16*16 + (l%16+15)%16, true }},
	{"row_ror:15", func(l int) (int, bool) { return l/16*16 + (l%16+1)%16, true }},
	{"row_mirror", func(l int) (int, bool) { return l/16*16 + 15 - l%16, true }},
	{"row_half_mirror", func(l int) (int, bool) { return l/8*8 + 7 - l%8, true }},
	{"row_bcast:15", func(l int) (int, bool) { // lanes of row 0 read themselves
		if l < 16 {
			return l, true
		}
		return l/16*16 - 1, true
	}},
	{"row_bcast:31", func(l int) (int, bool) { // lanes of rows 0 and 1 read themselves
		if l < 32 {
			return l, true
		}
		return 31, true
	}},
}

// Every pattern, with row and bank masks, bound control and EXEC: the "quick summary" of
// the article. VOP1 and VOP2, the modifier on src0.
func TestArticleDPP(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	for _, p := range articlePatterns {
		for range 6 {
			src, other, dest, exec := noise(r), noise(r), noise(r), someExec(r)
			rows, banks, bound := r.IntN(16)|r.IntN(16), r.IntN(16)|r.IntN(16), r.IntN(2) == 0
			mov, sub := dest, dest
			drawn := make([]any, 64) // the lanes as explain describes them
			for i := range 64 {
				drawn[i] = "keep"
				if !on(exec, i) {
					drawn[i] = "off"
				}
				if !on(exec, i) || rows>>(i/16)&1 == 0 || banks>>(i%16/4)&1 == 0 {
					continue // "Lanes disabled by the EXEC mask or DPP mask will not update the dest register."
				}
				j, ok := p.source(i)
				switch {
				case ok && on(exec, j):
					drawn[i] = j
					mov[i], sub[i] = src[j], src[j]-other[i]
				case bound: // "will read 0 as an src0 input if BOUND_CTRL=1"
					drawn[i] = "zero"
					mov[i], sub[i] = 0, -other[i]
				} // "will not update the dest register if BOUND_CTRL=0"
			}
			mods := fmt.Sprintf(" %s row_mask:%#x bank_mask:%#x", p.keyword, rows, banks)
			if bound {
				mods += " bound_ctrl:0"
			}
			regs := map[string]wave{"v1": dest, "v2": src, "v3": other}
			moves := map[string]wave{"v1": dest, "v2": src}
			if got := gcn(t, "v_mov_b32 v1, v2"+mods, exec, moves, "v1"); got != mov {
				t.Errorf("v_mov_b32%s, exec %#x:\n%v, want\n%v", mods, exec, got, mov)
			}
			e, err := crosslane.Explain("v_mov_b32 v1, v2"+mods, crosslane.ExplainOptions{Exec: &exec})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(e.Lanes.Source), fmt.Sprint(drawn); got != want {
				t.Errorf("explain v_mov_b32%s, exec %#x:\n%v, want\n%v", mods, exec, got, want)
			}
			if got := gcn(t, "v_sub_u32 v1, vcc, v2, v3"+mods, exec, regs, "v1"); got != sub {
				t.Errorf("v_sub_u32%s, exec %#x:\n%v, want\n%v", mods, exec, got, sub)
			}
		}
	}
}

// "lane 0 should read from an invalid location (lane -1); hence, it fails to update its
// corresponding element"; with bound_ctrl:0 it reads 0.
func TestArticleBoundControl(t *testing.T) {
	t.Parallel()
	regs := map[string]wave{"v1": numbers(500), "v2": numbers(1), "v3": {}}
	for i := range 64 {
		w := regs["v3"]
		w[i] = 0xff
		regs["v3"] = w
	}
	for mods, lane0 := range map[string]uint32{"": 500, " bound_ctrl:0": 0, " bound_ctrl:1": 0} {
		got := gcn(t, "v_and_b32 v1, v2, v3 wave_shr:1"+mods, math.MaxUint64, regs, "v1")
		want := numbers(0)
		want[0] = lane0
		if got != want {
			t.Errorf("wave_shr:1%s: %v, want %v", mods, got, want)
		}
	}
	// EXEC: a lane that is off is no valid source either.
	for mods, lane5 := range map[string]uint32{"": 505, " bound_ctrl:0": 0} {
		got := gcn(t, "v_and_b32 v1, v2, v3 wave_shr:1"+mods, ^uint64(1<<4), regs, "v1")
		if got[4] != 504 || got[5] != lane5 || got[6] != 6 {
			t.Errorf("wave_shr:1%s without lane 4: lanes 4 to 6 are %v", mods, got[4:7])
		}
	}
}

// articleScan is the example; %d is where wait states go, and the masks of
// instructions 4 to 7 are parameters.
func articleScan(wait, bank4, bank5, row6, row7 string) string {
	return `v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0 // Instruction 1
v_add_f32 v1, v0, v1 row_shr:2 bound_ctrl:0 // Instruction 2
v_add_f32 v1, v0, v1 row_shr:3 bound_ctrl:0 // Instruction 3
` + wait + `
v_add_f32 v1, v1, v1 row_shr:4 ` + bank4 + ` // Instruction 4
` + wait + `
v_add_f32 v1, v1, v1 row_shr:8 ` + bank5 + ` // Instruction 5
` + wait + `
v_add_f32 v1, v1, v1 row_bcast:15 ` + row6 + ` // Instruction 6
` + wait + `
v_add_f32 v1, v1, v1 row_bcast:31 ` + row7 + ` // Instruction 7`
}

func TestArticlePrefixSum(t *testing.T) {
	t.Parallel()
	var in, want wave
	sum := float32(0)
	for i := range in {
		x := float32(1 + i*i%23)
		sum += x
		in[i], want[i] = math.Float32bits(x), math.Float32bits(sum)
	}
	regs := map[string]wave{"v0": in, "v1": noise(rand.New(rand.NewPCG(5, 5)))}
	run := func(src string) wave { return gcn(t, src, math.MaxUint64, regs, "v1") }
	differ := func(a, b wave) (m uint64) {
		for i := range a {
			if a[i] != b[i] {
				m |= 1 << i
			}
		}
		return m
	}
	const nops = "v_nop\nv_nop"
	good := run(articleScan(nops, "bank_mask:0xe", "bank_mask:0xc", "row_mask:0xa", "row_mask:0xc"))
	if good != want {
		t.Errorf("prefix sum %v, want %v", good, want)
	}
	// "any other independent instruction" is a wait state, and so is each of s_nop's.
	for _, wait := range []string{"s_nop 1", "s_nop 0\nv_mov_b32 v5, 0", "v_mov_b32 v5, 0\ns_mov_b32 s3, 0", "s_nop 15"} {
		if got := run(articleScan(wait, "bank_mask:0xe", "bank_mask:0xc", "row_mask:0xa", "row_mask:0xc")); got != want {
			t.Errorf("with %q: %v", wait, got)
		}
	}
	// "The DPP masks from instructions 4 and 5 ... are optional".
	for _, m := range [][2]string{{"", "bank_mask:0xc"}, {"bank_mask:0xe", ""}, {"", ""}} {
		if got := run(articleScan(nops, m[0], m[1], "row_mask:0xa", "row_mask:0xc")); got != want {
			t.Errorf("bank masks %q: lanes %#x differ", m, differ(got, want))
		}
	}
	// "instruction 6 will corrupt values for lanes [0:15] and [32:47]": after it, and
	// instruction 7 spreads the sum of the first row to the upper half.
	cut := func(s string) string { return s[:strings.Index(s, nops+"\nv_add_f32 v1, v1, v1 row_bcast:31")] }
	six := run(cut(articleScan(nops, "", "", "row_mask:0xa", "")))
	if got := differ(run(cut(articleScan(nops, "", "", "", ""))), six); got != 0x0000ffff_0000ffff {
		t.Errorf("without the row_mask of instruction 6 lanes %#x differ", got)
	}
	// "instruction 7 will corrupt values for lanes [0:31]".
	if got := differ(run(articleScan(nops, "", "", "row_mask:0xa", "")), want); got != 0xffffffff {
		t.Errorf("without the row_mask of instruction 7 lanes %#x differ", got)
	}
}

// Each wait state rule of the article: one less is a finding, as many as it asks for
// none. Instructions 2 and 3 of the example need none.
func TestArticleWaitStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first, then string
		states      int
	}{
		{"v_mov_b32 v1, v0", "v_add_f32 v2, v1, v0 row_shr:1 bound_ctrl:0", 2},
		{"v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0", "v_add_f32 v1, v0, v1 row_shr:2 bound_ctrl:0", 0}, // instruction 2
		{"v_add_f32 v1, v0, v1 row_shr:2 bound_ctrl:0", "v_add_f32 v1, v0, v1 row_shr:3 bound_ctrl:0", 0}, // instruction 3
		{"v_cmpx_ge_i32 vcc, v0, v0", "v_add_f32 v2, v0, v0 row_shr:1 bound_ctrl:0", 5},
		{"s_mov_b64 exec, -1", "v_add_f32 v2, v0, v0 row_shr:1 bound_ctrl:0", 0},
		{"s_or_b64 exec, exec, exec", "v_add_f32 v2, v0, v0 row_shr:1 bound_ctrl:0", 0},
		{"v_cmpx_ge_i32 vcc, v0, v0", "v_add_f32 v2, v0, v0", 0}, // without DPP
	} {
		for _, wait := range []string{"v_nop; ", "s_nop 0; ", "v_mov_b32 v7, 0; ", "s_mov_b32 s9, 0; "} {
			for n := range c.states + 2 {
				src := c.first + "; " + strings.Repeat(wait, n) + c.then
				o := crosslane.TryOptions{ISA: crosslane.GCN3, Set: []crosslane.TrySet{{Reg: "v0", Bits: iota64(64, 0)}}}
				if strings.Contains(src, "v1") {
					o.Set = append(o.Set, crosslane.TrySet{Reg: "v1", Bits: []uint64{0}})
				}
				r, err := crosslane.Try(context.Background(), src, o)
				if err != nil {
					t.Fatalf("%s: %v", src, err)
				}
				want := ""
				if n < c.states {
					want = fmt.Sprintf("%d of %d wait states", n, c.states)
				}
				switch {
				case want == "" && len(r.Findings) > 0, want != "" && (len(r.Findings) != 1 || r.Findings[0].Code != "wait-states" || !strings.Contains(r.Findings[0].Message, want)):
					t.Errorf("%s: findings %v, want %q", src, r.Findings, want)
				}
			}
		}
	}
}

// "Thus, you must use s_waitcnt to determine when data is returned".
func TestArticleWaitcnt(t *testing.T) {
	t.Parallel()
	for _, instr := range []string{"ds_permute_b32 v2, v1, v0", "ds_bpermute_b32 v2, v1, v0", "ds_swizzle_b32 v2, v0 offset:0x401f"} {
		for wait, findings := range map[string]int{"": 1, "s_nop 15; ": 1, "s_waitcnt vmcnt(0); ": 1, "s_waitcnt lgkmcnt(1); ": 1, "s_waitcnt lgkmcnt(0); ": 0} {
			src := "v_lshlrev_b32 v1, 2, v0; " + instr + "; " + wait + "v_mov_b32 v3, v2"
			r, err := crosslane.Try(context.Background(), src, crosslane.TryOptions{ISA: crosslane.GCN3, Set: []crosslane.TrySet{{Reg: "v0", Bits: iota64(64, 0)}}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) != findings || findings > 0 && r.Findings[0].Code != "waitcnt" {
				t.Errorf("%s: %v", src, r.Findings)
			}
		}
	}
}

// The two examples of negative and absolute input.
func TestArticleNegAbs(t *testing.T) {
	t.Parallel()
	var a, b, old wave
	for i := range a {
		a[i], b[i] = math.Float32bits(float32(i-20)), math.Float32bits(float32(10-3*i))
		old[i] = math.Float32bits(-1000)
	}
	regs := map[string]wave{"v0": old, "v1": a, "v2": b}
	float := func(w wave, i int) float64 { return float64(math.Float32frombits(w[i])) }
	for text, f := range map[string]func(x, y float64) float64{
		"v_add_f32 v0, -v1, |v2| wave_shr:1": func(x, y float64) float64 { return -x + math.Abs(y) },
		"v_add_f32 v0, -|v1|, v2 wave_shr:1": func(x, y float64) float64 { return -math.Abs(x) + y },
	} {
		got := gcn(t, text, math.MaxUint64, regs, "v0")
		for i := range 64 {
			want := -1000.0
			if i > 0 {
				want = f(float(a, i-1), float(b, i))
			}
			if float(got, i) != want {
				t.Errorf("%s: lane %d is %g, want %g", text, i, float(got, i), want)
			}
		}
	}
	// "such operations on float input values": not on integers.
	for _, bad := range []string{"v_and_b32 v0, -v1, v2 wave_shr:1", "v_add_u32 v0, vcc, |v1|, v2 wave_shr:1"} {
		if _, diags := crosslane.AssembleInstructions(bad); diags.Err() == nil {
			t.Errorf("%s assembles", bad)
		}
	}
}
