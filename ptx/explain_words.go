package ptx

// modifierMeaning describes a modifier if its row does not; "" if the modifier speaks for itself.
func modifierMeaning(v *variant, class, m string) string {
	switch class {
	case "CmpOp":
		return "the comparison"
	case "sat":
		return "the result is clamped to its range"
	case "scope":
		return map[string]string{
			"cta": "with regard to the threads of the block", "cluster": "with regard to the threads of the cluster",
			"gpu": "with regard to all threads on the device", "sys": "with regard to all threads of the system",
		}[m]
	case "sem":
		return map[string]string{
			"relaxed": "atomic, without ordering other accesses", "acquire": "accesses after it see the released writes",
			"release": "a thread that acquires sees the accesses before it", "acq_rel": "acquire and release", "sc": "in one order for all threads",
			"weak": "for memory that no other thread accesses at the time",
		}[m]
	case "mode":
		if v.row.Do.cross == crossVote {
			return map[string]string{"all": "true if all are", "any": "true if one is", "uni": "true if all are equal"}[m]
		}
	}
	if m == "sync" && v.named("membermask") < 0 {
		return "waits for other threads"
	}
	return map[string]string{
		"rn": "round to nearest even", "rz": "round toward zero", "rm": "round toward minus infinity", "rp": "round toward plus infinity",
		"rna": "round to nearest, ties away from zero", "rs": "round up or down, as the random bits say",
		"rni": "to the nearest integer, ties to even", "rzi": "to an integer, toward zero", "rmi": "to an integer, toward minus infinity", "rpi": "to an integer, toward plus infinity",
		"ftz":   "subnormal inputs and results become zero of the same sign",
		"noftz": "subnormal inputs and results are kept",
		"sync":  "waits for the lanes of membermask", "aligned": "all threads of the warp execute this instruction together",
		"clamp": "amounts above the width count as the width", "wrap": "amounts are taken modulo the width",
		"approx": "fast approximation with the error bound of the manual", "full": "approximation over the full range",
		"NaN": "a NaN input makes the result NaN", "abs": "of absolute values", "xorsign": "the sign is the exclusive or of the inputs' signs",
		"relu": "negative results become 0, NaN the canonical NaN", "satfinite": "a value out of range becomes the greatest finite value",
		"uni": "all threads of the warp branch the same way", "volatile": "neither removed nor reordered",
		"lo": "the low half of the product", "hi": "the high half of the product", "wide": "the whole product, twice as wide",
		"cc": "writes the carry flag CC.CF", "nc": "through the read-only cache", "trans": "transposed",
		"parity": "the phase is given by its parity", "expect_tx": "the expected bytes are added to those that the phase waits for",
		"noComplete": "the arrival must not be the last one of the phase", "async": "runs in the background",
		"mbarrier::complete_tx::bytes": "the mbarrier object counts the bytes that have arrived",
		"bulk_group":                   "completion is awaited by cp.async.bulk.wait_group",
		"L2::cache_hint":               "the last operand is a cache policy", "level::cache_hint": "the last operand is a cache policy",
	}[m]
}

// operandWord describes an operand by its name in the form, for names with the same meaning in all
// rows; "" for other names.
func operandWord(v *variant, name string) string {
	switch name {
	case "dm":
		return "where to"
	case "sm":
		return "where from"
	case "size":
		return "the number of bytes"
	case "mbar":
		return "the mbarrier object"
	case "policy":
		return "a cache policy, without effect on results"
	case "hint":
		return "how long to wait at most, in nanoseconds"
	case "state":
		if v.says("parity") {
			return "the parity of the phase: 0 or 1"
		}
		return "the state that an arrival gave"
	}
	return ""
}
