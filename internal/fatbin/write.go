package fatbin

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"example.org/crosslane/ptx"
)

// Write makes a fat binary of texts of PTX, none of which is compressed. Their .version and .target
// become those of the entries.
func Write(texts ...[]byte) []byte {
	var body []byte
	le := binary.LittleEndian
	for _, text := range texts {
		target, _ := textTarget(text)
		version, _ := textVersion(text)
		payload := append(append([]byte{}, text[:ptx.TextEnd(text)]...), 0)
		for len(payload)%8 != 0 {
			payload = append(payload, 0)
		}
		const flags64CUDALinux = 0x15
		flags := uint64(flags64CUDALinux)
		switch target.Suffix {
		case 'a':
			flags |= flagSpecific
		case 'f':
			flags |= flagFamily
		}
		head := make([]byte, entrySize)
		le.PutUint16(head, uint16(PTX))
		le.PutUint16(head[2:], 0x0101)
		le.PutUint32(head[4:], entrySize)
		le.PutUint64(head[8:], uint64(len(payload)))
		le.PutUint16(head[24:], uint16(version.Minor))
		le.PutUint16(head[26:], uint16(version.Major))
		le.PutUint32(head[28:], uint32(target.SM))
		le.PutUint64(head[40:], flags)
		body = append(append(body, head...), payload...)
	}
	out := le.AppendUint32(nil, magic)
	out = le.AppendUint16(le.AppendUint16(out, 1), headerSize)
	return append(le.AppendUint64(out, uint64(len(body))), body...)
}

// The ELF file that stands for a cubin: tools that pass cubins from one to the next look at the head
// and at the symbols of a file.
const (
	machineCUDA  = 190 // EM_CUDA
	imageSection = ".crosslane.ptx"
)

// Image makes an ELF file for NVIDIA GPUs that holds PTX in place of machine code.
func Image(text []byte) []byte {
	target, _ := textTarget(text)
	text = text[:ptx.TextEnd(text)]
	const ehdr, shdr = 64, 64
	names := "\x00" + imageSection + "\x00.shstrtab\x00"
	le := binary.LittleEndian
	out := make([]byte, ehdr)
	copy(out, "\x7fELF\x02\x01\x01\x33\x07") // 64 bits, little-endian, the OS ABI and the ABI version of CUDA
	out = append(out, text...)
	namesAt := len(out)
	out = append(out, names...)
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	le.PutUint16(out[16:], uint16(elf.ET_REL))
	le.PutUint16(out[18:], machineCUDA)
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint32(out[48:], uint32(target.SM))
	le.PutUint16(out[52:], ehdr)
	le.PutUint16(out[58:], shdr)
	le.PutUint16(out[60:], 3)
	le.PutUint16(out[62:], 2)
	section := func(name string, kind elf.SectionType, at, size int) {
		h := make([]byte, shdr)
		if name != "" {
			le.PutUint32(h, uint32(bytes.Index([]byte(names), []byte(name))))
		}
		le.PutUint32(h[4:], uint32(kind))
		le.PutUint64(h[24:], uint64(at))
		le.PutUint64(h[32:], uint64(size))
		le.PutUint64(h[48:], 1)
		out = append(out, h...)
	}
	section("", elf.SHT_NULL, 0, 0)
	section(imageSection, elf.SHT_PROGBITS, ehdr, len(text))
	section(".shstrtab", elf.SHT_STRTAB, namesAt, len(names))
	return out
}

// ImageText returns the PTX of a file that Image made; ok is false for other files.
func ImageText(data []byte) (text []byte, ok bool) {
	if len(data) < 20 || !bytes.HasPrefix(data, []byte("\x7fELF")) || binary.LittleEndian.Uint16(data[18:]) != machineCUDA {
		return nil, false
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	s := f.Section(imageSection)
	if s == nil || s.Offset > uint64(len(data)) || s.Size > uint64(len(data))-s.Offset {
		return nil, false
	}
	return data[s.Offset : s.Offset+s.Size : s.Offset+s.Size], true
}
