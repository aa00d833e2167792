package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/crosslane"
	sample "example.org/crosslane/internal/short"
)

// TestMain makes the test binary two commands for the scripts: crosslane, and the
// same command line over the fake.
func TestMain(m *testing.M) {
	start := func(api backend) func() {
		return func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			context.AfterFunc(ctx, stop)
			os.Exit(run(ctx, api, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		}
	}
	testscript.Main(m, map[string]func(){"crosslane": start(realBackend()), "fakelane": start(fake{})})
}

// exits is the script command "exits N command…": the exit status is N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG]...")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// wide is the script command "width N": no line of stdout is wider.
func maxWidth(ts *testscript.TestScript, _ bool, args []string) {
	for _, line := range strings.Split(ts.ReadFile("stdout"), "\n") {
		if n := len([]rune(line)); n > 80 {
			ts.Fatalf("%d columns: %s", n, line)
		}
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	testscript.Run(t, testscript.Params{
		Files:         sample.Sample(scripts, 11),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", filepath.Join(root, "examples"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "jit" { // machine code can run here
				return slices.Contains(crosslane.Engines(), "jit"), nil
			}
			return false, fmt.Errorf("there is no condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "max80": maxWidth},
	})
}
