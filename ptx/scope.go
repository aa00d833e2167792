package ptx

import "strconv"

// A scope holds the names of one block, of a function's parameters, or of the module.
type scope struct {
	parent *scope
	block  *Block // nil: parameters or module
	// names holds the declared names, and the members of families that are in use.
	names map[string]Decl
	// families holds families by the prefix of their names.
	families map[string]*Var
	// claimed holds, for a prefix, the smallest number after it that a declaration outside the
	// prefix's own family uses: `%r7` claims 7 of `%r`.
	claimed map[string]int64
	// since holds, in the module's scope only, the offset in the text of each declaration. A family
	// has a < after its name. Declarations that follow in the text are not visible.
	since map[string]int32
}

// declaredAt notes the offset of a declaration of the module.
func (s *scope) declaredAt(name string, off int32) {
	if s.since != nil {
		s.since[name] = off
	}
}

func (s *scope) set(name string, d Decl) {
	if s.names == nil {
		s.names = map[string]Decl{}
	}
	s.names[name] = d
}

// parameters returns the scope of the function's parameters and results if s is the scope of its
// body, which may not redeclare their names; else nil.
func (s *scope) parameters() *scope {
	if p := s.parent; s.block != nil && p != nil && p.block == nil && p.parent != nil {
		return p
	}
	return nil
}

// splitMember calls f for each way to split name into a prefix and a number, longest prefix first,
// until f returns true. The number may have leading zeros.
func splitMember(name string, f func(prefix, digits string) bool) {
	// No number of more than 10 digits is below maxElems.
	for i := len(name) - 1; i > 0 && len(name)-i <= 10; i-- {
		if charClass[name[i]]&cDigit == 0 {
			return
		}
		if f(name[:i], name[i:]) {
			return
		}
	}
}

// member returns the family of this scope that declares name, and the index.
func (s *scope) member(name string) (fam *Var, index int64) {
	if len(s.families) == 0 || charClass[name[len(name)-1]]&cDigit == 0 {
		return nil, 0
	}
	splitMember(name, func(prefix, digits string) bool {
		if v := s.families[prefix]; v != nil {
			if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n < v.Family {
				fam, index = v, n
			}
		}
		return fam != nil
	})
	return fam, index
}

// claim notes the families that can no longer be declared because of a name, or because of a family
// called name, whose first member ends in 0.
func (s *scope) claim(name string, family bool) {
	full := name
	if family {
		full = name + "0"
	}
	splitMember(full, func(prefix, digits string) bool {
		if family && prefix == name {
			return false
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || digits[0] == '0' && len(digits) > 1 {
			return false // a family may follow `%r07`, which then is a name of its own
		}
		if s.claimed == nil {
			s.claimed = map[string]int64{}
		}
		if old, ok := s.claimed[prefix]; !ok || n < old {
			s.claimed[prefix] = n
		}
		return false
	})
}

// memberName returns the name of a family's member.
func memberName(prefix string, i int64) string { return prefix + strconv.FormatInt(i, 10) }
