package launchspec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

func (s Arg) String() string {
	switch s.kind {
	case argScalar:
		return "scalar " + s.Text
	case argTyped:
		return fmt.Sprintf("typed %s %#x", s.typ, s.bits)
	case argRef:
		return "ref " + s.name
	case argShared:
		return fmt.Sprintf("shared %d", s.shared)
	case argAddress:
		return fmt.Sprintf("address %s %d %d", s.address.name, s.address.index, s.address.add)
	case argStruct:
		return fmt.Sprintf("struct %s %d", s.name, len(s.fields))
	}
	return fmt.Sprintf("buffer %s %s %v init=%v", s.name, s.typ, s.shape, s.hasInit)
}

func TestParseArg(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want, err string }{
		{text: "1024", want: "scalar 1024"},
		{text: "-3", want: "scalar -3"},
		{text: "+3", want: "scalar +3"},
		{text: "0x1f", want: "scalar 0x1f"},
		{text: "0b11", want: "scalar 0b11"},
		{text: "1.5", want: "scalar 1.5"},
		{text: ".5", want: "scalar .5"},
		{text: "-1e-3", want: "scalar -1e-3"},
		{text: "-inf", want: "scalar -inf"},
		{text: "0f3F800000", want: "scalar 0f3F800000"},
		{text: "18446744073709551615", want: "scalar 18446744073709551615"},
		{text: "u32:7", want: "typed u32 0x7"},
		{text: "f32:0.5", want: "typed f32 0x3f000000"},
		{text: "s8:-1", want: "typed s8 0xff"},
		{text: "f16:nan", want: "typed f16 0x7fff"},
		{text: "in:s32[1024]", want: "buffer in s32 [1024] init=false"},
		{text: "in:s32[0x10]", want: "buffer in s32 [16] init=false"},
		{text: "m:f32[2,3]=zero", want: "buffer m f32 [2 3] init=true"},
		{text: "m:f32[2, 3]=iota:1", want: "buffer m f32 [2 3] init=true"},
		{text: "a.b-c_1:bf16[1]=1", want: "buffer a.b-c_1 bf16 [1] init=true"},
		{text: "x:u8[3]=1,2,3", want: "buffer x u8 [3] init=true"},
		{text: "x:u8[3]=@dir/a:b=c.npy", want: "buffer x u8 [3] init=true"},
		{text: "s8:u8[4]=1,2,3,4", want: "buffer s8 u8 [4] init=true"},
		{text: "f32:s32[2]", want: "buffer f32 s32 [2] init=false"},
		{text: "shared:u8[4]", want: "buffer shared u8 [4] init=false"},
		{text: "nan:f64[1]", want: "buffer nan f64 [1] init=false"},
		{text: "s8", want: "ref s8"},
		{text: "p:u64[2]=&a,&b+4", want: "buffer p u64 [2] init=true"},
		{text: "&in", want: "address in 0 0"},
		{text: "&in[4]", want: "address in 4 0"},
		{text: "&in+0x10", want: "address in 0 16"},
		{text: "&in+-8", want: "address in 0 -8"},
		{text: "p={&in,64,1.0f}", want: "struct p 3"},
		{text: "{}", want: "struct  0"},
		{text: "x=@x.npy", want: "buffer x  [] init=true"},
		{text: "x:@x.npy", want: "buffer x  [] init=true"},
		{text: "in", want: "ref in"},
		{text: "nan", want: "ref nan"},
		{text: "shared:4096", want: "shared 4096"},
		{text: "shared:0x100", want: "shared 256"},

		{text: "", err: "empty argument"},
		{text: " ", err: "empty argument"},
		{text: "1.2.3", err: `"1.2.3" is not a number`},
		{text: "12abc", err: `"12abc" is not a number`},
		{text: "1e999", err: `is not a number`},
		{text: "u32:x", err: `"x" is not an integer (type u32)`},
		{text: "u8:256", err: "does not fit u8 (0 to 255)"},
		{text: "u32:", err: "empty value"},
		{text: "in[4]", err: "buffer in has no type: want NAME:TYPE[N], as in in:u32[64]"},
		{text: "in=iota", err: "buffer in has no type and size"},
		{text: "in:u32", err: "buffer in: no size: want u32[N]"},
		{text: "in:u32=iota", err: "buffer in: no size: want u32[N]"},
		{text: "in:i32[4]", err: `buffer in: "i32" is no element type (known: u8 s8`},
		{text: "in:[4]", err: `buffer in: "" is no element type`},
		{text: "in:u32[4", err: "no ] after its size"},
		{text: "in:u32[]", err: `size []: "" is not a number of elements`},
		{text: "in:u32[0]", want: "buffer in u32 [0] init=false"},
		{text: "in:u32[n]", want: "buffer in u32 [] init=false"},
		{text: "in:u32[min(n,4),2*block]=iota", want: "buffer in u32 [] init=true"},
		{text: "in:u32[n+]", err: "is not a number of elements"},
		{text: "in:u32[(1]", err: "size [(1]: a bracket is not closed"},
		{text: "in:u32[-1]", err: "is not a number of elements"},
		{text: "in:u32[1,2,3]", err: "has 3 dimensions, 2 is the limit"},
		{text: "in:u32[4]x", err: `buffer in: "x" after its size`},
		{text: "in:u32[4]=", err: "buffer in: empty initial value"},
		{text: "in:u32[4]=ones", err: `buffer in: "ones" is no initial value`},
		{text: "in:u32[4]=1,2", err: "buffer in: 2 values given, it has 4 elements"},
		{text: "3in:u32[4]", err: `"3in:u32[4]" is not a number`},
		{text: "a b:u32[4]", err: `"a b" is no buffer name`},
		{text: "shared:x", err: "shared: needs a number of bytes"},
		{text: "shared:-1", err: "shared: needs a number of bytes"},
		{text: "shared:99999999999", err: "shared: needs a number of bytes"},
		{text: "shared", want: "ref shared"},
		{text: "u8:u9[4]", err: `"u9[4]" is not an integer (type u8)`},
		{text: "p:u32[2]=&a,&b", err: "an address takes 8 bytes: the type has to be u64, not u32"},
		{text: "p:u64[2]=&a,&", err: `value 1: "&": "" is no buffer name`},
		{text: "&in[", err: "want &NAME[INDEX]"},
		{text: "&in+x", err: `"x" is not a number of bytes`},
		{text: "x=@x.bin", err: "only .npy files have a type and a size: want NAME:TYPE[N]=@FILE, as in x:f32[64]=@x.bin"},
		{text: "p={1", err: "structure p: no } at its end"},
		{text: "p={1}}", err: `structure p: "}" at character 2 closes nothing`},
		{text: "p={{1]}", err: "closes nothing"},
		{text: "p={{1}", err: "a bracket is not closed"},
		{text: "p={1.0}", err: `field 1: "1.0" may be a float or a double: write f32:1.0 or f64:1.0`},
		{text: "p={1,,2}", err: "field 2: it is empty"},
		{text: "p={1,in}", err: `field 2: "in" is no field (want a number`},
		{text: "p={hex:0}", err: "hex: needs pairs of hexadecimal digits"},
		{text: "p={pad:x}", err: "pad: needs a number of bytes"},
		{text: "p={u8[2]={1,2,3}}", err: "3 values given, it has 2 elements"},
		{text: "p={u8:256}", err: "does not fit u8"},
		{text: "p={99999999999999999999}", err: "does not fit s64"},
		{text: "p={1@99999}", err: "exceeds any structure"},
		{text: "a/b", err: `"a/b" is no argument (want a number`},
	} {
		got, err := ParseArg(c.text)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q: %v, %v; want error %q", c.text, got, err, c.err)
		case c.err == "" && (err != nil || got.String() != c.want):
			t.Errorf("%q: %v, %v; want %s", c.text, got, err, c.want)
		}
	}
}

// A buffer without values counts as uninitialised, one with values does not.
func TestBuildArgs(t *testing.T) {
	t.Parallel()
	var specs []Arg
	for _, s := range []string{"a:u16[2]", "b:u16[2]=3,4", "a"} {
		spec, err := ParseArg(s)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, spec)
	}
	data, err := buildArgs(specs, nil, 1<<20, 1)
	if err != nil {
		t.Fatal(err)
	}
	args, bufs := data.args, data.Buffers
	if len(args) != 3 || len(bufs) != 2 {
		t.Fatalf("%d arguments, %d buffers, %v", len(args), len(bufs), err)
	}
	if !bufs[0].Uninitialised || bufs[1].Uninitialised || args[2] != crosslane.Arg(bufs[0]) {
		t.Errorf("a: uninitialised %v, b: %v, a again: %v", bufs[0].Uninitialised, bufs[1].Uninitialised, args[2] == crosslane.Arg(bufs[0]))
	}
	if string(bufs[1].Data) != "\x03\x00\x04\x00" {
		t.Errorf("b holds %x", bufs[1].Data)
	}
}

// namesFile reports whether a file has to be read for an argument.
func namesFile(a Arg) bool {
	var fields func(list []fieldSpec) bool
	fields = func(list []fieldSpec) bool {
		return slices.ContainsFunc(list, func(f fieldSpec) bool { return f.file != "" || f.init.File() != "" || fields(f.fields) })
	}
	return a.init.File() != "" || fields(a.fields)
}

// FuzzArg: no argument panics, and none asks for memory beyond the limit.
func FuzzArg(f *testing.F) {
	for _, s := range []string{
		"1024", "-3", "0x1f", "1.5", "u32:7", "f32:0.5", "in:s32[1024]", "in:s32[2,3]=iota:1", "x:u8[3]=1,2,3", "in",
		"shared:64", "x:f16[4]=rand:9", "x:f16[4]=@none", `{"name":"x","type":"u8","shape":[2],"data":[1,2]}`, `{"value":1}`, `"x:u8[1]"`,
		"p={1,2u,-3l,1.0f,{true,null},pad:4,hex:00ff,u16[3]={1,2,3},u8:1@40}", "x:u64[2]=&x,&x+8", "&x[3]", "s8:u8[2]=1,2", `{"name":"p","struct":[1,"2u",["pad:3",{"type":"f32","value":1}]]}`,
		"p={f32[2]=fill:1@8,}", "{{{}}}", "{}",
	} {
		f.Add(s)
	}
	const limit = 1 << 16
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func(string) (Arg, error){ParseArg, func(s string) (Arg, error) { return jsonArg([]byte(s)) }} {
			spec, err := parse(s)
			if err != nil || namesFile(spec) {
				continue
			}
			data, err := buildArgs([]Arg{spec}, nil, limit, 1)
			if err != nil {
				continue
			}
			args, bufs := data.args, data.Buffers
			if len(args) != 1 || len(bufs) > 1 || len(bufs) == 1 && len(bufs[0].Data) > limit {
				t.Errorf("%q: %d arguments, %d buffers", s, len(args), len(bufs))
			}
		}
		_, _ = ParseDim("--grid", s)
		_, _ = ParseTimeout(s)
	})
}

// FuzzLaunchFile: no launch file panics; an error names the file.
func FuzzLaunchFile(f *testing.F) {
	for _, s := range []string{
		`{"schema":"crosslane.launch/1","kernel":"k","grid":[1,2,3],"block":4,"args":["o:u32[4]",1,{"name":"x","type":"u8","shape":[2],"data":[1,2]}],"shared":16,"print":["o"],"save":{"o":"f"},"expect":{"o":[1,"NaN"]},"timeout":"1s"}`,
		`{"grid":"1","block":"4"}`, `[]`, `{"grid":1e30}`, "\ufeff{}", `{"args":[null]}`, `{"foo":1}`, `{} {}`, `{"expect":{"o":"@f"}}`,
	} {
		f.Add([]byte(s))
	}
	const limit = 1 << 16
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse("l.json", data)
		if err != nil {
			if d := diag.Of(err)[0]; d.Pos.File != "l.json" || d.Message == "" || d.Message[0] == ' ' {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		for _, a := range slices.Concat(l.Args, l.Buffers) {
			if namesFile(a) {
				return
			}
		}
		if made, err := buildArgs(l.Args, l.Buffers, limit, 1); err == nil {
			n := 0
			for _, b := range made.Buffers {
				n += len(b.Data)
			}
			if n > limit {
				t.Errorf("%q: buffers of %d bytes, the limit is %d", data, n, limit)
			}
		}
	})
}

// A value that does not fit a launch file is named, also if it has no name.
func TestLaunchFileErrors(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`[]`:                      "l.json:1:1: error: the launch is a JSON array, which does not fit",
		"{\n \"workers\": \"x\"}": "l.json:2:15: error: workers is a JSON string, which does not fit",
		`{"shared": []}`:          "l.json: error: shared must be a number of bytes or an expression, found",
		"\ufeff{":                 "l.json: error: the JSON ends too early",
	} {
		_, err := Parse("l.json", []byte(src))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

// TestTensorMapArg: the bytes of a tensor map as written, and each kind of mistake.
func TestTensorMapArg(t *testing.T) {
	in := &crosslane.Buffer{Name: "in", Type: "f16", Shape: []int{128, 64}, Data: make([]byte, 2*64*128)}
	for text, want := range map[string]string{
		"m=tensormap{&in, f16, dims=64x128, box=64x128, swizzle=128B, l2=128B}":                                 "1263040008000000",
		"tensormap{&in+256,f32,dims=16x8x8,box=16x8x1,swizzle=64B,l2=128}":                                      "a243040004000000",
		"tensormap{&in, f16, dims=64x9x14x2, mode=im2col, lower=-1x-1, upper=-1x-1, channels=64, pixels=32}":    "3a03000008000000",
		"tensormap{&in,u8,dims=100,box=16,fill=zero,steps=1}":                                                   "0200000000000000",
		"tensormap{in, f16, dims=64, box=64}":                                                                   "is no address",
		"tensormap{&in, f17, dims=64, box=64}":                                                                  `"f17" is no element type`,
		"tensormap{&in, f16, dims=64x2, box=64}":                                                                "the box has 1 dimensions, and the tensor 2",
		"tensormap{&in, f16, dims=64x2, strides=128x256, box=64x1}":                                             "there are 2 strides, want 1",
		"tensormap{&in, f16, dims=64x2, box=60x1}":                                                              "want a multiple of 16",
		"tensormap{&in, f16, dims=64x2, dims=64x2, box=64x1}":                                                   "once at most",
		"tensormap{&in, f16, dims=64x-2, box=64x1}":                                                             "is not a number here",
		"tensormap{&in, f16, dims=64x2, box=64x1, swizzle=16B}":                                                 "is no swizzle",
		"tensormap{&in, f16, dims=64x2, box=64x1, fill=one}":                                                    "want zero or nan",
		"tensormap{&in, f16, dims=64x2, box=64x1, size=3}":                                                      "no field has this name",
		"tensormap{&out, f16, dims=64x2, box=64x1}":                                                             "no buffer is named out",
		"tensormap{&in, f16, dims=64x2x3, mode=im2col, lower=-1, upper=-1x2, channels=64, pixels=32, steps=1x1": "want tensormap{…}",
		"tensormap{&in, f16, dims=64x2x3, mode=im2col, lower=-1, upper=-1x2, channels=64, pixels=32}":           "the corners have 1 and 2 numbers, want 1 each",
	} {
		a, err := ParseArg(text)
		var got crosslane.Arg
		if err == nil {
			got, err = a.arg(map[string]*crosslane.Buffer{"in": in})
		}
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
			continue
		}
		b := got.(crosslane.Bytes)
		if s := fmt.Sprintf("%x", b.Data[8:16]); s != want || len(b.Data) != 128 || len(b.Pointers) != 1 || b.Pointers[0].At != 0 || b.Pointers[0].To != in {
			t.Errorf("%s: %s, want %s; %d bytes, %v", text, s, want, len(b.Data), b.Pointers)
		}
	}
}
