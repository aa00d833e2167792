package asm

// A CodeFieldName is a name of a field of .amd_kernel_code_t.
type CodeFieldName struct {
	Name string
	Bits int
}

// CodeFieldNames returns all names of fields that gfx803 has and LLVM reads.
func CodeFieldNames() (list []CodeFieldName) {
	for _, f := range codeFields {
		if f.only != "" || f.name == scratchBacking {
			continue
		}
		list = append(list, CodeFieldName{f.name, f.width})
		if f.alias != "" {
			list = append(list, CodeFieldName{f.alias, f.width})
		}
	}
	return list
}
