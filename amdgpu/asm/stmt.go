package asm

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// statement assembles one statement: labels, followed by an assignment, a directive, a macro or an
// instruction.
func (a *assembler) statement(st *statement, r *reader) {
	s := &cursor{s: st.text}
	for {
		col := s.skip()
		name := a.label(st, s)
		if name == labelTaken {
			if s.end() {
				return
			}
			continue
		}
		if name == "" {
			if !a.skipping() {
				a.errorf(st, col, CodeSyntax, "expected a label, directive or instruction, found %q", s.s[s.pos:s.pos+1])
			}
			return
		}
		a.command(st, s, r, name, col)
		return
	}
}

// refusedDirectives are unsupported directives of LLVM. They get no proposal, because they are not
// misspelt.
const refusedDirectives = ".reloc .symver .weakref .lto_discard .lto_set_conditional .cg_profile .bundle_align_mode .bundle_lock .bundle_unlock .pseudoprobe .cv_file .cv_loc .stabs .nops .nop .code16 .cfi_label .line_table "

// skip skips blanks and returns the position after them.
func (s *cursor) skip() int {
	s.space()
	return s.pos
}

// labelTaken is the result of label if it defined a label.
const labelTaken = "\x00"

// label defines the label that is next, or returns the first word.
func (a *assembler) label(st *statement, s *cursor) string {
	col := s.pos
	if isDigit(s.peek()) {
		for s.pos < len(s.s) && isDigit(s.s[s.pos]) {
			s.pos++
		}
		number := s.s[col:s.pos]
		if !s.take(':') {
			s.pos = col
			return ""
		}
		if !a.skipping() && a.inCode(st) {
			a.local[number]++
			a.define(st, col, a.symbol(localName(number, a.local[number])))
		}
		return labelTaken
	}
	name := s.ident()
	if name == "" {
		s.pos = col
		return ""
	}
	if s.peek() == ':' {
		s.pos++
		if !a.skipping() && a.inCode(st) {
			a.define(st, col, a.symbol(name))
		}
		return labelTaken
	}
	return name
}

// inCode refuses labels and data inside an .amdhsa_kernel block.
func (a *assembler) inCode(st *statement) bool {
	if a.kernel != nil {
		a.errorf(st, 0, CodeDirective, "expected an .amdhsa_ directive or .end_amdhsa_kernel")
		return false
	}
	return true
}

// define makes the symbol a label at the current place.
func (a *assembler) define(st *statement, col int, s *symbol) {
	if s.defined || s.set != nil {
		a.errorf(st, col, CodeSymbol, "%s is defined twice", s.printed())
		return
	}
	s.defined, s.section, s.off = true, a.cur, a.here()
}

// command handles the text after the labels.
func (a *assembler) command(st *statement, s *cursor, r *reader, name string, col int) {
	if conditionals[name] {
		a.condition(st, s, name)
		return
	}
	if a.skipping() {
		return
	}
	if s.peek() == '=' && !strings.HasPrefix(s.s[s.pos:], "==") {
		s.pos++
		a.assign(st, s, name, col, false)
		return
	}
	if a.kernel != nil && a.macros[name] == nil && !blockDirectives[name] {
		a.kernelLine(st, s, name, col)
		return
	}
	if m := a.macros[name]; m != nil {
		a.expandMacro(m, st, s)
		return
	}
	if name[0] == '.' {
		if d := directives[strings.ToLower(name)]; d != nil {
			d(a, st, s, r, strings.ToLower(name))
			return
		}
		a.report(st, col, diag.Unsupported, CodeUnknownDirective, "directive %.40s is not supported", name)
		if best := diag.Nearest(name, slices.Sorted(maps.Keys(directives))); best != "" && !strings.Contains(refusedDirectives, name+" ") {
			a.diags[len(a.diags)-1].Remedy = "did you mean " + best + "?"
		}
		return
	}
	a.instruction(st, col)
}

// conditionals are read even if statements are skipped.
var conditionals = map[string]bool{
	".if": true, ".ifne": true, ".ifeq": true, ".ifge": true, ".ifgt": true, ".ifle": true, ".iflt": true,
	".ifdef": true, ".ifndef": true, ".ifnotdef": true, ".ifb": true, ".ifnb": true, ".ifc": true, ".ifnc": true,
	".ifeqs": true, ".ifnes": true, ".else": true, ".elseif": true, ".endif": true,
}

// blockDirectives are allowed inside an .amdhsa_kernel block.
var blockDirectives = map[string]bool{".rept": true, ".irp": true, ".irpc": true, ".macro": true, ".set": true, ".exitm": true}

// assign handles NAME = EXPR, .set and .equ; final is .equiv.
func (a *assembler) assign(st *statement, s *cursor, name string, col int, final bool) {
	if name == "." {
		orgDirective(a, st, s, nil, ".org")
		return
	}
	x, err := a.parseExpr(s)
	if err == nil && !s.end() {
		err = &exprError{s.pos, "unexpected " + quoteRest(s)}
	}
	if err != nil {
		a.errorf(st, err.col, CodeSyntax, "%s", err.msg)
		return
	}
	sym := a.symbol(name)
	if sym.now != nil {
		a.assignCount(st, x, sym)
		return
	}
	if sym.defined || sym.set != nil && (sym.equiv || final) {
		a.errorf(st, col, CodeSymbol, "%s is defined twice", sym.printed())
		return
	}
	if sym.set != nil && sym.set.op != "num" {
		// If the symbol is already used, those uses keep the old value.
		again := *sym
		sym.old = true
		sym = &again
		a.symbols[name] = sym
	}
	// The value at this point is final, so x = x + 1 counts.
	if v, err := a.eval(x); err == nil && v.absolute() {
		x = &expr{op: "num", num: v.off, col: x.col}
	} else if mentions(x, sym, 0) {
		a.errorf(st, x.col, CodeSymbol, "%s is defined by itself", sym.printed())
		return
	}
	sym.set, sym.setAt, sym.equiv = x, st, final
}

// assignCount sets a symbol that counts registers; the count continues from the new value.
func (a *assembler) assignCount(st *statement, x *expr, sym *symbol) {
	v, err := a.eval(x)
	if err == nil && !v.absolute() {
		err = &exprError{x.col, "expected a number" + v.because()}
	}
	if err != nil {
		a.errorf(st, err.col, CodeSymbol, "%s: %s", sym.printed(), err.msg)
		return
	}
	*sym.now, sym.listed = v.off, true
}

// predefine defines the symbols that every file has (AMDGPUUsage, "Predefined Symbols").
func (a *assembler) predefine() {
	a.predefineISA(".amdgcn.gfx_generation_number", ".amdgcn.gfx_generation_minor", ".amdgcn.gfx_generation_stepping")
	for i, name := range []string{".amdgcn.next_free_vgpr", ".amdgcn.next_free_sgpr"} {
		s := &symbol{name: name, section: SymbolAbsolute, now: &a.nextFree[i], predefined: true}
		a.symbols[name] = s
		a.order = append(a.order, s)
	}
}

// defineAll defines symbols as numbers, which the file could do with .set.
func (a *assembler) defineAll(symbols map[string]int64) {
	for _, name := range slices.Sorted(maps.Keys(symbols)) {
		x := a.symbol(name)
		x.section, x.set = SymbolAbsolute, &expr{op: "num", num: symbols[name]}
		x.setAt = &statement{file: a.file, line: 1, col: 1}
	}
}

// predefineISA sets three symbols to the parts of the target's number, unless the file has defined
// them itself.
func (a *assembler) predefineISA(names ...string) {
	for i, v := range a.chip.Version {
		x := a.symbols[names[i]]
		if x == nil {
			x = &symbol{name: names[i]}
			a.symbols[names[i]] = x
		}
		if !x.defined && x.set == nil {
			x.section, x.set, x.predefined = SymbolAbsolute, &expr{op: "num", num: int64(v)}, true
		}
	}
}

// mentions reports whether the symbol is in the expression as written.
func mentions(x *expr, s *symbol, depth int) bool {
	if x.sym == s {
		return true
	}
	if depth < maxExprDepth {
		for _, y := range x.args {
			if mentions(y, s, depth+1) {
				return true
			}
		}
	}
	return false
}

func quoteRest(s *cursor) string {
	t := s.rest()
	if len(t) > 40 {
		t = t[:40] + "…"
	}
	return `"` + t + `"`
}

// number evaluates an expression whose value is needed now. The expression extends to the end of
// the statement.
func (a *assembler) number(st *statement, s *cursor, what string) int64 {
	v, ok := a.numberArg(st, s, what)
	if ok && !s.end() {
		a.errorf(st, s.pos, CodeDirective, "%s: unexpected %s", what, quoteRest(s))
	}
	return v
}

// numberArg is number for one of several operands.
func (a *assembler) numberArg(st *statement, s *cursor, what string) (int64, bool) {
	x, err := a.parseExpr(s)
	var v value
	if err == nil {
		v, err = a.eval(x)
		if err == nil && !v.absolute() {
			err = &exprError{x.col, "expected a number that is known here" + v.because()}
		}
	}
	if err != nil {
		a.errorf(st, err.col, CodeDirective, "%s: %s", what, err.msg)
		s.pos = len(s.s)
		return 0, false
	}
	return v.off, true
}

// pending is an operand of an instruction with a value that is not final.
type pending struct {
	x   *expr
	col int // column in the statement
}

// instruction assembles an instruction that starts at a column of the statement.
func (a *assembler) instruction(st *statement, col int) {
	text := strings.TrimRight(st.text[col:], " \t\r\f\v")
	var wait []pending
	pos := diag.Pos{File: st.file, Line: st.line, Col: st.column(col)}
	in, err := amdgpu.ParseInst(text, amdgpu.ParseOptions{Target: a.opt.Target, Pos: pos, PC: int64(a.here()), Earlier: a.version == 2, Note: func(d *diag.Diagnostic) { a.noteOnce(st, d) }, Eval: func(t string) (amdgpu.Value, error) {
		return a.operand(t, max(0, strings.Index(text, t))+col, &wait)
	}})
	if err == nil {
		err = a.emit(st, &in, wait)
	}
	if err == nil {
		return
	}
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		d = diag.Errorf(pos, diag.Input, "bad-operand", "%v", err)
	}
	c := *d
	if !c.Pos.IsValid() {
		c.Pos = pos
	}
	c.Source = st.source
	c.Related = append(c.Related, uses(st)...)
	a.add(&c)
}

// operand evaluates an operand that is not a plain number. An operand without a final value is
// noted in wait and needs a literal, as in LLVM.
func (a *assembler) operand(text string, col int, wait *[]pending) (amdgpu.Value, error) {
	s := &cursor{s: text}
	x, err := a.parseExpr(s)
	if err == nil && !s.end() {
		err = &exprError{s.pos, "unexpected " + quoteRest(s)}
	}
	if err != nil {
		return amdgpu.Value{}, err
	}
	if reg := a.registerIn(x, 0); reg != "" {
		return amdgpu.Value{}, errors.New(reg + " is a register, which cannot be part of an expression")
	}
	v, err := a.eval(x)
	if err != nil {
		return amdgpu.Value{}, err
	}
	if v.absolute() && !addresses(x, 0) {
		return amdgpu.Value{Int: v.off}, nil
	}
	*wait = append(*wait, pending{x, col})
	// A branch target is the next instruction until it is resolved.
	return amdgpu.Value{Int: int64(a.here()) + 4, Symbolic: true, Label: true, Why: v.because()}, nil
}

// registerIn returns a register that an expression names as if it were a symbol, "" if there is
// none.
func (a *assembler) registerIn(x *expr, depth int) string {
	if x.op == "sym" && !x.sym.defined && x.sym.set == nil && a.chip.IsRegister(x.sym.name, 0) {
		return x.sym.name
	}
	if depth < maxExprDepth {
		for _, y := range x.args {
			if r := a.registerIn(y, depth+1); r != "" {
				return r
			}
		}
	}
	return ""
}

// addresses reports whether the expression names a label or the current place. Its value is then
// final only at the end of the file.
func addresses(x *expr, depth int) bool {
	switch {
	case x.op == "." || depth > maxExprDepth:
		return true
	case x.op == "sym":
		return x.sym.set == nil || addresses(x.sym.set, depth+1)
	}
	for _, y := range x.args {
		if addresses(y, depth+1) {
			return true
		}
	}
	return false
}

// emit writes the instruction's bytes, its line, and the fixups of its operands.
func (a *assembler) emit(st *statement, in *amdgpu.Inst, wait []pending) error {
	b, err := amdgpu.Encode(in)
	if err != nil {
		return err
	}
	if a.obj.Sections[a.cur].Type == shtNoBits {
		return errors.New("an instruction in section " + a.obj.Sections[a.cur].Name + ", which holds no bytes")
	}
	a.countRegisters(in)
	off := a.here()
	if len(wait) > 0 {
		f := fixup{st: st, section: a.cur, off: off, x: wait[0].x, col: wait[0].col}
		spec := in.Row.Operands
		branch, literal := false, false
		for i := range spec {
			branch = branch || spec[i].Kind == amdgpu.ClassLabel
			literal = literal || in.Ops[i].Kind == amdgpu.KindLiteral
		}
		switch {
		case len(wait) == 1 && branch:
			f.size = sizeBranch
		case len(wait) == 1 && literal && len(b) >= 8:
			f.size, f.off = sizeLiteral, off+uint64(len(b)-4)
		default: // ParseInst accepts no symbol in another operand
			return diag.Errorf(a.at(st, st.column(f.col+f.x.col)), diag.Input, "bad-operand", "expected a number that is known here")
		}
		a.fixups = append(a.fixups, f)
	}
	a.bytes(st, b)
	a.obj.Lines = append(a.obj.Lines, a.line(st, off, uint64(len(b))))
	return nil
}

// countRegisters keeps .amdgcn.next_free_vgpr and .amdgcn.next_free_sgpr above the registers that
// instructions name (AMDGPUUsage, "Predefined Symbols").
func (a *assembler) countRegisters(in *amdgpu.Inst) {
	for i := range in.Operands() {
		o := &in.Ops[i]
		k, end := 0, int64(o.Reg)+int64(o.Dwords)
		switch {
		case o.Kind == amdgpu.KindVGPR:
		case o.Kind == amdgpu.KindSGPR && end <= int64(a.chip.SGPRs()):
			k = 1
		default:
			continue
		}
		a.nextFree[k] = max(a.nextFree[k], end)
	}
}

// uses lists the uses of macros that produced a statement.
func uses(st *statement) []diag.Related {
	var out []diag.Related
	for f := st.from; f != nil; f = f.use.from {
		if len(out) >= 5 && f.depth > 1 {
			continue // the innermost and the outermost uses suffice
		}
		out = append(out, diag.Related{
			Pos: diag.Pos{File: f.use.file, Line: f.use.line, Col: f.use.column(f.use.indent())}, Message: "in " + f.name, Source: f.use.source,
		})
	}
	return out
}
