package nvvm

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
)

// Serve answers one request of the stand-in for libnvvm (package compilers): it reads the request from in and writes the
// answer to out. Numbers have 64 bits, the lowest byte first, and a text is its length and its bytes.
//
// Input: 1 to compile, 0 to verify; the number of options, and each as a text; the number of modules, and for each one
// 1 if it is lazy, its name and its contents.
// Output: the nvvmResult, the PTX and the log.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	r := reader{data: data}
	compile := r.number() == 1
	var options []string
	for n := r.number(); n > 0 && !r.bad; n-- {
		options = append(options, string(r.text()))
	}
	var modules []Module
	for n := r.number(); n > 0 && !r.bad; n-- {
		modules = append(modules, Module{Lazy: r.number() == 1, Name: string(r.text()), Data: r.text()})
	}
	var ptx []byte
	switch {
	case r.bad || len(r.data) > 0:
		err = failf(invalidInput, "crosslane: the request is cut off")
	case compile:
		ptx, err = Compile(ctx, modules, options)
	default:
		err = Verify(ctx, modules, options)
	}
	result, log := 0, ""
	if err != nil {
		var e *Error
		if result, log = compilation, err.Error(); errors.As(err, &e) {
			result = e.Result
		}
	}
	answer := binary.LittleEndian.AppendUint64(nil, uint64(result))
	answer = append(binary.LittleEndian.AppendUint64(answer, uint64(len(ptx))), ptx...)
	answer = append(binary.LittleEndian.AppendUint64(answer, uint64(len(log))), log...)
	_, err = out.Write(answer)
	return err
}

// A reader takes numbers and texts from a request. After bad is set all numbers are 0.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) number() uint64 {
	const size = 8
	if len(r.data) < size {
		r.bad, r.data = true, nil
		return 0
	}
	n := binary.LittleEndian.Uint64(r.data)
	r.data = r.data[size:]
	return n
}

func (r *reader) text() []byte {
	n := r.number()
	if n > uint64(len(r.data)) {
		r.bad, r.data = true, nil
		return nil
	}
	t := r.data[:n]
	r.data = r.data[n:]
	return t
}
