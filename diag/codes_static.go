package diag

// staticCodes are about findings of a check that does not run the kernel.
func staticCodes() []Code {
	return []Code{
		{
			Code: "not-followed", Class: Finding, Severity: Warning,
			Doc:     "A static check cannot follow control to an address that it does not know, so that the code after it is not checked; or, as a note, it names its assumptions: the possible targets of a computed branch, or that a flat instruction does not address LDS.",
			Remedy:  "Branch to labels, or call functions through s_getpc_b64 and constants; or run the kernel: addresses are known in a run.",
			Example: "crosslane fix k.s" + staticFile("  s_setpc_b64 s[4:5]"),
		},
		{
			Code: "needless-wait", Class: Finding, Severity: Note,
			Doc:     "No path needs an s_nop, or its full length; or no operation that an s_waitcnt waits for can be outstanding there. An s_waitcnt after memory operations is never called needless, even if no register is used too early: other waves may read the memory.",
			Remedy:  "Remove it, or write the replacement in the message; crosslane fix --minimal does so.",
			Example: "crosslane check --static k.s" + staticFile("  v_mov_b32 v1, v0\n  s_nop 3\n  v_mov_b32 v2, v1 row_shr:1"),
		},
		{
			Code: "not-fixable", Class: Finding, Severity: Error,
			Doc:     "crosslane fix cannot insert a missing wait into the text: the line that it belongs to is not found, or changing it does not help.",
			Remedy:  "Insert the wait that the remedy names by hand, in the text as fix left it.",
			Example: "crosslane fix k.s" + staticFile("  .long 0x7e020300, 0x7e0402fa, 0xff011101"),
		},
		{
			Code: "proposed", Class: Finding, Severity: Note,
			Doc:     "A line of PTX as crosslane fix proposes it. The proposals are a unified diff on standard output; nothing is changed, unless -o names a file for the changed text.",
			Remedy:  "Check that it matches your intention, and give the diff to patch.",
			Example: "crosslane fix k.ptx" + ptxSixty("vote.ballot.b32 %r1, %p1;"),
			Good:    "crosslane fix k.ptx" + ptxSixty("vote.sync.ballot.b32 %r1, %p1, -1;"),
		},
		{
			Code: "fixed", Class: Finding, Severity: Note,
			Doc:     "A line that crosslane fix has inserted, changed or removed. Line numbers are those of the original text.",
			Remedy:  "Nothing is left to do.",
			Example: "crosslane fix k.s" + staticFile("  v_mov_b32 v1, v0\n  v_mov_b32 v2, v1 row_shr:1"),
		},
	}
}

// staticFile is an assembly file with a kernel of a few instructions.
func staticFile(text string) string {
	return "\n-- k.s --\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n" + text + "\n  s_endpgm\n" +
		".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel"
}

// ptxSixty is a kernel of the time before sm_70.
func ptxSixty(text string) string {
	return "\n-- k.ptx --\n.version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k()\n{\n\t.reg .pred %p<2>;\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, %laneid;\n\tsetp.eq.u32 %p1, %r1, 3;\n\t" + text + "\n\tret;\n}\n"
}
