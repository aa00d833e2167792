package amdgpu

import (
	"bytes"
	"encoding/hex"
	"testing"
)

// FuzzDecode decodes random bytes. If they decode, the instruction encodes to the same bytes, and
// its exact text assembles to the same instruction.
func FuzzDecode(f *testing.F) {
	for i, g := range seeds(f, goldenFile) {
		if b, err := hex.DecodeString(g[2]); err == nil && i%7 == 0 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in, n, err := Decode(b)
		if err != nil {
			if n < min(4, len(b)) || n > len(b) {
				t.Fatalf("% x: %v, skips %d bytes", b, err, n)
			}
			return
		}
		again, err := Encode(&in)
		if err != nil || !bytes.Equal(again, b[:n]) {
			t.Fatalf("% x: %s encodes to % x, %v", b[:n], Print(&in), again, err)
		}
		text := Printer{Exact: true}.Print(&in)
		back, err := hooks.Parse(text)
		if err != nil || back != in {
			t.Fatalf("% x: %s assembles to %s, %v", b[:n], text, Print(&back), err)
		}
	})
}
