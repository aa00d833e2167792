package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/guard"
	"example.org/crosslane/internal/short"
)

var (
	corpusBuffer = regexp.MustCompile(`--arg '?([A-Za-z_]\w*):`)
	// An instruction of the corpora that stands on a line of its own, without a guard and labels.
	corpusPTX  = regexp.MustCompile(`^\s*([a-z][a-z0-9_]*(?:[.:][\w:]+)+ [^;{}]*;)`)
	corpusGCN3 = regexp.MustCompile(`^\s*([sv]_\w+|ds_\w+|flat_\w+|buffer_\w+)( [^/;]*)?`)
)

// instruction is the one that stands on a line; "": there is none.
func instruction(path, line string) string {
	if filepath.Ext(path) == ".ptx" {
		if m := corpusPTX.FindStringSubmatch(line); m != nil {
			return m[1]
		}
		return ""
	}
	if m := corpusGCN3.FindStringSubmatch(line); m != nil {
		return strings.TrimSpace(m[1] + m[2])
	}
	return ""
}

// check, why and explain report the same bytes about the corpora as before: check about the first
// run of each kernel, why about the first element of its first buffer, explain about its first
// instruction that no earlier kernel has.
func TestReportsOfCorpora(t *testing.T) {
	t.Parallel()
	var cases []*corpusCase
	for _, c := range slices.Concat(readCorpus(t, "bad"), readCorpus(t, "good")) {
		// A time limit ends a run at a place that depends on the machine.
		if !c.pending && !slices.ContainsFunc(c.checks, func(s string) bool { return strings.Contains(s, "--timeout") }) {
			cases = append(cases, c)
		}
	}
	var names []string
	explained := map[string]bool{}
	explain := make([]string, len(cases))
	for i, c := range cases {
		names = append(names, filepath.ToSlash(c.path))
		for _, l := range c.lines {
			if in := instruction(c.path, l); in != "" && !explained[in] {
				explained[in], explain[i] = true, in
				break
			}
		}
	}
	texts := guard.New(names)
	var wg sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := first; i < len(cases); i += runtime.GOMAXPROCS(0) {
				if !short.Every(i, 20) {
					continue
				}
				c := cases[i]
				var out bytes.Buffer
				run := func(args ...string) {
					fmt.Fprintln(&out, args)
					fmt.Fprintln(&out, cli.Main(t.Context(), args, strings.NewReader(""), &out, &out))
				}
				flags := arguments(c.checks[0])
				run(append([]string{"check", c.path, "--format", "json"}, flags...)...)
				if m := corpusBuffer.FindStringSubmatch(c.checks[0]); m != nil {
					run(append([]string{"why", c.path, "--format", "json", "--at", m[1] + "[0]"}, flags...)...)
				}
				if explain[i] != "" {
					run("explain", explain[i], "--format", "json")
				}
				texts.Set(t, names[i], steady(out.String()))
			}
		})
	}
	wg.Wait()
	texts.Compare(t, "testdata/guard_corpora.txt")
}

// why reports the same bytes about the programs as before: about an element of the last buffer of
// each launch, in one of the builds.
func TestWhyOfPrograms(t *testing.T) {
	t.Parallel()
	type form struct {
		l    launch
		file string
	}
	var names []string
	forms := map[string]form{}
	for i, l := range allLaunches() {
		file := l.files[(i+1)%len(l.files)]
		name := fmt.Sprint(i+1, " ", file, " ", l.name)
		names = append(names, name)
		forms[name] = form{l, file}
	}
	texts := guard.New(names)
	t.Cleanup(func() { texts.Compare(t, "testdata/guard_programs.txt") })
	for _, name := range short.Sample(names, 10) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, k := forms[name].l, forms[name].l.load(t, forms[name].file)
			_, _, err := l.runBy(t, func(ctx context.Context, how crosslane.Launch) (*crosslane.Result, error) {
				how.Workers = 1
				var b *crosslane.Buffer
				for _, a := range how.Args {
					if x, ok := a.(*crosslane.Buffer); ok {
						b = x // the last one: results stand after their inputs
					}
				}
				if b == nil {
					return k.Run(ctx, how)
				}
				p, err := k.Why(ctx, how, crosslane.WhyOptions{Buffer: b.Name, Index: b.Len() * 2 / 5})
				if err != nil {
					return nil, err
				}
				data, err := json.MarshalIndent(p, "", " ")
				if err != nil {
					return nil, err
				}
				texts.Set(t, name, string(data)+"\n"+p.Text(crosslane.WhyView{All: true}))
				return &crosslane.Result{}, nil
			}, crosslane.Launch{})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
