package ptx

import (
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// unsupportedLines are instructions of the families that Crosslane does not run. They cover every
// shape of operands in the manual's syntax lines. Each line gives the needed target and the section
// that the message names.
const unsupportedLines = `
9.7.4.4 sm_90 fma.rn.oob.f16 h1, h2, h3, h4;
9.7.4.4 sm_90 fma.rn.oob.relu.bf16x2 r1, r2, r3, r4;
9.4: 9.7.5.4 sm_107f mul.bf16x2.bf16x2.f16x2 r1, r2, r3;
9.4: 9.7.5.4 sm_107a mul.f16x2.f16x2.bf16x2 r1, r2, r3;
9.4: 9.7.10.30 sm_107a spcompress.b8.b2.sp::2:4.x1 {r1}, {r2}, {r3, r4}, r5;
9.4: 9.7.10.31 sm_107a spdecompress.b8.b2.sp::2:4.x2 {r1, r2}, {r3}, {r4};
9.7.11.3 sm_60 tex.a2dms.v4.s32.s32 {r1, r2, r3, r4}, [tx, sm, {r5, r6, r7, r8}];
9.7.11.3 sm_60 tex.base.2dms.v4.f32.s32 {f1, f2, f3, f4}|p1, [d1, {r5, r6, r7, r8}], {r1, r2};
9.7.11.3 sm_60 tex.2dms.v2.f16x2.s32 {r1, r2}, [tx, {r5, r6, r7, r8}];
9.7.9.26.4.1 sm_107f cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000 [d1], [d2], r1, [d3];
9.7.17.10.9.1 sm_100a tcgen05.mma.cta_group::1.kind::tf32.ashift [r1], [r4], d2, r2, p1;
9.7.17.10.9.2 sm_100a tcgen05.mma.sp.cta_group::1.kind::f16.ashift [r1], [r4], d2, [r2], r3, p1;
9.7.10.5.1 sm_100 fabric.try_get.async.shared::cta.relaxed.sys.mbarrier::complete_tx::bytes.mbarrier::report::fabric.b128 [d1], [r1, d2], r2, [d3];
9.7.10.5.2 sm_100 fabric.try_put.async.counted::bytes.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [r1, d1, d2], [d3], r2, [d4];
9.7.10.5.3 sm_100 fabric.try_red.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.add.u32 [r1, d1], [d2], r2, [d3];
9.7.10.5.4 sm_100 fabric.try_pullred.async.multimem.mbarrier::complete_tx::bytes.mbarrier::report::fabric.shared::cta.f32.add.sync.relaxed.sys [d1], [r1, d2], r2, [d3], 4294967295;
9.7.10.5.5 sm_100 fabric.submit.op_restrict::fetching;
9.7.10.5.6 sm_100 fabric.wait.sync_restrict::reads;
9.7.15.5.15 sm_90a ldmatrix.sync.aligned.m8n16.x1.shared::cta.s8.s4 {r1}, [d1];
`

// TestUnsupportedFamilies checks that every one of those lines is parsed and printed back, and that
// it is refused by name with its section if its kernel is run. It must not prevent another kernel
// from running.
func TestUnsupportedFamilies(t *testing.T) {
	t.Parallel()
	const head = ".global .texref tx;\n.global .surfref sf;\n.entry good() { ret; }\n.entry bad() {\n" +
		".reg .pred p<4>; .reg .b16 h<9>; .reg .b32 r<9>; .reg .f32 f<9>; .reg .b64 d<9>; .reg .b128 q<2>;\n"
	seen := map[*row]bool{}
	for _, line := range strings.Split(strings.TrimSpace(unsupportedLines), "\n") {
		sec, rest, _ := strings.Cut(line, " ")
		if sec == "9.4:" {
			var num string
			num, rest, _ = strings.Cut(rest, " ")
			sec += " " + num
		}
		target, instr, _ := strings.Cut(rest, " ")
		mode, sampler := "", ""
		if strings.Contains(instr, "sm,") || strings.Contains(instr, "[sm]") {
			mode, sampler = ", texmode_independent", ".global .samplerref sm;\n"
		}
		src := ".version 9.4\n.target " + target + mode + "\n.address_size 64\n" + sampler + head + instr + "\n}\n"
		m, errs := Parse("k.ptx", src)
		if errs.Err() != nil {
			t.Errorf("%s: %v", instr, errs)
			continue
		}
		m.Func("bad").Body().instrs(func(in *Instr) {
			if v := instructions().lookupInstr(in); v != nil {
				seen[v.row] = true
			}
			if text := in.String(); !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(strings.TrimSuffix(instr, ";")), " ")) {
				t.Errorf("%s\nis printed as\n%s", instr, text)
			}
		})
		_, err := Lift(m, "bad")
		list := diag.Of(err)
		op, _, _ := strings.Cut(strings.TrimSuffix(instr, ";"), " ")
		if len(list) != 1 || list[0].Class != diag.Unsupported || list[0].Code != codeUnsupported || list[0].Section != "PTX "+sec || !strings.HasPrefix(list[0].Message, op+" is not supported, as all ") {
			t.Errorf("%s: %v", instr, err)
		}
		if _, err := Lift(m, "good"); err != nil {
			t.Errorf("%s: the other kernel: %v", instr, err)
		}
	}
	for _, name := range instructions().names {
		for _, r := range instructions().rows[name] {
			if r.Do.unsupported != "" && !seen[r] {
				t.Errorf("no line for %.100s", r.Form)
			}
		}
	}
}

// TestClusters: the directives about clusters become facts of the function (PTX 11.7, 11.8.1).
func TestClusters(t *testing.T) {
	t.Parallel()
	for directive, want := range map[string]ir.BlockLimits{
		"":                           {},
		".reqnctapercluster 2":       {ReqCluster: [3]uint32{2, 1, 1}},
		".reqnctapercluster 1, 1, 1": {ReqCluster: [3]uint32{1, 1, 1}},
		".maxclusterrank 8":          {MaxCluster: 8},
		".explicitcluster .reqnctapercluster 2, 2, 2":         {ReqCluster: [3]uint32{2, 2, 2}, NeedsCluster: true},
		".reqntid 32 .reqnctapercluster 2 .blocksareclusters": {ReqBlock: [3]uint32{32, 1, 1}, ReqCluster: [3]uint32{2, 1, 1}, GridOfClusters: true},
	} {
		m, errs := Parse("k.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() "+directive+"\n{ ret; }\n")
		if errs.Err() != nil {
			t.Errorf("%s: %v", directive, errs)
			continue
		}
		k, err := Lift(m, "k")
		if err != nil || k.Func.BlockLimits != want {
			t.Errorf("%s: %v, %+v", directive, err, k.Func.BlockLimits)
		}
	}
}
