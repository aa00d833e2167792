package recording_test

import (
	"context"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/recording"
	"example.org/crosslane/internal/session"
)

// loops are the bodies of loops of 2,000 rounds: arithmetic, exchanges between lanes, and memory.
var loops = map[string]string{
	"alu":    "mad.lo.u32 %r2, %r2, 5, %r1;\nxor.b32 %r3, %r2, %r1;\nshl.b32 %r4, %r3, 3;\nadd.u32 %r2, %r2, %r4;",
	"shfl":   "shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;\nadd.u32 %r2, %r2, %r3;\nshfl.sync.bfly.b32 %r3, %r2, 8, 31, -1;\nadd.u32 %r2, %r2, %r3;",
	"memory": "ld.global.u32 %r3, [%d1];\nadd.u32 %r2, %r3, %r2;\nst.global.u32 [%d1], %r2;\nst.shared.u32 [%r5], %r2;\nld.shared.u32 %r4, [%r5];",
}

// BenchmarkRecord gives nanoseconds and bytes of the record for an instruction of a warp.
func BenchmarkRecord(b *testing.B) {
	for _, name := range []string{"alu", "shfl", "memory"} {
		b.Run(name, func(b *testing.B) {
			src := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\n.reg .pred %p;\n.shared .align 4 .b8 s[1024];\n" +
				"ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nmov.u32 %r5, s;\nmad.lo.u32 %r5, %r1, 4, %r5;\nmov.u32 %r6, 0;\nmov.u32 %r2, %r1;\nL:\n" +
				loops[name] + "\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p, %r6, 2000;\n@%p bra L;\nst.global.u32 [%d1], %r2;\nret;\n}\n"
			m, err := session.Load([]byte(src), "k.ptx", api.PTX)
			if err != nil {
				b.Fatal(err)
			}
			k, err := m.Kernel("k")
			if err != nil {
				b.Fatal(err)
			}
			l := api.Launch{Block: api.Dim3{X: 256}, Args: []api.Arg{api.Slice("p", make([]uint32, 256))}}
			var steps int
			var bytes int64
			for b.Loop() {
				r, err := recording.Record(context.Background(), k, l, api.RecordOptions{})
				if err != nil {
					b.Fatal(err)
				}
				i := r.Info()
				steps, bytes = i.Total, i.Bytes
				if i.Full {
					b.Fatal("the record is full")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(steps), "ns/step")
			b.ReportMetric(float64(bytes)/float64(steps), "bytes/step")
			b.ReportMetric(float64(steps), "steps")
		})
	}
}
