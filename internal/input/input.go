// Package input reads what a user names and writes: files, and words of options. Its errors say what was found and
// what was expected.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// Open opens a file to be read. size is the size that the system reports.
func Open(name string) (f *os.File, size int64, err error) {
	if f, err = os.Open(name); err != nil {
		return nil, 0, diag.Errorf(diag.Pos{File: name}, diag.Input, "io", "cannot read: %s", Reason(err))
	}
	if st, err := f.Stat(); err == nil {
		if size = st.Size(); st.IsDir() {
			f.Close()
			return nil, 0, diag.Errorf(diag.Pos{File: name}, diag.Input, "io", "cannot read: it is a directory")
		}
	}
	return f, size, nil
}

// Reason is the part of an error that does not repeat the file's name.
func Reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Values reads the files that values name, relative to dir.
func Values(dir string) value.ReadFile {
	return func(name string, limit int64) ([]byte, int64, error) {
		if dir != "" && !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		f, size, err := Open(name)
		if err != nil {
			return nil, 0, errors.New(name + ": " + diag.Of(err)[0].Message)
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, limit+1))
		if err != nil {
			return nil, 0, fmt.Errorf("%s: cannot read: %s", name, Reason(err))
		}
		switch n := int64(len(data)); {
		case n <= limit:
			return data, n, nil
		case size < n: // a device or a pipe
			size = -1
		}
		return data[:limit], size, nil
	}
}

// TrimMark takes away the byte order mark that some editors write before text.
func TrimMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// BytesText writes a number of bytes for people.
func BytesText(n uint64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<u.shift {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(uint64(1)<<u.shift)), ".0") + " " + u.name
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Quoted makes untrusted text fit for a message.
func Quoted(s string) string {
	if len(s) > 40 {
		s = s[:37] + "..."
	}
	return strconv.Quote(s)
}

// OneOf checks the value of a flag against the words that it accepts.
func OneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return errors.New(flag + " is " + strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1] + ", found \"" + value + "\"")
}
