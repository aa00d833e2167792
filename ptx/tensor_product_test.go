package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	tensorShared = 32 << 10 // bytes of shared memory; 128 threads with 128 words each follow
	tensorA      = 16 << 10 // where A is there; B is at 0
)

// tensorProductKernel is a kernel of 128 threads. Thread t has lane t of Tensor Memory, of which 128 columns come from the data
// and go back. Thread 0 starts the product.
func tensorProductKernel(product string) string {
	words := make([]string, 128)
	var load, store strings.Builder
	for i := range words {
		words[i] = fmt.Sprintf("%%r%d", 100+i)
		fmt.Fprintf(&load, "\tld.global.b32 %s, [%%rd4+%d];\n", words[i], 4*i)
		fmt.Fprintf(&store, "\tst.global.b32 [%%rd4+%d], %s;\n", 4*i, words[i])
	}
	list := strings.Join(words, ", ")
	return fmt.Sprintf(`.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 data)
{
	.reg .pred %%p<9>;
	.reg .b32 %%r<300>;
	.reg .b64 %%rd<20>;
	.shared .align 1024 .b8 sm[%d];
	.shared .align 4 .b32 at;
	ld.param.u64 %%rd1, [data];
	mov.u32 %%r0, %%tid.x;
	mov.u64 %%rd2, sm;
	mul.wide.u32 %%rd3, %%r0, 4;
	add.u64 %%rd2, %%rd2, %%rd3;
	add.u64 %%rd3, %%rd1, %%rd3;
	mov.u32 %%r1, 0;
copy:
	ld.global.b32 %%r2, [%%rd3];
	st.shared.b32 [%%rd2], %%r2;
	add.u64 %%rd2, %%rd2, 512;
	add.u64 %%rd3, %%rd3, 512;
	add.u32 %%r1, %%r1, 512;
	setp.lt.u32 %%p2, %%r1, %d;
	@%%p2 bra copy;
	fence.proxy.async.shared::cta;
	shr.u32 %%r2, %%r0, 5;
	setp.ne.u32 %%p1, %%r2, 0;
	@%%p1 bra ready;
	mov.u32 %%r5, at;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%%r5], 128;
	tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
ready:
	bar.sync 0;
	ld.shared.b32 %%r3, [at];
	shl.b32 %%r2, %%r2, 21;
	add.u32 %%r4, %%r3, %%r2;
	mul.wide.u32 %%rd4, %%r0, 512;
	add.u64 %%rd4, %%rd4, %%rd1;
	add.u64 %%rd4, %%rd4, %d;
%s	tcgen05.st.sync.aligned.32x32b.x128.b32 [%%r4], {%s};
	tcgen05.wait::st.sync.aligned;
	tcgen05.fence::before_thread_sync;
	bar.sync 0;
	setp.ne.u32 %%p2, %%r0, 0;
	@%%p2 bra multiplied;
	tcgen05.fence::after_thread_sync;
	setp.eq.u32 %%p3, %%r0, 0;
	mov.u64 %%rd8, sm;
	and.b64 %%rd8, %%rd8, 262143;
	shr.u64 %%rd8, %%rd8, 4;
	add.u64 %%rd6, %%rd8, %d;
	add.u64 %%rd7, %%rd8, 0;
	mov.b64 %%rd9, 0x0000400800800000;
	or.b64 %%rd6, %%rd6, %%rd9;
	or.b64 %%rd7, %%rd7, %%rd9;
%s
multiplied:
	bar.sync 0;
	tcgen05.fence::after_thread_sync;
	tcgen05.ld.sync.aligned.32x32b.x128.b32 {%s}, [%%r4];
	tcgen05.wait::ld.sync.aligned;
%s	bar.sync 0;
	@%%p1 bra done;
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r3, 128;
done:
	ret;
}
`, tensorShared, tensorShared, tensorShared, load.String(), list, tensorA>>4, product, list, store.String())
}

// A tensorTest is a product: D in columns 0 to N-1, A in columns 64 on, metadata and scale factors from 96 on.
type tensorTest struct {
	op, kind    string
	a, b        string // types; a is "" if A is in Tensor Memory
	word        uint32 // without M and N
	m, n, k     int
	inMemory    bool // A is in Tensor Memory
	halve, keep int
	factor      int  // power of two that scale factors multiply a product by
	off, sparse bool // sparse: of each four elements of a row the first and the third are stored
}

// TestTensorProduct runs products of every kind and compares Tensor Memory with the product of the matrices. The layouts are
// those of PTX 9.7.17.10.5 as formulas, in the words of this test.
func TestTensorProduct(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 18))
	const f32 = 1 << 4
	for _, c := range []tensorTest{
		{kind: "f16", a: "f16", b: "f16", word: f32, m: 128, n: 64, k: 16, keep: 1},
		{kind: "f16", a: "f16", b: "f16", word: f32, m: 128, n: 48, k: 16},
		{kind: "f16", a: "bf16", b: "bf16", word: f32 | 1<<7 | 1<<10, m: 64, n: 8, k: 16, keep: 1, halve: 1},
		{kind: "f16", a: "f16", b: "f16", word: f32, m: 128, n: 64, k: 16, keep: 1, inMemory: true},
		{kind: "f16", a: "f16", b: "f16", word: f32, m: 64, n: 64, k: 16, keep: 1, inMemory: true},
		{kind: "tf32", a: "tf32", b: "tf32", word: f32 | 2<<7 | 2<<10, m: 128, n: 16, k: 8, keep: 1, off: true},
		{kind: "f8f6f4", a: "e4m3", b: "e5m2", word: f32 | 1<<10, m: 128, n: 32, k: 32, keep: 1},
		{kind: "i8", a: "s8", b: "u8", word: 2<<4 | 1<<7, m: 128, n: 32, k: 32, keep: 1},
		{op: ".ws", kind: "f16", a: "f16", b: "f16", word: f32, m: 32, n: 64, k: 16, keep: 1},
		{op: ".ws", kind: "f16", a: "f16", b: "f16", word: f32, m: 64, n: 64, k: 16, keep: 1, inMemory: true},
		{kind: "mxf8f6f4.block_scale", a: "e4m3", b: "e4m3", word: 1 << 23, m: 128, n: 64, k: 32, keep: 1, factor: 3},
		{op: ".sp", kind: "f16", a: "f16", b: "f16", word: f32 | 1<<2, m: 128, n: 32, k: 32, keep: 1, sparse: true},
		{op: ".sp", kind: "f8f6f4", a: "e4m3", b: "e4m3", word: f32 | 1<<2, m: 64, n: 32, k: 64, keep: 1, sparse: true},
		{op: ".ws.sp", kind: "f16", a: "f16", b: "f16", word: f32 | 1<<2, m: 64, n: 64, k: 32, keep: 1, sparse: true},
		{op: ".sp", kind: "mxf8f6f4.block_scale", a: "e4m3", b: "e4m3", word: 1<<23 | 1<<2, m: 128, n: 64, k: 64, factor: 2, sparse: true},
	} {
		runTensor(t, r, c)
	}
}

func runTensor(t *testing.T, r *rand.Rand, c tensorTest) {
	t.Helper()
	bytes := make([]byte, tensorShared+128*512)
	word := func(lane, column int) []byte { return bytes[tensorShared+lane*512+column*4:] }
	type at [2]int
	ma, mb, md := map[at]int{}, map[at]int{}, map[at]int{}
	number := func(kind string) int {
		if kind == "u8" {
			return r.IntN(4)
		}
		return r.IntN(7) - 3
	}
	// lane of row m, for column n.
	place := func(m, n int) (lane, column int) {
		switch {
		case c.m == 128:
			return m, n
		case strings.HasPrefix(c.op, ".ws") && c.m == 32:
			return m + 32*(n/(c.n/4)), n % (c.n / 4)
		case strings.HasPrefix(c.op, ".ws"):
			return m + 64*(n/(c.n/2)), n % (c.n / 2)
		}
		return m%16 + 32*(m/16), n
	}
	dtype := "f32"
	if c.kind == "i8" {
		dtype = "s32"
	}
	put := func(start, mn, k, bits int, v uint64) {
		b := k * bits / 8
		at := start + mn/8*128 + mn%8*16 + b/16*2048 + b%16
		for i := range bits / 8 {
			bytes[at+i] = byte(v >> (8 * i))
		}
	}
	for k := range c.k {
		for n := range c.n {
			x := number(c.b)
			mb[at{n, k}] = x
			put(0, n, k, typeBits[c.b], smallBits(x, c.b))
		}
		stored := k
		if c.sparse {
			if k%4%2 != 0 {
				continue
			}
			stored = k / 2
		}
		for m := range c.m {
			x := number(c.a)
			ma[at{m, k}] = x
			if !c.inMemory {
				put(tensorA, m, stored, typeBits[c.a], smallBits(x, c.a))
				continue
			}
			for _, n := range []int{0, c.n / 2} { // a copy for each group of columns
				lane, _ := place(m, n)
				binary.LittleEndian.PutUint16(word(lane, 64+k/2)[k%2*2:], uint16(smallBits(x, c.a)))
			}
		}
	}
	for m := range c.m {
		for n := range c.n {
			x := 2 * (r.IntN(5) - 2)
			md[at{m, n}] = x
			lane, column := place(m, n)
			v := uint32(x)
			if dtype == "f32" {
				v = math.Float32bits(float32(x))
			}
			binary.LittleEndian.PutUint32(word(lane, column), v)
		}
	}
	args := "[%r3], %rd6, %rd7"
	if c.inMemory {
		args = "[%r3+64], %rd7"
		args = "[%r3], " + args
	}
	v := c.word | uint32(c.n/8)<<17
	if c.factor == 0 {
		v |= uint32(c.m/16) << 24
	} else {
		v |= uint32(c.m/128) << 27
	}
	if c.sparse {
		args += ", [%r3+112]"
		for lane := range 128 {
			binary.LittleEndian.PutUint64(word(lane, 112), 0x8888888888888888) // first and third
		}
	}
	args += fmt.Sprintf(", %d", v)
	if c.factor > 0 {
		args += ", [%r3+96], [%r3+104]"
		for lane := range 128 {
			for i := range 4 {
				binary.LittleEndian.PutUint32(word(lane, 96+i), uint32(127+c.factor))
				binary.LittleEndian.PutUint32(word(lane, 104+i), 127)
			}
		}
	}
	if c.off {
		args += ", {0, 16, 0, 0}" // lane 36
	}
	args += map[int]string{0: ", !%p3", 1: ", %p3"}[c.keep]
	if c.halve > 0 {
		args += fmt.Sprintf(", %d", c.halve)
	}
	op := fmt.Sprintf("\ttcgen05.mma%s.cta_group::1.kind::%s %s;", c.op, c.kind, args)
	found, err := runMatrix(t, tensorProductKernel(op), bytes, 128)
	if err != nil || len(found) > 0 {
		t.Errorf("%s: %v %v", op, err, found)
		return
	}
	for m := range c.m {
		for n := range c.n {
			sum := 0
			for k := range c.k {
				sum += ma[at{m, k}] * mb[at{n, k}] << c.factor
			}
			if c.keep != 0 {
				sum += md[at{m, n}] >> c.halve
			}
			lane, column := place(m, n)
			if c.off && lane == 36 {
				sum = md[at{m, n}]
			}
			v := binary.LittleEndian.Uint32(word(lane, column))
			got := float64(int32(v))
			if dtype == "f32" {
				got = float64(math.Float32frombits(v))
			}
			if got != float64(sum) {
				t.Errorf("%s: D[%d,%d] is %v, want %d", op, m, n, got, sum)
				return
			}
		}
	}
}

// TestTensorProductFindings checks that wrong descriptors and addresses are named, and that their correct twins are not.
func TestTensorProductFindings(t *testing.T) {
	t.Parallel()
	const good = 1<<4 | 8<<17 | 8<<24 // f16, 128 by 64
	for _, c := range []struct{ before, args, want string }{
		{"", fmt.Sprint("[%r3], %rd6, %rd7, ", good), ""},
		{"", fmt.Sprint("[%r3], %rd6, %rd7, ", good|1<<6), "bits are set that have to be 0"},
		{"", fmt.Sprint("[%r3], %rd6, %rd7, ", good|1<<2), "bit 2 (sparse)"},
		{"", fmt.Sprint("[%r3+64], %rd6, %rd7, ", good), ""},
		{"", fmt.Sprint("[%r3+65], %rd6, %rd7, ", good), "D takes columns 65 to 128"},
		{"", fmt.Sprint("[%r3+0x100000], %rd6, %rd7, ", good), "has lane 16, and D has layout D"},
		{"", fmt.Sprint("[%r3+0x100000], %rd6, %rd7, ", good&^(8<<24)|4<<24), ""},
		{"\txor.b64 %rd7, %rd7, 0x400000000000;\n", fmt.Sprint("[%r3], %rd6, %rd7, ", good), "the descriptor of B"},
		{"\tor.b64 %rd7, %rd7, 0x3fff;\n", fmt.Sprint("[%r3], %rd6, %rd7, ", good), "the tile ends at"},
		{"", fmt.Sprint("[%r3], [%r3+64], %rd7, ", good), ""},
		{"", fmt.Sprint("[%r3], [%r3+124], %rd7, ", good), "A takes columns 124 to 131"},
	} {
		op := c.before + "\ttcgen05.mma.cta_group::1.kind::f16 " + c.args + ", %p3;"
		found, err := runMatrix(t, tensorProductKernel(op), make([]byte, tensorShared+128*512), 128)
		got := fmt.Sprint(found, err)
		if c.want == "" && (err != nil || len(found) > 0) || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %q", op, got, c.want)
		}
	}
}

// TestExplainTensorProduct checks the sentences about descriptors.
func TestExplainTensorProduct(t *testing.T) {
	t.Parallel()
	e, err := Explain("tcgen05.mma.cta_group::1.kind::tf32 [%r1], %rd1, %rd2, 0x08200910, %p1;", ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v", e)
	for _, want := range []string{"M = 128, N = 128, K = 8: D is f32, A is tf32, B is tf32", "layout D: row m of D is lane m; column n is column n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}
