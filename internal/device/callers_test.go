package device

import (
	"fmt"
	"testing"

	"example.org/crosslane/api"
)

// If a host has many calls, those of the program are shown, not those of the libraries that it uses.
func TestCallsOfThePackage(t *testing.T) {
	t.Parallel()
	var list []api.Frame
	for i := range 8 {
		list = append(list, api.Frame{File: "/env/lib/python3.11/site-packages/numba/driver.py", Line: i, Func: fmt.Sprint("f", i)})
	}
	if got := relatedFrames(list, "here"); len(got) != maxCallers {
		t.Errorf("without calls of the program: %d calls", len(got))
	}
	list = append(list, api.Frame{File: "app.py", Line: 10, Func: "main"}, api.Frame{File: "app.py", Line: 12, Func: "<module>"})
	got := relatedFrames(list, "here")
	if len(got) != 3 || got[0].Message != "here, in f0" || got[1].Pos.Line != 10 || got[2].Message != "called from <module>" {
		t.Errorf("%+v", got)
	}
}
