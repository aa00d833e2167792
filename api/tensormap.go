package api

import (
	"fmt"

	"example.org/crosslane/internal/tensormap"
)

// A TensorMap describes a tensor map of PTX, which copies through tensor maps use. Lists are by dimension, the innermost first.
// TensorMap.Bytes makes the argument: a structure of 128 bytes that a kernel takes as a parameter or by its address.
type TensorMap struct {
	Tensor  Pointer  // the first element
	Elem    string   // the type of the elements: "u8", "u16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64", "tf32" …
	Dims    []uint64 // the sizes, in elements: 1 to 5 of them
	Strides []uint64 // bytes, of the dimensions from 1 on; nil: the tensor is dense
	Box     []int    // elements, of a tiled map
	Steps   []int    // element strides; nil: 1
	Swizzle string   // "", "32B", "64B", "128B", "96B", or "128B" with its atoms: "128B/32B", "128B/32B+8B", "128B/64B"
	NaN     bool     // fill with OOB-NaN what is outside the tensor, not with zeros
	L2      int      // promotion to L2 in bytes: 0, 64, 128 or 256; it has no effect
	// Mode is "" (tile), "im2col", "im2col::w" or "im2col::w::128". The im2col modes have a bounding box with its corners
	// in W, H and D, and numbers of channels and pixels, in place of Box.
	Mode             string
	Lower, Upper     []int
	Channels, Pixels int
}

// swizzles are the swizzle modes and atomicities by name.
var swizzles = map[string]struct {
	mode tensormap.Swizzle
	atom tensormap.Atom
}{
	"": {}, "none": {}, "32B": {mode: tensormap.Swizzle32}, "64B": {mode: tensormap.Swizzle64}, "96B": {mode: tensormap.Swizzle96},
	"128B": {mode: tensormap.Swizzle128}, "128B/32B": {tensormap.Swizzle128, tensormap.Atom32}, "128B/32B+8B": {tensormap.Swizzle128, tensormap.Atom32Flip8},
	"128B/64B": {tensormap.Swizzle128, tensormap.Atom64},
}

// Bytes makes the argument. A field that is out of its range is an error of the launch that is given the argument (Bytes.Err).
func (t TensorMap) Bytes() Bytes {
	m, err := t.encode()
	if err != nil {
		return Bytes{err: fmt.Errorf("tensor map: %w", err)}
	}
	words := m.Encode()
	return Struct(Aligned(64, Struct(t.Tensor, words[8:])))
}

// encode makes the map. Its address is that of an aligned tensor, because only the launch knows it.
func (t TensorMap) encode() (m tensormap.Map, err error) {
	elem, ok := tensormap.ParseElem(t.Elem)
	swizzle, known := swizzles[t.Swizzle]
	mode, isMode := map[string]tensormap.Kind{"": tensormap.Tiled, "tile": tensormap.Tiled, "im2col": tensormap.Im2col,
		"im2col::w": tensormap.Im2colW, "im2col::w::128": tensormap.Im2colW128}[t.Mode]
	l2, isL2 := map[int]uint8{0: 0, 64: 1, 128: 2, 256: 3}[t.L2]
	rank := len(t.Dims)
	switch {
	case t.Tensor.To == nil:
		return m, fmt.Errorf("there is no buffer")
	case !ok:
		return m, fmt.Errorf("%q is no element type of tensor maps", t.Elem)
	case !known:
		return m, fmt.Errorf("%q is no swizzle (known: none, 32B, 64B, 96B, 128B, 128B/32B, 128B/32B+8B, 128B/64B)", t.Swizzle)
	case !isMode:
		return m, fmt.Errorf("%q is no mode (known: tile, im2col, im2col::w, im2col::w::128)", t.Mode)
	case !isL2:
		return m, fmt.Errorf("the promotion to L2 is %d bytes, want 0, 64, 128 or 256", t.L2)
	case rank < 1 || rank > tensormap.MaxRank:
		return m, fmt.Errorf("there are %d sizes, want 1 to %d", rank, tensormap.MaxRank)
	case t.Strides != nil && len(t.Strides) != rank-1:
		return m, fmt.Errorf("there are %d strides, want %d: one for each dimension from 1 on", len(t.Strides), rank-1)
	case mode == tensormap.Tiled && len(t.Box) != rank:
		return m, fmt.Errorf("the box has %d dimensions, and the tensor %d", len(t.Box), rank)
	case t.Steps != nil && len(t.Steps) != rank:
		return m, fmt.Errorf("there are %d element strides, want %d", len(t.Steps), rank)
	}
	corners := 0
	switch mode {
	case tensormap.Im2col:
		corners = max(rank-2, 0)
	case tensormap.Im2colW, tensormap.Im2colW128:
		corners = 1
	}
	if len(t.Lower) != corners || len(t.Upper) != corners {
		return m, fmt.Errorf("the corners have %d and %d numbers, want %d each", len(t.Lower), len(t.Upper), corners)
	}
	m = tensormap.Map{Kind: mode, Elem: elem, Rank: rank, Swizzle: swizzle.mode, Atom: swizzle.atom, NaN: t.NaN, L2: l2, Channels: t.Channels, Pixels: t.Pixels}
	copy(m.Dims[:], t.Dims)
	copy(m.Box[:], t.Box)
	copy(m.Lower[:], t.Lower)
	copy(m.Upper[:], t.Upper)
	next := t.Dims[0] * uint64(elem.Bits()) / 8
	for d := range rank {
		m.Steps[d] = 1
		if t.Steps != nil {
			m.Steps[d] = t.Steps[d]
		}
		if d > 0 {
			m.Strides[d] = next
			if t.Strides != nil {
				m.Strides[d] = t.Strides[d-1]
			}
			next = m.Strides[d] * t.Dims[d]
		}
	}
	if why := m.Check(); why != "" {
		return m, fmt.Errorf("%s", why)
	}
	return m, nil
}
