package api_test

import (
	"context"
	"strings"
	"testing"

	"example.org/crosslane"
)

// structKernel reads a structure {const int *in; int n; float f; struct {char c; long l;}} of 32
// bytes and writes its members to out.
const structKernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .align 8 .b8 p[32], .param .align 1 .b8 tag[1], .param .u64 out)
{
	.reg .b64 %rd<8>; .reg .b32 %r<8>;
	ld.param.b64 %rd1, [p];
	ld.global.b32 %r1, [%rd1+4];
	ld.param.b32 %r2, [p+8];
	ld.param.b32 %r3, [p+12];
	ld.param.s8 %r4, [p+16];
	ld.param.b64 %rd2, [p+24];
	ld.param.b64 %rd3, [out];
	st.global.b32 [%rd3], %r1;
	st.global.b32 [%rd3+4], %r2;
	st.global.b32 [%rd3+8], %r3;
	st.global.b32 [%rd3+12], %r4;
	st.global.b64 [%rd3+16], %rd2;
	ret;
}
`

func loadKernel(t *testing.T, src string) *crosslane.Kernel {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Fields stand where a C compiler puts them: the offsets of structKernel were computed by
// hand from the rules of the System V ABI (x86-64 and CUDA's agree for these types).
func TestStructArgument(t *testing.T) {
	t.Parallel()
	k := loadKernel(t, structKernel)
	want := []uint32{11, 64, 0x3f800000, 0xfffffffd, 0x9abcdef0, 0x12345678}
	in := []int32{10, 11}
	buf := crosslane.Slice("in", in)
	inner := crosslane.Struct(int8(-3), uint64(0x123456789abcdef0))
	for name, p := range map[string]crosslane.Bytes{
		"fields": crosslane.Struct(buf, int32(64), float32(1), inner),
		"typed":  crosslane.Struct(crosslane.Pointer{To: buf}, crosslane.Typed(crosslane.S32, 64), crosslane.Typed(crosslane.F32, 0x3f800000), inner),
		"places": crosslane.Struct(crosslane.FieldAt(24, uint64(0x123456789abcdef0)), crosslane.FieldAt(16, int8(-3)), crosslane.FieldAt(8, int32(64)), crosslane.FieldAt(12, float32(1)), crosslane.FieldAt(0, buf)),
		"bytes": {Data: []byte("????????\x40\x00\x00\x00\x00\x00\x80\x3f\xfd.......\xf0\xde\xbc\x9a\x78\x56\x34\x12"),
			Pointers: []crosslane.Pointer{{At: 0, To: buf}}},
		"over": crosslane.Struct([]byte("????????\x40\x00\x00\x00\x00\x00\x80\x3f\xfd.......\xf0\xde\xbc\x9a\x78\x56\x34\x12"), crosslane.FieldAt(0, buf)),
		"pad":  crosslane.Struct(buf, int32(64), float32(1), int8(-3), crosslane.Pad(7), uint64(0x123456789abcdef0)),
	} {
		out := make([]uint32, 6)
		o := crosslane.Slice("out", out)
		// An empty structure may be left out, or given.
		for _, args := range [][]crosslane.Arg{{p, o}, {p, crosslane.Struct(crosslane.Pad(1)), o}} {
			clear(out)
			res, err := k.Run(context.Background(), crosslane.Launch{Args: args})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for i := range want {
				if out[i] != want[i] {
					t.Errorf("%s: out[%d] = %#x, want %#x", name, i, out[i], want[i])
				}
			}
			if len(res.Buffers) != 2 || !res.Buffers[1].Written || res.Buffers[0].Written {
				t.Errorf("%s: %d buffers", name, len(res.Buffers))
			}
		}
	}
}

func TestStructErrors(t *testing.T) {
	t.Parallel()
	k := loadKernel(t, structKernel)
	buf, out := crosslane.Slice("in", []int32{1, 2}), crosslane.NewBuffer("out", crosslane.U32, 6)
	for want, p := range map[string]crosslane.Arg{
		"the structure has 24 bytes, the parameter 32\nat 0, 8 bytes: the address of in\nat 8, 4 bytes: s32 64\nat 16, 8 bytes: f64 1": crosslane.Struct(buf, int32(64), float64(1)),
		"field 1: a int has no size that is the same in every program":                                                                 crosslane.Struct(64),
		"field 1: the scalar 64 has no type; give it one with Typed":                                                                   crosslane.Struct(crosslane.Int(64)),
		"field 2: it is nil": crosslane.Struct(int32(1), nil),
		"field 2: u32 7 at bytes 4 to 7 stands over the address of in at 0 to 7": crosslane.Struct(buf, crosslane.FieldAt(4, uint32(7))),
		"field 1: an alignment of 3; it has to be a power of two":                crosslane.Struct(crosslane.Aligned(3, uint32(7))),
		"field 1: a padding of -1 bytes":                                         crosslane.Struct(crosslane.Pad(-1)),
		"field 1: it ends at byte 70008; a structure has at most 65536":          crosslane.Struct(crosslane.FieldAt(70000, buf)),
		"argument 1: an address of 8 bytes at byte 28 does not fit its 32 bytes": crosslane.Bytes{Data: make([]byte, 32), Pointers: []crosslane.Pointer{{At: 28, To: buf}}},
		"argument 1: the address at byte 0 is that of a buffer that is nil":      crosslane.Bytes{Data: make([]byte, 32), Pointers: []crosslane.Pointer{{}}},
		"argument 1: the address of a buffer that is nil":                        crosslane.Pointer{},
		"argument 1 (p): the address of a buffer for a structure of 32 bytes":    crosslane.Pointer{To: buf},
		"buffer list: an address of 8 bytes at byte 8 does not fit its 8 bytes":  &crosslane.Buffer{Name: "list", Type: crosslane.U64, Data: make([]byte, 8), Pointers: []crosslane.Pointer{{At: 8, To: buf}}},
		"argument 1 (p): the buffer has 8 bytes, the parameter 32":               buf,
		"argument 1 (p): a scalar where a structure is expected":                 crosslane.Int(1),
		"argument 1 (p): a u32 has 4 bytes, the parameter 32":                    crosslane.Typed(crosslane.U32, 1),
	} {
		_, err := k.Run(context.Background(), crosslane.Launch{Args: []crosslane.Arg{p, out}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	// An empty structure that the kernel reads is none.
	read := loadKernel(t, strings.Replace(structKernel, "ret;", "ld.param.u8 %r5, [tag];\n\tret;", 1))
	if _, err := read.Run(context.Background(), crosslane.Launch{Args: []crosslane.Arg{crosslane.Struct(buf, crosslane.Pad(24)), out}}); err == nil || !strings.Contains(err.Error(), "too few arguments: 2 given, 3 expected") {
		t.Error(err)
	}
}

// A parameter of eight bytes takes an address; a buffer of eight bytes may be meant by value.
func TestPointerInBytes(t *testing.T) {
	t.Parallel()
	k := loadKernel(t, `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .align 8 .b8 a[8], .param .u64 out)
{
	.reg .b64 %rd<4>; .reg .b32 %r<4>;
	ld.param.b64 %rd1, [a];
	ld.param.b64 %rd2, [out];
	ld.global.b32 %r1, [%rd1];
	st.global.b32 [%rd2], %r1;
	ret;
}
`)
	three, two := crosslane.Slice("three", []int32{5, 6, 7}), crosslane.Slice("two", []int32{8, 9})
	list := &crosslane.Buffer{Name: "list", Type: crosslane.U64, Shape: []int{1}, Data: make([]byte, 8), Pointers: []crosslane.Pointer{{To: three}}}
	for _, c := range []struct {
		arg  crosslane.Arg
		want uint32
		err  string
	}{
		{arg: three, want: 5},
		{arg: crosslane.Pointer{To: three, Add: 8}, want: 7},
		{arg: crosslane.Pointer{To: two}, want: 8},
		{arg: crosslane.Struct(crosslane.Pointer{To: two, Add: 4}), want: 9},
		{arg: two, err: "the buffer has as many bytes as an address: whether it is passed by value or by its address is not known"},
		{arg: crosslane.Pointer{To: list}, want: 0}, // the low half of an address
	} {
		out := crosslane.NewBuffer("out", crosslane.U32, 1)
		res, err := k.Run(context.Background(), crosslane.Launch{Args: []crosslane.Arg{c.arg, out}})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v; want %q", err, c.err)
			}
		case err != nil:
			t.Error(err)
		case c.want != 0 && out.Bits(0) != uint64(c.want):
			t.Errorf("out = %d, want %d", out.Bits(0), c.want)
		case c.want == 0 && (len(res.Buffers) != 3 || out.Bits(0) == 0):
			t.Errorf("%d buffers, out = %d", len(res.Buffers), out.Bits(0))
		}
	}
}

// A variable of the module is set and read: each launch begins with the value of the file or of the
// caller.
func TestSymbols(t *testing.T) {
	t.Parallel()
	const src = `.version 8.0
.target sm_80
.address_size 64
.const .align 8 .b8 P[16];
.global .v2 .f32 pair[3];
.global .align 4 .b16 rows[2][3] = {{1, 2, 3}, {4, 5}};
.global .u32 unused;
.visible .entry k()
{
	.reg .b64 %rd<4>; .reg .b32 %r<4>;
	ld.const.u64 %rd1, [P];
	ld.const.u32 %r1, [P+8];
	st.global.u32 [%rd1], %r1;
	ld.global.u16 %r2, [rows+8];
	add.u32 %r2, %r2, 1;
	st.global.u16 [rows+8], %r2;
	st.global.u32 [pair+4], %r1;
	ret;
}
`
	k := loadKernel(t, src)
	out := crosslane.NewBuffer("out", crosslane.U32, 1)
	p, err := k.Symbol("P")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetBytes(crosslane.Struct(out, uint32(7), uint32(0))); err != nil {
		t.Fatal(err)
	}
	rows, err := k.Symbol("rows")
	if err != nil || rows.Value.Type != crosslane.U16 || len(rows.Value.Shape) != 2 || rows.Value.Shape[1] != 3 || rows.Value.Bits(4) != 5 {
		t.Fatalf("%+v, %v", rows.Value, err)
	}
	pair, err := k.Symbol("pair")
	if err != nil || pair.Value.Type != crosslane.F32 || pair.Value.Shape[0] != 3 || pair.Value.Shape[1] != 2 {
		t.Fatalf("%+v, %v", pair.Value, err)
	}
	l := crosslane.Launch{Symbols: []crosslane.Symbol{p, rows, pair}}
	for range 2 { // the next launch does not begin with the contents that a launch leaves
		res, err := k.Check(context.Background(), l)
		if err != nil || len(res.Findings) > 0 {
			t.Fatal(err, res.Findings)
		}
		if out.Bits(0) != 7 || rows.Value.Bits(4) != 6 || rows.Value.Bits(3) != 4 || pair.Value.Bits(1) != 7 {
			t.Errorf("out %d, rows %v, pair %v", out.Bits(0), rows.Value.Data, pair.Value.Data)
		}
	}
	for want, s := range map[string][]crosslane.Symbol{
		"the symbol P has no buffer":                    {{Name: "P"}},
		`the file has no variable "Q"`:                  {{Name: "Q", Value: out}},
		"the variable P has 16 bytes, its buffer 4":     {{Name: "P", Value: out}},
		"the symbol P is given twice":                   {p, p},
		"the symbol rows has the buffer of another one": {p, {Name: "rows", Value: p.Value}},
		"the symbol P has addresses and is not set":     {{Name: "P", Value: p.Value}},
	} {
		if _, err := k.Run(context.Background(), crosslane.Launch{Symbols: s}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := k.Symbol("unused"); err == nil || !strings.Contains(err.Error(), "it does not use the variable unused of the file") || !k.HasSymbol("unused") {
		t.Error(err)
	}
}
