package ptx

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// tensorKernel is a kernel in which the threads of four warps have the address %r3 of Tensor Memory, with the lane of the warp, of
// an allocation of 512 columns. %rd1 is the address of 1024 bytes of a thread.
func tensorKernel(target, code string) string {
	return fmt.Sprintf(`.version 9.0
.target %s
.address_size 64
.visible .entry k(.param .u64 data)
{
	.reg .pred %%p<9>;
	.reg .b32 %%r<400>;
	.reg .b64 %%rd<20>;
	.shared .align 4 .b32 at;
	ld.param.u64 %%rd1, [data];
	mov.u32 %%r1, %%tid.x;
	mul.wide.u32 %%rd2, %%r1, 1024;
	add.u64 %%rd1, %%rd1, %%rd2;
	shr.u32 %%r2, %%r1, 5;
	setp.ne.u32 %%p1, %%r2, 0;
	@%%p1 bra ready;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 512;
	tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
ready:
	bar.sync 0;
	ld.shared.b32 %%r3, [at];
	shl.b32 %%r2, %%r2, 21;
	add.u32 %%r3, %%r3, %%r2;
%s	bar.sync 0;
	@%%p1 bra done;
	ld.shared.b32 %%r3, [at];
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r3, 512;
done:
	ret;
}
`, target, code)
}

// registers names n registers from a first one on.
func registers(first, n int) string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf("%%r%d", first+i)
	}
	return "{" + strings.Join(s, ", ") + "}"
}

// moveGlobal loads or stores n registers at the memory of the thread.
func moveGlobal(store bool, first, n int) string {
	var b strings.Builder
	for i := range n {
		if store {
			fmt.Fprintf(&b, "\tst.global.b32 [%%rd1+%d], %%r%d;\n", 4*i, first+i)
		} else {
			fmt.Fprintf(&b, "\tld.global.b32 %%r%d, [%%rd1+%d];\n", first+i, 4*i)
		}
	}
	return b.String()
}

// tensorShapes are the shapes of tcgen05.ld and tcgen05.st. at returns the lane of 16 or 32, and the column, of register r of lane
// l, in the words of PTX 9.7.17.2.3.
var tensorShapes = []struct {
	name     string
	regs     int
	at       func(l, r int) (lane, column int)
	halfLane bool
}{
	{"32x32b", 1, func(l, r int) (int, int) { return l, r }, false},
	{"16x64b", 1, func(l, r int) (int, int) { return l>>2 | l&1<<3, r<<1 | l>>1&1 }, true},
	{"16x128b", 2, func(l, r int) (int, int) { return l>>2 | r&1<<3, r>>1<<2 | l&3 }, true},
	{"16x256b", 4, func(l, r int) (int, int) { return l>>2 | r>>1&1<<3, r>>2<<3 | l&3<<1 | r&1 }, true},
	{"16x32bx2", 1, func(l, r int) (int, int) { return l & 15, r + l>>4*160 }, true},
}

// TestTensorMoves stores registers to Tensor Memory with every shape and loads them with 32x32b, and the other way round. The value
// of a cell says where it is.
func TestTensorMoves(t *testing.T) {
	t.Parallel()
	for _, s := range tensorShapes {
		for num := 1; num*s.regs <= 128; num *= 4 {
			n := num * s.regs
			for _, second := range []int{0, 16} {
				if second != 0 && !s.halfLane {
					continue
				}
				for _, store := range []bool{false, true} {
					split := ""
					if s.name == "16x32bx2" {
						split = ", 160"
					}
					where := fmt.Sprintf("[%%r4+%d]", second<<16+32)
					var code strings.Builder
					code.WriteString("\tmov.u32 %r4, %r3;\n")
					if store {
						code.WriteString(moveGlobal(false, 10, n))
						fmt.Fprintf(&code, "\ttcgen05.st.sync.aligned.%s.x%d.b32 %s%s, %s;\n\ttcgen05.wait::st.sync.aligned;\n", s.name, num, where, split, registers(10, n))
						for c := 0; c < 256; c += 128 { // columns 32 to 287
							fmt.Fprintf(&code, "\ttcgen05.ld.sync.aligned.32x32b.x128.b32 %s, [%%r3+%d];\n\ttcgen05.wait::ld.sync.aligned;\n", registers(200, 128), 32+c)
							code.WriteString(strings.ReplaceAll(moveGlobal(true, 200, 128), "%rd1+", fmt.Sprintf("%%rd1+%d+", 4*c)))
						}
					} else {
						for c := 0; c < 256; c += 128 {
							code.WriteString(strings.ReplaceAll(moveGlobal(false, 200, 128), "%rd1+", fmt.Sprintf("%%rd1+%d+", 4*c)))
							fmt.Fprintf(&code, "\ttcgen05.st.sync.aligned.32x32b.x128.b32 [%%r3+%d], %s;\n\ttcgen05.wait::st.sync.aligned;\n", 32+c, registers(200, 128))
						}
						fmt.Fprintf(&code, "\ttcgen05.ld.sync.aligned.%s.x%d.b32 %s, %s%s;\n\ttcgen05.wait::ld.sync.aligned;\n", s.name, num, registers(10, n), where, split)
						code.WriteString(moveGlobal(true, 10, n))
					}
					data := make([]byte, 128*1024)
					for i := range 128 * 256 {
						binary.LittleEndian.PutUint32(data[4*i:], uint32(i+1))
					}
					name := fmt.Sprintf("%s.x%d at lane %d, store %v", s.name, num, second, store)
					found, err := runMatrix(t, tensorKernel("sm_100a", code.String()), data, 128)
					if err != nil || len(found) > 0 {
						t.Fatalf("%s: %v %v", name, err, found)
					}
					for thread := range 128 {
						for r := range n {
							down, column := s.at(thread%32, r)
							cell := (thread&^31+second+down)*256 + column
							own := thread*256 + r
							from, to := cell, own
							if store {
								from, to = own, cell
							}
							if got := binary.LittleEndian.Uint32(data[4*to:]); got != uint32(from+1) {
								t.Fatalf("%s: register %d of thread %d has %d, want %d", name, r, thread, got, from+1)
							}
						}
					}
				}
			}
		}
	}
}

// TestTensorPacking loads and stores the low halves of two columns as one register.
func TestTensorPacking(t *testing.T) {
	t.Parallel()
	for _, s := range tensorShapes[:4] {
		n := 4 * s.regs
		code := moveGlobal(false, 200, 64) + "\ttcgen05.st.sync.aligned.32x32b.x64.b32 [%r3], " + registers(200, 64) + ";\n\ttcgen05.wait::st.sync.aligned;\n" +
			fmt.Sprintf("\ttcgen05.ld.sync.aligned.%s.x4.pack::16b.b32 %s, [%%r3];\n\ttcgen05.wait::ld.sync.aligned;\n", s.name, registers(10, n)) +
			fmt.Sprintf("\ttcgen05.st.sync.aligned.%s.x4.unpack::16b.b32 [%%r3+64], %s;\n\ttcgen05.wait::st.sync.aligned;\n", s.name, registers(10, n)) +
			"\ttcgen05.ld.sync.aligned.32x32b.x64.b32 " + registers(200, 64) + ", [%r3+64];\n\ttcgen05.wait::ld.sync.aligned;\n" + moveGlobal(true, 10, n) +
			strings.ReplaceAll(moveGlobal(true, 200, 64), "%rd1+", "%rd1+512+")
		data := make([]byte, 128*1024)
		value := func(lane, column int) uint32 { return uint32(lane<<24 | 0xabcd<<8 | column) }
		for thread := range 128 {
			for c := range 64 {
				binary.LittleEndian.PutUint32(data[1024*thread+4*c:], value(thread, c))
			}
		}
		if found, err := runMatrix(t, tensorKernel("sm_100a", code), data, 128); err != nil || len(found) > 0 {
			t.Fatalf("%s: %v %v", s.name, err, found)
		}
		for thread := range 128 {
			for r := range n {
				down, column := s.at(thread%32, r)
				lane := thread&^31 + down
				want := value(lane, 2*column)&0xffff | value(lane, 2*column+1)&0xffff<<16
				if got := binary.LittleEndian.Uint32(data[1024*thread+4*r:]); got != want {
					t.Fatalf("%s: register %d of thread %d is %#x, want %#x", s.name, r, thread, got, want)
				}
				for i := range 2 {
					if got, want := binary.LittleEndian.Uint32(data[1024*lane+512+4*(2*column+i):]), value(lane, 2*column+i)&0xffff; got != want {
						t.Fatalf("%s: lane %d, column %d is %#x, want %#x", s.name, lane, 2*column+i, got, want)
					}
				}
			}
		}
	}
}

// TestTensorReductions compares the result of tcgen05.ld.red with the least and greatest of the registers.
func TestTensorReductions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   string
		want func(a, b, c uint32) uint32
	}{
		{"min.u32", func(a, b, c uint32) uint32 { return min(a, b, c) }},
		{"max.u32", func(a, b, c uint32) uint32 { return max(a, b, c) }},
		{"min.s32", func(a, b, c uint32) uint32 { return uint32(min(int32(a), int32(b), int32(c))) }},
		{"max.s32", func(a, b, c uint32) uint32 { return uint32(max(int32(a), int32(b), int32(c))) }},
		// The values are a NaN, -2 and 1.
		{"min.f32", func(a, b, c uint32) uint32 { return 0xc0000000 }},
		{"max.f32", func(a, b, c uint32) uint32 { return 0x3f800000 }},
		{"max.abs.f32", func(a, b, c uint32) uint32 { return 0x40000000 }},
		{"min.abs.f32", func(a, b, c uint32) uint32 { return 0x3f800000 }},
		{"max.NaN.f32", func(a, b, c uint32) uint32 { return 0x7fffffff }},
	} {
		code := moveGlobal(false, 10, 4) + "\ttcgen05.st.sync.aligned.32x32b.x4.b32 [%r3], " + registers(10, 4) + ";\n\ttcgen05.wait::st.sync.aligned;\n" +
			"\ttcgen05.ld.red.sync.aligned.32x32b.x4." + c.op + " " + registers(20, 4) + ", %r24, [%r3];\n\ttcgen05.wait::ld.sync.aligned;\n" + moveGlobal(true, 20, 5)
		data := make([]byte, 128*1024)
		v := [4]uint32{0x7fc00001, 0xc0000000, 0x3f800000, 0x3f800000}
		for thread := range 128 {
			for i, x := range v {
				binary.LittleEndian.PutUint32(data[1024*thread+4*i:], x)
			}
		}
		if found, err := runMatrix(t, tensorKernel("sm_103a", code), data, 128); err != nil || len(found) > 0 {
			t.Fatalf("%s: %v %v", c.op, err, found)
		}
		for thread := range 128 {
			for i, x := range v {
				if got := binary.LittleEndian.Uint32(data[1024*thread+4*i:]); got != x {
					t.Fatalf("%s: register %d of thread %d is %#x, want %#x", c.op, i, thread, got, x)
				}
			}
			if got, want := binary.LittleEndian.Uint32(data[1024*thread+16:]), c.want(v[0], v[1], v[2]); got != want {
				t.Fatalf("%s: thread %d has %#x, want %#x", c.op, thread, got, want)
			}
		}
	}
}

// TestTensorAllocation allocates, frees and fills the columns, and expects a finding or fault of each broken rule, and none of
// a right use.
func TestTensorAllocation(t *testing.T) {
	t.Parallel()
	const (
		alloc  = "\ttcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], %d;\n\tbar.sync 0;\n\tld.shared.b32 %%r%d, [at];\n\tbar.sync 0;\n"
		free   = "\ttcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r%d, %d;\n"
		permit = "\ttcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
	)
	for _, c := range []struct{ name, code, want string }{
		{"two", fmt.Sprintf(alloc+alloc+free+alloc+free+free, 128, 20, 64, 21, 20, 128, 32, 22, 21, 64, 22, 32), ""},
		{"all", fmt.Sprintf(alloc+free, 512, 20, 20, 512), ""},
		{"permit", fmt.Sprintf(alloc+permit+free, 512, 20, 20, 512), ""},
		{"not freed", fmt.Sprintf(alloc, 32, 20), "tmem-leak: the block ends without freeing the 32 columns"},
		{"other size", fmt.Sprintf(alloc+free, 64, 20, 20, 32), "tmem-leak: it frees 32 columns of Tensor Memory of an allocation of 64"},
		{"other address", fmt.Sprintf(alloc+"\tadd.u32 %%r21, %%r20, 32;\n"+free+free, 64, 20, 21, 32, 20, 64), "tmem-leak: it frees the address 0x20"},
		{"after permit", permit + fmt.Sprintf(alloc+free, 64, 20, 20, 64), "tmem-leak: it allocates columns of Tensor Memory after"},
		{"growing", fmt.Sprintf(alloc+free+alloc+free, 32, 20, 20, 32, 64, 21, 21, 64), "tmem-leak: it allocates 64 columns of Tensor Memory, more than the 32"},
		{"no power of two", "\tmov.u32 %r9, 96;\n" + strings.Replace(fmt.Sprintf(alloc, 32, 20), "32;", "%r9;", 1), "tmem-leak: wave 0 in block (0,0,0) names 96 columns"},
		{"full", fmt.Sprintf(alloc+alloc, 512, 20, 32, 21), "deadlock: deadlock: wave 0 waits for 32 columns of Tensor Memory, of which 512 are allocated"},
		{"freed", fmt.Sprintf(alloc+free, 64, 20, 20, 64) + "\ttcgen05.ld.sync.aligned.32x32b.x1.b32 {%r21}, [%r20];\n", "tmem-bounds: wave 0 in block (0,0,0) accesses lanes 0 to 31 and columns 0 to 0"},
		{"beyond", fmt.Sprintf(alloc, 64, 20) + "\ttcgen05.ld.sync.aligned.16x64b.x4.b32 {%r21, %r22, %r23, %r24}, [%r20+57];\n", "tmem-bounds: wave 0 in block (0,0,0) accesses lanes 0 to 15 and columns 57 to 64"},
		{"second half", fmt.Sprintf(alloc, 64, 20) + "\ttcgen05.ld.sync.aligned.16x32bx2.x4.b32 {%r21, %r22, %r23, %r24}, [%r20], 61;\n", "tmem-bounds: wave 0 in block (0,0,0) accesses lanes 0 to 15 and columns 61 to 64"},
		{"lane", fmt.Sprintf(alloc, 64, 20) + "\ttcgen05.ld.sync.aligned.32x32b.x1.b32 {%r21}, [%r20+0x100000];\n", "tmem-lane: wave 0 in block (0,0,0) names lane 16"},
		{"other warp", fmt.Sprintf(alloc, 64, 20) + "\ttcgen05.ld.sync.aligned.16x64b.x1.b32 {%r21}, [%r20+0x200000];\n", "tmem-lane: wave 0 in block (0,0,0) names lane 32"},
	} {
		src := ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n\t.reg .b32 %r<40>;\n\t.shared .align 4 .b32 at;\n" + c.code + "\tret;\n}\n"
		found, err := runMatrix(t, src, make([]byte, 64), 32)
		if err != nil {
			found = diag.Of(err)
		}
		got := ""
		for _, d := range found {
			_, text, _ := strings.Cut(d.Message, ": ") // after the mnemonic
			got += d.Code + ": " + text + "; "
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// tensorCopyCases are the shapes of tcgen05.cp: the lines of the matrix, the 16-byte units of a line, and the lanes that receive a
// line, in the words of PTX 9.7.17.9.2.
var tensorCopyCases = []struct {
	name         string
	lines, units int
	to           func(i int) []int
}{
	{"128x256b", 128, 2, func(i int) []int { return []int{i} }},
	{"128x128b", 128, 1, func(i int) []int { return []int{i} }},
	{"4x256b", 4, 2, func(i int) []int { return []int{32 * i} }},
	{"64x128b.warpx2::02_13", 64, 1, func(i int) []int { return []int{i, i + 64} }},
	{"64x128b.warpx2::01_23", 64, 1, func(i int) []int { return []int{i&31 | i>>5<<6, i&31 | i>>5<<6 | 32} }},
	{"32x128b.warpx4", 32, 1, func(i int) []int { return []int{i, i + 32, i + 64, i + 96} }},
}

// TestTensorCopies copies matrices of every shape from shared memory with tcgen05.cp, waits for the commit, and loads them. Bytes of
// shared memory are their own addresses, so a cell says where it comes from.
func TestTensorCopies(t *testing.T) {
	t.Parallel()
	for n, c := range tensorCopyCases {
		for _, pack := range []string{"", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"} {
			swizzle := n % 2 * 2 * (c.units / 2) // none, or 128 bytes
			lead, stride := 128, 256
			if c.units == 1 {
				stride = 128
			}
			desc := uint64(lead>>4)<<16 | uint64(stride>>4)<<32 | 1<<46
			if swizzle != 0 {
				desc = 1<<16 | uint64(1024>>4)<<32 | 1<<46 | 2<<61
			}
			code := fmt.Sprintf(`	.shared .align 1024 .b8 sm[16384];
	.shared .align 8 .b64 bar;
	mov.u32 %%r5, sm;
	shl.b32 %%r6, %%r1, 7;
	add.u32 %%r5, %%r5, %%r6;
	mov.u32 %%r7, 0;
fill:
	add.u32 %%r8, %%r6, %%r7;
	mul.lo.u32 %%r8, %%r8, 2654435761;
	add.u32 %%r9, %%r5, %%r7;
	st.shared.u32 [%%r9], %%r8;
	add.u32 %%r7, %%r7, 4;
	setp.lt.u32 %%p2, %%r7, 128;
	@%%p2 bra fill;
	setp.ne.u32 %%p3, %%r1, 0;
	@!%%p3 mbarrier.init.shared.b64 [bar], 1;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@%%p3 bra wait;
	mov.u32 %%r5, sm;
	shr.u32 %%r5, %%r5, 4;
	cvt.u64.u32 %%rd5, %%r5;
	add.u64 %%rd5, %%rd5, %d;
	tcgen05.cp.cta_group::1.%s%s [%%r3+64], %%rd5;
	tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster%s;
wait:
	mbarrier.try_wait.parity.shared.b64 %%p4, [bar], 0;
	@!%%p4 bra wait;
	tcgen05.fence::after_thread_sync;
	tcgen05.ld.sync.aligned.32x32b.x8.b32 %s, [%%r3+64];
	tcgen05.wait::ld.sync.aligned;
%s`, desc, c.name, pack, []string{".b64 [bar]", ".multicast::cluster.b64 [bar], 1"}[n%2], registers(10, 8), moveGlobal(true, 10, 8))
			data := make([]byte, 128*1024)
			if found, err := runMatrix(t, tensorKernel("sm_100a", code), data, 128); err != nil || len(found) > 0 {
				t.Fatalf("%s%s: %v %v", c.name, pack, err, found)
			}
			for i := range c.lines {
				for u := range c.units {
					at := i/8*stride + i%8*16 + u*lead
					if swizzle != 0 {
						at = i*128 + u*16 ^ i%8<<4
					}
					var want [16]byte
					var src [16]byte
					for k := range 4 {
						binary.LittleEndian.PutUint32(src[4*k:], uint32(at+4*k)*2654435761)
					}
					switch want = src; pack {
					case ".b8x16.b4x16_p64":
						for k := range want {
							want[k] = src[k/2] >> (k % 2 * 4) & 15
						}
					case ".b8x16.b6x16_p32":
						for k := range want {
							bits := uint(src[k*6/8]) | uint(src[min(k*6/8+1, 15)])<<8
							want[k] = byte(bits>>(k*6%8)) & 63
						}
					}
					for _, lane := range c.to(i) {
						if got := data[1024*lane+16*u : 1024*lane+16*u+16]; string(got) != string(want[:]) {
							t.Fatalf("%s%s: line %d, unit %d in lane %d is %x, want %x", c.name, pack, i, u, lane, got, want)
						}
					}
				}
			}
		}
	}
}

// TestTensorShift moves 31 lanes of 8 columns.
func TestTensorShift(t *testing.T) {
	t.Parallel()
	code := moveGlobal(false, 10, 16) + "\ttcgen05.st.sync.aligned.32x32b.x16.b32 [%r3], " + registers(10, 16) + ";\n\ttcgen05.wait::st.sync.aligned;\n\tbar.sync 0;\n" +
		"\tsetp.eq.u32 %p2, %r1, 5;\n\t@%p2 tcgen05.shift.cta_group::1.down [%r3+0x400004];\n\tbar.sync 0;\n" +
		"\ttcgen05.ld.sync.aligned.32x32b.x16.b32 " + registers(10, 16) + ", [%r3];\n\ttcgen05.wait::ld.sync.aligned;\n" + moveGlobal(true, 10, 16)
	data := make([]byte, 128*1024)
	value := func(lane, c int) uint32 { return uint32(lane<<8 | c) }
	for thread := range 128 {
		for c := range 16 {
			binary.LittleEndian.PutUint32(data[1024*thread+4*c:], value(thread, c))
		}
	}
	if found, err := runMatrix(t, tensorKernel("sm_100a", code), data, 128); err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	for thread := range 128 {
		for c := range 16 {
			want := value(thread, c)
			if thread >= 64 && thread < 95 && c >= 4 && c < 12 {
				want = value(thread+1, c)
			}
			if got := binary.LittleEndian.Uint32(data[1024*thread+4*c:]); got != want {
				t.Fatalf("lane %d, column %d is %#x, want %#x", thread, c, got, want)
			}
		}
	}
}
