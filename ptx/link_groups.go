package ptx

// LinkGroups splits the modules of a library into those that need each other.
//
// Input: modules, in any order.
// Output: groups, in the order of their first modules; a module that needs no other one is alone.
// Invariant: a module that declares a name .extern is in the group of the first module that defines it. A
// module that Load refuses is alone: checking it reports why.
// Example: a declares f, b defines f, c has neither: {a, b}, {c}.
func LinkGroups(parts []LinkPart) (groups [][]LinkPart) {
	parent := make([]int, len(parts))
	definer := map[string]int{}
	needs := make([][]string, len(parts))
	for i, p := range parts {
		parent[i] = i
		m, list := Load(p.File, p.Text[:TextEnd(p.Text)])
		if list.Err() != nil {
			continue
		}
		for _, it := range m.Items {
			name, link, defined := "", LinkNone, false
			switch it := it.(type) {
			case *Func:
				name, link, defined = it.Name, it.Link, it.Defined() || it.AliasOf != nil
			case *Var:
				name, link, defined = it.Name, it.Link, it.Link != LinkExtern
			default:
				continue
			}
			if link == LinkNone {
				continue
			}
			if !defined {
				needs[i] = append(needs[i], name)
			} else if _, ok := definer[name]; !ok {
				definer[name] = i
			}
		}
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, names := range needs {
		for _, name := range names {
			if d, ok := definer[name]; ok {
				a, b := root(i), root(d)
				parent[max(a, b)] = min(a, b)
			}
		}
	}
	at := map[int]int{} // the group of a root, plus 1
	for i, p := range parts {
		r := root(i)
		if at[r] == 0 {
			groups = append(groups, nil)
			at[r] = len(groups)
		}
		groups[at[r]-1] = append(groups[at[r]-1], p)
	}
	return groups
}
