package jit_test

import (
	"regexp"
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
)

// integers lists the integer operations for which there is machine code.
var integers = regexp.MustCompile(`^(` +
	`(V?(Abs|Neg|Add|Addc|Sub|Subb|Mul|Mad|Div|Rem|Min|Max|Sad|SAbsdiff|Med3|Min3|Max3|AddC|AddCC|SubB|SubBB)(Hi|Wide|Sat|Ovf|Relu|24|24Lo|24Hi|24HiSat|24Sat|HiSat|HiU32|HiI32|WideC|WideOvf|WideSat)?([USI]?(8|16|24|32|64))(x[24])?)|` +
	`(And|AndN|Or|OrN|Xor|Not|Nand|Nor|Xnor|Cnot|Shl|Shr|ShlWrap|Shr[US]|Shr[US]Wrap|Popc|Clz|Brev|Bfind[US]|BfindShiftamt[US]|V?S?Bfe[USI]|V?Bfi|V?Bfi|VBfiB|Bfm|BfmB|Sel|Slct|Pack|Lo|Hi|Wqm|WqmB|QuadmaskB|BitsetB|BitclrB|BitcmpB|Bcnt0B|Ffbh[UI]|FfblB|Ff0B|DsRsub|DsMskor|DsWrap|VBcntU32B|VMbcnt(Lo|Hi)U32B|Valign.*|VAlign(bit|byte)B|Undef.*)(8|16|32|64)|` +
	`(Eq|Ne|Lt|Le|Gt|Ge)[US](8|16|32|64)|Cvt(Sat)?[US](8|16|32|64)From[US](8|16|32|64)|` +
	`Lop3|Shf[LR](Clamp|Wrap)|Bmsk(Clamp|Wrap)|Szext(Clamp|Wrap)[US]32|B2U32|B2Mask32|VMulHi.*|Add(Sat[US])?(16x2|8x4)|Sub(Sat[US])?8x4|(Min|Max)(Relu)?[US](16x2|8x4)|Neg8x4|Dp[24]a.*|Prmt.*|VPermB32|V(Q|M|Mq)?[Ss]ad(Hi)?(Sat)?(Pk)?U(8|16|16U8|32)|VLerpU8|VCvtPk.*[UI]32|CvtPack[US].*|Buf(Offset|Inside|Scalar.*)|CodeIndex|DsCondxchg32|Mbar(Init|Done|DoneParity|Error|Pending)|AndP|OrP|XorP|NotP|SelP|UndefAndP` +
	`)$`)

func TestIntegers(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) {
		enginetest.Lowering{Engine: e, Reference: interp.Engine{Portable: true}, Match: integers, Random: 3000, Seed: 1}.Test(t)
	})
}

// TestDivisors uses more constant divisors, each of which has special code.
func TestDivisors(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	division := regexp.MustCompile(`^(Div|Rem)[US]32$`)
	engines(t, func(t *testing.T, e *jit.Engine) {
		for seed := range uint64(6) {
			enginetest.Lowering{Engine: e, Reference: interp.Engine{Portable: true}, Match: division, Random: 200, Seed: 10 + seed}.Find(t.Errorf)
		}
	})
}
