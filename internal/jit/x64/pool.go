package x64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Const is a constant of the pool: Bits, repeated to Len bytes, a power of two up to 64; or
// Data.
type Const struct {
	Bits uint64
	Size uint8 // bytes of Bits that are repeated: 1, 2, 4 or 8; 0: use Data
	Len  uint8
	Data []byte
}

// maxConst is the Len of the longest constant, and the alignment of the pool.
const maxConst = 64

// append appends the constant's bytes to b.
func (c *Const) append(b []byte) ([]byte, error) {
	if c.Len == 0 || c.Len > maxConst || c.Len&(c.Len-1) != 0 {
		return nil, fmt.Errorf("constant of %d bytes: lengths are powers of two up to %d", c.Len, maxConst)
	}
	// Data is copied as it is.
	switch {
	case c.Size == 0:
		if len(c.Data) != int(c.Len) {
			return nil, fmt.Errorf("constant of %d bytes has data of %d", c.Len, len(c.Data))
		}
		return append(b, c.Data...), nil
	case c.Size > 8 || c.Size&(c.Size-1) != 0 || c.Size > c.Len:
		return nil, fmt.Errorf("constant of %d bytes repeats %d", c.Len, c.Size)
	}
	// Repeat the element until the length is reached.
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], c.Bits)
	for range c.Len / c.Size {
		b = append(b, w[:c.Size]...)
	}
	return b, nil
}

// A poolItem is a constant that the code uses.
type poolItem struct {
	index    int32 // in the caller's pool
	from, to int32 // its bytes in Assembler.poolBytes
}

// layPool appends the constants that the code uses, and sets their a.poolAt. The longest come
// first, so that all are aligned without padding; equal constants share their bytes.
func (a *Assembler) layPool(out []byte, pool []Const) ([]byte, error) {
	a.items, a.poolBytes = a.items[:0], a.poolBytes[:0]
	for i := range pool {
		if a.poolAt[i] < 0 {
			continue
		}
		// The bytes of all constants are collected first, to compare them.
		from := len(a.poolBytes)
		b, err := pool[i].append(a.poolBytes)
		if err != nil {
			return nil, fmt.Errorf("constant %d of the pool: %w", i, err)
		}
		a.poolBytes = b
		a.items = append(a.items, poolItem{int32(i), int32(from), int32(len(b))})
	}
	if len(a.items) == 0 {
		return out, nil
	}
	// Sort by falling length, then by content, so that equal constants are neighbours; the
	// index makes the order deterministic.
	slices.SortFunc(a.items, func(x, y poolItem) int {
		if c := (y.to - y.from) - (x.to - x.from); c != 0 {
			return int(c)
		}
		if c := bytes.Compare(a.poolBytes[x.from:x.to], a.poolBytes[y.from:y.to]); c != 0 {
			return c
		}
		return int(x.index - y.index)
	})
	for len(out)%maxConst != 0 {
		out = append(out, 0xCC) // int3: a jump into data stops
	}
	for i, it := range a.items {
		b := a.poolBytes[it.from:it.to]
		if i > 0 {
			// An equal constant is already in the pool.
			if last := a.items[i-1]; bytes.Equal(b, a.poolBytes[last.from:last.to]) {
				a.poolAt[it.index] = a.poolAt[last.index]
				continue
			}
		}
		a.poolAt[it.index] = int32(len(out))
		out = append(out, b...)
	}
	return out, nil
}
