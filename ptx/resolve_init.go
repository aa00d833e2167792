package ptx

import (
	"fmt"
	"math"
	"strings"
)

// badInit reports a mistake in an initialiser.
func (r *resolver) badInit(pos Pos, section, format string, args ...any) {
	r.errs.add(pos, "bad-declaration", fmt.Sprintf(format, args...)).Section = "PTX " + section
}

// initialiser checks and resolves the initialiser of v (PTX 5.4.4).
func (r *resolver) initialiser(v *Var) {
	in := v.Init
	switch {
	case v.Link == LinkExtern:
		r.badInit(v.Pos, "5.4.4", "%s is .extern and has an initialiser", v.Name)
	case v.Space != SpaceConst && v.Space != SpaceGlobal && v.Space != SpaceTex:
		r.badInit(v.Pos, "5.4.4", "%s is in %s and has an initialiser; only .const and .global may", v.Name, v.Space)
	case v.Scope == nil && v.Func == nil && v.Type.Opaque():
		r.opaqueInit(in, v)
		return
	case v.Type == F16 || v.Type == F16x2:
		r.badInit(in.Pos, "5.4.4", "%s is .%s, which takes no initialiser; declare it .b%d", v.Name, v.Type, v.Type.Bits())
	}
	if len(v.Dims) > 0 && v.Dims[0].Open && in.Kind == InitList {
		v.Dims[0].Size = uint64(len(in.List))
		if size := float64(max(v.Vec, 1)*v.Type.Bytes()) * elems(v.Dims); size > maxElems {
			v.Dims[0].Size = 0
			r.errs.add(v.Pos, "too-large", fmt.Sprintf("%s is larger than %d bytes", v.Name, uint64(maxElems)))
			return
		}
	}
	r.initShape(in, v, 0)
}

func elems(dims []Dim) float64 {
	n := 1.0
	for _, d := range dims {
		n *= float64(d.Size)
	}
	return n
}

// initShape checks that lists are nested like the dimensions of v, from dimension level on, and
// that no list is too long. A vector counts as the last dimension.
func (r *resolver) initShape(in *Init, v *Var, level int) {
	var room uint64
	switch {
	case in.Field != "":
		r.badInit(in.Pos, "5.3", "found field %s, but %s is .%s; only .texref, .samplerref and .surfref have fields", in.Field, v.Name, v.Type)
		return
	case level < len(v.Dims):
		room = v.Dims[level].Size
	case level == len(v.Dims) && v.Vec > 1:
		room = uint64(v.Vec)
	case in.Kind != InitList:
		r.initValue(in, v)
		return
	default:
		r.badInit(in.Pos, "5.4.4", "found a list of %d values for one element of %s", len(in.List), v.Name)
		return
	}
	if in.Kind != InitList {
		what := "a row of " + v.Name
		if level == 0 {
			what = v.Name
		}
		r.badInit(in.Pos, "5.4.4", "found one value for %s, expected a list {…} of up to %d: lists are nested as the dimensions are", what, room)
		return
	}
	flat := len(in.List) > 0 && in.List[0].Kind != InitList && (level+1 < len(v.Dims) || level+1 == len(v.Dims) && v.Vec > 1)
	if uint64(len(in.List)) > room && !flat {
		r.badInit(in.List[room].Pos, "5.4.4", "%d initialisers for %d elements of %s", len(in.List), room, v.Name)
		return
	}
	for _, e := range in.List {
		if r.errs.full {
			return
		}
		if r.initShape(e, v, level+1); flat {
			return // one report is enough
		}
	}
}

// initValue checks and resolves the value of one element.
func (r *resolver) initValue(in *Init, v *Var) {
	if in.Mask != 0 {
		r.needs(in.Pos, "mask()")
		if in.Kind == InitInt {
			r.needs(in.Pos, "mask() of a number")
		}
		if !v.Type.Integer() {
			r.badInit(in.Pos, "5.4.4", "mask() initialises %s, which is .%s; expected .u8", v.Name, v.Type)
		}
	}
	switch in.Kind {
	case InitAddr:
		r.initAddress(in, v)
	case InitFloat:
		// Untyped variables accept a number of their size (errata E134). Compilers write f16 and
		// bf16 values as doubles for a .b16. The format matters only if a kernel needs the value;
		// whether the kernel can run is decided then.
		if v.Type.Integer() && !(v.Type.Untyped() && v.Type != B128) {
			r.errs.add(in.Pos, "bad-literal", fmt.Sprintf("a floating-point number initialises %s, which is .%s", v.Name, v.Type))
		}
	case InitInt:
		// PTX 4.5.1 converts integers to the size of the variable.
		if v.Type.Float() {
			r.errs.add(in.Pos, "bad-literal", fmt.Sprintf("the integer %d initialises %s, which is .%s", int64(in.Bits), v.Name, v.Type)).Remedy = fmt.Sprintf("write %d.0, or the bits as 0f… or 0d…", int64(in.Bits))
		}
		if v.Type == B128 && !in.Unsigned && int64(in.Bits) < 0 {
			// Unspecified: the extension of a 64-bit constant to 128 bits.
			r.errs.add(in.Pos, "bad-literal", fmt.Sprintf("the negative number %d initialises %s, which is .b128", int64(in.Bits), v.Name))
		}
	}
}

// initAddress resolves the name of a variable or function whose address is the value.
func (r *resolver) initAddress(in *Init, v *Var) {
	switch d := r.lookup(in.Name).(type) {
	case nil:
		r.undeclared(in.Pos, in.Name)
		return
	case *Var:
		in.Ref = d
		if d.Space != SpaceGlobal && d.Space != SpaceConst || d.Type.Opaque() {
			r.badInit(in.Pos, "5.4.4", "%s is a .%s in %s; initialisers hold addresses of .global and .const variables only", in.Name, d.Type, d.Space)
		}
	case *Func:
		in.Ref = d
		if d.Entry {
			r.needs(in.Pos, "a kernel in an initialiser")
		}
		if in.Generic {
			r.badInit(in.Pos, "5.4.4", "found generic(%s), but %s is a function; generic() is for variables", in.Name, in.Name)
		}
		if in.Off != 0 {
			r.badInit(in.Pos, "5.4.4", "found %s with an offset; the address of a function stands alone", in.Name)
		}
	default:
		r.badInit(in.Pos, "5.4.4", "%s is neither a variable nor a function", in.Name)
		return
	}
	if v.Type != U32 && v.Type != U64 && (in.Mask == 0 || v.Type != U8) {
		r.badInit(in.Pos, "5.4.4", "an address initialises a .%s; expected .u32, .u64, or a .u8 with a mask such as 0xff(%s)", v.Type, in.Name)
	}
}

// opaqueFields are the fields of opaque types (PTX 5.3, tables 10 and 11, both texturing modes),
// each with the values that it accepts. It is never written.
var opaqueFields = map[Type]map[string]string{
	Texref: {
		"width": "", "height": "", "depth": "", "channel_data_type": "*", "channel_order": "*", "normalized_coords": "0 1",
		"filter_mode": filterModes, "addr_mode_0": addrModes, "addr_mode_1": addrModes, "addr_mode_2": addrModes,
		"array_size": "", "num_mipmap_levels": "", "num_samples": "",
	},
	Samplerref: {
		"force_unnormalized_coords": "0 1", "filter_mode": filterModes,
		"addr_mode_0": addrModes, "addr_mode_1": addrModes, "addr_mode_2": addrModes,
	},
	Surfref: {
		"width": "", "height": "", "depth": "", "channel_data_type": "*", "channel_order": "*", "array_size": "", "memory_layout": "0 1",
	},
}

const (
	filterModes = "nearest linear"
	addrModes   = "wrap mirror clamp_ogl clamp_to_edge clamp_to_border"
)

// opaqueInit checks { field = value, … } of a texture, sampler or surface.
func (r *resolver) opaqueInit(in *Init, v *Var) {
	if in.Kind != InitList {
		r.badInit(in.Pos, "5.3", "found a value for the .%s %s, expected { field = value, … }", v.Type, v.Name)
		return
	}
	for _, e := range in.List {
		if e.Kind == InitList && len(v.Dims) > 0 && e.Field == "" {
			r.opaqueInit(e, v)
			continue
		}
		values, ok := opaqueFields[v.Type][e.Field]
		if !ok {
			what := "field " + e.Field
			if e.Field == "" {
				what = "a value without field"
			}
			r.badInit(e.Pos, "5.3", "found %s in the initialiser of %s, which .%s does not have", what, v.Name, v.Type)
			continue
		}
		var got string
		switch e.Kind {
		case InitInt:
			got = fmt.Sprint(e.Bits)
			ok = values == "" && e.Bits <= math.MaxUint32 || values == "*"
		case InitEnum:
			got = e.Name
			ok = values == "*"
		default:
			ok, values = false, "0 1"
		}
		for _, want := range strings.Fields(values) {
			ok = ok || want == got
		}
		if !ok {
			want := strings.Join(strings.Fields(values), ", ")
			if values == "" {
				want = "a number of 32 bits"
			}
			r.badInit(e.Pos, "5.3", "found %s = %s in the initialiser of %s, expected %s", e.Field, got, v.Name, want)
		}
	}
}
