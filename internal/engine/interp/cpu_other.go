//go:build !amd64

package interp

import "unsafe"

func wideBlend(bool) bool { return false }

func blend32(dst, src unsafe.Pointer, m uint32) { panic("interp: blend32 is for amd64") }

func blend64(dst, src unsafe.Pointer, m uint64) { panic("interp: blend64 is for amd64") }

func affine32(unsafe.Pointer) bool { panic("interp: affine32 is for amd64") }

func affine64(unsafe.Pointer) bool { panic("interp: affine64 is for amd64") }

func permute64(dst, src, p unsafe.Pointer) { panic("interp: permute64 is for amd64") }

func fill256(dst unsafe.Pointer, v uint32) { panic("interp: fill256 is for amd64") }

func fill512(dst unsafe.Pointer, v uint64) { panic("interp: fill512 is for amd64") }
