package ptx

// writers maps every register of a function to the instructions that write it.
type writers map[*Reg][]*Instr

// writers finds the writers of every register of a body.
func (c *checker) writers(b *Body) writers {
	w := writers{}
	b.instrs(func(in *Instr) {
		v := c.variant(in)
		if v == nil {
			return
		}
		for i := range in.Args {
			// The table does not distinguish the operands of calls, so every register counts as
			// written.
			if v.row.Do.inlines || i < len(v.ops) && v.ops[i].dst || i >= len(v.ops) {
				w.add(&in.Args[i], in)
			}
		}
	})
	return w
}

func (w writers) add(o *Operand, in *Instr) {
	if r := o.Reg(); r != nil && o.Kind == KindReg {
		w[r] = append(w[r], in)
	}
	for i := range o.List {
		w.add(&o.List[i], in)
	}
}

// maxCopies bounds the chain of copies through which a register is followed.
const maxCopies = 8

// constantOf returns the value of an operand that is a constant, or a register whose only write is
// a copy of a constant.
func (c *checker) constantOf(w writers, o *Operand) (val uint64, ok bool) {
	for range maxCopies {
		switch o.Kind {
		case KindInt:
			return o.Val, true
		case KindReg:
			from := c.copied(w, o)
			if from == nil {
				return 0, false
			}
			o = from
		default:
			return 0, false
		}
	}
	return 0, false
}

// copied returns the source of the copy if one instruction writes a register and that instruction
// is a copy of one value; else nil. A read before that write sees an unknown value, so programs do
// not read the register there.
func (c *checker) copied(w writers, o *Operand) *Operand {
	by := w[o.Reg()]
	if o.Comp != "" || len(by) != 1 || by[0].Guard != nil {
		return nil
	}
	in := by[0]
	if v := c.variant(in); v == nil || !v.row.Do.copies || len(in.Args) != 2 || in.Args[0].Kind != KindReg {
		return nil
	}
	return &in.Args[1]
}

// threadNumber reports whether an operand is computed from the number of the thread in its block or
// warp, as far as registers with a single writer show.
func (c *checker) threadNumber(w writers, o *Operand, depth int) bool {
	switch {
	case depth == 0:
		return false
	case o.Kind == KindSpecial:
		return o.Special == SrTid || o.Special == SrLaneid
	case o.Kind == KindReg:
		by := w[o.Reg()]
		if len(by) != 1 {
			return false
		}
		v := c.variant(by[0])
		if v == nil || v.row.Do.inlines || v.row.Do.cross != crossNone || v.isMemory() {
			return false
		}
		for i := range by[0].Args {
			if i < len(v.ops) && !v.ops[i].dst && c.threadNumber(w, &by[0].Args[i], depth-1) {
				return true
			}
		}
	}
	return false
}

// isMemory reports whether an operand is an address; the result is then no function of the
// operands.
func (v *variant) isMemory() bool {
	for i := range v.ops {
		if v.ops[i].kind == opAddr {
			return true
		}
	}
	return false
}
