package lane_test

import (
	"testing"

	"example.org/crosslane/lane"
)

func BenchmarkShflUniform(b *testing.B) {
	for b.Loop() {
		m, p := lane.ShflUniform(lane.ShflBfly, 4, 31, 0xffffffff, 0xffffffff)
		_, _ = m, p
	}
}

func BenchmarkShflVarying(b *testing.B) {
	var bs, cs [32]uint32
	for i := range bs {
		bs[i], cs[i] = uint32(i*7), 31
	}
	for b.Loop() {
		m, p := lane.ShflVarying(lane.ShflIdx, &bs, &cs, 0xffffffff, 0xffffffff)
		_, _ = m, p
	}
}

func BenchmarkDPP(b *testing.B) {
	for b.Loop() {
		m, err := lane.DPP(lane.DPPRowShr0+1, 15, 15, false, ^lane.Mask(0))
		_, _ = m, err
	}
}

func BenchmarkDSSwizzle(b *testing.B) {
	for b.Loop() {
		_ = lane.DSSwizzle(0x401f, ^lane.Mask(0))
	}
}

func BenchmarkDSBpermute(b *testing.B) {
	var addr [64]uint32
	for i := range addr {
		addr[i] = uint32(i * 28)
	}
	for b.Loop() {
		_ = lane.DSBpermute(&addr, 0, ^lane.Mask(0))
	}
}

func BenchmarkDSPermute(b *testing.B) {
	var addr [64]uint32
	for i := range addr {
		addr[i] = uint32(i * 28)
	}
	for b.Loop() {
		_ = lane.DSPermute(&addr, 0, ^lane.Mask(0))
	}
}

func BenchmarkApply32(b *testing.B) {
	m, _ := lane.Shfl(lane.ShflBfly, 16, 31, 0xffffffff)
	var r [64]uint32
	for b.Loop() {
		m.Apply32(&r, &r, nil)
	}
}

func BenchmarkApplySlice(b *testing.B) {
	m, _ := lane.Shfl(lane.ShflBfly, 16, 31, 0xffffffff)
	r := make([]uint32, 32)
	for b.Loop() {
		lane.Apply(&m, r, r, nil)
	}
}
