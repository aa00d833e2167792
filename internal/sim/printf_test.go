package sim

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// printed returns the text that a lane prints and the result of the call. C passes the arguments as the
// given Go values: int and uint32 in 4 bytes, int64, uint64 and float64 in 8.
func printed(t *testing.T, format string, args []any) (string, uint64, *Fault) {
	t.Helper()
	mem := NewMemory()
	var buf []byte
	put := func(v uint64, n int) {
		for len(buf)%n != 0 {
			buf = append(buf, 0xee)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		buf = append(buf, b[:n]...)
	}
	for _, a := range args {
		switch a := a.(type) {
		case int:
			put(uint64(a), 4)
		case uint32:
			put(uint64(a), 4)
		case int64:
			put(uint64(a), 8)
		case uint64:
			put(a, 8)
		case float64:
			put(math.Float64bits(a), 8)
		case string:
			put(mem.Add("string", append([]byte(a), 0)).Base, 8)
		case nil:
			put(0, 8)
		}
	}
	l := &Launch{Memory: mem}
	w := &Wave{Block: &Block{Worker: &Worker{Launch: l}}, Mem: mem, ValueFrame: ValueFrame{Func: &ir.Func{Lanes: 32, Values: []ir.Value{{}, {Type: ir.B64}}, Pos: []ir.Pos{{}}}}}
	c := hostCall{w: w, in: &ir.Inst{Op: ir.HostCall, Args: [4]ir.Ref{1, 1}}}
	w.frame = make([]uint64, 64)
	w.Base = ptrTo(w.frame)
	n := c.printf(mem.Add("format", append([]byte(format), 0)).Base, mem.Add("args", append(buf, make([]byte, 8)...)[:len(buf)]).Base)
	return string(w.out), n, c.fault
}

// TestPrintf compares with the output of the GNU C library.
func TestPrintf(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	args := func(a ...any) []any { return a }
	for _, tt := range []struct {
		format, want string
		args         []any
	}{
		{`%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|%+.0d`, `42|   42|42   |00042|+42| 42|042|     042|-042    |+`, args(42, 42, 42, 42, 42, 42, 42, 42, -42, 0)},
		{`%u|%x|%X|%#x|%#X|%o|%#o|%#.3o|%08x|%#08x|%#x`, `3000000000|ff|FF|0xff|0XFF|10|010|010|000000ff|0x0000ff|0`, args(uint32(3000000000), 255, 255, 255, 255, 8, 8, 8, 255, 255, 0)},
		{`%hd|%hhd|%hu|%hhu|%hx`, `4464|44|4464|44|2345`, args(70000, 300, 70000, 300, 0x12345)},
		{`%ld|%lld|%lu|%llx|%zu`, `-5|-1234567890123|18446744073709551615|123456789abcdef|7`, args(int64(-5), int64(-1234567890123), uint64(math.MaxUint64), int64(0x123456789abcdef), int64(7))},
		{`%d %ld %d %f`, `1 -1 2 0.500000`, args(1, int64(-1), 2, 0.5)},
		{`%c%c%5c|%-5c|`, `ab    c|d    |`, args(97, 98, 99, 100)},
		{`%f|%.2f|%10.3f|%-10.3f|%010.3f|%+f|% f|%.0f|%#.0f`, `3.141590|3.14|     3.142|3.142     |-00003.142|+1.000000| 1.000000|2|2.`, args(3.14159, 3.14159, 3.14159, 3.14159, -3.14159, 1.0, 1.0, 2.5, 2.5)},
		{`%e|%.2e|%12.3e|%E|%.0e|%#.0e`, `1.234568e+04|1.23e+04|   1.235e+04|1.000000E-10|1e+04|1.e+04`, args(12345.678, 12345.678, 12345.678, 1e-10, 12345.678, 12345.678)},
		{`%g|%g|%g|%g|%g|%.3g|%#g|%G|%g|%g`, `100000|1e+06|0.0001|1e-05|0.5|1.23e+03|1.00000|1E-10|0|1.23457e+08`, args(100000.0, 1000000.0, 0.0001, 0.00001, 0.5, 1234.5, 1.0, 1e-10, 0.0, 123456789.0)},
		{`%a|%a|%a|%a|%.0a|%.3a|%A|%a|%.1a`, `0x1p+0|0x1p-1|0x1.999999999999ap-4|0x0p+0|0x2p+0|0x1.922p+1|0X1.FF8P+7|0x0.0000000000001p-1022|0x2.0p+0`,
			args(1.0, 0.5, 0.1, 0.0, 1.5, 3.14159, 255.75, 4.9406564584124654e-324, 1.96875)},
		{`%f|%F|%e|%g|%8f|%-8f|%08f|%+f`, `inf|INF|-inf|inf|     inf|inf     |    -inf|+inf`, args(inf, inf, -inf, inf, inf, inf, -inf, inf)},
		{`%*d|%-*d|%.*f|%*.*f`, `   42|42   |3.14|   2.718`, args(5, 42, 5, 42, 2, 3.14159, 8, 3, 2.71828)},
		{`%*d|%.*d`, `42    |42`, args(-6, 42, -1, 42)},
		{`100%% %i %5.1f%%`, `100% 7  99.4%`, args(7, 99.44)},
		{`%g|%g|%g`, `1e+100|1.79769e+308|2.22507e-308`, args(1e100, math.MaxFloat64, 2.2250738585072014e-308)},
		{`%.17g|%.15g|%.1f|%.20f`, `0.10000000000000001|0.1|0.1|0.10000000000000000555`, args(0.1, 0.1, 0.05, 0.1)},
		{`%5.3u|%-7.4x|%+5d|%+05d|% 05d`, `  007|00ab   |   +3|+0003| 0003`, args(7, 0xab, 3, 3, 3)},
		{`[%s|%5s|%-5s|%.2s|%s|%.0s]`, `[abc|   ab|ab   |xy|(null)|]`, args("abc", "ab", "ab", "xyz", nil, "q")},
		{`%p %p`, `0x1234 (nil)`, args(uint64(0x1234), nil)},
		{`no arguments`, `no arguments`, nil},
		// The C library has no rule here: a conversion that does not exist is printed as it is.
		{`%y %d %`, `%y 5 %`, args(5)},
		{`%5`, `%5`, nil},
	} {
		got, n, fault := printed(t, tt.format, tt.args)
		if fault != nil || got != tt.want {
			t.Errorf("%q prints %q, want %q (%v)", tt.format, got, tt.want, fault)
		}
		if n != uint64(len(tt.args)) {
			t.Errorf("%q used %d arguments, want %d", tt.format, n, len(tt.args))
		}
	}
}

// TestPrintfLimits checks that at most 32 arguments are read, and none that does not exist.
func TestPrintfLimits(t *testing.T) {
	t.Parallel()
	var many []any
	for i := range 40 {
		many = append(many, i%10)
	}
	if got, n, _ := printed(t, strings.Repeat("%d", 40), many); n != 32 || got != "01234567890123456789012345678901"+strings.Repeat("%d", 8) {
		t.Errorf("40 arguments print %q and count as %d", got, n)
	}
	if _, _, fault := printed(t, "%d %d", []any{1}); fault == nil || fault.Code != CodeOutOfBounds || !strings.Contains(fault.Text, `just past the end of "args"`) {
		t.Errorf("a missing argument yields %v", fault)
	}
	if got, _, fault := printed(t, "%2000000000d", []any{1}); fault != nil || len(got) != maxField {
		t.Errorf("a huge width yields %d bytes, %v", len(got), fault)
	}
}

// TestHeap checks that allocations are apart, hold zeros, and are found only while they live.
func TestHeap(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	h := &m.heap
	a, b := h.alloc(40, 1<<10, true), h.alloc(1, 1<<10, true)
	if a == 0 || b < a+40+heapGap || a%16 != 0 || b%16 != 0 {
		t.Fatalf("allocations at %#x and %#x", a, b)
	}
	if h.alloc(1<<10, 1<<10, true) != 0 || h.alloc(1<<63, 1<<10, true) != 0 || h.alloc(0, 1<<10, true) != 0 {
		t.Error("more than there is was handed out")
	}
	if x := m.Find(a+36, 4); x == nil || x.Name != "malloc#1" || len(x.Data) != 40 {
		t.Errorf("found %v", x)
	}
	if m.Find(a+37, 4) != nil || m.Find(a-1, 1) != nil || m.Find(b+1, 1) != nil {
		t.Error("bytes outside were found")
	}
	for _, tt := range []struct {
		addr uint64
		want string
	}{{a + 44, "4 bytes past the end of malloc#1 (40 bytes)"}, {b - 8, "8 bytes before the start of malloc#2 (1 bytes)"}, {heapEnd - 1, "near no allocation"}} {
		if got := m.Nearest(tt.addr, 1); !strings.Contains(got, tt.want) {
			t.Errorf("%#x: %q, want %q", tt.addr, got, tt.want)
		}
	}
	for i, why := range []string{h.free(a + 1), h.free(a), h.free(a), h.free(b + 4096)} {
		want := []string{"1 bytes inside malloc#1", "", "it is malloc#1 (40 bytes), which was freed", "near no allocation"}[i]
		if !strings.Contains(why, want) || (want == "") != (why == "") {
			t.Errorf("free %d says %q, want %q", i, why, want)
		}
	}
	if m.Find(a, 1) != nil || !strings.Contains(m.Nearest(a+8, 1), "8 bytes inside malloc#1 (40 bytes), which was freed") {
		t.Errorf("after free: %v, %q", m.Find(a, 1), m.Nearest(a+8, 1))
	}
	if c := h.alloc(1<<10-16, 1<<10, true); c == 0 || c <= b {
		t.Errorf("the room was not given back: %#x", c)
	}
}

func ptrTo(b []uint64) unsafe.Pointer { return unsafe.Pointer(&b[0]) }
