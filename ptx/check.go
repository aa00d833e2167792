package ptx

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// The codes of the diagnostics of this file and of check_operand.go.
const (
	codeUnsupported = "unsupported-instruction"
	codeUnknown     = "unknown-instruction"
	codeNotLifted   = "unsupported"
	codeVersion     = "needs-version"
	codeTarget      = "needs-target"
	codeRemoved     = "removed-instruction"
	codeDeprecated  = "deprecated-instruction"
	codeCount       = "operand-count"
	codeOperand     = "bad-operand"
	codeType        = "operand-type"
	codeImmediate   = "bad-immediate"
	codeModifier    = "bad-modifier"
	codeSpace       = "state-space"
	codeTwice       = "duplicate-destination"
	codeNoEffect    = "ineffective-directive"
)

// Check checks every instruction of the module against the table: Crosslane has a row for it, the
// module's version and target allow it, and its operands have the right kinds, types and ranges. An
// instruction that Crosslane does not support has class Unsupported. A deprecated form is a warning
// (one for each opcode). All other errors have class Input.
func Check(m *Module) diag.List {
	c := newChecker(m)
	c.found = nil // the module may have changed since the last Check
	c.lintModule()
	for _, it := range m.Items {
		if f, ok := it.(*Func); ok && f.Defined() {
			c.function(f, f.Body())
		}
	}
	m.variants.Store(&c.variants) // read only from here on
	return c.errs.finish()
}

// A checker checks instructions of one module.
type checker struct {
	m        *Module
	f        *Func
	errs     *errList
	variants map[variantKey]*variant
	found    map[variantKey]*variant // found by an earlier Check; read only
	warned   map[string]bool
	checked  map[*Func]*Body // functions that the current kernel reaches, with their bodies
	mapsF64  bool            // .target map_f64_to_f32
	active   bool            // the current function has an activemask
	section  string          // section of the manual of the current instruction, which its errors cite
	row      *row            // row of the current instruction
	// corrected counts the unknown opcodes for which the checker searched corrections.
	corrected int
	returned  map[*Var]bool // .param variables of the function that took the result of a call above
	explains  bool          // an unsupported instruction is no error
	unit      bool          // the functions of other units are unknown: see LiftUnit
	every     bool          // report every deprecated instruction, not one for each opcode
}

type variantKey struct {
	op       string
	operands int
	address  int // index of the first address operand
}

// newChecker makes a checker for a module. It reuses the variants that an earlier Check has found.
func newChecker(m *Module) *checker {
	c := &checker{
		m: m, mapsF64: slices.Contains(m.Targets, "map_f64_to_f32"), errs: &errList{file: m.File, src: m.Src}, variants: map[variantKey]*variant{},
		warned: map[string]bool{}, checked: map[*Func]*Body{}, returned: map[*Var]bool{},
	}
	if found := m.variants.Load(); found != nil {
		c.found = *found
	}
	return c
}

// double reports whether an instruction has double-precision operands.
func (v *variant) double() bool { return v.typ == F64 || slices.Contains(v.args, F64) }

// function checks a function and adds its warnings.
func (c *checker) function(f *Func, b *Body) {
	c.fn(f, b)
	c.lint(b)
	c.lintHead(f)
}

// fn checks the instructions of a function.
func (c *checker) fn(f *Func, b *Body) {
	c.f, c.active, c.returned = f, false, map[*Var]bool{}
	b.instrs(func(in *Instr) { c.instr(in) })
}

// variant finds the variant of an instruction's opcode; nil if the table has no row.
func (c *checker) variant(in *Instr) *variant {
	key := variantKey{in.Op, len(in.Args), in.firstAddress()}
	v, ok := c.variants[key]
	if !ok {
		if v, ok = c.found[key]; ok {
			return v
		}
		v = instructions().lookupInstr(in)
		if v != nil && c.m.Target.SM != 0 && c.m.Target.SM < 20 {
			v = v.flushing(c.m.Version)
		}
		c.variants[key] = v
	}
	return v
}

func (c *checker) errorf(pos Pos, class diag.Class, code, format string, args ...any) *diag.Diagnostic {
	d := c.errs.addClass(pos, class, code, fmt.Sprintf(format, args...))
	if d.Section == "" && c.section != "" {
		d.Section = "PTX " + c.section
	}
	return d
}

// instr checks one instruction and returns its variant, or nil if it reported an error.
func (c *checker) instr(in *Instr) *variant {
	before := c.errs.count
	v := c.variant(in)
	if v == nil {
		c.unknown(in)
		return nil
	}
	if v.lack != "" {
		c.errorf(in.Pos, diag.Unsupported, codeUnsupported, "%s is not supported yet", in.Op).Section = "PTX " + v.row.Sec
		return nil
	}
	if c.mapsF64 && v.double() {
		// PTX 11.1.2: the directive turns double-precision instructions into single-precision ones.
		c.errorf(in.Pos, diag.Unsupported, codeUnsupported, "%s in a module with map_f64_to_f32 is not supported", in.Op).Section = "PTX 11.1.2"
		return nil
	}
	c.active = c.active || c.scheduled(v)
	c.section, c.row = v.row.Sec, v.row
	defer func() { c.section = "" }()
	c.needs(in, v)
	c.order(in, v)
	c.guard(in)
	if family := v.row.Do.unsupported; family != "" && !c.explains {
		if !v.row.rest {
			c.operands(in, v)
		}
		if c.errs.count == before && v.row.Do.check != nil {
			v.row.Do.check(c, in, v)
		}
		if c.errs.count == before {
			d := c.errorf(in.Pos, diag.Unsupported, codeUnsupported, "%s is not supported, as all of %s", in.Op, family)
			d.Section, d.Remedy = "PTX "+v.row.Sec, "kernels of the file that do not reach it can be run"
		}
		return nil
	}
	if !v.row.Do.variadic {
		c.operands(in, v)
	}
	if c.errs.count == before && v.row.Do.check != nil && v.row.Do.unsupported == "" {
		v.row.Do.check(c, in, v)
	}
	if c.errs.count != before {
		return nil
	}
	return v
}

// unknown reports an opcode without a row. The table has all forms of PTX, the unsupported ones
// too, so PTX does not have it. Only a module of a newer version than Crosslane's may
// have it.
func (c *checker) unknown(in *Instr) {
	forms, other := instructions().nearest(in.Parts)
	class, code, who := diag.Input, codeUnknown, "PTX has"
	if c.m.Version.newer() {
		class, code, who = diag.Unsupported, codeUnsupported, fmt.Sprintf("PTX %s has", NewestVersion)
	}
	d := c.errorf(in.Pos, class, code, "%s is not an instruction that %s", in.Op, who)
	switch {
	case len(forms) > 0:
		d.Message = fmt.Sprintf("%s is not a form of %s that %s", in.Op, in.Parts[0], who)
		d.Remedy = "the nearest forms are: " + strings.Join(forms, " | ")
		d.Section = "PTX " + instructions().rows[in.Parts[0]][0].Sec
		if c.corrected++; c.corrected <= maxCorrected {
			if ops := instructions().corrected(in.Parts); len(ops) > 0 {
				d.Remedy = "did you mean " + strings.Join(ops, " or ") + "?"
			}
		}
	case other != "":
		d.Remedy = fmt.Sprintf("did you mean %s?", other)
	}
}

// needs checks the module's version and target. A module without .version has no limits; only the
// scratchpad makes one.
func (c *checker) needs(in *Instr, v *variant) {
	r := v.row
	if c.m.Version == (Version{}) {
		c.deprecated(in, v)
		return
	}
	what := func() string {
		if v.why != "" {
			return fmt.Sprintf("%s of %s", v.why, in.Op)
		}
		return in.Op
	}
	if !c.m.Version.meant().AtLeast(v.ptx) {
		d := c.errorf(in.Pos, diag.Input, codeVersion, "%s needs .version %s or later, the module has %s", what(), v.ptx, c.m.Version)
		d.Section, d.Remedy = "PTX "+r.Sec, fmt.Sprintf("raise .version to %s", v.ptx)
		return
	}
	for _, list := range v.arch {
		if c.m.Target.SM != 0 && !c.m.Target.hasAny(list) {
			d := c.errorf(in.Pos, diag.Input, codeTarget, "%s needs .target %s, the module has %s", what(), archText(list), c.m.Target)
			d.Section, d.Remedy = "PTX "+r.Sec, "write .target "+list[0].String()
			return
		}
	}
	if c.m.Target.SM != 0 && c.m.Target.SM < v.sm {
		d := c.errorf(in.Pos, diag.Input, codeTarget, "%s needs .target sm_%d or higher, the module has %s", what(), v.sm, c.m.Target)
		d.Section, d.Remedy = "PTX "+r.Sec, fmt.Sprintf("raise .target to sm_%d", v.sm)
		return
	}
	if r.Removed != (Version{}) && c.m.Version.AtLeast(r.Removed) && c.m.Target.SM >= r.RemovedSM {
		where := ""
		if r.RemovedSM > 0 {
			where = fmt.Sprintf(" for .target sm_%d and higher", r.RemovedSM)
		}
		d := c.errorf(in.Pos, diag.Input, codeRemoved, "%s was removed in PTX %s%s; the module has .version %s, .target %s", in.Op, r.Removed, where, c.m.Version, c.m.Target)
		d.Section, d.Remedy = "PTX "+r.Sec, "use "+r.Instead
		return
	}
	c.deprecated(in, v)
}

// order notes, once for each opcode, that its modifiers are in another order than the manual's.
func (c *checker) order(in *Instr, v *variant) {
	if !v.moved || v.row.Loose || c.warned["order "+in.Op] {
		return
	}
	c.warned["order "+in.Op] = true
	d := c.warn(in.Pos, "modifier-order", "%s stands for %s: the manual has its modifiers in that order", in.Op, v.opcode())
	d.Severity, d.Section = diag.Note, "PTX "+v.row.Sec
}

// opcode returns the opcode in the spelling of the manual.
func (v *variant) opcode() string {
	op := v.row.mnemonic
	for _, m := range v.mods {
		if m != "" {
			op += "." + m
		}
	}
	return op
}

// deprecated warns of a deprecated form, once for each opcode.
func (c *checker) deprecated(in *Instr, v *variant) {
	r := v.row
	if r.Deprecated == (Version{}) || c.warned[in.Op] && !c.every || c.m.Version != (Version{}) && !c.m.Version.AtLeast(r.Deprecated) {
		return
	}
	c.warned[in.Op] = true
	d := c.warn(in.Pos, codeDeprecated, "%s is deprecated since PTX %s", in.Op, r.Deprecated)
	d.Remedy, d.Section = "use "+r.Instead, "PTX "+r.Sec
}

// warn adds a warning and returns it.
func (c *checker) warn(pos Pos, code, format string, args ...any) *diag.Diagnostic {
	d := &diag.Diagnostic{
		Pos: pos.At(c.m.File), Severity: diag.Warning, Class: diag.Finding, Code: code,
		Message: fmt.Sprintf(format, args...), Source: lineAt(c.m.Src, int(pos.Off)),
	}
	c.errs.list = append(c.errs.list, d)
	return d
}

// guard checks the guard of an instruction: it has to be a predicate register.
func (c *checker) guard(in *Instr) {
	if in.Guard == nil {
		return
	}
	r := in.Guard.Reg.Reg()
	if r == nil {
		return // the resolver has reported it
	}
	if r.Type != Pred || r.Vec != 0 {
		c.errorf(in.Guard.Reg.Pos, diag.Input, codeType, "the guard %s is a .%s register, want .pred", r.Name, r.Type)
	}
}
