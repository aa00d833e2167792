package session

import (
	"bytes"
	"strings"

	"example.org/crosslane/diag"
)

// The heads of the parts of a listing of cuobjdump.
const (
	listedPTX = "Fatbin ptx code:"
	listedELF = "Fatbin elf code:"
)

// listed returns the PTX of a listing that cuobjdump -ptx wrote: its lines stay where
// they are, those of the listing's heads become empty. It returns nil for a file that is
// no listing, and an error for one that has no PTX or several modules.
func listed(data []byte, file string) ([]byte, error) {
	if !isListing(data) {
		return nil, nil
	}
	var out bytes.Buffer
	var targets []string
	inside, head := false, false
	for line := range bytes.Lines(data) {
		s := strings.TrimSpace(string(line))
		switch {
		case s == listedPTX || s == listedELF:
			inside, head = false, s == listedPTX
			if head {
				targets = append(targets, "?")
			}
		case head && strings.HasPrefix(s, "arch = "):
			targets[len(targets)-1] = strings.TrimPrefix(s, "arch = ")
		case head && strings.HasPrefix(s, ".version"):
			inside, head = true, false
		}
		if inside {
			out.Write(line)
		} else {
			out.WriteByte('\n')
		}
	}
	if len(targets) == 1 && !head {
		return out.Bytes(), nil
	}
	d := diag.Errorf(diag.Pos{File: file}, diag.Unsupported, "foreign-file", "the file is a listing of cuobjdump without PTX")
	d.Remedy = "list the PTX with cuobjdump -ptx"
	if len(targets) > 1 {
		d.Message = "the file is a listing of cuobjdump with several modules of PTX, for " + strings.Join(targets, ", ")
		d.Remedy = "cut one of them out, from its .version on"
	}
	return nil, diag.List{d}
}

// isListing reports whether the first lines of a text are the head of a listing.
func isListing(data []byte) bool {
	for line := range bytes.Lines(data) {
		switch s := strings.TrimSpace(string(line)); {
		case s == listedPTX || s == listedELF:
			return true
		case s == "" || strings.HasPrefix(s, "//") || strings.HasPrefix(s, "member "):
		default:
			return false
		}
	}
	return false
}
