package device

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/session"
)

// chained adds a constant, a variable of the module and what a pointer in memory points at, and counts its launches in
// the variable.
const chained = `.version 7.0
.target sm_80
.address_size 64
.const .u32 scale = 100;
.global .u32 count = 5;
.global .u64 where[1] = { count };
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<6>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	ld.global.u64 %rd2, [%rd1];
	ld.global.u32 %r1, [%rd2];
	ld.const.u32 %r2, [scale];
	ld.global.u64 %rd3, [where];
	ld.global.u32 %r3, [%rd3];
	add.u32 %r4, %r3, 1;
	st.global.u32 [%rd3], %r4;
	add.u32 %r1, %r1, %r2;
	add.u32 %r1, %r1, %r3;
	st.global.u32 [%rd1+8], %r1;
	ret;
}
`

// A recorded launch, on another device, has the memory and the addresses that it had, and makes the same results.
func TestReplay(t *testing.T) {
	t.Parallel()
	m, err := session.Load([]byte(chained), "chained.ptx", api.Auto)
	if err != nil {
		t.Fatal(err)
	}
	must := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	d, err := New("sm_80", api.DeviceOptions{Check: true})
	must(err)
	var all []*Recorded
	d.UseRecorder(func(r *Recorded) {
		c := *r
		c.Memory = slices.Clone(r.Memory)
		for i := range c.Memory {
			c.Memory[i].Data, c.Memory[i].Undefined = slices.Clone(c.Memory[i].Data), slices.Clone(c.Memory[i].Undefined)
		}
		all = append(all, &c)
	})
	other, err := d.Load(m) // the second module has its variables elsewhere
	must(err)
	module, err := d.Load(m)
	must(err)
	module.SetImage([]byte(chained))
	k, err := module.Kernel("k")
	must(err)
	p, err := d.Alloc("list", 12, false)
	must(err)
	q, err := d.Alloc("far", 4, false)
	must(err)
	must(d.Write(p, binary.LittleEndian.AppendUint64(nil, uint64(q))), d.Write(q, []byte{7, 0, 0, 0}), other.Unload())
	params := binary.LittleEndian.AppendUint64(nil, uint64(p))
	out := make([]byte, 4)
	for i := range 3 {
		_, err := d.Default().Launch(t.Context(), k, api.DeviceLaunch{Params: params})
		must(err, d.Read(out, p+8))
		if got, want := binary.LittleEndian.Uint32(out), uint32(7+100+5+i); got != want {
			t.Fatalf("launch %d makes %d, want %d", i, got, want)
		}
	}
	for i, r := range all {
		m, err := session.Load(r.Image, r.Name, api.Auto)
		must(err)
		d, err := New("sm_80", api.DeviceOptions{Check: true})
		must(err)
		k, err := d.Replay(m, r)
		must(err)
		if first, count := d.find(uint64(p)).UndefinedBytes(0, 12); i == 0 && (first != 8 || count != 4) || i > 0 && count != 0 {
			t.Errorf("launch %d: %d undefined bytes from %d on", i, count, first)
		}
		_, err = d.Default().Launch(t.Context(), k, r.Launch)
		must(err)
		var names []string
		for _, x := range d.Changed(r) {
			names = append(names, x.Name)
			if got, want := binary.LittleEndian.Uint32(x.After[len(x.After)-4:]), uint32(7+100+5+i); x.Name == "list" && got != want {
				t.Errorf("launch %d makes %d again, want %d", i, got, want)
			}
		}
		if slices.Sort(names); !slices.Equal(names, []string{"count", "list"}) {
			t.Errorf("launch %d changes %v", i, names)
		}
	}
	all[0].HeapBytes = 3
	e, err := New("sm_80", api.DeviceOptions{})
	must(err)
	if _, err := e.Replay(m, all[0]); err == nil || !strings.Contains(err.Error(), "not recorded") {
		t.Errorf("%v", err)
	}
}

// heaped keeps a list on the heap: each launch adds a node with the number of the launch and, from the third one on, frees
// the last node. out[0] is the sum of the list, out[1] the address of the new node.
const heaped = `.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.global .align 8 .u64 head;
.global .align 4 .u32 launches;
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .pred %q<3>;
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, [launches]; add.u32 %r1, %r1, 1; st.global.u32 [launches], %r1;
	call (%rd2), malloc, (24);
	ld.global.u64 %rd3, [head];
	st.u64 [%rd2], %rd3; st.u32 [%rd2+8], %r1; st.global.u64 [head], %rd2;
	st.global.u64 [%rd1+8], %rd2;
	setp.lt.u32 %q0, %r1, 3; @%q0 bra sum;
	mov.u64 %rd4, %rd2;
next:
	ld.u64 %rd5, [%rd4]; ld.u64 %rd6, [%rd5]; setp.eq.u64 %q1, %rd6, 0; @%q1 bra last;
	mov.u64 %rd4, %rd5; bra next;
last:
	mov.u64 %rd7, 0; st.u64 [%rd4], %rd7; call free, (%rd5);
sum:
	mov.u32 %r2, 0; mov.u64 %rd4, %rd2;
more:
	ld.u32 %r3, [%rd4+8]; add.u32 %r2, %r2, %r3; ld.u64 %rd4, [%rd4]; setp.ne.u64 %q2, %rd4, 0; @%q2 bra more;
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// A recorded launch has the memory that kernels have allocated: it makes the same sums again, and the next malloc returns
// the same address. The undefined bytes of a node are undefined again.
func TestRecordedHeap(t *testing.T) {
	t.Parallel()
	m, err := session.Load([]byte(heaped), "k.ptx", api.Auto)
	must(t, err)
	d, err := New("sm_80", api.DeviceOptions{Check: true})
	must(t, err)
	var all []*Recorded
	d.UseRecorder(func(r *Recorded) {
		c := *r
		c.Memory = slices.Clone(r.Memory)
		for i := range c.Memory {
			c.Memory[i].Data, c.Memory[i].Undefined = slices.Clone(c.Memory[i].Data), slices.Clone(c.Memory[i].Undefined)
		}
		if r.Heap != nil {
			h := *r.Heap
			h.Memory = slices.Clone(h.Memory)
			for i := range h.Memory {
				h.Memory[i].Data, h.Memory[i].Undefined = slices.Clone(h.Memory[i].Data), slices.Clone(h.Memory[i].Undefined)
			}
			c.Heap = &h
		}
		all = append(all, &c)
	})
	module, err := d.Load(m)
	must(t, err)
	module.SetImage([]byte(heaped))
	k, err := module.Kernel("k")
	must(t, err)
	p, err := d.Alloc("out", 16, false)
	must(t, err)
	params := binary.LittleEndian.AppendUint64(nil, uint64(p))
	sums := []uint32{1, 1 + 2, 2 + 3, 3 + 4, 4 + 5}
	var results [][]byte
	for i, want := range sums {
		_, err := d.Default().Launch(t.Context(), k, api.DeviceLaunch{Params: params})
		must(t, err)
		out := make([]byte, 16)
		must(t, d.Read(out, p))
		if got := binary.LittleEndian.Uint32(out); got != want {
			t.Fatalf("launch %d sums to %d, want %d", i, got, want)
		}
		results = append(results, out)
	}
	for i, r := range all {
		d, err := New("sm_80", api.DeviceOptions{Check: true})
		must(t, err)
		m, err := session.Load(r.Image, r.Name, api.Auto)
		must(t, err)
		k, err := d.Replay(m, r)
		must(t, err)
		if i > 0 {
			node := d.mem.Find(binary.LittleEndian.Uint64(results[i-1][8:]), 24)
			if node == nil {
				t.Fatalf("launch %d: the node of the launch before is not there", i)
			}
			if first, count := node.UndefinedBytes(0, 24); first != 12 || count != 12 {
				t.Errorf("launch %d: %d undefined bytes from %d on, want 12 from 12 on", i, count, first)
			}
		}
		_, err = d.Default().Launch(t.Context(), k, r.Launch)
		must(t, err)
		out := make([]byte, 16)
		must(t, d.Read(out, p))
		if string(out) != string(results[i]) {
			t.Errorf("launch %d makes %x again, want %x", i, out, results[i])
		}
	}
	bad := *all[2]
	h := *bad.Heap
	h.Next = h.Memory[0].Base
	bad.Heap = &h
	e, err := New("sm_80", api.DeviceOptions{})
	must(t, err)
	if _, err := e.Replay(m, &bad); err == nil || !strings.Contains(err.Error(), "not where the heap has allocations") {
		t.Errorf("a heap that does not fit together: %v", err)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
