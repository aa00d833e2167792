package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// The addresses of a thread: %rd2 and %rd4 in the buffers, %rd3 in shared memory; %rd5 is the word of the block, %q1
// says that the thread is the first of its block, %q2 that the block is the first.
const atomicsAt = "mad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\nadd.s64 %rd4, %rd1, %p1;\n" +
	"mul.wide.u32 %rd1, %id, 4;\nmov.u64 %rd3, sm;\nadd.s64 %rd3, %rd3, %rd1;\nmul.wide.u32 %rd1, %bid, 8;\nadd.s64 %rd5, %rd1, %p0;\n" +
	"setp.eq.u32 %q1, %id, 0;\nsetp.eq.u32 %q2, %bid, 0;\nxor.b32 %r11, %id, 1;\nmul.wide.u32 %rd1, %r11, 4;\nmov.u64 %rd6, sm;\nadd.s64 %rd6, %rd6, %rd1;\nmov.u32 %r12, 0;\nmov.u32 %r13, 1;\n"

// What a check finds in a kernel of TestScreeningOfAtomics.
type outcome int

const (
	clean  outcome = iota // nothing, and a screening run proves it
	silent                // nothing, and a screening run does not prove it
	faulty                // an error, a warning or a note
)

// A screening run is clean for kernels whose atomics commute or do not meet, and suspicious of the same kernels with a
// mistake. A clean run never hides a finding.
func TestScreeningOfAtomics(t *testing.T) {
	t.Parallel()
	const bar = "bar.sync 0;\n"
	const fill, sum, out = "st.shared.u32 [%rd3], 0;\n", "and.b32 %r1, %id, 7;\nmul.wide.u32 %rd7, %r1, 4;\nmov.u64 %rd8, sm;\nadd.s64 %rd8, %rd8, %rd7;\nred.shared.add.u32 [%rd8], 1;\n", "ld.shared.u32 %r2, [%rd3];\nst.global.u32 [%rd2], %r2;\n"
	const own, use = "red.global.add.u32 [%rd5], 1;\n", "ld.global.u32 %r2, [%rd5];\nst.global.u32 [%rd4], %r2;\n"
	for _, c := range []struct {
		name, body string
		want       outcome
	}{
		{"one word", "red.global.add.u32 [%p0], 1;\n", clean},
		{"one word, generic", "red.add.u32 [%p0], 1;\n", clean},
		{"one word of 8 bytes", "red.global.add.u64 [%p0], %rd1;\n", clean},
		{"an old value that nothing reads", "atom.global.add.u32 %r1, [%p0], %id;\n", clean},
		{"half of the lanes", "setp.lt.u32 %q3, %lane, 16;\n@!%q3 red.global.add.u32 [%p0], 1;\n", clean},
		{"the largest signed number", "red.global.max.s32 [%p0], %id;\n", clean},
		{"bits", "red.global.xor.b32 [%p0], %id;\n", clean},
		{"beyond the end", "red.global.add.u32 [%rd2+768], 1;\n", faulty},
		{"one word, the scope of a block", "red.relaxed.cta.global.add.u32 [%p0], 1;\n", faulty},
		{"a word for each block, the scope of a block", "red.relaxed.cta.global.add.u32 [%rd5], 1;\n", clean},
		{"one word, two scopes", "@%q2 red.relaxed.cta.global.add.u32 [%p0], 1;\n@!%q2 red.relaxed.gpu.global.add.u32 [%p0], 1;\n", faulty},
		{"one word, two scopes, the other way round", "@!%q2 red.relaxed.cta.global.add.u32 [%p0], 1;\n@%q2 red.relaxed.gpu.global.add.u32 [%p0], 1;\n", faulty},
		{"two scopes in a block", "@%q1 red.relaxed.cta.global.add.u32 [%rd5], 1;\n@!%q1 red.relaxed.gpu.global.add.u32 [%rd5], 1;\n", clean},
		{"releases", "st.global.u32 [%rd4], %id;\nred.release.gpu.global.add.u32 [%p0], 1;\n", clean},
		{"a maximum and a sum in two buffers", "red.global.max.u32 [%p0], %id;\nred.global.add.u32 [%p1], %id;\n", clean},
		{"a maximum and a sum of one word", "red.global.max.u32 [%p0], %r10;\nred.global.add.u32 [%p0], 3;\n", faulty},
		{"sums of two sizes", "red.global.add.u32 [%p0], 1;\nred.global.add.u64 [%p0+8], %rd1;\n", silent},

		{"a barrier, then the sum", own + bar + use, clean},
		{"the sum without a barrier", own + use, faulty},
		{"the sum of both blocks", "red.global.add.u32 [%p0], 1;\n" + bar + "ld.global.u32 %r2, [%p0];\nst.global.u32 [%rd4], %r2;\n", faulty},
		{"a word that the block clears", "@%q1 st.global.u32 [%rd5], 0;\n" + bar + own + bar + use, clean},
		{"a word that the block clears without a barrier", "@%q1 st.global.u32 [%rd5], 0;\n" + own + bar + use, faulty},
		{"a word that the block clears, and no barrier after", "@%q1 st.global.u32 [%rd5], 0;\n" + bar + own + use, faulty},
		{"a word that one block clears and both update", "and.pred %q3, %q1, %q2;\n@%q3 st.global.u32 [%p0], 0;\n" + bar + "red.global.add.u32 [%p0], 1;\n", faulty},
		{"a word that one block updates and then clears", "red.global.add.u32 [%p0], 1;\n" + bar + "and.pred %q3, %q1, %q2;\n@%q3 st.global.u32 [%p0], 0;\n", faulty},
		{"a word that the second block updates and then clears", "red.global.add.u32 [%p0], 1;\n" + bar + "not.pred %q4, %q2;\nand.pred %q3, %q1, %q4;\n@%q3 st.global.u32 [%p0], 0;\n", faulty},
		{"a word that the first block updates and then looks at", "red.global.add.u32 [%p0], 1;\n" + bar + "@!%q2 bra E;\nld.global.u32 %r2, [%p0];\nst.global.u32 [%rd4], %r2;\nE:\n", faulty},
		{"a word that the second block looks at", "@%q2 red.global.add.u32 [%p0], 1;\n@%q2 bra E;\nld.global.u32 %r2, [%p0];\nst.global.u32 [%rd4], %r2;\nE:\n", faulty},
		{"a word that the first block looks at", "@!%q2 red.global.add.u32 [%p0], 1;\n@!%q2 bra E;\nld.global.u32 %r2, [%p0];\nst.global.u32 [%rd4], %r2;\nE:\n", faulty},
		{"a word that the second block stores", "@%q2 red.global.add.u32 [%p0], 1;\nnot.pred %q4, %q2;\nand.pred %q3, %q1, %q4;\n@%q3 st.global.u32 [%p0], 5;\n", faulty},
		{"a word that the first block stores", "@!%q2 red.global.add.u32 [%p0], 1;\nand.pred %q3, %q1, %q2;\n@%q3 st.global.u32 [%p0], 5;\n", faulty},
		{"a thread's own word", "st.global.u32 [%rd2], %id;\nred.global.add.u32 [%rd2], 1;\nld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd4], %r2;\n", clean},
		{"a thread's own word, not read", "st.global.u32 [%rd2], %id;\nred.global.add.u32 [%rd2], 1;\n", clean},
		{"a thread's word that it looked at", "ld.global.u32 %r2, [%rd2];\nred.global.add.u32 [%rd2], %r2;\n", clean},
		{"the neighbour's word that it looked at", "ld.global.u32 %r2, [%rd2+4];\nred.global.add.u32 [%rd2], %r2;\n", faulty},
		{"a load of data that stay constant", "red.global.add.u32 [%p0], 1;\nld.global.nc.u32 %r2, [%p0];\nst.global.u32 [%rd4], %r2;\n", faulty},
		{"a byte of the word, a barrier", "@%q1 st.global.u8 [%rd5+1], 3;\n" + bar + own, clean},
		{"a byte of the word", "@%q1 st.global.u8 [%rd5+1], 3;\n" + own, faulty},
		{"the other half of 8 bytes", "@%q1 st.global.u32 [%rd5+4], 3;\nred.global.add.u64 [%rd5], 1;\n", faulty},
		{"the other half of 8 bytes, a barrier", "@%q1 st.global.u32 [%rd5+4], 3;\n" + bar + "red.global.add.u64 [%rd5], 1;\n", clean},

		{"shared memory", fill + bar + sum + bar + out, clean},
		{"shared memory, the old value not read", fill + bar + strings.Replace(sum, "red.shared.add.u32 ", "atom.shared.add.u32 %r3, ", 1) + bar + out, clean},
		{"shared memory without the first barrier", fill + sum + bar + out, faulty},
		{"shared memory without the second barrier", fill + bar + sum + out, faulty},
		{"shared memory that nothing wrote", sum + bar + out, faulty},
		{"shared memory of which the updated half was written", "setp.ge.u32 %q3, %id, 8;\n@!%q3 st.shared.u32 [%rd3], 0;\n" + bar + sum + bar + "@%q3 bra E;\n" + out + "E:\n", clean},
		{"shared memory of which the other half was written", "setp.lt.u32 %q3, %id, 8;\n@!%q3 st.shared.u32 [%rd3], 0;\n" + bar + sum + bar + out, faulty},
		{"a thread's own word of shared memory", fill + "red.shared.add.u32 [%rd3], 1;\n" + bar + out, clean},
		{"the neighbour's word of shared memory", fill + "red.shared.add.u32 [%rd6], 1;\n" + bar + out, faulty},
		{"a thread's own word, then the neighbour's", fill + "red.shared.add.u32 [%rd3], 1;\nred.shared.add.u32 [%rd6], 1;\n" + bar + out, faulty},
		{"a word of shared memory that is looked at meanwhile", fill + bar + "ld.shared.u32 %r3, [%rd6];\nred.shared.add.u32 [%rd3], %r3;\n" + bar + out, faulty},
		{"a sum and a maximum of shared memory", fill + bar + sum + bar + "red.shared.max.u32 [sm], %id;\n" + bar + out, silent},

		{"a volatile copy", "ld.volatile.global.u32 %r2, [%rd2];\nst.volatile.global.u32 [%rd4], %r2;\n", silent},
		{"a copy past the nearest cache", "ld.global.cg.u32 %r2, [%rd2];\nst.global.cg.u32 [%rd4], %r2;\n", silent},
		{"a relaxed exchange with a barrier", "st.relaxed.gpu.shared.u32 [%rd3], %id;\n" + bar + "ld.relaxed.gpu.shared.u32 %r2, [%rd6];\nst.global.u32 [%rd4], %r2;\n", silent},
		{"a volatile exchange", "st.volatile.shared.u32 [%rd3], %id;\nld.volatile.shared.u32 %r2, [%rd6];\nst.global.u32 [%rd4], %r2;\n", faulty},
		{"a volatile load of shared memory that nothing wrote", "ld.volatile.shared.u32 %r2, [%rd3];\nst.global.u32 [%rd4], %r2;\n", faulty},
		{"a relaxed word of all threads", "st.relaxed.gpu.global.u32 [%p0], 5;\n", silent},
		{"a relaxed word that the other block looks at", "@%q2 st.relaxed.gpu.global.u32 [%p0], 5;\n@%q2 bra E;\nld.relaxed.gpu.global.u32 %r2, [%p0];\nst.global.u32 [%rd4], %r2;\nE:\n", faulty},
		{"a volatile load of a word that another thread updates", "ld.volatile.global.u32 %r2, [%rd5];\nred.global.add.u32 [%rd5], %r2;\n", silent},

		{"a ticket", "atom.global.add.u32 %r1, [%p0], 1;\nst.global.u32 [%rd4], %r1;\n", faulty},
		{"a thread's own old value", "atom.global.add.u32 %r1, [%rd2], 1;\nst.global.u32 [%rd4], %r1;\n", silent},
		{"a ticket for each block", "@%q1 atom.global.add.u32 %r12, [%rd5], 1;\nst.global.u32 [%rd4], %r12;\n", silent},
		{"old values of two threads and a barrier", "@%q1 atom.global.add.u32 %r12, [%rd5], 1;\n" + bar + "setp.eq.u32 %q3, %id, 40;\n@%q3 atom.global.add.u32 %r12, [%rd5], 1;\nst.global.u32 [%rd4], %r12;\n", silent},
		{"old values of two threads", "@%q1 atom.global.add.u32 %r12, [%rd5], 1;\nsetp.eq.u32 %q3, %id, 40;\n@%q3 atom.global.add.u32 %r12, [%rd5], 1;\nst.global.u32 [%rd4], %r12;\n", faulty},
		{"an old value of shared memory", fill + "atom.shared.add.u32 %r1, [%rd3], 1;\nst.global.u32 [%rd4], %r1;\n", silent},
		{"old values of shared memory", fill + bar + "atom.shared.add.u32 %r1, [sm], 1;\nst.global.u32 [%rd4], %r1;\n", faulty},
		{"an old value that decides", "atom.global.add.u32 %r1, [%p0], 1;\nsetp.eq.u32 %q3, %r1, 5;\n@%q3 st.global.u32 [%rd4], 1;\n", faulty},
		{"one exchange for all", "atom.global.exch.b32 %r1, [%p0], 7;\n", clean},
		{"an exchange for each thread", "atom.global.exch.b32 %r1, [%p0], %r10;\n", faulty},
		{"one compare-and-swap for all", "atom.global.cas.b32 %r1, [%p0], 0, 9;\n", clean},
		{"two compare-and-swaps", "@%q2 atom.global.cas.b32 %r1, [%p0], 0, 9;\n@!%q2 atom.global.cas.b32 %r1, [%p0], 0, 8;\n", faulty},
		{"a compare-and-swap that decides", "atom.global.cas.b32 %r1, [%p0], 0, 9;\nsetp.eq.u32 %q3, %r1, 0;\n@%q3 st.global.u32 [%p1], %r10;\n", faulty},
		{"one increment for all", "atom.global.inc.u32 %r1, [%p0], 50;\n", clean},
		{"an increment for each thread", "atom.global.inc.u32 %r1, [%p0], %r10;\n", faulty},
		{"floats", "mov.b32 %r1, 0f3dcccccd;\nmad.lo.u32 %r1, %r10, 99991, %r1;\nred.global.add.f32 [%p0], %r1;\n", faulty},
		{"a thread's own float", "mov.b32 %r1, 0f3dcccccd;\nred.global.add.f32 [%rd2], %r1;\n", silent},
	} {
		for _, engine := range []string{"interp", "jit"} {
			t.Run(c.name+" on "+engine, func(t *testing.T) {
				t.Parallel()
				sm := map[string]string{"interp": "sm_80", "jit": "sm_60"}[engine]
				if strings.Contains(c.body, "relaxed") || strings.Contains(c.body, "release") {
					sm = "sm_80"
				}
				k := kernelOf(t, kit.Kernel(sm, 2, atomicsAt+c.body))
				for _, words := range []bool{false, true} {
					got, tried, why := verdict.Screen(t.Context(), k, session.Launch{Launch: screenLaunch(engine)}, words)
					if !tried && why != "accesses that have no tags" && why != "an atomic whose order shows" && why != "a load that may wait" || got != (c.want == clean) && (words || !strings.Contains(c.name, "half")) {
						t.Errorf("words %v: tried %v, clean %v: %s", words, tried, got, why)
					}
				}
				sameWithoutScreening(t, k, c.want == faulty && sm == "sm_80", c.want == faulty)
			})
		}
	}
}

// sameWithoutScreening checks a kernel with and without screening, and compares findings and memory.
func sameWithoutScreening(t *testing.T, k *session.Kernel, faulty, maybe bool) {
	t.Helper()
	var found [2][]string
	var memory [2][]byte
	for i := range found {
		l := screenLaunch("")
		res, err := verdict.CheckOn(t.Context(), k, session.Launch{Launch: l, Unscreened: i > 0})
		if err != nil {
			found[i] = append(found[i], err.Error())
		}
		if res != nil {
			for _, d := range res.Findings {
				found[i] = append(found[i], d.Code+": "+d.Message)
			}
		}
		for _, a := range l.Args {
			memory[i] = append(memory[i], a.(*crosslane.Buffer).Data...)
		}
	}
	if !slices.Equal(found[0], found[1]) {
		t.Errorf("with screening %q, without %q", found[0], found[1])
	}
	if len(found[1]) > 0 && !maybe || len(found[1]) == 0 && faulty {
		t.Errorf("the check finds %q; a fault is expected: %v", found[1], faulty)
	}
	if !slices.Equal(memory[0], memory[1]) {
		t.Error("the memory is not the same with and without screening")
	}
}

// Random programs of loads, stores, atomics and barriers have the same findings and results with and without
// screening, and many are clean.
func TestScreeningOfRandomAtomics(t *testing.T) {
	t.Parallel()
	programs := short.Of(300, 60)
	if *long {
		programs = 20000
	}
	proved, tries := 0, 0
	for n := range programs {
		r := rand.New(rand.NewPCG(uint64(n), 11))
		body := atomicsAt + "st.shared.u32 [%rd3], %id;\nbar.sync 0;\n"
		places := []string{"[%p0]", "[%p0+4]", "[%rd5]", "[%rd2]", "[%rd2+4]", "[%p1]", "[%rd4]"}
		if n%3 == 0 {
			places = []string{"[sm]", "[sm+4]", "[%rd3]", "[%rd6]"}
		}
		space := []string{"shared", "global", "global"}[n%3]
		places = places[:2+r.IntN(len(places)-1)]
		op := []string{"add.u32", "max.u32", "or.b32"}[r.IntN(3)]
		for range 2 + r.IntN(7) {
			at := places[r.IntN(len(places))]
			guard := []string{"", "", "@%q1 ", "@!%q1 ", "@%q2 ", "@!%q2 "}[r.IntN(6)]
			scope := []string{"", "", ".relaxed.gpu", ".relaxed.cta"}[r.IntN(4)]
			switch r.IntN(9) {
			case 0:
				body += fmt.Sprintf("%sst.%s.u32 %s, %d;\n", guard, space, at, r.IntN(3))
			case 1:
				body += fmt.Sprintf("%sld.%s.u32 %%r12, %s;\n", guard, space, at)
			case 2, 3:
				body += "bar.sync 0;\n"
			case 4:
				body += fmt.Sprintf("%satom%s.%s.%s %%r13, %s, %%r12;\n", guard, scope, space, op, at)
			default:
				body += fmt.Sprintf("%sred%s.%s.%s %s, 1;\n", guard, scope, space, op, at)
			}
		}
		if r.IntN(2) == 0 {
			body += "bar.sync 0;\nadd.u32 %r12, %r12, %r13;\nst.global.u32 [%rd4], %r12;\n"
		}
		k := kernelOf(t, kit.Kernel("sm_80", 2, body))
		clean, tried, _ := verdict.Screen(t.Context(), k, session.Launch{Launch: screenLaunch([]string{"interp", "jit"}[n%2])}, n%5 == 0)
		if clean {
			proved++
		}
		if tried {
			tries++
		}
		audit := &orderAudit{t: t}
		if _, err := (*crosslane.Kernel)(k).Check(verdict.Audited(t.Context(), audit), screenLaunch("")); err != nil {
			t.Fatal(err)
		}
		if clean {
			sameWithoutScreening(t, k, false, false)
		}
		if t.Failed() {
			t.Fatalf("program %d\n%s", n, body)
		}
	}
	t.Logf("of %d programs %d are tried, %d are clean", programs, tries, proved)
	if proved < programs/16 {
		t.Errorf("screening is clean for %d of %d programs", proved, programs)
	}
}
