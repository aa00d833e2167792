package ptx

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A ptxasCase is a program that ptxas has judged legal or illegal: a module of one kernel with one
// line of statements.
type ptxasCase struct {
	kind            string // the generator's change of a form
	version, target string
	text            string
}

// caseRegs maps the letter after the percent sign to the registers of a ptxasCase.
var caseRegs = map[byte]string{
	'p': "pred", 'c': "b8", 'h': "b16", 'r': "b32", 'd': "b64", 'q': "b128", 'f': "f32", 'g': "f64",
	'x': "f16", 'y': "f16x2", 'i': "s32", 'u': "u32", 'm': "u16", 'n': "s16", 'w': "u64", 's': "s64",
}

var (
	caseReg   = regexp.MustCompile(`%([pchrdqfgxyiumnws])(\d+)\b`)
	caseName  = regexp.MustCompile(`\b(SV|LV|GV|CV|PV|FN)\b`)
	caseNames = map[string]string{
		"GV": ".global .align 16 .b8 GV[64];", "CV": ".const .align 16 .b8 CV[64];", "FN": ".func FN() { ret; }",
		"SV": ".shared .align 16 .b8 SV[64];", "LV": ".local .align 16 .b8 LV[64];",
	}
)

// head are the directives before the kernel, and the declarations that several kernels
// of one file may share.
func (c *ptxasCase) head() string {
	s := ".version " + c.version + "\n.target " + c.target + "\n"
	var v Version
	fmt.Sscanf(c.version, "%d.%d", &v.Major, &v.Minor)
	if v.AtLeast(Version{2, 3}) {
		s += ".address_size 64\n"
	}
	return s
}

// shared lists the names of the module that the text uses.
func (c *ptxasCase) shared() (names []string) {
	for _, n := range caseName.FindAllString(c.text, -1) {
		if (n == "GV" || n == "CV" || n == "FN") && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// kernel is the kernel in one line.
func (c *ptxasCase) kernel(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".entry %s(", name)
	if regexp.MustCompile(`\bPV\b`).MatchString(c.text) {
		b.WriteString(".param .u64 PV")
	}
	b.WriteString(") {")
	count := map[byte]int{}
	for _, m := range caseReg.FindAllStringSubmatch(c.text, -1) {
		n := 0
		fmt.Sscan(m[2], &n)
		count[m[1][0]] = max(count[m[1][0]], n+1)
	}
	for _, l := range []byte("pchrdqfgxyiumnws") {
		if n := count[l]; n > 0 {
			fmt.Fprintf(&b, " .reg .%s %%%c<%d>;", caseRegs[l], l, n)
		}
	}
	seen := map[string]bool{}
	for _, n := range caseName.FindAllString(c.text, -1) {
		if (n == "SV" || n == "LV") && !seen[n] {
			b.WriteString(" " + caseNames[n])
			seen[n] = true
		}
	}
	b.WriteString(" " + c.text + " ret; }\n")
	return b.String()
}

// source is the module.
func (c *ptxasCase) source() string {
	s := c.head()
	for _, n := range c.shared() {
		s += caseNames[n] + "\n"
	}
	return s + c.kernel("k")
}

// A caseGen makes programs from the rows.
type caseGen struct {
	r     *rand.Rand
	cases []ptxasCase
	seen  map[string]bool
	// relaxed: the form takes registers that are wider than its types.
	relaxed bool
}

// register is a register for a value of a type.
func (g *caseGen) register(t Type, n int) string {
	letter := byte('r')
	switch {
	case t == Pred:
		letter = 'p'
	case t == F32:
		letter = 'f'
	case t == F64:
		letter = 'g'
	default:
		switch t.Bits() {
		case 8:
			letter = 'c'
			if g.relaxed && g.r.IntN(4) > 0 {
				letter = 'h'
			}
		case 16:
			letter = 'h'
		case 64:
			letter = 'd'
		case 128:
			letter = 'q'
		}
	}
	return fmt.Sprintf("%%%c%d", letter, n)
}

// operand writes an operand that fits.
func (g *caseGen) operand(v *variant, i int) string {
	s, t := &v.ops[i], v.args[i]
	n := 8 * (i + 1)
	switch s.kind {
	case opAddr:
		if s.tensor {
			return "[" + g.register(U32, n) + "]"
		}
		return "[" + g.register(U64, n) + "]"
	case opImm:
		if text := map[string]string{"size": "16", "line": "128", "registers": "24", "init": "0", "f": "0"}[s.name]; text != "" {
			return text
		}
		return "1"
	case opLabel:
		return "L1"
	case opTarget:
		return "T1"
	case opCallee:
		return "FN"
	case opSink:
		return "_"
	case opFrag:
		k, _ := v.row.Do.frag(v, s.name)
		var parts []string
		for j := range k {
			parts = append(parts, g.register(t, n+j))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case opAny:
		if t == NoType {
			t = v.typ
		}
		if s.name == "n" {
			t = U32
		}
		if t == NoType || s.typ == "addr" {
			t = U64
		}
		return g.register(t, n)
	}
	text := g.register(t, n)
	if s.vectored(v) {
		var parts []string
		for j := range s.elems(v) {
			parts = append(parts, g.register(t, n+j))
		}
		text = "{" + strings.Join(parts, ", ") + "}"
	}
	if s.pairMust || s.pair != "" && g.r.IntN(3) == 0 {
		text += "|%p7"
	}
	if s.selMust {
		text += ".h1"
	}
	return text
}

// caseOperands are the texts that the generator puts in the place of an operand. Names of functions
// are not among them: ptxas reads them as numbers, and Crosslane does not (ERRATA E122).
var caseOperands = strings.Split(`1;-1;0;0x1ffffffff;1.5;0f3F800000;%tid.x;%clock64;%laneid;%tid;%p1;%h1;%r1;%d1;%f1;%g1;%x1;%i1;%u1;%m1;%w1;%s1;%c1;_;!%p1;`+
	`{%r1};{%r1, %r2};{%h1, %h2};[%d1];[%r1];[%d1+4];[%d1+-4];[SV];[GV];[LV];[CV];[PV];[SV+4];SV;GV;LV;GV+4;%r1|%p1;%p1|%p2;-%r1;%r1.h0;%r1.b0;WARP_SZ;L9`, ";")

func (g *caseGen) add(kind string, version Version, target Target, text string) {
	c := ptxasCase{kind, version.String(), target.String(), text}
	if key := c.version + c.target + text; !g.seen[key] {
		g.seen[key] = true
		g.cases = append(g.cases, c)
	}
}

func caseText(mnemonic string, mods, ops []string) string {
	op := mnemonic
	for _, m := range mods {
		if m != "" {
			op += "." + m
		}
	}
	text := strings.TrimSpace(op+" "+strings.Join(ops, ", ")) + ";"
	args := " " + strings.NewReplacer(",", " ", ";", " ").Replace(text) + " "
	if strings.Contains(args, " T1 ") {
		text = "T1: .branchtargets L1; L1: " + text
	} else if strings.Contains(args, " L1 ") {
		text = "L1: " + text
	}
	return text
}

// row makes the programs of one row.
func (g *caseGen) row(r *row, rows []*row, perRow int) {
	if r.rest && len(r.ops) == 0 || r.Do.inlines || r.Do.variadic {
		return
	}
	h := fnv.New64a()
	h.Write([]byte(r.Form))
	g.relaxed = r.Relaxed
	g.r = rand.New(rand.NewPCG(h.Sum64(), 135))
	var pool []string // modifiers of all forms of the mnemonic
	for _, o := range rows {
		for _, e := range o.elems {
			pool = append(pool, e.alts...)
		}
	}
	for n := range perRow {
		mods := make([]string, len(r.elems))
		for i, e := range r.elems {
			if !e.opt || g.r.IntN(3) == 0 {
				mods[i] = e.alts[(n+g.r.IntN(2)*g.r.IntN(len(e.alts)))%len(e.alts)]
			}
			if i > 0 && r.elems[i-1].tied && (mods[i] == "") != (mods[i-1] == "") {
				mods[i], mods[i-1] = "", ""
			}
		}
		if !r.together(mods) {
			continue
		}
		operands := len(r.ops)
		if g.r.IntN(2) == 0 {
			operands = r.least
		}
		v := r.choose(mods, operands)
		target, ok := targetFor(v.sm, archNames(v))
		if !ok {
			continue
		}
		version := v.ptx
		if s := targetSince[target]; !version.AtLeast(s) {
			version = s
		}
		var ops []string
		for i := range v.ops {
			ops = append(ops, g.operand(v, i))
		}
		var present []string
		for _, m := range mods {
			if m != "" {
				present = append(present, m)
			}
		}
		g.add("plain", version, target, caseText(r.mnemonic, mods, ops))
		newest := Version{9, 4}
		for _, t := range []Target{{75, 0}, {90, 0}, {100, 'a'}, {120, 'f'}, {107, 'f'}} {
			if g.r.IntN(5) == 0 {
				g.add("target", newest, t, caseText(r.mnemonic, mods, ops))
			}
		}
		if w, ok := versionBefore(v.ptx); ok && w.AtLeast(targetSince[target]) {
			g.add("version", w, target, caseText(r.mnemonic, mods, ops))
		}
		if below, ok := targetBelow(target); ok && version.AtLeast(targetSince[below]) {
			g.add("target", version, below, caseText(r.mnemonic, mods, ops))
		}
		pick := func() string {
			if g.r.IntN(4) == 0 {
				return strings.Fields("u8 s8 b8 u16 s16 b16 u32 s32 b32 u64 s64 b64 f16 bf16 f16x2 bf16x2 f32 f64 pred b128 u16x2 s16x2 tf32")[g.r.IntN(23)]
			}
			return pool[g.r.IntN(len(pool))]
		}
		if k := len(present); k > 0 {
			i, j := g.r.IntN(k), g.r.IntN(k)
			moved := slices.Insert(slices.Delete(slices.Clone(present), i, i+1), j, present[i])
			g.add("order", newest, target, caseText(r.mnemonic, moved, ops))
			i, j = g.r.IntN(k), g.r.IntN(k)
			swapped := slices.Clone(present)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			g.add("order", newest, target, caseText(r.mnemonic, swapped, ops))
			g.add("twice", newest, target, caseText(r.mnemonic, slices.Insert(slices.Clone(present), g.r.IntN(k+1), present[i]), ops))
			g.add("missing", newest, target, caseText(r.mnemonic, slices.Delete(slices.Clone(present), i, i+1), ops))
			other := slices.Clone(present)
			other[j] = pick()
			g.add("other", newest, target, caseText(r.mnemonic, other, ops))
			g.add("extra", newest, target, caseText(r.mnemonic, slices.Insert(slices.Clone(present), g.r.IntN(k+1), pick()), ops))
		}
		for range min(len(ops), 3) {
			i := g.r.IntN(len(ops))
			changed := slices.Clone(ops)
			changed[i] = caseOperands[g.r.IntN(len(caseOperands))]
			g.add("operand", newest, target, caseText(r.mnemonic, mods, changed))
		}
		if len(ops) > 0 && g.r.IntN(3) == 0 {
			g.add("count", newest, target, caseText(r.mnemonic, mods, ops[:len(ops)-1]))
			g.add("count", newest, target, caseText(r.mnemonic, mods, append(slices.Clone(ops), ops[len(ops)-1])))
		}
	}
}

func archNames(v *variant) (lists [][]string) {
	for _, l := range v.arch {
		var names []string
		for _, t := range l {
			names = append(names, t.String())
		}
		lists = append(lists, names)
	}
	return lists
}

// versionBefore is the version that was published before one.
func versionBefore(v Version) (w Version, ok bool) {
	for _, s := range published {
		var u Version
		fmt.Sscanf(s, "%d.%d", &u.Major, &u.Minor)
		if u.Compare(v) < 0 {
			w, ok = u, true
		}
	}
	return w, ok
}

// targetBelow is the next lower target without a suffix.
func targetBelow(t Target) (best Target, ok bool) {
	for u := range targetSince {
		if u.Suffix == 0 && (u.SM < t.SM || u.SM == t.SM && t.Suffix != 0) && u.SM > best.SM {
			best, ok = u, true
		}
	}
	return best, ok
}

// generateCases makes all programs.
func generateCases(perRow int) []ptxasCase {
	g := &caseGen{seen: map[string]bool{}}
	t := instructions()
	for _, name := range t.names {
		for _, r := range t.rows[name] {
			g.row(r, t.rows[name], perRow)
		}
	}
	return g.cases
}
