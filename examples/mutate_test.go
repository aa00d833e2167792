package examples

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A mutant is a kernel's text with one mistake put in.
type mutant struct {
	kind string
	line int    // from 0
	what string // the change, where the kind does not say it
	text string // the new text of the line
	// shows are other texts that have, on a machine that runs one instruction after the other, the
	// effects that hardware may have on the mutant: other values in registers that are never
	// written, memory accesses in an order that no fence forbids.
	shows [][]string
	// bound reports that the mistake shows at the end of a buffer.
	bound bool
	// manual is the reason why the manual lets results change, if no run can show it.
	manual string
	vgprs  int // that a GCN3 kernel has at least, for the mistake's own
}

var nextFreeVGPR = regexp.MustCompile(`^\s*\.amdhsa_next_free_vgpr\s+(\d+)`)

// in puts the mistake into a text.
func (m *mutant) in(lines []string) []string {
	list := replaced(lines, m.line, m.text)
	for i, line := range list {
		if v := nextFreeVGPR.FindStringSubmatch(line); v != nil && m.vgprs > 0 {
			n, _ := strconv.Atoi(v[1])
			list[i] = fmt.Sprint(".amdhsa_next_free_vgpr ", max(n, m.vgprs))
		}
	}
	return list
}

// order is a pseudo-random number by which mutants are chosen.
func (m *mutant) order(file string) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, file, m.line, m.kind, m.what)
	return h.Sum32()
}

func (m *mutant) key(file string) string {
	return strings.TrimSpace(fmt.Sprintf("%s:%d: %s %s", file, m.line+1, m.kind, m.what))
}

// replaced is lines with one line replaced.
func replaced(lines []string, at int, text string) []string {
	list := slices.Clone(lines)
	list[at] = text
	return list
}

// garbage is a possible content of registers and memory that were never written.
var garbage = []string{"0x5bd1e995", "1"}

// A rule makes mutants of a line that its pattern matches.
type rule struct {
	kind    string
	pattern *regexp.Regexp
	make    func(k *kernelText, at int, m []string) []mutant
}

// A kernelText is the text of a file, with the queries that rules need.
type kernelText struct {
	lines []string
	from  int // the first line of the function that the line is in
	first map[int]bool
}

// drop takes a line out.
func drop(*kernelText, int, []string) []mutant { return []mutant{{}} }

// to replaces the whole line by the text of a template, $1 and so on being the pattern's
// groups.
func to(text string) func(*kernelText, int, []string) []mutant {
	return func(_ *kernelText, _ int, m []string) []mutant {
		return []mutant{{text: expand(text, m)}}
	}
}

func expand(text string, m []string) string {
	for i := len(m) - 1; i > 0; i-- {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i), m[i])
	}
	return text
}

const ptxGuard = `^\s*(@!?%p\d+\s+)?`

func ptxRules() []rule {
	re := regexp.MustCompile
	return []rule{
		{"barrier removed", re(ptxGuard + `(?:bar|barrier)(?:\.cta)?\.(?:sync|arrive|red)[^;]*;`), drop},
		{"warp barrier removed", re(ptxGuard + `bar\.warp\.sync[^;]*;`), drop},
		{"fence removed", re(ptxGuard + `(?:membar|fence)\.[^;]*;`), fenceMutants},
		{"fence narrowed", re(ptxGuard + `(membar\.gl|membar\.sys|fence\.sc\.sys|fence\.sc\.gpu|fence\.acq_rel\.gpu|fence\.acq_rel\.sys);`), narrowFence},
		{"wait removed", re(ptxGuard + `cp\.async\.(?:bulk\.)?wait_(?:group|all)[^;]*;`), func(_ *kernelText, _ int, m []string) []mutant {
			return []mutant{{manual: "the copies may come later"}}
		}},
		{"wait weakened", re(ptxGuard + `(cp\.async\.wait_group)\s+(\d+)\s*;`), func(_ *kernelText, _ int, m []string) []mutant {
			n, _ := strconv.Atoi(m[3])
			return []mutant{{text: fmt.Sprintf("%s%s %d;", m[1], m[2], n+1), manual: "the copies may come later"}}
		}},
		{"wait on an mbarrier taken as done", re(`^\s*mbarrier\.(?:try|test)_wait\S*\s+(%p\d+|[a-z]\w*)\s*,[^;]*;`), to("setp.eq.u32 $1, 0, 0;")},
		{"bit of a membermask", re(ptxGuard + `((?:shfl|vote|match|redux|bar\.warp)\S*\.sync\S*\s+.*?)(-?\d+|0x[0-9a-fA-F]+)\s*;`), maskMutants},
		{"bit of a membermask", re(`^\s*()(mov\.[bu]32\s+%r\d+\s*,\s*)(-1)\s*;`), registerMask},
		{"c of a shuffle", re(ptxGuard + `(shfl\.(?:sync\.)?(?:up|down|bfly|idx)\.b32\s+[^,]+,[^,]+,[^,]+,\s*)(\d+|0x[0-9a-fA-F]+)(\s*[,;].*)$`), clampMutants},
		{"bound by one", re(`^\s*(setp)\.(lt|le|gt|ge)(\.[us](?:32|64)\s+)(%p\d+)\s*,\s*(%r[sd]?\d+)\s*,\s*(%r[sd]?\d+)\s*;`), boundMutants},
		{"guard dropped", re(`^\s*@!?(%p\d+)\s+((?:st|ld|atom|red|shfl|bra)\b[^;]*;)`), guardMutants},
		{"register not set", re(`^\s*mov\.([bsuf](?:32|64))\s+(%[rf]d?\d+)\s*,\s*((?:0[xdf])?-?[0-9A-Fa-f]+)\s*;`), registerMutants},
		{"shared memory not set", re(ptxGuard + `st\.shared\.([busf](?:8|16|32|64))\s+([^,]*),[^;]*;`), sharedMutants},
		{"atomic as load and store", re(`^\s*()atom((?:\.(?:global|shared))?)\.add\.([us](?:32|64))\s+(%rd?\d+)\s*,\s*([^,]*),\s*([^;,]*);`),
			to("{ .reg .$3 %mutant; ld$2.$3 $4, $5; add.$3 %mutant, $4, $6; st$2.$3 $5, %mutant; }")},
		{"atomic as load and store", re(`^\s*()(?:atom|red)((?:\.(?:global|shared))?)\.(add|min|max)\.([us](?:32|64))\s+(?:_\s*,\s*)?([^,]*),\s*([^;,]*);`),
			to("{ .reg .$4 %mutant; ld$2.$4 %mutant, $5; $3.$4 %mutant, %mutant, $6; st$2.$4 $5, %mutant; }")},
		{"atomic as load and store", re(`^\s*()atom((?:\.(?:global|shared))?)\.exch\.b(32|64)\s+(%rd?\d+)\s*,\s*([^,]*),\s*([^;,]*);`),
			to("ld$2.b$3 $4, $5; st$2.b$3 $5, $6;")},
		{"atomic as load and store", re(`^\s*()atom(?:\.acquire|\.relaxed)?(?:\.sys|\.gpu)?((?:\.(?:global|shared))?)\.cas\.b(32|64)\s+(%rd?\d+)\s*,\s*([^,]*),\s*([^,]*),\s*([^;,]*);`),
			to("{ .reg .pred %mutant; ld$2.b$3 $4, $5; setp.eq.b$3 %mutant, $4, $6; @%mutant st$2.b$3 $5, $7; }")},
		{"order weakened", re(`^(.*)\.(acquire|release|acq_rel)\b(.*)$`), func(k *kernelText, at int, m []string) []mutant {
			if strings.Contains(m[1], "fence") || strings.HasPrefix(strings.TrimSpace(m[1]), "//") {
				return nil
			}
			text := m[1] + ".relaxed" + m[3]
			return []mutant{{text: text, shows: reordered(replaced(k.lines, at, text), at, k.from, true)}}
		}},
		{"scope narrowed", re(`^(.*\.(?:acquire|release|acq_rel|relaxed)\.)(gpu|sys)\b(.*)$`), func(k *kernelText, at int, m []string) []mutant {
			if strings.Contains(m[1], "fence") || strings.HasPrefix(strings.TrimSpace(m[1]), "//") {
				return nil
			}
			text := m[1] + "cta" + m[3]
			return []mutant{{text: text, shows: reordered(replaced(k.lines, at, text), at, k.from, true)}}
		}},
	}
}

func fenceMutants(k *kernelText, at int, m []string) []mutant {
	if strings.Contains(m[0], "proxy") {
		return []mutant{{manual: "the asynchronous proxy may see what was there before"}}
	}
	return []mutant{{shows: reordered(replaced(k.lines, at, ""), at, k.from, false)}}
}

func narrowFence(k *kernelText, at int, m []string) []mutant {
	text := "membar.cta;"
	if strings.HasPrefix(m[2], "fence") {
		text = m[2][:strings.LastIndex(m[2], ".")] + ".cta;"
	}
	return []mutant{{text: m[1] + text, shows: reordered(replaced(k.lines, at, m[1]+text), at, k.from, false)}}
}

var (
	ptxEdge  = regexp.MustCompile(`^\s*(\$?\w+:|@!?%p\d+\s+bra|bra|call|ret|exit|bar|barrier|membar|fence|\{|\}|\)|\.)`)
	ptxStore = regexp.MustCompile(`^\s*(@!?%p\d+\s+)?(st(\.volatile|\.relaxed\.\w+|\.weak)?(\.global|\.shared)?(\.v\d)?\.[busf]\d+|red\.)`)
	ptxSync  = regexp.MustCompile(`^\s*(@!?%p\d+\s+)?(atom|red|st|ld\.(acquire|relaxed|volatile))\b`)
	ptxFlag  = regexp.MustCompile(`^\s*(@!?%p\d+\s+)?(atom|ld)\b`)
	ptxLoad  = regexp.MustCompile(`^\s*(@!?%p\d+\s+)?ld(\.volatile|\.relaxed\.\w+)?(\.global|\.shared)?(\.v\d)?\.[busf]\d+`)
	ptxBra   = regexp.MustCompile(`^\s*@(!?)(%p\d+)\s+bra`)
	register = regexp.MustCompile(`%[a-z]+\d+`)
)

// reordered gives texts in which a store before the line, where a fence was, is done after
// the store or atomic behind it, and a load behind it is done before the load or atomic in
// front. own says that the line itself is the store or atomic.
func reordered(lines []string, at, from int, own bool) (list [][]string) {
	before, after := -1, -1
	for i := at - 1; i > from && i > at-40; i-- {
		if ptxStore.MatchString(lines[i]) {
			before = i
			break
		}
		if ptxEdge.MatchString(lines[i]) {
			break
		}
	}
	branch := -1
	if own {
		after = at
	}
	for i := at + 1; after < 0 && i < len(lines) && i < at+40; i++ {
		if ptxSync.MatchString(lines[i]) {
			after = i
		} else if ptxBra.MatchString(lines[i]) && branch < 0 {
			branch = i
		} else if ptxEdge.MatchString(lines[i]) {
			break
		}
	}
	if before >= 0 && after >= 0 {
		moved := slices.Clone(lines)
		store := lines[before]
		moved[before] = ""
		moved[after] += " nanosleep.u32 1; nanosleep.u32 1; " + store
		if branch >= 0 {
			m := ptxBra.FindStringSubmatch(lines[branch])
			moved[branch] = "@" + m[1] + m[2] + " " + strings.TrimSpace(store) + " " + lines[branch]
			if strings.HasPrefix(strings.TrimSpace(store), "@") {
				moved = nil
			}
		}
		if moved != nil {
			list = append(list, moved)
		}
	}
	before, after = -1, -1
	if own {
		before = at
	}
	for i := at - 1; before < 0 && i > from && i > at-40; i-- {
		if ptxFlag.MatchString(lines[i]) && !strings.Contains(lines[i], "ld.param") {
			before = i
		} else if strings.Contains(lines[i], "bra") || strings.HasSuffix(lines[i], ":") {
			continue // a loop that waits for a flag
		} else if ptxEdge.MatchString(lines[i]) {
			break
		}
	}
	for i := at + 1; i < len(lines) && i < at+40; i++ {
		if ptxLoad.MatchString(lines[i]) {
			after = i
			break
		}
		if ptxEdge.MatchString(lines[i]) {
			break
		}
	}
	if before >= 0 && after >= 0 {
		load := lines[after]
		used := register.FindAllString(load[strings.Index(load, "["):], -1)
		for _, line := range lines[before:after] {
			word, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if dst := register.FindString(rest); !strings.HasPrefix(word, "st") && slices.Contains(used, dst) {
				return list
			}
		}
		moved := slices.Clone(lines)
		moved[after] = ""
		moved[before] = load + " nanosleep.u32 1; nanosleep.u32 1; " + moved[before]
		list = append(list, moved)
	}
	return list
}

// flipped are two bits to flip, of a line.
func flipped(at int) []int { return []int{(at*7 + 3) % 32, (at*13 + 16) % 32} }

func maskMutants(_ *kernelText, at int, m []string) (list []mutant) {
	mask, err := strconv.ParseInt(m[3], 0, 64)
	if err != nil || !strings.Contains(m[2], ",") && !strings.Contains(m[2], "bar.warp") {
		return nil
	}
	for _, bit := range flipped(at) {
		list = append(list, mutant{what: strconv.Itoa(bit), text: fmt.Sprintf("%s%s %#x;", m[1], m[2], uint32(mask)^1<<bit)})
	}
	return list
}

func registerMask(k *kernelText, at int, m []string) []mutant {
	reg := register.FindString(m[2])
	for _, line := range k.lines[at+1:] {
		if strings.Contains(line, ".sync") && strings.HasSuffix(strings.TrimSpace(line), " "+reg+";") {
			return maskMutants(k, at, []string{m[0], m[1], m[2], m[3]})
		}
		if strings.HasPrefix(line, "}") {
			break
		}
	}
	return nil
}

func clampMutants(_ *kernelText, _ int, m []string) (list []mutant) {
	c, err := strconv.ParseUint(m[3], 0, 32)
	if err != nil {
		return nil
	}
	for _, other := range []uint64{c ^ 0x1f, c ^ 0x1800, c ^ 0x1000, c ^ 1} {
		list = append(list, mutant{what: fmt.Sprintf("%#x", other), text: fmt.Sprintf("%s%s%#x%s", m[1], m[2], other, m[4])})
	}
	return list
}

// fromParam reports whether a register holds a parameter.
func (k *kernelText) fromParam(reg string) bool {
	for _, line := range k.lines[k.from:] {
		if strings.HasPrefix(line, "}") {
			return false
		}
		f := strings.Fields(strings.NewReplacer(",", " ", ";", " ").Replace(line))
		if len(f) > 2 && f[1] == reg {
			return strings.HasPrefix(f[0], "ld.param.")
		}
	}
	return false
}

var otherSide = map[string]string{"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}

// boundMutants let one element more pass at a comparison with a parameter.
func boundMutants(k *kernelText, _ int, m []string) []mutant {
	// i < n, n > i and their opposites; not i <= n, which becomes stricter.
	if !k.fromParam(m[6]) || m[2] != "lt" && m[2] != "ge" {
		if !k.fromParam(m[5]) || m[2] != "gt" && m[2] != "le" {
			return nil
		}
	}
	return []mutant{{text: fmt.Sprintf("%s.%s%s%s, %s, %s;", m[1], otherSide[m[2]], m[3], m[4], m[5], m[6]), bound: true}}
}

func guardMutants(k *kernelText, at int, m []string) []mutant {
	if !strings.HasPrefix(m[2], "bra") {
		return []mutant{{text: m[2], bound: true}}
	}
	// The branch of lanes that have no element to the end of the kernel.
	label := strings.TrimSuffix(strings.Fields(m[2])[1], ";")
	for i := at - 1; i > k.from && i > at-6; i-- {
		p := regexp.MustCompile(`^\s*setp\.\S+\s+` + m[1] + `\s*,\s*(%r[sd]?\d+)\s*,\s*(%r[sd]?\d+)\s*;`).FindStringSubmatch(k.lines[i])
		if p == nil || !k.fromParam(p[2]) && !k.fromParam(p[1]) {
			continue
		}
		for j := at; j < len(k.lines) && !strings.HasPrefix(k.lines[j], "}"); j++ {
			if strings.HasPrefix(strings.TrimSpace(k.lines[j]), label+":") && j+1 < len(k.lines) && strings.TrimSpace(k.lines[j+1]) == "ret;" {
				return []mutant{{bound: true}}
			}
		}
	}
	return nil
}

func registerMutants(k *kernelText, at int, m []string) []mutant {
	if k.written(at, m[2]) {
		return nil
	}
	d := mutant{}
	for _, g := range garbage {
		t := "mov.b" + m[1][1:] + " " + m[2] + ", " + g + ";"
		if strings.HasPrefix(m[1], "f") {
			t = "mov.f" + m[1][1:] + " " + m[2] + ", 0f3fc00001;"
			if m[1] == "f64" {
				t = "mov.f64 " + m[2] + ", 0d3ff8000000000001;"
			}
		}
		d.shows = append(d.shows, k.atStart(at, t))
	}
	return []mutant{d}
}

var gcn3Range = regexp.MustCompile(`([vs])\[(\d+):(\d+)\]`)

// written reports whether an instruction further up writes the register: without this one it holds
// the result of another computation, which is defined.
func (k *kernelText) written(at int, reg string) bool {
	for _, line := range k.lines[k.from+1 : at] {
		first, _, _ := strings.Cut(strings.TrimSpace(line), ",")
		f := strings.Fields(first)
		if len(f) > 0 && strings.HasPrefix(f[0], "@") {
			f = f[1:]
		}
		if len(f) < 2 || strings.HasPrefix(f[0], "st") || strings.Contains(f[0], "store") || strings.HasPrefix(f[0], ".") {
			continue
		}
		if f[1] == reg || f[1] == "{"+reg || strings.HasPrefix(f[1], reg+"|") {
			return true
		}
		if m := gcn3Range.FindStringSubmatch(f[1]); m != nil && m[1] == reg[:1] {
			low, _ := strconv.Atoi(m[2])
			high, _ := strconv.Atoi(m[3])
			if n, err := strconv.Atoi(reg[1:]); err == nil && low <= n && n <= high {
				return true
			}
		}
	}
	return false
}

// atStart is the text without a line, and with an instruction where the function begins.
func (k *kernelText) atStart(at int, text string) []string {
	list := replaced(k.lines, at, "")
	for i := k.from + 1; i < at; i++ {
		line := strings.TrimSpace(list[i])
		if line == "" || strings.ContainsAny(line[:1], ".{}()/;$") || strings.HasSuffix(line, ":") {
			continue
		}
		list[i] = text + "\n" + list[i]
		return list
	}
	list[at] = text
	return list
}

func sharedMutants(k *kernelText, at int, m []string) []mutant {
	if k.first[k.from] {
		return nil
	}
	k.first[k.from] = true // later ones change existing contents
	d := mutant{}
	for _, g := range garbage {
		if n := m[2]; strings.HasPrefix(n, "b") || strings.HasPrefix(n, "u") || strings.HasPrefix(n, "s") {
			if n[1:] == "8" || n[1:] == "16" {
				g = "1"
			}
			d.shows = append(d.shows, replaced(k.lines, at, fmt.Sprintf("%sst.shared.%s %s, %s;", m[1], n, m[3], g)))
		}
	}
	return []mutant{d}
}

func gcn3Rules() []rule {
	re := regexp.MustCompile
	return []rule{
		{"s_nop removed", re(`^\s*s_nop\b`), drop},
		{"s_waitcnt removed", re(`^\s*s_waitcnt\b`), drop},
		{"s_waitcnt weakened", re(`^\s*s_waitcnt\s+(.*)$`), weakerWait},
		{"barrier removed", re(`^\s*s_barrier\b`), drop},
		{"guard dropped", re(`^\s*s_and_saveexec_b64\s+(s\[\d+:\d+\])\s*,`), func(k *kernelText, at int, m []string) []mutant {
			for _, line := range k.lines[max(0, at-3):at] {
				if c := gcn3Compare.FindStringSubmatch(line); c != nil && gcn3Bound(k, at-1, c) != nil {
					return []mutant{{text: "s_mov_b64 " + m[1] + ", exec", bound: true}}
				}
			}
			return nil
		}},
		{"bound by one", gcn3Compare, gcn3Bound},
		{"register not set", re(`^\s*(v_mov_b32(?:_e32)?|s_mov_b32)\s+([vs]\d+|m0)\s*,\s*(-?\d+|0x[0-9a-fA-F]+|-?\d+\.\d+)\s*$`), func(k *kernelText, at int, m []string) []mutant {
			if k.written(at, m[2]) {
				return nil
			}
			d := mutant{}
			if n, err := strconv.Atoi(m[2][1:]); m[2] != "m0" && (err != nil || m[2][0] == 'v' && n < 3 || m[2][0] == 's' && n < 24) {
				return nil // holds something when the kernel starts, or may
			}
			for _, g := range garbage {
				d.shows = append(d.shows, k.atStart(at, m[1]+" "+m[2]+", "+g))
			}
			return []mutant{d}
		}},
		{"shared memory not set", re(`^\s*ds_write\S*\s`), func(k *kernelText, _ int, _ []string) []mutant {
			if k.first[k.from] {
				return nil
			}
			k.first[k.from] = true
			return []mutant{{}}
		}},
		{"atomic as load and store", re(`^\s*ds_(add)_u32\s+(v\d+)\s*,\s*(v\d+)(.*)$`),
			gcn3Atomic("ds_read_b32 v63, $2$4; s_waitcnt lgkmcnt(0); v_sad_u32 v63, v63, 0, $3; ds_write_b32 $2, v63$4")},
		{"atomic as load and store", re(`^\s*ds_(max|min)_([iu]32)\s+(v\d+)\s*,\s*(v\d+)(.*)$`),
			gcn3Atomic("ds_read_b32 v63, $3$5; s_waitcnt lgkmcnt(0); v_$1_$2 v63, v63, $4; ds_write_b32 $3, v63$5")},
		{"atomic as load and store", re(`^\s*flat_atomic_(add)\s+(v\[\d+:\d+\])\s*,\s*(v\d+)\s*$`),
			gcn3Atomic("flat_load_dword v63, $2; s_waitcnt vmcnt(0) lgkmcnt(0); v_sad_u32 v63, v63, 0, $3; flat_store_dword $2, v63")},
	}
}

func gcn3Atomic(text string) func(*kernelText, int, []string) []mutant {
	return func(_ *kernelText, _ int, m []string) []mutant {
		return []mutant{{text: strings.ReplaceAll(expand(text, m), "; ", "\n"), vgprs: 64}}
	}
}

var gcn3Compare = regexp.MustCompile(`^\s*v_cmp_(gt|le|lt|ge)_([ui](?:32|64))(\S*\s+)(.*)$`)

var waitCount = regexp.MustCompile(`(vmcnt|lgkmcnt|expcnt)\((\d+)\)`)

func weakerWait(_ *kernelText, _ int, m []string) (list []mutant) {
	for _, w := range waitCount.FindAllStringSubmatchIndex(m[1], -1) {
		name := m[1][w[2]:w[3]]
		n, _ := strconv.Atoi(m[1][w[4]:w[5]])
		list = append(list, mutant{what: name, text: "s_waitcnt " + m[1][:w[4]] + strconv.Itoa(n+1) + m[1][w[5]:]})
	}
	return list
}

// gcn3Bound lets one element more pass at a comparison of a scalar, on the left, that
// makes the next EXEC.
func gcn3Bound(k *kernelText, at int, m []string) []mutant {
	if m[1] != "gt" && m[1] != "le" || !regexp.MustCompile(`^[^,]+,\s*s[\[\d]`).MatchString(m[4]) {
		return nil
	}
	for _, line := range k.lines[at+1 : min(at+4, len(k.lines))] {
		if strings.Contains(line, "saveexec") {
			return []mutant{{text: "v_cmp_" + otherSide[m[1]] + "_" + m[2] + m[3] + m[4], bound: true}}
		}
	}
	return nil
}
