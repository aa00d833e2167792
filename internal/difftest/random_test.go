package difftest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	sample "example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

var (
	programs      = flag.Int("programs", 1500, "random programs of TestRandomEngines")
	againPrograms = flag.Int("programs.again", 300, "random programs of TestAgain")
	limitPrograms = flag.Int("programs.limits", 150, "random programs of TestLimits, for each limit and tier")
	seed          = flag.Uint64("seed", 0, "seed of the first one")
	programState  = flag.String("programs.state", "", "file that keeps how far a long run has come: it goes on from there")
	stopAfter     = flag.Int("programs.stop", 10, "how many programs that differ end the run")
	programsOnly  = flag.String("programs.only", "", "make only programs of this kind: IR, PTX, GCN3 or all, or with -index behind it those made of indices, with -together those whose waves may begin together, with -idioms those made of idioms, with -missing those whose first lanes go away, with -checked those that run instrumented; seeds of others are passed over")
	keepFailures  = flag.String("programs.keep", "", "folder for programs on which engines differ, such as testdata/random; \"\": one for temporary files")
)

// A source makes random programs of one language.
type source struct {
	name  string
	share int // the number of its programs among 16
	// make makes the program of a seed: its launch, and a function that makes it smaller.
	make func(seed uint64) (made, error)
}

// made is a random program.
type made struct {
	seed   uint64 // the seed of the program
	launch *randprog.Case
	print  func() string // returns the text; nil: there is no text
	ext    string        // the extension of the file that keeps it
	// smaller returns a smaller program for which fails is true. The argument of fails is the
	// program's launch.
	smaller func(fails func(*randprog.Case) bool) made
}

// text returns the program in the form of a file.
func (m *made) text() string {
	if m.print == nil {
		return ""
	}
	return m.print()
}

// sources returns the languages in which programs are made.
func sources() []source {
	return []source{{"IR", 8, makeIR}, {"PTX", 4, makePTX}, {"GCN3", 4, makeGCN}}
}

func makeIR(seed uint64) (made, error) {
	if indexed(seed) {
		return madeIR(randprog.NewIndex(seed))
	}
	if together(seed) {
		return madeIR(randprog.NewTogether(seed))
	}
	if idiomatic(seed) {
		return madeIR(randprog.NewIdioms(seed))
	}
	return madeIR(randprog.New(seed))
}

// indexed reports whether the program of a seed computes indices.
func indexed(seed uint64) bool { return seed/16%3 == 0 }

// idiomatic reports whether the program of a seed consists of idioms.
func idiomatic(seed uint64) bool { return seed/16%3 == 2 && seed/64%2 == 0 }

func madeIR(p *randprog.Program) (made, error) {
	c, err := p.Case()
	if err != nil {
		return made{}, err
	}
	return made{seed: p.Seed, launch: c, print: func() string { return string(p.JSON()) }, ext: ".json", smaller: func(fails func(*randprog.Case) bool) made {
		q := randprog.Shrink(p, 3000, func(p *randprog.Program) bool {
			c, err := p.Case()
			return err == nil && fails(c)
		})
		m, _ := madeIR(q)
		return m
	}}, nil
}

// wanted reports whether the program of a seed is of the kind that -programs.only names.
func wanted(s source, seed uint64) bool {
	name, kind, _ := strings.Cut(*programsOnly, "-")
	return name == "" || (name == s.name || name == "all") && (kind == "" || kind == "index" && indexed(seed) || kind == "together" && together(seed) || kind == "idioms" && idiomatic(seed) || kind == "missing" && missing(seed) || kind == "checked" && checkedBy(seed) != unchecked)
}

// of returns the source of a seed's program.
func of(l []source, seed uint64) source {
	n := int(seed * 7 % 16)
	for _, s := range l {
		if n < s.share {
			return s
		}
		n -= s.share
	}
	return l[0]
}

// A way is an engine and a mode in which a program runs.
type way struct {
	Engine
	mode    randprog.Mode
	checked checking
}

func (w way) String() string {
	s := w.Name
	if w.mode.Workers > 1 {
		s += fmt.Sprintf(", %d workers", w.mode.Workers)
	}
	if w.mode.Lockstep > 0 {
		s += fmt.Sprintf(", in steps of %d", w.mode.Lockstep)
	}
	if w.mode.Turns > 0 {
		s += fmt.Sprintf(", in turns of %d", w.mode.Turns)
	}
	if w.checked != unchecked {
		s += fmt.Sprintf(", checked for %v", w.checked)
	}
	return s
}

// ways returns the ways in which the program of a seed runs: on the first engine and on one of the
// remaining engines in turn, because most of the time goes into making machine code. The program
// runs unchanged, on two workers, in steps, with its start in the interpreter, or with scribbled
// registers that the reference does not read.
func ways(seed uint64) []way {
	var l []way
	all := Engines()
	for i, e := range all {
		if i > 0 && 1+int(seed/3%uint64(len(all)-1)) != i {
			continue
		}
		exact, late, spoilt := e, e, e
		if e.Exact != nil {
			exact.Engine = e.Exact
		}
		if e.Late != nil {
			late.Name, late.Engine = e.Name+", late", e.Late
		}
		if e.Spoilt != nil {
			spoilt.Name, spoilt.Engine = e.Name+", spoilt", e.Spoilt
		}
		k := checkedBy(seed)
		switch seed / 16 % 8 {
		case 0, 1:
			w := way{e, randprog.Mode{Workers: 2}, k}
			if k != unchecked {
				w.mode.Workers = 1
			}
			l = append(l, w)
		case 2:
			// The steps have 1, or 2 to 60 instructions. Making this code takes three times as
			// long.
			l = append(l, way{exact, randprog.Mode{Lockstep: 1 + max(0, int(seed/128%120)-60)}, k})
		case 3:
			l = append(l, way{late, randprog.Mode{}, k})
		case 4: // reads of dead values show far more often here
			l = append(l, way{spoilt, randprog.Mode{}, k})
		case 5: // and the interpreter and the machine code alternate at many basic blocks
			l = append(l, way{spoilt, randprog.Mode{Turns: 1 + int(seed/128%12)}, k})
		default:
			l = append(l, way{e, randprog.Mode{}, k})
		}
	}
	for i := range l {
		l[i].mode.Hints, l[i].mode.Absent = seed/7%4 == 1, [...]sim.Policy{sim.Own, sim.Own, sim.Own, sim.Own, sim.Zero, sim.Poison}[seed/5%6]
	}
	return l
}

// check runs a program in every way. It returns the first way that differs from the reference, and
// a description of the difference.
func check(c *randprog.Case, ways []way) (*way, string) {
	type steps struct {
		lockstep, turns int
		hints           bool
		absent          sim.Policy
		checked         checking
	}
	refs := map[steps]*randprog.Outcome{}
	cases := map[checking]*randprog.Case{}
	for i := range ways {
		w := &ways[i]
		if cases[w.checked] == nil {
			cases[w.checked] = w.checked.of(c)
		}
		c := cases[w.checked]
		s := steps{w.mode.Lockstep, w.mode.Turns, w.mode.Hints, w.mode.Absent, w.checked}
		if refs[s] == nil {
			refs[s] = c.Run(Reference(), randprog.Mode{Lockstep: s.lockstep, Turns: s.turns, Hints: s.hints, Absent: s.absent})
		}
		if d := c.Compare(Reference(), refs[s], w.Engine.Engine, w.mode); d != "" {
			return w, d
		}
	}
	return nil, ""
}

// A tally is the progress of a run over many programs.
type tally struct {
	First, Next uint64 // seeds; all before Next have been run
	Programs    map[string]int
	Differ      int
	Seconds     float64
}

func (t *tally) String() string {
	n := 0
	var parts []string
	for _, s := range sources() {
		n += t.Programs[s.name]
		parts = append(parts, fmt.Sprintf("%d in %s", t.Programs[s.name], s.name))
	}
	var engines []string
	for _, e := range Engines() {
		engines = append(engines, e.Name)
	}
	return fmt.Sprintf("%d random programs (%s; seeds %d to %d) on %s against the portable interpreter: %d differ; %s on %d processors (%s/%s)",
		n, strings.Join(parts, ", "), t.First, t.Next-1, strings.Join(engines, ", "), t.Differ,
		time.Duration(t.Seconds*float64(time.Second)).Round(time.Second), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH)
}

// sampled returns the number of programs of a run: with -short a fifteenth of them.
func sampled(n int) int { return sample.Of(n, (n+14)/15) }

// TestRandomEngines checks that random programs have the same results, faults, findings and counts
// on every engine as on the reference, and the same registers after each step.
//
//	go test ./internal/difftest -run TestRandomEngines -programs 100000
//
// A program that differs is kept as a test of its own with -programs.keep testdata/random.
//
// A long run saves its progress, and continues from there if it is started again:
//
//	go test ./internal/difftest -run TestRandomEngines -timeout 0 -v -programs 10000000 -programs.state state.json
func TestRandomEngines(t *testing.T) {
	t.Parallel()
	state := &tally{First: *seed, Next: *seed, Programs: map[string]int{}}
	if *programState != "" {
		if data, err := os.ReadFile(*programState); err == nil {
			if err := json.Unmarshal(data, state); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder := failures()
	start, before := time.Now(), state.Seconds
	save := func() {
		state.Seconds = before + time.Since(start).Seconds()
		if *programState == "" {
			return
		}
		data, err := json.Marshal(state)
		if err == nil {
			err = os.WriteFile(*programState, data, 0o666)
		}
		if err != nil {
			t.Error(err)
		}
	}
	all := sources()
	end := state.First + uint64(sampled(*programs))
	const each = 1024
	told := time.Now()
	for state.Next < end && state.Differ < *stopAfter {
		n := min(each, end-state.Next)
		var next atomic.Uint64
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
					s := of(all, state.Next+i)
					if !wanted(s, state.Next+i) {
						continue
					}
					bad := one(t, s, state.Next+i, ways(state.Next+i), folder)
					mu.Lock()
					state.Programs[s.name]++
					if bad {
						state.Differ++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		state.Next += n
		if time.Since(told) > 20*time.Second {
			told = time.Now()
			save()
			t.Log(state)
		}
	}
	save()
	t.Log(state)
}

// failures returns the folder for programs on which engines differ.
func failures() string {
	if *keepFailures != "" {
		return *keepFailures
	}
	return filepath.Join(os.TempDir(), "crosslane-random")
}

// one checks the program of a seed in some ways. A program that differs is made smaller and kept.
func one(t *testing.T, s source, seed uint64, ways []way, folder string) (bad bool) {
	m, err := s.make(seed)
	if err != nil {
		t.Errorf("%s, seed %d: %v\n%s", s.name, seed, err, m.text())
		return true
	}
	w, d := check(m.launch, ways)
	if w == nil {
		return false
	}
	m = m.smaller(func(c *randprog.Case) bool {
		_, d := check(c, []way{*w})
		return d != ""
	})
	_, small := check(m.launch, []way{*w})
	file := filepath.Join(folder, fmt.Sprintf("%s-%d%s", strings.ToLower(s.name), seed, m.ext))
	t.Errorf("%s, seed %d, %v: %s\nmade smaller: %s\n%s\nkept as %s", s.name, seed, w, d, small, m.launch.Func.Print(), file)
	if err := os.MkdirAll(folder, 0o777); err == nil {
		err = os.WriteFile(file, []byte(m.text()), 0o666)
		if err != nil {
			t.Error(err)
		}
	}
	return true
}

// TestKeptPrograms checks programs on which engines once differed.
func TestKeptPrograms(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "random", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sample.Sample(files, 19) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := kept(file, data)
			if err != nil {
				t.Fatal(err)
			}
			if w, d := check(m.launch, ways(m.seed)); d != "" {
				t.Errorf("%v: %s", w, d)
			}
			for _, e := range Engines() {
				for _, mode := range []randprog.Mode{{}, {Workers: 2}, {Lockstep: 1}, {Lockstep: 7}} {
					w := way{Engine: e, mode: mode}
					if e.Exact != nil && mode.Lockstep > 0 {
						w.Engine.Engine = e.Exact
					}
					if _, d := check(m.launch, []way{w}); d != "" {
						t.Errorf("%v: %s", w, d)
					}
				}
				for k := undefined; k < checkings; k++ {
					ways := []way{{Engine: e, checked: k}, {Engine: e, mode: randprog.Mode{Lockstep: 1}, checked: k}, {Engine: e, mode: randprog.Mode{Turns: 1}, checked: k}}
					if e.Exact != nil {
						ways[1].Engine.Engine, ways[2].Engine.Engine = e.Exact, e.Spoilt
					}
					if w, d := check(m.launch, ways); d != "" {
						t.Errorf("%v: %s", w, d)
					}
				}
				for name, other := range map[string]sim.Engine{"late": e.Late, "spoilt": e.Spoilt} {
					if other == nil {
						continue
					}
					for _, turns := range []int{0, 1, 5, 12} {
						w := way{Engine: Engine{Name: e.Name, Engine: other}, mode: randprog.Mode{Turns: turns}}
						if _, d := check(m.launch, []way{w}); d != "" {
							t.Errorf("%s, %v: %s", name, w, d)
						}
					}
				}
			}
		})
	}
}

// kept reads a kept program.
func kept(file string, data []byte) (made, error) {
	builds := map[string]func(p *textProgram) (*randprog.Case, string, error){".ptx": buildPTX, ".s": buildGCN}
	if build := builds[filepath.Ext(file)]; build != nil {
		p, err := parseText(data, build)
		if err != nil {
			return made{}, fmt.Errorf("%s: %w", file, err)
		}
		return p.made(filepath.Ext(file))
	}
	p, err := randprog.Parse(data)
	if err != nil {
		return made{}, fmt.Errorf("%s: %w", file, err)
	}
	return madeIR(p)
}

// TestLowerings checks that operations in every form have the results of package num on every
// engine.
func TestLowerings(t *testing.T) {
	t.Parallel()
	for _, e := range Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			enginetest.Lowering{Engine: e.Engine, Reference: Reference(), Random: 2000}.Test(t)
		})
	}
}

// TestConformance runs the conformance suite on every engine with two workers. Each engine's own
// tests run it with one worker.
func TestConformance(t *testing.T) {
	sample.Skip(t, "the engines' own packages run the suite, too")
	t.Parallel()
	for _, e := range Engines() {
		t.Run(e.Name, func(t *testing.T) { enginetest.RunOn(t, e.Engine, 2) })
	}
}
