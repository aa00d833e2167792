package fatbin

import (
	"bytes"
	"debug/elf"
	"testing"

	"example.org/crosslane/internal/fatbin/fatbintest"
)

// What Write makes is read again, and is byte for byte what the tests' own writer makes.
func TestWrite(t *testing.T) {
	t.Parallel()
	first, second := text("sm_80"), text("sm_90a")
	data := Write([]byte(first+"\x00\x00\n\x00"), []byte(second))
	list := parse(t, data)
	if len(list) != 1 || len(list[0].Entries) != 2 || list[0].Contents() != "PTX for sm_80 and sm_90a" {
		t.Fatalf("%v", list)
	}
	for sm, want := range map[int]string{86: first, 90: second} {
		e, err := list[0].Choose(sm)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Payload(); err != nil || string(got) != want {
			t.Errorf("sm_%d: %q, %v", sm, got, err)
		}
	}
	// The flags of nvcc for CUDA on Linux, and that of sm_90a.
	other := fatbintest.Write(fatbintest.Entry{Kind: 1, SM: 80, Flags: 4, Data: append([]byte(first), make([]byte, 8-len(first)%8)...)},
		fatbintest.Entry{Kind: 1, SM: 90, Flags: 4 | fatbintest.Specific, Data: append([]byte(second), make([]byte, 8-len(second)%8)...)})
	if !bytes.Equal(data, other) {
		t.Errorf("written\n%x\nexpected\n%x", data, other)
	}
}

// An image is an ELF file of NVIDIA's machine with the text in it; no other file is one.
func TestImage(t *testing.T) {
	t.Parallel()
	want := text("sm_80")
	image := Image([]byte(want + "\x00"))
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil || f.Machine != machineCUDA || f.Class != elf.ELFCLASS64 || f.Type != elf.ET_REL {
		t.Fatalf("%v, %v", f, err)
	}
	if got, ok := ImageText(image); !ok || string(got) != want {
		t.Errorf("%q, %v", got, ok)
	}
	for name, data := range map[string][]byte{
		"a cubin":  fatbintest.ELF(machineCUDA, fatbintest.Section{Name: ".text.k", Data: []byte(want)}),
		"a host's": fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: imageSection, Data: []byte(want)}),
		"a text":   []byte(want), "cut off": image[:70], "empty": nil,
	} {
		if got, ok := ImageText(data); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
}
