// Package api_test tests the API of package crosslane from outside.
package api_test

import (
	"testing"

	"example.org/crosslane/internal/reporoot"
)

func TestMain(m *testing.M) { reporoot.Main(m) }
