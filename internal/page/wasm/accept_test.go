//go:build !js

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/page"
	"example.org/crosslane/internal/page/pack"
)

// siteEnv names a folder that cmd/site has written. The tests need it, and node: the CI step "wasm" has both.
const siteEnv = "CROSSLANE_SITE"

// site is the folder of the static site.
func site(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(siteEnv)
	if dir == "" {
		t.Skip(siteEnv + " is not set")
	}
	return dir
}

// A worker is the page's worker in node.
type worker struct {
	t     *testing.T
	in    io.Writer
	lines chan string
	next  int
}

func start(t *testing.T) *worker {
	t.Helper()
	dir := site(t)
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join("testdata", "accept.cjs"), dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &worker{t: t, in: in, lines: make(chan string, 16)}
	go func() {
		defer close(w.lines)
		r := bufio.NewReaderSize(out, 1<<20)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			w.lines <- line
		}
	}()
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return w
}

// line is the next line that the worker writes.
func (w *worker) line() []byte {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.t.Fatal("the worker has ended")
		}
		return []byte(line)
	case <-time.After(5 * time.Minute):
		w.t.Fatal("no line in five minutes")
	}
	return nil
}

func (w *worker) send(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, text+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// ready waits until the whole module is there.
func (w *worker) ready() (ms float64) {
	for {
		var m struct {
			Measure string
			MS      float64
		}
		if json.Unmarshal(w.line(), &m) == nil && m.Measure == "ready" {
			return m.MS
		}
	}
}

type reply struct {
	ID          int
	OK          bool
	Data, Error json.RawMessage
	MS          float64
}

// ask answers an operation.
func (w *worker) ask(op string, params any) (r reply) {
	w.t.Helper()
	w.next++
	w.send(request(w.t, w.next, op, params))
	if err := json.Unmarshal(w.line(), &r); err != nil || r.ID != w.next {
		w.t.Fatalf("%s: %v, reply %d to %d", op, err, r.ID, w.next)
	}
	return r
}

func request(t *testing.T, id int, op string, params any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"id": id, "op": op, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// memory is the size of the module's memory, in bytes.
func (w *worker) memory() int {
	w.send("memory")
	var m struct{ Bytes int }
	if err := json.Unmarshal(w.line(), &m); err != nil {
		w.t.Fatal(err)
	}
	return m.Bytes
}

// The sizes that the modules may have, compressed, in bytes: gzip as the site has them, and brotli 11 as a server may send them.
var mostBytes = map[string][2]int{"crosslane": {4_950_000, 3_500_000}, "explain": {2_600_000, 1_800_000}}

func TestSizes(t *testing.T) {
	dir := site(t)
	for i := range pack.Modules {
		name := pack.Modules[i].Name
		st, err := os.Stat(filepath.Join(dir, name+".wasm.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if most := mostBytes[name][0]; st.Size() > int64(most) {
			t.Errorf("%s.wasm.gz has %d bytes, at most %d", name, st.Size(), most)
		}
		t.Logf("%s.wasm.gz: %d bytes", name, st.Size())
		if os.Getenv("CROSSLANE_BROTLI") == "" {
			continue // it takes minutes
		}
		const script = `const z=require('zlib'),b=z.gunzipSync(require('fs').readFileSync(process.argv[1])),c=z.constants;` +
			`console.log(z.brotliCompressSync(b,{params:{[c.BROTLI_PARAM_QUALITY]:11,[c.BROTLI_PARAM_LGWIN]:24,[c.BROTLI_PARAM_SIZE_HINT]:b.length}}).length)`
		out, err := exec.CommandContext(t.Context(), "node", "-e", script, filepath.Join(dir, name+".wasm.gz")).Output()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if _, err := fmt.Sscan(string(out), &n); err != nil || n > mostBytes[name][1] {
			t.Errorf("%s has %d bytes by brotli, at most %d (%v)", name, n, mostBytes[name][1], err)
		}
		t.Logf("%s: %d bytes by brotli 11", name, n)
	}
}

var checkLine = regexp.MustCompile(`(?m)^// check: (.*--grid.*)$`)

// launches are launches of the examples, and those of the gallery.
func launches(t *testing.T, p *page.Page) (list []map[string]any) {
	t.Helper()
	var gallery struct{ Data []map[string]any }
	if err := json.Unmarshal(p.AnswerOp(t.Context(), "examples", nil), &gallery); err != nil {
		t.Fatal(err)
	}
	for _, e := range gallery.Data {
		list = append(list, map[string]any{"program": e["program"], "launch": e["launch"]})
	}
	for _, pattern := range []string{"bad/ptx/*.ptx", "good/ptx/*.ptx", "bad/gcn3/*.s", "good/gcn3/*.s"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := checkLine.FindSubmatch(text)
			if m == nil || i%17 != 0 || strings.ContainsAny(string(m[1]), "@") || strings.Contains(string(m[1]), "--sweep") || strings.Contains(string(m[1]), "--target") {
				continue
			}
			list = append(list, map[string]any{"program": map[string]any{"name": filepath.Base(file), "text": string(text)}, "launch": map[string]any{"line": string(m[1])}})
		}
	}
	return list
}

// plain is an answer without what says how and how fast it was made.
func plain(t *testing.T, text json.RawMessage) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if m, ok := v.(map[string]any); ok {
		delete(m, "stats")
	}
	return v
}

// The module gives the answers of the process, for 30 launches and more: run, check, recordings, and why.
func TestAnswers(t *testing.T) {
	w := start(t)
	t.Logf("ready after %.0f ms", w.ready())
	p := page.New(page.Options{Limits: page.SmallLimits()})
	native := func(op string, params any) (r reply) {
		text, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(p.AnswerOp(t.Context(), op, text), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	list := launches(t, p)
	if len(list) < 30 {
		t.Fatalf("only %d launches", len(list))
	}
	for i, l := range list {
		l["options"] = map[string]any{"timeout_ms": 120_000}
		for _, q := range []struct {
			op     string
			params any
		}{{"run", l}, {"check", l}, {"static", map[string]any{"program": l["program"]}}, {"record", l}, {"outline", map[string]any{"rec": i + 1, "wave": 0}},
			{"steps", map[string]any{"rec": i + 1, "from": 0, "to": 40}}, {"state", map[string]any{"rec": i + 1, "step": 9, "wave": 0}}, {"why", map[string]any{"rec": i + 1, "step": 5, "lane": 3}}} {
			got, want := w.ask(q.op, q.params), native(q.op, q.params)
			if got.OK != want.OK || got.OK && !reflect.DeepEqual(plain(t, got.Data), plain(t, want.Data)) {
				t.Errorf("%s of launch %d, %v: %v\n%.800s\nwant %v\n%.800s", q.op, i, l["launch"], got.OK, got.Data, want.OK, want.Data)
			}
		}
	}
	t.Logf("%d launches; the module's memory is %d bytes", len(list), w.memory())
}

const endless = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 o) {
.reg .u64 %d; .reg .u32 %r;
ld.param.u64 %d, [o];
L: add.u32 %r, %r, 1;
st.global.u32 [%d], %r;
bra L;
}
`

// An endless kernel ends with its time limit, and another request ends it before.
func TestEnds(t *testing.T) {
	w := start(t)
	w.ready()
	grid := "--grid 1 --block 32"
	params := func(ms int) any {
		return map[string]any{"program": map[string]any{"name": "k.ptx", "text": endless}, "launch": map[string]any{"line": grid + " --arg o:u32[1]"}, "options": map[string]any{"timeout_ms": ms}}
	}
	// On a quiet machine each takes half a second more than its limit at most. The second check has many races.
	for _, op := range []string{"run", "check", "record", "check"} {
		if op == "record" {
			grid = "--grid 4 --block 256"
		}
		start := time.Now()
		r := w.ask(op, params(1000))
		took := time.Since(start)
		t.Logf("%s with a limit of 1 s took %v", op, took)
		if !strings.Contains(string(r.Data)+string(r.Error), "the time limit of 1s") || took > 6*time.Second {
			t.Errorf("%s took %v: %.300s %s", op, took, r.Data, r.Error)
		}
	}
	w.send(request(t, 100, "run", params(600_000)))
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	w.send(`{"id":101,"op":"cancel","params":{"id":100}}`)
	first, second := string(w.line()), string(w.line())
	t.Logf("a stop took %v", time.Since(began))
	if all := first + second; !strings.Contains(all, `"id":100,"ok":false,"error":{"message":"stopped"`) || !strings.Contains(all, `"id":101,"ok":true`) {
		t.Error(all)
	}
}

// The memory of the module after a run, a check and a recording.
func TestMemory(t *testing.T) {
	w := start(t)
	w.ready()
	var gallery []map[string]any
	if err := json.Unmarshal(w.ask("examples", map[string]any{}).Data, &gallery); err != nil {
		t.Fatal(err)
	}
	l := map[string]any{"program": gallery[0]["program"], "launch": gallery[0]["launch"]}
	for _, op := range []string{"run", "check", "record"} {
		if r := w.ask(op, l); !r.OK {
			t.Fatal(op)
		}
	}
	if r := w.ask("explain", map[string]any{"text": "v_add_f32 v1, v0, v0 row_shr:1"}); !r.OK {
		t.Fatal("explain")
	}
	n := w.memory()
	t.Logf("%d bytes", n)
	if n == 0 || n > 30_000_000 {
		t.Errorf("the memory has %d bytes, want 1 to 30,000,000", n)
	}
}
