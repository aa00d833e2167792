package crosslane

import "example.org/crosslane/internal/fix"

// FixWaits inserts missing s_nop and s_waitcnt into GCN3 assembly text. The wait goes right before
// the instruction that comes too early, or before the loop around it if the other instruction of
// the hazard is outside the loop. If an s_nop or s_waitcnt is there already, it is made longer
// instead. No other text changes. In a text without kernels and functions the code is followed from
// its start and from labels. A code object has no text to fix, which is an error of class Input;
// other errors are those of Load or CheckStatic.
func FixWaits(src []byte, file string, o FixOptions) (*FixResult, error) {
	return fix.FixWaits(src, file, o)
}

// ProposeFixes makes the changes that findings about PTX text propose: those of loading it and of
// the check without a launch. They are proposals: the author's intention may differ, and the text
// may behave differently. Edits name whole lines; Left are findings that propose no change. The
// error is that of Load.
func ProposeFixes(src []byte, file string) (*FixResult, error) { return fix.ProposeFixes(src, file) }
