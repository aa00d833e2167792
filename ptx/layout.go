package ptx

// Elems returns the number of elements of the variable: the product of its dimensions, 1 for a
// scalar. An open dimension without initialiser counts as 0. A vector is one element.
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

// Alignment returns the variable's alignment in bytes: the written one, else the alignment of its
// base type or vector (PTX 5.4.5).
func (v *Var) Alignment() uint64 {
	if v.Align > 0 {
		return uint64(v.Align)
	}
	return uint64(max(v.Vec, 1) * max(v.Type.Bytes(), 1))
}

// alignUp returns the smallest multiple of a, a power of two, that is at least n.
func alignUp(n, a uint64) uint64 { return (n + a - 1) &^ (a - 1) }

// A Param is one parameter of a kernel with its place in the parameter buffer.
type Param struct {
	Var    *Var
	Offset uint64 // bytes from the start of the buffer
	Size   uint64 // bytes
}

// ParamLayout returns the places of a kernel's parameters, in order, each at the next multiple of
// its alignment, and the size of the whole buffer in bytes.
func (f *Func) ParamLayout() (params []Param, size uint64) {
	for _, v := range f.Params {
		size = alignUp(size, v.Alignment())
		params = append(params, Param{Var: v, Offset: size, Size: v.Size()})
		size += v.Size()
	}
	return params, size
}

// maxParamBytes returns the size limit of a kernel's parameter buffer (PTX 11.2.1).
func maxParamBytes(v Version) uint64 {
	switch {
	case v.AtLeast(Version{8, 1}):
		return 32764
	case v.AtLeast(Version{1, 5}):
		return 4352
	}
	return 256
}
