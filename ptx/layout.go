package ptx

// Elems returns the number of elements of the variable: the product of its
// dimensions, 1 for a scalar. An open dimension without initialiser counts 0.
// A vector is one element.
func (v *Var) Elems() uint64 {
	n := uint64(1)
	for _, d := range v.Dims {
		n *= d.Size
	}
	return n
}

// Size returns the variable's size in bytes; 0 for an array of open size.
func (v *Var) Size() uint64 {
	return v.Elems() * uint64(max(v.Vec, 1)*v.Type.Bytes())
}

// Alignment returns the variable's alignment in bytes: as written, else that of
// its base type or vector (PTX 5.4.5).
func (v *Var) Alignment() uint64 {
	if v.Align > 0 {
		return uint64(v.Align)
	}
	return uint64(max(v.Vec, 1) * max(v.Type.Bytes(), 1))
}

// alignUp is the least multiple of a, a power of two, from n on.
func alignUp(n, a uint64) uint64 { return (n + a - 1) &^ (a - 1) }

// A Param is where one parameter of a kernel lies in its parameter buffer.
type Param struct {
	Var    *Var
	Offset uint64 // bytes from the start of the buffer
	Size   uint64 // bytes
}

// ParamLayout returns where a kernel's parameters lie, in order, each at the next
// multiple of its alignment, and the size of the whole buffer in bytes.
func (f *Func) ParamLayout() (params []Param, size uint64) {
	for _, v := range f.Params {
		size = alignUp(size, v.Alignment())
		params = append(params, Param{Var: v, Offset: size, Size: v.Size()})
		size += v.Size()
	}
	return params, size
}

// maxParamBytes is the largest parameter buffer of a kernel (PTX 11.2.1).
func maxParamBytes(v Version) uint64 {
	switch {
	case v.AtLeast(Version{8, 1}):
		return 32764
	case v.AtLeast(Version{1, 5}):
		return 4352
	}
	return 256
}
