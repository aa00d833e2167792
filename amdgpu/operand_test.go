package amdgpu

import (
	"fmt"
	"testing"
)

// TestPrinterLabel prints branch targets by name.
func TestPrinterLabel(t *testing.T) {
	t.Parallel()
	in, err := hooks.Parse("s_cbranch_execz -3")
	if err != nil {
		t.Fatal(err)
	}
	p := Printer{Label: func(d int64) string {
		if d == -3 {
			return "loop"
		}
		return ""
	}}
	if got := p.Print(&in); got != "s_cbranch_execz loop" {
		t.Error(got)
	}
}

// TestConstantBits reads constants as the manual specifies (GCN3 ISA 5.1).
func TestConstantBits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    Operand
		t    Type
		want uint64
	}{
		{Inline(242), F32, 0x3f800000}, {Inline(242), F64, 0x3ff0000000000000}, {Inline(242), F16, 0x3c00}, {Inline(242), B32, 0x3f800000}, {Inline(242), B64, 0x3ff0000000000000},
		{Inline(193), I32, 0xffffffff}, {Inline(193), I64, 0xffffffffffffffff}, {Inline(193), U16, 0xffff}, {Inline(192), F32, 64}, {Inline(208), B64, 0xfffffffffffffff0},
		{Literal(0x80000000), B64, 0x80000000}, {Literal(0x80000000), I64, 0xffffffff80000000}, {Literal(0x3ff00000), F64, 0x3ff0000000000000}, {Literal(0x12345678), F16, 0x5678},
	} {
		if got := c.o.Bits(c.t); got != c.want {
			t.Errorf("%+v as %v: 0x%x, want 0x%x", c.o, c.t, got, c.want)
		}
	}
}

// TestF16Constants checks that the constants of v_madmk_f16 and v_madak_f16 keep the sign of an
// integer in the high half of the dword, and that other f16 literals do not. The bytes are LLVM
// 22's.
func TestF16Constants(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"v_madmk_f16 v19, v248, -17, v15":    "f81f2648efffffff",
		"v_madak_f16 v19, v248, v15, -17":    "f81f264aefffffff",
		"v_madmk_f16 v19, v248, 0xffef, v15": "f81f2648efff0000",
		"v_madmk_f16 v19, v248, 1.5, v15":    "f81f2648003e0000",
		"v_add_f16 v0, -17, v1":              "ff02003eefff0000",
		"v_add_u16 v0, -17, v1":              "ff02004cefffffff",
	} {
		in, err := hooks.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if b, err := Encode(&in); err != nil || fmt.Sprintf("%x", b) != want {
			t.Errorf("%s: %x, %v, want %s", text, b, err, want)
		}
	}
}
