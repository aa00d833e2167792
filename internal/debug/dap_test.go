package debug

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"example.org/crosslane"
)

// client speaks the protocol with an adapter.
type client struct {
	t   *testing.T
	out io.Writer
	in  *bufio.Reader
	seq int

	codec *dap.Codec
	// events that came before they were waited for
	events []dap.Message
}

// connect launches a recording.
func connect(t *testing.T, rec *crosslane.Recording, args string) *client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), toServer, fromServer, func(context.Context, LaunchRequest) (*crosslane.Recording, error) { return rec, nil }, nil)
		fromServer.Close()
	}()
	codec, err := newCodec()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, out: fromClient, in: bufio.NewReader(toClient), codec: codec}
	t.Cleanup(func() {
		c.request("disconnect", "{}")
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	init := c.request("initialize", `{"adapterID":"crosslane"}`).(*dap.InitializeResponse)
	if !init.Body.SupportsStepBack || len(init.Body.ExceptionBreakpointFilters) < 20 {
		t.Errorf("%+v", init.Body)
	}
	c.request("launch", args)
	c.event("initialized")
	return c
}

func (c *client) read() dap.Message {
	c.t.Helper()
	b, err := dap.ReadBaseMessage(c.in)
	if err != nil {
		c.t.Fatal(err)
	}
	m, err := c.codec.DecodeMessage(b)
	if err != nil {
		c.t.Fatalf("%s: %v", b, err)
	}
	return m
}

// request sends a request and returns its response; an error is the response, too.
func (c *client) request(command, args string) dap.Message {
	c.t.Helper()
	c.seq++
	go dap.WriteBaseMessage(c.out, fmt.Appendf(nil, `{"seq":%d,"type":"request","command":%q,"arguments":%s}`, c.seq, command, args))
	for {
		m := c.read()
		if r, ok := m.(dap.ResponseMessage); ok {
			if r.GetResponse().RequestSeq != c.seq {
				c.t.Fatalf("%s: a response to request %d", command, r.GetResponse().RequestSeq)
			}
			return m
		}
		c.events = append(c.events, m)
	}
}

func (c *client) event(name string) dap.Message {
	c.t.Helper()
	for {
		for i, e := range c.events {
			if e.(dap.EventMessage).GetEvent().Event == name {
				c.events = append(c.events[:i:i], c.events[i+1:]...)
				return e
			}
		}
		c.events = append(c.events, c.read())
	}
}

// moves sends a request that moves the session, and returns the stop and the top frame.
func (c *client) moves(command, args string) (dap.StoppedEventBody, dap.StackFrame) {
	c.t.Helper()
	c.request(command, args)
	e := c.event("stopped").(*dap.StoppedEvent).Body
	frames := c.request("stackTrace", fmt.Sprintf(`{"threadId":%d}`, e.ThreadId)).(*dap.StackTraceResponse).Body.StackFrames
	return e, frames[0]
}

// registers are the values of the registers of a thread, by name.
func (c *client) registers(frame int) map[string]string {
	c.t.Helper()
	scopes := c.request("scopes", fmt.Sprintf(`{"frameId":%d}`, frame)).(*dap.ScopesResponse).Body.Scopes
	out := map[string]string{}
	for _, v := range c.request("variables", fmt.Sprintf(`{"variablesReference":%d}`, scopes[0].VariablesReference)).(*dap.VariablesResponse).Body.Variables {
		out[v.Name] = v.Value
	}
	return out
}

func TestAdapter(t *testing.T) {
	t.Parallel()
	c := connect(t, partialReduce(t).rec, `{"program":"mistakes.ptx"}`)
	set := c.request("setBreakpoints", `{"source":{"path":"/x/mistakes.ptx"},"breakpoints":[{"line":32},{"line":36},{"line":48,"condition":"lane == 3"},{"line":9999}]}`).(*dap.SetBreakpointsResponse).Body.Breakpoints
	if len(set) != 4 || set[0].Line != 33 || !set[0].Verified || set[1].Line != 36 || set[3].Verified || set[3].Message == "" {
		t.Fatalf("%+v", set)
	}
	c.request("setBreakpoints", `{"source":{"path":"/x/mistakes.ptx"},"breakpoints":[{"line":36},{"line":48,"condition":"lane == 3"}]}`)
	if e, f := c.moves("configurationDone", "{}"); e.Reason != "entry" || f.Line != 22 {
		t.Errorf("entry: %+v %+v", e, f)
	}
	e, f := c.moves("continue", `{"threadId":1}`)
	if e.Reason != "breakpoint" || f.Line != 36 || !strings.HasPrefix(f.Name, "lanes 0-19:") {
		t.Errorf("breakpoint: %+v %+v", e, f)
	}
	if _, have := c.registers(f.Id)["%r6"]; have {
		t.Error("%r6 has a value before line 36")
	}
	_, f = c.moves("next", `{"threadId":1,"granularity":"instruction"}`)
	if r := c.registers(f.Id); f.Line != 37 || r["%r6"] != "3..6 5? 6? 7? 1? 2? 3? 4? 5? 6? 7? 1? 2? 3..6 · ×12" && !strings.HasPrefix(r["%r6"], "3..6 5? 6? 7? 1? 2? 3? 4? 5? 6? 7? 1? 2? 3..6 ") {
		t.Errorf("line %d, %%r6 = %s", f.Line, r["%r6"])
	}
	_, f = c.moves("stepBack", `{"threadId":1}`)
	if _, have := c.registers(f.Id)["%r6"]; have || f.Line != 36 {
		t.Error("%r6 has a value after going back")
	}
	for expr, want := range map[string]string{"%r5[4]": "5", "sum(%r5)": "77", "%r5": "1..7 1..7 1..6", "why %r5[3]": "ld.global", "in[2]": "3"} {
		r, ok := c.request("evaluate", fmt.Sprintf(`{"expression":%q,"context":"watch"}`, expr)).(*dap.EvaluateResponse)
		if !ok || !strings.Contains(r.Body.Result, want) {
			t.Errorf("%s: %+v, want %s", expr, r, want)
		}
	}
	// The condition of line 48 never holds: only lane 0 is there.
	if e, _ := c.moves("continue", `{"threadId":1}`); e.Reason != "step" || e.Text != "the end" {
		t.Errorf("%+v", e)
	}
	for _, back := range []string{"reverseContinue", "continue"} {
		c.request("setBreakpoints", `{"source":{"path":"/x/mistakes.ptx"},"breakpoints":[]}`)
		c.request("setDataBreakpoints", `{"breakpoints":[{"dataId":"%r13[0]"}]}`)
		if back == "continue" {
			c.moves("crosslane/goto", `{"step":0}`)
		}
		if e, f := c.moves(back, `{"threadId":1}`); e.Reason != "data breakpoint" || f.Line != 43 {
			t.Errorf("%s: %+v, line %d", back, e, f.Line)
		}
	}
	c.request("setDataBreakpoints", `{"breakpoints":[]}`)
	c.request("setExceptionBreakpoints", `{"filters":["undefined-source"]}`)
	c.moves("crosslane/goto", `{"step":0}`)
	if e, f := c.moves("continue", `{"threadId":1}`); e.Reason != "exception" || f.Line != 36 {
		t.Errorf("%+v, line %d", e, f.Line)
	}
	if x := c.request("exceptionInfo", `{"threadId":1}`).(*dap.ExceptionInfoResponse); x.Body.ExceptionId != "undefined-source" {
		t.Errorf("%+v", x.Body)
	}
	// Memory at the end: out[0] is what lane 0 stored.
	c.moves("crosslane/goto", fmt.Sprintf(`{"step":%d}`, partialReduce(t).end))
	m := c.request("readMemory", `{"memoryReference":"in","offset":4,"count":8}`).(*dap.ReadMemoryResponse)
	b, err := base64.StdEncoding.DecodeString(m.Body.Data)
	if err != nil || len(b) != 8 || binary.LittleEndian.Uint32(b) != 2 || binary.LittleEndian.Uint32(b[4:]) != 3 {
		t.Errorf("%x, %v", b, err)
	}
	for _, bad := range []string{`"evaluate","arguments":{"expression":"%r99"}`, `"goto","arguments":{"targetId":-4,"threadId":1}`, `"variables","arguments":{"variablesReference":77}`, `"stackTrace","arguments":{"threadId":9}`, `"nonsense","arguments":{}`} {
		c.seq++
		go dap.WriteBaseMessage(c.out, fmt.Appendf(nil, `{"seq":%d,"type":"request","command":%s}`, c.seq, bad))
		if m := c.read(); m.(dap.ResponseMessage).GetResponse().Success {
			t.Errorf("%s: %+v", bad, m)
		}
	}
}

// TestAdapterBackAndForth: n steps and n back show the same frames and registers, from random steps.
func TestAdapterBackAndForth(t *testing.T) {
	t.Parallel()
	s := partialReduce(t)
	c := connect(t, s.rec, `{"program":"mistakes.ptx"}`)
	c.moves("configurationDone", "{}")
	r := rand.New(rand.NewPCG(9, 1))
	show := func(f dap.StackFrame) string {
		b, _ := json.Marshal(c.registers(f.Id))
		return fmt.Sprint(f.Line, f.Name, string(b))
	}
	for range 8 {
		_, f := c.moves("crosslane/goto", fmt.Sprintf(`{"step":%d}`, r.IntN(s.end-8)))
		before := show(f)
		n := 1 + r.IntN(6)
		for range n {
			c.moves("next", `{"threadId":1}`)
		}
		for range n {
			_, f = c.moves("stepBack", `{"threadId":1}`)
		}
		if after := show(f); after != before {
			t.Fatalf("%d steps and back:\n%s\n%s", n, before, after)
		}
	}
}

// FuzzServe: no input of a client ends in a panic.
func FuzzServe(f *testing.F) {
	add := func(list ...string) {
		var b bytes.Buffer
		for _, m := range list {
			_ = dap.WriteBaseMessage(&b, []byte(m))
		}
		f.Add(b.Bytes())
	}
	add(`{"seq":1,"type":"request","command":"initialize","arguments":{}}`, `{"seq":2,"type":"request","command":"launch","arguments":{"program":"x"}}`, `{"seq":3,"type":"request","command":"evaluate","arguments":{"expression":"%r6[0..7]","frameId":1}}`)
	add(`{"seq":2,"type":"request","command":"launch","arguments":{"program":"x"}}`, `{"seq":3,"type":"request","command":"scopes","arguments":{"frameId":-7}}`, `{"seq":4,"type":"request","command":"variables","arguments":{"variablesReference":1,"start":-1,"count":-9}}`)
	add(`{"seq":2,"type":"request","command":"launch","arguments":{"program":"x"}}`, `{"seq":3,"type":"request","command":"crosslane/timeline","arguments":{"step":-1}}`, `{"seq":4,"type":"request","command":"readMemory","arguments":{"memoryReference":"in","offset":-1,"count":9}}`)
	add(`{"seq":2,"type":"request","command":"launch","arguments":{"program":"x"}}`, `{"seq":3,"type":"request","command":"setBreakpoints","arguments":{"source":{},"breakpoints":[{"line":-1,"logMessage":"a {%r1} {"}]}}`, `{"seq":4,"type":"request","command":"continue","arguments":{"threadId":0}}`)
	src := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, %laneid;\nadd.u32 %r2, %r1, 7;\nret;\n}\n"
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		f.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		f.Fatal(err)
	}
	rec, err := k.Record(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}}, crosslane.RecordOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(_ *testing.T, in []byte) {
		_ = Serve(context.Background(), bytes.NewReader(in), io.Discard, func(context.Context, LaunchRequest) (*crosslane.Recording, error) { return rec, nil }, nil)
	})
}
