package difftest

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	sample "example.org/crosslane/internal/short"
)

// args returns the compiler flags for programs with these features, for host and device.
func (f features) args() []string {
	var l []string
	if f.plain {
		l = append(l, "-DPLAIN", "-Xclang", "-fbfloat16-excess-precision=none")
		if !f.wide {
			l = append(l, "-DNO128")
		}
	}
	return l
}

// schedule returns the order in which lanes and blocks run. The results do not depend on it.
func (p *program) schedule() crosslane.Schedule {
	if !p.features.plain || p.seed%2 == 0 {
		return ""
	}
	return crosslane.RandomSchedule(p.seed)
}

// plainTargets returns ways to compile programs in C. Each level is combined with a target of each
// generation; each batch takes the next combination, and one of several sets of compiler options in
// turn.
func plainTargets(turn int) []target {
	levels := []string{"-O0", "-O1", "-O2", "-O3", "-Os"}
	archs := []string{"sm_70 ptx63", "sm_50 ptx60", "sm_90 ptx80", "sm_30 ptx60", "sm_80 ptx70", "sm_60 ptx64", "sm_100 ptx86", "sm_53 ptx60", "sm_75 ptx65"}
	habits := []string{"", "-fno-inline", "-Xclang -fcuda-short-ptr -mllvm -nvptx-short-ptr", "-funroll-loops -fno-vectorize", "-fno-slp-vectorize -g", "-mllvm -min-jump-table-entries=3"}
	var l []target
	for i := range 2 {
		k := 2*turn + i
		level, arch, habit := levels[k%len(levels)], archs[k%len(archs)], habits[(k+k/len(habits))%len(habits)]
		arch, version, _ := strings.Cut(arch, " ")
		triple := "nvptx64-nvidia-cuda"
		if turn%12 == 3 { // these programs have no 128-bit integers
			triple = "nvptx-nvidia-cuda"
		}
		args := []string{"--target=" + triple, "-march=" + arch, "-Xclang", "-target-feature", "-Xclang", "+" + version, level, "-S"}
		if arch == "sm_30" {
			args = append(args, "-DSM30")
		}
		l = append(l, target{fmt.Sprintf("ptx-%s%s-%d", arch, level, k), ".ptx", append(args, strings.Fields(habit)...)})
	}
	return l
}

// TestRandomCKernels makes the same comparison for kernels in C, which have recursion, calls
// through tables, structs by value and more types.
func TestRandomCKernels(t *testing.T) {
	sample.Skip(t, "clang compiles the kernels")
	if _, err := exec.LookPath("clang-22"); err != nil {
		oracle(t, "clang-22 is not installed: no compiler to compare with")
	}
	inBatches(*plain, func(seeds []uint64) {
		turn := int(seeds[0] / batch)
		b := &bench{dir: t.TempDir(), features: features{plain: true, wide: turn%12 != 3}}
		for _, s := range seeds {
			b.programs = append(b.programs, makeProgram(s, b.features))
		}
		if err := b.prepare(t.Context(), nil); err != nil {
			t.Errorf("seeds %d...: %v", seeds[0], err)
			return
		}
		var seen []*program
		for _, tg := range plainTargets(turn) {
			for _, f := range b.compare(t.Context(), tg) {
				if f.program == nil || !slices.Contains(seen, f.program) {
					report(t, f)
				}
				seen = append(seen, f.program)
			}
		}
	})
}
