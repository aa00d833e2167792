package examples

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/difftest"
	"example.org/crosslane/internal/short"
)

// allOf is findings as text, all there is of them.
func allOf(list diag.List) string {
	var s strings.Builder
	for _, d := range list {
		fmt.Fprintf(&s, "%+v\n", *d)
		for _, r := range d.Related {
			fmt.Fprintf(&s, "\t%+v\n", r)
		}
	}
	return s.String()
}

// The findings of Check and their texts do not depend on the engine, and the code that follows
// undefined bits does run as machine code.
func TestCheckOnEveryEngine(t *testing.T) {
	t.Parallel()
	native, asked := 0, 0
	for n, l := range short.Sample(allLaunches(), 6) {
		file := l.files[n%len(l.files)]
		k := l.load(t, file)
		var first string
		for _, how := range difftest.Choices() {
			if how.Workers > 1 {
				continue
			}
			how.Skip = []string{"schedule-dependent"}
			got, findings, err := l.runBy(t, func(ctx context.Context, how crosslane.Launch) (*crosslane.Result, error) {
				res, err := k.Check(ctx, how)
				if res != nil && res.Stats.Native > 0 {
					native++
				}
				return res, err
			}, how)
			text := fmt.Sprint(allOf(findings), err)
			if how.Engine == "interp" {
				first = text
				continue
			}
			asked++
			if text != first {
				t.Errorf("%s, %s %s: found\n%s\non the interpreter\n%s", file, how.Engine, how.Native, text, first)
			}
			l.compare(t, got)
		}
	}
	if native != asked {
		t.Errorf("of %d launches %d ran as machine code", asked, native)
	}
}

// The corpus gives the same reports, to the byte.
func TestCorpusOnEveryEngine(t *testing.T) {
	t.Parallel()
	if !slices.Contains(crosslane.Engines(), "jit") {
		t.Skip("machine code cannot run here")
	}
	for _, c := range short.Sample(slices.Concat(readCorpus(t, "bad"), readCorpus(t, "good")), 10) {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			for _, flags := range c.checks {
				if strings.Contains(flags, "--engine") {
					continue
				}
				run := func(engine string) string {
					args := append([]string{"check", c.path, "--format", "json", "--engine", engine}, arguments(flags)...)
					var out, errs bytes.Buffer
					status := cli.Main(t.Context(), args, strings.NewReader(""), &out, &errs)
					return fmt.Sprintln(status, out.String(), steady(errs.String()))
				}
				want, got := run("interp"), run("jit")
				if strings.Contains(got, "machine code does not know clusters of several blocks") {
					continue
				}
				if got != want {
					t.Errorf("check %s: jit\n%s\ninterp\n%s", flags, got, want)
				}
			}
		})
	}
}
