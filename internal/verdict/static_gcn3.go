package verdict

import (
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
)

// checkGCN3 is CheckStatic of GCN3. The only property of the block that matters is whether it
// is one wave.
func checkGCN3(k *session.Kernel, block [3]uint32) (*api.StaticReport, error) {
	code := k.Code()
	if block[0] != 0 {
		code.OneWave = uint64(block[0])*uint64(block[1])*uint64(block[2]) <= 64
	}
	w, err := hazard.CheckStatic(code)
	if err != nil {
		w = &hazard.WaitReport{}
		list := session.InKernel(diag.Of(err), k.Name())
		k.AddOrigins(list)
		if !code.Function {
			return nil, list
		}
		// No code that is launched needs it.
		for _, d := range list {
			x := *d
			x.Class, x.Severity = diag.Finding, diag.Warning
			x.Message = "function " + k.Name() + " is not checked: " + x.Message
			w.Limits = append(w.Limits, &x)
		}
	}
	r := &api.StaticReport{Kernel: k.Name(), ISA: api.GCN3, Proved: w.Proved, AtLeast: w.AtLeast}
	for _, m := range w.Missing {
		r.Findings = append(r.Findings, m.Diag)
	}
	r.Findings = append(append(r.Findings, w.Other...), w.Limits...)
	for _, s := range w.Spare {
		r.Findings = append(r.Findings, s.Diag)
	}
	k.SuggestWaits(w)
	k.AddOrigins(session.InKernel(r.Findings, k.Name()))
	return r, nil
}
