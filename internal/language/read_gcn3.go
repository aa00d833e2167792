package language

import (
	"strconv"
	"strings"

	"example.org/crosslane/amdgpu"
)

// A gcn3Reader makes statements and symbols of the tokens of GCN3 assembly, line by line.
type gcn3Reader struct {
	*Document
	at      int
	names   map[string]*symbol
	regs    map[gcn3Register]*symbol
	pending []pendingName
	kernels map[string]bool // names in .amdhsa_kernel
	entries map[string]bool // labels at which a function begins
	text    bool            // between .amdgpu_metadata and its end
}

// A gcn3Register is a register of a function; registers of different functions are different symbols.
type gcn3Register struct {
	fn   int
	name string
}

func (d *Document) readGCN3() {
	s := newScanner(d.text.text)
	s.scanGCN3()
	d.toks, d.comments = s.toks, s.comments
	r := &gcn3Reader{Document: d, names: map[string]*symbol{}, regs: map[gcn3Register]*symbol{}, kernels: map[string]bool{}, entries: map[string]bool{}}
	r.findEntries()
	for r.at < len(r.toks) {
		r.line()
	}
	if n := len(r.funcs); n > 0 && r.funcs[n-1].to == 0 {
		r.funcs[n-1].to = len(r.toks)
	}
	r.resolve()
	d.link()
}

// word returns the text of the token that is next; "" at the end.
func (r *gcn3Reader) word() string {
	if r.at < len(r.toks) {
		return r.tok(r.at)
	}
	return ""
}

// findEntries collects the names of kernels and functions before the lines are read.
func (r *gcn3Reader) findEntries() {
	for i := 0; i+1 < len(r.toks); i++ {
		if i > 0 && r.toks[i-1].kind != tokLine || r.toks[i+1].kind != tokWord {
			continue
		}
		switch name := r.tok(i + 1); r.tok(i) {
		case ".amdhsa_kernel", ".amdgpu_hsa_kernel":
			r.kernels[name], r.entries[name] = true, true
		case ".type":
			if strings.Contains(r.lineFrom(i), "function") {
				r.entries[name] = true
			}
		case ".globl", ".global":
			r.entries[name] = true
		}
	}
}

// lineFrom returns the text from a token to the end of its line.
func (r *gcn3Reader) lineFrom(i int) string {
	from := r.toks[i].from
	return r.Document.text.text[from:r.Document.text.lineEnd(r.Document.text.lineOf(from))]
}

// fn returns the function that is being read; -1 before the first one.
func (r *gcn3Reader) fn() int {
	if n := len(r.funcs); n > 0 && r.funcs[n-1].to == 0 {
		return n - 1
	}
	return -1
}

// line reads the statements of one line.
func (r *gcn3Reader) line() {
	for !r.text && r.at+1 < len(r.toks) && r.toks[r.at].kind == tokWord && r.is(r.at+1, ":") && !r.is(r.at+2, ":") {
		r.labelled()
	}
	from := r.at
	for r.at < len(r.toks) && r.toks[r.at].kind != tokLine {
		r.at++
	}
	end := r.at
	r.at++
	if from == end {
		return
	}
	s := statement{kind: other, from: from, to: end, op: -1, opTo: from, fn: r.fn()}
	if r.toks[from].kind == tokWord && !r.text {
		s.op, s.opTo, s.kind = from, from+1, instruction
		if r.tok(from)[0] == '.' {
			s.kind = directive
		}
		if r.is(from+1, "=") {
			s.kind = declaration
		}
	}
	st := len(r.stmts)
	switch {
	case s.kind == declaration:
		r.constant(from, st)
	case s.kind == directive:
		r.directive(&s, st)
	case s.kind == other:
		if r.is(from, ".end_amdgpu_metadata") || r.is(from, ".end_amd_amdgpu_hsa_metadata") {
			r.text = false
			s.op, s.opTo, s.kind = from, from+1, directive
		}
	}
	s.args = r.arguments(s.opTo, end)
	if s.kind == instruction {
		s.writes = r.destinations(&s)
		r.operands(&s, st)
	} else {
		r.words(st, s.opTo, end)
	}
	r.stmts = append(r.stmts, s)
}

// labelled reads a label.
func (r *gcn3Reader) labelled() {
	name := r.word()
	if r.entries[name] {
		if r.fn() >= 0 {
			r.funcs[len(r.funcs)-1].to = r.at
		}
		kind := symFunction
		if r.kernels[name] {
			kind = symKernel
		}
		s := r.addSymbol(&symbol{kind: kind, name: name, decl: r.at, stmt: len(r.stmts), fn: len(r.funcs)})
		r.declare(s)
		r.funcs = append(r.funcs, function{name: r.at, kernel: r.kernels[name], from: r.at, open: -1, end: -1, sym: s})
	} else {
		r.declare(r.addSymbol(&symbol{kind: symLabel, name: name, decl: r.at, stmt: len(r.stmts), fn: r.fn()}))
	}
	r.stmts = append(r.stmts, statement{kind: label, from: r.at, to: r.at + 2, op: -1, fn: r.fn()})
	r.at += 2
}

// declare enters a symbol of the file.
func (r *gcn3Reader) declare(s *symbol) {
	if r.names[s.name] == nil {
		r.names[s.name] = s
	}
}

// constant declares the name before = or after .set. Later assignments are references that write.
func (r *gcn3Reader) constant(tok, st int) {
	name := r.tok(tok)
	if s := r.names[name]; s != nil {
		r.refer(s, reference{tok: tok, to: tok, stmt: st, writes: true})
		return
	}
	r.declare(r.addSymbol(&symbol{kind: symConstant, name: name, decl: tok, stmt: st, fn: -1}))
}

// directive notes the declaration of a directive.
func (r *gcn3Reader) directive(s *statement, st int) {
	named := s.opTo < s.to && r.toks[s.opTo].kind == tokWord
	switch r.tok(s.op) {
	case ".set", ".equ", ".equiv":
		if named {
			r.constant(s.opTo, st)
		}
	case ".macro":
		if named {
			r.declare(r.addSymbol(&symbol{kind: symMacro, name: r.tok(s.opTo), decl: s.opTo, stmt: st, fn: -1}))
		}
	case ".amdgpu_metadata", ".amd_amdgpu_hsa_metadata":
		r.text = true
	}
}

// arguments splits tokens at the commas outside of brackets.
func (r *gcn3Reader) arguments(from, to int) (list []argument) {
	depth, start := 0, from
	for t := from; t < to; t++ {
		switch r.tok(t) {
		case "[", "(":
			depth++
		case "]", ")":
			depth--
		case ",":
			if depth <= 0 {
				list = append(list, argument{start, t})
				start = t + 1
			}
		}
	}
	if start < to {
		list = append(list, argument{start, to})
	}
	return list
}

// destinations says which operands an instruction writes: the parsed instruction knows, and of a text that does not
// parse the row does.
func (r *gcn3Reader) destinations(s *statement) []bool {
	writes := make([]bool, len(s.args))
	name := strings.ToLower(r.tok(s.op))
	row, _, _ := amdgpu.GFX803.LookUpSpelled(name)
	if row == nil {
		return writes
	}
	for i := range writes {
		writes[i] = i < len(row.Operands) && row.Operands[i].Dst
	}
	if row.Flags.Has(amdgpu.FlagAtomic) && !strings.Contains(r.source(s), "glc") && !row.Flags.Has(amdgpu.FlagReturn) {
		clear(writes) // the text lacks the destination
	}
	return writes
}

// operands looks for registers and names among the operands of an instruction.
func (r *gcn3Reader) operands(s *statement, st int) {
	if sym := r.names[r.tok(s.op)]; sym != nil && sym.kind == symMacro {
		r.refer(sym, reference{tok: s.op, to: s.op, stmt: st, reads: true})
	}
	for i, a := range s.args {
		for t := a.from; t < a.to; t++ {
			if r.toks[t].kind != tokWord || r.is(t-1, `\`) {
				continue
			}
			if n := r.registers(t, a.to, s.writes[i], st); n > 0 {
				t += n - 1
				continue
			}
			r.pending = append(r.pending, pendingName{tok: t, stmt: st, reads: true})
		}
	}
}

// registers notes the registers that v1, v[0:1] or vcc names, and returns the number of its tokens; 0 if the word is
// no register.
func (r *gcn3Reader) registers(t, end int, writes bool, st int) int {
	id := strings.ToLower(r.tok(t))
	next := byte(0)
	if t+1 < end {
		next = r.tok(t + 1)[0]
	}
	if !amdgpu.GFX803.IsRegister(id, next) {
		return 0
	}
	n := 1
	names := []string{id}
	if next == '[' && (id == "v" || id == "s" || id == "ttmp") {
		var bounds []int
		for n = 2; t+n < end && r.tok(t+n) != "]"; n++ {
			if v, err := strconv.Atoi(r.tok(t + n)); err == nil {
				bounds = append(bounds, v)
			}
		}
		n = min(n+1, end-t)
		names = nil
		if len(bounds) > 0 && bounds[0] >= 0 {
			for v := bounds[0]; v <= min(bounds[len(bounds)-1], bounds[0]+31); v++ {
				names = append(names, id+strconv.Itoa(v))
			}
		}
	} else if base, ok := strings.CutSuffix(id, "_lo"); ok {
		names = []string{base}
	} else if base, ok := strings.CutSuffix(id, "_hi"); ok {
		names = []string{base}
	}
	for _, name := range names {
		key := gcn3Register{r.fn(), name}
		s := r.regs[key]
		if s == nil {
			s = r.addSymbol(&symbol{kind: symRegister, name: name, decl: -1, stmt: -1, fn: r.fn()})
			r.regs[key] = s
		}
		r.refer(s, reference{tok: t, to: t + n - 1, stmt: st, writes: writes, reads: !writes})
	}
	return n
}

// words notes the names in a directive or in metadata.
func (r *gcn3Reader) words(st, from, to int) {
	for t := from; t < to; t++ {
		if r.toks[t].kind == tokWord && r.tok(t)[0] != '.' || r.toks[t].kind == tokWord && strings.HasPrefix(r.tok(t), ".L") {
			r.pending = append(r.pending, pendingName{tok: t, stmt: st, reads: true})
		}
	}
}

// resolve looks all names up. The name of a kernel's descriptor, k.kd, is a reference to the kernel.
func (r *gcn3Reader) resolve() {
	for _, p := range r.pending {
		name := r.tok(p.tok)
		s := r.names[name]
		if s == nil {
			s = r.names[strings.TrimSuffix(name, ".kd")]
		}
		if s != nil && s.decl != p.tok {
			r.refer(s, reference{tok: p.tok, to: p.tok, stmt: p.stmt, reads: true})
		}
	}
}
