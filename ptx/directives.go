package ptx

import "fmt"

// A directiveInfo holds the requirements of a directive, or of another feature of the language that
// is no instruction.
type directiveInfo struct {
	ptx     Version
	sm      int
	section string
	// The field of is the place where the directive may stand between a function's head and body: 'e' for
	// kernels, 'f' for device functions, 'b' for both. args is the largest number of its arguments,
	// 0: none. Arguments are positive integers unless kind names another form.
	of   byte
	args int
	kind byte // 's': strings; 'l': languages; 'n': integers from 0 on
}

// directiveTable holds the directives in the order of PTX 11, and after them
// features of declarations. It is never written.
var directiveTable = map[string]directiveInfo{
	".address_size":                   {ptx: Version{2, 3}, section: "11.1.3"},
	".alias":                          {ptx: Version{6, 3}, sm: 30, section: "11.2.3"},
	".branchtargets":                  {ptx: Version{2, 1}, sm: 20, section: "11.3.1"},
	".calltargets":                    {ptx: Version{2, 1}, sm: 20, section: "11.3.2"},
	".callprototype":                  {ptx: Version{2, 1}, sm: 20, section: "11.3.3"},
	".maxnreg":                        {ptx: Version{1, 3}, section: "11.4.1", of: 'e', args: 1},
	".maxntid":                        {ptx: Version{1, 3}, section: "11.4.2", of: 'e', args: 3},
	".reqntid":                        {ptx: Version{2, 1}, section: "11.4.3", of: 'e', args: 3},
	".minnctapersm":                   {ptx: Version{2, 0}, section: "11.4.4", of: 'e', args: 1},
	".maxnctapersm":                   {ptx: Version{1, 3}, section: "11.4.5", of: 'e', args: 1, kind: 'n'},
	".minperctamemory":                {ptx: Version{9, 4}, sm: 80, section: "11.4.10", of: 'e', args: 1, kind: 'n'},
	".noreturn":                       {ptx: Version{6, 4}, sm: 30, section: "11.4.6", of: 'f'},
	".pragma":                         {ptx: Version{2, 0}, section: "11.4.7", of: 'b', args: 99, kind: 's'},
	".abi_preserve":                   {ptx: Version{9, 0}, sm: 80, section: "11.4.8", of: 'f', args: 1, kind: 'n'},
	".abi_preserve_control":           {ptx: Version{9, 0}, sm: 80, section: "11.4.9", of: 'f', args: 1, kind: 'n'},
	"@@DWARF":                         {ptx: Version{1, 2}, section: "11.5.1"},
	".loc_intermediate":               {ptx: Version{9, 4}, section: "11.5.5"},
	".section":                        {ptx: Version{2, 0}, section: "11.5.2"},
	".nv_intermediate_source_section": {ptx: Version{9, 4}, section: "11.5.6"},
	".weak":                           {ptx: Version{3, 1}, section: "11.6.3"},
	".common":                         {ptx: Version{5, 0}, sm: 20, section: "11.6.4"},
	".reqnctapercluster":              {ptx: Version{7, 8}, sm: 90, section: "11.7.1", of: 'e', args: 3},
	".explicitcluster":                {ptx: Version{7, 8}, sm: 90, section: "11.7.2", of: 'e'},
	".maxclusterrank":                 {ptx: Version{7, 8}, sm: 90, section: "11.7.3", of: 'e', args: 1},
	".blocksareclusters":              {ptx: Version{9, 0}, sm: 90, section: "11.8.1", of: 'e'},
	".language":                       {ptx: Version{9, 3}, section: "11.8.2", of: 'b', args: 99, kind: 'l'},

	".hidden":                      {ptx: Version{8, 8}, section: "11.2.1"},
	".ptr":                         {ptx: Version{2, 2}, section: "5.1.6.3"},
	".attribute(.managed)":         {ptx: Version{4, 0}, sm: 30, section: "5.4.8"},
	".attribute(.unified)":         {ptx: Version{8, 0}, sm: 90, section: "5.4.8"},
	"used_bytes_mask":              {ptx: Version{8, 3}, sm: 50, section: "12.2"},
	"mask()":                       {ptx: Version{7, 1}, section: "5.4.4"},
	"mask() of a number":           {ptx: Version{7, 3}, section: "5.4.4"},
	"a list of parameters":         {ptx: Version{1, 4}, section: "11.2.1"},
	"a variable of an opaque type": {ptx: Version{1, 5}, section: "5.3"},
	"a kernel in an initialiser":   {ptx: Version{3, 1}, section: "5.4.4"},
	"an unsized parameter":         {ptx: Version{6, 0}, sm: 30, section: "11.2.2"},
	"the timestamp of .file":       {ptx: Version{3, 2}, section: "11.5.3"},
	"function_name of .loc":        {ptx: Version{7, 2}, section: "11.5.4"},
}

// conflicts holds pairs of directives; a kernel may have only one of a pair.
var conflicts = [][2]string{
	{".maxntid", ".reqntid"},                  // PTX 11.4.3
	{".reqnctapercluster", ".maxclusterrank"}, // PTX 11.7.3
}

// needs reports a feature that the module's .version or .target lacks.
func (r *resolver) needs(pos Pos, what string) {
	d, ok := directiveTable[what]
	if !ok {
		return
	}
	switch {
	case !r.m.Version.AtLeast(d.ptx):
		e := r.errs.add(pos, "needs-version", fmt.Sprintf("%s needs .version %s or later, found .version %s", what, d.ptx, r.m.Version))
		e.Remedy = "write .version " + d.ptx.String()
		e.Section = "PTX " + d.section
	case r.m.Target.SM > 0 && r.m.Target.SM < d.sm:
		e := r.errs.add(pos, "needs-target", fmt.Sprintf("%s needs .target sm_%d or higher, found .target %s", what, d.sm, r.m.Target))
		e.Section = "PTX " + d.section
	}
}
