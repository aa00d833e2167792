// Package difftest holds a test of Crosslane against a compiler: random C kernels are
// compiled to PTX, to GCN3 and to the machine that the test runs on, and all must
// store the same bits.
//
// go test ./internal/difftest runs a fixed list of seeds. A long run is
//
//	go test ./internal/difftest -run TestRandomKernels -difftest.seeds 5000 -difftest.first 1000 -timeout 0
//
// TestRandomCKernels and -difftest.plain do the same with C instead of OpenCL C, for PTX
// only: recursion, calls through tables, structs by value, 128 bits, __bf16, and inline
// assembly of instructions that compilers make seldom, of which the host has C.
//
// A kernel that differs is made smaller before it is reported.
package difftest
