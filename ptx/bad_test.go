package ptx

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// badInstructions has at least one bad program for each kind of rule that the manual states about
// instructions. A row gives the version and target, the code and words of the error, and the
// instruction. TestEveryNeed tries every row for the kinds needs-version and needs-target.
const badInstructions = `
# Opcodes that are no form.
8.8 sm_100 | unknown-instruction | not an instruction | frob.s32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of add | add.u8 c1, c2, c3;
8.8 sm_100 | unknown-instruction | not a form of add | add.b32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of add | add.sat.s64 d1, d2, d3;
8.8 sm_100 | unknown-instruction | not a form of add | add.rn.s32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of sub | sub.sat.u32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of mul | mul.s32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of mul | mul.wide.s64 d1, d2, d3;
8.8 sm_100 | unknown-instruction | not a form of mul | mul.wide.lo.s32 d1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of mad | mad.lo.sat.s32 r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of mad | mad.hi.sat.u32 r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of mul24 | mul24.wide.s32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of mad24 | mad24.lo.sat.s32 r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of abs | abs.u32 r1, r2;
8.8 sm_100 | unknown-instruction | not a form of neg | neg.u32 r1, r2;
8.8 sm_100 | unknown-instruction | not a form of min | min.relu.u32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of popc | popc.s32 r1, r2;
8.8 sm_100 | unknown-instruction | not a form of clz | clz.u32 r1, r2;
8.8 sm_100 | unknown-instruction | not a form of bfind | bfind.b32 r1, r2;
8.8 sm_100 | unknown-instruction | not a form of brev | brev.s32 r1, r2;
8.8 sm_100 | unknown-instruction | not a form of bfe | bfe.b32 r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of bfi | bfi.u32 r1, r2, r3, 1, 2;
8.8 sm_100 | unknown-instruction | not a form of szext | szext.s32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of dp4a | dp4a.u32 r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of dp2a | dp2a.u32.u32 r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of madc | madc.wide.u32 d1, r2, r3, d1;
8.8 sm_100 | unknown-instruction | not a form of setp | setp.lt.b32 p1, r1, r2;
8.8 sm_100 | unknown-instruction | not a form of setp | setp.lo.s32 p1, r1, r2;
8.8 sm_100 | unknown-instruction | not a form of setp | setp.equ.s32 p1, r1, r2;
8.8 sm_100 | unknown-instruction | not a form of setp | setp.eq.ftz.s32 p1, r1, r2;
8.8 sm_100 | unknown-instruction | not a form of setp | setp.eq.ftz.f64 p1, g1, g2;
8.8 sm_100 | unknown-instruction | not a form of setp | setp.eq.nand.s32 p1, r1, r2, p2;
8.8 sm_100 | unknown-instruction | not a form of setp | setp.lo.f16 p1, h1, h2;
8.8 sm_100 | unknown-instruction | not a form of set | set.eq.u16.s32 h1, r1, r2;
8.8 sm_100 | unknown-instruction | not a form of set | set.hs.u32.s32 r1, r1, r2;
8.8 sm_100 | unknown-instruction | not a form of set | set.eq.f16x2.f16 r1, h1, h2;
8.8 sm_100 | unknown-instruction | not a form of selp | selp.f16 h1, h2, h3, p1;
8.8 sm_100 | unknown-instruction | not a form of slct | slct.u32.u32 r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of slct | slct.ftz.u32.s32 r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of and | and.s32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of not | not.u32 r1, r2;
8.8 sm_100 | unknown-instruction | not a form of cnot | cnot.pred p1, p2;
8.8 sm_100 | unknown-instruction | not a form of lop3 | lop3.b64 d1, d2, d3, d1, 3;
8.8 sm_100 | unknown-instruction | not a form of lop3 | lop3.xor.b32 r1|p1, r2, r3, r1, 3, p2;
8.8 sm_100 | unknown-instruction | not a form of shl | shl.s32 r1, r2, 1;
8.8 sm_100 | unknown-instruction | not a form of shf | shf.l.b32 r1, r2, r3, 1;
8.8 sm_100 | unknown-instruction | not a form of prmt | prmt.b32.f8e r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of fma | fma.f32 f1, f2, f3, f1;
8.8 sm_100 | unknown-instruction | not a form of fma | fma.rn.sat.f64 g1, g2, g3, g1;
8.8 sm_100 | unknown-instruction | not a form of add | add.ftz.f64 g1, g2, g3;
8.8 sm_100 | unknown-instruction | not a form of add | add.rz.f16 h1, h2, h3;
8.8 sm_100 | unknown-instruction | not a form of rcp | rcp.full.f32 f1, f2;
8.8 sm_100 | unknown-instruction | not a form of sin | sin.approx.f64 g1, g2;
8.8 sm_100 | unknown-instruction | not a form of sin | sin.rn.f32 f1, f2;
8.8 sm_100 | unknown-instruction | not a form of testp | testp.zero.f32 p1, f2;
8.8 sm_100 | unknown-instruction | not a form of copysign | copysign.f16 h1, h2, h3;
8.8 sm_100 | unknown-instruction | not a form of tanh | tanh.f32 f1, f2;
8.8 sm_100 | unknown-instruction | not a form of shfl | shfl.sync.bfly.b64 d1, d1, 1, 31, -1;
8.8 sm_100 | unknown-instruction | not a form of vote | vote.sync.none.pred p1, p2, -1;
8.8 sm_100 | unknown-instruction | not a form of match | match.some.sync.b32 r1, r2, -1;
8.8 sm_100 | unknown-instruction | not a form of redux | redux.sync.mul.s32 r1, r2, -1;
8.8 sm_100 | unknown-instruction | not a form of redux | redux.sync.and.u32 r1, r2, -1;
8.8 sm_100 | unknown-instruction | not a form of bar | bar.wait 1;
8.8 sm_100 | unknown-instruction | not a form of membar | membar.cluster;
8.8 sm_100 | unknown-instruction | not a form of atom | atom.global.add.s64 d1, [d2], d3;
8.8 sm_100 | unknown-instruction | not a form of atom | atom.const.add.u32 r1, [d2], r3;
8.8 sm_100 | unknown-instruction | not a form of atom | atom.global.inc.s32 r1, [d2], r3;
8.8 sm_100 | unknown-instruction | not a form of atom | atom.global.xor.u32 r1, [d2], r3;
8.8 sm_100 | unknown-instruction | not a form of red | red.global.exch.b32 [d2], r3;
8.8 sm_100 | unknown-instruction | not a form of red | red.global.cas.b32 [d2], r3, r1;
8.8 sm_100 | unknown-instruction | not a form of ld | ld.shared.nc.u32 r1, [r2];
8.8 sm_100 | unknown-instruction | not a form of ld | ld.reg.u32 r1, [r2];
8.8 sm_100 | unknown-instruction | not a form of ld | ld.global.v3.u32 {r1, r2, r3}, [d1];
8.8 sm_100 | unknown-instruction | not a form of ld | ld.global.pred p1, [d1];
8.8 sm_100 | unknown-instruction | not a form of st | st.const.u32 [r1], r2;
8.8 sm_100 | unknown-instruction | not a form of st | st.acquire.gpu.u32 [d1], r2;
8.8 sm_100 | unknown-instruction | not a form of prefetch | prefetch.shared.L1 [d1];
8.8 sm_100 | unknown-instruction | not a form of bra | bra.sync L;
8.8 sm_100 | unknown-instruction | not a form of exit | exit.uni;
8.8 sm_100 | unknown-instruction | not a form of vadd | vadd.u32.u32 r1, r2, r3;
8.8 sm_100 | unknown-instruction | not a form of vadd2 | vadd2.u32.u32.u32.sat.add r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of vset4 | vset4.u32.u32.ne.max r1, r2, r3, r1;
8.8 sm_100 | unknown-instruction | not a form of vmad | vmad.u32.u32.u32.shr8 r1, r2, r3, r1;

# The number of operands.
8.8 sm_100 | operand-count | has 2 operands, want 3 | add.s32 r1, r2;
8.8 sm_100 | operand-count | has 4 operands, want 3 | add.s32 r1, r2, r3, r1;
8.8 sm_100 | operand-count | has 3 operands, want 4 | mad.lo.s32 r1, r2, r3;
8.8 sm_100 | operand-count | has 3 operands, want 2 | popc.b32 r1, r2, r3;
8.8 sm_100 | operand-count | has 3 operands, want 4 | bfe.u32 r1, r2, r3;
8.8 sm_100 | operand-count | has 4 operands, want 5 | bfi.b32 r1, r2, r3, 1;
8.8 sm_100 | operand-count | has 4 operands, want 5 | lop3.b32 r1, r2, r3, 1;
8.8 sm_100 | operand-count | has 3 operands, want 4 | selp.b32 r1, r2, r3;
8.8 sm_100 | operand-count | has 3 operands, want 4 | setp.eq.and.s32 p1, r1, r2;
8.8 sm_100 | operand-count | has 1 operand, want 2 | not.b32 r1;
8.8 sm_100 | operand-count | want 0 | exit r1;
8.8 sm_100 | operand-count | want 1 | bra;
8.8 sm_100 | operand-count | want | ld.global.u32 r1;
8.8 sm_100 | operand-count | want | st.global.u32 [d1];
8.8 sm_100 | operand-count | want | atom.global.add.u32 r1, [d1];
8.8 sm_100 | operand-count | want 2 | bar.arrive 1;
8.8 sm_100 | operand-count | want | vmad.u32.u32.u32 r1, r2, r3;

# Kinds of operands.
8.8 sm_100 | bad-operand | the constant 5, want a .s32 register | add.s32 5, r2, r3;
8.8 sm_100 | bad-operand | a .global variable, want a .s32 register or constant | add.s32 r1, gv, r3;
8.8 sm_100 | bad-operand | an address in brackets | add.s32 r1, [d1], r3;
8.8 sm_100 | bad-operand | no predicate destination | add.s32 r1|p1, r2, r3;
8.8 sm_100 | bad-operand | select an element | add.s32 r1, V, r3;
8.8 sm_100 | bad-operand | a vector of 2 | add.s32 r1, {r1, r2}, r3;
8.8 sm_100 | bad-operand | a negated predicate | add.s32 r1, !p1, r3;
8.8 sm_100 | bad-operand | has no element .z | add.s32 r1, V.z, r3;
8.8 sm_100 | bad-operand | has no element .x | add.s32 r1, r2.x, r3;
8.8 sm_100 | bad-operand | a label | bra r1;
8.8 sm_100 | bad-operand | a label | bra fn;
8.8 sm_100 | bad-operand | an address in brackets | ld.global.u32 r1, d1;
8.8 sm_100 | bad-operand | the label L | add.s32 r1, L, r3;
8.8 sm_100 | bad-operand | the function fn | add.s32 r1, fn, r3;
8.8 sm_100 | bad-operand | want d\|p | elect.sync r1, -1;
8.8 sm_100 | bad-operand | an integer constant | lop3.b32 r1, r2, r3, r1, r2;
8.8 sm_100 | bad-operand | an integer constant | cp.async.ca.shared.global [r1], [d1], r2;
8.8 sm_100 | bad-operand | .b0 to .b3 | vadd.u32.u32.u32 r1, r2.h2, r3;
8.8 sm_100 | bad-operand | .h0, .h1 or .h10 | vadd2.u32.u32.u32 r1.h01, r2, r3, r1;
8.8 sm_100 | bad-operand | four digits 0 to 7 | vadd4.u32.u32.u32 r1, r2.b3218, r3, r1;
8.8 sm_100 | bad-operand | some of the digits 3 to 0 | vset4.u32.u32.eq r1.b00, r2, r3, r1;
8.8 sm_100 | bad-operand | one of them may be | vmad.u32.u32.u32 r1, -r2, r3, -r1;
8.8 sm_100 | bad-operand | a negated register | vmad.u32.u32.u32.po r1, -r2, r3, r1;

# Types of registers.
8.8 sm_100 | operand-type | a .b64 register, want a .s32 register | add.s32 d1, r2, r3;
8.8 sm_100 | operand-type | a .f32 register, want a .s32 register | add.s32 r1, f2, r3;
8.8 sm_100 | operand-type | a .u32 register, want a .f32 register | add.f32 f1, u2, f3;
8.8 sm_100 | operand-type | a .f64 register, want a .f32 register | add.f32 f1, g2, f3;
8.8 sm_100 | operand-type | a .b16 register, want a .u32 register | shl.b32 r1, r2, h1;
8.8 sm_100 | operand-type | a .b64 register, want a .u32 register | shl.b64 d1, d2, d3;
8.8 sm_100 | operand-type | a .b32 register, want a .u64 register | mul.wide.u32 r1, r2, r3;
8.8 sm_100 | operand-type | a .b32 register, want a .s64 register | mad.wide.s32 d1, r2, r3, r1;
8.8 sm_100 | operand-type | a .b64 register, want a .u32 register | popc.b64 d1, d2;
8.8 sm_100 | operand-type | want .pred | @r1 add.s32 r1, r2, r3;
8.8 sm_100 | operand-type | want a .pred register | and.pred p1, p2, r3;
8.8 sm_100 | operand-type | want a .pred register | selp.b32 r1, r2, r3, r1;
8.8 sm_100 | operand-type | want a .pred register | setp.eq.s32 r1, r2, r3;
8.8 sm_100 | operand-type | want a .pred register | setp.eq.s32 p1|r1, r2, r3;
8.8 sm_100 | operand-type | a .pred register, want a .s32 register | add.s32 r1, p1, r3;
8.8 sm_100 | operand-type | a .pred register | not.b32 r1, p1;
8.8 sm_100 | operand-type | want a .s32 register | slct.b32.s32 r1, r2, r3, f1;
8.8 sm_100 | operand-type | want a .f32 register | slct.b32.f32 r1, r2, r3, u1;
8.8 sm_100 | operand-type | want a .f16 register | add.f16 h1, r2, h3;
8.8 sm_100 | operand-type | want a .f16x2 register | add.f16x2 r1, h2, r3;
8.8 sm_100 | operand-type | want a .u32 register | shf.l.wrap.b32 r1, r2, r3, d1;
8.8 sm_100 | operand-type | want a .b32 register | prmt.b32 r1, r2, d1, r3;
8.8 sm_100 | operand-type | want a .u32 register | shfl.sync.bfly.b32 r1, r1, 1, 31, d1;
8.8 sm_100 | operand-type | a 32-bit or 64-bit integer register | ld.global.u32 r1, [f1];
8.8 sm_100 | operand-type | want a .u64 register | ld.global.u64 r1, [d1];
8.8 sm_100 | operand-type | want a .f32 register | ld.global.f32 u1, [d1];
8.8 sm_100 | operand-type | want a .u32 register | st.global.u32 [d1], h1;
8.8 sm_100 | operand-type | a .u32 special register, want a .f32 | mov.f32 f1, %laneid;
8.8 sm_100 | operand-type | .b32 register, want a .u64 | atom.global.add.u64 d1, [d2], r1;
8.8 sm_100 | operand-type | want a .u32 register | vadd.u32.u32.u32 d1, r2, r3;

# Constants.
8.8 sm_100 | bad-immediate | the integer 1, want a .f32 | add.f32 f1, f2, 1;
8.8 sm_100 | bad-immediate | a floating-point constant, want a .s32 | add.s32 r1, r2, 1.0;
8.8 sm_100 | bad-immediate | want 0 to 15 | bar.sync 16;
8.8 sm_100 | bad-immediate | want a multiple of 32 | bar.sync 1, 33;
8.8 sm_100 | bad-immediate | multiple of 32 | bar.arrive 1, 0;
8.8 sm_100 | bad-immediate | want 0 to 15 | pmevent 16;
8.8 sm_100 | bad-immediate | want 0 to 65535 | pmevent.mask 65536;
8.8 sm_100a | bad-immediate | a multiple of 8 from 24 to 256 | setmaxnreg.inc.sync.aligned.u32 100;
8.8 sm_100a | bad-immediate | a multiple of 8 from 24 to 256 | setmaxnreg.inc.sync.aligned.u32 16;
8.8 sm_100a | bad-immediate | a multiple of 8 from 24 to 256 | setmaxnreg.dec.sync.aligned.u32 264;
8.8 sm_100 | bad-immediate | 4, 8 or 16 | cp.async.ca.shared.global [r1], [d1], 12;
8.8 sm_100 | bad-immediate | 16 | cp.async.cg.shared.global [r1], [d1], 8;

# State spaces and addresses.
8.8 sm_100 | state-space | accesses .global, but s is a .shared variable | ld.global.u32 r1, [s];
8.8 sm_100 | state-space | accesses .shared, but gv is a .global variable | st.shared.u32 [gv], r1;
8.8 sm_100 | state-space | accesses .local, but s is a .shared variable | ld.local.u32 r1, [s];
8.8 sm_100 | state-space | read-only | st.param.u64 [kp], d1;
8.8 sm_100 | state-space | but gv is a .global variable | cvta.shared.u64 d1, gv;
8.8 sm_100 | state-space | but gv is a .global variable | atom.shared.add.u32 r1, [gv], r2;

# Vectors.
8.8 sm_100 | bad-operand | a vector of 3, want a vector of 2 | ld.global.v2.u32 {r1, r2, r3}, [d1];
8.8 sm_100 | bad-operand | want a vector of 4 | ld.global.v4.u32 r1, [d1];
8.8 sm_100 | bad-operand | want a vector of 2 | st.global.v2.u32 [d1], r1;
8.8 sm_100 | bad-modifier | more than the 128 | ld.shared.v4.u64 {d1, d2, d3, _}, [s];
8.8 sm_100 | bad-operand | want one of 2 or 4 parts | mov.b64 {r1, r2, r3}, d1;
8.8 sm_100 | operand-type | want a .b32 register | mov.b64 d1, {r1, h2};

# Modifiers that do not go together.
8.8 sm_100 | bad-modifier | needs .rni, .rzi, .rmi or .rpi | cvt.u32.f32 r1, f1;
8.8 sm_100 | bad-modifier | needs .rn, .rz, .rm or .rp | cvt.f32.s32 f1, i1;
8.8 sm_100 | bad-modifier | this conversion is exact | cvt.rn.f64.f32 g1, f1;
8.8 sm_100 | bad-modifier | loses precision | cvt.f32.f64 f1, g1;
8.8 sm_100 | bad-modifier | takes no rounding modifier | cvt.rzi.s32.u32 r1, r2;
8.8 sm_100 | bad-modifier | .sat is not allowed | cvt.sat.s64.u32 d1, u1;
8.8 sm_100 | bad-modifier | .ftz needs .f32 | cvt.ftz.rzi.s32.f64 r1, g1;

# Calls.
8.8 sm_100 | operand-count | has 2 arguments, want 1 | call fn, (r1, r2);
8.8 sm_100 | operand-type | want a .b32 register | call fn, (d1);

# Versions and targets, of rows, modifiers and special registers.
1.4 sm_13 | needs-version | needs .version 2.0 or later | popc.b32 r1, r2;
2.0 sm_13 | needs-target | needs .target sm_20 or higher | popc.b32 r1, r2;
7.7 sm_80 | needs-version | .shared::cta of ld.shared::cta.u32 needs .version 7.8 | ld.shared::cta.u32 r1, [s];
6.5 sm_75 | needs-version | needs .version 7.0 | redux.sync.add.s32 r1, r2, -1;
7.0 sm_75 | needs-target | needs .target sm_80 | redux.sync.add.s32 r1, r2, -1;
9.2 sm_120 | needs-target | sm_120f or higher in its family | add.sat.u32 r1, r2, r3;
9.2 sm_100a | needs-target | sm_120f or higher in its family | add.u8x4 r1, r2, r3;
9.1 sm_120a | needs-version | needs .version 9.2 | add.u8x4 r1, r2, r3;
8.0 sm_90 | needs-target | needs .target sm_90a | wgmma.fence.sync.aligned;
8.0 sm_90 | needs-target | sm_90a | setmaxnreg.inc.sync.aligned.u32 64;
6.4 sm_70 | removed-instruction | was removed in PTX 6.4 | shfl.bfly.b32 r1, r2, 1, 31;
6.4 sm_70 | removed-instruction | use vote.sync | vote.ballot.b32 r1, p1;
1.4 sm_13 | needs-version | needs .version 3.1 | mov.u64 d1, %globaltimer;
1.2 sm_13 | removed-instruction |  | sin.f32 f1, f2; ACCEPTED
2.0 sm_20 | removed-instruction | sin.approx.f32 | sin.f32 f1, f2;
`

// TestBadInstructions runs the table.
func TestBadInstructions(t *testing.T) {
	t.Parallel()
	n := 0
	kinds := map[string]int{}
	for i, line := range strings.Split(badInstructions, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(strings.ReplaceAll(line, "\\|", "\x00"), " | ", 4)
		if len(f) != 4 {
			t.Fatalf("line %d: %q", i+1, line)
		}
		for j := range f {
			f[j] = strings.ReplaceAll(f[j], "\x00", "|")
		}
		version, target, _ := strings.Cut(strings.TrimSpace(f[0]), " ")
		code, words := strings.TrimSpace(f[1]), strings.TrimSpace(f[2])
		instr, accepted := strings.CutSuffix(f[3], " ACCEPTED")
		n++
		kinds[code]++
		size := ".address_size 64"
		if version < "2.3" {
			size = ""
		}
		decl := decls
		if version < "2.0" {
			decl = "\n.reg .pred p<4>; .reg .b16 h<4>; .reg .b32 r<4>; .reg .f32 f<4>; .reg .b64 d<4>;\n"
		}
		src := fmt.Sprintf(".version %s\n.target %s\n%s\n.global .b32 gv;\n.func fn(.reg .b32 x) { ret; }\n.entry k %s%s\nL:\n%s\n}\n", version, target, size, kernelParam(version), decl, instr)
		m, list := Parse("k.ptx", src)
		if list.Err() == nil {
			list = Check(m)
		}
		if accepted {
			if list.Err() != nil {
				t.Errorf("%s: %v", f[3], list)
			}
			continue
		}
		ok := false
		for _, d := range list {
			place := d.Pos.Line > 0 && (d.Source == instr || strings.Contains(d.Source, "call"))
			class := d.Class == diag.Input || code == "unsupported-instruction" && d.Class == diag.Unsupported
			if d.Section == "" && !strings.Contains(d.Message, "is not an instruction") {
				t.Errorf("%s: no section: %v", instr, d)
			}
			ok = ok || d.Code == code && strings.Contains(d.Message+" "+d.Remedy, words) && place && class && d.Severity == diag.Error
		}
		if !ok || len(list) != 1 {
			t.Errorf("%s: want %s %q, got\n%v", f[3], code, words, list)
		}
	}
	if n < 180 || len(kinds) < 9 {
		t.Errorf("%d rows of %d kinds", n, len(kinds))
	}
	t.Logf("%d rows of %d kinds", n, len(kinds))
}
