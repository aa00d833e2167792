package interp

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/num"
)

// vectorFn returns the form of an operation for 32 lanes.
func vectorFn(op int, portable bool) func(unsafe.Pointer, *inst) {
	if op == int(ir.FmaF64) && !portable {
		return lanesFmaF64
	}
	return vecFns[op]
}

func lanesFmaF64(base unsafe.Pointer, in *inst) {
	num.FmaF64Lanes((*[32]float64)(unsafe.Add(base, in.d)), (*[32]float64)(unsafe.Add(base, in.a)),
		(*[32]float64)(unsafe.Add(base, in.b)), (*[32]float64)(unsafe.Add(base, in.c)))
}
