package recognise

import (
	"bufio"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.org/crosslane/internal/fatbin"
)

// The limits of Loaded's reads of a process.
const (
	maxObjects = 4096
	maxCode    = 256 << 20 // bytes of sections with fat binaries, together
)

// Loaded reads the objects that a process has mapped: its program and the libraries that are loaded so far. Objects
// without code for a device, and files that cannot be read, are left out. The result is empty if the system does not let
// this process read the maps of the other one.
func Loaded(pid int) (list []*Program) {
	process := fmt.Sprintf("/proc/%d", pid)
	maps, err := os.Open(process + "/maps")
	if err != nil {
		return nil
	}
	defer maps.Close()
	seen, left := map[string]bool{}, int64(maxCode)
	for lines := bufio.NewScanner(maps); lines.Scan() && len(seen) < maxObjects; {
		// 7f00-7f10 r-xp 00001000 08:01 1234    /path of the file
		field := strings.Fields(lines.Text())
		at := strings.IndexByte(lines.Text(), '/')
		if len(field) < 6 || !strings.Contains(field[1], "x") || at < 0 || seen[lines.Text()[at:]] {
			continue
		}
		name := lines.Text()[at:]
		seen[name] = true
		// The process may have another root.
		if p := object(process+"/root"+name, name, &left); p != nil {
			list = append(list, p)
		}
	}
	return list
}

// object reads the code of one file, which has another name for its process. left is how many bytes may be read yet.
func object(file, name string, left *int64) *Program {
	if s, err := os.Stat(file); err != nil || !s.Mode().IsRegular() {
		return nil // opening a pipe would wait
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	e := program(f)
	if e == nil {
		return nil
	}
	p := &Program{File: name}
	p.needs(e)
	if e.Section(hipSection) != nil || strings.HasPrefix(filepath.Base(name), hipLibrary) {
		p.HIP = name
	}
	for _, s := range []string{fatSection, relocatable} {
		p.code(e, s, left)
	}
	if len(p.Binaries) == 0 && p.HIP == "" {
		return nil
	}
	return p
}

// program reads the tables of an ELF file of this machine's kind; nil: it is none.
func program(f *os.File) *elf.File {
	head := make([]byte, len(elf.ELFMAG))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != elf.ELFMAG {
		return nil
	}
	e, err := elf.NewFile(f)
	if err != nil || e.Machine != elf.EM_X86_64 || e.Class != elf.ELFCLASS64 {
		return nil
	}
	return e
}

// code adds the fat binaries of a section.
func (p *Program) code(e *elf.File, section string, left *int64) {
	s := e.Section(section)
	if s == nil || s.Type == elf.SHT_NOBITS || s.Size > uint64(*left) {
		return
	}
	data, err := s.Data()
	if err != nil {
		return
	}
	*left -= int64(len(data))
	// Parse returns nothing if one of them is damaged; the driver library reports that when it is loaded.
	list, _ := fatbin.Parse(data, p.File, int64(s.Offset))
	p.Binaries = append(p.Binaries, list...)
}

// Choose chooses a device for programs that run in one process: the first of devices, numbers like 89, that runs all
// their code. Fat binaries without PTX count for nothing: no device runs them. amd is true for programs that use HIP
// alone. Because is a file that the devices before cannot run; "": the first device was chosen. If no device runs all
// code, the first one is the answer: the driver library names what cannot be loaded.
func Choose(programs []*Program, devices []int) (sm int, amd bool, because *Program) {
	hip, cuda := false, false
	for _, p := range programs {
		hip, cuda = hip || p.HIP != "", cuda || len(p.Binaries) > 0
	}
	if hip && !cuda {
		return 0, true, nil
	}
	for _, sm := range devices {
		p := fails(programs, sm)
		if p == nil {
			return sm, false, because
		}
		if because == nil {
			because = p
		}
	}
	return devices[0], false, nil
}

// fails returns the first program with PTX that a device does not run.
func fails(programs []*Program, sm int) *Program {
	for _, p := range programs {
		for _, b := range p.Binaries {
			if !runs(b, sm) {
				return p
			}
		}
	}
	return nil
}

// runs reports whether a fat binary has PTX for a device, or none at all.
func runs(b *fatbin.Binary, sm int) bool {
	any := false
	for _, e := range b.Entries {
		if e.Kind != fatbin.PTX {
			continue
		}
		any = true
		// Only the text tells the suffix of a target. Targets of devices up to 8.9 have none.
		if e.SM <= min(sm, firstSuffix-1) {
			return true
		}
		if e.SM <= sm {
			// Text that cannot be read is reported when it is loaded.
			if t, err := e.Target(); err != nil || t.RunsOn(sm) {
				return true
			}
		}
	}
	return !any
}

// firstSuffix is the first architecture with targets of the forms sm_90a and sm_100f.
const firstSuffix = 90

// PTX lists the devices that the PTX of a program is for: "sm_75 and sm_120".
func (p *Program) PTX() string {
	var list []*fatbin.Entry
	for _, b := range p.Binaries {
		for _, e := range b.Entries {
			if e.Kind == fatbin.PTX {
				list = append(list, e)
			}
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return numbers(list)
}
