package session

import (
	"bytes"

	"example.org/crosslane/api"
	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
)

// loadBundle loads the entries of a bundle for gfx803: the kernels of all its code objects.
func loadBundle(data []byte, file string) (*Module, error) {
	images, err := codeobject.Unbundle(data, file)
	if err != nil {
		return nil, diag.Of(err)
	}
	if len(images) == 1 {
		return loadObject(images[0].Data, memberName(file, images[0].ID))
	}
	m := &Module{file: file, isa: api.GCN3}
	from := map[string]string{}
	for _, im := range images {
		part, err := loadObject(im.Data, memberName(file, im.ID))
		if err != nil {
			return nil, err
		}
		for _, k := range part.kernels {
			if other, dup := from[k.name]; dup {
				d := diag.Errorf(diag.Pos{File: file}, diag.Unsupported, codeobject.CodeUnsupported, "the bundle holds two kernels %s: in %s and in %s", k.name, other, im.ID)
				d.Remedy = "take one of the code objects out with clang-offload-bundler --unbundle"
				return nil, diag.List{d}
			}
			from[k.name] = im.ID
		}
		m.kernels = append(m.kernels, part.kernels...)
		m.warnings = append(m.warnings, part.warnings...)
	}
	return m, nil
}

// memberName names an entry of a bundle in messages; offsets in the message count from its start.
func memberName(file, id string) string { return file + "(" + id + ")" }

// oneObject is the code object in a file that may be a bundle.
func oneObject(data []byte, file string) ([]byte, string, error) {
	if !codeobject.IsBundle(data) {
		return data, file, nil
	}
	images, err := codeobject.Unbundle(data, file)
	if err != nil {
		return nil, "", diag.Of(err)
	}
	if len(images) > 1 {
		d := diag.Errorf(diag.Pos{File: file}, diag.Unsupported, codeobject.CodeUnsupported, "the bundle holds %d code objects for %s", len(images), codeobject.Target)
		d.Remedy = "take one out with clang-offload-bundler --unbundle"
		return nil, "", diag.List{d}
	}
	return images[0].Data, memberName(file, images[0].ID), nil
}

// foreign refuses a file that begins like a format that is often mistaken for GPU code, and names
// the format; it returns nil for all other files.
func foreign(data []byte, file string) error {
	for _, f := range [...]struct{ magic, what, remedy string }{
		{"BC\xc0\xde", "LLVM bitcode", "compile it with clang --target=amdgcn-amd-amdhsa -mcpu=gfx803, or llc to PTX"},
		{"\xde\xc0\x17\x0b", "LLVM bitcode", "compile it with clang --target=amdgcn-amd-amdhsa -mcpu=gfx803, or llc to PTX"},
		{"\x03\x02\x23\x07", "a SPIR-V module", "compile its source for gfx803, or to PTX"},
		{"\x50\xed\x55\xba", "an NVIDIA fat binary", "leave out --isa gcn3: the PTX in it is read"},
		{"!<arch>\n", "an archive", "crosslane extract takes the code out of it, crosslane check checks it"},
		{"DXBC", "a DirectX shader", "compile its source for gfx803, or to PTX"},
		{"\x1f\x8b", "compressed with gzip", "uncompress it"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd", "uncompress it"},
		{"PK\x03\x04", "a zip archive", "crosslane extract takes the code out of a wheel, crosslane check checks it"},
		{"MZ", "a Windows program or library", "crosslane extract takes the code for GPUs out of it"},
		{"\xcf\xfa\xed\xfe", "a macOS program or library", "give the file for the GPU"},
	} {
		if bytes.HasPrefix(data, []byte(f.magic)) && (len(f.magic) > 2 || bytes.IndexByte(data, 0) >= 0) {
			d := diag.Errorf(diag.Pos{File: file}, diag.Unsupported, "foreign-file", "the file is %s, neither PTX nor a GCN3 code object nor assembly", f.what)
			d.Remedy = f.remedy
			return diag.List{d}
		}
	}
	return nil
}
