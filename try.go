package crosslane

import (
	"context"

	"example.org/crosslane/internal/try"
)

// Try runs a few instructions, separated by semicolons, on one wave of 32 (PTX) or 64 (GCN3) lanes,
// without a kernel around them. Registers are declared by use; those to which o.Set gives no value
// are uninitialised. Lanes outside o.Exec are inactive, not exited. There are 64 KiB of shared
// memory, and only the global memory that the instructions declare.
//
// The result holds the registers after the last instruction, with the lanes that are uninitialised
// or came from undefined behaviour marked as poison, and the findings. The error is a diag.List:
// class Input for text that does not parse or fit, Unsupported, Fault for accesses outside memory,
// traps and deadlocks, or Timeout after ten seconds. After a Fault or Timeout the result is not nil
// and shows the registers as they were then.
func Try(ctx context.Context, src string, o TryOptions) (*TryResult, error) {
	return try.Try(ctx, src, o)
}
