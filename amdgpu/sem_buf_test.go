package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/sim"
)

// An rsrc is a buffer resource descriptor by its fields (GCN3 ISA table 8.5).
type rsrc struct {
	base            uint64
	stride, records uint32
	swizzle, addTID bool
	elem, istride   uint32 // the encoded fields
	nfmt, dfmt      uint32
	sel             [4]uint32
}

func (r rsrc) words() (w [4]uint32) {
	b := func(v bool, n uint) uint32 {
		if v {
			return 1 << n
		}
		return 0
	}
	w[0] = uint32(r.base)
	w[1] = uint32(r.base>>32)&0xffff | r.stride<<16 | b(r.swizzle, 31)
	w[2] = r.records
	w[3] = r.sel[0] | r.sel[1]<<3 | r.sel[2]<<6 | r.sel[3]<<9 | r.nfmt<<12 | r.dfmt<<15 | r.elem<<19 | r.istride<<21 | b(r.addTID, 23)
	return w
}

// place returns the manual's address of a lane, relative to the base, and whether it is in range
// (GCN3 ISA 8.1.5). The first sum of offsets wraps at 2^32 unless the buffer is swizzled (Errata
// E124); more is a number of bytes that is added after it. Without a data format there is no
// buffer.
func (r rsrc) place(lane, vindex, voffset, inst, more, sgpr uint64) (uint64, bool) {
	index, offset := vindex, voffset+inst
	if !r.swizzle {
		offset = uint64(uint32(offset))
	}
	offset += more
	if r.addTID {
		index += lane
	}
	stride := uint64(r.stride)
	if r.addTID {
		stride += uint64(r.dfmt) << 14
	}
	bo := index*stride + offset
	if r.swizzle {
		elem, is := []uint64{2, 4, 8, 16}[r.elem], []uint64{8, 16, 32, 64}[r.istride]
		bo = (index/is*stride+offset/elem*elem)*is + index%is*elem + offset%elem
	}
	in := bo+sgpr < uint64(r.records)
	if stride != 0 && r.swizzle {
		in = index < uint64(r.records) && offset < stride
	}
	if !r.addTID && r.dfmt == 0 {
		in = false
	}
	return bo + sgpr, in
}

var identitySel = [4]uint32{4, 5, 6, 7}

func randomRsrc(r *rand.Rand) rsrc {
	v := rsrc{stride: []uint32{0, 4, 12, 16, 64}[r.IntN(5)], swizzle: r.IntN(2) == 0, addTID: r.IntN(3) == 0,
		elem: 1 + r.Uint32N(3), istride: r.Uint32N(4), sel: identitySel}
	v.records = []uint32{20, 64, 3000, 60000}[r.IntN(4)]
	if !v.addTID && r.IntN(8) != 0 { // else the format is not valid
		v.dfmt = 4
	}
	return v
}

// A bufCase is the place of a random buffer instruction.
type bufCase struct {
	v          rsrc
	idx, off   bool
	inst, sgpr uint32
	st         *state
	buf        *sim.Alloc
	m          *machine
}

const bufHalf = 1 << 17

func newBufCase(r *rand.Rand, v rsrc) *bufCase {
	c := &bufCase{v: v, idx: r.IntN(2) == 0, off: r.IntN(2) == 0, inst: 4 * r.Uint32N(8), sgpr: 4 * r.Uint32N(5), st: randomState(r)}
	c.m, c.buf = flatMachine(2 * bufHalf)
	for i := 0; i < len(c.buf.Data); i += 8 {
		binary.LittleEndian.PutUint64(c.buf.Data[i:], r.Uint64())
	}
	c.v.base = c.buf.Base + bufHalf
	for l := range 64 {
		if c.idx {
			c.st.v[0][l] = r.Uint32N(80)
		} else {
			c.st.v[0][l] = 4 * r.Uint32N(16)
		}
		c.st.v[1][l] = 4 * r.Uint32N(16)
		if r.IntN(8) == 0 { // below 0 on its own, below 0 with the instruction's offset, or just not below 0
			c.st.v[1][l] = 4*r.Uint32N(16) - c.inst
			if !c.idx {
				c.st.v[0][l] = c.st.v[1][l]
			}
		}
	}
	w := c.v.words()
	copy(c.st.s[8:], w[:])
	c.st.s[12] = c.sgpr
	return c
}

func (c *bufCase) text() string {
	s := "off"
	switch {
	case c.idx && c.off:
		s = "v[0:1]"
	case c.idx || c.off:
		s = "v0"
	}
	s += ", s[8:11], s12"
	if c.idx {
		s += " idxen"
	}
	if c.off {
		s += " offen"
	}
	return s + fmt.Sprintf(" offset:%d", c.inst)
}

// at returns the index in the allocation's bytes of lane l's data, plus more bytes.
func (c *bufCase) at(l int, more uint64) (int, bool) {
	var index, offset uint64
	reg := 0
	if c.idx {
		index, reg = uint64(c.st.v[0][l]), 1
	}
	if c.off {
		offset = uint64(c.st.v[reg][l])
	}
	bo, in := c.v.place(uint64(l), index, offset, uint64(c.inst), more, uint64(c.sgpr))
	return bufHalf + int(bo), in
}

func TestBufferLoadStore(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 7))
	ins, outs := 0, 0
	for range short.Of(40, 8) {
		for _, k := range []struct {
			name  string
			bytes int
			sign  bool
		}{{"load_ubyte", 1, false}, {"load_sbyte", 1, true}, {"load_ushort", 2, false}, {"load_sshort", 2, true}, {"load_dword", 4, false}, {"load_dwordx2", 8, false},
			{"load_dwordx3", 12, false}, {"load_dwordx4", 16, false}, {"store_byte", 1, false}, {"store_short", 2, false}, {"store_dword", 4, false}, {"store_dwordx2", 8, false}, {"store_dwordx3", 12, false}, {"store_dwordx4", 16, false}} {
			c := newBufCase(r, randomRsrc(r))
			load := strings.HasPrefix(k.name, "load")
			first, n := 0, max(1, k.bytes/4) // loads overwrite the address
			tfe := load && r.IntN(4) == 0
			if !load {
				first = 2
			}
			regs, text := n, "buffer_"+k.name+" "
			if tfe {
				regs++
			}
			text += regRange("v", first, regs) + ", " + c.text()
			if tfe {
				text += " tfe"
			}
			want, mem := *c.st, append([]byte(nil), c.buf.Data...)
			// If lanes access the same place, the dwords are stored one after the other.
			for i := range n {
				for l := range 64 {
					if c.st.exec>>l&1 == 0 {
						continue
					}
					at, in := c.at(l, uint64(4*i))
					var w [4]byte
					if in {
						ins++
						copy(w[:min(4, k.bytes)], c.buf.Data[at:])
					} else {
						outs++
					}
					if load {
						v := binary.LittleEndian.Uint32(w[:])
						if k.sign {
							v = uint32(sext(uint64(v), uint(8*k.bytes)))
						}
						want.v[i][l] = v
					} else if in {
						binary.LittleEndian.PutUint32(w[:], c.st.v[2+i][l])
						copy(mem[at:], w[:min(4, k.bytes)])
					}
					if tfe {
						want.v[n][l] = 0
					}
				}
			}
			c.m.run(t, assembleText(t, text), c.st)
			if d := c.st.diff(&want); d != "" {
				t.Fatalf("%s with %+v: %s", text, c.v, d)
			}
			if string(mem) != string(c.buf.Data) {
				t.Fatalf("%s with %+v: memory differs", text, c.v)
			}
		}
	}
	if ins < 1000 || outs < 1000 {
		t.Errorf("%d accesses in range, %d out of range", ins, outs)
	}
}

func TestBufferAtomic(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 7))
	for _, op := range []string{"add", "sub", "smin", "smax", "umin", "umax", "and", "or", "xor", "swap", "inc", "dec", "cmpswap"} {
		for k := range 8 {
			wide, glc := k&1 != 0, k&2 != 0
			n, name := 1, "buffer_atomic_"+op
			if wide {
				n, name = 2, name+"_x2"
			}
			v := rsrc{stride: 8, records: 150, sel: identitySel, dfmt: 4, swizzle: k&4 != 0, elem: 2, istride: 1}
			c := newBufCase(r, v)
			c.idx, c.off, c.inst = true, false, 0
			c.sgpr, c.st.s[12] = 8, 8
			for i := range c.buf.Data {
				c.buf.Data[i] &= 0x81
			}
			regs := n
			if op == "cmpswap" {
				regs *= 2
			}
			for l := range 64 {
				c.st.v[0][l] = r.Uint32N(30) // collisions; some out of range
				for i := range regs {
					c.st.v[4+i][l] &= 0x81818181
				}
				if at, in := c.at(l, 0); op == "cmpswap" && in && l%2 == 0 {
					c.st.v[4+n][l] = binary.LittleEndian.Uint32(c.buf.Data[at:])
					c.st.v[5+n][l] = binary.LittleEndian.Uint32(c.buf.Data[at+4:])
				}
			}
			text := name + " " + regRange("v", 4, regs) + ", " + c.text()
			if glc {
				text += " glc"
			}
			want, mem := *c.st, append([]byte(nil), c.buf.Data...)
			for l := range 64 {
				if c.st.exec>>l&1 == 0 {
					continue
				}
				get := func(r int) uint64 {
					if wide {
						return uint64(c.st.v[r][l]) | uint64(c.st.v[r+1][l])<<32
					}
					return uint64(c.st.v[r][l])
				}
				at, in := c.at(l, 0)
				old := uint64(0)
				if in && wide {
					old = binary.LittleEndian.Uint64(mem[at:])
					binary.LittleEndian.PutUint64(mem[at:], atomicRef(op, 64, old, get(4), get(4+n)))
				} else if in {
					old = uint64(binary.LittleEndian.Uint32(mem[at:]))
					binary.LittleEndian.PutUint32(mem[at:], uint32(atomicRef(op, 32, old, get(4), get(4+n))))
				}
				if glc {
					want.v[4][l] = uint32(old)
					if wide {
						want.v[5][l] = uint32(old >> 32)
					}
				}
			}
			c.m.run(t, assembleText(t, text), c.st)
			if d := c.st.diff(&want); d != "" {
				t.Fatalf("%s with %+v: %s", text, c.v, d)
			}
			if string(mem) != string(c.buf.Data) {
				t.Fatalf("%s with %+v: memory differs", text, c.v)
			}
		}
	}
}

// formatWidths gives the components of the data formats from the lowest bit (GCN3 ISA table 8.4).
var formatWidths = map[uint32][]uint{1: {8}, 2: {16}, 3: {8, 8}, 4: {32}, 5: {16, 16}, 6: {11, 11, 10}, 7: {10, 11, 11}, 8: {2, 10, 10, 10},
	9: {10, 10, 10, 2}, 10: {8, 8, 8, 8}, 11: {32, 32}, 12: {16, 16, 16, 16}, 13: {32, 32, 32}, 14: {32, 32, 32, 32}}

// formatRef converts one component of w bits (GCN3 ISA table 8.3). ok is false for a combination
// that does not exist.
func formatRef(v uint64, w uint, nfmt, dfmt uint32) (bits uint32, ok bool) {
	ratio := func(a, b int64) uint32 {
		f, _ := big.NewRat(a, b).Float32()
		return math.Float32bits(f)
	}
	s := sext(v, w)
	switch nfmt {
	case 0:
		return ratio(int64(v), 1<<w-1), w < 32
	case 1:
		return ratio(max(s, -(1<<(w-1)-1)), 1<<(w-1)-1), w < 32
	case 2:
		return ratio(int64(v), 1), w < 32
	case 3:
		return ratio(s, 1), w < 32
	case 4:
		return uint32(v), true
	case 5:
		return uint32(s), true
	case 7:
		switch {
		case w == 32:
			return uint32(v), true
		case w == 16:
			return uint32(to32(f16v(v))), true
		case dfmt == 6 || dfmt == 7:
			man := w - 5
			e, m := int(v>>man), float64(v&(1<<man-1))
			switch {
			case e == 31 && m != 0:
				return 0x7fc00000, true
			case e == 31:
				return 0x7f800000, true
			case e == 0:
				return uint32(to32(math.Ldexp(m, -14-int(man)))), true
			}
			return uint32(to32(math.Ldexp(1+m/float64(int(1)<<man), e-15))), true
		}
	}
	return 0, false
}

func TestBufferLoadFormat(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(10, 7))
	good := 0
	for k := range 16 * 8 * 2 * 2 {
		if !short.Every(k+k>>4+k>>7, 4) {
			continue
		}
		dfmt, nfmt, mtbuf := uint32(k&15), uint32(k>>4&7), k>>7&1 != 0
		v := rsrc{stride: 16, records: 40 * 16, nfmt: nfmt, dfmt: dfmt, sel: identitySel}
		n := 1 + r.IntN(4)
		if k>>8 != 0 { // all lanes in range, mostly all components
			v.records = 60000
			if ws := formatWidths[dfmt]; ws != nil && r.IntN(4) != 0 {
				n = len(ws)
			}
		}
		if !mtbuf && (k>>8 == 0 || r.IntN(4) == 0) {
			v.sel = [4]uint32{[]uint32{0, 1, 4, 5, 6, 7}[r.IntN(6)], 7, 4, []uint32{0, 1, 6}[r.IntN(3)]}
		} else if mtbuf {
			v.nfmt, v.dfmt = r.Uint32N(8), r.Uint32N(16)
		}
		if mtbuf && (dfmt == 0 || dfmt == 15 || nfmt == 6) {
			continue // no text
		}
		c := newBufCase(r, v)
		c.idx, c.off = true, false
		if mtbuf && c.v.dfmt == 0 { // the format does not count there
			c.v.dfmt = 4
		}
		comps := "xyzw"[:n]
		text := "buffer_load_format_" + comps + " " + regRange("v", 0, n) + ", " + c.text()
		if mtbuf {
			text = "t" + text + fmt.Sprintf(" dfmt:%d, nfmt:%d", dfmt, nfmt)
			text = strings.Replace(text, " idxen", "", 1) + " idxen"
			if i := strings.Index(text, " offset:"); i >= 0 {
				text = "tbuffer_load_format_" + comps + " " + regRange("v", 0, n) + fmt.Sprintf(", v0, s[8:11], s12 format:[%d,%d] idxen offset:%d", dfmt, nfmt, c.inst)
			}
			text = strings.Replace(text, fmt.Sprintf("format:[%d,%d]", dfmt, nfmt), fmt.Sprintf("dfmt:%d nfmt:%d", dfmt, nfmt), 1)
		}
		want, ok := *c.st, true
		one := uint32(0x3f800000)
		if nfmt == 4 || nfmt == 5 {
			one = 1
		}
		ws := formatWidths[dfmt]
		ok = ws != nil
		for l := range 64 {
			if c.st.exec>>l&1 == 0 {
				continue
			}
			at, in := c.at(l, 0)
			comp := [4]uint32{3: one}
			pos := uint(0)
			for i, w := range ws {
				e := new(big.Int)
				if in {
					e.SetBytes(reversed(c.buf.Data[at : at+16]))
				}
				e.Rsh(e, pos)
				x := e.And(e, big.NewInt(1<<w-1)).Uint64()
				pos += w
				b, fits := formatRef(x, w, nfmt, dfmt)
				comp[i], ok = b, ok && fits
			}
			for i := range n {
				sel := identitySel[i]
				if !mtbuf {
					sel = v.sel[i]
				}
				switch {
				case sel == 1:
					want.v[i][l] = one
				case sel == 0 || !in:
					want.v[i][l] = 0
				default:
					want.v[i][l] = comp[sel-4]
				}
			}
		}
		err := c.m.try(assembleText(t, text), c.st)
		if !ok {
			if err == nil || !strings.Contains(err.Error(), "format") {
				t.Errorf("%s, data format %d, number format %d: error %v", text, dfmt, nfmt, err)
			}
			continue
		}
		good++
		if err != nil {
			t.Fatalf("%s, data format %d, number format %d: %v", text, dfmt, nfmt, err)
		}
		for i := range n { // NaNs compare by their kind
			for l := range 64 {
				if a, b := c.st.v[i][l], want.v[i][l]; nfmt == 7 && a&0x7fffffff > 0x7f800000 && b&0x7fffffff > 0x7f800000 {
					want.v[i][l] = a
				}
			}
		}
		if d := c.st.diff(&want); d != "" {
			t.Fatalf("%s, %+v: %s", text, c.v, d)
		}
	}
	if good < short.Of(120, 40) {
		t.Errorf("%d formats", good)
	}
}

func reversed(b []byte) []byte {
	r := make([]byte, len(b))
	for i, x := range b {
		r[len(b)-1-i] = x
	}
	return r
}

// TestBufferStoreFormat checks formatted stores of values that the format can hold exactly, and of
// values that rounding to nearest even decides.
func TestBufferStoreFormat(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 7))
	f32bits := func(f float64) uint32 { return math.Float32bits(float32(f)) }
	for k := range uint32(2 * 16) {
		dfmt := k / 2
		ws := formatWidths[dfmt]
		if ws == nil {
			continue
		}
		for _, nfmt := range []uint32{0, 1, 4, 5, 7} {
			if ws[0] == 32 && nfmt < 4 || nfmt == 7 && ws[0] != 32 && ws[0] != 16 {
				continue
			}
			c := newBufCase(r, rsrc{stride: 16, records: []uint32{40 * 16, 60000}[k%2], nfmt: nfmt, dfmt: dfmt, sel: identitySel})
			c.idx, c.off = true, false
			mem := append([]byte(nil), c.buf.Data...)
			for l := range 64 {
				c.st.v[0][l] = uint32(l) // no collisions
				e, pos := new(big.Int), uint(0)
				for i, w := range ws {
					var x uint64
					max := uint64(1)<<w - 1
					switch nfmt {
					case 0: // a multiple of 1/(2^w - 1) plus less than half of it; clamped
						x = r.Uint64() & max
						c.st.v[2+i][l] = f32bits((float64(x) + 0.4*(r.Float64()-0.5)) / float64(max))
						if l%8 == 0 {
							x, c.st.v[2+i][l] = max, f32bits(1.5)
						}
					case 1:
						half := int64(max >> 1)
						s := r.Int64N(2*half+1) - half
						c.st.v[2+i][l] = f32bits((float64(s) + 0.4*(r.Float64()-0.5)) / float64(half))
						x = uint64(s) & max
						if l%8 == 0 {
							x, c.st.v[2+i][l] = uint64(-half)&max, f32bits(math.Inf(-1))
						}
					case 4:
						x = r.Uint64() & max
						c.st.v[2+i][l] = uint32(x)
					case 5:
						x = r.Uint64() & max
						c.st.v[2+i][l] = uint32(sext(x, w))
					case 7:
						x = r.Uint64() & max
						c.st.v[2+i][l] = uint32(x)
						if w == 16 {
							x &= 0xbfff // no NaN, no infinity
							c.st.v[2+i][l] = uint32(to32(f16v(x)))
						}
					}
					e.Or(e, new(big.Int).Lsh(new(big.Int).SetUint64(x), pos))
					pos += w
				}
				if at, in := c.at(l, 0); in && c.st.exec>>l&1 != 0 {
					b := make([]byte, pos/8)
					copy(mem[at:], reversed(e.FillBytes(b)))
				}
			}
			n := len(ws)
			text := "buffer_store_format_" + "xyzw"[:n] + " " + regRange("v", 2, n) + ", " + c.text()
			before := append([]byte(nil), c.buf.Data...)
			for range 2 {
				st := *c.st
				if err := c.m.try(assembleText(t, text), &st); err != nil {
					t.Fatalf("%s, data format %d, number format %d: %v", text, dfmt, nfmt, err)
				}
				if string(mem) != string(c.buf.Data) {
					t.Errorf("%s, data format %d, number format %d: memory differs", text, dfmt, nfmt)
				}
				// The same is checked with the format in the instruction and another one in the
				// descriptor.
				copy(c.buf.Data, before)
				c.v.dfmt, c.v.nfmt = 4, 4
				w := c.v.words()
				copy(c.st.s[8:], w[:])
				text = fmt.Sprintf("t%s format:%d", strings.TrimPrefix(text, "t"), dfmt|nfmt<<4)
			}
		}
	}
	// Cases that the manual leaves open are refused.
	for _, c := range []struct {
		text       string
		dfmt, nfmt uint32
		value      uint32
		ok         bool
	}{
		{"x v2", 1, 4, 255, true}, {"x v2", 1, 4, 256, false}, {"x v2", 1, 5, 0xffffff80, true}, {"x v2", 1, 5, 0x80, false},
		{"x v2", 2, 7, 0x3f800000, true}, {"x v2", 2, 7, 0x3f800001, false}, {"x v2", 3, 4, 1, false}, {"xy v[2:3]", 3, 4, 1, true}, {"x v2", 1, 2, 0, false}, {"x v2", 0, 4, 0, false},
	} {
		b := newBufCase(r, rsrc{stride: 16, records: 64, nfmt: c.nfmt, dfmt: c.dfmt, sel: identitySel})
		b.st.exec = 1
		b.st.v[2][0], b.st.v[3][0] = c.value, c.value
		err := b.m.try(assembleText(t, "buffer_store_format_"+c.text+", off, s[8:11], 0"), b.st)
		if (err == nil) != c.ok {
			t.Errorf("%s, data format %d, number format %d, %#x: %v", c.text, c.dfmt, c.nfmt, c.value, err)
		}
	}
}

// TestBufferLDS checks that lds moves dwords between memory and LDS at M0[15:0] + 4 * lane.
func TestBufferLDS(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(12, 7))
	for _, k := range []struct {
		name  string
		bytes int
	}{{"dword", 4}, {"ubyte", 1}, {"ushort", 2}, {"format_x", 4}} {
		c := newBufCase(r, rsrc{stride: 4, records: 200, dfmt: 4, nfmt: 4, sel: identitySel})
		c.idx, c.off, c.inst, c.m.lds = true, false, 0, 512
		c.sgpr, c.st.s[12] = 0, 0
		for l := range 64 {
			c.st.v[0][l], c.st.v[1][l] = uint32(l), uint32(4*l)
		}
		want := *c.st
		want.s[RegM0], want.s[98], want.s[99] = 128, uint32(c.st.exec), uint32(c.st.exec>>32)
		mem := append([]byte(nil), c.buf.Data...)
		var out rsrc = c.v
		out.base += 4096
		w := out.words()
		copy(c.st.s[16:], w[:])
		copy(want.s[16:], w[:])
		out.addTID = true
		c.st.s[19] |= 1 << 23
		c.st.s[17] &= 0xffff
		c.st.s[17] |= 4 << 16
		c.st.s[19] &^= 15 << 15 // the format extends the stride
		want.s[17], want.s[19] = c.st.s[17], c.st.s[19]
		for l := range 64 {
			var b [4]byte
			if c.st.exec>>l&1 != 0 {
				if at, in := c.at(l, 0); in {
					copy(b[:k.bytes], c.buf.Data[at:])
				}
				if l < 50 {
					copy(mem[bufHalf+4096+4*l:], b[:])
				}
			}
			want.v[2][l] = binary.LittleEndian.Uint32(b[:])
		}
		c.m.run(t, assembleText(t, `
			s_mov_b32 m0, 128
			buffer_load_`+k.name+` v0, s[8:11], 0 idxen lds
			buffer_store_lds_dword s[16:19], 0 lds
			s_mov_b64 s[98:99], exec
			s_mov_b64 exec, -1
			s_mov_b32 m0, 512
			ds_read_b32 v2, v1 offset:128
			s_mov_b32 m0, 128
			s_mov_b64 exec, s[98:99]`), c.st)
		if d := c.st.diff(&want); d != "" {
			t.Errorf("%s: %s", k.name, d)
		}
		if string(mem) != string(c.buf.Data) {
			t.Errorf("%s: memory differs", k.name)
		}
	}
}
