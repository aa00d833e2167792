// Package lsp serves the Language Server Protocol for PTX and GCN3 assembly: package language answers, this
// package speaks with the editor.
//
// Notifications take effect in their order. A request is answered from the text as it was when the request came,
// in a goroutine of its own, so that the editor can cancel it. A text is checked when no change has come for a short
// time.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"example.org/crosslane/internal/language"
)

// Options are the services of the host of a server.
type Options struct {
	Version string // of Crosslane
	// Include makes the function that reads files which the file includes; nil: there are none.
	Include func(file string) func(name string) ([]byte, error)
	// Command carries out "run" or "check" of a kernel and returns the text that it prints. text is that
	// of the editor, which may differ from the file's; args are further arguments. nil: there are no
	// commands.
	Command func(ctx context.Context, name, file, text, kernel string, args []string) (string, error)
	// Plan finds instructions for a lane map on a target, as text; nil: the command is not there.
	Plan func(ctx context.Context, goal, target string) (string, error)
}

// defaultDelay is the time after a change until the text is checked.
const defaultDelay = 120 * time.Millisecond

// maxRunning bounds the requests that are answered at a time.
const maxRunning = 64

// A server is one connection with an editor.
type server struct {
	opt  Options
	ctx  context.Context
	out  writer
	svc  *language.Service
	slot chan struct{}
	wg   sync.WaitGroup

	mu          sync.Mutex
	initialized bool
	shut        bool
	set         choices
	docs        map[string]*openDocument
	running     map[string]context.CancelFunc // by the ID of the request
	flat        bool                          // the editor wants symbols as a list
	checking    sync.Mutex                    // one check at a time
}

// choices are the settings in force.
type choices struct {
	pictures, hints, lenses, debug bool
	delay                          time.Duration
	codePage                       string
}

// An openDocument is a text that an editor shows. A change makes another one.
type openDocument struct {
	uri, language string
	version       int
	text          string
	opt           language.Options
	svc           *language.Service

	once   sync.Once
	made   *language.Document
	cancel context.CancelFunc // of the check that is planned or runs; nil: none
}

// document reads the text when it is first needed.
func (d *openDocument) document() *language.Document {
	d.once.Do(func() { d.made = d.svc.Open(fileOf(d.uri), d.text, d.opt) })
	return d.made
}

// errExit is the end of a connection without the request shutdown before it.
var errExit = errors.New("the editor left without the request shutdown")

// Serve speaks with an editor until it leaves or ctx ends. The error is nil after the request shutdown.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{opt: o, ctx: ctx, out: writer{out: out}, svc: language.NewService(), slot: make(chan struct{}, maxRunning),
		docs: map[string]*openDocument{}, running: map[string]context.CancelFunc{},
		set: choices{pictures: true, hints: true, lenses: true, delay: defaultDelay}}
	defer s.wg.Wait()
	defer cancel()
	type input struct {
		body []byte
		err  error
	}
	ch := make(chan input)
	go func() {
		r := bufio.NewReaderSize(in, maxHeader)
		for {
			body, err := read(r)
			select {
			case ch <- input{body, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-ch:
			switch {
			case m.err == io.EOF:
				return s.left()
			case m.err != nil:
				return m.err
			}
			if !s.receive(m.body) {
				return s.left()
			}
			if s.failed() != nil {
				return s.failed()
			}
		}
	}
}

// failed returns the error of writing; nil: there is none.
func (s *server) failed() error {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	return s.out.err
}

// left is the result of Serve when the editor is gone.
func (s *server) left() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || !s.initialized {
		return nil
	}
	return errExit
}

// receive handles one message. It returns false at the notification exit.
func (s *server) receive(body []byte) bool {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		s.out.write(&message{ID: json.RawMessage("null"), Error: failf(codeParse, "the message is no JSON-RPC: %s", err)})
		return true
	}
	switch {
	case m.Method == "exit":
		return false
	case m.Method == "": // an answer to a request of the server, which sends none
		if m.Result == nil && m.Error == nil {
			s.out.write(&message{ID: orNull(m.ID), Error: failf(codeInvalidRequest, "the message has no method")})
		}
	case m.ID == nil:
		s.notification(&m)
	default:
		s.request(&m)
	}
	return true
}

func orNull(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}

// notification handles a notification. Errors have no answer; they are logged.
func (s *server) notification(m *message) {
	var err error
	switch m.Method {
	case "$/cancelRequest":
		var p struct {
			ID json.RawMessage `json:"id"`
		}
		if err = json.Unmarshal(m.Params, &p); err == nil {
			s.mu.Lock()
			if cancel := s.running[string(p.ID)]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		}
	case "textDocument/didOpen":
		var p didOpenParams
		if err = json.Unmarshal(m.Params, &p); err == nil {
			s.open(p.TextDocument.URI, p.TextDocument.LanguageID, p.TextDocument.Version, p.TextDocument.Text)
		}
	case "textDocument/didChange":
		var p didChangeParams
		if err = json.Unmarshal(m.Params, &p); err == nil {
			err = s.change(&p)
		}
	case "textDocument/didClose":
		var p didOpenParams
		if err = json.Unmarshal(m.Params, &p); err == nil {
			s.closed(p.TextDocument.URI)
		}
	case "workspace/didChangeConfiguration":
		var p struct {
			Settings struct {
				Crosslane *settings `json:"crosslane"`
			} `json:"settings"`
		}
		if err = json.Unmarshal(m.Params, &p); err == nil && p.Settings.Crosslane != nil {
			s.configure(p.Settings.Crosslane)
		}
	}
	if err != nil {
		s.log("%s: %s", m.Method, err)
	}
}

// log sends the editor a warning for its log.
func (s *server) log(format string, args ...any) {
	s.out.notify("window/logMessage", map[string]any{"type": 2, "message": fmt.Sprintf(format, args...)})
}

// request answers a request, in a goroutine unless it changes the state.
func (s *server) request(m *message) {
	s.mu.Lock()
	ready, shut := s.initialized, s.shut
	s.mu.Unlock()
	switch {
	case m.Method == "initialize":
		result, err := s.initialize(m.Params)
		s.answer(m.ID, result, err)
		return
	case !ready:
		s.answer(m.ID, nil, failf(codeNotInitialized, "%s came before initialize", m.Method))
		return
	case shut:
		s.answer(m.ID, nil, failf(codeInvalidRequest, "%s came after shutdown", m.Method))
		return
	case m.Method == "shutdown":
		s.mu.Lock()
		s.shut = true
		s.mu.Unlock()
		s.answer(m.ID, nil, nil)
		return
	}
	handle, ok := handlers[m.Method]
	if !ok {
		s.answer(m.ID, nil, failf(codeMethodNotFound, "there is no method %s", m.Method))
		return
	}
	// The text as it is now, before later changes.
	var about struct {
		TextDocument textDocument `json:"textDocument"`
	}
	_ = json.Unmarshal(m.Params, &about) // handle reports params that do not parse
	s.mu.Lock()
	doc := s.docs[about.TextDocument.URI]
	ctx, cancel := context.WithCancel(s.ctx)
	id := string(m.ID)
	s.running[id] = cancel
	s.mu.Unlock()
	s.wg.Go(func() {
		defer func() {
			cancel()
			s.mu.Lock()
			delete(s.running, id)
			s.mu.Unlock()
		}()
		// The wait for a slot is here, so that a cancellation is read although all slots are taken.
		select {
		case s.slot <- struct{}{}:
			defer func() { <-s.slot }()
		case <-ctx.Done():
		}
		result, err := s.guarded(ctx, m, doc, handle)
		if err != nil && ctx.Err() != nil {
			err = failf(codeCancelled, "%s was cancelled", m.Method)
		}
		s.answer(m.ID, result, err)
	})
}

// guarded calls a handler. A mistake in the code costs one answer, not the connection.
func (s *server) guarded(ctx context.Context, m *message, doc *openDocument, handle handler) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log("%s failed: %v\n%s", m.Method, p, debug.Stack())
			err = failf(codeInternal, "%s failed: %v", m.Method, p)
		}
	}()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return handle(ctx, s, doc, m.Params)
}

// answer writes the response to a request. A nil result is null.
func (s *server) answer(id json.RawMessage, result any, err error) {
	if err != nil {
		var e *responseError
		if !errors.As(err, &e) {
			e = failf(codeRequestFailed, "%s", err)
		}
		s.out.write(&message{ID: id, Error: e})
		return
	}
	raw, err := json.Marshal(result)
	if err != nil {
		s.out.write(&message{ID: id, Error: failf(codeInternal, "the answer cannot be written: %s", err)})
		return
	}
	s.out.result(id, raw)
}

// configure puts the settings of an editor into force.
func (s *server) configure(p *settings) {
	if p == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	set := func(to *bool, from *bool) {
		if from != nil {
			*to = *from
		}
	}
	set(&s.set.pictures, p.Pictures)
	set(&s.set.hints, p.Hints)
	set(&s.set.lenses, p.Lenses)
	set(&s.set.debug, p.Debug)
	if p.Delay != nil {
		s.set.delay = time.Duration(min(max(*p.Delay, 0), 60_000)) * time.Millisecond
	}
	if p.CodePage != nil {
		s.set.codePage = *p.CodePage
	}
}

// chosen returns the settings.
func (s *server) chosen() choices {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set
}

// open begins to follow a text, and plans its check.
func (s *server) open(uri, lang string, version int, text string) {
	d := &openDocument{uri: uri, language: lang, version: version, text: text, svc: s.svc, opt: language.Options{Language: lang}}
	if s.opt.Include != nil {
		d.opt.Include = s.opt.Include(fileOf(uri))
	}
	s.mu.Lock()
	old := s.docs[uri]
	s.docs[uri] = d
	delay := s.set.delay
	if old == nil {
		delay = 0
	} else if old.cancel != nil {
		old.cancel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	d.cancel = cancel
	s.mu.Unlock()
	s.wg.Go(func() {
		defer cancel()
		s.checkLater(ctx, d, delay)
	})
}

// change makes the changes of a notification.
func (s *server) change(p *didChangeParams) error {
	uri := p.TextDocument.URI
	s.mu.Lock()
	d := s.docs[uri]
	s.mu.Unlock()
	if d == nil {
		return fmt.Errorf("%s is not open", uri)
	}
	version := d.version + 1
	if p.TextDocument.Version != nil {
		version = *p.TextDocument.Version
		if version <= d.version {
			return fmt.Errorf("version %d of %s is not newer than version %d: the change is not made", version, uri, d.version)
		}
	}
	text := d.text
	for _, c := range p.ContentChanges {
		text = language.Apply(text, c.Range, c.Text)
	}
	if len(text) > maxMessage {
		return fmt.Errorf("%s has %d bytes, more than %d: the change is not made", uri, len(text), maxMessage)
	}
	s.open(uri, d.language, version, text)
	return nil
}

// closed forgets a text and its diagnostics.
func (s *server) closed(uri string) {
	s.mu.Lock()
	d := s.docs[uri]
	delete(s.docs, uri)
	if d != nil && d.cancel != nil {
		d.cancel()
	}
	s.mu.Unlock()
	s.out.notify("textDocument/publishDiagnostics", publishDiagnosticsParams{URI: uri, Diagnostics: []diagnostic{}})
}

// checkLater checks a text after a delay, unless another version comes before, and publishes the findings.
func (s *server) checkLater(ctx context.Context, d *openDocument, delay time.Duration) {
	defer func() {
		if p := recover(); p != nil {
			s.log("the check of %s failed: %v\n%s", d.uri, p, debug.Stack())
		}
	}()
	if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
	s.checking.Lock()
	defer s.checking.Unlock()
	list, err := d.document().Diagnostics(ctx)
	if err != nil {
		return // a newer version will be checked
	}
	set := s.chosen()
	p := publishDiagnosticsParams{URI: d.uri, Version: &d.version, Diagnostics: []diagnostic{}}
	for i := range list {
		p.Diagnostics = append(p.Diagnostics, shown(&list[i], d.uri, set.codePage))
	}
	s.mu.Lock()
	current := s.docs[d.uri] == d
	s.mu.Unlock()
	if current {
		s.out.notify("textDocument/publishDiagnostics", p)
	}
}
