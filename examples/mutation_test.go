package examples

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/examples/programs"
	"example.org/crosslane/internal/short"
)

var updateMutation = flag.Bool("update-mutation", false, "with -long: write the list of missed mutants anew")

const (
	mutantsOfKind = 12     // per kind and instruction set
	mutantsLong   = 80     // the same, with -long
	caseLimit     = 60_000 // instructions of warps of a launch that mutants run in
	mutantTimeout = 2 * time.Second
)

// A subject is a good kernel file with its launches.
type subject struct {
	file   string
	isa    crosslane.ISA
	lines  []string
	cases  []programs.Case
	kernel []string // for each line; "": in a function that kernels call
	from   []int    // the line at which the function begins
	mu     sync.Mutex
	memo   map[string]any
}

// subjects are the hand-written examples, and for each program the output of -O3.
func subjects(t *testing.T) (list []*subject) {
	t.Helper()
	byFile := map[string]*subject{}
	add := func(file string, isa crosslane.ISA, text []byte, cases ...programs.Case) {
		s := byFile[file]
		if s == nil {
			if strings.HasSuffix(file, ".hsaco") {
				dis, err := crosslane.Disassemble(text, file)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(dis, "s_getpc_b64") {
					return // it has distances to data as numbers, which mutants change
				}
				text = []byte(dis)
			}
			s = &subject{file: file, isa: isa, lines: strings.Split(string(text), "\n"), memo: map[string]any{}}
			s.index()
			byFile[file] = s
			list = append(list, s)
		}
		s.cases = append(s.cases, cases...)
	}
	for _, l := range allLaunches() {
		for _, file := range l.files {
			if ext := filepath.Ext(file); ext != ".ptx" && ext != ".s" || strings.Contains(file, "saxpy_v") {
				continue
			}
			text, err := os.ReadFile(filepath.FromSlash(file))
			if err != nil {
				t.Fatal(err)
			}
			isa := crosslane.PTX
			if strings.HasPrefix(file, "gcn3") {
				isa = crosslane.GCN3
			}
			add(file, isa, text, l.asCase())
		}
	}
	for _, p := range programs.All() {
		for _, file := range p.Files {
			if !strings.HasPrefix(file, "hand/") && !strings.Contains(file, "_O3_sm_70") && !strings.Contains(file, "_O3_v5") &&
				!(strings.Contains(file, "_O3_sm_90") && p.Name == "tensor") {
				continue
			}
			text, err := programs.Text(file)
			if err != nil {
				t.Fatal(err)
			}
			add("programs/"+file, p.ISA, text, p.Cases()...)
		}
	}
	for _, s := range list {
		s.chooseCases(t)
	}
	return list
}

func (l launch) asCase() programs.Case {
	c := programs.Case{Name: l.name}
	s := programs.Step{Kernel: l.kernel, Grid: l.grid, Block: l.block}
	for _, a := range l.args {
		if b, ok := a.(buffer); ok {
			p := &programs.Buffer{Name: b.name, Data: b.data, Want: b.want, Unordered: b.unordered}
			c.Buffers = append(c.Buffers, p)
			a = p
		}
		s.Args = append(s.Args, a)
	}
	c.Steps = []programs.Step{s}
	return c
}

var (
	ptxFunction  = regexp.MustCompile(`\.(entry|func)\b(?:\s*\([^)]*\))?\s*(\w+)`)
	gcn3Function = regexp.MustCompile(`^(\w+):`)
)

// index finds the function of each line.
func (s *subject) index() {
	s.kernel, s.from = make([]string, len(s.lines)), make([]int, len(s.lines))
	name, from := "", 0
	for i, line := range s.lines {
		if s.isa == crosslane.PTX {
			if m := ptxFunction.FindStringSubmatch(line); m != nil {
				from, name = i, ""
				if m[1] == "entry" {
					name = m[2]
				}
			}
		} else if m := gcn3Function.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], "L") {
			from, name = i, m[1]
		}
		s.kernel[i], s.from[i] = name, from
	}
}

// chooseCases keeps the launches that are short.
func (s *subject) chooseCases(t *testing.T) {
	t.Helper()
	m, err := s.load(s.lines)
	if err != nil {
		t.Fatal(s.file, err)
	}
	s.cases = slices.DeleteFunc(s.cases, func(c programs.Case) bool {
		o := c.Run(t.Context(), m, nil)
		n := uint64(0)
		for _, st := range o.Stats {
			n += st.WarpInstructions
		}
		return c.Code != "" || o.Err != nil || n > caseLimit
	})
}

func (s *subject) load(lines []string) (*crosslane.Module, error) {
	return crosslane.Load([]byte(strings.Join(lines, "\n")), s.file, s.isa)
}

// casesOf are the launches that run a line, at most three.
func (s *subject) casesOf(line int) (list []programs.Case) {
	name := s.kernel[line]
	if s.isa == crosslane.GCN3 && !slices.ContainsFunc(s.lines, func(l string) bool {
		f := strings.Fields(l)
		return len(f) == 2 && strings.HasSuffix(f[0], "_kernel") && f[1] == name
	}) {
		name = ""
	}
	for _, c := range s.cases {
		if name == "" || slices.ContainsFunc(c.Steps, func(st programs.Step) bool { return st.Kernel == name }) {
			if list = append(list, c); len(list) == 3 {
				break
			}
		}
	}
	return list
}

// mutants are all mutants of the lines that a launch runs.
func (s *subject) mutants() (list []mutant) {
	rules := ptxRules()
	if s.isa == crosslane.GCN3 {
		rules = gcn3Rules()
	}
	first, seen := map[int]bool{}, map[string]bool{}
	for i, line := range s.lines {
		for _, r := range rules {
			m := r.pattern.FindStringSubmatch(line)
			if m == nil || len(s.casesOf(i)) == 0 {
				continue
			}
			for _, x := range r.make(&kernelText{s.lines, s.from[i], first}, i, m) {
				x.kind, x.line = r.kind, i
				if key := x.key(""); !seen[key] {
					seen[key] = true
					list = append(list, x)
				}
			}
		}
	}
	return list
}

// memoised computes a value that several mutants of a file need, once.
func memoised[T any](s *subject, key string, f func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.memo[key]; ok {
		return v.(T)
	}
	v := f()
	s.memo[key] = v
	return v
}

// sizes are the blocks of a sweep.
var sizes = []uint32{1, 31, 32, 33, 48, 63, 64, 65, 96}

// withBlock is a case of one launch with another size of its blocks.
func withBlock(c programs.Case, size uint32) programs.Case {
	c.Steps = slices.Clone(c.Steps)
	c.Steps[0].Block = [3]uint32{size, 1, 1}
	return c
}

// An original holds the behaviour of the kernel from which a mutant is made.
type original struct {
	usable bool // it gives one result in all orders, with no finding
	data   [][]byte
}

func (s *subject) original(c programs.Case) original {
	return memoised(s, fmt.Sprint(c.Name, c.Steps[0].Block, len(c.Steps)), func() (o original) {
		m, err := s.load(s.lines)
		if err != nil {
			return o
		}
		for _, schedule := range []crosslane.Schedule{"", crosslane.Reversed, crosslane.RandomSchedule(1), crosslane.RandomSchedule(2)} {
			out := c.Run(context.Background(), m, func(l *crosslane.Launch) { l.Schedule, l.Timeout, l.Workers = schedule, mutantTimeout, 1 })
			if out.Err != nil {
				return original{}
			}
			data := contents(out)
			if o.data != nil && !slices.EqualFunc(o.data, data, bytes.Equal) {
				return original{}
			}
			o.data = data
		}
		out := c.RunBy(context.Background(), m, func(l *crosslane.Launch) { l.Timeout = mutantTimeout }, (*crosslane.Kernel).Check)
		o.usable = out.Err == nil && !told(out.Findings)
		return o
	})
}

func contents(o *programs.Outcome) (list [][]byte) {
	for _, b := range o.Buffers {
		list = append(list, b.Data)
	}
	return list
}

func told(list diag.List) bool {
	return slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Severity >= diag.Warning })
}

// tight is a case with buffers that end where the kernel's accesses end.
func (s *subject) tight(c programs.Case) programs.Case {
	return memoised(s, "tight "+c.Name, func() programs.Case {
		m, err := s.load(s.lines)
		if err != nil {
			return c
		}
		for i, b := range c.Buffers {
			if b.Check != nil || b.Unordered {
				continue
			}
			n := reflect.ValueOf(b.Data).Len()
			low, high := 0, n // it runs with high elements
			for low < high {
				mid := (low + high) / 2
				if x := shortened(c, i, mid); x.Run(context.Background(), m, nil).Err == nil {
					high = mid
				} else {
					low = mid + 1
				}
			}
			if high > 0 && high < n {
				c = shortened(c, i, high)
			}
		}
		return c
	})
}

// shortened is a case with fewer elements in a buffer.
func shortened(c programs.Case, at, n int) programs.Case {
	old := c.Buffers[at]
	b := *old
	b.Data = reflect.ValueOf(b.Data).Slice(0, n).Interface()
	if b.Want != nil {
		b.Want = reflect.ValueOf(b.Want).Slice(0, n).Interface()
	}
	c.Buffers, c.Steps = slices.Clone(c.Buffers), slices.Clone(c.Steps)
	c.Buffers[at] = &b
	for i := range c.Steps {
		c.Steps[i].Args = slices.Clone(c.Steps[i].Args)
		for j, a := range c.Steps[i].Args {
			if a == old {
				c.Steps[i].Args[j] = &b
			}
		}
	}
	return c
}

// launches are the launches in which a mutant is looked at: those of its kernel, then
// those of a sweep over sizes of blocks in which the original is as good.
func (s *subject) launches(m *mutant) (own, swept []programs.Case) {
	own = s.casesOf(m.line)
	for i, c := range own {
		if m.bound {
			own[i] = s.tight(c)
		}
		if b := c.Steps[0].Block; len(c.Steps) > 1 || max(b[1], b[2]) > 1 || i > 0 {
			continue
		}
		for _, size := range sizes {
			if size != c.Steps[0].Block[0] {
				swept = append(swept, withBlock(own[i], size))
			}
		}
	}
	return own, swept
}

// A way is one of those in which a mutant is run to see if its results can change.
type way struct {
	schedule    crosslane.Schedule
	undefined   crosslane.Undefined
	adversarial bool
}

func (s *subject) ways(m *mutant) (list []way) {
	random := crosslane.RandomSchedule
	if s.isa == crosslane.GCN3 {
		return []way{{}, {adversarial: true}, {crosslane.Reversed, crosslane.UndefinedPoison, true}, {random(1), "", false}, {random(2), "", true}}
	}
	list = []way{{}, {crosslane.Reversed, crosslane.UndefinedPoison, false}, {random(1), crosslane.UndefinedZero, false}, {random(2), "", false}}
	if m.shows != nil && m.kind != "register not set" && m.kind != "shared memory not set" {
		for seed := range uint64(6) {
			list = append(list, way{random(3 + seed), "", false})
		}
	}
	return list
}

const endless = " (does not end)"

func timedOut(err error) bool {
	return slices.ContainsFunc(diag.Of(err), func(d *diag.Diagnostic) bool { return d.Class == diag.Timeout })
}

// changes says in which way a mutant's results change, "" if they do not. The findings of checks do
// not count.
func (s *subject) changes(m *mutant, lines []string, limit time.Duration) string {
	if m.manual != "" {
		return m.manual
	}
	own, swept := s.launches(m)
	for n, text := range slices.Concat([][]string{lines}, m.shows) {
		mod, err := s.load(text)
		if err != nil {
			continue // the mutant itself is valid
		}
		for _, w := range s.ways(m) {
			how := func(l *crosslane.Launch) {
				l.Schedule, l.Undefined, l.Adversarial, l.Timeout, l.Workers = w.schedule, w.undefined, w.adversarial, limit, 1
			}
			said := strings.TrimSpace(fmt.Sprint(w.schedule, " ", w.undefined))
			if w.adversarial {
				said += " late results"
			}
			if n > 0 {
				said += fmt.Sprint(" as hardware may do it, ", n)
			}
			for _, c := range own {
				o := c.Run(context.Background(), mod, how)
				o.Findings = nil
				if err := c.Check(o); err != nil {
					if timedOut(o.Err) {
						said += endless
					}
					return strings.TrimSpace(c.Name + ": " + said)
				}
			}
			if w != (way{}) && n == 0 {
				continue
			}
			for _, c := range swept {
				if want := s.original(c); want.usable {
					if o := c.Run(context.Background(), mod, how); o.Err != nil || !slices.EqualFunc(want.data, contents(o), bytes.Equal) {
						return strings.TrimSpace(fmt.Sprint(c.Name, ": blocks of ", c.Steps[0].Block[0], " ", said))
					}
				}
			}
		}
	}
	return ""
}

// reports says which check reports a mutant, "" if none does.
func (s *subject) reports(m *mutant, lines []string, limit time.Duration) string {
	mod, err := s.load(lines)
	if err != nil {
		return "load"
	}
	own, swept := s.launches(m)
	check := func(c *programs.Case, schedule crosslane.Schedule) string {
		o := c.RunBy(context.Background(), mod, func(l *crosslane.Launch) { l.Schedule, l.Timeout, l.Workers = schedule, limit, 1 }, (*crosslane.Kernel).Check)
		for _, d := range append(o.Findings, diag.Of(o.Err)...) {
			if d.Severity >= diag.Warning {
				return d.Code
			}
		}
		return ""
	}
	for _, c := range own {
		if code := check(&c, ""); code != "" {
			return code
		}
	}
	if code := s.static(mod, m); code != "" {
		return code + " (static)"
	}
	for _, c := range own {
		for seed := range uint64(3) {
			if code := check(&c, crosslane.RandomSchedule(2+seed)); code != "" {
				return code + " (sweep)"
			}
		}
	}
	for _, c := range swept {
		if s.original(c).usable {
			if code := check(&c, ""); code != "" {
				return code + " (sweep)"
			}
		}
	}
	return ""
}

// static is the code of a finding without a launch that the original has not.
func (s *subject) static(mod *crosslane.Module, m *mutant) string {
	found := func(mod *crosslane.Module) map[string]string {
		all := map[string]string{}
		for _, k := range mod.Kernels() {
			r, err := k.CheckStatic()
			if err != nil {
				continue
			}
			for _, d := range r.Findings {
				if d.Severity >= diag.Warning {
					all[fmt.Sprint(k.Name(), d.Code, d.Pos.Line, d.Message)] = d.Code
				}
			}
		}
		return all
	}
	before := memoised(s, "static", func() map[string]string {
		mod, err := s.load(s.lines)
		if err != nil {
			return nil
		}
		return found(mod)
	})
	after := found(mod)
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if before[key] == "" {
			return after[key]
		}
	}
	return ""
}

// A verdict is about one mutant.
type verdict struct {
	key, kind, isa    string
	changes, reported string
	invalid           bool
	spent             time.Duration
}

// valid reports whether a text is a program at all.
func (s *subject) valid(lines []string, at int) bool {
	mod, err := s.load(lines)
	if err != nil {
		return false
	}
	for _, k := range mod.Kernels() {
		if k.Name() != s.kernel[at] {
			continue
		}
		if _, err := k.CheckStatic(); len(diag.Of(err)) > 0 && diag.Of(err)[0].Class == diag.Input {
			return false
		}
	}
	return true
}

func (s *subject) judge(m *mutant) verdict {
	start := time.Now()
	v := verdict{key: m.key(s.file), kind: m.kind, isa: string(s.isa)}
	lines := m.in(s.lines)
	if !s.valid(lines, m.line) {
		v.invalid = true
		return v
	}
	v.changes, v.reported = s.changes(m, lines, mutantTimeout), s.reports(m, lines, mutantTimeout)
	// A busy machine may be slow; a kernel that does not end, does not end for both.
	hangs := strings.HasSuffix(v.changes, endless)
	if hangs && v.reported == "" {
		v.changes = s.changes(m, lines, 20*mutantTimeout)
	}
	if !hangs && strings.HasPrefix(v.reported, "timeout") {
		v.reported = s.reports(m, lines, 20*mutantTimeout)
	}
	v.spent = time.Since(start)
	return v
}

// Mistakes are put into good kernels, one at a time. At least 95 of 100 that can change a result
// are reported, and the rest are those that testdata/mutation.txt lists, with the reason.
func TestMutation(t *testing.T) {
	t.Parallel()
	type job struct {
		s *subject
		m mutant
	}
	byKind := map[string][]job{}
	for _, s := range subjects(t) {
		for _, m := range s.mutants() {
			kind := string(s.isa) + " " + m.kind
			byKind[kind] = append(byKind[kind], job{s, m})
		}
	}
	var jobs []job
	for i, kind := range slices.Sorted(maps.Keys(byKind)) {
		if !short.Every(i, 2) {
			continue
		}
		list := byKind[kind]
		slices.SortFunc(list, func(a, b job) int {
			return cmp.Or(cmp.Compare(a.m.order(a.s.file), b.m.order(b.s.file)), cmp.Compare(a.m.key(a.s.file), b.m.key(b.s.file)))
		})
		t.Log(kind, len(list))
		n := short.Of(mutantsOfKind, 1)
		if *long {
			n = mutantsLong
		}
		list = list[:min(len(list), n)]
		jobs = append(jobs, list...)
	}
	verdicts := make([]verdict, len(jobs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wg.Go(func() {
			for i := range next {
				verdicts[i] = jobs[i].s.judge(&jobs[i].m)
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	wg.Wait()
	missed := map[string]bool{}
	rows := map[string]*mutationRow{}
	var total mutationRow
	for _, v := range verdicts {
		kind := v.isa + " " + v.kind
		if rows[kind] == nil {
			rows[kind] = &mutationRow{all: len(byKind[kind])}
		}
		for _, r := range []*mutationRow{rows[kind], &total} {
			r.add(v)
		}
		if v.changes != "" && v.reported == "" {
			missed[v.key] = true
		}
		t.Logf("%s\t%s\tinvalid=%v\tchanges=%q\treported=%q\t%v", v.isa, v.key, v.invalid, v.changes, v.reported, v.spent.Round(time.Millisecond))
	}
	t.Logf("%d made, %d can change a result, %d of them reported", total.made, total.changes, total.reported)
	if total.changes < short.Of(100, 8) || total.reported*100 < total.changes*short.Of(95, 80) {
		t.Errorf("%d of %d mutants that can change a result are reported, want 95 of 100", total.reported, total.changes)
	}
	reasons, err := readMissed()
	if err != nil {
		t.Fatal(err)
	}
	for key := range missed {
		switch reasons[key] {
		case "?":
			t.Errorf("%s: testdata/mutation.txt has no reason", key)
		case "":
			if !*updateMutation {
				t.Errorf("%s: can change a result, and is not reported", key)
			}
		}
	}
	for _, v := range verdicts {
		if reasons[v.key] != "" && !missed[v.key] && !*updateMutation {
			t.Errorf("%s: testdata/mutation.txt says that it is missed; can it change a result: %q, reported: %q", v.key, v.changes, v.reported)
		}
	}
	if *updateMutation {
		if !*long {
			t.Fatal("the list is that of -long")
		}
		if err := writeMissed(missed, reasons, rows, &total); err != nil {
			t.Fatal(err)
		}
	}
}

// A mutationRow counts mutants of a kind: all that there are, and the outcomes of those that were
// made.
type mutationRow struct{ all, made, invalid, changes, reported, unshown int }

func (r *mutationRow) add(v verdict) {
	r.made++
	switch {
	case v.invalid:
		r.invalid++
	case v.changes != "":
		r.changes++
		if v.reported != "" {
			r.reported++
		}
	case v.reported != "":
		r.unshown++
	}
}

const missedFile = "testdata/mutation.txt"

// readMissed reads which mutants are known to be missed, and why.
func readMissed() (map[string]string, error) {
	text, err := os.ReadFile(missedFile)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, reason, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || reason == "" {
			return nil, fmt.Errorf("%s: no reason: %s", missedFile, line)
		}
		list[key] = reason
	}
	return list, nil
}

const mutationPage = "../docs/mutation.md"

// writeMissed writes the list of missed mutants, and the table of the page about it.
func writeMissed(missed map[string]bool, reasons map[string]string, rows map[string]*mutationRow, total *mutationRow) error {
	var list, table strings.Builder
	byReason := map[string][]string{}
	for _, key := range slices.Sorted(maps.Keys(missed)) {
		reason := cmp.Or(reasons[key], "?")
		fmt.Fprintf(&list, "%s\t%s\n", key, reason)
		byReason[reason] = append(byReason[reason], key)
	}
	if err := os.WriteFile(missedFile, []byte(list.String()), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(&table, "| mistake | there are | tried | no program | can change a result | of these reported | reported, not shown |\n|---|---|---|---|---|---|---|\n")
	line := func(name string, r *mutationRow) {
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d | %d |\n", name, r.all, r.made, r.invalid, r.changes, r.reported, r.unshown)
		if r != total {
			total.all += r.all
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(rows)) {
		isa, name, _ := strings.Cut(kind, " ")
		line(strings.ToUpper(isa)+": "+name, rows[kind])
	}
	line("all", total)
	fmt.Fprintf(&table, "\n%.1f of 100 mutants that can change a result are reported. The others:\n", 100*float64(total.reported)/float64(total.changes))
	for _, reason := range slices.SortedFunc(maps.Keys(byReason), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byReason[b]), len(byReason[a])), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(&table, "\n**%s** (%d):\n\n", reason, len(byReason[reason]))
		for _, key := range byReason[reason] {
			fmt.Fprintf(&table, "- `%s`\n", key)
		}
	}
	page, err := os.ReadFile(mutationPage)
	if err != nil {
		return err
	}
	before, _, ok := strings.Cut(string(page), "\n| mistake |")
	if !ok {
		return fmt.Errorf("%s has no table", mutationPage)
	}
	return os.WriteFile(mutationPage, []byte(before+"\n"+table.String()), 0o644)
}
