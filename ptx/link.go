package ptx

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// A LinkPart is one module of PTX text for Link.
type LinkPart struct {
	File string // its name in diagnostics
	Text string
}

// Codes of the errors that only linking has.
const (
	codeMultiple = "multiple-definition"
	codeMismatch = "link-mismatch"
)

// Link joins modules of PTX text into one, as a linker joins modules that were compiled one by one
// (PTX 11.6). Load accepts the result. If there is one module, the result is its text.
//
//   - .version and .target are the newest ones; .address_size is the same in all modules. A target
//     with a suffix, as sm_90a, is joined only with targets whose features it has. The options of
//     .target are kept.
//   - A .extern declaration, or a prototype without definition, stands for the definition of another
//     module, if that is .visible, .weak, .common or a kernel. A declaration without a definition
//     stays: lifting names it if a kernel needs it. If a function has a result and a declaration of
//     it has none, calls in the module of that declaration discard the result. If the function has
//     none and a declaration has one, calls in the module of that declaration give an undefined one.
//   - Of several definitions of a name, a .visible one is kept, else the largest .common one, else
//     the first .weak one. Two .visible definitions, or two kernels, are an error.
//   - A name without linkage belongs to its module. If several modules have it, it becomes name$2 in
//     the second module.
//   - .file numbers that two modules use for different files are changed, with the .loc directives.
//   - The debug sections (.section, @@DWARF, .nv_intermediate_source_section) of one module stay:
//     those of the first module that has any. Their labels and offsets would collide.
//
// Comments, pragmas and lines stay as they are. A declaration that another one replaces leaves
// blanks.
//
// Each module has to be right by itself: its errors are those of Load, with its file. The error is a
// diag.List. Its further codes are multiple-definition; link-mismatch, for modules or declarations
// that do not fit together; and too-large, if all texts together are larger than Load accepts.
//
// The text of the result is resolved by the rules of its .version. A module of an old version that
// uses a feature which the newest version lacks has to be compiled again; Load names the line.
func Link(parts []LinkPart) (*Linked, error) {
	l := &linker{byName: map[string]*linkSymbol{}, restore: map[string]string{}}
	l.read(parts)
	if len(l.inputs) == 1 && l.err() == nil {
		return l.write(""), nil
	}
	for _, step := range []func(){l.options, l.symbols, l.resolve, l.edit} {
		if err := l.err(); err != nil {
			return nil, err
		}
		step()
	}
	if err := l.err(); err != nil {
		return nil, err
	}
	return l.write(l.head), nil
}

// A linker joins modules.
//
// Input: modules, each of which Load accepts.
// Output: one text, and the module, line and column of each of its characters.
// Invariant: an edit keeps the lines of a module, so that a line of the result has the text of one
// line of one module.
// Example: module 1 calls f, which it declares .extern; module 2 defines f, and a variable t without
// linkage, as module 1 does. The declaration becomes a prototype of the definition, and t becomes
// t$2 in module 2.
type linker struct {
	inputs  []*linkInput
	order   []*linkSymbol // in the order of their first mention
	byName  map[string]*linkSymbol
	head    string
	headAt  []headLine
	errs    diag.List
	fresh   freshNames
	restore map[string]string // new names to old ones
	discard string            // the name of the variables for results that calls discard; "": none so far
}

// A linkInput is one module.
type linkInput struct {
	index    int
	file     string
	text     string
	m        *Module
	extentOf []int32 // by item
	changes  map[int32]*extentChange
	dropped  map[Item]bool
	renamed  map[string]string      // local names
	prefixes map[string]string      // prefixes of local families
	outside  map[string]*linkSymbol // the functions that another module declares or defines
	unlike   map[*Var]bool          // the variables whose elements differ in another module
	numbers  []fileNumber
	edits    []textEdit
}

// headLine is the origin of a line before the first module: .version, .target or .address_size.
type headLine struct {
	file string
	pos  Pos
}

// err returns the errors found so far as an error.
func (l *linker) err() error { return l.errs.Err() }

// fail adds an error about a text position of a module.
func (l *linker) fail(in *linkInput, pos Pos, code, format string, args ...any) *diag.Diagnostic {
	d := diag.Errorf(pos.At(in.file), diag.Input, code, format, args...)
	if len(l.errs) < maxErrors {
		d.Source = lineAt(in.text, int(pos.Off))
		l.errs = append(l.errs, d)
	}
	return d
}

// other adds the position of a second declaration to an error.
func (in *linkInput) other(d *diag.Diagnostic, pos Pos, message string) {
	d.Related = append(d.Related, diag.Related{Pos: pos.At(in.file), Message: message, Source: lineAt(in.text, int(pos.Off))})
}

// read loads the modules.
func (l *linker) read(parts []LinkPart) {
	if len(parts) == 0 {
		l.errs = append(l.errs, diag.Errorf(diag.Pos{}, diag.Input, "usage", "there is no module to link"))
		return
	}
	size := 0
	for _, p := range parts {
		if size += len(p.Text); size > maxSource {
			l.errs = append(l.errs, diag.Errorf(diag.Pos{File: p.File}, diag.Input, "too-large", "the modules up to this one have more than %d bytes, the limit of a program", maxSource))
			return
		}
	}
	for i, p := range parts {
		text := p.Text[:TextEnd(p.Text)]
		m, list := Load(p.File, text)
		Suggest(m, list)
		if list.Err() != nil && len(l.errs) < maxErrors {
			l.errs = append(l.errs, list...)
		}
		in := &linkInput{
			index: i, file: p.File, text: text, m: m, changes: map[int32]*extentChange{}, dropped: map[Item]bool{},
			renamed: map[string]string{}, prefixes: map[string]string{}, outside: map[string]*linkSymbol{}, unlike: map[*Var]bool{},
		}
		in.extentOf = make([]int32, len(m.Items))
		for n, e := range m.extents {
			last := len(m.Items)
			if n+1 < len(m.extents) {
				last = int(m.extents[n+1].first)
			}
			for k := int(e.first); k < last; k++ {
				in.extentOf[k] = int32(n)
			}
		}
		l.inputs = append(l.inputs, in)
	}
}

// options makes the lines .version, .target and .address_size of the result.
func (l *linker) options() {
	first := l.inputs[0]
	newest, highest := first, first
	for _, in := range l.inputs[1:] {
		if !newest.m.Version.AtLeast(in.m.Version) {
			newest = in
		}
		if a, b := in.m.Target, highest.m.Target; a.SM > b.SM || a.SM == b.SM && suffixRank(a.Suffix) > suffixRank(b.Suffix) {
			highest = in
		}
		if in.m.AddressSize != first.m.AddressSize {
			d := l.fail(in, in.m.addressAt(), codeMismatch, "the addresses of this module have %d bits, those of %s have %d", in.m.AddressSize, first.file, first.m.AddressSize)
			d.Section, d.Remedy = "PTX 11.1.3", "compile all modules for one size of addresses"
			first.other(d, first.m.addressAt(), "the first module")
		}
	}
	words := []string{highest.m.Target.String()}
	mode := (*linkInput)(nil)
	for _, in := range l.inputs {
		if !highest.m.Target.Has(in.m.Target) {
			d := l.fail(in, in.m.TargetPos, codeMismatch, "the target of this module is %s, whose features %s, the target of %s, lacks", in.m.Target, highest.m.Target, highest.file)
			d.Section, d.Remedy = "PTX 11.1.2", "compile all modules for one target"
			highest.other(d, highest.m.TargetPos, "the highest target")
		}
		if old := slices.Contains(in.m.Targets, "map_f64_to_f32"); old != slices.Contains(first.m.Targets, "map_f64_to_f32") || old && highest.m.Target.SM >= 13 {
			l.fail(in, in.m.TargetPos, codeMismatch, "map_f64_to_f32 is for programs all of whose modules have it, and a target below sm_13").Section = "PTX 11.1.2"
		}
		for _, w := range in.m.Targets {
			if _, option := optionSince[w]; !option {
				continue
			}
			if strings.HasPrefix(w, "texmode_") {
				if mode != nil && !slices.Contains(mode.m.Targets, w) {
					d := l.fail(in, in.m.TargetPos, codeMismatch, "the texturing mode of this module is %s; that of %s is another one", w, mode.file)
					d.Section, d.Remedy = "PTX 11.1.2", "compile all modules for one texturing mode"
					mode.other(d, mode.m.TargetPos, "the other mode")
				}
				mode = in
			}
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	l.head = fmt.Sprintf(".version %s\n.target %s\n", newest.m.Version, strings.Join(words, ", "))
	l.headAt = []headLine{{newest.file, newest.m.VersionPos}, {highest.file, highest.m.TargetPos}}
	if first.m.AddressSize != 32 {
		l.head += fmt.Sprintf(".address_size %d\n", first.m.AddressSize)
		l.headAt = append(l.headAt, headLine{first.file, first.m.addressAt()})
	}
}

// addressAt returns the position of .address_size, or of .version if the module has none.
func (m *Module) addressAt() Pos {
	if m.AddressPos.Line > 0 {
		return m.AddressPos
	}
	return m.VersionPos
}

// suffixRank orders the suffixes of one architecture: each has the features of those of a lower rank.
func suffixRank(suffix byte) int { return strings.IndexByte("\x00fa", suffix) }
