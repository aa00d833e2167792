package amdgpu

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

const goldenFile = "testdata/inst.golden"

// goldenLines reads the lines "text // printed // hex" of the golden file.
func goldenLines(t *testing.T) [][3]string {
	t.Helper()
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var all [][3]string
	for i, l := range strings.Split(string(data), "\n") {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		f := strings.Split(l, " // ")
		if len(f) != 3 {
			t.Fatalf("%s:%d: %q is not text // printed // hex", goldenFile, i+1, l)
		}
		all = append(all, [3]string(f))
	}
	return all
}

// TestGolden assembles, prints and disassembles every encoding of every row. The
// file holds the answers of LLVM 22; see TestOracleGolden.
func TestGolden(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, g := range goldenLines(t) {
		in, err := hooks.Parse(g[0])
		if err != nil {
			t.Errorf("%s: %v", g[0], err)
			continue
		}
		b, err := Encode(&in)
		if err != nil || hex.EncodeToString(b) != g[2] {
			t.Errorf("%s: %x, %v; want %s", g[0], b, err, g[2])
			continue
		}
		back, n, err := Decode(b)
		if err != nil || n != len(b) || back != in {
			t.Errorf("%s: decoded %q, %d, %v", g[0], Print(&back), n, err)
			continue
		}
		if p := Print(&back); p != g[1] {
			t.Errorf("%s: printed %q, want %q", g[0], p, g[1])
		}
		if in.Size() != len(b) {
			t.Errorf("%s: size %d, want %d", g[0], in.Size(), len(b))
		}
		seen[in.Row.Name+"_"+in.Enc.String()] = true
	}
	for _, r := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			if r.Encs.Has(e) && !seen[r.Name+"_"+e.String()] {
				t.Errorf("%s has no line for %s_%v", goldenFile, r.Name, e)
			}
		}
	}
}

// TestOracleGolden compares the golden file with LLVM. CROSSLANE_UPDATE_GOLDEN=1 writes it again
// from LLVM's answers.
func TestOracleGolden(t *testing.T) {
	mc, _ := oracle(t)
	if os.Getenv("CROSSLANE_UPDATE_GOLDEN") == "1" {
		writeGolden(t, mc)
	}
	var lines []string
	golden := goldenLines(t)
	for _, g := range golden {
		lines = append(lines, g[0])
	}
	bytes, refused := llvmAssemble(t, mc, lines)
	var words [][]byte
	for i, g := range golden {
		if hex.EncodeToString(bytes[i]) != g[2] {
			t.Errorf("%s: LLVM makes %x (%s), the file says %s", g[0], bytes[i], refused[i+1], g[2])
		}
		w, _ := hex.DecodeString(g[2])
		words = append(words, w)
	}
	for i, text := range llvmDisassemble(t, mc, words) {
		if text != golden[i][1] {
			t.Errorf("%s: LLVM prints %q, the file says %q", golden[i][2], text, golden[i][1])
		}
	}
}

// writeGolden writes two random instructions of each encoding of each row, if LLVM's text keeps all
// their bits.
func writeGolden(t *testing.T, mc string) {
	t.Helper()
	r := rand.New(rand.NewPCG(6, 1))
	var lines []string
	for _, row := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			if !row.Encs.Has(e) {
				continue
			}
			for k := range 3 {
				in, ok := randomInst(r, row, e)
				if !ok {
					t.Fatal(row.Name)
				}
				if len(row.Operands) == 0 && k > 0 {
					break
				}
				p := Printer{Exact: true}.Print(&in)
				if k == 2 {
					p = strings.Replace(p, "_"+e.String(), "", 1)
				}
				lines = append(lines, p)
			}
		}
	}
	bytes, _ := llvmAssemble(t, mc, lines)
	var texts []string
	var words [][]byte
	for i, b := range bytes {
		if b != nil {
			words, texts = append(words, b), append(texts, lines[i])
		}
	}
	var s strings.Builder
	s.WriteString("# text // what LLVM's disassembler prints // bytes. From LLVM 22, by CROSSLANE_UPDATE_GOLDEN=1 go test -run TestOracleGolden ./amdgpu\n")
	for i, printed := range llvmDisassemble(t, mc, words) {
		fmt.Fprintf(&s, "%s // %s // %x\n", texts[i], printed, words[i])
	}
	if err := os.WriteFile(goldenFile, []byte(s.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
