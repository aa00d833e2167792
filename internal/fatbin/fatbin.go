// Package fatbin reads NVIDIA fat binaries: containers that hold one translation unit as PTX text
// and as machine code (cubin), once for each architecture. NVIDIA does not document the format. The
// comments here describe the files of nvcc 12 and 13.
package fatbin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

const (
	// CodeMalformed is a fat binary that is not well-formed. Class Input.
	CodeMalformed = "bad-fatbin"
	// CodeNoPTX is a fat binary without PTX for the device. Class Unsupported.
	CodeNoPTX = "no-ptx"
)

// A Kind is the kind of an entry's contents.
type Kind uint16

// The kinds of entries that nvcc writes.
const (
	PTX   Kind = 1 // the text of a PTX module
	Cubin Kind = 2 // machine code in an ELF file
	LTO   Kind = 8 // NVVM IR for optimization at link time
)

// String describes the kind.
func (k Kind) String() string {
	switch k {
	case PTX:
		return "PTX"
	case Cubin:
		return "machine code"
	case LTO:
		return "NVVM IR"
	}
	return "kind " + strconv.Itoa(int(k))
}

// The bits of Entry.Flags that this package uses. The bits 0 to 6 say: 64-bit, debug, CUDA, OpenCL,
// Linux, macOS, Windows.
const (
	flagLZ4      = 0x2000
	flagZstd     = 0x8000
	flagSpecific = 0x100000 // sm_90a
	flagFamily   = 0x200000 // sm_100f
)

// A Binary is one fat binary: the entries of one translation unit, or of one linked program.
type Binary struct {
	Entries []*Entry
	Off     int64 // offset in the file
	name    string
}

// An Entry is one entry of a fat binary. It is safe for concurrent use.
type Entry struct {
	Kind    Kind
	SM      int         // number of the architecture: 90 for sm_90a
	Version ptx.Version // of PTX, the version of the ISA; of other kinds, that of their format
	Name    string      // source file, if it was compiled with debug information; else ""
	Flags   uint64
	Off     int64 // offset of its header in the file

	name   string // of the file
	data   []byte // payload as it is in the file
	packed bool   // data is compressed
	size   uint64 // bytes of the payload in memory
	quota  *atomic.Int64
	once   sync.Once
	plain  []byte
	err    error
}

// The limits on a file.
const (
	maxPayload  = 64 << 20  // bytes of one uncompressed entry
	maxTotal    = 256 << 20 // bytes of all entries that are uncompressed
	maxEntries  = 4096      // entries of one fat binary
	maxBinaries = 1 << 16   // fat binaries of one file
)

// The sizes and numbers of the format.
const (
	magic      = 0xba55ed50
	oldMagic   = 0x1ee55a01 // of CUDA 3, in another layout
	headerSize = 16
	entrySize  = 64
)

// Is reports whether data begins with a fat binary.
func Is(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == magic
}

// Size returns the length in bytes of the fat binary whose first 16 bytes are head. ok is false if
// head is shorter, or is not the head of a fat binary.
func Size(head []byte) (n uint64, ok bool) {
	if !Is(head) || len(head) < headerSize {
		return 0, false
	}
	size, own := binary.LittleEndian.Uint64(head[8:]), uint64(binary.LittleEndian.Uint16(head[6:]))
	return size + own, size+own >= size
}

// A reader reads the fat binaries of one file or section.
type reader struct {
	data  []byte
	name  string
	off   int64 // offset of data in the file
	quota *atomic.Int64
}

func (r *reader) bad(at int, format string, args ...any) *diag.Diagnostic {
	return malformed(r.name, r.off+int64(at), format, args...)
}

// malformed is the error that the bytes at an offset of the file contradict the format.
func malformed(name string, off int64, format string, args ...any) *diag.Diagnostic {
	d := diag.Errorf(diag.Pos{File: name, Off: off, HasOff: true}, diag.Input, CodeMalformed, format, args...)
	d.Remedy = "make the file again; cuobjdump -all lists its entries"
	return d
}

func (r *reader) u16(at int) uint16 { return binary.LittleEndian.Uint16(r.data[at:]) }
func (r *reader) u32(at int) uint32 { return binary.LittleEndian.Uint32(r.data[at:]) }
func (r *reader) u64(at int) uint64 { return binary.LittleEndian.Uint64(r.data[at:]) }

// Parse reads the fat binaries of a file or of a section, which follow each other at multiples of 8
// with zeros between them. name is the file's name in diagnostics, off the offset of data in that
// file. The result shares memory with data; payloads are uncompressed when they are asked for. The
// error is a *diag.Diagnostic of class Input or Unsupported.
func Parse(data []byte, name string, off int64) ([]*Binary, error) {
	r := &reader{data: data, name: name, off: off, quota: new(atomic.Int64)}
	r.quota.Store(maxTotal)
	var list []*Binary
	for at := 0; ; {
		rest := bytes.TrimLeft(data[at:], "\x00")
		if at = len(data) - len(rest); at == len(data) {
			return list, nil
		}
		if len(list) == maxBinaries {
			return nil, r.bad(at, "the file has more than %d fat binaries", maxBinaries)
		}
		b, end, d := r.binary(at)
		if d != nil {
			return nil, d
		}
		list, at = append(list, b), end
	}
}

// binary reads the fat binary at an offset of data and returns the offset of its end:
//
//	0 magic   4 u16 version   6 u16 size of this header   8 u64 size of all entries
func (r *reader) binary(at int) (b *Binary, end int, d *diag.Diagnostic) {
	rest := len(r.data) - at
	if rest >= 4 && r.u32(at) == oldMagic {
		d := diag.Errorf(diag.Pos{File: r.name, Off: r.off + int64(at), HasOff: true}, diag.Unsupported, CodeNoPTX, "the fat binary has the layout of CUDA 3")
		d.Remedy = "compile it with a newer version of CUDA"
		return nil, 0, d
	}
	switch {
	case rest < 4 || r.u32(at) != magic:
		return nil, 0, r.bad(at, "found bytes %x, expected a fat binary, which begins with 50ed55ba", r.data[at:at+min(rest, 4)])
	case rest < headerSize:
		return nil, 0, r.bad(at, "the fat binary ends after %d bytes, expected a header of %d", rest, headerSize)
	}
	version, own, size := r.u16(at+4), int(r.u16(at+6)), r.u64(at+8)
	switch {
	case version != 1:
		return nil, 0, r.bad(at+4, "the fat binary is of version %d, expected 1", version)
	case own < headerSize || own > rest:
		return nil, 0, r.bad(at+6, "the fat binary's header has %d bytes, expected at least %d and at most %d", own, headerSize, rest)
	case size > uint64(rest-own):
		return nil, 0, r.bad(at+8, "the fat binary has entries of %d bytes, of which %d are there", size, rest-own)
	}
	b = &Binary{Off: r.off + int64(at), name: r.name}
	end = at + own + int(size)
	for p := at + own; p < end; {
		if len(b.Entries) == maxEntries {
			return nil, 0, r.bad(p, "the fat binary has more than %d entries", maxEntries)
		}
		e, next, d := r.entry(p, end)
		if d != nil {
			return nil, 0, d
		}
		b.Entries, p = append(b.Entries, e), next
	}
	return b, end, nil
}

// entry reads the entry at an offset of data and returns the offset of its end. end is that of the
// fat binary. Offsets in the header count from its beginning:
//
//	 0 u16 kind            2 u16 0x0101          4 u32 size of this header
//	 8 u64 size of payload with its padding     16 u32 size of compressed payload, or 0
//	20 u32 offset of options                    24 u16 minor, 26 u16 major version
//	28 u32 SM number      32 u32 offset of name, 36 u32 its length
//	40 u64 flags          48 u64 zero           56 u64 size of uncompressed payload, or 0
func (r *reader) entry(at, end int) (e *Entry, next int, d *diag.Diagnostic) {
	if end-at < entrySize {
		return nil, 0, r.bad(at, "the last entry of the fat binary has %d bytes, expected a header of at least %d", end-at, entrySize)
	}
	own, padded := uint64(r.u32(at+4)), r.u64(at+8)
	if own < entrySize || own > uint64(end-at) {
		return nil, 0, r.bad(at+4, "the entry's header has %d bytes, expected at least %d and at most %d", own, entrySize, end-at)
	}
	body := at + int(own)
	if padded > uint64(end-body) {
		return nil, 0, r.bad(at+8, "the entry has %d bytes, of which the fat binary holds %d", padded, end-body)
	}
	next = body + int(padded)
	e = &Entry{
		Kind: Kind(r.u16(at)), SM: int(r.u32(at + 28)), Flags: r.u64(at + 40), Off: r.off + int64(at),
		Version: ptx.Version{Major: int(r.u16(at + 26)), Minor: int(r.u16(at + 24))},
		name:    r.name, data: r.data[body:next:next], size: padded, quota: r.quota,
	}
	from, length := uint64(r.u32(at+32)), uint64(r.u32(at+36))
	if length > 0 {
		if from+length > own {
			return nil, 0, r.bad(at+32, "the entry's name has %d bytes at offset %d, past the end of the header, which has %d bytes", length, from, own)
		}
		e.Name = string(bytes.TrimRight(r.data[at+int(from):at+int(from+length)], "\x00"))
	}
	packed, size := uint64(r.u32(at+16)), r.u64(at+56)
	if e.packed = e.Flags&(flagLZ4|flagZstd) != 0; e.packed {
		if packed > padded {
			return nil, 0, r.bad(at+16, "the entry's compressed payload has %d bytes, of which %d are there", packed, padded)
		}
		if packed > 0 {
			e.data = e.data[:packed]
		}
		e.size = size
	} else if packed != 0 {
		return nil, 0, r.bad(at+40, "the entry is compressed, and its flags %#x name neither LZ4 (%#x) nor zstd (%#x)", e.Flags, flagLZ4, flagZstd)
	}
	return e, next, nil
}

// describe names an entry in a message: sm_90a. Only the flags tell the suffix of machine code.
func (e *Entry) describe() string {
	s := fmt.Sprintf("sm_%d", e.SM)
	switch {
	case e.Flags&flagSpecific != 0:
		s += "a"
	case e.Flags&flagFamily != 0:
		s += "f"
	}
	return s
}
