package tensormap

import "strconv"

// Check returns what is wrong with the fields of a map, or "". It has the rules of the CUDA driver's encoders, which are those
// of PTX ISA 5.5 and 9.7.9.26.5.1. A map that a device has built is not encoded by a driver, so copies check it, too.
func (m *Map) Check() string {
	switch {
	case m.Rank < 1 || m.Rank > MaxRank:
		return value("the rank", m.Rank, "1 to 5")
	case m.Kind != Tiled && m.Rank < 3:
		return value("the rank of an im2col map", m.Rank, "3 to 5")
	case m.Interleave > 2:
		return value("the interleave layout", int(m.Interleave), "0 to 2")
	case m.Interleave != 0 && m.Rank < 3:
		return value("the rank of an interleaved map", m.Rank, "3 to 5")
	case m.Swizzle > Swizzle96:
		return value("the swizzle mode", int(m.Swizzle), "0 to 4")
	case m.Interleave == 2 && m.Swizzle != Swizzle32:
		return "the interleave layout of 32 bytes needs the swizzle mode of 32 bytes"
	case m.NaN && !m.Elem.Float():
		return "the fill mode OOB-NaN needs elements that are floating-point numbers, and they are " + m.Elem.String()
	case m.Atom != Atom16 && m.Swizzle != Swizzle128:
		return "a swizzle atomicity other than 16 bytes needs the swizzle mode of 128 bytes"
	case m.Elem.padded() && m.Swizzle != SwizzleNone && (m.Swizzle != Swizzle128 || m.Atom == Atom32Flip8):
		return "elements of " + m.Elem.String() + " need no swizzle, or that of 128 bytes"
	case m.wide() && (m.Swizzle == SwizzleNone || m.Atom == Atom32Flip8):
		return "an im2col::w map needs a swizzle, and none that flips 8 bytes"
	case m.wide() && m.Interleave != 0:
		return "an im2col::w map has no interleave layout"
	}
	align := uint64(16)
	if m.Interleave == 2 || m.Elem.padded() {
		align = 32
	}
	if m.Addr%align != 0 {
		return "the address of the tensor, 0x" + strconv.FormatUint(m.Addr, 16) + ", is no multiple of " + strconv.FormatUint(align, 10)
	}
	for d := range m.Rank {
		switch {
		case m.Dims[d] < 1 || m.Dims[d] > 1<<32:
			return at("size", d) + " is outside 1 to 4294967296"
		case d > 0 && (m.Strides[d]%align != 0 || m.Strides[d] >= 1<<40):
			return at("stride", d) + " is " + strconv.FormatUint(m.Strides[d], 10) + " bytes, want a multiple of " + strconv.FormatUint(align, 10) + " below 2^40"
		case (d > 0 || m.Interleave != 0) && (m.Steps[d] < 1 || m.Steps[d] > 8):
			return value(at("element stride", d), m.Steps[d], "1 to 8")
		}
	}
	switch {
	case m.Elem.padded() && m.Dims[0]%128 != 0:
		return "elements of " + m.Elem.String() + " need a size[0] that is a multiple of 128"
	case m.Elem == B4x16 && m.Dims[0]%2 != 0:
		return "elements of b4x16 need a size[0] that is even"
	}
	if s := m.checkBox(); s != "" || m.Kind == Tiled {
		return s
	}
	if m.Pixels < 1 || m.Pixels > 1024 {
		return value("pixels per column", m.Pixels, "1 to 1024")
	}
	k := cornerBits[m.corners()+2]
	for i := range m.corners() {
		limit := 1 << (k - 1)
		for _, c := range [2]int{m.Lower[i], m.Upper[i]} {
			if c < -limit || c >= limit {
				return value("a corner of the bounding box", c, strconv.Itoa(-limit)+" to "+strconv.Itoa(limit-1))
			}
		}
		if m.Lower[i] > int(m.Dims[i+1])-1+m.Upper[i] {
			return "the bounding box is empty in dimension " + strconv.Itoa(i+1)
		}
	}
	return ""
}

// checkBox checks the box of a tiled map, or the channels of an im2col map.
func (m *Map) checkBox() string {
	inner := m.Channels
	if m.Kind == Tiled {
		inner = m.Box[0]
		for d := range m.Rank {
			if m.Box[d] < 1 || m.Box[d] > 256 {
				return value(at("box", d), m.Box[d], "1 to 256")
			}
		}
	}
	line := inner * m.Elem.Bits() / 8
	switch width := m.Swizzle.Bytes(); {
	case inner < 1 || inner > 256:
		return value("channels per pixel", inner, "1 to 256")
	case m.Elem.padded():
		if inner != 128 {
			return "elements of " + m.Elem.String() + " need a box[0] of 128"
		}
	case m.Interleave != 0:
	case inner*m.Elem.Bits()%128 != 0:
		return "a line of the box has " + strconv.Itoa(line) + " bytes, want a multiple of 16"
	case width != 0 && line > width:
		return "a line of the box has " + strconv.Itoa(line) + " bytes, more than the " + strconv.Itoa(width) + " of its swizzle mode"
	}
	return ""
}

// wide reports whether the map is one of im2col::w.
func (m *Map) wide() bool { return m.Kind >= Im2colW }

// at names a field of a dimension: box[1].
func at(name string, d int) string { return name + "[" + strconv.Itoa(d) + "]" }

// value says that a field is outside its range.
func value(name string, v int, want string) string {
	return name + " is " + strconv.Itoa(v) + ", want " + want
}
