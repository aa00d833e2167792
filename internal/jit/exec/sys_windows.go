package exec

import (
	"syscall"
	"unsafe"
)

// system requests pages from the operating system.
type system struct{}

func pageSize() int { return syscall.Getpagesize() }

var (
	kernel32       = syscall.NewLazyDLL("kernel32.dll")
	virtualAlloc   = kernel32.NewProc("VirtualAlloc")
	virtualProtect = kernel32.NewProc("VirtualProtect")
	virtualFree    = kernel32.NewProc("VirtualFree")
)

// constants of winnt.h
const (
	memCommit, memReserve, memRelease = 0x1000, 0x2000, 0x8000

	pageReadWrite, pageExecuteRead = 0x04, 0x20
)

func (system) reserve(n int) ([]byte, error) {
	p, _, err := virtualAlloc.Call(0, uintptr(n), memCommit|memReserve, pageReadWrite)
	if p == 0 {
		return nil, err
	}
	// The address is not a Go pointer. It is converted without arithmetic, which vet would
	// report as arithmetic on a Go pointer.
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), n), nil
}

func (system) protect(b []byte, r rights) error {
	var old uint32
	ok, _, err := virtualProtect.Call(uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)),
		[...]uintptr{pageReadWrite, pageExecuteRead}[r], uintptr(unsafe.Pointer(&old)))
	if ok == 0 {
		return err
	}
	return nil
}

func (system) release(b []byte) error {
	ok, _, err := virtualFree.Call(uintptr(unsafe.Pointer(&b[0])), 0, memRelease)
	if ok == 0 {
		return err
	}
	return nil
}
