package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command serves the page with the program and the launch of its arguments, until an interrupt.
func TestWeb(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "k.ptx")
	const text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
	for name, data := range map[string]string{"k.ptx": text, "k.launch.json": `{"grid": 1, "block": [8, 4], "args": ["x:u32[2]=@data.bin"]}`, "data.bin": "12345678"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{file}, `"launch":{"line":"--grid 1 --block 8,4 --arg x:u32[2]=@data.bin","files":{"data.bin":"MTIzNDU2Nzg="}}`},
		{[]string{file, "--grid", "2", "--block", "ceil(n/4)", "--arg", "x:u32[2]"}, `"launch":{"line":"--grid 2 --block 'ceil(n/4)' --arg x:u32[2]"}`},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		status := make(chan int, 1)
		var stderr bytes.Buffer
		go func() {
			status <- Main(ctx, append([]string{"web"}, c.args...), nil, w, &stderr)
			w.Close()
		}()
		url, err := bufio.NewReader(r).ReadString('\n')
		if err != nil {
			t.Fatalf("%v: %s", err, &stderr)
		}
		url = strings.TrimSpace(url)
		reply, err := http.Post(url+"api/hello", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		var v any
		if err := json.Unmarshal(body, &v); err != nil || !strings.Contains(string(body), c.want) || !strings.Contains(string(body), `"text":".version 7.0`) {
			t.Errorf("%v, %s; want %s", err, body, c.want)
		}
		cancel()
		if got := <-status; got != 0 || stderr.Len() > 0 {
			t.Errorf("status %d, %s", got, &stderr)
		}
		if _, err := http.Post(url+"api/hello", "application/json", strings.NewReader("{}")); err == nil {
			t.Error("the page is served after the interrupt")
		}
	}
	for _, c := range []struct{ args, want string }{
		{"web " + file + " --grid 0", "--grid must be"},
		{"web " + file + " --listen here", "--listen must be HOST:PORT"},
		{"web " + filepath.Join(dir, "none.ptx"), "cannot read"},
	} {
		var stdout, stderr bytes.Buffer
		if got := Main(t.Context(), strings.Fields(c.args), nil, &stdout, &stderr); got != 2 || !strings.Contains(stderr.String(), c.want) || stdout.Len() > 0 {
			t.Errorf("%s: status %d, %s", c.args, got, &stderr)
		}
	}
}
