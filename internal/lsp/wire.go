package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxMessage bounds the size of a message, in bytes, and maxHeader that of its headers.
const (
	maxMessage = 256 << 20
	maxHeader  = 64 << 10
)

// A message is one of JSON-RPC 2.0: a request, a notification, or a response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // absent in a notification
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *responseError  `json:"error,omitempty"`
}

// A responseError is the answer to a request that fails.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *responseError) Error() string { return e.Message }

// The codes of errors, of JSON-RPC and of the protocol.
const (
	codeParse           = -32700
	codeInvalidRequest  = -32600
	codeMethodNotFound  = -32601
	codeInvalidParams   = -32602
	codeInternal        = -32603
	codeNotInitialized  = -32002
	codeRequestFailed   = -32803
	codeContentModified = -32801
	codeCancelled       = -32800
)

func failf(code int, format string, args ...any) *responseError {
	return &responseError{code, fmt.Sprintf(format, args...)}
}

// errFraming is an error after which the beginning of the next message is not known.
var errFraming = errors.New("the header of a message cannot be read")

// read reads the body of the next message. The error is io.EOF at the end of the stream.
func read(r *bufio.Reader) ([]byte, error) {
	size, seen := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		seen += len(line)
		switch {
		case err == io.EOF && seen == 0:
			return nil, io.EOF
		case err != nil || seen > maxHeader:
			return nil, fmt.Errorf("%w: %d bytes without an end", errFraming, seen)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if size >= 0 {
				break
			}
			if seen <= 2 { // blank lines between messages
				seen = 0
				continue
			}
			return nil, fmt.Errorf("%w: Content-Length is missing", errFraming)
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("%w: found %.40q, want NAME: VALUE", errFraming, text)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 || n > maxMessage {
				return nil, fmt.Errorf("%w: Content-Length is %.40q, want 0 to %d", errFraming, strings.TrimSpace(value), maxMessage)
			}
			size = n
		}
	}
	// A large buffer grows with the bytes that come, not with the number that the header claims.
	body := make([]byte, 0, min(size, 1<<16))
	for len(body) < size {
		if len(body) == cap(body) {
			body = slices.Grow(body, min(size-len(body), cap(body)))
		}
		n, err := r.Read(body[len(body):min(cap(body), size)])
		body = body[:len(body)+n]
		if err == io.EOF && len(body) < size {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	return body, nil
}

// A writer writes messages, one at a time.
type writer struct {
	mu  sync.Mutex
	out io.Writer
	err error // the first one
}

// write writes a message.
func (w *writer) write(m *message) {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		body, _ = json.Marshal(&message{Version: "2.0", ID: m.ID, Error: failf(codeInternal, "the answer cannot be written: %s", err)})
	}
	w.send(body)
}

// result writes the response to a request. raw is a JSON value; large ones are not read again.
func (w *writer) result(id, raw json.RawMessage) {
	w.send(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), raw, []byte("}")))
}

// send writes the body of a message.
func (w *writer) send(body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
}

// notify writes a notification.
func (w *writer) notify(method string, params any) {
	raw, err := json.Marshal(params)
	if err == nil {
		w.write(&message{Method: method, Params: raw})
	}
}
