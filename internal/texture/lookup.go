package texture

import (
	"math"

	"example.org/crosslane/num"
)

// A Geometry is the shape that an instruction names.
type Geometry uint8

// The geometries.
const (
	D1 Geometry = iota
	D2
	D3
	A1
	A2
	Cube
	ACube
)

// Geometries are the names of the geometries, in their order.
var Geometries = [...]string{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"}

var shapes = [...]struct {
	dims        int
	array, cube bool
}{{1, false, false}, {2, false, false}, {3, false, false}, {1, true, false}, {2, true, false}, {2, false, true}, {2, true, true}}

// Coordinates is the number of coordinates, with the index of the layer.
func (g Geometry) Coordinates() int { return [...]int{1, 2, 3, 2, 3, 3, 4}[g] }

// A Mip says which level of a mipmap a lookup reads.
type Mip uint8

// Dims is the number of dimensions of a layer or face.
func (g Geometry) Dims() int { return shapes[g].dims }

// The choices of a level.
const (
	Base  Mip = iota
	Level     // the operand
	Grad      // the partial derivatives
)

// A Lookup is what an instruction says.
type Lookup struct {
	Geometry Geometry
	Integer  bool // coordinates are indices
	Mip      Mip
	Gather   bool // tld4: four texels, of which Channel is read
	Channel  int
	Half     bool // results are f16: 1 channel in each, or 2
	Pairs    bool
	Offset   bool // there are offsets
}

// Gradients is the number of partial derivatives by each axis.
func (op *Lookup) Gradients() int {
	if shapes[op.Geometry].cube {
		return 3
	}
	return op.Geometry.Dims()
}

// A Point is where a lookup is done. Coordinates are bits of s32 or f32 numbers; the first is the layer of an array.
type Point struct {
	At     [4]uint32
	Offset [3]int32
	Level  uint32 // bits of s32 or f32, as the coordinates
	DX, DY [3]float32
}

// A Tap is a texel that a lookup reads.
type Tap struct {
	Addr   uint64
	In     bool // false: the border
	Weight float32
}

// Bad returns why a lookup does not fit the texture; "" if it does.
func (d *Desc) Bad(op *Lookup) string {
	g := shapes[op.Geometry]
	switch {
	case d.Kind != Texture:
		return "it is a " + d.Kind.String() + ", not a texture"
	case d.Addr == 0:
		return "nothing is bound to it"
	case d.Dims != g.dims || g.cube != d.Cube || !g.cube && g.array != (d.Layers > 0) || g.cube && !g.array && d.Layers != 6:
		return "it is a texture of another geometry: " + d.geometry()
	case d.Linear && !op.Integer:
		return "linear memory is read by index only (.s32), and the coordinates are .f32"
	}
	return ""
}

// geometry returns the geometry of the texture or surface in the words of PTX.
func (d *Desc) geometry() string {
	switch {
	case d.Cube && d.Layers > 6:
		return ".acube"
	case d.Cube:
		return ".cube"
	case d.Layers > 0:
		return [...]string{".a1d", ".a2d"}[d.Dims-1]
	}
	return [...]string{".1d", ".2d", ".3d"}[d.Dims-1]
}

// Taps appends the texels of a lookup to taps, each with its weight. The weights of a lookup without filter, and of a gather,
// are 1.
func (d *Desc) Taps(taps []Tap, op *Lookup, s *Sampling, p *Point) []Tap {
	g := shapes[op.Geometry]
	at := p.At[:]
	layer := 0
	if g.array {
		last := d.Layers - 1
		if g.cube {
			last = d.Layers/6 - 1
		}
		layer = int(min(at[0], uint32(last)))
		at = at[1:]
	}
	var c [3]float64
	for i := range g.dims {
		c[i] = float64(math.Float32frombits(at[i]))
	}
	if g.cube {
		var face int
		face, c[0], c[1] = project(math.Float32frombits(at[0]), math.Float32frombits(at[1]), math.Float32frombits(at[2]))
		layer = 6*layer + face
	}
	if d.Levels == 0 {
		return d.tapLevel(taps, op, s, p, at, c, layer, 1)
	}
	lod := 0.0
	switch {
	case op.Mip == Level && op.Integer:
		lod = float64(int32(p.Level))
	case op.Mip == Level:
		lod = float64(math.Float32frombits(p.Level))
	case op.Mip == Grad:
		lod = d.gradient(op, s, p)
	}
	if !op.Integer && op.Mip != Base {
		lod = min(max(float64(lod+float64(s.Bias)), float64(s.MinLevel)), float64(s.MaxLevel))
	}
	last := d.Levels - 1
	if !(lod > 0) { // NaN too
		lod = 0
	}
	lod = min(lod, float64(last))
	if !s.MipLinear || op.Gather || op.Integer {
		level := d.Level(int(math.Floor(lod + 0.5)))
		return level.tapLevel(taps, op, s, p, at, c, layer, 1)
	}
	low := int(math.Floor(lod))
	w := fraction(lod - float64(low))
	if w < 1 {
		level := d.Level(low)
		taps = level.tapLevel(taps, op, s, p, at, c, layer, 1-w)
	}
	if w > 0 {
		level := d.Level(low + 1)
		taps = level.tapLevel(taps, op, s, p, at, c, layer, w)
	}
	return taps
}

// gradient returns the level for partial derivatives: the logarithm of the greater of their lengths in texels. The guide gives
// no formula.
func (d *Desc) gradient(op *Lookup, s *Sampling, p *Point) float64 {
	var x, y float64
	n := [3]int{d.Width, d.Height, d.Depth}
	if d.Cube {
		n[2] = d.Width
	}
	for i := range op.Gradients() {
		scale := 1.0
		if s.Normalized || d.Cube {
			scale = float64(n[i])
		}
		dx, dy := float64(float64(p.DX[i])*scale), float64(float64(p.DY[i])*scale)
		x += float64(dx * dx)
		y += float64(dy * dy)
	}
	return float64(fraction(math.Log2(math.Sqrt(max(x, y)))))
}

// fraction rounds to the 8 bits behind the point that filters have (CUDA C++ Programming Guide, "Linear Filtering").
func fraction(v float64) float32 { return float32(math.Floor(float64(v*256)+0.5) / 256) }

// project returns the face of a cube in a direction, and the coordinates from 0 to 1 on it. Of equal magnitudes z counts before
// y, and y before x.
func project(x, y, z float32) (face int, s, t float64) {
	ax, ay, az := math.Abs(float64(x)), math.Abs(float64(y)), math.Abs(float64(z))
	sc, tc, ma := float64(-z), float64(-y), ax
	neg := math.Signbit(float64(x))
	switch {
	case az >= ax && az >= ay:
		face, sc, ma, neg = 4, float64(x), az, math.Signbit(float64(z))
		if neg {
			sc = -sc
		}
	case ay >= ax:
		face, sc, tc, ma, neg = 2, float64(x), float64(z), ay, math.Signbit(float64(y))
		if neg {
			tc = -tc
		}
	case neg:
		sc = -sc
	}
	if neg {
		face++
	}
	return face, (sc/ma + 1) / 2, (tc/ma + 1) / 2
}

// tapLevel appends the texels of one level.
func (d *Desc) tapLevel(taps []Tap, op *Lookup, s *Sampling, p *Point, at []uint32, c [3]float64, layer int, weight float32) []Tap {
	n := [3]int{d.Width, d.Height, d.Depth}
	var low [3]int
	var part [3]float32
	var mode [3]Address
	linear := op.Gather || s.Linear && d.results(s)
	dims := shapes[op.Geometry].dims
	for i := range dims {
		mode[i] = s.Address[i]
		normalized := s.Normalized || shapes[op.Geometry].cube
		if !normalized && mode[i] < ClampOGL || op.Integer && mode[i] < ClampOGL {
			mode[i] = Clamp // wrap and mirror are for normalized coordinates
		}
		if d.Linear {
			mode[i] = Border // zeros
		}
		if op.Integer {
			low[i] = int(int32(at[i])) + int(p.Offset[i])
			continue
		}
		low[i], part[i] = position(c[i], n[i], normalized, mode[i], linear)
		low[i] += int(p.Offset[i])
	}
	if op.Integer || !linear {
		return append(taps, d.tap(low, mode, layer, dims, weight))
	}
	if op.Gather { // counter-clockwise from the lower left: (i, j+1), (i+1, j+1), (i+1, j), (i, j)
		for _, o := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
			taps = append(taps, d.tap([3]int{low[0] + o[0], low[1] + o[1]}, mode, layer, dims, 1))
		}
		return taps
	}
	for k := range 1 << dims {
		w, i := weight, low
		for a := range dims {
			if k>>a&1 != 0 {
				w *= part[a]
				i[a]++
			} else {
				w *= 1 - part[a]
			}
		}
		if w != 0 {
			taps = append(taps, d.tap(i, mode, layer, dims, w))
		}
	}
	return taps
}

// position returns the index of a texel that a coordinate names, or with a linear filter the lower of two and the weight of the
// upper one.
func position(c float64, n int, normalized bool, mode Address, linear bool) (low int, part float32) {
	if normalized {
		switch {
		case mode == Wrap:
			c -= math.Floor(c)
		case mode == Mirror:
			f := math.Floor(c)
			if c -= f; math.Mod(f, 2) != 0 {
				c = 1 - c
			}
		}
		c = float64(c * float64(n))
	}
	if linear {
		c -= 0.5
	}
	const far = 1 << 30
	switch {
	case !(c > -far): // NaN too
		if c != c {
			c = 0
		} else {
			c = -far
		}
	case c > far:
		c = far
	}
	f := math.Floor(c)
	if linear {
		part = fraction(c - f)
	}
	return int(f), part
}

// tap returns the texel at indices that may be outside the texture.
func (d *Desc) tap(i [3]int, mode [3]Address, layer, dims int, weight float32) Tap {
	n := [3]int{d.Width, d.Height, d.Depth}
	for a := range dims {
		v, size := i[a], n[a]
		if v >= 0 && v < size {
			continue
		}
		switch mode[a] {
		case Border:
			return Tap{Weight: weight}
		case Wrap:
			if v %= size; v < 0 {
				v += size
			}
		case Mirror:
			if v %= 2 * size; v < 0 {
				v += 2 * size
			}
			if v >= size {
				v = 2*size - 1 - v
			}
		default:
			v = min(max(v, 0), size-1)
		}
		i[a] = v
	}
	z := layer
	if dims == 3 {
		z = i[2]
	}
	return Tap{Addr: d.texel(i[0], i[1], z), In: true, Weight: weight}
}

// Channels returns the channels of which result r of a lookup is made, from and to, and the taps, first and last+1.
func (op *Lookup) Channels(r, taps int) (from, to, first, last int) {
	switch {
	case op.Gather:
		return op.Channel, op.Channel + 1, r, r + 1
	case op.Pairs:
		return 2 * r, 2*r + 2, 0, taps
	}
	return r, r + 1, 0, taps
}

// ChannelBytes returns the bytes of a texel that hold the channels from and to-1; none if the texel lacks them.
func (d *Desc) ChannelBytes(from, to int) (low, high int) {
	n := d.Format.Bytes()
	return min(from, d.Channels) * n, min(to, d.Channels) * n
}

// Value returns result r of a lookup: 32 bits, of which f16 has 16. texel returns the bytes of a tap that is in the texture.
func (d *Desc) Value(op *Lookup, s *Sampling, taps []Tap, r int, texel func(i int) []byte) uint32 {
	from, to, first, last := op.Channels(r, len(taps))
	var packed uint32
	for c := from; c < to; c++ {
		v := d.filter(s, taps[first:last], c, func(i int) []byte { return texel(first + i) })
		if op.Half {
			packed |= uint32(num.CvtF16FromF32(math.Float32frombits(v))) << (16 * (c - from))
		} else {
			packed = v
		}
	}
	return packed
}

// filter adds channel c of the taps by their weights. The sum is rounded once.
func (d *Desc) filter(s *Sampling, taps []Tap, c int, texel func(i int) []byte) uint32 {
	value := func(i int) uint32 {
		if !taps[i].In {
			return d.border(s, c)
		}
		return d.channel(s, texel(i), c)
	}
	if len(taps) == 1 {
		return value(0)
	}
	sum := 0.0
	for i := range taps {
		sum += float64(float64(taps[i].Weight) * float64(math.Float32frombits(value(i))))
	}
	return math.Float32bits(float32(sum))
}

// half returns the value of an f16 number.
func half(v uint16) float32 { return num.CvtF32FromF16(v) }
