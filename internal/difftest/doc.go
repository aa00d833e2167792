// Package difftest holds two tests with random programs.
//
// One is of Crosslane's engines against each other: programs in IR, PTX and GCN3 assembly
// do the same on all of them, in everything that shows of a run. Engines is the list of
// them. A program on which they differ is made smaller and kept under testdata/random,
// where TestKeptPrograms finds it from then on. See TestRandomEngines for long runs.
//
// The other is of Crosslane against a compiler: random C kernels are compiled to PTX, to
// GCN3 and to the machine that the test runs on, and all must store the same bits, on every
// engine (-difftest.native=false: on the interpreter).
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
