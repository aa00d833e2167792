package api_test

import (
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// Dynamic shared memory counts as memory that the block has to write, beside static memory and without it.
func TestScreeningDynamic(t *testing.T) {
	t.Parallel()
	const at = "mad.lo.u32 %r10, %bid, 64, %id;\nmul.wide.u32 %rd1, %r10, 4;\nadd.s64 %rd2, %rd1, %p0;\nmul.wide.u32 %rd1, %id, 4;\nmov.u64 %rd3, sm;\nadd.s64 %rd3, %rd3, %rd1;\nmov.u64 %rd5, dyn;\nadd.s64 %rd5, %rd5, %rd1;\n"
	const fill, more, out = "st.shared.u32 [%rd3], %id;\n", "st.shared.u32 [%rd5], %id;\n", "bar.sync 0;\nld.shared.u32 %r1, [%rd5];\nst.global.u32 [%rd2], %r1;\n"
	for _, c := range []struct {
		body  string
		clean bool
	}{
		{at + fill + more + out, true},
		{at + fill + out, false},
		{strings.ReplaceAll(at, "sm;", "dyn;") + more + out, true},
		{strings.ReplaceAll(at, "sm;", "dyn;") + out, false},
	} {
		src := strings.Replace(kit.Kernel("sm_80", 2, c.body), ".visible .entry", ".extern .shared .align 8 .b8 dyn[];\n.visible .entry", 1)
		if !strings.Contains(c.body, "sm;") {
			src = strings.Replace(src, "\t.shared .align 8 .b32 sm[64];\n", "", 1)
		}
		for _, words := range []bool{false, true} {
			l := screenLaunch("")
			l.Shared = 256
			clean, tried, why := verdict.Screen(t.Context(), kernelOf(t, src), session.Launch{Launch: l}, words)
			if !tried || clean != c.clean {
				t.Errorf("words %v: tried %v, clean %v, want %v: %s\n%s", words, tried, clean, c.clean, why, c.body)
			}
		}
	}
}

// A kernel that looks again and again at memory to which it also stores changes no memory that others see, and ends as
// a livelock.
func TestScreeningSpins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, begin, again string
	}{
		{"alone", "", ""},
		{"with volatile loads", "", ""},
		{"and stores to shared memory", "", "st.shared.u32 [sm], 1;\n"},
		{"and loads shared memory", "st.shared.u32 [sm], 1;\n", "ld.shared.u32 %r2, [sm];\n"},
		{"and stores to private memory", ".local .b32 own;\n", "st.local.u32 [own], 1;\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body := c.begin + "L:\n" + c.again + "ld.global.u32 %r1, [%p0];\nld.global.u32 %r2, [%p0];\nsetp.eq.u32 %q1, %r1, 0;\n@%q1 bra L;\nst.global.u32 [%p0+4], %r2;\n"
			if c.name == "with volatile loads" {
				body = strings.ReplaceAll(body, "ld.", "ld.volatile.")
			}
			screenSpin(t, body)
		})
	}
}

func screenSpin(t *testing.T, body string) {
	for flag, want := range []string{"livelock", ""} {
		l := crosslane.Launch{Timeout: 2 * time.Minute,
			Args: []crosslane.Arg{crosslane.Slice("a", []uint32{uint32(flag), 0}), crosslane.Slice("b", []uint32{0})}}
		k := kernelOf(t, kit.Kernel("sm_80", 2, body))
		clean, tried, why := verdict.Screen(t.Context(), k, session.Launch{Launch: l}, false)
		if strings.Contains(body, "ld.volatile") {
			if tried || why != "a load that may wait" {
				t.Errorf("flag %d: tried %v: %s", flag, tried, why)
			}
		} else if !tried || clean != (want == "") || why == "a suspicion" {
			t.Errorf("flag %d: tried %v, clean %v: %s", flag, tried, clean, why)
		}
		_, err := (*crosslane.Kernel)(k).Check(t.Context(), l)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("flag %d: %v, want %q", flag, err, want)
		}
	}
}

// A block that runs for long is set aside, and the next one uses the same tags of shared memory meanwhile. The stores of two of
// its warps to one word race nevertheless.
func TestScreeningSetsNoBlockAside(t *testing.T) {
	t.Parallel()
	const body = "setp.lt.u32 %q1, %id, 32;\n@%q1 bra S;\nmov.u32 %r3, 0;\nL:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %q2, %r3, ROUNDS;\n@%q2 bra L;\nS:\nsetp.eq.u32 %q3, %lane, 0;\n@%q3 st.shared.u32 [sm], %id;\n"
	for _, c := range []struct {
		rounds string
		clean  bool
	}{{"20000000", false}, {"60", false}, {"60", true}} {
		src := strings.ReplaceAll(body, "ROUNDS", c.rounds)
		if c.clean {
			src = "mul.wide.u32 %rd1, %id, 4;\nmov.u64 %rd3, sm;\nadd.s64 %rd3, %rd3, %rd1;\n" + strings.ReplaceAll(src, "[sm]", "[%rd3]")
		}
		clean, tried, why := verdict.Screen(t.Context(), kernelOf(t, kit.Kernel("sm_80", 2, src)), session.Launch{Launch: screenLaunch("jit")}, true)
		if !tried || clean != c.clean {
			t.Errorf("%s rounds: tried %v, clean %v: %s", c.rounds, tried, clean, why)
		}
	}
}

// Blocks and lanes that wait for a lock by atomics change no memory in a screening run either: the run ends, whether the
// lock is ever released or not.
func TestScreeningOfLocksEnds(t *testing.T) {
	t.Parallel()
	const loop = "L:\natom.global.cas.b32 %r1, [%p0], 0, 1;\nsetp.ne.u32 %q1, %r1, 0;\n@%q1 bra L;\n"
	for body, want := range map[string]string{
		loop: "livelock",
		loop + "atom.global.exch.b32 %r2, [%p0], 0;\n":                                                                 "",
		"st.shared.u32 [sm], 0;\n" + strings.ReplaceAll(strings.ReplaceAll(loop, "[%p0]", "[sm]"), "global", "shared"): "livelock",
	} {
		for _, lanes := range []uint32{1} {
			l := crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: lanes}, Timeout: 2 * time.Minute,
				Args: []crosslane.Arg{crosslane.Slice("a", []uint32{0, 0}), crosslane.Slice("b", []uint32{0})}}
			if strings.Contains(body, "shared") && lanes == 1 {
				continue // its only lane has the lock
			}
			for _, engine := range []string{"", "jit"} {
				l.Engine = engine
				_, err := kernelCheck(t, body, l)
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%d lanes: %v, want %q", lanes, err, want)
				}
			}
		}
	}
}

func kernelCheck(t *testing.T, body string, l crosslane.Launch) (*crosslane.Result, error) {
	return (*crosslane.Kernel)(kernelOf(t, kit.Kernel("sm_80", 2, body))).Check(t.Context(), l)
}
