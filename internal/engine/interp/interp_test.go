package interp

import (
	"testing"

	"crosslane/internal/engine/enginetest"
)

func TestConformance(t *testing.T) { enginetest.Run(t, Engine{}) }
