// Package recfile keeps a recorded launch in a file: everything that the launch depends on, so that it can be
// recorded again, and a digest of its steps. A launch gives the same steps every time, so the file need not hold them.
//
// Input: a Saved.
// Output: a file; from a file, the Saved.
// Invariant: Read returns an error for a file that Write did not make, and takes at most maxBytes of memory for its contents.
// Example: Write(f, &Saved{Trace: …}), then Read(f).
//
// The file begins with a line that names the form. The rest is JSON, compressed by zstd.
package recfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"example.org/crosslane/api"
)

// header is the first line of a file.
const header = "crosslane recording 1\n"

// maxBytes bounds the contents of a file when it is unpacked.
const maxBytes = 2 << 30

// Is reports whether a file that begins with these bytes is a recording.
func Is(start []byte) bool { return bytes.HasPrefix(start, []byte(header)) }

// A Saved is a launch with everything that it depends on.
type Saved struct {
	Version string            `json:"version"` // of Crosslane
	Options api.RecordOptions `json:"options"`
	Total   int               `json:"total"`  // steps
	Digest  api.Hex           `json:"digest"` // of the kept steps

	// A launch of a host program: a trace that holds it alone. The members below are those of a launch of a file.
	Trace []byte `json:"trace,omitempty"`

	Modules  []File           `json:"modules,omitempty"` // one, or those that were linked
	Includes []File           `json:"includes,omitempty"`
	ISA      api.ISA          `json:"isa,omitempty"`
	Symbols  map[string]int64 `json:"symbols,omitempty"`
	SM       int              `json:"sm,omitempty"`
	Fat      int              `json:"fatbin,omitempty"`
	Kernel   string           `json:"kernel,omitempty"`
	Launch   Launch           `json:"launch"`
	Buffers  []Buffer         `json:"buffers,omitempty"`
	Args     []Arg            `json:"args,omitempty"`
	Values   []Variable       `json:"variables,omitempty"`
}

// A File is a file by its name.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// A Launch is the part of a launch that is no argument.
type Launch struct {
	Grid        [3]uint32     `json:"grid"`
	Block       [3]uint32     `json:"block"`
	Shared      uint32        `json:"shared,omitempty"`
	Stack       uint32        `json:"stack,omitempty"`
	Heap        uint64        `json:"heap,omitempty"`
	Timeout     time.Duration `json:"timeout,omitempty"`
	Cooperative bool          `json:"cooperative,omitempty"`
	Undefined   api.Undefined `json:"undefined,omitempty"`
	Schedule    api.Schedule  `json:"schedule,omitempty"`
}

// A Buffer is a buffer with the contents that it had before the launch.
type Buffer struct {
	Name          string       `json:"name"`
	Type          api.ElemType `json:"type"`
	Shape         []int        `json:"shape,omitempty"`
	Data          []byte       `json:"data"`
	Pointers      []Pointer    `json:"pointers,omitempty"`
	Uninitialised bool         `json:"uninitialised,omitempty"`
}

// A Pointer is an address: To is the index of a buffer.
type Pointer struct {
	At  int   `json:"at,omitempty"`
	To  int   `json:"to"`
	Add int64 `json:"add,omitempty"`
}

// An Arg is an argument; one member is set.
type Arg struct {
	Buffer  *int        `json:"buffer,omitempty"`
	Scalar  *api.Scalar `json:"scalar,omitempty"`
	Shared  *uint32     `json:"shared,omitempty"`
	Pointer *Pointer    `json:"pointer,omitempty"`
	Bytes   *Bytes      `json:"bytes,omitempty"`
}

// Bytes is a structure that is passed by value.
type Bytes struct {
	Data     []byte    `json:"data"`
	Pointers []Pointer `json:"pointers,omitempty"`
}

// A Variable is a variable of the module: Value is the index of a buffer.
type Variable struct {
	Name      string `json:"name"`
	Value     int    `json:"value"`
	Set       bool   `json:"set,omitempty"`
	Relocated bool   `json:"relocated,omitempty"`
}

// Write writes a file.
func Write(w io.Writer, s *Saved) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if len(text) > maxBytes {
		return fmt.Errorf("the launch takes %d bytes in a file; at most %d are allowed", len(text), maxBytes)
	}
	if _, err := io.WriteString(w, header); err != nil {
		return err
	}
	pack, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if _, err := pack.Write(text); err != nil {
		return err
	}
	return pack.Close()
}

// Read reads a file. The error says what is wrong with it.
func Read(r io.Reader) (*Saved, error) {
	first := make([]byte, len(header))
	if _, err := io.ReadFull(r, first); err != nil || !Is(first) {
		return nil, fmt.Errorf("it is no recording of this version: it does not begin with %q", header[:len(header)-1])
	}
	unpack, err := zstd.NewReader(r, zstd.WithDecoderMaxMemory(64<<20), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer unpack.Close()
	text, err := io.ReadAll(io.LimitReader(unpack, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("it holds more than %d bytes", maxBytes)
	}
	s := &Saved{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("its contents are damaged: %w", err)
	}
	return s, s.check()
}

// check tests the indices and sizes of what was read.
func (s *Saved) check() error {
	if s.Trace == nil && len(s.Modules) == 0 {
		return errors.New("it holds no module")
	}
	pointers := func(list []Pointer, size int) error {
		for _, p := range list {
			if p.To < 0 || p.To >= len(s.Buffers) || p.At < 0 || p.At > size-4 {
				return errors.New("an address in it is outside of its buffers")
			}
		}
		return nil
	}
	for _, b := range s.Buffers {
		n := b.Type.Size()
		for _, d := range b.Shape {
			if d < 0 || d > 0 && n > maxBytes/d {
				return fmt.Errorf("buffer %q has the shape %v", b.Name, b.Shape)
			}
			n *= d
		}
		if b.Type.Size() == 0 || len(b.Data)%b.Type.Size() != 0 || len(b.Shape) > 0 && n != len(b.Data) {
			return fmt.Errorf("buffer %q of %d bytes is no %s%v", b.Name, len(b.Data), b.Type, b.Shape)
		}
		if err := pointers(b.Pointers, len(b.Data)); err != nil {
			return err
		}
	}
	for i, a := range s.Args {
		switch {
		case a.Buffer != nil && (*a.Buffer < 0 || *a.Buffer >= len(s.Buffers)), a.Pointer != nil && (a.Pointer.To < 0 || a.Pointer.To >= len(s.Buffers)):
			return fmt.Errorf("argument %d is a buffer that is not there", i+1)
		case a.Buffer == nil && a.Scalar == nil && a.Shared == nil && a.Pointer == nil && a.Bytes == nil:
			return fmt.Errorf("argument %d is empty", i+1)
		case a.Bytes != nil:
			if err := pointers(a.Bytes.Pointers, len(a.Bytes.Data)); err != nil {
				return err
			}
		}
	}
	for _, v := range s.Values {
		if v.Value < 0 || v.Value >= len(s.Buffers) {
			return fmt.Errorf("the variable %q is a buffer that is not there", v.Name)
		}
	}
	return nil
}

// SetLaunch takes a launch over.
func (s *Saved) SetLaunch(l *api.Launch) error {
	index := map[*api.Buffer]int{}
	var add func(b *api.Buffer) int
	pointers := func(list []api.Pointer) (out []Pointer) {
		for _, p := range list {
			out = append(out, Pointer{p.At, add(p.To), p.Add})
		}
		return out
	}
	add = func(b *api.Buffer) int {
		if i, ok := index[b]; ok {
			return i
		}
		i := len(s.Buffers)
		index[b] = i
		s.Buffers = append(s.Buffers, Buffer{Name: b.Name, Type: b.Type, Shape: b.Shape, Data: slices.Clone(b.Data), Uninitialised: b.Uninitialised})
		s.Buffers[i].Pointers = pointers(b.Pointers)
		return i
	}
	for _, a := range l.Args {
		var x Arg
		switch a := a.(type) {
		case *api.Buffer:
			i := add(a)
			x.Buffer = &i
		case api.Scalar:
			x.Scalar = &a
		case api.SharedBytes:
			n := uint32(a)
			x.Shared = &n
		case api.Pointer:
			x.Pointer = &Pointer{a.At, add(a.To), a.Add}
		case api.Bytes:
			x.Bytes = &Bytes{slices.Clone(a.Data), pointers(a.Pointers)}
		default:
			return fmt.Errorf("an argument of the type %T cannot be kept in a file", a)
		}
		s.Args = append(s.Args, x)
	}
	for _, v := range l.Symbols {
		s.Values = append(s.Values, Variable{v.Name, add(v.Value), v.Set, v.Relocated})
	}
	dims := func(d api.Dim3) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }
	s.Launch = Launch{dims(l.Grid), dims(l.Block), l.Shared, l.Stack, l.Heap, l.Timeout, l.Cooperative, l.Undefined, l.Schedule}
	return nil
}

// MakeLaunch makes the launch, with buffers of its own.
func (s *Saved) MakeLaunch() api.Launch {
	list := make([]*api.Buffer, len(s.Buffers))
	for i := range list {
		list[i] = &api.Buffer{}
	}
	pointers := func(in []Pointer) (out []api.Pointer) {
		for _, p := range in {
			out = append(out, api.Pointer{At: p.At, To: list[p.To], Add: p.Add})
		}
		return out
	}
	for i, b := range s.Buffers {
		*list[i] = api.Buffer{Name: b.Name, Type: b.Type, Shape: b.Shape, Data: slices.Clone(b.Data), Pointers: pointers(b.Pointers), Uninitialised: b.Uninitialised}
	}
	dim := func(d [3]uint32) api.Dim3 { return api.Dim3{X: d[0], Y: d[1], Z: d[2]} }
	x := &s.Launch
	l := api.Launch{Grid: dim(x.Grid), Block: dim(x.Block), Shared: x.Shared, Stack: x.Stack, Heap: x.Heap, Timeout: x.Timeout, Cooperative: x.Cooperative, Undefined: x.Undefined, Schedule: x.Schedule}
	for _, a := range s.Args {
		switch {
		case a.Buffer != nil:
			l.Args = append(l.Args, list[*a.Buffer])
		case a.Scalar != nil:
			l.Args = append(l.Args, *a.Scalar)
		case a.Shared != nil:
			l.Args = append(l.Args, api.SharedBytes(*a.Shared))
		case a.Pointer != nil:
			l.Args = append(l.Args, api.Pointer{At: a.Pointer.At, To: list[a.Pointer.To], Add: a.Pointer.Add})
		default:
			l.Args = append(l.Args, api.Bytes{Data: slices.Clone(a.Bytes.Data), Pointers: pointers(a.Bytes.Pointers)})
		}
	}
	for _, v := range s.Values {
		l.Symbols = append(l.Symbols, api.Symbol{Name: v.Name, Value: list[v.Value], Set: v.Set, Relocated: v.Relocated})
	}
	return l
}
