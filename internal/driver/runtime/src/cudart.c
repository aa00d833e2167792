/* The CUDA runtime library of Crosslane, for programs that are linked with libcudart.so.11.0, .12 or .13.

   Input      CUDART_MAJOR: 11, 12 or 13. Functions with the same name differ between them: their parameters and structures.
   Output     The functions that Crosslane has, under their own names. names.c has weak stubs for all names of the version.
   Invariant  The library calls the driver library by its public functions (cuda_driver.h). Beside them the driver library of
              Crosslane has functions that begin with crosslane_ (state.h), which the library does without if they are absent.
              A function that fails keeps its error for cudaGetLastError, for each thread.
   Example    kernel<<<4, 32>>>(p) calls __cudaPushCallConfiguration, the stub of the kernel, __cudaPopCallConfiguration and
              cudaLaunchKernel(stub, ...). The library finds the kernel that the start-up code has registered under the
              address of the stub, loads its fat binary if this is the first use, and calls cuLaunchKernel. */
#define _GNU_SOURCE
#include "cuda_driver.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CUDART_MAJOR
#define CUDART_MAJOR 13
#endif

/* The version that cudaRuntimeGetVersion returns. */
#define CUDART_VERSION_NUMBER (CUDART_MAJOR == 11 ? 11080 : CUDART_MAJOR == 12 ? 12090 : 13050)

#define API __attribute__((visibility("default")))

enum { /* cudaError_t, where it has a number of its own or is returned here */
	SUCCESS = 0, INVALID_VALUE = 1, INITIALIZATION = 3, INVALID_CONFIGURATION = 9, INVALID_PITCH = 12, INVALID_SYMBOL = 13,
	INVALID_DIRECTION = 21, INSUFFICIENT_DRIVER = 35, MISSING_CONFIGURATION = 52, INVALID_DEVICE_FUNCTION = 98, NO_DEVICE = 100,
	INVALID_DEVICE = 101, INVALID_IMAGE = 200, NO_KERNEL_IMAGE = 209, PEER_UNSUPPORTED = 217, INVALID_HANDLE = 400, NOT_READY = 600,
	SYMBOL_NOT_FOUND = 500, PEER_NOT_ENABLED = 705, NOT_SUPPORTED = 801
};

#include "structs.h"

#include "state.h"

#include "errors.h"
#include "registry.h"
#include "device.h"
#include "launch.h"
#include "memory.h"
#include "copies.h"
#include "pools.h"
#include "streams.h"
#include "graphs.h"
#include "graph_nodes.h"
#include "library.h"
#include "texture.h"
