// Package request reads and writes the messages between the stand-ins for compilers, which are libraries in C, and the commands
// of Crosslane that compile for them.
//
// Input: the bytes of a message: numbers of 64 bits, the lowest byte first, and texts, which are their length and their bytes.
// Output: its numbers and texts.
// Invariant: a message that is cut off sets Bad; then all numbers are 0 and all texts are empty.
// Example: the text "ab" is 2 0 0 0 0 0 0 0 'a' 'b'.
package request

import "encoding/binary"

// A Reader takes numbers and texts from a message.
type Reader struct {
	Data []byte // what is left
	Bad  bool
}

const size = 8 // of a number

// Number takes a number.
func (r *Reader) Number() uint64 {
	if len(r.Data) < size {
		r.Bad, r.Data = true, nil
		return 0
	}
	n := binary.LittleEndian.Uint64(r.Data)
	r.Data = r.Data[size:]
	return n
}

// Text takes a text.
func (r *Reader) Text() []byte {
	n := r.Number()
	if n > uint64(len(r.Data)) {
		r.Bad, r.Data = true, nil
		return nil
	}
	t := r.Data[:n]
	r.Data = r.Data[n:]
	return t
}

// AppendNumber adds a number to a message.
func AppendNumber(data []byte, n uint64) []byte { return binary.LittleEndian.AppendUint64(data, n) }

// AppendText adds a text to a message.
func AppendText(data []byte, text string) []byte {
	return append(AppendNumber(data, uint64(len(text))), text...)
}
