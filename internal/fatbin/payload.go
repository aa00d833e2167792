package fatbin

import (
	"bytes"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// lz4Ratio bounds how many bytes one byte of an LZ4 block stands for: a byte of a length adds 255.
const lz4Ratio = 256

// Payload returns the uncompressed contents: of PTX the text without the zeros at its end, else an
// ELF file or NVVM IR. It uncompresses them once. The caller must not change them. The error is a
// *diag.Diagnostic of class Input.
func (e *Entry) Payload() ([]byte, error) {
	e.once.Do(func() {
		e.plain = e.data
		if e.packed {
			var d *diag.Diagnostic
			if e.plain, d = e.unpack(); d != nil {
				e.err = d
				return
			}
		}
		if e.Kind == PTX {
			e.plain = e.plain[:ptx.TextEnd(e.plain)]
		}
	})
	return e.plain, e.err
}

// unpack uncompresses the payload. It takes no more memory than the header announces, which is
// bounded. All entries of a file share a quota, so that small files do not cause long work.
func (e *Entry) unpack() ([]byte, *diag.Diagnostic) {
	method := "zstd"
	if e.Flags&flagLZ4 != 0 {
		method = "LZ4"
	}
	bad := func(format string, args ...any) ([]byte, *diag.Diagnostic) {
		return nil, malformed(e.name, e.Off, "entry for "+e.describe()+", compressed with "+method+": "+format, args...)
	}
	if e.size > maxPayload {
		return bad("it has %d bytes uncompressed; at most %d are accepted", e.size, maxPayload)
	}
	if method == "LZ4" && e.size > lz4Ratio*uint64(len(e.data)) {
		return bad("%d bytes cannot become %d", len(e.data), e.size)
	}
	if e.quota.Add(-int64(e.size)) < 0 {
		return bad("the entries of the file have more than %d bytes uncompressed", maxTotal)
	}
	out, err := uncompress(method == "LZ4", e.data, e.size)
	switch {
	case err != nil:
		return bad("its %d bytes do not uncompress to %d: %v", len(e.data), e.size, err)
	case uint64(len(out)) != e.size:
		return bad("%d bytes came out, expected %d", len(out), e.size)
	}
	return out, nil
}

// Target returns the architecture that the code needs. The text of PTX states it; if it does not, and
// for other kinds, the header does. The error is that of Payload.
func (e *Entry) Target() (ptx.Target, error) {
	t := ptx.Target{SM: e.SM}
	switch {
	case e.Flags&flagSpecific != 0:
		t.Suffix = 'a'
	case e.Flags&flagFamily != 0:
		t.Suffix = 'f'
	}
	if e.Kind != PTX {
		return t, nil
	}
	text, err := e.Payload()
	if err != nil {
		return t, err
	}
	if own, ok := textTarget(text); ok {
		t = own
	}
	return t, nil
}

// maxHead is how much of a text is searched for its .target, in bytes.
const maxHead = 64 << 10

// textTarget returns the architecture of the .target directive of a text.
func textTarget(text []byte) (ptx.Target, bool) {
	word, ok := directive(text, ".target")
	if !ok {
		return ptx.Target{}, false
	}
	return ptx.ParseTarget(word)
}

// textVersion returns the version of the .version directive of a text.
func textVersion(text []byte) (v ptx.Version, ok bool) {
	word, _ := directive(text, ".version")
	major, minor, _ := strings.Cut(word, ".")
	var err1, err2 error
	v.Major, err1 = strconv.Atoi(major)
	v.Minor, err2 = strconv.Atoi(minor)
	return v, err1 == nil && err2 == nil
}

// directive returns the first word after a directive at the beginning of a text.
func directive(text []byte, name string) (word string, ok bool) {
	text = text[:min(len(text), maxHead)]
	for len(text) > 0 {
		switch {
		case bytes.HasPrefix(text, []byte("//")):
			_, text, _ = bytes.Cut(text, []byte("\n"))
		case bytes.HasPrefix(text, []byte("/*")):
			_, text, _ = bytes.Cut(text[2:], []byte("*/"))
		case bytes.HasPrefix(text, []byte(name)):
			words := bytes.FieldsFunc(text[len(name):], func(c rune) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' })
			if len(words) == 0 {
				return "", false
			}
			return string(words[0]), true
		default:
			text = text[1:]
		}
	}
	return "", false
}
