// Package difftest holds a test of Crosslane against a compiler: random C kernels are
// compiled to PTX, to GCN3 and to the machine that the test runs on, and all must
// store the same bits.
//
// go test ./internal/difftest runs a fixed list of seeds. A long run is
//
//	go test ./internal/difftest -run TestRandomKernels -difftest.seeds 5000 -difftest.first 1000 -timeout 0
//
// A kernel that differs is made smaller before it is reported.
package difftest
