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
	// A process that fuzzes is started in the root already.
	if _, err := os.Stat("go.mod"); err != nil {
		if err := os.Chdir("../.."); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
