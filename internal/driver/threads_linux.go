package driver

import "example.org/crosslane/internal/device"

// maxThreads is how many threads of a client may have a stream of their own.
const maxThreads = 1 << 16

// ownStream makes the own stream of a thread of the client at its first use. It is a blocking stream: it waits for
// the default stream, and the default stream waits for it.
func (c *client) ownStream(n uint64) (*device.Stream, bool) {
	if n/16 >= maxThreads || len(c.streams) >= maxObjects {
		return nil, false
	}
	s, err := c.dev.NewStream(false)
	if err != nil {
		return c.dev.Default(), true // a call in it returns the error
	}
	c.streams[n] = s
	return s, true
}
