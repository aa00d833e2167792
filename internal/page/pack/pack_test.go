package pack

import (
	"bytes"
	"debug/gosym"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/page/site"
)

// build compiles a program of one file and returns the result.
func build(t *testing.T, text string, env []string, args ...string) (file string, data []byte) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "program")
	cmd := exec.CommandContext(t.Context(), "go", append(append([]string{"build"}, args...), "-o", file, source)...)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, data
}

// functions reads the table of functions of a module by a reader of Go's own.
func functions(t *testing.T, module []byte) *gosym.Table {
	t.Helper()
	m, err := readMemory(module)
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := bytes.Cut(m.data, []byte(tableMagic))
	if !ok {
		t.Fatal("no table")
	}
	list, err := gosym.NewTable(nil, gosym.NewLineTable(append([]byte(tableMagic), table...), 0))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// run runs a module in node, if there is one, as the page's worker does, and compares what it prints.
func run(t *testing.T, module []byte, want string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Log("there is no node: the module is not run")
		return
	}
	support, err := Support(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fill, err := site.Files.ReadFile("functions.js")
	if err != nil {
		t.Fatal(err)
	}
	const start = `
globalThis.fs = require('node:fs');
(async () => {
  const go = new Go(), { module, instance } = await WebAssembly.instantiate(fs.readFileSync(process.argv[2]), go.importObject);
  fillFunctions(module, instance.exports.mem);
  await go.run(instance);
})();
`
	dir := t.TempDir()
	script, file := filepath.Join(dir, "run.cjs"), filepath.Join(dir, "program")
	for name, data := range map[string][]byte{file: module, script: slices.Concat(support, fill, []byte(start))} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "node", script, file).CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("the module prints (%v)\n%.500s\nwant\n%s", err, out, want)
	}
}

// growing copies its stack and collects garbage: both read the tables that stay.
const growing = `package main

import "runtime"

type list struct{ next *list }

func deep(n int, l *list) int {
	if n == 0 {
		runtime.GC()
		return 0
	}
	return deep(n-1, &list{l}) + 1
}

func main() {
	pc := make([]uintptr, 1)
	runtime.Callers(1, pc)
	f, _ := runtime.CallersFrames(pc).Next()
	println(deep(2_000, nil), f.Function)
}
`

// Names of the program stay, without what is behind the function; those of Go's library are empty. The code and the addresses are as before.
func TestDropNames(t *testing.T) {
	_, before := build(t, growing, []string{"GOOS=js", "GOARCH=wasm"}, "-ldflags=-s -w")
	if err := dropLines(before); err != nil {
		t.Fatal(err)
	}
	after := bytes.Clone(before)
	if err := dropNames(after); err != nil {
		t.Fatal(err)
	}
	was, is := functions(t, before), functions(t, after)
	if len(was.Funcs) < 500 || len(was.Funcs) != len(is.Funcs) {
		t.Fatalf("%d functions, want %d", len(is.Funcs), len(was.Funcs))
	}
	kept := 0
	for i, f := range was.Funcs {
		g := is.Funcs[i]
		if g.Entry != f.Entry || g.End != f.End {
			t.Errorf("function %s at %#x, want %#x", f.Name, g.Entry, f.Entry)
		}
		switch want := strings.HasPrefix(f.Name, "main."); {
		case want && g.Name == f.Name:
			kept++
		case want && (g.Name == "" || !strings.HasPrefix(f.Name, g.Name)), !want && g.Name != "":
			t.Errorf("function %s has the name %q", f.Name, g.Name)
		}
	}
	if kept < 2 {
		t.Errorf("only %d names were kept", kept)
	}
	m, err := readMemory(before)
	if err != nil {
		t.Fatal(err)
	}
	first := m.segments[0].offset
	if !bytes.Equal(before[:first], after[:first]) || len(before) != len(after) {
		t.Error("more than data has changed")
	}
	run(t, after, "2000 main.main\n")
	again := bytes.Clone(after)
	if err := dropNames(again); err != nil || !bytes.Equal(again, after) {
		t.Errorf("a second time: %v", err)
	}
	for name, want := range map[string]string{
		"runtime.main": "", "slices.SortFunc[go.shape.int]": "", "main.main": "main.main", "main.main.func1.2": "main.main",
		"example.org/crosslane/internal/sim.(*Wave).run": "example.org/crosslane/internal/sim.(*Wave).run", "example.org/crosslane/num.FMA": "", "example.org/crosslane/ptx.Parse": "",
		"example.org/crosslane/internal/page.op[go.shape.string].func2": "example.org/crosslane/internal/page.op", "example.org/crosslane.Load": "example.org/crosslane.Load",
	} {
		if got := shortName(name); got != want {
			t.Errorf("%s becomes %q, want %q", name, got, want)
		}
	}
}

// A module without lines has the functions that it had, at their addresses, and the same code.
func TestDropLines(t *testing.T) {
	_, before := build(t, growing, []string{"GOOS=js", "GOARCH=wasm"}, "-ldflags=-s -w")
	after := bytes.Clone(before)
	if err := dropLines(after); err != nil {
		t.Fatal(err)
	}
	was, is := functions(t, before), functions(t, after)
	if len(was.Funcs) < 500 || len(was.Funcs) != len(is.Funcs) {
		t.Fatalf("%d functions, want %d", len(is.Funcs), len(was.Funcs))
	}
	lines := 0
	for i, f := range was.Funcs {
		if g := is.Funcs[i]; g.Name != f.Name || g.Entry != f.Entry || g.End != f.End {
			t.Errorf("function %s at %#x, want %s at %#x", g.Name, g.Entry, f.Name, f.Entry)
		}
		if file, line, _ := was.PCToLine(f.Entry); file != "" && line > 0 {
			lines++
		}
		if file, line, _ := is.PCToLine(f.Entry); file != "" || line > 0 {
			t.Errorf("%s has the line %s:%d", f.Name, file, line)
		}
	}
	if lines < 500 {
		t.Errorf("the module had %d lines before", lines)
	}
	m, err := readMemory(before)
	if err != nil {
		t.Fatal(err)
	}
	first := m.segments[0].offset
	if !bytes.Equal(before[:first], after[:first]) || len(before) != len(after) {
		t.Error("more than data has changed")
	}
	a, err := Zip(before)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Zip(after)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > len(a)*97/100 {
		t.Errorf("%d bytes compressed, without lines %d", len(a), len(b))
	}
	run(t, after, "2000 main.main\n")
	// A second time, nothing is left to drop.
	again := bytes.Clone(after)
	if err := dropLines(again); err != nil || !bytes.Equal(again, after) {
		t.Errorf("a second time: %v", err)
	}
}

// A module without the numbers of its functions has the table and the index that Go's linker made, after functions.js has run: it tells its
// functions, copies its stack, collects garbage, and unwinds a panic.
func TestDropNumbers(t *testing.T) {
	_, before := build(t, growing, []string{"GOOS=js", "GOARCH=wasm"}, "-ldflags=-s -w")
	after, err := dropNumbers(before)
	if err != nil {
		t.Fatal(err)
	}
	tail := after[len(before):]
	if len(tail) != 2+1+len(numbersSection)+16 || tail[0] != 0 || int(tail[1]) != len(tail)-2 || string(tail[3:3+len(numbersSection)]) != numbersSection {
		t.Fatalf("the section is % x", tail)
	}
	numbers := make([]int, 4)
	for i := range numbers {
		numbers[i] = int(binary.LittleEndian.Uint32(tail[len(tail)-16+4*i:]))
	}
	was, err := readMemory(before)
	if err != nil {
		t.Fatal(err)
	}
	is, err := readMemory(after)
	if err != nil {
		t.Fatal(err)
	}
	// The changed bytes are those that the section names, and no further ones.
	table, count, index := numbers[0], numbers[1], numbers[3]
	allowed := map[int]bool{}
	for i := range count {
		record := table + int(binary.LittleEndian.Uint32(was.data[table+8*i+4:]))
		for b := range 4 {
			allowed[table+8*i+b] = true
			allowed[record+b] = true
		}
	}
	changes := 0
	for address := range was.data {
		if is.data[address] != was.data[address] {
			changes++
			if inIndex := address >= index && address < index+(count-1)*320+4; !inIndex && !allowed[address] || is.data[address] != 0 {
				t.Fatalf("the byte at %#x is %d, and was %d", address, is.data[address], was.data[address])
			}
		}
	}
	if count < 500 || changes < 18*(count-256) {
		t.Errorf("%d functions, %d bytes changed", count, changes)
	}
	run(t, after, "2000 main.main\n")
	const panics = "package main\n\nfunc f(n int) int {\n\tdefer func() { println(recover().(error).Error()) }()\n\treturn 6 / n\n}\n\nfunc main() { f(0) }\n"
	_, module := build(t, panics, []string{"GOOS=js", "GOARCH=wasm"}, "-ldflags=-s -w")
	if module, err = dropNumbers(module); err != nil {
		t.Fatal(err)
	}
	run(t, module, "runtime error: integer divide by zero\n")
	// A name that was removed is not found.
	if _, err := dropNumbers(after); err == nil {
		t.Error("a second time is no error")
	}
	for n := 0; n < len(before); n += len(before)/50 + 1 {
		if _, err := dropNumbers(before[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are no error", n, len(before))
		}
	}
}

// Modules that end early, and tables of another layout, are errors.
func TestDropLinesOfOthers(t *testing.T) {
	_, good := build(t, "package main\n\nfunc main() {}\n", []string{"GOOS=js", "GOARCH=wasm"}, "-ldflags=-s -w")
	magic := bytes.Index(good, []byte(tableMagic[:5]))
	if magic < 0 {
		t.Fatal("no table in one piece")
	}
	for n := 0; n < len(good); n += len(good)/50 + 1 {
		if dropLines(bytes.Clone(good[:n])) == nil {
			t.Errorf("the first %d bytes of %d are no error", n, len(good))
		}
	}
	other := bytes.Clone(good)
	other[magic] = 0xf0
	if dropLines(other) == nil {
		t.Error("another number of the layout is no error")
	}
	table := func(i int, b byte) {
		m, err := readMemory(good)
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(m.data, []byte(tableMagic))
		m.data[at+i] = b
		if dropFromTable(m.data[at:]) == nil {
			t.Errorf("byte %d of the table with the value %d is no error", i, b)
		}
	}
	for i := 8; i < tableHeader; i += 8 {
		if i != 16 && i != 24 { // the number of files, and the address of the code
			table(i+7, 0x80)
		}
		if i >= 40 {
			table(i+2, 0xff)
		}
	}
}

const sorting = `package main

import "slices"

type record struct{ key, id int }

var sum, state uint64 = 14695981039346656037, 1

func add(n uint64)      { sum = (sum ^ n) * 1099511628211 }
func number(n int) int { state = state*6364136223846793005 + 1442695040888963407; return int(state>>33) % n }

func main() {
	for n := range 700 {
		for _, keys := range []int{2, 9, 1 << 20} {
			var a []record
			var f []float64
			var s []string
			for i := range n {
				k := number(keys)
				if keys == 9 && n%3 == 0 {
					k = i * (n%2*2 - 1) // ordered, or the other way round
				}
				a = append(a, record{k, i})
				x := float64(k)
				if k == 1 {
					x -= x
					x /= x // NaN
				}
				f = append(f, x)
				s = append(s, string(rune('a'+k%26))+string(rune('a'+i%26)))
			}
			b := slices.Clone(a)
			byKey := func(x, y record) int { return x.key - y.key }
			slices.SortFunc(a, byKey)
			slices.SortStableFunc(b, byKey)
			slices.Sort(f)
			slices.Sort(s)
			for i := range a {
				add(uint64(a[i].id))
				add(uint64(b[i].id))
				if f[i] == f[i] {
					add(uint64(f[i]))
				} else {
					add(99)
				}
				add(uint64(s[i][0])<<8 + uint64(s[i][1]))
			}
		}
	}
	println(sum)
}
`

// The sorts of the overlay give the same order as Go's, of equal elements, too.
func TestSortsOnce(t *testing.T) {
	root, err := goRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := sortsOnce(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var sums []string
	for _, args := range [][]string{nil, {"-overlay", overlay}} {
		file, data := build(t, sorting, nil, args...)
		if once := bytes.Contains(data, []byte("slices.pdqsort_func")); once != (args != nil) {
			t.Errorf("built with %v, the sorts are there once: %v", args, once)
		}
		out, err := exec.CommandContext(t.Context(), file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sums = append(sums, string(out))
	}
	if sums[0] != sums[1] {
		t.Errorf("the sum of the orders is %s, want %s", sums[1], sums[0])
	}
	if _, err := sortsOnce(t.TempDir(), t.TempDir()); err == nil {
		t.Error("a folder without Go is no error")
	}
}

const matching = `package main

import "regexp"

func main() {
	_, err := regexp.Compile("\\p{Greek}")
	println(err != nil, regexp.MustCompile("(?i)^\\s*K[[:alpha:]]+\\b").MatchString(" \u212aelvin x"))
}
`

// Regular expressions have no classes of Unicode's, and are what they were otherwise.
func TestWithoutClasses(t *testing.T) {
	root, err := goRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := sortsOnce(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{"false true\n": nil, "true true\n": {"-overlay", overlay}} {
		file, _ := build(t, matching, nil, args...)
		if out, err := exec.CommandContext(t.Context(), file).CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("built with %v: %s (%v), want %s", args, out, err, want)
		}
	}
}
