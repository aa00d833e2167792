package api_test

import (
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/short"
)

// Every mnemonic is in the family of its first part, with all its forms, and nothing else is.
func TestFamilies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		isa   crosslane.ISA
		want  crosslane.ISA
		forms int // at least
		text  string
	}{
		{"shfl", crosslane.Auto, crosslane.PTX, 2, "shfl.sync.mode.b32 d[|p], a, b:u32, c:u32, membermask:u32"},
		{"mma", crosslane.Auto, crosslane.PTX, 10, "mma.sync.aligned.m16n8k16"},
		{"add", crosslane.Auto, crosslane.PTX, 5, "add.type d, a, b"},
		{"tex", crosslane.Auto, crosslane.PTX, 2, "not run: of lookups in textures with several samples"},
		{"v_add", crosslane.Auto, crosslane.GCN3, 4, "v_add_f32"},
		{"ds_read", crosslane.Auto, crosslane.GCN3, 5, "ds_read_b64"},
		{"image", crosslane.Auto, crosslane.GCN3, 5, "not run: "},
	} {
		p := crosslane.Family(c.name, c.isa)
		if p == nil {
			t.Errorf("%s: there is no such family", c.name)
			continue
		}
		if p.ISA != c.want || len(p.Forms) < c.forms || !strings.Contains(p.Text(), c.text) {
			t.Errorf("%s: %s, %d forms:\n%s", c.name, p.ISA, len(p.Forms), p.Text())
		}
		for _, f := range p.Forms {
			if !strings.HasPrefix(f.Form, c.name) || f.Section == "" {
				t.Errorf("%s has the form %+v", c.name, f)
			}
		}
	}
	for _, m := range short.Sample(amdgpu.Mnemonics(), 10) {
		head, _, _ := strings.Cut(m, "_")
		found := false
		for _, f := range crosslane.Family(head, crosslane.GCN3).Forms {
			found = found || f.Form == m
		}
		if !found {
			t.Errorf("%s is not in the family %s", m, head)
		}
	}
	for _, name := range []string{"", "nothing", "v", "shf"} {
		if p := crosslane.Family(name, crosslane.PTX); p != nil && name != "shf" {
			t.Errorf("%q is the family %s", name, p.Text())
		}
	}
}
