package amdgpu

import "fmt"

// A chip holds the numbers that determine bandwidths.
type chip struct {
	name      string
	clock     int // kHz
	units     int // compute units
	banks     int // LDS banks of a unit
	bankBytes int // bytes of a bank in one cycle
	lanes     int // lanes that a unit computes in one cycle
	laneBytes int // register bytes for a lane and cycle: two operands and the result
	memory    int // MB/s
}

// furyX is the example of "AMD GCN Assembly: Cross-Lane Operations". (That text prints 1.050 GHz as
// 1,050 GHz.)
func furyX() chip {
	return chip{name: "Radeon R9 Fury X", clock: 1_050_000, units: 64, banks: 32, bankBytes: 4, lanes: 64, laneBytes: 12, memory: 512_000}
}

func (c chip) ghz() string { return fmt.Sprintf("%.3f GHz", float64(c.clock)/1e6) }

// ldsRate returns the rate at which all compute units together read LDS, in MB/s.
func (c chip) ldsRate() int { return c.clock * c.units * c.banks * c.bankBytes / 1000 }

// registerRate returns the rate at which all compute units together move data to and from
// registers, in MB/s.
func (c chip) registerRate() int { return c.clock * c.units * c.lanes * c.laneBytes / 1000 }

// perSecond formats a rate in MB/s. From 1 TB/s on it uses TB/s.
func perSecond(rate int) string {
	if rate >= 1_000_000 {
		return fmt.Sprintf("%.1f TB/s", float64(rate)/1e6)
	}
	return fmt.Sprintf("%d GB/s", rate/1000)
}

func (c chip) memoryText() string {
	return fmt.Sprintf("%s: memory %s, LDS %s, registers %s", c.name, perSecond(c.memory), perSecond(c.ldsRate()), perSecond(c.registerRate()))
}

func (c chip) ldsText() string {
	return fmt.Sprintf("%s: LDS %s x %d CUs x %d banks x %d bytes = %s, at a latency an order of magnitude below that of memory, %s", c.name, c.ghz(), c.units, c.banks, c.bankBytes, perSecond(c.ldsRate()), perSecond(c.memory))
}

func (c chip) registerText() string {
	return fmt.Sprintf("%s: registers %s x %d CUs x %d lanes x %d bytes = %s, LDS %s", c.name, c.ghz(), c.units, c.lanes, c.laneBytes, perSecond(c.registerRate()), perSecond(c.ldsRate()))
}

// cost describes the cost of the instruction: "AMD GCN Assembly: Cross-Lane Operations" and GCN3
// ISA 1.
func (x *explainer) cost() {
	r, e := x.in.Row, x.e
	add := func(format string, args ...any) { e.Cost = append(e.Cost, fmt.Sprintf(format, args...)) }
	add("%d bytes of code", len(e.Bytes))
	switch r.Unit {
	case UnitVALU:
		switch {
		case r.Format == VOP1 && len(r.Operands) == 0:
		case x.wide():
			add("64-bit operands: fewer lanes a cycle than 16, as the chip has it")
		default:
			add("4 cycles for the 64 lanes, 16 lanes a cycle")
		}
	case UnitTrans:
		add("16 cycles for the 64 lanes: a quarter of the full rate")
	case UnitLDS:
		if r.Flags.Has(FlagCrossLane) {
			add("goes through the LDS hardware, but reads and writes no LDS: it works with no LDS allocated and has no bank conflicts")
			add("one instruction in place of a ds_write and a ds_read")
			if r.Flags.Has(FlagSwizzle) {
				add("needs no address VGPR: the pattern stands in the instruction")
			} else {
				add("needs a VGPR with byte addresses")
			}
		} else {
			add("LDS: 32 banks of 4 bytes a cycle; lanes that meet in a bank take turns")
		}
		add("%s", furyX().ldsText())
	case UnitVMEM, UnitFlat:
		add("%s", furyX().memoryText())
	}
	if x.in.Enc == EncDPP {
		add("DPP runs at full rate and costs one extra dword, already counted")
		add("%s", furyX().registerText())
	}
}

// wide reports whether the instruction computes with 64-bit values.
func (x *explainer) wide() bool {
	for _, s := range x.in.Row.Operands {
		if s.Kind != ClassSMask && s.Type.Dwords() > 1 {
			return true
		}
	}
	return false
}
