package ptx

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// This file transcribes the pseudo-code of PTX 9.7.19 a second time, on unbounded
// integers.

// part is the manual's partSelectSignExtend.
func part(x uint64, sel string, signed bool) *big.Int {
	w, at := uint(32), uint(0)
	switch {
	case strings.HasPrefix(sel, "b"):
		w, at = 8, uint(sel[1]-'0')*8
	case strings.HasPrefix(sel, "h"):
		w, at = 16, uint(sel[1]-'0')*16
	}
	return asInt(x>>at, w, signed)
}

func bigMin(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func bigMax(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

func videoCompare(cmp string, a, b *big.Int) *big.Int {
	return big.NewInt(int64(b01(manualOrder(cmp, a.Cmp(b) < 0, a.Cmp(b) == 0))))
}

// manualVideo computes the result of a video instruction as the manual states it. sel holds the
// selectors of d, a and b; neg reports whether a, b and c are negated.
func manualVideo(op string, sel [3]string, neg [3]bool, a, b, c uint64) uint64 {
	p := strings.Split(op, ".")
	z := func() *big.Int { return new(big.Int) }
	name := p[0]
	types := p[1:4]
	if strings.HasPrefix(name, "vset") {
		types = append([]string{"u32"}, p[1:3]...)
	}
	ds, as, bs := types[0] == "s32", types[1] == "s32", types[2] == "s32"
	cmp := ""
	for _, m := range p {
		if slices.Contains([]string{"eq", "ne", "lt", "le", "gt", "ge"}, m) {
			cmp = m
		}
	}
	first := func(name string, ta, tb *big.Int) *big.Int {
		switch name {
		case "vadd":
			return z().Add(ta, tb)
		case "vsub":
			return z().Sub(ta, tb)
		case "vabsdiff":
			return z().Abs(z().Sub(ta, tb))
		case "vmin":
			return bigMin(ta, tb)
		case "vmax":
			return bigMax(ta, tb)
		case "vavrg":
			s := z().Add(ta, tb)
			if s.Sign() >= 0 {
				s.Add(s, big.NewInt(1))
			}
			return s.Rsh(s, 1)
		}
		return videoCompare(cmp, ta, tb)
	}
	switch base := strings.TrimRight(name, "24"); {
	case base != name:
		n := int(name[len(name)-1] - '0')
		w := uint(32 / n)
		selA, selB, mask := sel[1], sel[2], sel[0]
		if n == 2 {
			selA, selB, mask = orElse(selA, "h10"), orElse(selB, "h32"), orElse(mask, "h10")
		} else {
			selA, selB, mask = orElse(selA, "b3210"), orElse(selB, "b7654"), orElse(mask, "b3210")
		}
		pick := func(s string, i int, signed bool) *big.Int {
			k := uint(s[len(s)-1-i] - '0')
			if k >= uint(n) {
				return asInt(b>>((k-uint(n))*w), w, signed)
			}
			return asInt(a>>(k*w), w, signed)
		}
		d := asInt(c, 32, false)
		if !has(p, "add") {
			d = z()
		}
		for i := range n {
			masked := strings.Contains(mask[1:], fmt.Sprint(i))
			t := first(base, pick(selA, i, as), pick(selB, i, bs))
			if has(p, "sat") {
				t = limit(t, w, ds)
			}
			switch {
			case has(p, "add") && masked:
				d.Add(d, t)
			case !has(p, "add"):
				if !masked {
					t = asInt(c>>(uint(i)*w), w, false)
				}
				d.Or(d, z().Lsh(z().And(t, mask8(w)), uint(i)*w))
			}
		}
		return bitsOf(d, 32)
	case name == "vmad":
		ta, tb := part(a, sel[1], as), part(b, sel[2], bs)
		product := z().Mul(ta, tb)
		negAB := neg[0] != neg[1]
		tc := asInt(c, 32, as || bs || negAB)
		if negAB {
			product.Neg(product)
		}
		if neg[2] {
			tc.Neg(tc)
		}
		tmp := z().Add(product, tc)
		if has(p, "po") {
			tmp.Add(tmp, big.NewInt(1))
		}
		if has(p, "shr7") {
			tmp.Rsh(tmp, 7)
		}
		if has(p, "shr15") {
			tmp.Rsh(tmp, 15)
		}
		if has(p, "sat") {
			tmp = limit(tmp, 32, as || bs || negAB || neg[2])
		}
		return bitsOf(tmp, 32)
	}
	ta, tb := part(a, sel[1], as), part(b, sel[2], bs)
	var tmp *big.Int
	switch name {
	case "vshl", "vshr":
		n := uint(tb.Uint64())
		if has(p, "wrap") {
			n &= 31
		} else {
			n = min(n, 32)
		}
		if name == "vshl" {
			tmp = z().Lsh(ta, n)
		} else {
			tmp = z().Rsh(ta, n)
		}
	default:
		tmp = first(name, ta, tb)
	}
	w := uint(32)
	switch {
	case strings.HasPrefix(sel[0], "b"):
		w = 8
	case strings.HasPrefix(sel[0], "h"):
		w = 16
	}
	if has(p, "sat") {
		tmp = limit(tmp, w, ds)
	}
	tmp = asInt(bitsOf(tmp, 33), 33, true) // .s33 optSaturate
	if op2 := p[len(p)-1]; !strings.HasPrefix(name, "vset") || len(p) > 4 {
		tc := asInt(c, 32, ds)
		switch op2 {
		case "add":
			return bitsOf(tmp.Add(tmp, tc), 32)
		case "min":
			return bitsOf(bigMin(tmp, tc), 32)
		case "max":
			return bitsOf(bigMax(tmp, tc), 32)
		}
	}
	if sel[0] == "" {
		return bitsOf(tmp, 32)
	}
	at := uint(sel[0][1]-'0') * w
	return bitsOf(tmp, w)<<at | c&^(bitsOf(mask8(w), w)<<at)&0xffffffff
}

func mask8(w uint) *big.Int { return mask(w) }

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// TestVideoRows runs every spelling of every video instruction with random selectors
// and negations, on corners and random words, against the transcription.
func TestVideoRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 719))
	masks4 := strings.Fields("b0 b1 b10 b2 b20 b21 b210 b3 b30 b31 b310 b32 b320 b321 b3210")
	selector := func(s *opSpec) string {
		switch s.sel {
		case "part":
			return strings.Fields("b0 b1 b2 b3 h0 h1")[r.IntN(6)]
		case "mask2":
			return strings.Fields("h0 h1 h10")[r.IntN(3)]
		case "mask4":
			return masks4[r.IntN(len(masks4))]
		case "sel2":
			return fmt.Sprintf("h%d%d", r.IntN(4), r.IntN(4))
		}
		return fmt.Sprintf("b%d%d%d%d", r.IntN(8), r.IntN(8), r.IntN(8), r.IntN(8))
	}
	n := 0
	allVariants(func(row *row, op string, v *variant) {
		if !strings.HasPrefix(row.Sec, "9.7.19.1.") && !strings.HasPrefix(row.Sec, "9.7.19.2.") {
			return
		}
		for round := range 2 {
			n++
			var sel [3]string
			var neg [3]bool
			var args []string
			in := map[string][]uint64{}
			for i := range v.ops {
				s := &v.ops[i]
				text := string("dabc"[i])
				if i > 0 {
					for range 32 {
						in[text] = append(in[text], pickOperand(r, U32))
					}
				}
				if s.sel != "" && (s.selMust || round == 1) {
					sel[i] = selector(s)
					text += "." + sel[i]
				}
				if s.minus && round == 1 && r.IntN(2) == 1 && !(i == 3 && neg[0] != neg[1]) {
					neg[i-1] = true
					text = "-" + text
				}
				args = append(args, text)
			}
			src := op + " " + strings.Join(args, ", ")
			out := runTry(t, src, in)
			for i := range 32 {
				a, b, c := in["a"][i], in["b"][i], uint64(0)
				if in["c"] != nil {
					c = in["c"][i]
				}
				if got, want := out["d"][i], manualVideo(op, sel, neg, a, b, c); got != want {
					t.Fatalf("%s with a = %#x, b = %#x, c = %#x: %#x, want %#x", src, a, b, c, got, want)
				}
			}
		}
	})
	if n < short.Of(1500, 800) {
		t.Errorf("only %d", n)
	}
	t.Logf("%d", n)
}

// TestVideoExamples runs examples whose results follow from the text.
func TestVideoExamples(t *testing.T) {
	t.Parallel()
	for _, e := range []struct {
		src        string
		a, b, c, d uint64
	}{
		{"vadd.s32.u32.s32.sat d, a.b0, b.h0", 0x12345680, 0xffff0001, 0, 0x81},
		{"vsub.s32.s32.u32.sat d, a.h1, b.h1", 0x80000000, 0x00010000, 0, 0xffff7fff},
		{"vabsdiff.s32.s32.s32.sat d.h0, a.b0, b.b2, c", 0x80, 0x007f0000, 0xaaaabbbb, 0xaaaa00ff},
		{"vabsdiff4.u32.u32.u32.add d, a, b, c", 0x01ff8000, 0x02018000, 1000, 1000 + 1 + 0xfe},
		{"vavrg2.s32.s32.s32 d, a, b, c", 0x00010002, 0x0002fffb, 0, 0x0002fffe},
		{"vmax4.u32.u32.u32 d.b20, a, b, c", 0x01020304, 0x04030201, 0xdddddddd, 0xdd03dd04},
		{"vset2.u32.u32.lt d, a, b, c", 0x00010005, 0x00020005, 0xffffffff, 0x00010000},
		{"vmad.u32.u32.u32.shr15 d, a.h0, b.h0, c", 0x8000, 0x7fff, 0x8000, 0x8000},
		{"vmad.s32.s32.u32.sat d, a, b, -c", 0x7fffffff, 2, 5, 0x7fffffff},
		{"vshl.u32.u32.u32.sat.clamp d, a, b", 1, 40, 0, 0xffffffff},
	} {
		out := runTry(t, e.src, map[string][]uint64{"a": {e.a}, "b": {e.b}, "c": {e.c}})
		if got := out["d"][0]; got != e.d {
			t.Errorf("%s: %#x, want %#x", e.src, got, e.d)
		}
	}
}

// TestVideoElements checks that the text after the name of a vector is an element, not a selector.
func TestVideoElements(t *testing.T) {
	t.Parallel()
	out := runTry(t, "vadd.u32.u32.u32 d, %tid.x, b.b1; vsub.s32.u32.u32 e, %tid.y, b.h0", map[string][]uint64{"b": slices.Repeat([]uint64{0x0302}, 32)})
	for lane, d := range out["d"] {
		if d != uint64(lane)+3 {
			t.Errorf("lane %d: d is %#x, want %#x", lane, d, lane+3)
		}
		if e := out["e"][lane]; e != 0xfffffcfe {
			t.Errorf("lane %d: e is %#x, want %#x", lane, e, 0xfffffcfe)
		}
	}
	text := ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .v2 .u32 v;\n.reg .u32 d;\n.reg .u64 p;\nmov.u32 v.x, 5;\nmov.u32 v.y, 7;\nvsub.u32.u32.u32 d, v.y, v.x;\nret;\n}\n"
	m, errs := Parse("k.ptx", text)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := Lift(m, "k"); err != nil {
		t.Fatal(err)
	}
}
