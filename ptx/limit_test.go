package ptx

import "testing"

// TestLimitRegisters limits the kernels of a module that say nothing about registers.
func TestLimitRegisters(t *testing.T) {
	t.Parallel()
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n"
	for _, c := range []struct{ text, want string }{
		{".visible .entry k(.param .u64 p) /* { */ { ret; }", ".visible .entry k(.param .u64 p) /* { */ .maxnreg 38 { ret; }"},
		{".entry a() { ret; }\n.entry b()\n{ ret; }", ".entry a() .maxnreg 38 { ret; }\n.entry b()\n.maxnreg 38 { ret; }"},
		{".entry a() .maxnreg 16 { ret; }\n.entry b() .maxntid 32 { ret; }", ".entry a() .maxnreg 16 { ret; }\n.entry b() .maxntid 32 { ret; }"},
		{".func f() { ret; }\n.entry a();", ".func f() { ret; }\n.entry a();"},
	} {
		got, err := LimitRegisters(head+c.text, 38)
		if err != nil || got != head+c.want {
			t.Errorf("%s became %q, want %q; %v", c.text, got, head+c.want, err)
		}
		if _, list := Load("limited.ptx", got); list.Err() != nil {
			t.Errorf("%s: %v", got, list)
		}
	}
	if _, err := LimitRegisters(head+".entry k() { nothing; }", 38); err == nil {
		t.Error("a module with an error is accepted")
	}
}
