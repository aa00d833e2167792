package codeobject

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

// v3File returns testdata/scan4.co in the form of version 3 (AMDGPUUsage, "ELFABIVERSION", "Code
// Object V3 Metadata"): ABI version 1, and metadata of version 1.0 without the target. The bytes of
// the note that become free hold a note of another vendor.
func v3File(t *testing.T) []byte {
	t.Helper()
	b := bytes.Clone(read(t, "testdata/scan4.co"))
	b[8] = 1
	version := []byte("\xaeamdhsa.version\x92\x01\x01") // string of 14 bytes, list of 2
	at := bytes.Index(b, version)
	target := []byte("\xadamdhsa.target\xb9amdgcn-amd-amdhsa--gfx803")
	from := bytes.Index(b, target)
	head := bytes.Index(b, []byte("\x83\xaeamdhsa.kernels")) // map of 3
	if at < 0 || from < 0 || head < 0 || at < from {
		t.Fatal("scan4.co has other metadata")
	}
	b[head] = 0x82
	b[at+len(version)-1] = 0
	size := binary.LittleEndian.Uint32(b[head-16:]) // the size of the description
	end := head + int(size+3)&^3
	copy(b[from:], b[from+len(target):end])
	binary.LittleEndian.PutUint32(b[head-16:], size-uint32(len(target)))
	rest := b[end-len(target) : end] // 40 bytes
	clear(rest)
	for i, w := range []uint32{4, uint32(len(rest) - 16), 1} {
		binary.LittleEndian.PutUint32(rest[4*i:], w)
	}
	copy(rest[12:], "pad")
	return b
}

// TestLoadV3 checks that a file of version 3 loads as the same kernels as the file of version 4,
// and that a file built from it is of version 3.
func TestLoadV3(t *testing.T) {
	t.Parallel()
	o, err := Load(v3File(t), "v3.co")
	if err != nil {
		t.Fatal(err)
	}
	if o.Version != 3 || o.Meta == nil || o.Meta.Version != [2]uint64{1, 0} || o.Meta.Target != "" {
		t.Fatalf("version %d, metadata %+v", o.Version, o.Meta)
	}
	want := load(t, "testdata/scan4.co")
	s, err := o.Spec()
	if err != nil {
		t.Fatal(err)
	}
	built, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	if built[8] != 1 {
		t.Errorf("built again, the ABI version is %d, expected 1", built[8])
	}
	again, err := Load(built, "again.co")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*Object{o, again} {
		if o.Version != 3 || len(o.Kernels) != len(want.Kernels) {
			t.Fatalf("version %d, %d kernels", o.Version, len(o.Kernels))
		}
		for i := range want.Kernels {
			g, w := o.Kernels[i], want.Kernels[i]
			_, code := o.Code(g.Entry)
			_, wantCode := want.Code(w.Entry)
			// Addresses may differ, because the note is shorter.
			g.Descriptor.EntryOffset, w.Descriptor.EntryOffset = 0, 0
			if g.Name != w.Name || g.Symbol != w.Symbol || g.CodeSize != w.CodeSize || g.Descriptor != w.Descriptor || !bytes.Equal(code, wantCode) || !reflect.DeepEqual(g.Meta, w.Meta) {
				t.Errorf("kernel %+v, expected %+v", g, w)
			}
		}
	}
}

// TestLoadV3Refused checks files that version 3 does not allow.
func TestLoadV3Refused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(b []byte){
		"amdhsa.version is 1.3, expected 1.0 in code object version 3": func(b []byte) {
			b[bytes.Index(b, []byte("amdhsa.version"))+16] = 3
		},
		"gfx803 has no xnack": func(b []byte) { b[49] = 1 }, // EF_AMDGPU_FEATURE_XNACK_V3
		"target is gfx900":    func(b []byte) { b[48] = 0x2c },
	} {
		b := v3File(t)
		change(b)
		if _, err := Load(b, "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error\n%v, expected\n%s", err, want)
		}
	}
}
