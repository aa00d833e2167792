package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
)

// slow is a backend whose loading, or whose preparation of kernels, takes until the test ends.
type slow struct {
	fake
	never           <-chan struct{}
	loads, prepares bool
	checks          bool // until the context ends
	called          chan<- struct{}
}

func (s slow) wait() {
	s.called <- struct{}{}
	<-s.never
}

func (s slow) Load(data []byte, file string, o crosslane.LoadOptions) (module, error) {
	if s.loads {
		s.wait()
	}
	m, err := s.fake.Load(data, file, o)
	return slowModule{m, s}, err
}

type slowModule struct {
	module
	slow slow
}

func (m slowModule) Kernel(name string) (kernel, error) {
	if m.slow.prepares {
		m.slow.wait()
	}
	k, err := m.module.Kernel(name)
	return slowKernel{k, m.slow}, err
}

type slowKernel struct {
	kernel
	slow slow
}

func (k slowKernel) CheckStatic(ctx context.Context, block crosslane.Dim3) (staticResult, error) {
	if k.slow.checks {
		k.slow.called <- struct{}{}
		<-ctx.Done()
		return staticResult{}, ctx.Err()
	}
	return k.kernel.CheckStatic(ctx, block)
}

// The time limit of check --static, and an interrupt, end the work before the first check, too.
func TestStaticLimitEndsLoading(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "k.txt")
	if err := os.WriteFile(file, []byte("kernel a ok\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want              string
		loads, prepares, checks bool
		limit                   string
		code                    int
	}{
		{"loading", "the time limit of 50ms was reached, and the file is not parsed yet", true, false, false, "50ms", 5},
		{"preparing", "the time limit of 50ms was reached, and the kernels are not prepared yet", false, true, false, "50ms", 5},
		{"checking", "the time limit of 50ms was reached: 0 of 1 kernel were checked", false, false, true, "50ms", 5},
		{"interrupted checking", "error: interrupted; 0 of 1 kernel were checked [cancelled]", false, false, true, "1h", 130},
		{"interrupted loading", "interrupted", true, false, false, "", 130},
		{"interrupted preparing", "interrupted", false, true, false, "1h", 130},
		{"in time", "", false, false, false, "1h", 0},
		{"without a limit", "", false, false, false, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			never, called := make(chan struct{}), make(chan struct{}, 1)
			defer close(never)
			args := []string{"check", "--static", file}
			if c.limit != "" {
				args = append(args, "--timeout", c.limit)
			}
			if c.code == 130 {
				go func() {
					<-called
					cancel()
				}()
			}
			var stdout, stderr bytes.Buffer
			ended := make(chan int, 1)
			go func() {
				ended <- run(ctx, slow{never: never, called: called, loads: c.loads, prepares: c.prepares, checks: c.checks}, args, nil, &stdout, &stderr)
			}()
			select {
			case code := <-ended:
				if text := stdout.String() + stderr.String(); code != c.code || !strings.Contains(text, c.want) {
					t.Errorf("%d, %s", code, text)
				}
			case <-time.After(time.Minute):
				t.Error("the command did not end")
			}
		})
	}
}
