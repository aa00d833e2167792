// Package examples holds kernels for people and tests to run: sources in src, the compiler's output
// in ptx and gcn3, and, in its tests, the results each of them must have, computed by plain Go.
//
// The compiled files are committed, so that running them needs no compiler. go generate makes them
// again with clang 22; a test makes them again elsewhere and compares every byte.
package examples

//go:generate go run ../internal/genexamples/cmd/genexamples .
