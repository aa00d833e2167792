package ptx

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/diag"
)

// spell writes an instruction of a variant with operands that fit.
func spell(op string, v *variant, pair bool) string {
	var args []string
	for i := range v.ops {
		args = append(args, operandText(v, i, pair))
	}
	if v.row.rest && v.has("dim") && v.row.Do.unsupported == "" {
		args = tensorOperands(v)
	}
	args = append(args, impliedTexts(v)...)
	src := op
	if len(args) > 0 {
		src += " " + strings.Join(args, ", ")
	}
	switch {
	case strings.HasPrefix(op, "brx.idx"):
		return "ts: .branchtargets L; L: " + src + ";"
	case strings.Contains(" "+strings.Join(args, " ")+" ", " L "):
		return "L: " + src + ";"
	}
	return src + ";"
}

// parsedOnce parses an instruction once, and returns a function that checks it as in modules of
// several versions.
func parsedOnce(src string) func(version Version, target Target) diag.List {
	m, f, errs := parseSnippet("", src, implicitReg)
	return func(version Version, target Target) diag.List {
		if errs.Err() != nil {
			return errs
		}
		m.Version, m.Target = version, target
		c := newChecker(m)
		f.Body().instrs(func(in *Instr) {
			// If the row does not describe some operands, the text has none of them.
			if v := instructions().lookupInstr(in); v != nil {
				c.explains = c.explains || v.row.rest
			}
		})
		c.fn(f, f.Body())
		return c.errs.finish()
	}
}

// demands reads from the columns of a row, as text, the version and targets that a spelling needs.
func demands(t *testing.T, r *row, v *variant) (version Version, sm int, archs [][]string) {
	version, sm = r.PTX, r.SM
	if r.Arch != "" {
		archs = append(archs, strings.Fields(r.Arch))
	}
	for _, n := range strings.Split(r.Needs, ";") {
		f := strings.Fields(n)
		if len(f) == 0 {
			continue
		}
		present := false
		for i, e := range r.elems {
			present = present || v.mods[i] != "" && (e.class == f[0] || "."+v.mods[i] == f[0])
		}
		if !present {
			continue
		}
		var need Version
		if _, err := fmt.Sscanf(f[1], "%d.%d", &need.Major, &need.Minor); err != nil {
			t.Fatal(err)
		}
		if version.Compare(need) < 0 {
			version = need
		}
		if strings.ContainsAny(f[2], "|") || strings.HasSuffix(f[2], "a") || strings.HasSuffix(f[2], "f") {
			archs = append(archs, strings.Split(f[2], "|"))
			continue
		}
		var n int
		if _, err := fmt.Sscanf(f[2], "sm_%d", &n); err != nil {
			t.Fatal(err)
		}
		sm = max(sm, n)
	}
	return version, sm, archs
}

// targetFor finds the lowest target that has all demanded features; ok is false if no target has
// them.
func targetFor(sm int, archs [][]string) (best Target, ok bool) {
	for t := range targetSince {
		good := t.SM >= sm && (!ok || t.SM < best.SM || t.SM == best.SM && t.Suffix < best.Suffix)
		for _, list := range archs {
			one := false
			for _, s := range list {
				f, _ := ParseTarget(s)
				one = one || t.Has(f)
			}
			good = good && one
		}
		if good {
			best, ok = t, true
		}
	}
	return best, ok
}

// TestEveryNeed checks every spelling of every row. The version before the needed one and the
// target below the needed one must refuse it, and cite the section; the needed ones must accept it.
// The same holds for each modifier that needs more than its row.
func TestEveryNeed(t *testing.T) {
	t.Parallel()
	var versions []Version
	for _, s := range published {
		var v Version
		fmt.Sscanf(s, "%d.%d", &v.Major, &v.Minor)
		versions = append(versions, v)
	}
	before := func(v Version) (w Version, ok bool) {
		for _, u := range versions {
			if u.Compare(v) < 0 {
				w, ok = u, true
			}
		}
		return w, ok
	}
	type key struct {
		r    *row
		need string
	}
	accepted, failed := map[key]bool{}, map[key]string{}
	problems := 0
	problem := func(format string, args ...any) {
		if problems++; problems <= 40 {
			t.Errorf(format, args...)
		}
	}
	has := func(list diag.List, code, sec string) bool {
		for _, d := range list {
			if d.Code == code && d.Section == "PTX "+sec && d.Class == diag.Input {
				return true
			}
		}
		return false
	}
	count, last := 0, (*row)(nil)
	eachVariant(false, func(r *row, op string, v *variant) {
		if r.Do.inlines || r.Do.variadic {
			return // calls need a function: see TestVersionsAndTargets
		}
		if r != last {
			last, count = r, 0
		}
		keys := []key{{r, ""}}
		for _, n := range r.needs {
			for i, e := range r.elems {
				if v.mods[i] != "" && (n.class && e.class == n.what || !n.class && "."+v.mods[i] == n.what) {
					keys = append(keys, key{r, n.what})
				}
			}
		}
		known := true
		for _, k := range keys {
			known = known && accepted[k]
		}
		// For rows with thousands of spellings, one spelling in 31 is enough.
		if count++; known && count > short.Of(60, 2) && count%short.Of(31, 997) != 0 {
			return
		}
		if w := instructions().lookup(strings.Split(op, "."), len(v.ops)); w == nil || w.row != r {
			return // the spelling belongs to a row above
		}
		version, sm, archs := demands(t, r, v)
		target, ok := targetFor(sm, archs)
		src := spell(op, v, count%2 == 0)
		if !ok {
			for _, k := range keys {
				failed[k] = src + ": no target has it"
			}
			return
		}
		check := parsedOnce(src)
		list := check(version, target)
		good := true
		for _, d := range list {
			if (d.Code == codeVersion || d.Code == codeTarget) && r.Do.check == nil {
				problem("%s under .version %s, .target %s: %v", src, version, target, d)
			}
			good = good && (d.Class == diag.Unsupported || d.Severity != diag.Error)
		}
		if !good && r.Do.check != nil {
			// The meaning has its own rules about versions and targets.
			if newest, ok := targetFor(121, archs); ok {
				target = newest
			}
			good = check(NewestVersion, target).Err() == nil
		}
		for _, k := range keys {
			if good {
				accepted[k] = true
			} else if len(list) > 0 {
				failed[k] = src + ": " + list[0].Message
			}
		}
		if w, ok := before(version); ok && r.Do.check == nil && !has(check(w, target), codeVersion, r.Sec) {
			problem("%s under .version %s is not refused: it needs %s", src, w, version)
		}
		below := 0
		for u := range targetSince {
			if u.SM < target.SM {
				below = max(below, u.SM)
			}
		}
		if r.Do.check != nil {
			if w, ok := before(version); ok && !has(check(w, target), codeVersion, r.Sec) {
				problem("%s under .version %s is not refused: it needs %s at least", src, w, version)
			}
			return
		}
		if (sm > 0 && target.SM == sm || len(archs) > 0) && below > 0 && !has(check(version, Target{SM: below}), codeTarget, r.Sec) {
			problem("%s for .target sm_%d is not refused: it needs %s", src, below, target)
		}
		if len(archs) > 0 {
			for _, other := range []Target{{SM: target.SM}, {SM: 90, Suffix: 'a'}} {
				if other != target && !other.hasAny(v.arch[0]) && !has(check(version, other), codeTarget, r.Sec) {
					problem("%s for .target %s is not refused: it needs %v", src, other, archs)
				}
			}
		}
	})
	for k, why := range failed {
		if !accepted[k] {
			problem("no spelling of %.70s with %q is accepted where it should be: %s", k.r.Form, k.need, why)
		}
	}
	if problems > 40 {
		t.Errorf("and %d more", problems-40)
	}
	t.Logf("%d rows and modifiers", len(accepted))
}

// TestExplainEveryRow explains a spelling of every row.
func TestExplainEveryRow(t *testing.T) {
	t.Parallel()
	done := map[*row]bool{}
	why := map[*row]string{}
	allVariants(func(r *row, op string, v *variant) {
		if done[r] || r.Do.inlines || r.Do.variadic {
			return
		}
		src := spell(op, v, true)
		if i := strings.LastIndex(src, ": "); i >= 0 && strings.Contains(src, "L: ") {
			return // branches: below
		}
		e, err := Explain(src, ExplainOptions{})
		if err != nil {
			why[r] = src + ": " + err.Error()
			return
		}
		done[r] = true
		if e.Section != r.Sec || e.About == "" || e.Form == "" || e.Opcode != op || (e.Cost == "") != (r.Do.unsupported != "") {
			t.Errorf("%s: section %q, about %q, form %q, opcode %q", src, e.Section, e.About, e.Form, e.Opcode)
		}
		if unsup := r.Do.unsupported != ""; unsup != (len(e.Notes) > 0 && strings.Contains(strings.Join(e.Notes, " "), "does not run it")) {
			t.Errorf("%s: unsupported %v, notes %q", src, unsup, e.Notes)
		}
		if len(e.Operands) < len(v.ops) {
			t.Errorf("%s: %d operands explained", src, len(e.Operands))
		}
		for _, o := range e.Operands {
			if o.Meaning == "" || o.Text == "" {
				t.Errorf("%s: operand %s (%s) has no meaning", src, o.Name, o.Text)
			}
		}
		for _, m := range e.Modifiers {
			if m.Text == "" || m.Name == "" {
				t.Errorf("%s: modifier %+v", src, m)
			}
		}
	})
	for _, name := range instructions().names {
		for _, r := range instructions().rows[name] {
			if !done[r] && !r.Do.inlines && !r.Do.variadic && name != "bra" && name != "brx" {
				t.Errorf("%.80s is not explained: %s", r.Form, why[r])
			}
		}
	}
}
