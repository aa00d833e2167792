package asm

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// alignDirective handles .p2align N[, FILL[, MAX]] and .balign BYTES[, FILL[, MAX]]. Code is filled
// with s_nop 0.
func alignDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	n, ok := a.numberArg(st, s, name)
	if !ok {
		return
	}
	power := strings.HasPrefix(name, ".p2")
	switch {
	case power && (n < 0 || n > 16):
		a.errorf(st, col, CodeDirective, "%s: %d, expected 0 to 16", name, n)
		return
	case power:
		n = 1 << n
	case n == 0:
		n = 1
	case n < 0 || n > 1<<16 || n&(n-1) != 0:
		a.errorf(st, col, CodeDirective, "%s: %d, expected a power of two up to 65536", name, n)
		return
	}
	fill, limit := int64(0), int64(math.MaxInt64)
	filled := false
	if s.take(',') {
		if c := s.peek(); c != ',' && c != 0 {
			if fill, ok = a.numberArg(st, s, name); !ok {
				return
			}
			filled = true
		}
		if s.take(',') {
			if limit, ok = a.numberArg(st, s, name); !ok {
				return
			}
		}
	}
	a.done(st, s, name)
	width := 1
	if strings.HasSuffix(name, "l") {
		width = 4
	} else if strings.HasSuffix(name, "w") {
		width = 2
	}
	if strings.HasSuffix(name, "balign") || strings.HasSuffix(name, "p2align") || name == ".align" {
		width = 1
	}
	sec := &a.obj.Sections[a.cur]
	pad := int(-a.here() & uint64(n-1))
	sec.Align = max(sec.Align, uint64(n))
	if int64(pad) > limit {
		return
	}
	b := make([]byte, pad)
	switch {
	case sec.Flags&shfExec != 0 && !filled:
		for i := pad % 4; i < pad; i += 4 {
			binary.LittleEndian.PutUint32(b[i:], nopWord)
		}
	case pad%width != 0:
		a.errorf(st, col, CodeDirective, "%s: %d bytes to fill, expected a multiple of %d", name, pad, width)
		return
	default:
		for i := 0; i < pad; i += width {
			putInt(b[i:], width, fill)
		}
	}
	a.data(st, b)
}

// nopWord is s_nop 0.
const nopWord = 0xbf800000

// intDirective writes integers: numbers, or expressions that are resolved later.
func intDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	size := map[string]int{
		".byte": 1, ".dc.b": 1, ".short": 2, ".hword": 2, ".half": 2, ".value": 2, ".2byte": 2, ".dc.w": 2,
		".quad": 8, ".8byte": 8, ".dc.a": 8, ".dc": 2,
	}[name]
	if size == 0 {
		size = 4 // .long .int .word .4byte .dc.l
	}
	for !s.end() {
		x, err := a.parseExpr(s)
		if err != nil {
			a.errorf(st, err.col, CodeDirective, "%s: %s", name, err.msg)
			return
		}
		var b [8]byte
		if v, err := a.eval(x); err == nil && v.absolute() {
			if !fitsBytes(v.off, size) {
				a.errorf(st, x.col, CodeDirective, "%s: %d does not fit %s", name, v.off, diag.Count(size, "byte"))
				return
			}
			putInt(b[:], size, v.off)
		} else if a.obj.Sections[a.cur].Type != shtNoBits {
			a.fixups = append(a.fixups, fixup{st: st, section: a.cur, off: a.here(), size: size, x: x})
		}
		a.data(st, b[:size])
		if !s.take(',') {
			break
		}
	}
	a.done(st, s, name)
}

// octaDirective writes integers of 128 bits.
func octaDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	for !s.end() {
		col := s.skip()
		for s.pos < len(s.s) && identByte(s.s[s.pos]) {
			s.pos++
		}
		hi, lo, ok := parse128(s.s[col:s.pos])
		if !ok {
			a.errorf(st, col, CodeDirective, ".octa: expected a number of 128 bits")
			return
		}
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:], lo)
		binary.LittleEndian.PutUint64(b[8:], hi)
		a.data(st, b[:])
		if !s.take(',') {
			break
		}
	}
	a.done(st, s, name)
}

// parse128 reads an integer of 128 bits, decimal or hexadecimal.
func parse128(t string) (hi, lo uint64, ok bool) {
	if hex, isHex := strings.CutPrefix(t, "0x"); isHex && hex != "" && len(hex) <= 32 {
		for i := range len(hex) {
			d := hexDigit(hex[i])
			if d < 0 {
				return 0, 0, false
			}
			hi, lo = hi<<4|lo>>60, lo<<4|uint64(d)
		}
		return hi, lo, true
	}
	lo, err := strconv.ParseUint(t, 0, 64)
	return 0, lo, err == nil
}

// floatDirective writes floating-point numbers.
func floatDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	for !s.end() {
		col := s.skip()
		for s.pos < len(s.s) && s.s[s.pos] != ',' && !isSpace(s.s[s.pos]) {
			s.pos++
		}
		b, bad := floatBytes(s.s[col:s.pos], floatSize(name))
		if bad != "" {
			a.errorf(st, col, CodeDirective, "%s: %s", name, bad)
			return
		}
		a.data(st, b)
		if !s.take(',') {
			break
		}
	}
	a.done(st, s, name)
}

func floatSize(name string) int {
	if name == ".double" || strings.HasSuffix(name, ".d") {
		return 64
	}
	return 32
}

// floatBytes returns a number in IEEE's format. A NaN has all bits of its fraction set, as in LLVM.
func floatBytes(text string, size int) (b []byte, bad string) {
	f, err := strconv.ParseFloat(text, size)
	if err != nil || strings.Contains(text, "_") {
		return nil, fmt.Sprintf("%.40q is not a number of %d bits", text, size)
	}
	bits, bits32 := math.Float64bits(f), math.Float32bits(float32(f))
	if math.IsNaN(f) {
		bits, bits32 = math.MaxInt64, math.MaxInt32
	}
	if size == 32 {
		return binary.LittleEndian.AppendUint32(nil, bits32), ""
	}
	return binary.LittleEndian.AppendUint64(nil, bits), ""
}

// repeatedDirective handles .dcb.SIZE COUNT, VALUE.
func repeatedDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	n, ok := a.numberArg(st, s, name)
	if ok && !s.take(',') {
		a.errorf(st, s.pos, CodeDirective, "%s: expected a comma and a value", name)
		return
	}
	if !ok {
		return
	}
	var b []byte
	if name == ".dcb.s" || name == ".dcb.d" {
		text, bad := s.rest(), ""
		at := s.pos
		if b, bad = floatBytes(text, floatSize(name)); bad != "" {
			a.errorf(st, at, CodeDirective, "%s: %s", name, bad)
			return
		}
		s.pos = len(s.s)
	} else {
		size := map[string]int{".dcb.b": 1, ".dcb.l": 4}[name]
		if size == 0 {
			size = 2
		}
		at := s.skip()
		v, ok := a.numberArg(st, s, name)
		if !ok {
			return
		}
		if !fitsBytes(v, size) {
			a.errorf(st, at, CodeDirective, "%s: %d does not fit %s", name, v, diag.Count(size, "byte"))
			return
		}
		b = make([]byte, size)
		putInt(b, size, v)
	}
	a.done(st, s, name)
	a.repeatBytes(st, col, name, n, b)
}

// emptyDirective handles .ds.SIZE COUNT, which writes zeros.
func emptyDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	size := map[string]int{".ds.b": 1, ".ds.l": 4, ".ds.s": 4, ".ds.d": 8, ".ds.p": 12, ".ds.x": 12}[name]
	if size == 0 {
		size = 2 // .ds, .ds.w
	}
	n, ok := a.numberArg(st, s, name)
	if !ok {
		return
	}
	a.done(st, s, name)
	a.repeatBytes(st, col, name, n, make([]byte, size))
}

// base64Directive writes the bytes of strings in base 64.
func base64Directive(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	for {
		col := s.skip()
		text, bad := a.stringArg(s)
		if bad != "" {
			a.errorf(st, col, CodeDirective, "%s: %s", name, bad)
			return
		}
		b, err := base64.StdEncoding.Strict().DecodeString(string(text))
		if err != nil {
			a.errorf(st, col, CodeDirective, "%s: %.40q is not base 64", name, text)
			return
		}
		a.data(st, b)
		if !s.take(',') {
			break
		}
	}
	a.done(st, s, name)
}

// stringArg consumes a string literal.
func (a *assembler) stringArg(s *cursor) ([]byte, string) {
	if s.peek() != '"' {
		return nil, "expected a string in double quotes"
	}
	i := s.pos
	s.pos = stringEnd(s.s, i)
	return unquote(s.s[i:s.pos])
}

// stringDirective writes strings, with a zero byte after each for .asciz and .string.
func stringDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	for !s.end() {
		col := s.skip()
		b, bad := a.stringArg(s)
		if bad != "" {
			a.errorf(st, col, CodeDirective, "%s: %s", name, bad)
			return
		}
		if name != ".ascii" {
			b = append(b, 0)
		}
		a.data(st, b)
		if !s.take(',') && !(name == ".ascii" && s.peek() == '"') {
			break
		}
	}
	a.done(st, s, name)
}

// spaceDirective handles .zero N and .skip N[, FILL].
func spaceDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	n, ok := a.numberArg(st, s, name)
	fill := int64(0)
	if ok && s.take(',') {
		fill, ok = a.numberArg(st, s, name)
	}
	if !ok {
		return
	}
	a.done(st, s, name)
	a.repeatBytes(st, col, name, n, []byte{byte(fill)})
}

// repeatBytes writes n copies of b.
func (a *assembler) repeatBytes(st *statement, col int, name string, n int64, b []byte) {
	if n < 0 {
		a.errorf(st, col, CodeDirective, "%s: the count %d is negative", name, n)
		return
	}
	if n > maxSection {
		a.limit(st, "%s: the count %d is more than %d", name, n, maxSection)
	}
	if a.obj.Sections[a.cur].Type == shtNoBits && allZero(b) {
		if n*int64(len(b)) > maxSection {
			a.limit(st, "%s: section %s has more than %d bytes", name, a.obj.Sections[a.cur].Name, maxSection)
		}
		a.room(st, uint64(n)*uint64(len(b)))
		a.obj.Sections[a.cur].Size += uint64(n) * uint64(len(b))
		return
	}
	a.room(st, uint64(n)*uint64(len(b)))
	a.data(st, bytes.Repeat(b, int(n)))
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// fillDirective handles .fill COUNT[, SIZE[, VALUE]]. At most 4 bytes of each element hold the
// value, the rest is zero, as in LLVM and GNU as.
func fillDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	n, ok := a.numberArg(st, s, name)
	size, v := int64(1), int64(0)
	if ok && s.take(',') {
		size, ok = a.numberArg(st, s, name)
	}
	if ok && s.take(',') {
		v, ok = a.numberArg(st, s, name)
	}
	if !ok {
		return
	}
	a.done(st, s, name)
	if size < 0 {
		a.errorf(st, col, CodeDirective, ".fill: elements of %d bytes, expected 0 to 8", size)
		return
	}
	if size > 8 {
		a.warnf(st, col, ".fill: elements of %d bytes, of which 8 are put", size)
		size = 8
	}
	b := make([]byte, size)
	putInt(b, int(min(size, 4)), v)
	a.repeatBytes(st, col, name, n, b)
}

// orgDirective handles .org EXPRESSION[, FILL].
func orgDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	x, err := a.parseExpr(s)
	var v value
	if err == nil {
		v, err = a.eval(x)
	}
	if err != nil {
		a.errorf(st, err.col, CodeDirective, ".org: %s", err.msg)
		return
	}
	fill := int64(0)
	if s.take(',') {
		fill, _ = a.numberArg(st, s, name)
	}
	a.done(st, s, name)
	if !v.absolute() && (!v.address || v.sect != a.cur || v.less) {
		a.errorf(st, col, CodeDirective, ".org: expected a place in this section%s", v.because())
		return
	}
	if v.off < int64(a.here()) {
		a.errorf(st, col, CodeDirective, ".org: %d lies before the place %d", v.off, a.here())
		return
	}
	a.repeatBytes(st, col, name, v.off-int64(a.here()), []byte{byte(fill)})
}

// lebDirective writes numbers in LEB128.
func lebDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	for !s.end() {
		v, ok := a.numberArg(st, s, name)
		if !ok {
			return
		}
		var b []byte
		for {
			c := byte(v & 0x7f)
			sign := c&0x40 != 0
			if name == ".sleb128" {
				v >>= 7
			} else {
				v = int64(uint64(v) >> 7)
			}
			last := v == 0 && !(sign && name == ".sleb128") || v == -1 && sign && name == ".sleb128"
			if !last {
				c |= 0x80
			}
			if b = append(b, c); last {
				break
			}
		}
		a.data(st, b)
		if !s.take(',') {
			break
		}
	}
	a.done(st, s, name)
}
