//go:build !linux && !darwin && !windows

package exec

import (
	"fmt"
	"runtime"
)

// system has no executable memory.
type system struct{}

func pageSize() int { return 1 << 12 }

func (system) reserve(int) ([]byte, error) {
	return nil, fmt.Errorf("there is none on %s", runtime.GOOS)
}

func (system) protect([]byte, rights) error { return nil }

func (system) release([]byte) error { return nil }
