package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A command reads a file, runs a kernel and ends; most never hold more than a few megabytes. With
// Go's default the collector would run several times until then, which is a third of a short
// command's time, and a sixth of a translation's. So more garbage is allowed, in percent of the
// live heap, but not more than moreBytes; Go's default is the minimum.
const (
	mostPercent  = 400
	leastPercent = 100
	moreBytes    = 32 << 20
)

// LessGarbageCollection lets the collector run more rarely while the process holds little memory.
// It is for commands: the setting is the whole process's. One in the environment variable GOGC
// stays.
func LessGarbageCollection() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(mostPercent)
		followHeap(mostPercent)
	}
}

// followHeap sets the percentage again when the collector has run: how much is held is known then.
func followHeap(percent int) {
	// The object is garbage at once, and too large to share its memory with live objects.
	runtime.AddCleanup(new([64]byte), func(was int) {
		now := percentFor(held())
		if now != was {
			debug.SetGCPercent(now)
		}
		followHeap(now)
	}, percent)
}

// held is how many bytes of the heap were in use when the collector ran last.
func held() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return moreBytes // unknown to this Go: its own setting
	}
	return s[0].Value.Uint64()
}

// percentFor is how much garbage there may be beside so many bytes in use.
func percentFor(bytes uint64) int {
	return int(min(mostPercent, max(leastPercent, moreBytes*100/max(bytes, 1))))
}
