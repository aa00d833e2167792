package crosslane

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/names"
	"example.org/crosslane/ptx"
)

// A Symbol is a variable of a PTX module, in .const or .global memory, for a launch: one that the
// host sets before the launch, as with cudaMemcpyToSymbol, or reads after it. Kernel.Symbol makes
// one.
type Symbol struct {
	Name string // as the file has it
	// Value has the variable's size, and holds the contents of the variable after the run.
	Value *Buffer
	// Set reports that the variable begins with Value's bytes. Otherwise it begins with its
	// initialiser in the file.
	Set bool

	relocated bool // its initialiser contains addresses
}

// Symbol makes a Symbol of a variable that the kernel uses. The name is that of the file or, if no
// other variable has it, the demangled one. Value holds the initialiser of the file, with zeros for
// addresses.
func (k *Kernel) Symbol(name string) (Symbol, error) {
	v, err := k.variable(name)
	if err != nil {
		return Symbol{}, err
	}
	p, err := k.prepare(false)
	if err != nil {
		return Symbol{}, err
	}
	i := slices.IndexFunc(p.globals, func(g *ptx.Global) bool { return g.Name == v.Name })
	if i < 0 {
		return Symbol{}, diag.List{k.errorf(codeNoSymbol, "it does not use the variable %s of the file", v.Name)}
	}
	g := p.globals[i]
	b := &Buffer{Name: v.Name, Data: aligned(int(g.Size))}
	copy(b.Data, g.Data)
	if b.Type, b.Shape, err = symbolType(v); err != nil {
		return Symbol{}, diag.List{k.errorf("unsupported", "%v", err)}
	}
	return Symbol{Name: v.Name, Value: b, relocated: len(g.Relocs) > 0}, nil
}

// codeNoSymbol reports a variable that does not exist.
const codeNoSymbol = "no-such-variable"

// SetBytes gives the variable the bytes of a structure. If the fields have explicit offsets, they
// are laid over the initialiser of the file.
func (s *Symbol) SetBytes(v Bytes) error {
	size := len(s.Value.Data)
	switch {
	case v.err != nil:
		return v.err
	case len(v.Data) != size && !(v.partial && len(v.Data) < size):
		return fmt.Errorf("the structure has %d bytes, the variable %d%s", len(v.Data), size, v.layout())
	case v.partial && s.relocated:
		return fmt.Errorf("the variable begins with addresses in the file: give it all its bytes, without offsets")
	}
	s.Set, s.Value.Pointers = true, v.Pointers
	if !v.partial {
		copy(s.Value.Data, v.Data)
		return nil
	}
	for _, f := range v.fields {
		copy(s.Value.Data[f.at:f.at+f.size], v.Data[f.at:])
	}
	return nil
}

// HasSymbol reports whether the file has a variable of this name, which the kernel need not
// use.
func (k *Kernel) HasSymbol(name string) bool {
	_, err := k.variable(name)
	return err == nil
}

// variable finds a variable by its name.
func (k *Kernel) variable(name string) (*ptx.Var, error) {
	if k.m.ptx == nil {
		d := k.errorf("unsupported", "variables of code objects cannot be set or looked at: %s", name)
		d.Class = diag.Unsupported
		d.Remedy = "let the kernel copy it to a buffer"
		return nil, diag.List{d}
	}
	var all, found []*ptx.Var
	for _, v := range k.m.ptx.Vars() {
		if v.Space != ptx.SpaceGlobal && v.Space != ptx.SpaceConst {
			continue
		}
		if all = append(all, v); v.Name == name {
			return v, nil
		}
		if names.Full(v.Name) == name || names.Short(v.Name) == name {
			found = append(found, v)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	d := k.errorf(codeNoSymbol, "the file has no variable %q", name)
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
func symbolType(v *ptx.Var) (ElemType, []int, error) {
	t := ElemType(v.Type.String())
	last := max(v.Vec, 1)
	switch n := v.Type.Bytes(); {
	case t.Size() > 0:
	case n == 1 || n == 2 || n == 4 || n == 8:
		t = ElemType(fmt.Sprintf("u%d", 8*n))
	case n == 16:
		t, last = U64, 2*last
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
func (k *Kernel) checkSymbols(list []Symbol) error {
	if len(list) == 0 { // nearly always
		return nil
	}
	seen, values := map[string]bool{}, map[*Buffer]bool{}
	for _, s := range list {
		if s.Value == nil {
			return diag.List{k.errorf("bad-launch", "the symbol %s has no buffer", s.Name)}
		}
		v, err := k.variable(s.Name)
		if err != nil {
			return err
		}
		switch {
		case v.Name != s.Name:
			return diag.List{k.errorf(codeNoSymbol, "the symbol %s is called %s in the file", s.Name, v.Name)}
		case seen[s.Name]:
			return diag.List{k.errorf("bad-launch", "the symbol %s is given twice", s.Name)}
		case values[s.Value]:
			return diag.List{k.errorf("bad-launch", "the symbol %s has the buffer of another one", s.Name)}
		case !s.Set && len(s.Value.Pointers) > 0:
			return diag.List{k.errorf("bad-launch", "the symbol %s has addresses and is not set", s.Name)}
		}
		seen[s.Name], values[s.Value] = true, true
	}
	return nil
}
