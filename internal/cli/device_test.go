package cli

import (
	"bytes"
	"strings"
	"testing"
)

// The hidden command device names what it cannot use as a socket.
func TestDeviceNeedsSocket(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"device", "--fd must be the number of a socket"},
		{"device --fd 1", "--fd must be the number of a socket"},
		{"device --fd 9999", "the device cannot be served"},
	} {
		var out, errs bytes.Buffer
		status := Main(t.Context(), strings.Fields(c.args), strings.NewReader(""), &out, &errs)
		if status != 2 || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q", c.args, status, errs.String(), out.String())
		}
	}
}
