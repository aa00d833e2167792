package api_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"example.org/crosslane/test/kit"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// The reports of Check about results that depend on the order, and about those that do not.
func TestOrders(t *testing.T) {
	t.Parallel()
	const at = "mul.wide.u32 %rd1, %id, 4;\nadd.s64 %rd2, %rd1, %p0;\nmov.u64 %rd3, sm;\nadd.s64 %rd3, %rd3, %rd1;\n"
	const neighbour = "xor.b32 %r1, %id, 32;\nmul.wide.u32 %rd1, %r1, 4;\nmov.u64 %rd4, sm;\nadd.s64 %rd4, %rd4, %rd1;\n"
	// Clears 64 words with one barrier, so that a value that is missing afterwards is no undefined
	// bit.
	const zero = "mov.u32 %r9, 0;\nst.shared.u32 [%rd3], %r9;\nbar.sync 0;\n"
	for _, c := range []struct {
		name, body string
		grid       uint32
		block      uint32
		want       string // the finding; "" none
	}{
		{name: "no barrier between warps", block: 64, body: at + neighbour + zero + "st.shared.u32 [%rd3], %id;\nld.shared.u32 %r2, [%rd4];\nst.global.u32 [%rd2], %r2;\n",
			want: `error: buf0\[0\] depends on the order .* 32 in the order lowest-pc, 0 in the order reversed; 6. elements`},
		{name: "a barrier", block: 64, body: at + neighbour + zero + "st.shared.u32 [%rd3], %id;\nbar.sync 0;\nld.shared.u32 %r2, [%rd4];\nst.global.u32 [%rd2], %r2;\n"},
		{name: "the last lane wins", block: 32, body: "st.global.u32 [%p0], %id;\n",
			want: `st.global.u32 \[%p0\], %id\n(?s:.*)error: buf0\[0\] depends on the order .* 31 in the order lowest-pc, 0 in the order reversed(?s:.*)in the order lowest-pc st.global.u32 stores it last, lanes 0-31 of wave 0 of block \(0,0,0\): any of them may win\nin the order reversed st.global.u32 stores it last`},
		{name: "all lanes store the same", block: 64, body: "mov.u32 %r1, 5;\nst.global.u32 [%p0], %r1;\n"},
		{name: "the last block wins", grid: 8, block: 32, body: "st.global.u32 [%p0+4], %bid;\n",
			want: `error: buf0\[1\] depends on the order .* 7 in the order lowest-pc, 0 in the order reversed`},
		{name: "a sum of integers", grid: 4, block: 64, body: "red.global.add.u32 [%p0], %id;\n"},
		{name: "places given out", block: 64, body: at + "mov.u32 %r1, 1;\natom.global.add.u32 %r2, [%p0+252], 1;\nand.b32 %r2, %r2, 31;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd2, %p0, %rd1;\nst.global.u32 [%rd2], %id;\n",
			want: `note: atom.global.add.u32: its result depends on the order by its nature: buf0\[0\] depends on the order`},
		{name: "within a warp", block: 32, body: at + zero + "setp.lt.u32 %q1, %lane, 16;\n@%q1 bra A;\nmov.u32 %r1, 7;\nst.shared.u32 [sm], %r1;\nbra E;\nA:\nld.shared.u32 %r2, [sm];\nst.global.u32 [%rd2], %r2;\nE:\n",
			want: `error: buf0\[0\] depends on the order .* 7 in the order lowest-pc, 0 in the order reversed`},
		{name: "a deadlock in another order", block: 64, body: at + zero + "setp.lt.u32 %q1, %id, 32;\n@%q1 bra A;\nst.shared.u32 [sm], %r31;\nmov.u32 %r2, 1;\nst.shared.u32 [sm+4], %r2;\nbar.sync 1, 64;\nbra E;\nA:\nld.shared.u32 %r2, [sm+4];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra F;\nbar.sync 1, 64;\nbra E;\nF: bar.sync 2, 64;\nE:\n",
			want: `deadlock: lanes 0-31 of wave 0 wait at barrier 2.*(?s:.*)seen with --schedule reversed`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res, err := checkText(t, kit.Kernel("sm_80", 1, "mov.u32 %r31, 0;\n"+c.body), crosslane.Launch{Grid: crosslane.Dim3{X: max(c.grid, 1)}, Block: crosslane.Dim3{X: c.block}}, make([]uint32, 64))
			if err != nil {
				t.Fatal(err)
			}
			if got := report(res.Findings); c.want == "" && got != "" || !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// The buffers are those of the first run, and with Skip there are no other runs.
func TestOrdersKeepResults(t *testing.T) {
	t.Parallel()
	for _, skip := range [][]string{nil, {"schedule-dependent"}} {
		out := make([]uint32, 64)
		res, err := checkText(t, kit.Kernel("sm_80", 1, "st.global.u32 [%p0], %id;\n"), crosslane.Launch{Block: crosslane.Dim3{X: 64}, Skip: skip}, out)
		if err != nil {
			t.Fatal(err)
		}
		if out[0] != 63 || !res.Buffers[0].Written || (len(res.Findings) == 0) != (skip != nil) {
			t.Errorf("skip %v: out[0] = %d, findings %v", skip, out[0], res.Findings)
		}
	}
}

// checkText is launchText with Check.
func checkText(t *testing.T, src string, l crosslane.Launch, bufs ...[]uint32) (*crosslane.Result, error) {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range bufs {
		l.Args = append(l.Args, crosslane.Slice("buf"+string(rune('0'+i)), b))
	}
	if l.Timeout == 0 {
		l.Timeout = 20 * time.Second
	}
	l.Skip = append(l.Skip, "race-shared", "race-global", "race-same-value")
	return k.Check(context.Background(), l)
}

// report is a list of findings with their related places.
func report(l diag.List) string {
	s := ""
	for _, d := range l {
		s += d.Source + "\n" + d.Severity.String() + ": " + text(d) + "\n"
	}
	return s
}
