// What the programs of this folder share: a call that fails, or a value that is wrong, ends the program.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                            \
	do {                                                                                       \
		hipError_t e = (call);                                                                 \
		if (e != hipSuccess) {                                                                 \
			std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(e)); \
			std::exit(1);                                                                      \
		}                                                                                      \
	} while (0)

#define EXPECT(condition)                                                                 \
	do {                                                                                  \
		if (!(condition)) {                                                               \
			std::fprintf(stderr, "%s:%d: %s is wrong\n", __FILE__, __LINE__, #condition); \
			std::exit(1);                                                                 \
		}                                                                                 \
	} while (0)
