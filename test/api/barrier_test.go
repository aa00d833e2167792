package api_test

import (
	"regexp"
	"testing"

	"example.org/crosslane/test/kit"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// storeID stores a register to word %id of the first buffer.
func storeID(r string) string {
	return "mul.wide.u32 %rd1, %id, 4;\nadd.s64 %rd1, %rd1, %p0;\nst.global.u32 [%rd1], " + r + ";\n"
}

// The barrier instructions, PTX 9.7.14.1.
func TestBarriers(t *testing.T) {
	t.Parallel()
	// Warp numbers in %r1, whether a lane is in the lower half of its warp in %q1.
	pre := "shr.u32 %r1, %id, 5;\nsetp.lt.u32 %q1, %lane, 16;\nsetp.eq.u32 %q2, %r1, 0;\nsetp.eq.u32 %q15, %id, %id;\n"
	for _, c := range []struct {
		name   string
		target string // "": sm_80
		block  uint32
		body   string
		want   func(i int) uint32 // nil: not looked at
		found  string
		says   string // in the first finding
		fault  string
	}{
		{name: "popc counts the threads there are", block: 72,
			body: "setp.lt.u32 %q3, %id, 50;\nbar.red.popc.u32 %r5, 3, %q3;\n" + storeID("%r5"), want: func(int) uint32 { return 50 }},
		{name: "popc of a complement, with a count, for two of three warps", block: 96,
			body: "setp.lt.u32 %q3, %id, 50;\nmov.u32 %r5, 7;\nmov.u32 %r6, 64;\nmov.u32 %r7, 9;\nsetp.ge.u32 %q4, %r1, 2;\n@%q4 bra S;\nbarrier.cta.red.popc.aligned.u32 %r5, %r7, %r6, !%q3;\nS:" + storeID("%r5"),
			want: func(i int) uint32 { return []uint32{14, 14, 7}[i/32] }},
		{name: "and, or", block: 40, target: "sm_60",
			body: "setp.lt.u32 %q3, %id, 40;\nsetp.eq.u32 %q4, %id, 39;\nbar.red.and.pred %q5, 1, %q3;\nbar.red.or.pred %q6, 1, %q4;\nbar.red.and.pred %q7, 2, 64, !%q3;\nbar.red.or.pred %q8, 2, !%q15;\n" +
				"selp.u32 %r5, 1, 0, %q5;\nselp.u32 %r6, 2, 0, %q6;\nselp.u32 %r7, 4, 0, %q7;\nselp.u32 %r8, 8, 0, %q8;\nadd.u32 %r5, %r5, %r6;\nadd.u32 %r5, %r5, %r7;\nadd.u32 %r5, %r5, %r8;\n" + storeID("%r5"),
			want: func(int) uint32 { return 3 }},
		{name: "a warp counts in full though lanes have exited or never were", block: 70,
			body: "setp.eq.u32 %q3, %id, 3;\n@%q3 exit;\nbar.sync 1, 96;\nmov.u32 %r5, 5;\n" + storeID("%r5"),
			want: func(i int) uint32 {
				if i == 3 {
					return 0
				}
				return 5
			}},
		{name: "halves of a warp at two instructions", block: 64,
			body: "@%q1 bra A;\nbarrier.sync 1;\nmov.u32 %r5, 1;\nbra E;\nA: barrier.sync 1;\nmov.u32 %r5, 2;\nE:" + storeID("%r5"),
			want: func(i int) uint32 { return 2 - uint32(i/16&1) }},
		{name: "halves of a warp at two aligned instructions", block: 64,
			body:  "@%q1 bra A;\nbarrier.sync.aligned 1;\nmov.u32 %r5, 1;\nbra E;\nA: barrier.sync 1;\nmov.u32 %r5, 2;\nE:" + storeID("%r5"),
			found: "not-converged 0-15", says: "^barrier.sync: lanes 0-15 execute it while lanes 16-31 execute another barrier instruction"},
		{name: "below sm_70 all are aligned", block: 32, target: "sm_61",
			body:  "@%q1 bra A;\nbarrier.sync 1;\nmov.u32 %r5, 1;\nbra E;\nA: barrier.sync 1;\nmov.u32 %r5, 2;\nE:" + storeID("%r5"),
			found: "not-converged 0-15"},
		{name: "a barrier per warp, named by a register", block: 128,
			body: "barrier.sync %r1, 32;\n" + storeID("%r1"), want: func(i int) uint32 { return uint32(i / 32) }},
		{name: "half a warp arrives, the other half waits", block: 64,
			body: "@%q2 bra W;\nbarrier.sync 2, 64;\nmov.u32 %r5, 3;\nbra E;\nW: @%q1 bra A;\nbarrier.sync 2, 64;\nmov.u32 %r5, 1;\nbra E;\nA: barrier.arrive 2, 64;\nmov.u32 %r5, 2;\nE:" + storeID("%r5"),
			want: func(i int) uint32 { return []uint32{2, 1, 3, 3}[i/16] }},
		{name: "different counts", block: 64,
			body:  "@%q2 bra A;\nbarrier.sync 1, 32;\nbra E;\nA: barrier.arrive 1, 64;\nE: mov.u32 %r5, 1;\n" + storeID("%r5"),
			found: "bad-barrier 0-31", says: "^barrier.sync: lanes 0-31 expect 32 threads at barrier 1, where the threads that already wait expect 64 threads(?s:.*)barrier.arrive: the first use of the barrier"},
		{name: "the whole block, with and without a count", block: 50,
			body: "@%q2 bra A;\nbarrier.sync 1, 64;\nbra E;\nA: barrier.sync 1;\nE: mov.u32 %r5, 1;\n" + storeID("%r5"), want: func(int) uint32 { return 1 }},
		{name: "a reduction and a plain barrier", block: 64,
			body:  "@%q2 bra A;\nbar.red.popc.u32 %r5, 1, %q1;\nbra E;\nA: bar.sync 1;\nE:" + storeID("%r5"),
			found: "bad-barrier 0-31", says: "a reduction must not be mixed"},
		{name: "a count that only exited warps could fill", block: 128,
			body:  "setp.ge.u32 %q3, %id, 64;\n@%q3 exit;\nbar.sync 1, 128;\nmov.u32 %r5, 9;\n" + storeID("%r5"),
			found: "exited-lanes 0-31", says: "^bar.sync: 64 of 128 threads have come to barrier 1 and no more can come: it opens because the rest has exited",
			want: func(i int) uint32 { return 9 * uint32(1-i/64) }},
		{name: "a count that exited warps are too few for", block: 96,
			body:  "setp.ge.u32 %q3, %id, 64;\n@%q3 exit;\nbar.sync 1, 128;\n",
			fault: `deadlock: lanes 0-31 of wave 0 wait at barrier 1: 64 of 128 threads have arrived; the block has only 96`},
		{name: "two reductions", block: 64,
			body:  "@%q2 bra A;\nbar.red.and.pred %q5, 1, %q1;\nbra E;\nA: bar.red.or.pred %q5, 1, %q1;\nE: mov.u32 %r5, 1;\n" + storeID("%r5"),
			found: "bad-barrier 0-31", says: "use barrier 1 for another reduction than the threads"},
		{name: "one warp more than the count", block: 128, body: "setp.lt.u32 %q3, %id, 32;\n@%q3 bra B;\nbar.sync 1, 64;\nB: bar.sync 2;\n",
			fault: `lanes 0-31 of wave \d wait at barrier 1: 32 of 64 threads have arrived; it has completed before, with 64 threads of waves \d, \d at bar.sync \(line \d+\)`},
		{name: "twice before it is complete", block: 96,
			body:  "@!%q2 bra A;\nbar.arrive 1, 96;\nbar.sync 1, 96;\nbra E;\nA: setp.eq.u32 %q3, %r1, 2;\n@%q3 bra E;\nbar.sync 1, 96;\nE: exit;\n",
			found: "bad-barrier 0-31", says: "again before it has completed"},
		{name: "a count that is no multiple of the warp size", block: 64,
			body: "mov.u32 %r6, 48;\nadd.u32 %r6, %r6, %nb;\nbar.sync 1, %r6;\n", found: "bad-barrier 0-31", says: "49 threads for barrier 1: the number must be a multiple of the warp size, 32"},
		{name: "no such barrier", block: 32, body: "add.u32 %r6, %nb, 16;\nbar.sync %r6;\n", found: "bad-barrier 0-31", says: "outside 0 to 15"},
		{name: "nobody waits", block: 64, body: "bar.arrive 5, 96;\n", found: "unmatched-arrive 0-31", says: "^bar.arrive: the block ends with 64 of 96 threads at barrier 5"},
		{name: "all arrive, nobody needs to wait", block: 64, body: "bar.arrive 5, 64;\n"},
		{name: "half a warp does not make a whole", block: 64,
			body:  "@%q1 bra A;\nbarrier.sync 1, 32;\nbra E;\nA: setp.eq.u32 %q3, %id, 99;\nbarrier.sync 2;\nE: exit;\n",
			fault: `deadlock: lanes 0-15 of wave 0 wait at barrier 2.*lanes 16-31 of wave 0 missing; lanes 16-31 are at barrier.sync|deadlock: lanes 16-31 of wave 0 wait at barrier 1: 0 of 32 threads have arrived; lanes 0-15 of wave 0 missing; lanes 0-15 are at barrier.sync`},
		{name: "more than there are", block: 64, body: "bar.sync 1, 128;\n", fault: `deadlock: lanes 0-31 of wave 0 wait at barrier 1: 64 of 128 threads have arrived; the block has only 64`},
		{name: "one warp goes elsewhere", block: 64,
			body:  "@%q2 bra A;\nbar.sync 1;\nbra E;\nA: bar.sync 2;\nE: exit;\n",
			fault: `wait at barrier 2: lanes 0-31 of wave 1 missing; lanes 0-31 are at bar.sync \(line \d+\)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.target == "" {
				c.target = "sm_80"
			}
			for _, s := range []crosslane.Schedule{"", "random:1", "random:2", "random:3"} {
				out := make([]uint32, c.block)
				res, err := kit.Launch(t, kit.Kernel(c.target, 1, pre+c.body), crosslane.Launch{Block: crosslane.Dim3{X: c.block}, Schedule: s}, out)
				if c.fault != "" {
					if err == nil || !regexp.MustCompile(c.fault).MatchString(err.Error()+"\n"+text(diag.Of(err)[0])) {
						t.Errorf("%q: got %v, want %s", s, err, c.fault)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%q: %v", s, err)
				}
				if s == "" {
					if got := codes(res.Findings); got != c.found {
						t.Errorf("findings %q, want %q", got, c.found)
					} else if got != "" && !regexp.MustCompile(c.says).MatchString(text(res.Findings[0])) {
						t.Errorf("finding %q, want %s", text(res.Findings[0]), c.says)
					}
				} else if (c.found == "") != (len(res.Findings) == 0) {
					t.Errorf("%q: findings %v", s, res.Findings)
				}
				for i, v := range out {
					if c.want != nil && v != c.want(i) {
						t.Errorf("%q: thread %d: %d, want %d", s, i, v, c.want(i))
						break
					}
				}
			}
		})
	}
}

func text(d *diag.Diagnostic) string {
	s := d.Message
	for _, r := range d.Related {
		s += "\n" + r.Message
	}
	return s
}

// Warps that produce and warps that consume, over two slots of shared memory, each with a barrier
// that reports it full and one that reports it empty: the model of PTX 9.7.14.1. Warp 0 produces,
// warps 1 and 2 each add up half of the values.
func TestProducerConsumer(t *testing.T) {
	t.Parallel()
	const rounds = 9
	src := kit.Kernel("sm_80", 1, `
	shr.u32 %r1, %id, 5;
	mov.u32 %r10, sm;
	mov.u32 %r2, 0;
	mov.u32 %r9, 0;
	setp.ne.u32 %q1, %r1, 0;
	@%q1 bra CONSUME;
PRODUCE:
	and.b32 %r3, %r2, 1;
	add.u32 %r4, %r3, 1;             // full: barriers 1 and 2
	add.u32 %r5, %r3, 3;             // empty: barriers 3 and 4
	bar.sync %r5, 96;
	mad.lo.u32 %r6, %r2, 1000, %lane;
	mad.lo.u32 %r7, %r3, 32, %lane;
	mad.lo.u32 %r7, %r7, 4, %r10;
	st.shared.u32 [%r7], %r6;
	bar.arrive %r4, 96;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %q2, %r2, 9;
	@%q2 bra PRODUCE;
	bra END;
CONSUME:
	bar.arrive 3, 96;                // both slots are empty at first
	bar.arrive 4, 96;
MORE:
	and.b32 %r3, %r2, 1;
	add.u32 %r4, %r3, 1;
	add.u32 %r5, %r3, 3;
	bar.sync %r4, 96;
	sub.u32 %r8, %id, 32;
	shr.u32 %r8, %r8, 1;
	mad.lo.u32 %r7, %r3, 32, %r8;
	mad.lo.u32 %r7, %r7, 4, %r10;
	ld.shared.u32 %r6, [%r7];
	add.u32 %r9, %r9, %r6;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %q2, %r2, 8;
	@%q2 bar.arrive %r5, 96;
	setp.lt.u32 %q2, %r2, 9;
	@%q2 bra MORE;
END:
`+storeID("%r9"))
	for _, s := range []crosslane.Schedule{"", "random:1", "random:2", "random:3", "random:4", "random:5"} {
		out := make([]uint32, 96)
		res, err := kit.Launch(t, src, crosslane.Launch{Block: crosslane.Dim3{X: 96}, Schedule: s}, out)
		if err != nil || len(res.Findings) > 0 {
			t.Fatal(s, err, res)
		}
		for i, v := range out {
			want := uint32(0)
			for r := uint32(0); r < rounds && i >= 32; r++ {
				want += r*1000 + uint32(i-32)/2
			}
			if v != want {
				t.Errorf("%q: thread %d: %d, want %d", s, i, v, want)
			}
		}
	}
}
