//go:build !amd64

package exec

import "unsafe"

// callable reports that call works on this platform.
const callable = false

func call(uintptr, unsafe.Pointer) { panic("exec: there is machine code for amd64 only") }

func cpuid(uint32, uint32) (a, b, c, d uint32) { return 0, 0, 0, 0 }

func xgetbv() uint32 { return 0 }
