// Package difftest holds two tests with random programs.
//
// The first compares Crosslane's engines with each other. Programs in IR, PTX and GCN3 assembly
// have the same visible effects on all of them. Engines is the list of the engines. A program on
// which they differ is reduced and kept under testdata/random, and TestKeptPrograms runs it from
// then on. See TestRandomEngines for long runs.
//
// The second compares Crosslane with a compiler. Random C kernels are compiled to PTX, to GCN3 and
// to the machine that the test runs on. All must store the same bits, on every engine
// (-difftest.native=false: on the interpreter). go test ./internal/difftest runs a fixed list of
// seeds. A long run is
//
//	go test ./internal/difftest -run TestRandomKernels -difftest.seeds 5000 -difftest.first 1000 -timeout 0
//
// TestRandomCKernels and -difftest.plain do the same with C instead of OpenCL C, for PTX only:
// recursion, calls through tables, structs by value, 128 bits, __bf16, and inline assembly of
// instructions that compilers seldom emit, for which the host has equivalent C.
//
// A kernel that differs is reduced before it is reported.
package difftest
