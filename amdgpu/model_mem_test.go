package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// modelMem is the memory of a model: the LDS, and the bytes that FLAT instructions access from base
// on.
type modelMem struct {
	lds, flat []byte
	base      uint64
}

const (
	modelLDS  = 2048
	modelFlat = 4096 // the size for each block
)

// dsOp transcribes the effect of DS and FLAT atomics of the given width in bits on memory. a and b
// are the data in the order of the text.
func dsOp(op string, width int, mem, a, b uint64) uint64 {
	all := ^uint64(0) >> (64 - width)
	s := func(v uint64) int64 { return sext(v, uint(width)) }
	pick := func(first bool) uint64 {
		if first {
			return mem
		}
		return a
	}
	switch op {
	case "add":
		return (mem + a) & all
	case "sub":
		return (mem - a) & all
	case "rsub":
		return (a - mem) & all
	case "inc":
		if mem >= a {
			return 0
		}
		return mem + 1
	case "dec":
		if mem == 0 || mem > a {
			return a
		}
		return mem - 1
	case "min_i", "smin":
		return pick(s(mem) < s(a))
	case "max_i", "smax":
		return pick(s(mem) > s(a))
	case "min_u", "umin":
		return pick(mem < a)
	case "max_u", "umax":
		return pick(mem > a)
	case "and":
		return mem & a
	case "or":
		return mem | a
	case "xor":
		return mem ^ a
	case "mskor":
		return mem&^a | b
	case "wrxchg", "swap":
		return a
	case "cmpst": // DATA0 is compared, DATA1 stored
		if mem == a {
			return b
		}
		return mem
	case "cmpswap": // DATA[0] is stored, DATA[1] compared
		if mem == b {
			return a
		}
		return mem
	case "wrap":
		if mem >= a {
			return mem - a
		}
		return (mem + b) & all
	}
	panic(op)
}

func getBytes(p []byte, n int) uint64 {
	var q [8]byte
	copy(q[:], p[:n])
	return binary.LittleEndian.Uint64(q[:])
}

func putBytes(p []byte, v uint64, n int) {
	var q [8]byte
	binary.LittleEndian.PutUint64(q[:], v)
	copy(p[:n], q[:n])
}

// memory executes a DS or FLAT instruction of the generator by its text.
func (m *model) memory(in *Inst) {
	name, old := in.Row.Name, m.state
	op := func(i int) uint16 { return in.Ops[i].Reg }
	reg := func(r uint16, l, n int) uint64 {
		v := uint64(old.v[r][l])
		if n == 8 {
			v |= uint64(old.v[r+1][l]) << 32
		}
		return v
	}
	put := func(r uint16, l int, v uint64, n int) {
		m.v[r][l] = uint32(v)
		if n == 8 {
			m.v[r+1][l] = uint32(v >> 32)
		}
	}
	off := uint32(in.Mod(ModOffset))
	each := func(f func(l int)) {
		for l := range 64 {
			if old.exec>>l&1 != 0 {
				f(l)
			}
		}
	}
	at := func(mem []byte, at uint64) []byte {
		if at > uint64(len(mem)-16) || at&7 != 0 {
			m.astray = true
			return make([]byte, 16)
		}
		return mem[at:]
	}
	lds := func(r uint16, l int, off uint32) []byte { return at(m.mem.lds, uint64(old.v[r][l])+uint64(off)) }
	flat := func(r uint16, l int) []byte { return at(m.mem.flat, reg(r, l, 8)-m.mem.base) }
	short := strings.TrimPrefix(strings.TrimPrefix(name, "ds_"), "flat_")
	switch {
	case name == "ds_bpermute_b32":
		each(func(l int) {
			from := (old.v[op(1)][l] + off) / 4 & 63
			m.v[op(0)][l] = old.v[op(2)][from] & -uint32(old.exec>>from&1)
		})
	case name == "ds_permute_b32":
		var sent [64]uint32
		each(func(l int) { sent[(old.v[op(1)][l]+off)/4&63] = old.v[op(2)][l] })
		each(func(l int) { m.v[op(0)][l] = sent[l] })
	case name == "ds_swizzle_b32":
		each(func(l int) {
			from := l&^3 | int(off>>(2*(l&3))&3)
			if off>>15 == 0 {
				from = l&32 | (l&int(off&31) | int(off>>5&31)) ^ int(off>>10&31)
			}
			m.v[op(0)][l] = old.v[op(1)][from] & -uint32(old.exec>>from&1)
		})
	case strings.HasPrefix(short, "read2"):
		n := width(in.Row.Operands[0].Type) / 2
		each(func(l int) {
			put(op(0), l, getBytes(lds(op(1), l, uint32(in.Mod(ModOffset0)*n)), n), n)
			put(op(0)+uint16(n/4), l, getBytes(lds(op(1), l, uint32(in.Mod(ModOffset1)*n)), n), n)
		})
	case strings.HasPrefix(short, "write2"):
		n := width(in.Row.Operands[1].Type)
		each(func(l int) { putBytes(lds(op(0), l, uint32(in.Mod(ModOffset0)*n)), reg(op(1), l, n), n) })
		each(func(l int) { putBytes(lds(op(0), l, uint32(in.Mod(ModOffset1)*n)), reg(op(2), l, n), n) })
	case strings.HasPrefix(short, "read_"), strings.HasPrefix(short, "load_"):
		n := map[string]int{"u8": 1, "i8": 1, "u16": 2, "i16": 2, "ubyte": 1, "sbyte": 1, "ushort": 2, "sshort": 2}[short[5:]]
		signed := strings.ContainsAny(short[5:6], "i") || short[5:] == "sbyte" || short[5:] == "sshort"
		each(func(l int) {
			var b []byte
			if name[0] == 'd' {
				b = lds(op(1), l, off)
			} else {
				b = flat(op(1), l)
			}
			if n != 0 {
				v := getBytes(b, n)
				if signed {
					v = uint64(sext(v, uint(8*n)))
				}
				m.v[op(0)][l] = uint32(v)
				return
			}
			for i := range in.Row.Operands[0].Type.Dwords() {
				m.v[op(0)+uint16(i)][l] = uint32(getBytes(b[4*i:], 4))
			}
		})
	case strings.HasPrefix(short, "write_"), strings.HasPrefix(short, "store_"):
		n := width(in.Row.Operands[1].Type)
		each(func(l int) {
			var b []byte
			if name[0] == 'd' {
				b = lds(op(0), l, off)
			} else {
				b = flat(op(0), l)
			}
			for i := 0; i < n; i += 4 {
				putBytes(b[i:], uint64(old.v[op(1)+uint16(i/4)][l]), min(n, 4))
			}
		})
	case name[0] == 'd':
		rtn := 0
		if strings.Contains(short, "_rtn") {
			rtn = 1
		}
		kind := strings.Replace(short, "_rtn", "", 1)
		wide := strings.HasSuffix(kind, "64")
		kind = kind[:len(kind)-2]
		if k, found := strings.CutSuffix(strings.TrimSuffix(kind, "b"), "_"); found {
			kind = k
		}
		if !strings.HasPrefix(kind, "min") && !strings.HasPrefix(kind, "max") {
			kind, _, _ = strings.Cut(kind, "_")
		}
		n := 4
		if wide {
			n = 8
		}
		each(func(l int) {
			p := lds(op(rtn), l, off)
			was := getBytes(p, n)
			var b uint64
			if len(in.Operands()) > rtn+2 {
				b = reg(op(rtn+2), l, n)
			}
			putBytes(p, dsOp(kind, 8*n, was, reg(op(rtn+1), l, n), b), n)
			if rtn == 1 {
				put(op(0), l, was, n)
			}
		})
	default: // flat_atomic_
		kind := strings.TrimSuffix(strings.TrimPrefix(short, "atomic_"), "_x2")
		n := 4
		if strings.HasSuffix(short, "_x2") {
			n = 8
		}
		each(func(l int) {
			p := flat(op(1), l)
			was := getBytes(p, n)
			var b uint64
			if kind == "cmpswap" {
				b = reg(op(2)+uint16(n/4), l, n)
			}
			putBytes(p, dsOp(kind, 8*n, was, reg(op(2), l, n), b), n)
			if in.Has(ModGLC) {
				put(op(0), l, was, n)
			}
		})
	}
}

// memoryLines makes a DS or FLAT instruction, with the instructions that bring its address into
// range. The address registers may be among the results and the data.
func (g *generator) memoryLines() []string {
	r := g.r
	v := func(n int) string { return regRange("v", r.IntN(9-n), n) }
	addr := r.IntN(7)
	a := fmt.Sprintf("v%d", addr)
	pick := func(l ...string) string { return l[r.IntN(len(l))] }
	lines := []string{fmt.Sprintf("v_and_b32 %s, 0x%x, %s", a, 0x38|r.IntN(8)<<6, a)}
	off := 8 * r.IntN(100)
	suffix := func() (string, int) {
		if r.IntN(3) == 0 {
			return "64", 2
		}
		return "32", 1
	}
	switch r.IntN(9) {
	case 0:
		return append(lines[:0], fmt.Sprintf("%s %s, v%d, %s offset:%d", pick("ds_bpermute_b32", "ds_permute_b32"), v(1), r.IntN(8), v(1), r.IntN(1024)))
	case 1:
		return append(lines[:0], fmt.Sprintf("ds_swizzle_b32 %s, %s offset:%d", v(1), v(1), swizzleOffset(r)))
	case 2:
		s, n := suffix()
		return append(lines, fmt.Sprintf("ds_read2_b%s %s, %s offset0:%d offset1:%d", s, v(2*n), a, 2*r.IntN(50), 2*r.IntN(50)))
	case 3:
		s, n := suffix()
		return append(lines, fmt.Sprintf("ds_write2_b%s %s, %s, %s offset0:%d offset1:%d", s, a, v(n), v(n), 2*r.IntN(50), 2*r.IntN(50)))
	case 4:
		k := pick("ds_read_b32 1", "ds_read_b64 2", "ds_read_u8 1", "ds_read_i8 1", "ds_read_u16 1", "ds_read_i16 1", "ds_read_b32 1", "ds_read_b32 1")
		return append(lines, fmt.Sprintf("%s %s, %s offset:%d", k[:len(k)-2], v(int(k[len(k)-1]-'0')), a, off))
	case 5:
		k := pick("ds_write_b32 1", "ds_write_b64 2", "ds_write_b8 1", "ds_write_b16 1")
		return append(lines, fmt.Sprintf("%s %s, %s offset:%d", k[:len(k)-2], a, v(int(k[len(k)-1]-'0')), off))
	case 6:
		s, n := suffix()
		op := pick("add u", "sub u", "rsub u", "inc u", "dec u", "min i", "max i", "min u", "max u", "and b", "or b", "xor b", "mskor b", "wrxchg b", "cmpst b", "wrap b")
		if op == "wrap b" {
			s, n = "32", 1
		}
		name, t, _ := strings.Cut(op, " ")
		dst, rtn := v(n)+", ", "_rtn"
		if r.IntN(3) == 0 && name != "wrxchg" && name != "wrap" {
			dst, rtn = "", ""
		}
		second := ""
		if name == "mskor" || name == "cmpst" || name == "wrap" {
			second = ", " + v(n)
		}
		return append(lines, fmt.Sprintf("ds_%s%s_%s%s %s%s, %s%s offset:%d", name, rtn, t, s, dst, a, v(n), second, off))
	}
	// FLAT: v[12:13] is the lane's own address.
	d := r.IntN(8)
	lines = []string{fmt.Sprintf("v_mov_b32 v%d, v12", d), fmt.Sprintf("v_mov_b32 v%d, v13", d+1)}
	if d == 7 {
		lines = nil
		d = 12
	}
	p := regRange("v", d, 2)
	switch r.IntN(3) {
	case 0:
		k := pick("dword 1", "dwordx2 2", "dwordx3 3", "dwordx4 4", "ubyte 1", "sbyte 1", "ushort 1", "sshort 1")
		return append(lines, fmt.Sprintf("flat_load_%s %s, %s", k[:len(k)-2], v(int(k[len(k)-1]-'0')), p))
	case 1:
		k := pick("dword 1", "dwordx2 2", "dwordx3 3", "dwordx4 4", "byte 1", "short 1")
		return append(lines, fmt.Sprintf("flat_store_%s %s, %s", k[:len(k)-2], p, v(int(k[len(k)-1]-'0'))))
	}
	s, n := "", 1
	if r.IntN(2) == 0 {
		s, n = "_x2", 2
	}
	op := pick("add", "sub", "smin", "smax", "umin", "umax", "and", "or", "xor", "swap", "inc", "dec", "cmpswap")
	data := n
	if op == "cmpswap" {
		data = 2 * n
	}
	if r.IntN(2) == 0 {
		return append(lines, fmt.Sprintf("flat_atomic_%s%s %s, %s, %s glc", op, s, v(n), p, v(data)))
	}
	return append(lines, fmt.Sprintf("flat_atomic_%s%s %s, %s", op, s, p, v(data)))
}

// swizzleOffset returns a pattern of ds_swizzle_b32: within 32 lanes, or within four.
func swizzleOffset(r *rand.Rand) int {
	if r.IntN(2) == 0 {
		return 0x8000 | r.IntN(256)
	}
	return r.IntN(1 << 15)
}
