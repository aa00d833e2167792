package webs

// flow computes the edges of the flow graph, without duplicates, and the loop depth of each block.
func (f *Func) flow(m *Scratch) {
	n := len(f.IR.Blocks)
	f.Succs, f.Preds, f.Depth = m.edges.take(n), m.edges.take(n), m.bytes.take(n)
	var out []int
	arena := m.ints.take(2 * n)[:0]
	count := m.ints.take(n + 1)
	for b := range n {
		out = f.IR.Successors(b, out[:0])
		from := len(arena)
	next:
		for _, s := range out {
			// Both sides of a branch may lead to one block.
			for _, t := range arena[from:] {
				if t == int32(s) {
					continue next
				}
			}
			arena = append(arena, int32(s))
			count[s]++
		}
		f.Succs[b] = arena[from:len(arena):len(arena)]
	}
	// The number of predecessors of each block is known, so their lists share one array.
	preds := m.ints.take(len(arena))
	for b := range n {
		f.Preds[b] = preds[:0:count[b]]
		preds = preds[count[b]:]
	}
	for b, l := range f.Succs {
		for _, s := range l {
			f.Preds[s] = append(f.Preds[s], int32(b))
		}
	}
	// A loop is laid out from its head to the last edge back to the head: see
	// ir.Func.Converge. So a prefix sum over heads and last edges counts the enclosing loops.
	nested := m.ints.take(n + 1)
	for b, l := range f.Preds {
		last := -1
		for _, p := range l {
			last = max(last, int(p))
		}
		if last >= b {
			nested[b]++
			nested[last+1]--
		}
	}
	depth := int32(0)
	for b := range n {
		depth += nested[b]
		f.Depth[b] = uint8(min(depth, 255))
	}
}
