package api_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"example.org/crosslane"
)

// A relocatable file that needs symbols of other files cannot be linked alone. Its text names them
// where they are used, and gives the same file.
func TestDisassembleUnlinked(t *testing.T) {
	t.Parallel()
	const src = `.hidden callee
f:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, callee@rel32@lo+4
	s_addc_u32 s5, s5, callee@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	v_mov_b32 v0, table@abs32@lo
	s_branch target
	s_mov_b32 s0, 0x5a5aa5a5
target:
	s_mov_b32 s1, size@gotpcrel32@lo
	v_add_f32 v1, size, v1
	v_add_f32 v1, size+8, v1
	.long 0xbe8200ff, s3@rel32@lo+4 // s_mov_b32 s2, of a symbol with a register's name
	.long callee-.
	.quad table, 5
	s_endpgm
.weak maybe
.data
	.quad maybe
	.long size
`
	assemble := func(src string) []byte {
		t.Helper()
		b, l := crosslane.Assemble([]byte(src), "f.s", crosslane.AsmOptions{Relocatable: true})
		if b == nil {
			t.Fatal(l, "\n", src)
		}
		return b
	}
	file := assemble(src)
	text, err := crosslane.Disassemble(file, "f.o")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\ts_add_u32 s4, s4, callee@rel32@lo+4\n\ts_addc_u32 s5, s5, callee@rel32@hi+12\n", "\tv_mov_b32_e32 v0, table@abs32@lo\n\ts_branch target\n",
		"\tv_add_f32_e32 v1, size, v1\n", "\t.long 0xbe8200ff\n\t.long s3@rel32@lo+4\n\t.long callee-.\n\t.quad table\n", "\t.weak maybe\n", "\t.hidden callee\n", "asm -c",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if again := assemble(text); !bytes.Equal(again, file) {
		t.Errorf("another file by\n%s", text)
	}
	// One of LLVM.
	data, err := os.ReadFile("codeobject/testdata/undefined.o")
	if err != nil {
		t.Fatal(err)
	}
	if text, err = crosslane.Disassemble(data, "undefined.o"); err != nil || !strings.Contains(text, "\t.quad elsewhere\n") {
		t.Fatal(err, text)
	}
	if again, err := crosslane.Disassemble(assemble(text), "again.o"); err != nil || again != text {
		t.Error(err, again)
	}
}
