package api_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
)

// textureKernel is a kernel of 32 threads with a handle t. In code %r0 is the thread, %f0 the same as a number plus a half, %rd1 the
// handle and %rd2 the address of the thread's 16 bytes of out.
func textureKernel(head, code string) string {
	return `.version 8.0
.target sm_80
.address_size 64` + head + `
.visible .entry k(.param .u64 t, .param .u64 out)
{
	.reg .b16 %h<8>;
	.reg .b32 %r<16>;
	.reg .f32 %f<16>;
	.reg .b64 %rd<8>;
	.reg .pred %p<4>;
	ld.param.u64 %rd1, [t];
	ld.param.u64 %rd2, [out];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd3, %r0, 16;
	add.u64 %rd2, %rd2, %rd3;
	cvt.rn.f32.u32 %f0, %r0;
	add.f32 %f0, %f0, 0f3f000000;
	mov.f32 %f9, 0f3f000000;
	mov.u32 %r8, 0;
	mov.u32 %r9, 1;
` + code + `
	ret;
}
`
}

const (
	storeInts   = "\n\tst.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4};"
	storeFloats = "\n\tst.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};"
)

// runTexture runs a kernel and returns the words of out.
func runTexture(t *testing.T, src, engine string, tex crosslane.Texture, check bool) (out []uint32, err error) {
	t.Helper()
	mod, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	k, err := mod.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	out = make([]uint32, 128)
	l := crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Timeout: time.Minute, Engine: engine,
		Args: []crosslane.Arg{tex.Handle(), crosslane.Slice("out", out)}}
	if check {
		rep, err := k.Check(context.Background(), l)
		if err == nil && len(rep.Findings) > 0 {
			err = rep.Findings
		}
		return out, err
	}
	_, err = k.Run(context.Background(), l)
	return out, err
}

// ramp is a buffer of n bytes with the values 0, 1, 2 … of a size.
func ramp(n, size int) *crosslane.Buffer {
	b := &crosslane.Buffer{Name: "texels", Type: "u8", Data: make([]byte, n*size)}
	for i := range n {
		if size == 4 {
			binary.LittleEndian.PutUint32(b.Data[4*i:], math.Float32bits(float32(i)))
		} else {
			b.Data[i*size] = byte(i)
		}
	}
	return b
}

func floats(f func(i, c int) float64) (list []uint32) {
	for i := range 128 {
		list = append(list, math.Float32bits(float32(f(i/4, i%4))))
	}
	return list
}

func integers(f func(i, c int) int) (list []uint32) {
	for i := range 128 {
		list = append(list, uint32(f(i/4, i%4)))
	}
	return list
}

// fourth is 1 for the fourth channel.
func fourth(c int) int { return c / 3 }

// TestTextureInstructions runs every form on both engines, and compares with values that follow from the texels, which count from
// 0 on.
func TestTextureInstructions(t *testing.T) {
	t.Parallel()
	at := func(n, size int, x crosslane.Texture) crosslane.Texture {
		x.Texels = crosslane.Pointer{To: ramp(n, size)}
		return x
	}
	line := func() crosslane.Texture { return at(16, 4, crosslane.Texture{Format: "f32", Width: 16}) }
	plane := func() crosslane.Texture { return at(32, 4, crosslane.Texture{Format: "f32", Width: 8, Height: 4}) }
	channel := func(c int, v float64) float64 {
		if c == 0 {
			return v
		}
		return float64(fourth(c))
	}
	near := func(i, n int) int { return min(max(i, 0), n-1) }
	for _, c := range []struct {
		name, head, code string
		tex              crosslane.Texture
		want             []uint32
	}{
		{"1d by index", "", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0}];" + storeFloats, line(), floats(func(i, c int) float64 { return channel(c, float64(near(i, 16))) })},
		{"1d nearest", "", "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];" + storeFloats, line(), floats(func(i, c int) float64 { return channel(c, float64(near(i, 16))) })},
		{"a result is a coordinate", "", "tex.1d.v4.f32.f32 {%f0, %f2, %f3, %f4}, [%rd1, {%f0}];\n\tmov.f32 %f1, %f0;" + storeFloats, line(), floats(func(i, c int) float64 { return channel(c, float64(near(i, 16))) })},
		{"predicate", "", "setp.eq.u32 %p1, 0, 1;\n\ttex.1d.v4.f32.f32 {%f1, _, _, _}|%p1, [%rd1, {%f0}];\n\tselp.f32 %f2, 0f40e00000, 0f00000000, %p1;\n\tmov.f32 %f3, %f2;\n\tmov.f32 %f4, %f2;" + storeFloats,
			line(), floats(func(i, c int) float64 {
				if c == 0 {
					return float64(near(i, 16))
				}
				return 7
			})},
		{"2d linear", "", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f9, %f0}];" + storeFloats, func() crosslane.Texture { x := plane(); x.Filter = "linear"; return x }(),
			floats(func(i, c int) float64 { return channel(c, float64(8*near(i, 4))) })},
		{"2d linear between", "", "add.f32 %f0, %f0, 0f3f000000;\n\ttex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f9}];" + storeFloats, func() crosslane.Texture { x := plane(); x.Filter = "linear"; return x }(),
			floats(func(i, c int) float64 { return channel(c, float64(near(i, 8)+near(i+1, 8))/2) })},
		{"offset", "", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f9}], {%r9, %r9};" + storeFloats, plane(), floats(func(i, c int) float64 { return channel(c, float64(8+near(i+1, 8))) })},
		{"base", "", "tex.base.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f9}];" + storeFloats, plane(), floats(func(i, c int) float64 { return channel(c, float64(near(i, 8))) })},
		{"level", "", "tex.level.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %r8}], %r9;" + storeFloats, at(24, 4, crosslane.Texture{Format: "f32", Width: 4, Height: 4, Levels: 3}), floats(func(i, c int) float64 { return channel(c, float64(16+near(i, 2))) })},
		{"gradient", "", "mov.f32 %f8, 0f40000000;\n\ttex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f9}], {%f8, %f8}, {%f8, %f8};" + storeFloats, at(24, 4, crosslane.Texture{Format: "f32", Width: 4, Height: 4, Levels: 3, MaxLevel: 1}), floats(func(i, c int) float64 { return channel(c, float64(16+near(i, 2))) })},
		{"3d", "", "tex.3d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r8, %r9, %r0, %r0}];" + storeFloats, at(24, 4, crosslane.Texture{Format: "f32", Width: 3, Height: 2, Depth: 4}), floats(func(i, c int) float64 { return channel(c, float64(3+6*near(i, 4))) })},
		{"a1d", "", "tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %f9}];" + storeFloats, at(24, 4, crosslane.Texture{Format: "f32", Width: 6, Layers: 4}), floats(func(i, c int) float64 { return channel(c, float64(6*near(i, 4))) })},
		{"a2d", "", "tex.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %r8, %r9, %r9}];" + storeFloats, at(24, 4, crosslane.Texture{Format: "f32", Width: 3, Height: 2, Layers: 4}), floats(func(i, c int) float64 { return channel(c, float64(3+6*near(i, 4))) })},
		{"cube", "", "mov.f32 %f8, 0fc0000000;\n\ttex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f9, %f8, %f9, %f9}];" + storeFloats, at(6, 4, crosslane.Texture{Format: "f32", Width: 1, Height: 1, Layers: 6, Cube: true}), floats(func(_, c int) float64 { return channel(c, 3) })},
		{"acube", "", "mov.f32 %f8, 0fc0000000;\n\ttex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %f9, %f9, %f8}];" + storeFloats, at(12, 4, crosslane.Texture{Format: "f32", Width: 1, Height: 1, Layers: 12, Cube: true}), floats(func(i, c int) float64 { return channel(c, float64(5+6*near(i, 2))) })},
		{"integers", "", "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r0}];" + storeInts, at(64, 1, crosslane.Texture{Format: "u8x4", Width: 16, Linear: true}), integers(func(i, c int) int {
			if i > 15 {
				return 0 // linear memory has zeros outside
			}
			return 4*i + c
		})},
		{"read as numbers", "", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0}];" + storeFloats, at(64, 1, crosslane.Texture{Format: "u8x2", Width: 32, Float: true}), floats(func(i, c int) float64 {
			if c < 2 {
				return float64(2*i+c) / 255
			}
			return float64(fourth(c))
		})},
		{"f16", "", "tex.1d.v4.f16.s32 {%h1, %h2, %h3, %h4}, [%rd1, {%r0}];\n\tcvt.u32.u16 %r1, %h1;\n\tcvt.u32.u16 %r2, %h2;\n\tcvt.u32.u16 %r3, %h3;\n\tcvt.u32.u16 %r4, %h4;" + storeInts, at(32, 2, crosslane.Texture{Format: "f16", Width: 32}), integers(func(i, c int) int {
			if c == 0 {
				return i // subnormal numbers keep their bits
			}
			return 0x3c00 * fourth(c)
		})},
		{"f16x2", "", "tex.1d.v2.f16x2.s32 {%r1, %r2}, [%rd1, {%r0}];\n\tmov.u32 %r3, 5;\n\tmov.u32 %r4, 6;" + storeInts, at(64, 2, crosslane.Texture{Format: "f16x2", Width: 32}), integers(func(i, c int) int {
			return [...]int{2*i | (2*i+1)<<16, 0x3c000000, 5, 6}[c]
		})},
		{"gather", "", "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];" + storeFloats, plane(), floats(func(i, c int) float64 {
			o := [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}}[c]
			return float64(near(i+o[0], 8) + 8*near(i+o[1], 4))
		})},
		{"queries", "", "txq.width.b32 %r1, [%rd1];\n\ttxq.height.b32 %r2, [%rd1];\n\ttxq.channel_data_type.b32 %r3, [%rd1];\n\ttxq.addr_mode_0.b32 %r4, [%rd1];" + storeInts, plane(), integers(func(_, c int) int { return [...]int{8, 4, 0x10de, 3}[c] })},
		{"levels", "", "txq.level.width.b32 %r1, [%rd1], %r9;\n\ttxq.num_mipmap_levels.b32 %r2, [%rd1];\n\ttxq.array_size.b32 %r3, [%rd1];\n\ttxq.depth.b32 %r4, [%rd1];" + storeInts, at(24, 4, crosslane.Texture{Format: "f32", Width: 4, Height: 4, Levels: 3}), integers(func(_, c int) int { return [...]int{2, 3, 0, 0}[c] })},
		{"types", "\n.global .surfref sf;\n.global .samplerref sm = { filter_mode = linear };", "istypep.texref %p1, %rd1;\n\tselp.u32 %r1, 1, 0, %p1;\n\tistypep.surfref %p1, %rd1;\n\tselp.u32 %r2, 1, 0, %p1;\n\tmov.u64 %rd4, sf;\n\tistypep.surfref %p1, %rd4;\n\tselp.u32 %r3, 1, 0, %p1;\n\tistypep.texref %p1, %rd2;\n\tselp.u32 %r4, 1, 0, %p1;" + storeInts,
			plane(), integers(func(_, c int) int { return [...]int{1, 0, 1, 0}[c] })},
		{"sampler", "\n.global .samplerref sm = { filter_mode = linear, addr_mode_0 = clamp_to_border };", "add.f32 %f0, %f0, 0f3f000000;\n\ttex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, sm, {%f0}];\n\ttxq.filter_mode.b32 %r1, [sm];\n\tcvt.rn.f32.u32 %f2, %r1;" + storeFloats, line(),
			floats(func(i, c int) float64 {
				v := func(i int) float64 {
					if i > 15 {
						return 0
					}
					return float64(i)
				}
				switch c {
				case 0:
					return (v(i) + v(i+1)) / 2
				case 1:
					return 1
				case 3:
					if i > 15 {
						return 0 // the border
					}
					if i == 15 {
						return 0.5
					}
				}
				return float64(fourth(c))
			})},
	} {
		for _, engine := range []string{"interp", "auto"} {
			src := textureKernel(c.head, c.code)
			if strings.HasPrefix(c.name, "types") || strings.HasPrefix(c.name, "sampler") {
				src = strings.Replace(src, ".target sm_80\n", ".target sm_80, texmode_independent\n", 1)
			}
			got, err := runTexture(t, src, engine, c.tex, false)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, engine, err)
				continue
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s, %s: %#x\nwant %#x", c.name, engine, got[:80], c.want[:80])
			}
			if got, err = runTexture(t, src, engine, c.tex, true); err != nil {
				t.Errorf("%s, %s: check: %v", c.name, engine, err)
			} else if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s, %s: check changes the results", c.name, engine)
			}
		}
	}
}

// TestSurfaceInstructions does the same for surfaces. The second half of the table compares the surface, not out.
func TestSurfaceInstructions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, code string
		tex        crosslane.Texture
		bytes      int
		want       func(i int) byte // of the surface; nil: want out
		out        []uint32
	}{
		{"suld", "shl.b32 %r5, %r0, 2;\n\tsuld.b.1d.b32.trap %r1, [%rd1, {%r5}];\n\tsuld.b.1d.v2.b16.trap {%h1, %h2}, [%rd1, {%r5}];\n\tsuld.b.1d.b8.clamp %h3, [%rd1, {%r5}];\n\tcvt.u32.u16 %r2, %h1;\n\tcvt.u32.u16 %r3, %h2;\n\tcvt.u32.u16 %r4, %h3;" + storeInts,
			crosslane.Texture{Format: "u32", Width: 32}, 128, nil, integers(func(i, c int) int {
				b := func(k int) int { return 4*i + k }
				return [...]int{b(0) | b(1)<<8 | b(2)<<16 | b(3)<<24, b(0) | b(1)<<8, b(2) | b(3)<<8, b(0)}[c]
			})},
		{"suld outside", "mov.u32 %r1, 9;\n\tmov.u32 %r5, -4;\n\tsuld.b.2d.b32.zero %r1, [%rd1, {%r5, %r0}];\n\tmov.u32 %r6, 8;\n\tsuld.b.2d.b32.zero %r2, [%rd1, {%r6, %r0}];\n\tsuld.b.2d.b32.clamp %r3, [%rd1, {%r5, %r0}];\n\tsuld.b.2d.b64.clamp %rd5, [%rd1, {%r6, %r0}];\n\tcvt.u32.u64 %r4, %rd5;" + storeInts,
			crosslane.Texture{Format: "u8x4", Width: 4, Height: 4}, 64, nil, integers(func(i, c int) int {
				y := min(i, 3)
				w := func(x int) int { return 0x03020100 + 0x01010101*(16*y+4*x) }
				in := 0
				if i < 4 {
					in = w(2)
				}
				return [...]int{0, in, w(0), w(2)}[c]
			})},
		{"sust", "shl.b32 %r5, %r0, 2;\n\tadd.u32 %r6, %r0, 100;\n\tsust.b.1d.b32.zero [%rd1, {%r5}], %r6;", crosslane.Texture{Format: "u32", Width: 16}, 64, func(i int) byte {
			if i%4 == 0 {
				return byte(100 + i/4)
			}
			return 0
		}, nil},
		{"sust of layers", "setp.gt.u32 %p1, %r0, 3;\n\t@%p1 ret;\n\tadd.u32 %r6, %r0, 100;\n\tcvt.u16.u32 %h1, %r6;\n\tsust.b.a2d.v2.b8.trap [%rd1, {%r0, %r8, %r9, %r8}], {%h1, %h1};", crosslane.Texture{Format: "u8x2", Width: 1, Height: 2, Layers: 4}, 16, func(i int) byte {
			if i%4 < 2 {
				return byte(i)
			}
			return byte(100 + i/4)
		}, nil},
		{"formatted", "cvt.rn.f32.u32 %f1, %r0;\n\tdiv.rn.f32 %f1, %f1, 0f437f0000;\n\tmov.f32 %f2, 0f3f800000;\n\tmov.f32 %f3, 0fbf800000;\n\tsust.p.1d.v4.b32.trap [%rd1, {%r0}], {%f1, %f2, %f3, %f2};", crosslane.Texture{Format: "u8x4", Width: 32, Float: true}, 128, func(i int) byte {
			return [...]byte{byte(i / 4), 255, 0, 255}[i%4]
		}, nil},
		{"formatted words", "mov.u32 %r1, 0x01020304;\n\tsust.p.2d.v2.b32.clamp [%rd1, {%r8, %r0}], {%r0, %r1};", crosslane.Texture{Format: "u32x2", Width: 1, Height: 32}, 256, func(i int) byte {
			return [...]byte{byte(i / 8), 0, 0, 0, 4, 3, 2, 1}[i%8]
		}, nil},
		{"reduction", "sured.b.add.1d.u32.trap [%rd1, {%r8}], %r0;\n\tsured.b.max.1d.s32.trap [%rd1, {4}], %r0;\n\tsured.p.or.1d.b32.zero [%rd1, {2}], %r0;\n\tsured.p.add.1d.u32.zero [%rd1, {3}], %r9;\n\tsured.p.add.1d.u32.zero [%rd1, {4}], %r9;", crosslane.Texture{Format: "u32", Width: 4}, 16, func(i int) byte {
			sum := 0x03020100 + 496
			return [...]byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24), 4, 5, 6, 7, 31, 9, 10, 11, 12 + 32, 13, 14, 15}[i]
		}, nil},
		{"signed by format", "neg.s32 %r1, %r0;\n\tsured.p.min.1d.b32.trap [%rd1, {%r8}], %r1;", crosslane.Texture{Format: "s32", Width: 1}, 4, func(i int) byte { return [...]byte{0xe1, 0xff, 0xff, 0xff}[i] }, nil},
		{"queries", "suq.width.b32 %r1, [%rd1];\n\tsuq.height.b32 %r2, [%rd1];\n\tsuq.channel_order.b32 %r3, [%rd1];\n\tsuq.array_size.b32 %r4, [%rd1];" + storeInts, crosslane.Texture{Format: "u8x4", Width: 4, Height: 4}, 64, nil, integers(func(_, c int) int { return [...]int{4, 4, 0x10b5, 0}[c] })},
	} {
		for _, engine := range []string{"interp", "auto"} {
			for _, check := range []bool{false, true} {
				tex := c.tex
				tex.Surface, tex.Texels = true, crosslane.Pointer{To: ramp(c.bytes, 1)}
				if c.want != nil && strings.HasPrefix(c.name, "sust") && !strings.Contains(c.name, "layers") || strings.HasPrefix(c.name, "formatted") {
					clear(tex.Texels.To.Data)
				}
				got, err := runTexture(t, textureKernel("", c.code), engine, tex, check)
				if err != nil {
					t.Errorf("%s, %s, check %v: %v", c.name, engine, check, err)
					continue
				}
				if c.out != nil && fmt.Sprint(got) != fmt.Sprint(c.out) {
					t.Errorf("%s, %s: %#x\nwant %#x", c.name, engine, got[:80], c.out[:80])
				}
				for i, b := range tex.Texels.To.Data {
					if c.want != nil && b != c.want(i) {
						t.Errorf("%s, %s, check %v: byte %d of the surface is %d, want %d", c.name, engine, check, i, b, c.want(i))
						break
					}
				}
			}
		}
	}
}

// TestTextureFaults gives instructions handles that they cannot use, and coordinates outside.
func TestTextureFaults(t *testing.T) {
	t.Parallel()
	tex := crosslane.Texture{Format: "f32", Width: 4, Height: 4}
	surface := crosslane.Texture{Format: "f32", Width: 4, Height: 4, Surface: true}
	linear := crosslane.Texture{Format: "f32", Width: 16, Linear: true}
	const look = "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];"
	for _, c := range []struct {
		name, code string
		tex        crosslane.Texture
		want       string
	}{
		{"foreign", "mov.u64 %rd1, 0x1234;\n" + look, tex, "uses the handle 0x1234: there is no descriptor [texture-bad]"},
		{"null", "mov.u64 %rd1, 0;\n" + look, tex, "uses the handle 0x0: there is no descriptor [texture-bad]"},
		{"data", "mov.u64 %rd1, %rd2;\n" + look, tex, "there is no descriptor [texture-bad]"},
		{"surface", look, surface, "it is a surface, not a texture [texture-bad]"},
		{"texture", "suld.b.2d.b32.trap %r1, [%rd1, {%r8, %r8}];", tex, "it is a texture, not a surface [texture-bad]"},
		{"geometry", "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];", tex, "it is a texture of another geometry: .2d [texture-bad]"},
		{"layers", "tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r8, %f0, %f0, %f0}];", tex, "another geometry: .2d [texture-bad]"},
		{"linear", "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];", linear, "linear memory is read by index only"},
		{"right", look, tex, ""},
		{"outside", "suld.b.2d.b32.trap %r1, [%rd1, {%r8, %r0}];", surface, "y is 4, outside 0 to 3 [out-of-bounds]"},
		{"default is trap", "suld.b.2d.b32 %r1, [%rd1, {%r8, %r0}];", surface, "y is 4, outside 0 to 3 [out-of-bounds]"},
		{"misaligned", "suld.b.2d.b32.zero %r1, [%rd1, {%r9, %r8}];", surface, "x is 1 bytes, no multiple of the 4 bytes of the access"},
		{"inside", "suld.b.2d.b32.trap %r1, [%rd1, {%r8, %r9}];", surface, ""},
		{"depths", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], %f0;", tex, "compares depths, which is not supported"},
		{"small buffer", look, crosslane.Texture{Format: "f32", Width: 4, Height: 5}, "its texels have 80 bytes, and the buffer texels has 64"},
		{"format", look, crosslane.Texture{Format: "f64", Width: 4, Height: 4}, `"f64" is no format of texels`},
		{"filter", look, crosslane.Texture{Format: "u32", Width: 4, Height: 4, Filter: "linear"}, "linear filtering is for floating-point numbers"},
	} {
		for _, engine := range []string{"interp", "auto"} {
			c.tex.Texels = crosslane.Pointer{To: ramp(16, 4)}
			_, err := runTexture(t, textureKernel("", c.code), engine, c.tex, false)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %s: %v, want %s", c.name, engine, err, c.want)
			}
		}
	}
}

// TestTextureChecks writes and reads texels in one launch, reads undefined texels, and races.
func TestTextureChecks(t *testing.T) {
	t.Parallel()
	const look = "\n\ttex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0}];" + storeFloats
	tex := crosslane.Texture{Format: "f32", Width: 32}
	for _, c := range []struct {
		name, code string
		surface    bool
		undefined  int // texels that are not defined, from the end on
		want       string
	}{
		{"written before", "ld.global.u64 %rd4, [%rd1+8];\n\tmul.wide.u32 %rd5, %r0, 4;\n\tadd.u64 %rd4, %rd4, %rd5;\n\tst.global.u32 [%rd4], %r0;" + look, false, 0, "texture-stale"},
		{"written after", "ld.global.u64 %rd4, [%rd1+8];\n\tmul.wide.u32 %rd5, %r0, 4;\n\tadd.u64 %rd4, %rd4, %rd5;" + look + "\n\tbar.sync 0;\n\tst.global.u32 [%rd4], %r0;", false, 0, "texture-stale"},
		{"read only", look, false, 0, ""},
		{"surface", "shl.b32 %r5, %r0, 2;\n\tsust.b.1d.b32.trap [%rd1, {%r5}], %r0;\n\tsuld.b.1d.b32.trap %r1, [%rd1, {%r5}];", true, 0, "texture-stale"},
		{"surface, other elements", "setp.gt.u32 %p1, %r0, 15;\n\tshl.b32 %r5, %r0, 2;\n\t@%p1 sust.b.1d.b32.trap [%rd1, {%r5}], %r0;\n\t@!%p1 suld.b.1d.b32.trap %r1, [%rd1, {%r5}];", true, 0, ""},
		{"race", "sust.b.1d.b32.trap [%rd1, {%r8}], %r0;", true, 0, "race-global"},
		{"reduction", "sured.b.add.1d.u32.trap [%rd1, {%r8}], %r0;", true, 0, ""},
		{"undefined texel", look, false, 1, "poison-store"},
		{"undefined and not read", "min.u32 %r0, %r0, 30;" + look, false, 1, ""},
		{"undefined coordinate", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r15}];", false, 0, "poison-address"},
	} {
		buf := ramp(32, 4)
		if c.undefined > 0 {
			buf.UndefinedBits = make([]byte, len(buf.Data))
			buf.UndefinedBits[len(buf.Data)-4*c.undefined] = 1
		}
		tex := tex
		tex.Surface, tex.Texels = c.surface, crosslane.Pointer{To: buf}
		_, err := runTexture(t, textureKernel("", c.code), "auto", tex, true)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestWhyThroughTextures: a value that a filter made leads to the four texels that it read, and to no other texel.
func TestWhyThroughTextures(t *testing.T) {
	t.Parallel()
	mod, err := crosslane.Load([]byte(textureKernel("", "add.f32 %f0, %f0, %f9;\n\tadd.f32 %f9, %f9, %f9;\n\ttex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f9}];"+storeFloats)), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := mod.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	tex := crosslane.Texture{Texels: crosslane.Pointer{To: &crosslane.Buffer{Name: "texels", Type: "f32", Data: ramp(32, 4).Data}}, Format: "f32", Width: 8, Height: 4, Filter: "linear"}
	l := crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Timeout: time.Minute, Args: []crosslane.Arg{tex.Handle(), crosslane.Slice("out", make([]float32, 128))}}
	p, err := k.Why(context.Background(), l, crosslane.WhyOptions{Buffer: "out", Index: 4 * 2})
	if err != nil {
		t.Fatal(err)
	}
	// Thread 2 reads at (3, 1): texels 2 and 3 of the first two lines.
	if text := p.Text(crosslane.WhyView{}); !strings.Contains(text, "texels[2..3, 10..11] = 2, 3, 10, 11") {
		t.Errorf("no texels in\n%s", text)
	}
}
