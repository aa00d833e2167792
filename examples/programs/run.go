package programs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// An Outcome is the state that the launches of a case left behind.
type Outcome struct {
	Buffers  []*crosslane.Buffer // in the order of the case's buffers
	Findings diag.List
	Stdout   string
	Stats    []crosslane.Stats // of each step
	Err      error             // of the step that failed
}

// Run carries out a case on a loaded file. change, if not nil, is called with each
// launch before it starts, to choose an engine, workers or a time limit.
func (c *Case) Run(ctx context.Context, m *crosslane.Module, change func(*crosslane.Launch)) *Outcome {
	return c.RunBy(ctx, m, change, (*crosslane.Kernel).Run)
}

// RunBy is Run by another way to run a kernel, for instance (*crosslane.Kernel).Check.
func (c *Case) RunBy(ctx context.Context, m *crosslane.Module, change func(*crosslane.Launch),
	run func(*crosslane.Kernel, context.Context, crosslane.Launch) (*crosslane.Result, error)) *Outcome {
	o := &Outcome{}
	placed := map[*Buffer]*crosslane.Buffer{}
	for _, b := range c.Buffers {
		placed[b] = b.buffer()
		o.Buffers = append(o.Buffers, placed[b])
	}
	for _, s := range c.Steps {
		k, err := m.Kernel(s.Kernel)
		if err != nil {
			o.Err = err
			return o
		}
		l := crosslane.Launch{
			Grid:  crosslane.Dim3{X: s.Grid[0], Y: s.Grid[1], Z: s.Grid[2]},
			Block: crosslane.Dim3{X: s.Block[0], Y: s.Block[1], Z: s.Block[2]}, Shared: s.Shared,
		}
		for _, a := range s.Args {
			l.Args = append(l.Args, argument(a, placed))
		}
		if change != nil {
			change(&l)
		}
		res, err := run(k, ctx, l)
		if res != nil {
			o.Findings = append(o.Findings, res.Findings...)
			o.Stats = append(o.Stats, res.Stats)
			o.Stdout += res.Output
		}
		if err != nil {
			o.Err = err
			return o
		}
	}
	return o
}

// place makes the memory of a buffer.
func (b *Buffer) buffer() *crosslane.Buffer {
	v := reflect.ValueOf(b.Data)
	var t crosslane.ElemType
	switch v.Type().Elem().Kind() {
	case reflect.Uint8:
		t = crosslane.U8
	case reflect.Int8:
		t = crosslane.S8
	case reflect.Uint16:
		t = crosslane.U16
	case reflect.Int16:
		t = crosslane.S16
	case reflect.Uint32:
		t = crosslane.U32
	case reflect.Int32:
		t = crosslane.S32
	case reflect.Uint64:
		t = crosslane.U64
	case reflect.Int64:
		t = crosslane.S64
	case reflect.Float32:
		t = crosslane.F32
	case reflect.Float64:
		t = crosslane.F64
	default:
		panic(fmt.Sprintf("programs: a buffer of %T", b.Data))
	}
	p := crosslane.NewBuffer(b.Name, t, v.Len())
	p.Uninitialised = false
	copy(p.Data, encode(b.Data))
	return p
}

// encode gives the bytes of a number or a slice of numbers.
func encode(data any) []byte {
	var w bytes.Buffer
	if err := binary.Write(&w, binary.LittleEndian, data); err != nil {
		panic(err)
	}
	return w.Bytes()
}

func argument(a any, placed map[*Buffer]*crosslane.Buffer) crosslane.Arg {
	switch a := a.(type) {
	case *Buffer:
		if placed[a] == nil {
			panic("programs: an argument that is no buffer of its case: " + a.Name)
		}
		return placed[a]
	case []byte:
		return crosslane.Bytes{Data: slices.Clone(a)}
	case uint16:
		return crosslane.Typed(crosslane.U16, uint64(a))
	case int32:
		return crosslane.Typed(crosslane.S32, uint64(uint32(a)))
	case uint32:
		return crosslane.Typed(crosslane.U32, uint64(a))
	case int64:
		return crosslane.Typed(crosslane.S64, uint64(a))
	case uint64:
		return crosslane.Typed(crosslane.U64, a)
	case float32:
		return crosslane.Typed(crosslane.F32, uint64(math.Float32bits(a)))
	case float64:
		return crosslane.Typed(crosslane.F64, math.Float64bits(a))
	}
	panic(fmt.Sprintf("programs: an argument of type %T", a))
}

// Check compares an outcome with the wanted one. The error names the first difference.
func (c *Case) Check(o *Outcome) error {
	var all []error
	fail := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if c.Code != "" {
		if !slices.ContainsFunc(diag.Of(o.Err), func(d *diag.Diagnostic) bool { return d.Code == c.Code }) {
			fail("error %v, want code %s", o.Err, c.Code)
		}
	} else if o.Err != nil {
		fail("%w", o.Err)
		return errors.Join(all...)
	}
	for _, f := range o.Findings {
		fail("finding: %v", f)
	}
	if o.Stdout != c.Stdout {
		fail("printed %q, want %q", o.Stdout, c.Stdout)
	}
	for i, b := range c.Buffers {
		if err := b.check(o.Buffers[i]); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

func (b *Buffer) check(p *crosslane.Buffer) error {
	if b.Check != nil {
		got := reflect.MakeSlice(reflect.TypeOf(b.Data), p.Len(), p.Len()).Interface()
		if err := binary.Read(bytes.NewReader(p.Data), binary.LittleEndian, got); err != nil {
			return err
		}
		if err := b.Check(got); err != nil {
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		return nil
	}
	want := &Buffer{Name: b.Name, Data: b.Want}
	if b.Want == nil {
		want.Data = b.Data
	}
	w := want.buffer()
	if w.Type != p.Type || w.Len() != p.Len() {
		panic(fmt.Sprintf("programs: %s holds %T but wants %T of %d", b.Name, b.Data, b.Want, w.Len()))
	}
	if b.Unordered {
		sortElements(p)
		sortElements(w)
	}
	var all []error
	for i := range w.Len() {
		if w.Bits(i) == p.Bits(i) || b.Within > 0 && approximates(p.Float(i), w.Float(i), b.Within) {
			continue
		}
		if len(all) == 4 {
			all = append(all, fmt.Errorf("%s: and more", b.Name))
			break
		}
		all = append(all, fmt.Errorf("%s[%d] = %v (%#x), want %v (%#x)", b.Name, i, p.Float(i), p.Bits(i), w.Float(i), w.Bits(i)))
	}
	return errors.Join(all...)
}

func sortElements(p *crosslane.Buffer) {
	bits := make([]uint64, p.Len())
	for i := range bits {
		bits[i] = p.Bits(i)
	}
	slices.Sort(bits)
	for i, v := range bits {
		p.SetBits(i, v)
	}
}

// near says whether two numbers differ by at most a part of the wanted one, or of 1
// if that is smaller.
func approximates(got, want, within float64) bool {
	return math.Abs(got-want) <= within*max(1, math.Abs(want))
}
