package amdgpu_test

import (
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/internal/gcntest"
)

func init() {
	amdgpu.SetHooks(amdgpu.Hooks{
		Parse:         func(text string) (amdgpu.Inst, error) { return amdgpu.ParseInst(text, amdgpu.ParseOptions{}) },
		Assemble:      gcntest.Assemble,
		AssembleInsts: asm.AssembleInsts,
		Explain:       asm.Explain,
		Track:         hazard.Track,
		KernelFiles:   gcntest.KernelFiles,
		EachKernel:    gcntest.EachKernel,
		PrefixSum:     gcntest.PrefixSum,
	})
}
