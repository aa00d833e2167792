// Command site writes the page as a folder of files that any server can serve: the back end is WebAssembly. It runs in the
// repository's root.
//
//	go run ./internal/page/cmd/site -out DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"example.org/crosslane/internal/page/pack"
)

func main() {
	out := flag.String("out", "", "the `folder` to write, which must not exist or be empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string) error {
	if out == "" || flag.NArg() > 0 {
		return fmt.Errorf("want -out DIR and nothing else")
	}
	list, err := pack.Site(ctx, ".")
	if err != nil {
		return err
	}
	if err := pack.Write(out, list); err != nil {
		return err
	}
	size := 0
	for _, f := range list {
		size += len(f.Data)
	}
	fmt.Printf("%s: %d files, %d bytes\n", out, len(list), size)
	return nil
}
