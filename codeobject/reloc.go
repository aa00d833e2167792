package codeobject

import (
	"encoding/binary"
	"fmt"
)

// A RelocKind is an R_AMDGPU_* relocation type (AMDGPUUsage, "Relocation Records"). S is the
// symbol's value, A the addend, P the place that is changed, G the place of the symbol's entry in
// the global offset table, B the base address.
type RelocKind uint32

// The relocation types.
const (
	RelNone        RelocKind = 0
	RelAbs32Lo     RelocKind = 1  // (S + A) & 0xffffffff
	RelAbs32Hi     RelocKind = 2  // (S + A) >> 32
	RelAbs64       RelocKind = 3  // S + A
	Rel32          RelocKind = 4  // S + A - P
	Rel64          RelocKind = 5  // S + A - P
	RelAbs32       RelocKind = 6  // S + A
	RelGOTPC       RelocKind = 7  // G + A - P
	RelGOTPC32Lo   RelocKind = 8  // (G + A - P) & 0xffffffff
	RelGOTPC32Hi   RelocKind = 9  // (G + A - P) >> 32
	Rel32Lo        RelocKind = 10 // (S + A - P) & 0xffffffff
	Rel32Hi        RelocKind = 11 // (S + A - P) >> 32
	RelRelative64  RelocKind = 13 // B + A
	Rel16          RelocKind = 14 // ((S + A - P) - 4) / 4
	relocKindCount           = 15
)

type relocRow struct {
	kind     RelocKind
	name     string
	size     uint64 // number of bytes changed
	absolute bool   // depends on the base address
	got      bool   // against the global offset table
	shift    uint
}

// relocRows returns the relocation types.
func relocRows() [relocKindCount]relocRow {
	return [relocKindCount]relocRow{
		{RelNone, "R_AMDGPU_NONE", 0, false, false, 0},
		{RelAbs32Lo, "R_AMDGPU_ABS32_LO", 4, true, false, 0},
		{RelAbs32Hi, "R_AMDGPU_ABS32_HI", 4, true, false, 32},
		{RelAbs64, "R_AMDGPU_ABS64", 8, true, false, 0},
		{Rel32, "R_AMDGPU_REL32", 4, false, false, 0},
		{Rel64, "R_AMDGPU_REL64", 8, false, false, 0},
		{RelAbs32, "R_AMDGPU_ABS32", 4, true, false, 0},
		{RelGOTPC, "R_AMDGPU_GOTPCREL", 4, false, true, 0},
		{RelGOTPC32Lo, "R_AMDGPU_GOTPCREL32_LO", 4, false, true, 0},
		{RelGOTPC32Hi, "R_AMDGPU_GOTPCREL32_HI", 4, false, true, 32},
		{Rel32Lo, "R_AMDGPU_REL32_LO", 4, false, false, 0},
		{Rel32Hi, "R_AMDGPU_REL32_HI", 4, false, false, 32},
		{},
		{RelRelative64, "R_AMDGPU_RELATIVE64", 8, true, false, 0},
		{Rel16, "R_AMDGPU_REL16", 2, false, false, 0},
	}
}

func (k RelocKind) spec() (relocRow, bool) {
	if k >= relocKindCount || relocRows()[k].name == "" {
		return relocRow{}, false
	}
	return relocRows()[k], true
}

// String returns the name in the manual.
func (k RelocKind) String() string {
	if r, ok := k.spec(); ok {
		return r.name
	}
	return fmt.Sprintf("R_AMDGPU type %d", uint32(k))
}

// put stores the value at the start of b, with the width of the relocation.
func (k RelocKind) put(b []byte, v uint64) {
	r, _ := k.spec()
	v >>= r.shift
	switch r.size {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(int64(v-4)/4))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// fits reports whether the field can hold the value.
func (k RelocKind) fits(v uint64) bool {
	switch k {
	case Rel16:
		n := int64(v) - 4
		return n%4 == 0 && n/4 == int64(int16(n/4))
	case Rel32, RelGOTPC:
		return int64(v) == int64(int32(v))
	}
	return true
}

func alignUp(n, a uint64) uint64 { return (n + a - 1) / a * a }
