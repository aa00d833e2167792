package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/internal/fatbin/fatbintest"
)

// The commands take a program with fat binaries as they take a file of PTX.
func TestFatBinary(t *testing.T) {
	t.Parallel()
	unit := func(value string) string {
		return `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	mov.u32 %r2, ` + value + `;
	st.global.u32 [%rd1], %r2;
	ret;
}
`
	}
	cubin := fatbintest.Write(fatbintest.Entry{Kind: fatbintest.Cubin, SM: 80, Data: []byte("\x7fELF .text.k")})
	section := func(list ...[]byte) []byte {
		return fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: ".nv_fatbin", Data: fatbintest.Join(list...)})
	}
	a, b := fatbintest.Write(fatbintest.Text(80, unit("11"))), fatbintest.Write(fatbintest.Text(80, unit("22")))
	dir := t.TempDir()
	for name, data := range map[string][]byte{"one": section(cubin, a), "two": section(a, b), "cubin": section(cubin), "k.fatbin": a} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	launch := " --grid 1 --block 4 --arg out:u32[4]"
	for _, c := range []struct {
		command string // FILE: in the folder
		status  int
		want    string
	}{
		{"kernels one", 0, "lines: 4 to 15 of one#2.sm_80.ptx"},
		{"kernels two", 0, "for --kernel: #2:k"},
		{"kernels two --format json", 0, `"selector":"#2:k","file":"two#2.sm_80.ptx"`},
		{"kernels k.fatbin", 0, "of k.fatbin.sm_80.ptx"},
		{"run one" + launch + " --expect out=11,11,11,11", 0, ""},
		{"run two --kernel #2:k" + launch + " --expect out=22,22,22,22", 0, ""},
		{"run two --fatbin 1" + launch + " --expect out=11,11,11,11", 0, ""},
		{"run two --kernel k" + launch, 2, "these are #1:k, #2:k"},
		{"run one --sm 75" + launch, 3, "no PTX for sm_75; it has PTX for sm_80"},
		{"run one --grid 1 --block 4 --arg out:u32[2]", 4, "one#2.sm_80.ptx:13:2: error: st.global.u32"},
		{"check one" + launch, 0, "nothing found"},
		{"check two --static", 0, "nothing found"},
		{"check one --grid 1 --block 4 --arg out:u32[2]", 4, "one#2.sm_80.ptx:13:2: error: st.global.u32"},
		{"why one" + launch + " --at out[3]", 0, "line 12"},
		{"run cubin" + launch, 3, "built without PTX: add code=compute_80"},
		{"dis two --fatbin 2", 0, "mov.u32 %r2, 22;"},
		{"fix one", 3, "crosslane dis"},
	} {
		var out, errs bytes.Buffer
		args := strings.Fields(c.command)
		name := args[1]
		args[1] = filepath.Join(dir, name)
		status := Main(t.Context(), args, strings.NewReader(""), &out, &errs)
		if got := strings.ReplaceAll(out.String()+errs.String(), dir+string(filepath.Separator), ""); status != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s: status %d, expected %d with %s\n%s", c.command, status, c.status, c.want, got)
		}
	}
}
