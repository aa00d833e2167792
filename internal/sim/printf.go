package sim

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// maxPrintfArgs is how many arguments printf takes beside the format. Further arguments are ignored, and
// their specifiers are printed as they are (CUDA C++ Programming Guide, "Formatted Output").
const maxPrintfArgs = 32

// printf prints as C does. The arguments lie in memory as C passes them to a variadic function: 4 bytes, or
// 8 bytes aligned to 8. The result is the number of arguments that were used; -1 without a format.
func (c *hostCall) printf(format, args uint64) uint64 {
	if format == 0 {
		return math.MaxUint32
	}
	src := &printArgs{c: c, args: args, ptr: 4}
	if c.w.Func.Val(c.in.Args[0]).Type.Bytes() == 8 {
		src.ptr = 8
	}
	f := formatter{args: src}
	f.format(c.text(format))
	if c.fault != nil {
		return 0
	}
	if c.loose {
		c.w.reachText(c.in.Pos, c.lane, c.at)
	}
	if fault := c.w.print(f.out); fault != nil {
		fault.Pos, fault.Lanes = c.in.Pos, 1<<uint(c.lane)
		c.fault = fault
	}
	return uint64(src.used)
}

// A formatter carries out one printf.
//
// Input: a format and an argSource.
// Output: the text in out.
// Example: "%5.2f|%v4d" of OpenCL prints a padded float and four comma-separated integers.
type formatter struct {
	args argSource
	out  []byte
}

// An argSource gives a formatter the arguments, one after another.
type argSource interface {
	left() bool                     // there is another argument, or an absent one prints as a value
	integer(sp *spec) (uint64, int) // the value, and its size in bytes
	real() float64
	text(sp *spec) (s []byte, null bool)
	pointer() uint64
	star() int         // a width or precision
	vector(n int) bool // begins a vector of n elements; false: there are no vectors
	stop() bool        // printing has to end
	mark() int         // how many arguments were taken
	reset(m int)       // forgets all arguments after the first m
}

// printArgs are arguments in the guest's memory, as C passes them.
type printArgs struct {
	c    *hostCall
	args uint64 // address of the next argument
	ptr  uint64 // bytes of a pointer
	used int
}

// arg reads the next argument of 4 or 8 bytes.
func (f *printArgs) arg(size uint64) uint64 {
	f.used++
	f.args = alignUp(f.args, size)
	d := f.c.memory(f.args, size, false)
	f.c.look(f.args, size)
	f.args += size
	switch {
	case d == nil:
		return 0
	case size == 4:
		return uint64(binary.LittleEndian.Uint32(d))
	}
	return binary.LittleEndian.Uint64(d)
}

func (f *printArgs) left() bool      { return f.used < maxPrintfArgs }
func (f *printArgs) stop() bool      { return f.c.fault != nil }
func (f *printArgs) mark() int       { return f.used }
func (f *printArgs) reset(m int)     { f.used = max(f.used, m) }
func (f *printArgs) star() int       { return int(int32(f.arg(4))) }
func (f *printArgs) vector(int) bool { return false }
func (f *printArgs) pointer() uint64 { return f.arg(f.ptr) }
func (f *printArgs) real() float64   { return math.Float64frombits(f.arg(8)) }

func (f *printArgs) integer(sp *spec) (uint64, int) {
	wide := 4
	switch sp.size {
	case "l", "ll", "j", "z", "t":
		wide = 8
		if f.ptr == 4 && (sp.size == "z" || sp.size == "t") {
			wide = 4
		}
	}
	return f.arg(uint64(wide)), wide
}

func (f *printArgs) text(sp *spec) ([]byte, bool) {
	a := f.pointer()
	switch {
	case a == 0:
		return nil, true
	case sp.prec == 0:
		return nil, false
	case sp.prec > 0:
		return f.c.someText(a, uint64(sp.prec)), false
	}
	return f.c.text(a), false
}

// spec is a conversion specification.
type spec struct {
	minus, plus, space, alt, zero bool
	width                         int
	prec                          int // -1: none
	size                          string
	verb                          byte
}

// maxField bounds a width or precision, because it may come from the guest.
const maxField = 1 << 16

// format prints a format with its arguments.
func (f *formatter) format(s []byte) {
	for len(s) > 0 && !f.args.stop() && len(f.out) <= blockOutput {
		i := bytes.IndexByte(s, '%')
		if i < 0 {
			f.out = append(f.out, s...)
			return
		}
		f.out = append(f.out, s[:i]...)
		s = s[i:]
		n := f.one(s)
		s = s[n:]
	}
}

// one handles the specification that s begins with and returns its length.
func (f *formatter) one(s []byte) int {
	sp := spec{prec: -1}
	i := 1
	at := func() byte {
		if i < len(s) {
			return s[i]
		}
		return 0
	}
flags:
	for ; ; i++ {
		switch at() {
		case '-':
			sp.minus = true
		case '+':
			sp.plus = true
		case ' ':
			sp.space = true
		case '#':
			sp.alt = true
		case '0':
			sp.zero = true
		default:
			break flags
		}
	}
	before := f.args.mark()
	number := func() int {
		if at() == '*' {
			i++
			if !f.args.left() {
				return 0
			}
			return f.args.star()
		}
		n := 0
		for at() >= '0' && at() <= '9' {
			n = min(10*n+int(at()-'0'), maxField)
			i++
		}
		return n
	}
	sp.width = number()
	if sp.width < 0 {
		sp.minus, sp.width = true, -max(sp.width, -maxField)
	}
	sp.width = min(sp.width, maxField)
	if at() == '.' {
		i++
		if sp.prec = min(number(), maxField); sp.prec < 0 {
			sp.prec = -1
		}
	}
	elems := 0
	if at() == 'v' { // OpenCL C 6.15.14.2: a vector
		for j := i + 1; j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '9'; j++ {
			elems = 10*elems + int(s[j]-'0')
		}
		switch elems {
		case 2, 3, 4, 8, 16:
			i += len(strconv.Itoa(elems)) + 1
		default:
			elems = 0
		}
	}
	for strings.IndexByte("hljztL", at()) >= 0 && at() != 0 {
		if len(sp.size) < 3 { // no modifier is longer
			sp.size += string(rune(at()))
		}
		i++
	}
	sp.verb = at()
	if sp.verb == 0 {
		f.out = append(f.out, s[:i]...)
		return i
	}
	i++
	switch {
	case sp.verb == '%':
		f.out = append(f.out, '%')
	case !f.args.left() || elems > 0 && !f.args.vector(elems) || !f.convert(&sp):
		f.args.reset(before)
		f.out = append(f.out, s[:i]...)
	default:
		for range elems - 1 {
			f.out = append(f.out, ',')
			f.convert(&sp)
		}
	}
	return i
}

// convert prints one argument. It returns false if the conversion does not exist.
func (f *formatter) convert(sp *spec) bool {
	switch sp.verb {
	case 'd', 'i':
		bits, wide := f.args.integer(sp)
		v := int64(bits)
		switch {
		case sp.size == "h":
			v = int64(int16(v))
		case sp.size == "hh":
			v = int64(int8(v))
		case wide == 4:
			v = int64(int32(v))
		}
		mag := uint64(v)
		if v < 0 {
			mag = -mag
		}
		f.number(sp, sign(sp, v < 0), digits(sp, mag, 10))
	case 'u', 'o', 'x', 'X':
		v, _ := f.args.integer(sp)
		switch sp.size {
		case "h":
			v = uint64(uint16(v))
		case "hh":
			v = uint64(uint8(v))
		}
		base, prefix := 10, ""
		switch sp.verb {
		case 'o':
			base = 8
		case 'x', 'X':
			base = 16
			if sp.alt && v != 0 {
				prefix = "0" + string(rune(sp.verb))
			}
		}
		d := digits(sp, v, base)
		if base == 8 && sp.alt && !strings.HasPrefix(d, "0") {
			d = "0" + d
		}
		if sp.verb == 'X' {
			d = strings.ToUpper(d)
		}
		f.number(sp, prefix, d)
	case 'c':
		f.pad(sp, "", string([]byte{byte(f.char())}), false)
	case 's':
		f.str(sp)
	case 'p':
		v := f.args.pointer()
		if v == 0 {
			f.pad(sp, "", "(nil)", false)
		} else {
			f.pad(sp, sign(sp, false)+"0x", strconv.FormatUint(v, 16), sp.zero && !sp.minus)
		}
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		f.float(sp, f.args.real())
	default:
		return false
	}
	return true
}

// char returns the argument of %c, an int.
func (f *formatter) char() uint64 {
	v, _ := f.args.integer(&spec{})
	return v
}

// str prints a string argument.
func (f *formatter) str(sp *spec) {
	s, null := f.args.text(sp)
	if null {
		s = []byte("(null)")
		if sp.prec >= 0 && sp.prec < len(s) {
			s = nil // as the C library of GNU does
		}
	}
	f.pad(sp, "", string(s), false)
}

// sign returns the sign of a number under the flags.
func sign(sp *spec, negative bool) string {
	switch {
	case negative:
		return "-"
	case sp.plus:
		return "+"
	case sp.space:
		return " "
	}
	return ""
}

// digits returns the digits of an integer, at least as many as the precision demands; none for 0 with
// precision 0 (C11 7.21.6.1).
func digits(sp *spec, v uint64, base int) string {
	if v == 0 && sp.prec == 0 {
		return ""
	}
	d := strconv.FormatUint(v, base)
	if n := sp.prec - len(d); n > 0 {
		d = strings.Repeat("0", n) + d
	}
	return d
}

// number prints an integer. Zeros fill the width unless there is a precision.
func (f *formatter) number(sp *spec, prefix, d string) {
	f.pad(sp, prefix, d, sp.zero && !sp.minus && sp.prec < 0)
}

// pad prints prefix and body, and fills up to the width.
func (f *formatter) pad(sp *spec, prefix, body string, zeros bool) {
	n := max(0, sp.width-len(prefix)-len(body))
	switch {
	case sp.minus:
		f.out = append(f.out, prefix+body+strings.Repeat(" ", n)...)
	case zeros:
		f.out = append(f.out, prefix+strings.Repeat("0", n)+body...)
	default:
		f.out = append(f.out, strings.Repeat(" ", n)+prefix+body...)
	}
}

// float prints a floating-point number.
func (f *formatter) float(sp *spec, x float64) {
	upper := sp.verb < 'a'
	verb := sp.verb | 0x20
	prefix := sign(sp, math.Signbit(x))
	var body string
	zeros := sp.zero && !sp.minus
	switch mag := math.Abs(x); {
	case math.IsNaN(x):
		body, zeros = "nan", false
	case math.IsInf(x, 0):
		body, zeros = "inf", false
	case verb == 'a':
		prefix += "0x"
		body = hexFloat(sp, mag)
	default:
		body = decimal(sp, verb, mag)
	}
	if upper {
		prefix, body = strings.ToUpper(prefix), strings.ToUpper(body)
	}
	f.pad(sp, prefix, body, zeros)
}

// decimal formats a finite number that is not negative by %e, %f or %g.
func decimal(sp *spec, verb byte, x float64) string {
	prec := sp.prec
	if prec < 0 {
		prec = 6
	}
	if verb != 'g' {
		s := strconv.FormatFloat(x, verb, prec, 64)
		if sp.alt && prec == 0 {
			s = withPoint(s)
		}
		return s
	}
	// C11 7.21.6.1: P significant digits. X is the exponent of style e; if P > X >= -4, style f is used.
	// Without #, zeros at the end are dropped.
	prec = max(prec, 1)
	s := strconv.FormatFloat(x, 'e', prec-1, 64)
	mant, exp, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exp)
	if prec > e && e >= -4 {
		mant, exp = strconv.FormatFloat(x, 'f', prec-1-e, 64), ""
	} else {
		exp = "e" + exp
	}
	if sp.alt {
		return withPoint(mant) + exp
	}
	if strings.IndexByte(mant, '.') >= 0 {
		mant = strings.TrimSuffix(strings.TrimRight(mant, "0"), ".")
	}
	return mant + exp
}

// withPoint adds a decimal point to a number without one.
func withPoint(s string) string {
	m, exp, ok := strings.Cut(s, "e")
	if strings.IndexByte(m, '.') < 0 {
		m += "."
	}
	if ok {
		m += "e" + exp
	}
	return m
}

// hexFloat formats by %a without its 0x, as the C library of GNU does: subnormal numbers begin with 0.
func hexFloat(sp *spec, x float64) string {
	bits := math.Float64bits(x)
	exp, frac, lead := int(bits>>52&0x7ff)-1023, bits&(1<<52-1), uint64(1)
	switch {
	case x == 0:
		exp, lead = 0, 0
	case exp == -1023:
		exp, lead = -1022, 0
	}
	var d string
	if sp.prec >= 0 && sp.prec < 13 {
		drop := uint(52 - 4*sp.prec)
		whole := lead<<52 | frac
		rest, half := whole&(1<<drop-1), uint64(1)<<(drop-1)
		whole >>= drop
		if rest > half || rest == half && whole&1 != 0 {
			whole++
		}
		lead = whole >> uint(4*sp.prec)
		d = hexDigits(whole&(1<<uint(4*sp.prec)-1), sp.prec)
	} else {
		d = hexDigits(frac, 13)
		if sp.prec < 0 {
			d = strings.TrimRight(d, "0")
		} else {
			d += strings.Repeat("0", sp.prec-13)
		}
	}
	s := strconv.FormatUint(lead, 10)
	if d != "" || sp.alt {
		s += "." + d
	}
	return s + "p" + string("+-"[b2i(exp < 0)]) + strconv.Itoa(max(exp, -exp))
}

// hexDigits returns the lowest n hexadecimal digits of v.
func hexDigits(v uint64, n int) string {
	if n == 0 {
		return ""
	}
	s := strconv.FormatUint(v, 16)
	return strings.Repeat("0", n-len(s)) + s
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
