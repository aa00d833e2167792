package page

import (
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
)

// refused are flags of the command line that the page does not take, and why.
var refused = map[string]string{
	"launch": "a launch file is read by the command line", "save": "the page writes no files; it can download buffers", "profile": "profiles are written by the command line",
	"dump": "forms of a kernel are printed by the command line", "include": "included files are opened in the page", "link": "linking is done by the command line",
	"defsym": "symbols are defined by the command line", "force": "the page writes no files", "save-on-stop": "the page writes no files",
	"compiler": "programs of CUDA C++ and HIP are compiled by the command line", "sweep": "sweeps are made by the command line", "steps": "the page shows all steps", "output": "the page writes no files",
}

// short are one-letter flags, for the messages about them.
var short = map[string]string{"I": "include", "o": "output"}

// readFlags reads the flags of a launch.
func readFlags(words []string) (*launch, error) {
	f := launchspec.Flags{Engine: "auto", Undefined: "own", Schedule: "lowest-pc", MaxMemory: "4G"}
	l := &launch{}
	isa := "auto"
	texts := map[string]*string{
		"kernel": &f.Kernel, "grid": &f.Grid, "block": &f.Block, "cluster": &f.Cluster, "shared": &f.Shared, "stack": &f.Stack, "heap": &f.Heap, "engine": &f.Engine,
		"timeout": &f.Timeout, "undefined": &f.Undefined, "schedule": &f.Schedule, "max-memory": &f.MaxMemory, "isa": &isa,
	}
	lists := map[string]*[]string{"arg": &f.Args, "buffer": &f.Buffers, "set-symbol": &f.Symbols, "print": &f.Print, "expect": &f.Expect}
	numbers := map[string]*int{"workers": &f.Workers, "sm": &l.sm, "fatbin": &l.fatbin}
	unused := false
	switches := map[string]*bool{"cooperative": &f.Cooperative, "adversarial": &f.Adversarial, "fidelity": &l.fidelity, "check": &unused, "stats": &unused, "quiet": &unused}
	ignored := map[string]*string{"format": new(string), "color": new(string)}
	given := map[string]bool{}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		name, val, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if n := len(word) - len(strings.TrimLeft(word, "-")); n == 1 && short[name[:min(1, len(name))]] != "" {
			name = short[name[:1]]
		} else if n != 2 || name == "" {
			return nil, usage("launch: %s is no flag of run; write --NAME VALUE", quoted(word))
		}
		if why := refused[name]; why != "" {
			return nil, usage("launch: the page does not take --%s: %s", name, why)
		}
		if to := switches[name]; to != nil {
			on := true
			if has {
				var err error
				if on, err = strconv.ParseBool(val); err != nil {
					return nil, usage("launch: --%s is true or false, found %s", name, quoted(val))
				}
			}
			*to, given[name] = on, true
			continue
		}
		text, list, number := texts[name], lists[name], numbers[name]
		if text == nil {
			text = ignored[name]
		}
		if text == nil && list == nil && number == nil {
			return nil, usage("launch: there is no flag --%s of run", input.Quoted(name)[1:len(input.Quoted(name))-1])
		}
		if !has {
			if len(words) == 0 {
				return nil, usage("launch: --%s has no value", name)
			}
			val, words = words[0], words[1:]
		}
		given[name] = true
		switch {
		case text != nil:
			*text = val
		case list != nil:
			*list = append(*list, val)
		default:
			n, err := strconv.Atoi(val)
			if err != nil {
				return nil, usage("launch: --%s is a number, found %s", name, quoted(val))
			}
			*number = n
		}
	}
	if err := input.OneOf("--isa", isa, "auto", "ptx", "gcn3"); err != nil {
		return nil, usage("%s", err)
	}
	if isa != "auto" {
		l.isa = crosslane.ISA(isa)
	}
	return l, f.Join(&l.Spec, func(name string) bool { return given[name] })
}
