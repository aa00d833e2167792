package asm

import (
	"maps"
	"slices"
)

// Directives returns the names of the directives that the assembler knows, with their dots, in
// alphabetical order; those of .amdhsa_kernel blocks are among them.
func Directives() []string {
	list := slices.Collect(maps.Keys(directives))
	for _, r := range kernelRows() {
		list = append(list, ".amdhsa_"+r.name)
	}
	list = append(list, ".amdgcn_target", ".amdgpu_metadata", ".end_amdgpu_metadata", ".end_amdhsa_kernel", ".if", ".else", ".endif", ".endm", ".endr")
	slices.Sort(list)
	return slices.Compact(list)
}
