package driver

import (
	"bytes"
	"fmt"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/ptx"
)

// link joins modules, and limits the registers of their kernels if the host asks for that. The reply is the text of the
// module that they become. An input without PTX for the device is left out, unless no other one is there.
func (c *client) link(in *reader) Status {
	registers, n := in.u32(), in.u32()
	if n > maxParts {
		in.bad = true
		return InvalidValue
	}
	var parts []ptx.LinkPart
	var absent error // of a fat binary without PTX
	total := 0
	for range n {
		name, image := in.text(), in.bytes()
		total += len(image)
		if bytes.HasPrefix(image, []byte("!<arch>")) {
			continue // an archive of machine code, for example libcudadevrt.a: its functions are builtins here
		}
		part, err := c.linkPart(name, image)
		if err != nil && statusOf(err) == NoBinary {
			absent = err // the linker misses its functions if another input needs them
			continue
		}
		if err != nil {
			return c.linkFailed(err)
		}
		parts = append(parts, part)
	}
	if in.bad {
		return InvalidValue
	}
	if total > maxLinked {
		c.out.text("")
		c.out.text(fmt.Sprintf("error: the inputs of the linker have %d bytes; at most %d are allowed\n", total, maxLinked))
		return InvalidImage
	}
	if len(parts) == 0 && absent != nil {
		return c.linkFailed(absent)
	}
	text := ""
	l, err := ptx.Link(parts)
	if err == nil {
		text = l.Text
		if registers > 0 {
			text, err = ptx.LimitRegisters(text, registers)
		}
	}
	if err != nil {
		return c.linkFailed(err)
	}
	c.out.text(text)
	c.out.text("")
	return Success
}

// linkPart returns an input of the linker: PTX, or that of a fat binary for the device.
func (c *client) linkPart(name string, image []byte) (ptx.LinkPart, error) {
	if session.IsFat(image) {
		text, err := session.FatPTX(image, name, api.LoadOptions{SM: c.dev.Properties().Arch})
		return ptx.LinkPart{File: name, Text: text}, err
	}
	return ptx.LinkPart{File: name, Text: string(bytes.TrimRight(image, "\x00"))}, nil
}

// linkFailed answers a call of the linker with an error.
func (c *client) linkFailed(err error) Status {
	c.unloaded = diag.Of(err)
	c.out.text("")
	c.out.text(logText(c.unloaded))
	if s := c.status(err); s != InvalidValue {
		return s
	}
	return InvalidPTX
}
