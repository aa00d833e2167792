package driver

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"example.org/crosslane/ptx"
)

// Objects that a host makes and has to end: streams, events, modules, pools of memory.

// owned names an object.
type owned struct {
	kind   string
	number uint64
}

// maxKind is how long the name of a kind is at most.
const maxKind = 32

// made notes that the host has made an object, if leaks are asked for.
func (c *client) made(kind string, number uint64) {
	if c.server.opt.Objects && len(c.owned) < maxObjects {
		c.owned[owned{kind, number}] = c.callers
	}
}

// objectFields reads which object a message is about.
func (c *client) objectFields(in *reader) (kind string, number uint64) {
	kind, number = in.text(), in.u64()
	if len(kind) > maxKind {
		in.bad = true
	}
	return kind, number
}

// madeObject notes an object of which only the library knows.
func (c *client) madeObject(in *reader) Status {
	kind, number := c.objectFields(in)
	if !in.bad {
		c.made(kind, number)
	}
	return Success
}

func (c *client) endedObject(in *reader) Status {
	kind, number := c.objectFields(in)
	delete(c.owned, owned{kind, number})
	return Success
}

// leakObjects reports the objects that the host has not ended, in the order in which they were made.
func (c *client) leakObjects() {
	for _, o := range slices.SortedFunc(maps.Keys(c.owned), func(a, b owned) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number)) }) {
		c.dev.LeakedObject(o.kind, c.owned[o])
	}
}

// limited is an image with a limit of registers: a module in PTX; other images, and text that does not load, stay.
func limited(image []byte, registers uint32) []byte {
	if registers == 0 || bytes.HasPrefix(image, []byte("\x7fELF")) || bytes.HasPrefix(image, []byte{0x50, 0xed, 0x55, 0xba}) {
		return image
	}
	text, err := ptx.LimitRegisters(string(bytes.TrimRight(image, "\x00")), registers)
	if err != nil {
		return image
	}
	return []byte(text)
}
