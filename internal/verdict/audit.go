package verdict

import (
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"sync/atomic"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// Audits of the shortcuts of checks: screening, and orders that are not run.
//
// Input: a check that takes a shortcut.
// Output: what the long way finds, which runs nevertheless.
// Invariant: an audit changes no result of a check. If a shortcut is right, then the long way adds nothing.
// Example: a launch whose screening run is clean is checked in full. A race in that check is a contradiction.

// An Audit receives the shortcuts of checks, to test them.
type Audit interface {
	// Orders is called when the other orders of a launch are needless, with the findings that they have
	// added nevertheless.
	Orders(k *session.Kernel, l *session.Launch, added diag.List)
	// Screened is called when a screening run was clean, with its result and that of the check, which
	// ran nevertheless.
	Screened(k *session.Kernel, l *session.Launch, clean, res *api.Result, err error)
	// Accessed is called when the two list other bytes of the memory of a device.
	Accessed(k *session.Kernel, difference string)
}

type auditKey struct{}

// Audited returns a context in which checks take their shortcuts and make the long way, too.
func Audited(ctx context.Context, a Audit) context.Context {
	return context.WithValue(ctx, auditKey{}, a)
}

// everywhere is the audit of AuditAll.
var everywhere atomic.Pointer[Audit]

// audited is how many launches of a kernel AuditAll audits.
const audited = 3

// AuditAll audits the first launches of each kernel of the process whose screening runs are clean. It is for tests.
func AuditAll(a Audit) { everywhere.Store(&a) }

// auditOf returns the audit of a context; nil: there is none.
func auditOf(ctx context.Context) Audit {
	a, _ := ctx.Value(auditKey{}).(Audit)
	return a
}

// audits returns the audit of a check whose screening run was clean; nil: there is none.
func (c *check) audits() Audit {
	if a := auditOf(c.ctx); a != nil {
		return a
	}
	if a := everywhere.Load(); a != nil && c.auditCount().Add(1) <= audited {
		return *a
	}
	return nil
}

// auditCount counts the audits of the kernel.
func (c *check) auditCount() *atomic.Int32 {
	return c.k.Keep(auditKey{}, func() any { return new(atomic.Int32) }).(*atomic.Int32)
}

// willAudit reports whether there is an audit of the check if its screening run is clean.
func (c *check) willAudit() bool {
	return auditOf(c.ctx) != nil || everywhere.Load() != nil && c.auditCount().Load() < audited
}

// auditOrders runs the other orders, which are needless, and reports what they find.
func (c *check) auditOrders(a Audit, res *api.Result) {
	again := *res
	again.Findings = slices.Clone(res.Findings)
	compareOrders(c.k, c.ctx, c.l, c.before, &again)
	a.Orders(c.k, &c.l, again.Findings[len(res.Findings):])
}

// auditScreening checks a launch whose screening run was clean, and reports both results.
func (c *check) auditScreening(a Audit, l session.Launch, clean *api.Result, seen footprint) {
	c.before.Restore()
	l.Unscreened, l.Stdout, l.Stalled, l.Ended = true, io.Discard, nil, nil
	var again footprint
	if l.Raced != nil {
		l.Raced = again.add
	}
	res, err := checkIn(c.k, context.WithoutCancel(c.ctx), l)
	a.Screened(c.k, &l, clean, res, err)
	if l.Raced != nil && err == nil {
		if text := seen.differs(again); text != "" {
			a.Accessed(c.k, text)
		}
	}
}

// footprint is the bytes of global memory that a launch accessed.
type footprint map[*sim.Alloc][]use

// use is what a launch did with a byte.
type use uint8

const (
	read use = 1 << iota
	written
	weak // not all accesses were strong in the scope of the device
)

// add is a session.Launch.Raced.
func (f *footprint) add(r session.Ranger, _ *ir.Func) {
	*f = footprint{}
	r.Ranges(func(a *sim.Alloc, x race.Range) {
		if (*f)[a] == nil {
			(*f)[a] = make([]use, len(a.Data))
		}
		u := read
		if x.Write {
			u = written
		}
		if !x.Strong {
			u |= weak
		}
		for i := x.Lo; i < x.Hi; i++ {
			(*f)[a][i] |= u
		}
	})
}

// differs returns how the footprint of a screening run differs from that of a check; "": it lists all bytes of the check
// with no milder use, and none in a word that the check does not list.
func (f footprint) differs(of footprint) string {
	for a, list := range of {
		for i, u := range list {
			mine := use(0)
			if f[a] != nil {
				mine = f[a][i]
			}
			if u != 0 && mine == 0 || u&^mine&(written|weak) != 0 {
				return fmt.Sprintf("offset %d of %q: the check lists the use %d, screening %d", i, a.Name, u, mine)
			}
		}
	}
	for a, list := range f {
		for i, u := range list {
			other := of[a]
			if word := i &^ 3; u != 0 && (other == nil || !slices.ContainsFunc(other[word:min(word+4, len(other))], func(u use) bool { return u != 0 })) {
				return fmt.Sprintf("offset %d of %q: screening lists the use %d, the check nothing", i, a.Name, u)
			}
		}
	}
	return ""
}

// auditVariable is the variable of the environment that audits a whole process.
const auditVariable = "CROSSLANE_AUDIT"

func init() {
	if os.Getenv(auditVariable) != "" {
		AuditAll(Strict())
	}
}

// Strict returns an audit that ends the process at a contradiction.
func Strict() Audit { return strict{} }

type strict struct{}

func (strict) Orders(k *session.Kernel, _ *session.Launch, added diag.List) {
	if len(added) > 0 {
		contradiction(k, "another order, which was thought to be needless, finds", added)
	}
}

func (strict) Screened(k *session.Kernel, l *session.Launch, clean, res *api.Result, err error) {
	if err != nil {
		contradiction(k, "a screening run is clean; the check ends with", err)
	}
	for _, d := range res.Findings {
		if !slices.ContainsFunc(clean.Findings, func(c *diag.Diagnostic) bool { return fmt.Sprint(c) == fmt.Sprint(d) }) {
			contradiction(k, "a screening run is clean; the check finds", d)
		}
	}
	for _, d := range clean.Findings {
		if d.Code == race.CodeSameValue && !slices.ContainsFunc(res.Findings, func(r *diag.Diagnostic) bool { return reflect.DeepEqual(r, d) }) {
			contradiction(k, "a screening run has a note that the check does not have", d)
		}
	}
	if os.Getenv(auditVariable) == "list" {
		fmt.Fprintf(os.Stderr, "audit: the screening run of kernel %s of %s is right\n", k.Name(), k.Module().File())
	}
}

func (strict) Accessed(k *session.Kernel, difference string) {
	contradiction(k, "screening lists other bytes", difference)
}

func contradiction(k *session.Kernel, what string, x any) {
	panic(fmt.Sprintf("%s: kernel %s of %s: %s: %v", auditVariable, k.Name(), k.Module().File(), what, x))
}
