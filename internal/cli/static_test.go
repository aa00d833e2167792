package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// manyKernels is a file of n kernels that have two findings each.
func manyKernels(t *testing.T, n int) string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n")
	for i := range n {
		fmt.Fprintf(&b, `.visible .entry k%d(.param .u64 o) {
.reg .b32 %%r<4>; .reg .b64 %%d;
ld.param.u64 %%d, [o]; mov.u32 %%r1, %%laneid;
shl.b32 %%r2, %%r1, 40;
shfl.sync.down.b32 %%r3, %%r1, 1, 0x201f, -1;
st.global.u32 [%%d], %%r3; ret; }
`, i)
	}
	file := filepath.Join(t.TempDir(), "many.ptx")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// A check without a launch takes time in proportion to the number of kernels.
func TestStaticOfManyKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	took := func(n int) time.Duration {
		file := manyKernels(t, n)
		var stdout, stderr bytes.Buffer
		start := time.Now()
		if code := Main(context.Background(), []string{"check", "--static", file}, nil, &stdout, &stderr); code != 0 {
			t.Fatalf("%d\n%s", code, &stderr)
		}
		if want := fmt.Sprintf("check: %d warnings", 2*n); !strings.Contains(stdout.String(), want) {
			t.Fatalf("%s is missing", want)
		}
		return time.Since(start)
	}
	took(100)
	// 32 times as many kernels: quadratic time would be 1024 times as long. A busy machine can delay
	// one attempt, and does not delay each of them by such a factor.
	var few, many time.Duration
	for range 4 {
		if few, many = took(500), took(16000); many <= 200*few || many <= 10*time.Second {
			return
		}
	}
	t.Errorf("500 kernels take %v, 16000 take %v, in each of four attempts", few, many)
}

// A time limit ends it, and so does an interrupt; the findings until then are reported.
func TestStaticStops(t *testing.T) {
	file := manyKernels(t, 2000)
	var stdout, stderr bytes.Buffer
	code := Main(context.Background(), []string{"check", "--static", "--timeout", "1us", file}, nil, &stdout, &stderr)
	if code != 5 || !strings.Contains(stdout.String(), "the time limit of 1µs was reached, and the file is not parsed yet") {
		t.Errorf("%d\n%s%s", code, &stdout, &stderr)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	stdout.Reset()
	stderr.Reset()
	code = Main(ctx, []string{"check", "--static", file}, nil, &stdout, &stderr)
	if code != exitInterrupted || stderr.String() != "error: interrupted\n" {
		t.Errorf("%d\n%s", code, &stderr)
	}
	if strings.Contains(stdout.String(), "k1999") {
		t.Errorf("all kernels were checked:\n%s", &stdout)
	}
}
