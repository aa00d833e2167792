package extract

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin/fatbintest"
)

// le is the order of bytes in all files here.
var le = binary.LittleEndian

// module is the text of a PTX module, with words that are no kernels.
func module(target string, kernels ...string) string {
	s := "//\n// .entry not1\n/* .entry not2 */\n.version 8.5\n.target " + target + "\n.address_size 64\n.global .align 1 .b8 s[] = {1};\n.func f(.param .b32 x) { ret; }\n"
	for _, k := range kernels {
		s += ".visible .entry " + k + "(\n.param .u64 p\n)\n{ ret; }\n"
	}
	return s
}

// item is what a test says of an Item.
func item(i *Item) string {
	if i.Problem != nil {
		return fmt.Sprintf("%s %s! %s", i.File, i.Entry, i.Problem.Code)
	}
	return fmt.Sprintf("%s %s %s %s %s %s %s", i.File, i.Entry, i.Kind, i.Target, i.Compression, i.Debug, strings.Join(i.Kernels, ","))
}

// searched returns the Items of a file as text, and their contents.
func searched(t testing.TB, name string, data []byte) (list []string, contents [][]byte) {
	t.Helper()
	found, err := Search(bytes.NewReader(data), int64(len(data)), name, func(i *Item, data []byte) error {
		list = append(list, item(i))
		contents = append(contents, bytes.Clone(data))
		return nil
	})
	if err != nil || found != len(list) {
		t.Fatalf("%s: %d of %d, %v", name, found, len(list), err)
	}
	return list, contents
}

// zipped makes a zip file; members whose names end in .raw are stored.
func zipped(t testing.TB, members ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		name := members[i].(string)
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if strings.HasSuffix(name, ".raw") {
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(members[i+1].([]byte)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// arMember is a member of an archive (ar(5)).
func arMember(name string, data []byte) []byte {
	out := fmt.Appendf(nil, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", name, 0, 0, 0, "644", len(data))
	out = append(out, data...)
	if len(data)%2 == 1 {
		out = append(out, '\n')
	}
	return out
}

// windows makes a PE file with a section (Microsoft, "PE Format").
func windows(name string, data []byte) []byte {
	out := make([]byte, 64)
	copy(out, "MZ")
	le.PutUint32(out[60:], 64)
	out = append(out, "PE\x00\x00"...)
	out = le.AppendUint16(out, 0x8664)
	out = le.AppendUint16(out, 1)
	out = append(out, make([]byte, 16)...) // no symbols, no optional header
	head := make([]byte, 40)
	copy(head, name)
	le.PutUint32(head[8:], uint32(len(data)))
	le.PutUint32(head[16:], uint32(len(data)))
	le.PutUint32(head[20:], uint32(len(out)+40))
	return append(append(out, head...), data...)
}

// packed makes an offload binary of version 1 (llvm/Object/OffloadBinary.h).
func packed(arch string, image []byte) []byte {
	const head, entry, strings = 32, 40, 16
	text := "arch\x00" + arch + "\x00"
	from := (head + entry + strings + len(text) + 7) &^ 7
	size := (from + len(image) + 7) &^ 7
	out := make([]byte, size)
	copy(out, "\x10\xff\x10\xad\x01")
	for at, v := range map[int]int{8: size, 16: head, 24: entry, head + 8: head + entry, head + 16: 1, head + 24: from, head + 32: len(image), head + entry: head + entry + strings, head + entry + 8: head + entry + strings + 5} {
		le.PutUint64(out[at:], uint64(v))
	}
	copy(out[head+entry+strings:], text)
	copy(out[from:], image)
	return out
}

// bundle makes a clang offload bundle (Clang documentation, "Clang Offload Bundler").
func bundle(id string, data []byte) []byte {
	out := append([]byte("__CLANG_OFFLOAD_BUNDLE__"), 1, 0, 0, 0, 0, 0, 0, 0)
	out = le.AppendUint64(out, uint64(32+24+len(id)))
	out = le.AppendUint64(out, uint64(len(data)))
	out = le.AppendUint64(out, uint64(len(id)))
	return append(append(out, id...), data...)
}

// Code is found in every kind of file, with its facts and its contents.
func TestSearch(t *testing.T) {
	t.Parallel()
	object, err := os.ReadFile("../../codeobject/testdata/scan5.co")
	if err != nil {
		t.Fatal(err)
	}
	a, b := module("sm_80", "k1", "k2"), module("sm_90a, debug", "k3")
	two := fatbintest.Write(
		fatbintest.Text(80, a), fatbintest.Entry{Kind: fatbintest.Cubin, SM: 90, Flags: fatbintest.Specific, Data: []byte("\x7fELF")},
		fatbintest.Entry{Kind: fatbintest.PTX, SM: 90, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRaw([]byte(b)), Plain: len(b)})
	one := fatbintest.Write(fatbintest.Entry{Kind: fatbintest.PTX, SM: 80, Flags: fatbintest.LZ4, Data: fatbintest.LZ4Literals([]byte(a)), Plain: len(a)})
	elf := func(list ...fatbintest.Section) []byte { return fatbintest.ELF(fatbintest.X86_64, list...) }
	app := elf(fatbintest.Section{Name: ".text", Data: []byte("code")},
		fatbintest.Section{Name: "__nv_relfatbin", Data: one}, fatbintest.Section{Name: ".nv_fatbin", Data: fatbintest.Join(nil, two, fatbintest.Write(), one)})
	inApp := func(name string) []string {
		return []string{name + " #1.1 ptx sm_80   k1,k2", name + " #1.2 cubin sm_90a   ", name + " #1.3 ptx sm_90a zstd full k3", name + " #3.1 ptx sm_80 LZ4  k1,k2", name + " #4.1 ptx sm_80 LZ4  k1,k2"}
	}
	hip := bundle("hipv4-amdgcn-amd-amdhsa--gfx803", object)
	long := strings.Repeat("long_name_", 4) + ".o"
	for _, c := range []struct {
		name string
		data []byte
		want []string
	}{
		{"k.ptx", []byte(a), []string{"k.ptx  ptx sm_80   k1,k2"}},
		{"k.fatbin", two, []string{"k.fatbin #1.1 ptx sm_80   k1,k2", "k.fatbin #1.2 cubin sm_90a   ", "k.fatbin #1.3 ptx sm_90a zstd full k3"}},
		{"app", app, inApp("app")},
		{"arm", fatbintest.ELF(fatbintest.AArch64, fatbintest.Section{Name: ".nv_fatbin", Data: one}), []string{"arm #1.1 ptx sm_80 LZ4  k1,k2"}},
		{"app.exe", windows(".nv_fatb", one), []string{"app.exe #1.1 ptx sm_80 LZ4  k1,k2"}},
		{"k.hsaco", object, []string{"k.hsaco  code-object gfx803   scan"}},
		{"k.hipfb", append(bytes.Clone(hip), hip...), []string{"k.hipfb #1 code-object gfx803   scan", "k.hipfb #2 code-object gfx803   scan"}},
		{"hip", elf(fatbintest.Section{Name: ".hip_fatbin", Data: hip}), []string{"hip #1 code-object gfx803   scan"}},
		{"hip.o", elf(fatbintest.Section{Name: bundleSection + "host-x86_64--", Data: []byte("xx")}, fatbintest.Section{Name: bundleSection + "hip-amdgcn-amd-amdhsa--gfx90a", Data: []byte("BC\xc0\xde")}), []string{"hip.o #1 bitcode gfx90a   "}},
		{"new.o", elf(fatbintest.Section{Name: ".llvm.offloading", Data: append(packed("gfx803", object), packed("sm_80", []byte(a))...)}), []string{"new.o #1 code-object gfx803   scan", "new.o #2 ptx sm_80   k1,k2"}},
		{"lib.a", bytes.Join([][]byte{[]byte("!<arch>\n"), arMember("/", []byte("symbol table")), arMember("//", []byte("x/\n"+long+"/\n")), arMember("/3", app), arMember("c.o/", elf()), arMember("#1/5", append([]byte("bsd.o"), one...)), arMember("odd", []byte("odd")), arMember("k.ptx/", []byte(a))}, nil),
			slices.Concat(inApp("lib.a("+long+")"), []string{"lib.a(bsd.o) #1.1 ptx sm_80 LZ4  k1,k2", "lib.a(k.ptx)  ptx sm_80   k1,k2"})},
		{"p.whl", zipped(t, "p/a.py", []byte("import b\n"), "p/lib.so", app, "p/k.raw", []byte(a), "p/inner.zip", zipped(t, "in.fatbin", one)),
			slices.Concat(inApp("p.whl(p/lib.so)"), []string{"p.whl(p/k.raw)  ptx sm_80   k1,k2", "p.whl(p/inner.zip)(in.fatbin) #1.1 ptx sm_80 LZ4  k1,k2"})},
		{"stand-in.o", fatbintest.ELF(190, fatbintest.Section{Name: ".crosslane.ptx", Data: []byte(a)}), []string{"stand-in.o  ptx sm_80   k1,k2"}},
		// Twins without code.
		{"plain", elf(fatbintest.Section{Name: ".text", Data: one}), nil},
		{"plain.exe", windows(".text", one), nil},
		{"dos.exe", []byte("MZ and a text"), nil},
		{"text", []byte("// about .version 8.5\nint x;\n"), nil},
		{"empty", nil, nil},
		{"empty.a", []byte("!<arch>\n"), nil},
		{"p2.whl", zipped(t, "a.py", []byte(".versions = 1")), nil},
	} {
		got, contents := searched(t, c.name, c.data)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: found\n%s\nexpected\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			continue
		}
		for i, s := range got {
			want := ""
			switch {
			case strings.Contains(s, "k1,k2"):
				want = a
			case strings.Contains(s, "k3"):
				want = b
			case strings.Contains(s, "   scan"):
				want = string(object)
			default:
				continue
			}
			if string(contents[i]) != want {
				t.Errorf("%s: entry %d has %d bytes, expected %d", c.name, i, len(contents[i]), len(want))
			}
		}
	}
}

// unit.cu says how nvcc made the file.
func TestCompiled(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/unit.fatbin")
	if err != nil {
		t.Fatal(err)
	}
	got, contents := searched(t, "u", data)
	want := []string{"u #1.1 ptx sm_75 zstd lines fill,_Z5scaleIfEvPT_", "u #1.2 cubin sm_75 zstd lines _Z5scaleIfEvPT_,fill", "u #1.3 cubin sm_90a zstd lines _Z5scaleIfEvPT_,fill"}
	if !slices.Equal(got, want) {
		t.Fatalf("found\n%s", strings.Join(got, "\n"))
	}
	if !bytes.Contains(contents[0], []byte(".version 9.5\n.target sm_75\n")) || !bytes.HasPrefix(contents[1], []byte("\x7fELF")) {
		t.Errorf("contents %.60q, %.8q", contents[0], contents[1])
	}
	if got, _ := searched(t, "k.cubin", contents[2]); !slices.Equal(got, []string{"k.cubin  cubin sm_90  lines _Z5scaleIfEvPT_,fill"}) {
		t.Errorf("the cubin alone: %q", got)
	}
}

// Files get names of their last part, which are legal on all systems.
func TestNames(t *testing.T) {
	t.Parallel()
	one := fatbintest.Write(fatbintest.Text(80, module("sm_80")))
	for name, want := range map[string]string{"dir/app": "app#1.sm_80.ptx", `dir\a:b.exe`: "a_b.exe#1.sm_80.ptx", "..": "..#1.sm_80.ptx"} {
		if _, err := Search(bytes.NewReader(one), int64(len(one)), name, func(i *Item, _ []byte) error {
			if i.Name != want {
				t.Errorf("%s: %q, expected %q", name, i.Name, want)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	// The path of a member leads nowhere.
	whl := zipped(t, "../../x/k.ptx", []byte(module("sm_80")))
	if _, err := Search(bytes.NewReader(whl), int64(len(whl)), "p.whl", func(i *Item, _ []byte) error {
		if i.Name != "k.ptx" {
			t.Errorf("%q", i.Name)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// A damaged part is reported by name, and the rest is found.
func TestDamaged(t *testing.T) {
	t.Parallel()
	one := fatbintest.Write(fatbintest.Text(80, module("sm_80", "k")))
	edit := func(b []byte, f func(b []byte)) []byte {
		b = bytes.Clone(b)
		f(b)
		return b
	}
	elf := fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: ".nv_fatbin", Data: one}, fatbintest.Section{Name: ".nv_fatbin", Data: one})
	heads := le.Uint64(elf[40:])
	archive := slices.Concat([]byte("!<arch>\n"), arMember("a.o/", one))
	wheel := zipped(t, "a.fatbin", one, "b.fatbin", one)
	pack := packed("sm_80", []byte(module("sm_80", "k")))
	deep := one
	for range maxDepth + 1 {
		deep = zipped(t, "x.raw", deep)
	}
	for _, c := range []struct {
		name string
		data []byte
		want string // of a problem
		rest int    // pieces that are found
	}{
		{"second fat binary", append(bytes.Clone(one), "garbage!"...), "found bytes 67617262", 1},
		{"fat binary without length", edit(one, func(b []byte) { clear(b[6:16]) }), "header has 0 bytes", 0},
		{"fat binary cut off", one[:len(one)-1], "of which", 0},
		{"entry", fatbintest.Write(fatbintest.Entry{Kind: 1, SM: 80, Flags: fatbintest.Zstd, Data: []byte("no frame"), Plain: 9}, fatbintest.Text(80, module("sm_80"))), "do not uncompress", 1},
		{"sections overlap", edit(elf, func(b []byte) {
			copy(b[heads+2*64+24:heads+2*64+40], b[heads+64+24:])
			le.PutUint64(b[heads+64+32:], uint64(len(elf)-64))
		}), "or sections overlap", 2},
		{"section outside", edit(elf, func(b []byte) { le.PutUint64(b[heads+64+24:], 1<<62) }), "which the file of", 0},
		{"ELF head", elf[:70], "the ELF file is damaged", 0},
		{"archive cut off", archive[:len(archive)-9], "or its 272 bytes are cut off", 0},
		{"archive's size", edit(archive, func(b []byte) { copy(b[8+48:], "12x") }), "is damaged", 0},
		{"archive's names", slices.Concat([]byte("!<arch>\n"), arMember("/77", one)), "is at \"77\" of the list of names", 0},
		{"archive's end", append(bytes.Clone(archive), "abc"...), "ends after", 1},
		{"thin archive", []byte("!<thin>\nabc"), "the archive is thin", 0},
		{"zip's directory", wheel[:len(wheel)-30], "the zip file is damaged", 0},
		{"zip's member", edit(wheel, func(b []byte) { b[60] ^= 0xff }), "cannot be uncompressed", 1},
		{"bundle", []byte("__CLANG_OFFLOAD_BUNDLE__"), "has 0 entries", 0},
		{"deep", deep, "more than 4 deep", 0},
		{"package's size", edit(pack, func(b []byte) { le.PutUint64(b[8:], 1<<40) }), "of which", 0},
		{"package's version", edit(pack, func(b []byte) { b[4] = 9 }), "version 9", 0},
		{"package's entry", edit(pack, func(b []byte) { le.PutUint64(b[16:], 1<<40) }), "1 entries at", 0},
		{"package's image", edit(pack, func(b []byte) { le.PutUint64(b[32+24:], 1<<40) }), "past its end", 0},
		{"package's strings", edit(pack, func(b []byte) { le.PutUint64(b[32+16:], 1<<40) }), "or more than 64", 0},
		{"package's end", append(bytes.Clone(pack), "abc"...), "expected an offload binary", 1},
	} {
		rest, problems := 0, ""
		_, err := Search(bytes.NewReader(c.data), int64(len(c.data)), "f", func(i *Item, _ []byte) error {
			if i.Problem == nil {
				rest++
			} else {
				problems += i.Problem.Message + "\n"
			}
			return nil
		})
		if err != nil || rest != c.rest || !strings.Contains(problems, c.want) {
			t.Errorf("%s: %d pieces, expected %d; %v; problems\n%s, expected %s", c.name, rest, c.rest, err, problems, c.want)
		}
	}
}

// Machine code that is too large is listed and not uncompressed; the entries after it are read, however many there are.
func TestLarge(t *testing.T) {
	t.Parallel()
	const size = 480 * 128 << 10 // within the limit of one entry
	var list []fatbintest.Entry
	for range 6 {
		list = append(list, fatbintest.Entry{Kind: fatbintest.Cubin, SM: 80, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRun(size, 480), Plain: size})
	}
	list = append(list, fatbintest.Entry{Kind: fatbintest.Cubin, SM: 90, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRun(2*size, 960), Plain: 2 * size}, fatbintest.Text(80, module("sm_80", "k")))
	data := fatbintest.Write(list...)
	unread, read := 0, 0
	if _, err := Search(bytes.NewReader(data), int64(len(data)), "f", func(i *Item, data []byte) error {
		switch {
		case i.Problem != nil:
			t.Error(i.Problem)
		case i.Unread:
			unread++
			if i.Size != 2*size || i.Target != "sm_90" || i.Kind != Cubin || data != nil {
				t.Errorf("%+v", i)
			}
		default:
			read++
		}
		return nil
	}); err != nil || unread != 1 || read != 7 {
		t.Errorf("%d unread, %d read, %v", unread, read, err)
	}
}

// An error of visit ends the search.
func TestVisitEnds(t *testing.T) {
	t.Parallel()
	data := fatbintest.Write(fatbintest.Text(80, module("sm_80")), fatbintest.Text(90, module("sm_90")))
	n, err := Search(bytes.NewReader(data), int64(len(data)), "f", func(*Item, []byte) error { return io.ErrClosedPipe })
	if n != 1 || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%d, %v", n, err)
	}
}

// tool finds a program that the test compares with.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatalf("%s is not installed, but CROSSLANE_REQUIRE_ORACLES is 1", name)
		}
		t.Skipf("%s is not installed", name)
	}
	return path
}

// Containers of LLVM's tools are read: offload binaries, archives, compressed bundles, HIP objects of clang.
func TestLikeLLVM(t *testing.T) {
	t.Parallel()
	pack, ar, bundler, clang := tool(t, "llvm-offload-binary-22"), tool(t, "llvm-ar-22"), tool(t, "clang-offload-bundler-22"), tool(t, "clang-22")
	dir := t.TempDir()
	object, err := filepath.Abs("../../codeobject/testdata/scan5.co")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(module("sm_80", "k")), 0o666),
		os.WriteFile(filepath.Join(dir, "h.hip"), []byte("struct dim3 { unsigned x, y, z; };\nextern \"C\" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);\nextern \"C\" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);\n__attribute__((global)) void fill(int *p) { *p = 1; }\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	run(pack, "-o", "p.bin", "--image=file=k.ptx,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=cuda", "--image=file="+object+",triple=amdgcn-amd-amdhsa,arch=gfx803,kind=hip")
	run(ar, "--format=gnu", "rcS", "gnu.a", "p.bin", "k.ptx")
	run(ar, "--format=bsd", "rcS", "bsd.a", "p.bin", "k.ptx")
	run(bundler, "-type=o", "-compress", "-targets=host-x86_64-unknown-linux--,hipv4-amdgcn-amd-amdhsa--gfx803", "-input=/dev/null", "-input="+object, "-output=c.hipfb")
	run(clang, "-x", "hip", "-c", "-nogpuinc", "-nogpulib", "--offload-arch=gfx803", "--offload-arch=gfx900", "-fuse-ld=lld", "h.hip", "-o", "h.o")
	for name, want := range map[string][]string{
		"p.bin":   {"p.bin #1 ptx sm_80   k", "p.bin #2 code-object gfx803   scan"},
		"gnu.a":   {"gnu.a(p.bin) #1 ptx sm_80   k", "gnu.a(p.bin) #2 code-object gfx803   scan", "gnu.a(k.ptx)  ptx sm_80   k"},
		"bsd.a":   {"bsd.a(p.bin) #1 ptx sm_80   k", "bsd.a(p.bin) #2 code-object gfx803   scan", "bsd.a(k.ptx)  ptx sm_80   k"},
		"c.hipfb": {"c.hipfb #1 code-object gfx803 bundle  scan"},
		"h.o":     {"h.o #1 code-object gfx803   _Z4fillPi", "h.o #2 code-object gfx900:xnack any   _Z4fillPi"},
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := searched(t, name, data); !slices.Equal(got, want) {
			t.Errorf("%s: found\n%s\nexpected\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// No input makes a search panic, and each problem is a diagnostic.
func FuzzSearch(f *testing.F) {
	one := fatbintest.Write(fatbintest.Text(80, module("sm_80", "k")))
	object, err := os.ReadFile("../../codeobject/testdata/scan5.co")
	if err != nil {
		f.Fatal(err)
	}
	unit, err := os.ReadFile("testdata/unit.fatbin")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{
		one, object, unit, []byte(module("sm_80", "k")),
		fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: ".nv_fatbin", Data: one}, fatbintest.Section{Name: ".llvm.offloading", Data: packed("sm_80", one)}),
		slices.Concat([]byte("!<arch>\n"), arMember("//", []byte("x/\n")), arMember("/0", one)),
		zipped(f, "a.fatbin", one, "b.raw", one), windows(".nv_fatb", one),
		bundle("hip-amdgcn-amd-amdhsa--gfx803", object), packed("sm_80", object),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Search(bytes.NewReader(data), int64(len(data)), "f", func(i *Item, _ []byte) error {
			if i.Problem != nil && (i.Problem.Code == "" || len(diag.Of(i.Problem)) != 1) || i.Problem == nil && (i.Kind == "" || i.Name == "") {
				t.Errorf("%+v", i)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}
