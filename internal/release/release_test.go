package release

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/short"
)

// TestManualPages compares the pages with the tree of commands: each command has one page, which
// names all its flags.
func TestManualPages(t *testing.T) {
	t.Parallel()
	pages, err := manualPages(cli.Commands())
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, p := range pages {
		texts[p.name] = strings.ReplaceAll(string(p.data), `\-`, "-")
	}
	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		n++
		name := "man/man1/" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		text := texts[name]
		if text == "" {
			t.Errorf("there is no %s", name)
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(text, "--"+f.Name) {
				t.Errorf("%s lacks --%s", name, f.Name)
			}
		})
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
				visit(sub)
			}
		}
	}
	visit(cli.Commands())
	if n != len(pages) || n < 14 {
		t.Errorf("%d pages for %d commands", len(pages), n)
	}
}

// TestCompletionFiles checks that each shell has a script, which asks the command for its words.
func TestCompletionFiles(t *testing.T) {
	t.Parallel()
	files, err := completionFiles()
	if err != nil || len(files) != 4 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		if !bytes.Contains(f.data, []byte("__complete")) {
			t.Errorf("%s does not ask crosslane", f.name)
		}
	}
}

// TestArchivesAreTheSame packs the same files in two orders.
func TestArchivesAreTheSame(t *testing.T) {
	t.Parallel()
	files := []file{{"b", 0o755, []byte("program")}, {"a/c", 0o644, bytes.Repeat([]byte("text "), 1000)}, {"a/b", 0o644, nil}}
	other := slices.Clone(files)
	slices.Reverse(other)
	for _, pack := range []func(string, []file) ([]byte, error){tarball, zipped} {
		a, err := pack("top", files)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := pack("top", other); err != nil || !bytes.Equal(a, b) {
			t.Errorf("the archives differ, %v", err)
		}
	}
}

// TestBuildTwice builds the release of this platform twice.
func TestBuildTwice(t *testing.T) {
	short.Skip(t, "it builds the command")
	t.Parallel()
	var first []string
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		if err := Build(t.Context(), filepath.Join("..", ".."), dir, []Platform{{runtime.GOOS, runtime.GOARCH}}); err != nil {
			t.Fatal(err)
		}
	}
	first, _ = filepath.Glob(filepath.Join(dirs[0], "*"))
	if len(first) != 5 {
		t.Fatalf("files %v, want an archive, its modules, a wheel, the source of the Python package and the checksums", first)
	}
	for _, name := range first {
		a, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(dirs[1], filepath.Base(name))); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs, %v", filepath.Base(name), err)
		}
	}
	installWheel(t, dirs[0])
}
