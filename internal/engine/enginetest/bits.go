package enginetest

import (
	"math"
	"reflect"
)

// setBits sets a value from its bits. Integers are sign-extended from their width.
func setBits(v reflect.Value, x uint64) {
	switch v.Kind() {
	case reflect.Float32:
		// The write goes through a pointer of the same size, so that no NaN changes.
		*(v.Addr().Interface().(*float32)) = math.Float32frombits(uint32(x))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(x))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(x) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	default:
		v.SetUint(x)
	}
}

// getBits returns the bits of a value, zero-extended. It is the inverse of setBits.
func getBits(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Float32:
		return uint64(math.Float32bits(v.Interface().(float32)))
	case reflect.Float64:
		return math.Float64bits(v.Float())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := uint(v.Type().Bits())
		return uint64(v.Int()) << (64 - n) >> (64 - n)
	}
	return v.Uint()
}
