package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/test/kit"
)

// Compilers widen loads to aligned vectors whose last elements the source does not name. Such an element may
// lie past the end of an array of seven words: there is no fault and no finding. An element that is used keeps
// its fault.
func TestSurplusElements(t *testing.T) {
	t.Parallel()
	const (
		beyond = `the last 4 are past the end of "tab"` // found by a check; a run reads the next variable
		vector = "ld.global.v4.b32 {%r1,%r2,%r3,%r4}, [%rd1];\n"
		sum    = "add.u32 %r5, %r1, %r2;\nadd.u32 %r5, %r5, %r3;\n"
		fill   = ".shared .align 16 .b32 tab[7];\n.shared .b32 next[4];\nsetp.eq.u32 %q2, %id, 0;\n@%q2 st.shared.v4.b32 [tab], {1,2,3,4};\n" +
			"@%q2 st.shared.v2.b32 [tab+16], {5,6};\n@%q2 st.shared.b32 [tab+24], 7;\n@%q2 st.shared.b32 [next], 8;\nbar.warp.sync 3;\n" +
			"mov.u32 %r9, tab;\nmad.lo.u32 %r9, %id, 16, %r9;\n"
	)
	for _, c := range []struct {
		name, body string
		fault      string // in the message; "": none
		lanes      string // of the fault
	}{
		{name: "global", body: vector + sum},
		{name: "read-only", body: "ld.global.nc.v4.b32 {%r1,%r2,%r3,%r4}, [%rd1];\n" + sum},
		{name: "generic", body: "ld.v4.b32 {%r1,%r2,%r3,%r4}, [%rd1];\n" + sum},
		{name: "volatile", body: "ld.volatile.global.v4.b32 {%r1,%r2,%r3,%r4}, [%rd1];\n" + sum},
		{name: "a pair", body: "ld.global.v2.b32 {%r1,%r2}, [%rd1];\nld.global.v2.b32 {%r3,%r4}, [%rd1+8];\n" + sum},
		{name: "computes what nothing uses", body: vector + "add.u32 %r6, %r4, 1;\nmul.lo.u32 %r6, %r6, %r6;\n" + sum},
		{name: "shared", body: fill + "ld.shared.v4.b32 {%r1,%r2,%r3,%r4}, [%r9];\n" + sum},
		{name: "used", body: vector + sum + "and.b32 %r4, %r4, 0;\nadd.u32 %r5, %r5, %r4;\n", fault: "just past the end", lanes: "1"},
		{name: "used in shared memory", body: fill + "ld.shared.v4.b32 {%r1,%r2,%r3,%r4}, [%r9];\n" + sum + "and.b32 %r4, %r4, 0;\nadd.u32 %r5, %r5, %r4;\n", fault: beyond, lanes: "1"},
		{name: "used by a branch", body: vector + sum + "setp.eq.u32 %q1, %r4, 9;\n@%q1 ret;\n", fault: "just past the end", lanes: "1"},
		{name: "used as an address", body: vector + sum + "cvt.u64.u32 %rd2, %r4;\nand.b64 %rd2, %rd2, 0;\nadd.u64 %rd2, %rd2, %p1;\nld.global.u32 %r6, [%rd2];\n", fault: "just past the end", lanes: "1"},
		{name: "used by a shuffle", body: vector + sum + "shfl.sync.idx.b32 %r6, %r4, 0, 31, 3;\n", fault: "just past the end", lanes: "1"},
		{name: "used in the next round", body: "mov.u32 %r8, 0;\nmov.u32 %r4, 0;\nLOOP:\nmov.u32 %r7, %r4;\n" + vector + "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %q1, %r8, 2;\n@%q1 bra LOOP;\n" +
			sum + "and.b32 %r7, %r7, 0;\nadd.u32 %r5, %r5, %r7;\n", fault: "just past the end", lanes: "1"},
		{name: "half of an element", body: "ld.global.v2.b64 {%rd2,%rd3}, [%rd1];\nmov.b64 {%r1,%r2}, %rd2;\nmov.b64 {%r3,%r4}, %rd3;\n" + sum, fault: "the last 4 of these bytes are past the end", lanes: "1"},
		{name: "the first one", body: "ld.global.v4.b32 {%r1,%r2,%r3,%r4}, [%rd1+16];\n" + sum, fault: "4 bytes past the end", lanes: "1"},
		{name: "none is used", body: "ld.global.v4.b32 {%r6,%r7,%r8,%r4}, [%rd1];\nmov.u32 %r5, 0;\n", fault: "just past the end", lanes: "1"},
		{name: "an address that is not aligned", body: "ld.global.v2.b32 {%r1,%r4}, [%rd1+4];\nmov.u32 %r5, %r1;\n", fault: "multiple of 8", lanes: "0-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := kit.Kernel("sm_80", 2, "mul.wide.u32 %rd1, %id, 16;\nadd.s64 %rd1, %rd1, %p0;\n"+c.body+"mul.wide.u32 %rd9, %id, 4;\nadd.s64 %rd9, %rd9, %p1;\nst.global.u32 [%rd9], %r5;")
			for _, engine := range crosslane.Engines() {
				for _, check := range []bool{false, true} {
					l := crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 2}, Engine: engine}
					out := make([]uint32, 2)
					k := kit.Load(t, strings.Replace(src, ".shared .align 8 .b32 sm[64];", "", 1), &l, []uint32{1, 2, 3, 4, 5, 6, 7}, out)
					run := k.Run
					if check {
						run = k.Check
					}
					res, err := run(context.Background(), l)
					all := diag.Of(err)
					if res != nil {
						all = append(all, res.Findings...)
					}
					what := fmt.Sprintf("engine %s, check %v", engine, check)
					switch found := slices.ContainsFunc(all, func(d *diag.Diagnostic) bool {
						return (d.Class == diag.Fault || c.fault == beyond) && strings.Contains(d.Message, c.fault) && d.Lanes == c.lanes
					}); {
					case c.fault == beyond && !check:
					case c.fault != "" && !found:
						t.Errorf("%s: %v, want a fault of lanes %s: %s", what, all, c.lanes, c.fault)
					case c.fault == "" && (len(all) > 0 || out[0] != 1+2+3 || out[1] != 5+6+7):
						t.Errorf("%s: %v, sums %d; want no finding, and 6 and 18", what, all, out)
					}
				}
			}
		})
	}
}

// The check of all paths knows the addresses of shared memory.
func TestSurplusStatic(t *testing.T) {
	t.Parallel()
	for use, want := range map[string]bool{"": false, "add.u32 %r5, %r5, %r4;\n": true} {
		src := kit.Kernel("sm_80", 1, "ld.shared.v4.b32 {%r1,%r2,%r3,%r4}, [tab+16];\nadd.u32 %r5, %r1, %r2;\n"+use+"st.global.u32 [%p0], %r5;")
		m, err := crosslane.Load([]byte(strings.Replace(src, ".align 8 .b32 sm[64]", ".align 16 .b32 tab[7]", 1)), "k.ptx", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		reports, err := m.CheckStatic()
		if err != nil || len(reports) != 1 {
			t.Fatalf("%d reports, %v", len(reports), err)
		}
		got := slices.ContainsFunc(reports[0].Findings, func(d *diag.Diagnostic) bool { return d.Code == "out-of-bounds" })
		if got != want {
			t.Errorf("use %q: out-of-bounds is %v, want %v", use, got, want)
		}
	}
}
