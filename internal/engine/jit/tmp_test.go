package jit_test
import "testing"
func TestTmp(t *testing.T) { lower(t, 1000, `^(Add32|Popc32)$`) }
