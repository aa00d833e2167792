// Package trace keeps launches of host programs in a file, each with the memory that it found, so that each can be made
// again alone.
//
// Input: launches of a device, in their order, from one process or several.
// Output: a file of records; from a file, the list of its launches, and each launch whole.
// Invariant: equal pieces of memory are in the file once. A file whose end is missing has all launches before it.
// Example: Writer.Add for each launch; then Open, List, Launch(3).
//
// The file begins with a line that names the form. Each record has a kind (1 byte), the length of its payload (8 bytes,
// little-endian) and the payload, which is compressed by zstd: a piece of memory, the image of a module, or a launch in
// JSON that names pieces and images by their number among the records of their kind.
package trace

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/pages"
)

// header is the first line of a file.
const header = "crosslane trace 1\n"

// Is reports whether a file that begins with these bytes is a trace.
func Is(start []byte) bool { return bytes.HasPrefix(start, []byte(header)) }

// The kinds of records.
const (
	kindPiece  = 'p'
	kindImage  = 'i'
	kindLaunch = 'l'
)

// pieceBytes is the size of a piece of memory; the last one of an allocation is shorter.
const pieceBytes = 64 << 10

// zeros is the number of a piece that is all zero. ones is that of one with all bits set. Neither is in the file.
const zeros, ones = -1, -2

// maxRecord bounds the payload of a record when it is unpacked: an image is the largest.
const maxRecord = 80 << 20

// A Process names the process that made a launch.
type Process struct {
	PID     int    `json:"pid"`
	Program string `json:"program"`
}

// launch is a record of a launch.
type launch struct {
	Process
	Target    string        `json:"target"`
	Checked   bool          `json:"checked"`
	Image     int           `json:"image"`
	Name      string        `json:"name"`
	Kernel    string        `json:"kernel"`
	Grid      [3]uint32     `json:"grid"`
	Block     [3]uint32     `json:"block"`
	Cluster   *[3]uint32    `json:"cluster,omitempty"`
	Shared    uint32        `json:"shared,omitempty"`
	Together  bool          `json:"cooperative,omitempty"`
	Params    []byte        `json:"params"`
	Variables []uint64      `json:"variables,omitempty"`
	Heap      uint64        `json:"heap,omitempty"`
	HeapState *heapRecord   `json:"heap_state,omitempty"`
	Memory    []allocRecord `json:"memory"`
}

// allocRecord is an allocation of a launch.
type allocRecord struct {
	Name      string `json:"name"`
	Base      uint64 `json:"base"`
	Size      uint64 `json:"size"`
	Pieces    []int  `json:"pieces"`
	Undefined []int  `json:"undefined,omitempty"` // pieces of the undefined bits; none: all are defined
	Managed   bool   `json:"managed,omitempty"`
	ReadOnly  bool   `json:"read_only,omitempty"`
}

// heapRecord is what kernels have allocated with malloc.
type heapRecord struct {
	device.HeapState
	Memory []allocRecord `json:"memory"`
}

// A Writer writes a file. It may be used by several goroutines.
type Writer struct {
	mu     sync.Mutex
	f      *os.File
	out    *bufio.Writer
	pack   *zstd.Encoder
	known  map[byte]map[[32]byte]int // numbers of records by their contents
	err    error                     // the first failure: nothing is written after it
	bytes  int64
	limit  int64
	closed bool
}

// Create makes a file of at most limit bytes; 0: no limit. It does not replace a file, unless force is set.
func Create(name string, force bool, limit int64) (*Writer, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		return nil, err
	}
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		f.Close()
		return nil, err
	}
	w := &Writer{f: f, out: bufio.NewWriterSize(f, 1<<20), pack: pack, limit: limit, known: map[byte]map[[32]byte]int{kindPiece: {}, kindImage: {}}}
	_, err = w.out.WriteString(header)
	return w, err
}

// record writes a record.
func (w *Writer) record(kind byte, payload []byte) error {
	packed := w.pack.EncodeAll(payload, nil)
	if w.bytes += int64(len(packed)) + 9; w.limit > 0 && w.bytes > w.limit {
		return fmt.Errorf("the trace is larger than %d bytes", w.limit)
	}
	head := append([]byte{kind}, binary.LittleEndian.AppendUint64(nil, uint64(len(packed)))...)
	if _, err := w.out.Write(head); err != nil {
		return err
	}
	_, err := w.out.Write(packed)
	return err
}

// once writes a record unless the file has it, and returns its number.
func (w *Writer) once(kind byte, payload []byte) (int, error) {
	sum := sha256.Sum256(payload)
	if n, ok := w.known[kind][sum]; ok {
		return n, nil
	}
	n := len(w.known[kind])
	w.known[kind][sum] = n
	return n, w.record(kind, payload)
}

var (
	zeroPiece [pieceBytes]byte
	onePiece  = bytes.Repeat([]byte{0xff}, pieceBytes)
)

// pieces writes memory and returns the numbers of its pieces.
func (w *Writer) pieces(data []byte) (list []int, err error) {
	for len(data) > 0 {
		p := data[:min(len(data), pieceBytes)]
		data = data[len(p):]
		n := zeros
		switch {
		case bytes.Equal(p, zeroPiece[:len(p)]):
		case bytes.Equal(p, onePiece[:len(p)]):
			n = ones
		default:
			if n, err = w.once(kindPiece, p); err != nil {
				return nil, err
			}
		}
		list = append(list, n)
	}
	return list, nil
}

// Add adds a launch. After an error it adds nothing more, and returns the error again.
func (w *Writer) Add(p Process, target string, checked bool, r *device.Recorded) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.closed {
		w.err = errors.New("the trace is closed")
	}
	if w.err == nil {
		w.err = w.add(p, target, checked, r)
	}
	return w.err
}

func (w *Writer) add(p Process, target string, checked bool, r *device.Recorded) (err error) {
	l := launch{Process: p, Target: target, Checked: checked, Name: r.Name, Kernel: r.Kernel, Grid: dims(r.Launch.Grid), Block: dims(r.Launch.Block),
		Shared: r.Launch.Shared, Together: r.Launch.Cooperative, Params: r.Launch.Params, Variables: r.Variables, Heap: r.HeapBytes, Memory: []allocRecord{}}
	if c := r.Launch.Cluster; c != (api.Dim3{}) {
		d := dims(c)
		l.Cluster = &d
	}
	if l.Image, err = w.once(kindImage, r.Image); err != nil {
		return err
	}
	for i := range r.Memory {
		a, err := w.alloc(&r.Memory[i])
		if err != nil {
			return err
		}
		l.Memory = append(l.Memory, a)
	}
	if r.Heap != nil {
		l.HeapState = &heapRecord{HeapState: r.Heap.HeapState}
		for i := range r.Heap.Memory {
			a, err := w.alloc(&r.Heap.Memory[i])
			if err != nil {
				return err
			}
			l.HeapState.Memory = append(l.HeapState.Memory, a)
		}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := w.record(kindLaunch, text); err != nil {
		return err
	}
	return w.out.Flush() // the program may be killed
}

// alloc writes an allocation.
func (w *Writer) alloc(m *device.RecordedAlloc) (a allocRecord, err error) {
	a = allocRecord{Name: m.Name, Base: m.Base, Size: uint64(len(m.Data)), Managed: m.Managed, ReadOnly: m.ReadOnly}
	if a.Pieces, err = w.pieces(m.Data); err != nil {
		return a, err
	}
	switch {
	case m.AllUndefined:
		a.Undefined = make([]int, len(a.Pieces))
		for i := range a.Undefined {
			a.Undefined[i] = ones
		}
	case m.Undefined != nil:
		if a.Undefined, err = w.pieces(m.Undefined); err != nil {
			return a, err
		}
	}
	return a, nil
}

func dims(d api.Dim3) [3]uint32 { return [3]uint32{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)} }

// Close ends the file. The error is the first one of writing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	err := errors.Join(w.err, w.out.Flush(), w.f.Close())
	return err
}

// A Reader reads a file.
type Reader struct {
	f       *os.File
	unpack  *zstd.Decoder
	records map[byte][]extent
	list    []Entry
	missing bool
}

// extent is the payload of a record in the file.
type extent struct{ at, n int64 }

// An Entry is a launch in the list of a file.
type Entry struct {
	Process
	Target      string
	Checked     bool
	Kernel      string
	Grid, Block [3]uint32
	Shared      uint32
	Memory      uint64 // bytes
}

// Open reads the list of launches of a file.
func Open(name string) (*Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecoderConcurrency(1))
	if err == nil {
		r := &Reader{f: f, unpack: unpack, records: map[byte][]extent{}}
		if err = r.index(); err == nil {
			return r, nil
		}
	}
	f.Close()
	return nil, err
}

// Close closes the file.
func (r *Reader) Close() error { return r.f.Close() }

// index finds the records.
func (r *Reader) index() error {
	st, err := r.f.Stat()
	if err != nil {
		return err
	}
	first := make([]byte, len(header))
	if _, err := io.ReadFull(r.f, first); err != nil || string(first) != header {
		return fmt.Errorf("the file is no trace of this version: it does not begin with %q", header[:len(header)-1])
	}
	at := int64(len(header))
	var head [9]byte
	for at < st.Size() {
		if _, err := r.f.ReadAt(head[:], at); err != nil {
			r.missing = true // the end of a record that was being written
			return nil
		}
		n := int64(binary.LittleEndian.Uint64(head[1:]))
		if n < 0 || n > maxRecord {
			return fmt.Errorf("the record at byte %d has %d bytes; at most %d are allowed", at, uint64(n), maxRecord)
		}
		if at+9+n > st.Size() {
			r.missing = true
			return nil
		}
		s := extent{at + 9, n}
		switch head[0] {
		case kindPiece, kindImage:
		case kindLaunch:
			l, err := r.launch(s)
			if err != nil {
				return fmt.Errorf("the launch at byte %d: %w", at, err)
			}
			e := Entry{l.Process, l.Target, l.Checked, l.Kernel, l.Grid, l.Block, l.Shared, 0}
			for _, m := range l.Memory {
				e.Memory += m.Size
			}
			r.list = append(r.list, e)
		default:
			return fmt.Errorf("the record at byte %d has the kind %q, which is not known", at, head[0])
		}
		r.records[head[0]] = append(r.records[head[0]], s)
		at += 9 + n
	}
	return nil
}

// List returns the launches. missing reports that the end of the file is missing.
func (r *Reader) List() (list []Entry, missing bool) { return r.list, r.missing }

// payload reads and unpacks a record.
func (r *Reader) payload(s extent) ([]byte, error) {
	packed := make([]byte, s.n)
	if _, err := r.f.ReadAt(packed, s.at); err != nil {
		return nil, err
	}
	return r.unpack.DecodeAll(packed, nil)
}

func (r *Reader) launch(s extent) (l launch, err error) {
	text, err := r.payload(s)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(text, &l)
}

// maxMemory bounds the memory of one launch.
const maxMemory = 64 << 30

// Launch reads launch n, from 0 on.
func (r *Reader) Launch(n int) (*device.Recorded, error) {
	l, err := r.launch(r.records[kindLaunch][n])
	if err != nil {
		return nil, err
	}
	if l.Image < 0 || l.Image >= len(r.records[kindImage]) {
		return nil, fmt.Errorf("there is no image %d", l.Image)
	}
	image, err := r.payload(r.records[kindImage][l.Image])
	if err != nil {
		return nil, err
	}
	dim := func(d [3]uint32) api.Dim3 { return api.Dim3{X: d[0], Y: d[1], Z: d[2]} }
	out := &device.Recorded{Image: image, Name: l.Name, Kernel: l.Kernel, Variables: l.Variables, HeapBytes: l.Heap,
		Launch: api.DeviceLaunch{Grid: dim(l.Grid), Block: dim(l.Block), Shared: l.Shared, Cooperative: l.Together, Params: l.Params}}
	if l.Cluster != nil {
		out.Launch.Cluster = dim(*l.Cluster)
	}
	if out.Launch.Params == nil {
		out.Launch.Params = []byte{}
	}
	total := uint64(0)
	if out.Memory, err = r.allocs(l.Memory, &total); err == nil && l.HeapState != nil {
		out.Heap = &device.RecordedHeap{HeapState: l.HeapState.HeapState}
		out.Heap.Memory, err = r.allocs(l.HeapState.Memory, &total)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// allocs reads allocations. total counts their bytes.
func (r *Reader) allocs(list []allocRecord, total *uint64) (out []device.RecordedAlloc, err error) {
	for _, m := range list {
		pieces := (m.Size + pieceBytes - 1) / pieceBytes
		if *total += m.Size; m.Size > maxMemory || *total > maxMemory || uint64(len(m.Pieces)) != pieces || len(m.Undefined) > 0 && uint64(len(m.Undefined)) != pieces {
			return nil, fmt.Errorf("%q has %d bytes in %d pieces", m.Name, m.Size, len(m.Pieces))
		}
		if !pages.Available(m.Size) {
			return nil, fmt.Errorf("%q has %d bytes, which is more than this machine has", m.Name, m.Size)
		}
		a := device.RecordedAlloc{Name: m.Name, Base: m.Base, Managed: m.Managed, ReadOnly: m.ReadOnly}
		if a.Data, err = r.memory(m.Size, m.Pieces); err != nil {
			return nil, fmt.Errorf("%q: %w", m.Name, err)
		}
		if len(m.Undefined) > 0 {
			if a.Undefined, err = r.memory(m.Size, m.Undefined); err != nil {
				return nil, fmt.Errorf("%q: %w", m.Name, err)
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// memory joins pieces.
func (r *Reader) memory(size uint64, pieces []int) ([]byte, error) {
	data := make([]byte, size)
	for i, n := range pieces {
		to := data[i*pieceBytes:]
		to = to[:min(len(to), pieceBytes)]
		switch {
		case n == zeros:
		case n == ones:
			copy(to, onePiece)
		case n < 0 || n >= len(r.records[kindPiece]):
			return nil, fmt.Errorf("there is no piece %d", n)
		default:
			p, err := r.payload(r.records[kindPiece][n])
			if err != nil {
				return nil, err
			}
			if len(p) != len(to) {
				return nil, fmt.Errorf("piece %d has %d bytes, not %d", n, len(p), len(to))
			}
			copy(to, p)
		}
	}
	return data, nil
}
