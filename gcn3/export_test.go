package gcn3

import (
	"encoding/binary"
	"math/rand/v2"
)

// RandomCode makes n pieces of code: most are instructions, and some are random words.
func RandomCode(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	rows := Rows()
	var code []byte
	for range n {
		if r.IntN(8) == 0 {
			code = binary.LittleEndian.AppendUint32(code, r.Uint32())
			continue
		}
		row := rows[r.IntN(len(rows))]
		e := Enc(r.IntN(4))
		if !row.Encs.Has(e) {
			e = E32
		}
		if !row.Encs.Has(e) {
			continue
		}
		if in, ok := randomInst(r, row, e); ok {
			if b, err := Encode(&in); err == nil {
				code = append(code, b...)
			}
		}
	}
	return code
}

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
