/* Crosslane: a small header in place of one of CUDA. */
/* clang defines threadIdx and the other variables of kernels. */
