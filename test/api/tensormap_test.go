package api_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/internal/tensormap"
)

// tensorKernel is a kernel for sm_100a with a map as its first parameter. Thread 0 of each block executes code, in which
// %rd1 is the address of the map, s the box in shared memory, bar the mbarrier object and %r5 zero. Then all threads copy the
// box to out, 16 bytes each.
func tensorKernel(code string, bytes int) string {
	return fmt.Sprintf(`.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out)
{
	.shared .align 1024 .b8 s[%[2]d];
	.shared .align 8 .b64 bar;
	.reg .b16 %%h<8>;
	.reg .b32 %%r<32>;
	.reg .b64 %%rd<16>;
	.reg .pred %%p<8>;
	mov.b64 %%rd0, map;
	cvta.param.u64 %%rd1, %%rd0;
	ld.param.u64 %%rd3, [in];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r5, 0;
	mov.b16 %%h0, 0;
	setp.ne.u32 %%p1, %%r1, 0;
	@%%p1 bra wait;
	mbarrier.init.shared.b64 [bar], 1;
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], %[2]d;
%[1]s
wait:
	bar.sync 0;
again:
	mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0;
	@!%%p2 bra again;
	ld.param.u64 %%rd2, [out];
	mov.u32 %%r3, s;
	mul.lo.u32 %%r2, %%r1, 16;
loop:
	setp.ge.u32 %%p3, %%r2, %[2]d;
	@%%p3 bra done;
	add.u32 %%r4, %%r3, %%r2;
	ld.shared.v4.u32 {%%r6, %%r7, %%r8, %%r9}, [%%r4];
	cvt.u64.u32 %%rd4, %%r2;
	add.u64 %%rd5, %%rd2, %%rd4;
	st.global.v4.u32 [%%rd5], {%%r6, %%r7, %%r8, %%r9};
	add.u32 %%r2, %%r2, 512;
	bra loop;
done:
	ret;
}
`, code, bytes)
}

// tensorOf makes a map of a dense tensor. Its address is that of the tensor's buffer.
func tensorOf(e tensormap.Elem, dims []uint64, box []int) tensormap.Map {
	m := tensormap.Map{Elem: e, Rank: len(dims)}
	size := uint64(e.Bits())
	for d := range dims {
		m.Dims[d], m.Box[d], m.Steps[d] = dims[d], box[d], 1
		m.Strides[d] = size / 8
		size *= dims[d]
	}
	m.Strides[0] = 0
	return m
}

// runTensor runs a kernel of one block and returns what it wrote to out, and the tensor.
func runTensor(t *testing.T, src string, m tensormap.Map, in []byte, n int, engine string) (out, tensor []byte, err error) {
	t.Helper()
	mod, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	k, err := mod.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	buf := &crosslane.Buffer{Name: "in", Type: "u8", Data: append([]byte(nil), in...)}
	out = make([]byte, n)
	words := m.Encode()
	arg := crosslane.Bytes{Data: words[:], Pointers: []crosslane.Pointer{{To: buf}}}
	l := crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Timeout: time.Minute, Engine: engine,
		Args: []crosslane.Arg{arg, buf, crosslane.Slice("out", out)}}
	res, err := k.Run(context.Background(), l)
	if err == nil && len(res.Findings) > 0 {
		err = res.Findings
	}
	return out, buf.Data, err
}

// swizzleBits applies the swizzle of 128, 64 or 32 bytes to an offset from a multiple of 1024.
func swizzleBits(s tensormap.Swizzle, at int) int {
	switch s {
	case tensormap.Swizzle128:
		return at ^ at/128%8*16
	case tensormap.Swizzle64:
		return at ^ at/128%4*16
	case tensormap.Swizzle32:
		return at ^ at/128%2*16
	}
	return at
}

// TestTensorLoad loads boxes at the edges of tensors of every rank, with every swizzle, on both engines.
func TestTensorLoad(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for rank := 1; rank <= 5; rank++ {
		for _, s := range []tensormap.Swizzle{tensormap.SwizzleNone, tensormap.Swizzle32, tensormap.Swizzle64, tensormap.Swizzle128} {
			dims, box := []uint64{72, 5, 4, 3, 2}[:rank], []int{16, 4, 2, 2, 1}[:rank]
			if s == tensormap.Swizzle64 || s == tensormap.Swizzle128 {
				box[0] = s.Bytes() / 2
			}
			m := tensorOf(tensormap.F16, dims, box)
			m.Swizzle = s
			total, n := 2, 2
			for d := range rank {
				total *= int(dims[d])
				n *= box[d]
			}
			in := make([]byte, total)
			for i := range in {
				in[i] = byte(r.Uint32())
			}
			at := []int{-3, 2, -1, 2, 1}[:rank]
			coords := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(at)), ", "), "[]")
			src := tensorKernel(fmt.Sprintf("\tcp.async.bulk.tensor.%dd.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [%%rd1, {%s}], [bar];", rank, coords), n)
			want := make([]byte, n)
			for i := range n / 2 {
				inside, off, rest := true, 0, i
				for d := range rank {
					x := at[d] + rest%box[d]
					rest /= box[d]
					inside = inside && x >= 0 && x < int(dims[d])
					step := 2
					for e := range d {
						step *= int(dims[e])
					}
					off += x * step
				}
				if inside {
					copy(want[swizzleBits(s, 2*i):], in[off:off+2])
				}
			}
			for _, engine := range []string{"interp", "jit"} {
				out, _, err := runTensor(t, src, m, in, n, engine)
				if err != nil {
					t.Errorf("rank %d, swizzle %d, %s: %v", rank, s, engine, err)
				} else if string(out) != string(want) {
					t.Errorf("rank %d, swizzle %d, %s:\n%x\n%x", rank, s, engine, out, want)
				}
			}
		}
	}
}

// TestTensorInstructions runs one form of each instruction. The tensor has 8 lines of 32 u32, each with its index.
func TestTensorInstructions(t *testing.T) {
	t.Parallel()
	const lines, width = 8, 32
	word := func(y, x int) uint32 { return uint32(y*width + x + 1) }
	in := make([]byte, 4*lines*width)
	for i := range lines * width {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(i+1))
	}
	const load = "\tcp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [%rd1, {8, 2}], [bar];\n"
	const wait = "first:\n\tmbarrier.try_wait.parity.shared.b64 %p4, [bar], 0;\n\t@!%p4 bra first;\n"
	const finish = "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n"
	tile := func(box ...int) tensormap.Map { return tensorOf(tensormap.U32, []uint64{width, lines}, box) }
	box := func(y, x int) uint32 { return word(2+y, 8+x) } // what load loads
	for _, c := range []struct {
		name, code string
		m          tensormap.Map
		out        func(y, x int) uint32 // of the box of 8x4; nil: not compared
		tensor     func(y, x int) uint32 // afterwards; nil: as before
	}{
		{"store", load + wait + "\tcp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {28, -1}], [s];\n" + finish, tile(8, 4), box, func(y, x int) uint32 {
			if x >= 28 && y < 3 {
				return box(y+1, x-28)
			}
			return word(y, x)
		}},
		{"reduce", load + wait + "\tcp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {0, 0}], [s];\n" + finish, tile(8, 4), box, func(y, x int) uint32 {
			if x < 8 && y < 4 {
				return word(y, x) + box(y, x)
			}
			return word(y, x)
		}},
		{"reduce xor", load + wait + "\tcp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group.L2::cache_hint [%rd1, {0, 6}], [s], %rd3;\n" + finish, tile(8, 4), box, func(y, x int) uint32 {
			if x < 8 && y >= 6 {
				return word(y, x) ^ box(y-6, x)
			}
			return word(y, x)
		}},
		{"gather", "\tcp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [s], [%rd1, {4, 7, 1, 9, 0}], [bar];\n", tile(8, 1), func(y, x int) uint32 {
			if y = []int{7, 1, 9, 0}[y]; y >= lines {
				return 0
			}
			return word(y, x+4)
		}, nil},
		{"scatter", load + wait + "\tcp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {0, 6, 1, 100, 3}], [s];\n" + finish, tile(8, 1), nil, func(y, x int) uint32 {
			if i := map[int]int{6: 1, 1: 2, 3: 4}[y]; i > 1 && x < 8 { // the load has one line only
				return 0
			} else if i == 1 && x < 8 {
				return box(0, x)
			}
			return word(y, x)
		}},
		{"coordinates in registers", "\tadd.u32 %r20, %r1, 8;\n\tadd.u32 %r21, %r1, 2;\n" + strings.Replace(load, "{8, 2}", "{%r20, %r21}", 1), tile(8, 4), box, nil},
		{"multicast", "\tmov.b16 %h1, 1;\n\tcp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd1, {8, 2}], [bar], %h1;\n", tile(8, 4), box, nil},
		{"pair", "\tmov.b16 %h1, 1;\n\tcp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::cache_hint [s], [%rd1, {8, 2}], [bar], %h1, %rd3;\n", tile(8, 4), box, nil},
		{"prefetch", "\tprefetch.param.tensormap [%rd0];\n\tcp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {8, 2}];\n" + load, tile(8, 4), box, nil},
		{"element strides", load, func() tensormap.Map { m := tile(8, 8); m.Steps[1] = 2; return m }(), func(y, x int) uint32 {
			if 2+2*y >= lines {
				return 0
			}
			return word(2+2*y, 8+x)
		}, nil},
	} {
		for _, engine := range []string{"interp", "jit"} {
			n := 8 * 4 * 4
			code := c.code
			if c.name == "scatter" { // the load of one line completes only 32 bytes
				code = strings.Replace(code, load, load+"\tmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 96;\n", 1)
				for i := 1; i < 4; i++ {
					code = fmt.Sprintf("\tst.shared.v4.u32 [s+%d], {0, 0, 0, 0};\n\tst.shared.v4.u32 [s+%d], {0, 0, 0, 0};\n", 32*i, 32*i+16) + code
				}
				code = strings.Replace(code, "{0, 0, 0, 0}", "{%r5, %r5, %r5, %r5}", 6)
			}
			out, tensor, err := runTensor(t, tensorKernel(code, n), c.m, in, n, engine)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, engine, err)
				continue
			}
			for i := 0; c.out != nil && i < 32; i++ {
				if got, want := binary.LittleEndian.Uint32(out[4*i:]), c.out(i/8, i%8); got != want {
					t.Errorf("%s, %s: word %d of the box is %d, want %d", c.name, engine, i, got, want)
					break
				}
			}
			for i := range lines * width {
				want := word(i/width, i%width)
				if c.tensor != nil {
					want = c.tensor(i/width, i%width)
				}
				if got := binary.LittleEndian.Uint32(tensor[4*i:]); got != want {
					t.Errorf("%s, %s: element (%d, %d) of the tensor is %d, want %d", c.name, engine, i%width, i/width, got, want)
					break
				}
			}
		}
	}
}

// TestTensorReplace builds a map of 128 zero bytes in shared memory, as compilers do, and uses it from global memory.
func TestTensorReplace(t *testing.T) {
	t.Parallel()
	m := tensorOf(tensormap.F16, []uint64{48, 6, 3}, []int{32, 4, 2})
	m.Strides[1], m.Strides[2], m.Swizzle, m.Steps[2] = 96, 96*6, tensormap.Swizzle64, 1
	in := make([]byte, 2*48*6*3)
	for i := range in {
		in[i] = byte(i * 7)
	}
	const bytes = 32 * 4 * 2 * 2
	const load = "\tcp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [%s, {16, 1, 1}], [bar];\n"
	want, _, err := runTensor(t, tensorKernel(fmt.Sprintf(load, "%rd1"), bytes), m, in, bytes, "")
	if err != nil {
		t.Fatal(err)
	}
	src := tensorKernel("", bytes)
	src = strings.Replace(src, ".visible", ".global .align 128 .b8 made[128];\n.visible", 1)
	src = strings.Replace(src, "\t.shared .align 1024", "\t.shared .align 128 .b8 t[128];\n\t.shared .align 1024", 1)
	build := "\tmov.u32 %r10, t;\n\tshl.b32 %r11, %r1, 2;\n\tadd.u32 %r11, %r11, %r10;\n\tst.shared.u32 [%r11], %r5;\n\tbar.warp.sync -1;\n\t@%p1 bra built;\n"
	replace := func(instr string) { build += "\t" + instr + ";\n" }
	replace("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [t], %rd3")
	replace("tensormap.replace.tile.rank.shared::cta.b1024.b32 [t], 2")
	for d, n := range []int{32, 4, 2} {
		replace(fmt.Sprintf("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [t], %d, %d", d, n))
		replace(fmt.Sprintf("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [t], %d, 1", d))
		replace(fmt.Sprintf("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [t], %d, %d", d, m.Dims[d]))
	}
	replace("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [t], 0, 96")
	replace("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [t], 1, 576")
	replace("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [t], 6")
	replace("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [t], 0")
	replace("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [t], 2")
	replace("tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [t], 0")
	replace("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [t], 0")
	build += "built:\n\tbar.warp.sync -1;\n\ttensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [made], [t], 128;\n\tmov.u64 %rd6, made;\n" +
		"\tfence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;\n"
	src = strings.Replace(src, "\t@%p1 bra wait;\n", build+"\t@%p1 bra wait;\n", 1)
	src = strings.Replace(src, "wait:\n", fmt.Sprintf(load, "%rd6")+"wait:\n", 1)
	for _, engine := range []string{"interp", "jit"} {
		out, _, err := runTensor(t, src, m, in, bytes, engine)
		if err != nil || string(out) != string(want) {
			t.Errorf("%s: %v\n%x\n%x", engine, err, out, want)
		}
	}
	for _, c := range [][2]string{
		{"box_dim.shared::cta.b1024.b32 [t], 1, 257", "the field of the tensor map cannot hold the value"},
		{"rank.shared::cta.b1024.b32 [t], 5", "cannot hold"},
		{"element_stride.shared::cta.b1024.b32 [t], 1, 0", "cannot hold"},
		{"global_stride.shared::cta.b1024.b64 [t], 1, 24", "cannot hold"},
		{"global_address.shared::cta.b1024.b64 [t], 24", "lane 0 of wave 0 in block (0,0,0) uses the tensor map at address"},
		{"rank.shared::cta.b1024.b32 [t], 1", "the instruction has 3 dimensions, and the map 2"},
		{"box_dim.shared::cta.b1024.b32 [t], 0, 64", "a line of the box has 128 bytes, more than the 64 of its swizzle mode"},
	} {
		bad := strings.Replace(src, "built:", "\ttensormap.replace.tile."+c[0]+";\nbuilt:", 1)
		if _, _, err := runTensor(t, bad, m, in, bytes, ""); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}

// TestTensorFaults: what a copy checks.
func TestTensorFaults(t *testing.T) {
	t.Parallel()
	m := tensorOf(tensormap.F32, []uint64{32, 8}, []int{8, 4})
	in := make([]byte, 32*8*4)
	load := func(dst, at string) string {
		return "\tmov.u32 %r10, s;\n\tcp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [" + dst + "], [" + at + "], [bar];\n"
	}
	for _, c := range []struct {
		code, want string
		in         int
	}{
		{load("s", "%rd1, {0, 0}"), "", len(in)},
		{load("%r10+64", "%rd1, {0, 0}"), "the address must be a multiple of 128 [misaligned]", len(in)},
		{load("%r10+1024", "%rd1, {0, 0}"), "writes 128 bytes at shared address 0x400: 888 bytes past the end", len(in)},
		{load("s", "%rd1, {0, 0}"), "reads 32 bytes at global address", 100},
		{load("s", "%rd1, {30, 7}"), "reads 8 bytes at global address", 100},
		{"\tmov.u32 %r10, s;\n\tcvt.u64.u32 %rd9, %r10;\n\tcvta.shared.u64 %rd9, %rd9;\n" + load("s", "%rd9, {0, 0}"), "wrong-space", len(in)},
		{"\tadd.u64 %rd9, %rd1, 32;\n" + load("s", "%rd9, {0, 0}"), "the address must be a multiple of 64 [misaligned]", len(in)},
	} {
		_, _, err := runTensor(t, tensorKernel(c.code, 128), m, in[:c.in], 128, "")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.code, err, c.want)
		}
	}
}

// TestTensorPriority: a change of the priority in caches has no effect, and its map is checked.
func TestTensorPriority(t *testing.T) {
	t.Parallel()
	m := tensorOf(tensormap.F32, []uint64{32, 8}, []int{8, 4})
	const priority = "\tapplypriority.async.bulk.tensor.2d.global.tile.bulk_group.L2::evict_normal [%rd1, {0, 0}];\n"
	src := tensorKernel(priority+"\tcp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd1, {0, 0}], [bar];\n", 128)
	src = strings.Replace(strings.Replace(src, ".version 8.6", ".version 9.4", 1), "sm_100a", "sm_107a", 1)
	if _, _, err := runTensor(t, src, m, make([]byte, 32*8*4), 128, ""); err != nil {
		t.Error(err)
	}
	m.Addr, m.Box[0] = 0, 6
	if _, _, err := runTensor(t, src, m, make([]byte, 32*8*4), 128, ""); err == nil || !strings.Contains(err.Error(), "a line of the box has 24 bytes") || !strings.Contains(err.Error(), "applypriority") {
		t.Error(err)
	}
}
