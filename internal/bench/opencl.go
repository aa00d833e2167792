package bench

import (
	"os/exec"
	"path/filepath"
	"runtime"
)

// OtherPeers says of other programs that run GPU kernels on processors whether they are here,
// a line each.
func OtherPeers() []string {
	var notes []string
	if _, err := exec.LookPath("oclgrind"); err != nil {
		notes = append(notes, "Oclgrind is not installed (no oclgrind on PATH): no peer for it")
	}
	if !hasPocl() {
		notes = append(notes, "pocl is not installed (no libpocl and no pocl.icd): no peer for it")
	}
	return notes
}

// hasPocl looks where OpenCL loaders look for drivers, and where its library is.
func hasPocl() bool {
	for _, p := range []string{"/etc/OpenCL/vendors/pocl*.icd", "/usr/lib/libpocl*", "/usr/lib/*/libpocl*", "/usr/local/lib/libpocl*", "/opt/homebrew/lib/libpocl*"} {
		if m, err := filepath.Glob(p); err == nil && len(m) > 0 && runtime.GOOS != "windows" {
			return true
		}
	}
	return false
}
