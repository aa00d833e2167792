package cli

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/extract"
	"example.org/crosslane/internal/fatbin"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/results"
	"example.org/crosslane/ptx"
)

// maxInside is the limit of the code in one container that check keeps in memory, in bytes.
const maxInside = 1 << 30

// inside replaces containers that Load does not take, such as wheels and archives, by the pieces of
// code in them. The pieces are checked without a launch.
func (a *app) inside(f *checkFlags, changed func(string) bool, files []string, many bool) ([]string, bool, error) {
	if slices.ContainsFunc(ofLaunch, changed) {
		return files, many, nil
	}
	var out []string
	for _, file := range files {
		if !opaque(file) || launchBeside(file) != "" {
			out = append(out, file)
			continue
		}
		list, err := a.pieces(file)
		if err != nil {
			return nil, false, err
		}
		out, many = append(out, list...), true
	}
	return out, many, nil
}

// opaque reports whether a file is a container that Load does not take: one in which only extract
// looks, or a program that is too large.
func opaque(file string) bool {
	st, err := os.Stat(file)
	if file == "-" || err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false // checking it reports the error
	}
	defer f.Close()
	head := make([]byte, 8)
	n, _ := f.Read(head)
	head = head[:n]
	for _, magic := range []string{"PK\x03\x04", "!<arch>\n", "\x10\xff\x10\xad"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return st.Size() > maxInput && (bytes.HasPrefix(head, []byte("\x7fELF")) || fatbin.Is(head)) || bytes.HasPrefix(head, []byte("MZ"))
}

// A piece is the code of one fat binary, or another piece of code.
type piece struct {
	name    string
	target  ptx.Target
	data    []byte
	kernels int
	linked  string // extract.Item.Linked
	alone   bool   // its group is too large to be linked
}

// pieces reads the code in a container: of each fat binary the PTX that the device of --sm would
// choose, and all code objects that run. The units of a library or of an archive that a linker is to join
// are one piece. It returns names by which readInput finds them.
func (a *app) pieces(file string) ([]string, error) {
	var list []*piece
	of := map[string]*piece{} // by fat binary
	total, machine := 0, 0
	_, err := extract.File(file, func(i *extract.Item, data []byte) error {
		switch {
		case a.ctx.Err() != nil:
			return a.ctx.Err()
		case i.Problem != nil:
			a.report(i.Problem)
			return nil
		case !i.Runs():
			machine++
			return nil
		case i.Kind == extract.PTX && len(i.Kernels) == 0 && i.Linked == "":
			return nil // translation units without kernels are common in libraries
		}
		t, _ := ptx.ParseTarget(i.Target)
		if a.sm != 0 && i.Kind == extract.PTX && !t.RunsOn(a.sm) {
			return nil
		}
		number, _, inFat := strings.Cut(i.Entry, ".")
		key := i.File + number
		p := of[key]
		switch {
		case !inFat || p == nil:
			p = &piece{}
			list, of[key] = append(list, p), p
		case better(p.target, t):
			total -= len(p.data)
		default:
			return nil
		}
		if total += len(data); total > maxInside {
			d := diag.Errorf(diag.Pos{File: file}, diag.Unsupported, "unsupported", "the code in the file has more than %s", input.BytesText(maxInside))
			d.Remedy = "check a part of it: crosslane extract writes the pieces"
			return d
		}
		*p = piece{i.File + number + "." + i.Target + map[extract.Kind]string{extract.PTX: ".ptx", extract.Object: ".hsaco"}[i.Kind], t, slices.Clone(data), len(i.Kernels), "", false}
		if i.Kind == extract.PTX {
			p.linked = i.Linked
		}
		if i.Entry == "" {
			p.name = i.File
		}
		return nil
	})
	if err != nil {
		return nil, diag.Of(err)
	}
	units, list := unitsOf(a, list)
	if len(list) == 0 {
		d := diag.Errorf(diag.Pos{File: file}, diag.Unsupported, fatbin.CodeNoPTX, "the file holds no code that can be checked")
		if machine > 0 {
			d.Message = fmt.Sprintf("the file holds no PTX that fits; it has %s of machine code", results.Numbered(machine, "piece"))
		}
		d.Remedy = "crosslane extract lists what is in it; build programs with PTX: nvcc -gencode arch=compute_80,code=compute_80"
		return nil, d
	}
	var names []string
	for _, p := range list {
		if a.members == nil {
			a.members = map[string][]byte{}
		}
		name := unused(p.name, a.members)
		a.members[name] = p.data
		if p.alone {
			if a.alone == nil {
				a.alone = map[string]bool{}
			}
			a.alone[name] = true
		} else if parts := units[p]; len(parts) > 1 {
			if a.units == nil {
				a.units = map[string][]crosslane.LinkFile{}
			}
			a.units[name] = parts
		}
		names = append(names, name)
	}
	return names, nil
}

// better reports whether a device takes PTX for the second target rather than PTX for the first.
func better(old, t ptx.Target) bool {
	rank := func(t ptx.Target) int { return 4*t.SM + strings.IndexByte("\x00fa", t.Suffix) }
	return rank(t) > rank(old)
}

// unitsOf takes the units that a linker joins out of a list of pieces. Of units that need each other, and have kernels, the
// first one stays in the list, for all of them; units are their texts. Units that are too large together stay, each alone.
func unitsOf(a *app, list []*piece) (units map[*piece][]crosslane.LinkFile, kept []*piece) {
	libraries := map[string][]ptx.LinkPart{}
	pieces := map[string]*piece{}
	for _, p := range list {
		if p.linked != "" {
			p.name = unused(p.name, pieces)
			pieces[p.name] = p
			libraries[p.linked] = append(libraries[p.linked], ptx.LinkPart{File: p.name, Text: string(p.data)})
		}
	}
	units = map[*piece][]crosslane.LinkFile{}
	for _, parts := range libraries {
		for _, group := range ptx.LinkGroups(parts) {
			if !slices.ContainsFunc(group, func(f ptx.LinkPart) bool { return pieces[f.File].kernels > 0 }) {
				continue
			}
			size := 0
			for _, f := range group {
				size += len(f.Text)
			}
			if len(group) == 1 || size <= maxInput {
				units[pieces[group[0].File]] = group
				continue
			}
			fmt.Fprintf(a.err, "check: %s need each other and have %s together, more than the %s of a program: each is checked alone, and what it calls in another one is not known\n",
				results.Numbered(len(group), "unit"), input.BytesText(uint64(size)), input.BytesText(maxInput))
			for _, f := range group {
				p := pieces[f.File]
				units[p], p.alone = group[:1], true
			}
		}
	}
	return units, slices.DeleteFunc(list, func(p *piece) bool { return p.linked != "" && units[p] == nil })
}

// unused is a name that is no key of a map: itself, or with a number.
func unused[T any](name string, known map[string]T) string {
	free := name
	for n := 2; ; n++ {
		if _, ok := known[free]; !ok {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}
