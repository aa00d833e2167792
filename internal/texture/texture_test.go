package texture

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The tests compare with a second form of the guide's formulas: coordinates are fractions without rounding, a texture goes on
// outside its extents as a function of all integers, and nearest and linear filters read that function.

// image is a texture with values of its own.
type image struct {
	d    Desc
	data []byte
}

func newImage(t *testing.T, d Desc) *image {
	t.Helper()
	d.Kind, d.Addr = Texture, 0x1000
	d.Height, d.Depth = max(d.Height, 1), max(d.Depth, 1)
	if d.Levels == 0 {
		texel := uint64(d.Texel())
		d.Pitch = uint64(d.Width)*texel + 2*texel
		d.Slice = d.Pitch*uint64(d.Height) + 3*texel
		if d.Linear {
			d.Pitch = uint64(d.Width) * texel
		}
	}
	if why := d.Check(); why != "" {
		t.Fatal(why)
	}
	im := &image{d: d, data: make([]byte, d.Bytes())}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range im.data {
		im.data[i] = byte(r.Uint32())
	}
	if d.Format == F32 {
		for i := 0; i+4 <= len(im.data); i += 4 {
			binary.LittleEndian.PutUint32(im.data[i:], math.Float32bits(float32(r.IntN(2000)-1000)/8))
		}
	}
	return im
}

func (im *image) lookup(op Lookup, p Point, results int) (out []uint32, taps []Tap) {
	taps = im.d.Taps(nil, &op, &im.d.Sampling, &p)
	for r := range results {
		out = append(out, im.d.Value(&op, &im.d.Sampling, taps, r, func(i int) []byte { return im.data[taps[i].Addr-im.d.Addr:][:im.d.Texel()] }))
	}
	return out, taps
}

// at is the texture as a function of all integers. ok is false where the border is.
func (im *image) at(mode [3]Address, i, j, k, layer int) (texel []byte, ok bool) {
	n := [3]int{im.d.Width, im.d.Height, im.d.Depth}
	v := [3]int{i, j, k}
	for a := range im.d.Dims {
		for v[a] < 0 || v[a] >= n[a] {
			switch mode[a] {
			case Wrap:
				if v[a] < 0 {
					v[a] += n[a]
				} else {
					v[a] -= n[a]
				}
			case Mirror:
				if v[a] < 0 {
					v[a] = -1 - v[a]
				} else {
					v[a] = 2*n[a] - 1 - v[a]
				}
			case Border:
				return nil, false
			default:
				if v[a] < 0 {
					v[a] = 0
				} else {
					v[a] = n[a] - 1
				}
			}
		}
	}
	z := v[2]
	if im.d.Layers > 0 {
		z = layer
	}
	off := v[0]*im.d.Texel() + v[1]*int(im.d.Pitch) + z*int(im.d.Slice)
	return im.data[off : off+im.d.Texel()], true
}

func floorOf(r *big.Rat) int {
	return int(new(big.Int).Div(r.Num(), r.Denom()).Int64()) // Euclidean, and denominators are positive
}

func ratOf(v float32) *big.Rat { return new(big.Rat).SetFloat64(float64(v)) }

// TestFiltersFollowTheGuide compares all modes of addressing, for 1 to 3 dimensions, with and without normalized coordinates.
func TestFiltersFollowTheGuide(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for dims := 1; dims <= 3; dims++ {
		for mode := range 5 * 5 * 5 {
			modes := [3]Address{Address(mode % 5), Address(mode / 5 % 5), Address(mode / 25)}
			if dims < 3 && modes[2] > 0 || dims < 2 && modes[1] > 0 {
				continue
			}
			for bits := range 4 {
				d := Desc{Format: F32, Channels: 2, Dims: dims, Width: 5, Sampling: Sampling{Address: modes, Linear: bits&1 != 0, Normalized: bits&2 != 0, Border: [4]float32{0.5, -3, 1, 2}}}
				if dims > 1 {
					d.Height = 3
				}
				if dims > 2 {
					d.Depth = 4
				}
				im := newImage(t, d)
				n := 60
				if dims == 1 {
					n = 1000
				}
				for range n {
					var c [3]float32
					for a := range dims {
						c[a] = float32(r.IntN(2049)-1024) / 128 // from -8 to 8
						if d.Normalized {
							c[a] /= 2
						}
						if r.IntN(3) == 0 {
							c[a] += float32(r.Float64()) / 64
						}
					}
					im.compare(t, dims, c)
				}
			}
		}
	}
}

func (im *image) compare(t *testing.T, dims int, c [3]float32) {
	t.Helper()
	d := &im.d
	mode := d.Address
	size := [3]int{d.Width, d.Height, d.Depth}
	var low [3]int
	var part [3]*big.Rat
	for a := range 3 {
		part[a] = new(big.Rat)
		if a >= dims {
			continue
		}
		if !d.Normalized && mode[a] < ClampOGL {
			mode[a] = Clamp
		}
		x := ratOf(c[a])
		if f := floorOf(x); d.Normalized && mode[a] == Mirror { // the guide: frac(x) if floor(x) is even, else 1-frac(x)
			x.Sub(x, big.NewRat(int64(f), 1))
			if f%2 != 0 {
				x.Sub(big.NewRat(1, 1), x)
			}
		}
		if d.Normalized {
			x.Mul(x, big.NewRat(int64(size[a]), 1))
		}
		if d.Sampling.Linear {
			x.Sub(x, big.NewRat(1, 2))
		}
		low[a] = floorOf(x)
		if d.Sampling.Linear {
			x.Sub(x, big.NewRat(int64(low[a]), 1)).Mul(x, big.NewRat(256, 1)).Add(x, big.NewRat(1, 2))
			part[a].SetFrac64(int64(floorOf(x)), 256)
		}
	}
	op := Lookup{Geometry: [...]Geometry{D1, D2, D3}[dims-1]}
	got, _ := im.lookup(op, Point{At: [4]uint32{math.Float32bits(c[0]), math.Float32bits(c[1]), math.Float32bits(c[2])}}, 4)
	for ch := range 4 {
		want := new(big.Rat)
		for corner := range 8 {
			w := big.NewRat(1, 1)
			var i [3]int
			for a := range 3 {
				i[a] = low[a] + corner>>a&1
				if corner>>a&1 != 0 {
					w.Mul(w, part[a])
				} else {
					w.Mul(w, new(big.Rat).Sub(big.NewRat(1, 1), part[a]))
				}
			}
			if w.Sign() == 0 {
				continue
			}
			v := float32(0)
			texel, ok := im.at(mode, i[0], i[1], i[2], 0)
			switch {
			case !ok:
				v = d.Border[ch]
			case ch < 2:
				v = math.Float32frombits(binary.LittleEndian.Uint32(texel[4*ch:]))
			case ch == 3:
				v = 1
			}
			want.Add(want, w.Mul(w, ratOf(v)))
		}
		f, _ := want.Float32()
		if math.Float32frombits(got[ch]) != f {
			t.Fatalf("%d dimensions, modes %v, linear %v, normalized %v, at %v: channel %d is %v, want %v", dims, d.Address, d.Sampling.Linear, d.Normalized, c, ch, math.Float32frombits(got[ch]), f)
		}
	}
}

// TestFormats reads every byte and a choice of wider values by each format and read mode.
func TestFormats(t *testing.T) {
	for f := U8; f <= F32; f++ {
		for _, norm := range []bool{false, true} {
			d := newImage(t, Desc{Format: f, Channels: 1, Dims: 1, Width: 256, Linear: true, Sampling: Sampling{Float: norm}})
			for i := range 256 {
				d.data[i*f.Bytes()+f.Bytes()-1] = byte(i)
			}
			for i := range 256 {
				got, _ := d.lookup(Lookup{Integer: true}, Point{At: [4]uint32{uint32(i)}}, 4)
				b := d.data[i*f.Bytes():]
				var v float64
				integer := !norm
				switch f {
				case U8:
					v = float64(b[0])
					if norm {
						v /= 255
					}
				case S8:
					v = float64(int8(b[0]))
					if norm {
						v = math.Max(v/127, -1)
					}
				case U16:
					v = float64(binary.LittleEndian.Uint16(b))
					if norm {
						v /= 65535
					}
				case S16:
					v = float64(int16(binary.LittleEndian.Uint16(b)))
					if norm {
						v = math.Max(v/32767, -1)
					}
				case U32, S32:
					integer = true
					v = float64(binary.LittleEndian.Uint32(b))
				case F16:
					integer = false
					h := binary.LittleEndian.Uint16(b)
					e, m := int(h>>10&31), float64(h&1023)
					switch {
					case e == 31:
						continue
					case e == 0:
						v = math.Ldexp(m, -24)
					default:
						v = math.Ldexp(1024+m, e-25)
					}
					if h>>15 != 0 {
						v = -v
					}
				case F32:
					integer = false
					v = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
					if v != v {
						continue
					}
				}
				want, one := uint32(int64(v)), uint32(1)
				if !integer {
					want, one = math.Float32bits(float32(v)), math.Float32bits(1)
				}
				if got[0] != want || got[1] != 0 || got[2] != 0 || got[3] != one {
					t.Fatalf("%s, read as numbers %v: texel %d is %#x, want %#x 0 0 %#x", f, norm, i, got, want, one)
				}
			}
		}
	}
}

// TestLayersCubesAndGathers reads layers, all faces of cubes and the four texels of a gather.
func TestLayersCubesAndGathers(t *testing.T) {
	im := newImage(t, Desc{Format: F32, Channels: 4, Dims: 2, Width: 4, Height: 4, Layers: 12, Cube: true, Sampling: Sampling{Address: [3]Address{Clamp, Clamp, Clamp}}})
	// The corners of each face as seen from its centre: the directions of s, of t and of the face (CUDA C++ Programming
	// Guide, "Cubemap Textures").
	faces := [6][3][3]float32{
		{{0, 0, -1}, {0, -1, 0}, {1, 0, 0}}, {{0, 0, 1}, {0, -1, 0}, {-1, 0, 0}},
		{{1, 0, 0}, {0, 0, 1}, {0, 1, 0}}, {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
		{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
	}
	for cube := range 2 {
		for face, axes := range faces {
			for j := range 4 {
				for i := range 4 {
					u, v := (float32(i)+0.5)/2-1, (float32(j)+0.5)/2-1
					at := [4]uint32{uint32(cube)}
					for a := range 3 {
						at[a+1] = math.Float32bits(3 * (u*axes[0][a] + v*axes[1][a] + axes[2][a]))
					}
					got, _ := im.lookup(Lookup{Geometry: ACube}, Point{At: at}, 1)
					texel, _ := im.at(im.d.Address, i, j, 0, 6*cube+face)
					if want := binary.LittleEndian.Uint32(texel); got[0] != want {
						t.Fatalf("cube %d, face %d, texel %d,%d: %#x, want %#x", cube, face, i, j, got[0], want)
					}
				}
			}
		}
	}
	im = newImage(t, Desc{Format: U16, Channels: 4, Dims: 2, Width: 6, Height: 5, Layers: 3, Sampling: Sampling{Address: [3]Address{Clamp, Clamp, Clamp}}})
	for layer := range 5 {
		for y := float32(-1); y < 7; y += 0.25 {
			for x := float32(-1); x < 8; x += 0.25 {
				p := Point{At: [4]uint32{uint32(layer), math.Float32bits(x), math.Float32bits(y)}, Offset: [3]int32{1, -2}}
				got, _ := im.lookup(Lookup{Geometry: A2, Gather: true, Channel: 2, Offset: true}, p, 4)
				i, j := int(math.Floor(float64(x)-0.5))+1, int(math.Floor(float64(y)-0.5))-2
				for k, o := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
					texel, _ := im.at(im.d.Address, i+o[0], j+o[1], 0, min(layer, 2))
					if want := uint32(binary.LittleEndian.Uint16(texel[4:])); got[k] != want {
						t.Fatalf("layer %d, (%v, %v): texel %d of the gather is %d, want %d", layer, x, y, k, got[k], want)
					}
				}
			}
		}
	}
}

// TestLevels reads all texels of all levels, and between levels.
func TestLevels(t *testing.T) {
	im := newImage(t, Desc{Format: F32, Channels: 1, Dims: 2, Width: 8, Height: 3, Layers: 2, Levels: 4, Sampling: Sampling{MaxLevel: 9, Address: [3]Address{Clamp, Clamp, Clamp}}})
	start := 0
	for l, size := range [4][2]int{{8, 3}, {4, 1}, {2, 1}, {1, 1}} {
		for layer := range 2 {
			for y := range size[1] {
				for x := range size[0] {
					p := Point{At: [4]uint32{uint32(layer), uint32(x), uint32(y)}, Level: uint32(l)}
					got, _ := im.lookup(Lookup{Geometry: A2, Integer: true, Mip: Level}, p, 1)
					want := binary.LittleEndian.Uint32(im.data[start+4*(x+size[0]*(y+size[1]*layer)):])
					if got[0] != want {
						t.Fatalf("level %d, layer %d, (%d, %d): %#x, want %#x", l, layer, x, y, got[0], want)
					}
				}
			}
		}
		start += (2*4*size[0]*size[1] + 15) / 16 * 16
	}
	im.d.MipLinear = true
	value := func(level float32) float64 {
		got, _ := im.lookup(Lookup{Geometry: A2, Mip: Level}, Point{At: [4]uint32{0, math.Float32bits(0.5), math.Float32bits(0.5)}, Level: math.Float32bits(level)}, 1)
		return float64(math.Float32frombits(got[0]))
	}
	for l := float32(-1); l < 5; l += 1.0 / 16 {
		in := math.Min(math.Max(float64(l), 0), 3)
		low := math.Floor(in)
		want := value(float32(low)) + (in-low)*(value(float32(math.Min(low+1, 3)))-value(float32(low)))
		if got := value(l); got != float64(float32(want)) {
			t.Fatalf("level %v: %v, want %v", l, got, want)
		}
	}
	im.d.MipLinear = false
	// A derivative of one texel reads level 0, of 4 texels level 2.
	for _, step := range []float32{1, 4} {
		p := Point{At: [4]uint32{0, 0, 0}, DX: [3]float32{step}, DY: [3]float32{0, 0.5}}
		got, _ := im.lookup(Lookup{Geometry: A2, Mip: Grad}, p, 1)
		if want := value(float32(math.Log2(float64(step)))); float64(math.Float32frombits(got[0])) != value(map[float32]float32{1: 0, 4: 2}[step]) {
			t.Fatalf("derivative %v: %v, want %v", step, math.Float32frombits(got[0]), want)
		}
	}
}

// TestHalfResults packs two channels in each result.
func TestHalfResults(t *testing.T) {
	im := newImage(t, Desc{Format: F16, Channels: 4, Dims: 1, Width: 8})
	for i := range 8 {
		for c := range 4 {
			binary.LittleEndian.PutUint16(im.data[8*i+2*c:], uint16(0x3c00+100*i+c))
		}
		got, _ := im.lookup(Lookup{Integer: true, Half: true, Pairs: true}, Point{At: [4]uint32{uint32(i)}}, 2)
		first := uint32(0x3c00 + 100*i)
		if got[0] != first|(first+1)<<16 || got[1] != first+2|(first+3)<<16 {
			t.Errorf("texel %d is %#x", i, got)
		}
	}
}

// TestSurfaces accesses every byte of a small surface, and all places around it.
func TestSurfaces(t *testing.T) {
	d := Desc{Kind: Surface, Addr: 0x4000, Format: U16, Channels: 2, Dims: 2, Width: 3, Height: 2, Depth: 1, Layers: 2, Pitch: 16, Slice: 64}
	if why := d.Check(); why != "" {
		t.Fatal(why)
	}
	for _, n := range []int{1, 2, 4, 8} {
		for z := range 4 {
			for y := -2; y < 4; y++ {
				for x := -8; x < 24; x++ {
					in := x >= 0 && x+n <= 12 && y >= 0 && y < 2 && z < 2
					for out := Trap; out <= Zeros; out++ {
						addr, bad := d.Locate(&Access{Geometry: A2, Bytes: n, Outside: out}, [4]uint32{uint32(z), uint32(int32(x)), uint32(int32(y))})
						aligned := x%n == 0
						want := uint64(0x4000 + 64*z + 16*y + x)
						if !in && out == Near {
							nx := min(max(x, 0), (12-n)/n*n)
							want = uint64(0x4000 + 64*min(z, 1) + 16*min(max(y, 0), 1) + nx)
						}
						if !aligned || !in && out == Trap {
							if bad == "" {
								t.Fatalf("%d bytes at (%d, %d, %d), %d: no fault", n, z, x, y, out)
							}
							continue
						}
						if !in && out == Zeros {
							want = 0
						}
						if bad != "" || addr != want {
							t.Fatalf("%d bytes at (%d, %d, %d), %d: %#x %s, want %#x", n, z, x, y, out, addr, bad, want)
						}
					}
				}
			}
		}
	}
}

// TestPackInvertsLookups packs what a lookup read.
func TestPackInvertsLookups(t *testing.T) {
	for f := U8; f <= F32; f++ {
		for _, norm := range []bool{false, true} {
			im := newImage(t, Desc{Format: f, Channels: 4, Dims: 1, Width: 300, Linear: true, Sampling: Sampling{Float: norm}})
			for i := range 300 {
				got, _ := im.lookup(Lookup{Integer: true}, Point{At: [4]uint32{uint32(i)}}, 4)
				texel := im.data[i*im.d.Texel():][:im.d.Texel()]
				packed := make([]byte, len(texel))
				im.d.Pack(packed, [4]uint32(got))
				for k := range texel {
					lowest := f == S8 && norm && texel[k] == 0x80 || f == S16 && norm && k%2 == 0 && texel[k] == 0 && texel[k+1] == 0x80
					if packed[k] != texel[k] && !lowest && (f != F16 || texel[k|1]&0x7c != 0x7c) {
						t.Fatalf("%s, %v: texel %d byte %d is %#x, want %#x", f, norm, i, k, packed[k], texel[k])
					}
				}
			}
		}
	}
}

// TestDescriptors encodes and decodes, and refuses other bytes and fields out of range.
func TestDescriptors(t *testing.T) {
	good := Desc{Kind: Texture, Addr: 0x1000, Format: F16, Channels: 2, Dims: 3, Width: 7, Height: 5, Depth: 3, Pitch: 32, Slice: 256, Sampling: Sampling{Address: [3]Address{1, 2, 4}, Linear: true, MipLinear: true, Normalized: true, Bias: 1, MinLevel: 2, MaxLevel: 3, Border: [4]float32{4, 5, 6, 7}}}
	b := good.Encode()
	if d, ok := Decode(&b); !ok || d != good {
		t.Fatalf("%+v, want %+v", d, good)
	}
	if _, ok := Decode(new([Size]byte)); ok {
		t.Error("zeros are a descriptor")
	}
	for i := range Size {
		for _, v := range []byte{0x00, 0x7f, 0xff} {
			c := b
			c[i] = v
			if d, ok := Decode(&c); ok && d.Addr != 0 && d.Kind != Sampler && d.Check() != "" {
				t.Errorf("byte %d = %d: a bad descriptor decodes", i, v)
			}
		}
	}
	bad := func(name string, change func(d *Desc)) {
		d := good
		change(&d)
		if d.Check() == "" {
			t.Errorf("%s: no error", name)
		}
	}
	bad("format", func(d *Desc) { d.Format = 0 })
	bad("channels", func(d *Desc) { d.Channels = 3 })
	bad("dimensions", func(d *Desc) { d.Dims = 4 })
	bad("width", func(d *Desc) { d.Width = 0 })
	bad("height", func(d *Desc) { d.Dims = 1 })
	bad("layers", func(d *Desc) { d.Layers = 2 })
	bad("cube", func(d *Desc) { d.Cube = true })
	bad("levels", func(d *Desc) { d.Levels = 4 })
	bad("linear", func(d *Desc) { d.Linear = true })
	bad("pitch", func(d *Desc) { d.Pitch = 24 })
	bad("slice", func(d *Desc) { d.Slice = 64 })
	bad("address", func(d *Desc) { d.Addr++ })
	bad("mode", func(d *Desc) { d.Address[1] = 5 })
	bad("filter", func(d *Desc) { d.Format = S32; d.Channels = 1 })
}
