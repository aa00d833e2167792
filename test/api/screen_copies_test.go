package api_test

import (
	"strings"
	"testing"

	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// A screening run is clean for copies that their threads wait for, and suspicious of the same kernels with a mistake.
func TestScreeningOfCopies(t *testing.T) {
	t.Parallel()
	// %r5 is the thread's word of shared memory, %r6 that of its neighbour, %r7 that of the other warp; %rd2 and %rd4 are
	// its words of the buffers.
	const at = "mad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\nadd.s64 %rd4, %rd1, %p1;\n" +
		"mov.u32 %r9, sm;\nshl.b32 %r5, %id, 2;\nxor.b32 %r6, %r5, 4;\nxor.b32 %r7, %r5, 128;\nadd.u32 %r5, %r5, %r9;\nadd.u32 %r6, %r6, %r9;\nadd.u32 %r7, %r7, %r9;\nsetp.lt.u32 %q1, %id, 32;\nsetp.eq.u32 %q2, %id, 0;\n"
	const copies, commit, all, bar = "cp.async.ca.shared.global [%r5], [%rd2], 4;\n", "cp.async.commit_group;\n", "cp.async.wait_group 0;\n", "bar.sync 0;\n"
	const own, other, far = "ld.shared.u32 %r1, [%r5];\nst.global.u32 [%rd4], %r1;\n", "ld.shared.u32 %r1, [%r6];\nst.global.u32 [%rd4], %r1;\n", "ld.shared.u32 %r1, [%r7];\nst.global.u32 [%rd4], %r1;\n"
	// Two stages of 32 words each, which the first warp fills and the second one reads.
	const pipeline = "and.b32 %r8, %id, 31;\nshl.b32 %r8, %r8, 2;\nadd.u32 %r8, %r8, %r9;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\n" +
		"@%q1 cp.async.ca.shared.global [%r8], [%rd2], 4;\n" + commit +
		"L:\nadd.u32 %r11, %r11, 1;\nand.b32 %r13, %r11, 1;\nshl.b32 %r13, %r13, 7;\nadd.u32 %r13, %r13, %r8;\n" +
		"@%q1 cp.async.ca.shared.global [%r13], [%rd2+16], 4;\n" + commit + "cp.async.wait_group 1;\n" + bar +
		"xor.b32 %r14, %r13, 128;\nld.shared.u32 %r15, [%r14];\nadd.u32 %r12, %r12, %r15;\n" + "bar.sync 1;\n" +
		"setp.lt.u32 %q3, %r11, 6;\n@%q3 bra L;\n" + all + "st.global.u32 [%rd4], %r12;\n"
	for _, c := range []struct {
		name, body string
		want       outcome
	}{
		{"own copies", copies + commit + all + own, clean},
		{"own copies and wait_all", copies + "cp.async.wait_all;\n" + own, clean},
		{"own copies without a wait", copies + commit + own + all, faulty},
		{"own copies without a commit", copies + all + own, faulty},
		{"own copies, and a wait for fewer groups", copies + commit + "cp.async.wait_group 1;\n" + own + all, faulty},
		{"own copies, and a wait for fewer of more groups", copies + commit + commit + "cp.async.wait_group 1;\n" + own, clean},
		{"the neighbour's copies", copies + commit + all + bar + other, clean},
		{"the other warp's copies", copies + commit + all + bar + far, clean},
		{"the other warp's copies without a barrier", copies + commit + all + far, faulty},
		{"the other warp's copies, the barrier before the wait", copies + commit + bar + all + far, faulty},
		// A lane waits for its own copies only, also if the whole warp waits.
		{"the neighbour's copies without a barrier", copies + commit + all + other, faulty},
		{"the neighbour's copies behind a barrier of the warp", copies + commit + all + "bar.warp.sync -1;\n" + other, silent},
		{"the neighbour's copies, the barrier of the warp before the wait", copies + commit + "bar.warp.sync -1;\n" + all + other, faulty},
		{"the neighbour's copies without a wait", copies + commit + bar + other + all, faulty},
		{"the copies of a warp that does not wait", copies + commit + "@%q1 " + all + bar + far + all, faulty},
		{"the copies of a warp that does not wait, which nothing reads", copies + commit + "@%q1 bra W;\n" + all + "W:\n" + bar + "@!%q1 bra E;\n" + all + own + "E:\n", silent},
		{"the copies of a warp without a commit", copies + "@%q1 " + commit + all + bar + far + "cp.async.wait_all;\n", faulty},
		{"copies that nothing waits for", copies + commit, silent},
		{"copies again to the same words", copies + commit + copies + commit + all + bar + other, clean},
		{"copies to words that were stored", "st.shared.u32 [%r5], %id;\n" + bar + copies + commit + all + bar + other, clean},
		{"copies to words that another thread stores", "st.shared.u32 [%r6], %id;\n" + copies + commit + all + bar + other, faulty},
		{"copies to words that another thread has loaded", "st.shared.u32 [%r5], %id;\n" + bar + "ld.shared.u32 %r2, [%r6];\n" + bar + copies + commit + all + bar + other, clean},
		{"copies to words that another thread loads", "st.shared.u32 [%r5], %id;\n" + bar + "ld.shared.u32 %r2, [%r6];\n" + copies + commit + all + bar + other, faulty},
		{"stores to words that are copied to", copies + commit + "st.shared.u32 [%r5], %id;\n" + all + bar + other, faulty},
		{"stores to words that were copied to", copies + commit + all + "st.shared.u32 [%r5], %id;\n" + bar + other, clean},
		{"stores to words that the neighbour has copied to", copies + commit + all + bar + "st.shared.u32 [%r6], %id;\n" + bar + own, clean},
		{"zeros behind a size", "mov.u32 %r8, 2;\ncp.async.ca.shared.global [%r5], [%rd2], 4, %r8;\n" + commit + all + bar + other, clean},
		{"zeros behind a size without a wait", "mov.u32 %r8, 2;\ncp.async.ca.shared.global [%r5], [%rd2], 4, %r8;\n" + commit + bar + other + all, faulty},
		{"a pipeline", pipeline, clean},
		{"a pipeline that waits for too few groups", strings.Replace(pipeline, "wait_group 1", "wait_group 2", 1), faulty},
		{"a pipeline without the barrier after the wait", strings.Replace(pipeline, bar, "", 1), faulty},
		{"a pipeline without the barrier before the copies", strings.Replace(pipeline, "bar.sync 1;\n", "", 1), faulty},
		{"a barrier that half of the threads go around in turns", copies + commit + all + bar + "mov.u32 %r11, 0;\nL:\n" + far + "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %q3, %r11, 3;\n@%q3 bra L;\n", clean},
		{"a copy from a word that its thread has stored", "st.global.u32 [%rd2], %id;\n" + copies + commit + all + own, clean},
		{"a copy from a word that another thread stores", "xor.b32 %r11, %r10, 1;\nmul.wide.u32 %rd5, %r11, 4;\nadd.s64 %rd5, %rd5, %p0;\nst.global.u32 [%rd5], %id;\n" + copies + commit + all + own, faulty},
		{"the next copies of the block after a barrier that comes in a loop", "mov.u32 %r11, 0;\nbra M;\nL:\n" + bar + "M:\n" + far1 + "bar.sync 2;\n" + copies + commit + all + "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %q3, %r11, 3;\n" + bar + "@%q3 bra L;\n" + far, clean},
	} {
		for _, engine := range []string{"interp", "jit"} {
			t.Run(c.name+" on "+engine, func(t *testing.T) {
				t.Parallel()
				k := kernelOf(t, kit.Kernel("sm_80", 2, at+c.body))
				for _, words := range []bool{false, true} {
					got, tried, why := verdict.Screen(t.Context(), k, session.Launch{Launch: screenLaunch(engine)}, words)
					if !tried || got && c.want != clean || words && got != (c.want == clean) {
						t.Errorf("words %v: tried %v, clean %v: %s", words, tried, got, why)
					}
				}
				sameWithoutScreening(t, k, c.want == faulty, c.want == faulty)
			})
		}
	}
}

// far1 loads a word that the other warp has stored or copied, if there is one.
const far1 = "setp.gt.u32 %q4, %r11, 0;\n@%q4 ld.shared.u32 %r1, [%r7];\n"

// A launch with clusters of several blocks is not screened.
func TestClustersAreNotScreened(t *testing.T) {
	t.Parallel()
	k := kernelOf(t, kit.Kernel("sm_90", 2, "mad.lo.u32 %r1, %bid, 64, %id;\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd1, %rd1, %p0;\nst.global.u32 [%rd1], %id;\n"))
	l := screenLaunch("")
	for _, cluster := range []uint32{0, 2} {
		l.Cluster.X = cluster
		if _, tried, why := verdict.Screen(t.Context(), k.LaidOut(&l), session.Launch{Launch: l}, false); tried != (cluster == 0) {
			t.Errorf("clusters of %d: tried %v: %s", cluster, tried, why)
		}
		if _, err := verdict.CheckOn(t.Context(), k, session.Launch{Launch: l}); err != nil {
			t.Error(err)
		}
	}
}
