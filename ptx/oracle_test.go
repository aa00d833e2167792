package ptx

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestOracleConversions makes LLVM write every conversion of its intrinsics for narrow and 16-bit
// formats, and checks that the output is accepted at the version and target for which LLVM wrote
// it.
func TestOracleConversions(t *testing.T) {
	t.Parallel()
	llc := tool(t, "llc-22")
	const ff, f1, h2, b2, v4 = "float %a, float %b", "float %a", "<2 x half> %a", "<2 x bfloat> %a", "<4 x float> %a, i32 %c"
	var ll strings.Builder
	n := 0
	fn := func(res, name, args string) {
		var types []string
		for _, a := range strings.Split(args, ", ") {
			types = append(types, a[:strings.LastIndexByte(a, ' ')])
		}
		fmt.Fprintf(&ll, "declare %s @llvm.nvvm.%s(%s)\ndefine %s @f%d(%s) { %%r = call %s @llvm.nvvm.%s(%s) ret %s %%r }\n",
			res, name, strings.Join(types, ", "), res, n, args, res, name, args, res)
		n++
	}
	for _, relu := range []string{"", ".relu"} {
		for _, f := range []string{"e4m3", "e5m2"} {
			fn("i16", "ff.to."+f+"x2.rn"+relu, ff)
			fn("i16", "f16x2.to."+f+"x2.rn"+relu, h2)
		}
		for _, f := range []string{"e2m1", "e2m3", "e3m2"} {
			fn("i16", "ff.to."+f+"x2.rn"+relu+".satfinite", ff)
		}
		for _, f := range []string{"e4m3", "e5m2", "e2m1", "e2m3", "e3m2"} {
			fn("<2 x half>", f+"x2.to.f16x2.rn"+relu, "i16 %a")
			res := "<4 x i8>"
			if f == "e2m1" {
				res = "i16"
			}
			fn(res, "f32x4.to."+f+"x4.rs"+relu+".satfinite", v4)
		}
		for _, sat := range []string{"", ".satfinite"} {
			for _, rnd := range []string{"rn", "rz", "rs"} {
				args := ff
				if rnd == "rs" {
					args += ", i32 %c"
				} else {
					fn("half", "f2f16."+rnd+relu+sat, f1)
					fn("bfloat", "f2bf16."+rnd+relu+sat, f1)
					fn("i32", "f2tf32."+rnd+relu+sat, f1)
				}
				fn("<2 x half>", "ff2f16x2."+rnd+relu+sat, args)
				fn("<2 x bfloat>", "ff2bf16x2."+rnd+relu+sat, args)
			}
		}
	}
	for _, sat := range []string{"", ".satfinite"} {
		fn("i32", "f2tf32.rna"+sat, f1)
		for _, rnd := range []string{"rz", "rp"} {
			fn("i16", "ff.to.ue8m0x2."+rnd+sat, ff)
			fn("i16", "bf16x2.to.ue8m0x2."+rnd+sat, b2)
		}
	}
	fn("<2 x bfloat>", "ue8m0x2.to.bf16x2", "i16 %a")
	cmd := exec.Command(llc, "-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_100a", "-mattr=+ptx87", "-o", "-")
	cmd.Stdin = strings.NewReader(ll.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("llc: %v", err)
	}
	m, errs := Parse("llc.ptx", string(out))
	if errs = append(errs, Check(m)...); errs.Err() != nil {
		t.Fatal(errs)
	}
	kinds := map[string]bool{}
	for _, it := range m.Items {
		if f, ok := it.(*Func); ok && f.Body() != nil {
			f.Body().instrs(func(in *Instr) {
				if in.Parts[0] == "cvt" {
					kinds[in.Op] = true
				}
			})
		}
	}
	if len(kinds) < n-5 {
		t.Errorf("%d functions use only %d conversions", n, len(kinds))
	}
}
