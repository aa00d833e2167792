// Command crosslane runs, checks and explains warp-level GPU code on any machine.
// Run it without arguments for help.
package main

import (
	"context"
	"os"
	"os/signal"

	"example.org/crosslane/internal/cli"
)

func main() {
	cli.LessGarbageCollection()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	// A second interrupt ends the process in the ordinary way.
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
