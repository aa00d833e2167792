package programs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/examples/programs"
)

// Every program gives its results from every build, with nothing to report.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for i, p := range programs.All() {
		cases, files := p.Cases(), p.Files
		if testing.Short() {
			i = 7 * i % len(files)
			files = files[i : i+1]
		}
		for _, file := range files {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				m := load(t, p, file)
				for _, c := range cases {
					o := c.Run(context.Background(), m, func(l *crosslane.Launch) { l.Timeout = 10 * time.Second })
					if err := c.Check(o); err != nil {
						t.Errorf("%s: %v", c.Name, err)
					}
				}
			})
		}
	}
}

func load(t *testing.T, p programs.Program, file string) *crosslane.Module {
	t.Helper()
	m, err := p.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every kernel of every file is launched, every buffer of a case is used, and no case
// wants what is there already.
func TestEveryKernelIsLaunched(t *testing.T) {
	t.Parallel()
	for _, p := range programs.All() {
		launched := map[string]bool{}
		for _, c := range p.Cases() {
			nothing := programs.Case{Buffers: c.Buffers}
			if c.Check(nothing.Run(context.Background(), nil, nil)) == nil && p.Name+" "+c.Name != "printing passes" {
				t.Errorf("%s/%s would pass if the kernels did nothing", p.Name, c.Name)
			}
			used := map[*programs.Buffer]bool{}
			for _, s := range c.Steps {
				launched[s.Kernel] = true
				for _, a := range s.Args {
					if b, ok := a.(*programs.Buffer); ok {
						used[b] = true
					}
				}
			}
			for _, b := range c.Buffers {
				if !used[b] {
					t.Errorf("%s/%s: no launch uses %s", p.Name, c.Name, b.Name)
				}
			}
		}
		for _, f := range p.Files {
			m := load(t, p, f)
			if len(m.Kernels()) == 0 {
				t.Errorf("%s has no kernel", f)
			}
			for _, k := range m.Kernels() {
				if !launched[k.Name()] {
					t.Errorf("%s: nothing launches %s", f, k.Name())
				}
			}
		}
	}
}

// The page lists what there is.
func TestProgramsAreListed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs.All() {
		if row := fmt.Sprintf("| `%s` | %s |", p.Name, p.About); !strings.Contains(string(page), row) {
			t.Errorf("examples/README.md lacks the row %s", row)
		}
	}
}

// A wrong result is seen: each kind of expectation can fail.
func TestCheckSees(t *testing.T) {
	t.Parallel()
	run := func(b *programs.Buffer) error {
		c := programs.Case{Buffers: []*programs.Buffer{b}}
		return c.Check(c.Run(context.Background(), nil, nil))
	}
	for i, c := range []struct {
		b  programs.Buffer
		ok bool
	}{
		{programs.Buffer{Data: []int32{1, 2}}, true},
		{programs.Buffer{Data: []int32{1, 2}, Want: []int32{1, 3}}, false},
		{programs.Buffer{Data: []int32{1, 2}, Want: []int32{2, 1}}, false},
		{programs.Buffer{Data: []int32{1, 2}, Want: []int32{2, 1}, Unordered: true}, true},
		{programs.Buffer{Data: []int32{1, 2}, Want: []int32{2, 2}, Unordered: true}, false},
		{programs.Buffer{Data: []float32{1, 1e6}, Want: []float32{1.0005, 1000500}, Within: 1e-3}, true},
		{programs.Buffer{Data: []float32{1}, Want: []float32{1.002}, Within: 1e-3}, false},
		{programs.Buffer{Data: []float64{1}, Check: func(got any) error { return fmt.Errorf("%v", got.([]float64)) }}, false},
	} {
		if err := run(&c.b); (err == nil) != c.ok {
			t.Errorf("%d: %v", i, err)
		}
	}
}
