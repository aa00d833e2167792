package ir

// FoldConstants replaces registers that are known to hold a constant by that
// constant, in the operands of operations across lanes and of barriers. Compilers
// move a shuffle's b, c and membermask into registers first; an engine that knows
// them need not compare the lanes.
//
// A register is known where it is used if the function writes it once, without
// guard, from a constant, and that write dominates the use: every lane that executes
// the use has executed the write. Other lanes' values do not matter to these
// operands. The function must not be running.
func (f *Func) FoldConstants() {
	if f.Exec != 0 {
		return // views of registers overlap; masks and controls are constants there anyway
	}
	defs := f.constantWrites()
	if len(defs) == 0 {
		return
	}
	idom := f.dominators()
	for bi, b := range f.Blocks {
		for i := b.Start; i < b.End; i++ {
			in := &f.Code[i]
			if !in.Op.Meets() && in.Op != Shfl && in.Op != Vote && in.Op != Bar {
				continue
			}
			for a := range in.Args {
				d, ok := defs[in.Args[a]]
				if ok && (d.block == bi && d.at < i || d.block != bi && dominates(idom, d.block, bi)) {
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

// successors appends the blocks that may follow a block.
func (f *Func) successors(bi int, out []int) []int {
	last := &f.Code[f.Blocks[bi].End-1]
	switch last.Op {
	case Bra, SBra:
		out = append(out, int(last.Imm))
		if last.Op == Bra && last.Guard == 0 || last.Op == SBra && last.Args[0] == 0 {
			return out
		}
	case BraTable:
		for _, t := range f.Tables[last.Imm] {
			if t >= 0 {
				out = append(out, t)
			}
		}
		if last.Guard == 0 {
			return out
		}
	case Exit, Trap:
		if last.Guard == 0 {
			return out
		}
	case EndWave:
		return out
	}
	if bi+1 < len(f.Blocks) {
		out = append(out, bi+1)
	}
	return out
}

// dominators returns the immediate dominator of every block, -1 for unreachable
// ones; the entry's is itself. The algorithm is that of Cooper, Harvey and Kennedy
// ("A Simple, Fast Dominance Algorithm").
func (f *Func) dominators() []int {
	n := len(f.Blocks)
	post := make([]int, 0, n) // blocks in postorder
	number := make([]int, n)  // a block's number in it
	state := make([]uint8, n) // 1: on the stack, 2: done
	preds := make([][]int, n)
	stack := []int{0}
	var succ []int
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		if state[b] != 0 {
			stack = stack[:len(stack)-1]
			if state[b] == 1 {
				state[b] = 2
				number[b] = len(post)
				post = append(post, b)
			}
			continue
		}
		state[b] = 1
		succ = f.successors(b, succ[:0])
		for _, s := range succ {
			preds[s] = append(preds[s], b)
			if state[s] == 0 {
				stack = append(stack, s)
			}
		}
	}
	idom := make([]int, n)
	for i := range idom {
		idom[i] = -1
	}
	idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i := len(post) - 1; i >= 0; i-- {
			b := post[i]
			if b == 0 {
				continue
			}
			best := -1
			for _, p := range preds[b] {
				switch {
				case idom[p] < 0:
				case best < 0:
					best = p
				default:
					x, y := p, best
					for x != y {
						for number[x] < number[y] {
							x = idom[x]
						}
						for number[y] < number[x] {
							y = idom[y]
						}
					}
					best = x
				}
			}
			if idom[b] != best {
				idom[b], changed = best, true
			}
		}
	}
	return idom
}

// dominates reports whether every way to b leads through a.
func dominates(idom []int, a, b int) bool {
	if idom[b] < 0 || idom[a] < 0 {
		return false
	}
	for b != a {
		if b == 0 {
			return false
		}
		b = idom[b]
	}
	return true
}
