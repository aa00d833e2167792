// The house command measures how easily a stranger finds the way in this repository: the largest
// types, the files of the root package and how they use each other, the words of comments. Run it in
// the repository's root:
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
