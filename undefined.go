package crosslane

import (
	"context"
	"io"
	"slices"
	"strings"

	"crosslane/diag"
	"crosslane/internal/check/poison"
	"crosslane/internal/engine/interp"
)

// Check runs the kernel as Run does, and follows undefined bits through registers,
// memory and other lanes: those of registers, shared and private memory that nobody
// wrote, of buffers that are Uninitialised, and of what the manual leaves undefined.
// Where they reach a branch, an address, a Buffer of the launch or the condition of a
// fault, Result.Findings says so, with the way that they came. One worker runs all
// blocks, so that a launch gives the same findings every time. The way is found by a
// second run, of a launch in which something has been found.
func (k *Kernel) Check(ctx context.Context, l Launch) (*Result, error) {
	if l.Adversarial {
		d := k.errorf("bad-launch", "undefined bits are followed through the intended values only, not through results that are delivered late")
		d.Remedy = "leave adversarial out"
		return nil, diag.List{d}
	}
	p, err := k.prepareTracked(&k.tracked, false)
	if err != nil {
		return nil, err
	}
	before := contents(l.Args)
	res, err := k.run(ctx, p, l)
	if res == nil || !slices.ContainsFunc(res.Findings, ofUndefined) {
		return res, err
	}
	if p, failed := k.prepareTracked(&k.followed, true); failed == nil {
		k.addWays(ctx, p, l, before, res)
	}
	return res, err
}

func ofUndefined(d *diag.Diagnostic) bool { return strings.HasPrefix(d.Code, "poison-") }

// addWays runs the launch again, on what its buffers held before, and adds to findings
// the way that undefined bits came. What the buffers hold is the first run's.
func (k *Kernel) addWays(ctx context.Context, p *prepared, l Launch, before map[*Buffer][]byte, res *Result) {
	after, written := contents(l.Args), map[*Buffer]bool{}
	for b, data := range before {
		copy(b.Data, data)
		written[b] = b.Written
	}
	l.Stdout = io.Discard
	again, _ := k.run(ctx, p, l)
	for b, data := range after {
		copy(b.Data, data)
		b.Written = written[b]
	}
	if again == nil {
		return
	}
	for _, d := range res.Findings {
		i := slices.IndexFunc(again.Findings, func(a *diag.Diagnostic) bool { return ofUndefined(a) && a.Code == d.Code && a.Pos == d.Pos })
		if i >= 0 && ofUndefined(d) {
			d.Related = again.Findings[i].Related
		}
	}
}

// contents copies what the buffers of a launch hold.
func contents(args []Arg) map[*Buffer][]byte {
	m := map[*Buffer][]byte{}
	for _, a := range args {
		if b, ok := a.(*Buffer); ok && b != nil && m[b] == nil {
			m[b] = slices.Clone(b.Data)
		}
	}
	return m
}

// prepareTracked is prepare with the undefined bits, and with the way that they go.
func (k *Kernel) prepareTracked(b *build, way bool) (*prepared, error) {
	plain, err := k.prepare(false)
	if err != nil {
		return nil, err
	}
	b.once.Do(func() {
		p := *plain
		p.track = true
		p.fn = poison.Track(plain.fn, way)
		if p.prog, err = (interp.Engine{}).Compile(p.fn); err != nil {
			b.err = diag.List{diag.Errorf(diag.Pos{File: k.m.file}, diag.Unsupported, "unsupported", "%s: %v", k.name, err)}
		}
		b.ready = &p
	})
	return b.ready, b.err
}
