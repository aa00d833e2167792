package nvvm

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed intrinsics.ll
var intrinsics []byte

// triple and layout are those of LLVM. What modules say about layout means the same, in more words.
const (
	triple = "nvptx64-nvidia-cuda"
	layout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
)

var (
	// defined are the intrinsics in intrinsics.ll, without llvm.
	defined = definedIn(intrinsics)
	// called is a use of one of them; names with a dot may have quotation marks.
	called = regexp.MustCompile(`@("?)llvm(\.nvvm\.(?:` + strings.Join(defined, "|") + `))("?)([^\w.$"-]|$)`)

	// ours is a use of a definition.
	ours = regexp.MustCompile(`@"?crosslane\.nvvm\.(?:` + strings.Join(defined, "|") + `)`)

	targetLine = regexp.MustCompile(`(?m)^target (triple|datalayout) = "([^"]*)"[ \t]*\r?\n?`)
	// Named metadata of NVVM: libnvvm reads the version, and LLVM would link the lists of all modules.
	versionLine = regexp.MustCompile(`(?m)^!nvvmir\.version = .*\r?\n?`)
	// head is the beginning of a definition or a declaration up to its parameters.
	head = regexp.MustCompile(`(?m)^(define|declare) [^@\n]*@("[^"\n]*"|[\w.$-]+)\(`)
	// After the parameters these come before attributes.
	beforeAttributes = regexp.MustCompile(`^( (local_)?unnamed_addr)?( addrspace\(\d+\))?`)

	// Lines with pointers of the two forms, outside comments and texts.
	typedPointer  = regexp.MustCompile(`(?m)^(?:define|declare|@| )[^";\n]*[\w>}\])]\*`)
	opaquePointer = regexp.MustCompile(`(?m)^(?:define|declare|@| )[^";\n]*[ (,{<\[]ptr(?:[ ,)}>\]]|$)`)

	// conversion is a declaration of a conversion between address spaces.
	conversion = regexp.MustCompile(`(?m)^declare ([^@\n]+) @"?llvm(\.nvvm\.ptr\.\w+\.to\.\w+\.[^"(\s]+)"?\(([^\n]*)\)[^\n()]*$`)
	// argument is the type of its argument.
	argument = regexp.MustCompile(`^(?:.*\*|ptr(?: addrspace\(\d+\))?)`)
)

// definedIn lists the names of definitions, after crosslane.nvvm, as parts of a regular expression.
func definedIn(text []byte) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^define .*@crosslane\.nvvm\.([\w.]+)\(`).FindAllSubmatch(text, -1) {
		names = append(names, regexp.QuoteMeta(string(m[1])))
	}
	return names
}

// uses finds uses of functions by their names.
func uses(names ...string) *regexp.Regexp {
	for i, n := range names {
		names[i] = regexp.QuoteMeta(n)
	}
	return regexp.MustCompile(`@"?(` + strings.Join(names, "|") + `)"?\(`)
}

// inlined finds functions that are, or may be, replaced by instructions: see Options.inlined.
var inlined = uses("llvm.sqrt.f32", "__nv_sqrtf", "__nv_fmaxf", "__nv_fminf", "__nv_fmax", "__nv_fmin",
	"__nv_fast_cosf", "__nv_fast_sinf", "__nv_fast_tanf", "__nv_fast_expf", "__nv_fast_exp10f", "__nv_fast_logf",
	"__nv_fast_log2f", "__nv_fast_log10f", "__nv_fast_powf", "__nv_fast_fdividef")

// Numba declares functions of libdevice without a result as if they returned an address, which it does not use.
var (
	declaredResult = regexp.MustCompile(`(?m)^declare (?:i8\*|ptr) (@"?__nv_(?:fast_)?sincos(?:f|pi|pif)?"?\()`)
	calledResult   = regexp.MustCompile(`(?m)^( +)(?:%[^=\n]+= )?((?:tail )?call) (?:i8\*|ptr) (@"?__nv_(?:fast_)?sincos(?:f|pi|pif)?"?\()`)
)

// libraryCalls replaces calls that depend on options: llc of LLVM 14 does not look at them for square roots, and the builtins
// of Crosslane never flush subnormal numbers.
func (o Options) libraryCalls(text []byte) []byte {
	text = declaredResult.ReplaceAll(text, []byte("declare void ${1}"))
	text = calledResult.ReplaceAll(text, []byte("${1}${2} void ${3}"))
	return inlined.ReplaceAllFunc(text, func(use []byte) []byte {
		name := string(inlined.FindSubmatch(use)[1])
		if ours := o.inlined(name); ours != "" {
			return []byte("@crosslane.nvvm." + ours + "(")
		}
		return use
	})
}

// prepare rewrites the text of a module for LLVM.
func (o Options) prepare(name string, text []byte) ([]byte, error) {
	for _, m := range targetLine.FindAllSubmatch(text, -1) {
		known := strings.HasPrefix(string(m[2]), "nvptx64-") || string(m[2]) == "" || string(m[2]) == "unknown-unknown-unknown"
		if string(m[1]) == "triple" && !known {
			return nil, failf(invalidIR, "crosslane: the module %s is for the target %q; only nvptx64-nvidia-cuda is supported", name, m[2])
		}
	}
	text = targetLine.ReplaceAll(text, nil)
	text = versionLine.ReplaceAll(text, nil)
	text = conversions(text)
	text = called.ReplaceAll(text, []byte("@${1}crosslane${2}${3}${4}"))
	text = o.libraryCalls(text)
	text = markCalls(markConvergent(text))
	return slices.Concat(fmt.Appendf(nil, "target triple = %q\ntarget datalayout = %q\n\n", triple, layout), text), nil
}

// conversions defines the conversions between address spaces, which NVVM IR has as intrinsics, by the instruction of LLVM:
// its passes look for that, and find the address space of an access.
func conversions(text []byte) []byte {
	for _, m := range conversion.FindAllSubmatch(text, -1) {
		result, name := string(m[1]), string(m[2])
		from := string(argument.Find(m[3]))
		if from == "" {
			continue
		}
		ours := `@"crosslane` + name + `"`
		define := fmt.Sprintf("define internal %s %s(%s %%p) alwaysinline {\n  %%r = addrspacecast %[3]s %%p to %[1]s\n  ret %[1]s %%r\n}\n", result, ours, from)
		text = bytes.ReplaceAll(text, m[0], []byte(define))
		use := regexp.MustCompile(`@"llvm` + regexp.QuoteMeta(name) + `"|@llvm` + regexp.QuoteMeta(name) + `\b`)
		text = use.ReplaceAll(text, []byte(ours))
	}
	return text
}

// definitionsFor returns a module with definitions of the intrinsics that text calls; nil: it calls none.
func definitionsFor(text []byte) []byte {
	if !ours.Match(text) {
		return nil
	}
	return slices.Concat(fmt.Appendf(nil, "target triple = %q\ntarget datalayout = %q\n\n", triple, layout), markCalls(intrinsics))
}

// markConvergent gives all functions the attribute convergent. In NVVM IR any function may wait for other lanes; in IR of
// LLVM only one with this attribute, and LLVM moves other calls into branches. LLVM removes the attribute where it
// is not needed.
func markConvergent(text []byte) []byte {
	var out []byte
	for {
		m := head.FindSubmatchIndex(text)
		if m == nil {
			return append(out, text...)
		}
		end := m[1] + afterParameters(text[m[1]:])
		end += len(beforeAttributes.Find(text[end:]))
		out = append(out, text[:end]...)
		if name := string(text[m[4]:m[5]]); !strings.HasPrefix(strings.Trim(name, `"`), "llvm.") && end < len(text) {
			out = append(out, " convergent"...)
		}
		text = text[end:]
	}
}

// call is a call of a function or of inline assembly, up to its arguments; joint are intrinsics of several lanes.
var (
	call  = regexp.MustCompile(`(?m)^ +(?:%[^=\n]+= )?(?:tail |notail )?call [^@"\n]*(?:@"([^"\n]*)"|@([\w.$-]+)|asm sideeffect [^"\n]*"[^"]*", "[^"\n]*"\s*)\(`)
	joint = regexp.MustCompile(`^(?:llvm|crosslane)\.nvvm\.(?:bar|shfl|vote|match|redux|mbarrier|cp\.async|activemask|elect)`)
)

// markCalls gives calls that may concern other lanes the attributes convergent and nomerge: LLVM 14 makes one call of two
// equal ones in both branches of a condition, and then lanes meet that have to be apart.
func markCalls(text []byte) []byte {
	var out []byte
	for {
		m := call.FindSubmatchIndex(text)
		if m == nil {
			return append(out, text...)
		}
		name := ""
		for _, i := range []int{2, 4} {
			if m[i] >= 0 {
				name = string(text[m[i]:m[i+1]])
			}
		}
		end := m[1] + afterParameters(text[m[1]:])
		out = append(out, text[:end]...)
		library := strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, "__nv_") || strings.HasPrefix(name, "crosslane.")
		if !library || joint.MatchString(name) {
			out = append(out, " convergent nomerge"...)
		}
		text = text[end:]
	}
}

// afterParameters returns where a list of parameters ends, of which the opening parenthesis comes before text.
func afterParameters(text []byte) int {
	depth, quoted := 1, false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
