package codeobject

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	sample "example.org/crosslane/internal/short"

	"example.org/crosslane/diag"
)

//go:generate sh testdata/gen.sh

func fixtures(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.co")
	if err != nil || len(files) < 4 {
		t.Fatal("no fixtures", err)
	}
	return files
}

// directiveFields maps each directive that LLVM's disassembler prints to the field of the manual
// that it sets.
var directiveFields = map[string]string{
	"group_segment_fixed_size": "group_segment_fixed_size", "private_segment_fixed_size": "private_segment_fixed_size", "kernarg_size": "kernarg_size",
	"float_round_mode_32": "float_round_mode_32", "float_round_mode_16_64": "float_round_mode_16_64",
	"float_denorm_mode_32": "float_denorm_mode_32", "float_denorm_mode_16_64": "float_denorm_mode_16_64",
	"dx10_clamp": "enable_dx10_clamp", "ieee_mode": "enable_ieee_mode",
	"system_sgpr_private_segment_wavefront_offset": "enable_private_segment",
	"system_sgpr_workgroup_id_x":                   "enable_sgpr_workgroup_id_x", "system_sgpr_workgroup_id_y": "enable_sgpr_workgroup_id_y",
	"system_sgpr_workgroup_id_z": "enable_sgpr_workgroup_id_z", "system_sgpr_workgroup_info": "enable_sgpr_workgroup_info",
	"system_vgpr_workitem_id":      "enable_vgpr_workitem_id",
	"exception_fp_ieee_invalid_op": "enable_exception_ieee_754_fp_invalid_operation", "exception_fp_denorm_src": "enable_exception_fp_denormal_source",
	"exception_fp_ieee_div_zero": "enable_exception_ieee_754_fp_division_by_zero", "exception_fp_ieee_overflow": "enable_exception_ieee_754_fp_overflow",
	"exception_fp_ieee_underflow": "enable_exception_ieee_754_fp_underflow", "exception_fp_ieee_inexact": "enable_exception_ieee_754_fp_inexact",
	"exception_int_div_zero":           "enable_exception_int_divide_by_zero",
	"user_sgpr_private_segment_buffer": "enable_sgpr_private_segment_buffer", "user_sgpr_dispatch_ptr": "enable_sgpr_dispatch_ptr",
	"user_sgpr_queue_ptr": "enable_sgpr_queue_ptr", "user_sgpr_kernarg_segment_ptr": "enable_sgpr_kernarg_segment_ptr",
	"user_sgpr_dispatch_id": "enable_sgpr_dispatch_id", "user_sgpr_flat_scratch_init": "enable_sgpr_flat_scratch_init",
	"user_sgpr_private_segment_size": "enable_sgpr_private_segment_size", "uses_dynamic_stack": "uses_dynamic_stack",
}

// TestLoadLikeLLVM compares descriptors and metadata with the output of LLVM's tools for the same
// files.
func TestLoadLikeLLVM(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures(t) {
		o := load(t, name)
		base := strings.TrimSuffix(name, ".co")
		if got, want := strings.TrimSpace(o.Meta.YAML()), strings.TrimSpace(string(read(t, base+".yaml"))); got != want {
			t.Errorf("%s: metadata\n%s\nexpected\n%s", name, got, want)
		}
		if want := int(base[len(base)-1] - '0'); o.Version != want {
			t.Errorf("%s: version %d, expected %d", name, o.Version, want)
		}
		var k *Kernel
		seen := 0
		for _, line := range strings.Split(string(read(t, base+".kd.txt")), "\n") {
			f := strings.Fields(line)
			if len(f) != 2 {
				continue
			}
			if f[0] == ".amdhsa_kernel" {
				if k = o.Kernel(f[1]); k == nil {
					t.Fatalf("%s: no kernel %s", name, f[1])
				}
				seen++
				continue
			}
			directive := strings.TrimPrefix(f[0], ".amdhsa_")
			want, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(line)
			}
			got := -1
			switch directive {
			case "next_free_vgpr":
				got = k.Descriptor.VGPRs()
			case "next_free_sgpr":
				got = k.Descriptor.SGPRs()
			case "reserve_vcc", "reserve_flat_scratch", "reserve_xnack_mask":
				continue // LLVM prints 0 and counts them as SGPRs
			}
			for _, x := range k.Descriptor.Fields() {
				if x.Name == directiveFields[directive] {
					got = int(x.Value)
				}
			}
			if got != want {
				t.Errorf("%s, kernel %s: %s is %d, expected %d", name, k.Name, directive, got, want)
			}
		}
		if seen == 0 || seen != len(o.Kernels) {
			t.Errorf("%s: %d kernels, expected %d", name, len(o.Kernels), seen)
		}
		checkKernels(t, name, o)
	}
}

// checkKernels compares kernels with the symbols of their code.
func checkKernels(t *testing.T, name string, o *Object) {
	t.Helper()
	for _, k := range o.Kernels {
		if k.Meta == nil || k.Meta.Name != k.Name {
			t.Errorf("%s: kernel %s has the metadata %v", name, k.Name, k.Meta)
		}
		for _, s := range o.Symbols {
			if s.Name == k.Name && (s.Addr != k.Entry || s.Size != k.CodeSize || s.Size == 0) {
				t.Errorf("%s: kernel %s has %d bytes at %#x, its symbol %d at %#x", name, k.Name, k.CodeSize, k.Entry, s.Size, s.Addr)
			}
		}
		if strings.HasPrefix(k.Name, "__clang_ocl_kern_imp_") {
			t.Errorf("%s: the twin %s is no kernel", name, k.Name)
		}
	}
}

// TestLoadArguments checks the descriptions of the arguments of the kernel "many".
func TestLoadArguments(t *testing.T) {
	t.Parallel()
	k := load(t, "testdata/args6.co").Kernel("many")
	var got []string
	for _, a := range k.Meta.Args {
		got = append(got, fmt.Sprintf("%d+%d %s %s %s", a.Offset, a.Size, a.TypeName, a.ValueKind, a.AddressSpace))
	}
	want := []string{"0+8 float* global_buffer global", "8+4 int* dynamic_shared_pointer local", "12+16 struct pair by_value ", "28+1 char by_value ",
		"32+16 f4 by_value ", "48+8 int* global_buffer global", "56+8 int* global_buffer constant", "64+8 __global int ** global_buffer global"}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || strings.TrimSpace(got[i]) != strings.TrimSpace(want[i]) {
			t.Fatalf("arguments\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if a := k.Meta.Args; !a[0].IsConst || !a[0].IsRestrict || !a[5].IsVolatile || a[1].PointeeAlign != 4 || a[0].ValueKind.Hidden() {
		t.Errorf("qualifiers of %+v", a)
	}
	if m := k.Meta; fmt.Sprint(m.ReqdWorkgroupSize) != "[64 2 1]" || m.MaxFlatWorkgroupSize != 128 || m.KernargSize != 72 || m.KernargAlign != 16 || m.GroupSize != 64 {
		t.Errorf("sizes of %+v", m)
	}
	hidden := load(t, "testdata/args6.co").Kernel("hidden").Meta.Args
	if len(hidden) < 10 || !hidden[1].ValueKind.Hidden() || hidden[1].ValueKind != "hidden_block_count_x" {
		t.Errorf("hidden arguments %+v", hidden)
	}
}

// TestLinkLikeLLVM checks that a relocatable file loads as the same segments as the file from
// LLVM's linker. If that file is converted to a Spec and built again, only the note with the
// linker's name differs.
func TestLinkLikeLLVM(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures(t) {
		want := load(t, name)
		rel := load(t, strings.TrimSuffix(name, ".co")+".o")
		if !rel.Relocatable || want.Relocatable {
			t.Errorf("%s: relocatable is %v, of the linked file %v", name, rel.Relocatable, want.Relocatable)
		}
		compareSegments(t, name+" linked", rel, want)
		s, err := want.Spec()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Build(s)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, read(t, name)) {
			t.Errorf("%s: taken apart and built again, it is another file", name)
		}
	}
}

// compareSegments compares all bytes that a loader sees. It ignores the parts of the ELF header
// that describe sections, which a loader does not read.
func compareSegments(t *testing.T, name string, got, want *Object) {
	t.Helper()
	if len(got.Segments) != len(want.Segments) {
		t.Errorf("%s: %d segments, expected %d", name, len(got.Segments), len(want.Segments))
		return
	}
	for i, w := range want.Segments {
		g := got.Segments[i]
		a, b := bytes.Clone(g.Data), bytes.Clone(w.Data)
		if i == 0 {
			for _, d := range [][]byte{a, b} {
				clear(d[40:48])
				clear(d[60:64])
			}
		}
		if g.Addr != w.Addr || g.Size != w.Size || g.Read != w.Read || g.Write != w.Write || g.Exec != w.Exec || !bytes.Equal(a, b) {
			t.Errorf("%s: segment %d is %#x+%#x, expected %#x+%#x", name, i, g.Addr, g.Size, w.Addr, w.Size)
		}
	}
	if fmt.Sprint(got.Relocs) != fmt.Sprint(want.Relocs) {
		t.Errorf("%s: relocations %v, expected %v", name, got.Relocs, want.Relocs)
	}
}

// TestPlace checks that the pointer "where" of args.cl points to "counter" at every place of the
// object.
func TestPlace(t *testing.T) {
	t.Parallel()
	o := load(t, "testdata/args6.co")
	addr := map[string]uint64{}
	for _, s := range o.Symbols {
		addr[s.Name] = s.Addr
	}
	const base = 0x7f0000100000
	for _, s := range o.Loaded(base) {
		off := addr["where"] + base - s.Addr
		if addr["where"]+base < s.Addr || off >= s.Size {
			continue
		}
		if got, want := binary.LittleEndian.Uint64(s.Data[off:]), base+addr["counter"]; got != want {
			t.Errorf("the pointer is %#x, expected %#x", got, want)
		}
		return
	}
	t.Error("no segment holds the pointer")
}

// TestLoadStripped checks that the dynamic segment leads to the kernels if there are no section
// headers.
func TestLoadStripped(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures(t) {
		b := bytes.Clone(read(t, name))
		clear(b[40:48])
		clear(b[58:64])
		o, err := Load(b, name)
		if err != nil {
			t.Fatal(err)
		}
		want := load(t, name)
		if len(o.Kernels) != len(want.Kernels) || o.Kernels[0].Entry != want.Kernels[0].Entry || fmt.Sprint(o.Relocs) != fmt.Sprint(want.Relocs) {
			t.Errorf("%s: kernels %+v, expected %+v", name, o.Kernels, want.Kernels)
		}
		addr, text := o.Text()
		if a, w := want.Text(); a != addr || !bytes.Equal(w, text) {
			t.Errorf("%s: code at %#x, expected %#x", name, addr, a)
		}
	}
}

// TestLoadRefuses checks which files are refused, and the messages.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	good := read(t, "testdata/scan5.co")
	le := binary.LittleEndian
	// The metadata have another version than the file. Versions differ only in members that are
	// missing or added.
	b := bytes.Clone(good)
	b[8] = 2
	if _, err := Load(b, "f"); err != nil {
		t.Errorf("metadata 1.2 in version 4: %v", err)
	}
	for _, c := range []struct {
		change func(b []byte)
		class  diag.Class
		want   string
	}{
		{func(b []byte) { b[0] = 'M' }, diag.Input, "f:+0x0: error: not an ELF file: found bytes 4d454c46, expected 7f454c46"},
		{func(b []byte) { b[4] = 3 }, diag.Input, "f:+0x4: error: ELF class is 3, expected 2 (64 bits)"},
		{func(b []byte) { b[4] = 1 }, diag.Unsupported, "f:+0x24: error: target is no processor (32 bits), expected gfx803"},
		{func(b []byte) { b[5] = 2 }, diag.Input, "f:+0x5: error: ELF data encoding is 2"},
		{func(b []byte) { b[7] = 65 }, diag.Unsupported, "f:+0x7: error: OS ABI is 65 (AMDGPU PAL)"},
		{func(b []byte) { b[8] = 9 }, diag.Unsupported, "f:+0x8: error: ABI version is 9"},
		{func(b []byte) { le.PutUint16(b[18:], 62) }, diag.Unsupported, "f:+0x12: error: machine is EM_X86_64, expected EM_AMDGPU (224)"},
		{func(b []byte) { b[48] = 0x2c }, diag.Unsupported, "f:+0x30: error: target is gfx900, expected gfx803"},
		{func(b []byte) { b[49] = 1 }, diag.Unsupported, "f:+0x30: error: e_flags is 0x12a (gfx803:xnack any), expected 0x2a: gfx803 has no xnack"},
		{func(b []byte) { b[16] = 2 }, diag.Input, "f:+0x10: error: ELF type is ET_EXEC"},
		{func(b []byte) { le.PutUint64(b[40:], 1<<40) }, diag.Input, "f:+0x28: error: section header table of 15 entries at offset 0x10000000000 ends past the end"},
		{func(b []byte) { le.PutUint64(b[64+56+32:], 1<<40) }, diag.Input, "PT_LOAD segment 1 has 1099511627776 bytes at offset 0x0, past the end"},
		{func(b []byte) { le.PutUint64(b[64+56+40:], 1<<50) }, diag.Unsupported, "segment of 0x4000000000000 bytes at address 0x0 ends beyond 0x100000000"},
		{func(b []byte) { // the list [1, 2] becomes [1, 3]
			b[bytes.Index(b, []byte("amdhsa.version\x92\x01"))+16] = 3
		}, diag.Input, "amdhsa.version is 1.3, expected 1.2 in code object version"},
		{func(b []byte) {
			i := bytes.Index(b, []byte("by_value"))
			_ = i
			copy(b[bytes.Index(b, []byte("global_buffer")):], "global_bluffr")
		}, diag.Unsupported, `.value_kind "global_bluffr" is not known`},
		{func(b []byte) { k := kdOffset(t, b, "scan"); b[k+12] = 1 }, diag.Unsupported, "kernel descriptor has reserved bits 0x1 set in the word at byte 12, expected 0 on gfx803"},
		{func(b []byte) { k := kdOffset(t, b, "scan"); b[k+22] = 1 }, diag.Input, "which holds no code"},
		{func(b []byte) { k := kdOffset(t, b, "scan"); b[k+57] |= 4 }, diag.Unsupported, "wavefronts of 32 lanes"},
	} {
		b := bytes.Clone(good)
		c.change(b)
		_, err := Load(b, "f")
		var d *diag.Diagnostic
		if !errors.As(err, &d) {
			t.Errorf("error %v is no diagnostic, expected %s", err, c.want)
			continue
		}
		if !strings.Contains(d.Error(), c.want) || d.Class != c.class {
			t.Errorf("error\n%v (%v), expected\n%s (%v)", d, d.Class, c.want, c.class)
		}
	}
	_, err := Load(read(t, "testdata/undefined.o"), "f")
	if err == nil || !strings.Contains(err.Error(), `symbol "elsewhere" is undefined`) {
		t.Errorf("an undefined symbol: %v", err)
	}
}

// kdOffset returns the offset of a kernel's descriptor in the file.
func kdOffset(t testing.TB, b []byte, kernel string) uint64 {
	t.Helper()
	o, err := Load(b, "f")
	if err != nil {
		t.Fatal(err)
	}
	addr := o.Kernel(kernel).DescriptorAddr
	for _, s := range o.Segments {
		if addr >= s.Addr && addr < s.Addr+uint64(len(s.Data)) {
			return uint64(s.fileOff) + addr - s.Addr
		}
	}
	t.Fatal("no descriptor")
	return 0
}

// TestLoadDamaged checks that a file that is cut at any place is refused, and that a file that is
// changed at any place does no harm.
func TestLoadDamaged(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]int{"testdata/scan5.co": sample.Of(1, 7), "testdata/calls5.o": sample.Of(1, 13), "testdata/v2.hsaco": sample.Of(11, 101)} { // YAML takes long
		good := read(t, name)
		for n := 0; n < len(good); n += step {
			if _, err := Load(good[:n:n], "f"); err == nil {
				t.Fatalf("%s cut to %d bytes is accepted", name, n)
			}
		}
		b := bytes.Clone(good)
		for i := 0; i < len(b); i += step {
			for _, v := range []byte{0, 0xff, good[i] + 1, good[i] ^ 0x80} {
				b[i] = v
				if o, err := Load(b, "f"); err == nil {
					o.Loaded(0x1000)
				}
			}
			b[i] = good[i]
		}
	}
}

// FuzzLoad checks that no input makes the loader panic or use memory out of proportion, and that a
// loaded file can be converted to a Spec and built again.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"scan4.co", "scan5.o", "calls5.o", "calls5.co", "v2.hsaco"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := Load(b, "f")
		if err != nil {
			var d *diag.Diagnostic
			if !errors.As(err, &d) || d.Code == "" {
				t.Fatalf("error %v is no diagnostic with a code", err)
			}
			return
		}
		o.Loaded(1 << 32)
		if s, err := o.Spec(); err == nil {
			Build(s)
		}
	})
}
