// Package texture holds the textures, samplers and surfaces of PTX: the bytes of a descriptor, the texels that a lookup reads,
// their weights and values, and the address of an element of a surface. It is pure: it reads and writes no memory of a guest.
//
// PTX ISA 5.3 calls descriptors opaque. Here a descriptor is Size bytes in memory, and a handle is its address, so that the
// address of a .texref variable is a handle, too (PTX ISA 9.7.11.3, "Indirect texture access").
package texture

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Size is the number of bytes of a descriptor, and Align their alignment.
const (
	Size  = 128
	Align = 16
)

// AddressAt is the place of the address of the texels, of 8 bytes, in a descriptor.
const AddressAt = 8

// magic begins each descriptor.
const magic = 0x58545243

// A Kind is what a descriptor describes.
type Kind uint8

// The kinds.
const (
	Texture Kind = 1 + iota // texels and a sampler
	Sampler
	Surface
)

// String returns the name of the kind.
func (k Kind) String() string { return [...]string{"nothing", "texture", "sampler", "surface"}[k&3] }

// A Format is the type of a channel of a texel.
type Format uint8

// The formats.
const (
	NoFormat Format = iota
	U8
	S8
	U16
	S16
	U32
	S32
	F16
	F32
)

var formats = [...]struct {
	name  string
	bytes int
}{{"", 1}, {"u8", 1}, {"s8", 1}, {"u16", 2}, {"s16", 2}, {"u32", 4}, {"s32", 4}, {"f16", 2}, {"f32", 4}}

// String returns the name of the format.
func (f Format) String() string { return formats[f].name }

// Bytes is the size of a channel.
func (f Format) Bytes() int { return formats[f].bytes }

// signed reports whether the channels are integers with a sign.
func (f Format) signed() bool { return f == S8 || f == S16 || f == S32 }

// float reports whether the channels are floating-point numbers.
func (f Format) float() bool { return f >= F16 }

// ParseFormat returns the format with a name: u8, s8, u16, s16, u32, s32, f16 or f32.
func ParseFormat(name string) (f Format, ok bool) {
	for i := range formats[1:] {
		if formats[i+1].name == name {
			return Format(i + 1), true
		}
	}
	return 0, false
}

// An Address says where a coordinate outside a texture leads, in the numbers of PTX ISA 5.3.
type Address uint8

// The modes of addressing.
const (
	Wrap Address = iota
	Mirror
	ClampOGL // treated as Clamp: only OpenGL's border differs
	Clamp
	Border
)

// ParseAddress returns the mode with a name; "" is clamp.
func ParseAddress(name string) (a Address, ok bool) {
	a, ok = map[string]Address{"": Clamp, "clamp": Clamp, "wrap": Wrap, "mirror": Mirror, "border": Border}[name]
	return a, ok
}

// A Sampling says how a texture is read.
type Sampling struct {
	Address    [3]Address
	Linear     bool // filter: linear, not nearest
	MipLinear  bool // filter between levels
	Normalized bool // coordinates from 0 to 1
	Float      bool // read mode: integers of 8 and 16 bits become numbers from 0 or -1 to 1
	SRGB       bool // the first three channels are decoded from sRGB
	Bias       float32
	MinLevel   float32
	MaxLevel   float32
	Border     [4]float32
}

// A Desc is a descriptor.
type Desc struct {
	Kind     Kind
	Addr     uint64 // of the first texel; 0: nothing is bound
	Format   Format
	Channels int // 1, 2 or 4
	Dims     int // 1 to 3
	Width    int // texels
	Height   int // lines; 1 if Dims is 1
	Depth    int // slices; 1 if Dims is below 3
	Layers   int // 0: no array. A cube has six layers for each cube.
	Cube     bool
	Linear   bool   // linear memory: it is read by index only
	Levels   int    // levels of a mipmap; 0: none
	Pitch    uint64 // bytes from line to line of a texture without levels
	Slice    uint64 // bytes from slice to slice, or layer to layer, of a texture without levels
	Sampling
}

// Encode returns the bytes of the descriptor.
func (d *Desc) Encode() (b [Size]byte) {
	le := binary.LittleEndian
	le.PutUint32(b[:], magic)
	b[4], b[5], b[6], b[7] = byte(d.Kind), byte(d.Format), byte(d.Channels), byte(d.Dims)
	le.PutUint64(b[AddressAt:], d.Addr)
	for i, v := range [...]int{d.Width, d.Height, d.Depth, d.Layers} {
		le.PutUint32(b[16+4*i:], uint32(v))
	}
	le.PutUint64(b[32:], d.Pitch)
	le.PutUint64(b[40:], d.Slice)
	b[48] = byte(d.Levels)
	for i, f := range [...]bool{d.Cube, d.Sampling.Linear, d.MipLinear, d.Normalized, d.Float, d.SRGB, d.Linear} {
		if f {
			b[49] |= 1 << i
		}
	}
	for i, a := range d.Address {
		b[50+i] = byte(a)
	}
	for i, v := range append([]float32{d.Bias, d.MinLevel, d.MaxLevel}, d.Border[:]...) {
		le.PutUint32(b[56+4*i:], math.Float32bits(v))
	}
	return b
}

// Decode reads a descriptor; ok is false if the bytes are none.
func Decode(b *[Size]byte) (d Desc, ok bool) {
	le := binary.LittleEndian
	if le.Uint32(b[:]) != magic || b[4] == 0 || b[4] > byte(Surface) || int(b[5]) >= len(formats) {
		return d, false
	}
	d = Desc{Kind: Kind(b[4]), Format: Format(b[5]), Channels: int(b[6]), Dims: int(b[7]), Addr: le.Uint64(b[AddressAt:]), Pitch: le.Uint64(b[32:]), Slice: le.Uint64(b[40:]), Levels: int(b[48])}
	for i, p := range [...]*int{&d.Width, &d.Height, &d.Depth, &d.Layers} {
		*p = int(int32(le.Uint32(b[16+4*i:])))
	}
	for i, p := range [...]*bool{&d.Cube, &d.Sampling.Linear, &d.MipLinear, &d.Normalized, &d.Float, &d.SRGB, &d.Linear} {
		*p = b[49]>>i&1 != 0
	}
	for i := range d.Address {
		d.Address[i] = Address(b[50+i])
	}
	f := func(i int) float32 { return math.Float32frombits(le.Uint32(b[56+4*i:])) }
	d.Bias, d.MinLevel, d.MaxLevel, d.Border = f(0), f(1), f(2), [4]float32{f(3), f(4), f(5), f(6)}
	return d, d.Kind == Sampler || d.Addr == 0 || d.Check() == ""
}

// With returns how a texture is read with a sampler of its own (PTX ISA 5.3).
func (d *Desc) With(sampler *Desc) Sampling {
	s := sampler.Sampling
	s.Float, s.SRGB, s.Normalized = d.Float, d.SRGB, d.Normalized && sampler.Normalized
	return s
}

// Texel is the size of a texel in bytes.
func (d *Desc) Texel() int { return d.Format.Bytes() * d.Channels }

// Dense sets a pitch or slice of 0 to that of dense lines and slices.
func (d *Desc) Dense() {
	if d.Pitch == 0 {
		d.Pitch = uint64(d.Width) * uint64(d.Texel())
	}
	if d.Slice == 0 {
		d.Slice = d.Pitch * uint64(d.Height)
	}
}

// maxExtent bounds each extent, so that products of two fit in 62 bits.
const maxExtent = 1 << 27

// Check returns why the descriptor describes no texture or surface; "" if it does.
func (d *Desc) Check() string {
	texel := uint64(d.Texel())
	switch {
	case d.Format == NoFormat || int(d.Format) >= len(formats):
		return "the format of the channels is not known"
	case d.Channels != 1 && d.Channels != 2 && d.Channels != 4:
		return fmt.Sprintf("a texel has %d channels, want 1, 2 or 4", d.Channels)
	case d.Dims < 1 || d.Dims > 3:
		return fmt.Sprintf("there are %d dimensions, want 1 to 3", d.Dims)
	case min(d.Width, d.Height, d.Depth) < 1 || max(d.Width, d.Height, d.Depth, d.Layers) > maxExtent || d.Layers < 0:
		return fmt.Sprintf("the extents are %dx%dx%d with %d layers, want 1 to %d each", d.Width, d.Height, d.Depth, d.Layers, maxExtent)
	case d.Dims < 2 && d.Height != 1 || d.Dims < 3 && d.Depth != 1:
		return fmt.Sprintf("the extents are %dx%dx%d, and there are %d dimensions", d.Width, d.Height, d.Depth, d.Dims)
	case d.Layers > 0 && d.Dims == 3:
		return "an array has layers of three dimensions, want one or two"
	case d.Cube && (d.Dims != 2 || d.Width != d.Height || d.Layers < 6 || d.Layers%6 != 0):
		return fmt.Sprintf("a cube map has %d layers of %dx%d, want six squares for each cube", d.Layers, d.Width, d.Height)
	case d.Levels < 0 || d.Levels > 1 && 1<<(d.Levels-1) > max(d.Width, d.Height, d.Depth):
		return fmt.Sprintf("there are %d levels, more than halvings of the extents", d.Levels)
	case d.Linear && (d.Dims != 1 || d.Layers > 0 || d.Levels > 0):
		return "linear memory has one dimension, and neither layers nor levels"
	case d.Levels == 0 && (d.Pitch < uint64(d.Width)*texel || d.Pitch > 1<<40 || d.Slice < d.Pitch*uint64(d.Height) && (d.Depth > 1 || d.Layers > 1) || d.Slice > 1<<50):
		return fmt.Sprintf("a line of %d texels of %d bytes does not fit in the pitch of %d bytes, or %d lines in %d bytes", d.Width, texel, d.Pitch, d.Height, d.Slice)
	case d.Addr%texel != 0 || d.Levels == 0 && (d.Pitch%texel != 0 || d.Slice%texel != 0):
		return fmt.Sprintf("the address %#x, the pitch of %d or the slice of %d bytes is no multiple of the texel's %d bytes", d.Addr, d.Pitch, d.Slice, texel)
	}
	for _, a := range d.Address {
		if a > Border {
			return fmt.Sprintf("the mode of addressing is %d, want 0 to %d", a, Border)
		}
	}
	if d.Sampling.Linear && !d.Format.float() && (!d.Float || d.Format.Bytes() == 4) {
		return "linear filtering is for floating-point numbers, and for integers of 8 and 16 bits that are read as such"
	}
	return ""
}

// Bytes is the number of bytes from the first texel to the end of the last one.
func (d *Desc) Bytes() uint64 {
	if d.Levels > 0 {
		_, end := d.level(d.Levels)
		return end
	}
	n := uint64(max(d.Depth, d.Layers)-1)*d.Slice + uint64(d.Height-1)*d.Pitch
	return n + uint64(d.Width*d.Texel())
}

// level returns level l of a mipmap as a descriptor without levels, and its offset in bytes.
func (d *Desc) level(l int) (level Desc, off uint64) {
	level = *d
	if d.Levels == 0 {
		return level, 0
	}
	level.Levels = 0
	for i := 0; ; i++ {
		level.Width, level.Height, level.Depth = max(d.Width>>i, 1), max(d.Height>>i, 1), max(d.Depth>>i, 1)
		level.Pitch = uint64(level.Width * d.Texel())
		level.Slice = level.Pitch * uint64(level.Height)
		if i == l {
			level.Addr += off
			return level, off
		}
		off = (off + level.Slice*uint64(max(level.Depth, d.Layers)) + 15) &^ 15
	}
}

// Level returns a level of a mipmap as a texture of its own.
func (d *Desc) Level(l int) Desc {
	level, _ := d.level(l)
	return level
}

// texel returns the address of a texel inside the texture. Its third coordinate is a slice or a layer.
func (d *Desc) texel(x, y, z int) uint64 {
	return d.Addr + uint64(z)*d.Slice + uint64(y)*d.Pitch + uint64(x*d.Texel())
}

// channel decodes channel c of a texel: an integer with 32 bits, or the bits of a float32.
func (d *Desc) channel(s *Sampling, texel []byte, c int) uint32 {
	if c >= d.Channels {
		return d.absent(s, c)
	}
	n := d.Format.Bytes()
	var raw uint32
	for i, b := range texel[c*n : c*n+n] {
		raw |= uint32(b) << (8 * i)
	}
	if d.Format.signed() {
		raw = uint32(int32(raw<<(32-8*n)) >> (32 - 8*n))
	}
	switch {
	case d.Format == F16:
		return math.Float32bits(half(uint16(raw)))
	case !s.Float || n == 4:
		return raw
	case d.Format.signed():
		return math.Float32bits(max(float32(int32(raw))/float32(int32(1)<<(8*n-1)-1), -1))
	}
	v := float32(raw) / float32(uint32(1)<<(8*n)-1)
	if s.SRGB && n == 1 && c < 3 {
		v = linearised(v)
	}
	return math.Float32bits(v)
}

// results reports whether lookups give floating-point numbers.
func (d *Desc) results(s *Sampling) bool { return d.Format.float() || s.Float && d.Format.Bytes() < 4 }

// absent is the value of a channel that the texels lack: 0, or 1 for the fourth.
func (d *Desc) absent(s *Sampling, c int) uint32 {
	switch {
	case c < 3:
		return 0
	case d.results(s):
		return math.Float32bits(1)
	}
	return 1
}

// border is the value of channel c outside the texture.
func (d *Desc) border(s *Sampling, c int) uint32 {
	v := s.Border[c&3]
	switch {
	case d.results(s):
		return math.Float32bits(v)
	case d.Format.signed():
		return uint32(int32(min(max(float64(v), math.MinInt32), math.MaxInt32)))
	}
	return uint32(min(max(float64(v), 0), math.MaxUint32))
}

// linearised decodes an sRGB number from 0 to 1.
func linearised(v float32) float32 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return float32(math.Pow((float64(v)+0.055)/1.055, 2.4))
}
