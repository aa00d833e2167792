package main

import (
	"fmt"
	"strings"
)

// permutes returns blends, permutations, broadcasts and conversions between sizes of
// integers.
func permutes() []row {
	lens := func(l string, r row) row { // sets other lengths; VEX has no 512
		for i, e := range r.encs {
			kind, rest, _ := strings.Cut(e, " L ")
			if kind == "vex" {
				r.encs[i] = kind + " 256 " + rest
			} else {
				r.encs[i] = kind + " " + l + " " + rest
			}
		}
		return r
	}
	flags := func(r row, f string) row { r.flags += " " + f; return r }
	const vvm, vm = "v,v,v/m", "v,v/m"
	ev := func(name, ops, form, m, op string, elem byte) row {
		return evexOf(name, ops, form, "66", m, op, elem, "k")
	}
	rows := []row{
		vexOnly("VBLENDVPS", vvm+",v", "RVM4", "66.0F3A.W0 4A"), vexOnly("VBLENDVPD", vvm+",v", "RVM4", "66.0F3A.W0 4B"),
		vexOnly("VPBLENDVB", vvm+",v", "RVM4", "66.0F3A.W0 4C"),
		vexOnly("VPBLENDD", vvm+",i", "RVM", "66.0F3A.W0 02"), vexOnly("VPBLENDW", vvm+",i", "RVM", "66.0F3A.WIG 0E"),
		vexOnly("VBLENDPS", vvm+",i", "RVM", "66.0F3A.WIG 0C"), vexOnly("VBLENDPD", vvm+",i", "RVM", "66.0F3A.WIG 0D"),
		flags(ev("VPBLENDMB", vvm, "RVM", "0F38", "66", 'b'), "chooses"), flags(ev("VPBLENDMW", vvm, "RVM", "0F38", "66", 'w'), "chooses"),
		flags(ev("VPBLENDMD", vvm, "RVM", "0F38", "64", 'd'), "chooses"), flags(ev("VPBLENDMQ", vvm, "RVM", "0F38", "64", 'q'), "chooses"),
		flags(ev("VBLENDMPS", vvm, "RVM", "0F38", "65", 'd'), "chooses"), flags(ev("VBLENDMPD", vvm, "RVM", "0F38", "65", 'q'), "chooses"),

		lens("256+", both("VPERMD", "66.0F38.W0 36", "66.0F38.W0 36 b4 k")),
		lens("256+", both("VPERMPS", "66.0F38.W0 16", "66.0F38.W0 16 b4 k")),
		lens("256+", with(both("VPERMQImm vpermq", "66.0F3A.W1 00", "66.0F3A.W1 00 b8 k"), vm+",i", "RM")),
		lens("256+", with(both("VPERMPDImm vpermpd", "66.0F3A.W1 01", "66.0F3A.W1 01 b8 k"), vm+",i", "RM")),
		lens("256+", ev("VPERMQ", vvm, "RVM", "0F38", "36", 'q')), lens("256+", ev("VPERMPD", vvm, "RVM", "0F38", "16", 'q')),
		ev("VPERMW", vvm, "RVM", "0F38", "8D", 'w'),
		both("VPERMILPS", "66.0F38.W0 0C", "66.0F38.W0 0C b4 k"), both("VPERMILPD", "66.0F38.W0 0D", "66.0F38.W1 0D b8 k"),
		with(both("VPERMILPSImm vpermilps", "66.0F3A.W0 04", "66.0F3A.W0 04 b4 k"), vm+",i", "RM"),
		with(both("VPERMILPDImm vpermilpd", "66.0F3A.W0 05", "66.0F3A.W1 05 b8 k"), vm+",i", "RM"),
		bw("VPSHUFB", "0F38 00"),
		with(both("VPSHUFD", "66.0F.WIG 70", "66.0F.W0 70 b4 k"), vm+",i", "RM"),
		with(both("VPSHUFHW", "F3.0F.WIG 70", "F3.0F.W0 70 k"), vm+",i", "RM"),
		with(both("VPSHUFLW", "F2.0F.WIG 70", "F2.0F.W0 70 k"), vm+",i", "RM"),
		with(both("VSHUFPS", "NP.0F.WIG C6", "NP.0F.W0 C6 b4 k"), vvm+",i", "RVM"),
		with(both("VSHUFPD", "66.0F.WIG C6", "66.0F.W1 C6 b8 k"), vvm+",i", "RVM"),
		lens("256+", ev("VSHUFF32X4", vvm+",i", "RVM", "0F3A", "23", 'd')), lens("256+", ev("VSHUFF64X2", vvm+",i", "RVM", "0F3A", "23", 'q')),
		lens("256+", ev("VSHUFI32X4", vvm+",i", "RVM", "0F3A", "43", 'd')), lens("256+", ev("VSHUFI64X2", vvm+",i", "RVM", "0F3A", "43", 'q')),
		with(both("VPALIGNR", "66.0F3A.WIG 0F", "66.0F3A.W0 0F k"), vvm+",i", "RVM"),
		ev("VALIGND", vvm+",i", "RVM", "0F3A", "03", 'd'), ev("VALIGNQ", vvm+",i", "RVM", "0F3A", "03", 'q'),
		lens("256", vexOnly("VPERM2I128", vvm+",i", "RVM", "66.0F3A.W0 46")), lens("256", vexOnly("VPERM2F128", vvm+",i", "RVM", "66.0F3A.W0 06")),
		both("VUNPCKLPS", "NP.0F.WIG 14", "NP.0F.W0 14 b4 k"), both("VUNPCKHPS", "NP.0F.WIG 15", "NP.0F.W0 15 b4 k"),
		q64("VUNPCKLPD", "14"), q64("VUNPCKHPD", "15"),
		with(both("VMOVSHDUP", "F3.0F.WIG 16", "F3.0F.W0 16 k"), vm, "RM"),
		with(both("VMOVSLDUP", "F3.0F.WIG 12", "F3.0F.W0 12 k"), vm, "RM"),
		lens("256+", with(both("VMOVDDUP", "F2.0F.WIG 12", "F2.0F.W1 12 k"), vm, "RM")), // the memory operand of the 16-byte form is half of it
	}
	for _, t := range []struct {
		n, i2, t2 string
		e         byte
	}{{"W", "75", "7D", 'w'}, {"D", "76", "7E", 'd'}, {"Q", "76", "7E", 'q'}, {"PS", "77", "7F", 'd'}, {"PD", "77", "7F", 'q'}} {
		rows = append(rows, flags(ev("VPERMI2"+t.n, vvm, "RVM", "0F38", t.i2, t.e), "rw"),
			flags(ev("VPERMT2"+t.n, vvm, "RVM", "0F38", t.t2, t.e), "rw"))
	}
	// Parts of vectors. The VEX forms have no element size.
	for _, k := range []struct{ n, ins, ext, vexIns, vexExt string }{
		{"I", "38", "39", "vinserti128", "vextracti128"}, {"F", "18", "19", "vinsertf128", "vextractf128"},
	} {
		low := map[string]string{"I": "i", "F": "f"}[k.n]
		ins, ext := "VINSERT"+k.n, "VEXTRACT"+k.n
		for _, w := range []struct{ n, w string }{{"32X4", "W0"}, {"64X2", "W1"}} {
			e := low + map[string]string{"W0": "32x4", "W1": "64x2"}[w.w]
			rows = append(rows,
				row{name: ins + w.n + " " + k.vexIns, ops: "v,v,x/m16,i", form: "RVM",
					encs: []string{"vex 256 66.0F3A.W0 " + k.ins, "evex 256+ 66.0F3A." + w.w + " " + k.ins + " k name=vinsert" + e}},
				row{name: ext + w.n + " " + k.vexExt, ops: "x,v,i", form: "MR",
					encs: []string{"vex 256 66.0F3A.W0 " + k.ext, "evex 256+ 66.0F3A." + w.w + " " + k.ext + " k name=vextract" + e}},
				row{name: ext + w.n + "St " + k.vexExt, ops: "m16,v,i", form: "MR",
					encs: []string{"vex 256 66.0F3A.W0 " + k.ext, "evex 256+ 66.0F3A." + w.w + " " + k.ext + " k0 name=vextract" + e}})
		}
		rows = append(rows,
			row{name: ins + "128", ops: "v,v,x/m16,i", form: "RVM", encs: []string{"vex 256 66.0F3A.W0 " + k.ins}},
			row{name: ext + "128", ops: "x,v,i", form: "MR", encs: []string{"vex 256 66.0F3A.W0 " + k.ext}},
			row{name: ext + "128St " + k.vexExt, ops: "m16,v,i", form: "MR", encs: []string{"vex 256 66.0F3A.W0 " + k.ext}})
		for _, w := range []struct{ n, w string }{{"32X8", "W0"}, {"64X4", "W1"}} {
			up := map[string]string{"38": "3A", "39": "3B", "18": "1A", "19": "1B"}
			e := map[string]string{"W0": "32x8", "W1": "64x4"}[w.w]
			rows = append(rows,
				row{name: ins + w.n, ops: "v,v,y/m32,i", form: "RVM", encs: []string{"evex 512 66.0F3A." + w.w + " " + up[k.ins] + " k"}},
				row{name: ext + w.n, ops: "y,v,i", form: "MR", encs: []string{"evex 512 66.0F3A." + w.w + " " + up[k.ext] + " k"}},
				row{name: ext + w.n + "St vextract" + low + e, ops: "m32,v,i", form: "MR", encs: []string{"evex 512 66.0F3A." + w.w + " " + up[k.ext] + " k0"}})
		}
		b := map[string]struct{ half, whole, two string }{"I": {"5A", "5B", "59"}, "F": {"1A", "1B", "19"}}[k.n]
		bc := "VBROADCAST" + k.n
		rows = append(rows,
			row{name: bc + "32X4 vbroadcast" + low + "128", ops: "v,m16", form: "RM", encs: []string{"vex 256 66.0F38.W0 " + b.half,
				"evex 256+ 66.0F38.W0 " + b.half + " k name=vbroadcast" + low + "32x4"}},
			row{name: bc + "64X2 vbroadcast" + low + "128", ops: "v,m16", form: "RM", encs: []string{"vex 256 66.0F38.W0 " + b.half,
				"evex 256+ 66.0F38.W1 " + b.half + " k name=vbroadcast" + low + "64x2"}},
			row{name: bc + "128", ops: "v,m16", form: "RM", encs: []string{"vex 256 66.0F38.W0 " + b.half}},
			row{name: bc + "32X8", ops: "v,m32", form: "RM", encs: []string{"evex 512 66.0F38.W0 " + b.whole + " k"}},
			row{name: bc + "64X4", ops: "v,m32", form: "RM", encs: []string{"evex 512 66.0F38.W1 " + b.whole + " k"}},
			row{name: bc + "32X2", ops: "v,x/m8", form: "RM", encs: []string{"evex 256+ 66.0F38.W0 " + b.two + " k"}})
	}
	for _, b := range []struct{ n, mem, op, w, vexL, evexL string }{
		{"VPBROADCASTB", "1", "78", "W0", "L", "L"}, {"VPBROADCASTW", "2", "79", "W0", "L", "L"},
		{"VPBROADCASTD", "4", "58", "W0", "L", "L"}, {"VPBROADCASTQ", "8", "59", "W1", "L", "L"},
		{"VBROADCASTSS", "4", "18", "W0", "L", "L"}, {"VBROADCASTSD", "8", "19", "W1", "256", "256+"},
	} {
		rows = append(rows, row{name: b.n, ops: "v,x/m" + b.mem, form: "RM",
			encs: []string{"vex " + b.vexL + " 66.0F38.W0 " + b.op, "evex " + b.evexL + " 66.0F38." + b.w + " " + b.op + " k"}})
	}
	for _, b := range []struct{ n, reg, op, w string }{{"B", "r4", "7A", "W0"}, {"W", "r4", "7B", "W0"}, {"D", "r4", "7C", "W0"}, {"Q", "r8", "7C", "W1"}} {
		rows = append(rows, row{name: "VPBROADCAST" + b.n + "FromGPR vpbroadcast" + string(b.n[0]+32), ops: "v," + b.reg, form: "RM",
			encs: []string{"evex L 66.0F38." + b.w + " " + b.op + " k"}})
	}
	for i, x := range []struct{ n, part string }{{"BW", "2"}, {"BD", "4"}, {"BQ", "8"}, {"WD", "2"}, {"WQ", "4"}, {"DQ", "2"}} {
		for j, k := range []string{"VPMOVSX", "VPMOVZX"} {
			op := fmt.Sprintf("%d%d", 2+j, i)
			rows = append(rows, row{name: k + x.n, ops: "v,v" + x.part + "/m", form: "RM",
				encs: []string{"vex L 66.0F38.WIG " + op, "evex L 66.0F38.W0 " + op + " k"}})
		}
	}
	for i, k := range []string{"US", "S", ""} {
		for _, x := range []struct{ n, part, op string }{{"WB", "2", "0"}, {"DB", "4", "1"}, {"QB", "8", "2"}, {"DW", "2", "3"}, {"QW", "4", "4"}, {"QD", "2", "5"}} {
			name := "VPMOV" + k + x.n
			e := fmt.Sprintf("evex L F3.0F38.W0 %d%s ", i+1, x.op)
			low := map[string]string{"US": "vpmovus", "S": "vpmovs", "": "vpmov"}[k] + string([]byte{x.n[0] + 32, x.n[1] + 32})
			rows = append(rows, row{name: name, ops: "v" + x.part + ",v", form: "MR", encs: []string{e + "k"}},
				row{name: name + "St " + low, ops: "mv" + x.part + ",v", form: "MR", encs: []string{e + "k0"}})
		}
	}
	return rows
}

// moves returns moves of vectors, of elements, and by vectors of addresses.
func moves() []row {
	var rows []row
	add := func(name, ops, form, flags string, encs ...string) {
		rows = append(rows, row{name: name, ops: ops, form: form, flags: flags, encs: encs})
	}
	for _, m := range []struct{ n, mnemonic, vexPP, pp, w, ld, st, evex string }{
		{"VMOVAPS", "vmovaps", "NP", "NP", "W0", "28", "29", ""}, {"VMOVAPD", "vmovapd", "66", "66", "W1", "28", "29", ""},
		{"VMOVUPS", "vmovups", "NP", "NP", "W0", "10", "11", ""}, {"VMOVUPD", "vmovupd", "66", "66", "W1", "10", "11", ""},
		{"VMOVDQA", "vmovdqa", "66", "66", "W0", "6F", "7F", " name=vmovdqa32"}, {"VMOVDQU", "vmovdqu", "F3", "F3", "W0", "6F", "7F", " name=vmovdqu32"},
		{"VMOVDQA32", "vmovdqa", "66", "66", "W0", "6F", "7F", " name=vmovdqa32"}, {"VMOVDQA64", "vmovdqa", "66", "66", "W1", "6F", "7F", " name=vmovdqa64"},
		{"VMOVDQU8", "vmovdqu", "F3", "F2", "W0", "6F", "7F", " name=vmovdqu8"}, {"VMOVDQU16", "vmovdqu", "F3", "F2", "W1", "6F", "7F", " name=vmovdqu16"},
		{"VMOVDQU32", "vmovdqu", "F3", "F3", "W0", "6F", "7F", " name=vmovdqu32"}, {"VMOVDQU64", "vmovdqu", "F3", "F3", "W1", "6F", "7F", " name=vmovdqu64"},
	} {
		add(m.n+" "+m.mnemonic, "v,v/m", "RM", "alt="+m.st, "vex L "+m.vexPP+".0F.WIG "+m.ld, "evex L "+m.pp+".0F."+m.w+" "+m.ld+" k"+m.evex)
		add(m.n+"St "+m.mnemonic, "m,v", "MR", "", "vex L "+m.vexPP+".0F.WIG "+m.st, "evex L "+m.pp+".0F."+m.w+" "+m.st+" k0"+m.evex)
	}
	add("VMOVNTDQSt vmovntdq", "m,v", "MR", "", "vex L 66.0F.WIG E7", "evex L 66.0F.W0 E7")
	add("VMOVDFromGPR vmovd", "x,r4/m", "RM", "", "vex L0 66.0F.W0 6E", "evex L0 66.0F.W0 6E")
	add("VMOVDToGPR vmovd", "r4,x", "MR", "", "vex L0 66.0F.W0 7E", "evex L0 66.0F.W0 7E")
	add("VMOVDSt vmovd", "m4,x", "MR", "", "vex L0 66.0F.W0 7E", "evex L0 66.0F.W0 7E")
	add("VMOVQFromGPR vmovq", "x,r8", "RM", "", "vex L0 66.0F.W1 6E", "evex L0 66.0F.W1 6E")
	add("VMOVQToGPR vmovq", "r8,x", "MR", "", "vex L0 66.0F.W1 7E", "evex L0 66.0F.W1 7E")
	add("VMOVQ", "x,x/m8", "RM", "", "vex L0 F3.0F.WIG 7E", "evex L0 F3.0F.W1 7E")
	add("VMOVQSt vmovq", "m8,x", "MR", "", "vex L0 66.0F.WIG D6", "evex L0 66.0F.W1 D6")
	for _, s := range []struct{ n, low, pp, w, size string }{{"VMOVSS", "vmovss", "F3", "W0", "4"}, {"VMOVSD", "vmovsd", "F2", "W1", "8"}} {
		add(s.n, "x,x,x", "RVM", "alt=11", "vex LIG "+s.pp+".0F.WIG 10", "evex LIG "+s.pp+".0F."+s.w+" 10 k")
		add(s.n+"Load "+s.low, "x,m"+s.size, "RM", "", "vex LIG "+s.pp+".0F.WIG 10", "evex LIG "+s.pp+".0F."+s.w+" 10 k")
		add(s.n+"St "+s.low, "m"+s.size+",x", "MR", "", "vex LIG "+s.pp+".0F.WIG 11", "evex LIG "+s.pp+".0F."+s.w+" 11 k0")
	}
	add("VMOVHLPS", "x,x,x", "RVM", "", "vex L0 NP.0F.WIG 12", "evex L0 NP.0F.W0 12")
	add("VMOVLHPS", "x,x,x", "RVM", "", "vex L0 NP.0F.WIG 16", "evex L0 NP.0F.W0 16")
	add("VPINSRB", "x,x,r4/m1,i", "RVM", "", "vex L0 66.0F3A.WIG 20", "evex L0 66.0F3A.W0 20")
	add("VPINSRW", "x,x,r4/m2,i", "RVM", "", "vex L0 66.0F.WIG C4", "evex L0 66.0F.W0 C4")
	add("VPINSRD", "x,x,r4/m,i", "RVM", "", "vex L0 66.0F3A.W0 22", "evex L0 66.0F3A.W0 22")
	add("VPINSRQ", "x,x,r8/m,i", "RVM", "", "vex L0 66.0F3A.W1 22", "evex L0 66.0F3A.W1 22")
	add("VINSERTPS", "x,x,x/m4,i", "RVM", "", "vex L0 66.0F3A.WIG 21", "evex L0 66.0F3A.W0 21")
	add("VPEXTRB", "r4,x,i", "MR", "", "vex L0 66.0F3A.WIG 14", "evex L0 66.0F3A.W0 14")
	add("VPEXTRW", "r4,x,i", "RM", "", "vex L0 66.0F.WIG C5", "evex L0 66.0F.W0 C5")
	add("VPEXTRD", "r4,x,i", "MR", "", "vex L0 66.0F3A.W0 16", "evex L0 66.0F3A.W0 16")
	add("VPEXTRQ", "r8,x,i", "MR", "", "vex L0 66.0F3A.W1 16", "evex L0 66.0F3A.W1 16")
	add("VPEXTRBSt vpextrb", "m1,x,i", "MR", "", "vex L0 66.0F3A.WIG 14", "evex L0 66.0F3A.W0 14")
	add("VPEXTRWSt vpextrw", "m2,x,i", "MR", "", "vex L0 66.0F3A.WIG 15", "evex L0 66.0F3A.W0 15")
	add("VPEXTRDSt vpextrd", "m4,x,i", "MR", "", "vex L0 66.0F3A.W0 16", "evex L0 66.0F3A.W0 16")
	add("VPEXTRQSt vpextrq", "m8,x,i", "MR", "", "vex L0 66.0F3A.W1 16", "evex L0 66.0F3A.W1 16")

	// Gathers and scatters: the first letter is the index, the second the element. The number
	// of elements is that of the larger of the two. The VEX form has a vector as its mask,
	// and clears it; the EVEX form clears K.
	for _, g := range []struct{ n, low, reg, mem, op, w string }{
		{"PGATHERDD", "pgatherdd", "v", "g4v", "90", "W0"}, {"PGATHERDQ", "pgatherdq", "v", "g8v2", "90", "W1"},
		{"PGATHERQD", "pgatherqd", "v2", "g4v", "91", "W0"}, {"PGATHERQQ", "pgatherqq", "v", "g8v", "91", "W1"},
		{"GATHERDPS", "gatherdps", "v", "g4v", "92", "W0"}, {"GATHERDPD", "gatherdpd", "v", "g8v2", "92", "W1"},
		{"GATHERQPS", "gatherqps", "v2", "g4v", "93", "W0"}, {"GATHERQPD", "gatherqpd", "v", "g8v", "93", "W1"},
	} {
		add("V"+g.n, g.reg+","+g.mem, "RM", "rw kwrite distinct", "evex L 66.0F38."+g.w+" "+g.op+" kr")
		add("V"+g.n+"Vex v"+g.low, g.reg+","+g.mem+","+g.reg, "RMV", "rw bwrite distinct", "vex L 66.0F38."+g.w+" "+g.op)
		n, low, op := "VPSCATTER"+g.n[len("PGATHER"):], "vpscatter"+g.low[len("pgather"):], "A"+g.op[1:]
		if g.n[0] == 'G' {
			n, low = "VSCATTER"+g.n[len("GATHER"):], "vscatter"+g.low[len("gather"):]
		}
		add(n+"St "+low, g.mem+","+g.reg, "MR", "kwrite", "evex L 66.0F38."+g.w+" "+op+" kr")
	}
	for _, c := range []struct{ n, low, mem, w, com, exp string }{
		{"D", "d", "4", "W0", "8B", "89"}, {"Q", "q", "8", "W1", "8B", "89"}, {"PS", "ps", "4", "W0", "8A", "88"}, {"PD", "pd", "8", "W1", "8A", "88"},
	} {
		p, lp := "VP", "vp"
		if c.n[0] == 'P' {
			p, lp = "V", "v"
		}
		add(p+"COMPRESS"+c.n, "v,v", "MR", "", "evex L 66.0F38."+c.w+" "+c.com+" k")
		add(p+"COMPRESS"+c.n+"St "+lp+"compress"+c.low, "m,v", "MR", "unit="+c.mem, "evex L 66.0F38."+c.w+" "+c.com+" k0")
		add(p+"EXPAND"+c.n, "v,v/m", "RM", "unit="+c.mem, "evex L 66.0F38."+c.w+" "+c.exp+" k")
	}
	for _, m := range []struct{ n, low, w, ld, st string }{
		{"VPMASKMOVD", "vpmaskmovd", "W0", "8C", "8E"}, {"VPMASKMOVQ", "vpmaskmovq", "W1", "8C", "8E"},
		{"VMASKMOVPS", "vmaskmovps", "W0", "2C", "2E"}, {"VMASKMOVPD", "vmaskmovpd", "W0", "2D", "2F"},
	} {
		add(m.n, "v,v,m", "RVM", "", "vex L 66.0F38."+m.w+" "+m.ld)
		add(m.n+"St "+m.low, "m,v,v", "MVR", "", "vex L 66.0F38."+m.w+" "+m.st)
	}
	return rows
}
