package ptx

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// TestShuffleExamples runs the worked examples of PTX 9.7.9.5, in the legacy form
// and with .sync: inclusive scan, reverse scan and butterfly reduction of f32.
func TestShuffleExamples(t *testing.T) {
	t.Parallel()
	scan := func(mode, c, guard string) string {
		var b strings.Builder
		for _, n := range []string{"0x1", "0x2", "0x4", "0x8", "0x10"} {
			dst := "Ry"
			if guard != "" {
				dst = "Ry|p"
			}
			fmt.Fprintf(&b, "shfl.%s.b32 %s, Rx, %s, %s;\n%s add.f32 Rx, Ry, Rx;\n", mode, dst, n, c, guard)
		}
		return b.String()
	}
	in := make([]float32, 32)
	x := make([]uint64, 32)
	for i := range in {
		in[i] = float32(i*i%17) - 5
		x[i] = uint64(math.Float32bits(in[i]))
	}
	sum := func(lo, hi int) (s float32) { // small integers: exact in any order
		for _, v := range in[lo:hi] {
			s += v
		}
		return s
	}
	tests := []struct {
		src  string
		want func(lane int) float32
	}{
		{scan("up", "0x0", "@p"), func(i int) float32 { return sum(0, i+1) }},
		{scan("down", "0x1f", "@p"), func(i int) float32 { return sum(i, 32) }},
		{scan("bfly", "0x1f", ""), func(int) float32 { return sum(0, 32) }},
	}
	for _, tt := range tests {
		sync := strings.ReplaceAll(strings.ReplaceAll(tt.src, "shfl.", "shfl.sync."), ";\n@p", ", 0xffffffff;\n@p")
		sync = strings.ReplaceAll(sync, "0x1f;\n add", "0x1f, 0xffffffff;\n add")
		for _, src := range []string{tt.src, sync} {
			out := runTry(t, src, map[string][]uint64{"Rx": x})
			for i := range 32 {
				if got := math.Float32frombits(uint32(out["Rx"][i])); got != tt.want(i) {
					t.Fatalf("%s lane %d: got %v, want %v", src, i, got, tt.want(i))
				}
			}
		}
	}
}

// TestFunnelExamples runs the worked examples of PTX 9.7.8.7: shifts of 128 bits,
// rotates and extraction, for all amounts below 32.
func TestFunnelExamples(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 9))
	set := map[string][]uint64{}
	words := func(i int) *big.Int { // [r3,r2,r1,r0] of a lane
		v := new(big.Int)
		for w := 3; w >= 0; w-- {
			v.Lsh(v, 32).Or(v, new(big.Int).SetUint64(set[fmt.Sprintf("r%d", w)][i]))
		}
		return v
	}
	for i := range 32 {
		set["n"] = append(set["n"], uint64(i))
		for w := range 4 {
			name := fmt.Sprintf("r%d", w)
			set[name] = append(set[name], uint64(rnd.Uint32()))
		}
	}
	joined := func(out map[string][]uint64, i int) *big.Int { // [r7,r6,r5,r4]
		v := new(big.Int)
		for w := 7; w >= 4; w-- {
			v.Lsh(v, 32).Or(v, new(big.Int).SetUint64(out[fmt.Sprintf("r%d", w)][i]))
		}
		return v
	}
	mod := new(big.Int).Lsh(big.NewInt(1), 128)

	out := runTry(t, "shf.l.clamp.b32 r7,r2,r3,n; shf.l.clamp.b32 r6,r1,r2,n; shf.l.clamp.b32 r5,r0,r1,n; shl.b32 r4,r0,n;", set)
	for i := range 32 {
		want := new(big.Int).Lsh(words(i), uint(i))
		if want.Mod(want, mod); joined(out, i).Cmp(want) != 0 {
			t.Errorf("left by %d: got %x, want %x", i, joined(out, i), want)
		}
	}
	out = runTry(t, "shf.r.clamp.b32 r4,r0,r1,n; shf.r.clamp.b32 r5,r1,r2,n; shf.r.clamp.b32 r6,r2,r3,n; shr.s32 r7,r3,n;", set)
	for i := range 32 {
		v := words(i)
		if v.Bit(127) == 1 {
			v.Sub(v, mod)
		}
		if want := v.Rsh(v, uint(i)).Mod(v, mod); joined(out, i).Cmp(want) != 0 {
			t.Errorf("right by %d: got %x, want %x", i, joined(out, i), want)
		}
	}
	out = runTry(t, "shf.r.clamp.b32 right,r0,r0,n; shf.l.clamp.b32 left,r0,r0,n; shf.r.clamp.b32 field,r0,r1,n;", set)
	for i := range 32 {
		x := set["r0"][i]
		right := (x>>i | x<<(32-i)) & 0xffffffff
		left := (x<<i | x>>(32-i)) & 0xffffffff
		field := (set["r1"][i]<<32 | x) >> i & 0xffffffff
		if out["right"][i] != right || out["left"][i] != left || out["field"][i] != field {
			t.Errorf("n=%d: rotates %#x %#x, field %#x; want %#x %#x %#x", i, out["right"][i], out["left"][i], out["field"][i], right, left, field)
		}
	}
}

// TestFunnelWords follows the notes of PTX 9.7.8.7: it shifts two to six words by any distance. The
// code first moves whole words; then shf shifts the remaining 0 to 31 bits in place. A right shift
// begins at the least significant word and uses shr for the last one (u32: zeros, s32: copies of
// the sign). A left shift begins at the most significant word and uses shl for the last one.
func TestFunnelWords(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 10))
	for size := 2; size <= 6; size++ {
		set := map[string][]uint64{}
		reg := func(i int) string { return fmt.Sprintf("r%d", i) }
		for w := range size {
			for range 32 {
				set[reg(w)] = append(set[reg(w)], uint64(rnd.Uint32()))
			}
		}
		for l := range 32 {
			set["n"] = append(set["n"], uint64(l))
		}
		value := func(regs map[string][]uint64, l int) *big.Int {
			v := new(big.Int)
			for w := size - 1; w >= 0; w-- {
				v.Lsh(v, 32).Or(v, new(big.Int).SetUint64(regs[reg(w)][l]))
			}
			return v
		}
		mod := new(big.Int).Lsh(big.NewInt(1), uint(32*size))
		for words := range size {
			for _, kind := range []string{"left", "u32", "s32"} {
				var src strings.Builder
				op := func(format string, args ...any) { fmt.Fprintf(&src, format+";\n", args...) }
				if kind == "left" {
					for w := size - 1; w >= 0; w-- {
						if from := w - words; from >= 0 {
							op("mov.b32 %s, %s", reg(w), reg(from))
						} else {
							op("mov.b32 %s, 0", reg(w))
						}
					}
					for w := size - 1; w > 0; w-- {
						op("shf.l.clamp.b32 %s, %s, %s, n", reg(w), reg(w-1), reg(w))
					}
					op("shl.b32 r0, r0, n")
				} else {
					op("shr.%s sign, %s, 31", kind, reg(size-1))
					if kind == "u32" {
						op("mov.b32 sign, 0")
					}
					for w := range size {
						if from := w + words; from < size {
							op("mov.b32 %s, %s", reg(w), reg(from))
						} else {
							op("mov.b32 %s, sign", reg(w))
						}
					}
					for w := range size - 1 {
						op("shf.r.clamp.b32 %s, %s, %s, n", reg(w), reg(w), reg(w+1))
					}
					op("shr.%s %s, %s, n", kind, reg(size-1), reg(size-1))
				}
				out := runTry(t, src.String(), set)
				for l := range 32 {
					want, n := value(set, l), uint(32*words+l)
					switch kind {
					case "left":
						want.Lsh(want, n)
					case "s32":
						if want.Bit(32*size-1) == 1 {
							want.Sub(want, mod)
						}
						want.Rsh(want, n)
					default:
						want.Rsh(want, n)
					}
					if want.Mod(want, mod); value(out, l).Cmp(want) != 0 {
						t.Fatalf("%d words, %s by %d: got %x, want %x", size, kind, n, value(out, l), want)
					}
				}
			}
		}
	}
}

// TestFunnelRotates rotates by any amount. With .wrap the amount counts modulo 32. With .clamp, as
// in the manual's examples, amounts from 32 on leave the word unchanged.
func TestFunnelRotates(t *testing.T) {
	t.Parallel()
	set := map[string][]uint64{}
	for l := range 32 {
		set["x"] = append(set["x"], 0x80000001+uint64(l)*0x1020304)
		set["n"] = append(set["n"], []uint64{0, 1, 31, 32, 33, 63, 64, 0x80000000, 0xffffffff}[l%9])
	}
	out := runTry(t, "shf.l.wrap.b32 lw,x,x,n; shf.r.wrap.b32 rw,x,x,n; shf.l.clamp.b32 lc,x,x,n; shf.r.clamp.b32 rc,x,x,n; shf.l.clamp.b32 x,x,x,n", set)
	for l := range 32 {
		x, n := uint32(set["x"][l]), set["n"][l]
		turn := func(n uint64) uint32 { // rotates to the left, bit by bit
			r := uint32(0)
			for i := range uint64(32) {
				r |= x >> i & 1 << ((i + n) % 32)
			}
			return r
		}
		for name, want := range map[string]uint32{
			"lw": turn(n % 32), "rw": turn(32 - n%32), "lc": turn(min(n, 32)), "rc": turn(32 - min(n, 32)), "x": turn(min(n, 32)),
		} {
			if got := uint32(out[name][l]); got != want {
				t.Errorf("%s of %#x by %d: %#x, want %#x", name, x, n, got, want)
			}
		}
	}
}

// TestShflVersions checks every published version against targets on both sides of the limits. The
// rules are: shfl exists from PTX 3.0 and sm_30, is deprecated from 6.0, and is removed from 6.4
// for sm_70; shfl.sync exists from 6.0 and sm_30; shf exists from 3.1 and sm_32.
func TestShflVersions(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, version := range published {
		for _, sm := range []int{20, 30, 32, 35, 50, 62, 70, 75, 80, 90} {
			at := func(major, minor int) bool {
				var x, y int
				if _, err := fmt.Sscanf(version, "%d.%d", &x, &y); err != nil {
					t.Fatal(err)
				}
				return x > major || x == major && y >= minor
			}
			for instr, want := range map[string]string{
				"shfl.up.b32 %r2|%p1, %r1, 1, 0;": firstOf(
					!at(3, 0), "needs-version", sm < 30, "needs-target",
					at(6, 4) && sm >= 70, "removed-instruction", at(6, 0), "deprecated-instruction"),
				"shfl.sync.up.b32 %r2|%p1, %r1, 1, 0, -1;": firstOf(!at(6, 0), "needs-version", sm < 30, "needs-target"),
				"shf.l.clamp.b32 %r2, %r1, %r3, %r4;":      firstOf(!at(3, 1), "needs-version", sm < 32, "needs-target"),
			} {
				m, errs := Parse("k.ptx", fmt.Sprintf(".version %s\n.target sm_%d\n.entry k()\n{\n\t.reg .b32 %%r<9>;\n\t.reg .pred %%p<9>;\n\t%s\n\tret;\n}\n", version, sm, instr))
				if len(errs) == 1 && errs[0].Code == "target-version" {
					continue // this version does not have the target
				}
				op, _, _ := strings.Cut(instr, " ")
				need := map[string][2]string{"shfl.up.b32": {"3.0", "sm_30"}, "shfl.sync.up.b32": {"6.0", "sm_30"}, "shf.l.clamp.b32": {"3.1", "sm_32"}}[op]
				text := map[string]string{
					"needs-version":          fmt.Sprintf("%s needs .version %s or later, the module has %s", op, need[0], version),
					"needs-target":           fmt.Sprintf("%s needs .target %s or higher, the module has sm_%d", op, need[1], sm),
					"removed-instruction":    fmt.Sprintf("%s was removed in PTX 6.4 for .target sm_70 and higher; the module has .version %s, .target sm_%d", op, version, sm),
					"deprecated-instruction": op + " is deprecated since PTX 6.0",
				}[want]
				got, said := "", ""
				l := append(errs, Check(m)...)
				for _, d := range l {
					got += d.Code
					said += d.Message
					if (d.Severity == diag.Warning) != (d.Code == "deprecated-instruction") {
						t.Errorf("%s: severity %v", d.Code, d.Severity)
					}
				}
				if got != want || said != text {
					t.Errorf(".version %s .target sm_%d %s: %v, want %q, %q", version, sm, instr, l, want, text)
				}
				if want != "" {
					seen[want]++
				}
			}
		}
	}
	for _, code := range []string{"needs-version", "needs-target", "removed-instruction", "deprecated-instruction"} {
		if seen[code] < 5 {
			t.Errorf("%s is wanted %d times: the table is broken", code, seen[code])
		}
	}
}

// firstOf returns the word after the first condition that holds.
func firstOf(list ...any) string {
	for i := 0; i < len(list); i += 2 {
		if list[i].(bool) {
			return list[i+1].(string)
		}
	}
	return ""
}
