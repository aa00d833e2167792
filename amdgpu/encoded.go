package amdgpu

// An Encoded is one instruction with its text and its bytes, in memory order.
type Encoded struct {
	Inst   Inst
	Text   string // as Print writes it
	Bytes  []byte
	Offset uint64
	Line   int // in the source; 0 if there is none
	Col    int
	Source string // the statement
}

// DisassembleBytes decodes consecutive instructions. If bytes are no instruction, the error names
// their offset, and the instructions before them are returned too.
func DisassembleBytes(b []byte) ([]Encoded, error) {
	var out []Encoded
	for at := 0; at < len(b); {
		in, n, err := DecodeAt(b[at:], int64(at))
		if err != nil {
			return out, err
		}
		out = append(out, Encoded{Inst: in, Text: Print(&in), Bytes: b[at : at+n : at+n], Offset: uint64(at)})
		at += n
	}
	return out, nil
}
