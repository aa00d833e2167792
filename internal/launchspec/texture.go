package launchspec

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
)

// A textureSpec is texture{&NAME, FORMAT, width=…, …} or surface{…}: a texture or surface as written.
type textureSpec struct {
	address addressSpec
	t       crosslane.Texture
}

// parseTexture reads the text between the braces: an address, a format of texels, and named fields. Lists have a / between their
// elements: address=wrap/clamp.
func parseTexture(s string, surface bool) (*textureSpec, error) {
	parts, err := SplitList(s)
	if err != nil {
		return nil, err
	}
	if len(parts) < 3 {
		return nil, fmt.Errorf("want &NAME, FORMAT, width=N and further fields")
	}
	t := &textureSpec{}
	name, ok := strings.CutPrefix(strings.TrimSpace(parts[0]), "&")
	if !ok {
		return nil, fmt.Errorf("%s is no address: want &NAME, the buffer of the texels", input.Quoted(parts[0]))
	}
	if t.address, err = parseAddress(name); err != nil {
		return nil, err
	}
	t.t.Format, t.t.Surface = strings.TrimSpace(parts[1]), surface
	seen := map[string]bool{}
	for _, part := range parts[2:] {
		key, val, _ := strings.Cut(strings.TrimSpace(part), "=")
		if seen[key] {
			return nil, fmt.Errorf("%s: the field is named twice", input.Quoted(part))
		}
		seen[key] = true
		if err := t.set(key, val); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return t, nil
}

// set sets a named field.
func (t *textureSpec) set(key, val string) (err error) {
	x := &t.t
	if to, ok := map[string]*int{"width": &x.Width, "height": &x.Height, "depth": &x.Depth, "layers": &x.Layers, "levels": &x.Levels}[key]; ok {
		*to, err = positive(val, 31)
		return err
	}
	if to, ok := map[string]*uint64{"pitch": &x.Pitch, "slice": &x.Slice}[key]; ok {
		n, err := positive(val, 48)
		*to = uint64(n)
		return err
	}
	if to, ok := map[string]*bool{"cube": &x.Cube, "linear": &x.Linear, "normalized": &x.Normalized, "float": &x.Float, "srgb": &x.SRGB}[key]; ok {
		if *to = val == ""; !*to {
			return fmt.Errorf("the field takes no value")
		}
		return nil
	}
	if to, ok := map[string]*float32{"bias": &x.Bias, "min": &x.MinLevel, "max": &x.MaxLevel}[key]; ok {
		*to, err = real32(val)
		return err
	}
	switch key {
	case "address":
		x.Address = strings.Split(val, "/")
	case "filter":
		x.Filter = val
	case "mip":
		x.MipFilter = val
	case "border":
		list := strings.Split(val, "/")
		if len(list) > 4 {
			return fmt.Errorf("%d numbers, and 4 at most", len(list))
		}
		for i, v := range list {
			if x.Border[i], err = real32(v); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("no field has this name (known: width, height, depth, layers, cube, levels, linear, pitch, slice, address, filter, mip, normalized, float, srgb, border, bias, min, max)")
	}
	return nil
}

// positive reads a number from 1 on.
func positive(s string, bits int) (int, error) {
	v, err := strconv.ParseUint(strings.TrimSpace(s), 10, bits)
	if err != nil || v == 0 {
		return 0, fmt.Errorf("%s is not a number from 1 on", input.Quoted(s))
	}
	return int(v), nil
}

// real32 reads a floating-point number.
func real32(s string) (float32, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 32)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number", input.Quoted(s))
	}
	return float32(v), nil
}

// handle makes the handle.
func (t *textureSpec) handle(buffers map[string]*crosslane.Buffer) (crosslane.Pointer, error) {
	p, err := t.address.pointer(0, buffers)
	if err != nil {
		return p, err
	}
	x := t.t
	x.Texels = p
	h := x.Handle()
	return h, h.To.Err()
}

// arg makes the argument.
func (t *textureSpec) arg(buffers map[string]*crosslane.Buffer) (crosslane.Arg, error) {
	h, err := t.handle(buffers)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// setTexture gives a .texref or .surfref variable a texture or surface.
func (s Named) setTexture(sym *crosslane.Symbol, head, body string, buffers map[string]*crosslane.Buffer) error {
	if head == "tensormap" {
		return fmt.Errorf("a tensor map is an argument, not a value of a variable")
	}
	t, err := parseTexture(body, head == "surface")
	if err != nil {
		return fmt.Errorf("%s: %w", head, err)
	}
	h, err := t.handle(buffers)
	if err != nil {
		return err
	}
	return sym.SetBytes(crosslane.Bytes{Data: h.To.Data, Pointers: h.To.Pointers})
}
