package ir

import (
	"math"
	"reflect"
)

// Evaluator returns the function of package num of a pure operation, as a function from the bits of
// its arguments to those of its result, bit for bit: NaNs keep their payload. Bits beyond an
// argument's type are ignored; those of the result are 0. It serves code that evaluates single
// lanes: analyses, and values that are recomputed. Engines have vector forms. The most frequent
// signatures are called directly, the other ones by reflection.
func Evaluator(op Op) func(a [4]uint64) uint64 { return evaluator(Ops[op].Fn) }

// evaluator is Evaluator for a function of package num.
func evaluator(f any) func(a [4]uint64) uint64 {
	switch f := f.(type) {
	case func(uint32) uint32:
		return func(a [4]uint64) uint64 { return uint64(f(uint32(a[0]))) }
	case func(uint64) uint64:
		return func(a [4]uint64) uint64 { return f(a[0]) }
	case func(bool) bool:
		return func(a [4]uint64) uint64 { return bit(f(a[0]&1 != 0)) }
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
		return func(a [4]uint64) uint64 { return bit(f(a[0]&1 != 0, a[1]&1 != 0)) }
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
	return reflective(f)
}

// reflective is evaluator for any signature.
func reflective(f any) func(a [4]uint64) uint64 {
	v := reflect.ValueOf(f)
	t := v.Type()
	return func(a [4]uint64) uint64 {
		var in [4]reflect.Value
		for i := range t.NumIn() {
			in[i] = reflected(t.In(i), a[i])
		}
		return bitsOf(v.Call(in[:t.NumIn()])[0])
	}
}

// bit returns 1 for true and 0 for false.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// reflected returns the value of a type with the bits x.
func reflected(t reflect.Type, x uint64) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(x&1 != 0)
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
		*v.Addr().Interface().(*float32) = math.Float32frombits(uint32(x)) // SetFloat would make NaNs quiet
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(x))
	}
	return v
}

// bitsOf is the inverse of reflected.
func bitsOf(v reflect.Value) uint64 {
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
