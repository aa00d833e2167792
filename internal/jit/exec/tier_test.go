package exec

import (
	"strings"
	"testing"

	"example.org/crosslane/internal/jit/isa"
)

// fake is a processor with given leaves.
type fake struct{ one, seven, sevenD, ext, xcr0, most uint32 }

func (f fake) detect() CPU {
	return features{
		cpuid: func(leaf, sub uint32) (a, b, c, d uint32) {
			switch leaf {
			case 0:
				a = f.most
			case 1:
				c = f.one
			case 7:
				b, d = f.seven, f.sevenD
			case 1 << 31:
				a = 1<<31 + 1
			case 1<<31 + 1:
				c = f.ext
			}
			return
		},
		xcr0: func() uint32 { return f.xcr0 },
	}.detect()
}

// The bits are those of the tables of CPUID in Intel's manual (volume 2A).
func TestDetect(t *testing.T) {
	full := fake{one: 1<<12 | 1<<23 | 1<<27 | 1<<28 | 1<<29, seven: 1<<3 | 1<<5 | 1<<8 | 1<<16 | 1<<17 | 1<<30 | 1<<31, ext: 1 << 5, xcr0: 0xe7, most: 13}
	tests := []struct {
		name    string
		change  func(*fake)
		best    isa.Tier
		missing string
	}{
		{"all", func(*fake) {}, isa.AVX512, ""},
		{"no leaf 7", func(f *fake) { f.most = 6 }, isa.None, "AVX2, BMI1, BMI2"},
		{"FMA", func(f *fake) { f.one &^= 1 << 12 }, isa.None, "FMA"},
		{"POPCNT", func(f *fake) { f.one &^= 1 << 23 }, isa.None, "POPCNT"},
		{"OSXSAVE", func(f *fake) { f.one &^= 1 << 27 }, isa.None, "an operating system that keeps 256-bit registers"},
		{"AVX", func(f *fake) { f.one &^= 1 << 28 }, isa.None, "AVX"},
		{"F16C", func(f *fake) { f.one &^= 1 << 29 }, isa.None, "F16C"},
		{"BMI1", func(f *fake) { f.seven &^= 1 << 3 }, isa.None, "BMI1"},
		{"AVX2", func(f *fake) { f.seven &^= 1 << 5 }, isa.None, "AVX2"},
		{"BMI2", func(f *fake) { f.seven &^= 1 << 8 }, isa.None, "BMI2"},
		{"LZCNT", func(f *fake) { f.ext = 0 }, isa.None, "LZCNT"},
		{"YMM", func(f *fake) { f.xcr0 = 3 }, isa.None, "an operating system that keeps 256-bit registers"},
		{"F", func(f *fake) { f.seven &^= 1 << 16 }, isa.AVX2, "AVX-512F"},
		{"DQ", func(f *fake) { f.seven &^= 1 << 17 }, isa.AVX2, "AVX-512DQ"},
		{"BW", func(f *fake) { f.seven &^= 1 << 30 }, isa.AVX2, "AVX-512BW"},
		{"VL", func(f *fake) { f.seven &^= 1 << 31 }, isa.AVX2, "AVX-512VL"},
		{"ZMM", func(f *fake) { f.xcr0 = 7 }, isa.AVX2, "an operating system that keeps 512-bit registers"},
		{"opmask", func(f *fake) { f.xcr0 = 0xc7 }, isa.AVX2, "an operating system that keeps 512-bit registers"},
	}
	for _, test := range tests {
		f := full
		test.change(&f)
		f.sevenD = 1 << 23
		c := f.detect()
		if half := test.best == isa.AVX512; c.Half != half {
			t.Errorf("without %s: f16 %t", test.name, c.Half)
		}
		if got := strings.Join(c.Missing, ", "); c.Best != test.best || got != test.missing {
			t.Errorf("without %s: %s, missing %q; want %s, %q", test.name, c.Best, got, test.best, test.missing)
		}
	}
}

// TestDetectHere executes instructions of the tier that Detect reports; clobberCode of
// TestRegisters executes the rest.
func TestDetectHere(t *testing.T) {
	c := Detect()
	if c.Best < isa.AVX512 && len(c.Missing) == 0 {
		t.Errorf("%s, and nothing is missing", c.Best)
	}
	t.Logf("%s %v", c.Best, c.Missing)
}
