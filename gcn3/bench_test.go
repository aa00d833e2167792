package gcn3

import (
	"math/rand/v2"
	"os"
	"testing"
)

// compilerCode returns the code of compiled kernels.
func compilerCode(tb testing.TB) []byte {
	tb.Helper()
	file, err := os.ReadFile("testdata/asm/args.s")
	if err != nil {
		tb.Fatal(err)
	}
	o, l := Assemble(file, "args.s", Options{})
	if o == nil {
		tb.Fatal(l)
	}
	for i := range o.Sections {
		if s := &o.Sections[i]; s.Flags&shfExec != 0 && len(s.Data) > 0 {
			return s.Data
		}
	}
	tb.Fatal("no code")
	return nil
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

// BenchmarkText disassembles an object with a text section of a million instructions of compiled
// code, with labels: one op is one instruction.
func BenchmarkText(b *testing.B) {
	code := compilerCode(b)
	var data []byte
	n := 0
	for n < 1_000_000 {
		for off := 0; off < len(code); n++ {
			_, k, err := Decode(code[off:])
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
