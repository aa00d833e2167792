package launchspec

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane"
)

// TestTextureArg: the descriptor of a texture as written, field by field, and each kind of mistake.
func TestTextureArg(t *testing.T) {
	in := &crosslane.Buffer{Name: "in", Type: "f32", Data: make([]byte, 4*1024)}
	for text, want := range map[string]string{
		// magic, kind, format, channels, dimensions; then width, height, depth, layers; then pitch and slice; then levels, flags, addresses
		"t=texture{&in, f32, width=32, height=8, filter=linear}":                                       "4352545801080102 20000000080000000100000000000000 80000000000000000004000000000000 0002030303",
		"texture{&in+256,u8x4,width=16,normalized,float,address=wrap/mirror/border}":                   "4352545801010401 10000000010000000100000000000000 40000000000000004000000000000000 0018000104",
		"surface{&in, u16x2, width=4, height=4, layers=2, pitch=32, slice=256}":                        "4352545803030202 04000000040000000100000002000000 20000000000000000001000000000000 0000030303",
		"texture{&in, f16, width=4, height=4, layers=6, cube}":                                         "4352545801070102 04000000040000000100000006000000 08000000000000002000000000000000 0001030303",
		"texture{&in, f32, width=8, height=8, depth=2, levels=3, mip=linear, bias=1, border=1/0/0/.5}": "4352545801080103 08000000080000000200000000000000 20000000000000000001000000000000 0304030303",
		"texture{&in, s32, width=64, linear}":                                                          "4352545801060101 40000000010000000100000000000000 00010000000000000001000000000000 0040030303",
		"texture{in, f32, width=4}":                                                                    "is no address",
		"texture{&in, f32}":                                                                            "want &NAME, FORMAT, width=N",
		"texture{&in, f64, width=4}":                                                                   `"f64" is no format of texels`,
		"texture{&in, f32x3, width=4}":                                                                 `"f32x3" is no format of texels`,
		"texture{&in, f32, width=0}":                                                                   "width: \"0\" is not a number from 1 on",
		"texture{&in, f32, height=4}":                                                                  "the extents are 0x4x1",
		"texture{&in, f32, width=4, depth=4}":                                                          "there is a depth and no height",
		"texture{&in, f32, width=4, width=4}":                                                          "the field is named twice",
		"texture{&in, f32, width=4, cube=1}":                                                           "the field takes no value",
		"texture{&in, f32, width=4, height=4, cube}":                                                   "a cube map has 0 layers of 4x4",
		"texture{&in, f32, width=4, address=round}":                                                    `"round" is no mode of addressing`,
		"texture{&in, f32, width=4, filter=cubic}":                                                     `"cubic" is no filter`,
		"texture{&in, f32, width=4, border=1/2/3/4/5}":                                                 "5 numbers, and 4 at most",
		"texture{&in, f32, width=4, bias=x}":                                                           `bias: "x" is not a number`,
		"texture{&in, f32, width=4, shade=1}":                                                          "no field has this name",
		"texture{&in, f32, width=32, height=64}":                                                       "its texels have 8192 bytes, and the buffer in has 4096",
		"surface{&in+4000, f32, width=32}":                                                             "its texels have 128 bytes, and the buffer in has 96",
		"texture{&in, f32, width=4, pitch=8}":                                                          "does not fit in the pitch of 8 bytes",
		"texture{&out, f32, width=4}":                                                                  "no buffer is named out",
		"texture{&in, f32, width=4":                                                                    "want texture{…} or NAME=texture{…}",
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
		b := got.(crosslane.Pointer).To
		if s := fmt.Sprintf("%x %x %x %x", b.Data[:8], b.Data[16:32], b.Data[32:48], b.Data[48:53]); s != want || len(b.Data) != 128 || len(b.Pointers) != 1 || b.Pointers[0].At != 8 || b.Pointers[0].To != in {
			t.Errorf("%s:\n%s, want\n%s; %d bytes, %v", text, s, want, len(b.Data), b.Pointers)
		}
	}
}
