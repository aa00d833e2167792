package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSMEMBuffer checks s_buffer_load, s_buffer_store and s_store: the base, the range in bytes or
// records, and the access dword by dword. The low bits of the offset are ignored.
func TestSMEMBuffer(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 7))
	ins, outs := 0, 0
	for range 30 {
		for _, k := range []struct {
			name string
			n    int
		}{{"s_buffer_load_dword", 1}, {"s_buffer_load_dwordx2", 2}, {"s_buffer_load_dwordx4", 4}, {"s_buffer_load_dwordx8", 8}, {"s_buffer_load_dwordx16", 16},
			{"s_buffer_store_dword", 1}, {"s_buffer_store_dwordx2", 2}, {"s_buffer_store_dwordx4", 4}, {"s_store_dword", 1}, {"s_store_dwordx2", 2}, {"s_store_dwordx4", 4}} {
			m, buf := flatMachine(512)
			for i := range buf.Data {
				buf.Data[i] = byte(r.Uint32())
			}
			st := randomState(r)
			st.exec = r.Uint64() & r.Uint64() & r.Uint64() // EXEC has no effect here
			v := rsrc{base: buf.Base + 64, stride: []uint32{0, 4, 12}[r.IntN(3)], records: r.Uint32N(40), swizzle: r.IntN(2) == 0}
			size := int(v.records)
			if v.stride != 0 {
				size *= int(v.stride)
			}
			w := v.words()
			copy(st.s[8:], w[:])
			base, off := "s[8:11]", int(r.Uint32N(80))
			if !strings.Contains(k.name, "buffer") {
				base, size = "s[8:9]", 1000
				st.s[9] &= 0xffff
			}
			load := strings.Contains(k.name, "load")
			text := fmt.Sprintf("%s %s, %s, ", k.name, regRange("s", 32, k.n), base)
			switch {
			case r.IntN(2) == 0:
				text += fmt.Sprintf("0x%x", off)
			case load:
				text += "s20"
				st.s[20] = uint32(off)
			default:
				text += "m0"
				st.s[RegM0] = uint32(off)
			}
			want, mem := *st, append([]byte(nil), buf.Data...)
			for i := range k.n {
				at := off&^3 + 4*i
				in := at+4 <= size
				if in {
					ins++
				} else {
					outs++
				}
				switch {
				case load && in:
					want.s[32+i] = binary.LittleEndian.Uint32(mem[64+at:])
				case load:
					want.s[32+i] = 0
				case in:
					binary.LittleEndian.PutUint32(mem[64+at:], st.s[32+i])
				}
			}
			m.run(t, assembleText(t, text), st)
			if d := st.diff(&want); d != "" {
				t.Fatalf("%s with %+v: %s", text, v, d)
			}
			if string(mem) != string(buf.Data) {
				t.Fatalf("%s with %+v: memory differs", text, v)
			}
		}
	}
	if ins < 200 || outs < 200 {
		t.Errorf("%d dwords in range, %d out of range", ins, outs)
	}
	// The destination may hold the descriptor; a store's offset is in M0 only.
	m, buf := flatMachine(64)
	binary.LittleEndian.PutUint32(buf.Data[4:], 77)
	st := &state{}
	w := rsrc{base: buf.Base, records: 64}.words()
	copy(st.s[8:], w[:])
	m.run(t, assembleText(t, "s_buffer_load_dwordx4 s[8:11], s[8:11], 0x4"), st)
	if st.s[8] != 77 {
		t.Errorf("s8 = %d", st.s[8])
	}
	if err := m.try(assembleText(t, "s_store_dword s1, s[4:5], s2"), st); err == nil || !strings.Contains(err.Error(), "M0 only") {
		t.Errorf("a store with an offset in s2: %v", err)
	}
	if err := m.try(assembleText(t, "s_store_dword s1, s[4:5], 0x0"), &state{}); err == nil || !strings.Contains(err.Error(), "out-of-bounds") && !strings.Contains(err.Error(), "near no allocation") {
		t.Errorf("a store to address 0: %v", err)
	}
}
