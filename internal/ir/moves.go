package ir

// The plain copies are operations of the table too; they are not in package num
// because they compute nothing.

func mov8(a uint8) uint8    { return a }
func mov16(a uint16) uint16 { return a }
func mov32(a uint32) uint32 { return a }
func mov64(a uint64) uint64 { return a }
func movB1(a bool) bool     { return a }
