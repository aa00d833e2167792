package asm

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// FuzzObjectText prints random bytes as a section of code, with symbols and a branch target at
// places that the fuzzer chooses. The text must assemble to the same bytes.
func FuzzObjectText(f *testing.F) {
	golden, err := os.ReadFile("../testdata/inst.golden")
	if err != nil {
		f.Fatal(err)
	}
	var code []byte
	for i, l := range strings.Split(string(golden), "\n") {
		if b, err := hex.DecodeString(l[strings.LastIndex(l, " ")+1:]); err == nil {
			code = append(code, b...)
		}
		if i%50 == 49 {
			f.Add(code, uint64(i)*0x9e3779b97f4a7c15, "name")
			code = nil
		}
	}
	f.Add([]byte{0, 0, 0x82, 0xbf, 0xff}, uint64(1), "vcc")
	f.Fuzz(func(t *testing.T, code []byte, at uint64, name string) {
		code = code[:min(len(code), 4096)]
		o := &Object{Sections: []Section{{Name: ".text", Type: shtProgBits, Flags: shfAlloc | shfExec, Align: 4, Data: code, Size: uint64(len(code))}}}
		for i := range 4 {
			o.Symbols = append(o.Symbols, Symbol{Name: name, Value: at >> (16 * i) % uint64(len(code)+1), Bind: uint8(at >> (13 * i) % 3)})
		}
		text := o.Text()
		again, diags := Assemble([]byte(text), "text", Options{})
		if again == nil {
			t.Fatalf("%v\n%s", diags, text)
		}
		if len(code) > 0 && !bytes.Equal(again.Sections[0].Data, code) {
			t.Fatalf("% x becomes % x\n%s", code, again.Sections[0].Data, text)
		}
	})
}
