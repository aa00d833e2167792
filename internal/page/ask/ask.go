// Package ask reads the requests of the page in the browser, and answers those that need no run: explain.
//
// A request is {"id": 7, "op": "explain", "params": {…}}; its reply is {"id": 7, "ok": true, "data": …, "ms": 3.1}, or
// {"id": 7, "ok": false, "error": {"message": …, "findings": […]}, "ms": 3.1}. The request {"op": "cancel", "params": {"id": 7}}
// ends request 7.
package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
)

// MaxRequest is the greatest size of a request, in bytes.
const MaxRequest = 48 << 20

// An Op answers a request. params is a JSON object; the answer is what JSON holds of the value.
type Op func(ctx context.Context, params []byte) (any, error)

// A Desk knows the operations, and the requests that are being answered. Its methods are for any number of goroutines.
type Desk struct {
	ops map[string]Op

	mu      sync.Mutex
	pending map[string]context.CancelCauseFunc
}

// NewDesk makes a desk with the operations of this package.
func NewDesk() *Desk {
	return &Desk{ops: map[string]Op{"explain": Explain}, pending: map[string]context.CancelCauseFunc{}}
}

// Add adds an operation.
func (d *Desk) Add(name string, op Op) { d.ops[name] = op }

// Ops are the names of the operations, sorted.
func (d *Desk) Ops() []string {
	names := make([]string, 0, len(d.ops))
	for n := range d.ops {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// request is a request.
type request struct {
	ID     json.RawMessage `json:"id"`
	Op     string          `json:"op"`
	Params json.RawMessage `json:"params"`
}

// reply is the reply to a request.
type reply struct {
	ID    json.RawMessage `json:"id,omitempty"`
	OK    bool            `json:"ok"`
	Data  any             `json:"data,omitempty"`
	Error *failure        `json:"error,omitempty"`
	MS    float64         `json:"ms"`
}

// failure is why there is no answer.
type failure struct {
	Message  string    `json:"message"`
	Findings diag.List `json:"findings"`
}

// errStopped is why a request ended that a cancel names.
var errStopped = errors.New("stopped")

// Answer answers a request: both are JSON. The request {"op": "cancel"} ends another one.
func (d *Desk) Answer(ctx context.Context, text []byte) []byte {
	var q request
	if len(text) > MaxRequest {
		return d.reply(nil, nil, usage("the request has %s; %s is the limit", input.BytesText(uint64(len(text))), input.BytesText(MaxRequest)), 0)
	}
	if err := json.Unmarshal(text, &q); err != nil {
		return d.reply(nil, nil, usage("the request is no JSON object of id, op and params: %s", reason(err)), 0)
	}
	if !isID(q.ID) {
		return d.reply(nil, nil, usage("the id of a request is a number or a text of at most 64 bytes"), 0)
	}
	id := string(q.ID)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if id != "" {
		d.mu.Lock()
		taken := d.pending[id] != nil
		if !taken {
			d.pending[id] = cancel
		}
		d.mu.Unlock()
		if taken {
			return d.reply(q.ID, nil, usage("request %s is being answered already", input.Quoted(id)), 0)
		}
		defer func() {
			d.mu.Lock()
			delete(d.pending, id)
			d.mu.Unlock()
		}()
	}
	start := time.Now()
	data, err := d.Do(ctx, q.Op, q.Params)
	return d.reply(q.ID, data, err, time.Since(start))
}

// isID reports whether a text can be the id of a request: a short number or string, or none.
func isID(id json.RawMessage) bool {
	return len(id) == 0 || len(id) <= 64 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// AnswerOp answers one operation as Answer does. params is JSON; without any it is empty.
func (d *Desk) AnswerOp(ctx context.Context, op string, params []byte) []byte {
	start := time.Now()
	data, err := d.Do(ctx, op, params)
	return d.reply(nil, data, err, time.Since(start))
}

// Do does one operation.
func (d *Desk) Do(ctx context.Context, op string, params []byte) (data any, err error) {
	if op == "cancel" {
		return nil, d.cancel(params)
	}
	do := d.ops[op]
	if do == nil {
		return nil, usage("there is no operation %s (there are: %s)", input.Quoted(op), strings.Join(d.Ops(), ", "))
	}
	if len(bytes.TrimSpace(params)) == 0 {
		params = []byte("{}")
	}
	return do(ctx, params)
}

// cancel ends another request.
func (d *Desk) cancel(params []byte) error {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := Params(params, &p); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if stop := d.pending[string(p.ID)]; stop != nil {
		stop(errStopped)
	}
	return nil // it may just have ended
}

// reply writes a reply.
func (d *Desk) reply(id json.RawMessage, data any, err error, took time.Duration) []byte {
	out := reply{ID: id, OK: err == nil, Data: data, MS: float64(took.Microseconds()) / 1000}
	if err != nil {
		out.Data, out.Error = nil, failed(err)
	}
	text, jerr := encode(out)
	if jerr != nil {
		text, _ = encode(reply{ID: id, Error: failed(usage("the answer cannot be written: %s", jerr)), MS: out.MS})
	}
	return text
}

func failed(err error) *failure {
	if errors.Is(err, context.Canceled) {
		return &failure{Message: "stopped", Findings: diag.List{}}
	}
	list := diag.Of(err)
	f := &failure{Findings: list}
	for i, d := range list {
		if i > 0 {
			f.Message += "\n"
		}
		f.Message += d.Message
	}
	return f
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Params reads the parameters of an operation. Unknown members are errors.
func Params(text []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		return usage("params: %s", reason(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return usage("params: there is more than one value")
	}
	return nil
}

// reason is the text of an error of package json without the names of Go.
func reason(err error) string {
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typ):
		at := typ.Field
		if at == "" {
			at = "it"
		}
		return fmt.Sprintf("%s is a JSON %s, which does not fit", at, typ.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON ends too early"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

func usage(format string, args ...any) error {
	return diag.Errorf(diag.Pos{}, diag.Input, "usage", format, args...)
}
