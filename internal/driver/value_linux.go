package driver

import (
	"time"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/sim"
)

// Operations of streams on values in memory.

// valueFields reads an operation; ok is false if the stream is none.
func (c *client) valueFields(in *reader) (s *device.Stream, v device.Value, ok bool) {
	s, ok = c.stream(in.u64())
	v = device.Value{Ptr: api.DevicePtr(in.u64()), Value: in.u64(), Size: in.u32(), How: device.Comparison(in.u32())}
	return s, v, ok && !in.bad
}

func (c *client) writeValue(in *reader) Status {
	s, v, ok := c.valueFields(in)
	if !ok {
		return InvalidHandle
	}
	return c.status(s.WriteValue(v))
}

// waitValue waits until memory has a value. Meanwhile the client may make calls that do not come after the wait.
func (c *client) waitValue(in *reader) Status {
	stream := in.peek()
	s, v, ok := c.valueFields(in)
	if !ok {
		return InvalidHandle
	}
	there, err := s.ValueThere(v)
	if there || err != nil {
		return c.waited(s, v, err)
	}
	c.begin(stream)
	c.beside.value = true
	defer c.end()
	for began := time.Now(); c.ctx.Err() == nil; {
		state, w := c.host()
		limit := c.server.opt.Device.Timeout
		if there, err = s.ValueThere(v); there || err != nil {
			return c.waited(s, v, err)
		}
		if state == sim.HostWaits || limit > 0 && time.Since(began) > limit {
			status := c.status(s.ValueNever(v, w))
			if status == LaunchTimeout && !c.server.opt.Device.KeepGoing {
				c.sticky = status
			}
			return status
		}
		if state == sim.HostMay {
			time.Sleep(50 * time.Microsecond)
		}
	}
	return Success
}

// waited ends a wait.
func (c *client) waited(s *device.Stream, v device.Value, err error) Status {
	if err != nil {
		return c.status(err)
	}
	return c.status(s.WaitedValue(v))
}
