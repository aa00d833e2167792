package api_test

import (
	"fmt"
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
			k := kernelOf(t, kit.Kernel("sm_80", 2, at+body))
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
		})
	}
}
