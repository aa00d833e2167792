package lineprofile_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain changes to the root of the repository, from which tests name the files of examples.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
