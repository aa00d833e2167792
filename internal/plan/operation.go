package plan

import (
	"fmt"
	"math"
	"strings"

	"example.org/crosslane/api"
)

// An operation combines two values of 32 bits. All of these are associative (floats up to rounding)
// and commute.
type operation struct {
	name, typ string
	gcn3      string // "v_add_u32 D, vcc, A, B"
	ptx       string
	identity  uint32
	fold      func(a, b uint32) uint32
}

// operations lists the operations of reductions and scans.
func operations() []operation {
	signedOp := func(f func(a, b int32) int32) func(a, b uint32) uint32 {
		return func(a, b uint32) uint32 { return uint32(f(int32(a), int32(b))) }
	}
	float := func(f func(a, b float32) float32) func(a, b uint32) uint32 {
		return func(a, b uint32) uint32 {
			return math.Float32bits(f(math.Float32frombits(a), math.Float32frombits(b)))
		}
	}
	add := func(a, b uint32) uint32 { return a + b }
	return []operation{
		{"add", "u32", "v_add_u32 D, vcc, A, B", "add.u32 D, A, B;", 0, add},
		{"add", "s32", "v_add_u32 D, vcc, A, B", "add.s32 D, A, B;", 0, add},
		{"min", "u32", "v_min_u32 D, A, B", "min.u32 D, A, B;", math.MaxUint32, func(a, b uint32) uint32 { return min(a, b) }},
		{"max", "u32", "v_max_u32 D, A, B", "max.u32 D, A, B;", 0, func(a, b uint32) uint32 { return max(a, b) }},
		{"min", "s32", "v_min_i32 D, A, B", "min.s32 D, A, B;", math.MaxInt32, signedOp(func(a, b int32) int32 { return min(a, b) })},
		{"max", "s32", "v_max_i32 D, A, B", "max.s32 D, A, B;", 1 << 31, signedOp(func(a, b int32) int32 { return max(a, b) })},
		{"and", "u32", "v_and_b32 D, A, B", "and.b32 D, A, B;", math.MaxUint32, func(a, b uint32) uint32 { return a & b }},
		{"or", "u32", "v_or_b32 D, A, B", "or.b32 D, A, B;", 0, func(a, b uint32) uint32 { return a | b }},
		{"xor", "u32", "v_xor_b32 D, A, B", "xor.b32 D, A, B;", 0, func(a, b uint32) uint32 { return a ^ b }},
		{"add", "f32", "v_add_f32 D, A, B", "add.f32 D, A, B;", 1 << 31, float(func(a, b float32) float32 { return a + b })},
		{"min", "f32", "v_min_f32 D, A, B", "min.f32 D, A, B;", 0x7f800000, float(func(a, b float32) float32 { return min(a, b) })},
		{"max", "f32", "v_max_f32 D, A, B", "max.f32 D, A, B;", 0xff800000, float(func(a, b float32) float32 { return max(a, b) })},
	}
}

// readOperation reads an operation and its type; the defaults are add and u32.
func readOperation(w *words) (operation, error) {
	name, typ := "add", "u32"
	var names []string
	for _, o := range operations() {
		names = append(names, o.name+" "+o.typ)
		if len(w.list) > 0 && w.list[0] == o.name {
			name = o.name
		}
	}
	if len(w.list) > 0 && w.list[0] == name {
		w.list = w.list[1:]
	}
	if len(w.list) > 0 {
		typ = w.list[0]
		if strings.HasPrefix(typ, "b") {
			typ = strings.Replace(typ, "b32", "u32", 1)
		}
		w.list = w.list[1:]
	}
	for _, o := range operations() {
		if o.name == name && o.typ == typ {
			return o, nil
		}
	}
	return operation{}, bad("the operations are "+strings.Join(names, ", "), "%q: there is no such operation", w.text)
}

// text writes the operation. On GCN3 it may have the modifiers of DPP for A.
func (o *operation) text(isa api.ISA, d, a, b, dpp string) string {
	form := o.ptx
	if isa == api.GCN3 {
		name, rest, _ := strings.Cut(o.gcn3, " ")
		suffix := "_e32 "
		if dpp != "" {
			suffix = "_dpp "
		}
		form = name + suffix + rest + dpp
	}
	head, tail, _ := strings.Cut(form, " ")
	return head + " " + strings.NewReplacer("D", d, "A", a, "B", b).Replace(tail)
}

// identityText writes the identity as an operand.
func (o *operation) identityText(isa api.ISA) string {
	if isa == api.GCN3 {
		return constant(o.identity)
	}
	if o.typ == "f32" {
		return fmt.Sprintf("0f%08x", o.identity)
	}
	return fmt.Sprint(int32(o.identity))
}

// vectors are the inputs of the proofs of an operation for n lanes. For add of integers: ones in
// lanes that have a digit of base 4 each, so that a lane that counts twice shows. For every
// operation: values on one side of zero, which a wrong identity changes, and mixed ones.
func (o *operation) vectors(n int) [][]uint64 {
	var out [][]uint64
	if o.name == "add" && o.typ != "f32" {
		for from := 0; from < n; from += 16 {
			v := make([]uint64, n)
			for i := range 16 {
				v[from+i] = 1 << (2 * i)
			}
			out = append(out, v)
		}
	}
	seed := uint32(12345)
	for _, kind := range []string{"positive", "negative", "mixed"} {
		v := make([]uint64, n)
		for i := range v {
			seed = seed*1664525 + 1013904223
			x := int32(seed>>20&1023) + 1
			if kind == "negative" || kind == "mixed" && seed>>31 != 0 {
				x = -x
			}
			v[i] = uint64(uint32(x))
			if o.typ == "f32" {
				v[i] = uint64(math.Float32bits(float32(x)))
			}
			if o.name == "and" || o.name == "or" || o.name == "xor" {
				v[i] = uint64(seed ^ seed<<13)
			}
		}
		out = append(out, v)
	}
	return out
}
