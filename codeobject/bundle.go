package codeobject

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

const (
	// CodeBundle is a bundle that is not well-formed. Class Input.
	CodeBundle = "bad-bundle"
	// CodeNoTarget is a bundle without code for gfx803. Class Unsupported.
	CodeNoTarget = "no-code-for-target"
)

// A BundleEntry is the code object of one entry of a bundle.
type BundleEntry struct {
	ID   string // ID of the entry, for example hipv4-amdgcn-amd-amdhsa--gfx803
	Data []byte
	Off  int64 // offset in the file; -1 if the entry was compressed
}

// The magic numbers of bundles (Clang documentation, "Clang Offload Bundler").
const (
	bundleMagic     = "__CLANG_OFFLOAD_BUNDLE__"
	compressedMagic = "CCOB"
	textMagic       = bundleMagic + "__START__ "
	packageMagic    = "\x10\xff\x10\xad" // magic of llvm-offload-binary
)

const (
	maxBundle  = 256 << 20 // total size in bytes of uncompressed data
	maxEntries = 4096      // entries of one bundle
	maxID      = 1024      // bytes of an entry's ID
	maxOthers  = 20        // number of IDs of entries for other processors in a message
)

// IsBundle reports whether data is a bundle, or a host's ELF file, which may hold bundles.
func IsBundle(data []byte) bool {
	if bytes.HasPrefix(data, []byte(bundleMagic)) || bytes.HasPrefix(data, []byte(compressedMagic)) || bytes.HasPrefix(data, []byte(packageMagic)) || isTextBundle(data) {
		return true
	}
	return IsELF(data) && len(data) >= ehdrSize && data[4] == 2 && data[5] == 1 && elf.Machine(binary.LittleEndian.Uint16(data[18:])) != elf.EM_AMDGPU
}

// isTextBundle reports whether the magic string is in a comment of the first line.
func isTextBundle(data []byte) bool {
	line := data[:min(len(data), 256)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	i := bytes.Index(line, []byte(textMagic))
	return i >= 0 && len(bytes.Trim(line[:i], " \t#;/*")) == 0
}

// HostSections returns the sections of the given names of an ELF file that is not for AMDGPU, in the
// order of the file, with their contents. It returns none for other files and for a file whose
// section headers are damaged: Unbundle reports the damage.
func HostSections(data []byte, names ...string) (list []Section) {
	if !IsELF(data) || !IsBundle(data) {
		return nil
	}
	f := &file{data: data}
	if f.sectionHeaders() != nil {
		return nil
	}
	held := 0
	for _, s := range f.sections {
		if !slices.Contains(names, s.Name) || len(s.Data) == 0 {
			continue
		}
		if held += len(s.Data); held > len(data) {
			return nil // they overlap
		}
		list = append(list, s)
	}
	return list
}

// Unbundle returns the code objects for gfx803 in a clang offload bundle, plain or
// compressed, or in the sections of a host's ELF file that hold bundles. There is at
// least one.
func Unbundle(data []byte, name string) ([]BundleEntry, error) {
	u := &unbundler{name: name}
	var d *diag.Diagnostic
	switch {
	case IsELF(data):
		d = u.host(data)
	case isTextBundle(data):
		d = u.unsupported(0, "the file is a bundle of texts")
	case bytes.HasPrefix(data, []byte(packageMagic)):
		d = u.unsupported(0, "the file is an offload binary of LLVM's packager")
		d.Remedy = "take the code object out with llvm-offload-binary --image=file=k.co,arch=gfx803"
	default:
		d = u.bundles(data, 0)
	}
	if d == nil && len(u.images) == 0 {
		d = u.nothing()
	}
	if d != nil {
		return nil, d
	}
	return u.images, nil
}

// BundleEntries returns the entries of a clang offload bundle, plain or compressed, for all devices:
// code objects and other contents. It leaves out the host's entries and empty ones.
func BundleEntries(data []byte, name string) ([]BundleEntry, error) {
	u := &unbundler{name: name, every: true}
	if d := u.bundles(data, 0); d != nil {
		return nil, d
	}
	return u.images, nil
}

type unbundler struct {
	name   string
	every  bool // take the entries of all devices, with any contents
	images []BundleEntry
	others []string // IDs of the first entries for other processors
	more   int      // number of further entries for other processors
	total  uint64   // number of uncompressed bytes
}

func (u *unbundler) at(off int64) diag.Pos {
	return diag.Pos{File: u.name, Off: max(off, 0), HasOff: off >= 0}
}

func (u *unbundler) bad(off int64, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(u.at(off), diag.Input, CodeBundle, format, args...)
}

func (u *unbundler) unsupported(off int64, format string, args ...any) *diag.Diagnostic {
	d := diag.Errorf(u.at(off), diag.Unsupported, CodeUnsupported, format, args...)
	d.Remedy = "take the code object out with clang-offload-bundler --unbundle --type=o --targets=hipv4-amdgcn-amd-amdhsa--" + Target
	return d
}

// nothing returns an error that lists the entries of a file without code for gfx803.
func (u *unbundler) nothing() *diag.Diagnostic {
	list := "no entries"
	if len(u.others) > 0 {
		list = strings.Join(u.others, ", ")
		if u.more > 0 {
			list += fmt.Sprintf(" and %d more", u.more)
		}
	}
	d := diag.Errorf(diag.Pos{File: u.name}, diag.Unsupported, CodeNoTarget, "the bundle holds no code object for %s; it has %s", Target, list)
	d.Remedy = "compile it with --offload-arch=" + Target
	return d
}

// entry adds one entry of a bundle, whose bytes are at offset off of the file.
func (u *unbundler) entry(id string, data []byte, off int64) *diag.Diagnostic {
	if u.every {
		if kind, _, _ := strings.Cut(id, "-"); kind != "host" {
			u.images = append(u.images, BundleEntry{ID: id, Data: data, Off: off})
		}
		return nil
	}
	if !forTarget(id) {
		if len(u.others) == maxOthers {
			u.more++
			return nil
		}
		u.others = append(u.others, fmt.Sprintf("%.60q", id))
		return nil
	}
	switch {
	case bytes.HasPrefix(data, []byte("BC\xc0\xde")):
		return u.unsupported(off, "entry %s is LLVM bitcode, not a code object: compile without -fgpu-rdc", id)
	case !IsELF(data):
		return u.bad(off, "entry %s has %d bytes, which are no ELF file", id, len(data))
	}
	u.images = append(u.images, BundleEntry{ID: id, Data: data, Off: off})
	return nil
}

// forTarget reports whether an entry's ID is one for gfx803 on AMD's HSA:
//
//	kind - triple [ - target ID ], the triple of three or four fields
func forTarget(id string) bool {
	kind, rest, _ := strings.Cut(id, "-")
	triple, ok := strings.CutSuffix(rest, "-"+Target)
	return kind != "host" && ok && strings.HasPrefix(triple, "amdgcn-")
}

// bundles reads consecutive bundles with zeros between them: a linker joins the sections of several
// files.
func (u *unbundler) bundles(b []byte, off int64) *diag.Diagnostic {
	for {
		skipped := len(b)
		b = bytes.TrimLeft(b, "\x00")
		if off >= 0 {
			off += int64(skipped - len(b))
		}
		var n int
		var d *diag.Diagnostic
		switch {
		case len(b) == 0:
			return nil
		case bytes.HasPrefix(b, []byte(bundleMagic)):
			n, d = u.plain(b, off)
		case bytes.HasPrefix(b, []byte(compressedMagic)):
			n, d = u.compressed(b, off)
		default:
			return u.bad(off, "found %q, expected a bundle, which begins with %s or %s", b[:min(len(b), 8)], bundleMagic, compressedMagic)
		}
		if d != nil {
			return d
		}
		b = b[n:]
		if off >= 0 {
			off += int64(n)
		}
	}
}

// plain reads one bundle and returns its length:
//
//	magic 24 | number of entries 8 | entries: offset 8, size 8, length of ID 8, ID | contents
func (u *unbundler) plain(b []byte, off int64) (int, *diag.Diagnostic) {
	at := func(n int) int64 {
		if off < 0 {
			return -1
		}
		return off + int64(n)
	}
	p := len(bundleMagic)
	number := func() (uint64, bool) {
		if len(b)-p < 8 {
			return 0, false
		}
		p += 8
		return binary.LittleEndian.Uint64(b[p-8:]), true
	}
	count, ok := number()
	if !ok || count > maxEntries {
		return 0, u.bad(at(24), "bundle of %d bytes has %d entries, more than %d or than it holds", len(b), count, maxEntries)
	}
	end, held := p, uint64(0)
	for i := range count {
		start := p
		from, ok1 := number()
		size, ok2 := number()
		n, ok3 := number()
		if !ok1 || !ok2 || !ok3 || n > maxID || n > uint64(len(b)-p) {
			return 0, u.bad(at(start), "entry %d of %d of the bundle is cut off, or its ID has %d bytes, more than %d", i+1, count, n, maxID)
		}
		id := string(b[p : p+int(n)])
		p += int(n)
		if from > uint64(len(b)) || size > uint64(len(b))-from {
			return 0, u.bad(at(start), "entry %.60q of the bundle has %d bytes at offset %#x, past its end, which is at %#x", id, size, from, len(b))
		}
		if held += size; held > uint64(len(b)) {
			return 0, u.bad(at(start), "the bundle's entries overlap: together they have %d bytes, the bundle %d", held, len(b))
		}
		if end = max(end, p, int(from+size)); size > 0 || forTarget(id) {
			if d := u.entry(id, b[from:from+size:from+size], at(int(from))); d != nil {
				return 0, d
			}
		}
	}
	return max(end, p), nil
}

// compressed reads one compressed bundle and returns its length:
//
//	magic 4 | version 2 | method 2 | [file size 4, 8 in version 3] | size 4, 8 in version 3 |
//	hash 8 | contents
func (u *unbundler) compressed(b []byte, off int64) (int, *diag.Diagnostic) {
	le := binary.LittleEndian
	if len(b) < 20 {
		return 0, u.bad(off, "compressed bundle has %d bytes, expected a header of at least 20", len(b))
	}
	version, method := le.Uint16(b[4:]), le.Uint16(b[6:])
	var size uint64
	file, header := uint64(len(b)), 20
	switch {
	case version == 1:
		size = uint64(le.Uint32(b[8:]))
	case version == 2 && len(b) >= 24:
		file, size, header = uint64(le.Uint32(b[8:])), uint64(le.Uint32(b[12:])), 24
	case version == 3 && len(b) >= 32:
		file, size, header = le.Uint64(b[8:]), le.Uint64(b[16:]), 32
	case version == 2, version == 3:
		return 0, u.bad(off, "compressed bundle ends in its header, after %d bytes", len(b))
	default:
		return 0, u.unsupported(off, "compressed bundle is of version %d, expected 1 to 3", version)
	}
	if file < uint64(header) || file > uint64(len(b)) {
		return 0, u.bad(off, "compressed bundle says that it has %d bytes, of which %d are there", file, len(b))
	}
	if method > 1 {
		return 0, u.unsupported(off, "the bundle is compressed with method %d; zlib (0) and zstd (1) are supported", method)
	}
	if u.total += size; u.total > maxBundle {
		return 0, u.unsupported(off, "the bundle has %d bytes uncompressed; at most %d are accepted", u.total, maxBundle)
	}
	plain, sum, err := uncompress(method, b[header:file], size)
	if err != nil || uint64(len(plain)) != size {
		return 0, u.bad(off, "compressed bundle says that it holds %d bytes; %d came out (%v)", size, len(plain), err)
	}
	// The file holds the first half of the hash.
	if !bytes.Equal(sum[:8], b[header-8:header]) {
		return 0, u.bad(off, "the compressed bundle's hash is %x, that of its contents %x", b[header-8:header], sum[:8])
	}
	if !bytes.HasPrefix(plain, []byte(bundleMagic)) {
		return 0, u.bad(off, "what the compressed bundle holds begins with %q, expected %s", plain[:min(len(plain), 8)], bundleMagic)
	}
	return int(file), u.bundles(plain, -1)
}

// host reads a host's ELF file. A section .hip_fatbin holds bundles. In an object file that clang
// bundled, each entry is a section of its own.
func (u *unbundler) host(data []byte) *diag.Diagnostic {
	f := &file{data: data, name: u.name}
	machine := elf.Machine(f.u16(18))
	if d := f.sectionHeaders(); d != nil {
		return d
	}
	found, held := false, 0
	for i := range f.sections {
		s := &f.sections[i]
		id, entry := strings.CutPrefix(s.Name, bundleMagic)
		var d *diag.Diagnostic
		switch {
		case s.Name == ".hip_fatbin":
			d = u.bundles(s.Data, s.Offset)
		case entry && len(id) <= maxID:
			if len(s.Data) > 1 { // the host's section is a placeholder
				d = u.entry(id, s.Data, s.Offset)
			}
		case s.Name == ".llvm.offloading":
			d = u.unsupported(s.Offset, "section .llvm.offloading is an offload binary of LLVM's packager")
			d.Remedy = "take the code object out with llvm-offload-binary --image=file=k.co,arch=gfx803"
		default:
			continue
		}
		if held += len(s.Data); d == nil && held > len(data) {
			d = u.bad(s.Offset, "sections of code for GPUs overlap: together they have %d bytes, the file %d", held, len(data))
		}
		if found = true; d != nil {
			return d
		}
	}
	if found {
		return nil
	}
	d := f.unsupported(18, "machine is %s, expected EM_AMDGPU (224)", machine)
	d.Remedy = "this is code for a processor, without a section .hip_fatbin or .nv_fatbin: give the file for the GPU"
	if machine == elf.Machine(190) {
		d = f.unsupported(18, "machine is EM_CUDA: this is a cubin, machine code for an NVIDIA GPU")
		d.Remedy = "give the PTX that it was made of: nvcc -ptx, or crosslane extract of the program"
	}
	return d
}
