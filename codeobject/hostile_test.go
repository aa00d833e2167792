package codeobject

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/diag"
	sample "example.org/crosslane/internal/short"
)

// TestLoadExtremes sets every field of a file to extreme values. The file loads, or is refused with
// a diagnostic that has a code and, if the file is at fault, a place. This is quick, and does not
// use memory out of proportion.
func TestLoadExtremes(t *testing.T) {
	// The test does not run in parallel, because it measures memory.
	step := sample.Of(13, 67) // every step-th field; -long tries all
	if *long {
		step = 1
	}
	for _, name := range []string{"testdata/scan5.co", "testdata/calls5.o", "testdata/args6.co", "testdata/v2.hsaco"} {
		good := read(t, name)
		b := bytes.Clone(good)
		n := uint64(len(good))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start, loads := time.Now(), uint64(0)
		try := func() {
			loads++
			o, err := Load(b, "f")
			var d *diag.Diagnostic
			switch {
			case err == nil:
				o.Loaded(1 << 40)
				o.Text()
			case !errors.As(err, &d) || d.Code == "" || d.Pos.File != "f":
				t.Fatalf("%s: error %v is no diagnostic", name, err)
			}
		}
		for at := 0; at+4 <= len(b); at += 4 * step {
			for _, v := range []uint32{0, 1, 0x10000, 0x7fffffff, 0x80000000, math.MaxUint32, uint32(n), uint32(n) + 1} {
				binary.LittleEndian.PutUint32(b[at:], v)
				try()
			}
			copy(b[at:], good[at:][:4])
		}
		for at := 0; at+8 <= len(b); at += 8 * step {
			for _, v := range []uint64{1 << 31, 1 << 32, 1 << 62, 1 << 63, math.MaxUint64, math.MaxUint64 - 7, n - 1} {
				binary.LittleEndian.PutUint64(b[at:], v)
				try()
			}
			copy(b[at:], good[at:][:8])
		}
		runtime.ReadMemStats(&after)
		if per := (after.TotalAlloc - before.TotalAlloc) / loads; per > 1<<20 {
			t.Errorf("%s: %d bytes are allocated to load a file of %d", name, per, n)
		}
		t.Logf("%s: %d files took %v", name, loads, time.Since(start))
	}
}

// TestHostileMetadata checks metadata made to exhaust a reader.
func TestHostileMetadata(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, desc, want string
	}{
		{"lists in lists", strings.Repeat("\x91", 1<<20), "nested more than 64 deep"},
		{"maps in maps", strings.Repeat("\x81\xa1a", 1<<20), "nested more than 64 deep"},
		{"a map of 4 billion", "\xdf\xff\xff\xff\xff", "length 4294967295 exceeds the 0 bytes left"},
		{"a list of 4 billion", "\xdd\xff\xff\xff\xff\x01", "exceeds the 1 bytes left"},
		{"a string of 4 billion", "\xdb\xff\xff\xff\xffabc", "length 4294967295 exceeds the 3 bytes left"},
		{"binary of 4 billion", "\x81\xa1a\xc6\xff\xff\xff\xff", "length 4294967295 exceeds the 0 bytes left"},
		{"a million nulls", "\xdd\x00\x20\x00\x00" + strings.Repeat("\xc0", 1<<21), "more than 1048576 values"},
		{"an extension", "\xd4\x01\x00", "MessagePack type 0xd4"},
		{"a number as a key", "\x81\x01\x01", "as a key, expected a string"},
		{"a key twice", "\x82\xa1a\x01\xa1a\x01", `key "a" twice`},
		{"nothing", "", "EOF"},
		{"more", "\x80\x80", "1 bytes after the end"},
	} {
		start := time.Now()
		_, err := DecodeMetadata([]byte(c.desc))
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != CodeMetadata || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.name, err, c.want)
		}
		t.Log(c.name, time.Since(start))
	}
	deep := "amdhsa.kernels: " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	wide := "amdhsa.version: [1, 0]\na: &a [x]\nb: [" + strings.Repeat("*a,", 1000) + "]\n"
	for text, want := range map[string]string{deep: "exceeded max depth", wide: "anchors and aliases"} {
		if _, err := ParseMetadataYAML([]byte(text), diag.Pos{File: "f"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("YAML: %v, expected %s", err, want)
		}
	}
}
