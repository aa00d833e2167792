package fatbin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// Choose returns the PTX entry that a device runs: the one with the largest SM number that the
// device can run. A module of an architecture-specific target (sm_90a) runs on that architecture
// alone, one of a family-specific target (sm_100f) in its family. Of two modules with one number,
// Choose takes the more specific one. sm is the number of the device, 80 for sm_80; 0 stands for a
// device that runs everything. The error is a *diag.Diagnostic: of class Unsupported if no entry
// fits, of class Input if an entry cannot be read.
func (b *Binary) Choose(sm int) (*Entry, error) {
	var list []*Entry
	for _, e := range b.Entries {
		if e.Kind == PTX {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(x, y *Entry) int { return cmp.Compare(y.SM, x.SM) })
	var best *Entry
	var of ptx.Target
	for _, e := range list {
		if best != nil && e.SM < best.SM {
			break // it is not read
		}
		t, err := e.Target()
		if err != nil {
			return nil, err
		}
		if (sm == 0 || t.RunsOn(sm)) && (best == nil || rank(t) > rank(of)) {
			best, of = e, t
		}
	}
	if best == nil {
		return nil, b.none(sm)
	}
	return best, nil
}

// rank orders targets of one number: specific ones are the greatest.
func rank(t ptx.Target) int { return strings.IndexByte("\x00fa", t.Suffix) }

// none is the error that no entry fits; it lists the entries.
func (b *Binary) none(sm int) *diag.Diagnostic {
	pos := diag.Pos{File: b.name, Off: b.Off, HasOff: true}
	if len(b.Entries) == 0 {
		return diag.Errorf(pos, diag.Unsupported, CodeNoPTX, "the fat binary is empty")
	}
	device := ""
	if sm != 0 {
		device = fmt.Sprintf(" for sm_%d", sm)
	}
	d := diag.Errorf(pos, diag.Unsupported, CodeNoPTX, "the fat binary has no PTX%s; it has %s", device, b.Contents())
	lowest, text := b.Entries[0].SM, 0
	for _, e := range b.Entries {
		lowest = min(lowest, e.SM)
		if e.Kind == PTX && (text == 0 || e.SM < text) {
			text = e.SM
		}
	}
	if text != 0 {
		d.Remedy = fmt.Sprintf("run it on a device that it has PTX for (exec --device sm_%d), or compile it for this one: add %s to the flags of nvcc, or %s to those of clang", text, FlagNVCC(sm), FlagClang(sm))
		return d
	}
	d.Remedy = fmt.Sprintf("it was built without PTX: add code=compute_%d, as in nvcc %s; with clang add %s", lowest, FlagNVCC(lowest), FlagClang(lowest))
	return d
}

// FlagNVCC is the option of nvcc that adds PTX for sm_80 and so on.
func FlagNVCC(sm int) string { return fmt.Sprintf("-gencode arch=compute_%d,code=compute_%d", sm, sm) }

// FlagClang is the same for clang, which compiles for a number before it can add its PTX.
func FlagClang(sm int) string {
	return fmt.Sprintf("--offload-arch=sm_%d --cuda-include-ptx=sm_%d", sm, sm)
}

// maxListed is how many architectures of one kind a message lists.
const maxListed = 20

// Contents lists the entries by kind: "PTX for sm_75 and sm_90a; machine code for sm_90".
func (b *Binary) Contents() string {
	var lines []string
	var kinds []Kind
	for _, e := range b.Entries {
		if !slices.Contains(kinds, e.Kind) && len(kinds) < maxListed {
			kinds = append(kinds, e.Kind)
		}
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		var list []string
		for _, e := range b.Entries {
			s := e.describe()
			if t, err := e.Target(); err == nil && e.Kind == PTX {
				s = t.String()
			}
			if e.Kind == k && !slices.Contains(list, s) {
				if list = append(list, s); len(list) > maxListed {
					list[maxListed] = "more"
					break
				}
			}
		}
		last := len(list) - 1
		s := list[last]
		if last > 0 {
			s = strings.Join(list[:last], ", ") + " and " + s
		}
		lines = append(lines, k.String()+" for "+s)
	}
	return strings.Join(lines, "; ")
}
