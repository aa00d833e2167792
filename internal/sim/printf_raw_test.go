package sim

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestFormatRaw checks arguments as code for AMD GPUs stores them, against the results that OpenCL C
// 6.15.14 demands.
func TestFormatRaw(t *testing.T) {
	t.Parallel()
	le := binary.LittleEndian
	type arg struct {
		size int
		data []byte
	}
	i4 := func(v int32) arg { return arg{4, le.AppendUint32(nil, uint32(v))} }
	i8 := func(v int64) arg { return arg{8, le.AppendUint64(nil, uint64(v))} }
	f4 := func(v float32) arg { return arg{4, le.AppendUint32(nil, math.Float32bits(v))} }
	f8 := func(v float64) arg { return arg{8, le.AppendUint64(nil, math.Float64bits(v))} }
	for _, c := range []struct {
		format, want string
		args         []arg
		short        bool
	}{
		{"%d %i %u %x|%5d|%-5d|\n", "-1 2 4294967293 ff|    7|7    |\n", []arg{i4(-1), i4(2), i4(-3), i4(255), i4(7), i4(7)}, false},
		{"%ld %lu %lx %d", "-5 18446744073709551611 10 -6", []arg{i8(-5), i8(-5), i8(16), i8(-6)}, false},
		{"%f %.1f %e %f", "0.500000 2.2 1.000000e+03 0.333333", []arg{f4(0.5), f4(2.25), f4(1000), f8(1.0 / 3)}, false},
		{"%v4d|%v2f|%v3hhx|%v3hd", "1,-2,3,4|0.500000,-1.500000|1,2,ff|-1,2,3", []arg{
			{16, []byte{1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0, 4, 0, 0, 0}}, {8, append(f4(0.5).data, f4(-1.5).data...)},
			{4, []byte{1, 2, 255, 0}}, {8, []byte{0xff, 0xff, 2, 0, 3, 0, 0, 0}}}, false},
		{"%v2hlf %v2ld %5.1v2f", "1.000000,2.000000 -1,2   1.0,  2.0", []arg{{8, append(f4(1).data, f4(2).data...)}, {16, append(i8(-1).data, i8(2).data...)}, {8, append(f4(1).data, f4(2).data...)}}, false},
		{"%v8d %v2hf", "1,2,3,4,5,6,7,8 1.000000,-2.000000", []arg{{32, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0}}, {4, []byte{0x00, 0x3c, 0x00, 0xc0}}}, false},
		{"%s|%6s|%.2s|%c", "abc|    ab|xy|q", []arg{{4, []byte("abc\x00")}, {4, []byte("ab\x00\x00")}, {4, []byte("xyz\x00")}, i4('q')}, false},
		{"%s|%d", "text|9", []arg{{8, []byte("text\x00\x00\x00\x00")}, i4(9)}, false},
		{"%s|%d", "text|9", []arg{{8, []byte("text")}, i4(9), {0, []byte{1, 2, 3, 4}}}, true},
		{"%s|%s|%d", "abc|texttext|9", []arg{{4, []byte("abc\x00")}, {12, []byte("texttext")}, i4(9)}, true},
		{"%*d|%.*f", "   42|3.14", []arg{i4(5), i4(42), i4(2), f4(3.14159)}, false},
		{"%% %d%%", "% 3%", []arg{i4(3)}, false},
		{"%d %d", "1 %d", []arg{i4(1)}, false},
		{"%v5d %q %d", "%v5d %q 7", []arg{i4(7)}, false},
		{"%p %p", "(nil) 0x200000000", []arg{i8(0), i8(0x200000000)}, false},
		{"%v16d", "%v16d", []arg{i4(7)}, false},
	} {
		var sizes []int
		var data []byte
		for _, a := range c.args {
			if a.size > 0 {
				sizes = append(sizes, a.size)
			}
			data = append(data, a.data...)
		}
		if got, whole := FormatRaw(c.format, sizes, data, c.short); got != c.want || !whole {
			t.Errorf("%q: %q, expected %q", c.format, got, c.want)
		}
	}
}

// A short format can ask for a long text, and a long one for none.
func TestFormatRawLimits(t *testing.T) {
	t.Parallel()
	const n = 1000
	sizes := slices.Repeat([]int{4}, n)
	text, whole := FormatRaw(strings.Repeat("%65536d", n), sizes, make([]byte, 4*n), false)
	if whole || len(text) < 16<<20 || len(text) > 17<<20 {
		t.Errorf("%d bytes, whole is %v; expected 16 MiB and no more", len(text), whole)
	}
	text, whole = FormatRaw("%"+strings.Repeat("l", 4<<20)+"d", []int{4}, []byte{7, 0, 0, 0}, false)
	if text != "7" || !whole {
		t.Errorf("%.20q, whole is %v", text, whole)
	}
}

// FuzzFormatRaw checks that no format and no bytes make FormatRaw panic.
func FuzzFormatRaw(f *testing.F) {
	f.Add("%d %v4hhd %s %f %*c", []byte{4, 16, 8, 4, 1}, []byte("0123456789abcdef"), true)
	f.Fuzz(func(t *testing.T, format string, sizes, data []byte, short bool) {
		var list []int
		for _, s := range sizes {
			list = append(list, int(s))
		}
		FormatRaw(format, list, data, short)
	})
}
