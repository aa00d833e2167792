// Package api_test tests the API of package crosslane from outside.
package api_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain changes to the root of the repository: tests name the files of examples and docs from
// there.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
