package main

import (
	"fmt"
	"strings"
)

// pseudo returns the entries of a list that are no machine instructions; see package lir.
func pseudo() []row {
	return []row{
		{name: "NOP", flags: "pseudo"},
		{name: "LABEL", flags: "pseudo"},
		{name: "ENTRY", flags: "pseudo"},
		{name: "COLD", flags: "pseudo"},
		{name: "HOT", flags: "pseudo"},
		{name: "STATE", ops: "i", flags: "pseudo"},
		{name: "UNDEF", flags: "pseudo"},
		{name: "EDGE", flags: "pseudo jump"},
		{name: "ALIGN", ops: "i", flags: "pseudo"},
	}
}

// The conditions in the order of their codes.
var conds = []string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

// gpr returns the instructions on general registers. Those with names that end in St have
// their destination in memory.
func gpr() []row {
	leg := func(name, ops, form, enc, flags string) row {
		return row{name: name, ops: ops, form: form, encs: []string{"leg " + enc}, flags: flags}
	}
	vex := func(name, ops, form, enc, flags string) row {
		return row{name: name, ops: ops, form: form, encs: []string{"vex L0 " + enc}, flags: flags}
	}
	rows := []row{
		leg("MOV", "r,r/m", "RM", "0 8B", "rr=2"),
		leg("MOVSt mov", "m,r", "MR", "0 89", "sizes=1248"),
		leg("MOVStImm mov", "m,i4", "M", "0 C7 /0", "sizes=1248"),
		leg("MOVImm mov", "r,i8", "O", "0 B8", "shape=immMove"),
		leg("MOVZXB movzx", "r,r1/m", "RM", "0F B6", ""),
		leg("MOVZXW movzx", "r,r2/m", "RM", "0F B7", ""),
		leg("MOVSXB movsx", "r,r1/m", "RM", "0F BE", ""),
		leg("MOVSXW movsx", "r,r2/m", "RM", "0F BF", ""),
		leg("MOVSXD movsxd", "r8,r4/m", "RM", "0 63", "sizes=w"),
		leg("LEA", "r,m", "RM", "0 8D", ""),
		leg("LEALabel lea", "r8", "R", "0 8D", "sizes=w shape=leaLabel"),
	}
	for i, n := range []string{"add", "or", "adc", "sbb", "and", "sub", "xor"} {
		d := []int{0, 1, 2, 3, 4, 5, 6}[i]
		carry := ""
		if d == 2 || d == 3 {
			carry = " fr"
		}
		commutes := ""
		if d != 3 && d != 5 {
			commutes = " commutes"
		}
		up := strings.ToUpper(n)
		rows = append(rows,
			leg(up, "r,r/m", "RM", fmt.Sprintf("0 %02X", 8*d+3), "rw fw rr=2"+carry+commutes),
			leg(up+"St "+n, "m,r", "MR", fmt.Sprintf("0 %02X", 8*d+1), "fw sizes=1248"+carry),
			leg(up+"Imm "+n, "r,iz", "M", fmt.Sprintf("0 81 /%d", d), "rw fw shape=immALU"+carry),
			leg(up+"StImm "+n, "m,iz", "M", fmt.Sprintf("0 81 /%d", d), "fw shape=immALU sizes=1248"+carry))
	}
	rows = append(rows,
		leg("CMP", "r,r/m", "RM", "0 3B", "nodst fw rr=2 sizes=1248"),
		leg("CMPMem cmp", "m,r", "MR", "0 39", "nodst fw sizes=1248"),
		leg("CMPImm cmp", "r/m,iz", "M", "0 81 /7", "nodst fw shape=immALU sizes=1248"),
		leg("TEST", "r,r/m", "RM", "0 85", "nodst fw rr=0 sizes=1248 commutes"),
		leg("TESTImm test", "r/m,i4", "M", "0 F7 /0", "nodst fw shape=immTest sizes=1248"),
		leg("IMUL", "r,r/m", "RM", "0F AF", "rw fw commutes"),
		leg("IMULImm imul", "r,r/m,iz", "RM", "0 69", "fw shape=immMul"),
		leg("MUL", "r/m", "M", "0 F7 /4", "nodst fw use=rax def=rax+rdx"),
		leg("IMUL1 imul", "r/m", "M", "0 F7 /5", "nodst fw use=rax def=rax+rdx"),
		leg("DIV", "r/m", "M", "0 F7 /6", "nodst fw use=rax+rdx def=rax+rdx"),
		leg("IDIV", "r/m", "M", "0 F7 /7", "nodst fw use=rax+rdx def=rax+rdx"),
		leg("CDQ", "", "", "0 99", "sizes=0 shape=bare use=rax def=rdx"),
		leg("CQO", "", "", "0 99", "sizes=w shape=bare use=rax def=rdx"),
	)
	for _, u := range []struct{ n, op, flags string }{
		{"neg", "F7 /3", " fw"}, {"not", "F7 /2", ""}, {"inc", "FF /0", " fw"}, {"dec", "FF /1", " fw"},
	} {
		rows = append(rows,
			leg(strings.ToUpper(u.n), "r", "M", "0 "+u.op, "rw"+u.flags),
			leg(strings.ToUpper(u.n)+"St "+u.n, "m", "M", "0 "+u.op, "sizes=1248"+u.flags))
	}
	for _, s := range []struct {
		n string
		d int
	}{{"rol", 0}, {"ror", 1}, {"shl", 4}, {"shr", 5}, {"sar", 7}} {
		rows = append(rows,
			leg(strings.ToUpper(s.n)+"Imm "+s.n, "r,i", "M", fmt.Sprintf("0 C1 /%d", s.d), "rw fw shape=immShift"),
			leg(strings.ToUpper(s.n)+"CL "+s.n, "r", "M", fmt.Sprintf("0 D3 /%d", s.d), "rw fw use=rcx"))
	}
	rows = append(rows,
		leg("SHLDImm shld", "r,r,i", "MR", "0F A4", "rw fw"),
		leg("SHRDImm shrd", "r,r,i", "MR", "0F AC", "rw fw"),
		leg("SHLDCL shld", "r,r", "MR", "0F A5", "rw fw use=rcx"),
		leg("SHRDCL shrd", "r,r", "MR", "0F AD", "rw fw use=rcx"),
		vex("SHLX", "r,r/m,r", "RMV", "66.0F38.W F7", ""),
		vex("SARX", "r,r/m,r", "RMV", "F3.0F38.W F7", ""),
		vex("SHRX", "r,r/m,r", "RMV", "F2.0F38.W F7", ""),
		vex("RORX", "r,r/m,i", "RM", "F2.0F3A.W F0", ""),
		vex("ANDN", "r,r,r/m", "RVM", "NP.0F38.W F2", "fw"),
		vex("BLSR", "r,r/m", "VM", "NP.0F38.W F3 /1", "fw"),
		vex("BLSMSK", "r,r/m", "VM", "NP.0F38.W F3 /2", "fw"),
		vex("BLSI", "r,r/m", "VM", "NP.0F38.W F3 /3", "fw"),
		vex("BZHI", "r,r/m,r", "RMV", "NP.0F38.W F5", "fw"),
		vex("BEXTR", "r,r/m,r", "RMV", "NP.0F38.W F7", "fw"),
		vex("PDEP", "r,r,r/m", "RVM", "F2.0F38.W F5", ""),
		vex("PEXT", "r,r,r/m", "RVM", "F3.0F38.W F5", ""),
		vex("MULX", "r,r,r/m", "RVM", "F2.0F38.W F6", "awrite use=rdx"),
		leg("POPCNT", "r,r/m", "RM", "F3.0F B8", "fw"),
		leg("LZCNT", "r,r/m", "RM", "F3.0F BD", "fw"),
		leg("TZCNT", "r,r/m", "RM", "F3.0F BC", "fw"),
		leg("BSWAP", "r", "O", "0F C8", "rw shape=opReg"),
		leg("BT", "r,r", "MR", "0F A3", "nodst fw"),
		leg("BTS", "r,r", "MR", "0F AB", "rw fw"),
		leg("BTR", "r,r", "MR", "0F B3", "rw fw"),
		leg("BTC", "r,r", "MR", "0F BB", "rw fw"),
		leg("BTImm bt", "r/m,i", "M", "0F BA /4", "nodst fw"),
		leg("BTSImm bts", "r,i", "M", "0F BA /5", "rw fw"),
		leg("BTRImm btr", "r,i", "M", "0F BA /6", "rw fw"),
		leg("BTCImm btc", "r,i", "M", "0F BA /7", "rw fw"),
		leg("XCHG", "r,r", "RM", "0 87", "rw bwrite commutes"),
		leg("XCHGSt xchg", "m,r", "MR", "0 87", "bwrite sizes=1248"),
		leg("XADDSt xadd", "m,r", "MR", "0F C1", "fw bwrite sizes=1248"),
		leg("CMPXCHGSt cmpxchg", "m,r", "MR", "0F B1", "fw use=rax def=rax sizes=1248"),
		leg("LOCKXADDSt lock xadd", "m,r", "MR", "0F C1", "lock fw bwrite sizes=1248"),
		leg("LOCKCMPXCHGSt lock cmpxchg", "m,r", "MR", "0F B1", "lock fw use=rax def=rax sizes=1248"),
		leg("LOCKADDSt lock add", "m,r", "MR", "0 01", "lock fw sizes=1248"),
		leg("LOCKORSt lock or", "m,r", "MR", "0 09", "lock fw sizes=1248"),
		leg("LOCKANDSt lock and", "m,r", "MR", "0 21", "lock fw sizes=1248"),
		leg("LOCKSUBSt lock sub", "m,r", "MR", "0 29", "lock fw sizes=1248"),
		leg("LOCKXORSt lock xor", "m,r", "MR", "0 31", "lock fw sizes=1248"),
		leg("CMPXCHG16BSt cmpxchg16b", "m16", "M", "0F C7 /1", "fw use=rax+rdx+rbx+rcx def=rax+rdx sizes=w"),
		leg("LOCKCMPXCHG16BSt lock cmpxchg16b", "m16", "M", "0F C7 /1", "lock fw use=rax+rdx+rbx+rcx def=rax+rdx sizes=w"),
	)
	for i, c := range conds {
		rows = append(rows, leg("SET"+strings.ToUpper(c), "r1", "M", fmt.Sprintf("0F %02X /0", 0x90+i), "rw fr sizes=0"))
	}
	for i, c := range conds {
		rows = append(rows, leg("CMOV"+strings.ToUpper(c), "r,r/m", "RM", fmt.Sprintf("0F %02X", 0x40+i), "rw fr"))
	}
	return rows
}

// control returns jumps, and instructions that change the state of the processor.
func control() []row {
	leg := func(name, ops, form, enc, flags string) row {
		return row{name: name, ops: ops, form: form, encs: []string{"leg " + enc}, flags: flags}
	}
	var rows []row
	for i, c := range conds {
		rows = append(rows, leg("J"+strings.ToUpper(c), "", "", fmt.Sprintf("0F %02X", 0x80+i), "sizes=0 shape=jump fr jump"))
	}
	return append(rows,
		leg("JMP", "", "", "0 E9", "sizes=0 shape=jump jump ends"),
		leg("JMPReg jmp", "r8/m", "M", "0 FF /4", "sizes=0 nodst ends"),
		leg("CALLLabel call", "", "", "0 E8", "sizes=0 shape=jump"),
		leg("CALLReg call", "r8/m", "M", "0 FF /2", "sizes=0 nodst"),
		leg("RET", "", "", "0 C3", "sizes=0 shape=bare ends"),
		leg("PUSH", "r8", "O", "0 50", "sizes=0 nodst shape=opReg"),
		leg("POP", "r8", "O", "0 58", "sizes=0 shape=opReg"),
		leg("STC", "", "", "0 F9", "sizes=0 shape=bare fw"),
		leg("CLC", "", "", "0 F8", "sizes=0 shape=bare fw"),
		leg("CMC", "", "", "0 F5", "sizes=0 shape=bare fw fr"),
		leg("PREFETCHT0", "m1", "M", "0F 18 /1", "sizes=0 nodst"),
		leg("LDMXCSR", "m4", "M", "0F AE /2", "sizes=0 nodst"),
		leg("STMXCSR", "m4", "M", "0F AE /3", "sizes=0"),
		leg("MFENCE", "", "", "0F AE", "sizes=0 raw=0FAEF0"),
		leg("PAUSE", "", "", "0 90", "sizes=0 raw=F390"),
		leg("UD2", "", "", "0F 0B", "sizes=0 shape=bare ends"),
		leg("INT3", "", "", "0 CC", "sizes=0 shape=bare"),
		leg("NOP1 nop", "", "", "0 90", "sizes=0 shape=bare"),
		leg("VZEROUPPER", "", "", "0F 77", "sizes=0 raw=C5F877"),
	)
}
