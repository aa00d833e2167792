package diag

// staticCodes are about what a check finds without running a kernel.
func staticCodes() []Code {
	return []Code{
		{
			Code: "not-followed", Class: Finding, Severity: Warning,
			Doc:    "A static check cannot follow control to an address that it does not know, so that what comes after is not checked; or, as a note, says what it takes for granted: which places a computed branch may go to, or that a flat instruction does not address LDS.",
			Remedy: "Branch to labels, or call functions through s_getpc_b64 and constants; or run the kernel, which knows addresses.",
		},
	}
}
