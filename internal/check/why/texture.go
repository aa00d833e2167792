package why

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// texture follows a result of an operation of a texture or surface: to its coordinates, and for a lookup to the texels that
// it read. The bytes of a tensor copy, the result of other Tensor operations, are not followed.
func (s *slicer) texture(t *task, k int, in *ir.Inst, m lane.Mask, data Role, need *needs) {
	info := &s.h.Plan.f.Tensors[in.Imm]
	x := info.Texture
	if x == nil {
		s.end(t.node, Data, 0, m, &Node{Kind: Unknown, Name: in.Op.String()})
		return
	}
	for _, a := range in.Args[:2] {
		need.add(a, Address, m)
	}
	if x.Do == ir.TextureFetches {
		data = Address
	}
	for _, a := range info.Src {
		need.add(a, data, m)
	}
	if x.Do != ir.TextureFetches {
		return
	}
	var items []Item
	var unknown lane.Mask
	for i := range m.Lanes() {
		known := true
		value := func(r ir.Ref) uint64 {
			if r == 0 {
				return 0
			}
			v, ok := s.eval(t, k, r, i)
			known = known && ok
			return v
		}
		taps, size, ok := sim.Texels(s.h.mem, x, value(in.Args[1]), value(in.Args[0]), func(j int) uint32 {
			if j >= len(info.Src) {
				return 0
			}
			return uint32(value(info.Src[j]))
		})
		if !ok || !known {
			unknown |= lane.Lane(i)
			continue
		}
		for _, tap := range taps {
			if tap.In {
				items = append(items, Item{Lane: i, Addr: tap.Addr, Size: size})
			}
		}
	}
	if unknown != 0 {
		s.end(t.node, Memory, 0, unknown, &Node{Kind: Unknown, Name: "texels whose coordinates are computed from memory"})
	}
	s.load(t, ir.Global, items, t.time)
}
