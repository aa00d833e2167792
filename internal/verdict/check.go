// Package verdict judges kernels: Check runs a launch and follows undefined bits, races and other
// orders; CheckStatic follows all paths without a launch; Portability compares with other targets.
package verdict

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// Check is crosslane.Kernel.Check.
func Check(ctx context.Context, k *session.Kernel, l api.Launch) (*api.Result, error) {
	if l.Adversarial {
		d := k.Errorf("bad-launch", "undefined bits are followed through the intended values only, not through results that are delivered late")
		d.Remedy = "leave adversarial out"
		return nil, diag.List{d}
	}
	return CheckOn(ctx, k, session.Launch{Launch: l})
}

// CheckOn is Check of a launch in memory that outlives it.
func CheckOn(ctx context.Context, k *session.Kernel, l session.Launch) (*api.Result, error) {
	return checkIn(k.LaidOut(&l.Launch), ctx, l)
}

// checkIn is Check of a kernel in the layout of the launch.
func checkIn(k *session.Kernel, ctx context.Context, l session.Launch) (*api.Result, error) {
	p, err := prepareChecked(k, l)
	if err != nil {
		return nil, err
	}
	l.Waits = wants(&l, sim.CodeBlocksWait)
	c := check{k: k, ctx: ctx, l: l, before: session.StateOf(&l), at: map[*diag.Diagnostic]int32{}}
	defer c.before.Close()
	c.l.Stalled = nil // the host acts once
	l.Noted = func(d *diag.Diagnostic, pos int32) { c.at[d] = pos }
	complete := false
	l.Detected = func(d *race.Detector) { complete = d.Complete() }
	if wants(&l, sim.CodeUnwritten) {
		l.Finished = func(mem *session.Memory) diag.List { return unwritten(k, mem) }
	}
	if clean, seen := c.screened(l); clean != nil {
		addSharedNeeds(k, p, &l, clean)
		if a := c.audits(); a != nil {
			c.auditScreening(a, l, clean, seen)
		}
		return clean, nil
	}
	res, err := k.Execute(ctx, p, l)
	if res == nil {
		return res, err
	}
	// Other rules need the memory of accesses, too: races may be found that Skip lists.
	res.Findings = slices.DeleteFunc(res.Findings, func(d *diag.Diagnostic) bool {
		return strings.HasPrefix(d.Code, "race-") && !wants(&l, d.Code)
	})
	addSharedNeeds(k, p, &l, res)
	reached := slices.ContainsFunc(res.Findings, ofUndefined)
	if reached {
		c.addWays(res)
	}
	if err == nil {
		c.settle(res, reached)
		if wants(&l, codeOrder) && c.before.Kept() {
			c.orders(res, complete)
		}
	}
	c.learned(res, err)
	if slices.ContainsFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }) {
		// An error may be the cause, and comes first.
		res.Findings = slices.DeleteFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Code == sim.CodeUnwritten })
	}
	return res, err
}

// addSharedNeeds adds what the launch's shared memory asks of a device.
func addSharedNeeds(k *session.Kernel, p *session.Prepared, l *session.Launch, res *api.Result) {
	if p.PTX == nil {
		return
	}
	list := sharedNeeds(p.PTX, k.Module().PTX().File, uint64(l.Shared), p.Target)
	k.Module().Translate(list)
	res.Findings = append(res.Findings, list...)
}

// orders compares with other orders, unless they are needless. complete says that the first run looked for
// races and forgot no access.
func (c *check) orders(res *api.Result, complete bool) {
	plain, err := c.k.PrepareApart()
	if err != nil || !needless(plain.Fn, &c.l, res, complete) {
		compareOrders(c.k, c.ctx, c.l, c.before, res)
		return
	}
	if a := auditOf(c.ctx); a != nil {
		c.auditOrders(a, res)
	}
}

func ofUndefined(d *diag.Diagnostic) bool { return strings.HasPrefix(d.Code, "poison-") }

// check holds the state that further runs of a launch need.
type check struct {
	k      *session.Kernel
	ctx    context.Context
	l      session.Launch
	before session.State
	at     map[*diag.Diagnostic]int32 // the guest positions of the first run's findings
	// What the next screening runs learn from the check, if the screening run was not clean; nil: nothing. alone says that the
	// check has no other findings than stores of equal values.
	screening *screenState
	learn     func(notes diag.List, alone bool)
}

// again runs the launch once more, with the original contents of its buffers. Afterwards the
// buffers hold the results of the first run.
func (c *check) again(p *session.Prepared, origins []int32) *api.Result {
	if !c.before.Kept() {
		return nil
	}
	after := session.StateOf(&c.l)
	defer after.Close()
	defer after.Restore()
	c.before.Restore()
	l := c.l
	l.Stdout, l.Origins = io.Discard, origins
	res, err := c.k.Execute(c.ctx, p, l)
	if err != nil && origins != nil {
		return nil // the run was cut short
	}
	return res
}

// addWays adds to findings the path of the undefined bits.
func (c *check) addWays(res *api.Result) {
	p, err := prepareTracked(c.k, followed, poison.Options{Way: true})
	if err != nil {
		return
	}
	wanted := 0
	for _, d := range res.Findings {
		if ofUndefined(d) {
			wanted++
		}
	}
	c.l.Ways = wanted
	again := c.again(p, nil)
	c.l.Ways = 0
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
func (c *check) settle(res *api.Result, reached bool) {
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
		if c.l.On != nil { // the memory outlives the launch
			d.Message += "; nothing in this launch depends on it, and a use of what it leaves in memory is reported then"
		} else {
			d.Message += "; nothing depends on it"
		}
		d.Remedy = "leave it, or let the source lanes take part if their values are wanted"
	}
}

// effects returns the uses that undefined bits reach if only reads of other lanes at these guest
// positions are undefined; whole reports that the run came to its end.
func (c *check) effects(at ...int32) (list diag.List, whole bool) {
	p, err := prepareTracked(c.k, settled, poison.Options{Defined: true})
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
	return append(slices.Clip(race.Codes), sim.CodeBeyondVariable)
}

// variant is a variant of a kernel for runs of Check.
type variant int

const (
	tracked  variant = iota // undefined bits, without races
	raced                   // undefined bits and races
	followed                // undefined bits with their path
	settled                 // undefined bits of single origins
)

// prepareChecked is the kernel as the first run of a check needs it.
func prepareChecked(k *session.Kernel, l session.Launch) (*session.Prepared, error) {
	if l.Raced == nil && !slices.ContainsFunc(accessCodes(), func(code string) bool { return wants(&l, code) }) {
		return prepareTracked(k, tracked, poison.Options{})
	}
	return prepareTracked(k, raced, poison.Options{})
}

// Prepared is the kernel as the first run of a check of the launch has it, unless the launch is screened.
func Prepared(k *session.Kernel, l session.Launch) (*session.Prepared, error) {
	return prepareChecked(k, l)
}

// prepareTracked is the kernel in a variant that follows undefined bits.
func prepareTracked(k *session.Kernel, v variant, o poison.Options) (*session.Prepared, error) {
	plain, err := k.PrepareApart()
	if err != nil {
		return nil, err
	}
	return k.Variant(v, func() (*session.Prepared, error) {
		fn := plain.Checked
		if v == raced {
			fn = race.Track(fn)
		}
		fn, _ = poison.Track(fn, o)
		p, err := k.WithCode(plain, fn)
		if p != nil {
			p.Track, p.Races = true, v == raced
		}
		return p, err
	})
}
