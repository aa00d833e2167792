package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"crosslane/internal/ir"
)

// An asmOp is the AVX2 form of a pure operation, for groups of 8 lanes (32-bit
// results) or 4 lanes (64-bit results). The body works on registers:
//
//	Y0, Y1, Y2  the operands, loaded as the views say; the result goes to Y0
//	Y3 to Y7    free (Y3 only, in forms that bail out)
//	Y8, Y9      constants that the prologue made
//	Y10 to Y15  the emitter's own
//
// Instructions are in Go's operand order (sources first, destination last).
type asmOp struct {
	name string
	// views has one letter per operand: d 8x32 bits, f the same with subnormal f32
	// flushed to zero, q 4x64 bits, z 4x32 zero-extended, s 4x32 sign-extended, m a
	// mask (8 lanes of ones or zeros).
	views string
	// res is d, q, f (flushed), or m: a mask of 8 lanes, taken from the sign bits of Y0;
	// upper case D and F: the form bails out if any lane's result is NaN, because which
	// NaN it is depends on the operands; the Go form computes all lanes then.
	res  byte
	pre  string // constants
	body string
}

// Constants that prologues make.
const (
	preSign  = "ones Y8\nVPSLLD $31, Y8, Y8\n"                    // 0x80000000
	preNaN   = "ones Y8\nVPSRLD $1, Y8, Y8\n"                     // 0x7fffffff, PTX's NaN
	preMod32 = "ones Y8\nVPSRLD $27, Y8, Y8\n"                    // 31
	pre32    = "ones Y8\nVPSRLD $31, Y8, Y9\nVPSLLD $5, Y9, Y9\n" // Y9 = 32
	preWrap  = pre32 + "VPSRLD $27, Y8, Y8\n"                     // Y8 = 31, Y9 = 32
	canon    = "VCMPPS $3, Y0, Y0, Y3\nVBLENDVPS Y3, Y8, Y0, Y0\n"
)

var asmOps = []asmOp{
	{"Add32", "dd", 'd', "", "VPADDD Y1, Y0, Y0"},
	{"Sub32", "dd", 'd', "", "VPSUBD Y1, Y0, Y0"},
	{"Mul32", "dd", 'd', "", "VPMULLD Y1, Y0, Y0"},
	{"Mad32", "ddd", 'd', "", "VPMULLD Y1, Y0, Y0\nVPADDD Y2, Y0, Y0"},
	{"And32", "dd", 'd', "", "VPAND Y1, Y0, Y0"},
	{"Or32", "dd", 'd', "", "VPOR Y1, Y0, Y0"},
	{"Xor32", "dd", 'd', "", "VPXOR Y1, Y0, Y0"},
	{"Not32", "d", 'd', "ones Y8\n", "VPXOR Y8, Y0, Y0"},
	{"Neg32", "d", 'd', "VPXOR Y8, Y8, Y8\n", "VPSUBD Y0, Y8, Y0"},
	{"AbsS32", "d", 'd', "", "VPABSD Y0, Y0"},
	{"MinS32", "dd", 'd', "", "VPMINSD Y1, Y0, Y0"},
	{"MaxS32", "dd", 'd', "", "VPMAXSD Y1, Y0, Y0"},
	{"MinU32", "dd", 'd', "", "VPMINUD Y1, Y0, Y0"},
	{"MaxU32", "dd", 'd', "", "VPMAXUD Y1, Y0, Y0"},
	// The processor's variable shifts give 0, or the sign, from 32 on, as PTX does.
	{"Shl32", "dd", 'd', "", "VPSLLVD Y1, Y0, Y0"},
	{"ShrU32", "dd", 'd', "", "VPSRLVD Y1, Y0, Y0"},
	{"ShrS32", "dd", 'd', "", "VPSRAVD Y1, Y0, Y0"},
	{"ShlWrap32", "dd", 'd', preMod32, "VPAND Y8, Y1, Y1\nVPSLLVD Y1, Y0, Y0"},
	{"ShrUWrap32", "dd", 'd', preMod32, "VPAND Y8, Y1, Y1\nVPSRLVD Y1, Y0, Y0"},
	{"ShrSWrap32", "dd", 'd', preMod32, "VPAND Y8, Y1, Y1\nVPSRAVD Y1, Y0, Y0"},
	{"ShfLWrap", "ddd", 'd', preWrap, "VPAND Y8, Y2, Y2\nVPSLLVD Y2, Y1, Y1\nVPSUBD Y2, Y9, Y2\nVPSRLVD Y2, Y0, Y0\nVPOR Y1, Y0, Y0"},
	{"ShfRWrap", "ddd", 'd', preWrap, "VPAND Y8, Y2, Y2\nVPSRLVD Y2, Y0, Y0\nVPSUBD Y2, Y9, Y2\nVPSLLVD Y2, Y1, Y1\nVPOR Y1, Y0, Y0"},
	{"ShfLClamp", "ddd", 'd', pre32, "VPMINUD Y9, Y2, Y2\nVPSLLVD Y2, Y1, Y1\nVPSUBD Y2, Y9, Y2\nVPSRLVD Y2, Y0, Y0\nVPOR Y1, Y0, Y0"},
	{"ShfRClamp", "ddd", 'd', pre32, "VPMINUD Y9, Y2, Y2\nVPSRLVD Y2, Y0, Y0\nVPSUBD Y2, Y9, Y2\nVPSLLVD Y2, Y1, Y1\nVPOR Y1, Y0, Y0"},
	{"Sel32", "mdd", 'd', "", "VBLENDVPS Y0, Y1, Y2, Y0"},

	{"EqU32", "dd", 'm', "", "VPCMPEQD Y1, Y0, Y0"},
	{"NeU32", "dd", 'm', "ones Y8\n", "VPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	{"LtS32", "dd", 'm', "", "VPCMPGTD Y0, Y1, Y0"},
	{"GtS32", "dd", 'm', "", "VPCMPGTD Y1, Y0, Y0"},
	{"GeS32", "dd", 'm', "ones Y8\n", "VPCMPGTD Y0, Y1, Y0\nVPXOR Y8, Y0, Y0"},
	{"LeS32", "dd", 'm', "ones Y8\n", "VPCMPGTD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	{"GeU32", "dd", 'm', "", "VPMAXUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0"},
	{"LeU32", "dd", 'm', "", "VPMINUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0"},
	{"LtU32", "dd", 'm', "ones Y8\n", "VPMAXUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	{"GtU32", "dd", 'm', "ones Y8\n", "VPMINUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},

	{"AddF32", "dd", 'd', preNaN, "VADDPS Y1, Y0, Y0\n" + canon},
	{"SubF32", "dd", 'd', preNaN, "VSUBPS Y1, Y0, Y0\n" + canon},
	{"MulF32", "dd", 'd', preNaN, "VMULPS Y1, Y0, Y0\n" + canon},
	{"DivF32", "dd", 'd', preNaN, "VDIVPS Y1, Y0, Y0\n" + canon},
	{"SqrtF32", "d", 'd', preNaN, "VSQRTPS Y0, Y0\n" + canon},
	{"FmaF32", "ddd", 'd', preNaN, "VFMADD213PS Y2, Y1, Y0\n" + canon},
	// x86 returns the second operand if either is NaN, or if both are zeros: take b's
	// partner where b is NaN, and the sign that the order -0 < +0 asks for.
	{"MaxF32", "dd", 'd', preNaN, "VMAXPS Y1, Y0, Y4\nVCMPPS $0, Y1, Y0, Y5\nVPAND Y1, Y0, Y6\nVBLENDVPS Y5, Y6, Y4, Y4\nVCMPPS $3, Y1, Y1, Y5\nVBLENDVPS Y5, Y0, Y4, Y0\n" + canon},
	{"MinF32", "dd", 'd', preNaN, "VMINPS Y1, Y0, Y4\nVCMPPS $0, Y1, Y0, Y5\nVPOR Y1, Y0, Y6\nVBLENDVPS Y5, Y6, Y4, Y4\nVCMPPS $3, Y1, Y1, Y5\nVBLENDVPS Y5, Y0, Y4, Y0\n" + canon},
	{"CvtF32FromS32", "d", 'd', "", "VCVTDQ2PS Y0, Y0"},
	// Both halves convert exactly; the fused sum rounds once.
	{"CvtF32FromU32", "d", 'd', "ones Y8\nVPSRLD $16, Y8, Y8\nVPSRLD $15, Y8, Y9\nVPSLLD $16, Y9, Y9\nVCVTDQ2PS Y9, Y9\n",
		"VPAND Y8, Y0, Y1\nVPSRLD $16, Y0, Y0\nVCVTDQ2PS Y1, Y1\nVCVTDQ2PS Y0, Y0\nVFMADD213PS Y1, Y9, Y0"},
	{"EqF32", "dd", 'm', "", "VCMPPS $0, Y1, Y0, Y0"},
	{"LtF32", "dd", 'm', "", "VCMPPS $17, Y1, Y0, Y0"},
	{"LeF32", "dd", 'm', "", "VCMPPS $18, Y1, Y0, Y0"},
	{"GtF32", "dd", 'm', "", "VCMPPS $30, Y1, Y0, Y0"},
	{"GeF32", "dd", 'm', "", "VCMPPS $29, Y1, Y0, Y0"},
	{"NeuF32", "dd", 'm', "", "VCMPPS $4, Y1, Y0, Y0"},

	{"AddF32Ftz", "ff", 'f', preNaN, "VADDPS Y1, Y0, Y0\n" + canon},
	{"SubF32Ftz", "ff", 'f', preNaN, "VSUBPS Y1, Y0, Y0\n" + canon},
	{"MulF32Ftz", "ff", 'f', preNaN, "VMULPS Y1, Y0, Y0\n" + canon},
	{"FmaF32Ftz", "fff", 'f', preNaN, "VFMADD213PS Y2, Y1, Y0\n" + canon},

	{"VAddF32", "dd", 'D', "", "VADDPS Y1, Y0, Y0"},
	{"VSubF32", "dd", 'D', "", "VSUBPS Y1, Y0, Y0"},
	{"VMulF32", "dd", 'D', "", "VMULPS Y1, Y0, Y0"},
	{"VFmaF32", "ddd", 'D', "", "VFMADD213PS Y2, Y1, Y0"},
	{"VAddF32Ftz", "ff", 'F', "", "VADDPS Y1, Y0, Y0"},
	{"VSubF32Ftz", "ff", 'F', "", "VSUBPS Y1, Y0, Y0"},
	{"VMulF32Ftz", "ff", 'F', "", "VMULPS Y1, Y0, Y0"},
	{"VFmaF32Ftz", "fff", 'F', "", "VFMADD213PS Y2, Y1, Y0"},
	{"VMadF32", "fff", 'F', "", "VMULPS Y1, Y0, Y0\nflush Y0\nVADDPS Y2, Y0, Y0"},

	{"AddC32", "dd", 'm', "ones Y8\n", "VPADDD Y1, Y0, Y1\nVPMAXUD Y1, Y0, Y2\nVPCMPEQD Y1, Y2, Y0\nVPXOR Y8, Y0, Y0"},
	{"SubB32", "dd", 'm', "ones Y8\n", "VPMAXUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	{"Addc32", "ddm", 'd', "", "VPADDD Y1, Y0, Y0\nVPSUBD Y2, Y0, Y0"},
	{"Subb32", "ddm", 'd', "", "VPSUBD Y1, Y0, Y0\nVPADDD Y2, Y0, Y0"},
	// The sum with the carry is below a, or equal to it with the carry set.
	{"AddCC32", "ddm", 'm', "ones Y8\n", "VPADDD Y1, Y0, Y1\nVPSUBD Y2, Y1, Y1\nVPCMPEQD Y1, Y0, Y3\nVPAND Y2, Y3, Y3\nVPMAXUD Y1, Y0, Y2\nVPCMPEQD Y1, Y2, Y0\nVPXOR Y8, Y0, Y0\nVPOR Y3, Y0, Y0"},

	{"Add64", "qq", 'q', "", "VPADDQ Y1, Y0, Y0"},
	{"Sub64", "qq", 'q', "", "VPSUBQ Y1, Y0, Y0"},
	{"And64", "qq", 'q', "", "VPAND Y1, Y0, Y0"},
	{"Or64", "qq", 'q', "", "VPOR Y1, Y0, Y0"},
	{"Xor64", "qq", 'q', "", "VPXOR Y1, Y0, Y0"},
	{"Shl64", "qz", 'q', "", "VPSLLVQ Y1, Y0, Y0"},
	{"ShrU64", "qz", 'q', "", "VPSRLVQ Y1, Y0, Y0"},
	{"MulWideU32", "zz", 'q', "", "VPMULUDQ Y1, Y0, Y0"},
	{"MulWideS32", "ss", 'q', "", "VPMULDQ Y1, Y0, Y0"},
	{"MadWideU32", "zzq", 'q', "", "VPMULUDQ Y1, Y0, Y0\nVPADDQ Y2, Y0, Y0"},
	{"MadWideS32", "ssq", 'q', "", "VPMULDQ Y1, Y0, Y0\nVPADDQ Y2, Y0, Y0"},
	{"Pack64", "zz", 'q', "", "VPSLLQ $32, Y1, Y1\nVPOR Y1, Y0, Y0"},
}

// GenerateAsm returns zasm_amd64.s and zasm_amd64.go.
func GenerateAsm() (asm, decl []byte, err error) {
	known := map[string]*ir.Info{}
	for i := range ir.Ops {
		known[ir.Ops[i].Name] = &ir.Ops[i]
	}
	var s, d, t bytes.Buffer
	fmt.Fprintf(&s, "// Code generated by go run crosslane/internal/engine/interp/gen; DO NOT EDIT.\n\n#include \"textflag.h\"\n\n")
	fmt.Fprintf(&d, "// Code generated by go run crosslane/internal/engine/interp/gen; DO NOT EDIT.\n\npackage interp\n\nimport (\n\t\"unsafe\"\n\n\t\"crosslane/internal/ir\"\n)\n\n")
	for _, op := range asmOps {
		info := known[op.name]
		if info == nil || len(info.Args) != len(op.views) {
			return nil, nil, fmt.Errorf("%s is no operation of %d arguments", op.name, len(op.views))
		}
		op.emit(&s)
		if op.bails() {
			fmt.Fprintf(&d, "//go:noescape\nfunc b%s(base unsafe.Pointer, in *inst) (ok bool)\n\n", op.name)
			fmt.Fprintf(&d, "func a%[1]s(base unsafe.Pointer, in *inst) {\n\tif !b%[1]s(base, in) {\n\t\tv%[1]s(base, in)\n\t}\n}\n\n", op.name)
		} else {
			fmt.Fprintf(&d, "//go:noescape\nfunc a%s(base unsafe.Pointer, in *inst)\n\n", op.name)
		}
		fmt.Fprintf(&t, "\tir.%s: a%s,\n", op.name, op.name)
	}
	fmt.Fprintf(&d, "// asmFns are the forms for 32 lanes on processors with AVX2 and FMA.\nvar asmFns = [ir.NumOps]func(unsafe.Pointer, *inst){\n%s}\n", t.String())
	decl, err = format.Source(d.Bytes())
	return s.Bytes(), decl, err
}

var ptrRegs = [...]string{"AX", "BX", "CX"} // operands; DX: destination

func (op *asmOp) bails() bool { return op.res == 'D' || op.res == 'F' }

// emit writes one function. The offsets 8 to 20 are those of inst's d, a, b, c.
func (op *asmOp) emit(s *bytes.Buffer) {
	ins := func(format string, args ...any) { fmt.Fprintf(s, "\t"+format+"\n", args...) }
	if op.bails() {
		fmt.Fprintf(s, "// func b%s(base unsafe.Pointer, in *inst) (ok bool)\nTEXT ·b%s(SB), NOSPLIT, $0-17\n", op.name, op.name)
	} else {
		fmt.Fprintf(s, "// func a%s(base unsafe.Pointer, in *inst)\nTEXT ·a%s(SB), NOSPLIT, $0-16\n", op.name, op.name)
	}
	ins("MOVQ base+0(FP), SI")
	ins("MOVQ in+8(FP), DI")
	ins("MOVL 8(DI), DX")
	ins("ADDQ SI, DX")
	for i, v := range op.views {
		ins("MOVL %d(DI), %s", 12+4*i, ptrRegs[i])
		ins("ADDQ SI, %s", ptrRegs[i])
		if v == 'm' {
			ins("VPBROADCASTD (%s), Y14", ptrRegs[i]) // the 32 bits in every lane
			ins("VMOVDQU ·laneBits(SB), Y15")
		}
	}
	if strings.Contains(op.views+string(op.res), "f") || op.res == 'F' {
		ins("VPCMPEQD Y11, Y11, Y11")
		ins("VPSLLD $31, Y11, Y12") // signs
		ins("VPSRLD $24, Y11, Y11")
		ins("VPSLLD $23, Y11, Y11") // exponents
		ins("VPXOR Y13, Y13, Y13")
	}
	if op.bails() {
		ins("VPXOR Y10, Y10, Y10")
	}
	for _, line := range op.lines(op.pre) {
		ins("%s", line)
	}
	lanes := 8
	if op.res == 'q' {
		lanes = 4
	}
	if op.res == 'm' {
		ins("XORL R8, R8")
	}
	for g := range 32 / lanes {
		op.group(ins, g)
	}
	switch {
	case op.res == 'm':
		ins("MOVL R8, (DX)")
	case op.bails():
		ins("VPTEST Y10, Y10")
		ins("JNZ nan")
		for g := range 4 {
			ins("VMOVDQU Y%d, %d(DX)", 4+g, 32*g)
		}
		ins("VZEROUPPER")
		ins("MOVB $1, ok+16(FP)")
		ins("RET")
		fmt.Fprintln(s, "nan:")
		ins("VZEROUPPER")
		ins("MOVB $0, ok+16(FP)")
		ins("RET")
		fmt.Fprintln(s)
		return
	}
	ins("VZEROUPPER")
	ins("RET")
	fmt.Fprintln(s)
}

// group computes the lanes of one group.
func (op *asmOp) group(ins func(string, ...any), g int) {
	for i, v := range op.views {
		switch v {
		case 'd', 'q', 'f':
			ins("VMOVDQU %d(%s), Y%d", 32*g, ptrRegs[i], i)
		case 'z':
			ins("VPMOVZXDQ %d(%s), Y%d", 16*g, ptrRegs[i], i)
		case 's':
			ins("VPMOVSXDQ %d(%s), Y%d", 16*g, ptrRegs[i], i)
		case 'm':
			ins("VPAND Y15, Y14, Y%d", i)
			ins("VPCMPEQD Y15, Y%d, Y%d", i, i)
			if g < 3 {
				ins("VPSLLD $8, Y15, Y15")
			}
		}
		if v == 'f' {
			for _, line := range op.lines(fmt.Sprintf("flush Y%d", i)) {
				ins("%s", line)
			}
		}
	}
	for _, line := range op.lines(op.body) {
		ins("%s", line)
	}
	if op.bails() {
		ins("VCMPPS $3, Y0, Y0, Y3")
		ins("VPOR Y3, Y10, Y10")
	}
	if op.res == 'f' || op.res == 'F' {
		for _, line := range op.lines("flush Y0") {
			ins("%s", line)
		}
	}
	switch {
	case op.res == 'm':
		ins("VMOVMSKPS Y0, R9")
		if g > 0 {
			ins("SHLL $%d, R9", 8*g)
		}
		ins("ORL R9, R8")
	case op.bails():
		ins("VMOVDQA Y0, Y%d", 4+g)
	default:
		ins("VMOVDQU Y0, %d(DX)", 32*g)
	}
}

// lines splits code and expands the two abbreviations: "ones Y" sets all bits,
// "flush Y" makes subnormal f32 into zeros of their sign.
func (op *asmOp) lines(code string) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(code), "\n") {
		if r, ok := strings.CutPrefix(line, "ones "); ok {
			out = append(out, fmt.Sprintf("VPCMPEQD %s, %s, %s", r, r, r))
		} else if r, ok := strings.CutPrefix(line, "flush "); ok {
			out = append(out, fmt.Sprintf("VPAND Y11, %s, Y3", r), "VPCMPEQD Y13, Y3, Y3",
				fmt.Sprintf("VPAND Y12, %s, Y15", r), fmt.Sprintf("VBLENDVPS Y3, Y15, %s, %s", r, r))
		} else if line != "" {
			out = append(out, line)
		}
	}
	return out
}
