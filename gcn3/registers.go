package gcn3

import (
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
func CheckRegisters(code Code, vgprs, sgprs int) diag.List {
	insts, _, err := reachable(code, true)
	if err != nil {
		return nil // Lift reports the error
	}
	return checkRegisters(code, insts, vgprs, sgprs)
}

// LiftChecked is Lift with the findings of CheckRegisters and CheckOther, for the code that is
// reached without functions called through pointers.
func LiftChecked(code Code, opt LiftOptions, vgprs, sgprs int) (fn *ir.Func, found diag.List, err error) {
	fn, err = lift(code, opt, func(x *lifter) {
		if len(code.Functions) == 0 {
			g := x.prog.graph(code)
			found = append(checkRegisters(code, x.insts, vgprs, sgprs), otherRules(code, x.insts, &g)...) // it is the same code
			return
		}
		certain := code
		certain.Functions = nil
		found = append(CheckRegisters(certain, vgprs, sgprs), CheckOther(certain)...)
	})
	return fn, found, err
}

// checkRegisters implements CheckRegisters on decoded instructions.
func checkRegisters(code Code, insts []decoded, vgprs, sgprs int) diag.List {
	type beyond struct {
		at   *decoded
		last int // highest register
	}
	var vector, scalar beyond
	for i := range insts {
		d := &insts[i]
		for k := range d.in.Row.Operands {
			s := spanOf(&d.in.Ops[k])
			if s.n == 0 || !d.in.readsOperand(k) && !d.in.writesOperand(k) {
				continue
			}
			b, last, limit := &scalar, int(s.lo)+int(s.n)-1, sgprs
			switch {
			case s.lo >= regVGPR0:
				b, last, limit = &vector, last-regVGPR0, vgprs
			case s.lo >= RegFlatScratch:
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
		pos := code.pos(b.at)
		e := diag.Errorf(code.diagPos(pos), diag.Finding, CodeRegisterCount, "%s: the kernel uses %ss up to %s%d, its descriptor allocates %d", pos.Name, kind, letter, b.last, limit)
		e.Remedy = directive
		e.Source, e.Section = pos.Text, "GCN3 ISA 3.6"
		list = append(list, e)
	}
	report(vector, "v", "VGPR", "raise .amdhsa_next_free_vgpr", vgprs)
	report(scalar, "s", "SGPR", "raise .amdhsa_next_free_sgpr", sgprs)
	return list
}
