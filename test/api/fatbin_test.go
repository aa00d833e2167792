package api_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin/fatbintest"
)

// unitText is a translation unit: a kernel of its own, and a kernel that all units have, which store
// the unit's variable. Further lines follow the head.
func unitText(target, own, value, more string) string {
	kernel := func(name string) string {
		return ".visible .entry " + name + `(.param .u64 out)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, [bias];
	st.global.u32 [%rd1], %r1;
	ret;
}
`
	}
	return ".version 8.0\n.target " + target + "\n.address_size 64\n" + more + ".global .u32 bias = " + value + ";\n" + kernel(own) + kernel("each")
}

// storedBy runs a kernel on one lane and returns what it stores.
func storedBy(t *testing.T, m *crosslane.Module, kernel string) uint32 {
	t.Helper()
	k, err := m.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 1)
	if _, err := k.Run(context.Background(), crosslane.Launch{Args: []crosslane.Arg{crosslane.Slice("out", out)}}); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func selectors(m *crosslane.Module) (list []string) {
	for _, k := range m.Kernels() {
		list = append(list, k.Selector())
	}
	return list
}

// A fat binary of nvcc runs, in each kind of compression. The kernel stores i*i + 1000.
func TestLoadFatBinary(t *testing.T) {
	t.Parallel()
	const dir = "internal/fatbin/testdata/"
	for _, name := range []string{"none", "lz4", "zstd"} {
		m, err := crosslane.LoadFile(dir + name + ".fatbin")
		if err != nil {
			t.Fatal(err)
		}
		if want := dir + name + ".fatbin.sm_90a.ptx"; m.File() != want || m.ISA() != crosslane.PTX {
			t.Errorf("%s, %s, expected %s", m.File(), m.ISA(), want)
		}
		k, err := m.Kernel("squares")
		if err != nil {
			t.Fatal(err)
		}
		out := make([]uint32, 64)
		if _, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{crosslane.Slice("out", out)}}); err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			if v != uint32(i*i+1000) {
				t.Errorf("%s: out[%d] = %d", name, i, v)
			}
		}
	}
	data, err := os.ReadFile(dir + "zstd.fatbin")
	if err != nil {
		t.Fatal(err)
	}
	m, err := crosslane.LoadWith(data, "k.fatbin", crosslane.LoadOptions{SM: 80})
	if err != nil || m.File() != "k.fatbin.sm_75.ptx" {
		t.Errorf("for sm_80: %v, %v", m, err)
	}
	if crosslane.DetectISA(data) != crosslane.PTX {
		t.Error("the kind of a fat binary is not PTX")
	}
}

// Each fat binary of a program is a module of its own: kernels do not see the variables of other
// units. A kernel that is different in two units is found by the number of its unit.
func TestLoadProgram(t *testing.T) {
	t.Parallel()
	empty := fatbintest.Write(fatbintest.Entry{Kind: fatbintest.Cubin, SM: 80, Data: []byte("\x7fELF")})
	a := fatbintest.Write(fatbintest.Text(75, unitText("sm_75", "first", "1", "")), fatbintest.Text(80, unitText("sm_80", "first", "5", "")))
	zipped := unitText("sm_80", "second", "6", "\n\n")
	b := fatbintest.Write(fatbintest.Entry{Kind: fatbintest.PTX, SM: 80, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRaw([]byte(zipped)), Plain: len(zipped)})
	same := fatbintest.Write(fatbintest.Text(80, unitText("sm_80", "third", "5", "// the kernel each is that of the second one\n")))
	for _, machine := range []int{fatbintest.X86_64, fatbintest.AArch64} {
		file := fatbintest.ELF(machine, fatbintest.Section{Name: ".text", Data: make([]byte, 64)},
			fatbintest.Section{Name: ".nv_fatbin", Data: fatbintest.Join(empty, a, b, same)},
			fatbintest.Section{Name: ".nvFatBinSegment", Data: append(fatbintest.Wrapper(2, 0x1000, 0x2000), fatbintest.Wrapper(1, 0x3000, 0)...)})
		m, err := crosslane.Load(file, "prog", crosslane.Auto)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(selectors(m), " "); got != "first #2:each second #3:each third" {
			t.Errorf("kernels %s", got)
		}
		for kernel, want := range map[string]uint32{"first": 5, "second": 6, "third": 5, "#2:each": 5, "#3:each": 6} {
			if got := storedBy(t, m, kernel); got != want {
				t.Errorf("%s stores %d, want %d", kernel, got, want)
			}
		}
		_, err = m.Kernel("each")
		if d := diag.Of(err); len(d) != 1 || !strings.Contains(d[0].Message, `2 kernels have "each"`) || d[0].Remedy != "these are #2:each, #3:each" {
			t.Errorf("each: %v", err)
		}
		k, err := m.Kernel("second")
		if err != nil {
			t.Fatal(err)
		}
		if from, _ := k.Lines(); k.File() != "prog#3.sm_80.ptx" || from != 7 {
			t.Errorf("second is at %s:%d", k.File(), from)
		}
		_, err = k.Run(context.Background(), crosslane.Launch{Args: []crosslane.Arg{crosslane.Slice("out", []byte{1})}})
		if d := diag.Of(err); len(d) != 1 || d[0].Pos.File != "prog#3.sm_80.ptx" || d[0].Pos.Line != 13 {
			t.Errorf("a fault of second: %v", err)
		}
		// One fat binary alone, for another device.
		one, err := crosslane.LoadWith(file, "prog", crosslane.LoadOptions{FatBinary: 2, SM: 75})
		if err != nil || strings.Join(selectors(one), " ") != "first each" || storedBy(t, one, "each") != 1 {
			t.Errorf("the second fat binary: %v, %v", selectors(one), err)
		}
		dev, err := crosslane.NewDevice("sm_90", crosslane.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dev.Load(one); err != nil {
			t.Errorf("a device does not load one fat binary: %v", err)
		}
		if _, err := dev.Load(m); err == nil || !strings.Contains(err.Error(), "the file has 3 modules") {
			t.Errorf("a device loads three modules as one: %v", err)
		}
		if reports, err := m.Portability("", "sm_90"); err != nil || len(reports) != 3 {
			t.Errorf("portability: %d reports, %v", len(reports), err)
		}
		if reports, err := m.Portability("#3:each", "sm_90"); err != nil || len(reports) != 1 || reports[0].Kernel != "each" {
			t.Errorf("portability of one kernel: %v, %v", reports, err)
		}
		if reports, err := m.CheckStatic(); err != nil || len(reports) != 5 {
			t.Errorf("static checks: %d reports, %v", len(reports), err)
		}
	}
}

// Units that were compiled to be linked (nvcc -rdc=true) are linked: a kernel of one calls a function
// of another and reads its variable.
func TestLoadRelocatable(t *testing.T) {
	t.Parallel()
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n"
	caller := head + `.extern .func (.reg .b32 r) twice(.reg .b32 x);
.extern .global .u32 bias;
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, [bias];
	call (%r2), twice, (%r1);
	st.global.u32 [%rd1], %r2;
	ret;
}
`
	callee := head + `.visible .global .u32 bias = 21;
.visible .func (.reg .b32 r) twice(.reg .b32 x)
{
	add.u32 r, x, x;
	ret;
}
`
	file := fatbintest.ELF(fatbintest.X86_64,
		fatbintest.Section{Name: "__nv_relfatbin", Data: fatbintest.Join(fatbintest.Write(fatbintest.Text(80, caller)), fatbintest.Write(fatbintest.Text(80, callee)))},
		fatbintest.Section{Name: ".nv_fatbin", Data: fatbintest.Join(fatbintest.Write(fatbintest.Entry{Kind: fatbintest.Cubin, SM: 80, Data: []byte("\x7fELF.text.k")}))})
	m, err := crosslane.Load(file, "prog", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	if got := storedBy(t, m, ""); got != 42 || m.File() != "prog#2.sm_80.ptx" {
		t.Errorf("k stores %d, in %s", got, m.File())
	}
	one := fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: "__nv_relfatbin", Data: fatbintest.Write(fatbintest.Text(80, caller))})
	if m, err = crosslane.Link(crosslane.LinkFile{File: "a.o", Text: string(one)}, crosslane.LinkFile{File: "b.ptx", Text: callee}); err != nil {
		t.Fatal(err)
	}
	if got := storedBy(t, m, "k"); got != 42 {
		t.Errorf("the object file and text that were linked store %d", got)
	}
}

// Files without PTX that fits list their entries and say how to build them; damaged files give the offset.
func TestFatBinaryErrors(t *testing.T) {
	t.Parallel()
	cubin := func(sm int) []byte {
		return fatbintest.Write(fatbintest.Entry{Kind: fatbintest.Cubin, SM: sm, Data: []byte("\x7fELF .text.k")})
	}
	section := func(name string, list ...[]byte) []byte {
		return fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: name, Data: fatbintest.Join(list...)})
	}
	empty := fatbintest.Write(fatbintest.Entry{Kind: fatbintest.Cubin, SM: 70, Data: []byte("\x7fELF")})
	good := fatbintest.Write(fatbintest.Text(80, unitText("sm_80", "k", "1", "")))
	var overlap []byte
	{
		overlap = fatbintest.ELF(fatbintest.X86_64, fatbintest.Section{Name: ".nv_fatbin", Data: good}, fatbintest.Section{Name: ".nv_fatbin", Data: good})
		// Both sections have the bytes of the file. The headers are the last three, before .shstrtab.
		for _, n := range []int{2, 3} {
			h := overlap[len(overlap)-64*n:]
			copy(h[24:], "\x00\x00\x00\x00\x00\x00\x00\x00")
			h[32], h[33] = byte(len(overlap)), byte(len(overlap)>>8)
		}
	}
	for name, c := range map[string]struct {
		data         []byte
		o            crosslane.LoadOptions
		want, remedy string
		class        diag.Class
	}{
		"machine code":       {section(".nv_fatbin", empty, cubin(86)), crosslane.LoadOptions{}, "no PTX; it has machine code for sm_86", "built without PTX: add code=compute_86", diag.Unsupported},
		"raw":                {cubin(90), crosslane.LoadOptions{}, "no PTX; it has machine code for sm_90", "code=compute_90", diag.Unsupported},
		"newer PTX":          {good, crosslane.LoadOptions{SM: 70}, "no PTX for sm_70; it has PTX for sm_80", "code=compute_70", diag.Unsupported},
		"empty":              {section(".nv_fatbin", nil), crosslane.LoadOptions{}, "the sections for fat binaries are empty", "", diag.Unsupported},
		"number":             {good, crosslane.LoadOptions{FatBinary: 2}, "there is no fat binary 2", "from 1 to 1", diag.Input},
		"damage":             {section(".nv_fatbin", good[:40]), crosslane.LoadOptions{}, "of which 40 are there", "", diag.Input},
		"text":               {fatbintest.Write(fatbintest.Text(80, ".version 8.0\n.target sm_80\n.bogus\n")), crosslane.LoadOptions{}, "f.sm_80.ptx:3:", "", diag.Input},
		"gcn3":               {good, crosslane.LoadOptions{ISA: crosslane.GCN3}, "an NVIDIA fat binary", "PTX", diag.Unsupported},
		"no section":         {fatbintest.ELF(fatbintest.X86_64), crosslane.LoadOptions{}, "machine is EM_X86_64", ".nv_fatbin", diag.Unsupported},
		"sections that meet": {overlap, crosslane.LoadOptions{}, "machine is EM_X86_64", "", diag.Unsupported},
	} {
		if name == "damage" {
			c.want = fmt.Sprintf("has entries of %d bytes, of which 40 are there", len(good)-16)
		}
		_, err := crosslane.LoadWith(c.data, "f", c.o)
		list := diag.Of(err)
		if len(list) == 0 || list[0].Class != c.class || !strings.Contains(err.Error(), c.want) || !strings.Contains(list[0].Remedy, c.remedy) {
			t.Errorf("%s: %v, expected %s, with what to do: %s", name, err, c.want, c.remedy)
		}
	}
	// A kernel that is missing may be in a fat binary that was not loaded.
	m, err := crosslane.Load(section(".nv_fatbin", empty, good, cubin(86)), "f", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Kernel("other")
	if d := diag.Of(err); len(d) != 1 || !strings.HasSuffix(d[0].Remedy, "1 of its 3 fat binaries hold no PTX that fits: machine code for sm_86") {
		t.Errorf("%v, %v", err, d)
	}
	if _, err := crosslane.ProposeFixes(good, "f"); err == nil || !slices.ContainsFunc(diag.Of(err), func(d *diag.Diagnostic) bool { return strings.Contains(d.Remedy, "crosslane dis") }) {
		t.Errorf("fixes of a fat binary: %v", err)
	}
}

// FatPTX gives the texts that Load loads.
func TestFatPTX(t *testing.T) {
	t.Parallel()
	one, two := unitText("sm_80", "a", "1", ""), unitText("sm_80", "b", "2", "")
	a, b := fatbintest.Write(fatbintest.Text(80, one)), fatbintest.Write(fatbintest.Text(80, two))
	for name, c := range map[string]struct {
		data []byte
		o    crosslane.LoadOptions
		want string
	}{
		"one":        {a, crosslane.LoadOptions{}, one},
		"two":        {fatbintest.Join(a, b), crosslane.LoadOptions{}, "// f#1.sm_80.ptx\n" + one + "\n// f#2.sm_80.ptx\n" + two + "\n"},
		"the second": {fatbintest.Join(a, b), crosslane.LoadOptions{FatBinary: 2}, two},
		"none":       {[]byte(one), crosslane.LoadOptions{}, ""},
	} {
		if got, err := crosslane.FatPTX(c.data, "f", c.o); err != nil || got != c.want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}
