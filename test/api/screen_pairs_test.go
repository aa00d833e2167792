package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// The rules of tags against the race detector, for all small cases: two accesses, and samples of three and four, of all
// kinds, orders, scopes, sizes and offsets, with and without a barrier between them, by all choices of the threads that make
// them. If a screening run is clean, then the check, which follows vector clocks, has no finding.

// smallAccesses are the accesses, by memory. Each stands for itself: the thread's number is compared before it. %rd2 is the
// address in the memory, and %rd3 or %r6 that of a word for each thread of a block. A later access of the same kind stores the same value, which is a note.
var smallAccesses = map[string][]string{
	"global": {
		"ld.global.u32 %r1, [%rd2];", "st.global.u32 [%rd2], %r9;", "red.global.add.u32 [%rd2], 1;", "red.relaxed.cta.global.add.u32 [%rd2], 1;", "red.global.max.u32 [%rd2], %r9;",
		"atom.global.exch.b32 %r1, [%rd2], 7;", "st.relaxed.gpu.global.u32 [%rd2], %r9;", "st.relaxed.cta.global.u32 [%rd2], %r9;", "st.volatile.global.u32 [%rd2], %r9;", "red.release.gpu.global.add.u32 [%rd2], 1;",
		"ld.global.u8 %r1, [%rd2+3];", "st.global.u8 [%rd2+3], %r9;", "ld.global.u16 %r1, [%rd2+-2];", "st.global.u16 [%rd2+2], %r9;",
		"ld.global.v2.u32 {%r1, %r2}, [%rd2];", "st.global.v2.u32 [%rd2], {%r9, %r9};", "ld.global.u64 %rd9, [%rd2+-8];", "st.global.u64 [%rd2+-8], %rd8;", "red.global.add.u64 [%rd2], %rd8;",
		"ld.u32 %r1, [%rd2];", "st.u32 [%rd2+-4], %r9;", "ld.global.nc.u32 %r1, [%rd2];", "fence.acq_rel.gpu;",
		"cp.async.ca.shared.global [sm+240], [%rd2], 4;",
		"ld.global.u32 %r1, [%rd2];\n@%q1 st.global.u32 [%rd2], %r9;", "ld.global.u8 %r1, [%rd2+3];\n@%q1 st.global.v2.u32 [%rd2], {%r9, %r9};", "ld.global.u64 %rd9, [%rd2];\n@%q1 st.global.u32 [%rd2], %r9;",
		"ld.global.u32 %r1, [%rd3];\n@%q1 st.global.u32 [%rd3+4], %r9;\n@%q1 st.global.u32 [%rd3], %r9;",
	},
	"shared": {
		"ld.shared.u32 %r1, [%r5];", "st.shared.u32 [%r5], %r9;", "red.shared.add.u32 [%r5], 1;", "red.shared.max.u32 [%r5], %r9;", "st.volatile.shared.u32 [%r5], %r9;",
		"ld.shared.u8 %r1, [%r5+3];", "st.shared.u8 [%r5+3], %r9;", "st.shared.u16 [%r5+-2], %r9;",
		"ld.shared.v2.u32 {%r1, %r2}, [%r5];", "st.shared.v2.u32 [%r5], {%r9, %r9};", "ld.shared.u64 %rd9, [%r5+-8];", "st.shared.u64 [%r5+-8], %rd8;", "red.shared.add.u64 [%r5], %rd8;",
		"fence.acq_rel.cta;",
		"ld.shared.u32 %r1, [%r5];\n@%q1 st.shared.u32 [%r5], %r9;", "ld.shared.u8 %r1, [%r5+3];\n@%q1 st.shared.v2.u32 [%r5], {%r9, %r9};", "ld.shared.u64 %rd9, [%r5];\n@%q1 st.shared.u32 [%r5], %r9;",
		"ld.shared.u32 %r1, [%r6];\n@%q1 st.shared.u32 [%r6+4], %r9;\n@%q1 st.shared.u32 [%r6], %r9;", "ld.shared.u32 %r1, [%r6+4];\n@%q1 st.shared.u32 [%r6], %r9;",
	},
	// Tags are for 8 or 16 bytes here.
	"global vectors": {
		"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];", "st.global.v4.u32 [%rd2], {%r9, %r9, %r9, %r9};", "ld.global.v2.u64 {%rd9, %rd10}, [%rd2+-16];", "st.global.v2.u64 [%rd2+-16], {%rd8, %rd8};",
		"st.relaxed.gpu.global.v4.u32 [%rd2], {%r9, %r9, %r9, %r9};", "st.volatile.global.v2.u64 [%rd2], {%rd8, %rd8};",
		"ld.global.u64 %rd9, [%rd2+8];", "st.global.v2.u32 [%rd2+8], {%r9, %r9};", "st.global.v4.u16 [%rd2], {%r9, %r9, %r9, %r9};",
		"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];\n@%q1 st.global.v4.u32 [%rd2], {%r9, %r9, %r9, %r9};", "ld.global.u64 %rd9, [%rd2+8];\n@%q1 st.global.v4.u32 [%rd2], {%r9, %r9, %r9, %r9};",
		"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];\n@%q1 st.global.v2.u32 [%rd2], {%r9, %r9};", "fence.acq_rel.gpu;", "cp.async.cg.shared.global [sm+240], [%rd2], 16;",
	},
	"shared vectors": {
		"ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];", "st.shared.v4.u32 [%r5], {%r9, %r9, %r9, %r9};", "ld.shared.v2.u64 {%rd9, %rd10}, [%r5+-16];", "st.shared.v2.u64 [%r5+-16], {%rd8, %rd8};",
		"ld.shared.u64 %rd9, [%r5+8];", "st.shared.v2.u32 [%r5+8], {%r9, %r9};", "st.volatile.shared.v4.u32 [%r5], {%r9, %r9, %r9, %r9};",
		"cp.async.cg.shared.global [%r5], [%p1], 16;", "cp.async.ca.shared.global [%r5+8], [%p1], 8;", "cp.async.ca.shared.global [%r5], [%p1], 16, %r8;",
		"cp.async.commit_group;", "cp.async.wait_group 0;", "cp.async.wait_all;",
		"ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];\n@%q1 st.shared.v4.u32 [%r5], {%r9, %r9, %r9, %r9};", "ld.shared.u64 %rd9, [%r5];\n@%q1 cp.async.cg.shared.global [%r5], [%p1], 16;",
	},
	"copies": {
		"ld.shared.u32 %r1, [%r5];", "st.shared.u32 [%r5], %r9;", "ld.shared.u8 %r1, [%r5+3];", "st.shared.u16 [%r5+2], %r9;", "ld.shared.v2.u32 {%r1, %r2}, [%r5+-8];",
		"cp.async.ca.shared.global [%r5], [%p1], 4;", "cp.async.ca.shared.global [%r5+-8], [%p1+8], 8;", "cp.async.cg.shared.global [%r5], [%p1], 16;", "cp.async.ca.shared.global [%r5], [%p1], 4, %r8;",
		"cp.async.commit_group;", "cp.async.wait_group 0;", "cp.async.wait_group 1;", "cp.async.wait_all;", "st.global.u32 [%p1+8], %r9;",
		"ld.shared.u32 %r1, [%r5];\n@%q1 st.shared.u32 [%r5], %r9;", "ld.shared.u32 %r1, [%r5];\n@%q1 cp.async.ca.shared.global [%r5], [%p1], 4;", "ld.shared.u32 %r1, [%r5];\n@%q1 cp.async.ca.shared.global [%r5], [%p1], 4;\n@%q1 st.shared.u32 [%r5], %r9;",
	},
}

// smallThreads are threads of two blocks of two warps.
var smallThreads = []int{0, 1, 33, 64, 97}

// smallKernel makes the accesses in turn, each in the threads of a mask of smallThreads. Between two of them is a barrier if the bit of bars
// is set.
func smallKernel(memory string, list []string, bars int) string {
	var b strings.Builder
	b.WriteString("mad.lo.u32 %r10, %bid, 64, %id;\nmov.u32 %r9, %r10;\nmov.u64 %rd8, 5;\nadd.s64 %rd2, %p0, 32;\nmul.wide.u32 %rd3, %id, 4;\nadd.s64 %rd3, %rd3, %rd2;\nmov.u32 %r5, sm;\nadd.u32 %r5, %r5, 32;\nmov.u32 %r8, 4;\nmov.u32 %r7, 0;\n")
	// The bit of the thread.
	for i, t := range smallThreads {
		fmt.Fprintf(&b, "setp.eq.u32 %%q1, %%r10, %d;\n@%%q1 mov.u32 %%r7, %d;\n", t, 1<<i)
	}
	switch memory {
	case "global", "global vectors":
	case "shared vectors":
		b.WriteString("shl.b32 %r6, %id, 4;\nadd.u32 %r6, %r5, %r6;\nsetp.lt.u32 %q2, %id, 16;\n@%q2 st.shared.v4.u32 [%r6+-32], {%r7, %r7, %r7, %r7};\nbar.sync 0;\n")
	default:
		// All of it is written before, so that loads find no undefined bits.
		b.WriteString("shl.b32 %r6, %id, 2;\nadd.u32 %r6, %r5, %r6;\nst.shared.u32 [%r6+-32], 0;\nbar.sync 0;\n")
	}
	for i, s := range list {
		fmt.Fprintf(&b, "ld.param.u32 %%r3, [a%d];\nand.b32 %%r3, %%r3, %%r7;\nsetp.ne.u32 %%q1, %%r3, 0;\n@%%q1 %s\n", 2+i, s)
		if i < len(list)-1 && bars>>i&1 != 0 {
			b.WriteString("bar.sync 0;\n")
		}
	}
	params := ".param .u64 a0, .param .u64 a1"
	for i := range list {
		params += fmt.Sprintf(", .param .u32 a%d", 2+i)
	}
	return strings.Replace(kit.Kernel("sm_80", 2, b.String()), ".param .u64 a0, .param .u64 a1", params, 1)
}

// compareSmall launches a kernel for masks of threads. It returns how many launches are clean, and how many the check finds nothing in.
func compareSmall(t *testing.T, memory string, list []string, bars int, masks [][]int) (clean, silent int) {
	src := smallKernel(memory, list, bars)
	k := kernelOf(t, src)
	for _, mask := range masks {
		args := func() []crosslane.Arg {
			args := []crosslane.Arg{crosslane.Slice("a", make([]uint32, 64)), crosslane.Slice("b", make([]uint32, 64))}
			for i := range list {
				args = append(args, crosslane.Int(int64(mask[i])))
			}
			return args
		}
		l := crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 64}, Engine: "interp", Args: args()}
		ok, _, _ := verdict.Screen(t.Context(), k, session.Launch{Launch: l}, true)
		if ok {
			clean++
		} else if len(list) > 2 {
			continue // the check cannot contradict
		}
		l.Args, l.Engine = args(), ""
		res, err := verdict.CheckOn(t.Context(), k, session.Launch{Launch: l, Unscreened: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if len(res.Findings) == 0 {
			silent++
		} else if ok {
			t.Errorf("%s: %s, barriers %b, threads %b: a screening run is clean; the check finds %v", memory, strings.Join(list, " "), bars, mask, res.Findings[0])
		}
	}
	return clean, silent
}

// All pairs of accesses, by all pairs of threads, and by two threads at once.
func TestScreeningOfAllPairs(t *testing.T) {
	t.Parallel()
	var masks [][]int
	for i := range smallThreads {
		for j := range smallThreads {
			masks = append(masks, []int{1 << i, 1 << j})
		}
	}
	masks = append(masks, []int{3, 0}, []int{5, 0}, []int{9, 0}, []int{3, 2}, []int{2, 3}, []int{3, 4}, []int{3, 8}, []int{9, 2}, []int{0, 3})
	for memory, accesses := range smallAccesses {
		for n, a := range accesses {
			t.Run(memory+" "+a, func(t *testing.T) {
				t.Parallel()
				list := accesses
				if testing.Short() {
					list = nil
					for m := n % 6; m < len(accesses); m += 6 {
						list = append(list, accesses[m])
					}
				}
				clean, silent := 0, 0
				for _, b := range list {
					for bars := range 2 {
						c, s := compareSmall(t, memory, []string{a, b}, bars, masks)
						clean, silent = clean+c, silent+s
					}
				}
				t.Logf("%d of %d launches without findings are clean", clean, silent)
			})
		}
	}
}

// Samples of three to five accesses by up to two threads each.
func TestScreeningOfSmallPrograms(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 1))
	programs := 4000
	if testing.Short() {
		programs = 500
	}
	memories := []string{"global", "shared", "copies", "copies", "global vectors", "shared vectors"}
	clean := map[string]int{}
	for n := range programs {
		memory := memories[n%len(memories)]
		accesses := smallAccesses[memory]
		list := make([]string, 3+random.IntN(3))
		if memory == "copies" || memory == "shared vectors" {
			list = make([]string, 4+random.IntN(4))
		}
		for i := range list {
			list[i] = accesses[random.IntN(len(accesses))]
		}
		var masks [][]int
		for range 6 {
			mask := make([]int, len(list))
			for i := range mask {
				mask[i] = 1 << random.IntN(len(smallThreads))
				switch random.IntN(4) {
				case 0:
					mask[i] |= 1 << random.IntN(len(smallThreads))
				case 1:
					mask[i] = 1<<len(smallThreads) - 1
				case 2:
					mask[i] = mask[max(i-1, 0)]
				}
				if strings.HasPrefix(list[i], "cp.async.commit") || strings.HasPrefix(list[i], "cp.async.wait") {
					if random.IntN(4) > 0 {
						mask[i] = 1<<len(smallThreads) - 1
					}
				}
			}
			masks = append(masks, mask)
		}
		masks = slices.Clip(masks)
		c, _ := compareSmall(t, memory, list, random.IntN(1<<len(list)), masks)
		clean[memory] += c
	}
	t.Logf("clean launches: %v", clean)
	for memory := range smallAccesses {
		if clean[memory] < programs/30 {
			t.Errorf("%s: only %d of the launches are clean", memory, clean[memory])
		}
	}
}
