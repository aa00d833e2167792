package crosslane

import (
	"crosslane/diag"
	"crosslane/gcn3"
)

// staticGCN3 checks the wait states and counters of the code that a kernel can
// reach.
func staticGCN3(code gcn3.Code, kernel string) diag.List {
	return inKernel(gcn3.CheckWaits(code), kernel)
}

func inKernel(list diag.List, kernel string) diag.List {
	for _, d := range list {
		d.Kernel = kernel
	}
	return list
}
