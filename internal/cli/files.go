package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
)

// maxInput is the greatest size of a program or launch file, in bytes; the same as
// Load's.
const maxInput = 64 << 20

// stdinName is how standard input is called in diagnostics.
const stdinName = "<stdin>"

// readInput reads a program: a file or, for "-", standard input. It returns the name
// for diagnostics.
func (a *app) readInput(name string) (data []byte, shown string, err error) {
	if data, ok := a.members[name]; ok {
		a.remember(name, data)
		return data, name, nil
	}
	if name == "-" {
		data, err = a.readStdin()
		shown = stdinName
	} else {
		read := func() ([]byte, error) { return readFile(name, maxInput) }
		if st, serr := os.Stat(name); serr == nil && st.Mode().IsRegular() {
			data, err = read()
		} else {
			data, err = await(a, name, read)
		}
		shown = name
	}
	if err != nil {
		return nil, shown, err
	}
	data = input.TrimMark(data)
	if utf8.Valid(data) && !bytes.Contains(data[:min(len(data), 512)], []byte{0}) {
		a.remember(shown, data)
	}
	return data, shown, nil
}

// readStdin reads all of standard input.
func (a *app) readStdin() ([]byte, error) {
	return await(a, stdinName, func() ([]byte, error) { return readAll(a.in, stdinName, maxInput) })
}

// await reads input that may never come, from a terminal or a pipe: an interrupt or the time limit
// of the command ends the wait.
func await[T any](a *app, name string, read func() (T, error)) (T, error) {
	return within(a, name, a.limit, "the input was not read completely", "check the program that writes to it, or raise --timeout", read)
}

// stopTime is how long an interrupt, or the time limit of why, waits for the function that it ends,
// which may say how far it came.
const stopTime = 100 * time.Millisecond

// within runs a function that may take long: an interrupt or the end of the time limit, if it is
// not 0, ends the wait for it. The argument what is the part of the error that names the missing
// result.
func within[T any](a *app, name string, limit time.Duration, what, remedy string, do func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	var none T
	select {
	case r := <-done:
		return r.v, r.err
	case <-a.ctx.Done():
		// A run that the interrupt ends says where it was.
		select {
		case r := <-done:
			if r.err != nil {
				return none, r.err
			}
		case <-time.After(stopTime):
		}
		return none, a.ctx.Err()
	case <-late:
		d := diag.Errorf(diag.Pos{File: name}, diag.Timeout, "timeout", "the time limit of %s was reached, and %s", a.limit, what)
		d.Remedy = remedy
		return none, d
	}
}

// before is within with an end instead of a limit; the zero time is none.
func before[T any](a *app, name string, end time.Time, what string, do func() (T, error)) (T, error) {
	if end.IsZero() {
		return within(a, name, 0, what, "", do)
	}
	return within(a, name, max(time.Until(end), 1), what, "raise --timeout", do)
}

// limited is a module whose kernels are prepared before an end.
type limited struct {
	module
	a    *app
	file string
	end  time.Time
}

func (m limited) Kernel(name string) (kernel, error) {
	return before(m.a, m.file, m.end, "the kernels are not prepared yet", func() (kernel, error) { return m.module.Kernel(name) })
}

// maxSourceFile is the greatest size of a file of the source language of which lines are
// shown, in bytes.
const maxSourceFile = 16 << 20

// line is the source of a line for diagnostics that do not carry it. A file that was not
// read yet is one that a kernel was compiled from.
func (a *app) line(file string, n int) (string, bool) {
	return a.source(file).line(n)
}

// remember keeps the text of a file for diagnostics.
func (a *app) remember(file string, text []byte) {
	a.sourcesMu.Lock()
	defer a.sourcesMu.Unlock()
	if a.sources == nil {
		a.sources = map[string]*sourceText{}
	}
	a.sources[file] = &sourceText{text: text}
}

// source returns the text of a file, an empty one if it is not known.
func (a *app) source(file string) *sourceText {
	a.sourcesMu.Lock()
	defer a.sourcesMu.Unlock()
	l, known := a.sources[file]
	if known {
		return l
	}
	l = &sourceText{}
	if file == stdinName {
		return l
	}
	if a.sources == nil {
		a.sources = map[string]*sourceText{}
	}
	if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
		if data, err := readFile(file, maxSourceFile); err == nil && utf8.Valid(data) {
			l.text = data
		}
	}
	a.sources[file] = l
	return l
}

func readFile(name string, limit int64) ([]byte, error) {
	f, _, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, limit)
}

func readAll(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, ioError(diag.Pos{File: name}, "cannot read: %s", input.Reason(err))
	}
	if int64(len(data)) > limit {
		return nil, ioError(diag.Pos{File: name}, "larger than %s, the limit of files of programs, launches and baselines", input.BytesText(uint64(limit)))
	}
	return data, nil
}

// writeFile writes a result. A file that exists is not touched unless force is set.
func writeFile(name string, force bool, write func(io.Writer) error) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force || isDevice(name) {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return existsError(name)
	}
	if err != nil {
		return ioError(diag.Pos{File: name}, "cannot write: %s", input.Reason(err))
	}
	if err = write(f); err == nil {
		err = f.Close()
	} else {
		f.Close()
	}
	if err != nil {
		return ioError(diag.Pos{File: name}, "cannot write: %s", input.Reason(err))
	}
	return nil
}

// writeResult writes the text made from the file input to output, or to standard output if that is
// "" or "-". It refuses to overwrite input; "" means that there is no input file.
func (a *app) writeResult(input, output string, data []byte) error {
	if output == "" || output == "-" {
		a.out.Write(data)
		return nil
	}
	if input != "" && input != "-" && sameFile(input, output) {
		d := ioError(diag.Pos{File: output}, "is the input, and is not overwritten")
		d.Remedy = "give -o another name"
		return d
	}
	return writeFile(output, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// sameFile reports whether two names are those of one file, which need not exist, and is no
// device.
func sameFile(a, b string) bool {
	x, xerr := os.Stat(a)
	y, yerr := os.Stat(b)
	if xerr == nil && yerr == nil {
		return os.SameFile(x, y) && !isDevice(a)
	}
	p, perr := filepath.Abs(a)
	q, qerr := filepath.Abs(b)
	return perr == nil && qerr == nil && p == q
}

func existsError(name string) error {
	d := ioError(diag.Pos{File: name}, "exists already, and is not overwritten")
	d.Remedy = "give another name, or --force"
	return d
}

// exists reports whether writing to a name would replace a file.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil && !isDevice(name)
}

// isDevice reports whether text written to a name is kept nowhere, as with /dev/null.
func isDevice(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode()&(os.ModeDevice|os.ModeNamedPipe) != 0
}
