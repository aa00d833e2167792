// Package results holds what run, check and try answer, as JSON and as text: for the command line and for the page.
package results

import (
	"bytes"
	"encoding/json"
	"slices"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// Run is the result of run, schema crosslane.run/1. grid, block, kernel, isa and
// stats are missing when the kernel was not started.
type Run struct {
	Schema   string               `json:"schema"`
	File     string               `json:"file"`
	Kernel   string               `json:"kernel,omitempty"`
	ISA      crosslane.ISA        `json:"isa,omitempty"`
	Grid     *[3]uint32           `json:"grid,omitempty"`
	Block    *[3]uint32           `json:"block,omitempty"`
	Output   string               `json:"output,omitempty"` // the text that the kernel printed
	Buffers  []Buffer             `json:"buffers"`
	Findings diag.List            `json:"findings"`
	Stats    *crosslane.Stats     `json:"stats,omitempty"`
	Fidelity []crosslane.Fidelity `json:"fidelity,omitempty"`
}

// A Buffer is a buffer after a run.
type Buffer struct {
	Name  string     `json:"name"`
	Type  value.Type `json:"type"`
	Shape []int      `json:"shape"`
	Data  Elements   `json:"data"`
}

// Elements are elements in memory; integers are written with all their digits,
// NaN and the infinities as strings.
type Elements struct {
	Type value.Type
	Data []byte
}

// JSONSchema is the JSON Schema of what MarshalJSON writes.
func (Elements) JSONSchema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": []string{"number", "string"}}}
}

// MarshalJSON implements json.Marshaler.
func (e Elements) MarshalJSON() ([]byte, error) {
	n := len(e.Data) / e.Type.Size()
	out := make([]byte, 0, 2+8*n)
	out = append(out, '[')
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = value.AppendJSON(out, e.Type, value.Get(e.Type, e.Data, i))
	}
	return append(out, ']'), nil
}

// Took takes over a result, and the buffers that are shown.
func (j *Run) Took(res *crosslane.Result, chosen []*crosslane.Buffer) {
	if res.Kernel != "" {
		j.Kernel = res.Kernel
	}
	if res.ISA != "" {
		j.ISA = res.ISA
	}
	j.Grid, j.Block = dims(res.Grid), dims(res.Block)
	j.Stats, j.Output = &res.Stats, res.Output
	for _, b := range chosen {
		j.Buffers = append(j.Buffers, Buffer{b.Name, value.Type(b.Type), b.Shape, Elements{value.Type(b.Type), b.Data}})
	}
}

func dims(d crosslane.Dim3) *[3]uint32 {
	return &[3]uint32{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)}
}

// Chosen picks the buffers that are shown: those that print names, else those that the kernel wrote.
func Chosen(buffers []*crosslane.Buffer, print []string) []*crosslane.Buffer {
	var out []*crosslane.Buffer
	for _, b := range buffers {
		if len(print) > 0 && slices.Contains(print, b.Name) || len(print) == 0 && b.Written {
			out = append(out, b)
		}
	}
	return out
}

// Encode is a value as a line of JSON.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}
