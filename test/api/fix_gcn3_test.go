package api_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

func fixed(t *testing.T, text string, o crosslane.FixOptions) *crosslane.FixResult {
	t.Helper()
	r, err := crosslane.FixWaits([]byte(text), "k.s", o)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// kernelText is a kernel of a few lines.
func kernelText(body string) string {
	return ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n" + body + "\n  s_endpgm\n" +
		".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_user_sgpr_private_segment_buffer 1\n  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n  .amdhsa_next_free_vgpr 16\n  .amdhsa_next_free_sgpr 40\n.end_amdhsa_kernel\n"
}

// The result of fix for a body.
func TestFixPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
		minimal        bool
	}{
		{name: "in front", in: "\tv_mov_b32 v1, v2\n\tv_mov_b32 v3, v1 row_shr:1 // why", want: "\tv_mov_b32 v1, v2\n\ts_nop 1\n\tv_mov_b32 v3, v1 row_shr:1 // why"},
		{name: "longer", in: "  v_mov_b32 v1, v2\n  s_nop 0 ; short\n  v_mov_b32 v3, v1 row_shr:1", want: "  v_mov_b32 v1, v2\n  s_nop 1 ; short\n  v_mov_b32 v3, v1 row_shr:1"},
		{name: "a count lowered", in: "  ds_read_b32 v1, v0\n  ds_read_b32 v2, v0\n  s_waitcnt vmcnt(0) & lgkmcnt(1)\n  v_mov_b32 v3, v2", want: "  ds_read_b32 v1, v0\n  ds_read_b32 v2, v0\n  s_waitcnt vmcnt(0) & lgkmcnt(0)\n  v_mov_b32 v3, v2"},
		{name: "s_waitcnt is a wait state", in: "  ds_read_b32 v5, v0\n  v_mov_b32 v1, v2\n  v_add_f32 v3, v1, v5 row_shr:1", want: "  ds_read_b32 v5, v0\n  v_mov_b32 v1, v2\n  s_waitcnt lgkmcnt(0)\n  s_nop 0\n  v_add_f32 v3, v1, v5 row_shr:1"},
		{name: "outside the loop", in: "  v_mov_b32 v1, v2\nloop:\n  v_mov_b32 v3, v1 row_shr:1\n  s_cbranch_scc1 loop", want: "  v_mov_b32 v1, v2\n  s_nop 1\nloop:\n  v_mov_b32 v3, v1 row_shr:1\n  s_cbranch_scc1 loop"},
		{name: "a load outside the loop", in: "  ds_read_b32 v1, v0\nloop:\n  ds_read_b32 v4, v0\n  v_mov_b32 v3, v1\n  s_waitcnt lgkmcnt(0)\n  s_cbranch_scc1 loop", want: "  ds_read_b32 v1, v0\n  s_waitcnt lgkmcnt(0)\nloop:\n  ds_read_b32 v4, v0\n  v_mov_b32 v3, v1\n  s_waitcnt lgkmcnt(0)\n  s_cbranch_scc1 loop"},
		{name: "over the back edge", in: "loop:\n  v_mov_b32 v3, v1 row_shr:1\n  v_mov_b32 v1, v2\n  s_cbranch_scc1 loop", want: "loop:\n  s_nop 0\n  v_mov_b32 v3, v1 row_shr:1\n  v_mov_b32 v1, v2\n  s_cbranch_scc1 loop"},
		{name: "a label in the line", in: "  v_mov_b32 v1, v2\nloop: v_mov_b32 v3, v1 row_shr:1\n  v_mov_b32 v1, v2\n  s_cbranch_scc1 loop", want: "  v_mov_b32 v1, v2\n  s_nop 0\nloop: s_nop 0\n      v_mov_b32 v3, v1 row_shr:1\n  v_mov_b32 v1, v2\n  s_cbranch_scc1 loop"},
		{name: "in a macro", in: ".macro step d, s\n  v_mov_b32 \\d, \\s row_shr:1\n.endm\n  v_mov_b32 v1, v2\n  step v3, v1\n  step v4, v3", want: ".macro step d, s\n  s_nop 1\n  v_mov_b32 \\d, \\s row_shr:1\n.endm\n  v_mov_b32 v1, v2\n  step v3, v1\n  step v4, v3"},
		{name: "repeated", in: ".rept 3\n  v_add_f32 v1, v1, v1 row_shr:1\n.endr", want: ".rept 3\n  s_nop 1\n  v_add_f32 v1, v1, v1 row_shr:1\n.endr"},
		{name: "lines that end in two characters", in: "  v_mov_b32 v1, v2\r\n  v_mov_b32 v3, v1 row_shr:1\r", want: "  v_mov_b32 v1, v2\r\n  s_nop 1\r\n  v_mov_b32 v3, v1 row_shr:1\r"},
		{name: "needless ones stay", in: "  s_nop 3\n  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v1, v2", want: "  s_nop 3\n  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v1, v2"},
		{name: "needless ones go", minimal: true, in: "  s_nop 3\n  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v1, v2", want: "  v_mov_b32 v1, v2"},
		{name: "shorter", minimal: true, in: "  v_mov_b32 v1, v2\n  s_nop 7\n  v_mov_b32 v3, v1 row_shr:1", want: "  v_mov_b32 v1, v2\n  s_nop 1\n  v_mov_b32 v3, v1 row_shr:1"},
		{name: "one less", minimal: true, in: "  v_mov_b32 v1, v2\n  s_nop 2\n  v_mov_b32 v3, v1 row_shr:1", want: "  v_mov_b32 v1, v2\n  s_nop 1\n  v_mov_b32 v3, v1 row_shr:1"},
		{name: "one of two", minimal: true, in: "  v_mov_b32 v1, v2\n  s_nop 1\n  s_nop 1\n  v_mov_b32 v3, v1 row_shr:1", want: "  v_mov_b32 v1, v2\n  s_nop 1\n  v_mov_b32 v3, v1 row_shr:1"},
		{name: "needed by one use of a macro", minimal: true, in: ".macro step d, s\n  s_nop 1\n  v_mov_b32 \\d, \\s row_shr:1\n.endm\n  v_mov_b32 v1, v2\n  step v3, v1\n  step v4, v5", want: ".macro step d, s\n  s_nop 1\n  v_mov_b32 \\d, \\s row_shr:1\n.endm\n  v_mov_b32 v1, v2\n  step v3, v1\n  step v4, v5"},
		{name: "others may look at memory", minimal: true, in: "  ds_write_b32 v0, v1\n  s_waitcnt lgkmcnt(0)\n  s_barrier", want: "  ds_write_b32 v0, v1\n  s_waitcnt lgkmcnt(0)\n  s_barrier"},
		{name: "one counter", minimal: true, in: "  ds_write_b32 v0, v1\n  s_waitcnt vmcnt(0) & lgkmcnt(0)\n  s_barrier", want: "  ds_write_b32 v0, v1\n  s_waitcnt lgkmcnt(0)\n  s_barrier"},
		{name: "s_waitcnt that is a wait state stays", minimal: true, in: "  v_mov_b32 v1, v2\n  s_waitcnt lgkmcnt(0)\n  s_nop 0\n  v_mov_b32 v3, v1 row_shr:1", want: "  v_mov_b32 v1, v2\n  s_waitcnt lgkmcnt(0)\n  s_nop 0\n  v_mov_b32 v3, v1 row_shr:1"},
	} {
		r := fixed(t, kernelText(c.in), crosslane.FixOptions{Minimal: c.minimal})
		if string(r.Text) != kernelText(c.want) || len(r.Left) > 0 {
			t.Errorf("%s: got\n%s\n%v", c.name, r.Text, r.Left)
		}
		if changed := c.in != c.want; changed != (len(r.Edits) > 0) {
			t.Errorf("%s: edits %v", c.name, r.Edits)
		}
	}
}

// A reduction without one of its waits, when it is fixed, gives the same result as with all of
// them, however late results are.
func TestFixReduction(t *testing.T) {
	t.Parallel()
	gaps := slices.Clone(reductionGaps)
	whole := reduction(gaps...)
	if r := fixed(t, whole, crosslane.FixOptions{Minimal: true}); string(r.Text) != whole {
		t.Errorf("changed:\n%v", r.Edits)
	}
	run := func(text string, late bool) []float32 {
		m, err := crosslane.Load([]byte(text), "k.s", crosslane.GCN3)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]float32, 64)
		for i := range data {
			data[i] = float32(i + 1)
		}
		if _, err := m.Kernels()[0].Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 64}, Args: []crosslane.Arg{crosslane.Slice("data", data)}, Adversarial: late}); err != nil {
			t.Fatal(err)
		}
		return data
	}
	want := run(whole, true)
	for i := 2; i < len(gaps); i++ { // without the first ones it runs into nowhere
		gaps = slices.Clone(reductionGaps)
		gaps[i] = ""
		broken := reduction(gaps...)
		if got := run(broken, true); reflect.DeepEqual(got, want) {
			t.Errorf("without wait %d the late result is the same", i)
		}
		if got := run(string(fixed(t, broken, crosslane.FixOptions{}).Text), true); !reflect.DeepEqual(got, want) {
			t.Errorf("wait %d mended: %v, want %v", i, got, want)
		}
	}
}

// Waits are removed from the compiler's output, one at a time and all at once. The missing ones are
// inserted again, and the result is clean and has as many wait states or fewer.
func TestFixExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/gcn3/*.s")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	wait := regexp.MustCompile(`^\s*(s_nop|s_waitcnt) `)
	taken, found := 0, 0
	for _, name := range short.Sample(files, 6) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := fixed(t, string(data), crosslane.FixOptions{})
		hazards := strings.Contains(name, "hazard") || strings.Contains(name, "missing")
		if (len(r.Edits) > 0) != hazards {
			t.Errorf("%s: %v", name, r.Edits)
		}
		lines := strings.Split(string(r.Text), "\n")
		var at []int
		for i, l := range lines {
			if wait.MatchString(l) {
				at = append(at, i)
			}
		}
		rnd := rand.New(rand.NewPCG(uint64(len(lines)), 1))
		rnd.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
		without := func(drop []int) {
			less := slices.Clone(lines)
			for _, i := range drop {
				less[i] = "" // lines keep their numbers
			}
			r := fixed(t, strings.Join(less, "\n"), crosslane.FixOptions{})
			if err := r.Left.Err(); err != nil {
				t.Errorf("%s without %v: %v", name, drop, err)
			}
			taken++
			if len(r.Edits) > 0 {
				found++
			}
			if again := fixed(t, string(r.Text), crosslane.FixOptions{}); len(again.Edits) > 0 {
				t.Errorf("%s without %v: mended twice: %v", name, drop, again.Edits)
			}
		}
		for _, i := range at[:min(len(at), 4)] {
			without([]int{i})
		}
		without(at)
	}
	if found < taken/2 {
		t.Errorf("%d of %d taken out were missed", found, taken)
	}
}

// Random programs: the output of fix is clean, keeps the lines that were there, has no findings
// when it runs, and the same result however late loads deliver.
func TestFixRandom(t *testing.T) {
	t.Parallel()
	edits := 0
	for seed := range short.Of(uint64(120), 20) {
		body := randomBody(rand.New(rand.NewPCG(seed, 9)))
		text := kernelText(body)
		for _, o := range []crosslane.FixOptions{{}, {Minimal: true}} {
			r := fixed(t, text, o)
			edits += len(r.Edits)
			m, err := crosslane.Load(r.Text, "k.s", crosslane.GCN3)
			if err != nil {
				t.Fatal(err)
			}
			l, err := m.CheckStatic()
			if err != nil || l[0].Findings.Err() != nil || r.Left.Err() != nil {
				t.Fatalf("seed %d: %v %v %v\n%s", seed, err, l[0].Findings, r.Left, r.Text)
			}
			if !o.Minimal && !keeps(text, string(r.Text)) {
				t.Fatalf("seed %d: more has changed\n%s\n%s", seed, text, r.Text)
			}
			var results [][]uint32
			for _, late := range []bool{false, true} {
				out := make([]uint32, 64)
				res, err := m.Kernels()[0].Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 64}, Args: []crosslane.Arg{crosslane.Slice("out", out)}, Adversarial: late})
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, r.Text)
				}
				if err := res.Findings.Err(); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, r.Text)
				}
				results = append(results, out)
			}
			if !reflect.DeepEqual(results[0], results[1]) {
				t.Fatalf("seed %d: late %v, else %v\n%s", seed, results[1], results[0], r.Text)
			}
		}
	}
	if edits < short.Of(300, 40) {
		t.Errorf("%d edits", edits)
	}
}

// keeps reports whether a text still has the lines of another in their order; waits may
// have changed.
func keeps(old, now string) bool {
	wait := regexp.MustCompile(`s_(nop|waitcnt) .*`)
	i := 0
	lines := strings.Split(wait.ReplaceAllString(old, "WAIT"), "\n")
	for _, l := range strings.Split(wait.ReplaceAllString(now, "WAIT"), "\n") {
		if i < len(lines) && l == lines[i] {
			i++
		} else if strings.TrimSpace(l) != "WAIT" {
			return false
		}
	}
	return i == len(lines)
}

// randomBody is a counted loop with a conditional part, whose instructions come as they
// may, without the waits that they need.
func randomBody(r *rand.Rand) string {
	inst := func() string {
		v, w := 1+r.IntN(4), 1+r.IntN(4)
		switch r.IntN(9) {
		case 0:
			return fmt.Sprintf("v_add_u32 v%d, vcc, v%d, v0", v, w)
		case 1, 2:
			return fmt.Sprintf("v_mov_b32 v%d, v%d row_shr:%d", v, w, 1+r.IntN(15))
		case 3:
			return fmt.Sprintf("ds_bpermute_b32 v%d, v7, v%d", v, w)
		case 4:
			return fmt.Sprintf("ds_swizzle_b32 v%d, v%d offset:0x%x", v, w, 0x8000|r.IntN(256))
		case 5:
			return fmt.Sprintf("v_readfirstlane_b32 s%d, v%d", 20+r.IntN(2), v)
		case 6:
			return fmt.Sprintf("v_writelane_b32 v%d, 5, s%d", v, 20+r.IntN(2))
		case 7:
			return fmt.Sprintf("s_nop %d", r.IntN(3))
		}
		return fmt.Sprintf("s_waitcnt lgkmcnt(%d)", r.IntN(3))
	}
	var b strings.Builder
	some := func() {
		for range 2 + r.IntN(5) {
			b.WriteString("  " + inst() + "\n")
		}
	}
	b.WriteString("  s_load_dwordx2 s[0:1], s[4:5], 0x0\n  s_mov_b32 s30, 3\n  v_mov_b32 v1, v0\n  v_mov_b32 v2, 7\n  v_mov_b32 v3, v0\n  v_mov_b32 v4, 9\n  v_lshlrev_b32 v7, 2, v0\n  s_mov_b32 s20, 3\n  s_mov_b32 s21, 4\n")
	some()
	b.WriteString("loop:\n")
	some()
	b.WriteString("  s_cmp_eq_u32 s30, 2\n  s_cbranch_scc1 over\n")
	some()
	b.WriteString("over:\n")
	some()
	b.WriteString("  s_sub_u32 s30, s30, 1\n  s_cmp_lg_u32 s30, 0\n  s_cbranch_scc1 loop\n")
	some()
	b.WriteString("  v_xor_b32 v1, v1, v2\n  v_xor_b32 v1, v1, v3\n  v_xor_b32 v1, v1, v4\n  v_mov_b32 v6, s1\n  v_add_u32 v5, vcc, s0, v7\n  v_addc_u32 v6, vcc, 0, v6, vcc\n  flat_store_dword v[5:6], v1")
	return b.String()
}

// Hostile texts take bounded time and no panic.
func TestFixBad(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "s_nop", kernelText("  s_branch nowhere"), ".version 7.0\n.target sm_70\n"} {
		if r, err := crosslane.FixWaits([]byte(text), "k.s", crosslane.FixOptions{}); err == nil && len(r.Edits) > 0 {
			t.Errorf("%q: %v", text, r.Edits)
		} else if err != nil && len(diag.Of(err)) == 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
}
