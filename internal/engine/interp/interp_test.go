package interp

import (
	"testing"

	"crosslane/internal/engine/enginetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, Engine{})
}

func TestConformancePortable(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, Engine{Portable: true})
}
