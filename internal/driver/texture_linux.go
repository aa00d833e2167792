package driver

import "example.org/crosslane/internal/texture"

// texture says why a descriptor of a texture or surface cannot be used. The reply has no text if it can.
func (c *client) texture(in *reader) Status {
	b := in.bytes()
	if in.bad || len(b) != texture.Size {
		return InvalidValue
	}
	why := ""
	if d, ok := texture.Decode((*[texture.Size]byte)(b)); !ok {
		if why = d.Check(); why == "" {
			why = "the bytes are no descriptor"
		}
	}
	c.out.text(why)
	return Success
}
