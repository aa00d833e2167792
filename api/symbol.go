package api

import "fmt"

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

	// Relocated reports that its initialiser contains addresses.
	Relocated bool
}

// SetBytes gives the variable the bytes of a structure. If the fields have explicit offsets, they
// are laid over the initialiser of the file.
func (s *Symbol) SetBytes(v Bytes) error {
	size := len(s.Value.Data)
	switch {
	case v.err != nil:
		return v.err
	case len(v.Data) != size && !(v.partial && len(v.Data) < size):
		return fmt.Errorf("the structure has %d bytes, the variable %d%s", len(v.Data), size, v.Layout())
	case v.partial && s.Relocated:
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
