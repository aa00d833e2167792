package session

import (
	"sync"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// BlockLimits returns the blocks that the kernel can be launched with: the one that
// it requires (the zero Dim3 if it requires none), and the most lanes.
func (k *Kernel) BlockLimits() (required api.Dim3, most uint32, err error) {
	p, err := k.glance()
	if err != nil {
		return api.Dim3{}, 0, err
	}
	most = MaxBlockLanes
	if m := p.Fn.MaxBlock; m > 0 && m < most {
		most = m
	}
	return dim3(p.Fn.ReqBlock), most, nil
}

// origins finds the source lines of the instructions of a PTX module. It is made when a finding
// first needs it.
type origins struct {
	once sync.Once
	of   *ptx.Origins
}

// tell adds to diagnostics about a PTX module the source lines of their instructions. If the module
// was linked, it then makes their positions those of the linked modules. Suggestions need the
// positions of the linked text, so they come first.
func (o *origins) tell(pm *ptx.Module, linked *linkedText, list diag.List) {
	at := func(p diag.Pos) []diag.Pos {
		if p.Line == 0 || p.File != pm.File {
			return nil
		}
		o.once.Do(func() { o.of = pm.Origins() })
		return o.of.At(int32(p.Line), int32(p.Col))
	}
	for _, d := range list {
		addOrigins(d, at)
	}
	if linked != nil {
		ptx.Suggest(pm, list)
		linked.translate(list)
	}
}
