package ptx

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// Limits against modules that are made to exhaust memory.
const (
	maxLifted = 1 << 20 // instructions after inlining
	maxCode   = 1 << 23 // operations of the IR
	maxShared = 1 << 30 // bytes of .shared or .local
	maxInline = 64      // depth of inlined calls
)

// A Kernel is an entry in IR form, with the facts that a launch needs.
type Kernel struct {
	Func  *ir.Func
	Entry *Func // its Params and ParamLayout describe the arguments

	// Globals holds the .global and .const variables that the kernel uses, directly or through
	// initialisers. The launch allocates each variable and passes the address of Globals[i] as
	// ir.LaunchValue i.
	Globals []*Global
	// DynamicShared reports that the kernel declares an .extern .shared array, which starts at
	// Func.SharedStatic.
	DynamicShared bool
	// Shared lists the .shared variables by offset.
	Shared []SharedVar
	// StaticShared is the total size in bytes of the kernel's .shared variables that are not
	// extern, as the vendor's assembler lays them out. LargestShared is the largest of these
	// variables.
	StaticShared  uint64
	LargestShared *Var
	// Windowed reports that the code depends on the places of the windows of generic addresses.
	Windowed bool
	// Warnings holds the warnings of the instructions that were lifted.
	Warnings diag.List
	// Uses holds the opcodes of the kernel and of its callees.
	Uses []Use
}

// A SharedVar is a .shared variable at an offset of the block's shared memory.
type SharedVar struct {
	Name         string
	Offset, Size uint32 // bytes; Size 0: the dynamic part
}

// Lift checks a kernel and the functions that it calls, and translates them to IR. Most calls are
// inlined, each with registers of its own. Three kinds of functions have code of their own:
// functions that call themselves, directly or indirectly; functions that are called through
// pointers; and functions that would make the kernel too large. The error is a diag.List.
//
// Input: a module that Parse returned, and the name of an entry.
// Output: a Kernel with its ir.Func.
// Invariant: an instruction that the IR cannot express is an error; it never runs as another one.
// Example: `add.s32 %r1, %r2, 1;` becomes `%r1 = Add32 %r2, 1`.
func Lift(m *Module, kernel string) (*Kernel, error) {
	f := m.Func(kernel)
	if f == nil || !f.Entry || !f.Defined() {
		var names []string
		for _, e := range m.Entries() {
			names = append(names, e.Name)
		}
		d := diag.Errorf(diag.Pos{File: m.File}, diag.Input, "no-such-kernel", "there is no kernel %q", kernel)
		if s := didYouMean(kernel, names); s != "" {
			d.Remedy = fmt.Sprintf("did you mean %q?", s)
		} else if len(names) > 0 {
			d.Remedy = "the file has " + strings.Join(names, ", ")
		}
		return nil, diag.List{d}
	}
	return lift(m, f, Layout{})
}

// A Layout gives the places of a kernel's variables. The zero value is the ordinary layout.
type Layout struct {
	Apart   bool       // gaps lie between variables of shared and private memory (see ir.Apart)
	Windows ir.Windows // windows of generic addresses; only a kernel that is Windowed depends on them
	// Clusters lays shared memory out for clusters of several blocks: its addresses have the rank of their block (ir.Func.Ranked).
	Clusters bool
}

// LiftAs is Lift in another layout, for a kernel that Lift has accepted.
func LiftAs(m *Module, kernel string, lay Layout) (*Kernel, error) {
	return lift(m, m.Func(kernel), lay)
}

func lift(m *Module, f *Func, lay Layout) (*Kernel, error) {
	l, err := liftFunc(m, f, lay)
	if err != nil {
		return nil, err
	}
	return l.k, nil
}

// liftFunc checks and translates a kernel. It returns the lifter with the finished kernel in l.k.
func liftFunc(m *Module, f *Func, lay Layout) (*lifter, error) {
	l, err := liftCalls(m, f, lay, true)
	if err != nil && l.graph.widened {
		// The functions that other kernels take the address of may be the reason, or too many.
		if own, ownErr := liftCalls(m, f, lay, false); ownErr == nil {
			return own, nil
		}
	}
	return l, err
}

// liftCalls implements liftFunc. wide is that of callGraph.
func liftCalls(m *Module, f *Func, lay Layout, wide bool) (*lifter, error) {
	l := newLifter(m, f)
	l.b.Func().Windows = lay.Windows
	l.b.Func().Ranked = lay.Clusters
	if lay.Apart {
		l.apart = &ir.Apart{}
	}
	_, err := l.finish(wide)
	return l, err
}

// finish translates the kernel of a new lifter. wide is that of callGraph.
func (l *lifter) finish(wide bool) (*Kernel, error) {
	f, m := l.k.Entry, l.m
	l.graph = newCallGraph(l.c, f, wide, l.unitOf)
	if l.c.errs.count > 0 {
		return nil, l.c.errs.finish()
	}
	l.entryFacts()
	l.layoutShared(l.c.checked)
	l.layoutParams()
	l.subroutines()
	l.openFrame(f, nil)
	l.root = l.frame
	l.block(&l.c.checked[f].Block)
	l.callUnit()
	l.finishTables()
	if l.c.errs.count > 0 {
		return nil, l.c.errs.finish()
	}
	l.layout()
	fn, err := l.b.Finish()
	if err != nil {
		// The checks accepted an instruction that the table cannot express: report it, never run
		// it.
		return nil, diag.List{diag.Errorf(f.Pos.At(m.File), diag.Unsupported, codeNotLifted, "%s cannot be translated: %v", f.Name, err)}
	}
	fn.MarkInFlight()
	l.k.Func = fn
	l.k.Warnings = l.c.errs.finish()
	l.k.Uses = l.c.uses(l.c.checked)
	return l.k, nil
}

// A lifter translates one kernel. The fields in and v describe the current instruction.
type lifter struct {
	m  *Module
	c  *checker
	b  *ir.Builder
	k  *Kernel
	in *Instr
	v  *variant

	frame      *frame
	root       *frame // the entry's
	lifted     int
	full       bool // a limit was reached
	special    map[specialKey]ir.Ref
	hidden     map[hiddenKey]ir.Ref
	products   map[matrix.Op]*matrix.Product
	ctaGroup   string            // .cta_group of the tcgen05 instructions so far
	places     map[*Var]location // module variables and the entry's parameters
	carry      ir.Ref            // CC.CF, when it is used
	globals    *globalTable
	moduleRegs map[string][]ir.Ref    // registers of the module, by name
	free       map[*Func][][][]ir.Ref // registers of activations that have ended
	shared     uint64                 // bytes laid out
	apart      *ir.Apart              // nil: variables lie side by side
	area       *area                  // private memory of the code that is being emitted
	localMax   uint64

	calledCode
	clusterRefs
}

// clusterRefs are values that belong to clusters.
type clusterRefs struct {
	first         ir.Ref // the address of the first byte of the block's shared memory
	clusterValues map[ir.InputKind]ir.Ref
}

// calledCode is the state of the functions with code of their own.
type calledCode struct {
	graph     *callGraph
	subs      map[*Func]*sub
	shapes    map[string]*shape
	shapeKeys []string
	sp, ret   ir.Ref // B32; 0: not used
	unitOf    *Func  // the function that LiftUnit lifts, which the entry calls; nil: none
	align     uint64 // alignment of frames on the stack
}

// An area is the private memory of one function and of the calls inlined into it. It is at fixed
// addresses, or below a frame pointer.
type area struct {
	frame    ir.Ref // B32; 0: none
	top, max uint64 // bytes
	last     *Var   // the variable directly below top
}

type specialKey struct {
	reg  Special
	comp string
	bits int
}

type hiddenKey struct {
	t    ir.Type
	slot int
}

// A frame is one activation of a function: the entry, or an inlined call.
type frame struct {
	f      *Func
	body   *Body // the body of f
	caller *frame
	regs   [][]ir.Ref // by Reg.ID; one Ref, or one per element
	labels []ir.Label // by Label.ID
	places map[*Var]location
	call   int32    // of an inlined call: ir.Pos.Call of its instructions
	end    ir.Label // target of ret, unless this is the entry
	prefix string   // prefix of register names

	// Only of functions with code of their own.
	sub     *sub
	ret, fp ir.Ref
	live    map[*Instr]regSet // registers live after each call; only for functions in cycles
}

// entry reports whether the frame is that of the kernel.
func (f *frame) entry() bool { return f.caller == nil && f.sub == nil }

func newLifter(m *Module, f *Func) *lifter {
	c := newChecker(m)
	return &lifter{
		m: m, c: c, globals: newGlobalTable(m, c.errs), b: ir.NewBuilder(f.Name, 32), k: &Kernel{Entry: f},
		special: map[specialKey]ir.Ref{}, hidden: map[hiddenKey]ir.Ref{}, products: map[matrix.Op]*matrix.Product{}, places: map[*Var]location{},
		free: map[*Func][][][]ir.Ref{}, moduleRegs: map[string][]ir.Ref{}, calledCode: calledCode{subs: map[*Func]*sub{}, shapes: map[string]*shape{}},
	}
}

// entryFacts copies the launch directives of the entry to the ir.Func.
func (l *lifter) entryFacts() {
	fn := l.b.Func()
	fn.File = l.m.File
	// PTX 9.7.9.6: for sm_6x and below, all threads in membermask must execute the same instruction
	// in convergence. On later targets they meet even if they are at different places.
	fn.MeetAnywhere = l.m.Target.SM == 0 || l.m.Target.SM >= 70
	if d := l.k.Entry.Directive(".reqntid"); d != nil {
		for i := range fn.ReqBlock {
			fn.ReqBlock[i] = 1
			if i < len(d.Args) {
				fn.ReqBlock[i] = uint32(min(d.Args[i].Val, 1<<31))
			}
		}
	}
	// PTX 11.7.1: the size of a cluster, which a launch may also give.
	if d := l.k.Entry.Directive(".reqnctapercluster"); d != nil {
		for i := range fn.ReqCluster {
			fn.ReqCluster[i] = 1
			if i < len(d.Args) {
				fn.ReqCluster[i] = uint32(min(d.Args[i].Val, 1<<31))
			}
		}
	}
	if d := l.k.Entry.Directive(".maxclusterrank"); d != nil && len(d.Args) > 0 {
		fn.MaxCluster = uint32(min(d.Args[0].Val, 1<<31))
	}
	fn.NeedsCluster = l.k.Entry.Directive(".explicitcluster") != nil
	fn.GridOfClusters = l.k.Entry.Directive(".blocksareclusters") != nil
	if d := l.k.Entry.Directive(".maxntid"); d != nil {
		n := uint64(1)
		for _, a := range d.Args {
			n = min(n*min(a.Val, 1<<31), 1<<31)
		}
		fn.MaxBlock = uint32(n)
	}
}

func (l *lifter) errorf(pos Pos, class diag.Class, code, format string, args ...any) {
	l.c.errorf(pos, class, code, format, args...)
}

// openFrame starts an activation of f.
func (l *lifter) openFrame(f *Func, caller *frame) {
	b := l.c.checked[f]
	fr := &frame{f: f, body: b, caller: caller, labels: make([]ir.Label, len(b.Labels)), places: map[*Var]location{}}
	// A lane is in one activation of a function at a time, so consecutive calls can share
	// registers.
	if free := l.free[f]; len(free) > 0 {
		fr.regs = free[len(free)-1]
		l.free[f] = free[:len(free)-1]
	} else {
		fr.regs = make([][]ir.Ref, len(b.Regs))
	}
	for i := range fr.labels {
		fr.labels[i] = -1
	}
	if caller != nil {
		fr.prefix = caller.prefix + f.Name + "/"
		fr.call = int32(len(l.b.Func().Pos))
		fr.end = l.b.NewLabel()
	}
	l.frame = fr
}

// block emits the statements of a block, and places the variables that it declares.
func (l *lifter) block(b *Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Instr:
			l.instr(s)
		case *Label:
			if s.Dir == nil {
				l.b.Bind(l.label(s))
			}
		case *Block:
			l.block(s)
		}
	}
}

func (l *lifter) label(s *Label) ir.Label {
	fr := l.frame
	if fr.labels[s.ID] < 0 {
		fr.labels[s.ID] = l.b.NewLabel()
	}
	return fr.labels[s.ID]
}

// instr emits one instruction.
func (l *lifter) instr(in *Instr) {
	if l.full {
		return
	}
	if l.lifted++; l.lifted > maxLifted {
		l.full = true
		l.errorf(in.Pos, diag.Unsupported, codeNotLifted, "the kernel has more than %d instructions after inlining", maxLifted)
		return
	}
	if len(l.b.Func().Code) > maxCode {
		// A call in a cycle of calls saves every live register, so the code may grow with the
		// square of the text.
		l.full = true
		l.errorf(in.Pos, diag.Unsupported, codeNotLifted, "the kernel needs more than %d operations", maxCode)
		return
	}
	l.in, l.v = in, l.c.variant(in)
	start := in.Pos
	if in.Guard != nil {
		start = in.Guard.Pos
	}
	text := ""
	if int(in.End.Off) <= len(l.m.Src) && start.Off <= in.End.Off {
		text = l.m.Src[start.Off:in.End.Off]
	}
	pos := ir.Pos{Line: int(in.Pos.Line), Col: int(in.Pos.Col), Text: text, Name: in.Op, Section: "PTX " + l.v.row.Sec, Open: l.v.row.facts}
	t := l.v.typ
	if len(l.v.ops) > 0 && l.v.ops[0].dst && l.v.args[0] != NoType && (types[l.v.args[0]].kind != 'b' || t == NoType || types[t].kind != 'b') {
		t = l.v.args[0] // ldmatrix.b16 writes several elements of its type to a register of b32
	}
	if of := l.v.row.Do.implied; of != nil {
		if r := of(l.v, in, 0); r != NoType {
			t = r // the type of D, not that of A and B
		}
	}
	if t != NoType {
		pos.Result = t.String()
	}
	if !l.frame.entry() {
		pos.Func, pos.Call = l.frame.f.Name, l.frame.call
	}
	l.b.At(pos)
	if in.Guard != nil {
		l.b.Guard(l.reg(&in.Guard.Reg), in.Guard.Not)
	}
	l.b.Order(l.v.order())
	l.v.row.Do.emit(l)
}

// irType returns the IR type of a PTX type's bits; NoType for 128 bits.
func irType(t Type) ir.Type {
	switch t.Bits() {
	case 1:
		return ir.B1
	case 8:
		return ir.B8
	case 16:
		return ir.B16
	case 32:
		return ir.B32
	case 64:
		return ir.B64
	}
	return ir.NoType
}

// refs returns the values of a register, one per element.
func (l *lifter) refs(r *Reg) []ir.Ref {
	fr := l.frame
	prefix := fr.prefix
	if r.Module {
		// All functions are parts of one program and share the register.
		prefix = ""
		if refs := l.moduleRegs[r.Name]; refs != nil {
			return refs
		}
	} else if refs := fr.regs[r.ID]; refs != nil {
		return refs
	}
	n, t, suffix := max(r.Vec, 1), irType(r.Type), ""
	if t == ir.NoType {
		// A .b128 register consists of two halves of 64 bits.
		n, t = 2, ir.B64
	}
	refs := make([]ir.Ref, n)
	for i := range refs {
		if n > 1 {
			suffix = [...]string{".x", ".y", ".z", ".w", ".4", ".5", ".6", ".7"}[i]
		}
		refs[i] = l.b.Vector(prefix+r.Name+suffix, t)
	}
	if r.Module {
		l.moduleRegs[r.Name] = refs
		return refs
	}
	fr.regs[r.ID] = refs
	return refs
}

// reg returns the value of a register operand: an element of a vector, or the register itself.
func (l *lifter) reg(o *Operand) ir.Ref {
	refs := l.refs(o.Reg())
	if i := elementIndex(o.Comp); i < len(refs) {
		return refs[i]
	}
	return refs[0]
}

// elementIndex returns the index that .x … .w and .r … .a select.
func elementIndex(comp string) int {
	switch comp {
	case "y", "g":
		return 1
	case "z", "b":
		return 2
	case "w", "a":
		return 3
	}
	return 0
}
