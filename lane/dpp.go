package lane

import (
	"fmt"
	"strconv"
	"strings"
)

// DPPCtrl is the 9-bit DPP_CTRL field of VOP_DPP (GCN3 ISA, DPP_CTRL enumerations).
type DPPCtrl uint16

// The controls and the bases of families of controls.
const (
	DPPQuadPerm0   DPPCtrl = 0x000 // DPP_QUAD_PERM, 0x000..0x0ff: four 2-bit selectors
	DPPRowShl0     DPPCtrl = 0x100 // DPP_ROW_SL, 0x101..0x10f
	DPPRowShr0     DPPCtrl = 0x110 // DPP_ROW_SR, 0x111..0x11f
	DPPRowRor0     DPPCtrl = 0x120 // DPP_ROW_RR, 0x121..0x12f
	DPPWaveShl1    DPPCtrl = 0x130 // DPP_WF_SL1
	DPPWaveRol1    DPPCtrl = 0x134 // DPP_WF_RL1
	DPPWaveShr1    DPPCtrl = 0x138 // DPP_WF_SR1
	DPPWaveRor1    DPPCtrl = 0x13c // DPP_WF_RR1
	DPPRowMirror   DPPCtrl = 0x140 // DPP_ROW_MIRROR
	DPPRowHalfMir  DPPCtrl = 0x141 // DPP_ROW_HALF_MIRROR
	DPPRowBcast15  DPPCtrl = 0x142 // DPP_ROW_BCAST15
	DPPRowBcast31  DPPCtrl = 0x143 // DPP_ROW_BCAST31
	dppCtrlBits            = 9
	dppCtrlReserve DPPCtrl = 1 << dppCtrlBits
)

// DPPQuadPerm returns the control quad_perm:[a,b,c,d]: in every group of four, lane 0 reads lane a,
// and so on (0..3, higher bits are ignored).
func DPPQuadPerm(a, b, c, d uint8) DPPCtrl {
	return DPPCtrl(a&3) | DPPCtrl(b&3)<<2 | DPPCtrl(c&3)<<4 | DPPCtrl(d&3)<<6
}

// Valid reports whether the control is defined. The reserved values are row_shl:0, row_shr:0,
// row_ror:0, 0x131..0x13f except the four wave controls, and all values from 0x144 on.
func (c DPPCtrl) Valid() bool {
	switch {
	case c < DPPRowShl0:
		return true
	case c < DPPWaveShl1:
		return c&15 != 0
	case c < DPPRowMirror:
		return c&3 == 0
	}
	return c <= DPPRowBcast31
}

// Nearest returns the control itself if it is valid, and otherwise a similar valid control of the
// family whose range contains the value.
func (c DPPCtrl) Nearest() DPPCtrl {
	switch {
	case c.Valid():
		return c
	case c < DPPWaveShl1:
		return c + 1
	case c < DPPRowMirror:
		return c &^ 3
	}
	return DPPRowBcast31
}

// String returns the control in the assembler's spelling: "row_shr:1", "quad_perm:[0,1,2,3]".
// Reserved values are "dpp_ctrl:0x110".
func (c DPPCtrl) String() string {
	if c < DPPRowShl0 {
		return fmt.Sprintf("quad_perm:[%d,%d,%d,%d]", c&3, c>>2&3, c>>4&3, c>>6&3)
	}
	if c.Valid() && c < DPPWaveShl1 {
		return [...]string{"row_shl:", "row_shr:", "row_ror:"}[c>>4&3] + strconv.Itoa(int(c&15))
	}
	for _, f := range dppFixed {
		if f.ctrl == c {
			return f.name
		}
	}
	return fmt.Sprintf("dpp_ctrl:0x%03x", uint16(c))
}

// dppFixed names the controls without a variable part. It is never written.
var dppFixed = [...]struct {
	ctrl DPPCtrl
	name string
}{
	{DPPWaveShl1, "wave_shl:1"},
	{DPPWaveRol1, "wave_rol:1"},
	{DPPWaveShr1, "wave_shr:1"},
	{DPPWaveRor1, "wave_ror:1"},
	{DPPRowMirror, "row_mirror"},
	{DPPRowHalfMir, "row_half_mirror"},
	{DPPRowBcast15, "row_bcast:15"},
	{DPPRowBcast31, "row_bcast:31"},
}

// ParseDPPCtrl is the inverse of [DPPCtrl.String]. It accepts decimal and 0x numbers, and blanks
// inside the brackets and after the colon. Errors list the values that the named control accepts.
func ParseDPPCtrl(s string) (DPPCtrl, error) {
	name, arg, colon := strings.Cut(strings.TrimSpace(s), ":")
	name, arg = strings.TrimSpace(name), strings.TrimSpace(arg)
	if name == "quad_perm" {
		return parseQuadPerm(arg)
	}
	if name == "row_mirror" || name == "row_half_mirror" {
		if colon {
			return 0, fmt.Errorf("%s takes no value, found %q", name, arg)
		}
		if name == "row_mirror" {
			return DPPRowMirror, nil
		}
		return DPPRowHalfMir, nil
	}
	var base DPPCtrl
	limit := "takes 1 to 15"
	switch name {
	case "row_shl":
		base = DPPRowShl0
	case "row_shr":
		base = DPPRowShr0
	case "row_ror":
		base = DPPRowRor0
	case "wave_shl", "wave_rol", "wave_shr", "wave_ror":
		limit = "takes 1 only"
	case "row_bcast":
		limit = "takes 15 or 31"
	default:
		return 0, fmt.Errorf("unknown DPP control %q: it is quad_perm, row_shl, row_shr, row_ror, wave_shl, wave_rol, wave_shr, wave_ror, row_mirror, row_half_mirror or row_bcast", name)
	}
	n, err := strconv.ParseInt(arg, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%s %s, found %q", name, limit, arg)
	}
	if base != 0 {
		if n >= 1 && n <= 15 {
			return base + DPPCtrl(n), nil
		}
	} else {
		full := name + ":" + strconv.FormatInt(n, 10)
		for _, f := range dppFixed {
			if f.name == full {
				return f.ctrl, nil
			}
		}
	}
	return 0, fmt.Errorf("%s %s, found %d", name, limit, n)
}

// parseQuadPerm reads the brackets of quad_perm.
func parseQuadPerm(arg string) (DPPCtrl, error) {
	bad := func() (DPPCtrl, error) {
		return 0, fmt.Errorf("quad_perm takes four lanes from 0 to 3 as [a,b,c,d], found %q", arg)
	}
	if len(arg) < 2 || arg[0] != '[' || arg[len(arg)-1] != ']' {
		return bad()
	}
	parts := strings.Split(arg[1:len(arg)-1], ",")
	if len(parts) != 4 {
		return bad()
	}
	var from [4]uint8
	for i, p := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(p), 0, 8)
		if err != nil || n > 3 {
			return bad()
		}
		from[i] = uint8(n)
	}
	return DPPQuadPerm(from[0], from[1], from[2], from[3]), nil
}

// Describe describes the effect of a control in words.
func (c DPPCtrl) Describe() string {
	n := int(c & 15)
	switch {
	case c < DPPRowShl0:
		return fmt.Sprintf("in every group of 4, lanes 0 to 3 read lanes %d, %d, %d, %d", c&3, c>>2&3, c>>4&3, c>>6&3)
	case !c.Valid():
		return "reserved"
	case c < DPPRowShr0:
		return fmt.Sprintf("lane i reads lane i+%d of its row of 16", n)
	case c < DPPRowRor0:
		return fmt.Sprintf("lane i reads lane i-%d of its row of 16", n)
	case c < DPPWaveShl1:
		return fmt.Sprintf("lane i reads lane (i-%d) mod 16 of its row of 16", n)
	}
	switch c {
	case DPPWaveShl1:
		return "lane i reads lane i+1; lane 63 has no source"
	case DPPWaveRol1:
		return "lane i reads lane i+1; lane 63 reads lane 0"
	case DPPWaveShr1:
		return "lane i reads lane i-1; lane 0 has no source"
	case DPPWaveRor1:
		return "lane i reads lane i-1; lane 0 reads lane 63"
	case DPPRowMirror:
		return "lane i reads lane 15-i of its row of 16"
	case DPPRowHalfMir:
		return "lane i reads lane 7-i of its half row of 8"
	case DPPRowBcast15:
		return "rows 1, 2, 3 read the last lane of the row before; row 0 reads itself"
	}
	return "rows 2 and 3 read lane 31; rows 0 and 1 read themselves"
}

// DPPError is the error for a reserved DPP control.
type DPPError struct {
	Ctrl    DPPCtrl // the reserved value
	Nearest DPPCtrl // a legal control close to it
}

func (e *DPPError) Error() string {
	if e.Ctrl >= dppCtrlReserve {
		return fmt.Sprintf("dpp_ctrl 0x%x does not fit the field's %d bits; the nearest legal control is 0x%03x (%v)",
			uint16(e.Ctrl), dppCtrlBits, uint16(e.Nearest), e.Nearest)
	}
	return fmt.Sprintf("dpp_ctrl 0x%03x is reserved; the nearest legal control is 0x%03x (%v)",
		uint16(e.Ctrl), uint16(e.Nearest), e.Nearest)
}

// DPPSource returns the lane that a lane (0..63) reads under a control. ok is false if there is
// none (the shift leads out of the row or the wave), or if the control is reserved. [DPP] adds
// EXEC, the masks and BOUND_CTRL.
//
// GCN3 ISA, DPP_CTRL enumerations, with n as the lane:
func DPPSource(ctrl DPPCtrl, lane int) (src int, ok bool) {
	n := lane & 63
	cnt := int(ctrl & 15)
	row := n &^ 15
	switch {
	case ctrl < DPPRowShl0: // pix[n] = pix[(n & 0x3c) + dpp_ctrl[n%4*2+1 : n%4*2]]
		return n&0x3c + int(ctrl>>(uint(n&3)*2)&3), true
	case !ctrl.Valid():
		return n, false
	case ctrl < DPPRowShr0: // if ((n & 0xf) < (16 - cntl)) pix[n] = pix[n + cntl]; else bound_cntl
		return n + cnt, n&15 < 16-cnt
	case ctrl < DPPRowRor0: // if ((n & 0xf) >= cntl) pix[n] = pix[n - cntl]; else bound_cntl
		return n - cnt, n&15 >= cnt
	case ctrl < DPPWaveShl1: // if ((n & 0xf) >= cntl) pix[n - cntl]; else pix[n + 16 - cntl]
		return row | (n-cnt)&15, true
	}
	switch ctrl {
	case DPPWaveShl1: // if (n < 63) pix[n + 1]; else bound_cntl
		return n + 1, n < 63
	case DPPWaveRol1: // if (n < 63) pix[n + 1]; else pix[0]
		return (n + 1) & 63, true
	case DPPWaveShr1: // if (n > 0) pix[n - 1]; else bound_cntl
		return n - 1, n > 0
	case DPPWaveRor1: // if (n > 0) pix[n - 1]; else pix[63]
		return (n - 1) & 63, true
	case DPPRowMirror: // pix[15 - (n & 0xf)] of the row
		return row | 15 - n&15, true
	case DPPRowHalfMir: // pix[7 - (n & 7)] of the half row
		return n&^7 | 7 - n&7, true
	case DPPRowBcast15: // if (n > 15) pix[n] = pix[(n & 0x30) - 1]
		if n > 15 {
			return n&0x30 - 1, true
		}
	case DPPRowBcast31: // if (n > 31) pix[n] = pix[(n & 0x20) - 1]
		if n > 31 {
			return n&0x20 - 1, true
		}
	}
	// The pseudo-code of the broadcasts has no else branch: the lane reads itself.
	return n, true
}

// DPP returns the map of src0 of an instruction with a DPP modifier.
//
// A lane keeps its destination if exec disables it, or if its row (bit lane/16 of rowMask) or bank
// (bit lane%16/4 of bankMask) is masked off. The whole instruction does not write it, so
// [Map.Writes] is the instruction's write mask. Masked-off lanes may still be read; lanes that exec
// disables may not. A lane that reads a disabled lane, or has no source, is not updated if
// boundCtrl is false (BOUND_CTRL = 0, the default), and reads 0 if it is true (BOUND_CTRL = 1,
// written bound_ctrl:0 or bound_ctrl:1). No result is undefined.
//
// The error is a *[DPPError] for reserved controls. Only the low four bits of the two masks are
// used.
func DPP(ctrl DPPCtrl, rowMask, bankMask uint8, boundCtrl bool, exec Mask) (Map, error) {
	m := NewMap(WavefrontLanes)
	if !ctrl.Valid() {
		return m, &DPPError{Ctrl: ctrl, Nearest: ctrl.Nearest()}
	}
	invalid := Keep
	if boundCtrl {
		invalid = Zero
	}
	enabled := exec & DPPLanes(rowMask, bankMask)
	for i := range WavefrontLanes {
		if enabled>>uint(i)&1 == 0 {
			continue
		}
		m.Src[i] = invalid
		if j, ok := DPPSource(ctrl, i); ok && exec>>(uint(j)&63)&1 != 0 {
			m.Src[i] = Source(j)
		}
	}
	return m, nil
}

// DPPLanes returns the lanes that row_mask and bank_mask leave enabled.
func DPPLanes(rowMask, bankMask uint8) Mask {
	var banks Mask // banks of one row
	for b := range 4 {
		banks |= Mask(bankMask>>uint(b)&1) * 0xf << uint(4*b)
	}
	var m Mask
	for r := range 4 {
		m |= Mask(rowMask>>uint(r)&1) * banks << uint(16*r)
	}
	return m
}
