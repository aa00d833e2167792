package static

import (
	"math"
	"reflect"

	"crosslane/internal/ir"
)

// A fn computes one lane of a pure operation.
type fn func(a [4]uint64) uint64

// evaluators are the operations of package num, by ir.Op, as they are needed.
type evaluators map[ir.Op]fn

func (e evaluators) of(op ir.Op) fn {
	f := e[op]
	if f == nil {
		f = evaluator(ir.Ops[op].Fn)
		e[op] = f
	}
	return f
}

// evaluator calls a function of package num on bits. The signatures that occur most are
// called directly, the others through reflection.
func evaluator(f any) fn {
	switch f := f.(type) {
	case func(uint32) uint32:
		return func(a [4]uint64) uint64 { return uint64(f(uint32(a[0]))) }
	case func(uint64) uint64:
		return func(a [4]uint64) uint64 { return f(a[0]) }
	case func(bool) bool:
		return func(a [4]uint64) uint64 { return bit(f(a[0] != 0)) }
	case func(uint64) uint32:
		return func(a [4]uint64) uint64 { return uint64(f(a[0])) }
	case func(uint32) uint64:
		return func(a [4]uint64) uint64 { return f(uint32(a[0])) }
	case func(int32) uint64:
		return func(a [4]uint64) uint64 { return f(int32(a[0])) }
	case func(uint32, uint32) uint32:
		return func(a [4]uint64) uint64 { return uint64(f(uint32(a[0]), uint32(a[1]))) }
	case func(int32, int32) int32:
		return func(a [4]uint64) uint64 { return uint64(uint32(f(int32(a[0]), int32(a[1])))) }
	case func(uint64, uint64) uint64:
		return func(a [4]uint64) uint64 { return f(a[0], a[1]) }
	case func(uint64, uint32) uint64:
		return func(a [4]uint64) uint64 { return f(a[0], uint32(a[1])) }
	case func(uint32, uint32) uint64:
		return func(a [4]uint64) uint64 { return f(uint32(a[0]), uint32(a[1])) }
	case func(int32, int32) int64:
		return func(a [4]uint64) uint64 { return uint64(f(int32(a[0]), int32(a[1]))) }
	case func(uint32, uint32) bool:
		return func(a [4]uint64) uint64 { return bit(f(uint32(a[0]), uint32(a[1]))) }
	case func(int32, int32) bool:
		return func(a [4]uint64) uint64 { return bit(f(int32(a[0]), int32(a[1]))) }
	case func(uint64, uint64) bool:
		return func(a [4]uint64) uint64 { return bit(f(a[0], a[1])) }
	case func(int64, int64) bool:
		return func(a [4]uint64) uint64 { return bit(f(int64(a[0]), int64(a[1]))) }
	case func(bool, bool) bool:
		return func(a [4]uint64) uint64 { return bit(f(a[0] != 0, a[1] != 0)) }
	case func(uint32, uint32, uint32) uint32:
		return func(a [4]uint64) uint64 { return uint64(f(uint32(a[0]), uint32(a[1]), uint32(a[2]))) }
	case func(float32, float32) float32:
		return func(a [4]uint64) uint64 {
			return uint64(math.Float32bits(f(math.Float32frombits(uint32(a[0])), math.Float32frombits(uint32(a[1])))))
		}
	case func(float32, float32, float32) float32:
		return func(a [4]uint64) uint64 {
			return uint64(math.Float32bits(f(math.Float32frombits(uint32(a[0])), math.Float32frombits(uint32(a[1])), math.Float32frombits(uint32(a[2])))))
		}
	}
	v := reflect.ValueOf(f)
	t := v.Type()
	return func(a [4]uint64) uint64 {
		var in [4]reflect.Value
		for i := range t.NumIn() {
			in[i] = reflected(t.In(i), a[i])
		}
		return bitsFrom(v.Call(in[:t.NumIn()])[0])
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// reflected is a value of a type whose bits are x.
func reflected(t reflect.Type, x uint64) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(x != 0)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(x)
	case reflect.Int8:
		v.SetInt(int64(int8(x)))
	case reflect.Int16:
		v.SetInt(int64(int16(x)))
	case reflect.Int32:
		v.SetInt(int64(int32(x)))
	case reflect.Int64:
		v.SetInt(int64(x))
	case reflect.Float32:
		return reflect.ValueOf(math.Float32frombits(uint32(x)))
	case reflect.Float64:
		return reflect.ValueOf(math.Float64frombits(x))
	}
	return v
}

func bitsFrom(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		return bit(v.Bool())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	case reflect.Int8:
		return uint64(uint8(v.Int()))
	case reflect.Int16:
		return uint64(uint16(v.Int()))
	case reflect.Int32:
		return uint64(uint32(v.Int()))
	case reflect.Int64:
		return uint64(v.Int())
	case reflect.Float32:
		return uint64(math.Float32bits(v.Interface().(float32)))
	}
	return math.Float64bits(v.Float())
}
