package driver

import (
	"encoding/binary"
	"errors"
	"io"

	"example.org/crosslane/internal/device"
)

// The messages between a client, which is a process with the driver library, and the server.
//
// A request is a head of 8 bytes and a body: the length of the body (u32), the number of the call (u16) and flags
// (u16). A reply is the length of the body (u32), the status (i32) and a body. Numbers are little-endian; bytes and
// texts have their length (u32) before them. Requests without flagReply get no reply: their errors come with a
// later reply, before its call is carried out. Other replies come when the call has been carried out, but that of a launch
// comes before the kernel runs. With flagWait the host also waits for the stream that the body names first; with flagFirst it
// waits before the call.
const (
	headBytes = 8
	flagReply = 1
	flagWait  = 2
	flagFirst = 4

	// maxBody bounds the body of a request: a module is the largest one.
	maxBody = 80 << 20
)

// A reader takes the fields of a body. After a field that is not there, bad is set and all further fields are zero.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// peek returns the number at the start of the fields that are left, without taking it; 0 if there is none.
func (r *reader) peek() uint64 {
	if len(r.b) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(r.b)
}

// bytes returns bytes with their length before them. They are valid until the next request is read.
func (r *reader) bytes() []byte { return r.take(uint64(r.u32())) }

func (r *reader) text() string { return string(r.bytes()) }

// A writer makes the body of a reply.
type writer struct{ b []byte }

func (w *writer) u32(v uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, v) }
func (w *writer) u64(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }

func (w *writer) bytes(v []byte) {
	w.u32(uint32(len(v)))
	w.b = append(w.b, v...)
}

func (w *writer) text(v string) {
	w.u32(uint32(len(v)))
	w.b = append(w.b, v...)
}

// request is one message of a client.
type request struct {
	call  uint16
	flags uint16
	body  reader
	// number counts the requests of a client from 1 on, CallCallers included.
	number uint64

	// Of a request that was read while a kernel ran: it has got its reply; the calls of the host that lead to it.
	answered bool
	callers  device.Callers
}

var errTooLarge = errors.New("a request is larger than any call needs")

// readRequest reads a message. It reuses buf.
func readRequest(from io.Reader, buf *[]byte) (q request, err error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return q, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxBody {
		return q, errTooLarge
	}
	if uint32(cap(*buf)) < n {
		// The length is not believed before the bytes are there.
		*buf = (*buf)[:0]
		for uint32(len(*buf)) < n {
			more := min(int(n)-len(*buf), max(64<<10, len(*buf)))
			at := len(*buf)
			*buf = append(*buf, make([]byte, more)...)
			if _, err := io.ReadFull(from, (*buf)[at:]); err != nil {
				return q, err
			}
		}
	} else if _, err := io.ReadFull(from, (*buf)[:n]); err != nil {
		return q, err
	}
	return request{call: binary.LittleEndian.Uint16(head[4:]), flags: binary.LittleEndian.Uint16(head[6:]), body: reader{b: (*buf)[:n]}}, nil
}

// reply puts a head before the body of a reply.
func (w *writer) reply(status Status) []byte {
	binary.LittleEndian.PutUint32(w.b, uint32(len(w.b)-headBytes))
	binary.LittleEndian.PutUint32(w.b[4:], uint32(status))
	return w.b
}

// start makes room for the head.
func (w *writer) start() { w.b = append(w.b[:0], make([]byte, headBytes)...) }
