package extract

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// member is a source in an archive.
func (s source) member(r io.ReaderAt, size int64, name string) source {
	return source{r: r, size: size, name: s.name + "(" + name + ")", base: baseName(name), depth: s.depth + 1, ar: s.ar}
}

// tooDeep reports archives in archives beyond the limit.
func (s source) tooDeep() *diag.Diagnostic {
	if s.depth < maxDepth {
		return nil
	}
	return s.unsupported(0, "archives in archives are more than %d deep", maxDepth)
}

// archive is a library of objects, in the format of ar:
//
//	!<arch>\n, then members at even offsets, each with a head of 60 bytes:
//	 0 name 16   16 date 12   28 owner 6   34 group 6   40 mode 8   48 size 10   58 "`\n"
//
// GNU's ar keeps long names in a member //, BSD's before the contents.
func (q *search) archive(s source, _ []byte) error {
	if d := s.tooDeep(); d != nil {
		return q.problem(s, "", d)
	}
	if s.ar == "" {
		s.ar = s.name
	}
	const headSize = 60
	var long []byte // the names of GNU's ar
	for off := int64(len("!<arch>\n")); off < s.size; {
		head, d := s.read(off, min(headSize, s.size-off), headBytes, "the head of a member")
		if d != nil {
			return q.problem(s, "", d)
		}
		if len(head) < headSize {
			if len(bytes.Trim(head, "\n\x00")) == 0 {
				return nil
			}
			return q.problem(s, "", s.bad(off, "the archive ends after %d bytes of the head of a member, which has %d", len(head), headSize))
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(head[48:58])), 10, 64)
		if err != nil || size < 0 || string(head[58:60]) != "`\n" || size > s.size-off-headSize {
			return q.problem(s, "", s.bad(off, "the head of a member of the archive is damaged, or its %d bytes are cut off", size))
		}
		body := off + headSize
		off = body + size + size%2
		name := strings.TrimRight(string(head[:16]), " ")
		switch {
		case name == "//":
			if long, d = s.read(body, size, maxText, "the list of names"); d != nil {
				return q.problem(s, "", d)
			}
			continue
		case name == "/" || name == "/SYM64/" || strings.HasPrefix(name, "__.SYMDEF"):
			continue
		case strings.HasPrefix(name, "#1/"): // BSD
			n, err := strconv.ParseInt(name[3:], 10, 64)
			if err != nil || n < 0 || n > size {
				return q.problem(s, "", s.bad(body-headSize, "the name of a member has %q bytes", name[3:]))
			}
			text, d := s.read(body, n, headBytes, "the name of a member")
			if d != nil {
				return q.problem(s, "", d)
			}
			name, body, size = string(bytes.TrimRight(text, "\x00")), body+n, size-n
			if strings.HasPrefix(name, "__.SYMDEF") {
				continue
			}
		case strings.HasPrefix(name, "/"):
			at, err := strconv.Atoi(name[1:])
			if err != nil || at < 0 || at >= len(long) {
				return q.problem(s, "", s.bad(body-headSize, "the name of a member is at %q of the list of names, which has %d bytes", name[1:], len(long)))
			}
			line, _, _ := bytes.Cut(long[at:], []byte("\n"))
			name = strings.TrimSuffix(string(line), "/")
		default:
			name = strings.TrimSuffix(name, "/")
		}
		if err := q.file(s.member(io.NewSectionReader(s.r, body, size), size, name)); err != nil {
			return err
		}
	}
	return nil
}

// zip is a Python wheel or another zip file.
func (q *search) zip(s source, _ []byte) error {
	if d := s.tooDeep(); d != nil {
		return q.problem(s, "", d)
	}
	z, err := zip.NewReader(s.r, s.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return q.problem(s, "", s.bad(0, "the zip file is damaged: %v", err))
	}
	for _, f := range z.File {
		if f.Mode().IsDir() || f.UncompressedSize64 == 0 {
			continue
		}
		if err := q.zipped(s, f); err != nil {
			return err
		}
	}
	return nil
}

// zipped searches a member of a zip file. One that holds no code is not uncompressed.
func (q *search) zipped(s source, f *zip.File) error {
	at, err := f.DataOffset()
	if err != nil {
		return q.problem(s, "", s.bad(0, "member %.200q of the zip file is damaged: %v", f.Name, err))
	}
	if f.Method == zip.Store && f.Flags&1 == 0 {
		size := int64(f.UncompressedSize64)
		if size < 0 || at > s.size || size > s.size-at {
			return q.problem(s, "", s.bad(at, "member %.200q of the zip file has %d bytes, which the file does not have", f.Name, f.UncompressedSize64))
		}
		return q.file(s.member(io.NewSectionReader(s.r, at, size), size, f.Name))
	}
	bad := func(err error) error {
		return q.problem(s, "", s.bad(at, "member %.200q of the zip file cannot be uncompressed: %v", f.Name, err))
	}
	if f.Flags&1 != 0 {
		return q.problem(s, "", s.unsupported(at, "member %.200q of the zip file is encrypted", f.Name))
	}
	open := func() (io.ReadCloser, error) { return f.Open() }
	r, err := open()
	if err != nil {
		return bad(err)
	}
	head := make([]byte, min(f.UncompressedSize64, headBytes))
	_, err = io.ReadFull(r, head)
	r.Close()
	if err != nil {
		return bad(err)
	}
	if formOf(head) == nil {
		return nil
	}
	if f.UncompressedSize64 > maxMember {
		return q.problem(s, "", s.unsupported(at, "member %.200q of the zip file has %d bytes uncompressed; at most %d are read", f.Name, f.UncompressedSize64, int64(maxMember)))
	}
	size := int64(f.UncompressedSize64)
	if q.unpacked += size; q.unpacked > maxUnpacked {
		return q.problem(s, "", s.unsupported(at, "the members of the zip file have more than %d bytes uncompressed", int64(maxUnpacked)))
	}
	if r, err = open(); err != nil {
		return bad(err)
	}
	defer r.Close()
	var data io.ReaderAt
	if size <= inMemory {
		var b bytes.Buffer
		// One byte more makes the reader compare the checksum at the end.
		if n, err := io.Copy(&b, io.LimitReader(r, size+1)); err != nil || n != size {
			return bad(fmt.Errorf("%d of its %d bytes are there (%v)", n, size, err))
		}
		data = bytes.NewReader(b.Bytes())
	} else {
		t, err := os.CreateTemp("", "crosslane-extract-")
		if err != nil {
			return err
		}
		defer os.Remove(t.Name())
		defer t.Close()
		if n, err := io.Copy(t, io.LimitReader(r, size+1)); err != nil || n != size {
			return bad(fmt.Errorf("%d of its %d bytes are there (%v)", n, size, err))
		}
		data = t
	}
	return q.file(s.member(data, size, f.Name))
}
