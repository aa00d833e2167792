package num

// Minimum and maximum of GCN3 under any MODE. With IEEE (bit 9 of mode) on they are the functions
// of gcnfloat.go. With IEEE off no NaN is quieted, and any NaN yields to the other operand:
//
//	if      (isNan(S0)) D = S1
//	else if (isNan(S1)) D = S0
//	else                D = min(S0, S1)

func ieee(mode uint32) bool { return mode>>9&1 != 0 }

// VMinModeF32 is v_min_f32.
func VMinModeF32(s0, s1 float32, mode uint32) float32 {
	switch {
	case ieee(mode):
		return VMinF32(s0, s1)
	case s0 != s0:
		return s1
	case s1 != s1:
		return s0
	}
	return MinF32(s0, s1)
}

// VMaxModeF32 is v_max_f32.
func VMaxModeF32(s0, s1 float32, mode uint32) float32 {
	switch {
	case ieee(mode):
		return VMaxF32(s0, s1)
	case s0 != s0:
		return s1
	case s1 != s1:
		return s0
	}
	return MaxF32(s0, s1)
}

// VMinModeF64 is v_min_f64.
func VMinModeF64(s0, s1 float64, mode uint32) float64 {
	switch {
	case ieee(mode):
		return VMinF64(s0, s1)
	case s0 != s0:
		return s1
	case s1 != s1:
		return s0
	}
	return MinF64(s0, s1)
}

// VMaxModeF64 is v_max_f64.
func VMaxModeF64(s0, s1 float64, mode uint32) float64 {
	switch {
	case ieee(mode):
		return VMaxF64(s0, s1)
	case s0 != s0:
		return s1
	case s1 != s1:
		return s0
	}
	return MaxF64(s0, s1)
}

// VMinModeF16 is v_min_f16.
func VMinModeF16(s0, s1 uint16, mode uint32) uint16 {
	switch {
	case ieee(mode):
		return VMinF16(s0, s1)
	case IsNaNF16(s0):
		return s1
	case IsNaNF16(s1):
		return s0
	}
	return MinF16(s0, s1)
}

// VMaxModeF16 is v_max_f16.
func VMaxModeF16(s0, s1 uint16, mode uint32) uint16 {
	switch {
	case ieee(mode):
		return VMaxF16(s0, s1)
	case IsNaNF16(s0):
		return s1
	case IsNaNF16(s1):
		return s0
	}
	return MaxF16(s0, s1)
}

// VMin3ModeF32 is v_min3_f32.
func VMin3ModeF32(s0, s1, s2 float32, mode uint32) float32 {
	return VMinModeF32(VMinModeF32(s0, s1, mode), s2, mode)
}

// VMax3ModeF32 is v_max3_f32.
func VMax3ModeF32(s0, s1, s2 float32, mode uint32) float32 {
	return VMaxModeF32(VMaxModeF32(s0, s1, mode), s2, mode)
}

// VMed3ModeF32 is v_med3_f32, see [VMed3F32].
func VMed3ModeF32(s0, s1, s2 float32, mode uint32) float32 {
	if s0 != s0 || s1 != s1 || s2 != s2 {
		return VMin3ModeF32(s0, s1, s2, mode)
	}
	return VMed3F32(s0, s1, s2)
}
