package diag

// portCodes are about moving code to other targets.
func portCodes() []Code {
	return []Code{
		{
			Code: "not-on-target", Class: Finding, Severity: Error,
			Doc: "An instruction, or a modifier of it, does not exist on a target that --target names: it was removed or renamed, or belongs to one architecture only. " +
				"The source is LLVM's assembler for the newer chip (GCN3), or the manual's list of versions and targets (PTX). The rest exists there, but need not behave the same in every respect.",
			Remedy:  "Write the replacement that the finding names, or compile the source for the target.",
			Example: "crosslane check --target gfx1030 k.s" + staticFile("  v_mov_b32 v1, v0\n  s_nop 1\n  v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa"),
			Section: "PTX 11.1.2 (.target)",
			Good:    "crosslane check --target gfx1030 k.s" + staticFile("  v_mov_b32 v1, v0\n  s_nop 1\n  v_add_f32 v1, v1, v1 row_shr:1 bound_ctrl:0"),
		},
		{
			Code: "lane-count", Class: Finding, Severity: Note,
			Doc: "Code is made for waves of 32 lanes, or of 64, and the target that --target names has the other size: membermasks, ballots and masks of EXEC, widths of shuffles, " +
				"lane numbers and wave numbers computed from those of threads, instructions that reach the upper half, fragments of matrices. Such code often runs, and is wrong for half of the lanes.",
			Remedy:  "Compute with the number of lanes of the target, and make masks that wide.",
			Example: "crosslane check --target gfx90a k.ptx" + ptxFile("", "\t.reg .b32 %r<4>;\n\tmov.u32 %r1, %tid.x;\n\tand.b32 %r2, %r1, 31;\n\tshfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;\n\tret;"),
			Section: "PTX 9.7.9.6; AMDGPUUsage, wavefront size",
			Good:    "crosslane check --target gfx90a k.ptx" + ptxFile("", "\t.reg .b32 %r<4>;\n\tmov.u32 %r1, %tid.x;\n\tand.b32 %r2, %r1, 63;\n\tret;"),
		},
	}
}
