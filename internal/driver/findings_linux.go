package driver

import (
	"bytes"
	"encoding/json"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// The calls for clients that show findings themselves: the Python package is one.

// findingJSON is a diagnostic with the text that the command line prints for it.
type findingJSON struct {
	*diag.Diagnostic
	client *client
}

// MarshalJSON writes the diagnostic's members, and text.
func (f findingJSON) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(f.Diagnostic)
	if err != nil {
		return nil, err
	}
	t, err := json.Marshal(f.Text(diag.TextOptions{Line: f.client.line}))
	if err != nil {
		return nil, err
	}
	return append(append(append(b[:len(b)-1], `,"text":`...), t...), '}'), nil
}

// findingsJSON is the reply of CallFindings, schema crosslane.device-findings/1.
type findingsJSON struct {
	Schema   string        `json:"schema"`
	Findings []findingJSON `json:"findings"` // since the call before
	Failed   []findingJSON `json:"failed"`   // the reasons why the last call with an error failed
}

// forJSON wraps the diagnostics of a list.
func (c *client) forJSON(list diag.List) []findingJSON {
	out := make([]findingJSON, 0, len(list))
	for _, d := range list {
		out = append(out, findingJSON{d, c})
	}
	return out
}

// line returns a line of the text of a module.
func (c *client) line(file string, n int) (string, bool) {
	rest := c.texts[file]
	for ; n > 1; n-- {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return "", false
		}
		rest = rest[i+1:]
	}
	if len(rest) == 0 || n < 1 {
		return "", false
	}
	text, _, _ := bytes.Cut(rest, []byte{'\n'})
	return string(bytes.TrimRight(text, "\r\x00")), true
}

// document writes a JSON document into the reply.
func (c *client) document(v any) Status {
	b, err := json.Marshal(v)
	if err != nil {
		c.server.logf("a reply cannot be written as JSON: %v", err)
		return InvalidValue
	}
	c.out.bytes(b)
	return Success
}

// status returns the status of an error, and keeps the error for CallFindings.
func (c *client) status(err error) Status {
	if err != nil {
		c.failed = diag.Of(err)
	}
	return statusOf(err)
}

// findings sends the findings since the call before.
func (c *client) findings(*reader) Status {
	list := c.dev.Findings()
	fresh := append(c.left, list[min(c.shown, len(list)):]...)
	c.shown, c.left = len(list), nil
	failed := c.failed
	c.failed = nil
	return c.document(findingsJSON{"crosslane.device-findings/1", c.forJSON(fresh), c.forJSON(failed)})
}

// launchSeen launches a kernel. The text that it prints and the number of new findings come with the reply.
func (c *client) launchSeen(in *reader) Status {
	reply := !c.answered
	c.answered = true // this client waits for the kernel
	c.beside.waits = reply
	s := c.launch(in)
	c.beside.waits = false
	c.answered = !reply
	c.printed()
	c.out.u32(uint32(len(c.left) + len(c.dev.Findings()) - c.shown))
	return s
}

// Flags of CallAllocNamed.
const (
	flagManaged = 1 << iota // the host uses the memory between launches
	flagShown               // the host looks at the memory after each launch without a call
)

// allocNamed allocates memory that findings name.
func (c *client) allocNamed(in *reader) Status {
	name, n, flags := in.text(), in.u64(), in.u32()
	if in.bad {
		return InvalidValue
	}
	var p api.DevicePtr
	var err error
	if flags&flagShown != 0 {
		p, err = c.dev.AllocShown(name, n)
	} else {
		p, err = c.dev.Alloc(name, n, flags&flagManaged != 0)
	}
	c.out.u64(uint64(p))
	return c.status(err)
}

// paramJSON is a parameter of a kernel.
type paramJSON struct {
	Name   string `json:"name"`
	Type   string `json:"type,omitempty"` // of a scalar
	Kind   string `json:"kind"`
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
	Unread bool   `json:"unread,omitempty"`
	Hidden string `json:"hidden,omitempty"`
}

// kernelJSON is the reply of CallDescribe, schema crosslane.device-kernel/1.
type kernelJSON struct {
	Schema   string      `json:"schema"`
	Name     string      `json:"name"`
	Params   []paramJSON `json:"params"`
	Block    *[3]uint32  `json:"block,omitempty"` // that the kernel requires
	MaxLanes uint32      `json:"max_lanes"`
}

// describe sends the parameters of a kernel and the limits of its blocks.
func (c *client) describe(in *reader) Status {
	k := c.functions[in.u64()]
	if k == nil || in.bad {
		return InvalidHandle
	}
	required, most, err := k.BlockLimits()
	if err != nil {
		return c.status(err)
	}
	out := kernelJSON{Schema: "crosslane.device-kernel/1", Name: k.Name(), Params: []paramJSON{}, MaxLanes: most}
	if required != (api.Dim3{}) {
		out.Block = &[3]uint32{required.X, required.Y, required.Z}
	}
	for _, p := range k.Params() {
		out.Params = append(out.Params, paramJSON{p.Name, string(p.Type), string(p.Kind), p.Offset, p.Size, p.Unread, p.Hidden})
	}
	return c.document(out)
}
