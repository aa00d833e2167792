package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// A screened launch lists the bytes that it has accessed as the race detector does.
func TestScreeningRanges(t *testing.T) {
	t.Parallel()
	const at = "mad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\nadd.s64 %rd4, %rd1, %p1;\ncvt.u64.u32 %rd6, %r10;\nadd.s64 %rd6, %rd6, %p1;\n"
	const some = "setp.lt.u32 %q1, %r10, 9;\n@!%q1 bra E;\nmul.wide.u32 %rd1, %r10, 20;\nadd.s64 %rd5, %rd1, %p1;\n"
	for name, body := range map[string]string{
		"words":                      "ld.global.u32 %r1, [%rd4];\nst.global.u32 [%rd2], %r1;\n",
		"words further on":           "ld.global.u32 %r1, [%rd4+20];\nst.global.u32 [%rd2+40], %r1;\n",
		"half of the lanes":          "setp.lt.u32 %q1, %lane, 13;\nmov.u32 %r1, 0;\n@%q1 ld.global.u32 %r1, [%rd4];\n@!%q1 st.global.u32 [%rd2], %r1;\n",
		"a stencil":                  "ld.global.u32 %r1, [%rd4];\nld.global.u32 %r2, [%rd4+4];\nld.global.u32 %r3, [%rd4+8];\nst.global.u32 [%rd2], %r1;\n",
		"four words of few":          some + "ld.global.u32 %r1, [%rd5];\nld.global.u32 %r2, [%rd5+4];\nld.global.u32 %r3, [%rd5+8];\nld.global.u32 %r4, [%rd5+12];\nE:\n",
		"four words in another turn": some + "ld.global.u32 %r1, [%rd5+12];\nld.global.u32 %r2, [%rd5];\nld.global.u32 %r3, [%rd5+8];\nld.global.u32 %r4, [%rd5+4];\nE:\n",
		"a gap":                      some + "ld.global.u32 %r1, [%rd5];\nld.global.u32 %r2, [%rd5+4];\nld.global.u32 %r4, [%rd5+12];\nE:\n",
		"a vector":                   some + "shl.b32 %r5, %r10, 5;\nmul.wide.u32 %rd1, %r5, 1;\nadd.s64 %rd5, %rd1, %p1;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd5];\nE:\n",
		"stores of vectors":          some + "shl.b32 %r5, %r10, 5;\nmul.wide.u32 %rd1, %r5, 1;\nadd.s64 %rd5, %rd1, %p1;\nst.global.v4.u32 [%rd5+16], {%r5, %r5, %r5, %r5};\nE:\n",
		"vectors further on":         some + "shl.b32 %r5, %r10, 5;\nmul.wide.u32 %rd1, %r5, 1;\nadd.s64 %rd5, %rd1, %p1;\nadd.s64 %rd5, %rd5, 8;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd5+8];\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd5+-8];\nE:\n",
		"vectors in place":           some + "shl.b32 %r5, %r10, 5;\nmul.wide.u32 %rd1, %r5, 1;\nadd.s64 %rd5, %rd1, %p1;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd5+16];\nst.global.v4.u32 [%rd5+16], {%r2, %r1, %r4, %r3};\nE:\n",
		"halves of vectors":          some + "shl.b32 %r5, %r10, 5;\nmul.wide.u32 %rd1, %r5, 1;\nadd.s64 %rd5, %rd1, %p1;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd5];\nst.global.v2.u32 [%rd5+24], {%r2, %r1};\nE:\n",
		"parts of a vector":          some + "shl.b32 %r5, %r10, 5;\nmul.wide.u32 %rd1, %r5, 1;\nadd.s64 %rd5, %rd1, %p1;\nld.global.v4.u32 {%r1, _, %r3, _}, [%rd5];\nE:\n",
		"a double word":              some + "shl.b32 %r5, %r10, 4;\nmul.wide.u32 %rd1, %r5, 1;\nadd.s64 %rd5, %rd1, %p1;\nld.global.u64 %rd7, [%rd5];\nE:\n",
		"the short one first":        some + "ld.global.u32 %r1, [%p1];\nsetp.eq.u32 %q2, %r10, 8;\n@!%q2 bra E;\nld.global.u32 %r1, [%p1];\nld.global.u32 %r2, [%p1+4];\nE:\n",
		"the long one first":         some + "setp.eq.u32 %q2, %r10, 0;\n@!%q2 bra F;\nld.global.u32 %r1, [%p1];\nld.global.u32 %r2, [%p1+4];\nF:\nbar.warp.sync 0x1ff;\nld.global.u32 %r1, [%p1];\nE:\n",
		"bytes":                      "ld.global.u8 %r1, [%rd6];\nld.global.u8 %r2, [%rd6+1];\nst.global.u32 [%rd2], %r1;\n",
		"bytes with a gap":           some + "ld.global.u8 %r1, [%rd5+1];\nld.global.u8 %r2, [%rd5+3];\nE:\n",
		"bytes and words":            some + "ld.global.u8 %r1, [%rd5+1];\nld.global.u32 %r2, [%rd5+4];\nE:\n",
		"halves":                     some + "ld.global.u16 %r1, [%rd5+2];\nld.global.u16 %r2, [%rd5+4];\nE:\n",
		"the last byte":              "ld.global.u8 %r1, [%p1+1023];\nst.global.u32 [%rd2], %r1;\n",
		"in place":                   "ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd2], %r1;\n",
		"in place, half of them":     "ld.global.u32 %r1, [%rd2];\nsetp.lt.u32 %q1, %lane, 13;\n@%q1 st.global.u32 [%rd2], %r1;\n",
		"bytes in place":             "ld.global.u8 %r1, [%rd6];\nsetp.lt.u32 %q1, %lane, 7;\n@%q1 st.global.u8 [%rd6], %r1;\n",
		"an address that is loaded":  some + "ld.global.u32 %r1, [%rd5];\nld.global.u32 %r2, [%rd5+4];\nand.b32 %r2, %r2, 3;\nmul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd5, %rd5, %p1;\nld.global.u32 %r3, [%rd5+64];\nE:\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameRanges(t, at+body)
		})
	}
}

// sameRanges compares what a screened launch lists with what the race detector does. It returns how many ranges there are.
func sameRanges(t *testing.T, body string) int {
	t.Helper()
	k := kernelOf(t, kit.Kernel("sm_80", 2, body))
	list := func(into *[]string, r session.Ranger) {
		var all []race.Range
		name := ""
		end := func() {
			for _, x := range all {
				*into = append(*into, fmt.Sprintf("%s %d to %d %v", name, x.Lo, x.Hi, x.Write))
			}
			all = nil
		}
		r.Ranges(func(a *sim.Alloc, x race.Range) {
			if a.Name != name {
				end()
				name = a.Name
			}
			if n := len(all); n > 0 && all[n-1].Hi > x.Lo {
				t.Errorf("ranges that overlap: %v, %v", all[n-1], x)
			} else if n > 0 && all[n-1].Hi == x.Lo && all[n-1].Write == x.Write {
				all[n-1].Hi = x.Hi
				return
			}
			all = append(all, x)
		})
		end()
	}
	var got, want []string
	l := session.Launch{Launch: screenLaunch(""), Raced: func(r session.Ranger, _ *ir.Func) { list(&got, r) }}
	if clean, tried, why := verdict.Screen(t.Context(), k, l, false); !tried || !clean {
		t.Fatalf("tried %v, clean %v: %s", tried, clean, why)
	}
	l = session.Launch{Launch: screenLaunch(""), Unscreened: true, Raced: func(r session.Ranger, _ *ir.Func) { list(&want, r) }}
	if _, err := verdict.CheckOn(t.Context(), k, l); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("found\n%q\nwant\n%q", got, want)
	}
	return len(want)
}

// Threads that load one word after the other in a loop leave one tag for all of them.
func TestScreeningRangesOfLoops(t *testing.T) {
	t.Parallel()
	// %r10 is the number of the thread, %rd5 where it begins, %r12 how many rounds it makes.
	const begin = "mad.lo.u32 %r10, %bid, 64, %id;\n"
	const at = "mul.wide.u32 %rd1, %r11, 4;\nadd.s64 %rd5, %rd1, %p1;\nmov.u32 %r3, 0;\n"
	const loop = "setp.eq.u32 %q1, %r12, 0;\n@%q1 bra E;\nL:\n"
	const again = "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %q2, %r3, %r12;\n@%q2 bra L;\nE:\n"
	const next = "add.s64 %rd5, %rd5, 4;\n"
	const load = "ld.global.u32 %r1, [%rd5];\n"
	const row = "and.b32 %r11, %r10, 31;\nshl.b32 %r11, %r11, 3;\nmov.u32 %r12, 8;\n"
	const some = "and.b32 %r11, %r10, 3;\nmul.lo.u32 %r11, %r11, 60;\nand.b32 %r12, %r10, 15;\n"
	for name, body := range map[string]string{
		"a line of each":                    row + at + loop + load + next + again,
		"lines with a gap":                  row + "mov.u32 %r12, 5;\n" + at + loop + load + next + again,
		"longer and longer lines":           "mov.u32 %r11, 0;\nadd.u32 %r12, %r10, 1;\n" + at + loop + load + next + again,
		"shorter and shorter lines":         "mov.u32 %r11, 0;\nsub.u32 %r12, 200, %r10;\n" + at + loop + load + next + again,
		"longer ones in the middle":         "mov.u32 %r11, 0;\nxor.b32 %r12, %r10, 20;\nadd.u32 %r12, %r12, 1;\n" + at + loop + load + next + again,
		"some lines of some lanes":          some + at + loop + load + next + again,
		"each second word":                  row + "mov.u32 %r12, 4;\n" + at + loop + load + "add.s64 %rd5, %rd5, 8;\n" + again,
		"one word again and again":          row + at + loop + load + again,
		"a line twice":                      row + "mov.u32 %r12, 16;\n" + at + "mov.u64 %rd7, %rd5;\n" + loop + "and.b32 %r4, %r3, 7;\nmul.wide.u32 %rd8, %r4, 4;\nadd.s64 %rd5, %rd7, %rd8;\n" + load + again,
		"from the end to the begin":         row + at + "add.s64 %rd5, %rd5, 28;\n" + loop + load + "add.s64 %rd5, %rd5, -4;\n" + again,
		"some words of each line":           row + at + loop + "and.b32 %r4, %r3, 3;\nsetp.ne.u32 %q3, %r4, 2;\n@%q3 ld.global.u32 %r1, [%rd5];\n" + next + again,
		"other words of each lane":          row + at + loop + "add.u32 %r4, %r3, %r10;\nand.b32 %r4, %r4, 3;\nsetp.ne.u32 %q3, %r4, 2;\n@%q3 ld.global.u32 %r1, [%rd5];\n" + next + again,
		"two loads in turn":                 row + "mov.u32 %r12, 4;\n" + at + loop + load + "add.s64 %rd6, %rd5, 4;\nld.global.u32 %r2, [%rd6];\nadd.s64 %rd5, %rd5, 8;\n" + again,
		"two lines in turn":                 "shr.u32 %r11, %r10, 3;\nshl.b32 %r11, %r11, 3;\nmov.u32 %r12, 8;\n" + at + loop + load + "ld.global.u32 %r2, [%rd5+512];\n" + next + again,
		"vectors":                           row + "mov.u32 %r12, 2;\n" + at + loop + "ld.global.v4.u32 {%r1, %r2, %r4, %r5}, [%rd5];\nadd.s64 %rd5, %rd5, 16;\n" + again,
		"bytes":                             row + "add.u32 %r12, %r12, 5;\n" + at + loop + "ld.global.u8 %r1, [%rd5];\nadd.s64 %rd5, %rd5, 1;\n" + again,
		"bytes and words":                   row + "mov.u32 %r12, 3;\n" + at + loop + "ld.global.u8 %r1, [%rd5+1];\nld.global.u32 %r1, [%rd5+8];\n" + next + again,
		"a vector and a loop":               "shl.b32 %r11, %r10, 2;\nand.b32 %r11, %r11, 127;\nand.b32 %r12, %r10, 3;\n" + at + "ld.global.v4.u32 {%r1, %r2, %r4, %r5}, [%rd5];\n" + loop + load + next + again,
		"a loop and a word":                 some + at + "mov.u64 %rd7, %rd5;\n" + loop + load + next + again + "ld.global.u32 %r1, [%rd7];\nld.global.u32 %r1, [%rd5];\n",
		"an exit in the middle":             row + at + loop + load + next + "setp.eq.u32 %q3, %r3, %lane;\n@%q3 exit;\n" + again,
		"a loop in a loop":                  row + "mov.u32 %r12, 4;\n" + at + loop + "mov.u32 %r5, 0;\nM:\n" + load + next + "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %q4, %r5, 2;\n@%q4 bra M;\n" + again,
		"results of each":                   row + at + "mov.u32 %r1, 0;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\n" + loop + load + next + again + "st.global.u32 [%rd2], %r1;\n",
		"to the last byte":                  "mov.u32 %r11, 240;\nmov.u32 %r12, 16;\n" + at + loop + load + next + again,
		"where the line before ends":        "shl.b32 %r11, %r10, 1;\nand.b32 %r11, %r11, 127;\nmov.u32 %r12, 4;\n" + at + loop + load + next + again,
		"through a table that is loaded":    row + at + loop + load + "and.b32 %r4, %r1, 1;\nmul.wide.u32 %rd7, %r4, 4;\nadd.s64 %rd7, %rd7, %p1;\nld.global.u32 %r6, [%rd7+512];\n" + next + again,
		"a loop without loads before one":   row + at + "mov.u32 %r5, 0;\nM:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %q4, %r5, 3;\n@%q4 bra M;\n" + loop + load + next + again,
		"lines of two buffers in turn":      row + at + "mul.wide.u32 %rd1, %r11, 4;\nadd.s64 %rd6, %rd1, %p0;\n" + loop + load + "ld.global.u32 %r2, [%rd6];\nadd.s64 %rd6, %rd6, 4;\n" + next + again,
		"a line that the thread stores to":  row + at + "mul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\n" + loop + load + "st.global.u32 [%rd2], %r1;\n" + next + again,
		"half of a warp, then the others":   row + "setp.lt.u32 %q5, %lane, 16;\n@%q5 bra F;\nadd.u32 %r12, %r12, -3;\nF:\n" + at + loop + load + next + again,
		"lines that begin with the address": "mov.u32 %r11, 0;\nmov.u32 %r12, 3;\n" + at + loop + load + next + again,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameRanges(t, begin+body)
		})
	}
	t.Run("random", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(33, 7))
		for range 500 {
			n := func(list ...int) int { return list[rng.IntN(len(list))] }
			// A thread begins at (a*i + b) mod 64 and makes up to 16 rounds of c words.
			body := begin + fmt.Sprintf("mad.lo.u32 %%r11, %%r10, %d, %d;\nand.b32 %%r11, %%r11, 63;\nmul.lo.u32 %%r12, %%r10, %d;\nshr.u32 %%r12, %%r12, %d;\nand.b32 %%r12, %%r12, 15;\n",
				n(0, 1, 2, 4, 8, 16, 37), rng.IntN(128), n(0, 1, 3, 7, 11), n(0, 0, 2, 4)) + at + loop
			for range 1 + rng.IntN(3) {
				guard := n(0, 0, 1)
				if guard == 1 {
					body += fmt.Sprintf("add.u32 %%r4, %%r3, %%r10;\nand.b32 %%r4, %%r4, %d;\nsetp.ne.u32 %%q3, %%r4, 1;\n@%%q3 ", n(1, 3, 7))
				}
				switch off := n(0, 0, 4, 8, 256); rng.IntN(4) {
				case 0:
					body += fmt.Sprintf("ld.global.u8 %%r1, [%%rd5+%d];\n", off+n(0, 1, 3))
				default:
					body += fmt.Sprintf("ld.global.u32 %%r1, [%%rd5+%d];\n", off)
				}
				if n(0, 1) == 1 {
					body += next
				}
			}
			body += fmt.Sprintf("add.s64 %%rd5, %%rd5, %d;\n", n(0, 4, 4, 8)) + again + "ld.global.u32 %r1, [%p1];\n"
			if sameRanges(t, body); t.Failed() {
				t.Fatalf("the kernel:\n%s", body)
			}
		}
	})
}
