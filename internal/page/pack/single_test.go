package pack

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane/internal/page/site"
)

// files are the files of the page, with a WebAssembly module that is none.
func files(t *testing.T) (list []File) {
	t.Helper()
	err := fs.WalkDir(site.Files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := site.Files.ReadFile(name)
		list = append(list, File{name, data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(list, File{"crosslane.wasm.gz", []byte("module")}, File{"wasm_exec.js", []byte("// </script>")})
}

// The page as one file refers to no other file, and has each module under the name by which it is imported.
func TestSingle(t *testing.T) {
	list := files(t)
	html, err := Single(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\s(?:src|href)="([^"]*)"`).FindAllSubmatch(html, -1) {
		if s := string(m[1]); !strings.HasPrefix(s, "data:") && !strings.HasPrefix(s, "#") {
			t.Errorf("it refers to %q", s)
		}
	}
	m := regexp.MustCompile(`<script type="importmap">(.*?)</script>`).FindSubmatch(html)
	if m == nil {
		t.Fatal("no import map")
	}
	var names struct{ Imports map[string]string }
	if err := json.Unmarshal(m[1], &names); err != nil {
		t.Fatal(err)
	}
	from := regexp.MustCompile(`(?m)^(?:import|export)\b.*\bfrom '([^']+)'|\bimport\('`)
	for name, address := range names.Imports {
		text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(address, "data:text/javascript;base64,"))
		if err != nil || len(text) < 100 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		if strings.HasPrefix(name, "vendor/") {
			continue
		}
		for _, i := range from.FindAllSubmatch(text, -1) {
			if _, ok := names.Imports[string(i[1])]; !ok {
				t.Errorf("%s imports %q, which is not there", name, i[1])
			}
		}
	}
	for _, f := range list {
		script := strings.HasSuffix(f.Name, ".js") && f.Name != "worker.js" && f.Name != "functions.js" && f.Name != "wasm_exec.js"
		if _, ok := names.Imports[f.Name]; ok != script {
			t.Errorf("%s is a module of the file: %v", f.Name, ok)
		}
	}
	if n := strings.Count(string(html), "</script>"); n != strings.Count(string(html), "<script ")+1 {
		t.Errorf("a script ends early: %d ends", n)
	}
	for i := range list {
		if n := list[i].Name; n == "index.html" || n == "values.js" || n == "crosslane.wasm.gz" {
			if _, err := Single(append(list[:i:i], list[i+1:]...)); err == nil || !strings.Contains(err.Error(), n) {
				t.Errorf("without %s: %v", n, err)
			}
		}
	}
}

// mostOwn is the greatest size of the page's own scripts, each compressed by gzip as a server sends them, in bytes. The editor's bundle and
// Go's script are not among them. The scripts are not minified.
const mostOwn = 60_000

func TestOwnSize(t *testing.T) {
	sum, plain := 0, 0
	for _, f := range files(t) {
		if !strings.HasSuffix(f.Name, ".js") || strings.HasPrefix(f.Name, "vendor/") || f.Name == "wasm_exec.js" {
			continue
		}
		z, err := Zip(f.Data)
		if err != nil {
			t.Fatal(err)
		}
		sum += len(z)
		plain += len(f.Data)
	}
	t.Logf("%d bytes by gzip, %d as they are", sum, plain)
	if sum > mostOwn || sum < mostOwn/2 {
		t.Errorf("the page's own scripts have %d bytes by gzip, at most %d", sum, mostOwn)
	}
}
