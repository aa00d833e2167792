// Command release builds the archives of a release into a folder, and publishes nothing. It runs in
// the folder of the module:
//
//	go run ./internal/release/cmd/release -out dist
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"example.org/crosslane/internal/release"
)

func main() {
	out := flag.String("out", "dist", "the folder for the archives")
	flag.Parse()
	if err := release.Build(context.Background(), ".", *out, release.Platforms()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
