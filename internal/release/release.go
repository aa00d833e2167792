// Package release builds the archives of a release: for each platform the static command, the
// manual pages, the shell completions, README and LICENSE; beside each archive a list of the
// modules in the command (a CycloneDX SBOM); the Python package as a wheel for each platform and as a
// source archive; and for all files one list of SHA-256 checksums.
//
// Two runs of one commit with one version of Go give the same bytes: the files of an archive are
// sorted and have a fixed date, and the command is built without paths and time stamps
// (https://reproducible-builds.org/docs/archives).
//
//	crosslane_0.1.0_linux_amd64.tar.gz
//	crosslane_0.1.0_linux_amd64.cdx.json
//	checksums.txt
package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"example.org/crosslane/internal/cli"
)

// Platform is a system and an architecture, as GOOS and GOARCH name them.
type Platform struct{ OS, Arch string }

// Platforms returns the platforms of a release.
func Platforms() []Platform {
	var list []Platform
	for _, system := range []string{"darwin", "linux", "windows"} {
		list = append(list, Platform{system, "amd64"}, Platform{system, "arm64"})
	}
	return list
}

// file is one file of an archive. Its name has slashes.
type file struct {
	name string
	mode int64
	data []byte
}

// date is the date of every file: the first that zip archives can hold.
var date = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Build writes the release of the module in folder root into the folder out.
func Build(ctx context.Context, root, out string, platforms []Platform) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	common, err := commonFiles(root)
	if err != nil {
		return err
	}
	python, err := readPython(root)
	if err != nil {
		return err
	}
	written := map[string][]byte{}
	source, data, err := python.sourceArchive()
	if err != nil {
		return err
	}
	written[source] = data
	for _, p := range platforms {
		name := fmt.Sprintf("crosslane_%s_%s_%s", cli.Commands().Version, p.OS, p.Arch)
		binary, bom, err := command(ctx, root, p)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", p.OS, p.Arch, err)
		}
		program, ext, pack := "crosslane", ".tar.gz", tarball
		if p.OS == "windows" {
			program, ext, pack = "crosslane.exe", ".zip", zipped
		}
		data, err := pack(name, append(slices.Clone(common), file{program, 0o755, binary}))
		if err != nil {
			return err
		}
		written[name+ext], written[name+".cdx.json"] = data, bom
		wheel, data, err := python.wheel(p, binary)
		if err != nil {
			return err
		}
		written[wheel] = data
	}
	var sums strings.Builder
	for _, name := range sortedKeys(written) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(written[name]), name)
	}
	written["checksums.txt"] = []byte(sums.String())
	for name, data := range written {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys(m map[string][]byte) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// commonFiles returns the files that the archives of all platforms hold.
func commonFiles(root string) ([]file, error) {
	var list []file
	for _, name := range []string{"README.md", "LICENSE"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		list = append(list, file{name, 0o644, data})
	}
	pages, err := manualPages(cli.Commands())
	if err != nil {
		return nil, err
	}
	completions, err := completionFiles()
	return append(append(list, pages...), completions...), err
}

// manualPages returns a manual page for a command and for each command below it.
func manualPages(c *cobra.Command) ([]file, error) {
	c.DisableAutoGenTag = true // the tag has the date of today
	var b bytes.Buffer
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: "Crosslane " + c.Root().Version, Manual: "Crosslane"}
	if err := doc.GenMan(c, header, &b); err != nil {
		return nil, err
	}
	list := []file{{"man/man1/" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1", 0o644, b.Bytes()}}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		pages, err := manualPages(sub)
		if err != nil {
			return nil, err
		}
		list = append(list, pages...)
	}
	return list, nil
}

// completionFiles returns the script of crosslane completion for each shell, under the name that the
// shell looks for.
func completionFiles() ([]file, error) {
	root := cli.Commands()
	var list []file
	for _, c := range []struct {
		name string
		make func(io.Writer) error
	}{
		{"crosslane.bash", func(w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
		{"_crosslane", root.GenZshCompletion},
		{"crosslane.fish", func(w io.Writer) error { return root.GenFishCompletion(w, true) }},
		{"crosslane.ps1", root.GenPowerShellCompletionWithDesc},
	} {
		var b bytes.Buffer
		if err := c.make(&b); err != nil {
			return nil, err
		}
		list = append(list, file{"completions/" + c.name, 0o644, b.Bytes()})
	}
	return list, nil
}

// command builds the command for a platform and lists its modules.
func command(ctx context.Context, root string, p Platform) (binary, bom []byte, err error) {
	dir, err := os.MkdirTemp("", "crosslane-release")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "crosslane")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", path, "./cmd/crosslane")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+p.OS, "GOARCH="+p.Arch, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	if binary, err = os.ReadFile(path); err != nil {
		return nil, nil, err
	}
	bom, err = modules(path)
	return binary, bom, err
}

// modules returns the modules in a command as a CycloneDX document. The document has neither a
// date nor a serial number, so that it is the same in each run.
func modules(path string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	bom := cdx.NewBOM()
	component := func(kind cdx.ComponentType, name, version string) cdx.Component {
		url := "pkg:golang/" + name + "@" + version
		return cdx.Component{BOMRef: url, Type: kind, Name: name, Version: version, PackageURL: url}
	}
	main := component(cdx.ComponentTypeApplication, info.Main.Path, "v"+cli.Commands().Version)
	bom.Metadata = &cdx.Metadata{Component: &main}
	list := []cdx.Component{component(cdx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, component(cdx.ComponentTypeLibrary, m.Path, m.Version))
	}
	slices.SortFunc(list, func(a, b cdx.Component) int { return cmp.Compare(a.Name, b.Name) })
	bom.Components = &list
	var b bytes.Buffer
	err = cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	return b.Bytes(), err
}

// sorted returns the files in the order of their names.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
}

// tarball returns a tar.gz archive with the files in the folder top.
func tarball(top string, files []file) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, f := range sorted(files) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: top + "/" + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: date, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), z.Close())
	return b.Bytes(), err
}

// zipped returns a zip archive with the files in the folder top.
func zipped(top string, files []file) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range sorted(files) {
		if err := zipFile(w, top+"/"+f.name, f); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// zipFile writes a file to an archive, under a name.
func zipFile(w *zip.Writer, name string, f file) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: date}
	h.SetMode(os.FileMode(f.mode))
	to, err := w.CreateHeader(h)
	if err == nil {
		_, err = to.Write(f.data)
	}
	return err
}
