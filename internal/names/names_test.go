//go:build !js

package names

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, full, short string }{
		{"_Z4tileILb0EEvPKfPf", "void tile<false>(float const*, float*)", "tile<false>"},
		{"_ZZ4tileILb0EEvPKfPfE1t", "tile<false>(float const*, float*)::t", "t in tile<false>"},
		{"_ZZN3cub4scan3runIiEEvT_E4temp", "cub::scan::run<int>(int)::temp", "temp in cub::scan::run<int>"},
		{"_ZN3foo3barEi", "foo::bar(int)", "foo::bar"},
		{"_ZN8__main__5outer12_3clocals_3e1fB2v1B22cw51cXTLSUwv1sDUaKthoaE5ArrayIiLi1E1A7mutable7alignedE",
			"__main__::outer::_3clocals_3e::f[abi:v1][abi:cw51cXTLSUwv1sDUaKthoa](Array<int, 1, A, mutable, aligned>)", "__main__::outer::<locals>::f"}, // Numba
		{"_RNvC7mycrate6kernel", "mycrate::kernel", "mycrate::kernel"},
		{"_ZN5mylib6kernel17h0123456789abcdefE", "mylib::kernel", "mylib::kernel"},
		{"_ZL6helperi$2", "helper(int) of module 2", "helper of module 2"},
		{"_ZZ4tileILb0EEvPKfPfE1t$13__", "tile<false>(float const*, float*)::t of module 13", "t in tile<false> of module 13"},
		{"_Zwrong$2", "_Zwrong$2", "_Zwrong$2"},
		{"reduce$2", "reduce$2", "reduce$2"},
		{"reduce", "reduce", "reduce"},
		{"_Zwrong", "_Zwrong", "_Zwrong"},
		{"", "", ""},
	} {
		if got := Full(c.name); got != c.full {
			t.Errorf("Full(%q) = %q, want %q", c.name, got, c.full)
		}
		if got := Short(c.name); got != c.short {
			t.Errorf("Short(%q) = %q, want %q", c.name, got, c.short)
		}
	}
}

func TestInText(t *testing.T) {
	t.Parallel()
	const text = "lane 3 writes past _ZZ4tileILb0EEvPKfPfE1t, in _Z4tileILb0EEvPKfPf$2; not_Zthis, nor _Zwrong"
	const want = "lane 3 writes past t in tile<false>, in tile<false> of module 2; not_Zthis, nor _Zwrong"
	if got := InText(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLongNames checks a short mangled name that stands for a name of exponential length.
func TestLongNames(t *testing.T) {
	t.Parallel()
	name := "_Z1fI1a"
	for i := range 40 {
		digit := string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i%36])
		_ = digit
		name += "S_IS" + digit + "_S" + digit + "_E"
	}
	name += "EvT_"
	for _, got := range []string{Full(name), Short(name), InText(name)} {
		if len(got) > max(len(name), 1<<(maxLength+2)) {
			t.Errorf("%d characters of %d", len(got), len(name))
		}
	}
	if s := strings.Repeat("_Z4tileILb0EEvPKfPf ", 3); InText(s) != strings.Repeat("tile<false> ", 3) {
		t.Error(InText(s))
	}
}

func FuzzNames(f *testing.F) {
	f.Add("_ZZ4tileILb0EEvPKfPfE1t")
	f.Add("_RNvC7mycrate6kernel")
	f.Fuzz(func(t *testing.T, s string) { Full(s); Short(s); InText(s) })
}
