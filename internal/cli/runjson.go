package cli

import (
	"io"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// runJSON is the result of run, schema crosslane.run/1. grid, block, kernel, isa and
// stats are missing when the kernel was not started.
type runJSON struct {
	Schema   string               `json:"schema"`
	File     string               `json:"file"`
	Kernel   string               `json:"kernel,omitempty"`
	ISA      crosslane.ISA        `json:"isa,omitempty"`
	Grid     *[3]uint32           `json:"grid,omitempty"`
	Block    *[3]uint32           `json:"block,omitempty"`
	Output   string               `json:"output,omitempty"` // the text that the kernel printed
	Buffers  []bufferJSON         `json:"buffers"`
	Findings diag.List            `json:"findings"`
	Stats    *crosslane.Stats     `json:"stats,omitempty"`
	Fidelity []crosslane.Fidelity `json:"fidelity,omitempty"`
}

type bufferJSON struct {
	Name  string         `json:"name"`
	Type  value.Type     `json:"type"`
	Shape []int          `json:"shape"`
	Data  elementsOfJSON `json:"data"`
}

// elementsOfJSON are elements in memory; integers are written with all their digits,
// NaN and the infinities as strings.
type elementsOfJSON struct {
	typ  value.Type
	data []byte
}

func (elementsOfJSON) jsonSchema() schemaObject {
	return schemaObject{"type": "array", "items": schemaObject{"type": []string{"number", "string"}}}
}

func (e elementsOfJSON) MarshalJSON() ([]byte, error) {
	n := len(e.data) / e.typ.Size()
	out := make([]byte, 0, 2+8*n)
	out = append(out, '[')
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = value.AppendJSON(out, e.typ, value.Get(e.typ, e.data, i))
	}
	return append(out, ']'), nil
}

func (j *runJSON) result(res *crosslane.Result, chosen []*crosslane.Buffer) {
	if res.Kernel != "" {
		j.Kernel = res.Kernel
	}
	if res.ISA != "" {
		j.ISA = res.ISA
	}
	j.Grid, j.Block = dims(res.Grid), dims(res.Block)
	j.Stats, j.Output = &res.Stats, res.Output
	for _, b := range chosen {
		j.Buffers = append(j.Buffers, bufferJSON{b.Name, value.Type(b.Type), b.Shape, elementsOfJSON{value.Type(b.Type), b.Data}})
	}
}

func dims(d crosslane.Dim3) *[3]uint32 {
	return &[3]uint32{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)}
}

func saveBuffer(b *crosslane.Buffer, name string, force bool) error {
	return writeFile(name, force, func(w io.Writer) error {
		return value.Write(w, name, value.Type(b.Type), b.Shape, b.Data)
	})
}
