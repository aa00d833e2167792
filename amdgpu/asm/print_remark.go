package asm

import (
	"errors"

	"example.org/crosslane/diag"
)

// remark returns a comment with the reason why the dword at the start of b is printed as a number
// among instructions. It is the decoder's reason, which `dis --hex` prints too. remark returns ""
// if a symbol or a relocation lies inside the instruction. It also returns "" for a dword 0,
// because that is padding, which may be long.
func (p *objectPrinter) remark(b []byte) string {
	if [4]byte(b) == [4]byte{} {
		return ""
	}
	var d *diag.Diagnostic
	if _, _, err := p.chip.Decode(b); !errors.As(err, &d) {
		return ""
	}
	return "\t// " + d.Message
}
