package sim

import (
	"fmt"

	"example.org/crosslane/internal/ir"
)

// Addresses of one space that are used as addresses of another one. In PTX the offset of a .shared variable
// and its generic address are different numbers; cvta and cvta.to convert them into each other. Code that
// forgets one of these, or applies it twice, yields addresses that no memory backs. The address that the
// right conversion would have given shows the likely cause.
//
// Input: the space of an access and an address in it.
// Output: a mistake: the object that the address names in another space, and a remedy.
// Example: ld.global at 16, and .shared a is at offset 0: "the offset of byte 16 of the .shared variable
// "a"".

// mistake names the object that an address seems to mean, and the remedy.
type mistake struct{ what, remedy string }

// also appends a mistake to the description of the address itself.
func also(m mistake) string {
	if m.what == "" {
		return ""
	}
	return "; it is " + m.what
}

// mistaken finds the object of an address that no memory backs, in another space. The result is empty if
// there is none, or if the code has no conversions of that kind.
func (x addressSpaces) mistaken(space ir.Space, addr uint64) mistake {
	if x.f.Exec != 0 || !x.mem.Wide() {
		return mistake{}
	}
	if ordinary := (ir.Windows{}); x.moved() {
		if s, at := ordinary.Resolve(ir.Generic, addr+x.f.Windows.Base(space), true); s != ir.Global {
			if what := x.holds(s, at); what != "" {
				return mistake{"the generic address of " + what + " with --schedule lowest-pc, not with this seed", fmt.Sprintf("make the address with cvta.%s: where a window of generic addresses begins is known at run time only", s)}
			}
		}
	}
	// Each case tries the conversions that may be missing or superfluous in its space.
	switch space {
	case ir.Generic, ir.Global:
		for _, s := range []ir.Space{ir.Shared, ir.Local} {
			if what := x.holds(s, addr); what != "" && addr < nearNull*16 {
				return mistake{"the offset of " + what, fmt.Sprintf("name the space, as in ld.%s, or turn the offset into a generic address with cvta.%s first; if it should be a pointer, check where it comes from", s, s)}
			}
		}
		if s, at := x.resolve(ir.Generic, addr); space == ir.Global && s != ir.Global {
			if what := x.holds(s, at); what != "" {
				return mistake{"the generic address of " + what, fmt.Sprintf("leave the space out, or name .%s and convert the address with cvta.to.%s", s, s)}
			}
		}
		for _, k := range x.windows() {
			if s, at := x.resolve(ir.Generic, addr-k.base); s != ir.Global && k.base&^ir.WindowMask != 0 {
				if what := x.holds(s, at); what != "" {
					return mistake{fmt.Sprintf("the result of cvta.%s on the generic address of %s", k.space, what), fmt.Sprintf("leave the second cvta.%s out: the address is generic already", k.space)}
				}
			}
		}
	case ir.Shared, ir.Local, ir.Param:
		if addr < 1<<32 {
			for _, k := range x.windows() {
				if low := k.base &^ ir.WindowMask; low != 0 {
					if what := x.holds(k.space, addr-low); what != "" {
						return mistake{"the low half of the generic address of " + what, cut(k.space)}
					}
				}
			}
			return mistake{}
		}
		if s, at := x.resolve(ir.Generic, addr); s != ir.Global {
			if what := x.holds(s, at); what != "" {
				return mistake{"the generic address of " + what, fmt.Sprintf("convert it with cvta.to.%s, or leave .%s out of the access", s, space)}
			}
		}
		for _, k := range x.windows() {
			if k.space != space || k.base&^ir.WindowMask == 0 {
				continue
			}
			g := addr + k.base
			s, at := x.resolve(ir.Generic, g)
			what := ""
			if s != ir.Global {
				what = x.holds(s, at)
			} else if a := x.mem.Find(g, 1); a != nil {
				what = fmt.Sprintf("%q in global memory", a.Name)
			}
			if s != space && what != "" {
				return mistake{fmt.Sprintf("the result of cvta.to.%s on the generic address of %s", space, what), fmt.Sprintf("convert addresses of .%s only; a generic access needs no cvta.to", space)}
			}
		}
	}
	return mistake{}
}

// moved reports whether the windows of generic addresses are at other places than in ordinary runs.
func (x addressSpaces) moved() bool { return x.f.Windows != ir.Windows{} }

// cut returns the remedy for a generic address of a space that was cut to 32 bits.
func cut(space ir.Space) string {
	text := fmt.Sprintf("convert the generic address with cvta.to.%s before it is cut to 32 bits", space)
	if space == ir.Shared {
		text += " (in CUDA: __cvta_generic_to_shared)"
	}
	return text
}

// holds names the object at an offset of a space; "" if there is none.
func (x addressSpaces) holds(space ir.Space, at uint64) string {
	switch {
	case space == ir.Shared && at < x.shared:
		for _, v := range x.f.SharedVars {
			if off := at - uint64(v.Off); at >= uint64(v.Off) && (v.Size == 0 || off < uint64(v.Size)) {
				if off == 0 {
					return fmt.Sprintf("the .shared variable %q", v.Name)
				}
				return fmt.Sprintf("byte %d of the .shared variable %q", off, v.Name)
			}
		}
		return fmt.Sprintf("byte %#x of shared memory", at)
	case space == ir.Local && at < x.local:
		return fmt.Sprintf("byte %#x of private memory", at)
	case space == ir.Param && at < x.param:
		return fmt.Sprintf("byte %d of the kernel's parameters", at)
	}
	return ""
}
