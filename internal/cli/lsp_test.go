package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/language"
)

// editorFiles are the examples that an editor can show.
func editorFiles(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"ptx/*.ptx", "gcn3/*.s", "bad/ptx/*.ptx", "bad/gcn3/*.s", "good/ptx/*.ptx", "good/gcn3/*.s"} {
		list, err := filepath.Glob(filepath.Join("..", "..", "examples", pattern))
		if err != nil || len(list) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, list...)
	}
	return files
}

func openExample(t *testing.T, file string) *language.Document {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return language.NewService().Open(file, string(text), language.Options{Include: crosslane.IncludeFrom(filepath.Dir(file))})
}

// An editor shows the findings of check --static, each at its line and column.
func TestEditorFindings(t *testing.T) {
	files := editorFiles(t)
	if testing.Short() {
		files = files[:20]
	}
	total := 0
	for _, file := range files {
		var out, errs bytes.Buffer
		Main(t.Context(), []string{"check", "--static", "--all", "--format", "json", file}, nil, &out, &errs)
		var want struct {
			Findings []struct {
				Code, Message string
				Line, Column  int
				Severity      string
			}
		}
		if err := json.Unmarshal(out.Bytes(), &want); err != nil {
			t.Errorf("%s: %v\n%s", file, err, errs.String())
			continue
		}
		d := openExample(t, file)
		found, err := d.Diagnostics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got, expected []string
		for _, f := range found {
			message, _, _ := strings.Cut(f.Message, "\nlanes: ")
			message, _, _ = strings.Cut(message, "\nremedy: ")
			got = append(got, fmt.Sprintf("%d %s %s %s", f.Range.Start.Line+1, f.Severity, f.Code, message))
			if f.From.Pos.Col > 0 && f.Range.Start.Character != f.From.Pos.Col-1 && !strings.ContainsFunc(d.Text(), func(r rune) bool { return r > 127 }) {
				t.Errorf("%s: %s: %v for column %d", file, got[len(got)-1], f.Range, f.From.Pos.Col)
			}
			if f.Range.End == f.Range.Start {
				t.Errorf("%s: %s: the range is empty", file, got[len(got)-1])
			}
		}
		for _, f := range want.Findings {
			expected = append(expected, fmt.Sprintf("%d %s %s %s", max(f.Line, 1), f.Severity, f.Code, f.Message))
		}
		slices.Sort(got)
		slices.Sort(expected)
		if !slices.Equal(got, expected) {
			t.Errorf("%s:\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(expected, "\n"))
		}
		total += len(got)
	}
	if total < 100 && !testing.Short() {
		t.Errorf("%d findings", total)
	}
}

// Each change that an action proposes makes its finding go, and no error come.
func TestEditorActions(t *testing.T) {
	n := 0
	for _, file := range editorFiles(t) {
		d := openExample(t, file)
		found, err := d.Diagnostics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			actions, err := d.Actions(t.Context(), f.Range)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range actions {
				if a.Of.From != f.From {
					continue
				}
				n++
				text := d.Text()
				for _, e := range slices.Backward(a.Edits) {
					text = language.Apply(text, &e.Range, e.NewText)
				}
				after, err := language.NewService().Open(file, text, language.Options{}).Diagnostics(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				same := func(list []language.Diagnostic) (n int) {
					for _, g := range list {
						if g.Code == f.Code {
							n++
						}
					}
					return n
				}
				if same(after) >= same(found) {
					t.Errorf("%s: %s: the finding stays after %q", file, f.Message, a.Title)
				}
				if errorsIn(after) > errorsIn(found) {
					t.Errorf("%s: %q makes an error: %v", file, a.Title, after)
				}
			}
		}
	}
	if n < 30 {
		t.Errorf("%d actions", n)
	}
}

func errorsIn(list []language.Diagnostic) (n int) {
	for _, d := range list {
		if d.Severity == diag.Error {
			n++
		}
	}
	return n
}

// lspSession sends requests to crosslane lsp, waits for the answers, leaves, and returns the answers by ID.
func lspSession(t *testing.T, messages ...string) map[string]json.RawMessage {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- Main(t.Context(), []string{"lsp"}, toServer, fromServer, &stderr)
		fromServer.Close()
	}()
	send := func(m string) { fmt.Fprintf(fromClient, "Content-Length: %d\r\n\r\n%s", len(m), m) }
	requests := 0
	for _, m := range messages {
		if strings.Contains(m, `"id":`) {
			requests++
		}
	}
	go func() {
		for _, m := range messages {
			send(m)
		}
	}()
	answers := map[string]json.RawMessage{}
	for r := bufio.NewReader(toClient); len(answers) < requests; {
		var n int
		if _, err := fmt.Fscanf(r, "Content-Length: %d\r\n\r\n", &n); err != nil {
			t.Fatal(err, stderr.String())
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID            json.RawMessage
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatal(err)
		}
		if m.Error != nil {
			m.Result = m.Error
		}
		if m.ID != nil {
			answers[string(m.ID)] = m.Result
		}
	}
	go func() { _, _ = io.Copy(io.Discard, toClient) }()
	send(`{"jsonrpc":"2.0","id":99,"method":"shutdown"}`)
	send(`{"jsonrpc":"2.0","method":"exit"}`)
	if c := <-code; c != 0 {
		t.Errorf("status %d: %s", c, stderr.String())
	}
	return answers
}

func TestLSPCommands(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("..", "..", "examples", "ptx", "mistakes.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(string(text))
	uri := "file://" + filepath.ToSlash(file)
	open := fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"%s","languageId":"ptx","version":1,"text":%s}}}`, uri, quoted)
	execute := func(id int, name, args string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"crosslane.%s","arguments":[{"uri":"%s","kernel":"partial_reduce"%s}]}}`, id, name, uri, args)
	}
	got := lspSession(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`, open,
		execute(2, "run", `,"args":["--grid","1","--block","32","--arg","in:s32[32]=fill:1","--arg","out:s32[1]","--arg","32","--print","out"]`),
		execute(3, "check", ""), execute(4, "run", ""), execute(5, "delete", ""))
	for id, want := range map[string]string{"2": "out", "3": "--static", "4": "crosslane init", "5": "there is no command"} {
		if !strings.Contains(string(got[id]), want) {
			t.Errorf("answer %s: %s\nwant %q", id, got[id], want)
		}
	}
	if !strings.Contains(string(got["2"]), "32") {
		t.Errorf("run: %s", got["2"])
	}
}
