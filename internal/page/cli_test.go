package page_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/page"
	"example.org/crosslane/internal/short"
)

var checkLine = regexp.MustCompile(`(?m)^// check: (.*--grid.*)$`)

// answered is the data of an answer, without what differs from run to run.
func answered(t *testing.T, text []byte) any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	if stats, ok := v["stats"].(map[string]any); ok {
		delete(stats, "seconds")
	}
	return v
}

// The page answers run and check with the JSON that the command line writes.
func TestPageAndCommandLine(t *testing.T) {
	t.Parallel()
	p := page.New(page.Options{Limits: page.DefaultLimits(), Native: true})
	n := 0
	for _, pattern := range []string{"bad/ptx/*.ptx", "bad/gcn3/*.s", "good/ptx/*.ptx", "good/gcn3/*.s"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "examples", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := checkLine.FindSubmatch(text)
			if m == nil || !short.Every(i, 6) || bytes.Contains(m[1], []byte("--sweep")) || bytes.Contains(m[1], []byte("--target")) || bytes.Contains(m[1], []byte("@")) ||
				bytes.Contains(m[1], []byte("--defsym")) || bytes.Contains(m[1], []byte("--rules")) {
				continue
			}
			n++
			line := string(m[1]) + " --workers 1 --engine interp --timeout 60s"
			for _, op := range []string{"check", "run"} {
				params, err := json.Marshal(map[string]any{"program": map[string]any{"name": file, "text": string(text)}, "launch": map[string]any{"line": line},
					"options": map[string]any{"timeout_ms": 60000}})
				if err != nil {
					t.Fatal(err)
				}
				var reply struct {
					OK   bool
					Data json.RawMessage
				}
				answer := p.AnswerOp(t.Context(), op, params)
				if err := json.Unmarshal(answer, &reply); err != nil || !reply.OK {
					t.Fatalf("%s %s: %v: %.500s", op, file, err, answer)
				}
				var out bytes.Buffer
				args := append([]string{op, file, "--format", "json"}, words(line)...)
				cli.Main(t.Context(), args, strings.NewReader(""), &out, &bytes.Buffer{})
				if got, want := answered(t, reply.Data), answered(t, out.Bytes()); !reflect.DeepEqual(got, want) {
					t.Errorf("%s %s:\n page %.1500s\n  cli %.1500s", op, file, reply.Data, out.Bytes())
				}
			}
		}
	}
	if n < 8 {
		t.Errorf("only %d kernels were compared", n)
	}
}

// The page takes each flag of run, or says why it does not.
func TestPageKnowsFlagsOfRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	cli.Main(t.Context(), []string{"run", "--help"}, strings.NewReader(""), &out, &bytes.Buffer{})
	p := page.New(page.Options{Limits: page.DefaultLimits()})
	names := regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`).FindAllStringSubmatch(out.String(), -1)
	if len(names) < 20 {
		t.Fatalf("run has %d flags", len(names))
	}
	for _, m := range append(names, []string{"", "no-such-flag"}) {
		params, err := json.Marshal(map[string]any{"program": map[string]any{"name": "k.ptx", "text": ""}, "launch": map[string]any{"line": "--" + m[1]}})
		if err != nil {
			t.Fatal(err)
		}
		reply := p.AnswerOp(t.Context(), "run", params)
		if unknown := bytes.Contains(reply, []byte("there is no flag")); unknown != (m[1] == "no-such-flag" || m[1] == "help") {
			t.Errorf("--%s: %.300s", m[1], reply)
		}
	}
}

// words splits a line of the corpus: words and pieces in single quotes.
func words(line string) (list []string) {
	for _, w := range regexp.MustCompile(`(?:'[^']*'|[^\s'])+`).FindAllString(line, -1) {
		list = append(list, strings.ReplaceAll(w, "'", ""))
	}
	return list
}
