package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/sim"
)

// flatMachine returns a machine with one buffer. v[0:1] of a state can point into it.
func flatMachine(n int) (*machine, *sim.Alloc) {
	m := &machine{mem: sim.NewMemory()}
	return m, m.mem.Add("buf", make([]byte, n))
}

func pointTo(st *state, r int, lane int, addr uint64) {
	st.v[r][lane], st.v[r+1][lane] = uint32(addr), uint32(addr>>32)
}

func TestFlat(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 7))
	for _, c := range []struct {
		name  string
		bytes int
		sign  bool
	}{{"ubyte", 1, false}, {"sbyte", 1, true}, {"ushort", 2, false}, {"sshort", 2, true}, {"dword", 4, false}, {"dwordx2", 8, false}, {"dwordx3", 12, false}, {"dwordx4", 16, false}} {
		m, buf := flatMachine(4096)
		for i := range buf.Data {
			buf.Data[i] = byte(r.Uint32())
		}
		st := randomState(r)
		at := func(l int) int { return (l*37 + 3) % 2000 } // any alignment
		for l := range 64 {
			pointTo(st, 0, l, buf.Base+uint64(at(l)))
		}
		dst := "v0" // overwrites the address
		if c.bytes > 4 {
			dst = fmt.Sprintf("v[0:%d]", c.bytes/4-1)
		}
		want := *st
		for l := range 64 {
			if st.exec>>l&1 == 0 {
				continue
			}
			for i := 0; i < c.bytes; i += 4 {
				var w [4]byte
				copy(w[:min(4, c.bytes)], buf.Data[at(l)+i:])
				v := binary.LittleEndian.Uint32(w[:])
				if c.sign {
					v = uint32(sext(uint64(v), uint(8*c.bytes)))
				}
				want.v[i/4][l] = v
			}
		}
		got := *st
		m.run(t, assembleText(t, "flat_load_"+c.name+" "+dst+", v[0:1]"), &got)
		if d := got.diff(&want); d != "" {
			t.Fatalf("flat_load_%s: %s", c.name, d)
		}
	}
	for _, c := range []struct {
		text  string
		bytes int
	}{{"flat_store_byte v[0:1], v4", 1}, {"flat_store_short v[0:1], v4", 2}, {"flat_store_dword v[0:1], v4", 4},
		{"flat_store_dwordx2 v[0:1], v[4:5]", 8}, {"flat_store_dwordx3 v[0:1], v[4:6]", 12}, {"flat_store_dwordx4 v[0:1], v[4:7]", 16}} {
		m, buf := flatMachine(4096)
		st := randomState(r)
		var want [4096]byte
		for l := range 64 {
			pointTo(st, 0, l, buf.Base+uint64(l*33))
			for i := range c.bytes {
				if st.exec>>l&1 != 0 {
					want[l*33+i] = byte(st.v[4+i/4][l] >> (8 * (i % 4)))
				}
			}
		}
		m.run(t, assembleText(t, c.text), st)
		if string(want[:]) != string(buf.Data) {
			t.Errorf("%s stored other bytes", c.text)
		}
	}
}

// atomicRef returns the result of one atomic on w bits.
func atomicRef(op string, w uint, old, data, cmp uint64) uint64 {
	all := uint64(math.MaxUint64) >> (64 - w)
	a, b := sext(old, w), sext(data, w)
	switch op {
	case "add":
		return (old + data) & all
	case "sub":
		return (old - data) & all
	case "smin", "min_i":
		return uint64(min(a, b)) & all
	case "smax", "max_i":
		return uint64(max(a, b)) & all
	case "umin", "min_u":
		return min(old, data)
	case "umax", "max_u":
		return max(old, data)
	case "and":
		return old & data
	case "or":
		return old | data
	case "xor":
		return old ^ data
	case "swap":
		return data
	case "inc":
		if data > old {
			return old + 1
		}
		return 0
	case "dec":
		if data >= old && old != 0 {
			return old - 1
		}
		return data
	case "cmpswap":
		if old == cmp {
			return data
		}
		return old
	}
	panic(op)
}

func TestFlatAtomic(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 7))
	for _, op := range []string{"add", "sub", "smin", "smax", "umin", "umax", "and", "or", "xor", "swap", "inc", "dec", "cmpswap"} {
		for _, wide := range []bool{false, true} {
			for _, glc := range []bool{false, true} {
				m, buf := flatMachine(256)
				n := 4
				if wide {
					n = 8
				}
				for i := range buf.Data {
					buf.Data[i] = byte(r.Uint32() & 0x81)
					if op == "cmpswap" && i%4 != 0 || op == "cmpswap" && i%8 >= n {
						buf.Data[i] = 0
					}
					if op == "cmpswap" {
						buf.Data[i] &= 1
					}
				}
				st := randomState(r)
				for l := range 64 {
					pointTo(st, 0, l, buf.Base+uint64(l%7*n)) // lanes collide
					for v := 4; v < 8; v++ {
						st.v[v][l] = r.Uint32() & 0x81818181
						if op == "cmpswap" {
							st.v[v][l] &= 1
						}
					}
				}
				data, name := 1, "flat_atomic_"+op
				if wide {
					name, data = name+"_x2", 2
				}
				if op == "cmpswap" {
					data *= 2
				}
				text := name
				if glc {
					text += " " + regRange("v", 2, n/4) + ","
				}
				text += " v[0:1], " + regRange("v", 4, data)
				if glc {
					text += " glc"
				}
				want := *st
				mem := append([]byte(nil), buf.Data...)
				for l := range 64 {
					if st.exec>>l&1 == 0 {
						continue
					}
					read := func(r int) uint64 {
						if wide {
							return uint64(st.v[r][l]) | uint64(st.v[r+1][l])<<32
						}
						return uint64(st.v[r][l])
					}
					p := mem[l%7*n:][:8]
					old := binary.LittleEndian.Uint64(p)
					rest := old
					if !wide {
						old &= math.MaxUint32
					}
					if glc {
						want.v[2][l] = uint32(old)
						if wide {
							want.v[3][l] = uint32(old >> 32)
						}
					}
					v := atomicRef(op, uint(8*n), old, read(4), read(4+n/4))
					if !wide {
						v |= rest &^ math.MaxUint32
					}
					binary.LittleEndian.PutUint64(p, v)
				}
				m.run(t, assembleText(t, text), st)
				if d := st.diff(&want); d != "" {
					t.Fatalf("%s: %s", text, d)
				}
				if string(mem) != string(buf.Data) {
					t.Fatalf("%s: memory differs", text)
				}
			}
		}
	}
}

// TestDS checks LDS: it stores with one form and loads with another.
func TestDS(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 7))
	for range 10 {
		st := randomState(r)
		st.exec = math.MaxUint64
		for l := range 64 {
			st.v[0][l] = uint32(16 * l)
		}
		want := *st
		lds := make([]byte, 8192)
		put := func(at int, v uint32) { binary.LittleEndian.PutUint32(lds[at:], v) }
		get := func(at int) uint32 { return binary.LittleEndian.Uint32(lds[at:]) }
		code := assembleText(t, `
			s_mov_b32 m0, -1
			ds_write_b128 v0, v[1:4]
			ds_write_b8 v0, v5 offset:1
			ds_write_b16 v0, v6 offset:6
			ds_write2_b32 v0, v7, v8 offset0:2 offset1:3
			ds_write2st64_b32 v0, v1, v2 offset0:8 offset1:12
			ds_write_b64 v0, v[3:4] offset:4096
			ds_read_u8 v9, v0 offset:1
			ds_read_i16 v10, v0 offset:6
			ds_read2st64_b32 v[1:2], v0 offset0:8 offset1:12
			ds_read2_b64 v[3:6], v0 offset0:0 offset1:1
			ds_read2_b32 v[7:8], v0 offset0:4 offset1:1
			ds_read_b96 v[0:2], v0`)
		for l := range 64 {
			a := 16 * l
			for i := range 4 {
				put(a+4*i, st.v[1+i][l])
			}
		}
		for l := range 64 {
			lds[16*l+1] = byte(st.v[5][l])
		}
		for l := range 64 {
			lds[16*l+6], lds[16*l+7] = byte(st.v[6][l]), byte(st.v[6][l]>>8)
		}
		for l := range 64 {
			put(16*l+8, st.v[7][l])
			put(16*l+12, st.v[8][l])
		}
		for l := range 64 {
			put(16*l+8*256, st.v[1][l])
		}
		for l := range 64 {
			put(16*l+12*256, st.v[2][l])
		}
		for l := range 64 {
			put(16*l+4096, st.v[3][l])
			put(16*l+4100, st.v[4][l])
		}
		for l := range 64 {
			a := 16 * l
			want.v[9][l] = uint32(lds[a+1])
			want.v[10][l] = uint32(sext(uint64(get(a+4))>>16, 16))
			for i := range 4 {
				want.v[3+i][l] = get(a + 4*i)
			}
			want.v[7][l] = get(a + 16)
			want.v[8][l] = get(a + 4)
			want.v[0][l], want.v[1][l], want.v[2][l] = get(a), get(a+4), get(a+8)
		}
		want.s[RegM0] = math.MaxUint32
		(&machine{lds: 8192}).run(t, code, st)
		if d := st.diff(&want); d != "" {
			t.Fatal(d)
		}
	}
}

func TestDSAtomic(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 7))
	for name, op := range map[string]string{"ds_add_rtn_u": "add", "ds_sub_rtn_u": "sub", "ds_min_rtn_i": "min_i", "ds_max_rtn_i": "max_i", "ds_min_rtn_u": "min_u", "ds_max_rtn_u": "max_u",
		"ds_and_rtn_b": "and", "ds_or_rtn_b": "or", "ds_xor_rtn_b": "xor", "ds_inc_rtn_u": "inc", "ds_dec_rtn_u": "dec", "ds_wrxchg_rtn_b": "swap", "ds_cmpst_rtn_b": "cmpswap"} {
		for _, w := range []int{32, 64} {
			st := randomState(r)
			for l := range 64 {
				st.v[0][l] = uint32(l % 5 * 8)
				for v := 4; v < 8; v++ {
					st.v[v][l] = r.Uint32() & 3
				}
			}
			n := w / 32
			data := regRange("v", 4, n)
			if op == "cmpswap" {
				data += ", " + regRange("v", 4+n, n)
			}
			// The form without return must have the same effect on the LDS.
			plain := strings.Replace(name, "_rtn", "", 1)
			text := fmt.Sprintf("%s%d %s, v0, %s offset:16\n", name, w, regRange("v", 2, n), data)
			if op != "swap" {
				text += fmt.Sprintf("%s%d v0, %s offset:16\n", plain, w, data)
			}
			text += "ds_read_b64 v[8:9], v0 offset:16"
			want := *st
			var mem [5]uint64
			each := func(f func(l int, p *uint64, data, second uint64)) {
				for l := range 64 {
					read := func(r int) uint64 {
						if w == 64 {
							return uint64(st.v[r][l]) | uint64(st.v[r+1][l])<<32
						}
						return uint64(st.v[r][l])
					}
					if st.exec>>l&1 != 0 {
						f(l, &mem[l%5], read(4), read(4+n))
					}
				}
			}
			do := func(old, a, b uint64) uint64 {
				if op == "cmpswap" { // ds_cmpst: comparand first
					a, b = b, a
				}
				return atomicRef(op, uint(w), old, a, b)
			}
			each(func(l int, p *uint64, a, b uint64) {
				want.v[2][l] = uint32(*p)
				if w == 64 {
					want.v[3][l] = uint32(*p >> 32)
				}
				*p = do(*p, a, b)
			})
			if op != "swap" {
				each(func(_ int, p *uint64, a, b uint64) { *p = do(*p, a, b) })
			}
			each(func(l int, p *uint64, _, _ uint64) {
				want.v[8][l], want.v[9][l] = uint32(*p), uint32(*p>>32)
			})
			(&machine{lds: 256}).run(t, assembleText(t, text), st)
			if d := st.diff(&want); d != "" {
				t.Fatalf("%s: %s", text, d)
			}
		}
	}
}

// TestDSMisaligned checks that misaligned LDS accesses are faults. Misaligned flat accesses are
// not; see TestFlat.
func TestDSMisaligned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		addr uint32
		bad  bool
	}{
		{"ds_read_b32 v1, v0", 2, true}, {"ds_read_b32 v1, v0", 4, false}, {"ds_read_b64 v[2:3], v0", 4, true}, {"ds_read2_b32 v[2:3], v0 offset1:1", 4, false},
		{"ds_read2_b64 v[2:5], v0 offset1:1", 4, true}, {"ds_read_b128 v[2:5], v0", 8, true}, {"ds_read_u16 v1, v0", 1, true}, {"ds_read_u8 v1, v0", 1, false}, {"ds_add_u32 v0, v1", 2, true},
		{"ds_read_b32 v1, v0 offset:8", 0xfffffffc, false}, // a negative base with an offset is inside
	} {
		st := &state{exec: 1}
		st.v[0][0] = c.addr
		err := (&machine{lds: 64}).try(assembleText(t, c.text), st)
		if (err != nil) != c.bad {
			t.Errorf("%s at %#x: error %v", c.text, c.addr, err)
		}
	}
}

// TestSMEM checks the sizes and offsets of scalar loads, and that the low bits of the address are
// ignored.
func TestSMEM(t *testing.T) {
	t.Parallel()
	m, buf := flatMachine(256)
	for i := range buf.Data {
		buf.Data[i] = byte(i)
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(buf.Data[i:]) }
	st := &state{}
	st.s[2], st.s[3] = uint32(buf.Base)+3, uint32(buf.Base>>32)
	st.s[20] = 67
	want := *st
	code := assembleText(t, `
		s_load_dword s4, s[2:3], 0x12
		s_load_dwordx2 s[6:7], s[2:3], s20
		s_load_dwordx4 s[8:11], s[2:3], 0x20
		s_load_dwordx8 s[24:31], s[2:3], 0x30
		s_load_dwordx16 s[32:47], s[2:3], 0x40
		s_load_dwordx2 s[2:3], s[2:3], 0x0`)
	want.s[4], want.s[6], want.s[7], want.s[2], want.s[3] = word(16), word(64), word(68), word(0), word(4)
	for i := range 4 {
		want.s[8+i] = word(32 + 4*i)
	}
	for i := range 8 {
		want.s[24+i] = word(48 + 4*i)
	}
	for i := range 16 {
		want.s[32+i] = word(64 + 4*i)
	}
	m.run(t, code, st)
	if d := st.diff(&want); d != "" {
		t.Fatal(d)
	}
}
