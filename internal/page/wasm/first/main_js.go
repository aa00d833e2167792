// Command first is the small part of the back end that a page in the browser loads first: it explains instructions.
package main

import (
	"example.org/crosslane/internal/page/ask"
	"example.org/crosslane/internal/page/worker"
)

func main() { worker.Serve(ask.NewDesk()) }
