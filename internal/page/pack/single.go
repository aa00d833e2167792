package pack

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// single are the texts of index.html that refer to other files, and the files.
var single = []struct{ text, file string }{
	{`<link rel="icon" href="icon.svg" type="image/svg+xml">`, "icon.svg"},
	{`<link rel="stylesheet" href="style.css">`, "style.css"},
	{`<script type="module" src="app.js"></script>`, "app.js"},
}

// imported is the file that a module of the page imports.
var imported = regexp.MustCompile(`\bfrom '\./([\w./-]+\.js)'`)

// Single makes one HTML file of the files of the static site, which browsers open from a disk, without a server: they load no modules and
// no workers from there. The modules of the page are data: addresses, by their names in an import map; the scripts of the worker and
// the whole WebAssembly module are in base64.
func Single(list []File) ([]byte, error) {
	files := map[string][]byte{}
	for _, f := range list {
		files[f.Name] = f.Data
	}
	for _, name := range []string{"index.html", "icon.svg", "style.css", "app.js", "worker.js", "functions.js", "wasm_exec.js", "crosslane.wasm.gz"} {
		if files[name] == nil {
			return nil, fmt.Errorf("the site has no %s", name)
		}
	}
	modules := map[string]string{}
	if err := addModule(modules, files, "app.js"); err != nil {
		return nil, err
	}
	names, err := json.Marshal(map[string]any{"imports": modules})
	if err != nil {
		return nil, err
	}
	base := base64.StdEncoding.EncodeToString
	var app strings.Builder
	fmt.Fprintf(&app, "<script type=\"importmap\">%s</script>\n", names)
	for _, name := range []string{"wasm_exec.js", "functions.js", "worker.js", "crosslane.wasm.gz"} {
		fmt.Fprintf(&app, "<script type=\"text/plain\" data-file=%q>%s</script>\n", name, base(files[name]))
	}
	app.WriteString(singleScript)
	html := files["index.html"]
	for _, s := range single {
		if bytes.Count(html, []byte(s.text)) != 1 {
			return nil, fmt.Errorf("index.html does not have %s once", s.text)
		}
		text := app.String()
		switch s.file {
		case "icon.svg":
			text = `<link rel="icon" href="data:image/svg+xml;base64,` + base(files[s.file]) + `">`
		case "style.css":
			if bytes.Contains(files[s.file], []byte("</")) {
				return nil, fmt.Errorf("%s has the text </, which would end it", s.file)
			}
			text = "<style>\n" + string(files[s.file]) + "</style>"
		}
		html = bytes.Replace(html, []byte(s.text), []byte(text), 1)
	}
	return html, nil
}

// addModule adds a module of the page, and those that it imports, as addresses by their names.
func addModule(modules map[string]string, files map[string][]byte, name string) error {
	if _, known := modules[name]; known {
		return nil
	}
	if files[name] == nil {
		return fmt.Errorf("the site has no %s, which a module imports", name)
	}
	modules[name] = "" // a circle of imports ends here
	for _, m := range imported.FindAllSubmatch(files[name], -1) {
		if err := addModule(modules, files, string(m[1])); err != nil {
			return err
		}
	}
	// In an import map names without a path are those of modules.
	text := imported.ReplaceAll(files[name], []byte("from '$1'"))
	modules[name] = "data:text/javascript;base64," + base64.StdEncoding.EncodeToString(text)
	return nil
}

// singleScript starts the page. The worker's scripts become one, which gets the module before they run.
const singleScript = `<script>
globalThis.crosslaneWorker = () => {
  const file = (name) => document.querySelector(` + "`script[data-file=\"${name}\"]`" + `).textContent;
  const parts = ['wasm_exec.js', 'functions.js', 'worker.js'].map((name) => Uint8Array.from(atob(file(name)), (c) => c.charCodeAt(0)));
  const module = ['self.crosslaneModules = { crosslane: "', file('crosslane.wasm.gz'), '" };\n'];
  return new Worker(URL.createObjectURL(new Blob([...module, ...parts.flatMap((p) => [p, '\n'])], { type: 'text/javascript' })));
};
</script>
<script type="module">import 'app.js';</script>`
