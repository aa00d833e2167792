package crosslane

import (
	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/gcn3"
)

// checkStaticGCN3 is CheckStatic of GCN3. The only property of the block that matters is whether it
// is one wave.
func (k *Kernel) checkStaticGCN3(block [3]uint32) (*StaticReport, error) {
	code := k.code()
	if block[0] != 0 {
		code.OneWave = uint64(block[0])*uint64(block[1])*uint64(block[2]) <= 64
	}
	w, err := gcn3.CheckStatic(code)
	if err != nil {
		w = &gcn3.WaitReport{}
		list := inKernel(diag.Of(err), k.name)
		k.origin(list)
		if !code.Function {
			return nil, list
		}
		// No code that is launched needs it.
		for _, d := range list {
			x := *d
			x.Class, x.Severity = diag.Finding, diag.Warning
			x.Message = "function " + k.name + " is not checked: " + x.Message
			w.Limits = append(w.Limits, &x)
		}
	}
	r := &StaticReport{Kernel: k.name, ISA: GCN3, Proved: w.Proved, AtLeast: w.AtLeast}
	for _, m := range w.Missing {
		r.Findings = append(r.Findings, m.Diag)
	}
	r.Findings = append(append(r.Findings, w.Other...), w.Limits...)
	for _, s := range w.Spare {
		r.Findings = append(r.Findings, s.Diag)
	}
	k.suggestWaits(w)
	k.origin(inKernel(r.Findings, k.name))
	return r, nil
}

// oneWave reports whether all blocks of a kernel have one wave.
func oneWave(ok *codeobject.Kernel) bool {
	m := ok.Meta
	if m == nil {
		return false
	}
	r := m.ReqdWorkgroupSize
	return m.MaxFlatWorkgroupSize > 0 && m.MaxFlatWorkgroupSize <= 64 || len(r) == 3 && r[0] > 0 && r[0] <= 64 && r[1] == 1 && r[2] == 1
}

// kernelCode is a kernel's code, with the functions that calls of pointers may reach.
func kernelCode(o *codeobject.Object, ok *codeobject.Kernel, file string, lines lineTable) gcn3.Code {
	at, text := o.Code(ok.Entry)
	if textAt, _ := o.Text(); lines != nil && textAt != at {
		ofText := lines
		lines = func(off int64) (int, int, string, bool) { return ofText(off + int64(at) - int64(textAt)) }
	}
	code := gcn3.Code{Bytes: text, Entry: int64(ok.Entry - at), File: file, Source: lines, OneWave: oneWave(ok)}
	known := map[uint64]bool{}
	for i := range o.Kernels {
		known[o.Kernels[i].Entry] = true
	}
	function := func(addr uint64) {
		if addr >= at && addr-at < uint64(len(text)) && addr%4 == 0 && !known[addr] {
			known[addr] = true
			code.Functions = append(code.Functions, int64(addr-at))
		}
	}
	for i := range o.Symbols {
		if s := &o.Symbols[i]; s.Type == 2 { // STT_FUNC, of the code that was lifted
			function(s.Addr)
		}
	}
	// Tables of functions in files whose symbols were stripped.
	for i := range o.Relocs {
		function(o.Relocs[i].Value)
	}
	return code
}
