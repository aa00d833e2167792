package nvvm

import (
	"context"
	"errors"
	"io"

	"example.org/crosslane/internal/driver/request"
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
	r := request.Reader{Data: data}
	compile := r.Number() == 1
	var options []string
	for n := r.Number(); n > 0 && !r.Bad; n-- {
		options = append(options, string(r.Text()))
	}
	var modules []Module
	for n := r.Number(); n > 0 && !r.Bad; n-- {
		modules = append(modules, Module{Lazy: r.Number() == 1, Name: string(r.Text()), Data: r.Text()})
	}
	var ptx []byte
	switch {
	case r.Bad || len(r.Data) > 0:
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
	answer := request.AppendNumber(nil, uint64(result))
	answer = request.AppendText(request.AppendText(answer, string(ptx)), log)
	_, err = out.Write(answer)
	return err
}
