package api_test

import (
	"strings"
	"testing"
)

// Vectors of which a tag is for 8 or 16 bytes, and kernels in which something else has tags for less.
func TestScreeningOfVectors(t *testing.T) {
	t.Parallel()
	// %r5 is the thread's vector in shared memory, %r6 that of its neighbour, %r7 that of the other warp; %rd2 and %rd3 are those of the thread and
	// of its neighbour in global memory, %rd4 that of the other block.
	const at = ".shared .align 16 .b8 v[1024];\nmad.lo.u32 %r10, %bid, 64, %id;\nand.b32 %r10, %r10, 15;\nshl.b32 %r11, %bid, 4;\nand.b32 %r12, %id, 15;\nadd.u32 %r10, %r11, %r12;\nmul.wide.u32 %rd1, %r10, 16;\nadd.s64 %rd2, %rd1, %p0;\n" +
		"xor.b32 %r11, %r10, 1;\nmul.wide.u32 %rd1, %r11, 16;\nadd.s64 %rd3, %rd1, %p0;\nxor.b32 %r11, %r10, 16;\nmul.wide.u32 %rd1, %r11, 16;\nadd.s64 %rd4, %rd1, %p0;\n" +
		"mov.u32 %r9, v;\nshl.b32 %r5, %id, 4;\nxor.b32 %r6, %r5, 16;\nxor.b32 %r7, %r5, 512;\nadd.u32 %r5, %r5, %r9;\nadd.u32 %r6, %r6, %r9;\nadd.u32 %r7, %r7, %r9;\nmul.wide.u32 %rd5, %id, 4;\nmad.lo.u32 %r13, %bid, 256, 0;\ncvt.u64.u32 %rd6, %r13;\nadd.s64 %rd5, %rd5, %rd6;\nadd.s64 %rd5, %rd5, %p1;\n" +
		"setp.lt.u32 %q1, %id, 32;\nsetp.eq.u32 %q2, %id, 5;\nsetp.lt.u32 %q3, %id, 16;\nadd.u32 %r14, %id, 1;\n"
	const fill, bar = "st.shared.v4.u32 [%r5], {%id, %r14, 3, %id};\n", "bar.sync 0;\n"
	const out = "st.global.u32 [%rd5], %r4;\n"
	const own, other, far = "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];\n", "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r6];\n", "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r7];\n"
	const sum = "add.u32 %r4, %r4, %r1;\nadd.u32 %r4, %r4, %r3;\n"
	const copies, wait = "cp.async.cg.shared.global [%r5], [%rd2], 16;\n", "cp.async.wait_all;\n"
	const rows = "and.b32 %r15, %lane, 7;\nshl.b32 %r15, %r15, 4;\nadd.u32 %r15, %r15, %r9;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r15];\n"
	const load, store = "@%q3 ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];\n", "@%q3 st.global.v4.u32 [%rd2], {%id, %id, %id, %id};\n"
	to := func(text, of, is string) string { return strings.Replace(text, of, is, 1) }
	screenTraps(t, "sm_80", []screenTrap{
		{"the thread's vector", at + fill + own + out, true},
		{"the neighbour's vector", at + fill + bar + other + out, true},
		{"the neighbour's vector without a barrier", at + fill + other + out, false},
		{"the other warp's vector", at + fill + bar + far + out, true},
		{"the other warp's vector without a barrier", at + fill + far + out, false},
		{"a vector that is stored again", at + fill + bar + other + fill + out, false},
		{"a vector that is stored again after a barrier", at + fill + bar + other + bar + fill + out, true},
		{"vectors of half of the lanes", at + "@%q1 " + fill + bar + "@!%q1 bra E;\n" + other + out + "E:\n", true},
		{"vectors that half of the lanes have not stored", at + "@%q1 " + fill + bar + other + out, false},
		{"halves", at + "st.shared.v2.u32 [%r5], {%id, 1};\nst.shared.v2.u32 [%r5+8], {%id, 2};\n" + bar + other + sum + out, true},
		{"one half", at + "st.shared.v2.u32 [%r5+8], {%id, 2};\n" + bar + other + sum + out, false},
		{"a half, and the other of few", at + "st.shared.v2.u32 [%r5+8], {%id, 2};\n@%q1 st.shared.v2.u32 [%r5], {%id, 2};\n" + bar + other + sum + out, false},
		{"three words", at + "st.shared.u32 [%r5], 1;\nst.shared.u32 [%r5+4], 1;\nst.shared.u32 [%r5+12], 1;\n" + bar + other + sum + out, false},
		{"four words", at + "st.shared.u32 [%r5], 1;\nst.shared.u32 [%r5+4], 1;\nst.shared.u32 [%r5+12], 1;\nst.shared.u32 [%r5+8], 1;\n" + bar + other + sum + out, true},
		{"a word of another thread's vector", at + fill + "@%q2 st.shared.u32 [%r6+12], 1;\nmov.u32 %r4, 0;\n" + out, false},
		{"a word of another thread's vector after a barrier", at + fill + bar + "@%q2 st.shared.u32 [%r6+12], 1;\nmov.u32 %r4, 0;\n" + out, true},
		{"a word, and then the vector around it", at + fill + bar + "st.shared.u32 [%r5], 1;\nst.shared.v2.u32 [%r5], {1, 2};\nld.shared.u32 %r4, [%r6+4];\n" + out, false},
		{"a word, and then the vector around it, before a barrier", at + fill + bar + "st.shared.u32 [%r5], 1;\nst.shared.v2.u32 [%r5], {1, 2};\n" + bar + "ld.shared.u32 %r4, [%r6+4];\n" + out, true},
		{"loads of a word, and then of the vector around it", at + fill + bar + "ld.shared.u32 %r4, [%r5];\nld.shared.v2.u32 {%r1, %r2}, [%r5];\nst.shared.u32 [%r6+4], %r2;\n" + out, false},
		{"loads of a word, and then of the vector around it, before a barrier", at + fill + bar + "ld.shared.u32 %r4, [%r5];\nld.shared.v2.u32 {%r1, %r2}, [%r5];\n" + bar + "st.shared.u32 [%r6+4], %r2;\n" + out, true},
		{"two threads and one vector", at + to(fill, "[%r5]", "[v]") + "mov.u32 %r4, 0;\n" + out, false},
		{"two threads and one vector, one after the other", at + "@%q2 " + to(fill, "[%r5]", "[v]") + bar + "setp.eq.u32 %q2, %id, 6;\n@%q2 " + to(fill, "[%r5]", "[v]") + "mov.u32 %r4, 0;\n" + out, true},
		{"an address that is no multiple of 16", at + "add.u32 %r5, %r5, 8;\nsetp.lt.u32 %q1, %id, 62;\n@%q1 " + fill + "mov.u32 %r4, 0;\n" + out, false},
		{"an offset that is none", at + "add.u32 %r5, %r5, 8;\n" + to(fill, "[%r5]", "[%r5+-8]") + bar + other + out, true},
		{"beyond the end", at + to(fill, "[%r5]", "[%r5+16]") + "mov.u32 %r4, 0;\n" + out, false},
		{"copies", at + copies + wait + bar + other + out, true},
		{"copies without a wait", at + copies + bar + other + wait + out, false},
		{"copies without a barrier", at + copies + wait + other + out, false},
		{"copies of half of the lanes", at + "@%q1 " + copies + wait + bar + other + out, false},
		{"rows of a matrix", at + fill + bar + rows + out, true},
		{"rows of a matrix without a barrier", at + fill + rows + out, false},
		{"rows of a matrix, half of them", at + "st.shared.v2.u32 [%r5], {%id, %id};\n" + bar + rows + out, false},
		{"global vectors", at + load + store, true},
		{"global vectors at odd addresses", at + "add.s64 %rd2, %rd2, 1;\n" + to(load, "%rd2", "%rd2+-1") + to(store, "%rd2", "%rd2+-1"), true},
		{"global vectors of the neighbour", at + load + to(store, "%rd2", "%rd3"), false},
		{"global vectors of the neighbour after a barrier", at + load + bar + to(store, "%rd2", "%rd3"), true},
		{"global vectors of the other block", at + load + bar + to(store, "%rd2", "%rd4"), false},
		{"the half of a global vector of the other block", at + load + bar + "@%q3 st.global.v2.u32 [%rd4+8], {%id, %id};\n", false},
		{"the other half of a global vector", at + "@%q3 ld.global.v2.u32 {%r1, %r2}, [%rd2];\n" + bar + "@%q3 st.global.v2.u32 [%rd4+8], {%id, %id};\n", true},
		{"the word of a global vector of the neighbour", at + store + "@%q3 ld.global.u32 %r1, [%rd3+4];\n", false},
		{"one global vector of all threads", at + to(store, "@%q3 ", ""), false},
		{"a global vector beyond the end", at + to(store, "[%rd2]", "[%rd2+752]"), false},
	})
}
