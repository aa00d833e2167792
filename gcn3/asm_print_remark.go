package gcn3

import (
	"errors"

	"example.org/crosslane/diag"
)

// remark says why the dword at the start of b stands as a number among instructions, as a comment
// behind it: the decoder's own reason, which `dis --hex` prints, too. It is "" where the dword is
// a number because a symbol or a relocation stands inside the instruction, and of a dword 0: that is
// padding, of which there may be much.
func remark(b []byte) string {
	if [4]byte(b) == [4]byte{} {
		return ""
	}
	var d *diag.Diagnostic
	if _, _, err := Decode(b); !errors.As(err, &d) {
		return ""
	}
	return "\t// " + d.Message
}
