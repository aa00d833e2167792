package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// TestRelaxedTypes compares the checks of ld and st with a transcription of tables 27 and 28 of PTX
// 9.4.1. It has a row for each type of an instruction and a letter for each type of a register: =
// allowed, c chopped or extended, . invalid.
func TestRelaxedTypes(t *testing.T) {
	t.Parallel()
	regs := strings.Fields("b8 b16 b32 b64 b128 s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64")
	const table = `
b8   = c c c c  = c c c  = c c c  c c c
b16  . = c c c  . = c c  . = c c  = c c
b32  . . = c c  . . = c  . . = c  . = c
b64  . . . = c  . . . =  . . . =  . . =
b128 . . . . =  . . . .  . . . .  . . .
s8   = c c c c  = c c c  = c c c  . . .
s16  . = c c c  . = c c  . = c c  . . .
s32  . . = c c  . . = c  . . = c  . . .
s64  . . . = c  . . . =  . . . =  . . .
u8   = c c c c  = c c c  = c c c  . . .
u16  . = c c c  . = c c  . = c c  . . .
u32  . . = c c  . . = c  . . = c  . . .
u64  . . . = c  . . . =  . . . =  . . .
f16  . = c c c  . . . .  . . . .  = . .
f32  . . = c c  . . . .  . . . .  . = .
f64  . . . = c  . . . .  . . . .  . . =
`
	n := 0
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		f := strings.Fields(line)
		it := ParseType(f[0])
		for i, r := range regs {
			rt := ParseType(r)
			n++
			if got, want := fits(rt, it, true), f[1+i] != "."; got != want {
				t.Errorf(".%s with a .%s register: %v, want %v", it, rt, got, want)
			}
			// PTX 9.4, table 26: without relaxation the sizes are equal.
			if got, want := fits(rt, it, false), f[1+i] == "="; got != want {
				t.Errorf(".%s with a .%s register, not relaxed: %v, want %v", it, rt, got, want)
			}
		}
	}
	if n != 256 {
		t.Errorf("%d cells", n)
	}
	// The same is checked through the table, with the stored and loaded values.
	got := launchKernel(t, body(".global .b64 g = 0x1122334455667788;", `.reg .f64 %fd<3>; .reg .b64 %x<4>;
ld.global.b32 %fd1, [g]; // zero-extended
mov.b64 %x1, %fd1;
ld.global.s16 %x2, [g+6];
mov.b64 %fd2, 0x99aabbccddeeff00;
st.global.b16 [g], %fd2; // chopped
ld.global.u32 %r2, [g];
cvt.u32.u64 %r3, %x1; shr.u64 %x1, %x1, 32; cvt.u32.u64 %r4, %x1;
xor.b32 %r3, %r3, 0x55667788; or.b32 %r3, %r3, %r4;
cvt.u32.u64 %r5, %x2; xor.b32 %r5, %r5, 0x1122; or.b32 %r3, %r3, %r5;
xor.b32 %r2, %r2, 0x5566ff00; or.b32 %r9, %r3, %r2;`), "k", 1, 1, 1)
	if got[0] != 0 {
		t.Errorf("difference %#x", got[0])
	}
}

// TestOperandRules checks mistakes in operands, one for each rule.
func TestOperandRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ version, decls, code, want string }{
		{"8.5", "", "ld.global.u32 %r1, [%rd1+2147483648];", ""},
		{"8.5", "", "ld.global.u32 %r1, [%rd1+2147483647];", ""},
		{"8.5", "", "ld.global.u32 %r1, [%rd1+-2147483649];", ""},
		{"8.5", ".global .u32 g[4];", "st.global.u32 [g+0x100000000], %r1;", ""},
		{"8.5", "", "ld.global.v2.u32 {%r1, %r1}, [%rd1];", "%r1 is twice in one destination"},
		{"8.5", "", "ld.global.v4.u32 {%r1, _, %r2, _}, [%rd1];", ""},
		{"8.5", "", "mov.b64 {%r1, %r1}, %rd1;", "%r1 is twice in one destination"},
		{"8.5", "", "st.global.v2.u32 [%rd1], {%r1, %r1};", ""},
		{"8.5", ".global .attribute(.unified(1,2)) .u32 g;", "ld.global.u32 %r1, [g+4].unified;", ""},
		{"8.5", ".global .attribute(.unified(1,2)) .u32 g;", "ld.global.u32 %r1, [g];", "g is .unified, so that its address in ld.global.u32 is written [g].unified"},
		{"8.5", "", "ld.u32 %r1, [%rd1].unified;", ""},
		{"8.5", ".shared .u32 s;", "ld.shared.u32 %r1, [s].unified;", ".unified is for .global and generic addresses"},
		{"8.5", "", "st.global.u32 [%rd1].unified, %r1;", "operand a of st.global.u32 does not take .unified"},
		{"7.8", "", "ld.u32 %r1, [%rd1].unified;", ".unified needs .version 8.0 or later"},
		{"1.4", ".const[2] .u32 c[4];", "ld.const[2].u32 %r1, [c];", ""},
		{"1.4", ".const[0] .u32 c[4];", "ld.const.u32 %r1, [c];", ""},
		{"1.4", ".const .u32 c[4];", "ld.const[0].u32 %r1, [c+4];", ""},
		{"1.4", ".const[2] .u32 c[4];", "ld.const.u32 %r1, [c];", "accesses constant bank 0, but c is in bank 2"},
		{"1.4", ".const[2] .u32 c[4];", "ld.const[3].u32 %r1, [c];", "accesses constant bank 3, but c is in bank 2"},
		{"1.4", ".const[2] .u32 c[4];", "ld.const[11].u32 %r1, [c];", "found constant bank 11, expected 0 to 10"},
	} {
		target := "sm_90"
		if tt.version == "1.4" {
			target = "sm_10"
		}
		src := fmt.Sprintf(".version %s\n.target %s\n%s\n.entry k() {\n.reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n%s\nexit; }\n", tt.version, target, tt.decls, tt.code)
		m, l := Parse("t", src)
		if len(l) == 0 {
			l = Check(m)
			if text := printed(t, m); !strings.Contains(text, strings.TrimSuffix(strings.Fields(tt.code)[0], ";")) {
				t.Errorf("%s is printed as\n%s", tt.code, text)
			}
		}
		switch {
		case tt.want == "" && len(l) > 0:
			t.Errorf("%s: %s", tt.code, l.Error())
		case tt.want != "" && (len(l) != 1 || !strings.Contains(l[0].Message, tt.want)):
			t.Errorf("%s: %v, want %q", tt.code, l, tt.want)
		}
	}
}

// TestMapF64 checks that double-precision instructions under map_f64_to_f32 (PTX 11.1.2) are
// refused with a message, and that other instructions are unaffected.
func TestMapF64(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		"add.f64 %fd1, %fd1, %fd1;": 3, "cvt.f32.f64 %f1, %fd1;": 3, "cvt.f64.f32 %fd1, %f1;": 3, "ld.global.f64 %fd1, [%r1];": 3,
		"add.f32 %f1, %f1, %f1;": 0, "mov.u32 %r1, 1;": 0, "ld.global.u64 %rd1, [%r1];": 0,
	} {
		src := ".version 1.4\n.target sm_10, map_f64_to_f32\n.entry k() {\n.reg .u32 %r<3>; .reg .u64 %rd<3>; .reg .f32 %f<3>; .reg .f64 %fd<3>;\n" + code + "\nexit; }\n"
		if l := Check(mustParse(t, src)); l.ExitCode() != want {
			t.Errorf("%s: %v, want exit code %d", code, l, want)
		}
	}
}

// TestParamRules checks the operations that are legal on .param variables (PTX 5.1.6.4).
func TestParamRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ version, code, want string }{
		{"8.0", "ld.param.u32 %r1, [a];", ""},
		{"8.0", "st.param.u32 [res], %r1;", ""},
		{"8.0", "st.param.u32 [loc], %r1; call (loc), g, (loc); ld.param.u32 %r1, [loc];", ""},
		{"8.0", "st.param.u32 [fam1], %r1; call (fam1), g, (fam1); ld.param.u32 %r1, [fam1];", ""},
		{"8.0", "st.param.u32 [fam1], %r1; call (fam0), g, (fam1); ld.param.u32 %r1, [fam1];", "ld.param.u32 reads fam1, and no call above it returns a result there"},
		{"8.0", "st.param.u32 [loc], %r1; ld.param.u32 %r1, [loc];", "ld.param.u32 reads loc, and no call above it"},
		{"8.0", "setp.eq.u32 %p1, %r1, %r2; @%p1 st.param.u32 [loc], %r1;", "st.param.u32 has a guard, but accesses loc, a .param variable of the body"},
		{"8.0", "call (%r1), g, (a);", "argument 1 of g is a, which is a parameter of the function itself"},
		{"8.0", "mov.u64 %rd1, a;", ""},
		{"8.0", "mov.u64 %rd1, res;", ""},
		{"8.0", "st.param.u32 [a], %r1;", "st.param.u32 writes the parameter a, which can only be read"},
		{"8.0", "st.param.u32 [a+0], %r1;", "writes the parameter a"},
		{"8.0", "ld.param.u32 %r1, [res];", "ld.param.u32 reads the result res, which can only be written"},
		{"8.0", "mov.u64 %rd1, loc;", "takes the address of loc, a .param of the body, which has none"},
		{"8.0", "mov.u64 %rd1, fam0;", "takes the address of fam0, a .param of the body"},
		{"5.0", "mov.u64 %rd1, res;", "takes the address of the result res, which needs .version 6.0"},
	} {
		src := ".version " + tt.version + "\n.target sm_50\n.address_size 64\n.func (.param .b32 res) g(.param .b32 a) { st.param.b32 [res], 1; ret; }\n.func (.param .b32 res) f(.param .b32 a) {\n.reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .param .b32 loc; .param .b32 fam<2>;\n" + tt.code + "\nret; }\n"
		l := Check(mustParse(t, src))
		switch {
		case tt.want == "" && len(l) > 0, tt.want != "" && (len(l) != 1 || !strings.Contains(l[0].Message, tt.want)):
			t.Errorf("%s: %v, want %q", tt.code, l, tt.want)
		}
	}
	l := Check(mustParse(t, ".version 8.0\n.target sm_50\n.entry k(.param .b32 a) {\n.reg .b32 %r<3>;\nst.param.u32 [a], %r1;\nret; }\n"))
	if len(l) != 1 || !strings.Contains(l[0].Message, "writes the kernel parameter a, which is read-only") {
		t.Error(l)
	}
}
