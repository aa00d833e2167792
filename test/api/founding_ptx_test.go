package api_test

import (
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// shuffleKernel is a kernel for a version and a target: %r0 is the lane, %r2 (77 at
// first) and %p1 (false at first) are stored to b and a behind the label END. %p2 holds
// in lanes 0 to 15.
func shuffleKernel(version, target, body string) string {
	src := strings.NewReplacer(".version 7.8", ".version "+version, ".target sm_80", ".target "+target).Replace(header)
	return src + "mov.u32 %r2, 77;\nsetp.ne.u32 %p1, 0, 0;\nsetp.lt.u32 %p2, %r0, 16;\n" + body +
		"\nEND: st.global.u32 [%rd5], %r2;\nselp.u32 %r3, 1, 0, %p1;\nst.global.u32 [%rd4], %r3;\nret;\n}\n"
}

func own(i int) uint32 { return uint32(i) }

// TestShflInKernels: the lanes that take part in shfl and shfl.sync, in divergent code, after
// guards, after exits, below and from sm_70 on (PTX ISA 9.7.9.5, 9.7.9.6).
func TestShflInKernels(t *testing.T) {
	t.Parallel()
	const afterAll = "@!%p2 exit;\n"
	both := func(high, low string) string { // one for lanes 16 to 31, one for 0 to 15
		return "@%p2 bra A;\n" + high + "\nbra END;\nA: " + low + "\n"
	}
	shift := func(n int) func(int) uint32 { return func(i int) uint32 { return uint32(i + n) } }
	for _, c := range []struct {
		name            string
		version, target string
		body            string
		want            func(lane int) uint32 // nil: there is no result
		pred            func(lane int) bool   // nil: true everywhere
		found           string                // codes and lanes
		fault           string                // part of the fault's message
		remedy          string                // the fault's remedy
	}{
		{name: "legacy: a lane of the other side of a branch is inactive", version: "5.0", target: "sm_35",
			body: both("", "shfl.down.b32 %r2|%p1, %r0, 8, 31;"),
			want: own2(func(i int) bool { return i < 8 }, shift(8)), pred: func(i int) bool { return i < 16 }, found: "undefined-source 8-15"},
		{name: "legacy: both sides of a branch shuffle for themselves", version: "5.0", target: "sm_35",
			body: both("shfl.bfly.b32 %r2|%p1, %r0, 1, 31;", "shfl.bfly.b32 %r2|%p1, %r0, 8, 31;"),
			want: func(i int) uint32 { return uint32(i ^ []int{8, 1}[i/16]) }},
		{name: "legacy: nobody waits", version: "5.0", target: "sm_35",
			body: both("shfl.bfly.b32 %r2|%p1, %r0, 16, 31;", "shfl.bfly.b32 %r2|%p1, %r0, 16, 31;"),
			want: own, found: "undefined-source 16-31; undefined-source 0-15"},
		{name: "legacy: a lane whose guard is false offers nothing", version: "5.0", target: "sm_35",
			body: "@%p2 shfl.down.b32 %r2|%p1, %r0, 8, 31;",
			want: func(i int) uint32 { return []uint32{uint32(i + 8), uint32(i), 77, 77}[i/8] },
			pred: func(i int) bool { return i < 16 }, found: "undefined-source 8-15"},
		{name: "legacy: exited lanes are inactive", version: "5.0", target: "sm_35",
			body: afterAll + "shfl.up.b32 %r2|%p1, %r0, 31, 0;\nshfl.idx.b32 %r2|%p1, %r0, 20, 31;",
			want: func(i int) uint32 { return []uint32{uint32(i), 0}[i/16] }, pred: func(i int) bool { return i < 16 }, found: "undefined-source 0-15"},
		{name: "legacy: deprecated, and the run goes on", version: "6.0", target: "sm_70",
			body: "shfl.bfly.b32 %r2|%p1, %r0, 1, 31;", want: func(i int) uint32 { return uint32(i ^ 1) }, found: "deprecated-instruction "},
		{name: "source and destination in one register", version: "6.0", target: "sm_70",
			body: "mov.u32 %r2, %r0;\nshfl.sync.bfly.b32 %r2|%p1, %r2, 31, 31, -1;", want: func(i int) uint32 { return uint32(31 - i) }},
		{name: "legacy: source and destination in one register", version: "5.0", target: "sm_35",
			body: "mov.u32 %r2, %r0;\nshfl.bfly.b32 %r2|%p1, %r2, 31, 31;", want: func(i int) uint32 { return uint32(31 - i) }},
		{name: "b beyond 31 is in range", version: "6.0", target: "sm_30",
			body: "mov.u32 %r4, 0xffffffe4;\nshfl.sync.idx.b32 %r2|%p1, %r0, %r4, 31, -1;", want: func(int) uint32 { return 4 }},
		{name: "b of 32 does nothing, in range", version: "6.0", target: "sm_30",
			body: "mov.u32 %r4, 32;\nshfl.sync.down.b32 %r2|%p1, %r0, %r4, 31, -1;", want: own},
		{name: "other bits of c are ignored", version: "6.0", target: "sm_30",
			body: "mov.u32 %r4, 0xffffe0e0;\nshfl.sync.up.b32 %r2|%p1, %r0, 1, %r4, -1;",
			want: func(i int) uint32 { return uint32(max(i-1, 0)) }, pred: func(i int) bool { return i > 0 }},
		{name: "the manual's example of shfl.sync", version: "6.0", target: "sm_30",
			body: "shfl.sync.up.b32 %r2|%p1, %r0, 0x1,  0x0, 0xffffffff;",
			want: func(i int) uint32 { return uint32(max(i-1, 0)) }, pred: func(i int) bool { return i > 0 }},
		{name: "p is a range predicate", version: "6.0", target: "sm_70",
			body: "@!%p2 bra END;\nshfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, 0xffff;",
			want: own2(func(int) bool { return false }, own), pred: func(i int) bool { return i < 16 }, found: "undefined-source 0-15"},
		{name: "only the lanes of membermask take part", version: "6.0", target: "sm_70",
			body: "@!%p2 bra END;\nshfl.sync.bfly.b32 %r2|%p1, %r0, 8, 31, 0xffff;",
			want: own2(func(int) bool { return true }, func(i int) uint32 { return uint32(i ^ 8) }), pred: func(i int) bool { return i < 16 }},
		{name: "different instructions, equal qualifiers, sm_70: they meet", version: "6.0", target: "sm_70",
			body: both("shfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, -1;", "shfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, -1;"),
			want: func(i int) uint32 { return uint32(i ^ 16) }},
		// The low half computes its own source after the high half began to wait.
		{name: "operands keep while lanes wait", version: "6.0", target: "sm_70",
			body: both("mov.u32 %r5, %lanemask_lt;\nshfl.sync.bfly.b32 %r2|%p1, %r5, 16, 31, -1;", "mov.u32 %r5, %lanemask_gt;\nshfl.sync.bfly.b32 %r2|%p1, %r5, 16, 31, -1;"),
			want: func(i int) uint32 { return []uint32{1<<(i^16) - 1, ^uint32(0) << (i & 15) << 1}[i/16] }},
		{name: "different instructions, equal qualifiers, sm_62: they do not", version: "6.0", target: "sm_62",
			body:  both("shfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, -1;", "shfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, -1;"),
			fault: `lanes 16-31 of wave 0 wait for lanes 0-15.*\[deadlock\]`, remedy: "below sm_70 only lanes at the same instruction meet"},
		{name: "one instruction, not in convergence, sm_62", version: "6.0", target: "sm_62",
			body: "selp.b32 %r5, 1, 0, %p2;\nmov.u32 %r6, 0;\nL: setp.ne.u32 %p3, %r5, %r6;\n@%p3 bra SKIP;\nshfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, -1;\nSKIP: add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 2;\n@%p3 bra L;\n",
			want: func(i int) uint32 { return uint32(i ^ 16) }, found: "not-converged 0-31"},
		{name: "one instruction, not in convergence, sm_70", version: "6.0", target: "sm_70",
			body: "selp.b32 %r5, 1, 0, %p2;\nmov.u32 %r6, 0;\nL: setp.ne.u32 %p3, %r5, %r6;\n@%p3 bra SKIP;\nshfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, -1;\nSKIP: add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 2;\n@%p3 bra L;\n",
			want: func(i int) uint32 { return uint32(i ^ 16) }},
		{name: "lanes of membermask that never execute it, sm_62", version: "6.0", target: "sm_62",
			body: "@!%p2 bra END;\nshfl.sync.bfly.b32 %r2|%p1, %r0, 8, 31, -1;",
			want: own2(func(int) bool { return true }, func(i int) uint32 { return uint32(i ^ 8) }), pred: func(i int) bool { return i < 16 }, found: "not-converged 0-15"},
		{name: "lanes of membermask that never execute it, sm_70", version: "6.0", target: "sm_70",
			body: "@!%p2 bra END;\nshfl.sync.bfly.b32 %r2|%p1, %r0, 8, 31, -1;",
			want: own2(func(int) bool { return true }, func(i int) uint32 { return uint32(i ^ 8) }), pred: func(i int) bool { return i < 16 }},
		{name: "lanes of membermask that exited before, sm_62", version: "6.0", target: "sm_62",
			body: afterAll + "shfl.sync.bfly.b32 %r2|%p1, %r0, 8, 31, -1;",
			want: func(i int) uint32 { return uint32(i ^ 8) }, pred: func(i int) bool { return i < 16 }},
		{name: "a membermask for each half at one instruction, sm_62", version: "6.0", target: "sm_62",
			body: "selp.b32 %r4, 0xffff, 0xffff0000, %p2;\nshfl.sync.bfly.b32 %r2|%p1, %r0, 8, 31, %r4;",
			want: func(i int) uint32 { return uint32(i ^ 8) }},
		{name: "in convergence, sm_62", version: "6.0", target: "sm_62",
			body: "shfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, -1;", want: func(i int) uint32 { return uint32(i ^ 16) }},
		{name: "active lanes that are in no membermask, sm_62", version: "6.0", target: "sm_62",
			body: "shfl.sync.bfly.b32 %r2|%p1, %r0, 8, 31, 0xffff;",
			want: func(i int) uint32 { return []uint32{uint32(i ^ 8), uint32(i)}[i/16] }, found: "not-in-membermask 16-31; undefined-source 16-31"},
		{name: "the executing lane is not in its membermask, sm_70", version: "6.0", target: "sm_70",
			body: "shfl.sync.idx.b32 %r2|%p1, %r0, 3, 31, 0x7fffffff;",
			want: func(i int) uint32 { return 3 }, found: "not-in-membermask 31"},
		{name: "different qualifiers never meet", version: "6.0", target: "sm_70",
			body:  both("shfl.sync.up.b32 %r2|%p1, %r0, 0, 0, -1;", "shfl.sync.down.b32 %r2|%p1, %r0, 0, 31, -1;"),
			fault: `lanes 16-31 of wave 0 wait for lanes 0-15.*\[deadlock\]`, remedy: "never meet"},
		{name: "different membermasks never meet", version: "6.0", target: "sm_70",
			body:  both("shfl.sync.bfly.b32 %r2|%p1, %r0, 1, 31, -1;", "shfl.sync.bfly.b32 %r2|%p1, %r0, 1, 31, 0x1ffff;"),
			fault: `lanes 16-31 of wave 0 wait for lanes 0-15.*\[deadlock\]`, remedy: "never meet"},
		{name: "a mask for each half", version: "6.0", target: "sm_70",
			body: both("shfl.sync.bfly.b32 %r2|%p1, %r0, 8, 31, 0xffff0000;", "shfl.sync.bfly.b32 %r2|%p1, %r0, 1, 31, 0xffff;"),
			want: func(i int) uint32 { return uint32(i ^ []int{1, 8}[i/16]) }},
		{name: "a guard that is false: the others wait until the lane exits", version: "6.0", target: "sm_70",
			body: "@%p2 shfl.sync.down.b32 %r2|%p1, %r0, 8, 31, -1;",
			want: func(i int) uint32 { return []uint32{uint32(i + 8), uint32(i), 77, 77}[i/8] },
			pred: func(i int) bool { return i < 16 }, found: "undefined-source 8-15"},
		{name: "exited lanes are not waited for, reading them is undefined", version: "6.0", target: "sm_70",
			body: afterAll + "shfl.sync.down.b32 %r2|%p1, %r0, 8, 31, -1;",
			want: func(i int) uint32 { return []uint32{uint32(i + 8), uint32(i), 0, 0}[i/8] },
			pred: func(i int) bool { return i < 16 }, found: "undefined-source 8-15"},
		// Lanes 0 to 15 wait at the lower place. Lanes 16 to 31 write shared memory first.
		// The value that lanes 0 to 15 load after the shuffle shows that they waited.
		{name: "waits before going on", version: "6.0", target: "sm_70",
			body: ".shared .align 4 .u32 s;\nst.shared.u32 [s], 5;\nbar.sync 0;\n@!%p2 bra LATE;\nshfl.sync.bfly.b32 %r4|%p1, %r0, 16, 31, -1;\nld.volatile.shared.u32 %r2, [s];\nbra END;\n" +
				"LATE: mov.u32 %r5, 900;\nL: sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %p3, %r5, 0;\n@%p3 bra L;\nst.volatile.shared.u32 [s], 6;\nshfl.sync.bfly.b32 %r2|%p1, %r0, 16, 31, -1;",
			want: func(i int) uint32 { return []uint32{6, uint32(i ^ 16)}[i/16] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, d, res, err := start(t, shuffleKernel(c.version, c.target, c.body), crosslane.PTX, func(l *crosslane.Launch) { l.Undefined = crosslane.UndefinedOwn })
			if c.fault != "" {
				if err == nil || !regexp.MustCompile(c.fault).MatchString(err.Error()) {
					t.Fatalf("error %v, want %s", err, c.fault)
				}
				if r := diag.Of(err)[0].Remedy; !strings.Contains(r, c.remedy) {
					t.Errorf("remedy %q, want %q", r, c.remedy)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := codes(res.Findings); got != c.found {
				t.Errorf("findings %q, want %q", got, c.found)
			}
			for i := range d {
				pred := c.pred == nil || c.pred(i)
				if d[i] != c.want(i) || (p[i] == 1) != pred {
					// Lanes that exited stored nothing: a keeps its number.
					if strings.HasPrefix(c.body, afterAll) && i >= 16 {
						continue
					}
					t.Errorf("lane %d: d %d, p %d; want %d, %v", i, d[i], p[i], c.want(i), pred)
				}
			}
		})
	}
}

// own2 is f in lanes below 16 where in holds, the lane's own number where it does not, and the old
// value of %r2, or the lane, in the upper half.
func own2(in func(int) bool, f func(int) uint32) func(int) uint32 {
	return func(i int) uint32 {
		switch {
		case i >= 16:
			return 77
		case in(i):
			return f(i)
		}
		return uint32(i)
	}
}

// TestUndefinedPolicies: the value that a run takes if the manual leaves it open. The finding is
// the same.
func TestUndefinedPolicies(t *testing.T) {
	t.Parallel()
	src := shuffleKernel("6.0", "sm_70", "@!%p2 bra END;\nshfl.sync.down.b32 %r2|%p1, %r0, 15, 31, 0xffff;")
	for policy, want := range map[crosslane.Undefined]func(int) uint32{
		"": own, crosslane.UndefinedOwn: own,
		crosslane.UndefinedZero:   func(int) uint32 { return 0 },
		crosslane.UndefinedPoison: func(int) uint32 { return 0xdeadbeef },
	} {
		_, d, res, err := start(t, src, crosslane.PTX, func(l *crosslane.Launch) { l.Undefined = policy })
		if err != nil {
			t.Fatal(err)
		}
		if got := codes(res.Findings); got != "undefined-source 1-15" {
			t.Errorf("policy %q: findings %q", policy, got)
		}
		for i := 1; i < 16; i++ {
			if d[0] != 15 || d[i] != want(i) {
				t.Errorf("policy %q: lanes 0 and %d: %#x, %#x; want 15, %#x", policy, i, d[0], d[i], want(i))
			}
		}
	}
}
