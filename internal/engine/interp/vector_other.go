//go:build !amd64 && !wasm

package interp

import "unsafe"

func vectorFn(op int, portable bool) func(unsafe.Pointer, *inst) { return vecFns[op] }
