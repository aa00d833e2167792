package gcn3_test

import (
	"example.org/crosslane/gcn3"
	"example.org/crosslane/gcn3/asm"
	"example.org/crosslane/gcn3/hazard"
	"example.org/crosslane/internal/gcntest"
)

func init() {
	gcn3.SetHooks(gcn3.Hooks{
		Parse:         func(text string) (gcn3.Inst, error) { return gcn3.ParseInst(text, gcn3.ParseOptions{}) },
		Assemble:      gcntest.Assemble,
		AssembleInsts: asm.AssembleInsts,
		Explain:       asm.Explain,
		Track:         hazard.Track,
		KernelFiles:   gcntest.KernelFiles,
		EachKernel:    gcntest.EachKernel,
		PrefixSum:     gcntest.PrefixSum,
	})
}
