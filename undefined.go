package crosslane

import (
	"context"

	"crosslane/diag"
	"crosslane/internal/check/poison"
	"crosslane/internal/engine/interp"
)

// Check runs the kernel as Run does, and follows undefined bits through registers,
// memory and other lanes: those of registers, shared and private memory that nobody
// wrote, of buffers that are Uninitialised, and of what the manual leaves undefined.
// Where they reach a branch, an address, a Buffer of the launch or the condition of a
// fault, Result.Findings says so. One worker runs all blocks, so that a launch gives the
// same findings every time.
func (k *Kernel) Check(ctx context.Context, l Launch) (*Result, error) {
	if l.Adversarial {
		d := k.errorf("bad-launch", "undefined bits are followed through the intended values only, not through results that are delivered late")
		d.Remedy = "leave adversarial out"
		return nil, diag.List{d}
	}
	p, err := k.prepareTracked()
	if err != nil {
		return nil, err
	}
	return k.run(ctx, p, l)
}

// prepareTracked is prepare with the undefined bits.
func (k *Kernel) prepareTracked() (*prepared, error) {
	plain, err := k.prepare(false)
	if err != nil {
		return nil, err
	}
	b := &k.tracked
	b.once.Do(func() {
		p := *plain
		p.track = true
		p.fn = poison.Track(plain.fn)
		if p.prog, err = (interp.Engine{}).Compile(p.fn); err != nil {
			b.err = diag.List{diag.Errorf(diag.Pos{File: k.m.file}, diag.Unsupported, "unsupported", "%s: %v", k.name, err)}
		}
		b.ready = &p
	})
	return b.ready, b.err
}
