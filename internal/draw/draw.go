// Package draw draws lane maps and folds for people: as text of at most 80 columns, and as SVG with
// the same picture. 64 lanes are four rows of 16, 32 lanes are two. Colour never carries
// information alone: every kind of lane has its own sign, word or line style, and the legend names
// the kinds that occur.
package draw

import (
	"fmt"
	"strings"

	"example.org/crosslane/lane"
)

// rowLanes is the number of lanes in a row of a picture.
const rowLanes = 16

// Options hold the contents of a picture besides the map. All are optional.
type Options struct {
	// Title is the headline, usually the instruction.
	Title string
	// Subtitle holds lines under the title: decoded operands, masks.
	Subtitle []string
	// Inactive lanes do not take part: they are drawn as off.
	Inactive lane.Mask
	// Pred is the predicate result of every lane, drawn if HasPred is set.
	Pred    lane.Mask
	HasPred bool
	// Lost lanes have sent data that no lane receives (ds_permute_b32: a higher lane overwrote it,
	// or its target is off).
	Lost lane.Mask
	// Before and After are formatted values of the source register and of the
	// destination register, by lane. Missing entries are not drawn.
	Before, After []string
}

// kind is the way in which one destination lane gets its value.
type kind uint8

const (
	reads   kind = iota // another lane's value
	itself              // its own value, by reading it
	zeroed              // 0
	kept                // not updated
	off                 // takes no part
	unknown             // undefined
)

// kindInfo is the notation of a kind: the sign in text, the word in SVG, the line of the legend. It
// is never written.
var kindInfo = [...]struct{ sign, word, legend string }{
	reads:   {"", "", "reads that lane"},
	itself:  {"", "", "reads itself"},
	zeroed:  {"z", "zero", "receives 0"},
	kept:    {"=", "keep", "keeps its old value: not written"},
	off:     {".", "off", "inactive: takes no part"},
	unknown: {"!", "!", "value is undefined"},
}

// scene is the input of both renderers: the map, lane by lane.
type scene struct {
	lanes int
	kind  [64]kind
	src   [64]int // lane read, -1 if none
	seen  [unknown + 1]bool
	o     *Options
	// guests is set if a source lane of another row was drawn as a guest.
	guests bool
}

// newScene finds the kind and the source of every lane.
func newScene(m *lane.Map, o *Options) *scene {
	s := &scene{lanes: min(max(m.Lanes, 0), 64), o: o}
	for i := range s.lanes {
		s.src[i] = -1
		j, ok := m.Src[i].Lane()
		if ok {
			s.src[i] = j
		}
		switch {
		case m.Undef.Has(i):
			s.kind[i] = unknown
		case ok && j == i:
			s.kind[i] = itself
		case ok:
			s.kind[i] = reads
		case m.Src[i] == lane.Zero:
			s.kind[i] = zeroed
		case o.Inactive.Has(i):
			s.kind[i] = off
		default:
			s.kind[i] = kept
		}
		s.seen[s.kind[i]] = true
	}
	return s
}

// sentence describes the source of one lane in words.
func (s *scene) sentence(i int) string {
	switch s.kind[i] {
	case reads:
		return fmt.Sprintf("lane %d reads lane %d", i, s.src[i])
	case itself:
		return fmt.Sprintf("lane %d reads itself", i)
	case zeroed:
		return fmt.Sprintf("lane %d receives 0", i)
	case off:
		return fmt.Sprintf("lane %d is inactive", i)
	case kept:
		return fmt.Sprintf("lane %d keeps its old value", i)
	}
	if s.src[i] >= 0 {
		return fmt.Sprintf("lane %d would read lane %d: undefined", i, s.src[i])
	}
	return fmt.Sprintf("lane %d is undefined", i)
}

// summary counts the kinds and names their lanes, one line for each.
func (s *scene) summary() []string {
	var of [unknown + 1]lane.Mask
	for i := range s.lanes {
		of[s.kind[i]] |= lane.Lane(i)
	}
	var out []string
	add := func(m lane.Mask, words string) {
		if m != 0 {
			out = append(out, fmt.Sprintf("%s: %d (%s)", words, m.Count(), m.Named()))
		}
	}
	add(of[reads], "reading another lane")
	add(of[itself], "reading themselves")
	add(of[zeroed], "receiving 0")
	add(of[kept], "keeping their old value")
	add(of[off], "inactive")
	add(of[unknown], "undefined")
	add(s.o.Lost, "data arriving nowhere")
	return out
}

// at returns entry i of a list, "" if the list is shorter.
func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// wrap breaks a text into lines of at most width characters (not bytes), at blanks if possible;
// continuation lines start with indent.
func wrap(text, indent string, width int) []string {
	var lines []string
	for _, para := range strings.Split(text, "\n") {
		line := []rune(strings.Map(printable, para))
		for len(line) > width {
			cut := width
			for i := width; i > len(indent); i-- {
				if line[i] == ' ' {
					cut = i
					break
				}
			}
			lines = append(lines, strings.TrimRight(string(line[:cut]), " "))
			line = []rune(indent + strings.TrimLeft(string(line[cut:]), " "))
		}
		lines = append(lines, strings.TrimRight(string(line), " "))
	}
	return lines
}

// printable replaces control characters, which would break a picture.
func printable(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < ' ' || r == 0x7f:
		return '\ufffd'
	}
	return r
}
