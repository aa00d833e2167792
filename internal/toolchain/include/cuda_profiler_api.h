/* Crosslane: a small header in place of one of CUDA. */
#include "cuda_runtime_api.h"
