package ptx

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/lane"
)

// An Explanation describes the meaning of one instruction.
type Explanation struct {
	Instr   string // as the printer writes it
	Opcode  string
	Form    string // the ISA's syntax line
	About   string // effect of the instruction, one sentence
	Section string // in the PTX ISA: "9.7.9.6"

	Needs      Version // least .version
	NeedsSM    int     // least target; 0: every target
	NeedsArch  string  // specific targets, if it needs one: "sm_90a, sm_120f or higher in its family"
	Deprecated Version // zero: not deprecated
	Removed    Version // zero: not removed
	RemovedSM  int     // from this target on; 0: for all
	Instead    string  // replacement of a deprecated or removed form

	Modifiers []ExplainedPart
	Operands  []ExplainedPart
	Cost      string   // "" if Crosslane does not run it
	Rate      Rate     // the same as a number
	Bound     string   // the error that the manual allows an approximate result; "" for exact ones
	Undefined string   // the part that the manual leaves undefined; "" if nothing
	Notes     []string // facts that follow from the known values, and the values that are missing for more

	// Executing is the set of lanes that execute the instruction. Members is the set that its
	// membermask names (Executing, if it has no membermask).
	Executing, Members lane.Mask
	// Map is the lane map of a shuffle with known controls, else nil. Pred is its predicate.
	Map  *lane.Map
	Pred lane.Mask
	// Fragments holds the matrices of a matrix instruction.
	Fragments []Fragment
	// Fold is set for votes, matches, reductions, activemask and elect.
	Fold *Fold
}

// An ExplainedPart is an operand or a modifier with its meaning.
type ExplainedPart struct {
	Name    string // the form's name of it: "c", "membermask", ".mode"
	Text    string // as written
	Type    string // the type of an operand: "u32"; "" if it has none
	Writes  bool   // a destination
	Meaning string
}

// A Fold is the result of an instruction that combines one value of every lane.
type Fold struct {
	Participants lane.Mask
	In           []string // each lane's value, formatted; nil: not known
	Picked       lane.Mask
	Out          []string // each lane's result, if lanes differ; nil: see Result
	Result       string   // the result that all participants get; "" if not known
}

// ExplainOptions supply facts that the text of the instruction lacks.
type ExplainOptions struct {
	Exec *uint32 // executing lanes; nil: all
	// Values holds the bits of registers, one value per lane; the last value repeats.
	Values map[string][]uint64
}

// Explain explains one instruction. Registers, labels and called functions need no declaration. The
// error is a diag.List.
func Explain(src string, opt ExplainOptions) (*Explanation, error) {
	m, f, errs := parseSnippet("", src, implicitName)
	if errs.Err() != nil {
		return nil, errs
	}
	m.Version, m.Target = Version{}, Target{}
	var ins []*Instr
	f.Body().instrs(func(in *Instr) { ins = append(ins, in) })
	if len(ins) != 1 {
		return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "there are %d instructions, want 1", len(ins))}
	}
	c := newChecker(m)
	c.f, c.explains = f, true
	v := c.instr(ins[0])
	if v == nil {
		return nil, c.errs.finish()
	}
	x := &explainer{in: ins[0], v: v, opt: opt}
	return x.explain(), nil
}

// implicitName declares a name that the explained instruction mentions: a register, the target
// label of a branch, or the called function.
func implicitName(o *Operand, in *Instr) Decl {
	if in == nil {
		return nil
	}
	v := instructions().lookup(in.Parts, len(in.Args))
	if v == nil || len(v.ops) == 0 || in.Guard != nil && o == &in.Guard.Reg {
		return implicitReg(o, in)
	}
	if v.ops[0].kind == opCallee {
		return implicitCallee(o, in)
	}
	for i := range min(len(in.Args), len(v.ops)) {
		switch {
		case o != &in.Args[i]:
		case v.ops[i].kind == opLabel:
			return &Label{Name: o.Name}
		case v.ops[i].kind == opTarget:
			return &Label{Name: o.Name, Dir: &Directive{Name: ".branchtargets"}}
		}
	}
	return implicitReg(o, in)
}

// implicitCallee declares a name that a call mentions. The callee becomes a function of 32-bit
// parameters, one for each argument; other names become arguments or results.
func implicitCallee(o *Operand, in *Instr) Decl {
	s := siteOf(nil, in)
	regs := func(list []Operand) (vars []*Var) {
		for range list {
			vars = append(vars, &Var{Space: SpaceReg, Type: B32})
		}
		return vars
	}
	last := &in.Args[len(in.Args)-1]
	switch {
	case o == last && o != s.pointer:
		proto := &Func{Name: "_", Results: regs(s.results), Params: regs(s.args)}
		return &Label{Name: o.Name, Dir: &Directive{Name: ".callprototype", Proto: proto}}
	case o == s.pointer && !strings.HasPrefix(o.Name, "%"):
		return &Func{Name: o.Name, Results: regs(s.results), Params: regs(s.args), body: &Body{}}
	case o == s.pointer:
		return &Reg{Name: o.Name, Type: B64}
	}
	return &Reg{Name: o.Name, Type: B32}
}

type explainer struct {
	in  *Instr
	v   *variant
	opt ExplainOptions
	e   *Explanation
}

// explain builds the explanation: the row's facts, then modifiers, operands and lane pictures.
func (x *explainer) explain() *Explanation {
	r := x.v.row
	form, _, _ := strings.Cut(r.Form, ";")
	x.e = &Explanation{
		Instr: x.in.String(), Opcode: x.in.Op, Form: strings.NewReplacer(":frag", "", "callee:callee", "(results), function, (arguments), prototype").Replace(form), About: about(r), Section: r.Sec,
		Needs: x.v.ptx, NeedsSM: x.v.sm, Deprecated: r.Deprecated, Removed: r.Removed, RemovedSM: r.RemovedSM, Instead: r.Instead,
		Cost: r.Cost.String(), Rate: r.Cost.rate(), Bound: r.Bound, Undefined: r.undefined(), Executing: lane.All(lane.WarpLanes),
	}
	e := x.e
	for _, list := range x.v.arch {
		e.NeedsArch = archText(list)
	}
	if r.Do.unsupported != "" {
		x.note("Crosslane does not run it: %s are not supported", r.Do.unsupported)
		e.Cost = ""
	}
	if x.opt.Exec != nil {
		e.Executing = lane.Mask(*x.opt.Exec)
	}
	x.guard()
	e.Members = e.Executing
	for i, el := range r.elems {
		if m := x.v.mods[i]; m != "" {
			meaning := r.Says["."+m]
			if meaning == "" {
				meaning = modifierMeaning(x.v, el.class, m)
			}
			e.Modifiers = append(e.Modifiers, ExplainedPart{Name: "." + el.class, Text: "." + m, Meaning: meaning})
		}
	}
	if mm, ok := x.lanes("membermask"); ok {
		x.members(mm)
	}
	for i := range x.v.ops {
		x.operand(i)
	}
	if r.Do.show != nil {
		r.Do.show(x)
	}
	switch r.Do.cross {
	case crossShfl:
		x.shfl()
	case crossVote:
		x.vote()
	case crossMatch:
		x.match()
	case crossRedux:
		x.redux()
	case crossActive:
		e.Fold = &Fold{Participants: e.Executing, Picked: e.Executing, Result: e.Executing.Hex(32)}
	case crossElect:
		p := e.Executing & e.Members
		e.Fold = &Fold{Participants: p}
		if n := lane.Elect(p); n >= 0 {
			e.Fold.Picked, e.Fold.Result = lane.Lane(n), fmt.Sprint(n)
		}
	}
	return e
}

// about returns the sentence of the first row with the row's mnemonic.
func about(r *row) string {
	for _, o := range instructions().rows[r.mnemonic] {
		if r.About != "" {
			return r.About
		}
		if o.About != "" {
			return o.About
		}
	}
	return ""
}

// guard removes the lanes whose guard is false from the executing ones.
func (x *explainer) guard() {
	g := x.in.Guard
	if g == nil {
		return
	}
	vals, ok := x.values(&g.Reg)
	if !ok {
		x.note("the guard %s is not known: all executing lanes are taken to pass it; give it with --set", g.Reg.Name)
		return
	}
	var pass lane.Mask
	for i, b := range vals {
		if b&1 != 0 != g.Not {
			pass |= lane.Lane(i)
		}
	}
	x.e.Executing &= pass
}

func (x *explainer) note(format string, args ...any) {
	x.e.Notes = append(x.e.Notes, fmt.Sprintf(format, args...))
}

// values returns an operand's bits in every lane. ok is false if neither the text nor the options
// give them.
func (x *explainer) values(o *Operand) (vals [32]uint64, ok bool) {
	switch o.Kind {
	case KindInt, KindFloat:
		for i := range vals {
			vals[i] = o.Val
		}
		return vals, true
	case KindNot:
		vals, ok = x.values(&o.List[0])
		for i := range vals {
			vals[i] = ^vals[i] & 1
		}
		return vals, ok
	case KindSpecial:
		for i := range vals {
			bit := uint64(1) << uint(i)
			switch o.Special {
			case SrLaneid:
				vals[i] = uint64(i)
			case SrLanemaskEq:
				vals[i] = bit
			case SrLanemaskLt:
				vals[i] = bit - 1
			case SrLanemaskLe:
				vals[i] = bit<<1 - 1
			case SrLanemaskGe:
				vals[i] = 0xffffffff &^ (bit - 1)
			case SrLanemaskGt:
				vals[i] = 0xffffffff &^ (bit<<1 - 1)
			default:
				return vals, false
			}
		}
		return vals, true
	case KindReg:
		given := x.opt.Values[o.Name]
		if len(given) == 0 {
			return vals, false
		}
		for i := range vals {
			vals[i] = given[min(i, len(given)-1)]
		}
		return vals, true
	}
	return vals, false
}

// index returns the position of the operand with that name in the form; -1: none.
func (x *explainer) index(name string) int {
	for i := range x.v.ops {
		if x.v.ops[i].name == name {
			return i
		}
	}
	return -1
}

// lanes returns the values of the operand with that name in the form.
func (x *explainer) lanes(name string) ([32]uint64, bool) {
	if i := x.index(name); i >= 0 {
		return x.values(&x.in.Args[i])
	}
	return [32]uint64{}, false
}

// members sets Members from the membermask, if all executing lanes give the same mask.
func (x *explainer) members(mm [32]uint64) {
	first := x.e.Executing.First()
	if first < 0 {
		return
	}
	m := uint32(mm[first])
	for i := range x.e.Executing.Lanes() {
		if uint32(mm[i]) != m {
			x.note("the lanes give different membermasks; lanes meet only lanes with the same one")
			return
		}
	}
	x.e.Members = lane.Mask(m)
	if out := x.e.Executing &^ x.e.Members; out != 0 {
		x.note("%s it without being in membermask %s: undefined", out.Do("executes", "execute"), x.e.Members.Hex(32))
	}
	if missing := x.e.Members &^ x.e.Executing; missing != 0 {
		x.note("%s in membermask %s but %s not execute it: the other lanes wait, unless those have exited", missing.Do("is", "are"), x.e.Members.Hex(32), map[bool]string{true: "does", false: "do"}[missing.Count() == 1])
	}
}

// operand explains operand i.
func (x *explainer) operand(i int) {
	s, o, t := &x.v.ops[i], &x.in.Args[i], x.v.args[i]
	if s.kind == opCallee {
		x.call()
		return
	}
	p := ExplainedPart{Name: s.name, Text: o.String(), Writes: s.dst, Meaning: x.operandMeaning(i)}
	if o.Kind == KindInt && (s.name == "membermask" || s.name == "c" && x.v.row.Do.cross == crossShfl) {
		p.Text = fmt.Sprintf("%#x", uint32(o.Val)) // masks are easier to read in hexadecimal
	}
	if t != NoType {
		p.Type = t.String()
	}
	if o.Kind == KindPair {
		p.Text = o.List[0].String()
		x.e.Operands = append(x.e.Operands, p)
		q := ExplainedPart{Name: s.pair, Text: o.List[1].String(), Type: "pred", Writes: true, Meaning: x.pairMeaning(s.pair)}
		x.e.Operands = append(x.e.Operands, q)
		return
	}
	x.e.Operands = append(x.e.Operands, p)
}

// call explains the operands of a call; the row has a single operand for all of them.
func (x *explainer) call() {
	part := func(name, meaning string, writes bool, list ...Operand) {
		var text []string
		for i := range list {
			text = append(text, list[i].String())
		}
		if len(text) > 0 {
			x.e.Operands = append(x.e.Operands, ExplainedPart{Name: name, Text: strings.Join(text, ", "), Writes: writes, Meaning: meaning})
		}
	}
	s := siteOf(nil, x.in)
	part("results", "receive the results of the function", true, s.results...)
	if s.pointer == nil {
		part("function", "the function that is called", false, Operand{Kind: KindIdent, Name: s.callee.Name})
	} else {
		part("function", "the address of the function that is called; lanes may call different functions", false, *s.pointer)
	}
	part("arguments", "passed by value", false, s.args...)
	if last := x.in.Args[len(x.in.Args)-1]; last.Kind == KindLabel {
		part("prototype", "the parameters and results of the functions that may be called", false, last)
	}
}

// pairMeaning describes the predicate that an instruction writes beside its destination.
func (x *explainer) pairMeaning(name string) string {
	if says := x.v.row.Says[name]; says != "" {
		return says
	}
	switch x.v.row.Do.cross {
	case crossShfl:
		return "true where the computed source lane is in range; it does not say that the lane takes part"
	case crossMatch:
		return "true if all members hold the same value"
	case crossElect:
		return "true in the elected lane only"
	}
	return "the second result"
}

// operandMeaning describes the purpose of an operand, with constants decoded.
func (x *explainer) operandMeaning(i int) string {
	s, o := &x.v.ops[i], &x.in.Args[i]
	if says := x.v.row.Says[s.name]; says != "" {
		return says
	}
	vals, known := x.values(o)
	uniform := known
	for _, v := range vals {
		uniform = uniform && v == vals[0]
	}
	if s.name == "membermask" {
		m := "the lanes that must meet here"
		if uniform {
			mask := lane.Mask(uint32(vals[0]))
			m += fmt.Sprintf(": %s (%d lanes)", mask, mask.Count())
		}
		return m
	}
	switch x.v.row.Do.cross {
	case crossShfl:
		mode := shflMode(x.v)
		switch s.name {
		case "d":
			return "receives the value of the source lane, or the lane's own a if that is out of range"
		case "a":
			return "the value that each lane offers"
		case "b":
			what := "the lane offset"
			switch mode {
			case lane.ShflIdx:
				what = "the source lane, within the segment"
			case lane.ShflBfly:
				what = "the lane mask: each lane reads lane XOR b"
			}
			if uniform {
				what += fmt.Sprintf(": %d", vals[0]&31)
				if vals[0]&^31 != 0 {
					what += fmt.Sprintf(" (bits [4:0] of %#x; the other bits are ignored)", uint32(vals[0]))
				}
			}
			return what
		case "c":
			if uniform {
				return "packed control: " + lane.ParseC(uint32(vals[0])).Describe(mode)
			}
			return "packed control: clamp in bits [4:0], segment mask in bits [12:8]"
		}
	case crossVote:
		if s.name == "a" {
			return "the predicate that each lane brings"
		}
		return "the result, the same in all participating lanes"
	case crossMatch:
		if s.name == "a" {
			return "the value that is compared"
		}
		return "the mask of the members that hold the same value"
	case crossRedux:
		if s.name == "a" {
			return "the value that each lane brings"
		}
		return "the reduction over all members"
	}
	if m := operandWord(x.v, s.name); m != "" {
		return m
	}
	switch {
	case s.kind == opAddr:
		return "the address"
	case s.name == "immLut" && uniform:
		return fmt.Sprintf("the truth table: bit (a<<2 | b<<1 | c) of %#02x", vals[0])
	case s.dst:
		return "the destination"
	case s.kind == opLabel:
		return "the target of the branch"
	}
	return "a source"
}
