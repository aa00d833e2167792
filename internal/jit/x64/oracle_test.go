package x64

import (
	"bytes"
	"encoding/hex"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

const features = "--mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd,+avx512fp16,+bmi,+bmi2,+fma,+f16c,+lzcnt,+popcnt,+cx16"

// llvmMC finds the assembler that tests compare with.
func llvmMC(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("llvm-mc-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal(err)
		}
		t.Skip("llvm-mc-22 is not installed")
	}
	return path
}

var encodingLine = regexp.MustCompile(`# encoding: \[([^\]]*)\]`)
var errorLine = regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error: (.*)$`)

// assemble lets LLVM assemble lines, and returns the encoding of each line, or the reason why
// there is none.
func assemble(t *testing.T, mc string, lines []string) (code [][]byte, errs []string) {
	t.Helper()
	code, errs = make([][]byte, len(lines)), make([]string, len(lines))
	text := strings.Join(lines, "\n") + "\n"
	run := func(in string) (string, string) {
		cmd := exec.Command(mc, "--triple=x86_64", "-x86-asm-syntax=intel", features, "--show-encoding")
		cmd.Stdin = strings.NewReader(in)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		_ = cmd.Run() // stderr reports the errors
		return out.String(), stderr.String()
	}
	_, stderr := run(text)
	for _, m := range errorLine.FindAllStringSubmatch(stderr, -1) {
		n, _ := strconv.Atoi(m[1])
		errs[n-1] = m[2]
	}
	var good []int
	var goodLines []string
	for i, l := range lines {
		if errs[i] == "" {
			good = append(good, i)
			goodLines = append(goodLines, l)
		}
	}
	out, stderr := run(strings.Join(goodLines, "\n") + "\n")
	found := encodingLine.FindAllStringSubmatch(out, -1)
	if len(found) != len(good) {
		t.Fatalf("%d encodings of %d lines\n%s", len(found), len(good), stderr)
	}
	for i, m := range found {
		b, err := hex.DecodeString(strings.NewReplacer("0x", "", ",", "").Replace(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		code[good[i]] = b
	}
	return code, errs
}

// draw makes a random legal instruction of an Op.
func draw(r *rand.Rand, op Op) Inst {
	info := op.Info()
	in := Inst{Op: op}
	pick := func(c Class, vex bool) Reg {
		switch c {
		case GPR:
			return RAX + Reg(r.IntN(16))
		case Vec:
			if vex {
				return V0 + Reg(r.IntN(16))
			}
			return V0 + Reg(r.IntN(32))
		case Mask:
			return K0 + Reg(r.IntN(8))
		}
		return NoReg
	}
	vex := info.VEX && (!info.EVEX || r.IntN(2) == 0) // no field that needs EVEX
	if lens := info.Lens; lens != 0 {
		if vex && info.VEXLens != 0 {
			lens = info.VEXLens
		}
		for in.Len == 0 {
			in.Len = lens & (1 << r.IntN(7))
		}
	}
	in.Dst, in.A, in.B, in.C = pick(info.Dst, vex), pick(info.A, vex), pick(info.B, vex), pick(info.C, true)
	memory := info.MemOnly || (info.AMem || info.BMem || info.DstMem) && r.IntN(2) == 0
	if memory && vex && info.MemEVEX && !info.MemOnly {
		memory = false
	}
	if memory {
		in.HasMem = true
		switch {
		case info.AMem:
			in.A = NoReg
		case info.BMem:
			in.B = NoReg
		default:
			in.Dst = NoReg
		}
		in.M = drawMem(r)
		if info.VSIB {
			in.M.Index, in.M.Scale = pick(Vec, vex), 1<<r.IntN(4)
		}
	}
	if !vex && info.EVEX {
		if info.MaskNeeded || info.Maskable && r.IntN(2) == 0 {
			in.K = K0 + Reg(1+r.IntN(7))
			in.Z = info.Zeroing && r.IntN(2) == 0
		}
		switch {
		case memory && info.Bcst != 0 && r.IntN(3) == 0:
			in.M.Bcst = true
		case !memory && info.Round && !(info.enc.round8 && in.Len == 4) && r.IntN(3) == 0:
			in.RC = SAE
			if !info.SAE {
				in.RC = Nearest + Rounding(r.IntN(4))
			}
			if info.Lens&64 != 0 {
				in.Len = 64
			}
		}
	}
	switch info.Imm {
	case 1:
		in.Imm = int64(r.IntN(256))
	case 4:
		in.Imm = []int64{0, 1, -1, 127, -128, 128, 0x1234, 0x7fff, 0x7fffffff, -0x80000000}[r.IntN(10)]
		switch in.Len {
		case 1:
			in.Imm = int64(int8(in.Imm))
		case 2:
			in.Imm = int64(int16(in.Imm))
		}
	case 8:
		in.Imm = int64(r.Uint64() >> r.IntN(64))
		if in.Len == 4 {
			in.Imm = int64(int32(in.Imm))
		}
	}
	return in
}

func drawMem(r *rand.Rand) Mem {
	m := Mem{Base: RAX + Reg(r.IntN(16))}
	switch r.IntN(8) {
	case 0:
		m.Base = NoReg
	case 1, 2, 3:
		m.Index, m.Scale = RAX+Reg(r.IntN(16)), 1<<r.IntN(4)
		if m.Index == RSP {
			m.Index = RBP
		}
	}
	switch r.IntN(6) {
	case 0:
	case 1:
		m.Disp = int32(r.IntN(256)) - 128
	case 2, 3:
		m.Disp = (int32(r.IntN(258)) - 129) * (1 << r.IntN(7))
	case 4:
		m.Disp = int32(r.Uint32())
	case 5:
		m.Disp = int32(r.IntN(4096))
	}
	if m.Base == NoReg && m.Index == NoReg { // LLVM reads addresses below 2^31 only
		m.Disp &= 0x7fffffff
	}
	return m
}

// rng returns the random numbers of an Op, which do not depend on the other Ops of the table.
func rng(op Op) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(op.String()))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// isPlain reports whether an instruction has operands only.
func isPlain(op Op) bool {
	i := op.Info()
	return !i.Pseudo && i.enc.shape != jump && i.enc.shape != leaLabel
}

// drawAll draws n instructions of each Op, and their texts.
func drawAll(n int) (insts []Inst, lines []string) {
	for op := range Op(len(table)) {
		if !isPlain(op) {
			continue
		}
		r := rng(op)
		for range n {
			in := draw(r, op)
			if op.Info().Distinct && (in.Dst == in.M.Index || in.Dst == in.B || in.B == in.M.Index) {
				continue
			}
			if op == XCHG && (in.Dst == RAX || in.B == RAX) {
				continue // LLVM has a shorter form
			}
			insts = append(insts, in)
			lines = append(lines, in.String())
		}
	}
	return insts, lines
}

func TestOracleEncoding(t *testing.T) {
	t.Parallel()
	mc := llvmMC(t)
	n := short.Of(12, 4)
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		n = 40
	}
	insts, lines := drawAll(n)
	want, errs := assemble(t, mc, lines)
	bad := map[Op]bool{}
	for i, in := range insts {
		code, err := Encode([]Inst{in}, nil)
		if bad[in.Op] {
			continue
		}
		switch {
		case err != nil:
			t.Errorf("%v (LLVM: %x %s)", err, want[i], errs[i])
			bad[in.Op] = true
		case errs[i] != "":
			t.Errorf("%s: LLVM: %s; we encode %x", lines[i], errs[i], code.Bytes)
			bad[in.Op] = true
		case !bytes.Equal(code.Bytes, want[i]) && !longForm(t, mc, lines[i], code.Bytes):
			t.Errorf("%s (%s): % x; LLVM: % x", lines[i], in.Op, code.Bytes, want[i])
			bad[in.Op] = true
		}
	}
}

// longForm compares with LLVM's encoding under an option that forces a prefix of three bytes.
// LLVM then does not exchange the operands of floating-point operations to save a byte, which
// may change the resulting NaN.
func longForm(t *testing.T, mc, line string, got []byte) bool {
	if got[0] != 0xC4 {
		return false
	}
	long, _ := assemble(t, mc, []string{"{vex3} " + line})
	return bytes.Equal(got, long[0])
}
