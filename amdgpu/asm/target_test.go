package asm

import (
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
)

// TestTarget assembles and prints a text for a chip with other facts than GFX803.
func TestTarget(t *testing.T) {
	t.Parallel()
	small := amdgpu.GFX803.With(func(c *amdgpu.Target) {
		c.Name, c.Version, c.SameAs = "gfx-small", [3]int{8, 1, 7}, nil
		c.VGPRs = 128
		c.Kernel.VGPRGranule, c.Kernel.ForFlatScratch = 8, 10
		c.Counters = []amdgpu.WaitCounter{{Name: "vmcnt", Lo: 0, Width: 6}, {Name: "expcnt", Lo: 6, Width: 3}, {Name: "lgkmcnt", Lo: 9, Width: 4}}
	})
	const text = `.amdgcn_target "amdgcn-amd-amdhsa--gfx-small"
.text
k:
	v_mov_b32 v127, 0
	s_waitcnt vmcnt(63) & lgkmcnt(0)
	s_endpgm
.long .amdgcn.gfx_generation_minor, .amdgcn.gfx_generation_stepping
.rodata
.amdhsa_kernel k
	.amdhsa_next_free_vgpr 9
	.amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
`
	o, diags := Assemble([]byte(text), "k.s", Options{Target: small})
	if o == nil {
		t.Fatal(diags)
	}
	if got := string(o.Sections[0].Data[12:]); got != "\x01\x00\x00\x00\x07\x00\x00\x00" {
		t.Errorf("the version is % x", got)
	}
	// 9 VGPRs are 2 granules of 8; 8 and 10 SGPRs are 3 granules of 8.
	for _, s := range o.Sections {
		if s.Name == ".rodata" && s.Data[atRsrc1] != 1|2<<6&0xff {
			t.Errorf("compute_pgm_rsrc1 begins with %#x", s.Data[atRsrc1])
		}
	}
	printed := o.Text()
	for _, want := range []string{small.ID(), "s_waitcnt lgkmcnt(0)", ".amdhsa_next_free_vgpr 16"} {
		if !strings.Contains(printed, want) {
			t.Errorf("no %q in\n%s", want, printed)
		}
	}
	if again, diags := Assemble([]byte(printed), "again.s", Options{Target: small}); again == nil || string(again.Sections[0].Data) != string(o.Sections[0].Data) {
		t.Errorf("%v\n%s", diags, printed)
	}
	if _, diags := Assemble([]byte(text), "k.s", Options{}); diags.Err() == nil || !strings.Contains(diags[0].Message, amdgpu.GFX803.ID()) {
		t.Errorf("for GFX803: %v", diags)
	}
	_, diags = Assemble([]byte(strings.Replace(text, "vgpr 9", "vgpr 129", 1)), "k.s", Options{Target: small})
	if diags.Err() == nil || !strings.Contains(diags[0].Message, "129, but there are 128 VGPRs") {
		t.Errorf("129 VGPRs: %v", diags)
	}
}
