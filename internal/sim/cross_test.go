package sim

import (
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// TestTables checks that the tables move the lanes that the maps of package lane name, in place too.
func TestTables(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	compare := func(what string, mp lane.Map, src, dst *[64]uint32, got func(dst, src *[64]uint32)) {
		for _, same := range []bool{false, true} {
			want, have, in := *dst, *dst, *src
			from := &in
			if same {
				want, have = *src, *src
				from = &have
			}
			ApplyMap(&mp, &want, src)
			got(&have, from)
			if have != want {
				t.Fatalf("%s, same %v: %v, want %v", what, same, have, want)
			}
		}
	}
	for n := range 4000 {
		exec := lane.Mask(r.Uint64() | r.Uint64())
		if n%2 == 0 {
			exec = ^lane.Mask(0)
		}
		var src, dst, addr [64]uint32
		for i := range 64 {
			src[i], dst[i], addr[i] = r.Uint32(), r.Uint32(), r.Uint32()
		}
		pattern, off := uint16(r.Uint32()), r.Uint32()
		compare("swizzle", lane.DSSwizzle(pattern, exec), &src, &dst, func(d, s *[64]uint32) { NewSwizzleTable(pattern).Apply(d, s, exec) })
		compare("bpermute", lane.DSBpermute(&addr, off, exec), &src, &dst, func(d, s *[64]uint32) { Bpermute(d, s, &addr, off, exec) })
		ctrl := []uint16{uint16(r.IntN(256)), uint16(0x101 + r.IntN(15)), uint16(0x111 + r.IntN(15)), uint16(0x121 + r.IntN(15)), 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143}[r.IntN(12)]
		mp := lane.NewMap(64)
		for i := range 64 {
			mp.Src[i] = lane.Zero
			if j, ok := lane.DPPSource(lane.DPPCtrl(ctrl), i); ok && exec.Has(j) {
				mp.Src[i] = lane.Source(j)
			}
		}
		compare("dpp", mp, &src, &dst, func(d, s *[64]uint32) { NewDPPTable(ir.DPPImm(ctrl, 15, 15, true)).Read(d, s, exec) })
	}
}
