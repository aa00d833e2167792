package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/crosslane/internal/page/ask"
)

func TestServe(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"index.html": {Data: []byte("<p>page")}, "a/b.js": {Data: []byte("1")}, "secret.go": {Data: []byte("x")}}
	s := httptest.NewServer(Handler(ask.NewDesk(), files, "token", "box.example"))
	defer s.Close()
	explain := `{"text":"v_add_f32 v1, v0, v0 row_shr:1"}`
	for _, c := range []struct {
		method, path, body string
		head               map[string]string
		status             int
		want               string
	}{
		{"GET", "/token/", "", nil, 200, "<p>page"},
		{"HEAD", "/token/", "", nil, 200, ""},
		{"GET", "/token/a/b.js", "", nil, 200, "1"},
		{"GET", "/token/secret.go", "", nil, 404, "no such file"},
		{"GET", "/token/../index.html", "", nil, 404, "no such file"},
		{"GET", "/token/%2e%2e/x.js", "", nil, 404, "no such file"},
		{"PUT", "/token/index.html", "", nil, 405, "GET"},
		{"GET", "/", "", nil, 403, "secret part"},
		{"GET", "/toke/", "", nil, 403, "secret part"},
		{"GET", "/token/", "", map[string]string{"Host": "evil.example"}, 421, "evil.example"},
		{"GET", "/token/", "", map[string]string{"Host": "evil.example:80"}, 421, "evil.example"},
		{"GET", "/token/", "", map[string]string{"Host": "127.0.0.1.evil.example"}, 421, "evil.example"},
		{"GET", "/token/", "", map[string]string{"Host": "LOCALHOST:1"}, 200, "page"},
		{"GET", "/token/", "", map[string]string{"Host": "[::1]:1"}, 200, "page"},
		{"GET", "/token/", "", map[string]string{"Host": "box.example:1"}, 200, "page"},
		{"POST", "/token/api/explain", explain, nil, 200, `{"ok":true`},
		{"POST", "/token/api/fly", "{}", nil, 200, `{"ok":false`},
		{"GET", "/token/api/explain", "", nil, 405, "POST"},
		{"POST", "/token/api/explain", explain, map[string]string{"Content-Type": "text/plain"}, 415, "application/json"},
		{"POST", "/token/api/explain", explain, map[string]string{"Origin": "http://evil.example"}, 403, "another site"},
		{"POST", "/token/api/explain", explain, map[string]string{"Origin": "null"}, 403, "another site"},
		{"POST", "/token/api/explain", explain, map[string]string{"Origin": s.URL}, 200, `"ok":true`},
		{"POST", "/token/api/explain", explain, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, "another site"},
		{"POST", "/token/api/explain", explain, map[string]string{"Sec-Fetch-Site": "same-site"}, 403, "another site"},
		{"POST", "/token/api/explain", explain, map[string]string{"Sec-Fetch-Site": "same-origin"}, 200, `"ok":true`},
		{"POST", "/api/explain", explain, nil, 403, "secret part"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, s.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.method == "POST" {
			r.Header.Set("Content-Type", "application/json")
		}
		for k, v := range c.head {
			r.Header.Set(k, v)
			if k == "Host" {
				r.Host = v
			}
		}
		reply, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		if reply.StatusCode != c.status || !strings.Contains(string(body), c.want) {
			t.Errorf("%s %s %v: %d %.100s; want %d %s", c.method, c.path, c.head, reply.StatusCode, body, c.status, c.want)
		}
		if csp := reply.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'self';") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: the policy is %q", c.path, csp)
		}
	}
	if a, b := Token(), Token(); a == b || len(a) != 22 {
		t.Errorf("tokens %s and %s", a, b)
	}
}
