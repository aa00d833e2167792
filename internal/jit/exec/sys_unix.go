//go:build linux || darwin

package exec

import "syscall"

// system requests pages from the operating system.
type system struct{}

func pageSize() int { return syscall.Getpagesize() }

func (system) reserve(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func (system) protect(b []byte, r rights) error {
	return syscall.Mprotect(b, [...]int{syscall.PROT_READ | syscall.PROT_WRITE, syscall.PROT_READ | syscall.PROT_EXEC}[r])
}

func (system) release(b []byte) error { return syscall.Munmap(b) }
