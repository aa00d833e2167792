/* Crosslane: a small header in place of one of CUDA. */
/* clang includes it; what programs need of it is in other headers. */
