// Command gohost is a host program in Go on the CUDA driver API: several goroutines launch kernels on streams of their
// own. It is linked with libcuda.
package main

/*
#include <stddef.h>
#include <stdint.h>
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuMemAlloc_v2(uint64_t *, size_t);
int cuMemFree_v2(uint64_t);
int cuMemcpyHtoDAsync_v2(uint64_t, const void *, size_t, void *);
int cuMemcpyDtoHAsync_v2(void *, uint64_t, size_t, void *);
int cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuStreamCreate(void **, unsigned);
int cuStreamSynchronize(void *);
int cuStreamDestroy_v2(void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static int launch(void *kernel, uint64_t p, unsigned n, unsigned blocks, void *stream)
{
	void *args[] = { &p, &n };
	return cuLaunchKernel(kernel, blocks, 1, 1, 32, 1, 1, 0, stream, args, NULL);
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"unsafe"
)

const add = `.version 8.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<6>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r2, %r2, 32, %r3;
	mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, %r1; st.global.u32 [%rd1], %r4; ret;
}
`

func ok(status C.int) {
	if status != 0 {
		fmt.Println("status", status)
		os.Exit(1)
	}
}

// work adds 1 to the elements of an array as often as is asked for, with blocks of 32 elements.
func work(context, kernel unsafe.Pointer, first uint32, blocks int) {
	runtime.LockOSThread() // the current context belongs to the thread
	defer runtime.UnlockOSThread()
	ok(C.cuCtxSetCurrent(context))
	data := make([]uint32, 64)
	for i := range data {
		data[i] = first
	}
	const bytes = 4 * 64
	var p C.uint64_t
	var stream unsafe.Pointer
	ok(C.cuMemAlloc_v2(&p, bytes))
	ok(C.cuStreamCreate(&stream, 1))
	ok(C.cuMemcpyHtoDAsync_v2(p, unsafe.Pointer(&data[0]), bytes, stream))
	for range 20 {
		ok(C.launch(kernel, p, 1, C.unsigned(blocks), stream))
	}
	ok(C.cuMemcpyDtoHAsync_v2(unsafe.Pointer(&data[0]), p, bytes, stream))
	ok(C.cuStreamSynchronize(stream))
	for _, v := range data {
		if v != first+20 {
			fmt.Println("wrong:", v, "want", first+20)
			os.Exit(1)
		}
	}
	ok(C.cuStreamDestroy_v2(stream))
	ok(C.cuMemFree_v2(p))
}

func main() {
	blocks, _ := strconv.Atoi(os.Args[1])
	ok(C.cuInit(0))
	var context, module, kernel unsafe.Pointer
	ok(C.cuDevicePrimaryCtxRetain(&context, 0))
	ok(C.cuCtxSetCurrent(context))
	text, name := C.CString(add), C.CString("add")
	ok(C.cuModuleLoadData(&module, unsafe.Pointer(text)))
	ok(C.cuModuleGetFunction(&kernel, module, name))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() { work(context, kernel, uint32(100*i), blocks) })
	}
	all.Wait()
	fmt.Println("right")
}
