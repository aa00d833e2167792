package hazard

import (
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// CodeRegisterCount reports a register beyond those of the kernel descriptor.
const CodeRegisterCount = "register-count"

// CheckRegisters finds registers beyond the number of VGPRs and SGPRs that the kernel descriptor
// allocates, in the code that can be reached from the entry. On hardware, a write to one is lost
// and a read returns another register (GCN3 ISA 3.6.3, out-of-range); a run uses the named
// register. There is one finding for each kind, at the first place in the code; it names the
// highest register.
func CheckRegisters(code amdgpu.Code, vgprs, sgprs int) diag.List {
	p, err := amdgpu.Follow(code, true)
	if err != nil {
		return nil // Lift reports the error
	}
	return checkRegisters(code, p.Insts, vgprs, sgprs)
}

// LiftChecked is Lift with Track, and with the findings of CheckRegisters and CheckOther, for the code that is
// reached without functions called through pointers.
func LiftChecked(code amdgpu.Code, opt amdgpu.LiftOptions, vgprs, sgprs int) (fn *ir.Func, found diag.List, err error) {
	opt.Track = Track
	opt.Declare = func(x amdgpu.Lifting) {
		if len(code.Functions) == 0 {
			p := x.Program()
			g := p.Graph(code)
			found = append(checkRegisters(code, p.Insts, vgprs, sgprs), otherRules(code, p.Insts, &g)...) // it is the same code
			return
		}
		certain := code
		certain.Functions = nil
		found = append(CheckRegisters(certain, vgprs, sgprs), CheckOther(certain)...)
	}
	fn, err = amdgpu.Lift(code, opt)
	return fn, found, err
}

// checkRegisters implements CheckRegisters on decoded instructions.
func checkRegisters(code amdgpu.Code, insts []amdgpu.Decoded, vgprs, sgprs int) diag.List {
	type beyond struct {
		at   *amdgpu.Decoded
		last int // highest register
	}
	var vector, scalar beyond
	for i := range insts {
		d := &insts[i]
		for k := range d.In.Row.Operands {
			s := amdgpu.OperandRun(&d.In.Ops[k])
			if s.N == 0 || !d.In.ReadsOperand(k) && !d.In.WritesOperand(k) {
				continue
			}
			b, last, limit := &scalar, int(s.Lo)+int(s.N)-1, sgprs
			switch {
			case s.Lo >= amdgpu.RegVGPR0:
				b, last, limit = &vector, last-amdgpu.RegVGPR0, vgprs
			case int(s.Lo) >= code.Target.OrDefault().SGPRs():
				continue // VCC, EXEC, M0 and similar registers, which instructions use implicitly, always exist
			}
			if last < limit {
				continue
			}
			if b.at == nil {
				b.at = d
			}
			b.last = max(b.last, last)
		}
	}
	var list diag.List
	report := func(b beyond, letter, kind, directive string, limit int) {
		if b.at == nil {
			return
		}
		pos := code.Pos(b.at)
		e := diag.Errorf(code.DiagPos(pos), diag.Finding, CodeRegisterCount, "%s: the kernel uses %ss up to %s%d, its descriptor allocates %d", pos.Name, kind, letter, b.last, limit)
		e.Remedy = directive
		e.Source, e.Section = pos.Text, "GCN3 ISA 3.6"
		list = append(list, e)
	}
	report(vector, "v", "VGPR", "raise .amdhsa_next_free_vgpr", vgprs)
	report(scalar, "s", "SGPR", "raise .amdhsa_next_free_sgpr", sgprs)
	return list
}
