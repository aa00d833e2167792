package ptx

import (
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/num"
)

// selectors reads the parts that video instructions select from their operands (PTX 9.7.19), by the
// name of the selector in forms. The result is the numbers of the parts, from the lowest element
// on.
var selectors = map[string]func(s string) (parts []uint8, ok bool){
	// A byte or half-word of a scalar operand: 1 to 4, 5 and 6.
	"part": func(s string) ([]uint8, bool) {
		i := slices.Index([]string{"b0", "b1", "b2", "b3", "h0", "h1"}, s)
		return []uint8{uint8(i + 1)}, i >= 0
	},
	"mask2": func(s string) ([]uint8, bool) { return digits(s, "h", 1, 2, 1, true) },
	"mask4": func(s string) ([]uint8, bool) { return digits(s, "b", 1, 4, 3, true) },
	"sel2":  func(s string) ([]uint8, bool) { return digits(s, "h", 2, 2, 3, false) },
	"sel4":  func(s string) ([]uint8, bool) { return digits(s, "b", 4, 4, 7, false) },
}

// selectorText describes the values of each kind of selector.
var selectorText = map[string]string{
	"part":  "a register with .b0 to .b3, .h0 or .h1",
	"mask2": "a register with .h0, .h1 or .h10",
	"mask4": "a register with .b and some of the digits 3 to 0, falling",
	"sel2":  "a register with .h and two digits 0 to 3",
	"sel4":  "a register with .b and four digits 0 to 7",
}

// digits reads a selector of least to most digits, each at most limit. The last digit belongs to
// the lowest element. If falling, each digit is less than the one before.
func digits(s, prefix string, least, most int, limit byte, falling bool) (parts []uint8, ok bool) {
	s, ok = strings.CutPrefix(s, prefix)
	if !ok || len(s) < least || len(s) > most {
		return nil, false
	}
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] < '0' || s[i] > '0'+limit || falling && i > 0 && s[i-1] <= s[i] {
			return nil, false
		}
		parts = append(parts, s[i]-'0')
	}
	return parts, true
}

// videoOps maps a mnemonic, without the number of elements, to the first operation.
var videoOps = map[string]num.VideoOp{
	"vadd": num.VideoAdd, "vsub": num.VideoSub, "vabsdiff": num.VideoAbsDiff, "vmin": num.VideoMin, "vmax": num.VideoMax,
	"vshl": num.VideoShl, "vshr": num.VideoShr, "vavrg": num.VideoAvrg,
}

// videoControl packs the modifiers and selectors of the current instruction.
func (l *lifter) videoControl() num.VideoCtl {
	v := l.v
	c := num.VideoCtl{
		DSigned: v.mod("dtype") == "s32", ASigned: v.mod("atype") == "s32", BSigned: v.mod("btype") == "s32",
		Sat: v.has("sat"), Wrap: v.mod("mode") == "wrap", Add: v.has("add"), PlusOne: v.has("po"),
	}
	if cmp := v.mod("cmp"); cmp != "" {
		c.Op = num.VideoEq + num.VideoOp(slices.Index([]string{"eq", "ne", "lt", "le", "gt", "ge"}, cmp))
	} else {
		c.Op = videoOps[strings.TrimRight(v.row.mnemonic, "24")]
	}
	switch v.mod("op2") {
	case "add":
		c.Second = num.VideoThenAdd
	case "min":
		c.Second = num.VideoThenMin
	case "max":
		c.Second = num.VideoThenMax
	}
	switch v.mod("scale") {
	case "shr7":
		c.Shift = 7
	case "shr15":
		c.Shift = 15
	}
	for i, s := range v.ops {
		o := &l.in.Args[i]
		if o.Kind == KindNeg && len(o.List) > 0 {
			o = &o.List[0]
			if s.name == "c" {
				c.NegC = true
			} else {
				c.NegAB = !c.NegAB
			}
		}
		_, selector := o.unselected()
		l.videoSelector(&c, &s, selector)
	}
	return c
}

// videoSelector reads an operand's selector. Without a selector it uses the default (PTX
// 9.7.19.2.1): all elements of the result; the elements of a for a, those of b for b.
func (l *lifter) videoSelector(c *num.VideoCtl, s *opSpec, comp string) {
	if s.sel == "" {
		return
	}
	first := map[string]string{"mask2": "h10", "mask4": "b3210", "sel2": "h10", "sel4": "b3210"}
	if s.name == "b" {
		first = map[string]string{"sel2": "h32", "sel4": "b7654"}
	}
	if comp == "" {
		comp = first[s.sel]
	}
	parts, ok := selectors[s.sel](comp)
	if !ok {
		return // an optional part
	}
	packed := uint16(0)
	for i, p := range parts {
		packed |= uint16(p) << (3 * i)
	}
	switch {
	case s.sel == "part" && s.name == "a":
		c.A = parts[0]
	case s.sel == "part" && s.name == "b":
		c.B = parts[0]
	case s.sel == "part":
		c.D = parts[0]
	case s.name == "a":
		c.SelA = packed
	case s.name == "b":
		c.SelB = packed
	default:
		for _, p := range parts {
			c.Mask |= 1 << p
		}
	}
}

// video is d = op(a, b, c), with a control word made of the modifiers and selectors.
func video(op string) meaning {
	return meaning{ops: []string{op}, emit: func(l *lifter) {
		args := []ir.Ref{0, 0, l.b.Const(ir.B32, 0), l.b.Const(ir.B64, l.videoControl().Word())}
		for i := 1; i < len(l.v.ops); i++ {
			o := &l.in.Args[i]
			if o.Kind == KindNeg {
				o = &o.List[0]
			}
			whole, _ := o.unselected()
			args[i-1] = l.value(&whole, U32)
		}
		d, _ := l.dstOrSink(0).unselected()
		if d.Kind == KindReg {
			l.assign(&d, l.b.T(l.op(0), args...), false)
		}
	}}
}

// dstOrSink returns operand i, also if it is _.
func (l *lifter) dstOrSink(i int) *Operand { return &l.in.Args[i] }

// vmad allows a negated product or a negated c, but not both. Neither is allowed with .po (PTX
// 9.7.19.1.3).
var vmad = meaning{ops: []string{"VideoMad"}, emit: video("VideoMad").emit, check: func(c *checker, in *Instr, v *variant) {
	neg := func(i int) bool { return in.Args[i].Kind == KindNeg }
	if neg(1) != neg(2) && neg(3) {
		c.errorf(in.Args[3].Pos, diag.Input, codeOperand, "operand c of %s is negated, and so is the product of a and b: one of them may be", in.Op).Section = "PTX " + v.row.Sec
	}
}}

const (
	videoTypes = "; dtype atype btype = u32 s32"
	videoPairs = "; atype btype = u32 s32"
	videoCmp   = "; cmp = eq ne lt le gt ge"
	secondOps  = "; op2 = add min max"
	// wideSecond is a case of scalar video instructions that the manual does not describe.
)

// scalarVideo returns the forms of a scalar video instruction: alone, with a second operation, and
// merged into c.
func scalarVideo(mnemonic, about, mods, classes, sec string) []row {
	return []row{
		{Form: mnemonic + mods + " d, a{.part}, b{.part}" + classes, About: about, PTX: v(2, 0), SM: 20, Sec: sec, Do: video("Video"), Cost: costSlow},
		{Form: mnemonic + mods + ".op2 d, a{.part}, b{.part}, c:u32" + classes + secondOps, PTX: v(2, 0), SM: 20, Sec: sec, Do: video("Video"), Cost: costSlow, Undefined: wideSecond},
		{Form: mnemonic + mods + " d{.part}, a{.part}, b{.part}, c:u32" + classes, PTX: v(2, 0), SM: 20, Sec: sec, Do: video("Video"), Cost: costSlow},
	}
}

// vectorVideo returns the forms of a video instruction on n elements: merged into c, and summed.
func vectorVideo(mnemonic, about, n, sec string) []row {
	return []row{
		{Form: mnemonic + n + ".dtype.atype.btype{.sat} d{.mask" + n + "}, a{.sel" + n + "}, b{.sel" + n + "}, c:u32" + videoTypes, About: about, PTX: v(3, 0), SM: 30, Sec: sec, Do: video("Video" + n), Cost: costSlow},
		{Form: mnemonic + n + ".dtype.atype.btype.add d{.mask" + n + "}, a{.sel" + n + "}, b{.sel" + n + "}, c:u32" + videoTypes, PTX: v(3, 0), SM: 30, Sec: sec, Do: video("Video" + n), Cost: costSlow},
	}
}

// setVideo returns the form of vset on n elements.
func setVideo(n, about, sec string) []row {
	return []row{
		{Form: "vset" + n + ".atype.btype.cmp{.add} d{.mask" + n + "}, a{.sel" + n + "}, b{.sel" + n + "}, c:u32" + videoPairs + videoCmp, About: about, PTX: v(3, 0), SM: 30, Sec: sec, Do: video("Video" + n), Cost: costSlow},
	}
}

// Video instructions, PTX ISA 9.7.19.
var videoRows = slices.Concat(
	scalarVideo("vadd", "Add bytes, half-words or words.", ".dtype.atype.btype{.sat}", videoTypes, "9.7.19.1.1"),
	scalarVideo("vsub", "Subtract bytes, half-words or words.", ".dtype.atype.btype{.sat}", videoTypes, "9.7.19.1.1"),
	scalarVideo("vabsdiff", "The absolute difference of bytes, half-words or words.", ".dtype.atype.btype{.sat}", videoTypes, "9.7.19.1.1"),
	scalarVideo("vmin", "The lesser of two bytes, half-words or words.", ".dtype.atype.btype{.sat}", videoTypes, "9.7.19.1.1"),
	scalarVideo("vmax", "The greater of two bytes, half-words or words.", ".dtype.atype.btype{.sat}", videoTypes, "9.7.19.1.1"),
	scalarVideo("vshl", "Shift a byte, half-word or word left.", ".dtype.atype.u32{.sat}.mode", "; dtype atype = u32 s32; mode = clamp wrap", "9.7.19.1.2"),
	scalarVideo("vshr", "Shift a byte, half-word or word right.", ".dtype.atype.u32{.sat}.mode", "; dtype atype = u32 s32; mode = clamp wrap", "9.7.19.1.2"),
	[]row{
		{Form: "vmad.dtype.atype.btype{.sat}{.scale} d:u32, {-}a{.part}, {-}b{.part}, {-}c; scale = shr7 shr15" + videoTypes, About: "Multiply bytes, half-words or words and add a word.", PTX: v(2, 0), SM: 20, Sec: "9.7.19.1.3", Do: vmad, Cost: costSlow},
		{Form: "vmad.dtype.atype.btype.po{.sat}{.scale} d:u32, a{.part}, b{.part}, c:u32; scale = shr7 shr15" + videoTypes, PTX: v(2, 0), SM: 20, Sec: "9.7.19.1.3", Do: video("VideoMad"), Cost: costSlow},
	},
	scalarVideo("vset", "Compare bytes, half-words or words.", ".atype.btype.cmp", videoPairs+videoCmp, "9.7.19.1.4"),
	vectorVideo("vadd", "Add elements of vectors in words.", "2", "9.7.19.2.1"),
	vectorVideo("vsub", "Subtract elements of vectors in words.", "2", "9.7.19.2.1"),
	vectorVideo("vavrg", "The averages of elements of vectors in words.", "2", "9.7.19.2.1"),
	vectorVideo("vabsdiff", "The absolute differences of elements of vectors in words.", "2", "9.7.19.2.1"),
	vectorVideo("vmin", "The lesser of elements of vectors in words.", "2", "9.7.19.2.1"),
	vectorVideo("vmax", "The greater of elements of vectors in words.", "2", "9.7.19.2.1"),
	setVideo("2", "Compare elements of vectors in words.", "9.7.19.2.2"),
	vectorVideo("vadd", "Add elements of vectors in words.", "4", "9.7.19.2.3"),
	vectorVideo("vsub", "Subtract elements of vectors in words.", "4", "9.7.19.2.3"),
	vectorVideo("vavrg", "The averages of elements of vectors in words.", "4", "9.7.19.2.3"),
	vectorVideo("vabsdiff", "The absolute differences of elements of vectors in words.", "4", "9.7.19.2.3"),
	vectorVideo("vmin", "The lesser of elements of vectors in words.", "4", "9.7.19.2.3"),
	vectorVideo("vmax", "The greater of elements of vectors in words.", "4", "9.7.19.2.3"),
	setVideo("4", "Compare elements of vectors in words.", "9.7.19.2.4"),
)
