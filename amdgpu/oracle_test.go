package amdgpu

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// oracle returns the path of llvm-mc of LLVM 22, and the number of random choices of a row. With
// CROSSLANE_REQUIRE_ORACLES=1 a missing llvm-mc is a failure, and each row gets 500 random choices
// instead of a few.
func oracle(t *testing.T) (mc string, perRow int) {
	t.Helper()
	short.Skip(t, "LLVM is the oracle")
	require := os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1"
	mc, err := exec.LookPath("llvm-mc-22")
	if err != nil {
		if require {
			t.Fatal("llvm-mc-22 is required by CROSSLANE_REQUIRE_ORACLES, and missing")
		}
		t.Skip("llvm-mc-22 is not installed")
	}
	if require {
		return mc, 500
	}
	return mc, 10
}

// llvmLines runs llvm-mc on lines. It returns the printed lines and, by line number (from 1), the
// reason of each refusal.
func llvmLines(t *testing.T, mc string, lines []string, args ...string) (out []string, refused map[int]string) {
	t.Helper()
	cmd := exec.Command(mc, append([]string{"-triple=amdgcn", "-mcpu=fiji"}, args...)...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // it fails if it refuses any line
	refused = map[int]string{}
	for _, m := range regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: (?:error|warning): (.*)$`).FindAllStringSubmatch(stderr.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		if strings.HasPrefix(m[2], "Can't encode literal as exact") {
			continue // a warning about precision
		}
		refused[n] = m[2]
	}
	if strings.Contains(stderr.String(), "PLEASE submit a bug report") {
		t.Fatalf("llvm-mc crashed: %s", stderr.String()[max(0, stderr.Len()-3000):])
	}
	for _, l := range strings.Split(stdout.String(), "\n") {
		l = strings.Join(strings.Fields(l), " ")
		if l != "" && !strings.HasPrefix(l, ".") && !strings.HasPrefix(l, "; fixup") {
			out = append(out, l)
		}
	}
	return out, refused
}

// llvmDisassemble returns LLVM's text of each instruction, or "" if LLVM refuses it.
func llvmDisassemble(t *testing.T, mc string, words [][]byte) []string {
	t.Helper()
	lines := make([]string, len(words))
	for i, w := range words {
		var b strings.Builder
		b.WriteByte('[')
		for _, c := range w {
			fmt.Fprintf(&b, "0x%02x ", c)
		}
		lines[i] = b.String() + "]"
	}
	out, refused := llvmLines(t, mc, lines, "-disassemble")
	all := spread(t, out, refused, len(words))
	for i := range all {
		// A comment in the text marks an instruction that the target does not have.
		if strings.Contains(all[i], "/*") {
			all[i] = ""
		}
	}
	return all
}

var encodingComment = regexp.MustCompile(`^(.*?) ; encoding: \[(.*)\]$`)

// llvmAssemble returns LLVM's bytes of each line, or nil if LLVM refuses it.
func llvmAssemble(t *testing.T, mc string, lines []string) ([][]byte, map[int]string) {
	t.Helper()
	out, refused := llvmLines(t, mc, lines, "-show-encoding")
	bytes := make([][]byte, len(lines))
	for i, l := range spread(t, out, refused, len(lines)) {
		if l == "" {
			continue
		}
		m := encodingComment.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("line %q of llvm-mc has no encoding", l)
		}
		bytes[i], _ = hex.DecodeString(strings.NewReplacer("0x", "", ",", "").Replace(m[2]))
	}
	return bytes, refused
}

// spread puts the printed lines at the indexes of the accepted lines.
func spread(t *testing.T, out []string, refused map[int]string, n int) []string {
	t.Helper()
	if len(out)+len(refused) != n {
		t.Fatalf("llvm-mc printed %d lines and refused %d of %d", len(out), len(refused), n)
	}
	all := make([]string, n)
	for i, k := 0, 0; i < n; i++ {
		if refused[i+1] == "" {
			all[i] = out[k]
			k++
		}
	}
	return all
}

// report collects mismatches and shows a few of each kind.
type report struct {
	kinds   map[string][]string
	reasons map[string]int // the number of allowed differences
}

// allow counts an allowed difference, and reports whether there is a reason.
func (r *report) allow(reason string) bool {
	if reason == "" {
		return false
	}
	if r.reasons == nil {
		r.reasons = map[string]int{}
	}
	r.reasons[reason]++
	return true
}

func (r *report) add(kind, format string, args ...any) {
	if r.kinds == nil {
		r.kinds = map[string][]string{}
	}
	r.kinds[kind] = append(r.kinds[kind], fmt.Sprintf(format, args...))
}

func (r *report) fail(t *testing.T) {
	t.Helper()
	for _, reason := range slices.Sorted(maps.Keys(r.reasons)) {
		t.Logf("%7d times allowed: %s", r.reasons[reason], reason)
	}
	var ks []string
	for k := range r.kinds {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for i, k := range ks {
		if i > 60 {
			t.Errorf("… and %d kinds more", len(ks)-i)
			break
		}
		l := r.kinds[k]
		t.Errorf("%s: %d mismatches, such as\n\t%s", k, len(l), strings.Join(l[:min(3, len(l))], "\n\t"))
	}
}

// randomInsts makes n random instructions of each row, spread over its encodings.
func randomInsts(t *testing.T, seed uint64, n int) []Inst {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var ins []Inst
	for _, row := range Rows() {
		var es []Enc
		for e := E32; e <= EncSDWA; e++ {
			if row.Encs.Has(e) {
				es = append(es, e)
			}
		}
		k := n
		if len(row.Operands) == 0 && len(row.encs[E32].mods) == 0 {
			k = 2
		}
		for i := range k {
			in, ok := randomInst(r, row, es[i%len(es)])
			if !ok {
				t.Fatalf("no random instruction of %s_%v: %s", row.Name, in.Enc, in.Check())
			}
			ins = append(ins, in)
		}
	}
	return ins
}

// TestOracleDisassemble compares the text of random legal instructions of every
// row.
func TestOracleDisassemble(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	ins := randomInsts(t, 1, perRow)
	words := make([][]byte, len(ins))
	for i := range ins {
		b, err := Encode(&ins[i])
		if err != nil {
			t.Fatalf("%+v: %v", ins[i], err)
		}
		words[i] = b
		back, n, err := Decode(b)
		if err != nil || n != len(b) || back != ins[i] {
			t.Fatalf("% x: decoded %q, %d, %v; want %q", b, Print(&back), n, err, Print(&ins[i]))
		}
	}
	var rep report
	for i, want := range llvmDisassemble(t, mc, words) {
		if got := Print(&ins[i]); got != want {
			rep.add(ins[i].Row.Name+"_"+ins[i].Enc.String(), "% x: %q, LLVM %q", words[i], got, want)
		}
	}
	rep.fail(t)
}

// wideLiteral reports whether a 16-bit operand is a literal with more bits.
func wideLiteral(in *Inst) bool {
	for i, o := range in.Operands() {
		if o.Kind == KindLiteral && in.Row.Operands[i].Type.Is16() && o.Imm>>16 != 0 {
			return true
		}
	}
	return false
}
