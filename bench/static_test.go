package bench

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/examples/programs"
)

// BenchmarkStatic is what CheckStatic costs, in processor time for a million instructions:
// of all programs that compilers made, and of one kernel of a million instructions, the body
// of SHA-256 again and again. The file is loaded before.
func BenchmarkStatic(b *testing.B) {
	for _, isa := range []crosslane.ISA{crosslane.PTX, crosslane.GCN3} {
		b.Run("programs/"+string(isa), func(b *testing.B) {
			n := 0
			var modules []*crosslane.Module
			for _, p := range programs.All() {
				if p.ISA != isa {
					continue
				}
				for _, file := range p.Files {
					text := programText(b, file)
					modules = append(modules, loadText(b, text, isa))
					n += instructions(text, isa)
				}
			}
			timeStatic(b, modules, n)
		})
	}
	for _, c := range []struct {
		isa          crosslane.ISA
		file, kernel string
	}{{crosslane.PTX, "ptx/sha256_O3_sm_70.ptx", "sha256"}, {crosslane.GCN3, "gcn3/sha256_O3_v5.hsaco", "sha256"}} {
		b.Run("kernel/"+string(c.isa), func(b *testing.B) {
			size := 1_000_000
			if testing.Short() {
				size /= 20
			}
			text, n := repeated(b, programText(b, c.file), c.kernel, size)
			timeStatic(b, []*crosslane.Module{loadText(b, text, c.isa)}, n)
		})
	}
}

func timeStatic(b *testing.B, modules []*crosslane.Module, n int) {
	b.ReportAllocs()
	start := cpuTime()
	for b.Loop() {
		for _, m := range modules {
			if _, err := m.CheckStatic(); err != nil {
				b.Fatal(m.File(), err)
			}
		}
	}
	b.ReportMetric((cpuTime()-start).Seconds()*1e6/float64(b.N)/float64(n), "cpu-s/M")
	b.ReportMetric(float64(n), "instructions")
	b.ReportMetric(0, "ns/op")
}

func loadText(b *testing.B, text string, isa crosslane.ISA) *crosslane.Module {
	m, err := crosslane.Load([]byte(text), "bench", isa)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// programText is the text of a program, code objects disassembled.
func programText(b *testing.B, file string) string {
	data, err := programs.Text(file)
	if err == nil && strings.HasSuffix(file, ".hsaco") {
		var text string
		text, err = crosslane.Disassemble(data, file)
		data = []byte(text)
	}
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

var (
	ptxInstruction  = regexp.MustCompile(`(?m)^\s*(@!?%p\d+\s+)?[a-z][a-z0-9_]*(\.[a-z0-9_:]+)*\s[^;\n]*;|^\s*ret;`)
	gcn3Instruction = regexp.MustCompile(`(?m)^\s*(s|v|ds|flat|buffer)_\w+`)
	label           = regexp.MustCompile(`(?m)(\.L\w+|\$L\w+)`)
)

func instructions(text string, isa crosslane.ISA) int {
	if isa == crosslane.PTX {
		return len(ptxInstruction.FindAllStringIndex(text, -1))
	}
	return len(gcn3Instruction.FindAllStringIndex(text, -1))
}

// repeated is a text with the body of a kernel again and again.
func repeated(b *testing.B, text, kernel string, n int) (string, int) {
	isa, begin, end := crosslane.GCN3, "\n"+kernel+":\n", "\ts_endpgm\n"
	if i := strings.Index(text, ".entry "+kernel+"("); i >= 0 {
		isa, end = crosslane.PTX, "\tret;\n"
		begin = text[i : i+strings.Index(text[i:], "\n\tmov")]
	}
	from := strings.Index(text, begin) + len(begin)
	size := strings.Index(text[from:], end)
	if size < 0 {
		b.Fatal("the kernel has no end")
	}
	body := text[from : from+size]
	each := instructions(body, isa)
	var w strings.Builder
	w.WriteString(text[:from])
	for i := range n/each + 1 {
		w.WriteString(label.ReplaceAllString(body, fmt.Sprint("${1}_", i)))
	}
	w.WriteString(text[from+size:])
	return w.String(), each * (n/each + 1)
}
