package ptx

import "slices"

// Mentioned returns the parameters of a kernel that its body mentions. The kernel can read no other
// parameters.
func (f *Func) Mentioned() map[*Var]bool {
	switch {
	case f.text.passed:
		return f.text.reads
	case !f.Defined():
		return nil
	}
	return f.Body().mentioned(f)
}

// mentioned returns the parameters of function f that the body mentions.
func (b *Body) mentioned(f *Func) map[*Var]bool {
	m := map[*Var]bool{}
	var look func(o *Operand)
	look = func(o *Operand) {
		if v, ok := o.Ref.(*Var); ok && v.Func == f && slices.Contains(f.Params, v) {
			m[v] = true
		}
		for i := range o.List {
			look(&o.List[i])
		}
	}
	b.instrs(func(in *Instr) {
		for i := range in.Args {
			look(&in.Args[i])
		}
	})
	return m
}
