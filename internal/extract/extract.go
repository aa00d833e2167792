// Package extract finds the code for GPUs in the files of host programs: programs and libraries (ELF
// and PE), objects, archives, Python wheels and other zip files, NVIDIA's fat binaries, clang's bundles
// and LLVM's offload binaries. It decodes no instructions.
//
// Input: a file of any size, read as needed.
// Output: an Item for each piece of code, with its contents.
// Invariant: memory is bounded by the largest fat binary or code object, not by the file. A damaged
// part is an Item with a Problem, and the rest is read.
// Example: File of a wheel calls visit with the Items of each library in it.
package extract

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"

	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin"
)

// A Kind is the kind of a piece of code.
type Kind string

// The kinds of code.
const (
	PTX     Kind = "ptx"
	Cubin   Kind = "cubin"       // machine code for an NVIDIA GPU
	NVVM    Kind = "nvvm"        // NVVM IR, for optimization at link time
	Object  Kind = "code-object" // machine code for an AMD GPU
	Bitcode Kind = "bitcode"     // LLVM bitcode
	Other   Kind = "other"
)

// Kinds are all kinds.
var Kinds = []Kind{PTX, Cubin, NVVM, Object, Bitcode, Other}

// An Item is a piece of code in a file.
type Item struct {
	File        string   // the file, with members of archives in parentheses
	Entry       string   // "#2.1", entry 1 of fat binary 2; "" if the file is the code itself
	Kind        Kind     // "" if there is a Problem
	Target      string   // sm_90a, gfx803; "" if it is not known
	Size        int64    // bytes, uncompressed
	Stored      int64    // bytes in the file
	Compression string   // LZ4, zstd, bundle (the whole bundle is compressed); "" if it is plain
	Debug       string   // full, lines or ""
	Kernels     []string // as the code names them
	Name        string   // a name for a file with the contents: app#2.sm_80.ptx
	Linked      string   // for code that a linker is to join: the library, archive or object whose code it is joined with
	Unread      bool     // the code is too large to be uncompressed: its kernels are not known, and there is no data
	Problem     *diag.Diagnostic
}

// Runs reports whether Crosslane runs code of this kind.
func (i *Item) Runs() bool {
	return i.Problem == nil && (i.Kind == PTX || i.Kind == Object && i.Target == codeobject.Target)
}

// A Visit receives the pieces of code, in the order of the file. Its data is valid until it returns.
// Its error ends the search.
type Visit func(i *Item, data []byte) error

// The limits of a search.
const (
	maxPiece    = 1 << 30  // bytes of a fat binary, bundle or code object
	maxText     = 64 << 20 // bytes of a file of PTX
	maxMember   = 8 << 30  // uncompressed bytes of a member of a zip file
	maxUnpacked = 32 << 30 // uncompressed bytes of all members
	inMemory    = 64 << 20 // larger members are uncompressed to a file
	maxDepth    = 4        // archives in archives
)

// CodeMalformed is a container that is not well-formed. Class Input.
const CodeMalformed = "bad-container"

// CodeUnsupported is a container, or a part of one, that is not read. Class Unsupported.
const CodeUnsupported = "unsupported"

// File searches a file of the file system. found is how many pieces there were, damaged ones too. The
// error is that of reading the file, or of visit.
func File(path string, visit Visit) (found int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return Search(f, st.Size(), path, visit)
}

// Search searches the first size bytes of a file. name is the file's name in Items.
func Search(r io.ReaderAt, size int64, name string, visit Visit) (found int, err error) {
	s := &search{visit: func(i *Item, data []byte) error {
		found++
		return visit(i, data)
	}}
	err = s.file(source{r: r, size: size, name: name, base: baseName(name)})
	return found, err
}

// search is one search.
type search struct {
	visit    Visit
	unpacked int64 // bytes of all members so far
}

// A source is a file, or a member of an archive.
type source struct {
	r     io.ReaderAt
	size  int64
	name  string // with members in parentheses
	base  string // the last part of the name
	depth int
	ar    string // the name of the archive of objects that it is in, the outermost one; "" if in none
	rdc   bool   // the code is to be linked
}

// linked is Item.Linked of code in the source.
func (s source) linked() string {
	if s.rdc && s.ar != "" {
		return s.ar
	} else if s.rdc {
		return s.name
	}
	return ""
}

// head is the beginning of the source.
func (s source) head() []byte {
	b := make([]byte, min(s.size, headBytes))
	n, _ := s.r.ReadAt(b, 0)
	return b[:n]
}

// largeEntry is the size of an entry whose memory is collected at once, in bytes.
const largeEntry = 8 << 20

// headBytes is how much of a file tells its kind.
const headBytes = 512

// read reads a part of the source, which is at most limit bytes.
func (s source) read(off, n, limit int64, what string) ([]byte, *diag.Diagnostic) {
	if n > limit {
		return nil, s.unsupported(off, "%s has %d bytes; at most %d are read", what, n, limit)
	}
	b := make([]byte, n)
	if got, err := s.r.ReadAt(b, off); int64(got) < n {
		return nil, s.bad(off, "%s has %d bytes, of which %d can be read (%v)", what, n, got, err)
	}
	return b, nil
}

func (s source) at(off int64) diag.Pos { return diag.Pos{File: s.name, Off: off, HasOff: true} }

func (s source) bad(off int64, format string, args ...any) *diag.Diagnostic {
	d := diag.Errorf(s.at(off), diag.Input, CodeMalformed, format, args...)
	d.Remedy = "make the file again, or fetch it again"
	return d
}

func (s source) unsupported(off int64, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(s.at(off), diag.Unsupported, CodeUnsupported, format, args...)
}

// problem reports a damaged part.
func (q *search) problem(s source, entry string, d *diag.Diagnostic) error {
	return q.visit(&Item{File: s.name, Entry: entry, Problem: d}, nil)
}

// A form is a kind of file, and how it is searched.
type form func(q *search, s source, head []byte) error

// formOf returns how a file is searched, by its beginning; nil: it holds no code.
func formOf(head []byte) form {
	has := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case has("\x7fELF") && len(head) >= elfHead:
		switch elf.Machine(binary.LittleEndian.Uint16(head[18:])) {
		case elf.EM_AMDGPU:
			return (*search).codeObject
		case machineCUDA:
			return (*search).cubin
		}
		return (*search).elf
	case has("MZ"):
		return (*search).pe
	case has("!<arch>\n"):
		return (*search).archive
	case has("!<thin>\n"):
		return func(q *search, s source, _ []byte) error {
			return q.problem(s, "", s.unsupported(0, "the archive is thin: it names its members and does not hold them"))
		}
	case has("PK\x03\x04"):
		return (*search).zip
	case fatbin.Is(head):
		return func(q *search, s source, _ []byte) error {
			n := 0
			return q.fatBinaries(s, 0, s.size, &n)
		}
	case has("__CLANG_OFFLOAD_BUNDLE__") && !has("__CLANG_OFFLOAD_BUNDLE____"), has("CCOB"):
		return func(q *search, s source, _ []byte) error {
			n := 0
			return q.bundles(s, 0, s.size, &n)
		}
	case has(packageMagic):
		return func(q *search, s source, _ []byte) error {
			n := 0
			return q.packages(s, 0, s.size, &n)
		}
	case isPTX(head):
		return (*search).text
	}
	return nil
}

// file searches a file of any kind.
func (q *search) file(s source) error {
	head := s.head()
	if f := formOf(head); f != nil {
		return f(q, s, head)
	}
	return nil
}

// text is a file of PTX.
func (q *search) text(s source, _ []byte) error {
	data, d := s.read(0, s.size, maxText, "the text")
	if d != nil {
		return q.problem(s, "", d)
	}
	i := &Item{File: s.name, Kind: PTX, Size: s.size, Stored: s.size, Name: s.base}
	ptxFacts(i, data)
	return q.visit(i, data)
}

// fatBinaries searches the fat binaries of a section, which follow each other with zeros between
// them. n counts those of the file.
func (q *search) fatBinaries(s source, off, size int64, n *int) error {
	end := off + size
	for {
		off = s.skipZeros(off, end)
		if off >= end {
			return nil
		}
		*n++
		number := fmt.Sprintf("#%d", *n)
		head, d := s.read(off, min(16, end-off), headBytes, "the fat binary")
		if d != nil {
			return q.problem(s, number, d)
		}
		length := int64(len(head)) // Parse reports the mistakes of a head
		if whole, ok := fatbin.Size(head); ok {
			length = max(length, int64(min(whole, uint64(end-off))))
		}
		data, d := s.read(off, length, maxPiece, "the fat binary")
		if d != nil {
			return q.problem(s, number, d)
		}
		list, err := fatbin.Parse(data, s.name, off)
		if err != nil {
			return q.problem(s, number, diag.Of(err)[0])
		}
		for _, b := range list {
			for k, e := range b.Entries {
				if err := q.fatEntry(s, number, fmt.Sprintf("%s.%d", number, k+1), e); err != nil {
					return err
				}
			}
		}
		off += length
	}
}

// skipZeros returns the first offset from off on at which there is no zero; end if there is none.
func (s source) skipZeros(off, end int64) int64 {
	var b [4096]byte
	for off < end {
		n, err := s.r.ReadAt(b[:min(int64(len(b)), end-off)], off)
		if i := bytes.IndexFunc(b[:n], func(c rune) bool { return c != 0 }); i >= 0 {
			return off + int64(i)
		}
		if off += int64(n); err != nil || n == 0 {
			return end
		}
	}
	return end
}

// fatEntry is an entry of a fat binary.
func (q *search) fatEntry(s source, number, entry string, e *fatbin.Entry) error {
	i := &Item{File: s.name, Entry: entry, Target: e.Architecture(), Stored: int64(len(e.Raw())), Compression: e.Compression(), Linked: s.linked()}
	defer func() {
		e.Forget()
		if i.Size > largeEntry { // else the next entries of the size come on top of it
			runtime.GC()
		}
	}()
	if i.Unread = e.Kind != fatbin.PTX && e.TooLarge(); i.Unread {
		i.Kind, i.Size, i.Name = Cubin, int64(e.Size()), fmt.Sprintf("%s%s.%s", s.base, number, i.Target)
		if e.Kind != fatbin.Cubin {
			i.Kind = Other
		}
		return q.visit(i, nil)
	}
	data, err := e.Raw(), error(nil)
	if !e.Opaque() {
		data, err = e.Payload()
	}
	if err != nil {
		i.Problem = diag.Of(err)[0]
		return q.visit(i, nil)
	}
	i.Size = int64(len(data))
	end := ".bin"
	switch e.Kind {
	case fatbin.PTX:
		i.Kind, end = PTX, ".ptx"
		if t, err := e.Target(); err == nil {
			i.Target = t.String()
		}
		ptxFacts(i, data)
	case fatbin.Cubin:
		i.Kind, end = Cubin, ".cubin"
		elfFacts(i, data, cudaKernel)
		if e.Debug() && i.Debug == "" {
			i.Debug = "full"
		}
	case fatbin.LTO:
		i.Kind, end = NVVM, ".ltoir"
	default:
		i.Kind = Other
	}
	i.Name = fmt.Sprintf("%s%s.%s%s", s.base, number, i.Target, end)
	return q.visit(i, data)
}
