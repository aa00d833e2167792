// Package ptx is the PTX language: lexer, parser, resolver and printer, the
// table of instructions with their checks, and the lift to the IR.
//
// Parse reads a module and resolves every name in it. The tree that it returns
// is complete: nothing of the text is lost but white space, comments and the way
// a constant expression was written.
package ptx

import (
	"sync/atomic"

	"example.org/crosslane/diag"
)

// Pos is a place in the source text.
type Pos struct {
	Line int32 // 1-based
	Col  int32 // 1-based, in bytes
	Off  int32 // byte offset, 0-based
}

// At returns the position as diagnostics take it.
func (p Pos) At(file string) diag.Pos {
	return diag.Pos{File: file, Line: int(p.Line), Col: int(p.Col)}
}

// A Module is one PTX source file.
type Module struct {
	File        string // name for diagnostics
	Src         string // the whole text
	Version     Version
	VersionPos  Pos
	Targets     []string // as written: "sm_70", "texmode_independent", "debug"
	Target      Target   // the sm_NN of Targets; the zero Target if there is none
	TargetPos   Pos
	AddressSize int // 32 or 64, bits; 32 if the module does not say (PTX 11.1.3)
	AddressPos  Pos // of .address_size; the zero Pos if there is none

	// Items holds declarations and directives in source order: *Var, *Func, *Directive.
	Items []Item

	targetLists [][]targetWord // the .target directives
	dialect     []dialectUse   // the first use of each
	large       bool           // no bodies are kept
	debugInfo   bool           // there is a directive that debuggers read

	// variants are those that Check has found, for those who look later; nil: none.
	variants atomic.Pointer[map[variantKey]*variant]
	found    atomic.Pointer[index]
}

// A targetWord is one word of a .target directive.
type targetWord struct {
	pos  Pos
	name string
}

// A dialectUse is a place where the text uses what the vendor's assembler takes and the
// manual does not have.
type dialectUse struct {
	pos  Pos
	what string // a sentence; one for each kind
	sec  string // of the manual
}

// beyond notes a use of what the manual does not have.
func (m *Module) beyond(pos Pos, sec, what string) {
	for _, u := range m.dialect {
		if u.what == what {
			return
		}
	}
	m.dialect = append(m.dialect, dialectUse{pos, what, sec})
}

// Func returns the function or kernel called name, the one with a body if there
// is one, or nil.
func (m *Module) Func(name string) *Func { return m.index().byName[name] }

// Entries returns the kernels that have a body, in source order.
func (m *Module) Entries() []*Func {
	var fs []*Func
	for _, it := range m.Items {
		if f, ok := it.(*Func); ok && f.Entry && f.Defined() {
			fs = append(fs, f)
		}
	}
	return fs
}

// Vars returns the module's variables in source order.
func (m *Module) Vars() []*Var {
	var vs []*Var
	for _, it := range m.Items {
		if v, ok := it.(*Var); ok {
			vs = append(vs, v)
		}
	}
	return vs
}

// An Item is a module-level declaration: *Var, *Func or *Directive.
type Item interface {
	Position() Pos
	item()
}

// A Stmt is a statement of a function's body: *Instr, *Label, *Var, *Block,
// *Loc or *Directive.
type Stmt interface {
	Position() Pos
	stmt()
}

// A Decl is what a name can stand for: *Reg, *Var, *Func, *Label.
type Decl interface {
	Position() Pos
	decl()
}

// Linkage is a linking directive (PTX 11.6).
type Linkage uint8

// The linkages.
const (
	LinkNone Linkage = iota
	LinkVisible
	LinkExtern
	LinkWeak
	LinkCommon
)

// String returns the directive, such as ".visible"; "" for none.
func (l Linkage) String() string {
	return [...]string{"", ".visible", ".extern", ".weak", ".common"}[l]
}

// Space is a state space (PTX 5.1).
type Space uint8

// The state spaces. SpaceGeneric is no declared space: it is an address that may
// point into several.
const (
	SpaceGeneric Space = iota
	SpaceReg
	SpaceSreg
	SpaceConst
	SpaceGlobal
	SpaceLocal
	SpaceParam
	SpaceShared
	SpaceTex // deprecated .tex
)

// String returns the directive, such as ".global"; "generic" for SpaceGeneric.
func (s Space) String() string {
	return [...]string{"generic", ".reg", ".sreg", ".const", ".global", ".local", ".param", ".shared", ".tex"}[s]
}

// A Var is the declaration of a variable, parameter, register or register
// family. `.reg .u32 a, b;` is two Vars.
type Var struct {
	Pos   Pos // of the name
	Link  Linkage
	Space Space
	Bank  int // .const[n], deprecated: n+1; 0 if there is none
	Attrs []Attr
	Align int // bytes, as written; 0 if not given
	Vec   int // 0, 2, 4 or 8
	Type  Type
	// Ptr is .ptr of a kernel parameter, with what it promises.
	Ptr      bool
	Hidden   bool  // .hidden of a kernel parameter: the runtime gives the value
	PtrSpace Space // SpaceGeneric if not given
	PtrAlign int   // bytes; 0: not given, which means 4
	Name     string
	Family   int64 // `%r<N>`: N, which declares Name+"0" … Name+"N-1"; -1: an ordinary variable
	Dims     []Dim // array dimensions, outermost first
	Init     *Init // nil: none
	// Of is the family's declaration if this Var is a member of one that was
	// referred to (`.param .b32 x<4>` and x2), else nil. Registers of a family are
	// Regs and have no Var of their own.
	Of    *Var
	Scope *Block // the block of a function's body that declares it; nil: module or parameter
	Func  *Func  // the function that it belongs to; nil: module
	// Reg is the register of a .reg variable that is no family, once it is
	// mentioned; a function's parameters in .reg always have it.
	Reg *Reg
}

// Position returns where the name stands.
func (v *Var) Position() Pos { return v.Pos }
func (*Var) item()           {}
func (*Var) stmt()           {}
func (*Var) decl()           {}

// A Dim is one array dimension. Size is meaningful only if !Open; the first
// dimension may be open, `[]`: then an initialiser gives the size and the
// resolver fills it in (Open stays true), or it is extern.
type Dim struct {
	Size uint64
	Open bool
}

// An Attr is one of a variable's `.attribute(.managed)` or
// `.attribute(.unified(19, 95))`, or of a function's.
type Attr struct {
	Pos  Pos
	Name string // ".managed"
	Args []uint64
}

// InitKind says which form an Init has.
type InitKind uint8

// The forms of initialisers.
const (
	InitInt   InitKind = iota // Bits
	InitFloat                 // Bits, as a double, or as a single if Single
	InitList                  // List
	InitAddr                  // the address of Name, plus Off
	InitEnum                  // Name: nearest, linear, wrap … of an opaque type's field
)

// An Init is an initialiser or an element of one (PTX 5.4.4).
type Init struct {
	Pos      Pos
	Kind     InitKind
	Bits     uint64
	Unsigned bool // InitInt: of type .u64 by the rules of PTX 4.5.5
	Single   bool // InitFloat: written 0f
	List     []*Init
	Name     string // InitAddr: a variable or function
	Ref      Decl   // *Var or *Func
	Generic  bool   // generic(name)
	Mask     uint64 // 0xff00(name): the mask, of InitAddr and InitInt; 0: none
	Off      int64
	Field    string // of an opaque type (PTX 5.3): "width", "filter_mode"; else ""
}

// A Func is a kernel or a device function.
type Func struct {
	Pos     Pos // of the name
	Entry   bool
	Link    Linkage
	Name    string // "_" for the anonymous function of a .callprototype
	Attrs   []Attr
	Results []*Var
	Params  []*Var
	// AliasOf is the function that .alias makes this one stand for; nil: none.
	AliasOf *Func
	// Directives are .maxntid, .minnctapersm, .noreturn, .pragma … between the
	// parameters and the body.
	Directives []*Directive
	End        Pos // of the brace that closes the body

	body  *Body  // nil: a declaration only, or one of texts
	texts *texts // of a large module: reads the body again
	text  bodyText
	head  []*Reg // the parameters that are registers, by their ID
}

// A Body is what stands between the braces of a function.
type Body struct {
	Block
	Regs   []*Reg   // that it mentions, by their ID
	Labels []*Label // by their ID
}

// Body returns the function's body; nil: it is a declaration only. The body of a function
// of a large module (see Load) is read again when nothing refers to the last one that was
// returned: what belongs together has to come from one Body.
func (f *Func) Body() *Body {
	if f.texts == nil {
		return f.body
	}
	return f.texts.body(f)
}

// Defined reports whether the function has a body.
func (f *Func) Defined() bool { return f.body != nil || f.texts != nil }

// Position returns where the name stands.
func (f *Func) Position() Pos { return f.Pos }
func (*Func) item()           {}
func (*Func) decl()           {}

// Directive returns the function's directive called name (with its dot), or nil.
func (f *Func) Directive(name string) *Directive {
	for _, d := range f.Directives {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// A Block is `{ … }`: a scope.
type Block struct {
	Pos    Pos // of the opening brace
	End    Pos // of the closing brace
	Stmts  []Stmt
	Parent *Block // nil: a function's body
}

// Position returns where the opening brace stands.
func (b *Block) Position() Pos { return b.Pos }
func (*Block) stmt()           {}

// A Label is a label of a function's body. Labels have the scope of their block,
// so that inline assembly can repeat them; a directive that follows it is in Dir.
type Label struct {
	Pos  Pos
	Name string
	Dir  *Directive // .branchtargets, .calltargets or .callprototype that it names; else nil
	ID   int        // dense within the function
}

// Position returns where the name stands.
func (l *Label) Position() Pos { return l.Pos }
func (*Label) stmt()           {}
func (*Label) decl()           {}

// A Loc is a .loc directive: where the following instructions came from.
type Loc struct {
	Pos             Pos
	File, Line, Col int64
	// FuncName is the label in .debug_str of the inlined function's name, FuncOff
	// the offset that was added to it; "" if not inlined. The other three are the
	// place of the call.
	FuncName                             string
	FuncOff                              int64
	Inlined                              bool
	InlinedFile, InlinedLine, InlinedCol int64
}

// Position returns where the directive stands.
func (l *Loc) Position() Pos { return l.Pos }
func (*Loc) stmt()           {}

// A Directive is any directive that no other node stands for: .file, .pragma,
// .section, .alias, .branchtargets, .maxntid, @@DWARF …
type Directive struct {
	Pos   Pos
	Name  string // with its dot: ".pragma"; "@@DWARF"
	Label *Label // the label of .branchtargets, .calltargets and .callprototype
	Args  []Operand
	Proto *Func  // .callprototype
	Raw   string // .section and @@DWARF: the text, braces left out, not interpreted
	body  [2]Pos // the braces of .section
}

// Position returns where the directive stands.
func (d *Directive) Position() Pos { return d.Pos }
func (*Directive) item()           {}
func (*Directive) stmt()           {}

// A Guard is the @p or @!p before an instruction.
type Guard struct {
	Pos Pos // of the @
	Not bool
	Reg Operand // a KindReg
}

// An Instr is an instruction.
type Instr struct {
	Pos   Pos      // of the opcode
	Guard *Guard   // nil: none
	Op    string   // the full spelling: "shfl.sync.bfly.b32"
	Parts []string // Op split at dots: "cp", "async", "mbarrier::complete_tx::bytes"
	Bank  int      // ld.const[n], of PTX before 2.2: n+1; 0 if there is none
	Args  []Operand
	End   Pos  // of the semicolon
	Loc   *Loc // the .loc in force; nil: none
	ID    int  // dense within the function, in source order
}

// Position returns where the opcode stands.
func (i *Instr) Position() Pos { return i.Pos }
func (*Instr) stmt()           {}

// A Reg is one register: a variable of .reg, or a member of a family.
type Reg struct {
	Name  string
	Type  Type
	Vec   int   // 0, 2, 4 or 8
	Decl  *Var  // the declaration
	Index int64 // within the family; 0 if it is none
	ID    int   // dense within the function: Body.Regs[ID]
	// Module says that the register is one of the module (legal before PTX 3.0): one
	// for all functions, each of which has a Reg of its own with the same Name.
	Module bool
}

// Position returns where the register was declared.
func (r *Reg) Position() Pos {
	if r.Decl == nil {
		return Pos{}
	}
	return r.Decl.Pos
}
func (*Reg) decl() {}

// Kind says what an Operand is.
type Kind uint8

// The kinds of operands.
const (
	// KindNone is the zero Operand.
	KindNone Kind = iota
	// KindIdent is a name that the resolver could not resolve (an error was
	// reported), or has not resolved yet.
	KindIdent
	// KindReg is a register: Ref is its *Reg. Comp is the element of a vector
	// register ("x" … "w", "r" … "a") or a part of a video instruction's operand
	// ("b0" … "b3", "h0", "h1"), without the dot.
	KindReg
	// KindSpecial is a special register: Name with its percent sign, Special, and
	// Comp if it is a vector.
	KindSpecial
	// KindVar is a variable's name: Ref is its *Var. KindFunc and KindLabel likewise.
	KindVar
	KindFunc
	KindLabel
	// KindInt is an integer constant: Val, Unsigned. Name is "WARP_SZ" if that was
	// written, else "".
	KindInt
	// KindFloat is a floating-point constant: Val holds the bits of a double, or of
	// a single if Single (0f…).
	KindFloat
	// KindString is a string: Name, without quotes, escapes as written.
	KindString
	// KindSink is `_`.
	KindSink
	// KindNot is !p: List[0].
	KindNot
	// KindNeg is -%r, which a few tools write: List[0].
	KindNeg
	// KindVector is {a, b, …}: List.
	KindVector
	// KindPair is d|p: List[0] and List[1].
	KindPair
	// KindList is (a, b, …) of a call: List.
	KindList
	// KindAddr is [base+off]: List[0] is the base, a register, variable or KindInt
	// (an absolute address, Off 0); Off the immediate offset in bytes. Further
	// operands after commas, as in [tex, {x, y}], are List[1:]. Comp is "unified" if
	// .unified follows the bracket.
	KindAddr
	// KindIndex is var[index]: Ref is the *Var, List[0] the index, a register or
	// KindInt, in elements; Off an added immediate, in elements.
	KindIndex
	// KindSymOff is var+imm outside brackets: Ref, and Off in bytes.
	KindSymOff
	// KindSum is r+imm outside brackets, which the vendor's assembler takes for a
	// value: List[0] is the register, Off what is added to it.
	KindSum
)

// An Operand is an operand of an instruction.
type Operand struct {
	Pos      Pos
	Kind     Kind
	Unsigned bool // KindInt: of type .u64 by the rules of PTX 4.5.5
	Single   bool // KindFloat
	Special  Special
	Name     string // as written, for named kinds
	Comp     string
	Ref      Decl
	Val      uint64
	Off      int64
	List     []Operand
}

// Reg returns the register of a KindReg, else nil.
func (o *Operand) Reg() *Reg { r, _ := o.Ref.(*Reg); return r }

// Var returns the variable of a KindVar, KindIndex or KindSymOff, else nil.
func (o *Operand) Var() *Var { v, _ := o.Ref.(*Var); return v }

// Func returns the function of a KindFunc, else nil.
func (o *Operand) Func() *Func { f, _ := o.Ref.(*Func); return f }

// Label returns the label of a KindLabel, else nil.
func (o *Operand) Label() *Label { l, _ := o.Ref.(*Label); return l }
