package asm

import (
	"strings"
	"testing"
)

// TestSectionNames checks that the name of a section stands for its start, as in the debug
// information of compilers, unless a symbol has the same name.
func TestSectionNames(t *testing.T) {
	t.Parallel()
	const text = "s_endpgm\n.section .debug_abbrev,\"\",@progbits\n.byte 1,2,3,4\n.section .debug_info,\"\",@progbits\n.long 7\n.long .debug_abbrev\n.long .debug_abbrev+2\n"
	o, list := Assemble([]byte(text), "k.s", Options{Relocatable: true})
	if o == nil {
		t.Fatal(list)
	}
	if len(o.Relocs) != 2 {
		t.Fatalf("%d relocations", len(o.Relocs))
	}
	for i, r := range o.Relocs {
		s := o.Symbols[r.Symbol]
		if s.Type != symSection || o.Sections[s.Section].Name != ".debug_abbrev" || r.Offset != uint64(4+4*i) || r.Addend != int64(2*i) {
			t.Errorf("%+v of %+v", r, s)
		}
	}
	for _, s := range o.Symbols {
		if s.Name == ".debug_abbrev" {
			t.Errorf("%+v is in the symbol table", s)
		}
	}
	if o, list := Assemble([]byte("s_endpgm\n.data\n.long .nowhere\n"), "k.s", Options{}); o != nil && len(list) == 0 {
		for _, s := range o.Symbols {
			if s.Name == ".nowhere" && s.Section >= 0 {
				t.Errorf("%+v", s)
			}
		}
	}
	o, list = Assemble([]byte(strings.Replace(text, ".byte 1", ".byte 9\n.debug_abbrev:\n.byte 1", 1)), "k.s", Options{Relocatable: true})
	if o == nil {
		t.Fatal(list)
	}
	if r := o.Relocs[0]; r.Addend != 1 {
		t.Errorf("a label of the name: %+v", r)
	}
}
