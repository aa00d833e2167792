package gcn3

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// FuzzParseInst parses random text. If it parses, the instruction can be encoded, and its exact
// text is the same instruction.
func FuzzParseInst(f *testing.F) {
	for i, g := range seeds(f, goldenFile) {
		if i%7 == 0 {
			f.Add(g[0])
		}
	}
	for _, g := range seeds(f, "testdata/errors.golden") {
		f.Add(g[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		in, err := ParseInst(text, ParseOptions{})
		if err != nil {
			return
		}
		b, err := Encode(&in)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if back, n, err := Decode(b); err != nil || n != len(b) || back != in {
			t.Fatalf("%q: % x decodes to %s, %v", text, b, Print(&back), err)
		}
		exact := Printer{Exact: true}.Print(&in)
		if back, err := ParseInst(exact, ParseOptions{}); err != nil || back != in {
			t.Fatalf("%q: %q is %s, %v", text, exact, Print(&back), err)
		}
	})
}

// seeds reads the columns of a golden file.
func seeds(f *testing.F, file string) [][]string {
	f.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	var all [][]string
	for _, l := range strings.Split(string(data), "\n") {
		if l != "" && l[0] != '#' {
			all = append(all, append(strings.Split(l, " // "), "", ""))
		}
	}
	return all
}

// FuzzObjectText prints random bytes as a section of code, with symbols and a branch target at
// places that the fuzzer chooses. The text must assemble to the same bytes.
func FuzzObjectText(f *testing.F) {
	var code []byte
	for i, g := range seeds(f, goldenFile) {
		if b, err := hex.DecodeString(g[2]); err == nil {
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
