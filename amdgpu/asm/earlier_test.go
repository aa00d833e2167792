package asm

import (
	"bytes"
	"strings"
	"testing"
)

// TestEarlierNames checks the names of gfx6 that LLVM 3.9 to 5 used for v_add_u32 and the related
// instructions. In a file of version 2, every encoding under these names gives the bytes of today's
// name; in other files the names are refused.
func TestEarlierNames(t *testing.T) {
	t.Parallel()
	today := "v_add_u32 v0, vcc, v1, v2\nv_sub_u32_e32 v3, vcc, s2, v1\nv_subrev_u32_e64 v4, s[2:3], v1, s5\n" +
		"v_add_u32_sdwa v1, vcc, v2, v3 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:DWORD\n" +
		"v_sub_u32_dpp v1, vcc, v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf\nV_ADD_U32 v0, vcc, 0x12345, v2\n"
	old := strings.NewReplacer("v_add_u32", "v_add_i32", "v_sub_u32", "v_sub_i32", "v_subrev_u32", "v_subrev_i32", "V_ADD_U32", "V_ADD_I32").Replace(today)
	head := ".hsa_code_object_version 2,1\n"
	want, l := Assemble([]byte(head+today), "f", Options{})
	if want == nil || len(l) != 0 {
		t.Fatal(l)
	}
	got, l := Assemble([]byte(head+old), "f", Options{})
	if got == nil {
		t.Fatal(l)
	}
	if !bytes.Equal(got.Sections[0].Data, want.Sections[0].Data) {
		t.Errorf("bytes %x, want %x", got.Sections[0].Data, want.Sections[0].Data)
	}
	if len(l) != 5 || !strings.Contains(l[0].Message, "v_add_i32 is what LLVM before 6 called v_add_u32") {
		t.Errorf("notes: %v", l)
	}
	for _, head := range []string{"", ".amdhsa_code_object_version 5\n"} {
		if o, _ := Assemble([]byte(head+old), "f", Options{}); o != nil {
			t.Errorf("%q: earlier names are taken", head)
		}
	}
}

// TestVersion2Symbols checks that .option.machine_version_major is defined from the first line of a
// version-2 file on, and that this symbol does not influence the detection of version 2.
func TestVersion2Symbols(t *testing.T) {
	t.Parallel()
	const major, v2 = ".option.machine_version_major", ".hsa_code_object_version 2,1\n"
	for _, c := range []struct {
		src     string
		version int // 0: an error
		data    string
	}{
		{".if " + major + " == 8\n.set answer, 42\n.endif\n" + v2 + ".data\n.byte answer, " + major + ", .option.machine_version_minor, .option.machine_version_stepping\n", 2, "\x2a\x08\x00\x03"},
		{v2 + ".data\n.byte " + major + "\n", 2, "\x08"},
		{".ifdef " + major + "\n.set old, 1\n.else\n.set old, 2\n.endif\n" + v2 + ".data\n.byte old\n", 2, "\x01"},
		{".if " + major + " == 8\n" + v2 + ".endif\n.data\n.byte 1\n", 2, "\x01"},
		// Files of another version, and files for both versions.
		{".ifdef " + major + "\n" + v2 + ".data\n.byte 2\n.else\n.data\n.byte 6\n.endif\n", 6, "\x06"},
		{".ifdef " + major + "\n" + v2 + ".else\ns_foo 1\n.endif\n", 0, ""},
		{".data\n.ifndef " + major + "\n.byte 7\n.endif\n", 6, "\x07"},
		{".if " + major + " == 8\n.endif\n.data\n.byte 1\n", 0, ""},
		// A version that the file itself sets takes effect.
		{".set " + major + ", 9\n" + v2 + ".data\n.byte " + major + "\n", 2, "\x09"},
	} {
		o, l := Assemble([]byte(c.src), "f", Options{})
		if o == nil {
			if c.version != 0 {
				t.Errorf("%s%v", c.src, l)
			}
			continue
		}
		data := ""
		for _, s := range o.Sections {
			if s.Name == ".data" {
				data = string(s.Data)
			}
		}
		if o.CodeObjectVersion != c.version || data != c.data {
			t.Errorf("%sversion %d, data %x, want %d, %x", c.src, o.CodeObjectVersion, data, c.version, c.data)
		}
	}
}
