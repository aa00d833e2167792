package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// storing is a kernel that stores an expression of %r1, the number of the thread, and of n.
func storing(t *testing.T, dir, name, code string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	text := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<4>;\n.reg .f32 %f<3>;\n.reg .b64 %d<4>;\n" +
		"ld.param.u64 %d1, [p];\nld.param.u32 %r2, [n];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\n" + code + "\nst.global.u32 [%d1], %r1;\nret;\n}\n"
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDiffCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := storing(t, dir, "plain.ptx", "")
	capped := storing(t, dir, "capped.ptx", "min.u32 %r1, %r1, %r2;")
	float := storing(t, dir, "float.ptx", "cvt.rn.f32.u32 %f1, %r1;\nmov.b32 %r1, %f1;")
	above := storing(t, dir, "above.ptx", "cvt.rn.f32.u32 %f1, %r1;\nmov.b32 %r1, %f1;\nadd.u32 %r1, %r1, 1;")
	launch := []string{"--grid", "1", "--block", "32", "--arg", "out:u32[32]", "--arg", "20"}
	floats := []string{"--grid", "1", "--block", "32", "--arg", "out:f32[32]", "--arg", "20"}
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		parts []string // of both streams
	}{
		{"equal", append([]string{plain, plain}, launch...), 0, []string{"equal: 32 elements in 1 buffer"}},
		{"another kernel", append([]string{plain, capped}, launch...), 1, []string{"out: 11 of 32 elements differ; the first is out[21]: A 21, B 20", "out[21] in A:", "out[21] in B:", "min.u32", "results-differ"}},
		{"another argument", append([]string{capped, capped, "--b", "arg=out:u32[32]", "--b", "arg=30"}, launch...), 1, []string{"out: 11 of 32 elements differ; the first is out[21]: A 20, B 21"}},
		{"one element", append([]string{capped, capped, "--b", "arg=out:u32[32]", "--b", "arg=19"}, launch...), 1, []string{"12 of 32"}},
		{"another order", append([]string{capped, capped, "--b", "schedule=reversed"}, launch...), 0, []string{"equal"}},
		{"fewer elements", append([]string{plain, plain, "--b", "arg=out:u32[16]", "--b", "arg=1", "--b", "block=16"}, launch...), 0, []string{"out: A has 32 elements, B 16; the first 16 are compared", "equal: 16 elements"}},
		{"other names", append([]string{plain, capped, "--b", "arg=result:u32[32]", "--b", "arg=9"}, launch...), 1, []string{"out and result: 22 of 32", "out[10] in A", "result[10] in B"}},
		{"without why", append([]string{plain, capped, "--no-why"}, launch...), 1, []string{"differ", "out[21]"}},
		{"beside each other", append([]string{plain, capped, "--columns", "150"}, launch...), 1, []string{"out[21] in A:", "│ out[21] in B:"}},
		{"the last bit", append([]string{float, above}, floats...), 1, []string{"32 of 32 elements differ; the first is out[0]: A 0, B 1e-45"}},
		{"the last bit, with a tolerance", append([]string{float, above, "--tolerance", "1e-6"}, floats...), 0, []string{"equal"}},
		{"more than the tolerance", append([]string{float, above, "--tolerance", "1e-9"}, floats...), 1, []string{"31 of 32 elements differ; the first is out[1]"}},
		{"no such argument", append([]string{plain, plain, "--b", "blok=3"}, launch...), 2, []string{"--b must be NAME=VALUE"}},
		{"a wrong value", append([]string{plain, plain, "--b", "block=x"}, launch...), 2, []string{"B: ", "block"}},
		{"another type", append([]string{plain, float, "--b", "arg=out:f32[32]", "--b", "arg=1"}, launch...), 2, []string{"type u32 in A and f32 in B"}},
		{"no such pair", append([]string{plain, plain, "--pair", "out=none"}, launch...), 2, []string{"--pair must be"}},
		{"no buffer", []string{plain, plain, "--grid", "1", "--block", "1", "--arg", "0", "--arg", "0", "--b", "kernel=k"}, 4, []string{"A: "}},
		{"both from standard input", append([]string{"-", "-"}, launch...), 2, []string{"one of the two"}},
		{"with --save", append([]string{plain, plain, "--save", "out=x"}, launch...), 2, []string{"unknown flag: --save"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, stderr := runMain(t, append([]string{"diff"}, c.args...)...)
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			for _, p := range c.parts {
				if !strings.Contains(out+stderr, p) {
					t.Errorf("%q is missing in\n%s%s", p, out, stderr)
				}
			}
		})
	}
	_, out, _ := runMain(t, append([]string{"diff", plain, capped, "--format", "json"}, launch...)...)
	var got diffJSON
	if err := json.Unmarshal([]byte(out), &struct {
		*diffJSON
		Why      []json.RawMessage `json:"why"`
		Findings []json.RawMessage `json:"findings"`
	}{diffJSON: &got}); err != nil || got.Equal || got.Buffers[0].Different != 11 || *got.Buffers[0].First != 21 {
		t.Errorf("%v: %s", err, out)
	}
}
