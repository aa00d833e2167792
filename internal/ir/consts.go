package ir

// FoldConstants replaces registers that are known to hold a constant by that constant, in the
// operands of operations across lanes and of barriers. Compilers move a shuffle's b, c and
// membermask into registers first; an engine that sees the constants need not compare the lanes.
//
// Input: a function whose lanes are switched by control flow.
// Output: the same function with constant operands.
// Invariant: a register is replaced only if the function writes it once, without guard, from a
// constant, and that write dominates the use. Then every lane that executes the use has executed
// the write. The values of other lanes do not matter to these operands.
// Example: `%r9 = Mov32 31` …, `ShflSync %r1, %r2, %r9` becomes `ShflSync %r1, %r2, 31`.
// Literature: constant propagation, restricted to single definitions.
//
// The function must not be running.
func (f *Func) FoldConstants() {
	if f.Exec != 0 {
		return // views of registers overlap; masks and controls are constants anyway
	}
	defs := f.constantWrites()
	if len(defs) == 0 {
		return
	}
	dom := f.dominators()
	for bi, b := range f.Blocks {
		for i := b.Start; i < b.End; i++ {
			in := &f.Code[i]
			if !in.Op.Meets() && in.Op != Shfl && in.Op != Vote && in.Op != Bar {
				continue
			}
			for a := range in.Args {
				d, ok := defs[in.Args[a]]
				if ok && (d.block == bi && d.at < i || d.block != bi && dom.Dominates(d.block, bi)) {
					in.Args[a] = d.value
				}
			}
		}
	}
}

type constantWrite struct {
	block, at int
	value     Ref // the constant
}

// constantWrites finds the guest registers that are written once, from a constant.
func (f *Func) constantWrites() map[Ref]constantWrite {
	writes := make([]int, len(f.Values))
	for _, in := range f.Inputs {
		writes[in.Dst] += 2
	}
	defs := map[Ref]constantWrite{}
	for bi, b := range f.Blocks {
		for i := b.Start; i < b.End; i++ {
			in := &f.Code[i]
			writes[in.Dst]++
			writes[in.Dst2] += 2
			if in.Op == Collective {
				for _, d := range f.Collectives[in.Imm].Dst {
					writes[d] += 2
				}
			}
			if in.Op.Pure() && in.Guard == 0 && f.Val(in.Dst).Kind == Guest && Ops[in.Op].isMove() && f.Val(in.Args[0]).Kind == Const {
				defs[in.Dst] = constantWrite{bi, i, in.Args[0]}
			}
		}
	}
	for r := range defs {
		if writes[r] != 1 {
			delete(defs, r)
		}
	}
	return defs
}

func (o *Info) isMove() bool {
	switch o.Name {
	case "Mov8", "Mov16", "Mov32", "Mov64", "MovB1":
		return true
	}
	return false
}
