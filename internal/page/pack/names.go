package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// recordName is the offset, in the record of a function, of where its name begins in the names.
const recordName = 4

// dropNames takes the names of functions from the table, except for those of namedPackages: a traceback leaves these functions out. Functions within a function, and those for other types, get the name of the function alone. The length of the module stays.
func dropNames(module []byte) error {
	m, err := readMemory(module)
	if err != nil {
		return err
	}
	at := bytes.Index(m.data, []byte(tableMagic))
	if at < 0 {
		return errors.New("the module has no table of functions that is known: this version of Go is not known here")
	}
	f, err := readFunctions(m.data[at:])
	if err != nil {
		return fmt.Errorf("the table of functions: %w", err)
	}
	le := binary.LittleEndian
	names := f.table[f.names:f.units]
	kept := map[string]int{} // where a name is; the empty one where the first name was that is dropped
	moved := map[int]int{}   // from where a name was to where the one is that stands for it
	shorter := map[int]int{} // how many bytes of a name stay
	for i := range f.count {
		r, err := f.record(i)
		if err != nil {
			return fmt.Errorf("the table of functions: %w", err)
		}
		off := int(le.Uint32(r[recordName:]))
		to, known := moved[off]
		if !known {
			if off >= len(names) {
				return fmt.Errorf("the name of function %d is beyond the names", i)
			}
			length := bytes.IndexByte(names[off:], 0)
			if length < 0 {
				return fmt.Errorf("the name of function %d has no end", i)
			}
			short := shortName(string(names[off : off+length]))
			if to, known = kept[short]; !known {
				to = off
				kept[short] = off
				shorter[off] = len(short)
			}
			moved[off] = to
		}
		le.PutUint32(r[recordName:], uint32(to))
	}
	for off := range moved {
		end := off + bytes.IndexByte(names[off:], 0)
		clear(names[off+shorter[off] : end])
	}
	m.write(module)
	return nil
}

// namedPackages begin the names that a traceback keeps: the packages that answer requests, load, run, check and record. What they call has
// most of the functions, and a traceback has its callers.
var namedPackages = []string{
	"main.", "example.org/crosslane.", "example.org/crosslane/internal/page", "example.org/crosslane/internal/session.", "example.org/crosslane/internal/sim.",
	"example.org/crosslane/internal/check", "example.org/crosslane/internal/recording.",
}

// shortName is the name that a traceback has for a function; "": none.
func shortName(name string) string {
	if !slices.ContainsFunc(namedPackages, func(p string) bool { return strings.HasPrefix(name, p) }) {
		return ""
	}
	for _, mark := range []string{"[", ".func", "-", ".gowrap", ".deferwrap"} {
		name, _, _ = strings.Cut(name, mark)
	}
	return name
}
