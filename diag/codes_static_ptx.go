package diag

import "strings"

// staticPTXCodes are about findings of a check of PTX that does not run it.
func staticPTXCodes() []Code {
	return []Code{
		{
			Code: "absent-members", Class: Finding, Severity: Warning,
			Doc:     "The membermask of a .sync instruction is a constant that names lanes that never come to it: a branch keeps them away, whatever the data. The other lanes wait for them until they have exited, or for ever if they wait elsewhere; values read from them are undefined. Lanes that come to another instruction of the same kind and qualifiers count as coming (from sm_70).",
			Remedy:  "Name only the lanes that come, or move the instruction to a place that all of them reach.",
			Example: staticPTX("setp.lt.u32 %p1, %r1, 16;\n@%p1 vote.sync.ballot.b32 %r2, %p1, -1;\nret;"),
		},
		{
			Code: "divergent-sync", Class: Finding, Severity: Warning,
			Doc:     "A .sync instruction whose membermask is a constant stands after a branch, or in a loop, that depends on the lane's own data, so that lanes that the mask names may be missing: the rest wait until they exit, and reading from them is undefined. Branches that depend on a value that is the same in all lanes of a warp do not count.",
			Remedy:  "Compute the membermask with vote.sync.ballot of the branch's condition, before the branch, or move the instruction out of it.",
			Example: staticPTX("ld.param.u32 %r5, [n];\nsetp.ge.u32 %p1, %r1, %r5;\n@%p1 bra e;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\ne:\nret;"),
		},
		{
			Code: "divergent-barrier", Class: Finding, Severity: Warning,
			Doc:     "A barrier of the block that all lanes of a warp must execute together (bar, barrier with .aligned) stands after a branch that lanes of a warp may take differently. Lanes that have exited are not meant.",
			Remedy:  "Move the barrier to a place that all lanes of the warp reach, or use barrier without .aligned.",
			Example: staticPTX("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra e;\nbar.sync 0;\ne:\nadd.u32 %r2, %r1, 1;\nret;"),
		},
		{
			Code: "shuffle-segments", Class: Finding, Severity: Warning,
			Doc:     "The operand c of a shuffle is a constant that does not divide the warp into segments as CUDA's width does: its mask is not that of a power of two, its clamp value keeps lanes from their own segment (0 for .up, 0x1f for the other modes), or it has bits that do not count.",
			Remedy:  "Pack c as (32 - width) << 8, with 0x1f in the low bits for idx, down and bfly, and 0 for up.",
			Example: staticPTX("shfl.sync.down.b32 %r2, %r1, 8, 16, -1;\nret;"),
		},
		{
			Code: "shuffle-range", Class: Finding, Severity: Warning,
			Doc:     "The constant b of a shuffle reaches no lane: up or down by the width of a segment or more, or an exchange with a lane outside of it; every lane keeps its own value, or, in an exchange (bfly), the upper lane reads the lower one of another segment. Or b has bits that do not count. As a note: an idx beyond its segment, which wraps around.",
			Remedy:  "Use a smaller offset, or wider segments.",
			Example: staticPTX("shfl.sync.down.b32 %r2, %r1, 8, 0x181f, -1;\nret;"),
		},
		{
			Code: "unused-predicate", Class: Finding, Severity: Note,
			Doc:     "The result of shfl.up is added without a test of its predicate: lanes without a source get their own value, and add it once more. In a scan that is wrong; if only the highest lane is used, it does not matter. For shfl.down, the check reports sums that are stored by lanes without a source: only the lowest lane of each segment has the sum.",
			Remedy:  "Take the predicate (d|p) and add only where it is true.",
			Example: staticPTX("shfl.sync.up.b32 %r2, %r1, 1, 0, -1;\nadd.u32 %r1, %r1, %r2;\nshfl.sync.up.b32 %r2, %r1, 2, 0, -1;\nret;"),
		},
		{
			Code: "shift-range", Class: Finding, Severity: Warning,
			Doc:     "A shift by a constant that is not below the width leaves nothing of the value (or its sign), a funnel shift by 32 or more acts as another one, a bit field lies beyond the value or has no bits.",
			Remedy:  "Check the constant.",
			Example: staticPTX("shl.b32 %r2, %r1, 32;\nret;"),
		},
		{
			Code: "funnel-halves", Class: Finding, Severity: Note,
			Doc:     "shf gets the two halves of a 64-bit value as (high, low), but its first operand is the low word. Next to the same shift of (low, high), as in a rotation by 64 bits, that is right.",
			Remedy:  "Give the low half first; to rotate one word give it twice.",
			Example: staticPTX("mov.b64 %d1, {%r1, %r1};\nmov.b64 {%r2, %r3}, %d1;\nshf.l.wrap.b32 %r4, %r3, %r2, 8;\nret;"),
		},
		{
			Code: "zero-divisor", Class: Finding, Severity: Warning,
			Doc:     "An integer division or remainder by a number that is always 0. The result is not specified, and depends on the machine.",
			Remedy:  "Guard the division, or give the divisor another value.",
			Example: staticPTX("mov.u32 %r3, 0;\ndiv.u32 %r2, %r1, %r3;\nret;"),
		},
		{
			Code: "bank-conflict", Class: Finding, Severity: Note,
			Doc:     "Lanes access different words of one bank of shared memory, so that the access is done in several steps: word W is in bank W modulo 32. Accesses of 8 and 16 bytes are counted for each half and quarter of the warp. It is reported if the addresses are known up to a part that all lanes have in common.",
			Remedy:  "Pad the rows of the array by a word, or permute its columns.",
			Example: staticPTX("shl.b32 %r2, %r1, 7;\nmov.u32 %r4, buf;\nadd.u32 %r2, %r2, %r4;\nld.shared.u32 %r3, [%r2];\nret;"),
		},
		{
			Code: "uninitialised-register", Class: Finding, Severity: Error,
			Doc:     "A register is used that has been written on no path that leads there: by memory, another lane, a branch or a guard as an error, in arithmetic as a warning. Copies do not count.",
			Remedy:  "Write the register on a path that leads to its use.",
			Example: staticPTX("shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 trap;\nret;"),
		},
	}
}

// staticPTXPages are their pages.
func staticPTXPages() []page {
	return []page{
		{"absent-members", "PTX 9.7.14.10 (vote.sync), 9.7.9.6 (shfl.sync)", staticPTX("setp.lt.u32 %p1, %r1, 16;\n@%p1 vote.sync.ballot.b32 %r2, %p1, 0xffff;\nret;")},
		{"divergent-sync", "PTX 9.7.9.6 (shfl.sync)", staticPTX("ld.param.u32 %r5, [n];\nsetp.ge.u32 %p1, %r1, %r5;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n@%p1 bra e;\nadd.u32 %r2, %r2, 1;\ne:\nret;")},
		{"divergent-barrier", "PTX 9.7.14.1 (bar, barrier)", staticPTX("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra e;\nadd.u32 %r2, %r1, 1;\ne:\nbar.sync 0;\nret;")},
		{"shuffle-segments", "PTX 9.7.9.6 (shfl.sync): c", staticPTX("shfl.sync.down.b32 %r2, %r1, 8, 0x101f, -1;\nret;")},
		{"shuffle-range", "PTX 9.7.9.6 (shfl.sync)", staticPTX("shfl.sync.down.b32 %r2, %r1, 4, 0x181f, -1;\nret;")},
		{"unused-predicate", "PTX 9.7.9.6 (shfl.sync): p", staticPTX("shfl.sync.up.b32 %r2|%p1, %r1, 1, 0, -1;\n@%p1 add.u32 %r1, %r1, %r2;\nret;")},
		{"shift-range", "PTX 9.7.8.7 (shf), 9.7.8.8 (shl), 9.7.8.9 (shr), 9.7.1.20 (bfe)", staticPTX("shl.b32 %r2, %r1, 31;\nret;")},
		{"funnel-halves", "PTX 9.7.8.7 (shf)", staticPTX("mov.b64 %d1, {%r1, %r1};\nmov.b64 {%r2, %r3}, %d1;\nshf.l.wrap.b32 %r4, %r2, %r3, 8;\nret;")},
		{"zero-divisor", "PTX 9.7.1.9 (div), 9.7.1.10 (rem)", staticPTX("mov.u32 %r3, 3;\ndiv.u32 %r2, %r1, %r3;\nret;")},
		{"bank-conflict", "", staticPTX("mul.lo.u32 %r2, %r1, 132;\nmov.u32 %r4, buf;\nadd.u32 %r2, %r2, %r4;\nld.shared.u32 %r3, [%r2];\nret;")},
		{"uninitialised-register", "", staticPTX("mov.u32 %r3, %r1;\nshfl.sync.bfly.b32 %r2, %r3, 1, 31, -1;\nsetp.eq.u32 %p1, %r2, 32;\n@%p1 trap;\nret;")},
	}
}

// staticPTX checks a kernel of some instructions, the first of which puts the lane's
// number into %r1.
func staticPTX(text string) string {
	shared := ""
	if strings.Contains(text, ".shared") {
		shared = "\t.shared .align 16 .b8 buf[8192];\n"
	}
	return "crosslane check --static k.ptx" + ptxFile(".param .u32 n", shared+"\t.reg .b32 %r<9>;\n\t.reg .b64 %d<3>;\n\t.reg .pred %p<4>;\n\tmov.u32 %r1, %laneid;\n"+
		"\t"+strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n\t"), "\te:", "e:"))
}
