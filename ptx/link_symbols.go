package ptx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A linkSymbol is a name that modules declare outside of functions.
type linkSymbol struct {
	name string
	uses []*linkUse // in the order of the modules, at most one for each
	kept *linkUse   // the definition, or the declaration that stands for a missing one; nil: local names only
	told bool       // a declaration of kept precedes it
}

// A linkUse holds the declarations of a symbol in one module.
type linkUse struct {
	in      *linkInput
	items   []Item  // *Var or *Func, in source order
	item    Item    // the definition, else the first declaration
	link    Linkage // of the definition or one of its prototypes
	defined bool
	index   []int // of items in the module
}

// family reports whether the use declares a family of variables, such as t<4>.
func (u *linkUse) family() bool {
	v, ok := u.item.(*Var)
	return ok && v.Family >= 0
}

// local reports whether the name is unknown to other modules. A kernel is known to all of them,
// because hosts find kernels by name.
func (u *linkUse) local() bool {
	f, ok := u.item.(*Func)
	return u.defined && u.link == LinkNone && !(ok && f.Entry)
}

// strong reports whether no other definition can replace this one.
func (u *linkUse) strong() bool {
	return u.defined && (u.link == LinkVisible || u.link == LinkNone)
}

// symbols collects the names of all modules.
func (l *linker) symbols() {
	for _, in := range l.inputs {
		for i, it := range in.m.Items {
			switch it := it.(type) {
			case *Var:
				name := it.Name
				if it.Family >= 0 {
					name += "<"
				}
				l.declared(in, name, it, i, it.Link, it.Link != LinkExtern)
			case *Func:
				l.declared(in, it.Name, it, i, it.Link, it.Defined() || it.AliasOf != nil)
			}
		}
	}
}

// declared notes a declaration of a module.
func (l *linker) declared(in *linkInput, name string, it Item, index int, link Linkage, defined bool) {
	s := l.byName[name]
	if s == nil {
		s = &linkSymbol{name: name}
		l.byName[name] = s
		l.order = append(l.order, s)
	}
	var u *linkUse
	if n := len(s.uses); n > 0 && s.uses[n-1].in == in {
		u = s.uses[n-1]
	} else {
		u = &linkUse{in: in, item: it}
		s.uses = append(s.uses, u)
	}
	u.items, u.index = append(u.items, it), append(u.index, index)
	if defined && !u.defined {
		u.item, u.defined = it, true
	}
	if link != LinkNone && link != LinkExtern && u.link == LinkNone {
		u.link = link
	}
}

// resolve chooses the definition of each name, and new names for local names that collide.
func (l *linker) resolve() {
	l.fresh.collect(l.inputs)
	for _, s := range l.order {
		var shared, local []*linkUse
		for _, u := range s.uses {
			switch {
			case u.family() && !u.local():
				l.fail(u.in, u.item.Position(), codeMismatch, "%s%d> is %s, and linking knows no families of such variables", s.name, u.item.(*Var).Family, u.item.(*Var).Link).Remedy = "declare its members one by one"
			case u.local():
				local = append(local, u)
			default:
				shared = append(shared, u)
			}
		}
		if len(shared) == 0 && len(local) > 0 && !local[0].family() {
			local = local[1:] // the first module keeps the name
		}
		for _, u := range local {
			l.rename(s.name, u)
		}
		if len(shared) > 0 && l.choose(s, shared) {
			l.replace(s, shared)
		}
	}
}

// rename gives a local name of a module a new spelling.
func (l *linker) rename(name string, u *linkUse) {
	if u.family() {
		prefix := strings.TrimSuffix(name, "<")
		p := l.fresh.prefix(prefix, u.in.index)
		u.in.prefixes[prefix] = p
		l.restore[p+"<"] = prefix
	} else {
		n := l.fresh.name(name, u.in.index)
		u.in.renamed[name] = n
		l.restore[n] = name
	}
}

// choose finds the definition of a name; ok is false if the declarations contradict each other.
func (l *linker) choose(s *linkSymbol, uses []*linkUse) (ok bool) {
	for _, u := range uses {
		switch k := s.kept; {
		case !u.defined || k != nil && k.strong() && !u.strong():
		case k == nil || u.strong() && !k.strong():
			s.kept = u
		case u.strong():
			what := "variable"
			if f, is := u.item.(*Func); is {
				what = map[bool]string{false: "function", true: "kernel"}[f.Entry]
			}
			d := l.fail(u.in, u.item.Position(), codeMultiple, "the %s %s is defined in %s as well", what, s.name, k.in.file)
			d.Section, d.Remedy = "PTX 11.6", "define it in one module, or make it .weak in all of them but one; a name that only its module uses has no linkage"
			k.in.other(d, k.item.Position(), "the other definition")
			return false
		case u.link == LinkCommon && (k.link == LinkWeak || larger(u.item, k.item)):
			s.kept = u
		}
	}
	if s.kept == nil {
		s.kept = uses[0]
		for _, u := range uses[1:] {
			if f, ok := u.item.(*Func); ok {
				if k, ok := s.kept.item.(*Func); ok && len(f.Results) > len(k.Results) {
					s.kept = u
				}
			}
		}
	}
	for _, u := range uses {
		if u == s.kept {
			continue
		}
		if why := differs(u, s.kept); why != "" {
			d := l.fail(u.in, u.item.Position(), codeMismatch, "%s differs from its declaration in %s: %s", s.name, s.kept.in.file, why)
			d.Section, d.Remedy = "PTX 11.6", "declare it alike in both modules"
			s.kept.in.other(d, s.kept.item.Position(), "the other declaration")
			return false
		}
	}
	return true
}

// larger reports whether common variable a is larger than b, or as large and more aligned.
func larger(a, b Item) bool {
	x, ok1 := a.(*Var)
	y, ok2 := b.(*Var)
	return ok1 && ok2 && cmp.Or(cmp.Compare(x.Size(), y.Size()), cmp.Compare(x.Alignment(), y.Alignment())) > 0
}

// differs describes a difference between declarations of two modules that linking cannot bridge.
func differs(u, kept *linkUse) string {
	a, isVar := u.item.(*Var)
	b, both := kept.item.(*Var)
	switch {
	case isVar != both:
		return "one is a function, the other a variable"
	case isVar && a.Space != b.Space:
		return fmt.Sprintf("one is in %s, the other in %s", a.Space, b.Space)
	case isVar && a.Type != b.Type && (a.Type.Opaque() || b.Type.Opaque()):
		return fmt.Sprintf("one is a .%s, the other a .%s", a.Type, b.Type)
	case isVar:
		return ""
	}
	f, g := *u.item.(*Func), kept.item.(*Func)
	if len(f.Results) == 0 || len(g.Results) == 0 {
		f.Results = g.Results // calls discard results, or lose them
	}
	if g.Entry && !f.Defined() {
		f.Entry = true // clang declares a kernel of another unit, which the host launches, as a function
	}
	return signatureDiffers(&f, g)
}

// replace removes all declarations of a name but the kept one. A declaration in an earlier module
// becomes a declaration of the kept one, because a use sees only declarations before it.
func (l *linker) replace(s *linkSymbol, uses []*linkUse) {
	for _, u := range uses {
		if u == s.kept {
			continue
		}
		v, isVar := u.item.(*Var)
		if isVar && v.Space == SpaceShared && !s.kept.defined && !sameArray(v, s.kept.item.(*Var)) {
			// PTX 5.1.7: all .extern arrays in .shared begin at the same address, so that both may stay.
			l.rename(s.name, u)
			continue
		}
		if !isVar {
			u.in.outside[s.name] = s
		} else if k := s.kept.item.(*Var); v.Type.Bytes() != k.Type.Bytes() || v.Vec != k.Vec || len(v.Dims) != len(k.Dims) {
			u.in.unlike[v] = true
		}
		for i, it := range u.items {
			c := u.in.change(u.index[i])
			c.dropped = append(c.dropped, it)
			u.in.dropped[it] = true
			if u.in.index < s.kept.in.index && !s.told {
				s.told = true
				c.text += s.kept.declaration()
			}
		}
	}
}

// sameArray reports whether two external declarations in .shared are alike.
func sameArray(a, b *Var) bool {
	return a.Type == b.Type && a.Vec == b.Vec && a.Alignment() == b.Alignment() &&
		slices.EqualFunc(a.Dims, b.Dims, func(x, y Dim) bool { return x == y })
}

// declaration returns the text of a declaration that may stand before the definition.
func (u *linkUse) declaration() string {
	p := &printer{}
	switch it := u.item.(type) {
	case *Var:
		v := *it
		v.Link, v.Init = LinkExtern, nil
		p.variable(&v)
		p.WriteString("; ")
	case *Func:
		if !u.defined {
			u.link = it.Link
		}
		p.word(u.link.String())
		p.word(map[bool]string{false: ".func", true: ".entry"}[it.Entry])
		p.attrs(it.Attrs)
		p.signature(it)
		p.WriteString("; ")
	}
	return p.String()
}

// freshNames makes names that no module has.
type freshNames struct {
	taken  map[string]bool // the names with a $ after their first character
	sorted []string        // the same, for prefixes
}

// collect notes the names of the modules that a new name could collide with. Words of comments and
// strings count too, which does no harm.
func (n *freshNames) collect(inputs []*linkInput) {
	n.taken = map[string]bool{}
	for _, in := range inputs {
		src := in.text
		for i := 0; i < len(src); {
			if charClass[src[i]]&(cIdent|cStart) == 0 {
				i++
				continue
			}
			start, dollar := i, false
			for i++; i < len(src) && charClass[src[i]]&cIdent != 0; i++ {
				dollar = dollar || src[i] == '$'
			}
			if dollar {
				n.taken[src[start:i]] = true
			}
		}
	}
	for s := range n.taken {
		n.sorted = append(n.sorted, s)
	}
	slices.Sort(n.sorted)
}

// name returns a new name for a name of module number index, counted from 0. The number in the new
// name counts from 1, as people count files.
func (n *freshNames) name(old string, index int) string {
	name := fmt.Sprintf("%s$%d", old, index+1)
	for n.used(name) {
		name += "_"
	}
	n.taken[name] = true
	return name
}

// used reports whether a module has a name, or a family with a member of that name.
func (n *freshNames) used(name string) bool {
	used := n.taken[name]
	splitMember(name, func(prefix, _ string) bool {
		used = used || n.taken[prefix]
		return used
	})
	return used
}

// prefix returns a new prefix for a family: no name of a module begins with it.
func (n *freshNames) prefix(old string, index int) string {
	p := fmt.Sprintf("%s$%d_", old, index+1)
	for {
		i, found := slices.BinarySearch(n.sorted, p)
		if !found && (i == len(n.sorted) || !strings.HasPrefix(n.sorted[i], p)) {
			return p
		}
		p += "_"
	}
}
