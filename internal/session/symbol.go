package session

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/names"
	"example.org/crosslane/ptx"
)

// Symbol makes a Symbol of a variable that the kernel uses. The name is that of the file or, if no
// other variable has it, the demangled one. Value holds the initialiser of the file, with zeros for
// addresses.
func (k *Kernel) Symbol(name string) (api.Symbol, error) {
	v, err := k.variable(name)
	if err != nil {
		return api.Symbol{}, err
	}
	p, err := k.Prepare(false)
	if err != nil {
		return api.Symbol{}, err
	}
	i := slices.IndexFunc(p.globals, func(g *ptx.Global) bool { return g.Name == v.Name })
	if i < 0 {
		return api.Symbol{}, diag.List{k.Errorf(CodeNoSymbol, "it does not use the variable %s of the file", v.Name)}
	}
	g := p.globals[i]
	b := &api.Buffer{Name: v.Name, Data: Aligned(int(g.Size))}
	copy(b.Data, g.Data)
	if b.Type, b.Shape, err = symbolType(v); err != nil {
		return api.Symbol{}, diag.List{k.Errorf("unsupported", "%v", err)}
	}
	return api.Symbol{Name: v.Name, Value: b, Relocated: len(g.Relocs) > 0}, nil
}

// CodeNoSymbol reports a variable that does not exist.
const CodeNoSymbol = "no-such-variable"

// HasSymbol reports whether the file has a variable of this name, which the kernel need not
// use.
func (k *Kernel) HasSymbol(name string) bool {
	_, err := k.variable(name)
	return err == nil
}

// variable finds a variable by its name.
func (k *Kernel) variable(name string) (*ptx.Var, error) {
	if k.m.ptx == nil {
		d := k.Errorf("unsupported", "variables of code objects cannot be set or looked at: %s", name)
		d.Class = diag.Unsupported
		d.Remedy = "let the kernel copy it to a buffer"
		return nil, diag.List{d}
	}
	var all, found, declared []*ptx.Var
	for _, v := range k.m.ptx.Vars() {
		if v.Space != ptx.SpaceGlobal && v.Space != ptx.SpaceConst {
			continue
		}
		if v.Link == ptx.LinkExtern {
			declared = append(declared, v) // a definition may follow
			continue
		}
		if all = append(all, v); v.Name == name {
			return v, nil
		}
		if names.Full(v.Name) == name || names.Short(v.Name) == name {
			found = append(found, v)
		}
	}
	known := map[string]bool{}
	for _, v := range all {
		known[v.Name] = true
	}
	for _, v := range declared {
		if v.Name == name {
			return v, nil
		}
		if !known[v.Name] {
			known[v.Name], all = true, append(all, v)
			if names.Full(v.Name) == name || names.Short(v.Name) == name {
				found = append(found, v)
			}
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	d := k.Errorf(CodeNoSymbol, "the file has no variable %q", name)
	if len(found) > 1 {
		d.Message = fmt.Sprintf("kernel %s: %d variables are called %q", k.name, len(found), name)
		all = found
	}
	const shown = 12
	var list []string
	for i, v := range all {
		if i == shown {
			list = append(list, fmt.Sprintf("and %d more", len(all)-shown))
			break
		}
		list = append(list, v.Name)
	}
	d.Remedy = "the file has no variables in .const or .global memory"
	if len(list) > 0 {
		d.Remedy = "the file has " + strings.Join(list, ", ")
	}
	return nil, diag.List{d}
}

// symbolType is the type in which the elements of a variable are best read, and their shape. If
// there are more than two dimensions, or vectors, the rows are those of the last dimension.
func symbolType(v *ptx.Var) (api.ElemType, []int, error) {
	t := api.ElemType(v.Type.String())
	last := max(v.Vec, 1)
	switch n := v.Type.Bytes(); {
	case t.Size() > 0:
	case n == 1 || n == 2 || n == 4 || n == 8:
		t = api.ElemType(fmt.Sprintf("u%d", 8*n))
	case n == 16:
		t, last = api.U64, 2*last
	default:
		return "", nil, fmt.Errorf("the variable %s is of type %s, whose contents are not modelled", v.Name, v.Type)
	}
	rows := int(v.Elems())
	if n := len(v.Dims); last == 1 && n > 0 {
		last = int(v.Dims[n-1].Size)
		if rows /= max(last, 1); rows == 1 && n == 1 {
			return t, []int{last}, nil
		}
	}
	if rows == 1 {
		return t, []int{last}, nil
	}
	return t, []int{rows, last}, nil
}

// checkSymbols returns an error if a symbol of a launch is not valid.
func (k *Kernel) checkSymbols(list []api.Symbol) error {
	if len(list) == 0 { // nearly always
		return nil
	}
	seen, values := map[string]bool{}, map[*api.Buffer]bool{}
	for _, s := range list {
		if s.Value == nil {
			return diag.List{k.Errorf("bad-launch", "the symbol %s has no buffer", s.Name)}
		}
		v, err := k.variable(s.Name)
		if err != nil {
			return err
		}
		switch {
		case v.Name != s.Name:
			return diag.List{k.Errorf(CodeNoSymbol, "the symbol %s is called %s in the file", s.Name, v.Name)}
		case seen[s.Name]:
			return diag.List{k.Errorf("bad-launch", "the symbol %s is given twice", s.Name)}
		case values[s.Value]:
			return diag.List{k.Errorf("bad-launch", "the symbol %s has the buffer of another one", s.Name)}
		case !s.Set && len(s.Value.Pointers) > 0:
			return diag.List{k.Errorf("bad-launch", "the symbol %s has addresses and is not set", s.Name)}
		}
		seen[s.Name], values[s.Value] = true, true
	}
	return nil
}
