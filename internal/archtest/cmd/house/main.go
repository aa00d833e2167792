// The house command measures how readable this repository is for a stranger: the largest types, the
// files of the root package and the uses between them, the words of comments. Run it in the
// repository's root:
//
//	go run ./internal/archtest/cmd/house
package main

import (
	"fmt"
	"os"

	"example.org/crosslane/internal/archtest/measure"
)

func main() {
	figures, err := measure.All(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
	fmt.Print(measure.Table(figures))
}
