// What AMD's headers of ROCm 5.2, as Debian 12 has them, need under a newer clang. hipcc needs nothing of it. clang gets it
// by -include. A wave of gfx803 has 64 lanes. The fence is a function of a device library that newer versions lack.
#pragma once
#define __AMDGCN_WAVEFRONT_SIZE 64
#define __llvm_amdgcn_rcp_f16 __builtin_amdgcn_rcph
#define __llvm_amdgcn_rcp_2f16(v) decltype(v){ __builtin_amdgcn_rcph((v).x), __builtin_amdgcn_rcph((v).y) }

extern "C" __attribute__((device, weak)) void __atomic_work_item_fence(unsigned, int, int scope)
{
	if (scope == 2) // a block
		__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
	else
		__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
