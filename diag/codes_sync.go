package diag

// syncCodes are about lanes, warps and blocks whose order is left open.
func syncCodes() []Code {
	return []Code{
		{
			Code: "schedule-dependent", Class: Finding, Severity: Error,
			Doc: "A buffer holds another result if lanes, warps and blocks run in another order that the manual allows just as well. check runs the kernel in three orders: lowest-pc, reversed and random:1. " +
				"The message names the first element that differs, both values, and who stored them. If the kernel has atomics whose old value is used or which add floating-point numbers, or reads a clock, " +
				"the difference may be meant: then it is a note. If the first run shows errors, the others are not made: these come first.",
			Remedy: "Synchronise what is stored and read: a barrier between warps, *.sync with a full mask within a warp, atomics or several launches across blocks.",
			Example: "crosslane check k.ptx --grid 1 --block 64 --arg out:u32[1]=zero" + ptxFile(".param .u64 out",
				"\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n\tst.global.u32 [%d1], %r1;\n\tret;"),
			Section: "PTX 8 (memory consistency model); GCN3 ISA, s_barrier",
			Good: "crosslane check k.ptx --grid 1 --block 64 --arg out:u32[1]=zero" + ptxFile(".param .u64 out",
				"\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n\tred.global.max.u32 [%d1], %r1;\n\tret;"),
		},
	}
}
