package lineprofile_test

import (
	"testing"

	"example.org/crosslane/internal/reporoot"
)

func TestMain(m *testing.M) { reporoot.Main(m) }
