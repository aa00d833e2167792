package amdgpu

import "slices"

// step follows one instruction that continues with the next one.
func (x *contexts) step(w *world, i int32) {
	d := &x.insts[i]
	in := &d.In
	var set []cell
	switch {
	case in.Row.Unit == UnitSALU && in.Row.Flags.Has(FlagIndirect):
		w.forget(0, cellLanes) // it may write any register
		return
	case in.Row.Unit == UnitSALU && in.Row.Sem != nil:
		set = x.scalar(*w, i)
	case len(in.Row.Operands) > 0 && in.Row.Operands[len(in.Row.Operands)-1].Kind == ClassLane:
		if k, v, ok := w.lane(in); ok {
			set = []cell{{k, v}}
		}
		if in.Ops[0].Kind == KindVGPR { // v_writelane_b32 keeps the other lanes
			if k, ok := w.laneOf(in, in.Ops[0].Reg); ok {
				w.forget(k, k+1)
			} else {
				w.forget(laneCell(in.Ops[0].Reg, 0), laneCell(in.Ops[0].Reg+1, 0))
			}
			for _, c := range set {
				w.set(c.key, c.known)
			}
			return
		}
	case in.Row.Format == MUBUF:
		if at, n, ok := w.scratch(in); ok {
			set = w.move(in, at, n)
		}
	}
	var room [6]RegRun
	for _, s := range in.AppendWrites(room[:0]) {
		if s.Lo >= RegVGPR0 {
			v := s.Lo - RegVGPR0
			w.forget(laneCell(v, 0), laneCell(v+s.N, 0))
		} else {
			w.forget(cellKey(s.Lo), cellKey(s.Lo+s.N))
		}
	}
	if in.Row.Writes&SCC != 0 {
		w.forget(RegSCC, RegSCC+1)
	}
	for _, c := range set {
		w.set(c.key, c.known)
	}
}

// scalar computes the results of a scalar instruction with known operands.
func (x *contexts) scalar(w world, i int32) (set []cell) {
	d := &x.insts[i]
	in := &d.In
	regs := map[uint16]known{}
	take := func(s RegRun) bool {
		for r := s.Lo; r < s.Lo+s.N; r++ {
			v, ok := w.get(cellKey(r))
			if !ok {
				return false
			}
			regs[r] = v
		}
		return true
	}
	var room [4]RegRun
	for _, s := range SpecialRuns(room[:0], in.Row.Reads) {
		if !take(s) {
			return nil
		}
	}
	for k := range in.Row.Operands {
		if in.ReadsOperand(k) && !take(OperandRun(&in.Ops[k])) {
			return nil
		}
	}
	if v, ok := w.get(RegSCC); ok {
		regs[RegSCC] = v
	}
	l := x.lifted[i]
	if l == nil {
		l = liftAt(in, d.Next)
		x.lifted[i] = l
	}
	f := folder{regs: regs}
	for r, v := range f.run(l) {
		set = append(set, cell{cellKey(r), v})
	}
	return set
}

// laneOf returns the cell of a VGPR that an instruction with a lane select accesses.
func (w world) laneOf(in *Inst, vgpr uint16) (cellKey, bool) {
	switch o := &in.Ops[len(in.Row.Operands)-1]; {
	case o.Kind == KindSGPR:
		v, ok := w.get(cellKey(o.Reg))
		return laneCell(vgpr, v.v), ok && !v.rel
	case OperandRun(o).N == 0:
		return laneCell(vgpr, uint32(o.Imm)), true
	}
	return 0, false
}

// lane returns the value that v_readlane_b32 or v_writelane_b32 copies, if it is known.
func (w world) lane(in *Inst) (to cellKey, v known, ok bool) {
	dst, src := &in.Ops[0], &in.Ops[1]
	switch {
	case dst.Kind == KindVGPR && src.Kind == KindSGPR:
		to, ok = w.laneOf(in, dst.Reg)
		v, known := w.get(cellKey(src.Reg))
		return to, v, ok && known
	case dst.Kind == KindSGPR && src.Kind == KindVGPR:
		from, ok := w.laneOf(in, src.Reg)
		v, known := w.get(from)
		return cellKey(dst.Reg), v, ok && known
	}
	return 0, known{}, false
}

// scratch returns the place in scratch memory that a buffer instruction accesses. The instruction
// has no address in a VGPR, so all lanes access the same place in their own memory. Its descriptor
// is that of the calling convention, s[0:3]. Scratch memory is swizzled by lanes (AMDGPUUsage,
// "Private Segment Buffer"), so the scalar offset counts the bytes of all lanes.
func (w world) scratch(in *Inst) (at cellKey, dwords uint16, ok bool) {
	if in.Has(ModOffen) || in.Has(ModIdxen) || in.Has(ModLDS) || in.Row.Flags.Has(FlagAtomic) {
		return 0, 0, false
	}
	offset := uint32(in.Row.target.WaveSize) * uint32(in.Mod(ModOffset))
	for k := range in.Row.Operands {
		o := &in.Ops[k]
		switch in.Row.Operands[k].Field {
		case FieldSOFFSET:
			switch {
			case o.Kind != KindSGPR:
				offset += uint32(o.Imm)
			default:
				v, known := w.get(cellKey(o.Reg))
				if !known || v.rel {
					return 0, 0, false
				}
				offset += v.v
			}
		case FieldVDATA:
			dwords = OperandRun(o).N
		case FieldSRSRC:
			if o.Reg != 0 {
				return 0, 0, false
			}
		}
	}
	return cellScratch | cellKey(offset)<<8, dwords, dwords > 0 && offset < 1<<31
}

// move copies the known values of VGPRs to scratch memory, or back.
func (w *world) move(in *Inst, at cellKey, dwords uint16) (set []cell) {
	var data uint16
	for k := range in.Row.Operands {
		if in.Row.Operands[k].Field == FieldVDATA {
			data = in.Ops[k].Reg
		}
	}
	store := in.Row.Flags.Has(FlagStore)
	for n := range dwords {
		mem, reg := at+cellKey(n)*256<<8, laneCell(data+n, 0)
		from, to := mem, reg
		if store {
			from, to = reg, mem
			w.forget(mem, mem+64)
		}
		i, _ := w.find(from)
		for ; i < len(*w) && (*w)[i].key < from+64; i++ {
			set = append(set, cell{to + (*w)[i].key - from, (*w)[i].known})
		}
	}
	return set
}

// A liveSet is a set of scalar registers that are read before they are written.
type liveSet [2]uint64

func (l *liveSet) has(r uint16) bool { return l[r/64&1]>>(r%64)&1 != 0 }

func (l *liveSet) put(s RegRun, on bool) {
	for r := s.Lo; r < s.Lo+s.N && r < 128; r++ {
		if on {
			l[r/64] |= 1 << (r % 64)
		} else {
			l[r/64] &^= 1 << (r % 64)
		}
	}
}

// liveScalars finds the scalar registers that are live after each instruction. A missing register
// does no harm: an address is then unknown.
func liveScalars(insts []Decoded, index OffsetIndex, hub []int64) []liveSet {
	n := len(insts)
	at := make([]liveSet, n+1) // the last one stands for all computed branches
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			d := &insts[i]
			var l liveSet
			var room [4]int64
			for _, off := range successors(room[:0], d) {
				k, ok := index.At(off)
				if off == hubOff {
					k, ok = n, true
				}
				if ok {
					l[0], l[1] = l[0]|at[k][0], l[1]|at[k][1]
				}
			}
			var spans [6]RegRun
			for _, s := range d.In.AppendWrites(spans[:0]) {
				l.put(s, false)
			}
			for _, s := range d.In.reads() {
				l.put(s, true)
			}
			changed = changed || l != at[i]
			at[i] = l
		}
		var l liveSet
		for _, off := range hub {
			if k, ok := index.At(off); ok {
				l[0], l[1] = l[0]|at[k][0], l[1]|at[k][1]
			}
		}
		changed = changed || l != at[n]
		at[n] = l
	}
	return slices.Clip(at)
}
