package api_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane"
)

// The bits of NaN results are those that ERRATA.md gives beside the vendor's assembler's.
func TestNaNBits(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("ERRATA.md")
	if err != nil {
		t.Fatal(err)
	}
	_, entry, _ := strings.Cut(string(data), "\n### E13 ")
	entry, _, _ = strings.Cut(entry, "\n### ")
	rows := regexp.MustCompile("(?m)^\\| (`.*`)( by 1\\.0| with itself)? \\| (0x[0-9a-f]+) \\| (0x[0-9a-f]+) \\| (0x[0-9a-f]+) \\|$").FindAllStringSubmatch(entry, -1)
	seen := 0
	for _, r := range rows {
		in, _ := strconv.ParseUint(r[3], 0, 64)
		want, _ := strconv.ParseUint(r[5], 0, 64)
		if r[4] == r[5] {
			t.Errorf("%s: both give %s", r[1], r[4])
		}
		for _, op := range strings.Split(strings.ReplaceAll(r[1], "`", ""), ", ") {
			// The result is 32 bits but of halves; the operand has as many digits as it has.
			to, from := "b32", fmt.Sprintf("b%d", 4*(len(r[3])-2))
			if strings.HasSuffix(op, ".f16") {
				to = "b16"
			}
			second := map[string]string{"": "", " by 1.0": ", 0f3F800000", " with itself": ", %a"}[r[2]]
			src := fmt.Sprintf(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b64 %%d;\n\t.reg .%s %%a;\n\t.reg .%s %%o;\n\tld.param.u64 %%d, [p];\n\tld.global.%[1]s %%a, [%%d];\n\t%[3]s %%o, %%a%[4]s;\n\tst.global.%[2]s [%%d+8], %%o;\n\tret;\n}\n", from, to, op, second)
			buf := []uint64{in, 0}
			m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := k.Run(t.Context(), crosslane.Launch{Args: []crosslane.Arg{crosslane.Slice("p", buf)}}); err != nil {
				t.Fatal(err)
			}
			if seen++; buf[1] != want {
				t.Errorf("%s of %s: %#x, want %s", op, r[3], buf[1], r[5])
			}
		}
	}
	if seen != 11 {
		t.Errorf("%d instructions", seen)
	}
}
