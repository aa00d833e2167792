package programs

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Programs in hand for GCN3.

func streamCases() []Case {
	w := words(200)
	const n, a = 2 * 512, float32(1.7)
	v, u := w.floats(n), w.floats(n)
	sums := fill(n, func(i int) float32 { return float32(a*v[i]) + u[i] })
	return []Case{one("two waves", "stream", x(2), x(64), in("x", v), &Buffer{Name: "y", Data: u, Want: sums}, uint32(4*n), a)}
}

func threeScansCases() []Case {
	w := words(201)
	const n = 3 * 64
	v := w.u32s(n)
	sums, least := make([]uint32, n), make([]uint32, n)
	most := make([]int32, n)
	last := make([]uint32, 3)
	for i, e := range v {
		sums[i], most[i], least[i] = e, int32(e), e
		if i%64 > 0 {
			sums[i] += sums[i-1]
			most[i], least[i] = max(most[i], most[i-1]), min(least[i], least[i-1])
		}
		last[i/64] = (sums[i] + uint32(most[i])) ^ least[i]
	}
	return []Case{one("three waves", "three_scans", x(3), x(64), in("in", v), out("sum", sums), out("max", most), out("min", least), out("last", last), uint32(4*n))}
}

func sgemmCases() []Case {
	w := words(202)
	const m, n, k = 64, 128, 24
	a, b := w.floats(k*m), w.floats(k*n) // a by columns
	c := fill(m*n, func(i int) (s float32) {
		for j := range k {
			s += float32(a[j*m+i/n] * b[j*n+i%n])
		}
		return s
	})
	return []Case{one("two tiles", "sgemm", xy(n/64, m/64), x(256), in("a", a), in("b", b), out("c", c), uint32(m), uint32(n), uint32(k))}
}

func sha256BlockCases() []Case {
	w := words(203)
	const n = 100 // the last lanes have no block
	var blocks, digests []uint32
	for i := range n {
		m := w.bytes(i % 56)
		d := sha256.Sum256(m)
		block := append(m, 0x80)
		block = append(block, make([]byte, 56-len(block))...)
		block = binary.BigEndian.AppendUint64(block, uint64(i%56*8))
		for j := range 16 {
			blocks = append(blocks, binary.LittleEndian.Uint32(block[4*j:]))
		}
		for j := range 8 {
			digests = append(digests, binary.BigEndian.Uint32(d[4*j:]))
		}
	}
	return []Case{one("a hundred", "sha256_block", x(2), x(64), in("blocks", blocks), out("digests", digests), uint32(n))}
}

func digitRanksCases() []Case {
	w := words(204)
	const n = 3 * 64
	keys := fill(n, func(int) uint32 { return uint32(w.next()) & 0xffff37ff })
	counts := make([]uint32, 256)
	for _, k := range keys {
		counts[k>>8&0xff]++
	}
	// Which of the lanes with the same digit is first the hardware does not say.
	ranks := &Buffer{Name: "ranks", Data: constant(n, ^uint32(0)), Check: func(got any) error {
		seen := map[[3]uint32]bool{}
		for i, r := range got.([]uint32) {
			seen[[3]uint32{uint32(i / 64), keys[i] >> 8 & 0xff, r}] = true
		}
		for i, k := range keys {
			g, d := uint32(i/64), k>>8&0xff
			size := uint32(0)
			for _, o := range keys[g*64 : g*64+64] {
				if o>>8&0xff == d {
					size++
				}
			}
			for r := range size {
				if !seen[[3]uint32{g, d, r}] {
					return fmt.Errorf("no key of work-group %d with digit %#x has rank %d", g, d, r)
				}
			}
		}
		if len(seen) != n {
			return fmt.Errorf("%d ranks for %d keys", len(seen), n)
		}
		return nil
	}}
	return []Case{one("three waves", "digit_ranks", x(3), x(64), in("keys", keys), ranks, out("counts", counts), uint32(4*n))}
}

func tapsCases() []Case {
	w := words(205)
	const n = 150 // the last lanes have no element
	v, weights := w.floats(n), w.floats(7)
	sums := fill(n, func(i int) (s float32) {
		for j, t := range weights {
			if at := i + j - 3; at >= 0 && at < n {
				s += float32(t * v[at])
			} else {
				s += float32(t * 0)
			}
		}
		return s
	})
	// s_buffer_load_dwordx8 reads an eighth weight, beyond the descriptor's bounds.
	return []Case{one("three waves", "taps", x(3), x(64), in("in", v), in("weights", weights), out("out", sums), uint32(4*n))}
}

func blendCases() []Case {
	w := words(206)
	const n = 90
	over, under := w.u32s(n), w.u32s(n)
	mixed := fill(n, func(i int) (p uint32) {
		alpha := over[i] >> 24
		for k := 0; k < 32; k += 8 {
			p |= (over[i]>>k&0xff*alpha + under[i]>>k&0xff*(255-alpha)) >> 8 & 0xff << k
		}
		return p
	})
	return []Case{one("two waves", "blend", x(2), x(64), in("over", over), in("under", under), out("out", mixed), uint32(4*n))}
}
