package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// dsRef returns the value that an atomic stores, from the manual's list of DS instructions.
func dsRef(op string, old, d0, d1 uint64) uint64 {
	f := func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }
	g := math.Float64frombits
	pick := func(less bool, a, b float64) uint64 {
		if a != a && b == b || b < a && less || b > a && !less {
			return d0
		}
		return old
	}
	switch op {
	case "rsub_u32":
		return uint64(uint32(d0 - old))
	case "rsub_u64":
		return d0 - old
	case "mskor_b32", "mskor_b64":
		return old & ^d0 | d1
	case "cmpst_f32":
		if f(old) == f(d0) {
			return d1
		}
		return old
	case "cmpst_f64":
		if g(old) == g(d0) {
			return d1
		}
		return old
	case "min_f32", "max_f32":
		return pick(op == "min_f32", f(old), f(d0))
	case "min_f64", "max_f64":
		return pick(op == "min_f64", g(old), g(d0))
	case "wrap_b32":
		if old >= d0 {
			return old - d0
		}
		return uint64(uint32(old + d1))
	case "condxchg32_b64":
		r := [2]uint64{old & math.MaxUint32, old >> 32}
		if d0&0x80000000 != 0 {
			r[0] = d0 & 0x7fffffff
		}
		if d0&0x8000000000000000 != 0 {
			r[1] = d0 >> 32 & 0x7fffffff
		}
		return r[0] | r[1]<<32
	case "add_f32":
		return uint64(math.Float32bits(float32(f(old) + f(d0))))
	case "write_b32", "write_b64":
		return d0
	}
	name, typ, _ := strings.Cut(op, "_")
	w := uint(32)
	if strings.HasSuffix(typ, "64") {
		w = 64
	}
	if name == "min" || name == "max" {
		name += "_" + typ[:1]
	}
	return atomicRef(name, w, old, d0, d1)
}

// dsValue makes operands that are often at the edge of a float or integer range.
func dsValue(r *rand.Rand, op string, w int) uint64 {
	if strings.Contains(op, "_f32") {
		return uint64([]uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00000, 0x40490fdb, 0x00800000}[r.IntN(8)])
	}
	if strings.Contains(op, "_f64") {
		return math.Float64bits([]float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.NaN(), math.Pi, 5e-324}[r.IntN(8)])
	}
	v := r.Uint64() & 0x8000000380000003
	if w == 32 {
		v &= math.MaxUint32
	}
	return v
}

// TestDSAtomicMore checks the atomics that TestDSAtomic leaves out, in LDS and GDS, with and
// without return.
func TestDSAtomicMore(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 7))
	for _, op := range []string{"rsub_u32", "rsub_u64", "mskor_b32", "mskor_b64", "cmpst_f32", "cmpst_f64", "min_f32", "max_f32", "min_f64", "max_f64",
		"wrap_b32", "condxchg32_b64", "add_f32"} {
		for k := range 16 {
			gds, rtn := k&1 != 0, k&2 != 0
			name, typ, _ := strings.Cut(op, "_")
			row := "ds_" + op
			if rtn {
				row = "ds_" + name + "_rtn_" + typ
			}
			if LookUp(row) == nil {
				continue
			}
			w := 32
			if strings.HasSuffix(typ, "64") {
				w = 64
			}
			n := w / 32
			two := len(LookUp("ds_"+name+"_rtn_"+typ).Operands) == 4
			text := row + " "
			if rtn {
				text += regRange("v", 2, n) + ", "
			}
			text += "v0, " + regRange("v", 4, n)
			if two {
				text += ", " + regRange("v", 4+n, n)
			}
			text += " offset:24"
			m, glob := flatMachine(256)
			m.lds = 256
			st := randomState(r)
			base := 0
			if gds {
				text += " gds"
				m.values = make([]uint64, ValueGDS+1)
				m.values[ValueGDS], base = glob.Base, 8
				st.s[RegM0] = 8<<16 | 200
			}
			var mem [256]byte
			init := "s_nop 0\n"
			for i := range 5 {
				v := dsValue(r, op, w)
				binary.LittleEndian.PutUint64(mem[base+24+8*i:], v)
			}
			if gds {
				copy(glob.Data, mem[:])
			}
			for l := range 64 {
				st.v[0][l] = uint32(l % 5 * 8)
				put := func(r int, v uint64) {
					st.v[r][l] = uint32(v)
					if n == 2 {
						st.v[r+1][l] = uint32(v >> 32)
					}
				}
				put(4, dsValue(r, op, w))
				put(4+n, dsValue(r, op, w))
				st.v[10][l], st.v[11][l] = binary.LittleEndian.Uint32(mem[base+24+l%5*8:]), binary.LittleEndian.Uint32(mem[base+28+l%5*8:])
			}
			after := ""
			if !gds { // LDS begins as 0
				init = "s_mov_b64 s[98:99], exec\ns_mov_b64 exec, -1\nds_write_b64 v0, v[10:11] offset:24\ns_mov_b64 exec, s[98:99]\n"
				after = "\ns_mov_b64 exec, -1\nds_read_b64 v[8:9], v0 offset:24\ns_mov_b64 exec, s[98:99]"
			}
			want := *st
			if !gds {
				want.s[98], want.s[99] = uint32(st.exec), uint32(st.exec>>32)
			}
			for l := range 64 {
				if st.exec>>l&1 == 0 {
					continue
				}
				p := mem[base+24+l%5*8:][:8]
				old := binary.LittleEndian.Uint64(p)
				get := func(r int) uint64 {
					if n == 2 {
						return uint64(st.v[r][l]) | uint64(st.v[r+1][l])<<32
					}
					return uint64(st.v[r][l])
				}
				if rtn {
					want.v[2][l] = uint32(old)
					if n == 2 {
						want.v[3][l] = uint32(old >> 32)
					}
				}
				if n == 2 {
					binary.LittleEndian.PutUint64(p, dsRef(op, old, get(4), get(4+n)))
				} else {
					binary.LittleEndian.PutUint32(p, uint32(dsRef(op, old&math.MaxUint32, get(4), get(4+n))))
				}
			}
			if !gds {
				for l := range 64 {
					want.v[8][l], want.v[9][l] = binary.LittleEndian.Uint32(mem[24+l%5*8:]), binary.LittleEndian.Uint32(mem[28+l%5*8:])
				}
			}
			m.run(t, assembleText(t, init+text+after), st)
			if d := st.diff(&want); d != "" {
				t.Fatalf("%s: %s", text, d)
			}
			if gds && string(glob.Data) != string(mem[:]) {
				t.Fatalf("%s: the GDS differs", text)
			}
		}
	}
}

// TestDSSrc2 checks ds_…_src2, which combines two places in LDS. Each lane has its own places.
func TestDSSrc2(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 7))
	n := 0
	for _, row := range Rows() {
		op, found := strings.CutPrefix(row.Name, "ds_")
		if !found || !strings.Contains(op, "_src2_") {
			continue
		}
		n++
		op = strings.Replace(op, "_src2_", "_", 1)
		w := 32
		if strings.HasSuffix(op, "64") {
			w = 64
		}
		for _, indirect := range []bool{false, true} {
			st := randomState(r)
			var mem [4096]byte
			// Lane l has A at 32*l + 1024 and B 64 dwords before or after.
			dist := []int{-64, 4}[r.IntN(2)]
			offset := uint16(dist) & 0x7fff
			if indirect {
				offset = 0x8000
			}
			for l := range 64 {
				a := 1024 + 32*l
				st.v[0][l], st.v[5][l] = uint32(a), uint32(a)
				if indirect {
					st.v[0][l] |= uint32(dist) << 17
				}
				binary.LittleEndian.PutUint64(mem[a:], dsValue(r, op, w))
				binary.LittleEndian.PutUint64(mem[a+16:], dsValue(r, op, w))
			}
			for l := range 64 {
				a := 1024 + 32*l
				for i := range 4 {
					st.v[6+i][l] = binary.LittleEndian.Uint32(mem[a+[]int{0, 4, 16, 20}[i]:])
				}
			}
			want := *st
			want.s[98], want.s[99] = uint32(st.exec), uint32(st.exec>>32)
			before := mem
			for l := range 64 {
				a := 1024 + 32*l
				b := a + 4*dist
				if st.exec>>l&1 != 0 {
					x, y := binary.LittleEndian.Uint64(before[a:]), binary.LittleEndian.Uint64(before[b:])
					if w == 64 {
						binary.LittleEndian.PutUint64(mem[a:], dsRef(op, x, y, 0))
					} else {
						binary.LittleEndian.PutUint32(mem[a:], uint32(dsRef(op, x&math.MaxUint32, y&math.MaxUint32, 0)))
					}
				}
			}
			for l := range 64 {
				a := 1024 + 32*l
				want.v[10][l], want.v[11][l] = binary.LittleEndian.Uint32(mem[a:]), binary.LittleEndian.Uint32(mem[a+4:])
			}
			text := fmt.Sprintf("%s v0 offset:%d", row.Name, offset)
			(&machine{lds: 4096}).run(t, assembleText(t, `
				s_mov_b64 s[98:99], exec
				s_mov_b64 exec, -1
				ds_write_b64 v5, v[6:7]
				ds_write_b64 v5, v[8:9] offset:16
				s_mov_b64 exec, s[98:99]
				`+text+`
				s_mov_b64 exec, -1
				ds_read_b64 v[10:11], v5
				s_mov_b64 exec, s[98:99]`), st)
			if d := st.diff(&want); d != "" {
				t.Fatalf("%s, distance %d: %s", text, dist, d)
			}
		}
	}
	if n != 31 {
		t.Errorf("%d instructions, want 31", n)
	}
}

// TestDSAppend checks that ds_append and ds_consume count the lanes of EXEC at M0's base + offset.
func TestDSAppend(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for _, exec := range []uint64{0, 1 << 63, math.MaxUint64, r.Uint64()} {
		st := randomState(r)
		st.exec = exec
		for l := range 64 {
			st.v[0][l], st.v[1][l] = 0, 1000
		}
		want := *st
		n := uint32(bits.OnesCount64(exec))
		for l := range 64 {
			if exec>>l&1 != 0 {
				want.v[2][l], want.v[3][l], want.v[4][l] = 1000, 1000+n, 1000+n-n
			}
			want.v[5][l] = 1000
		}
		want.s[RegM0], want.s[98], want.s[99] = 16, uint32(exec), uint32(exec>>32)
		(&machine{lds: 64}).run(t, assembleText(t, `
			s_mov_b64 s[98:99], exec
			s_mov_b64 exec, -1
			s_mov_b32 m0, -1
			ds_write_b32 v0, v1 offset:24
			s_mov_b64 exec, s[98:99]
			s_mov_b32 m0, 16
			ds_append v2 offset:8
			ds_consume v3 offset:8
			s_mov_b64 exec, s[98:99]
			ds_append v4 offset:8
			ds_consume v4 offset:8
			ds_append v4 offset:8
			ds_consume v9 offset:8
			s_waitcnt lgkmcnt(0)
			v_mov_b32 v9, v4
			s_mov_b64 exec, -1
			s_mov_b32 m0, 64
			ds_read_b32 v5, v0 offset:24
			s_mov_b32 m0, 16
			s_mov_b64 exec, s[98:99]`), st)
		for l := range 64 {
			if exec>>l&1 != 0 {
				want.v[9][l] = 1000
			}
		}
		if d := st.diff(&want); d != "" {
			t.Fatalf("exec %#x: %s", exec, d)
		}
		// In the GDS the base is M0[31:16], and M0[15:0] is the size that bounds it.
		for _, size := range []uint32{64, 8} {
			m, glob := flatMachine(64)
			m.values = make([]uint64, ValueGDS+1)
			m.values[ValueGDS] = glob.Base
			st.exec, st.s[RegM0] = exec, 32<<16|size
			binary.LittleEndian.PutUint32(glob.Data[40:], 7)
			m.run(t, assembleText(t, "ds_append v2 offset:8 gds"), st)
			old, now := uint32(7), 7+n
			if size == 8 {
				old, now = 0, 7
			}
			if got := binary.LittleEndian.Uint32(glob.Data[40:]); got != now {
				t.Errorf("ds_append gds, exec %#x, size %d: %d in memory, want %d", exec, size, got, now)
			}
			for l := range 64 {
				if exec>>l&1 != 0 && st.v[2][l] != old {
					t.Fatalf("ds_append gds, size %d: lane %d has %d, want %d", size, l, st.v[2][l], old)
				}
			}
		}
	}
}

// TestDSBounds checks that M0 bounds DS instructions: outside, loads give 0 and stores have no
// effect.
func TestDSBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		m0, addr uint32
		text     string
		inside   [2]bool // the dwords of the result
	}{
		{64, 60, "ds_read_b32 v2, v0", [2]bool{true, false}},
		{63, 60, "ds_read_b32 v2, v0", [2]bool{}},
		{64, 56, "ds_read_b32 v2, v0 offset:4", [2]bool{true, false}},
		{64, 60, "ds_read_b32 v2, v0 offset:4", [2]bool{}},
		{64, 56, "ds_read_b64 v[2:3], v0", [2]bool{true, true}},
		{60, 56, "ds_read_b64 v[2:3], v0", [2]bool{true, false}},
		{60, 48, "ds_read2_b32 v[2:3], v0 offset0:2 offset1:3", [2]bool{true, false}},
		{0, 0, "ds_read_b32 v2, v0", [2]bool{}},
		{64, 60, "ds_add_rtn_u32 v2, v0, v4", [2]bool{true, false}},
		{60, 60, "ds_add_rtn_u32 v2, v0, v4", [2]bool{}},
		{64, 56, "ds_add_rtn_u64 v[2:3], v0, v[4:5]", [2]bool{true, true}},
		{60, 56, "ds_add_rtn_u64 v[2:3], v0, v[4:5]", [2]bool{}},
	} {
		st := &state{exec: 1}
		st.v[0][0], st.v[1][0], st.v[6][0] = c.addr, 0x11, c.addr
		st.s[0] = c.m0
		lines := "s_mov_b32 m0, -1\nv_mov_b32 v7, 0\nv_mov_b32 v8, 0x55\n"
		for a := range 16 {
			lines += fmt.Sprintf("ds_write_b32 v7, v8 offset:%d\n", 4*a)
		}
		lines += "v_mov_b32 v2, -1\nv_mov_b32 v3, -1\ns_mov_b32 m0, s0\n" + c.text + "\n" +
			"v_mov_b32 v9, 0x77\nds_write_b32 v0, v9\ns_mov_b32 m0, 64\nds_read_b32 v10, v6"
		err := (&machine{lds: 64}).try(assembleText(t, lines), st)
		pair := strings.Contains(c.text, "v[2:3]")
		fine := c.addr+4 <= c.m0 && c.inside[0] && (c.inside[1] || !pair)
		if fine != (err == nil) || err != nil && !strings.Contains(err.Error(), "lds-limit") {
			t.Errorf("%s at %d, m0 = %d: %v", c.text, c.addr, c.m0, err)
		}
		for i, in := range c.inside {
			want := uint32(0)
			switch {
			case in:
				want = 0x55
			case i == 1 && !pair:
				want = math.MaxUint32
			}
			if st.v[2+i][0] != want {
				t.Errorf("%s at %d, m0 = %d: v%d = %#x, want %#x", c.text, c.addr, c.m0, 2+i, st.v[2+i][0], want)
			}
		}
		stored := c.addr+4 <= c.m0
		if got := st.v[10][0]; stored != (got == 0x77) {
			t.Errorf("write at %d, m0 = %d: memory holds %#x", c.addr, c.m0, got)
		}
	}
}
