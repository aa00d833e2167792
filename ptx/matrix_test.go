package ptx

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/matrix"
)

// TestMatrixProducts runs a sample of the spellings of mma and wmma.mma through the front end and
// an engine. The tests of package matrix compare the products themselves, and the layouts, with the
// manual. If the types are the same, the destinations are the registers of C.
func TestMatrixProducts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var s matrix.Scratch
	count, seen := 0, map[*row]bool{}
	allVariants(func(row *row, op string, v *variant) {
		if row.Do.frag == nil || row.mnemonic != "mma" && !strings.HasPrefix(op, "wmma.mma") {
			return
		}
		wmma := row.mnemonic == "wmma"
		o := v.productOp(wmma)
		quads := o.A == matrix.F16 && o.K == 4
		switch {
		case !wmma && !quads && o.D != o.C, quads && o.C == matrix.F32 && o.D != matrix.F32,
			o.A != o.B && (wmma || o.M == 16 && o.K == 8), o.ScaleVec == 2 && o.Scale == matrix.UE4M3:
			return // refused: see TestMatrixRefused
		}
		if count++; count%9 != 0 && seen[row] {
			return // outside the sample
		}
		seen[row] = true
		p := matrix.NewProduct(o)
		regs := func(l *matrix.Layout, name string) (text string, set []string) {
			for i := range l.Regs() {
				set = append(set, fmt.Sprintf("%%%s%d", name, i))
			}
			return "{" + strings.Join(set, ", ") + "}", set
		}
		at, la := regs(p.A, "a")
		bt, lb := regs(p.B, "b")
		ct, lc := regs(p.C, "c")
		dt, ld := regs(p.D, "d")
		if o.C == o.D {
			dt, ld = ct, lc
		}
		src := op + " " + strings.Join([]string{dt, at, bt, ct}, ", ")
		names := append(append(append([]string{}, la...), lb...), lc...)
		if o.Sparse {
			src += ", %e, 0"
			names = append(names, "%e")
		}
		if o.ScaleVec > 0 {
			src += ", %sa, {0, 1}, %sb, {0, 3}"
		}
		set := map[string][]uint64{}
		var in []unsafe.Pointer
		give := func(n string, f func(i int) uint64) {
			wide, narrow := new([32]uint64), new([32]uint32)
			for i := range wide {
				wide[i] = f(i)
				narrow[i] = uint32(wide[i])
			}
			set[n] = wide[:]
			if o.A == matrix.F64 {
				in = append(in, unsafe.Pointer(wide))
			} else {
				for i := range wide {
					wide[i] = uint64(narrow[i])
				}
				in = append(in, unsafe.Pointer(narrow))
			}
		}
		for _, n := range names {
			if n == "%e" {
				give(n, func(int) uint64 { return 0x4e4e4e4e })
			} else {
				give(n, func(int) uint64 { return r.Uint64() })
			}
		}
		if o.ScaleVec > 0 {
			give("%sa", func(i int) uint64 { return uint64(0x7f7f7f7f + i) })
			give("", func(int) uint64 { return 0 })
			give("", func(int) uint64 { return 1 })
			give("%sb", func(i int) uint64 { return uint64(0x7e7f7f7f - i) })
			give("", func(int) uint64 { return 0 })
			give("", func(int) uint64 { return 3 })
		}
		want := make([][32]uint64, p.D.Regs())
		var out []unsafe.Pointer
		for i := range want {
			out = append(out, unsafe.Pointer(&want[i]))
		}
		p.Run(in, out, ^uint32(0), &s)
		got := runTry(t, src+";", set)
		for i, n := range ld {
			for l := range 32 {
				w := want[i][l]
				if o.D != matrix.F64 {
					w = uint64((*[32]uint32)(out[i])[l])
				}
				if got[n][l] != w {
					t.Fatalf("%s: %s of lane %d is %#x, want %#x", src, n, l, got[n][l], w)
				}
			}
		}
	})
	t.Logf("%d spellings", count)
}

// TestMatrixRefused checks the combinations that the manual forbids in addition to the syntax
// lines.
func TestMatrixRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1}, {%b0,%b1}, {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};", ".dtype must be .f32"},
		{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 {%d0,%d1}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};", ".dtype must be the same"},
		{"mma.sync.aligned.m16n8k8.row.col.f32.bf16.tf32.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1}, {%b0,%b1}, {%c0,%c1,%c2,%c3};", ".atype must be the same"},
		{"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, {%a0,%a1}, {%b0,%b1}, {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7};", ".atype must be the same"},
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};", "want a vector of 4"},
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {0,0,0,0};", "want a .f32 register"},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1}, %b0, {%c0,%c1,%c2,%c3};", "one register in braces: {%b0}"},
		{"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, {%b0,%b1,%b2,%b3}, {%c0,%c1,%c2,%c3}, %e, 2;", "want 0 to 1"},
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d0,%d1}, [%rd1];", "want a vector of 4"},
	} {
		_, err := ParseTry("", c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.src, err, c.want)
		}
	}
	module := func(version, target, code string) error {
		m, l := Parse("t", ".version "+version+"\n.target "+target+"\n.address_size 64\n.entry k() { .reg .b32 %r<40>; .reg .f32 %f<8>; .reg .b64 %rd1; "+code+" ret; }")
		if len(l) > 0 {
			return l
		}
		return Check(m).Err()
	}
	mma80 := "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};"
	kind := "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};"
	load := "wmma.load.a.sync.m16n16k16.row.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1];"
	for _, c := range []struct{ version, target, code, want string }{
		{"7.0", "sm_80", mma80, ""}, {"6.5", "sm_75", mma80, "needs .version 7.0"}, {"7.0", "sm_75", mma80, "needs .target sm_80"},
		{"8.7", "sm_120a", kind, ""}, {"8.7", "sm_120", kind, "needs .target"}, {"8.8", "sm_120f", kind, ""}, {"8.7", "sm_90", kind, "needs .target"},
		{"6.2", "sm_70", load, ""}, {"6.3", "sm_70", load, "needs .aligned"},
	} {
		err := module(c.version, c.target, c.code)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %s: %v, want %q", c.version, c.target, c.code, err, c.want)
		}
	}
}
