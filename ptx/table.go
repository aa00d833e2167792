package ptx

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"example.org/crosslane/internal/ir"
)

// A row is one form of an instruction: its syntax line as the PTX ISA prints it, its needs, its
// section of the manual, and its meaning. The rows are the only place of a mnemonic; checks, lift
// and explain are derived from them.
//
// Form is the ISA's syntax line followed by the lists of alternatives that it names, each after a
// semicolon:
//
//	"setp.CmpOp.BoolOp{.ftz}.type p[|q], a, b, {!}c; CmpOp = eq ne; BoolOp = and or xor; type = s32 u32"
//
// Optional modifiers are in braces. A modifier with a list in the row or in [sharedClasses] is a
// class; any other modifier stands for itself. Modifiers in one pair of braces, {.sem.scope}, come
// together or not at all. Operands:
//
//	d p q       destinations; p and q are predicates
//	d[|p]       a destination with an optional predicate destination after a bar
//	a:u32       an operand with a type; without one it has that of the class
//	            "type", else of the last modifier that names a type
//	a:u32>0<9   only constants 1 to 8; a:u32%4 only multiples of 4
//	a:h64       a handle of 64 bits: an integer register, a sum with one, or an
//	            integer constant, but not a variable
//	a!          a register: no constant
//	_           a destination that is never written: _ itself
//	d:2type     twice as wide as the class "type"; d:dtype that of another class
//	a:v4f32     a vector of four elements, {w, x, y, z}, each of the type
//	b:imm8      a constant of 8 bits
//	a:any       no fixed type: the meaning decides (mov, call)
//	{!}c        a predicate that may be negated
//	[a]         an address in the instruction's state space
//	[a]:shared  an address in another one
//	[a]:tensor  one of tensor memory, in a register of 32 bits
//	[a]{.unified}  an address that may be one of a .unified variable
//	tgt tlist   a label, a label of .branchtargets
//	{, b}       optional
//	d|p         a destination and a predicate destination, both required
//	a:frag      a fragment of a matrix: a vector of registers whose number and type
//	            the meaning's frag gives
//	a{.part}    a register of which a part may be selected: b0 to b3, h0, h1; with
//	            d.part the selection is required. {.mask2} and {.mask4} select parts of
//	            a vector's destination, {.sel2} and {.sel4} elements of two vectors
//	            (PTX 9.7.19)
//	{-}a        a register that may be negated, of vmad
//	...         last: any further operands, which the meaning's check checks, if it has one
type row struct {
	Form string
	PTX  Version // version that introduced it
	SM   int     // least target; 0: every target
	Sec  string  // section of the PTX ISA 9.3; "9.4: " and the section if only 9.4 has it
	Do   meaning

	// Arch lists the architecture-specific and family-specific targets of a row that not every
	// target from SM on has, separated by spaces: "sm_90a sm_120f". sm_90a is that target alone.
	// sm_120f stands for sm_120f and sm_120a and for the same targets of higher members of its
	// family. sm_110 stands for sm_110 and every higher target.
	Arch string

	// About describes the instruction's effect in a sentence; the first row of a mnemonic has it
	// for all rows.
	About string
	// Needs lists modifiers that need more than the row: ".scope 5.0 sm_60; .b128 8.3 sm_90". A
	// name with a dot is a modifier as written; a name without one is a class that is present.
	// Specific targets are written as in Arch, separated by a bar: ".u8x4 9.2 sm_90a|sm_120f".
	Needs string
	// From version Deprecated on, the form draws a warning. From version Removed on, it is an error
	// for targets of RemovedSM and above.
	Deprecated Version
	Removed    Version
	RemovedSM  int
	// Instead names the form to use instead of a deprecated one.
	Instead string
	// Loose: a different order of the modifiers draws no note, because the ISA's own examples have
	// several orders.
	Loose bool
	// Untyped reports that operands of a bit-size type are untyped registers: packed values of
	// narrow formats.
	Untyped bool
	// Discards lets _ stand for the whole destination.
	Discards bool
	// Specials lets special registers be sources.
	Specials bool
	// Relaxed lets registers be wider than the instruction's type (PTX 9.4.1).
	Relaxed bool
	// Cost is the cost class that explain reports.
	Cost costClass
	// Bound is the largest error that the manual allows an approximate result; a row without it is
	// exact.
	Bound string
	// Undefined lists the cases that the manual leaves undefined, one fact each, with the finding
	// that reports it; explain prints the facts.
	Undefined []Undefined
	// Says holds the texts of explain for operands ("a") and modifiers (".l") that nothing else
	// describes.
	Says map[string]string

	compiledForm
}

// compiledForm is what compile derives from the text of a row.
type compiledForm struct {
	mnemonic string
	elems    []elem
	ops      []opSpec
	least    int  // operands that are required
	rest     bool // further operands may follow: ...
	hints    bool // has a modifier for a cache hint, which the operand policy gives
	noConst  bool // the operands are registers: those of SIMD video instructions
	braces   bool // one register in braces means the register
	needs    []need
	arch     []Target
	facts    []string // the texts of Undefined
}

// v makes a Version: v(7, 8) is PTX 7.8.
func v(major, minor int) Version { return Version{major, minor} }

// An elem is one modifier position of a form.
type elem struct {
	class string // "rnd"; the name itself for a modifier that stands for itself
	alts  []string
	opt   bool
	tied  bool // comes with the next one or not at all
	kind  modKind
}

// An opSpec is one operand position of a form.
type opSpec struct {
	name     string
	dst      bool
	kind     opKind
	neg      bool   // {!}: may be negated
	pair     string // name of the second destination, a predicate; "" if there is none
	pairMust bool   // the pair is required
	typ      string // type reference, "" for the default
	bits     int    // opImm: size of the constant
	low      bool   // opImm: a larger constant is truncated
	positive bool   // constants only: above 0 as signed numbers
	multiple uint64 // constants only: multiples of this
	below    uint64 // constants only: less than this; 0: no bound but the type's
	handle   bool   // :h64
	register bool   // !: no constant
	lanes    int    // elements of a vector; 0: none, or the number in the modifier .v2, .v4 or .v8
	space    Space  // opAddr: its own state space; SpaceGeneric: the instruction's
	opt      bool   // optional
	sel      string // "part", "mask2" …: the selectors that it accepts
	selMust  bool   // the selector is required
	minus    bool   // {-}: may be negated
	unified  bool   // opAddr: .unified may follow
	tensor   bool   // opAddr: of tensor memory
}

type opKind uint8

const (
	opValue  opKind = iota // register, constant, special register
	opAny                  // any operand that the meaning accepts
	opAddr                 // [a]
	opImm                  // a constant
	opLabel                // a label
	opTarget               // the label of .branchtargets
	opCallee
	opFrag // a vector of registers
	opSink // _
)

// A need is a requirement of one modifier.
type need struct {
	what  string // ".scope", as the diagnostic names it
	class bool   // the name is that of a class
	ptx   Version
	sm    int
	arch  []Target
}

// A variant is a row with its modifiers chosen: the meaning of one spelling of an opcode. It is
// immutable.
type variant struct {
	row  *row
	mods []string // by elem; "" if omitted
	typ  Type     // the instruction's type: class type, or the last modifier that names one
	vec  int      // 1, 2, 4, 8
	ptx  Version
	sm   int
	arch [][]Target // the module's target has to be in each of these lists
	why  string     // the modifier that demands ptx, sm or arch; "" if it is the row
	ops  []opSpec   // the row's, without absent optional ones
	args []Type     // operand types by ops; NoType: none
	code []ir.Op    // the operations that the row's meaning names
	lack string     // a name among them that the IR lacks
	// moved reports that the spelling has its modifiers in another order than the form.
	moved bool
}

// mod returns the modifier chosen for a class, without its dot; "" if there is none.
func (v *variant) mod(class string) string {
	for i := range v.row.elems {
		if v.row.elems[i].class == class && v.mods[i] != "" {
			return v.mods[i]
		}
	}
	return ""
}

// has reports whether a class or modifier is present.
func (v *variant) has(class string) bool { return v.mod(class) != "" }

// says reports whether a modifier was chosen, in any class.
func (v *variant) says(mod string) bool { return slices.Contains(v.mods, mod) }

// classType returns the type that a class names; NoType if it names none.
func (v *variant) classType(class string) Type { return ParseType(v.mod(class)) }

// sharedClasses are the lists that many rows use.
var sharedClasses = map[string]string{
	"rnd":                      "rn rz rm rp",
	"frnd":                     "rn rz rm rp",
	"irnd":                     "rni rzi rmi rpi",
	"ss":                       "const global local param param::entry param::func shared shared::cta shared::cluster",
	"cop":                      "ca cg cs lu cv",
	"scope":                    "cta cluster gpu sys",
	"vec":                      "v2 v4 v8",
	"level::cache_hint":        "L2::cache_hint",
	"level::prefetch_size":     "L2::64B L2::128B L2::256B",
	"level1::evict":            "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate",
	"level2::evict":            "L2::evict_normal L2::evict_first L2::evict_last",
	"level::eviction_priority": "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last",
	"BoolOp":                   "and or xor",
	"unif":                     "uni",
}

// A table holds the compiled rows by mnemonic. It is built once and only read.
type table struct {
	rows  map[string][]*row
	names []string // the mnemonics, sorted
}

// instructions returns the table of all rows. The first call makes it, which takes some
// milliseconds. A row that cannot be read is a mistake in this package and panics.
var instructions func() *table

// An init function sets the variable, because the meaning of call refers back to the table.
func init() { instructions = sync.OnceValue(allRows) }

func allRows() *table {
	return newTable(integerRows, bitRows, floatRows, halfRows, alternateRows, compareRows,
		moveRows, convertRows, memoryRows, atomicRows, asyncRows, mbarrierRows, clusterRows, crossRows, syncRows, fenceRows, flowRows,
		videoRows, textureRows, tensorRows, wgmmaRows, tensorMemoryRows, tcgenRows, multimemRows(), fabricRows, sparseVectorRows,
		wmmaRows, mmaRows, sparseRows)
}

// newTable compiles groups of rows. It panics if a row cannot be read or two rows are the same.
func newTable(groups ...[]row) *table {
	t := &table{rows: map[string][]*row{}}
	seen := map[string]string{}
	for _, g := range groups {
		for i := range g {
			r := &g[i]
			if err := r.compile(); err != nil {
				panic(fmt.Sprintf("ptx: row %q: %v", r.Form, err))
			}
			if other, ok := seen[r.Form]; ok {
				panic(fmt.Sprintf("ptx: rows %q and %q are the same", r.Form, other))
			}
			seen[r.Form] = r.Form
			if t.rows[r.mnemonic] == nil {
				t.names = append(t.names, r.mnemonic)
			}
			t.rows[r.mnemonic] = append(t.rows[r.mnemonic], r)
		}
	}
	sort.Strings(t.names)
	return t
}

// compile reads the row's Form and Needs.
func (r *row) compile() error {
	parts := strings.Split(r.Form, ";")
	classes := map[string]string{}
	for _, p := range parts[1:] {
		names, list, ok := strings.Cut(p, "=")
		if !ok {
			return fmt.Errorf("%q is no list of alternatives", p)
		}
		for _, n := range strings.Fields(names) {
			classes[n] = list
		}
	}
	opcode, operands, _ := strings.Cut(strings.TrimSpace(parts[0]), " ")
	if err := r.compileOpcode(opcode, classes); err != nil {
		return err
	}
	if err := r.compileOperands(strings.TrimSpace(operands)); err != nil {
		return err
	}
	if r.Sec == "" || r.Do.emit == nil || r.PTX == (Version{}) {
		return fmt.Errorf("a column is empty")
	}
	if r.Arch != "" {
		var err error
		if r.arch, err = parseArch(r.Arch, " "); err != nil {
			return err
		}
	}
	for _, u := range r.Undefined {
		if (u.Code == "") == (u.Reason == "") {
			return fmt.Errorf("%q has neither a finding nor a reason why not, or both", u.Text)
		}
		r.facts = append(r.facts, u.Text)
	}
	for _, e := range r.elems {
		r.hints = r.hints || slices.Contains(e.alts, "L2::cache_hint")
		r.braces = r.braces || e.class == "vec" && r.Relaxed
	}
	for _, o := range r.ops {
		r.noConst = r.noConst || strings.HasPrefix(o.sel, "sel")
		r.braces = r.braces || o.kind == opFrag
	}
	return r.compileNeeds()
}

// compileOpcode reads the mnemonic and the modifiers of a form.
func (r *row) compileOpcode(s string, classes map[string]string) error {
	i := strings.IndexAny(s, ".{")
	if i < 0 {
		i = len(s)
	}
	r.mnemonic, s = s[:i], s[i:]
	for s != "" {
		opt := s[0] == '{'
		end := 0
		if opt {
			end = strings.IndexByte(s, '}')
			if end < 0 || s[1] != '.' {
				return fmt.Errorf("bad optional modifier at %q", s)
			}
		} else if end = strings.IndexAny(s[1:], ".{") + 1; end == 0 {
			end = len(s)
		}
		names := strings.Split(strings.Trim(s[:end], "{}."), ".")
		if opt {
			end++
		}
		s = s[end:]
		for i, name := range names {
			list, ok := classes[name]
			delete(classes, name)
			if !ok {
				if list, ok = sharedClasses[name]; !ok {
					list = name
				}
			}
			e := elem{class: name, alts: strings.Fields(list), opt: opt, tied: i < len(names)-1}
			if len(e.alts) == 0 {
				return fmt.Errorf("class %q is empty", name)
			}
			e.kind = r.kindOf(&e)
			r.elems = append(r.elems, e)
		}
	}
	for n := range classes {
		return fmt.Errorf("class %q is not in the form", n)
	}
	return nil
}

// compileOperands reads the operands of a form.
func (r *row) compileOperands(s string) error {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		var o opSpec
		if strings.Trim(s, ", ") == "..." {
			r.rest = true
			return nil
		}
		if rest, ok := strings.CutPrefix(s, "{,"); ok {
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return fmt.Errorf("no } in %q", s)
			}
			o.opt = true
			if err := o.parse(strings.TrimSpace(rest[:end])); err != nil {
				return err
			}
			s = rest[end+1:]
		} else {
			s = strings.TrimSpace(strings.TrimPrefix(s, ","))
			end := strings.IndexByte(s, ',')
			if end < 0 {
				end = len(s)
			} else if end > 0 && s[end-1] == '{' {
				end--
			}
			if err := o.parse(s[:end]); err != nil {
				return err
			}
			s = s[end:]
			r.least++
		}
		if !r.knowsType(o.typ) {
			return fmt.Errorf("operand %s has the unknown type %q", o.name, o.typ)
		}
		r.ops = append(r.ops, o)
	}
	return nil
}

// knowsType reports whether a type reference of the form has a meaning.
func (r *row) knowsType(s string) bool {
	switch s {
	case "", "any", "addr", "callee", "frag", "2type":
		return true
	}
	if strings.HasPrefix(s, "imm") || strings.HasPrefix(s, "low") || ParseType(s) != NoType {
		return true
	}
	for _, e := range r.elems {
		if e.class == s && ParseType(e.alts[0]) != NoType {
			return true
		}
	}
	return false
}

// parse reads one operand of a form: {!}name, [name], name[|p] or name|p. Each may have a :type,
// and constants may have bounds, :type%4>0<256.
func (o *opSpec) parse(s string) error {
	s, o.typ, _ = strings.Cut(strings.TrimSpace(s), ":")
	if typ, bound, ok := strings.Cut(o.typ, "<"); ok {
		o.typ = typ
		if _, err := fmt.Sscan(bound, &o.below); err != nil {
			return fmt.Errorf("cannot read the bound of %q", s)
		}
	}
	o.typ, o.positive = strings.CutSuffix(o.typ, ">0")
	if typ, multiple, ok := strings.Cut(o.typ, "%"); ok {
		o.typ = typ
		if _, err := fmt.Sscan(multiple, &o.multiple); err != nil {
			return fmt.Errorf("cannot read the multiple of %q", s)
		}
	}
	if o.handle = o.typ == "h64"; o.handle {
		o.typ = "b64"
	}
	s, o.register = strings.CutSuffix(s, "!")
	if rest, ok := strings.CutPrefix(s, "{!}"); ok {
		o.neg, o.typ, s = true, "pred", rest
	}
	s, o.unified = strings.CutSuffix(s, "{.unified}")
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		o.kind, o.space, o.tensor, o.typ = opAddr, spaceOf(o.typ), o.typ == "tensor", ""
		s = strings.Trim(s, "[]")
	}
	if s, o.minus = strings.CutPrefix(s, "{-}"); o.minus {
		o.typ = "u32"
	}
	if at := strings.IndexByte(s, '.'); at > 0 && o.kind == opValue {
		o.sel, o.selMust = strings.Trim(s[at:], ".}"), !strings.HasSuffix(s, "}")
		s, o.typ = strings.TrimSuffix(s[:at], "{"), "u32"
		if selectors[o.sel] == nil {
			return fmt.Errorf("there are no selectors %q", o.sel)
		}
	}
	if len(o.typ) > 2 && strings.Contains("v2 v4 v8", o.typ[:2]) {
		o.lanes, o.typ = int(o.typ[1]-'0'), o.typ[2:]
	}
	o.name, o.pair, _ = strings.Cut(strings.TrimSuffix(strings.Replace(s, "[|", "|", 1), "]"), "|")
	o.pairMust = o.pair != "" && !strings.Contains(s, "[|")
	if o.name == "" || strings.ContainsAny(o.name+o.pair, "[]{}|!: ") {
		return fmt.Errorf("cannot read the operand %q", s)
	}
	o.finish()
	return nil
}

// finish derives an operand's kind from its name and type.
func (o *opSpec) finish() {
	switch o.name {
	case "d", "p", "q":
		o.dst = !o.neg
	case "_":
		o.dst, o.kind = true, opSink
	case "tgt":
		o.kind = opLabel
	case "tlist":
		o.kind = opTarget
	}
	if (o.name == "p" || o.name == "q") && o.typ == "" {
		o.typ = "pred"
	}
	if o.typ == "any" || o.typ == "addr" {
		o.kind = opAny
	}
	if o.typ == "frag" {
		o.kind = opFrag
	}
	if o.typ == "callee" {
		o.kind = opCallee
	}
	for _, kind := range [...]string{"imm", "low"} {
		if n, ok := strings.CutPrefix(o.typ, kind); ok {
			o.kind, o.low = opImm, kind == "low"
			fmt.Sscan(n, &o.bits)
		}
	}
}

// compileNeeds reads the row's Needs.
func (r *row) compileNeeds() error {
	for _, s := range strings.Split(r.Needs, ";") {
		f := strings.Fields(s)
		if len(f) == 0 {
			continue
		}
		if len(f) != 3 {
			return fmt.Errorf("need %q is not a modifier, a version and a target", s)
		}
		n := need{what: f[0], class: f[0][0] != '.'}
		if _, err := fmt.Sscanf(f[1], "%d.%d", &n.ptx.Major, &n.ptx.Minor); err != nil {
			return fmt.Errorf("need %q: %v", s, err)
		}
		if strings.Contains(f[2], "|") || strings.HasSuffix(f[2], "a") || strings.HasSuffix(f[2], "f") {
			arch, err := parseArch(f[2], "|")
			if err != nil {
				return fmt.Errorf("need %q: %v", s, err)
			}
			n.arch = arch
		} else if _, err := fmt.Sscanf(f[2], "sm_%d", &n.sm); err != nil {
			return fmt.Errorf("need %q: %v", s, err)
		}
		known := false
		for _, e := range r.elems {
			if n.class {
				known = known || e.class == n.what
				continue
			}
			for _, a := range e.alts {
				known = known || "."+a == n.what
			}
		}
		if !known {
			return fmt.Errorf("need %q names no modifier of the row", s)
		}
		r.needs = append(r.needs, n)
	}
	return nil
}

// choose makes the variant of a row for the chosen modifiers.
func (r *row) choose(mods []string, operands int) *variant {
	v := &variant{row: r, mods: mods, vec: 1, ptx: r.PTX, sm: r.SM}
	if r.arch != nil {
		v.arch = append(v.arch, r.arch)
	}
	for _, m := range mods {
		if t := ParseType(m); t != NoType {
			v.typ = t
		}
	}
	if t := v.classType("type"); t != NoType {
		v.typ = t
	}
	if s := v.mod("vec"); s != "" {
		v.vec = int(s[1] - '0')
	}
	for _, n := range r.needs {
		present := n.class && v.has(n.what)
		for _, m := range mods {
			present = present || !n.class && m != "" && "."+m == n.what
		}
		if !present {
			continue
		}
		if n.arch != nil {
			v.arch = append(v.arch, n.arch)
		}
		if !v.ptx.AtLeast(n.ptx) || v.sm < n.sm || n.arch != nil {
			v.why = n.what
			if n.class {
				v.why = "." + v.mod(n.what)
			}
		}
		if !v.ptx.AtLeast(n.ptx) {
			v.ptx = n.ptx
		}
		v.sm = max(v.sm, n.sm)
	}
	for _, o := range r.ops {
		present := !o.opt || operands == len(r.ops)
		if o.opt && o.name == "policy" && r.hints {
			present = v.says("L2::cache_hint")
		}
		if present {
			v.ops = append(v.ops, o)
			t := v.typeRef(o.typ)
			if o.kind == opFrag {
				_, t = r.Do.frag(v, o.name)
			}
			v.args = append(v.args, t)
		}
	}
	names := r.Do.ops
	if r.Do.plan != nil {
		names = r.Do.plan(v)
	}
	for _, tmpl := range names {
		name := expand(tmpl, v)
		op, ok := opsByName[name]
		if !ok && v.lack == "" {
			v.lack = name
		}
		v.code = append(v.code, op)
	}
	return v
}

// typeRef resolves a type reference of a form.
func (v *variant) typeRef(s string) Type {
	switch {
	case s == "":
		return v.typ
	case s == "any", s == "addr", s == "callee", s == "frag", strings.HasPrefix(s, "imm"):
		return NoType
	case s[0] == '2':
		return wider(v.typ)
	}
	if t := ParseType(s); t != NoType {
		return t
	}
	return v.classType(s)
}

// wider returns the integer type of twice the width; NoType if there is none.
func wider(t Type) Type {
	switch t {
	case U16:
		return U32
	case S16:
		return S32
	case U32:
		return U64
	case S32:
		return S64
	}
	return NoType
}
