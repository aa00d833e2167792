/* A program with functions of its own by some names of the runtime: it holds no static runtime. */
#include <stdio.h>
int cudaMalloc(void) { return 1; }
int __cudaRegisterFatBinary(void) { return 2; }
int main(void) { return printf("own %d %d\n", cudaMalloc(), __cudaRegisterFatBinary()), 0; }
