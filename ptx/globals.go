package ptx

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/texture"
)

// A Global is a variable of global memory.
type Global struct {
	Name     string
	Key      GlobalKey
	Size     uint64 // bytes; of a texture, sampler or surface (PTX 5.3), the size of its handle
	Align    uint64 // bytes
	Data     []byte // initial contents; the bytes after it are 0
	Relocs   []Reloc
	ReadOnly bool // .const
	Managed  bool // .attribute(.managed) (PTX 5.4.8)
}

// A GlobalKey identifies a variable in its module: the Global that a kernel uses has the key of one
// Global of the module. The name is not enough, because variables of two blocks may have one name.
type GlobalKey struct {
	Name string
	Off  int32 // of the declaration in the text, in bytes
}

// A Reloc requests that the launch write an address into a Global's data: the low Size bytes of the
// address of Globals[Target] plus Addend go to Offset.
type Reloc struct {
	Offset uint64
	Size   int
	Target int
	Addend int64
	// Mask selects a byte of the address (0xff00(name) selects bits 8 to 15, PTX
	// 5.4.4); 0: all of it.
	Mask uint64
}

// Limits of the variables of a module or kernel.
const (
	maxGlobalData = 1 << 30 // bytes of initial data
	maxMembers    = 1 << 16 // members of families
)

// Globals returns the .global and .const variables that a module defines, also those that no kernel
// uses and those that bodies of functions declare. Each member of a family (PTX 5.4.6) is a variable.
// An .extern variable is in the list only if an initialiser names it, which is an error. Target of a
// Reloc is an index of the list. Data holds the addresses of functions, which are the same in all
// kernels of the module.
//
// The list is complete even if there are errors. A variable that an error names keeps the initial
// data before the mistake. The error is nil or a diag.List.
func Globals(m *Module) ([]*Global, error) {
	t := newGlobalTable(m, &errList{file: m.File, src: m.Src})
	for _, it := range m.Items {
		if v, ok := it.(*Var); ok {
			t.define(v)
		}
	}
	for _, f := range m.holders() {
		for v := range f.Body().variables() {
			t.define(v)
		}
	}
	if t.errs.count > 0 {
		return t.list, t.errs.finish()
	}
	return t.list, nil
}

// holders returns the functions whose bodies declare variables in .global or .const.
func (m *Module) holders() []*Func {
	if m.scanned != nil {
		return m.scanned.holders
	}
	var fs []*Func
	for _, it := range m.Items {
		if f, ok := it.(*Func); ok && f.Defined() {
			for range f.Body().variables() {
				fs = append(fs, f)
				break
			}
		}
	}
	return fs
}

// variables yields the .global and .const variables that a block declares, inner blocks included.
func (b *Block) variables() iter.Seq[*Var] {
	return func(yield func(*Var) bool) { b.eachVariable(yield) }
}

func (b *Block) eachVariable(yield func(*Var) bool) bool {
	return !slices.ContainsFunc(b.Stmts, func(s Stmt) bool {
		switch s := s.(type) {
		case *Var:
			return (s.Space == SpaceGlobal || s.Space == SpaceConst) && !yield(s)
		case *Block:
			return !s.eachVariable(yield)
		}
		return false
	})
}

// A globalTable collects variables of global memory. Each variable is in its list once.
type globalTable struct {
	m       *Module
	errs    *errList
	list    []*Global
	index   map[GlobalKey]int
	data    uint64 // bytes of initial data
	members int64  // of the families
	unit    bool   // variables of other units are unknown: see LiftUnit
}

func newGlobalTable(m *Module, errs *errList) *globalTable {
	return &globalTable{m: m, errs: errs, index: map[GlobalKey]int{}}
}

func (t *globalTable) errorf(pos Pos, class diag.Class, code, format string, args ...any) {
	t.errs.addClass(pos, class, code, fmt.Sprintf(format, args...))
}

// define adds a variable that the module defines, or the members of a family.
func (t *globalTable) define(v *Var) {
	switch {
	case v.Space != SpaceGlobal && v.Space != SpaceConst || v.Link == LinkExtern:
	case v.Family < 0:
		t.add(v, v.Pos)
	case v.Family > maxMembers-t.members:
		t.errorf(v.Pos, diag.Unsupported, codeNotLifted, "%s<%d> has too many members: the families of .global and .const variables may have %d members together", v.Name, v.Family, maxMembers)
	default:
		t.members += v.Family
		for i := range v.Family {
			member := *v
			member.Name, member.Family, member.Of = memberName(v.Name, i), -1, v
			t.add(&member, v.Pos)
		}
	}
}

// add returns the index of a variable in the list. pos is the place that mentions the variable.
func (t *globalTable) add(v *Var, pos Pos) int {
	key := GlobalKey{v.Name, v.Pos.Off}
	if i, ok := t.index[key]; ok {
		return i
	}
	g := &Global{Name: v.Name, Key: key, Size: v.Size(), Align: v.Alignment(), ReadOnly: v.Space == SpaceConst}
	if t.unknownSize(v, pos) {
		g.Size = 0
	}
	g.Managed = slices.ContainsFunc(v.Attrs, func(a Attr) bool { return a.Name == ".managed" })
	if v.Type.Opaque() {
		g.Data, g.Align = t.descriptors(v), texture.Align
		g.Size = uint64(len(g.Data))
	}
	if g.Size > maxShared {
		t.errorf(v.Pos, diag.Unsupported, codeNotLifted, "%s has %d bytes, more than the %d that a variable may have", v.Name, g.Size, maxShared)
		g.Size = 0
	}
	i := len(t.list)
	t.index[key] = i
	t.list = append(t.list, g)
	if v.Init != nil && g.Size > 0 && !v.Type.Opaque() {
		t.initialise(g, v, v.Init, v.Dims, 0)
	}
	return i
}

// opaqueKinds are the kinds of descriptors by type.
var opaqueKinds = map[Type]texture.Kind{Texref: texture.Texture, Samplerref: texture.Sampler, Surfref: texture.Surface}

// descriptors returns the initial bytes of a variable of an opaque type, to which nothing is bound.
func (t *globalTable) descriptors(v *Var) []byte {
	d := texture.Desc{Kind: opaqueKinds[v.Type]}
	if d.Kind == texture.Sampler {
		d.Normalized = true
	}
	if len(v.Dims) > 0 {
		t.errorf(v.Pos, diag.Unsupported, codeNotLifted, "%s is an array of .%s, which is not supported", v.Name, v.Type)
	}
	fields := v.Init
	if fields == nil {
		fields = &Init{}
	}
	for _, f := range fields.List {
		on := f.Bits != 0
		switch f.Field {
		case "normalized_coords":
			d.Normalized = on
		case "force_unnormalized_coords":
			d.Normalized = !on
		case "filter_mode":
			d.Sampling.Linear = f.Name == "linear"
		case "addr_mode_0", "addr_mode_1", "addr_mode_2":
			d.Address[f.Field[len(f.Field)-1]-'0'] = texture.Address(slices.Index(strings.Fields(addrModes), f.Name))
		}
	}
	b := d.Encode()
	return b[:]
}

// initialise writes an initialiser to a byte offset of a global. dims are the remaining dimensions;
// a vector is the last one. The resolver has checked the nesting and the lengths of lists.
func (t *globalTable) initialise(g *Global, v *Var, in *Init, dims []Dim, off uint64) {
	if in.Kind == InitList {
		step := uint64(v.Type.Bytes())
		if len(dims) > 0 {
			dims = dims[1:]
			step *= uint64(max(v.Vec, 1))
			for _, d := range dims {
				step *= d.Size
			}
		}
		for i, e := range in.List {
			t.initialise(g, v, e, dims, off+uint64(i)*step)
		}
		return
	}
	size := uint64(v.Type.Bytes())
	if off+size > g.Size {
		t.errorf(in.Pos, diag.Input, "bad-initialiser", "%s has more initial values than elements", v.Name)
		return
	}
	if end := off + size; end > uint64(len(g.Data)) {
		if t.data += end - uint64(len(g.Data)); t.data > maxGlobalData {
			t.errorf(in.Pos, diag.Unsupported, codeNotLifted, "the initial values up to %s need more than %d bytes", v.Name, maxGlobalData)
			return
		}
	}
	put := func(bits uint64) {
		for uint64(len(g.Data)) < off+size {
			g.Data = append(g.Data, make([]byte, off+size-uint64(len(g.Data)))...)
		}
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:], bits)
		copy(g.Data[off:off+size], b[:])
	}
	switch in.Kind {
	case InitInt, InitFloat:
		if in.Kind == InitFloat && (v.Type == B16 || v.Type == B8) {
			t.errorf(in.Pos, diag.Unsupported, codeNotLifted, "%s is a .%s initialised with a floating-point number: whether .f16 or .bf16 is meant is not said", v.Name, v.Type)
			return
		}
		o := Operand{Kind: KindInt, Val: masked(in.Bits, in.Mask)}
		if in.Kind == InitFloat {
			o = Operand{Kind: KindFloat, Val: in.Bits, Single: in.Single}
		}
		put(constBits(&o, v.Type))
	case InitAddr:
		if f, ok := in.Ref.(*Func); ok {
			put(masked(t.m.funcAddress(f)+uint64(in.Off), in.Mask))
			return
		}
		to, ok := in.Ref.(*Var)
		if !ok || to.Space != SpaceGlobal && to.Space != SpaceConst {
			t.errorf(in.Pos, diag.Unsupported, codeNotLifted, "%s is initialised with the address of %s, which is not a .global or .const variable", v.Name, in.Name)
			return
		}
		// The addresses of .const variables fit in 32 bits.
		if in.Mask == 0 && int(size)*8 < t.m.AddressSize && to.Space != SpaceConst {
			t.errorf(in.Pos, diag.Unsupported, codeNotLifted, "%s has %d bytes for the address of %s, which has %d", v.Name, size, in.Name, t.m.AddressSize/8)
			return
		}
		put(0)
		g.Relocs = append(g.Relocs, Reloc{Offset: off, Size: int(size), Target: t.add(to, in.Pos), Addend: in.Off, Mask: in.Mask})
	default:
		t.errorf(in.Pos, diag.Unsupported, codeNotLifted, "the initialiser of %s is not supported", v.Name)
	}
}

// masked returns the result of mask() on a value (PTX 5.4.4): the bits that the mask selects, moved
// down to bit 0; without a mask, the whole value.
func masked(v, mask uint64) uint64 {
	if mask == 0 {
		return v
	}
	return (v & mask) >> (bits.TrailingZeros64(mask) & 63)
}

// funcAddress returns the address of a function whose address the module takes.
func (m *Module) funcAddress(f *Func) uint64 {
	return ir.FuncAddress(m.addressed().number[definition(m, f)], m.AddressSize == 64)
}
