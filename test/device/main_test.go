package device_test

import (
	"context"
	"testing"

	"example.org/crosslane/internal/reporoot"
)

var ctx = context.Background()

func TestMain(m *testing.M) { reporoot.Main(m) }
