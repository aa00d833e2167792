/* Crosslane: a small header in place of one of CUDA. */
#include "../host_defines.h"
