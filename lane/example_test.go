package lane_test

import (
	"fmt"

	"example.org/crosslane/lane"
)

// A shuffle with segments of eight lanes: the first lane of every segment has
// no lane above it and keeps its own value, and its predicate is false.
func ExampleShfl() {
	c, _ := lane.PackC(lane.ShflUp, 8)
	m, p := lane.Shfl(lane.ShflUp, 1, c, lane.All(32))
	fmt.Println(&m)
	fmt.Println("in range:", p)
	// Output:
	// 0 0 1 2 3 4 5 6 8 8 9 10 11 12 13 14 16 16 17 18 19 20 21 22 24 24 25 26 27 28 29 30
	// in range: 1-7, 9-15, 17-23, 25-31
}

// Lanes 20 to 31 do not exist, and twelve lanes read them.
func ExampleShflUniform() {
	m, _ := lane.ShflUniform(lane.ShflDown, 16, 0x1f, 0xfffff, 0xfffff)
	fmt.Printf("lanes %v read lanes %v: undefined\n", m.Undef, m.SourcesOf(m.Undef))
	// Output: lanes 4-15 read lanes 20-31: undefined
}

func ExampleDPP() {
	ctrl, err := lane.ParseDPPCtrl("row_bcast:15")
	if err != nil {
		panic(err)
	}
	m, err := lane.DPP(ctrl, 0xa, 0xf, false, lane.All(64))
	if err != nil {
		panic(err)
	}
	fmt.Println("written:", m.Writes())
	fmt.Println("read:", m.Reads())

	_, err = lane.DPP(0x110, 0xf, 0xf, false, lane.All(64))
	fmt.Println(err)
	// Output:
	// written: 16-31, 48-63
	// read: 15, 47
	// dpp_ctrl 0x110 is reserved; the nearest legal control is 0x111 (row_shr:1)
}
