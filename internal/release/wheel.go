package release

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.org/crosslane/internal/cli"
)

// The Python package of a release: for each platform a wheel with the command inside
// (https://packaging.python.org/en/latest/specifications/binary-distribution-format), and a source archive without it.
// The texts are those of the package's own build backend, python/packaging.
//
//	crosslane-0.1.0-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl
//	crosslane-0.1.0.tar.gz

// wheelTags returns the platforms that installers know a platform by. The command for Linux is static, so it runs with
// every C library. Go 1.26 needs macOS 12.
func wheelTags(p Platform) []string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.Arch]
	switch p.OS {
	case "linux":
		return []string{"manylinux2014_" + arch, "manylinux_2_17_" + arch, "musllinux_1_1_" + arch}
	case "darwin":
		return []string{"macosx_12_0_" + strings.Replace(arch, "aarch64", "arm64", 1)}
	}
	return []string{"win_" + p.Arch}
}

// pythonPackage holds the files of the Python package that do not depend on the platform.
type pythonPackage struct {
	version string
	modules []file // crosslane/*.py
	sources []file // the other files of the source archive
	info    []file // METADATA, entry_points.txt, LICENSE
}

// readPython reads the package from the folder of the module.
func readPython(root string) (*pythonPackage, error) {
	p := &pythonPackage{version: cli.Commands().Version}
	var failed error
	read := func(name string) file {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil && failed == nil {
			failed = err
		}
		return file{strings.TrimPrefix(name, "python/"), 0o644, data}
	}
	folder := func(pattern string) (list []file) {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(names) == 0 {
			failed = fmt.Errorf("there is no %s: %w", pattern, os.ErrNotExist)
		}
		for _, name := range names {
			list = append(list, read(filepath.ToSlash(filepath.Join(filepath.Dir(pattern), filepath.Base(name)))))
		}
		return list
	}
	p.modules = append(folder("python/crosslane/*.py"), read("python/crosslane/py.typed"))
	p.sources = append(folder("python/tests/*.py"), folder("python/packaging/*.py")...)
	p.sources = append(p.sources, read("python/packaging/METADATA"), read("python/packaging/entry_points.txt"))
	p.sources = append(p.sources, read("python/pyproject.toml"), read("python/README.md"), read("LICENSE"))
	head, readme := read("python/packaging/METADATA").data, read("python/README.md").data
	metadata := append(bytes.ReplaceAll(head, []byte("@VERSION@"), []byte(p.version)), readme...)
	p.info = []file{{"METADATA", 0o644, metadata}, {"entry_points.txt", 0o644, read("python/packaging/entry_points.txt").data}, {"licenses/LICENSE", 0o644, read("LICENSE").data}}
	p.sources = append(p.sources, file{"PKG-INFO", 0o644, metadata})
	if failed != nil {
		return nil, failed
	}
	if want := `__version__ = "` + p.version + `"`; !bytes.Contains(read("python/crosslane/__init__.py").data, []byte(want)) {
		return nil, fmt.Errorf("python/crosslane/__init__.py does not have the version of the command: want %s", want)
	}
	return p, nil
}

// sourceArchive returns the name and the bytes of the source archive.
func (p *pythonPackage) sourceArchive() (name string, data []byte, err error) {
	top := "crosslane-" + p.version
	data, err = tarball(top, append(append([]file(nil), p.modules...), p.sources...))
	return top + ".tar.gz", data, err
}

// wheel returns the name and the bytes of the wheel of a platform.
func (p *pythonPackage) wheel(on Platform, command []byte) (name string, data []byte, err error) {
	tags := wheelTags(on)
	program := "crosslane/bin/crosslane"
	if on.OS == "windows" {
		program += ".exe"
	}
	text := "Wheel-Version: 1.0\nGenerator: crosslane\nRoot-Is-Purelib: false\n"
	for _, tag := range tags {
		text += "Tag: py3-none-" + tag + "\n"
	}
	info := "crosslane-" + p.version + ".dist-info/"
	files := append(sorted(p.modules), file{program, 0o755, command})
	for _, f := range p.info {
		files = append(files, file{info + f.name, f.mode, f.data})
	}
	files = append(files, file{info + "WHEEL", 0o644, []byte(text)})
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	files = append(files, file{info + "RECORD", 0o644, []byte(record.String())})
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		if err := zipFile(w, f.name, f); err != nil {
			return "", nil, err
		}
	}
	err = w.Close()
	return fmt.Sprintf("crosslane-%s-py3-none-%s.whl", p.version, strings.Join(tags, ".")), b.Bytes(), err
}
