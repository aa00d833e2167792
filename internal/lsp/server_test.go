package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

const kernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
	.reg .b32 %r<4>;
	.reg .pred %p<2>;
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 16;
@%p1 vote.sync.ballot.b32 %r2, %p1, -1;
	ret;
}
`

// client is an editor.
type client struct {
	t    *testing.T
	out  *io.PipeWriter
	msgs chan message
	done chan error
	id   int
}

func dial(t *testing.T, o Options) *client {
	t.Helper()
	toServer, out := io.Pipe()
	in, fromServer := io.Pipe()
	c := &client{t: t, out: out, msgs: make(chan message, 1000), done: make(chan error, 1)}
	go func() {
		c.done <- Serve(context.Background(), toServer, fromServer, o)
		fromServer.Close()
	}()
	go func() {
		r := bufio.NewReader(in)
		for {
			body, err := read(r)
			if err != nil {
				close(c.msgs)
				return
			}
			var m message
			if err := json.Unmarshal(body, &m); err != nil {
				panic(err)
			}
			c.msgs <- m
		}
	}()
	return c
}

func (c *client) send(text string) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) notify(method, params string) {
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// next returns the next message that want accepts.
func (c *client) next(want func(m *message) bool) message {
	c.t.Helper()
	limit := time.After(60 * time.Second)
	for {
		select {
		case m, ok := <-c.msgs:
			if !ok {
				c.t.Fatal("the server is gone")
			}
			if want(&m) {
				return m
			}
		case <-limit:
			c.t.Fatal("no answer")
		}
	}
}

// ask sends a request and returns its answer.
func (c *client) ask(method, params string) message {
	c.t.Helper()
	c.id++
	id := fmt.Sprint(c.id)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return c.next(func(m *message) bool { return string(m.ID) == id })
}

func (c *client) start() {
	c.t.Helper()
	m := c.ask("initialize", `{"capabilities":{"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}},"initializationOptions":{"delay":0,"codePage":"https://pages.example/{code}"}}`)
	if m.Error != nil {
		c.t.Fatal(m.Error)
	}
	c.notify("initialized", "{}")
}

func (c *client) open(uri, text string) {
	body, _ := json.Marshal(text)
	c.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"ptx","version":1,"text":%s}}`, uri, body))
}

// published waits for the diagnostics of a version.
func (c *client) published(version int) publishDiagnosticsParams {
	c.t.Helper()
	var p publishDiagnosticsParams
	c.next(func(m *message) bool {
		if m.Method != "textDocument/publishDiagnostics" {
			return false
		}
		p = publishDiagnosticsParams{}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			c.t.Fatal(err)
		}
		return p.Version != nil && *p.Version == version
	})
	return p
}

func (c *client) leave() {
	c.t.Helper()
	c.ask("shutdown", "null")
	c.notify("exit", "null")
	if err := <-c.done; err != nil {
		c.t.Error(err)
	}
}

const uri = "file:///tmp/k.ptx"

func TestSession(t *testing.T) {
	c := dial(t, Options{Version: "1"})
	if m := c.ask("textDocument/hover", "{}"); m.Error == nil || m.Error.Code != codeNotInitialized {
		t.Errorf("%+v", m)
	}
	c.start()
	c.open(uri, kernel)
	p := c.published(1)
	if len(p.Diagnostics) != 1 || p.Diagnostics[0].Code != "absent-members" || p.Diagnostics[0].Range.Start.Line != 8 || p.Diagnostics[0].Range.End.Character != 25 {
		t.Fatalf("%+v", p)
	}
	if d := p.Diagnostics[0]; d.CodeDescription == nil || d.CodeDescription.Href != "https://pages.example/absent-members" || !strings.Contains(d.Message, "remedy: ") {
		t.Errorf("%+v", d)
	}
	// The action mends it, as an incremental change.
	m := c.ask("textDocument/codeAction", `{"textDocument":{"uri":"file:///tmp/k.ptx"},"range":{"start":{"line":8,"character":8},"end":{"line":8,"character":8}},"context":{"diagnostics":[]}}`)
	var actions []codeAction
	if err := json.Unmarshal(m.Result, &actions); err != nil || len(actions) == 0 {
		t.Fatalf("%s %v", m.Result, err)
	}
	edit := actions[0].Edit.Changes[uri][0]
	change, _ := json.Marshal(contentChange{&edit.Range, edit.NewText})
	c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":2},"contentChanges":[%s]}`, uri, change))
	if p := c.published(2); len(p.Diagnostics) != 0 {
		t.Errorf("%+v", p)
	}
	// A change of an old version is not made.
	c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":2},"contentChanges":[{"text":""}]}`, uri))
	c.next(func(m *message) bool {
		return m.Method == "window/logMessage" && strings.Contains(string(m.Params), "not newer than version 2")
	})
	at := `{"textDocument":{"uri":"file:///tmp/k.ptx"},"position":{"line":8,"character":10},"range":{"start":{"line":0,"character":0},"end":{"line":99,"character":0}},"context":{}}`
	for method, want := range map[string]string{
		"textDocument/hover": "```text", "textDocument/completion": "isIncomplete", "textDocument/semanticTokens/full": "data",
		"textDocument/foldingRange": "startLine", "textDocument/documentSymbol": "selectionRange", "textDocument/inlayHint": "16→1",
		"textDocument/codeLens": "[]", "textDocument/signatureHelp": "null", "textDocument/definition": "[", "textDocument/references": "[",
		"textDocument/documentHighlight": "[", "textDocument/declaration": "[",
	} {
		if m := c.ask(method, at); m.Error != nil || !strings.Contains(string(m.Result), want) {
			t.Errorf("%s: %s %v", method, m.Result, m.Error)
		}
	}
	if m := c.ask("textDocument/rename", `{"textDocument":{"uri":"file:///tmp/k.ptx"},"position":{"line":6,"character":10},"newName":"%lane"}`); !strings.Contains(string(m.Result), ".reg .b32 %lane;") {
		t.Errorf("%s %v", m.Result, m.Error)
	}
	if m := c.ask("textDocument/rename", `{"textDocument":{"uri":"file:///tmp/k.ptx"},"position":{"line":6,"character":16},"newName":"%lane"}`); m.Error == nil {
		t.Errorf("%s", m.Result)
	}
	c.notify("workspace/didChangeConfiguration", `{"settings":{"crosslane":{"hints":false}}}`)
	if m := c.ask("textDocument/inlayHint", at); string(m.Result) != "[]" {
		t.Errorf("hints are off: %s", m.Result)
	}
	for params, code := range map[string]int{`{"textDocument":{"uri":"file:///other"}}`: codeInvalidParams, `[]`: codeInvalidParams, `{"position":{"line":"x"}}`: codeInvalidParams} {
		if m := c.ask("textDocument/hover", params); m.Error == nil || m.Error.Code != code {
			t.Errorf("%s: %+v", params, m)
		}
	}
	if m := c.ask("textDocument/nothing", "{}"); m.Error == nil || m.Error.Code != codeMethodNotFound {
		t.Errorf("%+v", m)
	}
	c.notify("textDocument/didClose", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, uri))
	c.next(func(m *message) bool {
		return m.Method == "textDocument/publishDiagnostics" && !strings.Contains(string(m.Params), "version")
	})
	c.leave()
}

// Of a burst of changes only the last one is checked.
func TestBurst(t *testing.T) {
	c := dial(t, Options{})
	c.start()
	c.notify("workspace/didChangeConfiguration", `{"settings":{"crosslane":{"delay":50}}}`)
	c.open(uri, kernel)
	c.published(1)
	for v := 2; v < 40; v++ {
		c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"\n"}]}`, uri, v))
	}
	if p := c.published(39); len(p.Diagnostics) != 1 || p.Diagnostics[0].Range.Start.Line != 8+38 {
		t.Errorf("%+v", p)
	}
	c.leave()
}

func TestCancel(t *testing.T) {
	running := make(chan bool)
	c := dial(t, Options{Command: func(ctx context.Context, _, _, _, _ string, _ []string) (string, error) {
		running <- true
		<-ctx.Done()
		return "", ctx.Err()
	}})
	c.start()
	c.open(uri, kernel)
	c.send(`{"jsonrpc":"2.0","id":"run","method":"workspace/executeCommand","params":{"command":"crosslane.run","arguments":[{"uri":"file:///tmp/k.ptx","kernel":"k"}]}}`)
	<-running
	c.notify("$/cancelRequest", `{"id":"run"}`)
	if m := c.next(func(m *message) bool { return string(m.ID) == `"run"` }); m.Error == nil || m.Error.Code != codeCancelled {
		t.Errorf("%+v", m)
	}
	// A connection that ends takes its requests with it.
	c.send(`{"jsonrpc":"2.0","id":"again","method":"workspace/executeCommand","params":{"command":"crosslane.check","arguments":[{"uri":"file:///tmp/k.ptx","kernel":"k"}]}}`)
	<-running
	c.out.Close()
	if err := <-c.done; !errors.Is(err, errExit) {
		t.Error(err)
	}
}

// A cancellation arrives although as many requests run as may run at a time.
func TestCancelAmongMany(t *testing.T) {
	running := make(chan bool, 2*maxRunning)
	c := dial(t, Options{Command: func(ctx context.Context, _, _, _, _ string, _ []string) (string, error) {
		running <- true
		<-ctx.Done()
		return "", ctx.Err()
	}})
	c.start()
	c.open(uri, kernel)
	for id := range maxRunning + 8 {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"run%d","method":"workspace/executeCommand","params":{"command":"crosslane.run","arguments":[{"uri":"file:///tmp/k.ptx","kernel":"k"}]}}`, id))
	}
	for range maxRunning {
		<-running
	}
	for id := range maxRunning + 8 {
		c.notify("$/cancelRequest", fmt.Sprintf(`{"id":"run%d"}`, id))
	}
	for range maxRunning + 8 {
		if m := c.next(func(m *message) bool { return strings.HasPrefix(string(m.ID), `"run`) }); m.Error == nil || m.Error.Code != codeCancelled {
			t.Errorf("%+v", m)
		}
	}
	c.leave()
}

func TestFraming(t *testing.T) {
	for in, want := range map[string]error{
		"": nil, "Content-Length: 2\r\n\r\n{}": nil, "Content-Length: x\r\n\r\n": errFraming, "Content-Length: -1\r\n\r\n": errFraming, "Nothing\r\n\r\n": errFraming,
		"Content-Length: 99999999999\r\n\r\n": errFraming, "Other: 1\r\n\r\n{}": errFraming, "Content-Length: 5\r\n\r\n{}": io.ErrUnexpectedEOF,
		strings.Repeat("x", 200_000): errFraming, "content-length:2\n\n{}": nil,
	} {
		var out bytes.Buffer
		if err := Serve(t.Context(), strings.NewReader(in), &out, Options{}); !errors.Is(err, want) {
			t.Errorf("%.40q: %v, want %v", in, err, want)
		}
	}
	var out bytes.Buffer
	if err := Serve(t.Context(), strings.NewReader("Content-Length: 3\r\n\r\n{]}"), &out, Options{}); err != nil || !strings.Contains(out.String(), "-32700") {
		t.Errorf("%v %s", err, out.String())
	}
}

// FuzzServe sends messages whose bodies the fuzzer makes.
func FuzzServe(f *testing.F) {
	f.Add(`{"id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///tmp/k.ptx"},"position":{"line":8,"character":10}}}`, `{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///tmp/k.ptx"},"contentChanges":[{"range":{"start":{"line":-1,"character":9},"end":{"line":2,"character":-3}},"text":"x"}]}}`)
	f.Add(`{"id":null,"method":"textDocument/rename","params":null}`, `[{"method":"exit"}]`)
	f.Add(`{"id":[],"method":"textDocument/inlayHint","params":{"textDocument":{"uri":"file:///tmp/k.ptx"},"range":{"end":{"line":99999999999}}}}`, `{"method":"$/cancelRequest","params":{"id":{}}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		open, _ := json.Marshal(didOpenParams{textDocumentItem{uri, "ptx", 1, kernel}})
		var in, out bytes.Buffer
		for _, m := range []string{`{"id":0,"method":"initialize","params":{"capabilities":{}}}`, fmt.Sprintf(`{"method":"textDocument/didOpen","params":%s}`, open), a, b, a, `{"id":9,"method":"shutdown"}`} {
			fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(m), m)
		}
		if err := Serve(t.Context(), &in, &out, Options{}); err != nil && !errors.Is(err, errExit) {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), fmt.Sprint(codeInternal)) {
			t.Fatal(out.String())
		}
	})
}
