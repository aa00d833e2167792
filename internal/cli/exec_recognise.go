package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/host"
	"example.org/crosslane/internal/driver/recognise"
)

// amd is how the names of AMD's devices begin.
const amd = "gfx"

// automaticDevices are those that --device auto chooses from, in its order. Compilers write PTX for the first one only
// with instructions that Crosslane runs; of those for the others it lacks tensor maps.
var automaticDevices = []int{89, 120, 121}

// hipDevice is the device of HIP programs that choose none; "": there is none.
func hipDevice() string {
	for _, name := range crosslane.DeviceTargets() {
		if strings.HasPrefix(name, amd) {
			return name
		}
	}
	return ""
}

// A choice is the device that --device auto gives to a process.
type choice struct {
	device string
	reason string // why it is not the usual one; "": it is, or it is for HIP
}

// automatic chooses a device for the code that one process has loaded.
func automatic(programs []*recognise.Program) choice {
	sm, isHIP, because := recognise.Choose(programs, automaticDevices)
	if name := hipDevice(); isHIP && name != "" {
		return choice{device: name}
	}
	if isHIP {
		sm = automaticDevices[0]
	}
	c := choice{device: fmt.Sprintf("sm_%d", sm)}
	if because != nil {
		c.reason = fmt.Sprintf("the device is %s: %s has PTX for %s, which sm_%d does not run; --device chooses another one", c.device, because.File, because.PTX(), automaticDevices[0])
	}
	return c
}

// choose is automatic for a process that begins to use the device. It shows each reason once.
func (r *hostRun) choose(pid int, _ host.Client) string {
	c := choice{device: r.f.usual}
	if loaded := recognise.Loaded(pid); len(loaded) > 0 {
		c = automatic(loaded)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.devices, c.device) {
		r.devices = append(r.devices, c.device)
	}
	if c.reason != "" && !slices.Contains(r.reasons, c.reason) {
		r.reasons = append(r.reasons, c.reason)
		fmt.Fprintln(r.log, "exec: "+c.reason)
	}
	return c.device
}

// deviceNames names the devices that processes have had, with commas between; "auto" if no process has begun to use one.
func (r *hostRun) deviceNames() string {
	if len(r.devices) == 0 {
		return r.f.device
	}
	slices.Sort(r.devices)
	return strings.Join(r.devices, ",")
}

// recognise reads the file of a program before it starts, and returns an error if the program cannot run on the device.
// A file that cannot be read is left to the system, which says why.
func (a *app) recognise(f *hostFlags, file string) error {
	p, err := recognise.Read(file)
	if p == nil || err != nil {
		return nil
	}
	device := f.device
	if device == autoDevice {
		f.usual = automatic([]*recognise.Program{p}).device
		device = f.usual
	}
	if err := p.NoBundle(strings.HasPrefix(device, amd)); err != nil {
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
		if name == device {
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
