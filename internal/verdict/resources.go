package verdict

import (
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// codeSharedLimit reports more shared memory than a block can have.
const codeSharedLimit = "shared-limit"

// sharedSection is the place where NVIDIA gives the limit of a block's shared memory.
const sharedSection = "CUDA C++ Programming Guide, technical specifications of compute capabilities"

// sharedNeeds compares the shared memory of a kernel, plus the dynamic bytes of a launch, with the
// limit of a block on a target.
func sharedNeeds(k *ptx.Kernel, file string, dynamic uint64, t ptx.Target) (list diag.List) {
	report := func(pos ptx.Pos, remedy, format string, args ...any) {
		list = append(list, &diag.Diagnostic{Pos: pos.At(file), Severity: diag.Error, Class: diag.Finding, Code: codeSharedLimit, Kernel: k.Entry.Name,
			Message: fmt.Sprintf(format, args...), Remedy: remedy, Section: sharedSection})
	}
	if n := k.StaticShared; n > ptx.MaxStaticShared {
		pos := k.Entry.Pos
		if v := k.LargestShared; v != nil {
			pos = v.Pos
		}
		report(pos, "declare it .extern .shared and give its size at the launch; more than 48 KB of that are asked for with cudaFuncAttributeMaxDynamicSharedMemorySize",
			"the kernel declares %d bytes of .shared variables; at most %d (48 KB) may be, on all targets, and the vendor's assembler takes no more", n, ptx.MaxStaticShared)
		if dynamic == 0 {
			return list
		}
	}
	if most, known := t.MaxShared(); known && k.StaticShared+dynamic > most && dynamic > 0 {
		report(k.Entry.Pos, "use smaller tiles or fewer stages, or a target whose blocks have more",
			"a block uses %d bytes of shared memory, %d of them static and %d given at the launch; a block of %s has at most %d (%d KB)", k.StaticShared+dynamic, k.StaticShared, dynamic, t, most, most>>10)
	}
	return list
}
