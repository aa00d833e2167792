package programs

import (
	"math"
	"slices"
)

const exp2Why = "ex2.approx has an error of 2 units in the last place, and its argument is rounded"

func softmaxCases() []Case {
	w := words(50)
	const rows, n = 6, 75
	v := convert(w.floats(rows*n), func(f float32) float32 { return 5 * f })
	soft := make([]float32, 0, rows*n)
	logs := make([]float32, rows)
	for r := range rows {
		sum := 0.0
		for _, f := range v[r*n : (r+1)*n] {
			sum += math.Exp(float64(f))
		}
		logs[r] = float32(math.Log(sum))
		soft = append(soft, convert(v[r*n:(r+1)*n], func(f float32) float32 { return float32(math.Exp(float64(f)) / sum) })...)
	}
	return []Case{
		one("block", "softmax_block", x(rows), x(64), in("in", v), approx("out", soft, 3e-6, exp2Why), uint32(n)),
		one("online", "softmax_online", x(rows/2), x(64), in("in", v), approx("out", soft, 3e-6, exp2Why), uint32(n)),
		one("log", "log_sum_exp", x(1), x(rows), in("in", v), approx("out", logs, 1e-5, exp2Why+", and lg2.approx 2^-22"), uint32(n)),
	}
}

func layernormCases() []Case {
	w := words(51)
	const rows = 6
	v, gamma, beta := w.floats(rows*128), w.floats(128), w.floats(128)
	var normed []float32
	for row := range slices.Chunk(v, 128) {
		mean := treeSum(fill(32, func(l int) float32 {
			return float32(row[4*l]+row[4*l+1]) + float32(row[4*l+2]+row[4*l+3])
		})) / 128
		sq := treeSum(fill(32, func(l int) (s float32) {
			for _, f := range row[4*l : 4*l+4] {
				s = fma32(f-mean, f-mean, s)
			}
			return s
		}))
		scale := 1 / float32(math.Sqrt(float64(float32(sq/128)+1e-5)))
		for i, f := range row {
			normed = append(normed, fma32(float32(f-mean)*scale, gamma[i], beta[i]))
		}
	}
	const n = 24
	mean, variance := make([]float32, 32), make([]float64, 32)
	for r := range mean {
		m, s := 0.0, 0.0
		for i, f := range v[r*n : (r+1)*n] {
			d := float64(f) - m
			m += d / float64(i+1)
			s += float64(d * (float64(f) - m))
		}
		mean[r], variance[r] = float32(m), s/n
	}
	return []Case{
		one("warps", "layernorm", x(3), x(64), in("in", v), in("gamma", gamma), in("beta", beta), out("out", normed)),
		one("welford", "welford", x(1), x(32), in("in", v), out("mean", mean), out("var", variance), uint32(n)),
	}
}

func attentionCases() []Case {
	w := words(52)
	const n, d = 64, 16
	q, k, v := w.floats(n*d), w.floats(n*d), w.floats(n*d)
	heads := func(causal bool) []float32 {
		var all []float32
		for r := range n {
			acc, sum := make([]float64, d), 0.0
			for j := range n {
				if causal && j > r {
					continue
				}
				s := 0.0
				for i := range d {
					s += float64(q[r*d+i]) * float64(k[j*d+i])
				}
				p := math.Exp(s / math.Sqrt(d))
				sum += p
				for i := range d {
					acc[i] += p * float64(v[j*d+i])
				}
			}
			all = append(all, convert(acc, func(f float64) float32 { return float32(f / sum) })...)
		}
		return all
	}
	inputs := []any{in("q", q), in("k", k), in("v", v)}
	return []Case{
		one("full", "attention", x(2), x(32), append(slices.Clone(inputs), approx("out", heads(false), 1e-5, exp2Why+", sums of 64"), uint32(n), uint32(0))...),
		one("causal", "attention", x(2), x(32), append(slices.Clone(inputs), approx("out", heads(true), 1e-5, exp2Why+", sums of 64"), uint32(n), uint32(1))...),
	}
}
