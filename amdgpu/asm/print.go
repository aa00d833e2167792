package asm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/crosslane/amdgpu"
)

// Text returns the object as assembly text. Assemble makes the same sections, symbols and
// relocations from it, byte for byte. Branch targets get labels; kernel descriptors become
// .amdhsa_kernel blocks. Code that does not decode, or whose text would assemble to other bytes, is
// printed as numbers.
//
// A symbol whose name is taken, or cannot be written, gets another name.
func (o *Object) Text() string { return o.text(false) }

// TextOffsets is Text with the offset of each instruction in its section as a comment after it.
// Diagnostics use these offsets for code without source.
func (o *Object) TextOffsets() string { return o.text(true) }

// text prints the object.
func (o *Object) text(offsets bool) string {
	o = o.writable()
	p := &objectPrinter{o: o, chip: o.Target.OrDefault(), offsets: offsets, places: make([][]item, len(o.Sections)), based: make([]bool, len(o.Sections)), notes: -1, sections: map[string]bool{}}
	p.plan()
	end := ""
	switch version := o.CodeObjectVersion; version {
	case 2:
		end = p.planV2()
	default:
		if version == 0 {
			version = DefaultCodeObjectVersion
		}
		fmt.Fprintf(&p.b, "\t.amdgcn_target %q\n\t.amdhsa_code_object_version %d\n", p.chip.ID(), version)
		if o.Metadata != "" {
			end = "\t.amdgpu_metadata\n" + strings.TrimRight(o.Metadata, "\n") + "\n\t.end_amdgpu_metadata\n"
		}
	}
	p.declare()
	for i := range o.Sections {
		if i != p.notes {
			p.section(i)
		}
	}
	p.b.WriteString(end)
	return p.b.String()
}

// An objectPrinter prints one object.
type objectPrinter struct {
	o       *Object
	chip    *amdgpu.Target
	offsets bool
	b       strings.Builder
	places  [][]item // by section, sorted by offset
	based   []bool   // sections that need a label at their start
	blocks  map[int]*KernelDesc
	names   map[string]bool // names of symbols
	notes   int             // section whose notes are directives, or -1

	sections map[string]bool // names of the printed sections
}

// A place is an item at an offset of a section.
type item struct {
	off    uint64
	label  string      // a symbol, as text
	local  bool        // it is a local symbol
	kernel *KernelDesc // a descriptor
	code   []byte      // an amd_kernel_code_t
	reloc  *Reloc
}

// plan collects the places of all sections.
func (p *objectPrinter) plan() {
	byName := map[string]int{}
	p.names = map[string]bool{}
	for i, s := range p.o.Symbols {
		byName[s.Name] = i
		p.names[s.Name] = true
	}
	relocAt := map[[2]uint64]*Reloc{}
	for i := range p.o.Relocs {
		r := &p.o.Relocs[i]
		if r.Section < 0 || r.Section >= len(p.o.Sections) {
			continue
		}
		relocAt[[2]uint64{uint64(r.Section), r.Offset}] = r
	}
	p.blocks = map[int]*KernelDesc{}
	for i, s := range p.o.Symbols {
		if s.Section < 0 || s.Section >= len(p.o.Sections) || s.Type == symSection {
			continue
		}
		at := item{off: s.Value, label: symbolText(s.Name), local: s.Bind == 0}
		if k := p.kernel(i, byName, relocAt); k != nil {
			p.blocks[i] = k
			at = item{off: s.Value, kernel: k}
			delete(relocAt, [2]uint64{uint64(s.Section), s.Value + atEntry})
		}
		p.places[s.Section] = append(p.places[s.Section], at)
		p.placeCode(&p.o.Symbols[i])
	}
	for _, r := range relocAt {
		p.places[r.Section] = append(p.places[r.Section], item{off: r.Offset, reloc: r})
		if s := p.target(r); s != nil && s.Type == symSection {
			p.based[s.Section] = true
		}
	}
	for _, l := range p.places {
		slices.SortStableFunc(l, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.off, b.off), cmp.Compare(a.kind(), b.kind()))
		})
	}
	for i, l := range p.places {
		if p.o.CodeObjectVersion == 2 {
			p.places[i] = dropCode(l)
		}
	}
}

// kind orders places of one offset: labels first, then items with bytes.
func (p *item) kind() int {
	if p.label != "" {
		return 0
	}
	return 1
}

func (p *objectPrinter) target(r *Reloc) *Symbol {
	if r.Symbol < 0 || r.Symbol >= len(p.o.Symbols) {
		return nil
	}
	return &p.o.Symbols[r.Symbol]
}

// kernel returns the descriptor that the symbol names, if a block can express it.
func (p *objectPrinter) kernel(i int, byName map[string]int, relocAt map[[2]uint64]*Reloc) *KernelDesc {
	kd := &p.o.Symbols[i]
	name, ok := strings.CutSuffix(kd.Name, ".kd")
	data := p.o.Sections[kd.Section].Data
	if !ok || kd.Type != 1 || kd.Size != KernelDescSize || kd.Value > uint64(len(data)) || uint64(len(data))-kd.Value < KernelDescSize {
		return nil
	}
	c, ok := byName[name]
	if !ok {
		return nil
	}
	code := &p.o.Symbols[c]
	// The block gives its symbol the binding and the current visibility of the code's symbol, and
	// makes that symbol protected if it had default visibility.
	if code.Section < 0 || code.Bind != kd.Bind || kd.Visibility != code.Visibility && (kd.Visibility != 0 || code.Visibility != 3) || kd.Visibility == 0 && code.Visibility != 3 {
		return nil
	}
	k, entry, ok := decodeKernelDesc(p.o.Target, name, data[kd.Value:][:KernelDescSize])
	if !ok {
		return nil
	}
	r := relocAt[[2]uint64{uint64(kd.Section), kd.Value + atEntry}]
	switch {
	case r != nil:
		// A block points to the code, so the relocation has to as well.
		s := p.target(r)
		if entry != 0 || r.Type != relocRel64 || s == nil || s.Section != code.Section || s.Value+uint64(r.Addend) != code.Value+atEntry {
			return nil
		}
	case code.Section != kd.Section || entry != int64(code.Value-kd.Value):
		return nil
	}
	return &k
}

// writable returns the object with names that can be written: they are unique, and have no quotes,
// backslashes or control characters.
func (o *Object) writable() *Object {
	taken := make(map[string]bool, len(o.Symbols))
	for i := range o.Symbols {
		taken[o.Symbols[i].Name] = true
	}
	seen := make(map[string]bool, len(o.Symbols))
	var symbols []Symbol
	for i := range o.Symbols {
		s := &o.Symbols[i]
		if s.Type == symSection {
			continue
		}
		name := strings.Map(func(c rune) rune {
			if c < ' ' || c == '"' || c == '\\' || c == 0x7f || c == utf8.RuneError {
				return '_'
			}
			return c
		}, s.Name)
		if name == "" {
			name = "nameless"
		}
		for base, n := name, 2; seen[name] || name != s.Name && taken[name]; n++ {
			name = fmt.Sprintf("%s.%d", base, n)
		}
		seen[name] = true
		if name == s.Name {
			continue
		}
		if symbols == nil {
			symbols = slices.Clone(o.Symbols)
		}
		symbols[i].Name = name
	}
	if symbols == nil {
		return o
	}
	c := *o
	c.Symbols = symbols
	return &c
}

// symbolText returns a name as the assembler reads it, in quotes if necessary.
func symbolText(name string) string {
	plain := name != "" && isIdentStart(name[0]) && name != "."
	for i := range len(name) {
		plain = plain && identByte(name[i])
	}
	if plain {
		return name
	}
	return `"` + name + `"`
}

// declare writes the attributes of the symbols, in the order of the symbol table.
func (p *objectPrinter) declare() {
	described := map[string]bool{} // symbols of blocks: a block gives size, type and binding
	late := map[string]bool{}      // symbols that a block makes protected
	for i, k := range p.blocks {
		kd := &p.o.Symbols[i]
		described[kd.Name] = true
		late[k.Name] = kd.Visibility == 0
	}
	for _, s := range p.o.Symbols {
		name := symbolText(s.Name)
		switch {
		case s.Type == symSection:
			continue
		case s.Section == SymbolAbsolute:
			fmt.Fprintf(&p.b, "\t.set %s, %d\n", name, int64(s.Value))
		case s.Bind == 0:
			fmt.Fprintf(&p.b, "\t.local %s\n", name)
		}
		switch s.Bind {
		case 1:
			fmt.Fprintf(&p.b, "\t.globl %s\n", name)
		case bindWeak:
			fmt.Fprintf(&p.b, "\t.weak %s\n", name)
		}
		if s.Visibility != 0 && !late[s.Name] {
			fmt.Fprintf(&p.b, "\t.%s %s\n", [4]string{"", "internal", "hidden", "protected"}[s.Visibility&3], name)
		}
		if described[s.Name] {
			continue
		}
		switch s.Type {
		case 1:
			fmt.Fprintf(&p.b, "\t.type %s,@object\n", name)
		case 2:
			fmt.Fprintf(&p.b, "\t.type %s,@function\n", name)
		case symHSAKernel:
			fmt.Fprintf(&p.b, "\t.amdgpu_hsa_kernel %s\n", name)
		}
		if s.Size != 0 {
			fmt.Fprintf(&p.b, "\t.size %s, %d\n", name, s.Size)
		}
	}
}

// section writes a section.
func (p *objectPrinter) section(i int) {
	s := &p.o.Sections[i]
	p.b.WriteByte('\n')
	typ, flags := defaultSection(s.Name)
	again := p.sections[s.Name] // a section with a name that was already printed would be continued, so it has to be made distinct
	p.sections[s.Name] = true
	if !again && typ == s.Type && flags == s.Flags && s.EntSize == 0 && (s.Name == ".text" || s.Name == ".data" || s.Name == ".bss") {
		fmt.Fprintf(&p.b, "\t%s\n", s.Name)
	} else {
		flags := s.Flags
		if s.EntSize == 0 {
			flags &^= shfMerge // a linker that merged sections of several kinds leaves the flag, and the directive cannot express it
		}
		fmt.Fprintf(&p.b, "\t.section %s,%q,%s", sectionText(s.Name), flagText(flags), typeText(s.Type))
		if flags&shfMerge != 0 {
			fmt.Fprintf(&p.b, ",%d", s.EntSize)
		}
		if again {
			fmt.Fprintf(&p.b, ",unique,%d", i)
		}
		p.b.WriteByte('\n')
	}
	if s.Align > 1 {
		fmt.Fprintf(&p.b, "\t.p2align %d\n", bits.TrailingZeros64(s.Align))
	}
	if p.based[i] {
		fmt.Fprintf(&p.b, "%s:\n", baseLabel(i))
	}
	if s.Type == shtNoBits {
		p.zeros(i)
		return
	}
	if s.Flags&shfExec != 0 {
		p.code(i)
		return
	}
	p.bytes(i, 0, uint64(len(s.Data)))
}

func baseLabel(section int) string { return fmt.Sprintf(".Lsection%d", section) }

func sectionText(name string) string {
	if name == "" || strings.ContainsAny(name, ", \t\"\\;#/") {
		return strconv.Quote(name)
	}
	return name
}

// flagText returns the letters of a section's flags.
func flagText(flags uint64) string {
	var b strings.Builder
	for _, f := range []struct {
		bit  uint64
		char byte
	}{{shfAlloc, 'a'}, {shfWrite, 'w'}, {shfExec, 'x'}, {shfMerge, 'M'}, {shfStrings, 'S'}} {
		if flags&f.bit != 0 {
			b.WriteByte(f.char)
		}
	}
	return b.String()
}

// typeText returns the name of a section's type.
func typeText(typ uint32) string {
	switch typ {
	case shtNoBits:
		return "@nobits"
	case shtNote:
		return "@note"
	case shtInit:
		return "@init_array"
	case shtFini:
		return "@fini_array"
	}
	return "@progbits"
}

// zeros writes a section without bytes.
func (p *objectPrinter) zeros(i int) {
	at := uint64(0)
	for _, x := range p.places[i] {
		if x.off > at {
			fmt.Fprintf(&p.b, "\t.zero %d\n", x.off-at)
			at = x.off
		}
		if x.label != "" {
			fmt.Fprintf(&p.b, "%s:\n", x.label)
		}
	}
	if n := p.o.Sections[i].Size; n > at {
		fmt.Fprintf(&p.b, "\t.zero %d\n", n-at)
	}
}

// bytes writes the bytes from..to of a section as data, with the places among them.
func (p *objectPrinter) bytes(i int, from, to uint64) {
	p.bytesFrom(i, firstPlace(p.places[i], from), from, to)
}

// bytesFrom is bytes, beginning with place k; earlier places are written already. It returns the
// first place that is not written.
func (p *objectPrinter) bytesFrom(i, k int, from, to uint64) int {
	data := p.o.Sections[i].Data
	l := p.places[i]
	for at := from; at < to || k < len(l) && l[k].off == at && at == uint64(len(data)); {
		next := to
		taken := uint64(0)
		for ; k < len(l) && l[k].off <= at; k++ {
			switch x := &l[k]; {
			case x.off < at: // inside an item that was printed
			case x.label != "":
				fmt.Fprintf(&p.b, "%s:\n", x.label)
			case x.kernel != nil:
				p.b.WriteString(x.kernel.Text())
				taken = KernelDescSize
			case x.code != nil:
				p.b.WriteString(kernelCodeText(x.code))
				taken = KernelCodeSize
			case x.reloc != nil:
				taken = p.relocated(x.reloc)
			}
			if taken > 0 {
				k++
				break
			}
		}
		if taken > 0 {
			at += taken
			continue
		}
		if k < len(l) {
			next = min(next, l[k].off)
		}
		if at >= to {
			break
		}
		n := min(next-at, 16)
		p.raw(data[at : at+n])
		at += n
	}
	return k
}

// firstPlace returns the index of the first place at or after an offset.
func firstPlace(l []item, off uint64) int {
	k, _ := slices.BinarySearchFunc(l, off, func(x item, off uint64) int { return cmp.Compare(x.off, off) })
	return k
}

// raw writes up to 16 bytes as numbers.
func (p *objectPrinter) raw(b []byte) { p.rawWith(b, "") }

// rawWith is raw with a comment at the end of the line.
func (p *objectPrinter) rawWith(b []byte, comment string) {
	switch {
	case len(b)%8 == 0:
		p.b.WriteString("\t.quad ")
		for i := 0; i < len(b); i += 8 {
			p.comma(i)
			fmt.Fprintf(&p.b, "0x%x", binary.LittleEndian.Uint64(b[i:]))
		}
	case len(b)%4 == 0:
		p.b.WriteString("\t.long ")
		for i := 0; i < len(b); i += 4 {
			p.comma(i)
			fmt.Fprintf(&p.b, "0x%x", binary.LittleEndian.Uint32(b[i:]))
		}
	default:
		p.b.WriteString("\t.byte ")
		for i, c := range b {
			p.comma(i)
			fmt.Fprintf(&p.b, "%d", c)
		}
	}
	p.b.WriteString(comment)
	p.b.WriteByte('\n')
}

func (p *objectPrinter) comma(i int) {
	if i > 0 {
		p.b.WriteString(", ")
	}
}

// relocated writes the word that a relocation fills, and returns its size; 0 if the relocation has
// no text.
func (p *objectPrinter) relocated(r *Reloc) uint64 {
	s := p.target(r)
	if s == nil {
		return 0
	}
	sym := symbolText(s.Name)
	if s.Type == symSection {
		sym = baseLabel(s.Section)
	}
	x := sym
	if r.Addend != 0 {
		x = fmt.Sprintf("%s%+d", sym, r.Addend)
	}
	switch r.Type {
	case relocAbs64:
		fmt.Fprintf(&p.b, "\t.quad %s\n", x)
		return 8
	case relocAbs32:
		fmt.Fprintf(&p.b, "\t.long %s\n", x)
		return 4
	case relocRel64:
		fmt.Fprintf(&p.b, "\t.quad %s-.\n", x)
		return 8
	case relocRel32:
		fmt.Fprintf(&p.b, "\t.long %s-.\n", x)
		return 4
	}
	if mod := modifierText(r.Type); mod != "" {
		x = sym + mod
		if r.Addend != 0 {
			x = fmt.Sprintf("%s%+d", x, r.Addend)
		}
		fmt.Fprintf(&p.b, "\t.long %s\n", x)
		return 4
	}
	return 0
}

// modifierText is the inverse of modifierReloc.
func modifierText(typ uint32) string {
	for _, m := range []string{"@rel32@lo", "@rel32@hi", "@abs32@lo", "@abs32@hi", "@gotpcrel", "@gotpcrel32@lo", "@gotpcrel32@hi"} {
		if modifierReloc(m) == typ {
			return m
		}
	}
	return ""
}

// code writes a section of instructions.
func (p *objectPrinter) code(i int) {
	data := p.o.Sections[i].Data
	c := p.decode(i)
	l := p.places[i]
	k := 0
	var at, next uint64 // next: the end of the instruction that is printed
	printer := amdgpu.Printer{Exact: true, Label: func(dist int64) string { return c.labels[next+uint64(4*dist)] }}
	var line []byte
	p.b.Grow(12 * len(data)) // a rough estimate
	for at < uint64(len(data)) || k < len(l) {
		for ; k < len(l) && l[k].off <= at && l[k].label != ""; k++ {
			if l[k].off == at {
				p.label(l[k].label)
			}
		}
		if at >= uint64(len(data)) {
			return
		}
		if c.targets.has(at) {
			if t := c.labels[at]; t != "" && !p.printed(i, at, t) {
				p.label(t)
			}
		}
		n := uint64(len(data)) - at
		if k < len(l) && l[k].off >= at {
			n = min(n, l[k].off-at)
		}
		if c.starts.has(at) {
			if in, size, err := p.chip.Decode(data[at:]); err == nil && uint64(size) <= n {
				next = at + uint64(size)
				line = printer.Append(append(line[:0], '\t'), &in)
				if p.offsets {
					line = fmt.Appendf(line, "\t// +%#x", at)
				}
				p.b.Write(append(line, '\n'))
				at = next
				continue
			}
		}
		if c.starts.has(at) && k < len(l) && l[k].off == at+4 {
			if text := p.relocatedInst(data[at:], l[k].reloc, &printer); text != "" {
				if p.offsets {
					text = fmt.Sprintf("%s\t// +%#x\n", strings.TrimSuffix(text, "\n"), at)
				}
				p.b.WriteString(text)
				at, k = at+8, k+1
				continue
			}
		}
		if k < len(l) && l[k].off == at { // a relocation or descriptor in code
			end := at + l[k].size()
			if r := l[k].reloc; r != nil {
				if end = at + 4; r.Type == relocAbs64 || r.Type == relocRel64 {
					end = at + 8
				}
			}
			end = min(end, uint64(len(data)))
			k = p.bytesFrom(i, k, at, end) // the labels at this place are written
			for at = end; k < len(l) && l[k].off < at; {
				k++
			}
			continue
		}
		n = min(n, 4-at%4) // instructions begin at multiples of 4
		why := ""
		if n == 4 {
			why = p.remark(data[at:])
		}
		p.rawWith(data[at:at+n], why)
		at += n
	}
}

// label writes a label.
func (p *objectPrinter) label(name string) {
	p.b.WriteString(name)
	p.b.WriteString(":\n")
}

// codeMap holds the instructions and branch targets of a section of instructions.
type codeMap struct {
	starts  bitset // offsets at which instructions begin
	targets bitset // offsets of branch targets
	labels  map[uint64]string
}

// bitset is a set of offsets that are multiples of 4.
type bitset []uint64

func (s bitset) add(off uint64) { s[off/256] |= 1 << (off / 4 % 64) }

func (s bitset) has(off uint64) bool {
	return off%4 == 0 && off/256 < uint64(len(s)) && s[off/256]>>(off/4%64)&1 != 0
}

// decode finds the instructions of a section, and names branch targets. Words that do not decode
// are no code.
func (p *objectPrinter) decode(i int) codeMap {
	data := p.o.Sections[i].Data
	words := len(data)/256 + 1
	c := codeMap{make(bitset, words), make(bitset, words), map[uint64]string{}}
	var targets []uint64
	k := 0 // the first place at or after the instruction
	l := p.places[i]
	for at := uint64(0); at < uint64(len(data)); {
		in, n, err := p.chip.Decode(data[at:])
		for k < len(l) && l[k].off < at {
			k++
		}
		if size := sizeAt(l[k:], at); size > 0 {
			at += size
			continue
		}
		if err == nil && n == 8 && literalReloc(l[k:], at) {
			c.starts.add(at)
			at += 8
			continue
		}
		if err != nil || n <= 0 || cut(l[k:], at, uint64(n)) {
			at += 4
			continue
		}
		c.starts.add(at)
		at += uint64(n)
		if d, ok := branchDistance(&in); ok {
			targets = append(targets, at+uint64(4*d))
		}
	}
	for _, t := range targets {
		if t > uint64(len(data)) || c.targets.has(t) || !c.starts.has(t) && t != uint64(len(data)) {
			continue
		}
		c.targets.add(t)
		// At the end of the section only symbols are printed.
		if name := p.targetName(i, t); name != "" {
			c.labels[t] = name
		} else if t < uint64(len(data)) {
			c.labels[t] = p.freeName(fmt.Sprintf(".L%d_%x", i, t))
		}
	}
	return c
}

// targetName returns the symbol at an offset that can be written as a branch target. A symbol with
// the name of a register cannot be written. A global symbol could be replaced at link time, so LLVM
// leaves it to the linker.
func (p *objectPrinter) targetName(section int, off uint64) string {
	l := p.places[section]
	for k := firstPlace(l, off); k < len(l) && l[k].off == off; k++ {
		if t := l[k].label; t != "" && l[k].local && p.labelOperand(t) {
			return t
		}
	}
	return ""
}

// labelOperand reports whether a branch to the label can be written.
func (p *objectPrinter) labelOperand(label string) bool {
	in, err := amdgpu.ParseInst("s_branch "+label, amdgpu.ParseOptions{Target: p.chip, Eval: func(string) (amdgpu.Value, error) { return amdgpu.Value{Int: 4, Label: true}, nil }})
	return err == nil && in.Ops[0].Imm == 0
}

// freeName returns a label that no symbol has.
func (p *objectPrinter) freeName(name string) string {
	for p.names[name] {
		name += "_"
	}
	return name
}

// printed reports whether the label belongs to a symbol at that offset.
func (p *objectPrinter) printed(section int, off uint64, label string) bool {
	l := p.places[section]
	for k := firstPlace(l, off); k < len(l) && l[k].off == off; k++ {
		if l[k].label == label {
			return true
		}
	}
	return false
}

// cut reports whether a place lies inside the n bytes at an offset; l begins there.
func cut(l []item, off, n uint64) bool {
	for k := 0; k < len(l) && l[k].off < off+n; k++ {
		if l[k].off > off || l[k].label == "" {
			return true
		}
	}
	return false
}

// sizeAt returns the size of the descriptor or structure at an offset, or 0; l begins there.
func sizeAt(l []item, off uint64) uint64 {
	for k := 0; k < len(l) && l[k].off == off; k++ {
		if n := l[k].size(); n > 0 {
			return n
		}
	}
	return 0
}

// branchDistance returns the distance of a branch with a label, in dwords from the next instruction.
func branchDistance(in *amdgpu.Inst) (int64, bool) {
	for i, s := range in.Row.Operands {
		if s.Kind == amdgpu.ClassLabel {
			return in.Ops[i].Imm, true
		}
	}
	return 0, false
}
