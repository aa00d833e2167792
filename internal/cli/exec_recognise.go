package cli

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/recognise"
)

// amd is how the names of AMD's devices begin.
const amd = "gfx"

// hipDevice is the device of HIP programs that choose none; "": there is none.
func hipDevice() string {
	for _, name := range crosslane.DeviceTargets() {
		if strings.HasPrefix(name, amd) {
			return name
		}
	}
	return ""
}

// recognise reads the file of a program before it starts, and returns an error if the program cannot run on the device.
// A file that cannot be read is left to the system, which says why.
func (a *app) recognise(f *hostFlags, file string) error {
	p, err := recognise.Read(file)
	if p == nil || err != nil {
		return nil
	}
	if p.HIP != "" && len(p.Binaries) == 0 && !f.chosen {
		if f.device = hipDevice(); f.device == "" {
			return nil
		}
	}
	if err := p.NoBundle(strings.HasPrefix(f.device, amd)); err != nil {
		return err
	}
	sm, known := 0, []int(nil)
	for _, name := range crosslane.DeviceTargets() {
		number, ok := strings.CutPrefix(name, "sm_")
		if !ok {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		known = append(known, n)
		if name == f.device {
			sm = n
		}
	}
	if d := p.Refusal(sm, known); d != nil {
		return diag.List{d}
	}
	if p.Other != "" && p.Runtime == recognise.None {
		fmt.Fprintf(a.err, "exec: %s needs %s; only calls of CUDA's driver and runtime reach the device\n", file, p.Other)
	}
	return nil
}
