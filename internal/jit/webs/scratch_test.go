package webs_test

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/jit/webs"
)

// address is code that computes an address in two registers.
const address = `
	.text
address:
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v3, s5
	v_add_u32_e32 v2, vcc, s4, v0
	v_addc_u32_e32 v3, vcc, v3, v1, vcc
	flat_load_dword v4, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_endpgm
`

// TestScratch builds functions in memory that earlier builds have used, and expects the same
// results as in new memory.
func TestScratch(t *testing.T) {
	t.Parallel()
	text := func(fn *webs.Func) string {
		return fmt.Sprint(fn.Webs, fn.Ops, fn.Ext, fn.Inputs, fn.Succs, fn.Preds, fn.Depth, fn.LiveIn, fn.LiveOut, fn.Exec, fn.Halves, fn.Repeats, fn.IR.Code)
	}
	o, list := asm.Assemble([]byte(address), "address.s", asm.Options{})
	if o == nil || len(list) > 0 {
		t.Fatal(list)
	}
	wide, err := amdgpu.Lift(amdgpu.Code{Bytes: o.Sections[0].Data}, amdgpu.LiftOptions{Track: hazard.Track, Name: "address"})
	if err != nil {
		t.Fatal(err)
	}
	var m webs.Scratch
	exec, halves, loops := 0, 0, 0
	for seed := range short.Of(uint64(500), 60) {
		f, err := randprog.New(seed).Func()
		if err != nil {
			t.Fatal(err)
		}
		if seed%50 == 1 {
			f = wide
		}
		g := webs.Geometry{Lanes: f.Lanes, Block: [3]uint32{64, 1, 1}, Exact: seed%8 == 0}
		fn := webs.Build(f, g)
		if got, want := text(m.Build(f, g)), text(fn); got != want {
			t.Fatalf("function %d: in used memory it is\n%s\nin new memory\n%s\n%s", seed, got, want, fn.Print(nil))
		}
		if fn.Exec != nil {
			exec++
		}
		if len(fn.Halves) > 0 {
			halves++
		}
		for _, n := range fn.Depth {
			if n > 0 {
				loops++
				break
			}
		}
	}
	if exec == 0 || halves == 0 || loops == 0 || m.Size() == 0 {
		t.Errorf("of the functions %d switch lanes, %d have halves, %d have loops; %d bytes are kept", exec, halves, loops, m.Size())
	}
}
