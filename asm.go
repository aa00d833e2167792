package crosslane

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
)

// Assemble turns GCN3 assembly in LLVM's syntax into a finished code object that a
// loader takes. The list holds errors (then there are no bytes) and warnings.
func Assemble(src []byte, file string, o AsmOptions) ([]byte, diag.List) {
	return session.Assemble(src, file, o)
}

// AssembleInstructions assembles instructions separated by semicolons or line ends.
func AssembleInstructions(src string) ([]EncodedInst, diag.List) {
	return session.AssembleInstructions(src)
}

// Disassemble returns the text of a code object, linked or relocatable, from which Assemble makes
// the same bytes again. A relocatable file is linked first, unless it needs symbols of another
// file: then the text is for AsmOptions.Relocatable.
func Disassemble(data []byte, file string) (string, error) { return session.Disassemble(data, file) }

// DisassembleOffsets is Disassemble with a comment after each instruction that gives its offset in
// its section. Diagnostics name code that has no source by this offset.
func DisassembleOffsets(data []byte, file string) (string, error) {
	return session.DisassembleOffsets(data, file)
}

// FatPTX returns the PTX that LoadWith loads of an NVIDIA fat binary, or of a host's program or library
// that holds some; "" if data is neither. Before each of several texts stands a comment with the name
// that the text has in diagnostics. The error is a diag.List.
func FatPTX(data []byte, file string, o LoadOptions) (string, error) {
	return session.FatPTX(data, file, o)
}

// DisassembleBytes decodes machine instructions that follow each other. On an error
// the instructions before it are returned too.
func DisassembleBytes(b []byte) ([]EncodedInst, error) { return session.DisassembleBytes(b) }
