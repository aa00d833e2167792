package main

import (
	"fmt"
	"strings"
)

var pps = map[string]int{"NP": 0, "66": 1, "F3": 2, "F2": 3}
var maps = map[string]string{"0": "map0", "0F": "map0F", "0F38": "map0F38", "0F3A": "map0F3A", "MAP5": "map5", "MAP6": "map6"}

// encodings sets the encodings of a row from row.encs.
func encodings(l *lit, r row, flags map[string]string) error {
	lens, vexLens, common := 0, 0, ""
	ignored := false // Len has no meaning
	wide := ""
	for _, e := range r.encs {
		f := strings.Fields(e)
		opcode := func(i int) (string, error) { // opcode parses the opcode and the fields that follow from it
			if len(f) <= i {
				return "", fmt.Errorf("encoding %q is short", e)
			}
			s := "op: 0x" + f[i]
			rest := f[i+1:]
			if len(rest) > 0 && rest[0][0] == '/' {
				s += ", digit: " + rest[0][1:]
			}
			return s, nil
		}
		if f[0] == "leg" {
			pp, m, ok := strings.Cut(f[1], ".")
			if !ok {
				pp, m = "NP", f[1]
			}
			op, err := opcode(2)
			if err != nil {
				return err
			}
			common = fmt.Sprintf("pp: %d, mm: %s, %s", pps[pp], maps[m], op)
			sizes, ok := flags["sizes"]
			if !ok {
				sizes = "48"
			}
			wide = "wLen"
			for _, c := range sizes {
				switch c {
				case '0':
					ignored, wide = true, "w0"
				case 'w':
					ignored, wide = true, "w1"
				case '1':
					lens |= 1
					common += ", byteOp: true"
				default:
					lens |= int(c - '0')
				}
			}
			continue
		}
		p := strings.Split(f[2], ".")
		if len(p) != 3 {
			return fmt.Errorf("prefix %q", f[2])
		}
		w, ok := map[string]string{"W0": "w0", "WIG": "w0", "W1": "w1", "W": "wLen"}[p[2]]
		if !ok {
			return fmt.Errorf("prefix %q", f[2])
		}
		op, err := opcode(3)
		if err != nil {
			return err
		}
		c := fmt.Sprintf("mm: %s, %s", maps[p[1]], op)
		if common != "" && c != common {
			return fmt.Errorf("encodings differ: %q, %q", common, c)
		}
		common = c
		ll, set := "lLen", 0
		top := 48
		if f[0] == "evex" {
			top = 112
		}
		switch f[1] {
		case "L":
			set = top
		case "LIG", "L0":
			ll, ignored = "l0", true
		case "L1":
			ll, ignored = "l1", true
		case "128":
			set = 16
		case "256":
			set = 32
		case "256+":
			set = top &^ 16
		case "512":
			set = 64
		default:
			return fmt.Errorf("length %q", f[1])
		}
		if w == "wLen" { // Len is the general register's
			set, ignored = 4|8, false
		}
		lens |= set
		if f[0] == "vex" {
			vexLens |= set
		}
		l.set("%s: true", strings.ToUpper(f[0]))
		l.code("%s: prefix{ok: true, pp: %d, w: %s, l: %s}", f[0], pps[p[0]], w, ll)
		for _, o := range f[4:] {
			switch {
			case o[0] == '/':
			case o[0] == 'b':
				l.set("Bcst: %s", o[1:])
			case o == "k":
				l.set("Maskable: true, Zeroing: true")
			case o == "k0":
				l.set("Maskable: true")
			case o == "kr":
				l.set("Maskable: true, MaskNeeded: true")
			case o == "er":
				l.set("Round: true")
			case o == "er8": // for 8 bytes only: 4 bytes are exact
				l.set("Round: true")
				l.code("round8: true")
			case o == "sae":
				l.set("Round: true, SAE: true")
			case strings.HasPrefix(o, "name="):
				l.set("EVEXName: %q", o[5:])
			default:
				return fmt.Errorf("option %q", o)
			}
		}
	}
	if ignored {
		lens, vexLens = 0, 0
	}
	if lens != 0 {
		l.set("Lens: %d", lens)
	}
	if vexLens != 0 {
		l.set("VEXLens: %d", vexLens)
	}
	if wide != "" && wide != "w0" {
		l.code("wide: %s", wide)
	}
	if common != "" {
		l.code("%s", common)
	}
	return nil
}
