package report

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

func TestSum(t *testing.T) {
	t.Parallel()
	for n := range 300 {
		data := bytes.Repeat([]byte{byte(n), 3, 0xff}, n)[:n]
		if got, want := smallSum256(data), sha256.Sum256(data); got != want {
			t.Fatalf("%d bytes: %x, want %x", n, got, want)
		}
	}
}
