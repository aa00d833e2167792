package exec

import (
	"runtime"
	"sync"

	"example.org/crosslane/internal/jit/isa"
)

// CPU describes the processor and its operating system.
type CPU struct {
	Best    isa.Tier
	Missing []string // the missing requirements of the next tier after Best
	Half    bool     // it has AVX512-FP16, which no tier requires
}

// Detect describes this machine. Callers must not change the result.
func Detect() CPU { return detected() }

// detected asks the processor once: under a hypervisor CPUID takes as long as to translate a
// small kernel.
var detected = sync.OnceValue(func() CPU {
	if !callable {
		return CPU{Missing: []string{"an amd64 processor (this is " + runtime.GOARCH + ")"}}
	}
	f := features{cpuid: cpuid, xcr0: xgetbv}
	return f.detect()
})

// features is the interface to a processor. Tests replace it.
type features struct {
	cpuid func(leaf, sub uint32) (a, b, c, d uint32)
	xcr0  func() uint32
}

// detect follows Intel SDM volume 1, 14.3, 14.4.1, 14.5.3, 14.7.1 and 15.2. LZCNT is reported
// in leaf 8000_0001h, as AMD's ABM.
func (f features) detect() CPU {
	var one, seven, sevenD, ext uint32
	if most, _, _, _ := f.cpuid(0, 0); most >= 1 {
		_, _, one, _ = f.cpuid(1, 0)
		if most >= 7 {
			_, seven, _, sevenD = f.cpuid(7, 0)
		}
	}
	if most, _, _, _ := f.cpuid(1<<31, 0); most >= 1<<31+1 {
		_, _, ext, _ = f.cpuid(1<<31+1, 0)
	}
	var xcr0 uint32
	if one>>27&1 != 0 { // OSXSAVE: without it XGETBV is an invalid instruction
		xcr0 = f.xcr0()
	}
	type need struct {
		name string
		ok   bool
	}
	bit := func(x uint32, n uint) bool { return x>>n&1 != 0 }
	tiers := [...][]need{
		isa.AVX2: {
			{"AVX", bit(one, 28)}, {"AVX2", bit(seven, 5)}, {"FMA", bit(one, 12)}, {"F16C", bit(one, 29)},
			{"BMI1", bit(seven, 3)}, {"BMI2", bit(seven, 8)}, {"LZCNT", bit(ext, 5)}, {"POPCNT", bit(one, 23)},
			{"an operating system that keeps 256-bit registers", xcr0&0x06 == 0x06},
		},
		// macOS gives a thread the AVX-512 state at its first use, and does not report it
		// before that; so on macOS the tier is AVX2.
		isa.AVX512: {
			{"AVX-512F", bit(seven, 16)}, {"AVX-512DQ", bit(seven, 17)}, {"AVX-512BW", bit(seven, 30)}, {"AVX-512VL", bit(seven, 31)},
			{"an operating system that keeps 512-bit registers", xcr0&0xe6 == 0xe6},
		},
	}
	var c CPU
	for t := isa.AVX2; t <= isa.AVX512; t++ {
		for _, n := range tiers[t] {
			if !n.ok {
				c.Missing = append(c.Missing, n.name)
			}
		}
		if c.Missing != nil {
			break
		}
		c.Best = t
	}
	c.Half = c.Best == isa.AVX512 && bit(sevenD, 23)
	return c
}
