package ptx

import "slices"

// Mentioned are the parameters of a kernel that its body mentions: it can read no others.
func (f *Func) Mentioned() map[*Var]bool {
	switch {
	case f.text.passed:
		return f.text.reads
	case !f.Defined():
		return nil
	}
	return f.Body().mentioned(f)
}

// mentioned are the parameters of its function that a body mentions.
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
