package crosslane_test

import (
	"fmt"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/bench"
	"example.org/crosslane/internal/guard"
	"example.org/crosslane/internal/short"
)

// The machine code of the kernels that are measured is unchanged, for processors of both tiers,
// those that have instructions for f16 and those that have none. The test needs no such processor.
func TestMachineCodeOfTheSuite(t *testing.T) {
	t.Parallel()
	short.Skip(t, "the hashes are of all kernels together")
	tiers := []struct {
		native crosslane.Native
		half   bool
	}{{crosslane.NativeAVX2, false}, {crosslane.NativeAVX512, false}, {crosslane.NativeAVX512, true}}
	var names []string
	type form struct {
		k    *bench.Kernel
		l    crosslane.Launch
		half bool
	}
	forms := map[string]form{}
	for _, k := range bench.Suite() {
		for _, size := range []int{k.Min, (k.Min + k.Full) / 2} {
			for _, x := range tiers {
				w := k.Work(size)
				name := fmt.Sprintf("%s %d %s half=%v", k.ID(), size, x.native, x.half)
				if _, there := forms[name]; !there { // some kernels have one size
					names = append(names, name)
				}
				forms[name] = form{k, crosslane.Launch{Grid: w.Grid, Block: w.Block, Args: w.Args, Native: x.native}, x.half}
			}
		}
	}
	texts := guard.New(names)
	for _, name := range names {
		f := forms[name]
		k, err := f.k.Load()
		if err != nil {
			t.Fatal(err)
		}
		text, err := crosslane.MachineCode(k, f.l, f.half)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		texts.Set(t, name, text)
	}
	texts.Compare(t, "testdata/guard.txt")
}
