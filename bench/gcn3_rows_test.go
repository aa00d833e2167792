package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/amdgpu"
)

// rowSetup gives values of every type to the registers that rowOperand names.
const rowSetup = `  v_cvt_f64_u32 v[10:11], v0
  v_mov_b32 v12, 0
  v_mov_b32 v13, 0x3ff80000
  v_cvt_f16_u16 v14, v0
  v_mov_b32 v15, 0x3e00
  v_mov_b32 v16, 0
  v_mov_b32 v17, 3
  v_mov_b32 v18, 5
  v_mov_b32 v19, 0
  v_mov_b32 v24, 1
  v_mov_b32 v25, 1
  s_mov_b32 s8, 0x55555555
  s_mov_b32 s9, 0x33333333
`

// rowOperand is an operand for a benchmark: the n-th source, or a destination.
func rowOperand(s *amdgpu.Spec, n int) string {
	wide := s.Type.Dwords() == 2
	switch s.Kind {
	case amdgpu.ClassSMask:
		return "vcc"
	case amdgpu.ClassLit:
		if s.Type == amdgpu.F16 {
			return "0x3e12"
		}
		return "0x3f123456"
	case amdgpu.ClassSDst:
		return "s10"
	case amdgpu.ClassLane:
		return "3"
	case amdgpu.ClassVGPR, amdgpu.ClassSrc:
	default:
		return ""
	}
	switch {
	case s.Dst && s.Type.Dwords() == 4:
		return "v[20:23]"
	case s.Dst && wide:
		return "v[20:21]"
	case s.Dst:
		return "v20"
	case s.Type == amdgpu.F64:
		return []string{"v[10:11]", "v[12:13]", "v[12:13]"}[n]
	case s.Type.Dwords() == 4:
		return "v[16:19]"
	case wide:
		return []string{"v[16:17]", "v[18:19]", "v[16:17]"}[n]
	case s.Type == amdgpu.F16:
		return []string{"v14", "v15", "v14"}[n]
	case s.Type == amdgpu.F32:
		return []string{"v6", "v7", "v6"}[n]
	}
	return []string{"v8", "v5", "v8"}[n]
}

// rowText is an instruction of the row in an encoding; "" if there is none.
func rowText(r *amdgpu.Row, e amdgpu.Enc) string {
	if !r.Encs.Has(e) || r.Sem == nil {
		return ""
	}
	var ops []string
	n := 0
	for i := range r.Operands {
		s := &r.Operands[i]
		o := rowOperand(s, n)
		if o == "" {
			return ""
		}
		if !s.Dst && s.Kind != amdgpu.ClassSMask && s.Kind != amdgpu.ClassLit {
			n++
		}
		ops = append(ops, o)
	}
	text := r.Name
	switch e {
	case amdgpu.EncDPP:
		text += "_dpp"
	case amdgpu.EncSDWA:
		text += "_sdwa"
	case amdgpu.E64:
		text += "_e64"
	}
	text += " " + strings.Join(ops, ", ")
	switch e {
	case amdgpu.EncDPP:
		text += " row_shr:1"
	case amdgpu.EncSDWA:
		if r.Format != amdgpu.VOPC && !r.Flags.Has(amdgpu.FlagTied) {
			text += " dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE"
		}
		text += " src0_sel:WORD_1"
		if n > 1 {
			text += " src1_sel:WORD_0"
		}
	}
	return text
}

// BenchmarkGCN3Rows measures every vector instruction that runs in 64 lanes, plain,
// with DPP and with SDWA, and prints the slowest. The figures of v_cmpx are with the
// s_mov_b64 that sets EXEC anew.
func BenchmarkGCN3Rows(b *testing.B) {
	type figure struct {
		text string
		ns   float64
	}
	for _, c := range []struct {
		name  string
		enc   amdgpu.Enc
		setup string
	}{{"plain", amdgpu.E32, ""}, {"half of EXEC", amdgpu.E32, "  s_mov_b32 exec_lo, 0x0f0f0f0f\n  s_mov_b32 exec_hi, exec_lo\n"}, {"dpp", amdgpu.EncDPP, ""}, {"sdwa", amdgpu.EncSDWA, ""}} {
		b.Run(c.name, func(b *testing.B) {
			var list []figure
			var sum float64
			for b.Loop() {
				list, sum = nil, 0
				for _, r := range amdgpu.Rows() {
					switch r.Format {
					case amdgpu.VOP1, amdgpu.VOP2, amdgpu.VOPC, amdgpu.VOP3A, amdgpu.VOP3B:
					default:
						continue
					}
					text := rowText(r, c.enc)
					if text == "" || r.Flags.Has(amdgpu.FlagIndirect) {
						continue
					}
					if r.Flags.Has(amdgpu.FlagWritesExec) {
						if c.setup != "" {
							continue
						}
						text += "\n  s_mov_b64 exec, -1"
					}
					ns := quick(b, gcn3Kernel(rowSetup+c.setup, text))
					list = append(list, figure{text, ns})
					sum += ns
				}
			}
			slices.SortFunc(list, func(x, y figure) int { return int(1000 * (y.ns - x.ns)) })
			var t strings.Builder
			for _, f := range list[:min(60, len(list))] {
				fmt.Fprintf(&t, "%7.1f  %s\n", f.ns, strings.ReplaceAll(f.text, "\n", ";"))
			}
			slow := 0
			for _, f := range list {
				if f.ns > 40 {
					slow++
				}
			}
			fmt.Printf("%s: %d instructions, %.1f ns each, %d beyond 40 ns; the slowest:\n%s", c.name, len(list), sum/float64(len(list)), slow, t.String())
			b.ReportMetric(sum/float64(len(list)), "ns/wave-instr")
		})
	}
}

// quick is the least of a few short measurements, in ns per wave instruction: of processor
// time, where it is known.
func quick(b *testing.B, src string) float64 {
	b.Helper()
	k := load(b, src, "bench.s", crosslane.GCN3)
	out := make([]uint32, 64)
	l := crosslane.Launch{Block: crosslane.Dim3{X: 64}, Workers: 1, Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Typed(crosslane.U32, 100)}}
	best := 0.0
	for i := range 6 {
		at, cpu := time.Now(), cpuTime()
		r, err := k.Run(context.Background(), l)
		if err != nil {
			b.Fatalf("%v\n%s", err, src)
		}
		took := time.Since(at)
		if cpu = cpuTime() - cpu; cpu > 0 {
			took = time.Duration(cpu)
		}
		ns := float64(took.Nanoseconds()) / float64(r.Stats.WarpInstructions)
		if i > 0 && (best == 0 || ns < best) {
			best = ns
		}
	}
	return best
}
