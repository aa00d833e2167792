package codeobject

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin/fatbintest"
)

type bundled struct {
	id   string
	data []byte
}

const hostID, gfxID = "host-x86_64-unknown-linux-gnu-", "hipv4-amdgcn-amd-amdhsa--gfx803"

// plainBundle writes a bundle in the layout of Clang's documentation.
func plainBundle(list ...bundled) []byte {
	le := binary.LittleEndian
	head := 32
	for _, e := range list {
		head += 24 + len(e.id)
	}
	b := le.AppendUint64([]byte("__CLANG_OFFLOAD_BUNDLE__"), uint64(len(list)))
	var body []byte
	for _, e := range list {
		b = le.AppendUint64(b, uint64(head+len(body)))
		b = le.AppendUint64(b, uint64(len(e.data)))
		b = le.AppendUint64(b, uint64(len(e.id)))
		b = append(b, e.id...)
		body = append(body, e.data...)
	}
	return append(b, body...)
}

// compressedBundle packs a bundle as version 1, 2 or 3.
func compressedBundle(t testing.TB, version, method uint16, plain []byte) []byte {
	t.Helper()
	le := binary.LittleEndian
	var z bytes.Buffer
	if method == 1 {
		z.Write(fatbintest.ZstdRaw(plain))
	} else {
		w := zlib.NewWriter(&z)
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b := le.AppendUint16(le.AppendUint16([]byte("CCOB"), version), method)
	switch version {
	case 1:
		b = le.AppendUint32(b, uint32(len(plain)))
	case 2:
		b = le.AppendUint32(b, uint32(24+z.Len()))
		b = le.AppendUint32(b, uint32(len(plain)))
	default:
		b = le.AppendUint64(b, uint64(32+z.Len()))
		b = le.AppendUint64(b, uint64(len(plain)))
	}
	sum := md5.Sum(plain)
	return append(append(b, sum[:8]...), z.Bytes()...)
}

// hostFile makes a 64-bit ELF file of another machine with the given sections, without a library.
func hostFile(machine uint16, list ...bundled) []byte {
	le := binary.LittleEndian
	names := "\x00"
	b := make([]byte, 64)
	copy(b, "\x7fELF\x02\x01\x01")
	heads := make([]byte, 64)
	put := func(name string, data []byte) {
		h := make([]byte, 64)
		le.PutUint32(h, uint32(len(names)))
		names += name + "\x00"
		le.PutUint32(h[4:], 1)
		le.PutUint64(h[24:], uint64(len(b)))
		le.PutUint64(h[32:], uint64(len(data)))
		b, heads = append(b, data...), append(heads, h...)
	}
	for _, s := range list {
		put(s.id, s.data)
	}
	put(".shstrtab", []byte(names+".shstrtab\x00"))
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	le.PutUint16(b[16:], 1)
	le.PutUint16(b[18:], machine)
	le.PutUint64(b[40:], uint64(len(b)))
	le.PutUint16(b[58:], 64)
	le.PutUint16(b[60:], uint16(len(list)+2))
	le.PutUint16(b[62:], uint16(len(list)+1))
	return append(b, heads...)
}

// TestUnbundle checks that the entries for gfx803 are found in every kind of container.
func TestUnbundle(t *testing.T) {
	t.Parallel()
	scan, args, calls := read(t, "testdata/scan5.co"), read(t, "testdata/args6.co"), read(t, "testdata/calls5.co")
	other := bundled{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", scan}
	one := plainBundle(bundled{hostID, nil}, other, bundled{gfxID, args})
	pad := make([]byte, 4096)
	for name, c := range map[string]struct {
		file []byte
		want [][]byte
	}{
		"plain":              {one, [][]byte{args}},
		"three-field triple": {plainBundle(bundled{"hip-amdgcn-amd-amdhsa-gfx803", scan}), [][]byte{scan}},
		"openmp and hip":     {plainBundle(bundled{gfxID, scan}, bundled{"openmp-amdgcn-amd-amdhsa--gfx803", calls}), [][]byte{scan, calls}},
		"zlib 1":             {compressedBundle(t, 1, 0, one), [][]byte{args}},
		"zlib 2":             {compressedBundle(t, 2, 0, one), [][]byte{args}},
		"zlib 3":             {compressedBundle(t, 3, 0, one), [][]byte{args}},
		"zstd 2":             {compressedBundle(t, 2, 1, one), [][]byte{args}},
		"zstd 3":             {compressedBundle(t, 3, 1, one), [][]byte{args}},
		"one after another":  {bytes.Join([][]byte{one, compressedBundle(t, 2, 0, plainBundle(bundled{gfxID, calls})), plainBundle(other)}, pad), [][]byte{args, calls}},
		"fat binary":         {hostFile(62, bundled{".text", pad}, bundled{".hip_fatbin", append(bytes.Clone(one), pad...)}), [][]byte{args}},
		"sections":           {hostFile(62, bundled{bundleMagic + hostID, []byte{0}}, bundled{bundleMagic + gfxID, calls}), [][]byte{calls}},
	} {
		if !IsBundle(c.file) {
			t.Errorf("%s: it is no bundle", name)
		}
		got, err := Unbundle(c.file, name)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %d entries, %v", name, len(got), err)
			continue
		}
		for i, w := range c.want {
			if !bytes.Equal(got[i].Data, w) || !strings.HasSuffix(got[i].ID, "gfx803") {
				t.Errorf("%s: entry %d is %s of %d bytes, expected %d", name, i, got[i].ID, len(got[i].Data), len(w))
			}
			if off := got[i].Off; off >= 0 && !bytes.HasPrefix(c.file[off:], w) {
				t.Errorf("%s: entry %d is not at offset %#x", name, i, off)
			}
		}
	}
	if IsBundle(scan) || IsBundle([]byte("s_endpgm")) {
		t.Error("a code object or a text is no bundle")
	}
}

// TestUnbundleRefuses checks which bundles are refused, and the messages.
func TestUnbundleRefuses(t *testing.T) {
	t.Parallel()
	scan := read(t, "testdata/scan5.co")
	le := binary.LittleEndian
	one := plainBundle(bundled{hostID, nil}, bundled{gfxID, scan})
	packed := func(version, method uint16, change func(b []byte)) []byte {
		b := compressedBundle(t, version, method, one)
		change(b)
		return b
	}
	keep := func([]byte) {}
	changed := func(change func(b []byte)) []byte {
		b := bytes.Clone(one)
		change(b)
		return b
	}
	// A bundle with two equal entries, and a file with two sections.
	twice := plainBundle(bundled{gfxID, scan}, bundled{gfxID, nil})
	second := 32 + 24 + len(gfxID)
	copy(twice[second:second+16], twice[32:])
	host := hostFile(62, bundled{".hip_fatbin", one}, bundled{".hip_fatbin", nil})
	shdrs := host[le.Uint64(host[40:]):]
	copy(shdrs[2*64+24:2*64+40], shdrs[64+24:])
	for _, c := range []struct {
		file []byte
		code string
		want string
	}{
		{plainBundle(bundled{"hip-amdgcn-amd-amdhsa--gfx900", scan}, bundled{"hip-amdgcn-amd-amdhsa--gfx1030", scan}), CodeNoTarget, `no code object for gfx803; it has "hip-amdgcn-amd-amdhsa--gfx900", "hip-amdgcn-amd-amdhsa--gfx1030"`},
		{plainBundle(bundled{"host-x86_64-unknown-linux-gnu-gfx803", scan}), CodeNoTarget, "no code object"},
		{plainBundle(), CodeNoTarget, "it has no entries"},
		{plainBundle(bundled{gfxID, nil}), CodeBundle, "has 0 bytes, which are no ELF file"},
		{plainBundle(bundled{gfxID, []byte("BC\xc0\xde....")}), CodeUnsupported, "is LLVM bitcode, not a code object: compile without -fgpu-rdc"},
		{changed(func(b []byte) { le.PutUint64(b[24:], 1<<60) }), CodeBundle, "has 1152921504606846976 entries"},
		{changed(func(b []byte) { le.PutUint64(b[32:], 1<<60) }), CodeBundle, "past its end"},
		{changed(func(b []byte) { le.PutUint64(b[40:], 1<<63) }), CodeBundle, "past its end"},
		{changed(func(b []byte) { le.PutUint64(b[48:], 1<<20) }), CodeBundle, "is cut off, or its ID has"},
		{twice, CodeBundle, "the bundle's entries overlap"},
		{host, CodeBundle, "sections of code for GPUs overlap"},
		{one[:30], CodeBundle, "bundle of 30 bytes has 0 entries"},
		{append(bytes.Clone(one), "rubbish"...), CodeBundle, `found "rubbish", expected a bundle`},
		{packed(2, 1, func(b []byte) { b[24]++ }), CodeBundle, "magic number mismatch"},
		{packed(2, 1, func(b []byte) { le.PutUint32(b[12:], 7) }), CodeBundle, "says that it holds 7 bytes; 8 came out"},
		{packed(2, 1, func(b []byte) { b[16]++ }), CodeBundle, "the compressed bundle's hash is"},
		{packed(2, 9, keep), CodeUnsupported, "compressed with method 9"},
		{packed(4, 0, keep), CodeUnsupported, "compressed bundle is of version 4"},
		{packed(2, 0, func(b []byte) { le.PutUint32(b[8:], 1<<30) }), CodeBundle, "says that it has 1073741824 bytes"},
		{packed(2, 0, func(b []byte) { le.PutUint32(b[8:], 3) }), CodeBundle, "says that it has 3 bytes"},
		{packed(2, 0, func(b []byte) { le.PutUint32(b[12:], 7) }), CodeBundle, "says that it holds 7 bytes; 8 came out"},
		{packed(2, 0, func(b []byte) { le.PutUint32(b[12:], 7<<20) }), CodeBundle, "says that it holds 7340032 bytes"},
		{packed(3, 0, func(b []byte) { le.PutUint64(b[16:], 1<<40) }), CodeUnsupported, "1099511627776 bytes uncompressed; at most"},
		{packed(2, 0, func(b []byte) { b[16]++ }), CodeBundle, "the compressed bundle's hash is"},
		{packed(2, 0, func(b []byte) { b[24]++ }), CodeBundle, "0 came out (zlib: invalid header)"},
		{packed(2, 0, keep)[:22], CodeBundle, "ends in its header, after 22 bytes"},
		{compressedBundle(t, 2, 0, []byte("CCOB or not")), CodeBundle, `begins with "CCOB or "`},
		{[]byte("; __CLANG_OFFLOAD_BUNDLE____START__ hip-amdgcn-amd-amdhsa--gfx803\n"), CodeUnsupported, "a bundle of texts"},
		{[]byte("\x10\xff\x10\xad\x01\x00\x00\x00"), CodeUnsupported, "an offload binary of LLVM's packager"},
		{hostFile(62, bundled{".llvm.offloading", scan}), CodeUnsupported, "section .llvm.offloading"},
		{hostFile(62, bundled{".text", scan}), CodeUnsupported, "machine is EM_X86_64, expected EM_AMDGPU"},
		{hostFile(190, bundled{".text", scan}), CodeUnsupported, "this is a cubin, machine code for an NVIDIA GPU"},
		{hostFile(62, bundled{".hip_fatbin", plainBundle(bundled{"hip-amdgcn-amd-amdhsa--gfx900", scan})}), CodeNoTarget, "gfx900"},
	} {
		if !IsBundle(c.file) {
			t.Errorf("%s: it is no bundle", c.want)
		}
		_, err := Unbundle(c.file, "f")
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != c.code || !strings.Contains(d.Error(), c.want) {
			t.Errorf("error\n%v, expected\n%s [%s]", err, c.want, c.code)
		} else if d.Class == diag.Unsupported && d.Remedy == "" {
			t.Errorf("%v: nothing says what to do", d)
		}
	}
}

// TestUnbundleLikeClang checks that bundles of clang-offload-bundler are read, plain and compressed
// with zstd.
func TestUnbundleLikeClang(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("clang-offload-bundler-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("clang-offload-bundler-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
		}
		t.Skip("clang-offload-bundler-22 is not installed")
	}
	dir := t.TempDir()
	for _, compress := range []bool{false, true} {
		out := filepath.Join(dir, "k.hipfb")
		args := []string{"-type=o", "-bundle-align=4096", "-targets=host-x86_64-unknown-linux--,hipv4-amdgcn-amd-amdhsa--gfx900,hipv4-amdgcn-amd-amdhsa--gfx803",
			"-input=/dev/null", "-input=testdata/args6.co", "-input=testdata/scan5.co", "-output=" + out}
		if compress {
			args = append(args, "-compress")
		}
		if b, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		bundle := read(t, out)
		if compress && (!bytes.HasPrefix(bundle, []byte("CCOB")) || bundle[6] != 1) {
			t.Errorf("the bundle begins with %x, expected one that is compressed with zstd", bundle[:8])
		}
		got, err := Unbundle(bundle, "k.hipfb")
		if err != nil || len(got) != 1 || !bytes.Equal(got[0].Data, read(t, "testdata/scan5.co")) {
			t.Errorf("%d entries, %v", len(got), err)
		}
		all, err := BundleEntries(bundle, "k.hipfb")
		if err != nil || len(all) != 2 || !strings.HasSuffix(all[0].ID, "gfx900") || !bytes.Equal(all[0].Data, read(t, "testdata/args6.co")) || !bytes.Equal(all[1].Data, read(t, "testdata/scan5.co")) {
			t.Errorf("all: %d entries, %v", len(all), err)
		}
	}
}

// FuzzUnbundle checks that no input makes Unbundle panic or use memory out of proportion.
func FuzzUnbundle(f *testing.F) {
	scan := []byte("\x7fELF not really")
	one := plainBundle(bundled{hostID, nil}, bundled{gfxID, scan})
	f.Add(one)
	for v := range uint16(4) {
		f.Add(compressedBundle(f, v, 0, one))
		f.Add(compressedBundle(f, v, 1, one))
	}
	f.Add(hostFile(62, bundled{".hip_fatbin", one}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if !IsBundle(b) {
			return
		}
		_, err := Unbundle(b, "f")
		var d *diag.Diagnostic
		if err != nil && (!errors.As(err, &d) || d.Code == "") {
			t.Fatalf("error %v is no diagnostic with a code", err)
		}
	})
}
