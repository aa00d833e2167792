// Package worker connects the page's operations to JavaScript, in a worker of the browser: a message is a request, and the reply
// is a message, both JSON text.
package worker

import (
	"context"
	"runtime/debug"
	"syscall/js"

	"example.org/crosslane/internal/page/ask"
)

// memoryLimit is the size from which on the garbage collector works harder, in bytes.
const memoryLimit = 1 << 30

// Serve answers requests until the worker ends. It sets the global function crosslane(text, reply), which answers the request text by a call
// of reply with the text of the answer, and then calls the global function crosslaneReady, if there is one.
func Serve(desk *ask.Desk) {
	debug.SetMemoryLimit(memoryLimit)
	// A function of JavaScript's must not wait: each request has a goroutine.
	js.Global().Set("crosslane", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, reply := []byte(args[0].String()), args[1]
		go func() { reply.Invoke(string(desk.Answer(context.Background(), text))) }()
		return nil
	}))
	if ready := js.Global().Get("crosslaneReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}
