package amdgpu

import (
	"fmt"
	"strconv"
	"strings"
)

// modInfo is the notation of a modifier.
type modInfo struct {
	name string
	kind modKind
}

type modKind uint8

const (
	modFlag    modKind = iota // name alone
	modDec                    // name:decimal
	modHex                    // name:0xhex
	modSel                    // dst_sel:BYTE_0 …
	modUnused                 // dst_unused:UNUSED_PAD …
	modOMod                   // mul:2, mul:4, div:2
	modDPPCtrl                // quad_perm:[0,1,2,3], row_shl:1 …
	modBound                  // bound_ctrl:0 or bound_ctrl:1
	modFormat                 // format:[…]
	modMask                   // name:0xhex, or nothing if it is 0
	modHidden                 // no text
)

// modText is the notation of each modifier.
var modText = [NumMods]modInfo{
	ModClamp: {"clamp", modFlag}, ModOMod: {"omod", modOMod},
	ModDPPCtrl: {"dpp_ctrl", modDPPCtrl}, ModRowMask: {"row_mask", modHex}, ModBankMask: {"bank_mask", modHex}, ModBoundCtrl: {"bound_ctrl", modBound},
	ModDstSel: {"dst_sel", modSel}, ModDstUnused: {"dst_unused", modUnused}, ModSrc0Sel: {"src0_sel", modSel}, ModSrc1Sel: {"src1_sel", modSel},
	ModOffset: {"offset", modDec}, ModOffset0: {"offset0", modDec}, ModOffset1: {"offset1", modDec},
	ModGDS: {"gds", modFlag}, ModGLC: {"glc", modFlag}, ModSLC: {"slc", modFlag}, ModTFE: {"tfe", modFlag}, ModLDS: {"lds", modFlag},
	ModOffen: {"offen", modFlag}, ModIdxen: {"idxen", modFlag}, ModDFmt: {"dfmt", modFormat}, ModNFmt: {"nfmt", modFormat},
	ModHigh: {"high", modFlag}, ModDMask: {"dmask", modMask}, ModUnorm: {"unorm", modFlag}, ModR128: {"r128", modFlag}, ModLWE: {"lwe", modFlag},
	ModDA: {"da", modFlag}, ModD16: {"d16", modFlag}, ModEN: {"", modHidden}, ModDone: {"done", modFlag}, ModCompr: {"compr", modFlag}, ModVM: {"vm", modFlag},
}

// Name returns the name of a modifier in assembly text, "" if it has no text of its own.
func (m ModID) Name() string { return modText[m].name }

// kind returns the notation of a modifier's value.
func (m ModID) kind() modKind { return modText[m].kind }

// selName and unusedName are the SDWA selections, GCN3 ISA 13, VOP_SDWA.
func selName(v int) string {
	return [...]string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"}[v]
}

func unusedName(v int) string {
	return [...]string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"}[v]
}

// dppRange is a family of DPP controls that take a number.
type dppRange struct {
	name   string
	lo, hi int // legal numbers
	base   int // DPP_CTRL is base + number
}

// dppRanges returns the families of GCN3 ISA 13, VOP_DPP, DPP_CTRL.
func dppRanges() []dppRange { return dppTable[:] }

// dppTable is never written.
var dppTable = [...]dppRange{
	{"row_shl", 1, 15, 0x100}, {"row_shr", 1, 15, 0x110}, {"row_ror", 1, 15, 0x120},
	{"wave_shl", 1, 1, 0x130 - 1}, {"wave_rol", 1, 1, 0x134 - 1}, {"wave_shr", 1, 1, 0x138 - 1}, {"wave_ror", 1, 1, 0x13c - 1},
	{"row_bcast", 15, 15, 0x142 - 15}, {"row_bcast", 31, 31, 0x143 - 31},
}

// Controls without a number.
const (
	dppRowMirror     = 0x140
	dppRowHalfMirror = 0x141
)

// dppLegal reports whether a DPP_CTRL value is defined.
func dppLegal(v int) bool {
	switch {
	case v < 0x100:
		return true
	case v < 0x130:
		return v&15 != 0
	}
	switch v {
	case 0x130, 0x134, 0x138, 0x13c, dppRowMirror, dppRowHalfMirror, 0x142, 0x143:
		return true
	}
	return false
}

// dppText returns the text of a DPP_CTRL value, "" if it is reserved.
func dppText(v int) string {
	if v < 0x100 {
		return fmt.Sprintf("quad_perm:[%d,%d,%d,%d]", v&3, v>>2&3, v>>4&3, v>>6&3)
	}
	switch v {
	case dppRowMirror:
		return "row_mirror"
	case dppRowHalfMirror:
		return "row_half_mirror"
	}
	for _, r := range dppRanges() {
		if n := v - r.base; n >= r.lo && n <= r.hi {
			return fmt.Sprintf("%s:%d", r.name, n)
		}
	}
	return ""
}

// The ds_swizzle_b32 patterns, document "AMD GCN3 cross-lane operations" and GCN3
// ISA 12, ds_swizzle_b32.
const (
	swizzleQuad  = 0x8000
	swizzleLanes = 0x1f
)

// swizzleMacro returns the macro of a swizzle pattern as LLVM writes it: its mode, and its numbers or
// its mask. The mode is "" if there is none.
func swizzleMacro(v int) (mode string, numbers []int64, mask string) {
	if v&0xff00 == swizzleQuad {
		return "QUAD_PERM", []int64{int64(v & 3), int64(v >> 2 & 3), int64(v >> 4 & 3), int64(v >> 6 & 3)}, ""
	}
	if v&swizzleQuad != 0 {
		return "", nil, ""
	}
	and, or, xor := v&swizzleLanes, v>>5&swizzleLanes, v>>10&swizzleLanes
	switch group := swizzleLanes - and + 1; {
	case and == swizzleLanes && or == 0 && xor > 0 && xor&(xor-1) == 0:
		return "SWAP", []int64{int64(xor)}, ""
	case and == swizzleLanes && or == 0 && xor > 0 && xor&(xor+1) == 0:
		return "REVERSE", []int64{int64(xor + 1)}, ""
	case group > 1 && group&(group-1) == 0 && or < group && xor == 0:
		return "BROADCAST", []int64{int64(group), int64(or)}, ""
	}
	// Each bit of the lane number becomes 0, 1, itself (p) or its inverse (i).
	of0, of1 := or^xor, (and|or)^xor
	var b strings.Builder
	for bit := 16; bit > 0; bit >>= 1 {
		switch {
		case of0&bit == 0 && of1&bit == 0:
			b.WriteByte('0')
		case of0&bit != 0 && of1&bit != 0:
			b.WriteByte('1')
		case of0&bit == 0:
			b.WriteByte('p')
		default:
			b.WriteByte('i')
		}
	}
	return "BITMASK_PERM", nil, b.String()
}

// swizzleText returns the text of the macro of a swizzle pattern, "" if there is none. If exact is
// set, it is also "" if the macro stands for another pattern.
func swizzleText(v int, exact bool) string {
	mode, numbers, mask := swizzleMacro(v)
	if mode == "" {
		return ""
	}
	if exact {
		if w, msg := swizzlePattern(mode, numbers, mask); msg != "" || w != v {
			return ""
		}
	}
	t := "swizzle(" + mode
	for _, n := range numbers {
		t += fmt.Sprintf(",%d", n)
	}
	if mask != "" {
		t += fmt.Sprintf(",%q", mask)
	}
	return t + ")"
}

// dataFormats and numFormats are the buffer formats of MTBUF, GCN3 ISA 8.1.
func dataFormats() []string {
	return []string{"INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10",
		"8_8_8_8", "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"}
}

func numFormatNames() []string {
	return []string{"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"}
}

const (
	prefixDataFormat = "BUF_DATA_FORMAT_"
	prefixNumFormat  = "BUF_NUM_FORMAT_"
	// defaultDFmt is used if the text has no format.
	defaultDFmt = 1
)

// formatText returns the format modifier of MTBUF, "" for the default.
func formatText(dfmt, nfmt int) string {
	d, n := prefixDataFormat+dataFormats()[dfmt], prefixNumFormat+numFormatNames()[nfmt]
	switch {
	case dfmt == defaultDFmt && nfmt == 0:
		return ""
	case nfmt == 0:
		return "format:[" + d + "]"
	case dfmt == defaultDFmt:
		return "format:[" + n + "]"
	}
	return "format:[" + d + "," + n + "]"
}

// hwRegText returns the text of the immediate of s_getreg and s_setreg: hwreg(NAME) or hwreg(NAME,
// OFFSET, SIZE). A register without a name has its number.
func (t *Target) hwRegText(v int) string {
	id, off, size := v&0x3f, v>>6&0x1f, v>>11&0x1f+1
	name := fmt.Sprint(id)
	if id < len(t.HWRegs) && t.HWRegs[id] != "" {
		name = "HW_REG_" + t.HWRegs[id]
	}
	if off == 0 && size == 32 {
		return "hwreg(" + name + ")"
	}
	return fmt.Sprintf("hwreg(%s, %d, %d)", name, off, size)
}

// Messages of s_sendmsg, GCN3 ISA 12, s_sendmsg.
type message struct {
	id     int
	name   string
	firstO int      // number of ops[0]
	ops    []string // nil: the message has no operation
	stream bool     // operations other than NOP have a stream
}

func messagesGFX8() []message {
	return []message{
		{1, "MSG_INTERRUPT", 0, nil, false},
		{2, "MSG_GS", 1, []string{"GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"}, true},
		{3, "MSG_GS_DONE", 0, []string{"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"}, true},
		{4, "MSG_SAVEWAVE", 0, nil, false},
		{15, "MSG_SYSMSG", 1, []string{"SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"}, false},
	}
}

// messageBits are the bits of SIMM16 that have a meaning.
const messageBits = 0x37f

// messageText returns the text of the immediate of s_sendmsg. If the names cannot express all bits,
// the text has numbers.
func (t *Target) messageText(v int) string {
	id, op, stream := v&0xf, v>>4&7, v>>8&3
	for _, m := range t.messages {
		if m.id != id {
			continue
		}
		if m.ops == nil {
			if op == 0 && stream == 0 {
				return "sendmsg(" + m.name + ")"
			}
			break
		}
		i := op - m.firstO
		if i < 0 || i >= len(m.ops) {
			break
		}
		switch {
		case m.stream && m.ops[i] != "GS_OP_NOP":
			return fmt.Sprintf("sendmsg(%s, %s, %d)", m.name, m.ops[i], stream)
		case stream == 0:
			return fmt.Sprintf("sendmsg(%s, %s)", m.name, m.ops[i])
		}
	}
	if v&^messageBits != 0 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("sendmsg(%d, %d, %d)", id, op, stream)
}

// appendWait appends the counters of s_waitcnt that wait; all of them if none does.
func (t *Target) appendWait(b []byte, v int) []byte {
	sep := ""
	for i := range t.Counters {
		f := &t.Counters[i]
		if n := v >> f.Lo & f.Max(); n != f.Max() || v&t.waitAll == t.waitAll {
			b = append(append(append(b, sep...), f.Name...), '(')
			b = append(strconv.AppendInt(b, int64(n), 10), ')')
			sep = " "
		}
	}
	return b
}

// gprIdxNames are the bits of gpr_idx(…).
func gprIdxNames() [4]string { return [4]string{"SRC0", "SRC1", "SRC2", "DST"} }

func gprIdxText(v int) string {
	var on []string
	for i, n := range gprIdxNames() {
		if v>>i&1 != 0 {
			on = append(on, n)
		}
	}
	return "gpr_idx(" + strings.Join(on, ",") + ")"
}

// swizzlePattern builds the pattern of a swizzle macro, or returns an error message.
func swizzlePattern(mode string, a []int64, mask string) (int, string) {
	pow2 := func(v, lo, hi int64) bool { return v >= lo && v <= hi && v&(v-1) == 0 }
	switch mode {
	case "QUAD_PERM":
		v := swizzleQuad
		if len(a) != 4 {
			return 0, "QUAD_PERM takes four lanes"
		}
		for i, n := range a {
			if n < 0 || n > 3 {
				return 0, fmt.Sprintf("a lane of QUAD_PERM is 0..3, found %d", n)
			}
			v |= int(n) << (2 * i)
		}
		return v, ""
	case "SWAP":
		if len(a) != 1 || !pow2(a[0], 1, 16) {
			return 0, "SWAP takes a group of 1, 2, 4, 8 or 16 lanes"
		}
		return swizzleLanes | int(a[0])<<10, ""
	case "REVERSE":
		if len(a) != 1 || !pow2(a[0], 2, 32) {
			return 0, "REVERSE takes a group of 2, 4, 8, 16 or 32 lanes"
		}
		return swizzleLanes | int(a[0]-1)<<10, ""
	case "BROADCAST":
		if len(a) != 2 || !pow2(a[0], 2, 32) {
			return 0, "BROADCAST takes a group of 2, 4, 8, 16 or 32 lanes and a lane"
		}
		if a[1] < 0 || a[1] >= a[0] {
			return 0, fmt.Sprintf("the lane of BROADCAST is 0..%d, found %d", a[0]-1, a[1])
		}
		return int(swizzleLanes+1-a[0]) | int(a[1])<<5, ""
	case "BITMASK_PERM":
		if len(mask) != 5 || len(a) != 0 {
			return 0, `BITMASK_PERM takes a mask of five characters of 0, 1, p and i, such as "01pi0"`
		}
		and, or, xor := swizzleLanes, 0, 0
		for i := range 5 {
			bit := 16 >> i
			switch mask[i] {
			case '0':
				and &^= bit
			case '1':
				and &^= bit
				or |= bit
			case 'p':
			case 'i':
				xor |= bit
			default:
				return 0, fmt.Sprintf("a mask has 0, 1, p and i, found %q", mask[i])
			}
		}
		return and | or<<5 | xor<<10, ""
	}
	return 0, fmt.Sprintf("the swizzle modes are QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP and REVERSE, found %q", mode)
}
