/* The names of a static CUDA runtime. None of its functions may run: each ends the process. */
#include <stdlib.h>
#define GONE(name) int name() { abort(); }
GONE(__cudaRegisterFatBinary)
GONE(__cudaRegisterFunction)
GONE(__cudaPushCallConfiguration)
GONE(cudaGetErrorString)
GONE(cudaLaunchKernel)
GONE(cudaFutureCall) /* of a minor version that the counterpart does not know */
GONE(cudaMalloc)
GONE(cudaMemcpy)
GONE(cudaRuntimeGetVersion)
GONE(cudaStreamSetAttribute)
GONE(cudaMixed)
#ifdef MAJOR_12
GONE(cudaGetDeviceProperties_v2)
#endif
#ifdef MAJOR_11
GONE(cudaBindTexture)
#endif
/* A function of 3 bytes, as the real runtime has one; the linker aligns the next one. */
__asm__(".text\n.p2align 4\n.globl __cudaShort\n.type __cudaShort, @function\n__cudaShort:\nxor %eax, %eax\nret\n.size __cudaShort, 3\n.p2align 4\n");
GONE(cudaFree)
