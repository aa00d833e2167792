package main

import (
	"fmt"
	"strings"
)

// both returns an instruction of three vectors with VEX and EVEX encodings.
func both(name, vex, evex string, flags ...string) row {
	r := row{name: name, ops: "v,v,v/m", form: "RVM", encs: []string{"vex L " + vex, "evex L " + evex}}
	for _, f := range flags {
		r.flags += f + " "
	}
	return r
}

func with(r row, ops, form string) row {
	r.ops, r.form = ops, form
	return r
}

func vexOnly(name, ops, form, enc string) row {
	return row{name: name, ops: ops, form: form, encs: []string{"vex L " + enc}}
}

func evexOnly(name, ops, form, enc string) row {
	return row{name: name, ops: ops, form: form, encs: []string{"evex L " + enc}}
}

// bw returns an instruction of three vectors of bytes or words, whose encodings ignore W.
func bw(name, enc string, flags ...string) row {
	m, op := split(enc)
	return both(name, "66."+m+".WIG "+op, "66."+m+".W0 "+op+" k", flags...)
}

func d32(name, enc string, flags ...string) row {
	m, op := split(enc)
	return both(name, "66."+m+".WIG "+op, "66."+m+".W0 "+op+" b4 k", flags...)
}

func q64(name, enc string, flags ...string) row {
	m, op := split(enc)
	return both(name, "66."+m+".WIG "+op, "66."+m+".W1 "+op+" b8 k", flags...)
}

func split(enc string) (m, op string) {
	for i := range enc {
		if enc[i] == ' ' {
			return enc[:i], enc[i+1:]
		}
	}
	return "0F", enc
}

// evexOf returns an EVEX instruction on elements b, w, d or q, which determine W and the
// broadcast.
func evexOf(name, ops, form, pp, m, op string, elem byte, options string) row {
	w, b := "W0", ""
	switch elem {
	case 'w':
		w = "W1"
	case 'd':
		b = " b4"
	case 'q':
		w, b = "W1", " b8"
	}
	return evexOnly(name, ops, form, fmt.Sprintf("%s.%s.%s %s%s %s", pp, m, w, op, b, options))
}

// integer returns arithmetic, logic and comparison of integers.
func integer() []row {
	const c = "commutes"
	rows := []row{
		bw("VPADDB", "FC", c), bw("VPADDW", "FD", c), d32("VPADDD", "FE", c), q64("VPADDQ", "D4", c),
		bw("VPADDSB", "EC", c), bw("VPADDSW", "ED", c), bw("VPADDUSB", "DC", c), bw("VPADDUSW", "DD", c),
		bw("VPSUBB", "F8"), bw("VPSUBW", "F9"), d32("VPSUBD", "FA"), q64("VPSUBQ", "FB"),
		bw("VPSUBSB", "E8"), bw("VPSUBSW", "E9"), bw("VPSUBUSB", "D8"), bw("VPSUBUSW", "D9"),
		bw("VPMULLW", "D5", c), bw("VPMULHW", "E5", c), bw("VPMULHUW", "E4", c), bw("VPMULHRSW", "0F38 0B", c),
		d32("VPMULLD", "0F38 40", c), q64("VPMULUDQ", "F4", c), q64("VPMULDQ", "0F38 28", c),
		evexOf("VPMULLQ", "v,v,v/m", "RVM", "66", "0F38", "40", 'q', "k"),
		bw("VPMADDWD", "F5", c), bw("VPMADDUBSW", "0F38 04"),
		bw("VPAVGB", "E0", c), bw("VPAVGW", "E3", c),
		both("VPSADBW", "66.0F.WIG F6", "66.0F.W0 F6", c),
		bw("VPMINSB", "0F38 38", c), bw("VPMINSW", "EA", c), d32("VPMINSD", "0F38 39", c),
		bw("VPMINUB", "DA", c), bw("VPMINUW", "0F38 3A", c), d32("VPMINUD", "0F38 3B", c),
		bw("VPMAXSB", "0F38 3C", c), bw("VPMAXSW", "EE", c), d32("VPMAXSD", "0F38 3D", c),
		bw("VPMAXUB", "DE", c), bw("VPMAXUW", "0F38 3E", c), d32("VPMAXUD", "0F38 3F", c),
		evexOf("VPMINSQ", "v,v,v/m", "RVM", "66", "0F38", "39", 'q', "k"),
		evexOf("VPMINUQ", "v,v,v/m", "RVM", "66", "0F38", "3B", 'q', "k"),
		evexOf("VPMAXSQ", "v,v,v/m", "RVM", "66", "0F38", "3D", 'q', "k"),
		evexOf("VPMAXUQ", "v,v,v/m", "RVM", "66", "0F38", "3F", 'q', "k"),
		with(bw("VPABSB", "0F38 1C"), "v,v/m", "RM"), with(bw("VPABSW", "0F38 1D"), "v,v/m", "RM"),
		with(d32("VPABSD", "0F38 1E"), "v,v/m", "RM"),
		evexOf("VPABSQ", "v,v/m", "RM", "66", "0F38", "1F", 'q', "k"),
		vexOnly("VPSIGNB", "v,v,v/m", "RVM", "66.0F38.WIG 08"), vexOnly("VPSIGNW", "v,v,v/m", "RVM", "66.0F38.WIG 09"),
		vexOnly("VPSIGND", "v,v,v/m", "RVM", "66.0F38.WIG 0A"),
		vexOnly("VPHADDW", "v,v,v/m", "RVM", "66.0F38.WIG 01"), vexOnly("VPHADDD", "v,v,v/m", "RVM", "66.0F38.WIG 02"),
		vexOnly("VPHSUBW", "v,v,v/m", "RVM", "66.0F38.WIG 05"), vexOnly("VPHSUBD", "v,v,v/m", "RVM", "66.0F38.WIG 06"),

		d32("VANDPS", "54", c), d32("VANDNPS", "55"), d32("VORPS", "56", c), d32("VXORPS", "57", c),
		q64("VANDPD", "54", c), q64("VANDNPD", "55"), q64("VORPD", "56", c), q64("VXORPD", "57", c),
		evexOf("VPTERNLOGD", "v,v,v/m,i", "RVM", "66", "0F3A", "25", 'd', "k"),
		evexOf("VPTERNLOGQ", "v,v,v/m,i", "RVM", "66", "0F3A", "25", 'q', "k"),

		bw("VPUNPCKLBW", "60"), bw("VPUNPCKLWD", "61"), d32("VPUNPCKLDQ", "62"), q64("VPUNPCKLQDQ", "6C"),
		bw("VPUNPCKHBW", "68"), bw("VPUNPCKHWD", "69"), d32("VPUNPCKHDQ", "6A"), q64("VPUNPCKHQDQ", "6D"),
		bw("VPACKSSWB", "63"), d32("VPACKSSDW", "6B"), bw("VPACKUSWB", "67"), d32("VPACKUSDW", "0F38 2B"),

		vexOnly("VPCMPEQB", "v,v,v/m", "RVM", "66.0F.WIG 74"), vexOnly("VPCMPEQW", "v,v,v/m", "RVM", "66.0F.WIG 75"),
		vexOnly("VPCMPEQD", "v,v,v/m", "RVM", "66.0F.WIG 76"), vexOnly("VPCMPEQQ", "v,v,v/m", "RVM", "66.0F38.WIG 29"),
		vexOnly("VPCMPGTB", "v,v,v/m", "RVM", "66.0F.WIG 64"), vexOnly("VPCMPGTW", "v,v,v/m", "RVM", "66.0F.WIG 65"),
		vexOnly("VPCMPGTD", "v,v,v/m", "RVM", "66.0F.WIG 66"), vexOnly("VPCMPGTQ", "v,v,v/m", "RVM", "66.0F38.WIG 37"),
		vexOnly("VPTEST", "v,v/m", "RM", "66.0F38.WIG 17"), vexOnly("VTESTPS", "v,v/m", "RM", "66.0F38.W0 0E"),
		vexOnly("VTESTPD", "v,v/m", "RM", "66.0F38.W0 0F"),
		vexOnly("VPMOVMSKB", "r4,v", "RM", "66.0F.WIG D7"), vexOnly("VMOVMSKPS", "r4,v", "RM", "NP.0F.WIG 50"),
		vexOnly("VMOVMSKPD", "r4,v", "RM", "66.0F.WIG 50"),
	}
	for i := range rows {
		r := &rows[i]
		switch r.name {
		case "VANDPS", "VANDNPS", "VORPS", "VXORPS": // no mandatory prefix
			for j, e := range r.encs {
				r.encs[j] = strings.Replace(e, " 66.", " NP.", 1)
			}
		case "VPTEST", "VTESTPS", "VTESTPD":
			r.flags = "nodst fw"
		case "VPTERNLOGD", "VPTERNLOGQ":
			r.flags = "rw"
		}
	}
	// VEX has one form of these; EVEX has two, which differ in the elements that masks and
	// broadcasts count.
	for _, l := range []struct{ n, op string }{{"vpand", "DB"}, {"vpandn", "DF"}, {"vpor", "EB"}, {"vpxor", "EF"}} {
		f := c
		if l.n == "vpandn" {
			f = ""
		}
		up := strings.ToUpper(l.n)
		rows = append(rows,
			both(up, "66.0F.WIG "+l.op, "66.0F.W0 "+l.op+" b4 k name="+l.n+"d", f),
			both(up+"D "+l.n, "66.0F.WIG "+l.op, "66.0F.W0 "+l.op+" b4 k name="+l.n+"d", f),
			both(up+"Q "+l.n, "66.0F.WIG "+l.op, "66.0F.W1 "+l.op+" b8 k name="+l.n+"q", f))
	}
	return rows
}

// shifts returns shifts and rotations.
func shifts() []row {
	var rows []row
	for _, s := range []struct {
		n, op string
		digit int
	}{{"VPSLL", "F", 6}, {"VPSRL", "D", 2}, {"VPSRA", "E", 4}} {
		for i, e := range []byte("wdq") {
			name := s.n + strings.ToUpper(string(e))
			low := strings.ToLower(name)
			op := fmt.Sprintf("%s%d", s.op, i+1)
			w, b := "W0", ""
			switch e {
			case 'd':
				b = " b4"
			case 'q':
				w, b = "W1", " b8"
			}
			count := row{name: name, ops: "v,v,x/m16", form: "RVM"}
			imm := row{name: name + "Imm " + low, ops: "v,v/m,i", form: "VM", flags: "memevex"}
			if s.n == "VPSRA" && e == 'q' {
				op = "E2"
			} else {
				count.encs = append(count.encs, "vex L 66.0F.WIG "+op)
				imm.encs = append(imm.encs, fmt.Sprintf("vex L 66.0F.WIG %d /%d", 71+i, s.digit))
			}
			immOp := 71 + i
			if op == "E2" && e == 'q' {
				immOp = 72
			}
			count.encs = append(count.encs, "evex L 66.0F."+w+" "+op+" k")
			imm.encs = append(imm.encs, fmt.Sprintf("evex L 66.0F.%s %d /%d%s k", w, immOp, s.digit, b))
			rows = append(rows, count, imm)
		}
	}
	rows = append(rows,
		row{name: "VPSLLDQ", ops: "v,v/m,i", form: "VM", flags: "memevex", encs: []string{"vex L 66.0F.WIG 73 /7", "evex L 66.0F.W0 73 /7"}},
		row{name: "VPSRLDQ", ops: "v,v/m,i", form: "VM", flags: "memevex", encs: []string{"vex L 66.0F.WIG 73 /3", "evex L 66.0F.W0 73 /3"}},
		both("VPSLLVD", "66.0F38.W0 47", "66.0F38.W0 47 b4 k"), both("VPSLLVQ", "66.0F38.W1 47", "66.0F38.W1 47 b8 k"),
		both("VPSRLVD", "66.0F38.W0 45", "66.0F38.W0 45 b4 k"), both("VPSRLVQ", "66.0F38.W1 45", "66.0F38.W1 45 b8 k"),
		both("VPSRAVD", "66.0F38.W0 46", "66.0F38.W0 46 b4 k"),
		evexOf("VPSRAVQ", "v,v,v/m", "RVM", "66", "0F38", "46", 'q', "k"),
		evexOf("VPSLLVW", "v,v,v/m", "RVM", "66", "0F38", "12", 'w', "k"),
		evexOf("VPSRLVW", "v,v,v/m", "RVM", "66", "0F38", "10", 'w', "k"),
		evexOf("VPSRAVW", "v,v,v/m", "RVM", "66", "0F38", "11", 'w', "k"),
	)
	for _, e := range []byte("dq") {
		E := strings.ToUpper(string(e))
		rows = append(rows,
			evexOf("VPROLV"+E, "v,v,v/m", "RVM", "66", "0F38", "15", e, "k"),
			evexOf("VPRORV"+E, "v,v,v/m", "RVM", "66", "0F38", "14", e, "k"),
			evexOf("VPROL"+E, "v,v/m,i", "VM", "66", "0F", "72 /1", e, "k"),
			evexOf("VPROR"+E, "v,v/m,i", "VM", "66", "0F", "72 /0", e, "k"))
	}
	return rows
}
