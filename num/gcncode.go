package num

// CodeIndex is the number of the instruction's dword at an address, in code that
// starts at base: a great number for addresses before it and misaligned ones.
func CodeIndex(address, base uint64) uint32 {
	d := address - base
	if d&3 != 0 || d>>33 != 0 {
		return 0xffffffff
	}
	return uint32(d >> 2)
}
