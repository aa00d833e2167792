package texture

import (
	"encoding/binary"
	"fmt"
	"math"

	"example.org/crosslane/num"
)

// An Outside says what an access outside a surface does.
type Outside uint8

// The choices.
const (
	Trap  Outside = iota // it faults
	Near                 // .clamp: it goes to the nearest element inside
	Zeros                // .zero: loads give zeros, and stores have no effect
)

// An Access is what an instruction says of an access to a surface.
type Access struct {
	Geometry Geometry
	Bytes    int  // of the access; 0: a texel
	Elements bool // the first coordinate counts elements, not bytes
	Outside  Outside
}

// BadSurface returns why a handle is not a surface for an access; "" if it is.
func (d *Desc) BadSurface(a *Access) string {
	g := shapes[a.Geometry]
	switch {
	case d.Kind != Surface:
		return "it is a " + d.Kind.String() + ", not a surface"
	case d.Addr == 0:
		return "nothing is bound to it"
	case d.Dims != g.dims || g.array != (d.Layers > 0):
		return "it is a surface of another geometry: " + d.geometry()
	case a.Elements && a.Bytes != 0 && a.Bytes != d.Format.Bytes():
		return fmt.Sprintf("its channels are .%s, and the access has %d bytes", d.Format, a.Bytes)
	}
	return ""
}

// Locate returns the address of an access at coordinates; 0 if it is outside and has no effect. bad says why it faults.
func (d *Desc) Locate(a *Access, at [4]uint32) (addr uint64, bad string) {
	g := shapes[a.Geometry]
	c := at[:]
	z := 0
	outside := ""
	fit := func(name string, v, last int) int {
		if v >= 0 && v <= last {
			return v
		}
		if outside == "" {
			outside = fmt.Sprintf("%s is %d, outside 0 to %d", name, v, last)
		}
		return min(max(v, 0), last)
	}
	if g.array {
		z = fit("the layer", int(c[0]), d.Layers-1)
		c = c[1:]
	}
	x := int(int32(c[0]))
	n := a.Bytes
	if n == 0 || a.Elements {
		n = d.Texel()
	}
	if a.Elements {
		x *= n
	}
	if x%n != 0 {
		return 0, fmt.Sprintf("x is %d bytes, no multiple of the %d bytes of the access", x, n)
	}
	width := d.Width * d.Texel()
	if n > width {
		return 0, fmt.Sprintf("the access has %d bytes, and a line %d", n, width)
	}
	x = fit("x", x, (width-n)/n*n)
	y := 0
	if g.dims > 1 {
		y = fit("y", int(int32(c[1])), d.Height-1)
	}
	if g.dims > 2 {
		z = fit("z", int(int32(c[2])), d.Depth-1)
	}
	if outside != "" {
		switch a.Outside {
		case Trap:
			return 0, outside
		case Zeros:
			return 0, ""
		}
	}
	return d.Addr + uint64(z)*d.Slice + uint64(y)*d.Pitch + uint64(x), ""
}

// Pack converts channels of 32 bits to a texel, for a formatted store: float32 to floating-point formats and to integers of
// 8 and 16 bits that are read as numbers from 0 or -1 to 1 (the surface's Float), else integers, whose low bits are stored.
func (d *Desc) Pack(texel []byte, channels [4]uint32) {
	n := d.Format.Bytes()
	for c := range d.Channels {
		v := channels[c]
		switch {
		case d.Format == F16:
			v = uint32(num.CvtF16FromF32(math.Float32frombits(v)))
		case d.Float && n < 4 && !d.Format.float():
			f, top, low := float64(math.Float32frombits(v)), float64(int(1)<<(8*n)-1), 0.0
			if d.Format.signed() {
				top, low = float64(int(1)<<(8*n-1)-1), -1
			}
			if f != f {
				f = 0
			}
			v = uint32(int32(math.RoundToEven(float64(min(max(f, low), 1) * top))))
		}
		for i := range n {
			texel[c*n+i] = byte(v >> (8 * i))
		}
	}
}

// Word returns 32 bits of a packed texel.
func (d *Desc) Word(channels [4]uint32, word int) uint32 {
	var texel [16]byte
	d.Pack(texel[:], channels)
	return binary.LittleEndian.Uint32(texel[4*word:])
}

// A Query is an attribute of a texture, sampler or surface.
type Query uint8

// The attributes.
const (
	NoQuery Query = iota
	QWidth
	QHeight
	QDepth
	QDataType
	QOrder
	QNormalized
	QLayers
	QLevels
	QSamples
	QUnnormalized
	QFilter
	QAddress0
	QAddress1
	QAddress2
	QLayout
)

// DataTypeS32 is the answer QDataType of a texture with integers of 32 bits with a sign.
const DataTypeS32 = 0x10d9

// Queries maps the modifiers of txq and suq to attributes.
var Queries = map[string]Query{
	"width": QWidth, "height": QHeight, "depth": QDepth, "channel_data_type": QDataType, "channel_order": QOrder, "normalized_coords": QNormalized,
	"array_size": QLayers, "num_mipmap_levels": QLevels, "num_samples": QSamples, "force_unnormalized_coords": QUnnormalized, "filter_mode": QFilter,
	"addr_mode_0": QAddress0, "addr_mode_1": QAddress1, "addr_mode_2": QAddress2, "memory_layout": QLayout,
}

// Ask returns an attribute; level is that of a mipmap. Extents that the geometry lacks, arrays that are none and the like give 0.
// The numbers of data types and orders are those of OpenCL, which PTX ISA 5.3 names.
func (d *Desc) Ask(q Query, level uint32) uint32 {
	one := func(b bool) uint32 {
		if b {
			return 1
		}
		return 0
	}
	l := *d
	if d.Levels > 0 {
		l = d.Level(int(min(level, uint32(d.Levels-1))))
	}
	switch q {
	case QWidth:
		return uint32(l.Width)
	case QHeight:
		return uint32(l.Height) * one(d.Dims > 1)
	case QDepth:
		return uint32(l.Depth) * one(d.Dims > 2)
	case QDataType:
		if d.Float && d.Format >= U8 && d.Format <= S16 { // CL_SNORM_INT8 …
			return [...]uint32{0x10d2, 0x10d0, 0x10d3, 0x10d1}[d.Format-U8]
		}
		return [...]uint32{0, 0x10da, 0x10d7, 0x10db, 0x10d8, 0x10dc, DataTypeS32, 0x10dd, 0x10de}[d.Format]
	case QOrder:
		return map[int]uint32{1: 0x10b0, 2: 0x10b2, 4: 0x10b5}[d.Channels] // CL_R, CL_RG, CL_RGBA
	case QNormalized:
		return one(d.Normalized)
	case QLayers:
		if d.Cube {
			return uint32(d.Layers / 6 * int(one(d.Layers > 6)))
		}
		return uint32(d.Layers)
	case QLevels:
		return uint32(d.Levels)
	case QFilter:
		return one(d.Sampling.Linear)
	case QUnnormalized:
		return one(!d.Normalized)
	case QAddress0, QAddress1, QAddress2:
		return uint32(d.Address[q-QAddress0])
	}
	return 0
}
