package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/test/kit"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// Blocks that wait for blocks that come after them finish.
func TestBlocksWait(t *testing.T) {
	for _, ld := range []string{"ld.volatile.global.u32", "ld.global.u32"} {
		// Block b waits until block b+1 has stored its number, then stores its own.
		n := 12
		src := kit.Kernel("sm_80", 1, `
	mul.wide.u32 %rd1, %bid, 4;
	add.s64 %rd1, %rd1, %p0;
	add.u32 %r1, %bid, 1;
	setp.eq.u32 %q1, %r1, %nb;
	mov.u32 %r2, 0;
	@%q1 bra DONE;
SPIN:
	`+ld+` %r2, [%rd1+4];
	setp.eq.u32 %q2, %r2, 0;
	@%q2 bra SPIN;
DONE:
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%rd1], %r2;`)
		for _, workers := range []int{1, 2} {
			out := make([]uint32, n)
			if _, err := kit.Launch(t, src, crosslane.Launch{Grid: crosslane.Dim3{X: uint32(n)}, Block: crosslane.Dim3{X: 64}, Workers: workers}, out); err != nil {
				t.Fatal(err)
			}
			for i, v := range out {
				if int(v) != n-i {
					t.Errorf("%s, %d workers: block %d stored %d, want %d", ld, workers, i, v, n-i)
				}
			}
		}
	}
}

// A block that waits for longer than anybody wants to ends by the time limit, which says how many blocks
// were in flight and where the first one is.
func TestWaitsForEver(t *testing.T) {
	src := kit.Kernel("sm_80", 1, `
SPIN:
	ld.volatile.global.u32 %r2, [%p0];
	setp.eq.u32 %q2, %r2, 0;
	add.u64 %rd1, %rd1, 1;
	setp.eq.u64 %q3, %rd1, 0;
	@%q3 bra END;
	@%q2 bra SPIN;
END:`)
	start := time.Now()
	_, err := kit.Launch(t, src, crosslane.Launch{Grid: crosslane.Dim3{X: 5}, Block: crosslane.Dim3{X: 96}, Timeout: 50 * time.Millisecond}, make([]uint32, 1))
	d := diag.Of(err)
	if len(d) != 1 || d[0].Code != "timeout" || d[0].Pos.Line == 0 || !strings.Contains(d[0].Message, "5 of 5 blocks were in flight") {
		t.Errorf("got %v", err)
	}
	t.Log("the limit of 50ms took", time.Since(start))
}

// Lanes come together where code joins, however it is laid out: a vote without
// membermask (PTX 9.7.14.9) counts those that execute it together.
func TestLanesJoin(t *testing.T) {
	odd := "setp.eq.u32 %q15, %lane, %lane;\nand.b32 %r1, %lane, 1;\nsetp.ne.u32 %q1, %r1, 0;\n"
	for _, c := range []struct{ name, body string }{
		{"join first in the text", odd + "bra START;\nJOIN: vote.ballot.b32 %r5, %q15;\nbra STORE;\nSTART: @%q1 bra ODD;\nadd.u32 %r2, %r1, 1;\nbra JOIN;\nODD: add.u32 %r2, %r1, 2;\nbra JOIN;\n"},
		{"one side out of line", odd + "@%q1 bra ODD;\nadd.u32 %r2, %r1, 1;\nJOIN: vote.ballot.b32 %r5, %q15;\nbra STORE;\nODD: bra JOIN;\n"},
		// Every lane makes as many rounds as its number; those that are done wait.
		{"the way out of a loop inside it", odd + "mov.u32 %r2, 0;\nL: setp.lt.u32 %q1, %r2, %lane;\n@%q1 bra MORE;\nvote.ballot.b32 %r5, %q15;\nbra STORE;\nMORE: add.u32 %r2, %r2, 1;\nbra L;\n"},
		// Odd lanes begin the next of 4 rounds from another place than even ones.
		{"two ends of a round", odd + "mov.u32 %r2, 0;\nmov.u32 %r5, -1;\nL: setp.eq.u32 %q2, %r2, 4;\n@%q2 bra STORE;\nadd.u32 %r2, %r2, 1;\nvote.ballot.b32 %r4, %q15;\nand.b32 %r5, %r5, %r4;\n@%q1 bra L;\nadd.u32 %r6, %r6, 1;\nbra L;\n"},
		{"nested loops, each with its way out inside", odd + "mov.u32 %r2, 0;\nmov.u32 %r5, -1;\nL: setp.lt.u32 %q1, %r2, 3;\n@%q1 bra IN;\nvote.ballot.b32 %r4, %q15;\nand.b32 %r5, %r5, %r4;\nbra STORE;\nIN: mov.u32 %r3, %lane;\nM: setp.ne.u32 %q2, %r3, 0;\n@%q2 bra DEEP;\n" +
			"vote.ballot.b32 %r4, %q15;\nand.b32 %r5, %r5, %r4;\nadd.u32 %r2, %r2, 1;\nbra L;\nDEEP: sub.u32 %r3, %r3, 1;\nbra M;\n"},
	} {
		src := strings.Replace(kit.Kernel("sm_50", 1, c.body+"STORE: mul.wide.u32 %rd1, %lane, 4;\nadd.s64 %rd1, %rd1, %p0;\nst.global.u32 [%rd1], %r5;"), ".version 8.0", ".version 6.0", 1)
		for _, s := range []crosslane.Schedule{"", "random:1", "random:2"} {
			out := make([]uint32, 32)
			if _, err := kit.Launch(t, src, crosslane.Launch{Block: crosslane.Dim3{X: 32}, Schedule: s}, out); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for i, v := range out {
				if v != 0xffffffff {
					t.Errorf("%s, %q: lane %d is together with %#x", c.name, s, i, v)
					break
				}
			}
		}
	}
}

// The findings of a run read the same for any number of workers, also if blocks wait for each other
// and so run bit by bit.
func TestFindingsDoNotDependOnWorkers(t *testing.T) {
	t.Parallel()
	src := kit.Kernel("sm_80", 1, `
	mul.wide.u32 %rd1, %bid, 4;
	add.s64 %rd1, %rd1, %p0;
	add.u32 %r1, %bid, 1;
	rem.u32 %r9, %bid, 3;
	setp.ne.u32 %q4, %r9, 1;
	@%q4 bra ON;
	shfl.sync.down.b32 %r3, %id, 4, 31, 0x00ffffff;
ON:
	setp.eq.u32 %q1, %r1, %nb;
	mov.u32 %r2, 0;
	@%q1 bra DONE;
SPIN:
	ld.relaxed.gpu.global.u32 %r2, [%rd1+4];
	setp.eq.u32 %q2, %r2, 0;
	@%q2 bra SPIN;
DONE:
	shr.u32 %r3, %id, 5;
	setp.eq.u32 %q3, %r3, 1;
	@%q3 bra OTHER;
	barrier.sync 1, 64;
	bra LAST;
OTHER:
	barrier.sync 1;
LAST:
	bar.arrive 2, 96;
	add.u32 %r4, %r3, 4;
	sub.u32 %r5, %nb, 9;
	bar.sync %r4, %r5;
	shfl.sync.up.b32 %r3, %id, %bid, 0, 0xff00ffff;
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%rd1], %r2;`)
	want := ""
	for _, workers := range []int{1, 2, 3, 1} {
		out := make([]uint32, 40)
		res, err := kit.Launch(t, src, crosslane.Launch{Grid: crosslane.Dim3{X: 40}, Block: crosslane.Dim3{X: 64}, Workers: workers}, out)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := res.Findings.WriteText(&b, diag.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = b.String()
			if len(res.Findings) < 4 {
				t.Errorf("only %d findings", len(res.Findings))
			}
		}
		if b.String() != want {
			t.Errorf("%d workers:\n%s\none worker:\n%s", workers, &b, want)
		}
	}
}

// A run ends soon after it is cancelled, in each of its stages.
func TestCancel(t *testing.T) {
	t.Parallel()
	loop := "L: %s\nbra L;"
	for name, body := range map[string]string{
		"a tight loop":        "",
		"barriers":            "bar.sync 0;",
		"shuffles":            "shfl.sync.idx.b32 %r1, %r2, %r1, 31, -1; match.any.sync.b32 %r1, %r1, -1;",
		"divergence":          "and.b32 %r1, %id, 3; setp.eq.u32 %q1, %r1, 0; @%q1 bra L; setp.eq.u32 %q1, %r1, 1; @%q1 bra L; add.u32 %r1, %r1, 1;",
		"atomics":             "atom.global.add.u32 %r1, [%p0], 1; atom.shared.cas.b32 %r1, [sm], 0, 1;",
		"a lock nobody opens": "atom.global.cas.b32 %r1, [%p0+4], 7, 8;",
		"stores":              "mul.wide.u32 %rd1, %bid, 4; add.s64 %rd1, %rd1, %p0; st.global.u32 [%rd1], %id;",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := crosslane.Load([]byte(kit.Kernel("sm_80", 1, fmt.Sprintf(loop, body))), "k.ptx", crosslane.PTX)
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("")
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []crosslane.Schedule{"", "random:1"} {
				ctx, cancel := context.WithCancel(context.Background())
				var at time.Time
				time.AfterFunc(short.Of[time.Duration](20, 5)*time.Millisecond, func() { at = time.Now(); cancel() })
				_, err := k.Run(ctx, crosslane.Launch{Grid: crosslane.Dim3{X: 100}, Block: crosslane.Dim3{X: 1024}, Workers: 2, Schedule: s, Args: []crosslane.Arg{crosslane.Slice("a", make([]uint32, 100))}})
				took := time.Since(at)
				if d := diag.Of(err); len(d) != 1 || d[0].Code != "cancelled" {
					t.Errorf("%s: %v", s, err)
				}
				t.Logf("%q: ended %v after it was cancelled", s, took) // 100 ms on an idle machine
			}
		})
	}
}
