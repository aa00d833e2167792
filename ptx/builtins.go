package ptx

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// A builtin is a function that the runtime provides to a module. The module declares the function
// and does not define it.
type builtin struct {
	name string
	// sig holds a letter for the result, if there is one, then a colon, then a letter for each
	// parameter: p is a pointer or size_t, i is 32 bits, l is 64 bits, h is 16 bits, f is f32, d is f64.
	sig string
	do  ir.HostService
	// emit translates the call, if it is no service. It may emit branches.
	emit func(l *lifter, s site)
	// ends reports that the function does not return.
	ends bool
	// extra holds further parameters after those of the service, which the service ignores.
	extra string
}

// builtinList holds the functions that compilers call on their own, and the functions of CUDA's
// device runtime that programs call.
var builtinList = []builtin{
	{name: "vprintf", sig: "i:pp", do: ir.HostPrintf},
	{name: "__assertfail", sig: ":ppip", do: ir.HostAssert, ends: true, extra: "p"},
	{name: "__assert_fail", sig: ":ppip", do: ir.HostAssert, ends: true},
	{name: "malloc", sig: "p:p", do: ir.HostMalloc},
	{name: "free", sig: ":p", do: ir.HostFree},
	{name: "memcpy", sig: "p:ppp", do: ir.HostMemcpy},
	{name: "memmove", sig: "p:ppp", do: ir.HostMemmove},
	{name: "memset", sig: "p:pip", do: ir.HostMemset},
	{name: "memcmp", sig: "i:ppp", do: ir.HostMemcmp},
	{name: "bcmp", sig: "i:ppp", do: ir.HostMemcmp},
	{name: "memchr", sig: "p:pip", do: ir.HostMemchr},
	{name: "strlen", sig: "p:p", do: ir.HostStrlen},
	{name: "strcpy", sig: "p:pp", do: ir.HostStrcpy},
	{name: "strncpy", sig: "p:ppp", do: ir.HostStrncpy},
	{name: "strcmp", sig: "i:pp", do: ir.HostStrcmp},
	{name: "strncmp", sig: "i:ppp", do: ir.HostStrncmp},
	{name: "strcat", sig: "p:pp", do: ir.HostStrcat},
	{name: "strchr", sig: "p:pi", do: ir.HostStrchr},
	{name: "cudaCGGetIntrinsicHandle", sig: "l:i", emit: gridHandle},
	{name: "cudaCGSynchronize", sig: "i:li", emit: gridSync},
	{name: "cudaCGSynchronizeGrid", sig: "i:li", emit: gridSync},
	{name: "cudaGraphSetConditional", sig: ":li", emit: setConditional},
}

// builtinOf returns the builtin that a function without a body names; nil if the runtime has no
// function of that name.
func builtinOf(f *Func) *builtin {
	if strings.HasPrefix(f.Name, "__nv_") && !f.Defined() && !f.Entry {
		return mathBuiltins()[f.Name]
	}
	for i := range builtinList {
		if b := &builtinList[i]; b.name == f.Name && !f.Defined() && !f.Entry {
			return b
		}
	}
	return nil
}

// types returns the type of the result (NoType for none) and the types of the parameters, the extra
// ones included.
func (b *builtin) types(wide bool) (result Type, params []Type) {
	of := func(c byte) Type {
		switch {
		case c == 'l' || c == 'p' && wide:
			return B64
		case c == 'h':
			return B16
		case c == 'f':
			return F32
		case c == 'd':
			return F64
		}
		return B32
	}
	s := b.sig
	if s[0] != ':' {
		result, s = of(s[0]), s[1:]
	}
	for _, c := range []byte(s[1:] + b.extra) {
		params = append(params, of(c))
	}
	return result, params
}

// fits describes the first difference between the declaration of a builtin and the function that
// the runtime provides; "" if they agree.
func (b *builtin) fits(f *Func, wide bool) string {
	result, params := b.types(wide)
	switch {
	case len(f.Params) != len(params):
		return fmt.Sprintf("%d parameters, want %d", len(f.Params), len(params))
	case len(f.Results) > 1 || len(f.Results) == 1 && result == NoType:
		return fmt.Sprintf("%d results", len(f.Results))
	}
	for i, p := range f.Params {
		if p.Size() != uint64(params[i].Bytes()) {
			return fmt.Sprintf("parameter %d of %d bytes, want %d", i+1, p.Size(), params[i].Bytes())
		}
	}
	if len(f.Results) == 1 && f.Results[0].Size() != uint64(result.Bytes()) {
		return fmt.Sprintf("a result of %d bytes, want %d", f.Results[0].Size(), result.Bytes())
	}
	return ""
}

// checkBuiltin checks the declaration of a function without a body that is called.
func (c *checker) checkBuiltin(in *Instr, f *Func) bool {
	b := builtinOf(f)
	if b == nil && c.unit {
		return true
	}
	if b == nil {
		d := c.errorf(in.Pos, diag.Unsupported, codeNotLifted, "%s calls %s, which the file declares and does not define", in.Op, f.Name)
		d.Remedy = "define it, or link the module that defines it (--link FILE); of the runtime there are vprintf, __assertfail, malloc, free, the mem… and str… functions that compilers call, cudaCGGetIntrinsicHandle, cudaCGSynchronize, cudaGraphSetConditional, and the functions __nv_… of libdevice"
		return false
	}
	if why := b.fits(f, c.m.AddressSize == 64); why != "" {
		c.errorf(in.Pos, diag.Unsupported, codeNotLifted, "%s calls %s, which is declared with %s: it is not that of the runtime", in.Op, f.Name, why)
		return false
	}
	return true
}

// emitBuiltin emits the call of a builtin, under the instruction's guard.
func (l *lifter) emitBuiltin(b *builtin, s site) {
	result, params := b.types(l.m.AddressSize == 64)
	in := ir.Inst{Op: ir.HostCall, Imm: uint64(b.do)}
	for i := range s.args {
		if i < len(in.Args) && i < len(params)-len(b.extra) {
			in.Args[i] = l.argument(&s.args[i], params[i])
		}
	}
	if len(s.results) == 0 || s.results[0].Kind == KindSink {
		l.b.Emit(in)
		return
	}
	in.Dst = l.b.Temp(irType(result))
	l.b.Emit(in)
	l.result(&s.results[0], in.Dst, result)
}

// argument returns the value of an argument of a call. A .param variable is loaded from memory.
func (l *lifter) argument(o *Operand, t Type) ir.Ref {
	if o.Kind != KindVar {
		return l.b.Splat(l.value(o, t))
	}
	p := l.placeOf(o.Var(), o.Pos)
	d := l.b.Temp(irType(t))
	l.b.Emit(ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{l.baseOf(p)}, Imm: p.off, Size: uint8(t.Bytes()), Space: p.space})
	return d
}

// result stores the result of a call in the operand that the caller names.
func (l *lifter) result(o *Operand, val ir.Ref, t Type) {
	if o.Kind != KindVar {
		l.assign(o, val, t.Signed())
		return
	}
	p := l.placeOf(o.Var(), o.Pos)
	l.b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{l.baseOf(p), val}, Imm: p.off, Size: uint8(t.Bytes()), Space: p.space})
}

// baseOf returns the base register of a place.
func (l *lifter) baseOf(p location) ir.Ref {
	if p.base != 0 {
		return p.base
	}
	return l.b.Const(ir.B32, 0)
}
