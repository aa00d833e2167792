package ir

import (
	"fmt"
	"reflect"
)

type pureFn struct {
	name string
	fn   any
}

// pureInfo derives an operation's types from its function's signature.
func pureInfo(name string, fn any) Info {
	t := reflect.TypeOf(fn)
	info := Info{Name: name, Fn: fn, Res: typeOf(t.Out(0))}
	for i := range t.NumIn() {
		info.Args = append(info.Args, typeOf(t.In(i)))
	}
	return info
}

// typeOf returns the IR type for a Go type of package num.
func typeOf(t reflect.Type) Type {
	switch t.Kind() {
	case reflect.Bool:
		return B1
	case reflect.Uint8, reflect.Int8:
		return B8
	case reflect.Uint16, reflect.Int16:
		return B16
	case reflect.Uint32, reflect.Int32, reflect.Float32:
		return B32
	case reflect.Uint64, reflect.Int64, reflect.Float64:
		return B64
	}
	panic(fmt.Sprintf("ir: an operation cannot take %s", t))
}

// Float reports whether a pure operation's result is a floating-point number of 32 or 64 bits.
func (op Op) Float() bool {
	if !op.Pure() || Ops[op].Fn == nil {
		return false
	}
	k := reflect.TypeOf(Ops[op].Fn).Out(0).Kind()
	return k == reflect.Float32 || k == reflect.Float64
}
