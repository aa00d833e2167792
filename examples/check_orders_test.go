package examples

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/short"
	checks "example.org/crosslane/internal/verdict"
)

// orderAudit counts the launches whose other orders are needless. If they find anything, that is an error.
type orderAudit struct {
	t        *testing.T
	needless atomic.Int64
	clean    atomic.Int64
}

func (a *orderAudit) Screened(k *session.Kernel, l *session.Launch, clean, res *crosslane.Result, err error) {
	a.clean.Add(1)
	if err != nil {
		a.t.Errorf("%s %s: a screening run is clean; the check ends with %v", k.Module().File(), k.Name(), err)
		return
	}
	for _, d := range res.Findings {
		if !slices.ContainsFunc(clean.Findings, func(c *diag.Diagnostic) bool { return fmt.Sprint(c) == fmt.Sprint(d) }) {
			a.t.Errorf("%s %s: a screening run is clean; the check finds %v", k.Module().File(), k.Name(), d)
		}
	}
}

func (a *orderAudit) Accessed(k *session.Kernel, difference string) {
	a.t.Errorf("%s %s: screening lists other bytes: %s", k.Module().File(), k.Name(), difference)
}

func (a *orderAudit) Orders(k *session.Kernel, l *session.Launch, added diag.List) {
	a.needless.Add(1)
	for _, d := range added {
		a.t.Errorf("%s %s: another order, which was thought to be needless, finds: %v", k.Module().File(), k.Name(), d)
	}
}

// Check leaves out other orders only where they find nothing: in all examples, and in the corpora, whose bad
// kernels make the mistakes that other orders show. Most examples need no other order.
func TestNeedlessOrders(t *testing.T) {
	t.Parallel()
	a := &orderAudit{t: t}
	ctx := checks.Audited(t.Context(), a)
	launches := 0
	for _, l := range short.Sample(allLaunches(), 4) {
		for _, file := range l.files {
			k := l.load(t, file)
			launches++
			if _, _, err := l.runBy(t, func(_ context.Context, how crosslane.Launch) (*crosslane.Result, error) { return k.Check(ctx, how) }, crosslane.Launch{}); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	t.Logf("other orders are needless in %d of %d launches of examples; %d screening runs are clean", a.needless.Load(), launches, a.clean.Load())
	if n := int(a.needless.Load()); n < launches/2 {
		t.Errorf("other orders are needless in %d of %d launches of examples", n, launches)
	}
	bad, good := &orderAudit{t: t}, &orderAudit{t: t}
	for folder, a := range map[string]*orderAudit{"bad": bad, "good": good} {
		runs := 0
		for _, c := range short.Sample(readCorpus(t, folder), 6) {
			for _, flags := range c.checks {
				args := append([]string{"check", c.path, "--format", "json"}, arguments(flags)...)
				var out bytes.Buffer
				cli.Main(checks.Audited(t.Context(), a), args, strings.NewReader(""), &out, &out)
				runs++
			}
		}
		t.Logf("%s: other orders are needless in %d of %d runs; %d screening runs are clean", folder, a.needless.Load(), runs, a.clean.Load())
		if a.needless.Load() == 0 {
			t.Errorf("%s: other orders are needless in none of %d runs", folder, runs)
		}
	}
}
