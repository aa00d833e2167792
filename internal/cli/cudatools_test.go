package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The stand-ins for ptxas, nvlink and fatbinary make of modules what extract finds in a fat binary.
func TestCUDATools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	head := ".version 8.7\n.target sm_80\n.address_size 64\n"
	caller := head + ".extern .func (.param .b32 r) scale(.param .b32 x);\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<2>;\n\t.param .b32 a0;\n\t.param .b32 r0;\n\tld.param.u64 %rd1, [p];\n\tmov.u32 %r1, %tid.x;\n\tst.param.b32 [a0], %r1;\n\tcall (r0), scale, (a0);\n\tld.param.b32 %r2, [r0];\n\tst.global.u32 [%rd1], %r2;\n\tret;\n}\n"
	callee := head + ".visible .func (.param .b32 r) scale(.param .b32 x)\n{\n\t.reg .b32 %r<3>;\n\tld.param.b32 %r1, [x];\n\tmul.lo.u32 %r2, %r1, 3;\n\tst.param.b32 [r], %r2;\n\tret;\n}\n"
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a.s", []byte(caller))
	write("b.s", []byte(callee))
	write("cubin", []byte("\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 11)+"\xbe\x00"+strings.Repeat("\x00", 44)))
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, c := range []struct {
		command string // @: the folder
		status  int
		want    string
	}{
		{"ptxas --crosslane-image -m64 -O2 --gpu-name sm_80 --output-file @a.o @a.s -c", 0, ""},
		{"ptxas --crosslane-image -m64 --gpu-name sm_80 --output-file @a2.o @a.s", 0, "declares and does not define"},
		{"ptxas --crosslane-image -m64 --gpu-name sm_80 --output-file @b.o @b.s -c", 0, ""},
		{"nvlink -o @ab.img -arch sm_80 -L / @a.o @b.o -lcudadevrt", 0, ""},
		{"nvlink -o @half.img -arch sm_80 @a.o", 1, "calls scale, which the file declares and does not define"},
		{"nvlink -o @twice.img -arch sm_80 @b.o @b.o", 1, "nvlink fatal"},
		{"nvlink -o @x.img @a.o -lother", 1, "libother.a is in none of the folders of -L"},
		{"nvlink -o @x.img @cubin", 1, "is cubin, and Crosslane links PTX"},
		{"nvlink -o @x.img --unheard @a.o", 1, "unknown option '--unheard'"},
		{"nvlink -o @x.img", 1, "no input file"},
		{"nvlink --version", 0, "release 13.0"},
		{"fatbinary --cuda -64 --create @ab.fatbin --image3=kind=elf,sm=80,file=@ab.img --image3=kind=ptx,sm=80,file=@b.s", 0, ""},
		{"fatbinary -64 --create @one.fatbin --image=profile=sm_80,file=@ab.img --image3=kind=ptx,sm=80,file=@ab.img", 0, ""},
		{"fatbinary --create @x.fatbin --image3=kind=elf,sm=80,file=@cubin", 1, "no PTX of Crosslane's ptxas"},
		{"fatbinary --create @x.fatbin", 1, "no image is given"},
		{"fatbinary --image3=kind=elf,file=@ab.img", 1, "no output file"},
		{"extract @a.o", 0, "sm_80"},
		{"extract @ab.fatbin", 0, "2 ptx"},
		{"extract @one.fatbin", 0, "1 ptx"},
		{"run @one.fatbin --grid 1 --block 8 --arg p:u32[1] --expect p=21", 0, ""},
	} {
		var out, errs bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(c.command, "@", dir+string(filepath.Separator)))
		status := Main(t.Context(), args, strings.NewReader(""), &out, &errs)
		if got := out.String() + errs.String(); status != c.status || !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "warning") {
			t.Errorf("%s: status %d, expected %d with %q\n%s", c.command, status, c.status, c.want, got)
		}
	}
	// The ELF file that stands for a cubin holds the text alone (ELF-64: e_machine 190, sections at e_shoff).
	image := read("a.o")
	if !bytes.HasPrefix(image, []byte("\x7fELF\x02\x01")) || image[18] != 190 || !bytes.Contains(image, []byte(caller)) {
		t.Errorf("the image is %q", image)
	}
}
