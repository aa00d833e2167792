package ptx

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// liftGlobals lifts a kernel that mentions every variable of decls by name.
func liftGlobals(t *testing.T, decls string, names ...string) map[string]*Global {
	t.Helper()
	var code strings.Builder
	for _, n := range names {
		code.WriteString("mov.u64 %rd1, " + n + ";\n")
	}
	m := mustParse(t, head+decls+"\n.entry k() {\n.reg .b64 %rd<2>;\n"+code.String()+"ret; }\n")
	k, err := Lift(m, "k")
	if err != nil {
		t.Fatal(err)
	}
	gs := map[string]*Global{}
	for _, g := range k.Globals {
		gs[g.Name] = g
	}
	return gs
}

// TestInitialData compares the bytes that initialisers put into memory with bytes written by hand
// (PTX 5.4.4): little endian, missing values are zero.
func TestInitialData(t *testing.T) {
	t.Parallel()
	le := func(vs ...any) []byte {
		var b bytes.Buffer
		for _, v := range vs {
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	for _, tt := range []struct {
		decl string
		want []byte
	}{
		{".global .u32 x = 0x01020304;", []byte{4, 3, 2, 1}},
		{".global .u32 x[1] = {7};", le(uint32(7))},
		{".global .u16 x[3] = {1, -1};", le(uint16(1), int16(-1), uint16(0))},
		{".global .u8 x[] = {1, 300, -2};", []byte{1, 44, 254}},                                                           // converted to the size, PTX 4.5.1
		{".global .s32 x[3][2] = {{1, 2}, {3}};", le(int32(1), int32(2), int32(3), int32(0), int32(0), int32(0))},         // the manual's
		{".global .s32 x[][2] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}};", le([]int32{-1, 0, 0, -1, 1, 0, 0, 1})},              // the manual's
		{".const .f32 x[8] = {0.33, 0.25, 0.125};", le([]float32{0.33, 0.25, 0.125, 0, 0, 0, 0, 0})},                      // the manual's
		{".global .f32 x[][3] = {{.05, .1, .05}, {.1, .4, .1}};", le([]float32{.05, .1, .05, .1, .4, .1})},                // the manual's
		{".global .u16 x[2][2][2] = {{{1, 2}, {3}}, {{4}}};", le([]uint16{1, 2, 3, 0, 4, 0, 0, 0})},                       //
		{".global .v4 .f32 x = {1.0, 2.0, -0.0};", le(float32(1), float32(2), float32(math.Copysign(0, -1)), float32(0))}, //
		{".global .v2 .u16 x[3] = {{1, 2}, {3}};", le([]uint16{1, 2, 3, 0, 0, 0})},                                        //
		{".global .v2 .u8 x[2][2] = {{{1, 2}, {3, 4}}, {{5}}};", []byte{1, 2, 3, 4, 5, 0, 0, 0}},                          //
		{".global .f64 x[2] = {0.1, 0d3FF0000000000001};", le(0.1, math.Float64frombits(0x3FF0000000000001))},             //
		{".global .f32 x[3] = {0f3F800001, 0.1, 0.0};", le(math.Float32frombits(0x3F800001), float32(0.1), float32(0))},   //
		{".global .b32 x = 1.5;", le(float32(1.5))},
		{".global .b64 x = 0f3FC00000;", le(uint64(0x3FC00000))},
		{".global .f64 x = 0f3FC00000;", le(uint64(0x3FC00000))},
		{".global .b32 x = 0d3FF8000000000000;", le(float32(1.5))},
		{".global .f32 x = 1e40;", le(float32(math.Inf(1)))},
		{".global .u8 x[2] = {300, -257};", []byte{44, 255}},
		{".global .u32 x = 0x1ffffffff00000001;", le(uint32(1))},
		{".global .b32 x[2] = {1.0, 2};", le(float32(1), uint32(2))},
		{".global .b32 x = 0f7FC00001;", le(uint32(0x7FC00001))},                                                                         //
		{".global .b64 x = 0.5;", le(0.5)},                                                                                               //
		{".global .b128 x[2] = {0x1122334455667788, 2};", le(uint64(0x1122334455667788), uint64(0), uint64(2), uint64(0))},               //
		{".global .u8 x[2] = {0xFF(1000 + 546), 0xFF00(131187)};", []byte{0x0a, 0x00}},                                                   // the manual's: 1546 = 0x060a, 131187 = 0x20073
		{".global .u8 x[3] = {0xff0000(0x123456), 0xff00(0x123456), 0xff00000000000000(0xab00000000000000)};", []byte{0x12, 0x34, 0xab}}, //
		{".global .u32 x[2] = {WARP_SZ, WARP_SZ * 2 - 1};", le(uint32(32), uint32(63))},                                                  //
	} {
		g := liftGlobals(t, tt.decl, "x")["x"]
		got := append(append([]byte{}, g.Data...), make([]byte, int(g.Size)-len(g.Data))...)
		if !bytes.Equal(got, tt.want) {
			t.Errorf("%s\ngot  % x\nwant % x", tt.decl, got, tt.want)
		}
	}
}

// TestInitialAddresses checks the addresses that a launch has to fill in.
func TestInitialAddresses(t *testing.T) {
	t.Parallel()
	gs := liftGlobals(t, `.global .u32 foo[4]; .const .u32 c = 5;
.global .u64 a[3] = {foo, generic(foo)+8, generic(c) + -4};
.global .u8 b[3] = {0xff(foo), 0xff00(generic(foo)+4), 0xff0000(generic(foo)+4)};
.global .u64 self = self;`, "a", "b", "self")
	names := map[int]string{}
	i := 0
	for _, n := range []string{"a", "foo", "c", "b", "self"} { // in the order of their first use
		names[i] = n
		i++
	}
	type reloc struct {
		off    uint64
		size   int
		to     string
		addend int64
		mask   uint64
	}
	for name, want := range map[string][]reloc{
		"a":    {{0, 8, "foo", 0, 0}, {8, 8, "foo", 8, 0}, {16, 8, "c", -4, 0}},
		"b":    {{0, 1, "foo", 0, 0xff}, {1, 1, "foo", 4, 0xff00}, {2, 1, "foo", 4, 0xff0000}},
		"self": {{0, 8, "self", 0, 0}},
	} {
		g := gs[name]
		if len(g.Relocs) != len(want) {
			t.Fatalf("%s: %+v", name, g.Relocs)
		}
		for i, r := range g.Relocs {
			if got := (reloc{r.Offset, r.Size, names[r.Target], r.Addend, r.Mask}); got != want[i] {
				t.Errorf("%s: %+v, want %+v", name, got, want[i])
			}
		}
	}
	// This is the manual's example: four bytes hold the address of a constant.
	if g := liftGlobals(t, ".const .u32 foo = 42; .global .u32 p1[2] = {foo, generic(foo)};", "p1")["p1"]; len(g.Relocs) != 2 || g.Relocs[1].Offset != 4 || g.Relocs[1].Size != 4 {
		t.Errorf("p1: %+v", g.Relocs)
	}
	// Four bytes cannot hold an address of eight.
	m := mustParse(t, head+".global .u32 foo; .global .u32 p = foo; .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, p; ret; }")
	if _, err := Lift(m, "k"); err == nil || !strings.Contains(err.Error(), "p has 4 bytes for the address of foo, which has 8") {
		t.Error(err)
	}
	// LLVM writes halves of both kinds like this.
	m = mustParse(t, head+".global .b16 h = 0d3FF8000000000000; .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, h; ret; } .entry other() { exit; }")
	if _, err := Lift(m, "k"); err == nil || !strings.Contains(err.Error(), "whether .f16 or .bf16 is meant is not said") {
		t.Error(err)
	}
	if _, err := Lift(m, "other"); err != nil {
		t.Error(err)
	}
}
