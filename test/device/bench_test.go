package device_test

import (
	"encoding/binary"
	"testing"

	"example.org/crosslane"
)

// BenchmarkLaunch is a launch of one warp of a warmed kernel, with a parameter block.
func BenchmarkLaunch(b *testing.B) {
	for _, bench := range []struct {
		name string
		o    crosslane.DeviceOptions
	}{{"plain", crosslane.DeviceOptions{}}, {"check", crosslane.DeviceOptions{Check: true}}} {
		b.Run(bench.name, func(b *testing.B) {
			h := newHost(b, bench.o)
			p := h.alloc("data", 128)
			block := binary.LittleEndian.AppendUint64(nil, uint64(p))
			block = binary.LittleEndian.AppendUint32(block, 32)
			block = binary.LittleEndian.AppendUint32(block, 9)
			k, s := h.kernel("fill"), h.DefaultStream()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Launch(ctx, k, crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Params: block}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
