package amdgpu

import (
	"bytes"
	"strings"
	"testing"
)

// TestOracleBoundaries compares every field of every encoding of every row at its
// boundaries, in both directions: the text of the bytes, and the bytes of the text,
// of the exact text, and of the text without encoding suffix.
func TestOracleBoundaries(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	var ins []Inst
	n := 0
	for _, row := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			if !row.Encs.Has(e) {
				continue
			}
			l := boundaryInsts(row, e)
			if len(l) == 0 {
				t.Errorf("%s_%v has no boundary instructions", row.Name, e)
			}
			for i := range l {
				if n++; perRow >= 100 || n%50 == 0 { // only a few of them if there is little time
					ins = append(ins, l[i])
				}
			}
		}
	}
	words := make([][]byte, len(ins))
	var rep report
	for i := range ins {
		b, err := Encode(&ins[i])
		back, n, derr := Decode(b)
		if err != nil || derr != nil || n != len(b) || back != ins[i] {
			t.Fatalf("% x (%v) decodes to %q, %d, %v; want %q", b, err, Print(&back), n, derr, Print(&ins[i]))
		}
		words[i] = b
		exact := Printer{Exact: true}.Print(&ins[i])
		if again, err := hooks.Parse(exact); err != nil || again != ins[i] {
			rep.add("exact text of "+ins[i].kind(), "%s: %v, %s", exact, err, Print(&again))
		}
	}
	lines := make([]string, len(ins))
	for i, want := range llvmDisassemble(t, mc, words) {
		got := Print(&ins[i])
		if got != want {
			rep.add(ins[i].kind(), "% x: %q, LLVM %q", words[i], got, want)
		}
		switch i % 3 {
		case 0:
			got = Printer{Exact: true}.Print(&ins[i])
		case 1:
			got = strings.Replace(got, "_"+ins[i].Enc.String()+" ", " ", 1)
		}
		lines[i] = got
	}
	want, refused := llvmAssemble(t, mc, lines)
	for i := range ins {
		rep.assembled(&ins[i], lines[i], want[i], refused[i+1])
		if i%3 == 0 && want[i] != nil && !bytes.Equal(want[i], words[i]) && !rep.allow(allowedBytes(&ins[i], lines[i], words[i], want[i], nil)) {
			rep.add("LLVM reads our exact text differently: "+ins[i].kind(), "%s: % x, LLVM % x", lines[i], words[i], want[i])
		}
	}
	t.Logf("%d instructions", len(ins))
	rep.fail(t)
}
