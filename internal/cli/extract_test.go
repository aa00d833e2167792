package cli

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/internal/fatbin/fatbintest"
)

// A kernel for a target. Its static check finds a vote that not all members reach, unless it is right.
func voteKernel(target, name string, right bool) string {
	guard := "@%p1 "
	if right {
		guard = ""
	}
	return `.version 8.0
.target ` + target + `
.address_size 64
.visible .entry ` + name + `()
{
	.reg .pred %p<2>;
	.reg .b32 %r<2>;
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 7;
	` + guard + `bra AT;
	vote.sync.any.pred %p1, %p1, -1;
AT:
	ret;
}
`
}

// archiveOf makes an archive with one member (ar(5)).
func archiveOf(name string, data []byte) []byte {
	return append(fmt.Appendf(nil, "!<arch>\n%-16s%-12d%-6d%-6d%-8s%-10d`\n", name, 0, 0, 0, "644", len(data)), data...)
}

// padded is data of an even length, as archives want.
func padded(data []byte) []byte { return append(data, make([]byte, len(data)%2)...) }

// extract lists and writes what is in a wheel, a program and a folder; check checks it.
func TestExtract(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	section := func(list ...[]byte) []byte {
		return fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: ".nv_fatbin", Data: fatbintest.Join(list...)})
	}
	good, bad := voteKernel("sm_80", "good", true), voteKernel("sm_90", "bad", false)
	cubin := fatbintest.Entry{Kind: fatbintest.Cubin, SM: 86, Data: []byte("\x7fELF .text.k")}
	app := section(fatbintest.Write(fatbintest.Text(80, good), cubin), fatbintest.Write(fatbintest.Text(80, voteKernel("sm_80", "old", true)), fatbintest.Text(90, bad)),
		fatbintest.Write(fatbintest.Text(80, ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 variable;\n")))
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	for _, m := range []struct {
		name string
		data []byte
	}{{"p/__init__.py", []byte("import ctypes\n")}, {"p/lib.so", app}} {
		w, err := z.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	// Units that a linker joins: the caller has no body of scale, and the vote of the other one lacks lanes.
	units := func(list ...string) []byte {
		var fat [][]byte
		for _, text := range list {
			fat = append(fat, fatbintest.Write(fatbintest.Text(80, text)))
		}
		return fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: "__nv_relfatbin", Data: fatbintest.Join(fat...)})
	}
	caller := ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func scale(.param .b32 n);\n.visible .entry calls()\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, %tid.x;\n\t{ .param .b32 n; st.param.b32 [n], %r1; call scale, (n); }\n\tret;\n}\n"
	scale := func(right bool) string {
		text := strings.ReplaceAll(voteKernel("sm_80", "scale", right), ".visible .entry scale()", ".visible .func scale(.param .b32 n)")
		return text
	}
	zipOf := func(name string, data []byte) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	// Together they are larger than a program may be. The third one has a variable alone.
	large := func(text string) string { return text + strings.Repeat("// padding\n", (maxInput/2)/11+1) }
	wanting := strings.Replace(caller, ".visible .entry", ".extern .global .b32 limit;\n.visible .entry", 1)
	variable := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .b32 limit;\n"
	for name, data := range map[string][]byte{
		"large.whl": zipOf("p/lib.so", units(large(wanting), large(scale(true)), variable)), "large_faulty.whl": zipOf("p/lib.so", units(large(wanting), large(scale(false)), variable)),
		"linked.whl": zipOf("p/lib.so", units(caller, scale(true))), "faulty.whl": zipOf("p/lib.so", units(caller, scale(false))), "half.whl": zipOf("p/lib.so", units(caller)),
		"functions.whl": zipOf("p/lib.so", units(scale(true), scale(true))), "linked.a": append(archiveOf("a.o/", padded(units(caller))), archiveOf("b.o/", padded(units(scale(true))))[8:]...),
		"app": app, "p.whl": wheel.Bytes(), "cubin": section(fatbintest.Write(cubin)), "folder/a.ptx": []byte(good), "folder/b/lib.so": app,
		"broken.fatbin": append(fatbintest.Write(fatbintest.Text(80, good)), "rubbish!"...), "text": []byte("no code"),
		"lib.a": archiveOf("a.o/", fatbintest.Write(fatbintest.Text(80, good))),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		command string // @: the folder
		status  int
		want    string
		not     string
	}{
		{"extract @app", 0, "#1.2     cubin       sm_86", ""},
		{"extract @app", 0, "4 ptx, 1 cubin (machine code, cannot run)", "written"},
		{"extract @app --target sm_90 --format json", 0, `"entry":"#2.2","kind":"ptx","target":"sm_90"`, "sm_80"},
		{"extract @p.whl -o @out", 0, "written: @out/lib.so#1.sm_80.ptx", "cubin  ("},
		{"extract @p.whl -o @out", 2, "lib.so#1.sm_80.ptx: error: exists already", ""},
		{"extract @p.whl -o @out --force", 0, "4 new files in @out", ""},
		{"extract @p.whl @app -o @twice --kind cubin", 0, "written: @twice/app#1.sm_86.cubin", ""},
		{"extract @app @app -o @same --target sm_90", 0, "written: @same/app#2.sm_90-2.ptx", ""},
		{"extract @cubin -o @none", 3, "there is no PTX, only machine code, which cannot run [no-ptx]", ""},
		{"extract @cubin", 0, "extract: 1 cubin (machine code, cannot run)", ""},
		{"extract @folder", 0, "@folder/b/lib.so", ""},
		{"extract @folder --format json", 0, `"file":"@folder/a.ptx","kind":"ptx","target":"sm_80"`, ""},
		{"extract @text", 2, "no code for GPUs was found [unknown-kind]", ""},
		{"extract @broken.fatbin", 2, "[bad-fatbin]", ""},
		{"extract @broken.fatbin", 2, "1 ptx", ""},
		{"extract @missing", 2, "cannot read", ""},
		{"extract @app --kind elf", 2, "--kind is ptx, cubin,", ""},
		// The units of a library or an archive are linked before they are checked.
		{"check @linked.whl", 0, "nothing found", "extern"},
		{"check @linked.a", 0, "nothing found", "extern"},
		{"check @faulty.whl --fail-on warning", 1, "#2.sm_80.ptx:11:2: warning: vote.sync.any.pred", ""},
		// Units that are too large together are checked alone, with their functions.
		{"check @large.whl --fail-on warning", 0, "check: 3 units need each other and have 64 MiB together, more than the 64 MiB of a program: each is checked alone", "extern"},
		{"check @large_faulty.whl --fail-on warning", 1, "#2.sm_80.ptx:11:2: warning: vote.sync.any.pred", ""},
		{"check @half.whl", 3, "call calls scale, which the file declares and does not define", ""},
		{"check @functions.whl", 3, "no code that can be checked", ""},
		{"extract @linked.whl", 0, "2 ptx", ""},
		// Every piece of a wheel or an archive is checked; of each fat binary the PTX of the newest architecture.
		{"check @p.whl --fail-on warning", 1, "@p.whl(p/lib.so)#2.sm_90.ptx:11:2", "#2.sm_80"},
		{"check @p.whl --fail-on warning", 1, "2 files", ""},
		{"check @p.whl --sm 80", 0, "nothing found; 2 files", "sm_90"},
		{"check @p.whl --sm 75", 3, "it has 1 piece of machine code [no-ptx]", ""},
		{"check @lib.a", 0, "nothing found; 1 file", ""},
		{"check @app --static --fail-on warning", 1, "app#2.sm_90.ptx:11:2", ""},
		{"check @app --static --sm 80", 0, "nothing found", ""},
		{"run @lib.a --grid 1 --block 32", 3, "crosslane extract takes the code out of it", ""},
		{"run @p.whl --grid 1 --block 32", 3, "crosslane extract takes the code out of a wheel", ""},
	} {
		var out, errs bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(c.command, "@", dir+string(filepath.Separator)))
		status := Main(t.Context(), args, strings.NewReader(""), &out, &errs)
		got := strings.ReplaceAll(filepath.ToSlash(strings.ReplaceAll(out.String()+errs.String(), dir+string(filepath.Separator), "@")), `\\`, "/")
		if status != c.status || !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: status %d, expected %d with %q and without %q\n%s", c.command, status, c.status, c.want, c.not, got)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "out", "lib.so#2.sm_90.ptx")); err != nil || string(text) != bad {
		t.Errorf("%v: %q", err, text)
	}
}
