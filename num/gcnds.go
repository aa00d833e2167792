package num

import "math"

// The results that DS atomics of GCN3 store: old is the value in memory, s0 and s1 are the data
// operands. GCN3 ISA 12, DS.

// DsRsub32 is ds_rsub_u32: DATA0 - MEM.
func DsRsub32(old, s0 uint32) uint32 { return s0 - old }

// DsRsub64 is ds_rsub_u64.
func DsRsub64(old, s0 uint64) uint64 { return s0 - old }

// DsMskor32 is ds_mskor_b32: the bits of MEM that DATA0 masks are replaced by those of DATA1.
func DsMskor32(old, s0, s1 uint32) uint32 { return old&^s0 | s1 }

// DsMskor64 is ds_mskor_b64.
func DsMskor64(old, s0, s1 uint64) uint64 { return old&^s0 | s1 }

// DsCmpstF32 is ds_cmpst_f32: DATA1 if MEM and DATA0 are equal as floats, so the two zeros are
// equal and a NaN equals nothing.
func DsCmpstF32(old, s0, s1 uint32) uint32 {
	if math.Float32frombits(old) == math.Float32frombits(s0) {
		return s1
	}
	return old
}

// DsCmpstF64 is ds_cmpst_f64.
func DsCmpstF64(old, s0, s1 uint64) uint64 {
	if math.Float64frombits(old) == math.Float64frombits(s0) {
		return s1
	}
	return old
}

// DsMinF32 is ds_min_f32: DATA0 if it is less than MEM, else MEM. A NaN in memory is replaced, as
// in v_min_f32.
//
// Unspecified: the manual only states that NaN is handled. Its literal formula would keep a NaN in
// memory forever, and compilers use the instruction for minnum.
func DsMinF32(old, s0 uint32) uint32 {
	a, b := math.Float32frombits(old), math.Float32frombits(s0)
	if b < a || a != a && b == b {
		return s0
	}
	return old
}

// DsMaxF32 is ds_max_f32, like [DsMinF32].
func DsMaxF32(old, s0 uint32) uint32 {
	a, b := math.Float32frombits(old), math.Float32frombits(s0)
	if b > a || a != a && b == b {
		return s0
	}
	return old
}

// DsMinF64 is ds_min_f64, like [DsMinF32].
func DsMinF64(old, s0 uint64) uint64 {
	a, b := math.Float64frombits(old), math.Float64frombits(s0)
	if b < a || a != a && b == b {
		return s0
	}
	return old
}

// DsMaxF64 is ds_max_f64, like [DsMinF32].
func DsMaxF64(old, s0 uint64) uint64 {
	a, b := math.Float64frombits(old), math.Float64frombits(s0)
	if b > a || a != a && b == b {
		return s0
	}
	return old
}

// DsWrap32 is ds_wrap_rtn_b32: MEM - DATA0 if that is not negative, else MEM + DATA1.
func DsWrap32(old, s0, s1 uint32) uint32 {
	if old >= s0 {
		return old - s0
	}
	return old + s1
}

// DsCondxchg32 is ds_condxchg32_rtn_b64: each half of MEM becomes that of DATA0 without
// its most significant bit, if this bit is set.
func DsCondxchg32(old, s0 uint64) uint64 {
	r := old
	if s0>>31&1 != 0 {
		r = r&^(1<<32-1) | s0&(1<<31-1)
	}
	if s0>>63 != 0 {
		r = r&(1<<32-1) | s0&(1<<63-1)>>32<<32
	}
	return r
}
