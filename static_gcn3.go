package crosslane

import (
	"crosslane/codeobject"
	"crosslane/diag"
	"crosslane/gcn3"
)

// A StaticReport is what CheckStatic found in one kernel without running it.
type StaticReport struct {
	Kernel string
	// Findings are errors (what is missing), warnings and notes (what could not be
	// followed, or was taken for granted; what is needless). Each names the kernel.
	Findings diag.List
	// Proved is how many pairs of instructions that must not come too close do not, on
	// all paths that could be followed. AtLeast says that there are more, not counted.
	Proved  int
	AtLeast bool
}

// CheckStatic looks at every path through a GCN3 kernel for missing wait states and
// missing s_waitcnt, and for needless ones, without running it. The error is a diag.List:
// class Unsupported for PTX, Input or Unsupported for code that cannot be followed.
func (k *Kernel) CheckStatic() (*StaticReport, error) {
	if k.code == nil {
		d := k.errorf("unsupported", "static checks of PTX are not supported yet: PTX has no wait states to check")
		d.Class = diag.Unsupported
		d.Remedy = "run the kernel, with the arguments of run"
		return nil, diag.List{d}
	}
	w, err := gcn3.CheckStatic(k.code())
	if err != nil {
		list := inKernel(diag.Of(err), k.name)
		k.origin(list)
		return nil, list
	}
	r := &StaticReport{Kernel: k.name, Proved: w.Proved, AtLeast: w.AtLeast}
	for _, m := range w.Missing {
		r.Findings = append(r.Findings, m.Diag)
	}
	r.Findings = append(append(r.Findings, w.Other...), w.Limits...)
	for _, s := range w.Spare {
		r.Findings = append(r.Findings, s.Diag)
	}
	k.origin(inKernel(r.Findings, k.name))
	return r, nil
}

// CheckStatic is Kernel.CheckStatic of all kernels, in the order of the file.
func (m *Module) CheckStatic() ([]*StaticReport, error) {
	var list []*StaticReport
	for _, k := range m.kernels {
		r, err := k.CheckStatic()
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// kernelCode is a kernel's code, with the functions that calls of pointers may reach.
func kernelCode(o *codeobject.Object, ok *codeobject.Kernel, file string, lines lineTable) gcn3.Code {
	at, text := o.Code(ok.Entry)
	if textAt, _ := o.Text(); lines != nil && textAt != at {
		ofText := lines
		lines = func(off int64) (int, int, string, bool) { return ofText(off + int64(at) - int64(textAt)) }
	}
	code := gcn3.Code{Bytes: text, Entry: int64(ok.Entry - at), File: file, Place: lines}
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
