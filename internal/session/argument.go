package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// arguments checks that there are as many arguments as parameters and writes them
// into the parameter block.
func (k *Kernel) arguments(args []api.Arg, block []byte, mem *Memory) error {
	given, ok := k.given(len(args))
	if !ok {
		what := "too few"
		if len(args) > len(k.params) {
			what = "too many"
		}
		d := k.Errorf("bad-argument", "%s arguments: %d given, %d expected", what, len(args), len(k.params))
		d.Remedy = k.usage()
		return diag.List{d}
	}
	n := 0
	for i := range k.params {
		if p := &k.params[i]; given != nil && !given[i] {
			if p.Hidden != "" && !p.Unread && p.Kind != api.ParamPointer {
				d := k.Errorf("bad-argument", "%s is hidden: the compiler's runtime passes it, the kernel reads it, and its value is not known", p.Name)
				d.Remedy = "give it after the other arguments: " + p.Name + ", " + describe((&api.Param{Kind: p.Kind, Type: p.Type, Size: p.Size}))
				return diag.List{d}
			}
			if p.Kind == api.ParamPointer {
				addr := mem.missing(p.Hidden)
				for b := range p.Size {
					block[p.Offset+b] = byte(addr >> (8 * b))
				}
			}
			continue // else the block holds zeros, which the kernel does not read
		}
		if d := k.argumentFor(&k.params[i], i, args[n], block, mem); d != nil {
			return diag.List{d}
		}
		n++
	}
	return nil
}

// usage lists the parameters.
func (k *Kernel) usage() string {
	if len(k.params) == 0 {
		return "the kernel takes none"
	}
	s := "the kernel takes, in order: "
	for i := range k.params {
		if i > 0 {
			s += "; "
		}
		if p := &k.params[i]; p.Name != "" {
			s += p.Name + ", "
		}
		s += describe(&k.params[i])
	}
	return s
}

func (k *Kernel) argumentFor(p *api.Param, i int, arg api.Arg, block []byte, mem *Memory) *diag.Diagnostic {
	// Code objects without types do not tell a structure from a number of its size.
	untold := p.Kind == api.ParamScalar && p.Type == "" && k.m.isa == api.GCN3
	bad := func(format string, args ...any) *diag.Diagnostic {
		who := fmt.Sprintf("argument %d", i+1)
		if p.Name != "" {
			who += " (" + p.Name + ")"
		}
		d := k.Errorf("bad-argument", "%s: "+format, append([]any{who}, args...)...)
		d.Remedy = "give " + describe(p)
		if untold {
			d.Remedy += fmt.Sprintf(", or if it is a structure, a buffer of %d bytes", p.Size)
		}
		return d
	}
	var bits uint64
	switch a := arg.(type) {
	case nil:
		return bad("it is missing")
	case *api.Buffer:
		if a == nil || a.Type.Size() == 0 {
			return bad("the buffer is nil or has no element type")
		}
		value := p.Kind == api.ParamBytes && len(a.Data) == p.Size
		// OpenCL structures hold no addresses (OpenCL C 6.9).
		pointer := p.Kind == api.ParamBytes && p.Size == mem.pointerSize() && k.m.isa == api.PTX
		switch {
		case value && pointer:
			d := bad("the buffer has as many bytes as an address: whether it is passed by value or by its address is not known")
			d.Remedy = fmt.Sprintf("give its address, &%s, or its values in braces, {...}; --buffer %s:... makes a buffer that is no argument", a.Name, a.Name)
			return d
		case value:
			copy(block[p.Offset:], a.Data)
			mem.put(block[p.Offset:], a.Pointers)
			return nil
		case p.Kind == api.ParamBytes && !pointer:
			return bad("the buffer has %d bytes, the parameter %d", len(a.Data), p.Size)
		case untold && len(a.Data) == p.Size:
			copy(block[p.Offset:], a.Data)
			return nil
		case p.Kind == api.ParamShared:
			return bad("a buffer for a pointer to local memory")
		case p.Type == "f32" || p.Type == "f64" || p.Size != 8 && (mem.Wide() || p.Size != 4):
			return bad("a buffer where a scalar is expected")
		}
		bits = mem.address(a)
	case api.Pointer:
		if p.Kind == api.ParamShared || p.Type == "f32" || p.Type == "f64" || p.Size != mem.pointerSize() {
			return bad("the address of a buffer for %s", describe(p))
		}
		bits = mem.address(a.To) + uint64(a.Add)
	case api.DevicePtr:
		if p.Kind == api.ParamShared || p.Type == "f32" || p.Type == "f64" || p.Size != mem.pointerSize() {
			return bad("an address of the device for %s", describe(p))
		}
		if mem.on == nil {
			return bad("an address of a device; the launch has memory of its own")
		}
		bits = uint64(a)
	case api.Bytes:
		if len(a.Data) != p.Size && !(a.Partial() && len(a.Data) < p.Size) || p.Kind == api.ParamShared {
			return bad("the structure has %d bytes, the parameter %d%s", len(a.Data), p.Size, a.Layout())
		}
		copy(block[p.Offset:], a.Data)
		mem.put(block[p.Offset:], a.Pointers)
		return nil
	case api.SharedBytes:
		if p.Kind != api.ParamShared {
			return bad("shared memory where none is expected")
		}
		bits = uint64(mem.sharedBase) + uint64(mem.shared)
		mem.shared += (uint32(a) + 15) &^ 15
		if mem.shared > maxSharedBytes {
			return bad("%d bytes of shared memory; at most %d are allowed", uint32(a), maxSharedBytes)
		}
	case api.Scalar:
		var err error
		if bits, err = scalarBits(a, p); err != nil {
			d := bad("%v", err)
			if a.Type != "" && p.Type != "" && p.Kind == api.ParamScalar {
				d.Remedy += fmt.Sprintf(", such as %s:%s", p.Type, value.Format(value.Type(a.Type), a.Bits))
			}
			return d
		}
	default:
		return bad("an argument of type %T", arg)
	}
	for n := range p.Size {
		block[p.Offset+n] = byte(bits >> (8 * n))
	}
	return nil
}

// scalarBits converts a scalar argument to a parameter's type.
func scalarBits(a api.Scalar, p *api.Param) (uint64, error) {
	switch p.Kind {
	case api.ParamShared:
		return 0, fmt.Errorf("a scalar where shared:BYTES is expected")
	case api.ParamBytes:
		if a.Type == "" {
			return 0, fmt.Errorf("a scalar where a structure is expected")
		}
	}
	if a.Type != "" {
		if a.Type.Size() != p.Size {
			return 0, fmt.Errorf("a %s has %d bytes, the parameter %d", a.Type, a.Type.Size(), p.Size)
		}
		return a.Bits, nil
	}
	t := p.Type
	if t == "" {
		// The file gives only the size: an integer fits any type of that size.
		bits, err := value.Parse(value.Type(fmt.Sprintf("s%d", 8*p.Size)), a.Text)
		if err != nil {
			bits, err = value.Parse(value.Type(fmt.Sprintf("u%d", 8*p.Size)), a.Text)
		}
		if err != nil {
			return 0, fmt.Errorf("%v; the parameter declares only its size, so give a type, such as f32:%s", err, a.Text)
		}
		return bits, nil
	}
	bits, err := value.Parse(value.Type(t), a.Text)
	if err != nil && t[0] == 'u' {
		// PTX declares signed parameters as unsigned of the same size.
		if s, err2 := value.Parse(value.Type("s"+string(t[1:])), a.Text); err2 == nil {
			return s & (math.MaxUint64 >> (64 - 8*p.Size)), nil
		}
	}
	return bits, err
}

// checkBuffers returns an error if a buffer of a launch is not valid, before any buffer is placed.
func (k *Kernel) checkBuffers(l *Launch, pointer int) error {
	bad := func(b *api.Buffer, format string, args ...any) error {
		return diag.List{k.Errorf("bad-argument", "buffer %s: %s", b.Name, fmt.Sprintf(format, args...))}
	}
	for i, a := range l.Args {
		b, ok := a.(api.Bytes)
		if !ok {
			if p, ok := a.(api.Pointer); ok && p.To == nil {
				return diag.List{k.Errorf("bad-argument", "argument %d: the address of a buffer that is nil", i+1)}
			}
			continue
		}
		err := b.Err()
		if err == nil && b.Wide() && pointer != 8 {
			err = fmt.Errorf("a structure with addresses of 8 bytes; those of the file have %d", pointer)
		}
		if err == nil {
			err = checkPointers(b.Pointers, len(b.Data), pointer)
		}
		if err != nil {
			return diag.List{k.Errorf("bad-argument", "argument %d: %v", i+1, err)}
		}
	}
	if err := k.checkSymbols(l.Symbols); err != nil {
		return err
	}
	buffers := BuffersOf(&l.Launch)
	for _, b := range buffers {
		if b.Err() != nil {
			return bad(b, "%v", b.Err())
		}
		if err := checkPointers(b.Pointers, len(b.Data), pointer); err != nil {
			return bad(b, "%v", err)
		}
		if b.Type.Size() == 0 {
			return bad(b, "it has no element type")
		}
		if b.UndefinedBits != nil && len(b.UndefinedBits) != len(b.Data) {
			return bad(b, "its undefined bits have %d bytes, its data %d", len(b.UndefinedBits), len(b.Data))
		}
	}
	return k.checkApart(slices.DeleteFunc(buffers, func(b *api.Buffer) bool { return k.onlyCopied(l, b) }))
}

// onlyCopied reports whether a buffer holds only the bytes of a parameter, so that it needs no
// place in memory.
func (k *Kernel) onlyCopied(l *Launch, b *api.Buffer) bool {
	for i := range min(len(k.params), len(l.Args)) {
		if p := &k.params[i]; p.Kind == api.ParamBytes && p.Size == len(b.Data) && l.Args[i] == api.Arg(b) {
			return true
		}
	}
	return false
}

// checkApart refuses buffers that share a name or bytes: a store to one would sometimes show in the
// other. It sorts the list.
func (k *Kernel) checkApart(buffers []*api.Buffer) error {
	slices.SortStableFunc(buffers, func(a, b *api.Buffer) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(buffers); i++ {
		if name := buffers[i].Name; name != "" && name == buffers[i-1].Name {
			d := k.Errorf("bad-argument", "two buffers are called %s", name)
			d.Remedy = "give them different names, or one *Buffer twice if it is one"
			return diag.List{d}
		}
	}
	start := func(b *api.Buffer) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b.Data))) }
	buffers = slices.DeleteFunc(buffers, func(b *api.Buffer) bool { return len(b.Data) == 0 })
	slices.SortStableFunc(buffers, func(a, b *api.Buffer) int { return cmp.Compare(start(a), start(b)) })
	for i := 1; i < len(buffers); i++ {
		if a, b := buffers[i-1], buffers[i]; start(a)+uintptr(len(a.Data)) > start(b) {
			d := k.Errorf("bad-argument", "the buffers %s and %s share bytes of the host", a.Name, b.Name)
			d.Remedy = "give one buffer, and a Pointer into it for the other"
			return diag.List{d}
		}
	}
	return nil
}

// checkPointers returns an error if an address does not fit among n bytes.
func checkPointers(list []api.Pointer, n, size int) error {
	for _, p := range list {
		switch {
		case p.To == nil:
			return fmt.Errorf("the address at byte %d is that of a buffer that is nil", p.At)
		case p.At < 0 || p.At > n-size:
			return fmt.Errorf("an address of %d bytes at byte %d does not fit its %s", size, p.At, diag.Count(n, "byte"))
		}
	}
	return nil
}

// isEmpty reports whether the parameter is a structure without members. It has one byte that the
// kernel does not read: C++ passes function objects and tags so.
func isEmpty(p *api.Param) bool { return p.Kind == api.ParamBytes && p.Size == 1 && p.Unread }

func describe(p *api.Param) string {
	switch {
	case p.Hidden != "":
		return p.Hidden + ", which may be left out"
	case p.Kind == api.ParamPointer:
		return "a buffer"
	case p.Kind == api.ParamShared:
		return "shared:BYTES"
	case isEmpty(p):
		return "an empty structure, which may be left out"
	case p.Kind == api.ParamBytes:
		return fmt.Sprintf("a structure of %s, such as {&in,64,1.0f}, or a buffer of as many", diag.Count(p.Size, "byte"))
	case p.Type != "":
		return "a scalar of type " + string(p.Type)
	}
	return fmt.Sprintf("a scalar of %d bytes", p.Size)
}
