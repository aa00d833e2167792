package codeobject

// This file holds what the package knows of the one processor whose code objects it reads. Package amdgpu
// has all facts of chips, but this package knows no instructions; a test of internal/session compares the
// two.

// Target is the one processor whose code objects this package reads.
const Target = "gfx803"

const (
	targetMach = 0x2a // EF_AMDGPU_MACH of its e_flags
	log2Wave   = 6    // a wavefront has 2 to this power lanes
)

// FlagsV2 are the Spec.Flags that the last compilers of version 2 wrote: the target's EF_AMDGPU_MACH.
const FlagsV2 = targetMach

// IsTargetVersion reports whether a version in version 2's notes means the target (AMDGPUUsage, "Code
// Object V2 Supported Processors").
func IsTargetVersion(major, minor, stepping uint32) bool {
	return major == 8 && minor == 0 && (stepping == 3 || stepping == 4)
}
