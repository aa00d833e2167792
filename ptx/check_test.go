package ptx

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// decls declares the names that the instructions of the tables below use.
const decls = `
	.reg .pred p<4>;
	.reg .b8 c<4>;
	.reg .b16 h<4>;
	.reg .b32 r<4>;
	.reg .u32 u<4>;
	.reg .s32 i<4>;
	.reg .f32 f<4>;
	.reg .b64 d<4>;
	.reg .u64 ud<4>;
	.reg .f64 g<4>;
	.reg .v2 .b32 V;
	.reg .v4 .f32 W;
	.shared .b32 s[4];
	.local .b32 loc;
`

// kernelParam begins a kernel with the parameter kp: before PTX 1.4 it stands in the body.
func kernelParam(version string) string {
	if version < "1.4" {
		return "{ .param .u64 kp;"
	}
	return "(.param .u64 kp) {"
}

// checkOne checks one instruction in a module of a version and target.
func checkOne(t *testing.T, version, target, instr string) diag.List {
	t.Helper()
	size := ".address_size 64"
	if version < "2.3" {
		size = ""
	}
	src := fmt.Sprintf(".version %s\n.target %s\n"+size+"\n.global .b32 gv;\n.func fn(.reg .b32 x) { ret; }\n.entry k %s%s\nL:\n%s\n}\n", version, target, kernelParam(version), decls, instr)
	m, errs := Parse("k.ptx", src)
	if errs.Err() != nil {
		t.Errorf("%s: %v", instr, errs)
		return errs
	}
	return Check(m)
}

// TestCheckRefuses checks the errors for operands, modifiers and constants that the ISA does not
// allow.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ instr, want string }{
		{"add.s32 r1, r2;", `^k.ptx:23:1: error: add.s32 has 2 operands, want 3 \[operand-count\]$`},
		{"add.s32 d1, r2, r3;", `23:9: error: operand d of add.s32 is d1, a .b64 register, want a .s32 register \[operand-type\]`},
		{"add.s32 r1, f2, r3;", `operand a of add.s32 is f2, a .f32 register, want a .s32 register \[operand-type\]`},
		{"add.f32 f1, u2, f3;", `operand a of add.f32 is u2, a .u32 register, want a .f32 register`},
		{"add.f32 f1, f2, 1;", `operand b of add.f32 is the integer 1, want a .f32: write 1.0 or 0f… \[bad-immediate\]`},
		{"add.s32 r1, r2, 1.0;", `operand b of add.s32 is a floating-point constant, want a .s32 \[bad-immediate\]`},
		{"add.s32 5, r2, r3;", `operand d of add.s32 is the constant 5, want a .s32 register \[bad-operand\]`},
		{"add.s32 r1, gv, r3;", `operand a of add.s32 is gv, a .global variable, want a .s32 register or constant \[bad-operand\]`},
		{"add.s32 r1, [d1], r3;", `operand a of add.s32 is an address in brackets`},
		{"add.s32 r1|p1, r2, r3;", `operand d of add.s32 is a pair a\|b, want one register: this instruction has no predicate destination`},
		{"add.s32 r1, V, r3;", `operand a of add.s32 is V, a .v2 .b32 register, want a .s32 register; select an element`},
		{"add.s32 r1, !p1, r3;", `operand a of add.s32 is a negated predicate, want a .s32 value`},
		{"add.s32 r1, V.z, r3;", `V, a .b32 register, has no element .z \[bad-operand\]`},
		{"add.s32 r1, r2.x, r3;", `r2, a .b32 register, has no element .x \[bad-operand\]`},
		{"@r1 add.s32 r1, r2, r3;", `the guard r1 is a .b32 register, want .pred \[operand-type\]`},
		{"and.pred p1, p2, r3;", `operand b of and.pred is r3, a .b32 register, want a .pred register`},
		{"selp.b32 r1, r2, r3, r1;", `operand c of selp.b32 is r1, a .b32 register, want a .pred register`},
		{"setp.lt.b32 p1, r1, r2;", `setp.lt.b32 is not a form of setp that PTX has \[unknown-instruction\]`},
		{"lop3.b32 r1, r2, r3, r1, r2;", `operand immLut of lop3.b32 is r2, a .b32 register, want an integer constant`},
		{"bra r1;", `operand tgt of bra is r1, a .b32 register, want a label`},
		{"bra fn;", `operand tgt of bra is the function fn, want a label`},
		{"ld.global.u32 r1, d1;", `operand a of ld.global.u32 is d1, a .b64 register, want an address in brackets`},
		{"ld.global.u32 r1, [s];", `ld.global.u32 accesses .global, but s is a .shared variable \[state-space\]`},
		{"ld.global.u32 r1, [f1];", `the address of ld.global.u32 is f1, a .f32 register, want a 32-bit or 64-bit integer register`},
		{"ld.global.u64 r1, [d1];", `operand d of ld.global.u64 is r1, a .b32 register, want a .u64 register`},
		{"ld.global.f32 g1, [d1];", `operand d of ld.global.f32 is g1, a .f64 register, want a .f32 register or a wider one`},
		{"ld.global.v2.u32 {r1, r2, r3}, [d1];", `operand d of ld.global.v2.u32 is a vector of 3, want a vector of 2`},
		{"ld.global.v4.u32 r1, [d1];", `operand d of ld.global.v4.u32 is r1, a .b32 register, want a vector of 4`},
		{"ld.global.v4.f32 V, [d1];", `is V, a .v2 .b32 register, want a vector of 4`},
		{"ld.shared.v8.u64 {d1, _, _, _, _, _, _, _}, [s];", `accesses 512 bits, more than the 128`},
		{"st.param.u64 [kp], d1;", `st.param.u64 writes the kernel parameter kp, which is read-only`},
		{"shfl.sync.bfly.b32 r1|r2, r1, 1, 31, -1;", `operand p of shfl.sync.bfly.b32 is r2, a .b32 register, want a .pred register`},
		{"shfl.sync.bfly.b32 d1, r1, 1, 31, -1;", `operand d of shfl.sync.bfly.b32 is d1`},
		{"shfl.sync.bfly.b32 r1, r1, 1, 31;", `has 4 operands, want 5`},
		{"shfl.sync.bfly.b64 d1, d1, 1, 31, -1;", `not a form of shfl that PTX has`},
		{"shfl.sync.bfly.b32 r1, r1, 1, 31, d1;", `operand membermask of shfl.sync.bfly.b32 is d1, a .b64 register, want a .u32 register`},
		{"shfl.sync.b32 r1, r1, 1, 31, -1;", `not a form of shfl that PTX has`},
		{"shfl.sync.left.b32 r1, r1, 1, 31, -1;", `not a form of shfl that PTX has`},
		{"shf.l.b32 r1, r2, r3, r1;", `not a form of shf that PTX has`},
		{"shf.wrap.b32 r1, r2, r3, r1;", `not a form of shf that PTX has`},
		{"shf.l.wrap.b64 d1, d2, d3, r1;", `not a form of shf that PTX has`},
		{"shf.l.wrap.b32 r1, r2, r3, d1;", `operand c of shf.l.wrap.b32 is d1, a .b64 register, want a .u32 register`},
		{"elect.sync r1, -1;", `operand d of elect.sync is r1, a .b32 register, want d\|p`},
		{"match.any.sync.b32 r1|p1, r2, -1;", `no predicate destination`},
		{"cvt.u32.f32 r1, f1;", `needs .rni, .rzi, .rmi or .rpi \[bad-modifier\]`},
		{"cvt.f32.s32 f1, i1;", `needs .rn, .rz, .rm or .rp`},
		{"cvt.rn.f64.f32 g1, f1;", `this conversion is exact`},
		{"cvt.f32.f64 f1, g1;", `loses precision`},
		{"cvt.rzi.s32.u32 r1, r2;", `a conversion between integers takes no rounding modifier`},
		{"cvt.sat.s64.u32 d1, u1;", `.sat is not allowed: every .u32 fits in .s64`},
		{"cvt.ftz.rzi.s32.f64 r1, g1;", `.ftz needs .f32`},
		{"mov.b64 {r1, r2, r3}, d1;", `vector of 3, want one of 2 or 4 parts`},
		{"mov.b64 d1, {r1, h2};", `operand a of mov.b64 is h2, a .b16 register, want a .b32 register`},
		{"mov.b32 r1, f1;", ``},
		{"mov.u64 d1, fn;", ``},
		{"mov.u64 d1, fn+4;", `the function fn with an offset`},
		{"mov.u64 d1, k;", `takes the address of the kernel k: launching kernels from kernels is not supported \[unsupported\]`},
		{"mov.u16 h1, fn;", `is the address of fn, want .u32 or .u64`},
		{"mov.u32 r1, %tid;", `%tid.*want one of its elements .x, .y, .z`},
		{"mov.f32 f1, %laneid;", `operand a of mov.f32 is %laneid, a .u32 special register, want a .f32`},
		{"cvta.shared.u64 d1, gv;", `cvta.shared.u64 converts an address of .shared, but gv is a .global variable`},
		{"bar.sync 16;", `operand a of bar.sync is barrier 16, want 0 to 15`},
		{"bar.sync 1, 33;", `operand b of bar.sync is 33 threads, want a multiple of 32`},
		{"bar.arrive 1, 0;", `multiple of 32`},
		{"call fn, (r1, r2);", `the call of fn has 2 arguments, want 1 \[operand-count\]`},
		{"call fn, (d1);", `operand x of call is d1, a .b64 register, want a .b32 register`},
		{"call k, (d1);", `calls the kernel k; only functions can be called`},
		{"call (r1), d1, (r2), fn;", `lacks its callees`},
		{"call (r1), h1, (r2), fn;", `operand fptr of call is h1.*want a function, or a register of 32 or 64 bits`},
		{"frobnicate.s32 r1;", `^k.ptx:23:1: error: frobnicate.s32 is not an instruction that PTX has \[unknown-instruction\]$`},
		{"shlf.b32 r1, r2, r3;", `shlf.b32 is not an instruction`},
		{"add.u8 c1, c2, c3;", `add.u8 is not a form of add`},
		{"atom.global.add.s64 d1, [d2], d3;", `not a form of atom`},
		{"isspacep.shared p1, r1;", ``},
		{"isspacep.shared p1, f1;", `operand a of isspacep.shared is f1, a .f32 register, want a 32-bit or 64-bit register`},
	}
	for _, tt := range tests {
		l := checkOne(t, "8.8", "sm_100", tt.instr)
		text := l.Error()
		if tt.want == "" {
			if len(l) > 0 {
				t.Errorf("%s: %s", tt.instr, text)
			}
			continue
		}
		if !regexp.MustCompile(tt.want).MatchString(text) || len(l) != 1 {
			t.Errorf("%s:\n got %s\nwant %s", tt.instr, text, tt.want)
			continue
		}
		want := diag.Input
		if strings.Contains(text, "unsupported") {
			want = diag.Unsupported
		}
		if l[0].Class != want || l[0].Severity != diag.Error || l[0].Source != tt.instr {
			t.Errorf("%s: %+v", tt.instr, l[0])
		}
	}
}

// TestCheckAccepts checks forms that compilers and people write.
func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	for _, instr := range []string{
		"add.s32 r1, u2, -5;", "add.u32 r1, r2, 0xffffffff;", "add.f32 f1, r2, 0f3F800000;", "add.f32 f1, f2, 0d3FF0000000000000;", "mov.b32 r1, 0f3F800000;",
		"ld.global.u8 r1, [d1];", "ld.global.b8 h1, [d1+-8];", "ld.global.s16 d1, [ud1];", "ld.u32 r1, [gv+4];", "ld.shared.b32 r1, [s+4];", "ld.shared.b32 r1, [s];", "ld.local.u32 r1, [loc];", "ld.local.b64 d1, [240];",
		"st.global.u8 [d1], r1;", "st.shared.v4.f32 [s], W;", "st.global.v2.b32 [d1], {r1, 7};", "ld.global.v2.b32 V, [d1];", "ld.volatile.global.u32 r1, [d1];", "ld.global.volatile.u32 r1, [d1];", "ld.global.relaxed.gpu.u32 r1, [d1];",
		"ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {f1, f2, f3, f0}, [d1];", "ld.global.nc.f32 f1, [d1];", "ld.global.ca.u32 r1, [d1];", "ld.param.u64 d1, [kp];", "ldu.global.f32 f1, [d1];",
		"ld.global.v8.f32 {f1, _, f2, f3, _, _, _, f0}, [d1];",
		"cvt.rn.f16.f32 h1, f1;", "cvt.f32.f16 f1, r1;", "cvt.u16.u32 h1, r1;", "cvt.s32.s8 r1, r2;", "cvt.rzi.u32.f32 r1, f1;", "cvt.rni.f32.f32 f1, f2;", "cvt.ftz.f64.f32 g1, f1;", "cvt.u64.u32 d1, r1;", "cvt.rn.bf16x2.f32 r1, f1, f2;", "cvt.f64.bf16 g1, h1;",
		"mov.b64 {r1, _}, d1;", "mov.b64 d1, {f1, r2};", "mov.b32 {h1, h2}, r1;", "mov.pred p1, -1;", "mov.u64 d1, gv;", "mov.u64 d1, gv+8;", "mov.u32 r1, %clock;", "mov.u64 d1, %clock64;", "mov.u32 V.x, 1;", "mov.b32 r1, WARP_SZ;", "mov.v2.u32 V, V;",
		"setp.lt.s32 p1|p2, r1, r2;", "setp.eq.u32 _|p2, r1, r2;", "setp.ne.and.b32 p1, r1, 0, !p2;", "setp.gt.ftz.f32 p1, f1, 0f00000000;",
		"bar.sync 0;", "bar.sync r1, r2;", "bar.warp.sync 0xffffffff;", "barrier.sync.aligned 1, 64;", "bar.red.and.pred p1, 0, 64, !p2;", "bar.red.and.pred p1, 0, p2;", "membar.gl;", "fence.acq_rel.gpu;", "fence.sc.sys;",
		"shfl.sync.idx.b32 f1|p1, f2, 0, 0x1f, 0xffffffff;", "vote.sync.any.pred p1, !p2, -1;", "match.all.sync.b64 r1|p1, d2, -1;", "redux.sync.or.b32 r1, r2, 0xff;", "elect.sync _|p1, -1;", "activemask.b32 r1;",
		"atom.global.add.u32 r1, [d1], 1;", "atom.add.global.u32 r1, [gv], 1;", "atom.shared.cas.b64 d1, [s], d2, d3;", "atom.relaxed.sys.global.cas.b32 r1, [d1], r2, r3;", "atom.global.exch.b32 _, [d1], r2;", "red.global.add.f32 [d1], f1;", "red.shared::cta.min.u32 [s+4], 0;",
		"call fn, (r1);", "call.uni fn, (5);", "ret.uni;", "exit;", "trap;", "brkpt;", "nanosleep.u32 20;", "prefetch.global.L1 [d1];", "@!p1 bra L;", "bra.uni L;",
		"fma.rn.ftz.sat.f32 f1, f2, f3, 0f3F800000;", "mul.rn.f32x2 d1, d2, d3;", "fma.rn.f16x2 r1, r2, r3, r1;", "min.NaN.f32 f1, f2, f3;", "lg2.approx.ftz.f32 f1, f2;", "shf.l.wrap.b32 r1, r2, r3, 7;", "prmt.b32 r1, r2, 0, 0x4140;", "prmt.b32.f4e r1, r2, r3, 1;", "dp4a.u32.s32 r1, r2, r3, 0;",
		"slct.f32.s32 f1, f2, f3, i1;", "bfe.u32 r1, r2, 4, 8;", "mad.lo.cc.u32 r1, r2, r3, r1;", "madc.hi.cc.u64 d1, d2, d3, 0;", "popc.b64 r1, d1;", "lop3.b32 r1, r2, r3, r1, 0x96;", "cvta.to.global.u64 d1, d2;", "cvta.shared.u64 d1, s;", "cvta.global.u64 d1, gv+4;",
	} {
		l := checkOne(t, "8.8", "sm_100", instr)
		if len(l) > 0 {
			t.Errorf("%s: %v", instr, l)
		}
	}
}

// TestVersionsAndTargets checks which syntax needs which .version and .target, which is deprecated
// and which is removed.
func TestVersionsAndTargets(t *testing.T) {
	t.Parallel()
	const legacyShfl = "shfl.up.b32 r1|p1, r2, 1, 0;"
	tests := []struct{ version, target, instr, want string }{
		{"3.0", "sm_30", legacyShfl, ""},
		{"2.3", "sm_20", legacyShfl, `shfl.up.b32 needs .version 3.0 or later, the module has 2.3 \[needs-version\]`},
		{"3.0", "sm_20", legacyShfl, `shfl.up.b32 needs .target sm_30 or higher, the module has sm_20 \[needs-target\]`},
		{"6.0", "sm_70", legacyShfl, `warning: shfl.up.b32 is deprecated since PTX 6.0 \[deprecated-instruction\]`},
		{"6.3", "sm_70", legacyShfl, `warning: .*deprecated`},
		{"6.4", "sm_62", legacyShfl, `warning: .*deprecated`},
		{"6.4", "sm_70", legacyShfl, `error: shfl.up.b32 was removed in PTX 6.4 for .target sm_70 and higher; the module has .version 6.4, .target sm_70 \[removed-instruction\]`},
		{"8.5", "sm_90a", legacyShfl, `removed`},
		{"6.4", "sm_70", "vote.all.pred p1, p2;", `vote.all.pred was removed`},
		{"5.0", "sm_60", "vote.ballot.b32 r1, p2;", ``},
		{"6.0", "sm_30", "shfl.sync.up.b32 r1, r2, 1, 0, -1;", ""},
		{"5.0", "sm_60", "shfl.sync.up.b32 r1, r2, 1, 0, -1;", `shfl.sync.up.b32 needs .version 6.0`},
		{"3.1", "sm_35", "shf.l.wrap.b32 r1, r2, r3, 5;", ""},
		{"3.1", "sm_30", "shf.l.wrap.b32 r1, r2, r3, 5;", `shf.l.wrap.b32 needs .target sm_32`},
		{"3.0", "sm_30", "shf.l.wrap.b32 r1, r2, r3, 5;", `shf.l.wrap.b32 needs .version 3.1`},
		{"6.0", "sm_62", "match.any.sync.b32 r1, r2, -1;", `needs .target sm_70`},
		{"6.1", "sm_70", "activemask.b32 r1;", `needs .version 6.2`},
		{"7.0", "sm_75", "redux.sync.add.s32 r1, r2, -1;", `needs .target sm_80`},
		{"6.5", "sm_75", "redux.sync.add.s32 r1, r2, -1;", `needs .version 7.0`},
		{"5.0", "sm_61", "bar.warp.sync -1;", `needs .version 6.0`},
		{"5.0", "sm_53", "atom.global.add.f64 g1, [d1], g2;", `.f64 of atom.global.add.f64 needs .target sm_60`},
		{"5.0", "sm_60", "atom.global.sys.add.u32 r1, [d1], 1;", ``},
		{"4.3", "sm_53", "atom.global.sys.add.u32 r1, [d1], 1;", `.sys of atom.global.sys.add.u32 needs .version 5.0`},
		{"6.0", "sm_60", "ld.relaxed.gpu.global.u32 r1, [d1];", `needs .target sm_70`},
		{"7.3", "sm_80", "ld.global.L1::evict_last.u32 r1, [d1];", `.L1::evict_last of .* needs .version 7.4`},
		{"4.1", "sm_35", "lop3.b32 r1, r2, r3, r1, 1;", `needs .version 4.3`},
		{"8.0", "sm_80", "elect.sync r1|p1, -1;", `needs .target sm_90`},
		{"3.1", "sm_20", "mad.f32 f1, f2, f3, f0;", ``},
		{"3.2", "sm_20", "mad.f32 f1, f2, f3, f0;", `mad.f32 was removed in PTX 3.2 for .target sm_20 and higher`},
		{"1.4", "sm_13", "mad.f64 g1, g2, g3, g0;", `mad.f64 was removed in PTX 1.4; .* .version 1.4`},
		{"1.4", "sm_13", "div.rz.f64 g1, g2, g3;", `.rz of div.rz.f64 needs .version 2.0`},
		{"2.0", "sm_13", "sqrt.rm.f64 g1, g2;", `.rm of sqrt.rm.f64 needs .target sm_20`},
		{"8.7", "sm_100", "min.f32 f1, f2, f3, f0;", `min.f32 needs .version 8.8`},
		{"8.8", "sm_90", "max.NaN.abs.f32 f1, f2, f3, f0;", `needs .target sm_100`},
		{"7.1", "sm_86", "min.xorsign.abs.f16x2 r1, r2, r3;", `needs .version 7.2`},
		{"7.2", "sm_80", "min.xorsign.abs.bf16 h1, h2, h3;", `needs .target sm_86`},
		{"6.0", "sm_70", "mov.u64 d1, %globaltimer;", ``},
		{"3.0", "sm_30", "mov.u64 d1, %globaltimer;", `%globaltimer needs .version 3.1`},
		{"1.3", "sm_13", "cvt.s32.f32 r1, f1;", ``},
		{"1.4", "sm_13", "cvt.s32.f32 r1, f1;", `needs .rni, .rzi, .rmi or .rpi`},
		{"1.3", "sm_13", "rcp.f32 f1, f2;", ``},
		{"2.0", "sm_20", "rcp.f32 f1, f2;", `rcp.f32 was removed in PTX 1.4;`},
		{"7.1", "sm_80", "cvt.f64.bf16 g1, h1;", `needs .version 7.8`},
	}
	for _, tt := range tests {
		l := checkOne(t, tt.version, tt.target, tt.instr)
		if tt.want == "" {
			if len(l) > 0 {
				t.Errorf("%s %s %s: %v", tt.version, tt.target, tt.instr, l)
			}
		} else if len(l) != 1 || !regexp.MustCompile(tt.want).MatchString(l.Error()) || l[0].Section == "" {
			t.Errorf("%s %s %s: %v, want %s", tt.version, tt.target, tt.instr, l, tt.want)
		}
	}
}

// TestCheckExamples checks that every example is accepted and that every kernel in it can be
// lifted.
func TestCheckExamples(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../examples/ptx/*.ptx")
	if len(files) < 10 {
		t.Fatalf("%d examples", len(files))
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, errs := Parse(file, string(src))
		if errs = append(errs, Check(m)...); errs.Err() != nil {
			t.Error(errs)
			continue
		}
		for _, e := range m.Entries() {
			if k, err := Lift(m, e.Name); err != nil || len(k.Func.Code) == 0 {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
	}
}
