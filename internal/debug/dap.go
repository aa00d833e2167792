package debug

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// The Debug Adapter Protocol over a recording (https://microsoft.github.io/debug-adapter-protocol).
//
// A thread is a warp or wave. Its frames are its fragments, the running one first, each followed by the lines of the
// program that its instruction was compiled from. All threads are at one time, the position of the session.

// An Opener makes the recording that a launch request asks for.
type Opener func(ctx context.Context, l LaunchRequest) (*crosslane.Recording, error)

// LaunchRequest holds the words of a client to begin: the arguments of the request launch.
type LaunchRequest struct {
	// Program is a file of run, a recording, or a trace of exec.
	Program string `json:"program"`
	// Args are the arguments of crosslane run: --kernel, --grid, --arg, …; for a trace --launch N.
	Args []string `json:"args"`
	// Check also records undefined bits and the findings of check; null: true.
	Check *bool `json:"check"`
	// StopOnEntry stops before the first step; null: true.
	StopOnEntry *bool `json:"stopOnEntry"`
}

// adapter is a session with a client.
type adapter struct {
	ctx     context.Context
	out     io.Writer
	codec   *dap.Codec
	seq     int
	open    Opener
	source  func(file string, line int) (string, bool)
	s       *Session
	launch  LaunchRequest
	bySet   map[string][]int // the points of a source, of "data", "function", "instruction" or "exception"
	handles []handle         // of the variables of this stop
	stopped *point           // the point of the last stop
	ended   bool

	messages chan message // of the client
	early    []message    // that came during a search
}

// crosslaneRequest is a request that only Crosslane has.
type crosslaneRequest struct {
	dap.Request
	Arguments struct {
		Step       int    `json:"step"`
		Steps      int    `json:"steps"`
		Lane       int    `json:"lane"`
		Expression string `json:"expression"`
	} `json:"arguments"`
}

type crosslaneResponse struct {
	dap.Response
	Body any `json:"body,omitempty"`
}

// requests that only Crosslane has: the steps from a step on, the state before a step, the provenance of a value, and a move to a
// step.
var ownRequests = []string{"crosslane/timeline", "crosslane/lanes", "crosslane/why", "crosslane/goto"}

// Serve speaks the protocol until the client disconnects or its input ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open Opener, source func(string, int) (string, bool)) error {
	codec, err := newCodec()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &adapter{ctx: ctx, out: out, codec: codec, open: open, source: source, bySet: map[string][]int{}, messages: make(chan message)}
	go a.read(bufio.NewReader(in))
	for !a.ended {
		var m message
		if len(a.early) > 0 {
			m, a.early = a.early[0], a.early[1:]
		} else {
			m = <-a.messages
		}
		switch {
		case errors.Is(m.err, io.EOF):
			return nil
		case m.err != nil:
			return m.err
		case m.unknown != nil:
			if err := a.fail(m.unknown, "unsupported request: %s", m.unknown.Command); err != nil {
				return err
			}
		default:
			if err := a.handle(m.m); err != nil {
				return err
			}
		}
	}
	return nil
}

// A message is one of the client, a request that the protocol does not know, or the end of the input.
type message struct {
	m       dap.Message
	unknown *dap.Request
	err     error
}

// read sends the messages of the client to the adapter, up to the end of the input.
func (a *adapter) read(in *bufio.Reader) {
	for {
		var m message
		content, err := dap.ReadBaseMessage(in)
		if err != nil {
			m.err = err
		} else if m.m, err = a.codec.DecodeMessage(content); err != nil {
			m.unknown = new(dap.Request)
			if json.Unmarshal(content, m.unknown) != nil || m.unknown.Type != "request" {
				continue
			}
		}
		select {
		case a.messages <- m:
		case <-a.ctx.Done():
			return
		}
		if m.err != nil {
			return
		}
	}
}

// cancellable does work that the client may end: by a request to pause or to end the session. Messages that come
// meanwhile are answered after it.
func (a *adapter) cancellable(do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	for {
		select {
		case err := <-done:
			return err
		case m := <-a.messages:
			a.early = append(a.early, m)
			switch m.m.(type) {
			case *dap.PauseRequest, *dap.DisconnectRequest, *dap.TerminateRequest:
				cancel()
			}
			if m.err != nil {
				return <-done // nothing more comes
			}
		}
	}
}

// newCodec knows the messages of the protocol and those of ownRequests.
func newCodec() (*dap.Codec, error) {
	codec := dap.NewCodec()
	for _, name := range ownRequests {
		err := codec.RegisterRequest(name, func() dap.Message { return &crosslaneRequest{} }, func() dap.Message { return &crosslaneResponse{} })
		if err != nil {
			return nil, err
		}
	}
	return codec, nil
}

func (a *adapter) send(m dap.Message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := dap.WriteBaseMessage(&buf, b); err != nil {
		return err
	}
	_, err = a.out.Write(buf.Bytes())
	return err
}

func (a *adapter) ok(r *dap.Request) dap.Response {
	a.seq++
	return dap.Response{ProtocolMessage: dap.ProtocolMessage{Seq: a.seq, Type: "response"}, Command: r.Command, RequestSeq: r.Seq, Success: true}
}

func (a *adapter) event(name string) dap.Event {
	a.seq++
	return dap.Event{ProtocolMessage: dap.ProtocolMessage{Seq: a.seq, Type: "event"}, Event: name}
}

// fail refuses a request.
func (a *adapter) fail(r *dap.Request, format string, args ...any) error {
	e := &dap.ErrorResponse{Response: a.ok(r)}
	e.Success = false
	e.Message = fmt.Sprintf(format, args...)
	e.Body.Error = &dap.ErrorMessage{Id: 1, Format: strings.NewReplacer("{", "(", "}", ")").Replace(e.Message), ShowUser: true}
	return a.send(e)
}

// output shows text in the client's console.
func (a *adapter) output(category, format string, args ...any) error {
	return a.send(&dap.OutputEvent{Event: a.event("output"), Body: dap.OutputEventBody{Category: category, Output: fmt.Sprintf(format, args...) + "\n"}})
}

// stop tells the client that the session stopped.
func (a *adapter) stop(reason, text string, p *point) error {
	a.handles, a.stopped = nil, p
	e := &dap.StoppedEvent{Event: a.event("stopped"), Body: dap.StoppedEventBody{Reason: reason, Text: text, ThreadId: a.s.wave + 1, AllThreadsStopped: true}}
	if reason != "step" {
		e.Body.Description = text
	}
	if p != nil {
		e.Body.HitBreakpointIds = []int{p.id}
	}
	return a.send(e)
}

func (a *adapter) capabilities() dap.Capabilities {
	c := dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsFunctionBreakpoints: true, SupportsConditionalBreakpoints: true,
		SupportsHitConditionalBreakpoints: true, SupportsEvaluateForHovers: true, SupportsStepBack: true, SupportsGotoTargetsRequest: true,
		SupportsExceptionInfoRequest: true, SupportsLogPoints: true, SupportsTerminateRequest: true, SupportsDataBreakpoints: true,
		SupportsReadMemoryRequest: true, SupportsDisassembleRequest: true, SupportsModulesRequest: true, SupportsSteppingGranularity: true, SupportsInstructionBreakpoints: true, SupportsClipboardContext: true,
	}
	for _, f := range []struct {
		name, label string
		on          bool
	}{{"error", "Findings: errors", true}, {"warning", "Findings: warnings", false}, {"note", "Findings: notes", false}} {
		c.ExceptionBreakpointFilters = append(c.ExceptionBreakpointFilters, dap.ExceptionBreakpointsFilter{Filter: f.name, Label: f.label, Default: f.on})
	}
	for _, code := range diag.Codes() {
		if (code.Class == diag.Finding || code.Class == diag.Fault) && !code.Host {
			c.ExceptionBreakpointFilters = append(c.ExceptionBreakpointFilters, dap.ExceptionBreakpointsFilter{Filter: code.Code, Label: code.Code})
		}
	}
	return c
}

// handle answers a request. An error ends the session: the client cannot be reached.
func (a *adapter) handle(m dap.Message) error {
	req, ok := m.(dap.RequestMessage)
	if !ok {
		return nil
	}
	r := req.GetRequest()
	switch m := m.(type) {
	case *dap.InitializeRequest:
		return a.send(&dap.InitializeResponse{Response: a.ok(r), Body: a.capabilities()})
	case *dap.LaunchRequest:
		return a.begin(r, m.Arguments)
	case *dap.DisconnectRequest:
		a.ended = true
		return a.send(&dap.DisconnectResponse{Response: a.ok(r)})
	case *dap.TerminateRequest:
		return errors.Join(a.send(&dap.TerminateResponse{Response: a.ok(r)}), a.send(&dap.TerminatedEvent{Event: a.event("terminated")}))
	}
	if a.s == nil {
		return a.fail(r, "%s: nothing has been launched", r.Command)
	}
	answer, err := a.answer(m, r)
	switch {
	case err != nil:
		return a.fail(r, "%s", err)
	case answer != nil:
		return a.send(answer)
	}
	// The request moves the session: its answer comes before the event.
	return a.travel(m, r)
}

// begin makes the recording.
func (a *adapter) begin(r *dap.Request, args json.RawMessage) error {
	if err := json.Unmarshal(args, &a.launch); err != nil || a.launch.Program == "" {
		return a.fail(r, "launch: the arguments need a program: {\"program\": \"k.ptx\", \"args\": [\"--grid\", \"4\", …]}")
	}
	var rec *crosslane.Recording
	err := a.cancellable(func(ctx context.Context) (err error) {
		rec, err = a.open(ctx, a.launch)
		return err
	})
	if err != nil {
		var list diag.List
		if errors.As(err, &list) && len(list) > 0 {
			err = errors.New(list[0].Error())
		}
		return a.fail(r, "%s", err)
	}
	a.s = New(rec)
	if err := a.send(&dap.LaunchResponse{Response: a.ok(r)}); err != nil {
		return err
	}
	i := &a.s.info
	err = a.output("console", "%s: kernel %s, grid %s, block %s, %s", i.File, i.Kernel, dims(i.Grid), dims(i.Block), plural(i.Steps, "step"))
	if i.Full {
		err = errors.Join(err, a.output("important", "the record is full: steps %d to %d of %d are kept; begin later with --from", i.First, i.First+i.Steps-1, i.Total))
	}
	if i.Output != "" {
		err = errors.Join(err, a.output("stdout", "%s", strings.TrimSuffix(i.Output, "\n")))
	}
	for n := range i.Findings {
		f := &i.Findings[n]
		if f.Finding.Severity == diag.Error {
			err = errors.Join(err, a.output("stderr", "%s [%s]", f.Finding.Message, f.Finding.Code))
		}
	}
	return errors.Join(err, a.send(&dap.InitializedEvent{Event: a.event("initialized")}))
}

// travel answers the requests that move the session.
func (a *adapter) travel(m dap.Message, r *dap.Request) error {
	step := func(answer dap.Message, thread, n int) error {
		if err := a.s.focus(thread - 1); err != nil {
			return a.fail(r, "%s", err)
		}
		if err := a.send(answer); err != nil {
			return err
		}
		if a.s.move(n) == 0 && n > 0 {
			return a.stop("step", "the end", nil)
		}
		return a.stop("step", "", nil)
	}
	search := func(answer dap.Message, do func(context.Context, func(*point, *crosslane.Step)) (stop, error)) error {
		if err := a.send(answer); err != nil {
			return err
		}
		var logged error
		var at stop
		err := a.cancellable(func(ctx context.Context) (err error) {
			at, err = do(ctx, func(p *point, st *crosslane.Step) {
				reply := &Reply{}
				a.s.log(reply, p, st)
				logged = errors.Join(logged, a.output("console", "%s", strings.Join(reply.Lines, "\n")))
			})
			return err
		})
		if errors.Is(err, context.Canceled) && a.ctx.Err() == nil {
			return logged // the answer to the request that ended the search tells of the stop
		}
		if err = errors.Join(err, logged); err != nil {
			return errors.Join(a.output("stderr", "%s", err), a.stop("pause", err.Error(), nil))
		}
		switch {
		case at.point == nil:
			return a.stop("step", at.text, nil)
		case at.point.finding:
			return a.stop("exception", at.text, at.point)
		case at.point.watch != nil:
			return a.stop("data breakpoint", at.text, at.point)
		}
		return a.stop("breakpoint", "", at.point)
	}
	run := func(answer dap.Message, direction int) error {
		return search(answer, func(ctx context.Context, logged func(*point, *crosslane.Step)) (stop, error) {
			return a.s.run(ctx, direction, logged)
		})
	}
	inWave := func(answer dap.Message, thread int, do func(context.Context, func(*point, *crosslane.Step)) (stop, error)) error {
		if err := a.s.focus(thread - 1); err != nil {
			return a.fail(r, "%s", err)
		}
		return search(answer, do)
	}
	switch m := m.(type) {
	case *dap.ConfigurationDoneRequest:
		if a.launch.StopOnEntry == nil || *a.launch.StopOnEntry {
			return errors.Join(a.send(&dap.ConfigurationDoneResponse{Response: a.ok(r)}), a.stop("entry", "", nil))
		}
		return run(&dap.ConfigurationDoneResponse{Response: a.ok(r)}, 1)
	case *dap.NextRequest:
		return inWave(&dap.NextResponse{Response: a.ok(r)}, m.Arguments.ThreadId, a.s.runOver)
	case *dap.StepInRequest:
		return step(&dap.StepInResponse{Response: a.ok(r)}, m.Arguments.ThreadId, 1)
	case *dap.StepOutRequest:
		return inWave(&dap.StepOutResponse{Response: a.ok(r)}, m.Arguments.ThreadId, a.s.runOut)
	case *dap.StepBackRequest:
		return step(&dap.StepBackResponse{Response: a.ok(r)}, m.Arguments.ThreadId, -1)
	case *dap.ContinueRequest:
		return run(&dap.ContinueResponse{Response: a.ok(r), Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, 1)
	case *dap.ReverseContinueRequest:
		return run(&dap.ReverseContinueResponse{Response: a.ok(r)}, -1)
	case *dap.PauseRequest:
		return errors.Join(a.send(&dap.PauseResponse{Response: a.ok(r)}), a.stop("pause", "", nil))
	case *dap.GotoRequest:
		if err := a.s.jump(m.Arguments.TargetId - 1); err != nil {
			return a.fail(r, "%s", err)
		}
		return errors.Join(a.send(&dap.GotoResponse{Response: a.ok(r)}), a.stop("goto", "", nil))
	case *crosslaneRequest: // crosslane/goto
		if err := a.s.jump(m.Arguments.Step); err != nil {
			return a.fail(r, "%s", err)
		}
		return errors.Join(a.send(&crosslaneResponse{Response: a.ok(r)}), a.stop("goto", "", nil))
	}
	return a.fail(r, "unsupported request: %s", r.Command)
}

// answer answers the requests that do not move the session; nil: it is one that does.
func (a *adapter) answer(m dap.Message, r *dap.Request) (dap.Message, error) {
	switch m := m.(type) {
	case *dap.ThreadsRequest:
		t := &dap.ThreadsResponse{Response: a.ok(r)}
		for i := range a.s.info.Waves {
			t.Body.Threads = append(t.Body.Threads, dap.Thread{Id: i + 1, Name: a.s.waveText(i)})
		}
		return t, nil
	case *dap.StackTraceRequest:
		frames, err := a.frames(m.Arguments.ThreadId - 1)
		if err != nil {
			return nil, err
		}
		from := min(max(m.Arguments.StartFrame, 0), len(frames))
		to := len(frames)
		if m.Arguments.Levels > 0 {
			to = min(to, from+m.Arguments.Levels)
		}
		return &dap.StackTraceResponse{Response: a.ok(r), Body: dap.StackTraceResponseBody{StackFrames: frames[from:to], TotalFrames: len(frames)}}, nil
	case *dap.ScopesRequest:
		return &dap.ScopesResponse{Response: a.ok(r), Body: dap.ScopesResponseBody{Scopes: a.scopes((m.Arguments.FrameId - 1) / frameIDs)}}, nil
	case *dap.VariablesRequest:
		list, err := a.variables(m.Arguments.VariablesReference, m.Arguments.Start, m.Arguments.Count, m.Arguments.Filter)
		return &dap.VariablesResponse{Response: a.ok(r), Body: dap.VariablesResponseBody{Variables: list}}, err
	case *dap.EvaluateRequest:
		return a.evaluate(m, r)
	case *dap.SetBreakpointsRequest:
		body := dap.SetBreakpointsResponseBody{Breakpoints: a.setLines(&m.Arguments)}
		return &dap.SetBreakpointsResponse{Response: a.ok(r), Body: body}, nil
	case *dap.SetFunctionBreakpointsRequest:
		a.clear("function")
		out := []dap.Breakpoint{}
		for _, b := range m.Arguments.Breakpoints {
			text := ""
			if b.Name == a.s.info.Kernel && len(a.s.info.Waves) > 0 {
				if st, err := a.s.rec.Step(a.s.info.First); err == nil {
					text = placeText(&st.Location)
				}
			}
			if text == "" {
				out = append(out, dap.Breakpoint{Message: fmt.Sprintf("the kernel of the recording is %s", a.s.info.Kernel)})
				continue
			}
			out = append(out, a.set("function", text, b.Condition, b.HitCondition, ""))
		}
		return &dap.SetFunctionBreakpointsResponse{Response: a.ok(r), Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: out}}, nil
	case *dap.SetInstructionBreakpointsRequest:
		a.clear("instruction")
		out := []dap.Breakpoint{}
		for _, b := range m.Arguments.Breakpoints {
			n, err := strconv.ParseInt(strings.TrimPrefix(b.InstructionReference, "+"), 0, 64)
			if err != nil {
				out = append(out, dap.Breakpoint{Message: "an instruction is named by its offset in the code, as 0x40"})
				continue
			}
			out = append(out, a.set("instruction", fmt.Sprintf("+%#x", n+int64(b.Offset)), b.Condition, b.HitCondition, ""))
		}
		return &dap.SetInstructionBreakpointsResponse{Response: a.ok(r), Body: dap.SetInstructionBreakpointsResponseBody{Breakpoints: out}}, nil
	case *dap.SetDataBreakpointsRequest:
		a.clear("data")
		out := []dap.Breakpoint{}
		for _, b := range m.Arguments.Breakpoints {
			out = append(out, a.set("data", b.DataId, b.Condition, b.HitCondition, ""))
		}
		return &dap.SetDataBreakpointsResponse{Response: a.ok(r), Body: dap.SetDataBreakpointsResponseBody{Breakpoints: out}}, nil
	case *dap.DataBreakpointInfoRequest:
		return a.dataInfo(m, r), nil
	case *dap.SetExceptionBreakpointsRequest:
		a.clear("exception")
		for _, f := range m.Arguments.Filters {
			p := a.s.add(&point{text: "finding " + f, finding: true, code: f})
			if slices.Contains([]string{"error", "warning", "note"}, f) {
				p.code, p.severity = "", f
			}
			a.bySet["exception"] = append(a.bySet["exception"], p.id)
		}
		return &dap.SetExceptionBreakpointsResponse{Response: a.ok(r)}, nil
	case *dap.ExceptionInfoRequest:
		return a.exception(r)
	case *dap.GotoTargetsRequest:
		return a.gotoTargets(m, r)
	case *dap.ReadMemoryRequest:
		return a.readMemory(m, r)
	case *dap.DisassembleRequest:
		return a.disassemble(m, r)
	case *dap.ModulesRequest:
		return a.modules(m, r)
	case *dap.SourceRequest:
		text := a.sourceText(m.Arguments.Source)
		if text == "" {
			return nil, errors.New("the text of that file is not known")
		}
		return &dap.SourceResponse{Response: a.ok(r), Body: dap.SourceResponseBody{Content: text}}, nil
	case *crosslaneRequest:
		return a.own(m, r)
	}
	return nil, nil
}

// own answers the requests that only Crosslane has.
func (a *adapter) own(m *crosslaneRequest, r *dap.Request) (dap.Message, error) {
	args := m.Arguments
	switch r.Command {
	case "crosslane/timeline":
		first, steps := a.s.rec.Bounds()
		from := min(max(args.Step, first), first+steps)
		to := first + steps
		if args.Steps > 0 {
			to = min(to, from+args.Steps)
		}
		d, err := a.s.rec.Data(from, to)
		return &crosslaneResponse{Response: a.ok(r), Body: d}, err
	case "crosslane/lanes":
		st, err := a.s.rec.At(args.Step, a.s.wave)
		return &crosslaneResponse{Response: a.ok(r), Body: st}, err
	case "crosslane/why":
		if args.Expression != "" {
			reply := &Reply{}
			err := a.s.why(a.ctx, reply, args.Expression)
			return &crosslaneResponse{Response: a.ok(r), Body: reply.Why}, err
		}
		p, err := a.s.rec.Why(a.ctx, args.Step, args.Lane)
		return &crosslaneResponse{Response: a.ok(r), Body: p}, err
	}
	return nil, nil
}

// clear removes the points of a set.
func (a *adapter) clear(set string) {
	for _, id := range a.bySet[set] {
		a.s.remove(id)
	}
	delete(a.bySet, set)
}

// set makes a breakpoint, or a watch in the set data.
func (a *adapter) set(set, text, condition, hits, log string) dap.Breakpoint {
	if condition != "" {
		text += " if " + condition
	}
	if hits != "" {
		n, err := strconv.Atoi(strings.TrimSpace(strings.TrimLeft(hits, ">= ")))
		if err != nil || n < 1 {
			return dap.Breakpoint{Message: fmt.Sprintf("%q is no number of hits", hits)}
		}
		text += fmt.Sprintf(" after %d", n-1)
	}
	add := a.s.addBreakpoint
	if set == "data" {
		add = a.s.addWatch
	}
	p, err := add(text)
	if err == nil && log != "" {
		if err = p.setLog(log); err != nil {
			a.s.remove(p.id)
		}
	}
	if err != nil {
		return dap.Breakpoint{Message: err.Error()}
	}
	a.bySet[set] = append(a.bySet[set], p.id)
	b := dap.Breakpoint{Id: p.id, Verified: true, Line: p.line}
	if p.source != "" {
		_, line, _ := cutLine(p.source)
		b.Line = line
	}
	return b
}

// setLog reads a log message: text with expressions in braces.
func (p *point) setLog(message string) error {
	rest := message
	for rest != "" {
		before, after, found := strings.Cut(rest, "{")
		if before != "" {
			p.logText(before)
		}
		if !found {
			return nil
		}
		expr, tail, closed := strings.Cut(after, "}")
		if !closed {
			return errors.New("a } is missing in the log message")
		}
		n, err := parse(expr)
		if err != nil {
			return err
		}
		p.log = append(p.log, n)
		p.between = append(p.between, "")
		rest = tail
	}
	return nil
}

// logText adds text to a log message.
func (p *point) logText(text string) {
	p.log = append(p.log, nil)
	p.between = append(p.between, text)
}

// setLines makes the breakpoints of a source.
func (a *adapter) setLines(args *dap.SetBreakpointsArguments) []dap.Breakpoint {
	set := "source " + args.Source.Path
	a.clear(set)
	prefix := args.Source.Path + ":"
	if a.isKernelFile(args.Source.Path) {
		prefix = ""
	}
	out := []dap.Breakpoint{}
	for _, b := range args.Breakpoints {
		x := a.set(set, prefix+strconv.Itoa(b.Line), b.Condition, b.HitCondition, b.LogMessage)
		x.Source = &args.Source
		out = append(out, x)
	}
	return out
}

// isKernelFile reports that a path is that of the recording's file.
func (a *adapter) isKernelFile(path string) bool {
	return path == a.path(a.s.info.File) || path == a.s.info.File || filepath.Base(path) == filepath.Base(a.s.info.File)
}

// path is the absolute path of a file.
func (a *adapter) path(file string) string {
	if p, err := filepath.Abs(file); err == nil {
		return p
	}
	return file
}

func (a *adapter) exception(r *dap.Request) (dap.Message, error) {
	st, err := a.s.rec.Step(a.s.at)
	if err != nil || len(st.Findings) == 0 {
		return nil, errors.New("there is no finding at this step")
	}
	i := st.Findings[0]
	if p := a.stopped; p != nil && p.finding {
		for _, f := range st.Findings {
			if p.matches(a.s.info.Findings[f].Finding) {
				i = f
				break
			}
		}
	}
	d := a.s.info.Findings[i].Finding
	text := d.Message
	if d.Remedy != "" {
		text += "\n" + d.Remedy
	}
	return &dap.ExceptionInfoResponse{Response: a.ok(r), Body: dap.ExceptionInfoResponseBody{ExceptionId: d.Code, Description: text, BreakMode: "always",
		Details: &dap.ExceptionDetails{Message: d.Message, TypeName: d.Code}}}, nil
}

// gotoTargets lists the next steps of a line.
func (a *adapter) gotoTargets(m *dap.GotoTargetsRequest, r *dap.Request) (dap.Message, error) {
	q := crosslane.StepQuery{Line: m.Arguments.Line, Max: 20}
	if !a.isKernelFile(m.Arguments.Source.Path) {
		q = crosslane.StepQuery{Source: fmt.Sprintf("%s:%d", m.Arguments.Source.Path, m.Arguments.Line), Max: 20}
	}
	list, err := a.s.rec.Find(a.ctx, q)
	if err != nil {
		return nil, err
	}
	t := &dap.GotoTargetsResponse{Response: a.ok(r)}
	t.Body.Targets = []dap.GotoTarget{}
	for _, n := range list {
		st, err := a.s.rec.Step(n)
		if err != nil {
			return nil, err
		}
		t.Body.Targets = append(t.Body.Targets, dap.GotoTarget{Id: n + 1, Label: fmt.Sprintf("step %d, %s, %s", n, a.s.waveText(st.Wave), lanesText(uint64(st.Lanes))), Line: m.Arguments.Line})
	}
	return t, nil
}

// maxRead limits the bytes that a client reads at once.
const maxRead = 1 << 20

func (a *adapter) readMemory(m *dap.ReadMemoryRequest, r *dap.Request) (dap.Message, error) {
	mem := a.s.memory(m.Arguments.MemoryReference)
	at := a.s.rangeOf(m.Arguments.MemoryReference, a.s.wave, 0)
	size := maxRead
	switch {
	case mem != nil:
		size = mem.Size
	case m.Arguments.MemoryReference != "shared":
		return nil, fmt.Errorf("there is no memory %s", m.Arguments.MemoryReference)
	default:
		data, err := a.s.rec.Memory(a.s.at, at)
		if err != nil {
			return nil, err
		}
		size = len(data)
	}
	from := min(max(m.Arguments.Offset, 0), size)
	n := min(max(m.Arguments.Count, 0), size-from, maxRead)
	body := dap.ReadMemoryResponseBody{Address: fmt.Sprintf("%#x", from), UnreadableBytes: m.Arguments.Count - n}
	if n > 0 {
		at.Offset, at.Size = from, n
		data, err := a.s.rec.Memory(a.s.at, at)
		if err != nil {
			return nil, err
		}
		body.Data = base64.StdEncoding.EncodeToString(data)
	}
	return &dap.ReadMemoryResponse{Response: a.ok(r), Body: body}, nil
}

// maxDisassembled limits the instructions that a client asks for at once.
const maxDisassembled = 1 << 16

// disassemble lists instructions of a code object. Before the first one and after the last one there are none: the protocol wants as
// many as were asked for, so these have no text of an instruction.
func (a *adapter) disassemble(m *dap.DisassembleRequest, r *dap.Request) (dap.Message, error) {
	x := &m.Arguments
	if a.s.info.ISA != crosslane.GCN3 {
		return nil, fmt.Errorf("the instructions of %s have no addresses", a.s.info.File)
	}
	at, err := strconv.ParseInt(x.MemoryReference, 0, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is no address: an instruction is named by its offset in the code, as 0x40", x.MemoryReference)
	}
	if x.InstructionCount < 0 || x.InstructionCount > maxDisassembled {
		return nil, fmt.Errorf("%d instructions were asked for; at most %d can be", x.InstructionCount, maxDisassembled)
	}
	code := a.s.rec.Code()
	first, _ := slices.BinarySearchFunc(code, at+int64(x.Offset), func(l crosslane.Location, off int64) int { return cmp.Compare(l.Offset, off) })
	first += x.InstructionOffset
	out := &dap.DisassembleResponse{Response: a.ok(r)}
	out.Body.Instructions = []dap.DisassembledInstruction{}
	for i := first; i < first+x.InstructionCount; i++ {
		if i < 0 || i >= len(code) {
			out.Body.Instructions = append(out.Body.Instructions, dap.DisassembledInstruction{Address: "0x0", Instruction: "(no instruction)"})
			continue
		}
		l := &code[i]
		d := dap.DisassembledInstruction{Address: fmt.Sprintf("%#x", l.Offset), Instruction: l.Text, Symbol: a.s.functionName(l)}
		if l.Line > 0 {
			d.Location, d.Line, d.Column = a.sourceOf(cmp.Or(l.File, a.s.info.File)), l.Line, max(l.Column, 1)
		}
		out.Body.Instructions = append(out.Body.Instructions, d)
	}
	return out, nil
}

// modules lists the files whose instructions the recording has.
func (a *adapter) modules(m *dap.ModulesRequest, r *dap.Request) (dap.Message, error) {
	out := &dap.ModulesResponse{Response: a.ok(r)}
	out.Body.Modules = []dap.Module{}
	files := []string{a.s.info.File}
	for _, l := range a.s.rec.Code() {
		if l.File != "" && !slices.Contains(files, l.File) {
			files = append(files, l.File)
		}
	}
	from, to := paged(len(files), m.Arguments.StartModule, m.Arguments.ModuleCount)
	for i := from; i < to; i++ {
		out.Body.Modules = append(out.Body.Modules, dap.Module{Id: i, Name: filepath.Base(files[i]), Path: a.path(files[i]), Version: string(a.s.info.ISA)})
	}
	out.Body.TotalModules = len(files)
	return out, nil
}

// sourceText is the text of a file that the client cannot read.
func (a *adapter) sourceText(s *dap.Source) string {
	if s == nil || a.source == nil {
		return ""
	}
	var out strings.Builder
	for i := 1; ; i++ {
		line, ok := a.source(s.Path, i)
		if !ok {
			return out.String()
		}
		out.WriteString(line + "\n")
	}
}
