// Genexamples compiles the example kernels:
//
//	genexamples EXAMPLES [OUT]
//
// EXAMPLES is the examples folder; outputs go to OUT, by default the same.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"example.org/crosslane/internal/genexamples"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: genexamples EXAMPLES [OUT]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := genexamples.Build(ctx, os.Args[1], os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "genexamples:", err)
		os.Exit(1)
	}
}
