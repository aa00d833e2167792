package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// NewOtherPeers finds other programs that run GPU kernels on processors, through OpenCL: pocl and
// Oclgrind. notes has a line for each that is missing. They run only the kernels of the suite that
// are in peers/opencl.
func NewOtherPeers(ctx context.Context) (peers []*Peer, notes []string, err error) {
	var found []*Peer
	if hasPocl() {
		found = append(found, &Peer{Name: "pocl", opencl: "Portable Computing Language"})
	} else {
		notes = append(notes, "pocl is not installed: no peer for it")
	}
	if path, err := exec.LookPath("oclgrind"); err == nil {
		found = append(found, &Peer{Name: "Oclgrind", opencl: "Oclgrind", Slow: true, before: []string{path}})
	} else {
		notes = append(notes, "Oclgrind is not installed: no peer for it")
	}
	cc := compiler()
	if len(found) > 0 && (cc == "" || runtime.GOOS == "windows") {
		return nil, append(notes, "no clang that could compile for OpenCL is installed: no peers that use it"), nil
	}
	for i, p := range found {
		if err := p.compileOpenCL(ctx, cc); err != nil {
			for _, p := range found[:i+1] {
				p.Close()
			}
			return nil, notes, err
		}
	}
	return found, notes, nil
}

// Other reports that the peer is an independent program.
func (p *Peer) Other() bool { return p.opencl != "" }

// hasPocl looks for the library in the usual places, and in the folders in which OpenCL's loaders
// look for drivers.
func hasPocl() bool {
	drivers := "/etc/OpenCL/vendors"
	if d := os.Getenv("OCL_ICD_VENDORS"); d != "" {
		drivers = d
	}
	for _, p := range []string{drivers + "/pocl*.icd", "/usr/lib/libpocl*", "/usr/local/lib/libpocl*", "/opt/homebrew/lib/libpocl*"} {
		if m, err := filepath.Glob(p); err == nil && len(m) > 0 {
			return true
		}
	}
	return false
}

// compileOpenCL compiles the host program of an OpenCL peer.
func (p *Peer) compileOpenCL(ctx context.Context, cc string) (err error) {
	if p.dir, err = os.MkdirTemp("", "crosslane-bench-"); err != nil {
		return err
	}
	p.path = filepath.Join(p.dir, "host")
	for _, name := range []string{"host.c", "suite.cl"} {
		data, err := peerSources.ReadFile("peers/opencl/" + name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.dir, name), data, 0o600); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, cc, "-O2", "-w", "-o", p.path, "host.c", "-ldl")
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, bytes.TrimSpace(out))
	}
	return nil
}
