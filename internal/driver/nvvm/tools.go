package nvvm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// tools are the commands of one version of LLVM.
type tools struct {
	major  int
	folder string // "": they are found by their names
	suffix string // -14
}

func (t tools) path(name string) string { return filepath.Join(t.folder, name+t.suffix) }

// typedVersions read modules with typed pointers, and opaqueVersions read those with opaque ones; the first are
// preferred. Version 22 is what this repository is tested with.
var typedVersions, opaqueVersions = []int{14, 15}, []int{22, 21, 20, 19, 18}

// needed are the commands that must exist.
var needed = []string{"opt", "llc", "llvm-link", "llvm-dis"}

// packages is where packages of Debian put the commands of a version.
const packages = "/usr/lib/llvm-%d/bin"

// findTools finds the tools: those of a package of Debian, else commands with a version in their names, else commands
// without, if their version is right.
func findTools(packages string, opaque bool) (tools, error) {
	versions, kind := typedVersions, "typed"
	if opaque {
		versions, kind = opaqueVersions, "opaque"
	}
	for _, major := range versions {
		for _, t := range []tools{{major, fmt.Sprintf(packages, major), ""}, {major, "", fmt.Sprintf("-%d", major)}} {
			if t.exist() {
				return t, nil
			}
		}
	}
	plain := tools{}
	if plain.exist() {
		if plain.major = plain.version(); slices.Contains(versions, plain.major) {
			return plain, nil
		}
	}
	has := ""
	if plain.major > 0 {
		has = fmt.Sprintf("; the command opt is of version %d", plain.major)
	}
	return tools{}, failf(compilation, "crosslane: NVVM IR is compiled by LLVM, and no version that reads %s pointers was found%s: apt-get install llvm-%d", kind, has, versions[0])
}

func (t tools) exist() bool {
	return !slices.ContainsFunc(needed, func(name string) bool {
		_, err := exec.LookPath(t.path(name))
		return err != nil
	})
}

var versionText = regexp.MustCompile(`LLVM version (\d+)\.`)

// version asks opt for its major version; 0: it does not say.
func (t tools) version() int {
	cmd := exec.Command(t.path("opt"), "--version")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	out, err := cmd.Output()
	if m := versionText.FindSubmatch(out); err == nil && m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	return 0
}

var (
	smName  = regexp.MustCompile(`(?m)^  sm_(\d+) `)
	ptxName = regexp.MustCompile(`(?m)^  ptx(\d+) `)
)

// newestPTX bounds the version of PTX: newer versions may have rules that a newer LLVM knows and Crosslane does not.
const newestPTX = 88

// machine returns the options that choose the architecture: the newest one of LLVM that is not newer than the one
// that was asked for. PTX for it runs on newer devices, too.
func (p *program) machine() ([]string, error) {
	cmd := exec.CommandContext(p.ctx, p.tools.path("llc"), "-march=nvptx64", "-mattr=help", os.DevNull, "-o", os.DevNull)
	cmd.Env = p.environment()
	list, err := cmd.CombinedOutput() // the list is on standard error
	if err != nil {
		return nil, failf(compilation, "crosslane: llc of LLVM %d does not list its architectures: %s", p.tools.major, err)
	}
	sm, ptx := newest(smName, list, p.options.SM), newest(ptxName, list, newestPTX)
	if sm == 0 || ptx == 0 {
		return nil, failf(invalidOption, "crosslane: LLVM %d has no architecture for -arch=compute_%d", p.tools.major, p.options.SM)
	}
	return []string{fmt.Sprintf("-mcpu=sm_%d", sm), fmt.Sprintf("-mattr=+ptx%d", ptx)}, nil
}

// newest returns the greatest number that matches and is not above limit.
func newest(pattern *regexp.Regexp, list []byte, limit int) (best int) {
	for _, m := range pattern.FindAllSubmatch(list, -1) {
		if n, err := strconv.Atoi(string(m[1])); err == nil && n <= limit {
			best = max(best, n)
		}
	}
	return best
}
