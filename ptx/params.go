package ptx

// Mentioned are the parameters of a kernel that its body mentions: it can read no others.
func (f *Func) Mentioned() map[*Var]bool {
	m := map[*Var]bool{}
	var look func(o *Operand)
	look = func(o *Operand) {
		if v, ok := o.Ref.(*Var); ok {
			m[v] = true
		}
		for i := range o.List {
			look(&o.List[i])
		}
	}
	if f.Body != nil {
		walkInstrs(f.Body, func(in *Instr) {
			for i := range in.Args {
				look(&in.Args[i])
			}
		})
	}
	return m
}
