// Package guard compares the tree's results for fixed inputs with hashes that are committed:
// machine code, reports, explanations. A change that only moves or renames code changes no hash.
package guard

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var (
	update = flag.Bool("update-hashes", false, "write the hashes of what is there now")
	keep   = flag.String("keep-hashed", "", "a folder for the texts that are hashed, to compare those of two commits")
)

// Texts holds the texts of a test, by name, in their order. Set is safe for concurrent use.
type Texts struct {
	mu     sync.Mutex
	names  []string
	hashes map[string]string
}

// New returns texts with the given names, which differ, to be set.
func New(names []string) *Texts {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			panic("guard: two texts are called " + n)
		}
		seen[n] = true
	}
	return &Texts{names: names, hashes: map[string]string{}}
}

// Set sets the text of a name. Only its hash is kept.
func (x *Texts) Set(t testing.TB, name, text string) {
	sum := sha256.Sum256([]byte(text))
	x.mu.Lock()
	x.hashes[name] = hex.EncodeToString(sum[:12])
	x.mu.Unlock()
	if *keep == "" {
		return
	}
	file := filepath.Join(*keep, strings.NewReplacer("/", "_", " ", "_").Replace(name))
	err := os.MkdirAll(*keep, 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}

// Compare compares the hashes with those of a file, whose lines are a hash and a name. With -short
// it compares only the texts that are set: tests then make a sample of them.
func (x *Texts) Compare(t testing.TB, path string) {
	t.Helper()
	if *update {
		if testing.Short() {
			t.Fatal("-update-hashes needs all texts: run without -short")
		}
		var b strings.Builder
		for _, n := range x.names {
			if h := x.hashes[n]; h != "" {
				fmt.Fprintf(&b, "%s  %s\n", h, n)
			}
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		hash, name, _ := strings.Cut(s.Text(), "  ")
		want[name] = hash
	}
	var differ []string
	for _, n := range x.names {
		if h := x.hashes[n]; h != want[n] && (h != "" || !testing.Short()) {
			differ = append(differ, n)
		}
		delete(want, n)
	}
	for n := range want {
		differ = append(differ, n+" (it is no more)")
	}
	if len(differ) > 0 {
		shown := differ[:min(len(differ), 10)]
		t.Errorf("%d of %d texts differ from %s:\n\t%s\nRun both commits with -keep-hashed FOLDER and compare the folders. "+
			"A change that is meant renews the hashes: go test -run %s -update-hashes", len(differ), len(x.names), path, strings.Join(shown, "\n\t"), t.Name())
	}
}
