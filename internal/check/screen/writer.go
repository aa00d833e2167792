package screen

import "example.org/crosslane/internal/ir"

// writer makes a form.
type writer struct {
	*Kernel
	o   Options
	out ir.Func

	bad, now, start, counts ir.Ref
	locals                  ir.Ref // the tags of the thread's private memory
	cp                      copying
	same                    meetings
	ended                   ir.Ref // how many intervals the block has ended, times the tags of one
	values                  map[int]ir.Ref
	inputs                  map[ir.InputKind]ir.Ref
	consts                  map[constant]ir.Ref
	temps                   map[ir.Type][]ir.Ref
	used                    map[ir.Type]int
	guests, rest            uint32 // bytes of new values
	added                   []ir.Ref
	groups                  []group
	readOnly                map[int32]bool // instructions that read what nothing may write
	made                    []Mark
	inRow                   readings
	pos                     int32
}

// constant is the key of a constant.
type constant struct {
	t ir.Type
	v uint64
}

func newWriter(k *Kernel, o Options) *writer {
	w := &writer{Kernel: k, o: o, out: *k.f, values: map[int]ir.Ref{}, inputs: map[ir.InputKind]ir.Ref{}, consts: map[constant]ir.Ref{},
		temps: map[ir.Type][]ir.Ref{}, used: map[ir.Type]int{}, readOnly: map[int32]bool{}}
	w.out.Values = append([]ir.Value(nil), k.f.Values...)
	w.out.Inputs = append([]ir.Input(nil), k.f.Inputs...)
	w.out.Code = make([]ir.Inst, 0, 2*len(k.f.Code))
	w.out.Blocks = make([]ir.Block, 0, len(k.f.Blocks))
	if o.Same {
		w.same.chosen, w.same.ofEqual = choices(k.f), k.storesOfEqual()
	}
	w.bad, w.now, w.start = w.guest("suspicious", ir.B1), w.guest("tag", ir.B32), w.guest("first tag", ir.B32)
	return w
}

// add declares a value.
func (w *writer) add(v ir.Value) ir.Ref {
	size := (v.Size(w.f.Lanes) + 7) &^ 7
	if v.Kind == ir.Guest {
		v.Off, w.guests = w.guests, w.guests+size
	} else {
		v.Off, w.rest = w.rest, w.rest+size
	}
	w.out.Values = append(w.out.Values, v)
	r := ir.Ref(len(w.out.Values) - 1)
	w.added = append(w.added, r)
	return r
}

// guest declares a register.
func (w *writer) guest(name string, t ir.Type) ir.Ref {
	return w.add(ir.Value{Name: "%screen " + name, Type: t})
}

// value returns a launch value of the form, as a register that is equal in all lanes.
func (w *writer) value(n int, t ir.Type) ir.Ref {
	r, ok := w.values[n]
	if !ok {
		r = w.guest("value", t)
		w.values[n] = r
		w.out.Inputs = append(w.out.Inputs, ir.Input{Kind: ir.LaunchValue, Dst: r, Imm: uint64(w.o.First + n)})
	}
	return r
}

// input returns a number of the thread's place.
func (w *writer) input(kind ir.InputKind) ir.Ref {
	r, ok := w.inputs[kind]
	if !ok {
		r = w.guest("place", ir.B32)
		w.inputs[kind] = r
		w.out.Inputs = append(w.out.Inputs, ir.Input{Kind: kind, Dst: r})
	}
	return r
}

func (w *writer) konst(t ir.Type, v uint64) ir.Ref {
	if t != ir.B64 {
		v &= 1<<(8*t.Bytes()) - 1
	}
	r, ok := w.consts[constant{t, v}]
	if !ok {
		r = w.add(ir.Value{Type: t, Kind: ir.Const, Const: v})
		w.consts[constant{t, v}] = r
	}
	return r
}

// renew makes all scratch values free, at a new instruction.
func (w *writer) renew() { clear(w.used) }

// temp returns a scratch value that nothing else of this instruction uses.
func (w *writer) temp(t ir.Type) ir.Ref {
	n := w.used[t]
	w.used[t]++
	if n == len(w.temps[t]) {
		w.temps[t] = append(w.temps[t], w.add(ir.Value{Type: t, Kind: ir.Temp}))
	}
	return w.temps[t][n]
}

func (w *writer) emit(in ir.Inst) {
	in.Pos = w.pos
	w.out.Code = append(w.out.Code, in)
}

// set emits a pure operation.
func (w *writer) set(op ir.Op, dst ir.Ref, args ...ir.Ref) {
	in := ir.Inst{Op: op, Dst: dst}
	copy(in.Args[:], args)
	w.emit(in)
}

// v emits a pure operation and returns its result.
func (w *writer) v(op ir.Op, args ...ir.Ref) ir.Ref {
	d := w.temp(ir.Ops[op].Res)
	w.set(op, d, args...)
	return d
}

// splat returns a scalar as a lane vector.
func (w *writer) splat(r ir.Ref) ir.Ref {
	d := w.temp(w.f.Val(r).Type)
	w.emit(ir.Inst{Op: ir.Splat, Dst: d, Args: [4]ir.Ref{r}})
	return d
}

// under returns lanes without those that the guard of an operation leaves out.
func (w *writer) under(lanes ir.Ref, in *ir.Inst) ir.Ref {
	if in == nil || in.Guard == 0 {
		return lanes
	}
	g := in.Guard
	if in.GuardNot {
		g = w.v(ir.NotP, g)
	}
	return w.v(ir.AndP, lanes, g)
}

// suspect makes lanes suspicious, under the guard of an operation.
func (w *writer) suspect(lanes ir.Ref, in *ir.Inst) {
	x := ir.Inst{Op: ir.OrP, Dst: w.bad, Args: [4]ir.Ref{w.bad, lanes}}
	if in != nil && !in.Scalar {
		x.Guard, x.GuardNot = in.Guard, in.GuardNot
	}
	w.emit(x)
}

// load loads a tag, under the guard of an operation. The lanes outside have the value other, a constant.
func (w *writer) load(at ir.Ref, off, other uint64, in *ir.Inst) ir.Ref {
	d := w.temp(ir.B32)
	x := ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{at}, Imm: off, Size: 4, Align: 4, Space: ir.Global}
	if in != nil && in.Guard != 0 {
		x.Guard, x.GuardNot = in.Guard, in.GuardNot
		w.set(ir.Mov32, d, w.konst(ir.B32, other))
	}
	w.emit(x)
	return d
}

// store stores a tag, under the guard of an operation.
func (w *writer) store(at ir.Ref, off uint64, tag ir.Ref, in *ir.Inst) {
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, tag}, Guard: in.Guard, GuardNot: in.GuardNot})
}
