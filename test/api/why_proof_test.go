package api_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/short"
)

// Provenance is proved against runs: of random programs, an input that the provenance of
// an element does not name may be changed at will, and the element stays the same. Most
// inputs that it does name show when they are changed.

const proofInputs = 64

// randomPTX is a straight-line kernel of two warps, k(in, out), of everything that moves
// values: lanes, memory, guards, selects.
func randomPTX(r *rand.Rand) string {
	var b strings.Builder
	reg := func() string { return fmt.Sprintf("%%r%d", r.IntN(8)) }
	old := func() string { return fmt.Sprintf("%%r%d", r.IntN(8)) }
	emit := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	guard := func() string {
		switch r.IntN(4) {
		case 0:
			return "@%p0 "
		case 1:
			return "@!%p1 "
		}
		return ""
	}
	for range 10 + r.IntN(16) {
		switch r.IntN(17) {
		case 0, 1, 2:
			emit("%s%s %s, %s, %s;", guard(), []string{"add.s32", "sub.s32", "xor.b32", "mul.lo.u32", "min.s32", "shl.b32"}[r.IntN(6)], reg(), old(), old())
		case 3:
			emit("%smad.lo.u32 %s, %s, %d, %s;", guard(), reg(), old(), r.IntN(9)-4, old())
		case 4:
			emit("setp.%s.s32 %%p%d, %s, %s;", []string{"lt", "eq", "ge"}[r.IntN(3)], r.IntN(2), old(), old())
		case 5:
			emit("%ssetp.lt.u32 %%p%d, %s, %d;", guard(), r.IntN(2), []string{"%tx", old()}[r.IntN(2)], r.IntN(64))
		case 6:
			emit("selp.b32 %s, %s, %s, %%p%d;", reg(), old(), old(), r.IntN(2))
		case 7, 8:
			emit("shfl.sync.%s.b32 %s|%%p%d, %s, %d, 0x%x, -1;", []string{"up", "down", "bfly", "idx"}[r.IntN(4)], reg(), r.IntN(2), old(),
				r.IntN(32), r.IntN(32)|r.IntN(32)<<8)
		case 9:
			emit("and.b32 %%t, %s, 31;\n\tshfl.sync.idx.b32 %s, %s, %%t, 31, -1;", old(), reg(), old())
		case 10:
			emit("vote.sync.ballot.b32 %s, %%p%d, -1;", reg(), r.IntN(2))
		case 11:
			emit("redux.sync.%s.u32 %s, %s, -1;", []string{"add", "min"}[r.IntN(2)], reg(), old())
		case 12: // to another lane of another warp
			emit("st.shared.u32 [%%own], %s;\n\tbar.sync 0;\n\txor.b32 %%t, %%own, %d;\n\tld.shared.u32 %s, [%%t];\n\tbar.sync 0;", old(), r.IntN(64)*4, reg())
		case 13: // an address that depends on data
			emit("and.b32 %%t, %s, 63;\n\tmul.wide.u32 %%a, %%t, 4;\n\tadd.u64 %%a, %%a, %%in;\n\tld.global.u32 %s, [%%a];", old(), reg())
		case 14:
			emit("st.shared.u32 [%%own], %s;\n\tbar.sync 0;\n\tatom.shared.%s %s, [buf+%d], %s;\n\tbar.sync 0;", old(), []string{"add.u32", "xor.b32", "exch.b32"}[r.IntN(3)], reg(), r.IntN(64)*4, old())
		case 15: // parts of a word
			emit("st.shared.u32 [%%own], %s;\n\tst.shared.u8 [%%own+%d], %s;\n\tld.shared.u16 %%h, [%%own+%d];\n\tcvt.u32.u16 %s, %%h;", old(), r.IntN(4), old(), 2*r.IntN(2), reg())
		case 16:
			emit("bar.red.popc.u32 %s, 0, %%p%d;", reg(), r.IntN(2))
		}
	}
	return `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.shared .align 4 .b8 buf[256];
	.reg .b32 %r<8>, %t, %tx, %own;
	.reg .b16 %h;
	.reg .b64 %in, %out, %a;
	.reg .pred %p<2>;
	ld.param.u64 %in, [in];
	ld.param.u64 %out, [out];
	mov.u32 %tx, %tid.x;
	mul.wide.u32 %a, %tx, 4;
	add.u64 %out, %out, %a;
	add.u64 %a, %in, %a;
	mov.u32 %own, buf;
	mad.lo.u32 %own, %tx, 4, %own;
	ld.global.u32 %r0, [%a];
	xor.b32 %r1, %r0, %tx;
	mov.u32 %r2, %tx;
	mov.u32 %r3, 3;
	add.u32 %r4, %r0, 5;
	mov.u32 %r5, 0;
	mov.u32 %r6, %laneid;
	mov.u32 %r7, %r0;
	setp.lt.s32 %p0, %tx, 40;
	setp.lt.s32 %p1, %r0, 100;
	st.shared.u32 [%own], %tx;
	bar.sync 0;
` + b.String() + `	xor.b32 %r0, %r0, %r` + fmt.Sprint(1+r.IntN(7)) + `;
	st.global.u32 [%out], %r0;
	ret;
}
`
}

// randomGCN3 is the same for a wave of GCN3, with EXEC, DPP, scalars and views of masks.
func randomGCN3(r *rand.Rand) string {
	var b strings.Builder
	reg := func() string { return fmt.Sprintf("v%d", 10+r.IntN(6)) }
	sreg := func() string { return fmt.Sprintf("s%d", 20+r.IntN(4)) }
	emit := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	dpp := func() string {
		return []string{"quad_perm:[1,0,3,2]", "row_shr:1", "row_shl:3", "row_ror:5", "wave_shr:1", "row_bcast:15", "row_mirror"}[r.IntN(7)] +
			[]string{"", " bound_ctrl:0", " row_mask:0xa", " bank_mask:0x6"}[r.IntN(4)]
	}
	for range 10 + r.IntN(16) {
		switch r.IntN(15) {
		case 0, 1:
			emit("v_add_u32 %s, vcc, %s, %s", reg(), reg(), reg())
		case 2:
			emit("%s %s, %s, %s", []string{"v_xor_b32", "v_min_u32", "v_lshlrev_b32"}[r.IntN(3)], reg(), reg(), reg())
		case 3, 4:
			emit("v_mov_b32_dpp %s, %s %s", reg(), reg(), dpp())
		case 5:
			emit("v_add_u32_dpp %s, vcc, %s, %s %s", reg(), reg(), reg(), dpp())
		case 6:
			emit("v_cmp_lt_u32 vcc, %s, %s", reg(), reg())
		case 7:
			emit("v_cndmask_b32 %s, %s, %s, vcc", reg(), reg(), reg())
		case 8:
			emit("ds_swizzle_b32 %s, %s offset:swizzle(BITMASK_PERM, \"%s\")", reg(), reg(), []string{"01pip", "pp0ii", "iiipp"}[r.IntN(3)])
		case 9:
			emit("ds_bpermute_b32 %s, %s, %s", reg(), reg(), reg())
		case 10:
			emit("v_readlane_b32 %s, %s, %d", sreg(), reg(), r.IntN(64))
			emit("v_add_u32 %s, vcc, %s, %s", reg(), sreg(), reg())
		case 11:
			emit("v_cmp_gt_u32 vcc, %s, %s", reg(), reg())
			emit("s_and_b64 s[20:21], vcc, s[22:23]")
			emit("s_bcnt1_i32_b64 %s, s[20:21]", sreg())
		case 12: // a part of the lanes
			emit("v_cmp_lt_u32 vcc, %d, v0", r.IntN(64))
			emit("s_mov_b64 exec, vcc")
			emit("v_add_u32 %s, vcc, %s, %s", reg(), reg(), reg())
			emit("v_mov_b32_dpp %s, %s %s", reg(), reg(), dpp())
			emit("s_mov_b64 exec, -1")
		case 13:
			emit("ds_write_b32 v7, %s", reg())
			emit("v_xor_b32 v8, %d, v7", r.IntN(64)*4)
			emit("ds_read_b32 %s, v8", reg())
		case 14:
			emit("v_addc_u32 %s, vcc, %s, %s, vcc", reg(), reg(), reg())
		}
	}
	return `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx4 s[0:3], s[4:5], 0x0
  v_lshlrev_b32 v7, 2, v0
  v_mov_b32 v8, v7
  v_mov_b32 v4, s1
  v_add_u32 v3, vcc, s0, v7
  v_addc_u32 v4, vcc, 0, v4, vcc
  flat_load_dword v10, v[3:4]
  v_mov_b32 v6, s3
  v_add_u32 v5, vcc, s2, v7
  v_addc_u32 v6, vcc, 0, v6, vcc
  v_mov_b32 v11, v10
  v_mov_b32 v12, v0
  v_xor_b32 v13, v0, v10
  v_mov_b32 v14, 7
  v_mov_b32 v15, v10
  s_mov_b64 s[20:21], 5
  s_mov_b64 s[22:23], -1
  s_mov_b32 m0, -1
` + b.String() + `  v_xor_b32 v10, v10, v` + fmt.Sprint(11+r.IntN(5)) + `
  flat_store_dword v[5:6], v10
  s_endpgm
.Lend:
  .size k, .Lend-k
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 16
  .amdhsa_group_segment_fixed_size 512
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 64
    .args:
      - {.name: in, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
`
}

// proofLaunch runs a program on inputs.
func proofLaunch(in []uint32) (crosslane.Launch, *crosslane.Buffer, []uint32) {
	out := make([]uint32, 64)
	b := crosslane.Slice("in", in)
	return crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 64}, Args: []crosslane.Arg{b, crosslane.Slice("out", out)}}, b, out
}

func proveWhy(t *testing.T, text string, isa crosslane.ISA, r *rand.Rand) (shown, named int) {
	t.Helper()
	m, err := crosslane.Load([]byte(text), "k", isa)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	run := func(in []uint32) []uint32 {
		l, _, out := proofLaunch(in)
		l.Workers = 1
		if _, err := k.Run(context.Background(), l); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return out
	}
	in := make([]uint32, proofInputs)
	for i := range in {
		in[i] = r.Uint32() >> r.IntN(32)
	}
	base := run(append([]uint32(nil), in...))
	changed := make([][]bool, proofInputs) // by input: elements that change
	for i := range in {
		changed[i] = make([]bool, len(base))
		for range 3 {
			x := append([]uint32(nil), in...)
			x[i] ^= 1 + r.Uint32()>>r.IntN(32)
			for e, v := range run(x) {
				changed[i][e] = changed[i][e] || v != base[e]
			}
		}
	}
	for range 6 {
		e := r.IntN(len(base))
		l, _, out := proofLaunch(append([]uint32(nil), in...))
		p, err := k.Why(context.Background(), l, crosslane.WhyOptions{Buffer: "out", Index: e})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		l, _, _ = proofLaunch(append([]uint32(nil), in...))
		again, err := k.Why(context.Background(), l, crosslane.WhyOptions{Buffer: "out", Index: e})
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("the same question is answered in another way: %v\n%s\n%s\n%s", err, p.Text(crosslane.WhyView{All: true}), again.Text(crosslane.WhyView{All: true}), text)
		}
		for i := range base {
			if out[i] != base[i] {
				t.Fatalf("recording changes out[%d]: %d, without %d\n%s", i, out[i], base[i], text)
			}
		}
		names := make([]bool, proofInputs)
		for _, n := range p.Nodes {
			if n.Kind == crosslane.KindNotFollowed || n.Kind == crosslane.KindOlder {
				t.Fatalf("out[%d]: %s %s\n%s", e, n.Kind, n.Name, text)
			}
			if n.Kind == crosslane.KindInput && n.Name == "in" {
				for _, el := range n.Elements {
					names[el.Index] = true
					if el.Bits != uint64(in[el.Index]) {
						t.Fatalf("in[%d] is %d in the provenance, %d in truth", el.Index, el.Bits, in[el.Index])
					}
				}
			}
		}
		root := p.Nodes[p.Root]
		if root.Elements[0].Bits != uint64(base[e]) {
			t.Fatalf("the root of out[%d] is %d, want %d", e, root.Elements[0].Bits, base[e])
		}
		for i := range in {
			if changed[i][e] && !names[i] {
				t.Fatalf("out[%d] changes with in[%d], which its provenance does not name:\n%s\n%s", e, i, p.Text(crosslane.WhyView{All: true}), text)
			}
			if names[i] {
				if named++; changed[i][e] {
					shown++
				}
			}
		}
		if s := p.Text(crosslane.WhyView{}); strings.Contains(s, "\x00") {
			t.Fatalf("a mark is left in\n%s", s)
		}
	}
	return shown, named
}

func TestWhyNamesWhatMatters(t *testing.T) {
	t.Parallel()
	programs := short.Of(40, 10)
	for _, c := range []struct {
		isa  crosslane.ISA
		make func(*rand.Rand) string
	}{{crosslane.PTX, randomPTX}, {crosslane.GCN3, randomGCN3}} {
		t.Run(string(c.isa), func(t *testing.T) {
			t.Parallel()
			shown, named := 0, 0
			for seed := range uint64(programs) {
				r := rand.New(rand.NewPCG(seed, 5))
				s, n := proveWhy(t, c.make(r), c.isa, r)
				shown, named = shown+s, named+n
			}
			t.Logf("%d of %d named inputs show when they are changed three times", shown, named)
			if shown*4 < named {
				t.Errorf("only %d of %d named inputs matter", shown, named)
			}
		})
	}
}
