package value

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.org/crosslane/internal/short"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  Type
		text string
		want uint64
		err  string
	}{
		{"u32", "1024", 1024, ""},
		{"u32", " 7 ", 7, ""},
		{"u32", "0x1f", 31, ""},
		{"u32", "0b101", 5, ""},
		{"u32", "0o17", 15, ""},
		{"u32", "010", 10, ""},
		{"u32", "-1", 0xffffffff, ""},
		{"u32", "4294967296", 0, "does not fit u32 (0 to 4294967295)"},
		{"u8", "-129", 0, "does not fit u8"},
		{"s8", "127", 127, ""},
		{"s8", "128", 0, "does not fit s8 (-128 to 127)"},
		{"s8", "-128", 0x80, ""},
		{"s8", "0xff", 0xff, ""},
		{"s32", "-3", 0xfffffffd, ""},
		{"u64", "18446744073709551615", math.MaxUint64, ""},
		{"u64", "18446744073709551616", 0, "does not fit u64"},
		{"s64", "-9223372036854775808", 1 << 63, ""},
		{"s32", "1.5", 0, "is not an integer"},
		{"s32", "one", 0, `"one" is not an integer (type s32)`},
		{"s32", "", 0, "empty value"},
		{"x32", "1", 0, "is no element type"},
		{"f32", "1.5", 0x3fc00000, ""},
		{"f32", "1", 0x3f800000, ""},
		{"f32", "0x10", 0x41800000, ""},
		{"f32", "0x1p-1", 0x3f000000, ""},
		{"f32", "-0", 0x80000000, ""},
		{"f32", "0f3F800000", 0x3f800000, ""},
		{"f32", "0d3FF0000000000000", 0, "bits of a 64-bit float, the type is f32"},
		{"f64", "0d3FF0000000000000", 0x3ff0000000000000, ""},
		{"f32", "nan", 0x7fffffff, ""},
		{"f32", "-inf", 0xff800000, ""},
		{"f32", "Infinity", 0x7f800000, ""},
		{"f32", "1e39", 0, "does not fit f32"},
		{"f32", "1e-50", 0, ""},
		{"f32", "1_000", 0, "is not a number"},
		{"f16", "1", 0x3c00, ""},
		{"f16", "65504", 0x7bff, ""},
		{"f16", "65519.9", 0x7bff, ""},
		{"f16", "65520", 0, "does not fit f16"},
		{"f16", "0x10", 0x4c00, ""},
		{"f16", "5.9604644775390625e-08", 1, ""},
		{"f16", "-inf", 0xfc00, ""},
		{"f16", "1e400", 0, "does not fit f16"},
		{"bf16", "1", 0x3f80, ""},
		{"bf16", "3.140625", 0x4049, ""},
		// 1 + 2^-11 + 2^-70 lies above the tie between 1 and 1 + 2^-10; rounded to f64 it is the
		// tie.
		{"f16", "1.000488281250000000000847032947254300339068322500679641962051391601562500", 0x3c01, ""},
		{"f16", "1.00048828125", 0x3c00, ""},
		// This is the same tie, exceeded only after the 128 bits that are compared.
		{"f16", "1.00048828125" + strings.Repeat("0", 100) + "1", 0x3c01, ""},
		// This is below the tie between 1 + 2^-10 and 1 + 2^-9; rounded to f64 it is the tie.
		{"f16", "1.00146484374999999999999999999999999", 0x3c01, ""},
		{"f16", "1.00146484375", 0x3c02, ""},
		// This is above the tie by less than its f64, which is odd and must remain so.
		{"f16", "1.0004882812500001665", 0x3c01, ""},
	} {
		got, err := Parse(c.typ, c.text)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("Parse(%s, %q): error %v, want %q", c.typ, c.text, err, c.err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("Parse(%s, %q) = %#x, %v; want %#x", c.typ, c.text, got, err, c.want)
		}
	}
}

// TestRoundTrip checks that every value of a type is read back from its own text.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, typ := range []Type{"u8", "s8", "u16", "s16", "f16", "bf16"} {
		for bits := range uint64(1) << (8 * typ.Size()) {
			s := Format(typ, bits)
			if s == "NaN" {
				continue
			}
			if got, err := Parse(typ, s); err != nil || got != bits {
				t.Fatalf("%s %#x formats as %q, which reads as %#x, %v", typ, bits, s, got, err)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(Types()).Draw(t, "type")
		bits := rapid.Uint64().Draw(t, "bits") & typ.mask()
		s := Format(typ, bits)
		if s == "NaN" {
			return
		}
		if got, err := Parse(typ, s); err != nil || got != bits {
			t.Fatalf("%s %#x formats as %q, which reads as %#x, %v", typ, bits, s, got, err)
		}
	})
}

// TestFormatFloats checks that a value has as few digits as distinguish it from its neighbours, and
// that whole numbers have no exponent if strconv writes none.
func TestFormatFloats(t *testing.T) {
	for _, tt := range []struct {
		typ  Type
		bits uint64
		want string
	}{
		{"f16", 0x4d00, "20"}, {"f16", 0x62cc, "870"}, {"f16", 0x7bff, "65500"}, {"f16", 0x2e66, "0.1"}, {"f16", 1, "6e-08"}, {"f16", 0x8000, "-0"},
		{"bf16", 0x41a0, "20"}, {"bf16", 0x3dcd, "0.1"}, {"bf16", 0x7f62, "3e+38"}, {"bf16", 0x4049, "3.14"},
		{"f32", 0x41a00000, "20"}, {"f32", 0x3dcccccd, "0.1"}, {"f64", 0x4034000000000000, "20"},
	} {
		if got := Format(tt.typ, tt.bits); got != tt.want {
			t.Errorf("%s %#x: %s, want %s", tt.typ, tt.bits, got, tt.want)
		}
	}
}

// TestNarrow compares narrow with the nearest of all 65,536 values, found by exact comparison.
func TestNarrow(t *testing.T) {
	t.Parallel()
	for _, typ := range []Type{"f16", "bf16"} {
		var vals []uint16 // non-negative finite values, ascending: their bits ascend
		for b := range uint16(0x8000) {
			if f := Float64(typ, uint64(b)); !math.IsInf(f, 0) && f == f {
				vals = append(vals, b)
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			i := rapid.IntRange(0, len(vals)-2).Draw(t, "i")
			lo, hi := Float64(typ, uint64(vals[i])), Float64(typ, uint64(vals[i+1]))
			f := lo + (hi-lo)*rapid.SampledFrom([]float64{0, 0.25, 0.5 - 0x1p-20, 0.5, 0.5 + 0x1p-20, 0.75, 1}).Draw(t, "at")
			dl := new(big.Float).Sub(big.NewFloat(f), big.NewFloat(lo))
			dh := new(big.Float).Sub(big.NewFloat(hi), big.NewFloat(f))
			want := vals[i]
			if c := dl.Cmp(dh); c > 0 || c == 0 && vals[i]&1 == 1 {
				want = vals[i+1]
			}
			if got := narrow(typ, f); got != want {
				t.Fatalf("narrow(%s, %g) = %#x, want %#x", typ, f, got, want)
			}
			if got := narrow(typ, -f); got != want|0x8000 {
				t.Fatalf("narrow(%s, %g) = %#x, want %#x", typ, -f, got, want|0x8000)
			}
		})
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.csv":   "1, 2\n3;4 # four\n",
		"bad.csv": "1,2\nx,4\n",
		"raw.bin": "\x01\x00\x02\x00\x03\x00\x04\x00",
	}
	read := func(name string, limit int64) ([]byte, int64, error) {
		if s, ok := files[name]; ok {
			return []byte(s), int64(len(s)), nil
		}
		if name == "long.bin" || name == "long.csv" {
			return make([]byte, limit), 4_000_000, nil
		}
		if name == "endless.bin" {
			return make([]byte, limit), -1, nil
		}
		return nil, 0, errors.New("no file " + name)
	}
	for _, c := range []struct {
		typ  Type
		init string
		want []float64
		err  string
	}{
		{"s32", "zero", []float64{0, 0, 0, 0}, ""},
		{"s32", "iota", []float64{0, 1, 2, 3}, ""},
		{"s32", "iota:-2", []float64{-2, -1, 0, 1}, ""},
		{"u8", "iota:254", []float64{254, 255, 0, 1}, ""},
		{"f32", "iota:0.5", []float64{0.5, 1.5, 2.5, 3.5}, ""},
		{"f16", "fill:1.5", []float64{1.5, 1.5, 1.5, 1.5}, ""},
		{"s32", "1,2,3,4", []float64{1, 2, 3, 4}, ""},
		{"s32", "1, 2, 3, 4,", []float64{1, 2, 3, 4}, ""},
		{"f32", "inf,-inf,0,1", []float64{math.Inf(1), math.Inf(-1), 0, 1}, ""},
		{"s32", "@a.csv", []float64{1, 2, 3, 4}, ""},
		{"u16", "@raw.bin", []float64{1, 2, 3, 4}, ""},
		{"s32", "1,2,3", nil, "3 values given, 4 elements wanted"},
		{"s32", "1,x,3,4", nil, `value 1: "x" is not an integer`},
		{"s32", "1,,3,4", nil, "value 1: empty value"},
		{"s32", "fill:", nil, "fill needs a value"},
		{"s32", "fill:1.5", nil, "is not an integer"},
		{"s32", "ones", nil, "is no initial value (want zero"},
		{"s32", "", nil, "empty initial value"},
		{"s32", "@", nil, "needs a file name"},
		{"s32", "rand:x", nil, "needs an unsigned integer"},
		{"s32", "@none", nil, "no file none"},
		{"s32", "@bad.csv", nil, `bad.csv: line 2: "x" is not an integer`},
		{"u32", "@raw.bin", nil, "raw.bin: has 8 bytes, 4 elements of u32 take 16"},
		{"f32", "@long.bin", nil, "long.bin: has 4000000 bytes, 4 elements of f32 take 16"},
		{"f32", "@endless.bin", nil, "endless.bin: has more than 1048592 bytes, 4 elements of f32 take 16"},
		{"f32", "@long.csv", nil, "long.csv: has 4000000 bytes, more than 4 elements of f32 can take as text (1048832)"},
	} {
		in, err := ParseInit(c.init)
		data := bytes.Repeat([]byte{0xaa}, 4*c.typ.Size())
		if err == nil {
			err = in.Fill(c.typ, data, 4, read)
		}
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.init, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.init, err)
			continue
		}
		for i, want := range c.want {
			if got := Float64(c.typ, Get(c.typ, data, i)); got != want {
				t.Errorf("%s of %s: element %d is %g, want %g", c.init, c.typ, i, got, want)
			}
		}
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	for _, typ := range Types() {
		a, b, c := make([]byte, 800), make([]byte, 800), make([]byte, 800)
		n := 800 / typ.Size()
		for _, f := range []struct {
			seed string
			to   []byte
		}{{"rand:1", a}, {"rand:1", b}, {"rand:2", c}} {
			in, err := ParseInit(f.seed)
			if err != nil {
				t.Fatal(err)
			}
			if err := in.Fill(typ, f.to, n, nil); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a, b) || bytes.Equal(a, c) {
			t.Errorf("%s: the seed does not decide", typ)
		}
		var least, most float64
		for i := range n {
			v := Float64(typ, Get(typ, a, i))
			least, most = min(least, v), max(most, v)
			if typ.Kind() == Float && !(v >= -1 && v < 1) {
				t.Errorf("%s: element %d is %g", typ, i, v)
			}
		}
		if typ.Kind() == Float && (least > -0.9 || most < 0.9) {
			t.Errorf("%s: values from %g to %g only", typ, least, most)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(Types()).Draw(t, "type")
		shape := rapid.SampledFrom([][]int{{6}, {2, 3}, {1}, {1, 1}}).Draw(t, "shape")
		n := 1
		for _, s := range shape {
			n *= s
		}
		data := make([]byte, n*typ.Size())
		for i := range n {
			Put(typ, data, i, FromInt(typ, int64(rapid.IntRange(0, 100).Draw(t, "v"))))
		}
		for _, name := range []string{"x.npy", "x.csv", "x.bin"} {
			var w bytes.Buffer
			if err := Write(&w, name, typ, shape, data); err != nil {
				t.Fatal(err)
			}
			in, _ := ParseInit("@" + name)
			got := make([]byte, len(data))
			if err := in.Fill(typ, got, n, func(string, int64) ([]byte, int64, error) { return w.Bytes(), int64(w.Len()), nil }); err != nil {
				t.Fatalf("%s: %v\n%q", name, err, w.Bytes())
			}
			if !bytes.Equal(got, data) {
				t.Fatalf("%s: wrote %x, read %x", name, data, got)
			}
			if cut := w.Len() - 1; name != "x.csv" {
				if err := in.Fill(typ, got, n, func(string, int64) ([]byte, int64, error) { return w.Bytes()[:cut], int64(cut), nil }); err == nil {
					t.Fatalf("%s: cut off after %d bytes, accepted", name, cut)
				}
			}
		}
	})
}

// npy makes a file that follows the description of the format.
func npy(header string, body []byte) []byte {
	h := header + strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(h)))
	return append(append(b, h...), body...)
}

func TestNPY(t *testing.T) {
	t.Parallel()
	body := []byte{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}
	for _, c := range []struct {
		name string
		file []byte
		typ  Type
		want []uint64
		err  string
	}{
		{"plain", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (6,), }", body), "s16", []uint64{1, 2, 3, 4, 5, 6}, ""},
		{"other sign", npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }", body), "s16", []uint64{1, 2, 3, 4, 5, 6}, ""},
		{"big-endian", npy("{'descr': '>i2', 'fortran_order': False, 'shape': (6,), }", body), "s16", []uint64{256, 512, 768, 1024, 1280, 1536}, ""},
		{"fortran", npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", body), "s16", []uint64{1, 3, 5, 2, 4, 6}, ""},
		{"type", npy("{'descr': '<f2', 'fortran_order': False, 'shape': (6,), }", body), "s16", nil, "holds elements of numpy type"},
		{"count", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (5,), }", body), "s16", nil, "holds 5 elements (shape [5]), 6 elements wanted"},
		{"huge", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", body), "s16", nil, "exceeds any memory"},
		{"negative", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (-6,), }", body), "s16", nil, "exceeds any memory"},
		{"no shape", npy("{'descr': '<i2', 'fortran_order': False, }", body), "s16", nil, "no shape"},
		{"short", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (6,), }", body[:11]), "s16", nil, "truncated: 11 bytes of data, 12 wanted"},
		{"magic", []byte("\x93NUMPX\x01\x00\x00\x00\x00"), "s16", nil, "not a .npy file"},
		{"header", []byte("\x93NUMPY\x01\x00\xff\xff{"), "s16", nil, "header of 65535 bytes in a file of 11"},
		{"version", []byte("\x93NUMPY\x09\x00\xff\xff{"), "s16", nil, "format version 9"},
	} {
		data := make([]byte, 6*c.typ.Size())
		err := readNPY(c.typ, data, 6, c.file)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for i, want := range c.want {
			if got := Get(c.typ, data, i); got != want {
				t.Errorf("%s: element %d is %d, want %d", c.name, i, got, want)
			}
		}
	}
}

// TestNumpyReads checks, if numpy is installed, that it reads Crosslane's files.
func TestNumpyReads(t *testing.T) {
	short.Skip(t, "Python takes a second to start")
	t.Parallel()
	py := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} { // the first may be a Python without Debian's packages
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			py = name
			break
		}
	}
	if py == "" {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("python3 with numpy is not installed")
		}
		t.Skip("python3 with numpy is not installed")
	}
	var w bytes.Buffer
	if err := Write(&w, "x.npy", "f32", []int{2, 2}, []byte{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64}); err != nil {
		t.Fatal(err)
	}
	name := t.TempDir() + "/x.npy"
	if err := os.WriteFile(name, w.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(py, "-c", "import numpy,sys; print(numpy.load(sys.argv[1]).tolist())", name).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "[[1.0, 2.0], [3.0, 4.0]]" {
		t.Fatalf("numpy reads %s, %v", out, err)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  Type
		bits uint64
		want string
	}{
		{"u64", math.MaxUint64, "18446744073709551615"},
		{"f32", 0x7fc00001, `"NaN"`},
		{"f32", 0x7f800000, `"Infinity"`},
		{"f64", 0xfff0000000000000, `"-Infinity"`},
		{"f32", 0x3dcccccd, "0.1"},
		{"f16", 0x2e66, "0.1"},
		{"f32", 0x7f7fffff, "3.4028235e+38"},
		{"s8", 0xff, "-1"},
	} {
		if got := string(AppendJSON([]byte("["), c.typ, c.bits)); got != "["+c.want {
			t.Errorf("%s %#x is %s, want [%s", c.typ, c.bits, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1", "-3", "0x1f", "1.5", "0f3F800000", "1e-400", "nan", "1,2,3", "fill:1", "iota:1e30", "rand:0x10", "@x"} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, s string, k uint8) {
		typ := Types()[int(k)%len(Types())]
		if bits, err := Parse(typ, s); err == nil && bits&^typ.mask() != 0 {
			t.Errorf("Parse(%s, %q) = %#x", typ, s, bits)
		}
		in, err := ParseInit(s)
		if err != nil {
			return
		}
		data := make([]byte, 4*typ.Size())
		_ = in.Fill(typ, data, 4, func(string, int64) ([]byte, int64, error) { return []byte(s), int64(len(s)), nil })
		_ = readNPY(typ, data, 4, []byte(s))
	})
}
