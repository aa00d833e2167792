package main

import (
	"fmt"
	"strings"
)

// A floatKind is one of the four types of floating-point instructions, with the fields in which
// they differ.
type floatKind struct {
	suffix, pp, w, bcst, ops, mem, l string
	packed                           bool
}

func floatKinds() []floatKind {
	return []floatKind{
		{"PS", "NP", "W0", " b4", "v", "v/m", "L", true}, {"PD", "66", "W1", " b8", "v", "v/m", "L", true},
		{"SS", "F3", "W0", "", "x", "x/m4", "LIG", false}, {"SD", "F2", "W1", "", "x", "x/m8", "LIG", false},
	}
}

// floats returns arithmetic and comparison of floating-point numbers.
func floats() []row {
	var rows []row
	for _, a := range []struct{ n, op, round, flags string }{
		{"ADD", "58", "er", "commutes"}, {"MUL", "59", "er", "commutes"}, {"SUB", "5C", "er", ""}, {"DIV", "5E", "er", ""},
		{"MIN", "5D", "sae", ""}, {"MAX", "5F", "sae", ""}, {"SQRT", "51", "er", ""},
	} {
		for _, k := range floatKinds() {
			r := row{name: "V" + a.n + k.suffix, ops: k.ops + "," + k.ops + "," + k.mem, form: "RVM", flags: a.flags, encs: []string{
				"vex " + k.l + " " + k.pp + ".0F.WIG " + a.op,
				"evex " + k.l + " " + k.pp + ".0F." + k.w + " " + a.op + k.bcst + " k " + a.round}}
			if a.n == "SQRT" && k.packed {
				r.ops, r.form = "v,v/m", "RM"
			}
			rows = append(rows, r)
		}
	}
	for _, a := range []struct{ n, op, flags string }{{"ADD", "58", "commutes"}, {"MUL", "59", "commutes"}, {"SUB", "5C", ""}} {
		rows = append(rows, row{name: "V" + a.n + "PH", ops: "v,v,v/m", form: "RVM", flags: a.flags, encs: []string{"evex L NP.MAP5.W0 " + a.op + " k er"}})
	}
	rows = append(rows, row{name: "VFMADD231PH", ops: "v,v,v/m", form: "RVM", flags: "rw", encs: []string{"evex L 66.MAP6.W0 B8 k er"}})
	for _, f := range []struct {
		n      string
		op     int
		packed bool // only
	}{{"FMADDSUB", 6, true}, {"FMSUBADD", 7, true}, {"FMADD", 8, false}, {"FMSUB", 10, false}, {"FNMADD", 12, false}, {"FNMSUB", 14, false}} {
		for i, order := range []string{"132", "213", "231"} {
			for _, k := range floatKinds() {
				op := 0x90 + 0x10*i + f.op
				if !k.packed {
					if f.packed {
						continue
					}
					op++
				}
				rows = append(rows, row{name: "V" + f.n + order + k.suffix, ops: k.ops + "," + k.ops + "," + k.mem, form: "RVM", flags: "rw", encs: []string{
					fmt.Sprintf("vex %s 66.0F38.%s %02X", k.l, k.w, op),
					fmt.Sprintf("evex %s 66.0F38.%s %02X%s k er", k.l, k.w, op, k.bcst)}})
			}
		}
	}
	for _, k := range floatKinds() {
		rows = append(rows,
			row{name: "VCMP" + k.suffix, ops: k.ops + "," + k.ops + "," + k.mem + ",i", form: "RVM", encs: []string{"vex " + k.l + " " + k.pp + ".0F.WIG C2"}},
			row{name: "VCMP" + k.suffix + "K vcmp" + strings.ToLower(k.suffix), ops: "k," + k.ops + "," + k.mem + ",i", form: "RVM",
				encs: []string{"evex " + k.l + " " + k.pp + ".0F." + k.w + " C2" + k.bcst + " k0 sae"}})
	}
	for _, u := range []struct{ n, pp, w, mem string }{{"SS", "NP", "W0", "4"}, {"SD", "66", "W1", "8"}} {
		for _, c := range []struct{ n, op string }{{"VUCOMI", "2E"}, {"VCOMI", "2F"}} {
			rows = append(rows, row{name: c.n + u.n, ops: "x,x/m" + u.mem, form: "RM", flags: "nodst fw",
				encs: []string{"vex LIG " + u.pp + ".0F.WIG " + c.op, "evex LIG " + u.pp + ".0F." + u.w + " " + c.op + " sae"}})
		}
	}
	for i, k := range floatKinds() {
		ops, form := k.ops+","+k.mem+",i", "RM"
		if !k.packed {
			ops, form = "x,"+ops, "RVM"
		}
		rows = append(rows, row{name: "VROUND" + k.suffix, ops: ops, form: form, encs: []string{fmt.Sprintf("vex %s 66.0F3A.WIG %02X", k.l, 8+i)}},
			row{name: "VRNDSCALE" + k.suffix, ops: ops, form: form, encs: []string{fmt.Sprintf("evex %s 66.0F3A.%s %02X%s k sae", k.l, k.w, 8+i, k.bcst)}})
		scalar := 0
		if !k.packed {
			scalar = 1
		}
		two := k.ops + "," + k.ops + "," + k.mem
		one, oneForm := k.ops+","+k.mem, "RM"
		if !k.packed {
			one, oneForm = two, "RVM"
		}
		e := func(name, ops, form, m string, op int, round, flags string) {
			rows = append(rows, row{name: name + k.suffix, ops: ops, form: form, flags: flags,
				encs: []string{fmt.Sprintf("evex %s 66.%s.%s %02X%s k %s", k.l, m, k.w, op+scalar, k.bcst, round)}})
		}
		e("VRANGE", two+",i", "RVM", "0F3A", 0x50, "sae", "")
		e("VGETEXP", one, oneForm, "0F38", 0x42, "sae", "")
		e("VGETMANT", one+",i", oneForm, "0F3A", 0x26, "sae", "")
		e("VSCALEF", two, "RVM", "0F38", 0x2C, "er", "")
		e("VFIXUPIMM", two+",i", "RVM", "0F3A", 0x54, "sae", "rw")
		e("VREDUCE", one+",i", oneForm, "0F3A", 0x56, "sae", "")
		e("VRCP14", one, oneForm, "0F38", 0x4C, "", "")
		e("VRSQRT14", one, oneForm, "0F38", 0x4E, "", "")
		rows = append(rows, row{name: "VFPCLASS" + k.suffix, ops: "k," + k.mem + ",i", form: "RM",
			encs: []string{fmt.Sprintf("evex %s 66.0F3A.%s %02X%s k0", k.l, k.w, 0x66+scalar, k.bcst)}})
	}
	return append(rows,
		vexOnly("VRCPPS", "v,v/m", "RM", "NP.0F.WIG 53"), vexOnly("VRSQRTPS", "v,v/m", "RM", "NP.0F.WIG 52"),
		row{name: "VRCPSS", ops: "x,x,x/m4", form: "RVM", encs: []string{"vex LIG F3.0F.WIG 53"}},
		row{name: "VRSQRTSS", ops: "x,x,x/m4", form: "RVM", encs: []string{"vex LIG F3.0F.WIG 52"}})
}

// conversions returns conversions from and to floating-point numbers.
func conversions() []row {
	var rows []row
	const full, widen, narrow = "v,v/m", "v,v2/m", "v2,v/m"
	for _, c := range []struct{ n, ops, vex, evex string }{
		{"VCVTDQ2PS", full, "NP.0F.WIG 5B", "NP.0F.W0 5B b4 k er"}, {"VCVTPS2DQ", full, "66.0F.WIG 5B", "66.0F.W0 5B b4 k er"},
		{"VCVTTPS2DQ", full, "F3.0F.WIG 5B", "F3.0F.W0 5B b4 k sae"}, {"VCVTDQ2PD", widen, "F3.0F.WIG E6", "F3.0F.W0 E6 b4 k"},
		{"VCVTPD2DQ", narrow, "F2.0F.WIG E6", "F2.0F.W1 E6 b8 k er"}, {"VCVTTPD2DQ", narrow, "66.0F.WIG E6", "66.0F.W1 E6 b8 k sae"},
		{"VCVTPS2PD", widen, "NP.0F.WIG 5A", "NP.0F.W0 5A b4 k sae"}, {"VCVTPD2PS", narrow, "66.0F.WIG 5A", "66.0F.W1 5A b8 k er"},
		{"VCVTUDQ2PS", full, "", "F2.0F.W0 7A b4 k er"}, {"VCVTPS2UDQ", full, "", "NP.0F.W0 79 b4 k er"},
		{"VCVTTPS2UDQ", full, "", "NP.0F.W0 78 b4 k sae"}, {"VCVTUDQ2PD", widen, "", "F3.0F.W0 7A b4 k"},
		{"VCVTPD2UDQ", narrow, "", "NP.0F.W1 79 b8 k er"}, {"VCVTTPD2UDQ", narrow, "", "NP.0F.W1 78 b8 k sae"},
		{"VCVTQQ2PD", full, "", "F3.0F.W1 E6 b8 k er"}, {"VCVTUQQ2PD", full, "", "F3.0F.W1 7A b8 k er"},
		{"VCVTQQ2PS", narrow, "", "NP.0F.W1 5B b8 k er"}, {"VCVTUQQ2PS", narrow, "", "F2.0F.W1 7A b8 k er"},
		{"VCVTPS2QQ", widen, "", "66.0F.W0 7B b4 k er"}, {"VCVTPS2UQQ", widen, "", "66.0F.W0 79 b4 k er"},
		{"VCVTTPS2QQ", widen, "", "66.0F.W0 7A b4 k sae"}, {"VCVTTPS2UQQ", widen, "", "66.0F.W0 78 b4 k sae"},
		{"VCVTPD2QQ", full, "", "66.0F.W1 7B b8 k er"}, {"VCVTPD2UQQ", full, "", "66.0F.W1 79 b8 k er"},
		{"VCVTTPD2QQ", full, "", "66.0F.W1 7A b8 k sae"}, {"VCVTTPD2UQQ", full, "", "66.0F.W1 78 b8 k sae"},
		{"VCVTPH2PS", widen, "66.0F38.W0 13", "66.0F38.W0 13 k sae"},
	} {
		r := row{name: c.n, ops: c.ops, form: "RM"}
		if c.vex != "" {
			r.encs = append(r.encs, "vex L "+c.vex)
		}
		r.encs = append(r.encs, "evex L "+c.evex)
		rows = append(rows, r)
	}
	rows = append(rows,
		row{name: "VCVTPS2PH", ops: "v2,v,i", form: "MR", encs: []string{"vex L 66.0F3A.W0 1D", "evex L 66.0F3A.W0 1D k sae"}},
		row{name: "VCVTPS2PHSt vcvtps2ph", ops: "mv2,v,i", form: "MR", encs: []string{"vex L 66.0F3A.W0 1D", "evex L 66.0F3A.W0 1D k0"}},
		row{name: "VCVTSS2SD", ops: "x,x,x/m4", form: "RVM", encs: []string{"vex LIG F3.0F.WIG 5A", "evex LIG F3.0F.W0 5A k sae"}},
		row{name: "VCVTSD2SS", ops: "x,x,x/m8", form: "RVM", encs: []string{"vex LIG F2.0F.WIG 5A", "evex LIG F2.0F.W1 5A k er"}})
	for _, k := range []struct{ n, pp, mem, er string }{{"SS", "F3", "4", "er"}, {"SD", "F2", "8", "er8"}} {
		in := func(n, op, round string, vex bool, ops, form string) {
			r := row{name: n, ops: ops, form: form}
			if vex {
				r.encs = append(r.encs, "vex LIG "+k.pp+".0F.W "+op)
			}
			r.encs = append(r.encs, "evex LIG "+k.pp+".0F.W "+op+" "+round)
			rows = append(rows, r)
		}
		in("VCVTSI2"+k.n, "2A", k.er, true, "x,x,r/m", "RVM")
		in("VCVTUSI2"+k.n, "7B", k.er, false, "x,x,r/m", "RVM")
		to := "r,x/m" + k.mem
		in("VCVT"+k.n+"2SI", "2D", "er", true, to, "RM")
		in("VCVTT"+k.n+"2SI", "2C", "sae", true, to, "RM")
		in("VCVT"+k.n+"2USI", "79", "er", false, to, "RM")
		in("VCVTT"+k.n+"2USI", "78", "sae", false, to, "RM")
	}
	return rows
}

// masks returns the instructions that make, use and combine mask registers, and those that
// only AVX-512 has.
func masks() []row {
	var rows []row
	add := func(name, ops, form, flags string, encs ...string) {
		rows = append(rows, row{name: name, ops: ops, form: form, flags: flags, encs: encs})
	}
	for _, k := range []struct{ n, pp, w, gprPP, gprW, reg, mem string }{
		{"B", "66", "W0", "66", "W0", "r4", "1"}, {"W", "NP", "W0", "NP", "W0", "r4", "2"},
		{"D", "66", "W1", "F2", "W0", "r4", "4"}, {"Q", "NP", "W1", "F2", "W1", "r8", "8"},
	} {
		low := "kmov" + strings.ToLower(k.n)
		add("KMOV"+k.n, "k,k/m"+k.mem, "RM", "", "vex L0 "+k.pp+".0F."+k.w+" 90")
		add("KMOV"+k.n+"St "+low, "m"+k.mem+",k", "MR", "", "vex L0 "+k.pp+".0F."+k.w+" 91")
		add("KMOV"+k.n+"FromGPR "+low, "k,"+k.reg, "RM", "", "vex L0 "+k.gprPP+".0F."+k.gprW+" 92")
		add("KMOV"+k.n+"ToGPR "+low, k.reg+",k", "RM", "", "vex L0 "+k.gprPP+".0F."+k.gprW+" 93")
		for _, o := range []struct{ n, op, flags string }{{"KAND", "41", "commutes"}, {"KANDN", "42", ""}, {"KOR", "45", "commutes"},
			{"KXNOR", "46", "commutes"}, {"KXOR", "47", "commutes"}, {"KADD", "4A", "commutes"}} {
			add(o.n+k.n, "k,k,k", "RVM", o.flags, "vex L1 "+k.pp+".0F."+k.w+" "+o.op)
		}
		add("KNOT"+k.n, "k,k", "RM", "", "vex L0 "+k.pp+".0F."+k.w+" 44")
		add("KORTEST"+k.n, "k,k", "RM", "nodst fw", "vex L0 "+k.pp+".0F."+k.w+" 98")
		add("KTEST"+k.n, "k,k", "RM", "nodst fw", "vex L0 "+k.pp+".0F."+k.w+" 99")
		op, w := 0x32, "W0"
		if k.n == "D" || k.n == "Q" {
			op = 0x33
		}
		if k.n == "W" || k.n == "Q" {
			w = "W1"
		}
		add("KSHIFTL"+k.n, "k,k,i", "RM", "", fmt.Sprintf("vex L0 66.0F3A.%s %02X", w, op))
		add("KSHIFTR"+k.n, "k,k,i", "RM", "", fmt.Sprintf("vex L0 66.0F3A.%s %02X", w, op-2))
	}
	add("KUNPCKBW", "k,k,k", "RVM", "", "vex L1 66.0F.W0 4B")
	add("KUNPCKWD", "k,k,k", "RVM", "", "vex L1 NP.0F.W0 4B")
	add("KUNPCKDQ", "k,k,k", "RVM", "", "vex L1 NP.0F.W1 4B")

	for i, e := range []byte("bwdq") {
		E := strings.ToUpper(string(e))
		word := "3F"
		if i >= 2 {
			word = "1F"
		}
		uword := word[:1] + "E"
		cmp := func(name, op string) {
			r := evexOf(name, "k,v,v/m,i", "RVM", "66", "0F3A", op, e, "k0")
			rows = append(rows, r)
		}
		cmp("VPCMP"+E, word)
		cmp("VPCMPU"+E, uword)
		eqMap, eq, gtMap, gt := "0F", fmt.Sprint(74+i), "0F", fmt.Sprint(64+i)
		if e == 'q' {
			eqMap, eq, gtMap, gt = "0F38", "29", "0F38", "37"
		}
		wb := byte('b') // words are WIG
		if i >= 2 {
			wb = e
		}
		rows = append(rows,
			evexOf("VPCMPEQ"+E+"K vpcmpeq"+string(e), "k,v,v/m", "RVM", "66", eqMap, eq, wb, "k0"),
			evexOf("VPCMPGT"+E+"K vpcmpgt"+string(e), "k,v,v/m", "RVM", "66", gtMap, gt, wb, "k0"))
		op := "26"
		if i >= 2 {
			op = "27"
		}
		rows = append(rows,
			evexOf("VPTESTM"+E, "k,v,v/m", "RVM", "66", "0F38", op, e, "k0"),
			evexOf("VPTESTNM"+E, "k,v,v/m", "RVM", "F3", "0F38", op, e, "k0"))
		m := "28"
		if i >= 2 {
			m = "38"
		}
		w := "W0"
		if i%2 == 1 {
			w = "W1"
		}
		add("VPMOVM2"+E, "v,k", "RM", "", "evex L F3.0F38."+w+" "+m)
		add("VPMOV"+E+"2M", "k,v", "RM", "", "evex L F3.0F38."+w+" "+m[:1]+"9")
	}
	for _, e := range []byte("dq") {
		E := strings.ToUpper(string(e))
		rows = append(rows,
			evexOf("VPCONFLICT"+E, "v,v/m", "RM", "66", "0F38", "C4", e, "k"),
			evexOf("VPLZCNT"+E, "v,v/m", "RM", "66", "0F38", "44", e, "k"))
	}
	return rows
}
