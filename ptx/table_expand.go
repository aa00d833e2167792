package ptx

import (
	"strconv"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// A meaning is the effect of a row: a function that emits IR operations. It also has the names of
// the operations that it uses, as templates (see expand), so that a test can check that all of them
// exist.
type meaning struct {
	ops   []string
	plan  func(v *variant) []string // the names, if templates cannot express them
	emit  func(l *lifter)
	check func(c *checker, in *Instr, v *variant) // further rules; may be nil
	// variadic: check checks the number of operands.
	variadic bool
	inlines  bool      // a call
	ends     bool      // without a guard, control never goes to the next instruction
	stack    bool      // moves the stack pointer
	copies   bool      // the destination gets the operand unchanged
	cross    crossKind // for explain
	indexes  bool      // an array's element may stand without brackets for the address (PTX 6.4.2)
	// noEffect: execution continues as if the instruction were absent.
	noEffect bool
	show     func(x *explainer) // further pictures for explain; may be nil
	// frag gives the number and the type of the registers of a fragment operand.
	frag   func(v *variant, name string) (n int, t Type)
	noSink bool // a fragment has no register that is _
	// implied returns the type of the elements of operand i, for rows whose operands only check knows.
	implied func(v *variant, in *Instr, i int) Type
	// unsupported names the family of instructions ("textures") if Crosslane does not run it. Its
	// rows are parsed, checked for version and target, and named.
	unsupported string
}

// unsupported is the meaning of instructions that are known and not run. check checks operands that
// the row does not describe.
func unsupported(family string, check ...func(c *checker, in *Instr, v *variant)) meaning {
	m := meaning{unsupported: family, emit: func(l *lifter) {
		l.errorf(l.in.Pos, diag.Unsupported, codeUnsupported, "%s is not supported, as all of %s", l.in.Op, family)
	}}
	if len(check) > 0 {
		m.check = check[0]
	}
	return m
}

// opsByName finds an IR operation by its name.
var opsByName = func() map[string]ir.Op {
	m := make(map[string]ir.Op, len(ir.Ops))
	for i := range ir.Ops {
		m[ir.Ops[i].Name] = ir.Op(i)
	}
	return m
}()

// expand fills a template of an operation's name for a variant:
//
//	{n}     width of the instruction's type; P for predicates
//	{T}     U32, S32, F32 …; bit-size types count as unsigned, packed types as
//	        their element
//	{P}     the same, packed types as packed: F16x2
//	{x2}    x2 for packed types
//	{S}     U or S
//	{class} the modifier of that class with a capital, or nothing
func expand(tmpl string, v *variant) string {
	if strings.IndexByte(tmpl, '{') < 0 {
		return tmpl
	}
	var b strings.Builder
	for {
		pre, rest, ok := strings.Cut(tmpl, "{")
		b.WriteString(pre)
		if !ok {
			return b.String()
		}
		key, tail, _ := strings.Cut(rest, "}")
		tmpl = tail
		switch key {
		case "n":
			if v.typ == Pred {
				b.WriteString("P")
			} else {
				b.WriteString(strconv.Itoa(v.typ.Bits()))
			}
		case "T":
			b.WriteString(opType(v.typ))
		case "P":
			b.WriteString(strings.Replace(strings.ToUpper(v.typ.String()), "X", "x", 1))
		case "x2":
			if strings.HasSuffix(v.typ.String(), "x2") {
				b.WriteString("x2")
			}
		case "S":
			b.WriteString(opType(v.typ)[:1])
		case "CmpOp":
			b.WriteString(cmpName(v.mod(key)))
		default:
			b.WriteString(opSuffix(v.mod(key)))
		}
	}
}

// opType returns the name of a type in operations.
func opType(t Type) string {
	s := strings.ToUpper(strings.TrimSuffix(t.String(), "x2"))
	if s != "" && t.Untyped() {
		return "U" + s[1:]
	}
	return s
}

// opSuffix returns the name of a modifier in operations.
func opSuffix(mod string) string {
	switch mod {
	case "", "rn":
		return ""
	case "rz", "rm", "rp":
		return strings.ToUpper(mod)
	case "lo", "hi", "ftz", "sat", "clamp", "wrap":
	case "infinite":
		return "Inf"
	case "number":
		return "Num"
	case "notanumber":
		return "NaN"
	}
	if t := ParseType(mod); t != NoType {
		return opType(t)
	}
	return strings.ToUpper(mod[:1]) + mod[1:]
}

// cmpName returns the name of a comparison in operations; lo, ls, hi and hs are unsigned spellings
// (PTX 9.7.6.2).
func cmpName(op string) string {
	switch op {
	case "lo":
		return "Lt"
	case "ls":
		return "Le"
	case "hi":
		return "Gt"
	case "hs":
		return "Ge"
	}
	return strings.ToUpper(op[:1]) + op[1:]
}

// A costClass is the rate at which a processor executes an instruction, for explain.
type costClass uint8

const (
	costFull   costClass = iota // the full rate of the simple units
	costHalf                    // a fraction of it
	costSFU                     // the special function unit
	costSlow                    // a sequence of instructions
	costShared                  // through the shared-memory crossbar
	costMemory
	costBarrier
	costBranch
	costMatrix
)

// String returns the text that explain prints.
func (c costClass) String() string {
	return [...]string{
		"full rate",
		"part of the full rate, depending on the target",
		"special function unit: a quarter of the full rate or less",
		"expands to a sequence of instructions",
		"through the shared-memory data path, no shared memory used",
		"memory access",
		"waits for other threads",
		"control flow",
		"matrix unit (tensor core)",
	}[c]
}
