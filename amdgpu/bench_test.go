package amdgpu

import (
	"math/rand/v2"
	"testing"
)

// compilerCode returns the code of compiled kernels.
func compilerCode(tb testing.TB) (code []byte) {
	tb.Helper()
	hooks.EachKernel(tb, hooks.KernelFiles(tb)[0], func(_ string, text []byte, _ int64) { code = text })
	return code
}

// everyRow returns code with an instruction in every encoding of every row.
func everyRow(tb testing.TB) []byte {
	tb.Helper()
	r := rand.New(rand.NewPCG(8, 1))
	var code []byte
	for _, row := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			if !row.Encs.Has(e) {
				continue
			}
			in, _ := randomInst(r, row, e)
			w, err := Encode(&in)
			if err != nil {
				tb.Fatal(err)
			}
			code = append(code, w...)
		}
	}
	return code
}

// BenchmarkDisassemble decodes and prints instructions: one op is one instruction.
func BenchmarkDisassemble(b *testing.B) {
	for name, code := range map[string][]byte{"compiler": compilerCode(b), "every-row": everyRow(b)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i, off := 0, 0; i < b.N; i++ {
				in, n, err := Decode(code[off:])
				if err != nil {
					n = 4 // padding
				} else if Print(&in) == "" {
					b.Fatal("no text")
				}
				if off += n; off >= len(code) {
					off = 0
				}
			}
		})
	}
}
