package fatbin

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin/fatbintest"
	"example.org/crosslane/ptx"
)

// text is a PTX module for a target, with a comment that names another one.
func text(target string) string {
	return "//\n// .target sm_13\n/* .target sm_12 */\n.version 8.5\n.target " + target + ", debug\n.address_size 64\n.entry k() { ret; }\n"
}

func parse(t *testing.T, data []byte) []*Binary {
	t.Helper()
	list, err := Parse(data, "f", 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The payload of an entry is its text, in each form that nvcc has: plain with zeros at its end, an LZ4
// block, a zstd frame.
func TestPayload(t *testing.T) {
	t.Parallel()
	want := text("sm_80")
	long := want + strings.Repeat("// comment\n", 40000)
	// An LZ4 block with a match: ab, then 8 bytes from 2 back, then 5 literals.
	match := []byte{0x24, 'a', 'b', 2, 0, 0x50, 'c', 'd', 'e', 'f', 'g'}
	for name, c := range map[string]struct {
		e    fatbintest.Entry
		want string
	}{
		"plain":       {fatbintest.Text(80, want), want},
		"zeros":       {fatbintest.Text(80, want+"\x00\x00\x00\n\x00"), want},
		"zstd":        {fatbintest.Entry{Kind: 1, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRaw([]byte(want)), Plain: len(want)}, want},
		"zstd blocks": {fatbintest.Entry{Kind: 1, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRaw([]byte(long)), Plain: len(long)}, long},
		"zstd run":    {fatbintest.Entry{Kind: 2, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRun(128<<10, 1), Plain: 128 << 10}, strings.Repeat(" ", 128<<10)},
		"lz4":         {fatbintest.Entry{Kind: 1, Flags: fatbintest.LZ4, Data: fatbintest.LZ4Literals([]byte(want + "\x00\x00")), Plain: len(want) + 2}, want},
		"lz4 long":    {fatbintest.Entry{Kind: 1, Flags: fatbintest.LZ4, Data: fatbintest.LZ4Literals([]byte(long)), Plain: len(long)}, long},
		"lz4 match":   {fatbintest.Entry{Kind: 1, Flags: fatbintest.LZ4, Data: match, Plain: 15}, "ababababab" + "cdefg"},
		"machine":     {fatbintest.Entry{Kind: 2, Data: []byte("\x7fELF\x00\x00\x00\x00")}, "\x7fELF\x00\x00\x00\x00"},
		"empty":       {fatbintest.Entry{Kind: 1}, ""},
	} {
		e := parse(t, fatbintest.Write(c.e))[0].Entries[0]
		got, err := e.Payload()
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %d bytes %.40q, %v; expected %d bytes", name, len(got), got, err, len(c.want))
		}
	}
}

// Fat binaries follow each other, with zeros between them; offsets are those of the file.
func TestParse(t *testing.T) {
	t.Parallel()
	a := fatbintest.Write(fatbintest.Entry{Kind: 2, SM: 90, Flags: fatbintest.Specific, Name: "unit.cu", Data: []byte("1234567")}, fatbintest.Text(75, text("sm_75")))
	b := fatbintest.Write(fatbintest.Entry{Kind: 8, SM: 80, Data: []byte("BC")})
	list, err := Parse(fatbintest.Join(a, nil, fatbintest.Write(), b), "f", 0x1000)
	if err != nil || len(list) != 3 || len(list[0].Entries) != 2 || len(list[1].Entries) != 0 || len(list[2].Entries) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	e := list[0].Entries[0]
	if e.Kind != Cubin || e.SM != 90 || e.Name != "unit.cu" || e.Version != (ptx.Version{Major: 8, Minor: 5}) || e.Off != 0x1010 || e.Flags != 0x100011 {
		t.Errorf("%+v", e)
	}
	// The first header has 64 + 8 bytes with the name, its payload 8.
	if off := list[0].Entries[1].Off; off != 0x1010+72+8 {
		t.Errorf("second entry at %#x", off)
	}
	if off := list[2].Off; off != 0x1000+int64(len(a))+16 {
		t.Errorf("third fat binary at %#x", off)
	}
	if got := list[0].Contents(); got != "PTX for sm_75; machine code for sm_90a" {
		t.Error(got)
	}
	if n, ok := Size(a[:16]); !ok || n != uint64(len(a)) {
		t.Errorf("size %d, %v of %d", n, ok, len(a))
	}
	if _, ok := Size(a[:15]); ok {
		t.Error("the size is known from 15 bytes of a header")
	}
}

// A device runs the PTX with the largest number that it can run (PTX 11.1.2); architecture-specific
// PTX runs on its own architecture, family-specific PTX in its family.
func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		has    string // the targets of PTX; those in brackets are machine code
		device int
		want   string // the target, or text of the error
		remedy string
	}{
		{"sm_75 sm_90", 80, "sm_75", ""},
		{"sm_90 sm_75", 90, "sm_90", ""},
		{"sm_75 sm_90", 121, "sm_90", ""},
		{"sm_75 sm_90", 0, "sm_90", ""},
		{"sm_75 sm_90a", 90, "sm_90a", ""},
		{"sm_75 sm_90a", 100, "sm_75", ""},
		{"sm_90 sm_90a", 90, "sm_90a", ""},
		{"sm_90a sm_90", 103, "sm_90", ""},
		{"sm_80 sm_100f", 103, "sm_100f", ""},
		{"sm_80 sm_100f", 120, "sm_80", ""},
		{"sm_80 sm_103f", 100, "sm_80", ""},
		{"sm_100f sm_100a sm_100", 100, "sm_100a", ""},
		{"sm_100f sm_100a sm_100", 103, "sm_100f", ""},
		{"sm_100f sm_100a sm_100", 120, "sm_100", ""},
		{"sm_101a sm_90", 110, "sm_101a", ""}, // one architecture with two numbers
		{"sm_80 [sm_90]", 90, "sm_80", ""},
		{"sm_90 [sm_80]", 80, "no PTX for sm_80; it has PTX for sm_90; machine code for sm_80", "exec --device sm_90), or compile it for this one: add -gencode arch=compute_80,code=compute_80"},
		{"sm_90a", 100, "no PTX for sm_100; it has PTX for sm_90a", "exec --device sm_90), or compile it for this one: add -gencode arch=compute_100,code=compute_100"},
		{"[sm_86] [sm_90]", 0, "no PTX; it has machine code for sm_86 and sm_90", "built without PTX: add code=compute_86"},
		{"[sm_86]", 90, "no PTX for sm_90; it has machine code for sm_86", "built without PTX: add code=compute_86"},
		{"", 90, "empty", ""},
	} {
		var list []fatbintest.Entry
		for _, s := range strings.Fields(c.has) {
			name, code := strings.CutPrefix(strings.TrimSuffix(s, "]"), "[")
			target, ok := ptx.ParseTarget(name)
			if !ok {
				t.Fatal(name)
			}
			e := fatbintest.Text(target.SM, text(name))
			if code {
				e = fatbintest.Entry{Kind: 2, SM: target.SM, Data: []byte("\x7fELF")}
			}
			list = append(list, e)
		}
		e, err := parse(t, fatbintest.Write(list...))[0].Choose(c.device)
		if err != nil {
			d := diag.Of(err)[0]
			if d.Code != CodeNoPTX || d.Class != diag.Unsupported || !strings.Contains(d.Message, c.want) || !strings.Contains(d.Remedy, c.remedy) {
				t.Errorf("%s on %d: %v, %s", c.has, c.device, d, d.Remedy)
			}
			continue
		}
		if target, err := e.Target(); err != nil || target.String() != c.want {
			t.Errorf("%s on %d: %s, %v, expected %s", c.has, c.device, target, err, c.want)
		}
	}
}

// The files of nvcc 13.5: testdata/unit.cu says how they were made. All hold one text.
func TestCompiled(t *testing.T) {
	t.Parallel()
	var first []byte
	for _, name := range []string{"none", "lz4", "zstd"} {
		data, err := os.ReadFile("testdata/" + name + ".fatbin")
		if err != nil {
			t.Fatal(err)
		}
		list := parse(t, data)
		if len(list) != 1 || list[0].Contents() != "PTX for sm_75 and sm_90a" {
			t.Fatalf("%s: %v", name, list[0].Contents())
		}
		for sm, want := range map[int]string{80: "sm_75", 90: "sm_90a"} {
			e, err := list[0].Choose(sm)
			if err != nil {
				t.Fatal(err)
			}
			text, err := e.Payload()
			if err != nil || !bytes.Contains(text, []byte(".version 9.5\n.target "+want+"\n")) || !bytes.HasSuffix(bytes.TrimRight(text, "\n"), []byte("}")) {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
			if e.Version != (ptx.Version{Major: 9, Minor: 5}) {
				t.Errorf("%s: version %s", name, e.Version)
			}
			if sm == 80 {
				if first == nil {
					first = text
				}
				if !bytes.Equal(text, first) {
					t.Errorf("%s: the text differs from that of none.fatbin", name)
				}
			}
		}
	}
}

// Parse reports damage with its offset.
func TestMalformed(t *testing.T) {
	t.Parallel()
	le := binary.LittleEndian
	base := fatbintest.Write(fatbintest.Entry{Kind: 1, SM: 80, Name: "a.cu", Data: []byte(text("sm_80"))})
	edit := func(f func(b []byte)) []byte {
		b := bytes.Clone(base)
		f(b)
		return b
	}
	many := make([]fatbintest.Entry, maxEntries+1)
	for name, c := range map[string]struct {
		data []byte
		off  int64
		want string
	}{
		"no magic":           {[]byte("fat?"), 0, "expected a fat binary, which begins with 50ed55ba"},
		"magic alone":        {base[:4], 0, "ends after 4 bytes"},
		"end in header":      {base[:15], 0, "ends after 15 bytes"},
		"version":            {edit(func(b []byte) { le.PutUint16(b[4:], 3) }), 4, "of version 3, expected 1"},
		"header of 0":        {edit(func(b []byte) { le.PutUint16(b[6:], 0) }), 6, "header has 0 bytes"},
		"header too long":    {edit(func(b []byte) { le.PutUint16(b[6:], 0xffff) }), 6, "header has 65535 bytes"},
		"cut off":            {base[:len(base)-1], 8, "of which"},
		"size overflows":     {edit(func(b []byte) { le.PutUint64(b[8:], 1<<64-1) }), 8, "18446744073709551615 bytes"},
		"size cuts entry":    {edit(func(b []byte) { le.PutUint64(b[8:], 63) }), 16, "the last entry of the fat binary has 63 bytes"},
		"entry header of 0":  {edit(func(b []byte) { le.PutUint32(b[20:], 0) }), 20, "the entry's header has 0 bytes"},
		"entry header large": {edit(func(b []byte) { le.PutUint32(b[20:], 1<<32-1) }), 20, "the entry's header has 4294967295 bytes"},
		"payload large":      {edit(func(b []byte) { le.PutUint64(b[24:], 1<<63) }), 24, "the entry has 9223372036854775808 bytes"},
		"name outside":       {edit(func(b []byte) { le.PutUint32(b[48:], 70) }), 48, "name has 4 bytes at offset 70"},
		"name wraps":         {edit(func(b []byte) { le.PutUint32(b[48:], 1<<32-1) }), 48, "name has 4 bytes at offset 4294967295"},
		"unknown packing":    {edit(func(b []byte) { le.PutUint32(b[32:], 8) }), 56, "flags 0x11 name neither LZ4"},
		"packed too long":    {edit(func(b []byte) { le.PutUint32(b[32:], 1000); le.PutUint64(b[56:], 0x8011) }), 32, "compressed payload has 1000 bytes"},
		"garbage after it":   {append(bytes.Clone(base), "garbage"...), int64(len(base)), "found bytes 67617262"},
		"many entries":       {fatbintest.Write(many...), 16 + 64*maxEntries, "more than 4096 entries"},
		"many binaries":      {bytes.Repeat(fatbintest.Write(), maxBinaries+1), 16 * maxBinaries, "more than 65536 fat binaries"},
	} {
		_, err := Parse(c.data, "f", 0x100)
		d := diag.Of(err)
		if len(d) != 1 || d[0].Code != CodeMalformed || d[0].Class != diag.Input || d[0].Pos.Off != 0x100+c.off || !d[0].Pos.HasOff || !strings.Contains(d[0].Message, c.want) || d[0].Remedy == "" {
			t.Errorf("%s: %v, expected at %#x: %s", name, err, 0x100+c.off, c.want)
		}
	}
	_, err := Parse([]byte("\x01\x5a\xe5\x1e1234"), "f", 0)
	if d := diag.Of(err); len(d) != 1 || d[0].Class != diag.Unsupported || !strings.Contains(d[0].Message, "CUDA 3") {
		t.Error(err)
	}
}

// Payloads that do not uncompress to the stated size, or to more than the limit, are refused. The
// header bounds the memory that Payload takes.
func TestHostilePayload(t *testing.T) {
	t.Parallel()
	want := []byte(text("sm_80"))
	n := len(want)
	for name, c := range map[string]struct {
		e    fatbintest.Entry
		want string
	}{
		"zstd bomb, honest":         {fatbintest.Entry{Flags: fatbintest.Zstd, Data: fatbintest.ZstdRun(1<<40, 4), Plain: 1 << 40}, "at most 67108864 are accepted"},
		"zstd bomb, small header":   {fatbintest.Entry{Flags: fatbintest.Zstd, Data: fatbintest.ZstdRun(1<<40, 4096), Plain: 1000}, "do not uncompress to 1000"},
		"zstd bomb, honest frame":   {fatbintest.Entry{Flags: fatbintest.Zstd, Data: fatbintest.ZstdRun(4096*128<<10, 4096), Plain: 1000}, "do not uncompress to 1000"},
		"zstd too short":            {fatbintest.Entry{Flags: fatbintest.Zstd, Data: fatbintest.ZstdRaw(want), Plain: n + 1}, "bytes came out, expected"},
		"zstd too long":             {fatbintest.Entry{Flags: fatbintest.Zstd, Data: fatbintest.ZstdRaw(want), Plain: n - 1}, "do not uncompress"},
		"zstd cut off":              {fatbintest.Entry{Flags: fatbintest.Zstd, Data: fatbintest.ZstdRaw(want)[:40], Plain: n}, "do not uncompress"},
		"zstd of nothing":           {fatbintest.Entry{Flags: fatbintest.Zstd, Data: nil, Plain: n}, "0 bytes came out"},
		"no frame":                  {fatbintest.Entry{Flags: fatbintest.Zstd, Data: want, Plain: n}, "do not uncompress"},
		"lz4 that cannot be":        {fatbintest.Entry{Flags: fatbintest.LZ4, Data: want[:8], Plain: 1 << 20}, "8 bytes cannot become 1048576"},
		"lz4 too large":             {fatbintest.Entry{Flags: fatbintest.LZ4, Data: make([]byte, 1<<20), Plain: 65 << 20}, "at most 67108864 are accepted"},
		"lz4 too short":             {fatbintest.Entry{Flags: fatbintest.LZ4, Data: fatbintest.LZ4Literals(want), Plain: n + 1}, "bytes came out, expected"},
		"lz4 too long":              {fatbintest.Entry{Flags: fatbintest.LZ4, Data: fatbintest.LZ4Literals(want), Plain: n - 1}, "do not uncompress"},
		"lz4 match before its text": {fatbintest.Entry{Flags: fatbintest.LZ4, Data: []byte{0x14, 'a', 9, 0, 0x50, 'c', 'd', 'e', 'f', 'g'}, Plain: 14}, "do not uncompress"},
	} {
		c.e.Kind, c.e.SM = 1, 80
		b := parse(t, fatbintest.Write(c.e))[0]
		_, err := b.Choose(80)
		d := diag.Of(err)
		if len(d) != 1 || d[0].Code != CodeMalformed || d[0].Pos.Off != 16 || !strings.Contains(d[0].Message, c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
	// Many entries, each within its limit: five times 60 MB are more than 256 MB.
	const size = 480 * 128 << 10
	var list []fatbintest.Entry
	for range 5 {
		list = append(list, fatbintest.Entry{Kind: 1, SM: 80, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRun(size, 480), Plain: size})
	}
	_, err := parse(t, fatbintest.Write(list...))[0].Choose(80)
	if err == nil || !strings.Contains(err.Error(), "more than 268435456 bytes uncompressed") {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"none", "lz4", "zstd"} {
		data, err := os.ReadFile("testdata/" + name + ".fatbin")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	want := []byte(text("sm_90a"))
	f.Add(fatbintest.Join(fatbintest.Write(fatbintest.Entry{Kind: 1, SM: 90, Flags: fatbintest.Zstd, Name: "a.cu", Data: fatbintest.ZstdRaw(want), Plain: len(want)}),
		fatbintest.Write(fatbintest.Entry{Kind: 2, SM: 80, Data: []byte("\x7fELF")})))
	f.Add(fatbintest.Write(fatbintest.Entry{Kind: 1, SM: 90, Flags: fatbintest.LZ4, Data: fatbintest.LZ4Literals(want), Plain: len(want)}))
	f.Add(fatbintest.Write(fatbintest.Entry{Kind: 1, SM: 90, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRun(1<<20, 8), Plain: 1 << 20}))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Parse(data, "f", 0)
		if err != nil {
			if d := diag.Of(err); len(d) != 1 || d[0].Pos.Off < 0 || d[0].Pos.Off > int64(len(data)) {
				t.Errorf("%v", err)
			}
			return
		}
		for _, b := range list {
			b.Contents()
			for _, sm := range []int{0, 80, 103} {
				e, err := b.Choose(sm)
				if err != nil {
					continue
				}
				text, err := e.Payload()
				if err != nil || len(text) > maxPayload {
					t.Errorf("%d bytes, %v", len(text), err)
				}
			}
		}
	})
}
