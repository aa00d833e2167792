package page

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strconv"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/page/ask"
	"example.org/crosslane/internal/value"
)

const (
	maxSteps  = 5000    // in one answer of steps
	maxValues = 1 << 16 // in one answer of memory
	maxWrites = 4096    // elements whose last stores one answer of memory names
)

// about reads the parameters of a request about a recording. number points to the recording's number in them.
func about[T any](p *Page, params []byte, q T, number *int) (*kept, error) {
	if err := ask.Params(params, q); err != nil {
		return nil, err
	}
	k, err := p.shelf.find(*number)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	return k, nil
}

func (p *Page) steps(ctx context.Context, params []byte) (any, error) {
	var q struct {
		Rec  int  `json:"rec"`
		Wave *int `json:"wave"`
		From int  `json:"from"`
		To   *int `json:"to"`
	}
	k, err := about(p, params, &q, &q.Rec)
	if err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	first, n := k.rec.Bounds()
	from, to := max(q.From, first), first+n
	if q.To != nil {
		to = min(to, *q.To)
	}
	var list []int
	if q.Wave != nil {
		all, err := k.rec.StepsOf(*q.Wave)
		if err != nil {
			return nil, err
		}
		i, _ := slices.BinarySearch(all, from)
		j, _ := slices.BinarySearch(all, to)
		list = all[i:max(i, j)]
	} else {
		for s := from; s < to && len(list) <= maxSteps; s++ {
			list = append(list, s)
		}
	}
	if len(list) > maxSteps {
		return nil, usage("steps: at most %d steps can be asked for at a time", maxSteps)
	}
	out := struct {
		Steps []*crosslane.Step `json:"steps"`
	}{make([]*crosslane.Step, 0, len(list))}
	for _, s := range list {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x, err := k.rec.Step(s)
		if err != nil {
			return nil, err
		}
		out.Steps = append(out.Steps, x)
	}
	return out, nil
}

func (p *Page) state(_ context.Context, params []byte) (any, error) {
	var q struct {
		Rec       int      `json:"rec"`
		Step      int      `json:"step"`
		Wave      int      `json:"wave"`
		Registers []string `json:"registers"`
	}
	k, err := about(p, params, &q, &q.Rec)
	if err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	return k.rec.At(q.Step, q.Wave, q.Registers...)
}

// memoryRange names bytes of memory, as crosslane.MemoryRange does.
type memoryRange struct {
	Space  string    `json:"space"`
	Name   string    `json:"name"`
	Block  [3]uint32 `json:"block"`
	Wave   int       `json:"wave"`
	Lane   int       `json:"lane"`
	Offset int       `json:"offset"`
	Size   int       `json:"size"`
}

func (m *memoryRange) of() crosslane.MemoryRange {
	return crosslane.MemoryRange{Space: m.Space, Name: m.Name, Block: crosslane.Dim3{X: m.Block[0], Y: m.Block[1], Z: m.Block[2]}, Wave: m.Wave, Lane: m.Lane,
		Offset: m.Offset, Size: m.Size}
}

// memoryShown is the answer of memory.
type memoryShown struct {
	Type   string   `json:"type"`
	Offset int      `json:"offset"` // of the first element, in bytes
	Count  int      `json:"count"`
	Values []string `json:"values"`
	Bits   string   `json:"bits"`             // the bytes, in base64
	Writes []int    `json:"writes,omitempty"` // for each element the step that stored it last; -1: none that is kept
	More   bool     `json:"more,omitempty"`   // there are further elements after these
}

func (p *Page) memory(_ context.Context, params []byte) (any, error) {
	var q struct {
		Rec    int         `json:"rec"`
		Step   int         `json:"step"`
		Range  memoryRange `json:"range"`
		Type   string      `json:"type"` // "": that of the memory, or u32
		Writes bool        `json:"writes"`
	}
	k, err := about(p, params, &q, &q.Rec)
	if err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	typ := value.Type(q.Type)
	if typ == "" {
		typ = value.Type(cmp.Or(k.typeOf(&q.Range), "u32"))
	}
	if !typ.Valid() {
		return nil, usage("memory: %s is no element type (known: %s)", quoted(string(typ)), value.TypeNames())
	}
	data, err := k.rec.Memory(q.Step, q.Range.of())
	if err != nil {
		return nil, err
	}
	out := &memoryShown{Type: string(typ), Offset: q.Range.Offset, Values: []string{}}
	n := len(data) / typ.Size()
	if n > maxValues {
		n, out.More = maxValues, true
	}
	data = data[:n*typ.Size()]
	out.Count, out.Bits = n, base64.StdEncoding.EncodeToString(data)
	for i := range n {
		out.Values = append(out.Values, value.Format(typ, value.Get(typ, data, i)))
	}
	if q.Writes && q.Range.Space != "local" {
		for i := range min(n, maxWrites) {
			m := q.Range.of()
			m.Offset, m.Size = m.Offset+i*typ.Size(), typ.Size()
			s, ok, err := k.rec.LastStore(q.Step, m)
			if err != nil {
				return nil, err
			}
			if !ok {
				s.Step = -1
			}
			out.Writes = append(out.Writes, s.Step)
		}
	}
	return out, nil
}

// typeOf is the type of the elements of a memory; "": it is not known.
func (k *kept) typeOf(m *memoryRange) string {
	for _, x := range k.info.Memories {
		if (m.Space == "" || m.Space == "global") && x.Space == "global" && x.Name == m.Name {
			return string(x.Type)
		}
	}
	return ""
}

// registerAt names a lane of a register, and a step.
type registerAt struct {
	Rec      int    `json:"rec"`
	Step     int    `json:"step"`
	Wave     int    `json:"wave"`
	Register string `json:"register"`
	Lane     int    `json:"lane"`
}

type stepShown struct {
	Step int `json:"step"` // -1: there is none
}

func (p *Page) lastWrite(_ context.Context, params []byte) (any, error) {
	var q registerAt
	k, err := about(p, params, &q, &q.Rec)
	if err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	n, err := k.rec.LastWrite(q.Step, q.Wave, q.Register, q.Lane)
	return stepShown{n}, err
}

func (p *Page) nextWrite(_ context.Context, params []byte) (any, error) {
	var q registerAt
	k, err := about(p, params, &q, &q.Rec)
	if err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	n, err := k.rec.NextWrite(q.Step, q.Wave, q.Register, q.Lane)
	return stepShown{n}, err
}

// storeShown is the answer of laststore.
type storeShown struct {
	Found bool      `json:"found"`
	Step  int       `json:"step"` // -1: of a block that is not recorded
	Block [3]uint32 `json:"block"`
	Warp  int       `json:"warp"` // in its block
	Lane  int       `json:"lane"`
}

func (p *Page) lastStore(_ context.Context, params []byte) (any, error) {
	var q struct {
		Rec  int `json:"rec"`
		Step int `json:"step"`
		memoryRange
	}
	k, err := about(p, params, &q, &q.Rec)
	if err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	s, ok, err := k.rec.LastStore(q.Step, q.of())
	if err != nil {
		return nil, err
	}
	if !ok {
		return storeShown{Step: -1}, nil
	}
	return storeShown{true, s.Step, [3]uint32{s.Block.X, s.Block.Y, s.Block.Z}, s.Warp, s.Lane}, nil
}

func (p *Page) query(ctx context.Context, params []byte) (any, error) {
	var q struct {
		Rec      int    `json:"rec"`
		From     int    `json:"from"`
		To       int    `json:"to"`
		Line     int    `json:"line"`
		Source   string `json:"source"`
		Wave     *int   `json:"wave"`
		Lane     *int   `json:"lane"`
		Register string `json:"register"`
		Findings bool   `json:"findings"`
		Max      int    `json:"max"`
	}
	k, err := about(p, params, &q, &q.Rec)
	if err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	if q.Max < 0 || q.Max > maxFound {
		return nil, usage("query: max is 0 to %s, found %d", input.Quoted(strconv.Itoa(maxFound)), q.Max)
	}
	if q.Max == 0 {
		q.Max = maxFound
	}
	list, err := k.rec.Find(ctx, crosslane.StepQuery{From: q.From, To: q.To, Line: q.Line, Source: q.Source, Wave: q.Wave, Lane: q.Lane, Register: q.Register,
		Findings: q.Findings, Max: q.Max})
	if err != nil {
		return nil, err
	}
	if list == nil {
		list = []int{}
	}
	return struct {
		Steps []int `json:"steps"`
	}{list}, nil
}

// maxFound is the greatest number of steps that a query finds.
const maxFound = 100_000
