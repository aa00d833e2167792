package device_test

import (
	"context"
	"testing"

	"example.org/crosslane/internal/reporoot"
	"example.org/crosslane/internal/verdict"
)

var ctx = context.Background()

// TestMain audits the checks of all devices: a launch whose screening run is clean is checked in full, too.
func TestMain(m *testing.M) {
	verdict.AuditAll(verdict.Strict())
	reporoot.Main(m)
}
