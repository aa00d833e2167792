// Package reporoot runs tests in the root of the repository. Only tests import it.
package reporoot

import (
	"fmt"
	"os"
	"testing"
)

// Main runs the tests of a package two folders below the root, in the root: tests name the files of
// examples and docs from there. A process that fuzzes is started in the root already, by its parent.
func Main(m *testing.M) {
	if _, err := os.Stat("go.mod"); err != nil {
		if err := os.Chdir("../.."); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
