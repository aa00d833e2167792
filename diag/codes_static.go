package diag

// staticCodes are about what a check finds without running a kernel.
func staticCodes() []Code {
	return []Code{
		{
			Code: "not-followed", Class: Finding, Severity: Warning,
			Doc:     "A static check cannot follow control to an address that it does not know, so that what comes after is not checked; or, as a note, says what it takes for granted: which places a computed branch may go to, or that a flat instruction does not address LDS.",
			Remedy:  "Branch to labels, or call functions through s_getpc_b64 and constants; or run the kernel, which knows addresses.",
			Example: "crosslane fix k.s" + staticFile("  s_setpc_b64 s[4:5]"),
		},
		{
			Code: "needless-wait", Class: Finding, Severity: Note,
			Doc:     "On no path does anything need an s_nop, or all of it; or nothing that an s_waitcnt waits for can be outstanding there. An s_waitcnt behind memory operations is never called needless, even if no register is used too early: others may look at the memory.",
			Remedy:  "Take it out, or write what the message says; crosslane fix --minimal does.",
			Example: "crosslane check --static k.s" + staticFile("  v_mov_b32 v1, v0\n  s_nop 3\n  v_mov_b32 v2, v1 row_shr:1"),
		},
		{
			Code: "not-fixable", Class: Finding, Severity: Error,
			Doc:    "crosslane fix cannot mend a missing wait in the text: the line that it belongs to is not found, or changing it does not help.",
			Remedy: "Insert what the remedy names by hand; see the lines of the text as fix left it.",
		},
		{
			Code: "fixed", Class: Finding, Severity: Note,
			Doc:     "A line that crosslane fix has inserted, changed or taken out. Lines are those of the text as it was.",
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
