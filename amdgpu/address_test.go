package amdgpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/sim"
)

// This file compares addresses that instructions compute from several parts with the manual's sums:
// GCN3 ISA 12.13 (DS: ADDR + OFFSET; or OFFSET0 and OFFSET1 times the size of an element, or times
// 64 elements) and 7.1 (SMEM). For the addresses of buffers see TestBuffer* and rsrc.place.

const allLDS = 64 << 10

// ldsContents returns the bytes that fillLDS writes: each dword encodes its own address.
func ldsContents() []byte {
	mem := make([]byte, allLDS)
	for a := 0; a < allLDS; a += 4 {
		binary.LittleEndian.PutUint32(mem[a:], uint32(a)*0x9e3779b1+0x1234567)
	}
	return mem
}

// fillLDS and the text after it use no offset. The second text stores all LDS at s[20:21].
const (
	fillLDS = `
		s_mov_b32 m0, -1
		s_mov_b64 s[60:61], exec
		s_mov_b64 exec, -1
		s_mov_b32 s62, 0
		v_mbcnt_lo_u32_b32 v20, -1, 0
		v_mbcnt_hi_u32_b32 v20, -1, v20
		v_lshlrev_b32 v20, 2, v20
		v_mov_b32 v21, 0x9e3779b1
		s_mov_b32 s63, 0x1234567
	fill:
		v_mul_lo_u32 v22, v20, v21
		v_add_u32 v22, vcc, s63, v22
		ds_write_b32 v20, v22
		v_add_u32 v20, vcc, 0x100, v20
		s_add_u32 s62, s62, 1
		s_cmp_lt_u32 s62, 0x100
		s_cbranch_scc1 fill
		s_mov_b64 exec, s[60:61]
	`
	dumpLDS = `
		s_waitcnt vmcnt(0) & lgkmcnt(0)
		s_mov_b32 m0, -1
		s_mov_b64 exec, -1
		s_mov_b32 s62, 0
		v_mbcnt_lo_u32_b32 v20, -1, 0
		v_mbcnt_hi_u32_b32 v20, -1, v20
		v_lshlrev_b32 v20, 2, v20
		v_mov_b32 v23, s21
		v_add_u32 v22, vcc, s20, v20
		v_addc_u32 v23, vcc, 0, v23, vcc
	dump:
		ds_read_b32 v24, v20
		s_waitcnt lgkmcnt(0)
		flat_store_dword v[22:23], v24
		v_add_u32 v20, vcc, 0x100, v20
		v_add_u32 v22, vcc, 0x100, v22
		v_addc_u32 v23, vcc, 0, v23, vcc
		s_waitcnt vmcnt(0) & lgkmcnt(0)
		s_add_u32 s62, s62, 1
		s_cmp_lt_u32 s62, 0x100
		s_cbranch_scc1 dump
		s_mov_b64 exec, s[60:61]
	`
)

// dsBytes returns, by the name of a DS instruction, the number of bytes that it moves to or from
// one address.
func dsBytes(name string) int {
	for _, s := range []struct {
		suffix string
		n      int
	}{{"b128", 16}, {"b96", 12}, {"64", 8}, {"32", 4}, {"16", 2}, {"8", 1}} {
		if strings.HasSuffix(name, s.suffix) {
			return s.n
		}
	}
	panic(name)
}

// TestDSAddresses checks that every instruction that accesses LDS at ADDR + offset accesses exactly
// that place, even if the sum wraps at 2^32, and that an access outside of the LDS is a fault.
func TestDSAddresses(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 7))
	contents := ldsContents()
	rows, wrapped := 0, 0
	for _, row := range Rows() {
		name := row.Name
		if row.Format != FormatDS || row.Flags.Has(FlagGDSOnly) || row.Flags.Has(FlagCrossLane) || !strings.Contains(name, "_") || strings.Contains(name, "src2") || strings.Contains(name, "gws") {
			continue
		}
		switch name {
		case "ds_nop", "ds_append", "ds_consume", "ds_ordered_count": // no ADDR
			continue
		}
		rows++
		n := dsBytes(name)
		two := strings.Contains(name, "read2") || strings.Contains(name, "write2") || strings.Contains(name, "xchg2")
		changed := false
		for trial := range 12 {
			if !short.Every(trial, 3) {
				continue
			}
			align := n
			if n == 12 {
				align = 16
			}
			// at is the intended place. The test chooses the offsets, and the remaining address
			// goes to ADDR.
			at := [2]uint32{r.Uint32N(allLDS/uint32(align)-1) * uint32(align)}
			beside := trial >= 9
			if beside {
				at[0] = []uint32{allLDS, 0xfffffff0, allLDS + 16*r.Uint32N(1<<20)}[trial-9]
			}
			var addr uint32
			var mod string
			if two {
				unit := uint32(n)
				if strings.Contains(name, "st64") {
					unit *= 64
				}
				o0, o1 := r.Uint32N(256), r.Uint32N(256)
				if trial&1 == 0 {
					o0 = []uint32{0, 255, 1}[trial/2%3]
				}
				for o1 == o0 {
					o1 = r.Uint32N(256)
				}
				addr = at[0] - o0*unit
				at[1] = addr + o1*unit
				if !beside && at[1] > allLDS-16 { // the first place is in LDS; the second one must be in LDS, too
					o1 = (o0 + 255) % 256
					at[1] = addr + o1*unit
				}
				mod = fmt.Sprintf(" offset0:%d offset1:%d", o0, o1)
			} else {
				o := []uint32{0, 1, 0xffff, r.Uint32N(1 << 16), r.Uint32N(1 << 16)}[trial%5]
				o = o / uint32(align) * uint32(align)
				addr, mod = at[0]-o, fmt.Sprintf(" offset:%d", o)
			}
			places := at[:1]
			if two {
				places = at[:]
			}
			fine := true
			for _, p := range places {
				fine = fine && p <= allLDS-uint32(n)
			}
			if fine && addr >= allLDS {
				wrapped++
			}
			st := &state{}
			for v := range 14 {
				for l := range 64 {
					st.v[v][l] = r.Uint32()
				}
			}
			lane := r.IntN(64)
			st.exec = 1 << lane
			st.v[0][lane] = addr
			ops, reg := []string{}, 8
			for i, o := range row.Operands {
				d := o.Type.Dwords()
				switch {
				case o.Dst:
					ops = append(ops, regRange("v", 2, d))
				case o.Field == FieldADDR:
					ops = append(ops, "v0")
				default:
					if i > 0 && strings.Contains(name, "cmpst") && o.Field == FieldDATA && fine { // so that the instruction stores
						for k := range d {
							st.v[reg+k][lane] = binary.LittleEndian.Uint32(contents[at[0]+uint32(4*k):])
						}
					}
					ops = append(ops, regRange("v", reg, d))
					reg += d
				}
			}
			text := name + " " + strings.Join(ops, ", ") + mod
			mem := sim.NewMemory()
			dump := mem.Add("dump", make([]byte, allLDS))
			st.s[20], st.s[21] = uint32(dump.Base), uint32(dump.Base>>32)
			err := (&machine{mem: mem, lds: allLDS}).try(assembleText(t, fillLDS+text+"\n"+dumpLDS), st)
			if fine != (err == nil) {
				t.Fatalf("%s with v0 = %#x, at %#x: error %v", text, addr, places, err)
			}
			if !fine {
				continue
			}
			if row.Operands[0].Dst {
				var want []byte
				for _, p := range places {
					want = append(want, contents[p:p+uint32(n)]...)
				}
				if n < 4 {
					v := uint64(getBytes(want, n))
					if strings.Contains(name, "_i") {
						v = uint64(sext(v, uint(8*n)))
					}
					want = binary.LittleEndian.AppendUint32(nil, uint32(v))
				}
				var got []byte
				for k := range len(want) / 4 {
					got = binary.LittleEndian.AppendUint32(got, st.v[2+k][lane])
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("%s with v0 = %#x returned %x, want %x from %#x", text, addr, got, want, places)
				}
			}
			after := bytes.Clone(dump.Data)
			for _, p := range places {
				changed = changed || !bytes.Equal(after[p:p+uint32(n)], contents[p:p+uint32(n)])
				if strings.HasPrefix(name, "ds_write") {
					var data []byte
					for k := range (n + 3) / 4 {
						data = binary.LittleEndian.AppendUint32(data, st.v[8+k][lane])
					}
					if p == at[0] && !bytes.Equal(after[p:p+uint32(n)], data[:n]) {
						t.Fatalf("%s with v0 = %#x wrote %x at %#x, want %x", text, addr, after[p:p+uint32(n)], p, data[:n])
					}
				}
				copy(after[p:], contents[p:p+uint32(n)])
			}
			if !bytes.Equal(after, contents) {
				t.Fatalf("%s with v0 = %#x changed LDS outside of %#x", text, addr, places)
			}
		}
		if changed != row.Flags.Has(FlagStore) && (changed || !testing.Short()) { // few minima change memory
			t.Errorf("%s: memory changed: %t", name, changed)
		}
	}
	if rows < 100 || wrapped < short.Of(200, 40) {
		t.Errorf("%d rows, %d sums beyond 32 bits", rows, wrapped)
	}
}

// TestSMEMAddresses checks scalar loads and stores. The address is (SBASE & ~3) + (offset & ~3) in
// 64 bits. The offset is a 20-bit one in the code, or the 32 bits of a register.
func TestSMEMAddresses(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(32, 7))
	for _, k := range []struct {
		name string
		n    int
	}{{"s_load_dword", 1}, {"s_load_dwordx2", 2}, {"s_load_dwordx4", 4}, {"s_load_dwordx8", 8}, {"s_load_dwordx16", 16}, {"s_store_dword", 1}, {"s_store_dwordx2", 2}, {"s_store_dwordx4", 4}} {
		load := strings.Contains(k.name, "load")
		for trial := range 40 {
			m, buf := flatMachine(4096)
			for i := range buf.Data {
				buf.Data[i] = byte(r.Uint32())
			}
			st := randomState(r)
			p := 4 * r.IntN((4096-4*k.n)/4+1)
			var off uint64
			var arg string
			switch trial % 4 {
			case 0:
				off = uint64([]uint32{0, 1, 0xfffff, 0xffffc, 0x80000}[trial/4%5])
				arg = fmt.Sprintf("%#x", off)
			case 1:
				off = uint64(r.Uint32N(1 << 20))
				arg = fmt.Sprintf("%#x", off)
			case 2:
				off, arg = uint64([]uint32{0x80000000, 0xffffffff, 0xfffffffc, 3, 0x7fffffff}[trial/4%5]), "m0"
			case 3:
				off, arg = uint64(r.Uint32()), "m0"
			}
			if load && arg == "m0" && trial/4%2 == 0 {
				arg, st.s[20] = "s20", uint32(off)
			} else {
				st.s[RegM0] = uint32(off)
			}
			base := buf.Base + uint64(p) - off/4*4 + uint64(r.Uint32N(4))
			st.s[2], st.s[3] = uint32(base), uint32(base>>32)
			text := fmt.Sprintf("%s %s, s[2:3], %s", k.name, regRange("s", 32, k.n), arg)
			want, mem := *st, bytes.Clone(buf.Data)
			for i := range k.n {
				if load {
					want.s[32+i] = binary.LittleEndian.Uint32(mem[p+4*i:])
				} else {
					binary.LittleEndian.PutUint32(mem[p+4*i:], st.s[32+i])
				}
			}
			m.run(t, assembleText(t, text), st)
			if d := st.diff(&want); d != "" {
				t.Fatalf("%s with a base of %#x and %#x: %s", text, base, off, d)
			}
			if !bytes.Equal(mem, buf.Data) {
				t.Fatalf("%s with a base of %#x and %#x stored elsewhere", text, base, off)
			}
		}
	}
}
