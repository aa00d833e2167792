package codeobject

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

var (
	update = flag.Bool("update", false, "write testdata/v2.hsaco again")
	long   = flag.Bool("long", false, "try every field")
)

// v2Metadata is metadata in the form that LLVM wrote for version 2 (AMDGPUUsage, "Code Object V2
// Metadata").
const v2Metadata = `---
Version:         [ 1, 0 ]
Kernels:
  - Name:            all
    SymbolName:      'all@kd'
    Language:        OpenCL C
    LanguageVersion: [ 1, 2 ]
    Attrs:
      ReqdWorkGroupSize: [ 5, 3, 2 ]
    Args:
      - Name:            out
        TypeName:        'uint*'
        Size:            8
        Align:           8
        ValueKind:       GlobalBuffer
        ValueType:       U32
        AddrSpaceQual:   Global
        AccQual:         Default
    CodeProps:
      KernargSegmentSize: 24
      GroupSegmentFixedSize: 0
      PrivateSegmentFixedSize: 40
      KernargSegmentAlign: 8
      WavefrontSize:   64
      NumSGPRs:        50
      NumVGPRs:        8
      MaxFlatWorkGroupSize: 256
  - Name:            counts
    SymbolName:      'counts@kd'
    Args:
      - Name:            out
        Size:            8
        Align:           8
        ValueKind:       GlobalBuffer
      - Name:            c
        TypeName:        uchar
        Size:            1
        Align:           1
        ValueKind:       ByValue
      - Name:            d
        TypeName:        uint
        Size:            4
        Align:           8
        ValueKind:       ByValue
      - Size:            8
        Align:           8
        ValueKind:       HiddenGlobalOffsetX
...
`

// A v2File is a file of version 2. This test writes it itself, without LLVM.
type v2File struct {
	flags   uint32
	isa     [3]uint32
	meta    string
	noNotes bool
	symType byte // the type of the kernels' symbols
}

// bytes writes ELF header, program headers, .note, .text at offset 0x1000, symbols, names,
// section headers. Addresses are offsets.
func (v v2File) bytes(t testing.TB) []byte {
	t.Helper()
	le := binary.LittleEndian
	text := read(t, "testdata/v2.text")
	var note []byte
	add := func(typ uint32, desc []byte) {
		for _, w := range []uint32{4, uint32(len(desc)), typ} {
			note = le.AppendUint32(note, w)
		}
		note = append(append(note, "AMD\x00"...), desc...)
		for len(note)%4 != 0 {
			note = append(note, 0)
		}
	}
	add(1, []byte{2, 0, 0, 0, 1, 0, 0, 0})
	isa := []byte{4, 0, 7, 0}
	for _, w := range v.isa {
		isa = le.AppendUint32(isa, w)
	}
	add(3, append(isa, "AMD\x00AMDGPU\x00"...))
	add(11, []byte("amdgcn-amd-amdhsa--gfx803"))
	if v.meta != "" {
		add(10, []byte(v.meta+"\x00"))
	}
	if v.noNotes {
		note = nil
	}
	const noteAt, textAt = 0x200, 0x1000
	b := make([]byte, textAt, 0x3000)
	copy(b, "\x7fELF\x02\x01\x01\x40") // 64 bits, little-endian, version 1, OS ABI HSA, version 0
	copy(b[noteAt:], note)
	if noteAt+len(note) > textAt {
		t.Fatal("no room for the notes")
	}
	b = append(b, text...)
	names := "\x00all\x00counts\x00"
	strAt := len(b)
	b = append(b, names...)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	symAt := len(b)
	b = append(b, make([]byte, 24)...)
	for _, s := range [][3]uint64{{1, 0, 0x300}, {5, 0x300, uint64(len(text)) - 0x300}} {
		b = le.AppendUint32(b, uint32(s[0]))
		b = append(b, 1<<4|v.symType, 3, 2, 0) // global, protected, section 2
		b = le.AppendUint64(b, textAt+s[1])
		b = le.AppendUint64(b, s[2])
	}
	symSize := len(b) - symAt
	shnames := "\x00.note\x00.text\x00.symtab\x00.strtab\x00.shstrtab\x00"
	shstrAt := len(b)
	b = append(b, shnames...)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	shAt := len(b)
	section := func(name string, typ, flags uint64, at, size int, link, info, entsize uint64) {
		h := make([]byte, 64)
		le.PutUint32(h, uint32(strings.Index(shnames, name)))
		le.PutUint32(h[4:], uint32(typ))
		le.PutUint64(h[8:], flags)
		if flags != 0 {
			le.PutUint64(h[16:], uint64(at))
		}
		le.PutUint64(h[24:], uint64(at))
		le.PutUint64(h[32:], uint64(size))
		le.PutUint32(h[40:], uint32(link))
		le.PutUint32(h[44:], uint32(info))
		le.PutUint64(h[48:], 4)
		le.PutUint64(h[56:], entsize)
		b = append(b, h...)
	}
	b = append(b, make([]byte, 64)...)
	section(".note", 7, 2, noteAt, len(note), 0, 0, 0)
	section(".text", 1, 6, textAt, len(text), 0, 0, 0)
	section(".symtab", 2, 0, symAt, symSize, 4, 1, 24)
	section(".strtab", 3, 0, strAt, len(names), 0, 0, 0)
	section(".shstrtab", 3, 0, shstrAt, len(shnames), 0, 0, 0)
	le.PutUint16(b[16:], 3)   // ET_DYN
	le.PutUint16(b[18:], 224) // EM_AMDGPU
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[32:], 64)
	le.PutUint64(b[40:], uint64(shAt))
	le.PutUint32(b[48:], v.flags)
	for i, w := range []uint16{64, 56, 3, 64, 6, 5} {
		le.PutUint16(b[52+2*i:], w)
	}
	for i, p := range [][4]uint64{{1, 4, 0, textAt}, {1, 5, textAt, uint64(len(text))}, {4, 4, noteAt, uint64(len(note))}} {
		h := b[64+56*i:]
		le.PutUint32(h, uint32(p[0]))
		le.PutUint32(h[4:], uint32(p[1]))
		for j, w := range []uint64{p[2], p[2], p[2], p[3], p[3], 4} {
			le.PutUint64(h[8+8*j:], w)
		}
	}
	return b
}

// v2Good is the file of testdata/v2.hsaco.
func v2Good() v2File { return v2File{isa: [3]uint32{8, 0, 3}, meta: v2Metadata, symType: 10} }

// TestLoadV2: kernels, properties and arguments of a file of version 2.
func TestLoadV2(t *testing.T) {
	t.Parallel()
	b := v2Good().bytes(t)
	if *update {
		if err := os.WriteFile("testdata/v2.hsaco", b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(b, read(t, "testdata/v2.hsaco")) {
		t.Error("testdata/v2.hsaco is not what this test writes: run it with -update")
	}
	o, err := Load(b, "v2.co")
	if err != nil {
		t.Fatal(err)
	}
	if o.Version != 2 || len(o.Kernels) != 2 {
		t.Fatalf("version %d, %d kernels", o.Version, len(o.Kernels))
	}
	all, counts := o.Kernel("all"), o.Kernel("counts")
	if all.Entry != 0x1100 || counts.Entry != 0x1400 || all.CodeSize != 0x200 || all.DescriptorAddr != 0x1000 {
		t.Errorf("kernels at %#x (%#x bytes) and %#x", all.Entry, all.CodeSize, counts.Entry)
	}
	d := &all.Descriptor
	if most := (Descriptor{GranulatedSGPRs: 15}); most.SGPRs() != 112 || most.impossible() != "" {
		t.Errorf("granulated_wavefront_sgpr_count 15: %d SGPRs, %s", most.SGPRs(), most.impossible())
	}
	if d.VGPRs() != 8 || d.SGPRs() != 64 || d.PrivateSegmentSize != 40 || d.KernargSize != 24 || d.UserSGPRs != 16 || d.WorkitemID != 2 ||
		d.UsePrivateBuffer&d.UseDispatchPtr&d.UseQueuePtr&d.UseKernargPtr&d.UseDispatchID&d.UseFlatScratch&d.UsePrivateSize != 1 ||
		d.GridCountX&d.GridCountY&d.GridCountZ&d.WorkgroupIDX&d.WorkgroupIDY&d.WorkgroupIDZ&d.WorkgroupInfo&d.PrivateSegment != 1 ||
		d.FloatDenorm16_64 != 3 || d.FloatDenorm32 != 0 || d.DX10Clamp != 1 || d.IEEEMode != 1 || d.EntryOffset != 256 {
		t.Errorf("all: %+v", d)
	}
	if c := all.Code; c.SGPRs != 50 || c.VGPRs != 8 || c.WavefrontSize != 6 || c.CallConvention != -1 || c.Machine != [4]uint16{1, 8, 0, 3} {
		t.Errorf("all: %+v", c)
	}
	d = &counts.Descriptor
	if d.GroupSegmentSize != 16 || d.PrivateSegmentSize != 0 || d.UserSGPRs != 5 || d.UsePrivateBuffer != 0 || d.UseKernargPtr != 1 || d.WorkgroupIDY != 0 {
		t.Errorf("counts: %+v", d)
	}
	m := all.Meta
	if m == nil || len(m.ReqdWorkgroupSize) != 3 || m.ReqdWorkgroupSize[1] != 3 || m.MaxFlatWorkgroupSize != 256 || m.KernargSize != 24 || m.Language != "OpenCL C" {
		t.Fatalf("all: metadata %+v", m)
	}
	if a := m.Args[0]; a.Name != "out" || a.ValueKind != GlobalBuffer || a.AddressSpace != "global" || a.Offset != 0 || a.Size != 8 {
		t.Errorf("all: argument %+v", a)
	}
	var at []uint64
	for _, a := range counts.Meta.Args {
		at = append(at, a.Offset)
	}
	if len(at) != 4 || at[1] != 8 || at[2] != 16 || at[3] != 24 || counts.Meta.Args[3].ValueKind != "hidden_global_offset_x" || counts.Meta.KernargSize != 32 {
		t.Errorf("counts: arguments at %v, %+v", at, counts.Meta)
	}
	// The file is converted to a Spec and built again; a loader sees no difference.
	s, err := o.Spec()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	o2, err := Load(again, "again")
	if err != nil {
		t.Fatal(err)
	}
	if o2.Version != 2 || len(o2.Kernels) != 2 || o2.Kernels[1].Meta == nil || o2.Kernels[0].Descriptor != all.Descriptor {
		t.Errorf("built again: %+v", o2.Kernels)
	}
	_, w := o.Text()
	if _, g := o2.Text(); !bytes.Equal(g, w) {
		t.Error("built again, the code is other code")
	}
}

// TestLoadV2Variants checks the variants that version 2 allows, and the variants that are refused.
func TestLoadV2Variants(t *testing.T) {
	t.Parallel()
	le := binary.LittleEndian
	patch := func(f func(b []byte)) func(v *v2File, b []byte) {
		return func(_ *v2File, b []byte) {
			if b != nil {
				f(b[0x1000:])
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(v *v2File, b []byte) // called before the file is written, without b, and after it
		class  diag.Class
		want   string // "": it loads
	}{
		{"trap handler", func(v *v2File, _ []byte) { v.flags = 2 }, 0, ""},
		{"flags of version 3", func(v *v2File, _ []byte) { v.flags = 0x2a }, 0, ""},
		{"gfx804 is gfx803", func(v *v2File, _ []byte) { v.isa[2] = 4 }, 0, ""},
		{"no notes", func(v *v2File, _ []byte) { v.noNotes = true }, 0, ""},
		{"no metadata", func(v *v2File, _ []byte) { v.meta = "" }, 0, ""},
		{"xnack", func(v *v2File, _ []byte) { v.flags = 1 }, diag.Unsupported, "f:+0x30: error: e_flags is 0x1, xnack on, which gfx803 does not have"},
		{"gfx900", func(v *v2File, _ []byte) { v.isa = [3]uint32{9, 0, 0} }, diag.Unsupported, "target is AMD:AMDGPU:9:0:0, expected AMD:AMDGPU:8:0:3 (gfx803)"},
		{"gfx802", func(v *v2File, _ []byte) { v.isa = [3]uint32{8, 0, 2} }, diag.Unsupported, "target is AMD:AMDGPU:8:0:2"},
		{"flags of gfx900", func(v *v2File, _ []byte) { v.flags = 0x2c }, diag.Unsupported, "target is gfx900"},
		{"alias bomb", func(v *v2File, _ []byte) {
			v.meta = "a: &a [x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nVersion: *c\n"
		}, diag.Input, "anchors and aliases are not used in metadata"},
		{"deep", func(v *v2File, _ []byte) { v.meta = "Version: " + strings.Repeat("[", 500) + strings.Repeat("]", 500) }, diag.Input, "nested more than 64 deep"},
		{"no YAML", func(v *v2File, _ []byte) { v.meta = "{" }, diag.Input, "metadata, line 1"},
		{"other kernel", func(v *v2File, _ []byte) { v.meta = strings.ReplaceAll(v2Metadata, "counts@kd", "other@kd") }, diag.Input, `metadata describe kernel "counts", but there is no kernel symbol "other"`},
		{"alignment", func(v *v2File, _ []byte) { v.meta = strings.ReplaceAll(v2Metadata, "Align:           8", "Align: 3") }, diag.Input, "Align 3, expected"},
		{"kind", func(v *v2File, _ []byte) {
			v.meta = strings.ReplaceAll(v2Metadata, "HiddenGlobalOffsetX", "HiddenTreasure")
		}, diag.Unsupported, `.value_kind "hidden_treasure" is not known`},
		{"wave of 32", patch(func(b []byte) { b[103] = 5 }), diag.Unsupported, "f:+0x1000: error: all: wavefront_size is 2^5 lanes; gfx803 has 2^6"},
		{"machine", patch(func(b []byte) { b[10] = 9 }), diag.Unsupported, "amd_machine is kind 1, version 9.0.3"},
		{"version", patch(func(b []byte) { b[0] = 7 }), diag.Unsupported, "amd_kernel_code_version is 7.2"},
		{"32-bit addresses", patch(func(b []byte) { b[58] &^= 8 }), diag.Unsupported, "is_ptr64 is 0"},
		{"ordered append", patch(func(b []byte) { b[58] |= 1 }), diag.Unsupported, "enable_ordered_append_gds is 1"},
		{"element size", patch(func(b []byte) { b[58] |= 4 }), diag.Unsupported, "private_element_size is 16 bytes, expected 4"},
		{"reserved", patch(func(b []byte) { b[57] |= 4 }), diag.Unsupported, "code_properties has reserved bits 0x400"},
		{"kernarg", patch(func(b []byte) { le.PutUint64(b[72:], 1<<40) }), diag.Unsupported, "kernarg_segment_byte_size is 0x10000000000"},
		{"entry", patch(func(b []byte) { le.PutUint64(b[16:], 1<<40) }), diag.Input, "which holds no code"},
		{"user SGPRs", patch(func(b []byte) { le.PutUint32(b[52:], 15<<1) }), diag.Input, "user_sgpr_count is 15, but the values that are enabled need 16"},
		{"more user SGPRs", patch(func(b []byte) { le.PutUint32(b[52:], 17<<1) }), diag.Input, "user_sgpr_count is 17, more than 16"},
		{"work-item id", patch(func(b []byte) { le.PutUint32(b[52:], 16<<1|3<<11) }), diag.Input, "enable_vgpr_workitem_id is 3, which is undefined"},
		{"priv", patch(func(b []byte) { b[50] |= 1 << 4 }), diag.Unsupported, "priv is 1"},
	} {
		v := v2Good()
		c.change(&v, nil)
		b := v.bytes(t)
		c.change(&v2File{}, b)
		_, err := Load(b, "f")
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Class != c.class || !strings.Contains(d.Error(), c.want) {
			t.Errorf("%s: error\n%v, expected\n%s", c.name, err, c.want)
		}
	}
}

// TestParseMetadataV2 checks that errors of metadata in a source are reported at their lines.
func TestParseMetadataV2(t *testing.T) {
	t.Parallel()
	at := diag.Pos{File: "k.s", Line: 10}
	if m, err := ParseMetadataV2([]byte(v2Metadata), at); err != nil || len(m.Kernels) != 2 || m.Kernels[0].Name != "all" {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := ParseMetadataV2([]byte("{ Version: [ 1, 0 ], Kernels: [ { Name: k, SymbolName: 'k@kd', CodeProps: { KernargSegmentSize: 8 } } ] }"), at); err != nil || m.Kernels[0].KernargSize != 8 || m.Kernels[0].Symbol != "k" {
		t.Errorf("%+v, %v", m, err)
	}
	for text, want := range map[string]string{
		"Version: [ 1, 0 ]\nKernels: {\n": "k.s:1",
		"{ Kernels:\n - { Name: k }\n}":   "inside { } a list is [ ]",
		"Kernels: 5\n":                    "Kernels: found",
		"- 5\n":                           "expected a map",
	} {
		_, err := ParseMetadataV2([]byte(text), at)
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != CodeMetadata || d.Pos.Line < 10 || !strings.Contains(d.Error()+d.Remedy, want) {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
}
