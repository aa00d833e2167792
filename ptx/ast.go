// Package ptx holds the PTX language: lexer, parser, resolver and printer, the table of
// instructions with their checks, and the lift to the IR.
//
// Parse reads a module and resolves every name in it. The tree that it returns is complete: the
// text loses only white space, comments and the spelling of constant expressions.
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

// At returns the position in the form that diagnostics use.
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
	AddressPos  Pos // at .address_size; the zero Pos if there is none

	// Items holds declarations and directives in source order: *Var, *Func, *Directive.
	Items []Item

	extents     []extent       // the text of the items and of the directives in the head
	targetLists [][]targetWord // the .target directives
	dialect     []dialectUse   // the first use of each
	large       bool           // no bodies are kept
	debugInfo   bool           // a directive that debuggers read is present
	scanned     *scan          // nil: the bodies are kept

	// variants holds the variants that Check found, for later readers; nil: none.
	variants atomic.Pointer[map[variantKey]*variant]
	found    atomic.Pointer[index]
}

// An extent is the text of one declaration or directive of the module.
type extent struct {
	start, end int32 // byte offsets
	// first is the index of the first item that the text declares. The items up to those of the next
	// extent belong to it; a directive such as .target declares none.
	first int32
}

// A targetWord is one word of a .target directive.
type targetWord struct {
	pos  Pos
	name string
}

// A dialectUse is a place where the text uses a feature that the vendor's assembler accepts and the
// manual does not describe.
type dialectUse struct {
	pos  Pos
	what string // a sentence; one for each kind
	sec  string // in the manual
}

// beyond notes the first use of a feature that the manual does not describe.
func (m *Module) beyond(pos Pos, sec, what string) {
	for _, u := range m.dialect {
		if u.what == what {
			return
		}
	}
	m.dialect = append(m.dialect, dialectUse{pos, what, sec})
}

// Func returns the function or kernel called name, or nil. If several declarations have the name,
// the one with a body wins.
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

// A Decl is a declaration that a name can stand for: *Reg, *Var, *Func, *Label.
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

// String returns the directive, for example ".visible"; "" for none.
func (l Linkage) String() string {
	return [...]string{"", ".visible", ".extern", ".weak", ".common"}[l]
}

// Space is a state space (PTX 5.1).
type Space uint8

// The state spaces. SpaceGeneric is no declared space: a generic address may point into several
// spaces.
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

// String returns the directive, for example ".global"; "generic" for SpaceGeneric.
func (s Space) String() string {
	return [...]string{"generic", ".reg", ".sreg", ".const", ".global", ".local", ".param", ".shared", ".tex"}[s]
}

// A Var is the declaration of a variable, parameter, register or register
// family. `.reg .u32 a, b;` is two Vars.
type Var struct {
	Pos   Pos // at the name
	Link  Linkage
	Space Space
	Bank  int // .const[n], deprecated: n+1; 0 if there is none
	Attrs []Attr
	Align int // bytes, as written; 0 if not given
	Vec   int // 0, 2, 4 or 8
	Type  Type
	// Ptr reports .ptr of a kernel parameter; the fields below hold its promises.
	Ptr      bool
	Hidden   bool  // .hidden of a kernel parameter: the runtime gives the value
	PtrSpace Space // SpaceGeneric if not given
	PtrAlign int   // bytes; 0: not given, which means 4
	Name     string
	Family   int64 // `%r<N>`: N, which declares Name+"0" … Name+"N-1"; -1: an ordinary variable
	Dims     []Dim // array dimensions, outermost first
	Init     *Init // nil: none
	// The field Of is the declaration of the family if this Var is a member that the text refers to (`.param
	// .b32 x<4>` and x2), else nil. Registers of a family are Regs and have no Var of their own.
	Of    *Var
	Scope *Block // the block of a function's body that declares it; nil: module or parameter
	Func  *Func  // the function that it belongs to; nil: module
	// Reg is the register of a .reg variable that is not a family. It is set when the text mentions
	// the variable; parameters in .reg always have it.
	Reg *Reg
}

// Position returns the place of the name.
func (v *Var) Position() Pos { return v.Pos }
func (*Var) item()           {}
func (*Var) stmt()           {}
func (*Var) decl()           {}

// A Dim is one array dimension. Size is meaningful only if !Open. The first dimension may be open,
// `[]`: either an initialiser gives the size, and the resolver fills it in (Open stays true), or
// the variable is extern.
type Dim struct {
	Size uint64
	Open bool
}

// An Attr is one attribute of a variable or function, for example `.attribute(.managed)` or
// `.attribute(.unified(19, 95))`.
type Attr struct {
	Pos  Pos
	Name string // ".managed"
	Args []uint64
}

// InitKind is the form of an Init.
type InitKind uint8

// The forms of initialisers.
const (
	InitInt   InitKind = iota // Bits
	InitFloat                 // Bits, as a double, or as a single if Single
	InitList                  // List
	InitAddr                  // the address of Name, plus Off
	InitEnum                  // Name: nearest, linear, wrap … for the field of an opaque type
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
	Field    string // the field of an opaque type (PTX 5.3): "width", "filter_mode"; else ""
}

// A Func is a kernel or a device function.
type Func struct {
	Pos     Pos // at the name
	Entry   bool
	Link    Linkage
	Name    string // "_" for the anonymous function of a .callprototype
	Attrs   []Attr
	Results []*Var
	Params  []*Var
	// AliasOf is the function for which .alias makes this one stand; nil: none.
	AliasOf *Func
	// Directives are .maxntid, .minnctapersm, .noreturn, .pragma … between the
	// parameters and the body.
	Directives []*Directive
	End        Pos // at the brace that closes the body

	body  *Body  // nil: a declaration only, or a function of a large module
	texts *texts // in a large module: reads the body again on demand
	text  bodyText
	head  []*Reg // the parameters that are registers, by their ID
}

// A Body is the text between the braces of a function.
type Body struct {
	Block
	Regs   []*Reg   // the registers that it mentions, by their ID
	Labels []*Label // by their ID
}

// Body returns the function's body; nil: the function is only declared. In a large module (see
// Load), the body is read again once no reference to the last returned Body remains. So use the
// nodes of one Body together, never nodes of two.
func (f *Func) Body() *Body {
	if f.texts == nil {
		return f.body
	}
	return f.texts.body(f)
}

// Defined reports whether the function has a body.
func (f *Func) Defined() bool { return f.body != nil || f.texts != nil }

// Position returns the place of the name.
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
	Pos    Pos // at the opening brace
	End    Pos // at the closing brace
	Stmts  []Stmt
	Parent *Block // nil: a function's body
}

// Position returns the place of the opening brace.
func (b *Block) Position() Pos { return b.Pos }
func (*Block) stmt()           {}

// A Label is a label of a function's body. A label has the scope of its block, so that inline
// assembly can repeat it. Dir is a directive that follows the label.
type Label struct {
	Pos  Pos
	Name string
	Dir  *Directive // the .branchtargets, .calltargets or .callprototype that it names; else nil
	ID   int        // dense within the function
}

// Position returns the place of the name.
func (l *Label) Position() Pos { return l.Pos }
func (*Label) stmt()           {}
func (*Label) decl()           {}

// A Loc is a .loc directive: the source line of the instructions that follow.
type Loc struct {
	Pos             Pos
	File, Line, Col int64
	// FuncName is the label in .debug_str of the inlined function's name, FuncOff the offset that
	// was added to it; "" if not inlined. The other three fields are the place of the call.
	FuncName                             string
	FuncOff                              int64
	Inlined                              bool
	InlinedFile, InlinedLine, InlinedCol int64
}

// Position returns the place of the directive.
func (l *Loc) Position() Pos { return l.Pos }
func (*Loc) stmt()           {}

// A Directive is any directive without a node type of its own: .file, .pragma, .section, .alias,
// .branchtargets, .maxntid, @@DWARF …
type Directive struct {
	Pos   Pos
	Name  string // with its dot: ".pragma"; "@@DWARF"
	Label *Label // the label of .branchtargets, .calltargets and .callprototype
	Args  []Operand
	Proto *Func  // .callprototype
	Raw   string // .section and @@DWARF: the text, braces left out, not interpreted
	body  [2]Pos // the braces of .section
}

// Position returns the place of the directive.
func (d *Directive) Position() Pos { return d.Pos }
func (*Directive) item()           {}
func (*Directive) stmt()           {}

// A Guard is the @p or @!p before an instruction.
type Guard struct {
	Pos Pos // at the @
	Not bool
	Reg Operand // a KindReg
}

// An Instr is an instruction.
type Instr struct {
	Pos   Pos      // at the opcode
	Guard *Guard   // nil: none
	Op    string   // the full spelling: "shfl.sync.bfly.b32"
	Parts []string // Op split at dots: "cp", "async", "mbarrier::complete_tx::bytes"
	Bank  int      // ld.const[n], of PTX before 2.2: n+1; 0 if there is none
	Args  []Operand
	End   Pos  // at the semicolon
	Loc   *Loc // the .loc in force; nil: none
	ID    int  // dense within the function, in source order
}

// Position returns the place of the opcode.
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
	// Module reports that the register belongs to the module (legal before PTX 3.0): all functions
	// share it, and each function has its own Reg with the same Name.
	Module bool
}

// Position returns the place of the declaration.
func (r *Reg) Position() Pos {
	if r.Decl == nil {
		return Pos{}
	}
	return r.Decl.Pos
}
func (*Reg) decl() {}

// Kind is the kind of an Operand.
type Kind uint8

// The kinds of operands.
const (
	// KindNone is the zero Operand.
	KindNone Kind = iota
	// KindIdent is a name that the resolver has not resolved: either it reported an error, or it
	// has not run yet.
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
	// KindNeg is -%r, which a few compilers write: List[0].
	KindNeg
	// KindVector is {a, b, …}: List.
	KindVector
	// KindPair is d|p: List[0] and List[1].
	KindPair
	// KindList is (a, b, …) of a call: List.
	KindList
	// KindAddr is [base+off]. List[0] is the base: a register, a variable or a KindInt (an absolute
	// address, with Off 0). Off is the immediate offset in bytes. Further operands after commas, as
	// in [tex, {x, y}], are List[1:]. Comp is "unified" if .unified follows the bracket.
	KindAddr
	// KindIndex is var[index]: Ref is the *Var; List[0] is the index in elements, a register or
	// KindInt; Off is an added immediate in elements.
	KindIndex
	// KindSymOff is var+imm outside brackets: Ref, and Off in bytes.
	KindSymOff
	// KindSum is r+imm outside brackets, which the vendor's assembler accepts as a value: List[0]
	// is the register, Off the addend.
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
