package release

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane/internal/cli"
)

// A wheel has the names, the tags and the hashes that installers look at.
func TestWheel(t *testing.T) {
	t.Parallel()
	p, err := readPython(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	version := cli.Commands().Version
	for platform, want := range map[Platform]string{
		{"linux", "amd64"}:   "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
		{"linux", "arm64"}:   "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
		{"darwin", "amd64"}:  "macosx_12_0_x86_64",
		{"darwin", "arm64"}:  "macosx_12_0_arm64",
		{"windows", "amd64"}: "win_amd64",
		{"windows", "arm64"}: "win_arm64",
	} {
		name, data, err := p.wheel(platform, []byte("the command"))
		if err != nil {
			t.Fatal(err)
		}
		if full := "crosslane-" + version + "-py3-none-" + want + ".whl"; name != full {
			t.Errorf("name %s, want %s", name, full)
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		contents := map[string][]byte{}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if contents[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			if program := strings.HasPrefix(f.Name, "crosslane/bin/"); program != (f.Mode()&0o111 != 0) {
				t.Errorf("%s has the mode %v", f.Name, f.Mode())
			}
		}
		info := "crosslane-" + version + ".dist-info/"
		records, err := csv.NewReader(bytes.NewReader(contents[info+"RECORD"])).ReadAll()
		if err != nil || len(records) != len(z.File) || records[len(records)-1][0] != info+"RECORD" {
			t.Fatalf("%d records of %d files, %v", len(records), len(z.File), err)
		}
		for _, r := range records[:len(records)-1] {
			data, ok := contents[r[0]]
			sum := sha256.Sum256(data)
			if !ok || r[1] != "sha256="+strings.TrimRight(base64.URLEncoding.EncodeToString(sum[:]), "=") || r[2] != strconv.Itoa(len(data)) {
				t.Errorf("the record %v is wrong", r)
			}
		}
		for tag := range strings.SplitSeq(want, ".") {
			if !strings.Contains(string(contents[info+"WHEEL"]), "\nTag: py3-none-"+tag+"\n") {
				t.Errorf("no tag %s", tag)
			}
		}
		program := "crosslane/bin/crosslane"
		if platform.OS == "windows" {
			program += ".exe"
		}
		for _, name := range []string{program, "crosslane/__init__.py", "crosslane/pytest_plugin.py", "crosslane/py.typed", info + "entry_points.txt"} {
			if _, ok := contents[name]; !ok {
				t.Errorf("%s is not in the wheel", name)
			}
		}
		if m := string(contents[info+"METADATA"]); !strings.Contains(m, "\nVersion: "+version+"\n") || !strings.HasPrefix(m, "Metadata-Version: 2.4\nName: crosslane\n") || !strings.Contains(m, "\n\n# Crosslane for Python\n") {
			t.Errorf("metadata %q", m)
		}
	}
}

// installWheel installs the wheel of this platform, and then the source archive, in environments of their own, and runs
// an example.
func installWheel(t *testing.T, dist string) {
	t.Helper()
	const python = "/usr/bin/python3"
	if out, err := exec.Command(python, "-c", "import ensurepip").CombinedOutput(); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatalf("there is no Python with venv: %v %s", err, out)
		}
		t.Skip("there is no Python with venv")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	const program = `
import array, crosslane, sys
scan = crosslane.load(sys.argv[1], check=True)["block_scan"]
x, out = array.array("i", [1] * 1024), array.array("i", bytes(4096))
print(scan(4, 256, x, out, 1024).findings, out[3], out[1023], crosslane.command_path() == sys.argv[2])
`
	var inside string
	for _, pattern := range []string{"*.whl", "crosslane-*.tar.gz"} {
		found, _ := filepath.Glob(filepath.Join(dist, pattern))
		if len(found) != 1 {
			t.Fatalf("%s: %v", pattern, found)
		}
		env := filepath.Join(t.TempDir(), "env")
		bin := filepath.Join(env, "bin")
		run := func(name string, args ...string) string {
			t.Helper()
			cmd := exec.Command(name, args...)
			cmd.Dir = t.TempDir()
			cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CROSSLANE") || strings.HasPrefix(v, "PYTHON") })
			if inside != "" {
				cmd.Env = append(cmd.Env, "CROSSLANE="+inside) // the source archive has no command
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s %v: %v\n%s", name, args, err, out)
			}
			return string(out)
		}
		run(python, "-m", "venv", env)
		run(filepath.Join(bin, "pip"), "install", "--no-index", "--disable-pip-version-check", found[0])
		if inside == "" {
			commands, _ := filepath.Glob(filepath.Join(env, "lib", "python3*", "site-packages", "crosslane", "bin", "crosslane"))
			if len(commands) != 1 {
				t.Fatalf("the command is at %v", commands)
			}
			inside = commands[0]
		}
		got := run(filepath.Join(bin, "python"), "-c", program, filepath.Join(root, "examples", "ptx", "block_scan.ptx"), inside)
		if got != "no findings 4 256 True\n" {
			t.Errorf("%s: the example prints %q", pattern, got)
		}
		if got, want := run(filepath.Join(bin, "crosslane"), "version"), fmt.Sprintf("crosslane %s\n", cli.Commands().Version); !strings.HasPrefix(got, want) {
			t.Errorf("%s: the command prints %q", pattern, got)
		}
	}
}
