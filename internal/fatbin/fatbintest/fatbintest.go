// Package fatbintest writes NVIDIA fat binaries, and ELF files that hold them, for tests. It shares no
// code with the reader.
package fatbintest

import "encoding/binary"

var le = binary.LittleEndian

// Flags of an Entry, as nvcc writes them.
const (
	LZ4      = 0x2000
	Zstd     = 0x8000
	Specific = 0x100000 // sm_90a
	Family   = 0x200000 // sm_100f
)

// The kinds of an Entry.
const (
	PTX   = 1
	Cubin = 2
	LTO   = 8
)

// An Entry is one entry of a fat binary. Write compresses nothing: Data goes into the file as it is.
type Entry struct {
	Kind  int
	SM    int
	Flags uint64 // in addition to those of every file: 64 bits, Linux
	Name  string
	Data  []byte
	Plain int // bytes of the uncompressed payload; 0 if Data is not compressed
}

// Text is the entry of PTX text for a target. Its payload ends in zeros, as nvcc pads it.
func Text(sm int, text string) Entry {
	return Entry{Kind: PTX, SM: sm, Data: append([]byte(text), make([]byte, 8-len(text)%8)...)}
}

// Write makes one fat binary.
func Write(list ...Entry) []byte {
	var body []byte
	for _, e := range list {
		head := make([]byte, 64)
		if e.Name != "" {
			le.PutUint32(head[32:], 64)
			le.PutUint32(head[36:], uint32(len(e.Name)))
			head = append(head, e.Name...)
			for len(head)%8 != 0 {
				head = append(head, 0)
			}
		}
		padded := (len(e.Data) + 7) &^ 7
		le.PutUint16(head, uint16(e.Kind))
		le.PutUint16(head[2:], 0x0101)
		le.PutUint32(head[4:], uint32(len(head)))
		le.PutUint64(head[8:], uint64(padded))
		if e.Plain > 0 {
			le.PutUint32(head[16:], uint32(len(e.Data)))
		}
		le.PutUint16(head[24:], 5)
		le.PutUint16(head[26:], 8)
		le.PutUint32(head[28:], uint32(e.SM))
		le.PutUint64(head[40:], 0x11|e.Flags)
		le.PutUint64(head[56:], uint64(e.Plain))
		body = append(append(body, head...), e.Data...)
		body = append(body, make([]byte, padded-len(e.Data))...)
	}
	out := le.AppendUint32(nil, 0xba55ed50)
	out = le.AppendUint16(out, 1)
	out = le.AppendUint16(out, 16)
	return append(le.AppendUint64(out, uint64(len(body))), body...)
}

// ZstdRaw makes a zstd frame of blocks that are not compressed (RFC 8878, 3.1.1).
func ZstdRaw(text []byte) []byte {
	// A single segment with its size in four bytes, no checksum.
	out := le.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, uint32(len(text)))
	for first := true; first || len(text) > 0; first = false {
		n := min(len(text), 100<<10)
		head := uint32(n) << 3
		if n == len(text) {
			head |= 1 // the last block
		}
		out = append(out, byte(head), byte(head>>8), byte(head>>16))
		out, text = append(out, text[:n]...), text[n:]
	}
	return out
}

// ZstdRun makes a zstd frame that states a size of stated bytes and has n blocks of 128 KB, each a
// repeated byte (RFC 8878, 3.1.1.2.2). It takes four bytes a block.
func ZstdRun(stated uint64, n int) []byte {
	out := le.AppendUint64([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0}, stated)
	for i := range n {
		head := uint32(128<<10)<<3 | 1<<1
		if i == n-1 {
			head |= 1
		}
		out = append(out, byte(head), byte(head>>8), byte(head>>16), ' ')
	}
	return out
}

// LZ4Literals makes an LZ4 block without matches.
func LZ4Literals(text []byte) []byte {
	n := len(text)
	if n < 15 {
		return append([]byte{byte(n << 4)}, text...)
	}
	out := []byte{0xf0}
	for n -= 15; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(n)), text...)
}

// A Section is a section of an ELF file.
type Section struct {
	Name string
	Data []byte
}

// The numbers of ELF machines.
const (
	X86_64  = 62
	AArch64 = 183
)

// ELF makes a 64-bit ELF file of a machine with the given sections.
func ELF(machine int, list ...Section) []byte {
	names := "\x00"
	out := make([]byte, 64)
	copy(out, "\x7fELF\x02\x01\x01")
	heads := make([]byte, 64)
	all := append(list[:len(list):len(list)], Section{Name: ".shstrtab"})
	for i, s := range all {
		at := len(names)
		names += s.Name + "\x00"
		if i == len(list) {
			s.Data = []byte(names)
		}
		for len(out)%8 != 0 {
			out = append(out, 0)
		}
		h := make([]byte, 64)
		le.PutUint32(h, uint32(at))
		le.PutUint32(h[4:], 1)
		if i == len(list) {
			le.PutUint32(h[4:], 3) // SHT_STRTAB
		}
		le.PutUint64(h[24:], uint64(len(out)))
		le.PutUint64(h[32:], uint64(len(s.Data)))
		out, heads = append(out, s.Data...), append(heads, h...)
	}
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	le.PutUint16(out[16:], 3)
	le.PutUint16(out[18:], uint16(machine))
	le.PutUint32(out[20:], 1) // e_version
	le.PutUint16(out[52:], 64)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[58:], 64)
	le.PutUint16(out[60:], uint16(len(all)+1))
	le.PutUint16(out[62:], uint16(len(all)))
	return append(out, heads...)
}

// Join puts fat binaries one after another, each at a multiple of 8, as a linker does.
func Join(list ...[]byte) (out []byte) {
	for _, b := range list {
		for len(out)%8 != 0 {
			out = append(out, 0)
		}
		out = append(out, b...)
	}
	return append(out, make([]byte, 16)...)
}

// Wrapper makes the entry of .nvFatBinSegment for a fat binary. Version 2 has a second pointer, to an
// array of fat binaries.
func Wrapper(version int, data, extra uint64) []byte {
	out := le.AppendUint32(nil, 0x466243b1)
	out = le.AppendUint32(out, uint32(version))
	return le.AppendUint64(le.AppendUint64(out, data), extra)
}
