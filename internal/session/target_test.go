package session

import (
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/codeobject"
)

// TestTargetOfCodeObjects checks that the code objects that are read are those of the chip whose
// instructions are executed.
func TestTargetOfCodeObjects(t *testing.T) {
	chip := amdgpu.GFX803
	if codeobject.Target != chip.Name || codeobject.FlagsV2 != chip.Mach {
		t.Errorf("code objects are for %s, %#x; the chip is %s, %#x", codeobject.Target, codeobject.FlagsV2, chip.Name, chip.Mach)
	}
	for major := range uint32(13) {
		for stepping := range uint32(12) {
			for minor := range uint32(3) {
				if a, b := codeobject.IsTargetVersion(major, minor, stepping), chip.HasVersion(major, minor, stepping); a != b {
					t.Errorf("%d.%d.%d: code objects %v, instructions %v", major, minor, stepping, a, b)
				}
			}
		}
	}
}
