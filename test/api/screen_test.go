package api_test

import (
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// A screening run is clean for a kernel without mistakes, and suspicious of the same kernel with one.
func TestScreening(t *testing.T) {
	t.Parallel()
	const at = "mad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\nadd.s64 %rd4, %rd1, %p1;\nmul.wide.u32 %rd1, %id, 4;\nmov.u64 %rd3, sm;\nadd.s64 %rd3, %rd3, %rd1;\n"
	const fill = "st.shared.u32 [%rd3], %id;\n"
	const fold = "setp.lt.u32 %q1, %id, 32;\n@!%q1 bra E;\nld.shared.u32 %r1, [%rd3];\nld.shared.u32 %r2, [%rd3+128];\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [%rd3], %r1;\nE:\n"
	const out = "ld.shared.u32 %r2, [sm];\nst.global.u32 [%rd2], %r2;\n"
	const loop = "mov.u32 %r3, 0;\nL:\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %q2, %r3, LIMIT;\n@%q2 bra L;\nst.global.u32 [%rd2], %id;\n"
	type kernel struct {
		name, body string
		words      bool
		clean      bool
		target     string // "": both
	}
	for _, c := range []kernel{
		{name: "a tile", body: at + fill + "bar.sync 0;\n" + out, clean: true},
		{name: "a tile, its words looked at", body: at + fill + "bar.sync 0;\n" + out, words: true, clean: true},
		{name: "a tile without a barrier", body: at + fill + out},
		{name: "a tile without a barrier, its words looked at", body: at + fill + out, words: true},
		{name: "a tile that half of the threads fill", body: at + "setp.lt.u32 %q1, %id, 32;\n@%q1 st.shared.u32 [%rd3], %id;\nbar.sync 0;\n" + out},
		{name: "a tile that half of the threads fill, its words looked at", body: at + "setp.lt.u32 %q1, %id, 32;\n@%q1 st.shared.u32 [%rd3], %id;\nbar.sync 0;\n" + out, words: true, clean: true},
		{name: "a word that no thread fills", body: at + "setp.lt.u32 %q1, %id, 32;\n@!%q1 st.shared.u32 [%rd3], %id;\nbar.sync 0;\n" + out, words: true},
		{name: "a tree", body: at + fill + "bar.sync 0;\n" + fold + "bar.sync 0;\n" + out, words: true, clean: true},
		{name: "a tree without the last barrier", body: at + fill + "bar.sync 0;\n" + fold + out, words: true},
		{name: "a tree without the first barrier", body: at + fill + fold + "bar.sync 0;\n" + out, words: true},
		{name: "a word for each thread", body: at + "st.global.u32 [%rd2], %id;\n", clean: true},
		{name: "a word for all threads", body: at + "st.global.u32 [%p0], %id;\n"},
		{name: "a word for each block", body: at + "setp.eq.u32 %q1, %id, 0;\nmul.wide.u32 %rd1, %bid, 4;\nadd.s64 %rd2, %rd1, %p0;\n@%q1 st.global.u32 [%rd2], %id;\n", clean: true},
		{name: "a word for all blocks", body: at + "setp.eq.u32 %q1, %id, 0;\n@%q1 st.global.u32 [%p0], %id;\n"},
		{name: "in place", body: at + "ld.global.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd2], %r1;\n", clean: true},
		{name: "two words in place", body: at + "and.b32 %r1, %id, 31;\nsub.u32 %r1, %r10, %r1;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd5, %p0;\nsetp.lt.u32 %q1, %lane, 16;\n@!%q1 bra E;\nmul.wide.u32 %rd6, %lane, 8;\nadd.s64 %rd5, %rd5, %rd6;\nld.global.v2.u32 {%r1, %r2}, [%rd5];\nst.global.v2.u32 [%rd5], {%r2, %r1};\nE:\n", clean: true},
		{name: "the neighbour's word in place", body: at + "ld.global.u32 %r1, [%rd2+4];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd2], %r1;\n"},
		{name: "the word that another block reads", body: at + "ld.global.u32 %r1, [%p0];\nst.global.u32 [%rd2+4], %r1;\n", clean: true},
		{name: "the word that another block writes", body: at + "ld.global.u32 %r1, [%p0+256];\nst.global.u32 [%rd2+4], %r1;\n"},
		{name: "a word that two blocks read and the second one writes", body: at + "setp.eq.u32 %q1, %id, 0;\n@!%q1 bra E;\nld.global.u32 %r1, [%p0];\nst.global.u32 [%rd2+256], %r1;\nsetp.eq.u32 %q2, %bid, 1;\n@%q2 st.global.u32 [%p0], %id;\nE:\n"},
		{name: "a word that one block reads and writes", body: at + "setp.eq.u32 %q1, %id, 0;\n@!%q1 bra E;\nsetp.eq.u32 %q2, %bid, 1;\n@!%q2 bra E;\nld.global.u32 %r1, [%p0];\nst.global.u32 [%rd2+256], %r1;\nst.global.u32 [%p0], %id;\nE:\n", clean: true},
		{name: "a copy", body: at + "ld.global.u32 %r1, [%rd4];\nst.global.u32 [%rd2], %r1;\n", clean: true},
		{name: "a copy that reads other words", body: at + "ld.global.u32 %r1, [%p1+12];\nst.global.u32 [%rd2], %r1;\n", clean: true},
		{name: "a copy beyond the end", body: at + "ld.global.u32 %r1, [%rd4+1024];\nst.global.u32 [%rd2], %r1;\n"},
		{name: "a quotient", body: at + "add.u32 %r1, %id, 1;\ndiv.u32 %r1, %r10, %r1;\nst.global.u32 [%rd2], %r1;\n", clean: true},
		{name: "a quotient by zero", body: at + "div.u32 %r1, %r10, %id;\nst.global.u32 [%rd2], %r1;\n"},
		{name: "a byte for each thread", body: at + "cvt.u64.u32 %rd5, %r10;\nadd.s64 %rd5, %rd5, %p0;\nst.global.u8 [%rd5], %id;\n", clean: true},
		{name: "a byte for two threads", body: at + "shr.u32 %r1, %r10, 1;\ncvt.u64.u32 %rd5, %r1;\nadd.s64 %rd5, %rd5, %p0;\nst.global.u8 [%rd5], %id;\n"},
		{name: "two bytes in place", body: at + "mul.wide.u32 %rd5, %r10, 2;\nadd.s64 %rd5, %rd5, %p0;\nld.global.u16 %r1, [%rd5];\nst.global.u16 [%rd5], %r1;\n", clean: true},
		{name: "two bytes of the neighbour", body: at + "mul.wide.u32 %rd5, %r10, 2;\nadd.s64 %rd5, %rd5, %p0;\nld.global.u16 %r1, [%rd5+2];\nst.global.u16 [%rd5], %r1;\n"},
		{name: "a byte of the neighbour's word", body: at + "ld.global.u8 %r1, [%rd2+7];\nst.global.u32 [%rd2], %r1;\n"},
		// A negative offset may reach up to the address itself.
		{name: "the word before the address in place", body: at + "add.s64 %rd5, %rd2, 4;\nld.global.u32 %r1, [%rd5+-4];\nst.global.u32 [%rd2], %r1;\n", clean: true},
		{name: "the neighbour's word before the address", body: at + "xor.b32 %r1, %r10, 1;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd5, %p0;\nadd.s64 %rd5, %rd5, 4;\nld.global.u32 %r1, [%rd5+-4];\nst.global.u32 [%rd2], %r1;\n"},
		{name: "the neighbour's word before the address of a store", body: at + "xor.b32 %r1, %r10, 1;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd5, %p0;\nadd.s64 %rd5, %rd5, 4;\nld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd5+-4], %r1;\n"},
		{name: "eight bytes before the address in place", body: at + "mul.wide.u32 %rd5, %r10, 8;\nadd.s64 %rd5, %rd5, %p0;\nadd.s64 %rd6, %rd5, 8;\nld.global.u64 %rd7, [%rd6+-8];\nst.global.u64 [%rd5], %rd7;\n", clean: true},
		{name: "the neighbour's eight bytes before the address", body: at + "mul.wide.u32 %rd5, %r10, 8;\nadd.s64 %rd5, %rd5, %p0;\nxor.b32 %r1, %r10, 1;\nmul.wide.u32 %rd6, %r1, 8;\nadd.s64 %rd6, %rd6, %p0;\nadd.s64 %rd6, %rd6, 8;\nld.global.u64 %rd7, [%rd6+-8];\nst.global.u64 [%rd5], %rd7;\n"},
		{name: "addresses that are stored", body: at + "mul.wide.u32 %rd5, %r10, 8;\nadd.s64 %rd5, %rd5, %p0;\nst.global.u64 [%rd5], %rd2;\n", clean: true},
		{name: "addresses through shared memory", body: at + "shl.b32 %r1, %id, 3;\nmov.u32 %r2, sm;\nadd.u32 %r3, %r1, %r2;\nsetp.lt.u32 %q1, %id, 32;\n@!%q1 bra E;\nst.shared.u64 [%r3], %rd2;\nbar.warp.sync -1;\nld.shared.u64 %rd5, [%r3];\nst.global.u32 [%rd5], %id;\nE:\n", clean: true, target: "sm_80"},
		{name: "addresses of one word through shared memory", body: at + "shl.b32 %r1, %id, 3;\nmov.u32 %r2, sm;\nadd.u32 %r3, %r1, %r2;\nsetp.lt.u32 %q1, %id, 32;\n@!%q1 bra E;\nst.shared.u64 [%r3], %p0;\nbar.warp.sync -1;\nld.shared.u64 %rd5, [%r3];\nst.global.u32 [%rd5], %id;\nE:\n", target: "sm_80"},
		{name: "addresses beyond the end through shared memory", body: at + "add.s64 %rd2, %rd2, 644;\nshl.b32 %r1, %id, 3;\nmov.u32 %r2, sm;\nadd.u32 %r3, %r1, %r2;\nsetp.lt.u32 %q1, %id, 32;\n@!%q1 bra E;\nst.shared.u64 [%r3], %rd2;\nbar.warp.sync -1;\nld.shared.u64 %rd5, [%r3];\nst.global.u32 [%rd5], %id;\nE:\n", target: "sm_80"},
		// Loads whose word the thread stores next leave no tags.
		{name: "a word of each thread in place", body: at + fill + "bar.sync 0;\nld.shared.u32 %r1, [%rd3];\nadd.u32 %r1, %r1, 1;\nst.shared.u32 [%rd3], %r1;\n", words: true, clean: true},
		{name: "a word of all threads in place", body: at + fill + "bar.sync 0;\nmov.u64 %rd3, sm;\nld.shared.u32 %r1, [%rd3];\nst.shared.u32 [%rd3], %r1;\n", words: true},
		{name: "a word that all threads read and one stores", body: at + fill + "bar.sync 0;\nsetp.eq.u32 %q1, %id, 0;\nmov.u64 %rd3, sm;\nld.shared.u32 %r1, [%rd3];\n@%q1 st.shared.u32 [%rd3], %r1;\n", words: true},
		{name: "a word that one thread reads and stores", body: at + fill + "bar.sync 0;\nsetp.eq.u32 %q1, %id, 0;\nmov.u64 %rd3, sm;\n@%q1 ld.shared.u32 %r1, [%rd3];\n@%q1 st.shared.u32 [%rd3], 3;\n", words: true, clean: true},
		{name: "the next word after the thread's own", body: at + fill + "bar.sync 0;\nsetp.lt.u32 %q1, %id, 63;\n@!%q1 bra E;\nld.shared.u32 %r1, [%rd3];\nadd.s64 %rd3, %rd3, 4;\nst.shared.u32 [%rd3], %r1;\nE:\n", words: true},
		{name: "a word of global memory that one reads and one stores", body: at + "setp.eq.u32 %q1, %id, 0;\nld.global.u32 %r1, [%p0];\n@%q1 st.global.u32 [%p0], 1;\n"},
		{name: "words of global memory in place, and one that the next block reads", body: at + "ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd2], %r1;\nsetp.eq.u32 %q1, %bid, 1;\n@%q1 ld.global.u32 %r1, [%p0];\n"},
		{name: "few barriers", body: at + strings.ReplaceAll(loop, "LIMIT", "60"), clean: true},
		{name: "many barriers", body: at + strings.ReplaceAll(loop, "LIMIT", "70")},
	} {
		for _, engine := range []string{"interp", "jit"} {
			t.Run(c.name+" on "+engine, func(t *testing.T) {
				t.Parallel()
				sm := map[string]string{"interp": "sm_80", "jit": "sm_60"}[engine]
				if c.target != "" {
					sm = c.target
				}
				k := kernelOf(t, kit.Kernel(sm, 2, c.body))
				clean, tried, why := verdict.Screen(t.Context(), k, session.Launch{Launch: screenLaunch(engine)}, c.words)
				if !tried || clean != c.clean {
					t.Errorf("tried %v, clean %v, want %v: %s", tried, clean, c.clean, why)
				}
				audit := &orderAudit{t: t}
				if _, err := (*crosslane.Kernel)(k).Check(verdict.Audited(t.Context(), audit), screenLaunch("")); err != nil && c.clean {
					t.Error(err)
				}
			})
		}
	}
}

// Kernels that screening does not try, each with the reason.
func TestNotScreened(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, why string }{
		{"add.u32 %r1, %r2, 1;\nst.global.u32 [%p0], %r1;\n", "register %r2 may be read before it is written"},
		{"setp.eq.u32 %q1, %id, 0;\n@%q1 mov.u32 %r2, 1;\nst.global.u32 [%p0], %r2;\n", "register %r2 may be read before it is written"},
		{"setp.eq.u32 %q1, %id, 0;\n@%q1 bra E;\nmov.u32 %r2, 1;\nE:\nst.global.u32 [%p0], %r2;\n", "register %r2 may be read before it is written"},
		{"{\n.reg .b16 %h1;\nmov.b16 %h1, 0;\nred.global.add.noftz.f16 [%p0], %h1;\n}\n", "an atomic whose order shows"},
		{"bar.sync 1, 64;\n", "Bar"},
		{"activemask.b32 %r1;\n", "ActiveMask"},
		{"mov.u32 %r1, %clock;\n", "Clock"},
		{"ld.global.u64 %rd1, [%p0];\nst.global.u32 [%rd1], %id;\n", "an address that does not come from a parameter"},
	} {
		_, tried, why := verdict.Screen(t.Context(), kernelOf(t, kit.Kernel("sm_80", 2, c.body)), session.Launch{Launch: screenLaunch("")}, false)
		if tried || why != c.why {
			t.Errorf("%q: tried %v, because of %q, want %q", c.body, tried, why, c.why)
		}
	}
}

func kernelOf(t *testing.T, src string) *session.Kernel {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	return (*session.Kernel)(k)
}

// screenLaunch is two blocks of 64 threads with two buffers of 256 words.
func screenLaunch(engine string) crosslane.Launch {
	return crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 64}, Engine: engine,
		Args: []crosslane.Arg{crosslane.Slice("a", make([]uint32, 256)), crosslane.Slice("b", make([]uint32, 256))}}
}
