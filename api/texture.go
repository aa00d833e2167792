package api

import (
	"fmt"
	"strings"

	"example.org/crosslane/internal/texture"
)

// A Texture describes a texture of PTX, or a surface. Texture.Handle makes the argument: the handle of 64 bits that kernels take.
type Texture struct {
	Texels  Pointer // the first texel
	Format  string  // of a texel: "u8", "s8", "u16", "s16", "u32", "s32", "f16" or "f32", for 2 and 4 channels with "x2" or "x4"
	Width   int     // texels
	Height  int     // lines; 0: there is one dimension
	Depth   int     // slices; 0: there are at most two dimensions
	Layers  int     // 0: no array; a cube has six layers
	Cube    bool
	Levels  int    // of a mipmap: each level follows the one before it, at a multiple of 16 bytes; 0: none
	Linear  bool   // linear memory, which is read by index only; zeros are outside
	Pitch   uint64 // bytes from line to line; 0: the lines are dense
	Slice   uint64 // bytes from slice to slice or layer to layer; 0: they are dense
	Surface bool   // a surface: the fields below have no effect but Float, which formatted stores heed

	Address    []string // "clamp", "wrap", "mirror" or "border" by dimension; the last one stands for the rest; nil: clamp
	Filter     string   // "" or "nearest", or "linear"
	MipFilter  string   // the same between levels
	Normalized bool     // coordinates from 0 to 1
	Float      bool     // integers of 8 and 16 bits are read as numbers from 0 or -1 to 1
	SRGB       bool
	Border     [4]float32
	Bias       float32 // of the level
	MinLevel   float32
	MaxLevel   float32 // 0: no limit
}

// Handle makes the argument. A field that is out of its range, or a buffer that is too small, is an error of the launch that is
// given the argument (Handle().To.Err).
func (t Texture) Handle() Pointer {
	d, err := t.describe()
	if err != nil {
		return Pointer{To: &Buffer{Name: "texture", Type: "u8", err: fmt.Errorf("texture: %w", err)}}
	}
	b := d.Encode()
	return Pointer{To: &Buffer{Type: "u8", Data: b[:], Pointers: []Pointer{{At: texture.AddressAt, To: t.Texels.To, Add: t.Texels.Add}}}}
}

// describe makes the descriptor. Its address is that of aligned texels, because only the launch knows it.
func (t Texture) describe() (d texture.Desc, err error) {
	name, channels := t.Format, 1
	if base, n, ok := strings.Cut(t.Format, "x"); ok {
		name, channels = base, map[string]int{"1": 1, "2": 2, "4": 4}[n]
	}
	format, ok := texture.ParseFormat(name)
	switch {
	case t.Texels.To == nil:
		return d, fmt.Errorf("there is no buffer")
	case !ok || channels == 0:
		return d, fmt.Errorf("%q is no format of texels (known: u8, s8, u16, s16, u32, s32, f16, f32, each with x2 or x4 for more channels)", t.Format)
	case t.Depth > 0 && t.Height == 0:
		return d, fmt.Errorf("there is a depth and no height")
	case len(t.Address) > 3:
		return d, fmt.Errorf("there are %d modes of addressing, want 3 at most", len(t.Address))
	}
	d = texture.Desc{Kind: texture.Texture, Format: format, Channels: channels, Dims: 1, Width: t.Width, Height: max(t.Height, 1), Depth: max(t.Depth, 1),
		Layers: t.Layers, Cube: t.Cube, Levels: t.Levels, Linear: t.Linear, Pitch: t.Pitch, Slice: t.Slice}
	if t.Surface {
		d.Kind = texture.Surface
	}
	if t.Height > 0 {
		d.Dims++
	}
	if t.Depth > 0 {
		d.Dims++
	}
	d.Dense()
	d.Sampling = texture.Sampling{Normalized: t.Normalized, Float: t.Float, SRGB: t.SRGB, Border: t.Border, Bias: t.Bias, MinLevel: t.MinLevel, MaxLevel: t.MaxLevel}
	if t.MaxLevel == 0 {
		d.MaxLevel = float32(t.Levels)
	}
	for i, mode := range [3]string{} {
		if n := len(t.Address); n > 0 {
			mode = t.Address[min(i, n-1)]
		}
		if d.Address[i], ok = texture.ParseAddress(mode); !ok {
			return d, fmt.Errorf("%q is no mode of addressing (known: clamp, wrap, mirror, border)", mode)
		}
	}
	for _, name := range []string{t.Filter, t.MipFilter} {
		if name != "" && name != "nearest" && name != "linear" {
			return d, fmt.Errorf("%q is no filter (known: nearest, linear)", name)
		}
	}
	d.Sampling.Linear, d.MipLinear = t.Filter == "linear", t.MipFilter == "linear"
	if why := d.Check(); why != "" {
		return d, fmt.Errorf("%s", why)
	}
	if have := int64(len(t.Texels.To.Data)) - t.Texels.Add; t.Texels.Add < 0 || int64(d.Bytes()) > have {
		return d, fmt.Errorf("its texels have %d bytes, and the buffer %s has %d from its first texel on", d.Bytes(), t.Texels.To.Name, have)
	}
	return d, nil
}
