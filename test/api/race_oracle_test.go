package api_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/verdict"
)

// A second opinion on races: a clock of all lanes for each lane, all accesses kept, every
// pair compared (PTX 8.7.1, 8.8, 8.9.4). Programs are straight lines of guarded accesses,
// so that the order of a run is known: block after block, between two barriers warp after
// warp, from the one that came last to the first of the two; in one instruction lane after lane.

// step is one instruction of a random program.
type step struct {
	op     string // ld st atom fence bar warp
	lo, n  int    // the threads of the grid that execute it
	mode   int    // the place: 0 to 2 one word, 3 the thread's, 4 a neighbour's, 5 that of the other warp
	strong bool
	acq    bool
	rel    bool
	device bool
	vol    bool // a volatile load or store: strong, of the scope of the device
}

const oracleWarp, oracleBase = 32, 16

func (s step) place(tid int) int {
	switch s.mode {
	case 3:
		return oracleBase + tid
	case 4:
		return oracleBase + (tid ^ 1)
	case 5:
		return oracleBase + (tid ^ 32)
	}
	return s.mode
}

func (s step) scope() string {
	if s.device {
		return "gpu"
	}
	return "cta"
}

func (s step) text(i, shared int) string {
	space := []string{"global", "shared"}[shared]
	var addr string
	switch s.mode {
	case 3:
		addr = "%rd3"
	case 4:
		addr = "%rd4"
	case 5:
		addr = "%rd5"
	default:
		addr = fmt.Sprintf("%%rd2+%d", 4*s.mode)
	}
	guard := fmt.Sprintf("sub.u32 %%r2, %%r1, %d; setp.lt.u32 %%p, %%r2, %d; mad.lo.u32 %%r4, %%r1, 1000, %d;\n@%%p ", s.lo, s.n, i+1)
	switch {
	case s.op == "bar":
		return "bar.sync 0;\n"
	case s.op == "warp":
		return "bar.warp.sync -1;\n"
	case s.op == "fence":
		return guard + "fence.acq_rel." + s.scope() + ";\n"
	case s.op == "atom":
		sem := ".relaxed"
		if s.acq && s.rel {
			sem = ".acq_rel"
		} else if s.acq {
			sem = ".acquire"
		} else if s.rel {
			sem = ".release"
		}
		return guard + fmt.Sprintf("atom%s.%s.%s.exch.b32 %%r3, [%s], %%r4;\n", sem, s.scope(), space, addr)
	case s.op == "ld":
		sem := ""
		if s.vol {
			sem = ".volatile"
		} else if s.strong {
			sem = ".relaxed." + s.scope()
			if s.acq {
				sem = ".acquire." + s.scope()
			}
		}
		return guard + fmt.Sprintf("ld%s.%s.u32 %%r3, [%s];\n", sem, space, addr)
	}
	sem := ""
	if s.vol {
		sem = ".volatile"
	} else if s.strong {
		sem = ".relaxed." + s.scope()
		if s.rel {
			sem = ".release." + s.scope()
		}
	}
	return guard + fmt.Sprintf("st%s.%s.u32 [%s], %%r4;\n", sem, space, addr)
}

type vclock []int

func (c vclock) join(d vclock) vclock {
	if c == nil {
		return slices.Clone(d)
	}
	for i := range d {
		c[i] = max(c[i], d[i])
	}
	return c
}

// sent holds the clocks that a strong write has released.
type sent struct {
	clk    vclock
	block  int
	device bool
}

type event struct {
	lane, at, pos int
	write, reads  bool
	strong        bool
	device        bool
	vol           bool
}

// model runs a program and returns the pairs of instructions that race. May holds the pairs of volatile
// accesses behind a fence, which a flag may have announced: they need not be reported.
type model struct {
	blocks, threads int
	clk             []vclock // by lane
	rel             [][2]vclock
	saw             [][2]vclock // from the own block, from other blocks
	words           map[int][]event
	sent            map[int][]sent
	pairs, may      map[[2]int]bool
	fenced          int // the first step that may follow a fence of its lane
}

func (m *model) block(l int) int { return l / m.threads }

func (m *model) access(l, pos int, s step, shared int) {
	tid := l % m.threads
	where := s.place(tid)
	if shared == 1 {
		where += 1000 * m.block(l)
	}
	strong := s.strong || s.op == "atom"
	write, reads := s.op != "ld", s.op != "st"
	know := slices.Clone(m.clk[l])
	if strong && !write {
		know = know.join(m.saw[l][0]).join(m.saw[l][1])
	}
	list := m.words[where]
	// Left out are strong accesses that a strong read of this place has followed that comes before
	// this plain one.
	hidden := 0
	for i, e := range list {
		if (e.lane == l || know[e.lane] >= e.at) && e.strong && e.reads && !strong {
			hidden = i
		}
	}
	for i, e := range list {
		if i < hidden && e.strong || e.lane == l || !e.write && !write || know[e.lane] >= e.at {
			continue
		}
		if e.strong && strong && (m.block(e.lane) == m.block(l) || e.device && s.device) {
			// Not a race (PTX 8.7.1). But volatile data that lanes of one warp exchange count on their
			// running in step (E143).
			if s.vol && e.vol && e.write != write && e.lane/oracleWarp == l/oracleWarp {
				m.may[[2]int{pos, e.pos}], m.may[[2]int{e.pos, pos}] = true, true
				if max(pos, e.pos) < m.fenced {
					m.pairs[[2]int{pos, e.pos}], m.pairs[[2]int{e.pos, pos}] = true, true
				}
			}
			continue
		}
		m.pairs[[2]int{pos, e.pos}], m.pairs[[2]int{e.pos, pos}] = true, true
	}
	m.words[where] = append(m.words[where], event{lane: l, at: m.clk[l][l], pos: pos, write: write, reads: reads, strong: strong, device: s.device, vol: s.vol})
	if !strong {
		return
	}
	if reads {
		var same, others vclock
		mine := slices.ContainsFunc(m.sent[where], func(e sent) bool { return e.device && e.block == m.block(l) })
		for _, e := range m.sent[where] {
			if e.block == m.block(l) || e.device && mine {
				same = same.join(e.clk)
			}
			if e.block != m.block(l) && e.device && s.device {
				others = others.join(e.clk)
			}
		}
		if s.acq {
			m.clk[l] = m.clk[l].join(same).join(others)
		} else {
			m.saw[l][0], m.saw[l][1] = m.saw[l][0].join(same), m.saw[l][1].join(others)
		}
	}
	if !write {
		return
	}
	if s.op == "st" {
		m.sent[where] = nil
	}
	tell := func(c vclock, device bool) {
		if c != nil {
			m.sent[where] = append(m.sent[where], sent{slices.Clone(c), m.block(l), device})
		}
	}
	if s.rel {
		tell(m.clk[l], s.device)
		m.clk[l][l]++
		return
	}
	tell(m.rel[l][0], false)
	if s.device {
		tell(m.rel[l][1], true)
	}
}

func (m *model) meet(lanes []int) {
	var c vclock
	var rel, saw [2]vclock
	for _, l := range lanes {
		c = c.join(m.clk[l])
		for i := range 2 {
			rel[i], saw[i] = rel[i].join(m.rel[l][i]), saw[i].join(m.saw[l][i])
		}
	}
	for _, l := range lanes {
		m.clk[l] = slices.Clone(c)
		m.clk[l][l]++
		for i := range 2 {
			m.rel[l][i], m.saw[l][i] = slices.Clone(rel[i]), slices.Clone(saw[i])
		}
	}
}

func modelRaces(prog []step, blocks, threads, shared int) (must, may map[[2]int]bool) {
	n := blocks * threads
	m := &model{blocks: blocks, threads: threads, clk: make([]vclock, n), rel: make([][2]vclock, n), saw: make([][2]vclock, n),
		words: map[int][]event{}, sent: map[int][]sent{}, pairs: map[[2]int]bool{}, may: map[[2]int]bool{}}
	m.fenced = slices.IndexFunc(prog, func(s step) bool { return s.op == "fence" || s.acq || s.rel })
	if m.fenced < 0 {
		m.fenced = len(prog)
	}
	for i := range m.clk {
		m.clk[i] = make(vclock, n)
		m.clk[i][i] = 1
	}
	for b := range blocks {
		warps := threads / oracleWarp
		first := 0 // the warp that comes to a barrier last goes on first
		for start := 0; start <= len(prog); {
			end := start
			for end < len(prog) && prog[end].op != "bar" {
				end++
			}
			for n := range warps {
				w := (first + n) % warps * oracleWarp
				for pos := start; pos < end; pos++ {
					m.warp(prog[pos], pos, b*threads+w, shared)
				}
			}
			if end < len(prog) {
				var all []int
				for l := range threads {
					all = append(all, b*threads+l)
				}
				m.meet(all)
			}
			start, first = end+1, (first+warps-1)%warps
		}
	}
	return m.pairs, m.may
}

func (m *model) warp(s step, pos, first, shared int) {
	var lanes []int
	for l := first; l < first+oracleWarp; l++ {
		if s.op == "warp" || l >= s.lo && l < s.lo+s.n {
			lanes = append(lanes, l)
		}
	}
	if s.op == "warp" {
		m.meet(lanes)
		return
	}
	for _, l := range lanes {
		if s.op != "fence" {
			m.access(l, pos, s, shared)
			continue
		}
		m.clk[l] = m.clk[l].join(m.saw[l][0])
		m.saw[l][0] = nil
		if s.device {
			m.clk[l] = m.clk[l].join(m.saw[l][1])
			m.saw[l][1] = nil
			m.rel[l][1] = slices.Clone(m.clk[l])
		}
		m.rel[l][0] = slices.Clone(m.clk[l])
		m.clk[l][l]++
	}
}

func randomRaceProgram(r *rand.Rand, blocks, threads int) []step {
	n := blocks * threads
	var prog []step
	volatile := r.IntN(8) == 0 // all loads and stores are
	for range 3 + r.IntN(8) {
		s := step{mode: r.IntN(6), strong: r.IntN(3) == 0, device: r.IntN(3) > 0}
		switch r.IntN(4) {
		case 0:
			s.n = n
		case 1:
			s.lo, s.n = r.IntN(n/oracleWarp)*oracleWarp, oracleWarp
		default:
			s.lo, s.n = r.IntN(n), 1
			if s.n == 1 && r.IntN(2) == 0 {
				s.lo &^= 7
			}
		}
		switch r.IntN(12) {
		case 0, 1, 2:
			s.op = "ld"
			s.acq = s.strong && r.IntN(2) == 0
			s.vol = s.strong && !s.acq && r.IntN(2) == 0
		case 3, 4, 5, 6:
			s.op = "st"
			s.rel = s.strong && r.IntN(2) == 0
			s.vol = s.strong && !s.rel && r.IntN(2) == 0
		case 7:
			s.op, s.strong, s.acq, s.rel = "atom", true, r.IntN(2) == 0, r.IntN(2) == 0
		case 8:
			s.op = "fence"
		case 9, 10:
			s.op = "bar"
		default:
			s.op = "warp"
		}
		if volatile && (s.op == "ld" || s.op == "st") {
			s.strong, s.vol, s.acq, s.rel = true, true, false, false
		}
		s.device = s.device || s.vol
		prog = append(prog, s)
	}
	return prog
}

// Random programs with a race are found, and no pair is reported that does not race.
func TestRaceOracle(t *testing.T) {
	t.Parallel()
	programs := short.Of(400, 80)
	if *long {
		programs = 40000
	}
	raced := 0
	audit := &orderAudit{t: t}
	for n := range programs {
		r := rand.New(rand.NewPCG(uint64(n), 7))
		shared, blocks, threads := n%2, 1, 64
		if n%4 == 2 {
			blocks, threads = 2, 32
		} else if n%8 == 4 {
			threads = 96
		} else if n%8 == 0 {
			blocks, threads = 5, 32
		}
		prog := randomRaceProgram(r, blocks, threads)
		want, may := modelRaces(prog, blocks, threads, shared)
		var b strings.Builder
		b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 mem)\n{\n.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 4 .b32 sh[256];\n")
		b.WriteString("ld.param.u64 %rd2, [mem]; ")
		if shared == 1 {
			b.WriteString("mov.u64 %rd2, sh; ")
		}
		b.WriteString("mov.u32 %r5, %tid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ntid.x; mad.lo.u32 %r1, %r6, %r7, %r5;\n")
		fmt.Fprintf(&b, "mad.wide.u32 %%rd3, %%r5, 4, %%rd2; add.u64 %%rd3, %%rd3, %d; xor.b32 %%r8, %%r5, 1; mad.wide.u32 %%rd4, %%r8, 4, %%rd2; add.u64 %%rd4, %%rd4, %d;\n", 4*oracleBase, 4*oracleBase)
		fmt.Fprintf(&b, "xor.b32 %%r8, %%r5, 32; mad.wide.u32 %%rd5, %%r8, 4, %%rd2; add.u64 %%rd5, %%rd5, %d;\n", 4*oracleBase)
		line := map[int]int{} // from the line of the source to the step
		for i, s := range prog {
			b.WriteString(s.text(i, shared))
			line[strings.Count(b.String(), "\n")] = i
		}
		b.WriteString("ret;\n}\n")
		got := raceFindings(t, b.String(), blocks, threads, audit)
		if len(want) > 0 {
			raced++
		}
		if len(got) == 0 && len(want) > 0 {
			t.Errorf("program %d: no race found, want one of %v\n%s", n, want, b.String())
		}
		for _, p := range got {
			if at := [2]int{line[p[0]], line[p[1]]}; !want[at] && !may[at] {
				t.Errorf("program %d: lines %v are told to race, want only %v\n%s", n, p, want, b.String())
			}
		}
		if t.Failed() {
			return
		}
	}
	if raced < programs/4 || raced > programs*19/20 {
		t.Errorf("%d of %d programs race: too few of the others to mean much", raced, programs)
	}
	t.Logf("of %d programs %d race; other orders are needless for %d, and screening is clean for %d", programs, raced, audit.needless, audit.clean)
	if audit.clean < programs/40 {
		t.Errorf("screening is clean for %d of %d programs", audit.clean, programs)
	}
	if audit.needless < programs/20 {
		t.Errorf("other orders are needless for %d of %d programs", audit.needless, programs)
	}
}

// An orderAudit counts the launches whose other orders are needless. If they find anything, that is an error.
type orderAudit struct {
	t        *testing.T
	needless int
	clean    int
}

func (a *orderAudit) Screened(k *session.Kernel, l *session.Launch, clean, res *crosslane.Result, err error) {
	a.clean++
	if err != nil || len(res.Findings) != len(clean.Findings) {
		a.t.Errorf("a screening run is clean; the check finds %v, %v", res.Findings, err)
	}
}

func (a *orderAudit) Accessed(k *session.Kernel, difference string) {
	a.t.Errorf("%s %s: screening lists other bytes: %s", k.Module().File(), k.Name(), difference)
}

func (a *orderAudit) Orders(k *session.Kernel, l *session.Launch, added diag.List) {
	a.needless++
	for _, d := range added {
		a.t.Errorf("another order, which was thought to be needless, finds: %v", d)
	}
}

// raceFindings are the lines of races, each with that of the other side. Other orders are run for the audit.
func raceFindings(t *testing.T, src string, blocks, threads int, a *orderAudit) (lines [][2]int) {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	l := crosslane.Launch{Grid: crosslane.Dim3{X: uint32(blocks)}, Block: crosslane.Dim3{X: uint32(threads)},
		Args: []crosslane.Arg{crosslane.Slice("mem", make([]uint32, 256))}}
	if _, err := k.Check(verdict.Audited(t.Context(), a), l); err != nil {
		t.Fatal(err)
	}
	l.Args, l.Skip = []crosslane.Arg{crosslane.NewBuffer("mem", crosslane.U32, 256)}, []string{"schedule-dependent"}
	res, err := k.Check(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range res.Findings {
		if strings.HasPrefix(d.Code, "race-") {
			lines = append(lines, [2]int{d.Pos.Line, d.Related[0].Pos.Line})
		}
	}
	return lines
}
