package language

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"regexp"
	"slices"
	"sort"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// An edit changes one kernel of a module, so the findings about all other kernels hold. A Service keeps them by
// the text of the kernel, together with the skeleton: the tokens outside of kernels. To check a text, the kernels with
// known findings are made blank, so that lines and columns stay, and the rest is loaded and checked. If that text does
// not load, the whole text is loaded for its errors.

// A kernelText is the lines of a kernel, from the first one of its declaration to that of its closing brace.
type kernelText struct {
	name        string
	from, to    int // bytes: whole lines
	line, lines int // the first line as diagnostics count them, 1-based, and their number
}

// A layout is the lines of a text: those of its kernels in their order, and the remaining lines that hold tokens.
type layout struct {
	kernels []kernelText
	lines   []int32
}

// A bodyKey is a hash of the skeleton, the name of the text, and perhaps a kernel.
type bodyKey [sha256.Size]byte

// bodyFindings are the findings about one kernel, with positions in the text of a layout.
type bodyFindings struct {
	at              *layout
	loaded, checked diag.List // warnings of loading the kernel; findings of its check
	shapes          []crosslane.RegisterShape
}

// Limits of the findings that a Service keeps: kernels, and the sizes of their layouts. What the text
// at hand needs is kept in any case.
const (
	maxBodies = 1 << 12
	maxLayout = 1 << 18
)

// A parcel is a text that is divided into kernels, with the keys of all of them.
type parcel struct {
	at       *layout
	skeleton bodyKey
	keys     []bodyKey // by kernel
}

// divide finds the kernels; nil if the findings about a kernel may depend on the text of another one, or if the text
// is not complete.
func (d *Document) divide() *parcel {
	if d.isa != crosslane.PTX || d.takesAddresses() {
		return nil
	}
	p := &parcel{at: &layout{}}
	h := sha256.New()
	h.Write([]byte(d.name))
	next := 0 // the first token after the last kernel
	for _, f := range d.funcs {
		if !f.kernel {
			if f.name < 0 || f.open >= 0 && f.end < 0 {
				return nil
			}
			continue
		}
		if f.name < 0 || f.open < 0 || f.end < 0 || d.startsInside(f.from) || d.goesOn(f.end) {
			return nil
		}
		first, last := d.feedOf(d.toks[f.from].from), d.feedOf(d.toks[f.end].from)
		k := kernelText{name: strings.Clone(d.tok(f.name)), from: d.text.feeds[first], to: len(d.text.text), line: first + 1, lines: last - first + 1}
		if last+1 < len(d.text.feeds) {
			k.to = d.text.feeds[last+1]
		}
		d.addSkeleton(h, p.at, next, f.from)
		h.Write([]byte("\x00kernel\x00" + k.name + "\x00"))
		next = f.end + 1
		p.at.kernels = append(p.at.kernels, k)
	}
	if len(p.at.kernels) == 0 {
		return nil
	}
	d.addSkeleton(h, p.at, next, len(d.toks))
	h.Sum(p.skeleton[:0])
	for i, k := range p.at.kernels {
		h.Reset()
		h.Write(p.skeleton[:])
		h.Write([]byte{byte(i), byte(i >> 8), byte(i >> 16)})
		h.Write([]byte(d.text.text[k.from:k.to]))
		p.keys = append(p.keys, bodyKey(h.Sum(nil)))
	}
	return p
}

// startsInside reports whether something stands before a token in its line.
func (d *Document) startsInside(t int) bool {
	from := d.toks[t].from
	return strings.TrimSpace(d.text.text[d.text.feeds[d.feedOf(from)]:from]) != ""
}

// goesOn reports whether something stands after a token in its line, or a comment that may be longer than the line.
func (d *Document) goesOn(t int) bool {
	rest := d.text.text[d.toks[t].to:]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	rest = strings.TrimSpace(rest)
	return rest != "" && !strings.HasPrefix(rest, "//")
}

// addSkeleton adds tokens outside of kernels to the hash of the skeleton, with their columns, and their lines to the
// layout.
func (d *Document) addSkeleton(h hash.Hash, at *layout, from, to int) {
	for t := from; t < to; t++ {
		line := d.feedOf(d.toks[t].from)
		n := len(at.lines)
		if n == 0 || int(at.lines[n-1]) != line+1 {
			at.lines = append(at.lines, int32(line+1))
			h.Write([]byte{'\n'})
		}
		fmt.Fprintf(h, "%d ", d.toks[t].from-d.text.feeds[line])
		h.Write([]byte(d.tok(t)))
		h.Write([]byte{0})
	}
}

// feedOf returns the 0-based line of an offset as diagnostics count lines.
func (d *Document) feedOf(off int) int { return sort.SearchInts(d.text.feeds, off+1) - 1 }

// takesAddresses reports whether a function may be called through a pointer. A kernel with such a call depends on
// the functions whose addresses all kernels take.
func (d *Document) takesAddresses() bool {
	for _, s := range d.syms {
		if s.kind != symFunction {
			continue
		}
		for _, r := range s.refs {
			if st := &d.stmts[r.stmt]; st.kind != instruction || st.op < 0 || d.tok(st.op) != "call" {
				if st.kind != directive || st.op < 0 || d.tok(st.op) != ".func" {
					return true
				}
			}
		}
	}
	return false
}

// without returns the text in which some kernels are blank.
func (d *Document) without(at *layout, blank []bool) string {
	b := []byte(d.text.text)
	for i, k := range at.kernels {
		if blank[i] {
			for j := k.from; j < k.to; j++ {
				if b[j] != '\n' {
					b[j] = ' '
				}
			}
		}
	}
	return string(b)
}

// ownerOf returns the kernel in whose text a line lies; -1 if there is none.
func (l *layout) ownerOf(line int) int {
	i := sort.Search(len(l.kernels), func(i int) bool { return l.kernels[i].line+l.kernels[i].lines > line })
	if i < len(l.kernels) && line >= l.kernels[i].line {
		return i
	}
	return -1
}

// knownBodies returns the findings that the Service keeps, by body; nil entries are not known. divided reports whether
// some are, and the text may be checked in pieces.
func (s *Service) knownBodies(p *parcel) (list []*bodyFindings, divided bool) {
	if p == nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indivisible[p.skeleton] {
		return nil, false
	}
	list = make([]*bodyFindings, len(p.keys))
	for i, k := range p.keys {
		list[i] = s.bodies[k]
		divided = divided || list[i] != nil
	}
	return list, divided
}

// keepBodies keeps the findings about all bodies of a text.
func (s *Service) keepBodies(p *parcel, list []*bodyFindings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := len(p.at.kernels) + len(p.at.lines)
	if s.layouts += size; len(s.bodies)+len(list) > maxBodies || s.layouts > maxLayout {
		clear(s.bodies)
		s.layouts = size
	}
	for i, b := range list {
		s.bodies[p.keys[i]] = b
	}
}

// keepWhole notes that a text has to be checked as a whole.
func (s *Service) keepWhole(p *parcel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.indivisible) >= maxBodies {
		clear(s.indivisible)
	}
	s.indivisible[p.skeleton] = true
}

// checkBodies checks the kernels that are not known, and adds the kept findings of the known ones. ok is false if the text has
// to be checked as a whole.
func (d *Document) checkBodies(ctx context.Context, p *parcel, known []*bodyFindings) (list diag.List, ok bool, err error) {
	blank := make([]bool, len(known))
	for i, b := range known {
		if b != nil {
			if known[i] = b.moved(p.at, i, d.name); known[i] != nil {
				blank[i] = true
			}
		}
	}
	m, loadErr := crosslane.LoadWith([]byte(d.without(p.at, blank)), d.name, crosslane.LoadOptions{ISA: d.isa, Include: d.opt.Include})
	if loadErr != nil {
		return nil, false, nil
	}
	module, fresh, ok, err := d.checkModule(ctx, m, p, blank)
	if err != nil || !ok {
		return nil, false, err
	}
	for i, b := range fresh {
		if b != nil {
			known[i] = b
		}
	}
	d.svc.keepBodies(p, known)
	list = module
	for _, b := range known {
		list = append(list, b.loaded...)
	}
	slices.SortStableFunc(list, func(a, b *diag.Diagnostic) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Col - b.Pos.Col
	})
	d.keepShapes(known)
	return joinFindings(list, known), true, nil
}

// joinFindings adds the findings of kernels to the warnings of loading. What two kernels share comes once.
func joinFindings(list diag.List, bodies []*bodyFindings) diag.List {
	seen := map[string]bool{}
	for _, w := range list {
		seen[keyOf(w)] = true
	}
	for _, b := range bodies {
		var own []string // a finding may come twice within one kernel
		for _, f := range b.checked {
			if key := keyOf(f); !seen[key] {
				own = append(own, key)
				list = append(list, f)
			}
		}
		for _, key := range own {
			seen[key] = true
		}
	}
	return list
}

// checkModule checks the kernels of a module that are not blank. module holds the warnings of loading that concern no
// kernel, fresh the findings by body. ok is false if a finding belongs to no kernel alone, so that the text has to be
// checked as a whole.
func (d *Document) checkModule(ctx context.Context, m *crosslane.Module, p *parcel, blank []bool) (module diag.List, fresh []*bodyFindings, ok bool, err error) {
	fresh = make([]*bodyFindings, len(p.keys))
	byName := map[string]int{}
	for i, b := range p.at.kernels {
		if _, twice := byName[b.name]; twice {
			return nil, nil, false, nil
		}
		byName[b.name] = i
		if !blank[i] {
			fresh[i] = &bodyFindings{at: p.at}
		}
	}
	for _, w := range m.Warnings() {
		i := p.at.ownerOf(w.Pos.Line)
		switch {
		case w.Pos.File != d.name:
			return nil, nil, false, nil
		case i >= 0 && !blank[i]:
			fresh[i].loaded = append(fresh[i].loaded, detached(w))
		case i >= 0: // about a kernel without its body
		case d.inFunction(w.Pos.Line): // perhaps only because a kernel calls it
			return nil, nil, false, nil
		default:
			module = append(module, w)
		}
	}
	for _, k := range slices.Concat(m.Kernels(), m.Functions()) {
		i, found := byName[k.Name()]
		if found && blank[i] {
			continue
		}
		r, err := k.CheckStaticWith(ctx, crosslane.StaticOptions{Registers: true})
		if ctx.Err() != nil {
			return nil, nil, false, ctx.Err()
		}
		if !found || err != nil {
			return nil, nil, false, nil
		}
		for _, f := range r.Findings {
			fresh[i].checked = append(fresh[i].checked, detached(f))
		}
		fresh[i].shapes = detachedShapes(r.Registers)
	}
	return module, fresh, true, nil
}

// detached copies a finding, so that it does not keep the text alive from which its strings are cut.
func detached(f *diag.Diagnostic) *diag.Diagnostic {
	c := *f
	for _, s := range []*string{&c.Message, &c.Source, &c.Lanes, &c.Remedy, &c.Section, &c.Kernel, &c.Object} {
		*s = strings.Clone(*s)
	}
	c.Related = slices.Clone(f.Related)
	for i := range c.Related {
		c.Related[i].Message, c.Related[i].Source = strings.Clone(c.Related[i].Message), strings.Clone(c.Related[i].Source)
	}
	c.Fixes = slices.Clone(f.Fixes)
	for i := range c.Fixes {
		c.Fixes[i].Edits = slices.Clone(c.Fixes[i].Edits)
		for k := range c.Fixes[i].Edits {
			e := &c.Fixes[i].Edits[k]
			e.Old, e.New = strings.Clone(e.Old), strings.Clone(e.New)
		}
	}
	return &c
}

// inFunction reports whether a line, as diagnostics count, lies in a function that is no kernel.
func (d *Document) inFunction(line int) bool {
	for _, f := range d.funcs {
		if !f.kernel && f.to > f.from && line > d.feedOf(d.toks[f.from].from) && line <= d.feedOf(d.toks[f.to-1].from)+1 {
			return true
		}
	}
	return false
}

// namesLine matches messages with the number of a line.
var namesLine = regexp.MustCompile(`\bline \d`)

// moved returns the findings about kernel i with positions in another layout of the same skeleton; nil if they cannot
// be moved.
func (b *bodyFindings) moved(to *layout, i int, file string) *bodyFindings {
	if slices.Equal(b.at.lines, to.lines) && slices.EqualFunc(b.at.kernels, to.kernels, func(x, y kernelText) bool { return x.line == y.line && x.lines == y.lines }) {
		return b
	}
	ok := true
	move := func(p diag.Pos) diag.Pos {
		if p.File != file || p.Line == 0 {
			return p
		}
		if k := b.at.ownerOf(p.Line); k >= 0 {
			ok = ok && k == i
			p.Line += to.kernels[k].line - b.at.kernels[k].line
		} else if l, found := slices.BinarySearch(b.at.lines, int32(p.Line)); found {
			p.Line = int(to.lines[l])
		} else {
			ok = false
		}
		return p
	}
	shift := func(list diag.List) (out diag.List) {
		for _, f := range list {
			c := *f
			c.Pos = move(f.Pos)
			text := f.Message + f.Remedy
			c.Related = slices.Clone(f.Related)
			for j := range c.Related {
				c.Related[j].Pos = move(c.Related[j].Pos)
				text += c.Related[j].Message
			}
			c.Same = slices.Clone(f.Same)
			for j := range c.Same {
				c.Same[j] = move(c.Same[j])
			}
			c.Fixes = slices.Clone(f.Fixes)
			for j := range c.Fixes {
				c.Fixes[j].Edits = slices.Clone(c.Fixes[j].Edits)
				for e := range c.Fixes[j].Edits {
					c.Fixes[j].Edits[e].Pos = move(c.Fixes[j].Edits[e].Pos)
				}
				text += c.Fixes[j].Message
			}
			if namesLine.MatchString(text) {
				ok = false
			}
			out = append(out, &c)
		}
		return out
	}
	out := &bodyFindings{at: to, loaded: shift(b.loaded), checked: shift(b.checked), shapes: slices.Clone(b.shapes)}
	for j := range out.shapes {
		out.shapes[j].Line = move(diag.Pos{File: file, Line: out.shapes[j].Line}).Line
	}
	if !ok {
		return nil
	}
	return out
}

// wholeText checks a text that loads as a whole, and keeps the findings by kernel if they belong to one each.
func (d *Document) wholeText(ctx context.Context, m *crosslane.Module, p *parcel) (diag.List, error) {
	list := slices.Clone(m.Warnings())
	if p != nil {
		_, fresh, ok, err := d.checkModule(ctx, m, p, make([]bool, len(p.keys)))
		if err != nil {
			return nil, err
		}
		if ok {
			d.svc.keepBodies(p, fresh)
			d.keepShapes(fresh)
			return joinFindings(list, fresh), nil
		}
		d.svc.keepWhole(p)
	}
	kernels := slices.Concat(m.Kernels(), m.Functions())
	var bodies []*bodyFindings
	for _, k := range kernels {
		r, err := k.CheckStaticWith(ctx, crosslane.StaticOptions{Registers: true})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b := &bodyFindings{}
		if err != nil {
			b.checked = diag.Of(err)
		} else {
			b.checked, b.shapes = r.Findings, r.Registers
		}
		bodies = append(bodies, b)
	}
	d.keepShapes(bodies)
	return joinFindings(list, bodies), nil
}
