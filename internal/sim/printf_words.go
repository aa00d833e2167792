package sim

import (
	"bytes"
	"encoding/binary"
	"math"
)

// FormatWords prints as printf of HIP does. The words hold the format, and then the arguments: a number or a pointer in a
// word each, a string as its characters and a zero byte, filled up to whole words, as the format is.
func FormatWords(words []uint64) []byte {
	a := &wordArgs{words: words}
	format := a.characters()
	f := formatter{args: a}
	f.format(format)
	return f.out
}

// wordArgs are arguments in words, as an argSource.
type wordArgs struct {
	words []uint64
	used  int
}

// characters takes a string.
func (a *wordArgs) characters() (s []byte) {
	for len(a.words) > 0 {
		s = binary.LittleEndian.AppendUint64(s, a.next())
		if i := bytes.IndexByte(s, 0); i >= 0 {
			return s[:i]
		}
	}
	return s
}

// next takes a word; 0 if there is none.
func (a *wordArgs) next() uint64 {
	if len(a.words) == 0 {
		return 0
	}
	v := a.words[0]
	a.words = a.words[1:]
	return v
}

func (a *wordArgs) left() bool      { return len(a.words) > 0 }
func (a *wordArgs) stop() bool      { return false }
func (a *wordArgs) mark() int       { return a.used }
func (a *wordArgs) reset(int)       {}
func (a *wordArgs) vector(int) bool { return false }
func (a *wordArgs) star() int       { a.used++; return int(int32(a.next())) }
func (a *wordArgs) pointer() uint64 { a.used++; return a.next() }
func (a *wordArgs) real() float64   { a.used++; return math.Float64frombits(a.next()) }

func (a *wordArgs) integer(sp *spec) (uint64, int) {
	a.used++
	v := a.next()
	switch sp.size {
	case "l", "ll", "j", "z", "t":
		return v, 8
	}
	return v & math.MaxUint32, 4
}

func (a *wordArgs) text(sp *spec) ([]byte, bool) {
	a.used++
	s := a.characters()
	if sp.prec >= 0 {
		s = s[:min(len(s), sp.prec)]
	}
	return s, false
}
