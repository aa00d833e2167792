package num

// CodeIndex returns the number of the dword at an address, in code that starts at base. The result
// is a large number for addresses before base and misaligned ones.
func CodeIndex(address, base uint64) uint32 {
	d := address - base
	if d&3 != 0 || d>>33 != 0 {
		return 0xffffffff
	}
	return uint32(d >> 2)
}
