package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// sameAccesses are accesses to shared memory, for programs in which threads store equal values. %r9 has the same value in all
// threads, %r11 another one in odd threads if the launch wants that. The address %r12 depends on the value.
var sameAccesses = []string{
	"st.shared.u32 [%r5], %r9;", "st.shared.u32 [%r5], %r11;", "st.shared.u32 [%r5], 5;", "st.shared.u32 [%r5+4], %r9;", "st.shared.u32 [%r5], 0;",
	"st.shared.u8 [%r5+3], %r9;", "st.shared.u16 [%r5+-2], %r11;", "st.shared.u16 [%r5+2], 0;", "st.shared.v2.u32 [%r5], {%r9, %r9};", "st.shared.u64 [%r5+-8], %rd8;",
	"st.shared.u64 [%r5], %rd8;", "st.volatile.shared.u32 [%r5], %r9;", "st.shared.u32 [%r5+4], %id;", "st.shared.u32 [%r6], %id;", "st.shared.u32 [%r12], %r9;",
	"st.shared.v2.u32 [%r5], {%r9, %r11};", "st.shared.v4.u32 [%r5], {%r9, %r9, %r9, %r11};", "st.shared.v4.u32 [%r5], {%r9, %r9, 0, 5};",
	"ld.shared.u32 %r1, [%r5];", "ld.shared.u8 %r1, [%r5+3];", "ld.shared.u64 %rd9, [%r5+-8];", "bar.warp.sync -1;",
	"cp.async.ca.shared.global [%r5], [%p1], 4;", "cp.async.ca.shared.global [%r5+-8], [%p1+8], 8;", "cp.async.commit_group;", "cp.async.wait_group 0;", "cp.async.wait_all;",
}

// sameKernel is smallKernel for these accesses. An access is made under a guard or, if the bit of branches is set, behind a branch.
func sameKernel(list []string, bars, branches int) string {
	var b strings.Builder
	b.WriteString("mad.lo.u32 %r10, %bid, 64, %id;\nld.param.u32 %r9, [v];\nld.param.u32 %r4, [w];\nand.b32 %r11, %id, 1;\nmad.lo.u32 %r11, %r11, %r4, %r9;\n" +
		"cvt.u64.u32 %rd8, %r9;\nmov.u32 %r5, sm;\nadd.u32 %r5, %r5, 32;\nand.b32 %r12, %r9, 3;\nshl.b32 %r12, %r12, 2;\nadd.u32 %r12, %r12, %r5;\nmov.u32 %r7, 0;\n")
	for i, t := range smallThreads {
		fmt.Fprintf(&b, "setp.eq.u32 %%q1, %%r10, %d;\n@%%q1 mov.u32 %%r7, %d;\n", t, 1<<i)
	}
	b.WriteString("shl.b32 %r6, %id, 2;\nadd.u32 %r6, %r5, %r6;\nst.shared.u32 [%r6+-32], 0;\nbar.sync 0;\n")
	for i, s := range list {
		if s == "bar.warp.sync -1;" {
			b.WriteString(s + "\n")
		} else {
			fmt.Fprintf(&b, "ld.param.u32 %%r3, [a%d];\nand.b32 %%r3, %%r3, %%r7;\nsetp.ne.u32 %%q1, %%r3, 0;\n", 2+i)
			if branches>>i&1 != 0 {
				fmt.Fprintf(&b, "@!%%q1 bra L%d;\n%s\nL%d:\n", i, s, i)
			} else {
				fmt.Fprintf(&b, "@%%q1 %s\n", s)
			}
		}
		if i < len(list)-1 && bars>>i&1 != 0 {
			b.WriteString("bar.sync 0;\n")
		}
	}
	params := ".param .u64 a0, .param .u64 a1"
	for i := range list {
		params += fmt.Sprintf(", .param .u32 a%d", 2+i)
	}
	return strings.Replace(kit.Kernel("sm_80", 2, b.String()), ".param .u64 a0, .param .u64 a1", params+", .param .u32 v, .param .u32 w", 1)
}

// The form for stores of equal values against the race detector. If a run is clean, then a check finds nothing but notes of such
// stores, and none if none met; two clean runs of a kernel with the same ways have the same notes, with their texts and counts.
func TestScreeningOfEqualValues(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 33))
	programs := 1500
	if testing.Short() {
		programs = 200
	}
	var clean, met, again, unequal int
	for range programs {
		list := make([]string, 2+random.IntN(4))
		for i := range list {
			n := len(sameAccesses)
			if random.IntN(2) == 0 {
				n = 18 // more stores than other accesses
			}
			list[i] = sameAccesses[random.IntN(n)]
		}
		src := sameKernel(list, random.IntN(1<<len(list)), random.IntN(1<<len(list)))
		k := kernelOf(t, src)
		notes := map[uint64]string{}
		for range 4 {
			mask := make([]int64, len(list))
			for i := range mask {
				mask[i] = 1 << random.IntN(len(smallThreads))
				if random.IntN(2) == 0 {
					mask[i] |= 1 << random.IntN(len(smallThreads))
				}
				if random.IntN(5) == 0 || strings.HasPrefix(list[i], "cp.async.wait") {
					mask[i] = 1<<len(smallThreads) - 1
				}
			}
			for _, values := range [][2]int64{{5, 0}, {9, 0}, {6, 0}, {5, 1}} {
				launch := func(engine string) session.Launch {
					args := []crosslane.Arg{crosslane.Slice("a", make([]uint32, 64)), crosslane.Slice("b", make([]uint32, 64))}
					for _, m := range mask {
						args = append(args, crosslane.Int(m))
					}
					args = append(args, crosslane.Int(values[0]), crosslane.Int(values[1]))
					return session.Launch{Launch: crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 64}, Engine: engine, Args: args}, Unscreened: true}
				}
				x, why := verdict.ScreenSame(t.Context(), k, launch("interp"))
				if x == nil {
					if why != "no form for stores of equal values" {
						t.Fatalf("%s\n%s", why, src)
					}
					break
				}
				if !x.Clean {
					if values[1] != 0 {
						unequal++
					}
					continue
				}
				clean++
				res, err := verdict.CheckOn(t.Context(), k, launch(""))
				if err != nil {
					t.Fatalf("%v\n%s", err, src)
				}
				if i := slices.IndexFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Code != race.CodeSameValue }); i >= 0 {
					t.Errorf("%s: threads %b, values %d: a screening run is clean; the check finds %v\n%s", strings.Join(list, " "), mask, values, res.Findings[i], src)
				}
				if !x.Met {
					if len(res.Findings) > 0 {
						t.Errorf("%s: threads %b: nothing met; the check finds %v\n%s", strings.Join(list, " "), mask, res.Findings[0], src)
					}
					continue
				}
				met++
				text := jsonOf(t, res.Findings)
				if have, ok := notes[x.Ways]; !ok {
					notes[x.Ways] = text
				} else if again++; have != text {
					t.Errorf("%s: threads %b: the ways of two launches are the same, and their notes are\n%s\n%s\n%s", strings.Join(list, " "), mask, have, text, src)
				}
			}
		}
	}
	t.Logf("%d clean, %d with stores of equal values, %d of these with ways seen before, %d not clean with unequal values", clean, met, again, unequal)
	if met < programs/2 || again < programs/4 || unequal < programs/4 {
		t.Error("too few launches of a kind")
	}
}

// What a word may have in one interval for the form of equal values, whatever the order of the run was.
func TestEqualValuesOfAnInterval(t *testing.T) {
	t.Parallel()
	const first, second, all = "@%q1 ", "@%q2 ", ""
	const other = "@%q3 " // a thread of the other warp
	for _, c := range []struct {
		name string
		body []string
		want string // clean, met, not clean, or no form
	}{
		{"a word for each thread", []string{all + "st.shared.u32 [%r5], %id;"}, "clean"},
		{"other values of one thread", []string{all + "st.shared.u32 [%r5], %id;", all + "st.shared.u32 [%r5], 7;"}, "not clean"},
		{"equal values of all", []string{all + "st.shared.u32 [sm], 7;"}, "met"},
		{"other values of all", []string{all + "st.shared.u32 [sm], %id;"}, "not clean"},
		{"equal bytes of all", []string{all + "st.shared.u8 [sm], %r8;"}, "met"}, // 256 times the number
		{"other bytes of all", []string{all + "st.shared.u16 [sm], %r8;"}, "not clean"},
		{"equal values of two", []string{first + "st.shared.u32 [sm], 7;", second + "st.shared.u32 [sm], 7;"}, "met"},
		{"equal values of two warps", []string{first + "st.shared.u32 [sm], 7;", other + "st.shared.u32 [sm], 7;"}, "met"},
		{"other values of two warps", []string{first + "st.shared.u32 [sm], 7;", other + "st.shared.u32 [sm], 8;"}, "not clean"},
		{"an equal value after two of the thread", []string{first + "st.shared.u32 [sm], 5;", first + "st.shared.u32 [sm], 7;", second + "st.shared.u32 [sm], 7;"}, "not clean"},
		{"an equal value before another one of the thread", []string{first + "st.shared.u32 [sm], 7;", second + "st.shared.u32 [sm], 7;", first + "st.shared.u32 [sm], 5;"}, "not clean"},
		{"an equal value in the next interval", []string{first + "st.shared.u32 [sm], 5;", "bar.sync 0;", first + "st.shared.u32 [sm], 7;", second + "st.shared.u32 [sm], 7;"}, "met"},
		{"another value in the next interval", []string{first + "st.shared.u32 [sm], 5;", "bar.sync 0;", second + "st.shared.u32 [sm], 7;"}, "clean"},
		{"a load of the last one", []string{first + "st.shared.u32 [sm], 7;", second + "st.shared.u32 [sm], 7;", second + "ld.shared.u32 %r1, [sm];"}, "not clean"},
		{"a load of the first one", []string{first + "st.shared.u32 [sm], 7;", second + "st.shared.u32 [sm], 7;", first + "ld.shared.u32 %r1, [sm];"}, "not clean"},
		{"a load of one of all", []string{all + "st.shared.u32 [sm], 7;", "@%q4 ld.shared.u32 %r1, [sm];"}, "not clean"},
		{"a load before", []string{"@%q3 ld.shared.u32 %r1, [sm+128];", all + "st.shared.u32 [sm+128], 0;"}, "not clean"},
		{"loads of a warp before its equal values", []string{"@%q5 ld.shared.u32 %r1, [%r6];", "@%q5 st.shared.u32 [%r6], 7;"}, "not clean"},
		{"a load in the next interval", []string{all + "st.shared.u32 [sm], 7;", "bar.sync 0;", all + "ld.shared.u32 %r1, [sm];"}, "met"},
		{"half of eight bytes", []string{first + "st.shared.u64 [sm], %rd7;", second + "st.shared.u32 [sm+4], 0;"}, "met"},
		{"the other half of eight bytes", []string{first + "st.shared.u32 [sm+4], 0;", second + "st.shared.u64 [sm], %rd7;"}, "not clean"}, // the check compares all of them
		{"a strong store", []string{all + "st.volatile.shared.u32 [sm], 7;"}, "no form"},
		{"an atomic", []string{all + "st.shared.u32 [sm], 7;", "bar.sync 0;", all + "red.shared.add.u32 [sm], 7;"}, "no form"},
		{"no store", []string{"bar.sync 0;"}, "no form"},
	} {
		fill := "st.shared.u32 [%r5], 1;\nbar.sync 0;\n"
		if c.want == "no form" {
			fill = ""
		}
		src := kit.Kernel("sm_80", 2, "setp.eq.u32 %q1, %id, 3;\nsetp.eq.u32 %q2, %id, 6;\nsetp.eq.u32 %q3, %id, 40;\nsetp.eq.u32 %q4, %id, 63;\nsetp.lt.u32 %q5, %id, 32;\nshl.b32 %r8, %id, 8;\nmov.u64 %rd7, 7;\n"+
			"shl.b32 %r5, %id, 2;\nmov.u32 %r6, sm;\nadd.u32 %r5, %r5, %r6;\n"+fill+strings.Join(c.body, "\n"))
		for _, engine := range []string{"interp", "jit"} {
			x, why := verdict.ScreenSame(t.Context(), kernelOf(t, src), session.Launch{Launch: screenLaunch(engine)})
			got := "not clean"
			switch {
			case x == nil:
				got = "no form"
			case x.Met:
				got = "met"
			case x.Clean:
				got = "clean"
			}
			if got != c.want {
				t.Errorf("%s on %s: %s, want %s: %s", c.name, engine, got, c.want, why)
			}
		}
	}
}

func jsonOf(t *testing.T, list diag.List) string {
	t.Helper()
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// replicated stores, for each warp, a value of lane 0 by all lanes that the mask at %p1 names, into the word of the warp. Then each
// thread loads the words of both warps.
const replicated = "mov.u32 %r1, sm;\nshr.u32 %r2, %id, 5;\nshl.b32 %r2, %r2, 2;\nadd.u32 %r1, %r1, %r2;\nmul.wide.u32 %rd1, %bid, 4;\nadd.s64 %rd1, %rd1, %p1;\nld.global.u32 %r3, [%rd1];\n" +
	"ld.global.u32 %r4, [%rd1+128];\nmul.lo.u32 %r5, %r4, %lane;\nshr.u32 %r3, %r3, %lane;\nand.b32 %r3, %r3, 1;\nsetp.ne.u32 %q1, %r3, 0;\n@%q1 st.shared.u32 [%r1], %r5;\n" +
	"st.shared.u32 [sm+64], 1;\nbar.sync 0;\nld.shared.u32 %r6, [sm+64];\nmad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd2, %r10, 4;\nadd.s64 %rd2, %rd2, %p0;\nst.global.u32 [%rd2], %r6;\n"

// Checks of a kernel whose lanes store equal values have the same reports with and without screening, launch after launch, also when
// other lanes store or the values differ.
func TestRepeatedChecksOfEqualValues(t *testing.T) {
	t.Parallel()
	src := kit.Kernel("sm_80", 2, replicated)
	screened, plain := kernelOf(t, src), kernelOf(t, src)
	audit := &sameAudit{t: t}
	for n, c := range []struct {
		masks  [2]uint32 // the lanes of the blocks
		factor uint32    // of the lane, in the values of block 1
		errors bool
	}{
		{masks: [2]uint32{^uint32(0), ^uint32(0)}}, {masks: [2]uint32{^uint32(0), ^uint32(0)}}, {masks: [2]uint32{^uint32(0), ^uint32(0)}}, {masks: [2]uint32{^uint32(0), ^uint32(0)}},
		{masks: [2]uint32{0xff, ^uint32(0)}}, {masks: [2]uint32{^uint32(0), 0xff}}, {masks: [2]uint32{0xff, ^uint32(0)}}, {masks: [2]uint32{1, 2}}, {masks: [2]uint32{1, 2}},
		{masks: [2]uint32{^uint32(0), ^uint32(0)}, factor: 1, errors: true}, {masks: [2]uint32{^uint32(0), ^uint32(0)}},
		{masks: [2]uint32{^uint32(0), 4}, factor: 1}, {masks: [2]uint32{^uint32(0), 4}, factor: 3}, {masks: [2]uint32{^uint32(0), 6}, factor: 3, errors: true},
	} {
		launch := func(unscreened bool) session.Launch {
			in := make([]uint32, 64)
			copy(in, c.masks[:])
			in[33] = c.factor
			return session.Launch{Launch: crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 64}, Args: []crosslane.Arg{crosslane.Slice("a", make([]uint32, 128)), crosslane.Slice("b", in)}}, Unscreened: unscreened}
		}
		got, err := verdict.CheckOn(verdict.Audited(t.Context(), audit), screened, launch(false))
		if err != nil {
			t.Fatal(err)
		}
		want, err := verdict.CheckOn(t.Context(), plain, launch(true))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := jsonOf(t, got.Findings), jsonOf(t, want.Findings); a != b {
			t.Errorf("launch %d: with screening\n%s\nwithout\n%s", n, a, b)
		}
		if errors := slices.ContainsFunc(got.Findings, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }); errors != c.errors {
			t.Errorf("launch %d: errors %v, want %v", n, errors, c.errors)
		}
	}
	if audit.clean < 4 {
		t.Errorf("%d launches had their notes from earlier ones", audit.clean)
	}
}

// sameAudit compares the reports of screening runs with those of checks.
type sameAudit struct {
	t     *testing.T
	clean int
}

func (a *sameAudit) Screened(k *session.Kernel, l *session.Launch, clean, res *crosslane.Result, err error) {
	a.clean++
	if got, want := jsonOf(a.t, clean.Findings), jsonOf(a.t, res.Findings); err != nil || got != want {
		a.t.Errorf("a screening run has the notes\n%s\nthe check\n%s\n%v", got, want, err)
	}
}

func (a *sameAudit) Accessed(*session.Kernel, string)                   {}
func (a *sameAudit) Orders(*session.Kernel, *session.Launch, diag.List) {}
