// Package pack builds the WebAssembly modules of the page, and the page as a folder of files that any server can serve.
package pack

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.org/crosslane/internal/page/site"
)

// A Module is a WebAssembly module of the page.
type Module struct {
	Name    string // of its file, NAME.wasm.gz
	Package string // below the repository's root
	// Inlined are the patterns of packages whose functions are inlined. In the rest they are not: the module is a twelfth smaller, and
	// the time goes into these packages.
	Inlined []string
}

// Modules are the page's modules, the small one first.
var Modules = []Module{
	{"explain", "./internal/page/wasm/first", nil},
	{"crosslane", "./internal/page/wasm", []string{"example.org/crosslane/num", "example.org/crosslane/internal/engine/interp"}},
}

// Build builds a module in a folder, as NAME.wasm. root is the repository's root. The result depends only on the sources and the version
// of Go. It starts after the script functions.js of the page has filled its memory.
func (m *Module) Build(ctx context.Context, root, dir string) (file string, err error) {
	file, err = filepath.Abs(filepath.Join(dir, m.Name+".wasm"))
	if err != nil {
		return "", err
	}
	goroot, err := goRoot(ctx)
	if err != nil {
		return "", err
	}
	work, err := os.MkdirTemp("", "crosslane-overlay-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	overlay, err := sortsOnce(goroot, work)
	if err != nil {
		return "", err
	}
	args := []string{"build", "-overlay", overlay, "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-gcflags=all=-l"}
	for _, p := range m.Inlined {
		args = append(args, "-gcflags="+p+"=")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "-o", file, m.Package)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOWASM=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", m.Package, err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if err := dropLines(data); err != nil {
		return "", fmt.Errorf("%s: %w", m.Package, err)
	}
	if err := dropNames(data); err != nil {
		return "", fmt.Errorf("%s: %w", m.Package, err)
	}
	if data, err = dropNumbers(data); err != nil {
		return "", fmt.Errorf("%s: %w", m.Package, err)
	}
	return file, os.WriteFile(file, data, 0o600)
}

// Zip compresses data as gzip -9 does, without a time.
func Zip(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Support is the script that Go's modules need, of the version of Go that builds them.
func Support(ctx context.Context) ([]byte, error) {
	goroot, err := goRoot(ctx)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
}

func goRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// A File is a file of the static site, by its slash-separated name.
type File struct {
	Name string
	Data []byte
}

// Site makes the files of the static site: the page, and the modules that are its back end. root is the repository's root.
func Site(ctx context.Context, root string) (list []File, err error) {
	err = fs.WalkDir(site.Files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, ".go") {
			return err
		}
		data, err := site.Files.ReadFile(name)
		if err != nil {
			return err
		}
		if name == "index.html" {
			if data, err = ownBackEnd(data); err != nil {
				return err
			}
		}
		list = append(list, File{name, data})
		return nil
	})
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "crosslane-page-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for i := range Modules {
		m := &Modules[i]
		file, err := m.Build(ctx, root, dir)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if data, err = Zip(data); err != nil {
			return nil, err
		}
		list = append(list, File{m.Name + ".wasm.gz", data})
	}
	support, err := Support(ctx)
	if err != nil {
		return nil, err
	}
	return append(list, File{"wasm_exec.js", support}), nil
}

// ownBackEnd makes the page use its modules, and no server.
func ownBackEnd(html []byte) ([]byte, error) {
	const auto, worker = `<meta name="crosslane-backend" content="auto">`, `<meta name="crosslane-backend" content="worker">`
	if bytes.Count(html, []byte(auto)) != 1 {
		return nil, errors.New("index.html does not have " + auto + " once")
	}
	return bytes.Replace(html, []byte(auto), []byte(worker), 1), nil
}

// Write writes files to a folder, which must not exist or be empty.
func Write(dir string, list []File) error {
	if old, err := os.ReadDir(dir); err == nil && len(old) > 0 {
		return fmt.Errorf("%s is not empty; nothing is overwritten: give a new folder", dir)
	}
	for _, f := range list {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
