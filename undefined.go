package crosslane

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Check runs the kernel as Run does, and follows undefined bits through registers, memory and other
// lanes. Undefined are the bits of registers, shared and private memory that were never written, of
// buffers that are Uninitialised, and of results that the manual leaves undefined. If they reach a
// branch, an address, a Buffer of the launch, printed text or the condition of a fault,
// Result.Findings reports it, with the path of the bits. A read of a lane that does not take part
// is an error only if its value reaches one of these, and else a note. One worker runs all blocks,
// so that a launch gives the same findings every time. A launch with findings runs again: once for
// the paths, and once for each of up to 16 instructions that read undefined values of other lanes,
// if it is not clear otherwise whether those matter, and for all that seem not to.
//
// The kernel runs in other orders too (see Schedule). A difference in results, findings or faults
// that is due to the order is a finding, unless Launch.Skip has "schedule-dependent".
func (k *Kernel) Check(ctx context.Context, l Launch) (*Result, error) {
	if l.Adversarial {
		d := k.errorf("bad-launch", "undefined bits are followed through the intended values only, not through results that are delivered late")
		d.Remedy = "leave adversarial out"
		return nil, diag.List{d}
	}
	return k.laidOut(l.Schedule).check(ctx, l)
}

// check is Check of a kernel in the layout of the launch.
func (k *Kernel) check(ctx context.Context, l Launch) (*Result, error) {
	p, err := k.prepareChecked(l)
	if err != nil {
		return nil, err
	}
	l.waits = l.wants(sim.CodeBlocksWait)
	c := check{k: k, ctx: ctx, l: l, before: stateOf(&l), at: map[*diag.Diagnostic]int32{}}
	l.noted = func(d *diag.Diagnostic, pos int32) { c.at[d] = pos }
	res, err := k.run(ctx, p, l)
	if res == nil {
		return res, err
	}
	// Other rules need the memory of accesses, too: races may be found that Skip lists.
	res.Findings = slices.DeleteFunc(res.Findings, func(d *diag.Diagnostic) bool {
		return strings.HasPrefix(d.Code, "race-") && !l.wants(d.Code)
	})
	if p.ptx != nil {
		res.Findings = append(res.Findings, sharedNeeds(p.ptx, k.m.file, uint64(l.Shared), p.target)...)
	}
	reached := slices.ContainsFunc(res.Findings, ofUndefined)
	if reached {
		c.addWays(res)
	}
	if err == nil {
		c.settle(res, reached)
		if l.wants(codeOrder) {
			k.compareOrders(ctx, c.l, c.before, res)
		}
	}
	if slices.ContainsFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }) {
		// An error may be the cause, and comes first.
		res.Findings = slices.DeleteFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Code == sim.CodeUnwritten })
	}
	return res, err
}

func ofUndefined(d *diag.Diagnostic) bool { return strings.HasPrefix(d.Code, "poison-") }

// check holds the state that further runs of a launch need.
type check struct {
	k      *Kernel
	ctx    context.Context
	l      Launch
	before launchState
	at     map[*diag.Diagnostic]int32 // the guest positions of the first run's findings
}

// again runs the launch once more, with the original contents of its buffers. Afterwards the
// buffers hold the results of the first run.
func (c *check) again(p *prepared, origins []int32) *Result {
	after := stateOf(&c.l)
	defer after.restore()
	c.before.restore()
	l := c.l
	l.Stdout, l.origins = io.Discard, origins
	res, err := c.k.run(c.ctx, p, l)
	if err != nil && origins != nil {
		return nil // the run was cut short
	}
	return res
}

// addWays adds to findings the path of the undefined bits.
func (c *check) addWays(res *Result) {
	p, err := c.k.prepareTracked(&c.k.followed, poison.Options{Way: true})
	if err != nil {
		return
	}
	wanted := 0
	for _, d := range res.Findings {
		if ofUndefined(d) {
			wanted++
		}
	}
	c.l.ways = wanted
	again := c.again(p, nil)
	c.l.ways = 0
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

const (
	maxOrigins = 16 // undefined reads whose effects are examined one by one
	maxEffects = 4  // effects that one of them names
)

// settle turns undefined reads of other lanes into notes if nothing depends on them, and adds the
// effects to the rest. reached reports that undefined bits reach anything at all.
func (c *check) settle(res *Result, reached bool) {
	var dead diag.List
	var at []int32
	tried := 0
	for _, d := range res.Findings {
		pos, known := c.at[d]
		if d.Code != sim.CodeUndefinedSource || !known {
			continue
		}
		if reached {
			if tried++; tried > maxOrigins {
				break
			}
			effects, whole := c.effects(pos)
			if name(d, effects); len(effects) > 0 || !whole {
				continue
			}
		}
		dead, at = append(dead, d), append(at, pos)
	}
	if reached && len(dead) > 1 {
		// An effect that no read has alone may need two: x & y, where both are 0.
		effects, whole := c.effects(at...)
		for _, d := range dead {
			name(d, effects)
		}
		if len(effects) > 0 || !whole {
			return
		}
	}
	for _, d := range dead {
		d.Severity = diag.Note
		d.Message += "; nothing depends on it"
		d.Remedy = "leave it, or let the source lanes take part if their values are wanted"
	}
}

// effects returns the uses that undefined bits reach if only reads of other lanes at these guest
// positions are undefined; whole reports that the run came to its end.
func (c *check) effects(at ...int32) (list diag.List, whole bool) {
	p, err := c.k.prepareTracked(&c.k.settled, poison.Options{Defined: true})
	if err != nil {
		return nil, false
	}
	res := c.again(p, at)
	if res == nil {
		return nil, false
	}
	for _, e := range res.Findings {
		if ofUndefined(e) {
			list = append(list, e)
		}
	}
	return list, true
}

// name adds to a finding the places that its bits reach.
func name(d *diag.Diagnostic, effects diag.List) {
	for i, e := range effects[:min(len(effects), maxEffects)] {
		r := diag.Related{Pos: e.Pos, Source: e.Source, Message: "then " + e.Message, After: true}
		if i == maxEffects-1 && len(effects) > maxEffects {
			r.Message += fmt.Sprintf(" (%d more effects are not shown)", len(effects)-maxEffects)
		}
		d.Related = append(d.Related, r)
	}
}

// accessCodes are the codes that need to see accesses: see race.Track.
func accessCodes() []string {
	return []string{race.CodeShared, race.CodeGlobal, race.CodeSameValue, race.CodeRounding, race.CodeReadOnlyWritten, sim.CodeBeyondVariable}
}

// prepareChecked is the kernel as the first run of a check needs it.
func (k *Kernel) prepareChecked(l Launch) (*prepared, error) {
	if !slices.ContainsFunc(accessCodes(), l.wants) {
		return k.prepareTracked(&k.tracked, poison.Options{})
	}
	plain, err := k.prepareApart()
	if err != nil {
		return nil, err
	}
	return k.prepareFrom(&k.raced, race.Track(plain.checked), poison.Options{})
}

// prepareTracked is prepare with the undefined bits.
func (k *Kernel) prepareTracked(b *build, o poison.Options) (*prepared, error) {
	plain, err := k.prepareApart()
	if err != nil {
		return nil, err
	}
	return k.prepareFrom(b, plain.checked, o)
}

// prepareFrom is prepareTracked for a function that may be instrumented already.
func (k *Kernel) prepareFrom(b *build, fn *ir.Func, o poison.Options) (*prepared, error) {
	plain, err := k.prepareApart()
	if err != nil {
		return nil, err
	}
	b.once.Do(func() {
		p := *plain
		p.track, p.races = true, b == &k.raced
		p.fn, _ = poison.Track(fn, o)
		if p.prog, err = compile(p.fn); err != nil {
			b.err = diag.List{diag.Errorf(diag.Pos{File: k.m.file}, diag.Unsupported, "unsupported", "%s: %v", k.name, err)}
		}
		b.ready = &p
	})
	return b.ready, b.err
}
