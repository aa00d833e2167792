package amdgpu

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// scalarRef computes a scalar instruction: s are the sources, d the old
// destination, scc the old SCC. keep says that SCC does not change.
type scalarRef func(s []uint64, d uint64, scc bool) (v uint64, newSCC, keep bool)

func scalarRefs() map[string]scalarRef {
	m := map[string]scalarRef{}
	plain := func(name string, f func(s []uint64) uint64) {
		m[name] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { return f(s), false, true }
	}
	m["s_add_u32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { v := s[0] + s[1]; return v, v>>32 != 0, false }
	m["s_sub_u32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { return s[0] - s[1], s[0] < s[1], false }
	m["s_addc_u32"] = func(s []uint64, _ uint64, c bool) (uint64, bool, bool) {
		v := s[0] + s[1] + b2u(c)
		return v, v>>32 != 0, false
	}
	m["s_subb_u32"] = func(s []uint64, _ uint64, c bool) (uint64, bool, bool) {
		return s[0] - s[1] - b2u(c), s[0] < s[1]+b2u(c), false
	}
	over := func(v int64) bool { return v < math.MinInt32 || v > math.MaxInt32 }
	m["s_add_i32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) {
		v := sext(s[0], 32) + sext(s[1], 32)
		return uint64(v), over(v), false
	}
	m["s_sub_i32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) {
		v := sext(s[0], 32) - sext(s[1], 32)
		return uint64(v), over(v), false
	}
	m["s_addk_i32"] = func(s []uint64, d uint64, _ bool) (uint64, bool, bool) {
		v := sext(d, 32) + sext(s[0], 16)
		return uint64(v), over(v), false
	}
	plain("s_movk_i32", func(s []uint64) uint64 { return uint64(sext(s[0], 16)) })
	m["s_mulk_i32"] = func(s []uint64, d uint64, _ bool) (uint64, bool, bool) {
		return uint64(sext(d, 32) * sext(s[0], 16)), false, true
	}
	m["s_cmovk_i32"] = func(s []uint64, d uint64, c bool) (uint64, bool, bool) {
		if c {
			d = uint64(sext(s[0], 16))
		}
		return d, false, true
	}
	plain("s_mul_i32", func(s []uint64) uint64 { return s[0] * s[1] })
	m["s_absdiff_i32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) {
		v := int32(s[0]) - int32(s[1])
		if v < 0 {
			v = -v
		}
		return uint64(uint32(v)), v != 0, false
	}
	m["s_abs_i32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) {
		v := int32(s[0])
		if v < 0 {
			v = -v
		}
		return uint64(uint32(v)), v != 0, false
	}
	m["s_min_i32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) {
		return uint64(min(sext(s[0], 32), sext(s[1], 32))), sext(s[0], 32) < sext(s[1], 32), false
	}
	m["s_max_i32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) {
		return uint64(max(sext(s[0], 32), sext(s[1], 32))), sext(s[0], 32) > sext(s[1], 32), false
	}
	m["s_min_u32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { return min(s[0], s[1]), s[0] < s[1], false }
	m["s_max_u32"] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { return max(s[0], s[1]), s[0] > s[1], false }
	plain("s_sext_i32_i8", func(s []uint64) uint64 { return uint64(sext(s[0], 8)) })
	plain("s_sext_i32_i16", func(s []uint64) uint64 { return uint64(sext(s[0], 16)) })
	plain("s_flbit_i32", func(s []uint64) uint64 { return leading(s[0], s[0]>>31&1) })
	plain("s_flbit_i32_i64", func(s []uint64) uint64 {
		for i := 63; i >= 0; i-- {
			if s[0]>>i&1 != s[0]>>63 {
				return uint64(63 - i)
			}
		}
		return 0xffffffff
	})
	for _, w := range []uint64{32, 64} {
		suffix, all := "32", uint64(math.MaxUint32)
		if w == 64 {
			suffix, all = "64", math.MaxUint64
		}
		nz := func(name string, f func(s []uint64) uint64) {
			m[name+suffix] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { v := f(s) & all; return v, v != 0, false }
		}
		for op, f := range map[string]func(a, b uint64) uint64{
			"and": func(a, b uint64) uint64 { return a & b }, "or": func(a, b uint64) uint64 { return a | b }, "xor": func(a, b uint64) uint64 { return a ^ b },
			"andn2": func(a, b uint64) uint64 { return a &^ b }, "orn2": func(a, b uint64) uint64 { return a | ^b }, "nand": func(a, b uint64) uint64 { return ^(a & b) },
			"nor": func(a, b uint64) uint64 { return ^(a | b) }, "xnor": func(a, b uint64) uint64 { return ^(a ^ b) },
		} {
			nz("s_"+op+"_b", func(s []uint64) uint64 { return f(s[0], s[1]) })
		}
		nz("s_not_b", func(s []uint64) uint64 { return ^s[0] })
		nz("s_lshl_b", func(s []uint64) uint64 { return s[0] << (s[1] & (w - 1)) })
		nz("s_lshr_b", func(s []uint64) uint64 { return s[0] >> (s[1] & (w - 1)) })
		nz("s_ashr_i", func(s []uint64) uint64 { return uint64(sext(s[0], uint(w)) >> (s[1] & (w - 1))) })
		field := func(s []uint64) (off, n uint64) {
			off, n = s[1]&(w-1), s[1]>>16&0x7f
			return off, min(n, w-off)
		}
		nz("s_bfe_u", func(s []uint64) uint64 {
			off, n := field(s)
			if n == 0 {
				return 0
			}
			return s[0] << (64 - off - n) >> (64 - n)
		})
		nz("s_bfe_i", func(s []uint64) uint64 {
			off, n := field(s)
			if n == 0 {
				return 0
			}
			return uint64(int64(s[0]<<(64-off-n)) >> (64 - n))
		})
		nz("s_wqm_b", func(s []uint64) uint64 {
			var r uint64
			for i := uint64(0); i < w; i += 4 {
				if s[0]>>i&15 != 0 {
					r |= 15 << i
				}
			}
			return r
		})
		nz("s_quadmask_b", func(s []uint64) uint64 {
			var r uint64
			for i := uint64(0); i < w; i += 4 {
				r |= b2u(s[0]>>i&15 != 0) << (i / 4)
			}
			return r
		})
		count := func(name string, f func(s []uint64) uint64) {
			m[name] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { v := f(s); return v, v != 0, false }
		}
		count("s_bcnt1_i32_b"+suffix, func(s []uint64) uint64 { return uint64(bits.OnesCount64(s[0])) })
		count("s_bcnt0_i32_b"+suffix, func(s []uint64) uint64 { return w - uint64(bits.OnesCount64(s[0])) })
		find := func(x uint64) uint64 {
			for i := range w {
				if x>>i&1 != 0 {
					return i
				}
			}
			return 0xffffffff
		}
		plain("s_ff1_i32_b"+suffix, func(s []uint64) uint64 { return find(s[0]) })
		plain("s_ff0_i32_b"+suffix, func(s []uint64) uint64 { return find(^s[0]) })
		plain("s_flbit_i32_b"+suffix, func(s []uint64) uint64 {
			for i := range w {
				if s[0]>>(w-1-i)&1 != 0 {
					return i
				}
			}
			return 0xffffffff
		})
		plain("s_brev_b"+suffix, func(s []uint64) uint64 { return bits.Reverse64(s[0]) >> (64 - w) })
		plain("s_mov_b"+suffix, func(s []uint64) uint64 { return s[0] })
		plain("s_bfm_b"+suffix, func(s []uint64) uint64 { return (1<<(s[0]&(w-1)) - 1) << (s[1] & (w - 1)) })
		m["s_cmov_b"+suffix] = func(s []uint64, d uint64, c bool) (uint64, bool, bool) {
			if c {
				d = s[0]
			}
			return d, false, true
		}
		m["s_cselect_b"+suffix] = func(s []uint64, _ uint64, c bool) (uint64, bool, bool) {
			if c {
				return s[0], false, true
			}
			return s[1], false, true
		}
		m["s_bitset1_b"+suffix] = func(s []uint64, d uint64, _ bool) (uint64, bool, bool) { return d | 1<<(s[0]&(w-1)), false, true }
		m["s_bitset0_b"+suffix] = func(s []uint64, d uint64, _ bool) (uint64, bool, bool) {
			return d &^ (1 << (s[0] & (w - 1))), false, true
		}
		m["s_bitcmp1_b"+suffix] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { return 0, s[0]>>(s[1]&(w-1))&1 == 1, false }
		m["s_bitcmp0_b"+suffix] = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) { return 0, s[0]>>(s[1]&(w-1))&1 == 0, false }
	}
	return m
}

// TestSALU compares every scalar instruction with its transcription.
func TestSALU(t *testing.T) {
	t.Parallel()
	refs := scalarRefs()
	for _, row := range Rows() {
		if row.Unit != UnitSALU || row.Sem == nil || row.Name == "s_getpc_b64" || row.GPRIdx != IdxNone || row.Flags.Has(FlagIndirect) || (row.Reads|row.Writes)&Mode != 0 {
			continue
		}
		fn := refs[row.Name]
		if op, ok := strings.CutSuffix(row.Name, "_saveexec_b64"); ok {
			fn = refs[op+"_b64"]
		}
		if name := row.Name; fn == nil && strings.HasPrefix(name, "s_cmp") {
			fn = func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) {
				p := strings.Split(name, "_")
				a, b := s[0], s[1]
				if p[2+0] == "" {
					panic(name)
				}
				if p[1] == "cmpk" && p[3] == "i32" {
					b = uint64(uint32(sext(b, 16)))
				}
				if p[3] == "i32" { // maps signed numbers to unsigned numbers of the same order
					a, b = a^1<<31, b^1<<31
				}
				return 0, map[string]bool{"eq": a == b, "lg": a != b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b}[p[2]], false
			}
		}
		if fn == nil {
			t.Errorf("%s has a meaning, but no transcription here", row.Name)
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(row.Op), 77))
			for range short.Of(16, 4) {
				in, ok := anyInst(r, row, E32)
				if !ok {
					t.Fatal("no form")
				}
				st := randomState(r)
				st.put64(RegEXEC, st.exec)
				if r.IntN(3) == 0 {
					copy(st.s[:96], make([]uint32, 96))
				}
				want := *st
				var s []uint64
				dst := -1
				for i, o := range row.Operands {
					switch {
					case o.Dst:
						dst = i
					case in.Ops[i].Kind == KindImm:
						s = append(s, uint64(in.Ops[i].Imm))
					default:
						s = append(s, refSource(st, &in, i, 0, true))
					}
				}
				var d uint64
				n := 0
				if dst >= 0 {
					n = row.Operands[dst].Type.Dwords()
					d = st.get64(in.Ops[dst].Reg)
					if n == 1 {
						d &= math.MaxUint32
					}
				}
				if strings.Contains(row.Name, "saveexec") {
					s = append(s, st.exec)
				}
				v, scc, keep := fn(s, d, st.scc)
				if !keep {
					want.scc = scc
				}
				switch {
				case strings.Contains(row.Name, "saveexec"):
					want.put64(in.Ops[0].Reg, st.exec)
					want.put64(RegEXEC, v)
				case n == 1:
					want.s[in.Ops[dst].Reg] = uint32(v)
				case n == 2:
					want.put64(in.Ops[dst].Reg, v)
				}
				checkInst(t, &in, st, &want)
			}
		})
	}
}
