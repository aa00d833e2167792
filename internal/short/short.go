// Package short chooses the part of a test's work that go test -short does.
//
// A short run visits every subject and does a fixed sample of its cases: every n-th kernel of a
// list, a part of the random programs, one size of three. The sample is the same in each run, so
// that a failure repeats. Without -short every function of this package returns the whole:
//
//	for _, file := range short.Sample(files, 8) { … } // with -short: files 0, 8, 16 …
//	for seed := range short.Of(400, 50) { … }         // with -short: 50 programs
//
// Skip is for the tests that have no cheap case, for example because a compiler makes the kernel.
// Only tests import the package.
package short

import "testing"

// Every reports whether case i of a list belongs to the run: with -short every n-th one does,
// beginning with the first, and without it all do.
func Every(i, n int) bool { return !testing.Short() || i%n == 0 }

// Sample returns the cases of a list that belong to the run: with -short every n-th one, beginning
// with the first, and without it the list itself.
func Sample[T any](list []T, n int) []T {
	if !testing.Short() {
		return list
	}
	part := make([]T, 0, (len(list)+n-1)/n)
	for i := 0; i < len(list); i += n {
		part = append(part, list[i])
	}
	return part
}

// Of returns the amount of work of the run: part with -short, and whole without it.
func Of[T any](whole, part T) T {
	if testing.Short() {
		return part
	}
	return whole
}

// Skip skips a test with -short. The reason says why the test has no smaller case.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short: " + reason)
	}
}
