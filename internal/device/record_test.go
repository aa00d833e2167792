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
