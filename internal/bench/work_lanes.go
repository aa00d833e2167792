package bench

import "example.org/crosslane"

// reduceScan is the launch of a sum and a prefix sum over each warp, with n blocks.
func reduceScan(n int) *Work {
	in, out := integers(5, n*256), space[float32](n*256)
	w := line(n, crosslane.Slice("in", in), crosslane.Slice("out", out))
	w.Bytes, w.Flops = float64(n*256)*8, float64(n*256)*11
	w.Check = func() error {
		for i := range sample(len(out), 2) {
			if i%32 != 0 {
				continue
			}
			var sum, to float32
			for j := range 32 {
				sum += in[i+j]
			}
			for j := range 32 {
				to += in[i+j]
				if out[i+j] != sum+to {
					return wrong("out", i+j, out[i+j], sum+to)
				}
			}
		}
		return nil
	}
	return w
}

// shuffles is the launch of butterfly sums, or of prefix sums.
func shuffles(scan bool) func(n int) *Work {
	return func(n int) *Work {
		const rounds = 256
		out := space[float32](n * 256)
		w := line(n, crosslane.Slice("out", out), u32(rounds))
		w.Flops = float64(n*256*rounds) * 7
		w.Check = func() error {
			for i := range sample(len(out), rounds/8) {
				if i%32 != 0 {
					continue
				}
				var v [32]float32
				for l := range v {
					v[l] = float32((i + l) & 1023)
				}
				for range rounds {
					for d := 1; d < 32; d *= 2 {
						old := v
						for l := range v {
							if by := 16 / d; !scan {
								v[l] += old[l^by]
							} else if l >= d {
								v[l] += old[l-d]
							}
						}
					}
					for l := range v {
						v[l] = float32(v[l]*0.03125) + float32(l&3)
					}
				}
				for l, want := range v {
					if out[i+l] != want {
						return wrong("out", i+l, out[i+l], want)
					}
				}
			}
			return nil
		}
		return w
	}
}

// wave runs f for waves of 64 of out and compares. The lanes start with the same values as in the
// kernels of dpp.cu.
func wave(out []uint32, rounds int, f func(v *[64]uint32, round uint32)) error {
	for i := range sample(len(out), rounds/4) {
		if i%64 != 0 {
			continue
		}
		var v [64]uint32
		for l := range v {
			v[l] = (uint32(i+l) * 2654435761) >> 8
		}
		for r := range uint32(rounds) {
			f(&v, r)
		}
		for l, want := range v {
			if out[i+l] != want {
				return wrong("out", i+l, out[i+l], want)
			}
		}
	}
	return nil
}

// dppScan is the launch of repeated prefix sums over a wave with DPP, with n blocks.
func dppScan(n int) *Work {
	const rounds = 256
	out := space[uint32](n * 256)
	w := line(n, crosslane.Slice("out", out), u32(rounds))
	w.Check = func() error {
		return wave(out, rounds, func(v *[64]uint32, r uint32) {
			var sum uint32
			for l := range v {
				sum += v[l]
				v[l] = sum ^ r
			}
		})
	}
	return w
}

// bpermute is the launch of repeated permutations over a wave, through ds_permute_b32,
// ds_bpermute_b32 and swizzles, with n blocks.
func bpermute(n int) *Work {
	const rounds = 256
	out := space[uint32](n * 256)
	w := line(n, crosslane.Slice("out", out), u32(rounds))
	w.Check = func() error {
		return wave(out, rounds, func(v *[64]uint32, r uint32) {
			old := *v
			var d [64]uint32
			for l := range old {
				d[(l*5+int(r))&63] = old[l] // 5 is odd: each lane gets one value
			}
			for l := range v {
				a, b, c := old[l^32], old[old[l]&63], old[(l+int(r))&63]
				v[l] = (a + b) ^ (c + d[l]) ^ (old[l^16] + old[l^3])
			}
		})
	}
	return w
}
