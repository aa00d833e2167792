package x64

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkEncode(b *testing.B) {
	var insts []Inst
	ops := []Op{MOV, ADDImm, VPADDD, VMOVDQU32, VMOVDQU32St, VFMADD231PS, VPANDD, VPSLLDImm, VPCMPD, KANDW, VPBROADCASTD, JNE, CMPImm, VPERMD, LEA, SHLX}
	for i := range 4096 {
		op := ops[i%len(ops)]
		in := Inst{Op: JNE, Label: Label(1 + i/64)}
		if op != JNE {
			in = draw(rand.New(rand.NewPCG(uint64(i), 1)), op)
		}
		if i%64 == 0 {
			insts = append(insts, Inst{Op: LABEL, Label: Label(1 + i/64)})
		}
		insts = append(insts, in)
	}
	var a Assembler
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := a.Encode(insts, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(insts)), "ns/inst")
}
