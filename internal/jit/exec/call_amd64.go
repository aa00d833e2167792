package exec

import "unsafe"

// callable reports that call works on this platform.
const callable = true

// call enters code with RBX = frame. See the contract of the code.
//
//go:noescape
func call(code uintptr, frame unsafe.Pointer)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv returns the low half of XCR0.
func xgetbv() uint32
