// Package serve serves the page in the browser over HTTP, for the user of this machine.
package serve

import (
	"crypto/rand"
	"encoding/base64"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"example.org/crosslane/internal/page/ask"
)

// A Desk answers operations: page.Page is one.
type Desk = ask.Desk

// Handler serves the page's files, and answers its operations: POST api/OP. All addresses begin with /TOKEN/, so that only a reader
// of the address can use it, and no other user or page of the machine.
//
// names are the names of hosts that requests may address besides IP addresses and "localhost": a page of another site can make a name
// of its own point to this machine, but not an IP address.
func Handler(desk *ask.Desk, files fs.FS, token string, names ...string) http.Handler {
	h := &handler{desk: desk, files: files, base: "/" + token + "/", names: names}
	return http.HandlerFunc(h.serve)
}

// Token makes a token: 128 random bits.
func Token() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

type handler struct {
	desk  *ask.Desk
	files fs.FS
	base  string
	names []string
}

// policy lets the page load only what is its own.
const policy = "default-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	if !h.hostAllowed(r.Host) {
		http.Error(w, "this server answers to addresses of this machine only, not to "+quoted(r.Host), http.StatusMisdirectedRequest)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, h.base)
	if !ok {
		http.Error(w, "open the address that crosslane web has printed: it has a secret part", http.StatusForbidden)
		return
	}
	if op, ok := strings.CutPrefix(name, "api/"); ok {
		h.api(w, r, op)
		return
	}
	h.file(w, r, name)
}

// hostAllowed reports whether a request addresses this machine itself.
func (h *handler) hostAllowed(host string) bool {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") || slices.ContainsFunc(h.names, func(n string) bool { return strings.EqualFold(n, name) })
}

// sameOrigin reports whether a request comes from the page itself, as far as the browser says.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true // no browser
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && u.Host == r.Host
}

// api answers an operation. The status is 200 if the operation fails, too: the reply says so.
func (h *handler) api(w http.ResponseWriter, r *http.Request, op string) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "operations are asked for by POST", http.StatusMethodNotAllowed)
		return
	}
	if !sameOrigin(r) {
		http.Error(w, "another site's page may not ask", http.StatusForbidden)
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "the parameters of an operation are application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, ask.MaxRequest))
	if err != nil {
		http.Error(w, "the request is too large or was cut short", http.StatusRequestEntityTooLarge)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(h.desk.AnswerOp(r.Context(), op, body)) // the page may have gone
}

// types are the types of the page's files, whatever the system's tables say.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	".json": "application/json", ".txt": "text/plain; charset=utf-8", ".png": "image/png", ".wasm": "application/wasm", ".gz": "application/gzip",
	".woff2": "font/woff2", ".webmanifest": "application/manifest+json",
}

// file serves a file of the page.
func (h *handler) file(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "files are read by GET", http.StatusMethodNotAllowed)
		return
	}
	if name == "" {
		name = "index.html"
	}
	kind, known := types[path.Ext(name)]
	data, err := fs.ReadFile(h.files, name)
	if err != nil || !known {
		http.Error(w, "the page has no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	if r.Method == http.MethodGet {
		_, _ = w.Write(data)
	}
}

func quoted(s string) string {
	if len(s) > 100 {
		s = s[:100]
	}
	return `"` + strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' {
			return '?'
		}
		return r
	}, s) + `"`
}
