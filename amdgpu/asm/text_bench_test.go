package asm

import (
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/gcntest"
)

// BenchmarkText disassembles an object with a text section of a million instructions of compiled
// code, with labels: one op is one instruction.
func BenchmarkText(b *testing.B) {
	var code []byte
	gcntest.EachKernel(b, gcntest.KernelFiles(b)[0], func(_ string, text []byte, _ int64) { code = text })
	var data []byte
	n := 0
	for n < 1_000_000 {
		for off := 0; off < len(code); n++ {
			_, k, err := amdgpu.Decode(code[off:])
			if err != nil {
				k = 4
			}
			off += k
		}
		data = append(data, code...)
	}
	o := &Object{Sections: []Section{{Name: ".text", Type: shtProgBits, Flags: shfAlloc | shfExec, Align: 256, Data: data, Size: uint64(len(data))}}}
	b.ReportAllocs()
	for b.Loop() {
		if len(o.Text()) < len(data) {
			b.Fatal("no text")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/inst")
}
