package ir

// CollectiveInfo describes one Collective operation.
type CollectiveInfo struct {
	Name     string
	Dst, Src []Ref // registers of every lane, in the instruction's order
}
