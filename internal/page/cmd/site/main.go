// Command site writes the page as a folder of files that any server can serve: the back end is WebAssembly. It runs in the
// repository's root.
//
//	go run ./internal/page/cmd/site -out DIR
//	go run ./internal/page/cmd/site -single FILE.html
//
// The second form writes one file, which browsers open from a disk.
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
	single := flag.String("single", "", "the `file` to write, which must not exist: the whole page, for file://")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *single); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, single string) error {
	if out == "" && single == "" || flag.NArg() > 0 {
		return fmt.Errorf("want -out DIR or -single FILE.html, or both, and nothing else")
	}
	if single != "" {
		if _, err := os.Lstat(single); err == nil {
			return fmt.Errorf("%s exists; nothing is overwritten: give a new name", single)
		}
	}
	list, err := pack.Site(ctx, ".")
	if err != nil {
		return err
	}
	if single != "" {
		if err := writeSingle(single, list); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
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

// writeSingle writes the page as one file.
func writeSingle(name string, list []pack.File) error {
	html, err := pack.Single(list)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.Write(html); err != nil {
		f.Close()
		return err
	}
	fmt.Printf("%s: %d bytes\n", name, len(html))
	return f.Close()
}
