package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	sample "example.org/crosslane/internal/short"
)

// This file tests launches that do not end normally. Every engine must report the same first fault
// with its lanes, place and reason, or, after a timeout, the same places of the lanes.

// ending runs a kernel with a buffer of 4096 words and the given inputs on every engine, and
// reports a difference from the reference in the final messages or the output. A launch without its
// own timeout has one worker, because any of several blocks at a time may be the first to fault.
// The result is the codes of the reference's messages.
func ending(t *testing.T, src string, isa crosslane.ISA, l crosslane.Launch, inputs ...[]uint32) (codes string) {
	t.Helper()
	var said, wrote string
	for i, how := range Choices() {
		if how.Workers > 1 && l.Timeout == 0 {
			continue
		}
		m, err := crosslane.Load([]byte(src), "k", isa)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out := crosslane.NewBuffer("out", crosslane.U32, 4096)
		l.Args = []crosslane.Arg{out}
		for j, in := range inputs {
			l.Args = append(l.Args, crosslane.Slice(fmt.Sprintf("in%d", j), in))
		}
		l.Engine, l.Native, l.Workers = how.Engine, how.Native, how.Workers
		res, err := k.Run(t.Context(), l)
		list := diag.Of(err)
		if res != nil {
			list = append(list, res.Findings...)
		}
		var s, c []string
		for _, d := range list {
			s = append(s, fmt.Sprintf("%s: lanes %q, block %v, wave %d, %d blocks, %d times: %v; %s; %v", d.Code, d.Lanes, d.Block, d.Wave, d.Blocks, d.Count, d, d.Remedy, d.Related))
			c = append(c, d.Code)
		}
		got, data := strings.Join(s, "\n"), fmt.Sprintf("%x", out.Data)
		if l.Timeout > 0 {
			data = "" // the output depends on the time that was left
		}
		switch {
		case i == 0:
			said, wrote, codes = got, data, strings.Join(c, " ")
		case got != said:
			t.Errorf("%s %s, %d workers: said\n%s\nwant\n%s\n%s", how.Engine, how.Native, how.Workers, got, said, src)
		case data != wrote:
			t.Errorf("%s %s, %d workers: the output is\n%s\nwant\n%s\n%s", how.Engine, how.Native, how.Workers, data, wrote, src)
		}
	}
	return codes
}

func ptxKernel(params, decl, body string) string {
	return ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" +
		".visible .entry k(.param .u64 out" + params + ")\n{\n.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n" + decl +
		"\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd1, %rd0;\n" + body + "\nret;\n}\n"
}

// TestFreed frees memory that an access has found many times. The memory is freed by the same
// lanes, other lanes, other waves or another block, and then accessed again.
func TestFreed(t *testing.T) {
	t.Parallel()
	const (
		malloc = "call (%rd3), malloc, (4096);\n"
		access = "mul.wide.u32 %rd4, %r0, 4;\nadd.u64 %rd4, %rd3, %rd4;\n"
		// The loop runs ten times; the last few rounds come after the memory was freed.
		top    = "mov.u32 %r1, 0;\ntop:\n"
		again  = "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 bra top;\n"
		atSix  = "setp.ne.u32 %p2, %r1, 6;\n@%p2 bra skip;\ncall free, (%rd3);\nskip:\n"
		one    = "setp.ne.u32 %p2, %r1, 6;\nsetp.ne.or.u32 %p2, %r0, 40, %p2;\n@%p2 bra skip;\ncall free, (%rd3);\nskip:\nbar.sync 0;\n"
		shared = "setp.ne.u32 %p3, %r0, 0;\n@%p3 bra have;\n" + malloc + "st.shared.u64 [p], %rd3;\nhave:\nbar.sync 0;\nld.shared.u64 %rd3, [p];\n"
	)
	for name, body := range map[string]string{
		"its own":       malloc + "add.u64 %rd4, %rd3, 8;\n" + top + "st.u32 [%rd4], %r1;\n" + atSix + again,
		"loads":         malloc + "add.u64 %rd4, %rd3, 8;\n" + top + "ld.u32 %r2, [%rd4];\nst.global.u32 [%rd1], %r2;\n" + atSix + again,
		"global loads":  malloc + "add.u64 %rd4, %rd3, 8;\n" + top + "ld.global.u32 %r2, [%rd4];\nst.global.u32 [%rd1], %r2;\n" + atSix + again,
		"atomics":       malloc + "add.u64 %rd4, %rd3, 8;\n" + top + "atom.add.u32 %r2, [%rd4], 1;\nst.global.u32 [%rd1], %r2;\n" + atSix + again,
		"another wave":  shared + access + top + "st.u32 [%rd4], %r1;\nld.u32 %r2, [%rd4];\nst.global.u32 [%rd1], %r2;\n" + one + again,
		"vectors":       shared + "mul.wide.u32 %rd4, %r0, 16;\nadd.u64 %rd4, %rd3, %rd4;\n" + top + "st.v4.u32 [%rd4], {%r0,%r1,%r0,%r1};\nld.v2.u64 {%rd5,%rd6}, [%rd4];\nst.global.u64 [%rd0], %rd5;\n" + one + again,
		"gathers":       shared + "mul.lo.u32 %r3, %r0, 37;\nand.b32 %r3, %r3, 1023;\nmul.wide.u32 %rd4, %r3, 4;\nadd.u64 %rd4, %rd3, %rd4;\n" + top + "atom.add.u32 %r2, [%rd4], %r1;\nld.u32 %r2, [%rd4];\nst.global.u32 [%rd1], %r2;\n" + one + again,
		"and a new one": malloc + top + "st.u32 [%rd3+8], %r1;\n" + strings.Replace(atSix, "skip:", malloc+"skip:", 1) + again + "ld.u32 %r2, [%rd3+8];\nst.global.u32 [%rd1], %r2;\n",
	} {
		src := ptxKernel("", ".shared .align 8 .b64 p;", body)
		codes := ending(t, src, crosslane.PTX, crosslane.Launch{Grid: crosslane.Dim3{X: 3}, Block: crosslane.Dim3{X: 64}})
		if want := map[bool]string{false: "use-after-free", true: ""}[name == "and a new one"]; codes != want {
			t.Errorf("%s: %q, want %q", name, codes, want)
		}
	}
}

// TestEndless checks that a timeout ends launches that never end. The place of the lanes then does
// not depend on their progress: one fragment of one wave runs, in one block of code.
func TestEndless(t *testing.T) {
	t.Parallel()
	const giveUp = "add.u64 %rd9, %rd9, 1;\nsetp.eq.u64 %p2, %rd9, 0;\n@%p2 bra end;\n"
	for name, body := range map[string]string{
		"one block":    "top: bra top;",
		"a count":      "top: add.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;\nbra top;",
		"some lanes":   "setp.gt.u32 %p1, %r0, 7;\n@%p1 bra end;\ntop: add.u32 %r1, %r1, 1;\nbra top;\nend:",
		"another wave": "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra end;\ntop: add.u32 %r1, %r1, 1;\nbra top;\nend: bar.sync 0;",
		// These kernels count their rounds and would stop at last, so that they are not livelocks.
		"never written": "top: ld.volatile.global.u32 %r1, [%rd0];\n" + giveUp + "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra top;\nend:",
		"a lock":        "top: atom.global.cas.b32 %r1, [%rd0], 0, 1;\n" + giveUp + "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra top;\nend:",
	} {
		lanes := uint32(32)
		if strings.Contains(body, "bar.sync") {
			lanes = 64
		}
		l := crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: lanes}, Timeout: sample.Of[time.Duration](60, 20) * time.Millisecond}
		if codes := ending(t, ptxKernel("", "", body), crosslane.PTX, l); codes == "" {
			t.Errorf("%s: it has ended", name)
		}
	}
}

// TestFirstFault runs several waves with barriers between, and with faults of several kinds at
// random places. The first fault in the order of waves and blocks is reported, and the stores
// before it are in the output.
func TestFirstFault(t *testing.T) {
	t.Parallel()
	const steps, lanes, blocks = 6, 96, 2
	// in0 holds the action of each lane at each step.
	kinds := []string{
		"mul.wide.u32 %rd5, %r6, 4096;\nadd.u64 %rd5, %rd5, %rd1;\nld.global.u32 %r7, [%rd5];\nadd.u32 %r5, %r5, %r7;\n",
		"mul.wide.u32 %rd5, %r6, 4096;\nadd.u64 %rd5, %rd5, %rd1;\nst.global.u32 [%rd5], %r5;\n",
		"mul.wide.u32 %rd5, %r6, 2;\nadd.u64 %rd5, %rd5, %rd1;\nst.global.u32 [%rd5], %r5;\n",
		"mad.lo.u32 %r8, %r6, 65536, %r9;\nst.shared.u32 [%r8], %r5;\nld.shared.u32 %r7, [%r9];\nadd.u32 %r5, %r5, %r7;\n",
		"mul.wide.u32 %rd5, %r6, 4096;\nadd.u64 %rd5, %rd5, %rd1;\natom.global.add.u32 %r7, [%rd5], %r5;\n",
		"setp.ne.u32 %p2, %r6, 0;\n@%p2 trap;\n",
	}
	seen := map[string]int{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0x66617374))
		in := make([]uint32, steps*lanes*blocks*len(kinds))
		for range r.IntN(6) {
			at := r.IntN(len(in))
			in[at] = 1 + r.Uint32N(3)
			for range r.IntN(3) { // other lanes at that step, with the same kind of fault
				in[at/lanes*lanes+r.IntN(lanes)] = 1 + r.Uint32N(3)
			}
		}
		var body strings.Builder
		// %r2 is the index of the lane's place in in0, which is at %rd3.
		fmt.Fprintf(&body, "ld.param.u64 %%rd3, [in];\nmov.u32 %%r3, %%ctaid.x;\nmad.lo.u32 %%r2, %%r3, %d, %%r0;\nmul.wide.u32 %%rd4, %%r2, 4;\nadd.u64 %%rd3, %%rd3, %%rd4;\n", steps*lanes*len(kinds))
		fmt.Fprintf(&body, "mad.lo.u32 %%r4, %%r3, %d, %%r0;\nmul.wide.u32 %%rd1, %%r4, 4;\nadd.u64 %%rd1, %%rd1, %%rd0;\nmul.lo.u32 %%r9, %%r0, 4;\nmov.u32 %%r1, 0;\nmov.u32 %%r5, 1;\ntop:\n", lanes)
		order := r.Perm(len(kinds))[:1+r.IntN(len(kinds))]
		for n, i := range order {
			fmt.Fprintf(&body, "ld.global.u32 %%r6, [%%rd3+%d];\n", 4*lanes*i)
			some := r.IntN(3) == 0
			if some { // the other lanes branch around this
				fmt.Fprintf(&body, "and.b32 %%r7, %%r0, %d;\nsetp.eq.u32 %%p3, %%r7, 0;\n@%%p3 bra past%d;\n", 1+r.IntN(7), n)
			}
			body.WriteString(kinds[i])
			if some {
				fmt.Fprintf(&body, "past%d:\n", n)
			}
			if r.IntN(2) == 0 {
				body.WriteString("bar.sync 0;\n")
			}
		}
		fmt.Fprintf(&body, "st.global.u32 [%%rd1+8192], %%r5;\nbar.sync 0;\nadd.u64 %%rd3, %%rd3, %d;\nadd.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p1, %%r1, %d;\n@%%p1 bra top;\n", 4*lanes*len(kinds), steps)
		codes := ending(t, ptxKernel(", .param .u64 in", ".shared .b32 s[96];", body.String()), crosslane.PTX,
			crosslane.Launch{Grid: crosslane.Dim3{X: blocks}, Block: crosslane.Dim3{X: lanes}}, in)
		seen[codes]++
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Log(seen)
	for _, code := range []string{"", "out-of-bounds", "misaligned", "trap"} {
		if seen[code] == 0 {
			t.Errorf("no launch ended with %q", code)
		}
	}
}
