package api_test

import (
	"context"
	"strings"
	"testing"

	"example.org/crosslane"
)

// A buffer that cannot be is an error of the launch, not a panic and not a smaller one.
func TestImpossibleBuffers(t *testing.T) {
	t.Parallel()
	k := loadKernel(t, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{\n\tret;\n}\n")
	words := make([]uint32, 8)
	fine := crosslane.NewBuffer("fine", crosslane.U32, 4)
	for _, c := range []struct {
		a, b *crosslane.Buffer
		want string // "": no error
	}{
		{crosslane.NewBuffer("x", crosslane.S32, -5), fine, "buffer x: a size of [-5] elements of s32"},
		{crosslane.NewBuffer("x", crosslane.S32, 1<<62), fine, "buffer x: a size of [4611686018427387904] elements of s32"},
		{crosslane.NewBuffer("x", crosslane.F64, 1<<40, 1<<40), fine, "elements of f64; it has to be from 0 to"},
		{crosslane.NewBuffer("x", crosslane.F64, 1<<32, -1<<32), fine, "buffer x: a size of"},
		{crosslane.NewBuffer("x", "i32", 4), fine, `buffer x: "i32" is no element type (known: u8 s8`},
		{crosslane.NewBuffer("x", crosslane.U8, 0), fine, ""},
		{crosslane.NewBuffer("x", crosslane.U8, 0, 7), fine, ""},
		{fine, fine, ""},
		{crosslane.NewBuffer("fine", crosslane.U32, 4), fine, "two buffers are called fine"},
		{crosslane.Slice("x", words[:5]), crosslane.Slice("y", words[4:]), "the buffers x and y share bytes of the host"},
		{crosslane.Slice("y", words[1:3]), crosslane.Slice("x", words), "the buffers x and y share bytes of the host"},
		{crosslane.Slice("x", words[:4]), crosslane.Slice("y", words[4:]), ""},
		{crosslane.Slice("x", words[:0]), crosslane.Slice("y", words), ""},
	} {
		_, err := k.Run(context.Background(), crosslane.Launch{Args: []crosslane.Arg{c.a, c.b}})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %s: %v; want %q", c.a.Name, c.b.Name, err, c.want)
		}
	}
	if _, err := k.Check(context.Background(), crosslane.Launch{Args: []crosslane.Arg{crosslane.NewBuffer("x", crosslane.S32, -5), fine}}); err == nil {
		t.Error("Check took a buffer of -5 elements")
	}
}
