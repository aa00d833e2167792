package enginetest

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Lowering compares an engine with a reference on pure operations, each in every form in
// which code may contain it, on many values. It is the test for rules of machine code. A
// kernel has many operations; it loads their arguments from memory and stores their results.
type Lowering struct {
	// Engine is tested. Reference gives the right results; samples of these are compared with
	// the functions of package num.
	Engine, Reference sim.Engine
	// Match selects operations by name; nil: all.
	Match *regexp.Regexp
	// Random is the number of random argument lists for each operation, in addition to the
	// special ones; 0: 10,000.
	Random int
	Seed   uint64
}

// Test runs the comparison: a subtest for each list of argument types.
func (l Lowering) Test(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	groups := l.groups()
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		t.Run(k, func(t *testing.T) {
			t.Parallel()
			l.group(groups[k], t.Errorf)
		})
	}
}

// groups returns the operations to test, grouped by their argument types.
func (l Lowering) groups() map[string][]ir.Op {
	groups := map[string][]ir.Op{}
	for op := range ir.NumOps {
		info := &ir.Ops[op]
		if info.Fn == nil || l.Match != nil && !l.Match.MatchString(info.Name) {
			continue
		}
		var key []string
		for _, a := range info.Args {
			key = append(key, a.String())
		}
		k := strings.Join(key, ",")
		groups[k] = append(groups[k], ir.Op(op))
	}
	return groups
}

// Find is like Test, but calls a function with each error.
func (l Lowering) Find(errorf func(format string, args ...any)) {
	groups := l.groups()
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		l.group(groups[k], errorf)
	}
}

// group tests the operations of one signature.
func (l Lowering) group(ops []ir.Op, errorf func(string, ...any)) {
	if l.Random == 0 {
		l.Random = 10_000
	}
	args := ir.Ops[ops[0]].Args
	r := rand.New(rand.NewPCG(l.Seed, uint64(len(args))<<8|uint64(args[0])))
	all := tuples(r, args, l.Random)
	few := make([][4]uint64, 1500)
	for i := range few {
		few[i] = all[r.IntN(len(all))]
	}
	for part := range slices.Chunk(ops, 48) {
		l.kernel(part, all, []opForm{{}}, 32, r.Uint64(), errorf)
	}
	for _, lanes := range []int{32, 64} {
		for part := range slices.Chunk(ops, 12) {
			l.kernel(part, few, formsOf(r, args), lanes, r.Uint64(), errorf)
		}
	}
}

// An opForm is a form in which code uses an operation.
type opForm struct {
	guard  int // 1: under a guard that differs from lane to lane; 2: under its negation
	temp   bool
	alias  bool // the destination is the first argument of its type
	scalar bool // once for the wave
	fixed  int  // this argument, from 1 on, is uniform
	known  bool // and a constant
	value  uint64
	exec   bool     // 64 lanes: under an EXEC of some lanes
	twice  bool     // the first two arguments, if they have one type, are equal
	raw    bool     // arguments of 16 and 32 bits are results of float operations, with NaNs of any bits
	consts []uint64 // all arguments are these constants
	pair   bool     // 64 lanes: masks are 64-bit numbers in other operations, and these numbers are masks
}

// String returns the form of an operation in words, for failures.
func (f opForm) String() string {
	var s []string
	add := func(on bool, what string) {
		if on {
			s = append(s, what)
		}
	}
	add(f.guard == 1, "under a guard")
	add(f.guard == 2, "under a negated guard")
	add(f.temp, "into a temporary")
	add(f.alias, "its destination among its arguments")
	add(f.scalar, "once for the wave")
	add(f.fixed > 0 && !f.known, fmt.Sprintf("argument %d a scalar", f.fixed))
	add(f.known, fmt.Sprintf("argument %d the constant %#x", f.fixed, f.value))
	add(f.consts != nil, fmt.Sprintf("its arguments the constants %#x", f.consts))
	add(f.exec, "some lanes of EXEC")
	add(f.twice, "two arguments the same")
	add(f.raw, "its arguments sums of floats")
	add(f.pair, "masks that are numbers elsewhere")
	if len(s) == 0 {
		return "all lanes"
	}
	return strings.Join(s, ", ")
}

// formsOf returns the forms of operations with these argument types.
func formsOf(r *rand.Rand, args []ir.Type) []opForm {
	l := []opForm{{}, {guard: 1}, {guard: 2, temp: true}, {temp: true}, {alias: true}, {alias: true, guard: 1}, {scalar: true}, {exec: true}, {raw: true}, {pair: true}, {pair: true, guard: 1}, {pair: true, scalar: true}}
	if len(args) > 1 && args[0] == args[1] {
		l = append(l, opForm{twice: true})
	}
	for i := range 10 {
		var c []uint64
		for _, t := range args {
			v := RandomValue(r, t)
			if i > 2 { // values for which rules have shorter code
				v = [...]uint64{0, 1, bitsOf(t), v}[r.IntN(4)]
			}
			c = append(c, v)
		}
		l = append(l, opForm{consts: c}, opForm{consts: c, scalar: true})
	}
	for i, t := range args {
		l = append(l, opForm{fixed: i + 1}, opForm{fixed: i + 1, guard: 1}, opForm{fixed: i + 1, raw: true})
		for range 3 {
			v := RandomValue(r, t)
			l = append(l, opForm{fixed: i + 1, known: true, value: v}, opForm{fixed: i + 1, known: true, value: v, scalar: true})
		}
	}
	return l
}

// A use is one operation of a kernel, in one form.
type use struct {
	op   ir.Op
	form opForm
	at   uint64 // offset of its results in the output
	old  uint64 // the content of its destination before it
}

// A bench is a kernel of many uses, with its input.
type bench struct {
	uses   []use
	args   []ir.Type
	fn     *ir.Func
	in     []byte
	out    int
	inAt   [4]uint64
	maskAt uint64
	tuples [][4]uint64
	lanes  int
	block  int
	grid   int
}

const oldBits = 0xa5a5_5a5a_c3c3_3c3c

// kernel tests some operations in some forms on lists of arguments. It returns whether all
// results are right.
func (l Lowering) kernel(ops []ir.Op, list [][4]uint64, forms []opForm, lanes int, seed uint64, errorf func(string, ...any)) bool {
	b, err := newBench(ops, list, forms, lanes, seed)
	if err != nil {
		errorf("%v: %v", ops, err)
		return false
	}
	want, err := b.run(l.Reference)
	if err != nil {
		errorf("%v: the reference: %v", ops, err)
		return false
	}
	got, err := b.run(l.Engine)
	if err == nil {
		same := b.compare(want, got, errorf)
		return b.sample(want, seed, errorf) && same
	}
	if len(ops) == 1 {
		errorf("%s, %d lanes: %v", ops[0], lanes, err)
		return false
	}
	ok := true
	for i := range ops { // find the operation that fails
		ok = l.kernel(ops[i:i+1], list, forms, lanes, seed, errorf) && ok
	}
	if ok {
		errorf("%v together, %d lanes: %v", ops, lanes, err)
	}
	return false
}

// newBench builds the kernel. A lane uses the tuple with its number in the grid.
func newBench(ops []ir.Op, list [][4]uint64, forms []opForm, lanes int, seed uint64) (*bench, error) {
	b := &bench{args: ir.Ops[ops[0]].Args, tuples: list, lanes: lanes}
	// The second wave of each block is partial.
	b.block = 2*lanes - 5
	b.grid = (len(list) + b.block - 1) / b.block
	n := b.block * b.grid
	r := rand.New(rand.NewPCG(seed, 1))
	for len(b.tuples) < n {
		b.tuples = append(b.tuples[:len(b.tuples):len(b.tuples)], list[r.IntN(len(list))])
	}
	for i, t := range b.args {
		b.inAt[i] = uint64(len(b.in))
		for _, a := range b.tuples {
			b.in = appendElem(b.in, t, a[i])
		}
		b.in = append(b.in, make([]byte, -len(b.in)&7)...)
	}
	b.maskAt = uint64(len(b.in))
	for range n {
		b.in = append(b.in, byte(r.Uint32()), 0, 0, 0)
	}

	k := &benchKern{Builder: ir.NewBuilder("ops", lanes), b: b}
	k.start()
	at := uint64(0)
	for _, op := range ops {
		for _, f := range forms {
			if f.exec && lanes != 64 || f.twice && len(b.args) < 2 {
				continue
			}
			if f.alias && !slices.Contains(b.args, ir.Ops[op].Res) || f.raw && !slices.Contains(b.args, ir.B32) && !slices.Contains(b.args, ir.B16) {
				continue
			}
			if f.pair && (lanes != 64 || !f.scalar && ir.Ops[op].Res != ir.B1 || f.scalar && ir.Ops[op].Res != ir.B64 && !slices.Contains(b.args, ir.B64)) {
				continue
			}
			u := use{op: op, form: f, at: at, old: oldBits & bitsOf(ir.Ops[op].Res)}
			k.use(u)
			b.uses = append(b.uses, u)
			at += (uint64(n)*elemBytes(ir.Ops[op].Res) + 7) &^ 7
		}
	}
	b.out = int(at)
	var err error
	b.fn, err = k.Finish()
	return b, err
}

// elemBytes returns the bytes of an element in memory; a predicate takes 4 bytes.
func elemBytes(t ir.Type) uint64 { return uint64(t.Bytes()) }

// appendElem appends an element of type t in memory's format, little endian.
func appendElem(p []byte, t ir.Type, v uint64) []byte {
	switch elemBytes(t) {
	case 1:
		return append(p, byte(v))
	case 2:
		return binary.LittleEndian.AppendUint16(p, uint16(v))
	case 4:
		return binary.LittleEndian.AppendUint32(p, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(p, v)
}

// elem returns element i of an array in memory's format.
func elem(p []byte, t ir.Type, i int) uint64 {
	switch elemBytes(t) {
	case 1:
		return uint64(p[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(p[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(p[4*i:]))
	}
	return binary.LittleEndian.Uint64(p[8*i:])
}

// run runs the kernel on an engine and returns the output.
func (b *bench) run(e sim.Engine) ([]byte, error) {
	fn := *b.fn // Compile enlarges the frame
	p, err := e.Compile(&fn)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name(), err)
	}
	mem := sim.NewMemory()
	in, out := mem.Add("in", b.in), mem.Add("out", make([]byte, b.out))
	_, list, err := sim.Run(context.Background(), &sim.Launch{Func: &fn, Program: p, Grid: [3]uint32{uint32(b.grid), 1, 1}, Block: [3]uint32{uint32(b.block), 1, 1},
		Memory: mem, Values: []uint64{in.Base, out.Base}, Workers: 1, Limits: sim.Limits{Timeout: time.Minute}})
	if err == nil {
		err = list.Err()
	}
	return out.Data, err
}

// argsOf returns the arguments of a use in lane g of the grid.
func (b *bench) argsOf(u use, g int) [4]uint64 {
	first := g / b.block * b.block // first of the block
	a := b.tuples[g]
	if u.form.scalar {
		a = b.tuples[first]
	}
	switch f := u.form; {
	case f.consts != nil:
		copy(a[:], f.consts)
	case f.known:
		a[f.fixed-1] = f.value
	case f.fixed > 0:
		a[f.fixed-1] = b.tuples[first][f.fixed-1]
	case f.twice:
		a[1] = a[0]
	}
	for i, t := range b.args {
		switch {
		case u.form.raw && t == ir.B32:
			a[i] = ir.Evaluator(ir.AddF32)([4]uint64{a[i], negativeZero})
		case u.form.raw && t == ir.B16:
			a[i] = ir.Evaluator(ir.AddF16)([4]uint64{a[i], negativeZero >> 16})
		}
	}
	return a
}

const negativeZero = 1 << 31 // added to a float, it changes only NaNs

// on reports whether a use writes its destination in lane g.
func (b *bench) on(u use, g int) bool {
	m := b.in[b.maskAt+4*uint64(g)]&1 != 0
	switch {
	case u.form.exec:
		return m
	case u.form.guard == 1:
		return m
	case u.form.guard == 2:
		return !m
	}
	return true
}

// compare reports where an engine differs from the reference.
func (b *bench) compare(want, got []byte, errorf func(string, ...any)) bool {
	ok := true
	for _, u := range b.uses {
		info := &ir.Ops[u.op]
		bad, first := 0, ""
		for g := range b.tuples {
			x, y := elem(want[u.at:], info.Res, g), elem(got[u.at:], info.Res, g)
			if x == y {
				continue
			}
			if bad++; bad <= 3 {
				a := b.argsOf(u, g)
				what := ""
				if !b.on(u, g) {
					what = " (a lane that is off)"
				}
				first += fmt.Sprintf("\n\t%s%#x = %#x, want %#x; lane %d of block %d%s", info.Name, a[:len(b.args)], y, x, g%b.block, g/b.block, what)
			}
		}
		if bad > 0 {
			ok = false
			errorf("%s, %d lanes, %s: %d of %d wrong%s", info.Name, b.lanes, u.form, bad, len(b.tuples), first)
		}
	}
	return ok
}

// sample compares some results of the reference with the functions of package num.
func (b *bench) sample(want []byte, seed uint64, errorf func(string, ...any)) bool {
	ok := true
	r := rand.New(rand.NewPCG(seed, 2))
	for _, u := range b.uses {
		info := &ir.Ops[u.op]
		f := ir.Evaluator(u.op)
		if u.form.pair {
			continue // its arguments are not those of argsOf
		}
		for range 24 {
			g := r.IntN(len(b.tuples))
			a := b.argsOf(u, g)
			x := f(a)
			if !b.on(u, g) {
				x = u.old
				if u.form.alias {
					x = a[slices.Index(b.args, info.Res)]
				}
			}
			if y := elem(want[u.at:], info.Res, g); x != y {
				ok = false
				errorf("%s, %d lanes, %s: %s%#x = %#x in the reference, want %#x; lane %d of block %d", info.Name, b.lanes, u.form, info.Name, a[:len(b.args)], y, x, g%b.block, g/b.block)
				break
			}
		}
	}
	return ok
}
