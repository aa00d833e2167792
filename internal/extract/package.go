package extract

import (
	"encoding/binary"
	"fmt"

	"example.org/crosslane/diag"
)

// packageMagic begins an offload binary of LLVM (llvm/Object/OffloadBinary.h):
//
//	0 magic 4   4 version u32   8 size u64   16 offset of the entry u64   24 size of the entry u64
//
// Version 2 has an array of entries, and their number at 24. An entry of version 1 is
//
//	0 kind of image u16   2 kind of program u16   4 flags u32
//	8 offset of strings u64   16 number of strings u64   24 offset of image u64   32 its size u64
//
// and a string two offsets, of its key and of its value.
const packageMagic = "\x10\xff\x10\xad"

const (
	packageHead  = 32
	packageEntry = 40
	maxStrings   = 64 // strings of an entry
)

// packages searches LLVM's offload binaries, which follow each other.
func (q *search) packages(s source, off, size int64, n *int) error {
	end := off + size
	for {
		off = s.skipZeros(off, end)
		if off >= end {
			return nil
		}
		*n++
		entry := fmt.Sprintf("#%d", *n)
		head, d := s.read(off, min(packageHead, end-off), headBytes, "the offload binary")
		if d != nil {
			return q.problem(s, entry, d)
		}
		if len(head) < packageHead || string(head[:4]) != packageMagic {
			return q.problem(s, entry, s.bad(off, "found bytes %x, expected an offload binary, which begins with 10ff10ad", head[:min(len(head), 4)]))
		}
		le := binary.LittleEndian
		length := le.Uint64(head[8:])
		if length < packageHead || length > uint64(end-off) {
			return q.problem(s, entry, s.bad(off+8, "the offload binary has %d bytes, of which %d are there", length, end-off))
		}
		data, d := s.read(off, int64(length), maxPiece, "the offload binary")
		if d != nil {
			return q.problem(s, entry, d)
		}
		if err := q.oneOrMore(s, off, data, entry, n); err != nil {
			return err
		}
		off += int64(length)
	}
}

// oneOrMore visits the entries of one offload binary.
func (q *search) oneOrMore(s source, off int64, data []byte, entry string, n *int) error {
	le := binary.LittleEndian
	version, first, count := le.Uint32(data[4:]), le.Uint64(data[16:]), uint64(1)
	each := uint64(packageEntry)
	switch version {
	case 1:
	case 2:
		count, each = le.Uint64(data[24:]), packageEntry+8
	default:
		return q.problem(s, entry, s.unsupported(off+4, "the offload binary is of version %d, expected 1 or 2", version))
	}
	if first > uint64(len(data)) || count > uint64(len(data))/each || count*each > uint64(len(data))-first {
		return q.problem(s, entry, s.bad(off+16, "the offload binary has %d entries at %#x, past its end, which is at %#x", count, first, len(data)))
	}
	for k := range count {
		if k > 0 {
			*n++
			entry = fmt.Sprintf("#%d", *n)
		}
		target, from, size, d := packaged(s, off, data, first+k*each)
		if d != nil {
			if err := q.problem(s, entry, d); err != nil {
				return err
			}
			continue
		}
		if err := q.image(s, entry, target, data[from:from+size], &Item{Stored: int64(size)}); err != nil {
			return err
		}
	}
	return nil
}

// packaged reads an entry: the string arch, and where its image is.
func packaged(s source, off int64, data []byte, at uint64) (arch string, from, size uint64, d *diag.Diagnostic) {
	le := binary.LittleEndian
	all := uint64(len(data))
	strings, count := le.Uint64(data[at+8:]), le.Uint64(data[at+16:])
	from, size = le.Uint64(data[at+24:]), le.Uint64(data[at+32:])
	switch {
	case from > all || size > all-from:
		return "", 0, 0, s.bad(off+int64(at)+24, "the image of the offload binary has %d bytes at %#x, past its end, which is at %#x", size, from, all)
	case count > maxStrings || strings > all || count*16 > all-strings:
		return "", 0, 0, s.bad(off+int64(at)+8, "the entry of the offload binary has %d strings at %#x, past its end, which is at %#x, or more than %d", count, strings, all, maxStrings)
	}
	text := func(at uint64) string {
		for end := at; end < all; end++ {
			if data[end] == 0 {
				return string(data[at:end])
			}
		}
		return ""
	}
	for k := range count {
		p := strings + 16*k
		if text(le.Uint64(data[p:])) == "arch" {
			arch = text(le.Uint64(data[p+8:]))
		}
	}
	return arch, from, size, nil
}
