package driver

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/sim"
)

// Status is the result of a call (CUDA driver API, CUresult).
type Status int32

// The statuses that the server returns.
const (
	Success             Status = 0
	InvalidValue        Status = 1
	OutOfMemory         Status = 2
	NotInitialized      Status = 3
	InvalidImage        Status = 200
	InvalidContext      Status = 201
	NoBinary            Status = 209
	InvalidPTX          Status = 218
	UnsupportedVersion  Status = 222
	InvalidHandle       Status = 400
	NotFound            Status = 500
	IllegalAddress      Status = 700
	LaunchTimeout       Status = 702
	Assert              Status = 710
	ContextDestroyed    Status = 709
	MisalignedAddress   Status = 716
	InvalidAddressSpace Status = 717
	InvalidPC           Status = 718
	LaunchFailed        Status = 719
	CooperativeTooLarge Status = 720
	NotSupported        Status = 801
)

// statuses maps codes of diagnostics to statuses.
var statuses = map[string]Status{
	device.CodeOutOfMemory: OutOfMemory,
	device.CodeBadHandle:   InvalidHandle,
	device.CodeNoBinary:    NoBinary,
	device.CodeTooLarge:    CooperativeTooLarge,
	"no-ptx":               NoBinary,
	"unsupported-version":  UnsupportedVersion,
	"no-code-for-target":   NoBinary,
	"no-such-kernel":       NotFound,
	"no-such-variable":     NotFound,

	sim.CodeOutOfBounds:   IllegalAddress,
	sim.CodeWriteToConst:  IllegalAddress,
	sim.CodeNoAccess:      IllegalAddress,
	sim.CodeNotProvided:   IllegalAddress,
	sim.CodeMisaligned:    MisalignedAddress,
	sim.CodeWrongSpace:    InvalidAddressSpace,
	sim.CodeBadCall:       InvalidPC,
	sim.CodeBadBranch:     InvalidPC,
	sim.CodeAssert:        Assert,
	sim.CodeDeadlock:      LaunchTimeout,
	sim.CodeLivelock:      LaunchTimeout,
	sim.CodeTimeout:       LaunchTimeout,
	sim.CodeTrap:          LaunchFailed,
	sim.CodeStackOverflow: LaunchFailed,
}

// statusOf returns the status that stands for an error: that of its first diagnostic.
func statusOf(err error) Status {
	if err == nil {
		return Success
	}
	for _, d := range diag.Of(err) {
		if d.Severity != diag.Error {
			continue
		}
		if d.Code == sim.CodeUseAfterFree && d.Class != diag.Fault {
			return InvalidValue
		}
		if s, ok := statuses[d.Code]; ok {
			return s
		}
		switch d.Class {
		case diag.Fault:
			if d.Code == sim.CodeUseAfterFree {
				return IllegalAddress
			}
			return LaunchFailed
		case diag.Timeout:
			return LaunchTimeout
		case diag.Unsupported:
			return NotSupported
		}
		return InvalidValue
	}
	return InvalidValue
}
