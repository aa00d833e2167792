/* Crosslane: a small header in place of one of CUDA. */
#include "driver_types.h"
#include "vector_types.h"
