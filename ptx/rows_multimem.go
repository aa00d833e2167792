package ptx

import (
	"strings"
)

// Memory of several devices, PTX ISA 9.7.9.13, 9.7.9.15, 9.7.9.26.4.4, 9.7.9.26.4.5 and 9.7.14.8. A
// multimem address stands for the memories of all devices; Crosslane has one device (Errata E89).

// multimemRows makes the rows. They differ in the vectors that each type allows.
func multimemRows() []row {
	const (
		loads  = "multimem.ld_reduce{ORDER}{.global}"
		stores = "multimem.st{ORDER}{.global}"
		reds   = "multimem.red{.sem.scope}{.global}"
	)
	var rows []row
	var add func(form, needs string, do meaning)
	add = func(form, needs string, do meaning) {
		if strings.Contains(form, "{ORDER}") { // weak, or an order with its scope
			add(strings.Replace(form, "{ORDER}", ".sem.scope", 1), needs, do)
			form, _, _ = strings.Cut(strings.Replace(form, "{ORDER}", "{.weak}", 1), "; sem = ")
		}
		r := row{Form: form, PTX: v(8, 1), SM: 90, Sec: "9.7.9.15", Needs: needs, Do: do, Loose: true, Cost: costMemory, Undefined: multimemUndefined}
		if len(rows) == 0 {
			r.About = "Access the memories of all devices behind an address, of which there is one."
		}
		rows = append(rows, r)
	}
	const ldSem, stSem, redSem = "; sem = relaxed acquire", "; sem = relaxed release", "; sem = relaxed release"
	// Floating-point types, with the vectors that they allow.
	floats := []struct{ vec, types string }{
		{".vec.type %s; vec = v2 v4 v8; type = ", "f16 bf16"}, {"{.vec}.type %s; vec = v2 v4; type = ", "f16x2 bf16x2"},
		{"{.vec}.type %s; vec = v2 v4; type = ", "f32"}, {".type %s; type = ", "f64"},
	}
	narrow := []struct{ vec, formats, typ string }{
		{".vec.f8", "vec = v4 v8; f8 = e5m2 e4m3", "b8"}, {".vec.f8", "vec = v2 v4 v8; f8 = e5m2x2 e4m3x2", "b16"}, {"{.vec}.f8", "vec = v2 v4; f8 = e5m2x4 e4m3x4", "b32"},
	}
	load, store := ld, st
	load.indexes, store.indexes = false, false
	for _, c := range [][2]string{{"add", "u32 u64 s32"}, {"and or xor", "b32 b64"}, {"min max", "u32 u64 s32 s64"}} {
		add(loads+".op.type d, [a]; op = "+c[0]+"; type = "+c[1]+ldSem, "", load)
		add(reds+".op.type [a], b; op = "+c[0]+"; type = "+c[1]+redSem, "", atom)
	}
	add(stores+".type [a], b; type = b32 b64 u32 u64 s32 s64"+stSem, "", store)
	for _, c := range floats {
		ops, acc, needs := "add", "", ""
		if c.types[0] != 'f' || c.types[1] == '1' {
			ops, acc, needs = "add min max", "{.acc::f32}", ".acc::f32 8.2 sm_90"
		}
		list := func(operands string) string { return strings.Replace(c.vec, "%s", operands, 1) + c.types }
		add(loads+".op"+acc+list("d, [a]")+"; op = add"+ldSem, needs, multimemLoad)
		if ops != "add" {
			add(loads+".op"+list("d, [a]")+"; op = min max"+ldSem, "", multimemLoad)
		}
		add(stores+list("[a], b")+stSem, "", multimemStore)
		add(reds+".op"+list("[a], b")+"; op = add"+redSem, "", atom)
	}
	for _, c := range narrow {
		formats := c.formats[strings.Index(c.formats, "f8 = ")+5:]
		var names []string
		for _, f := range strings.Fields(formats) {
			names = append(names, "."+f)
		}
		needs := eightBit(strings.Join(names, " "))
		add(loads+".op{.acc::f16}"+c.vec+" d:"+c.typ+", [a]; op = add; "+c.formats+ldSem, needs+"; "+eightBit(".acc::f16"), multimemLoad)
		add(loads+".op"+c.vec+" d:"+c.typ+", [a]; op = min max; "+c.formats+ldSem, needs, multimemLoad)
		add(stores+c.vec+" [a], b:"+c.typ+"; "+c.formats+stSem, needs, multimemStore)
	}
	return append(rows,
		row{Form: "multimem.st.async.release.scope{.global}.type [a], b; scope = gpu sys; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", PTX: v(9, 3), SM: 100, Sec: "9.7.9.13", Do: storeRelease, Loose: true, Relaxed: true, Cost: costMemory, Undefined: multimemUndefined},
		row{Form: "multimem.red.async.release.scope{.global}.op.type [a], b; scope = gpu sys; op = add; type = u32 s32 u64", PTX: v(9, 3), SM: 100, Sec: "9.7.14.8", Do: reduceRelease, Loose: true, Cost: costMemory, Undefined: multimemUndefined},
		row{Form: "multimem.cp.async.bulk{.weak}.global.shared::cta.bulk_group [dm]:global, [sm]:shared, size:u32%16<1048576", PTX: v(9, 1), SM: 90, Sec: "9.7.9.26.4.4", Needs: bulkWeak, Do: bulkCopy, Cost: costMemory, Undefined: multimemBulk},
		row{Form: "multimem.cp.async.bulk.relaxed.scope.global.shared::cta.bulk_group.b128 [dm]:global, [sm]:shared, size:u32%16<1048576", PTX: v(9, 3), SM: 90, Sec: "9.7.9.26.4.4", Do: bulkCopy, Cost: costMemory, Undefined: multimemBulk},
		row{Form: "multimem.cp.async.bulk{.weak}.global.shared::cta.bulk_group.cp_mask [dm]:global, [sm]:shared, size:u32%16<1048576, bytes:u16", PTX: v(9, 1), SM: 100, Sec: "9.7.9.26.4.4", Needs: bulkWeak, Do: bulkCopy, Cost: costMemory, Undefined: multimemBulk},
		row{Form: "multimem.cp.async.bulk.relaxed.scope.global.shared::cta.bulk_group.cp_mask.b128 [dm]:global, [sm]:shared, size:u32%16<1048576, bytes:u16", PTX: v(9, 3), SM: 100, Sec: "9.7.9.26.4.4", Do: bulkCopy, Cost: costMemory, Undefined: multimemBulk},
		multimemReduce("add", "u32 s32 u64 f32 f64"), multimemReduce("min max", "u32 s32 u64 s64 f16 bf16"), multimemReduce("inc dec", "u32"), multimemReduce("and or xor", "b32 b64"),
		row{Form: "multimem.cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group.op.noftz.type [dm]:global, [sm]:shared, size:u32%16<1048576; op = add; type = f16 bf16 f32", PTX: v(9, 1), SM: 90, Sec: "9.7.9.26.4.5", Needs: "scope 9.3 sm_90; .f32 9.4 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: multimemBulk},
	)
}

func multimemReduce(ops, types string) row {
	return row{Form: "multimem.cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group.op.type [dm]:global, [sm]:shared, size:u32%16<1048576; op = " + ops + "; type = " + types,
		PTX: v(9, 1), SM: 90, Sec: "9.7.9.26.4.5", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: multimemBulk}
}

// eightBit returns the needs of the modifiers for 8-bit floating-point data in multimem
// instructions (PTX 9.7.9.15).
func eightBit(mods string) string {
	var s []string
	for _, m := range strings.Fields(mods) {
		s = append(s, m+" 8.6 sm_100f|sm_101f|sm_120a|sm_121a")
	}
	return strings.Join(s, "; ")
}

// multimemLoad loads a value. The reduction of one value is that value, and a conversion to
// .acc_prec and back is exact.
var multimemLoad = meaning{emit: func(l *lifter) {
	l.v = l.v.untypedElements(0)
	ld.emit(l)
}}

// multimemStore stores values, also of types that st does not have.
var multimemStore = meaning{emit: func(l *lifter) {
	l.v = l.v.untypedElements(1)
	st.emit(l)
}}

// untypedElements returns the variant whose type is the bit-size type of operand i.
func (v *variant) untypedElements(i int) *variant {
	w := *v
	w.typ = bitsType(v.args[i].Bits())
	return &w
}
