/* The program of again.h on the HIP runtime. */
#include "mini.h"

extern "C" hipError_t hipMemGetInfo(size_t *, size_t *);

#define GPU(name) hip##name
#define LANE threadIdx_x
#define OWN_STREAM ((hipStream_t)2) /* hipStreamPerThread */
#define SYMBOL(name) &name

#include "../../runtime/testdata/again.h"
