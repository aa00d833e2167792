package amdgpu

import (
	"bytes"
	"fmt"
	"testing"
)

// TestOracleImageAddress compares the number of address VGPRs that each image instruction may have,
// and the export of every target.
func TestOracleImageAddress(t *testing.T) {
	t.Parallel()
	mc, _ := oracle(t)
	var lines []string
	for _, row := range Rows() {
		if row.Format != MIMG {
			continue
		}
		in, _ := row.Specimen(E32)
		tail := ", s[8:15]"
		if len(row.Operands) == 4 {
			tail += ", s[4:7]"
		}
		for n := 1; n <= 12; n++ {
			lines = append(lines, fmt.Sprintf("%s %s, %s%s dmask:0x%x", row.Name, regRange("v", 20, int(in.Ops[0].Dwords)), regRange("v", 4, n), tail, in.Mod(ModDMask)))
		}
	}
	for v := range 64 {
		name := targetText(v)
		if name == "" {
			name = fmt.Sprintf("mrt%d", v)
		}
		for _, data := range []string{"v0, v1, v2, v3", "off, v1, off, v3 done", "v1, v1, off, off done compr vm", "off, off, v255, v255 compr", "off, off, off, off vm"} {
			lines = append(lines, "exp "+name+" "+data)
		}
	}
	legal := 0
	want, refused := llvmAssemble(t, mc, lines)
	for i, l := range lines {
		in, err := hooks.Parse(l)
		var b []byte
		if err == nil {
			b, err = Encode(&in)
		}
		if !bytes.Equal(b, want[i]) {
			t.Errorf("%s: % x (%v), LLVM % x (%s)", l, b, err, want[i], refused[i+1])
		}
		if want[i] != nil {
			legal++
		}
	}
	if legal < 500 || legal == len(lines) {
		t.Errorf("%d of %d texts are legal", legal, len(lines))
	}
}
