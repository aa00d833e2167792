package launchspec

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
)

func TestExpr(t *testing.T) {
	t.Parallel()
	names := func(n string) (*big.Rat, error) {
		switch n {
		case "n":
			return big.NewRat(1000, 1), nil
		case "block":
			return big.NewRat(96, 1), nil
		case "zero":
			return new(big.Rat), nil
		}
		return nil, fmt.Errorf("there is no %s", n)
	}
	for text, want := range map[string]string{
		"7":                            "7",
		"0x10":                         "16",
		"ceil(n/block)":                "11", // 1000/96 = 10.4
		"floor(n/block)":               "10",
		"n - block*2 + 8":              "816",
		"(n+block-1)/1":                "1095",
		"4*block":                      "384",
		"n % block":                    "40",
		"-7 % 4 + 0":                   "1",
		"max(1, ceil(zero/block))":     "1",
		"min(n, block, 5)":             "5",
		"ceil(-1/2)":                   "0",
		"floor(-1/2) + 2":              "1",
		"10 - 2 - 3":                   "5",
		"2*3+4*5":                      "26",
		"1.5*block":                    "144",
		"n/block":                      "error: n/block is 10.4167: it has to be a whole number; ceil and floor round",
		"zero":                         "0",
		"0-1":                          "error: 0-1 is -1; it has to be from 0 to 4294967295",
		"n/zero":                       "error: a division by 0",
		"n*n*n*n":                      "error: it has to be from 0 to 4294967295",
		"m":                            "error: there is no m",
		"n+":                           "error: it ends too early",
		"(n":                           "error: a parenthesis is not closed",
		"n)":                           `error: ")" is not expected`,
		"n n":                          `error: "n" is not expected`,
		"ceil(1,2)":                    "error: ceil takes 1 value",
		"log(n)":                       `error: there is no function "log"`,
		"":                             "error: it ends too early",
		"*n":                           `error: "*" is not expected`,
		"n#":                           `error: "#" is not expected`,
		strings.Repeat("(", 100) + "n": "error: it is more than 64 deep",
		strings.Repeat("n*", 60) + "n": "error: it exceeds any size",
	} {
		got := ""
		e, err := ParseExpr(text)
		if err == nil {
			var v uint64
			if v, err = e.size(names, 0, 1<<32-1); err == nil {
				got = fmt.Sprint(v)
			}
		}
		if err != nil {
			got = "error: " + err.Error()
		}
		if rest, ok := strings.CutPrefix(want, "error: "); got != want && !(ok && err != nil && strings.Contains(got, rest)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	e, _ := ParseExpr("ceil(zero/block)")
	if _, err := e.size(names, 1, 10); err == nil || !strings.Contains(err.Error(), "ceil(zero/block) is 0, and an empty launch is not made: max(1,ceil(zero/block)) is at least 1") {
		t.Error(err)
	}
}

// FuzzExpr: no expression panics or computes for long.
func FuzzExpr(f *testing.F) {
	for _, s := range []string{"ceil(n/block)", "4*block", "max(1,n%3)", "-(-1.5)", "0x1f", "a.b$c%d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4096 {
			return
		}
		if e, err := ParseExpr(s); err == nil {
			_, _ = e.eval(func(string) (*big.Rat, error) { return big.NewRat(3, 7), nil })
		}
	})
}
