// Command wasm is the back end of the page in a worker of the browser: all operations that crosslane web has, by the interpreter.
package main

import (
	"example.org/crosslane/internal/page"
	"example.org/crosslane/internal/page/assist"
	"example.org/crosslane/internal/page/worker"
)

func main() {
	p := page.New(page.Options{Limits: page.SmallLimits()})
	assist.Add(p.Desk)
	worker.Serve(p.Desk)
}
