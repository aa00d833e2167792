package api_test

import (
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// A screenTrap is a kernel whose screening run has to be clean, or suspicious.
type screenTrap struct {
	name, body string
	clean      bool
}

// screenTraps runs kernels of two blocks of 64 threads in their screening form, with and without the words of shared
// memory counted, and in a check that makes its shortcuts and the long way. A check of a clean one must find nothing.
func screenTraps(t *testing.T, sm string, list []screenTrap) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := kernelOf(t, kit.Kernel(sm, 2, c.body))
			for _, words := range []bool{true, false} {
				clean, tried, why := verdict.Screen(t.Context(), k, session.Launch{Launch: screenLaunch("jit")}, words)
				if !tried || clean != c.clean && (words || clean) {
					t.Errorf("words %v: tried %v, clean %v, want %v: %s", words, tried, clean, c.clean, why)
				}
			}
			for range 3 { // the second and the third one in other ways
				audit := &orderAudit{t: t}
				if res, err := (*crosslane.Kernel)(k).Check(verdict.Audited(t.Context(), audit), screenLaunch("")); c.clean && (err != nil || len(res.Findings) > 0) {
					t.Errorf("a clean kernel has findings: %v, %v", err, res)
				}
			}
			l := screenLaunch("")
			l.Skip = []string{"schedule-dependent"}
			res, err := verdict.CheckOn(t.Context(), k, session.Launch{Launch: l, Unscreened: true})
			if found := err != nil || len(res.Findings) > 0; found == c.clean {
				t.Errorf("without screening: %v, findings %v", err, res)
			}
		})
	}
}

// Private memory: a thread may load what it has written itself.
func TestScreeningPrivate(t *testing.T) {
	t.Parallel()
	const at = ".local .align 8 .b8 own[16];\nmad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\nand.b32 %r3, %id, 3;\nmul.wide.u32 %rd3, %r3, 4;\nmov.u64 %rd4, own;\nadd.s64 %rd3, %rd3, %rd4;\n"
	const fill = "st.local.u32 [own], %id;\nst.local.u32 [own+4], %id;\nst.local.u32 [own+8], %id;\n"
	const last = "st.local.u32 [own+12], %id;\n"
	const load = "ld.local.u32 %r1, [%rd3];\n"
	const out = "st.global.u32 [%rd2], %r1;\n"
	const half = "setp.lt.u32 %q1, %lane, 16;\n"
	const two = ".local .align 4 .b8 more[16];\n"
	const both = "st.local.u32 [more], %id;\nst.local.u32 [more+4], %id;\n"
	screenTraps(t, "sm_80", []screenTrap{
		{"all words", at + fill + last + load + out, true},
		{"a word that no store writes", at + fill + load + out, false},
		{"after a barrier", at + fill + last + "bar.sync 0;\n" + load + out, true},
		{"lanes that store and lanes that load", at + fill + half + "@%q1 " + last + load + out, false},
		{"lanes that store are those that load", at + fill + last + half + "mov.u32 %r1, 0;\n@%q1 " + load + out, true},
		{"a neighbour's store", at + fill + "setp.ne.u32 %q1, %lane, 7;\n@%q1 " + last + load + out, false},
		{"the store of one warp", at + fill + "setp.lt.u32 %q1, %id, 32;\n@%q1 " + last + load + out, false},
		{"the store of the block before", at + fill + "setp.eq.u32 %q1, %bid, 0;\n@%q1 " + last + load + out, false},
		{"a byte of a word", at + "st.local.u8 [own+4], %id;\nld.local.u32 %r1, [own+4];\n" + out, false},
		{"the bytes of a word", at + "st.local.u8 [own+4], %id;\nst.local.u8 [own+5], %id;\nst.local.u16 [own+6], %r10;\nld.local.u32 %r1, [own+4];\n" + out, true},
		{"a byte of a word that is stored", at + fill + "ld.local.u8 %r1, [own+7];\n" + out, true},
		{"the other half", at + "st.local.u16 [own+4], %id;\nld.local.u16 %r1, [own+6];\n" + out, false},
		{"one half", at + "st.local.u16 [own+4], %id;\nld.local.u16 %r1, [own+4];\n" + out, true},
		{"a double word", at + "st.local.u64 [own+8], %rd1;\nld.local.u32 %r1, [own+12];\n" + out, true},
		{"half of a double word", at + "st.local.u32 [own+8], %id;\nld.local.u64 %rd5, [own+8];\nshr.u64 %rd5, %rd5, 32;\ncvt.u32.u64 %r1, %rd5;\n" + out, false},
		{"a loop", at + "mov.u32 %r4, 0;\nL:\nst.local.u32 [%rd4], %r4;\nadd.s64 %rd4, %rd4, 4;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %q1, %r4, 4;\n@%q1 bra L;\n" + load + out, true},
		{"a loop that ends too early", at + "mov.u32 %r4, 0;\nL:\nst.local.u32 [%rd4], %r4;\nadd.s64 %rd4, %rd4, 4;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %q1, %r4, 3;\n@%q1 bra L;\n" + load + out, false},
		{"two variables", two + at + fill + last + both + load + "ld.local.u32 %r1, [more+4];\n" + out, true},
		{"beyond the first of two variables", strings.Replace(at, ".local .align 8", ".local .align 4", 1) + two + fill + last + both + "ld.local.u32 %r1, [%rd3+4];\n" + out, false},
		{"beyond all variables", at + fill + last + "ld.local.u32 %r1, [%rd3+4];\n" + out, false},
	})
}

// Accesses of less than a word to shared memory.
func TestScreeningPieces(t *testing.T) {
	t.Parallel()
	const at = "mad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\nmov.u64 %rd3, sm;\ncvt.u64.u32 %rd5, %id;\nadd.s64 %rd4, %rd3, %rd5;\nxor.b32 %r3, %id, 1;\ncvt.u64.u32 %rd6, %r3;\nadd.s64 %rd6, %rd6, %rd3;\nand.b32 %r4, %id, 60;\ncvt.u64.u32 %rd7, %r4;\nadd.s64 %rd7, %rd7, %rd3;\nshl.b64 %rd8, %rd5, 1;\nadd.s64 %rd8, %rd8, %rd3;\n"
	const fill, bar = "st.shared.u8 [%rd4], %id;\n", "bar.sync 0;\n"
	const out = "st.global.u32 [%rd2], %r1;\n"
	screenTraps(t, "sm_80", []screenTrap{
		{"the neighbour's byte", at + fill + bar + "ld.shared.u8 %r1, [%rd6];\n" + out, true},
		{"the neighbour's byte without a barrier", at + fill + "ld.shared.u8 %r1, [%rd6];\n" + out, false},
		{"the own byte without a barrier", at + fill + "ld.shared.u8 %r1, [%rd4];\n" + out, true},
		{"a word of bytes", at + fill + bar + "ld.shared.u32 %r1, [%rd7];\n" + out, true},
		{"a word of bytes without a barrier", at + fill + "ld.shared.u32 %r1, [%rd7];\n" + out, false},
		{"a word of three bytes", at + "and.b32 %r2, %id, 3;\nsetp.ne.u32 %q1, %r2, 3;\n@%q1 " + fill + bar + "ld.shared.u32 %r1, [%rd7];\n" + out, false},
		{"halves", at + "st.shared.u16 [%rd8], %id;\n" + bar + "ld.shared.u16 %r1, [%rd8];\n" + out, true},
		{"a half of bytes, one of them missing", at + "and.b32 %r2, %id, 15;\nsetp.ne.u32 %q1, %r2, 9;\n@%q1 " + fill + bar + "shr.u32 %r2, %id, 1;\nshl.b32 %r2, %r2, 1;\ncvt.u64.u32 %rd5, %r2;\nadd.s64 %rd5, %rd5, %rd3;\nld.shared.u16 %r1, [%rd5];\n" + out, false},
		{"two threads and one byte", at + "shr.u32 %r2, %id, 1;\ncvt.u64.u32 %rd5, %r2;\nadd.s64 %rd5, %rd5, %rd3;\nst.shared.u8 [%rd5], %id;\nmov.u32 %r1, 0;\n" + out, false},
		{"two threads of other warps and one byte", at + "and.b32 %r2, %id, 31;\ncvt.u64.u32 %rd5, %r2;\nadd.s64 %rd5, %rd5, %rd3;\nst.shared.u8 [%rd5], %id;\nmov.u32 %r1, 0;\n" + out, false},
		{"a byte and the word around it", at + fill + "setp.eq.u32 %q1, %id, 5;\n@%q1 st.shared.u32 [sm+32], 7;\nmov.u32 %r1, 0;\n" + out, false},
		{"a byte and another word", at + fill + "setp.eq.u32 %q1, %id, 5;\n@%q1 st.shared.u32 [sm+64], 7;\nmov.u32 %r1, 0;\n" + out, true},
		{"a byte that is read before it is written", at + fill + bar + "ld.shared.u8 %r1, [%rd6];\n" + fill + out, false},
		{"a byte that is read, and written after a barrier", at + fill + bar + "ld.shared.u8 %r1, [%rd6];\n" + bar + fill + out, true},
		{"a byte that is swapped in place", at + fill + bar + "ld.shared.u8 %r1, [%rd4];\nadd.u32 %r1, %r1, 1;\nst.shared.u8 [%rd4], %r1;\n" + out, true},
		{"a word that is read beside a byte that is written", at + fill + bar + "setp.eq.u32 %q1, %id, 5;\nmov.u32 %r1, 0;\n@%q1 ld.shared.u32 %r1, [sm+8];\nsetp.eq.u32 %q1, %id, 9;\n@%q1 st.shared.u8 [sm+9], %r1;\n" + out, false},
	})
}

// Matrices in registers, and rows of them in shared memory.
func TestScreeningMatrices(t *testing.T) {
	t.Parallel()
	const at = "mad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\nmov.u64 %rd3, sm;\nmul.wide.u32 %rd5, %id, 4;\nadd.s64 %rd5, %rd5, %rd3;\nand.b32 %r3, %lane, 15;\nmul.wide.u32 %rd4, %r3, 16;\nadd.s64 %rd4, %rd4, %rd3;\n"
	const fill, bar = "st.shared.u32 [%rd5], %id;\n", "bar.sync 0;\n"
	const one, two = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd4];\n", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%rd4];\n"
	const product = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r4, %r5, %r6, %r7}, {%r1, %r2}, {%r1}, {%r8, %r8, %r8, %r8};\nmov.b32 %r1, %r6;\n"
	const out = "st.global.u32 [%rd2], %r1;\n"
	const first = "setp.lt.u32 %q1, %id, 32;\n@!%q1 bra E;\n"
	const zero = "mov.b32 %r8, 0;\n"
	screenTraps(t, "sm_80", []screenTrap{
		{"two matrices", at + fill + bar + two + out, true},
		{"two matrices without a barrier", at + fill + two + out, false},
		{"a word that no thread writes", at + "setp.ne.u32 %q1, %id, 7;\n@%q1 " + fill + bar + two + out, false},
		{"a word of the other matrix", at + "setp.ne.u32 %q1, %id, 37;\n@%q1 " + fill + bar + one + out, true},
		{"addresses that are not used", at + "setp.gt.u32 %q1, %lane, 7;\n@%q1 mov.u64 %rd4, 0x100000;\n" + fill + bar + one + out, true},
		{"a row beyond the end", at + "add.s64 %rd4, %rd4, 16;\n" + fill + bar + two + out, false},
		{"rows that are written again", at + fill + bar + two + fill + out, false},
		{"rows that are written again after a barrier", at + fill + bar + two + bar + fill + out, true},
		{"rows of the lanes themselves", at + first + "setp.lt.u32 %q2, %lane, 16;\nadd.u32 %r4, %id, 1;\n@%q2 st.shared.v4.u32 [%rd4], {%id, %r4, %id, %r4};\n" + two + out + "E:\n", true},
		{"rows of the neighbours", at + first + "setp.lt.u32 %q2, %lane, 16;\nxor.b32 %r3, %r3, 1;\nmul.wide.u32 %rd6, %r3, 16;\nadd.s64 %rd6, %rd6, %rd3;\n@%q2 st.shared.v4.u32 [%rd6], {%id, %id, %id, %id};\n" + two + out + "E:\n", false},
		{"a product", at + fill + bar + two + zero + product + out, true},
		{"a product of some lanes", at + fill + bar + two + zero + "setp.lt.u32 %q1, %lane, 16;\n@!%q1 bra E;\n" + product + out + "E:\n", false},
		{"a transpose", at + "mov.u32 %r2, %id;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;\n" + out, true},
		{"half rows of bytes", at + "setp.ne.u32 %q1, %id, 9;\n@%q1 st.shared.u32 [%rd5], %id;\n@!%q1 st.shared.u16 [%rd5], %id;\n" + bar + two + out, false},
		{"rows of bytes", at + "setp.ne.u32 %q1, %id, 9;\n@%q1 st.shared.u32 [%rd5], %id;\n@!%q1 st.shared.u16 [%rd5], %id;\n@!%q1 st.shared.u16 [%rd5+2], %id;\n" + bar + two + out, true},
	})
	for body, want := range map[string]string{
		"mov.b32 %r8, 0;\nmov.b32 %r1, 0;\n" + product:                                                     "register %r2 may be read before it is written",
		"wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {%r1}, [sm];\n":                                    "a matrix in memory",
		"mov.b32 %r1, 0;\nmov.b32 %r2, 0;\nmov.b32 %r8, 0;\n" + product + "add.u32 %r1, %r4, %r9;\n" + out: "register %r9 may be read before it is written",
	} {
		_, tried, why := verdict.Screen(t.Context(), kernelOf(t, kit.Kernel("sm_80", 2, at+body)), session.Launch{Launch: screenLaunch("")}, false)
		if tried || why != want {
			t.Errorf("%q: tried %v, because of %q, want %q", body, tried, why, want)
		}
	}
}
