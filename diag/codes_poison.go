package diag

// poisonCodes are about undefined bits that reach an effect.
func poisonCodes() []Code {
	const from = " Bits are undefined in registers and in shared, private and allocated memory that were never written, in buffers that are given without contents, and in results that the manual leaves undefined. " +
		"They are followed bit by bit through arithmetic, memory and other lanes; a value that does not depend on them is not reported."
	const load = "\t.reg .b64 %d<3>;\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tld.param.u64 %d1, [a];\n\tld.global.u32 %r1, [%d1];\n"
	example := func(rest string) string {
		return "crosslane check k.ptx --grid 1 --block 32 --arg a:u32[32]" + ptxFile(".param .u64 a", load+rest)
	}
	return []Code{
		{
			Code: "poison-branch", Class: Finding, Severity: Error,
			Doc:     "Undefined bits decide the path of lanes: a branch, an exit, the guard of a store, the count of a barrier, EXEC." + from,
			Remedy:  "Give the value a defined value on every path that leads here.",
			Example: example("\tsetp.eq.u32 %p, %r1, 3;\n\t@%p bra e;\n\tmov.u32 %r2, 1;\ne:\n\tret;"),
		},
		{
			Code: "poison-address", Class: Finding, Severity: Error,
			Doc:     "An address, a size or an argument of a service of the runtime has undefined bits." + from,
			Remedy:  "Write the values from which the address is computed before it is used.",
			Example: example("\tand.b32 %r1, %r1, 28;\n\tcvt.u64.u32 %d2, %r1;\n\tadd.u64 %d2, %d2, %d1;\n\tld.global.u32 %r2, [%d2];\n\tret;"),
		},
		{
			Code: "poison-store", Class: Finding, Severity: Error,
			Doc:     "Undefined bits are stored to a buffer of the launch, where the caller sees them." + from,
			Remedy:  "Store only what has been written or computed from defined values.",
			Example: example("\tst.global.u32 [%d1], %r1;\n\tret;"),
		},
		{
			Code: "poison-trap", Class: Finding, Severity: Error,
			Doc:     "Whether a trap or another fault of the kernel's own happens depends on undefined bits." + from,
			Remedy:  "Give the value that is tested a defined value.",
			Example: example("\tsetp.eq.u32 %p, %r1, 3;\n\t@%p trap;\n\tret;"),
		},
		{
			Code: "never-written", Class: Finding, Severity: Note,
			Doc:     "A kernel wrote some elements of a buffer that was given without contents. The other elements hold their old contents after the launch. Three mistakes look like this: a grid that is too small for the data, a bound that is off by one, a tail without code of its own. There is no such note for a buffer that the kernel did not write at all (it may be an input), for one that it also reads (it may hold intermediate results), or for one to which it stores undefined bits, which is an error already; nor after a launch with errors.",
			Remedy:  "Launch as many lanes as there are elements, or let each lane go on with the next ones; give the buffer contents, as =zero, if the rest is meant to stay.",
			Example: "crosslane check k.ptx --grid 1 --block 32 --arg o:u32[40]" + ptxFile(".param .u64 o", "\t.reg .b64 %d<4>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [o];\n\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %d2, %r1, 4;\n\tadd.s64 %d3, %d1, %d2;\n\tst.global.u32 [%d3], %r1;\n\tret;"),
		},
	}
}
