package diag

// poisonCodes are about undefined bits that reach an effect.
func poisonCodes() []Code {
	const from = " Undefined are the bits of registers, shared, private and allocated memory that nobody wrote, of buffers that are given without contents, and what the manual leaves undefined; " +
		"they are followed bit by bit through arithmetic, memory and other lanes, and what does not depend on them is not reported."
	return []Code{
		{
			Code: "poison-branch", Class: Finding, Severity: Error,
			Doc:    "Undefined bits decide where lanes go: a branch, an exit, the guard of a store, the count of a barrier, EXEC." + from,
			Remedy: "Give the value a defined value on every path that leads here.",
		},
		{
			Code: "poison-address", Class: Finding, Severity: Error,
			Doc:    "An address, a size or an argument of a service of the runtime has undefined bits." + from,
			Remedy: "Write what the address is computed from before it is used.",
		},
		{
			Code: "poison-store", Class: Finding, Severity: Error,
			Doc:    "Undefined bits are stored to a buffer of the launch, where the caller sees them." + from,
			Remedy: "Store only what has been written or computed from defined values.",
		},
		{
			Code: "poison-trap", Class: Finding, Severity: Error,
			Doc:    "Whether a trap or another fault of the kernel's own happens depends on undefined bits." + from,
			Remedy: "Give the value that is tested a defined value.",
		},
	}
}
