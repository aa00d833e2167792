// Package abi holds the names of the CUDA driver API, and the version of each ABI behind a name.
//
// A name of the API can stand for several functions with different parameters. The library exports
// each of them under a symbol of its own: cuCtxCreate, cuCtxCreate_v2, cuCtxCreate_v3 and
// cuCtxCreate_v4. A client that links the library chooses a symbol. A client that calls
// cuGetProcAddress gives a name and a version of CUDA, and the version chooses the function:
//
//	abi.Lookup("cuCtxCreate", 11040, 0, 13050) // "cuCtxCreate_v3", Success
//
// The table has the API of CUDA 13.5 on Linux with the functions for OpenGL, EGL and VDPAU. A version
// of CUDA is 1000*major + 10*minor, so 13.5 is 13050. Facts of the table and of Lookup are in "CUDA
// Driver API", "Driver Entry Point Access", and in the headers cuda.h and cudaTypedefs.h.
//
// WriteHeader and WriteC write the same table as C for the library that host programs load.
package abi

import (
	"iter"
	"slices"
	"sort"
)

//go:generate go run example.org/crosslane/internal/driver/abi/gen

// Driver is the newest version of CUDA whose functions the table has.
const Driver = 13050

// A Stream says which stream the value 0 stands for in a function.
type Stream uint8

const (
	// Legacy functions use one stream that all threads share. Functions without a stream have this
	// form, too.
	Legacy Stream = iota
	// PerThread functions use a stream of the calling thread. Their symbols end in _ptds or _ptsz.
	PerThread
)

// A Kind is the type of a parameter, reduced to its size and to the registers in which it is passed.
type Kind byte

const (
	I32      Kind = 'i' // a signed number of 32 bits
	U8       Kind = 'b' // an unsigned number of 8 bits
	U16      Kind = 'h' // an unsigned number of 16 bits
	U32      Kind = 'u' // an unsigned number of 32 bits, or an enumeration
	U64      Kind = 'q' // an unsigned number of 64 bits: a size, a device address, a handle that is a number
	F32      Kind = 'f' // a float
	Pointer  Kind = 'p' // a pointer to data or to a function, or a handle that is a pointer
	Struct8  Kind = 's' // a structure of 8 bytes without floats, by value
	Struct64 Kind = 'S' // a structure of 64 bytes, by value
)

// A Symbol is one function that the library exports. All functions return a CUresult, an int.
type Symbol struct {
	Base    string // the name of the API, as cuGetProcAddress wants it: "cuMemAlloc"
	Name    string // the name in the library: "cuMemAlloc_v2"
	Version int    // the version of CUDA that introduced this ABI: 3020
	Stream  Stream // the meaning of stream 0
	params  string // one letter of Kind for each parameter
}

// Params returns the kinds of the parameters in their order.
func (s Symbol) Params() []Kind { return []Kind(s.params) }

// Symbols returns all functions. They are sorted by base, then by stream form, then by version.
func Symbols() iter.Seq[Symbol] { return slices.Values(table) }

// A Status is the result of a Lookup. The values from 0 are those of CUdriverProcAddressQueryResult.
type Status int

const (
	// Success: the symbol was found.
	Success Status = 0
	// SymbolNotFound: the API lacks the name.
	SymbolNotFound Status = 1
	// VersionNotSufficient: all ABIs of the name are newer than the version asked for.
	VersionNotSufficient Status = 2
	// InvalidValue: cuGetProcAddress fails with CUDA_ERROR_INVALID_VALUE and reports no status.
	InvalidValue Status = -1
)

func (s Status) String() string {
	switch s {
	case Success:
		return "success"
	case SymbolNotFound:
		return "symbol not found"
	case VersionNotSufficient:
		return "version not sufficient"
	case InvalidValue:
		return "invalid value"
	}
	return "unknown status"
}

// Flags of cuGetProcAddress.
const (
	DefaultStream   = 0 // the legacy functions; a client compiled for per-thread streams asks for PerThreadStream
	LegacyStream    = 1 // the legacy functions
	PerThreadStream = 2 // the per-thread functions; for a name without them, the legacy functions
)

// Lookup returns the symbol that cuGetProcAddress chooses: the newest ABI of the name that the
// version already had. The driver is the version that cuDriverGetVersion reports. The symbol is ""
// unless the status is Success.
//
// A name with suffix ("cuMemAlloc_v2") is not a name of the API. If a name has per-thread functions,
// PerThreadStream chooses among them alone. CUDA 7.0 introduced most of them, so version 6.5 is not
// sufficient for cuMemcpy, although the legacy function is older. NVIDIA's driver answers the same.
func Lookup(name string, version int, flags uint64, driver int) (symbol string, status Status) {
	if version > driver || flags > PerThreadStream {
		return "", InvalidValue
	}
	first := sort.Search(len(table), func(i int) bool { return table[i].Base >= name })
	last := first
	stream := Legacy
	for ; last < len(table) && table[last].Base == name; last++ {
		if table[last].Stream == PerThread && flags == PerThreadStream {
			stream = PerThread
		}
	}
	if first == last {
		return "", SymbolNotFound
	}
	for _, s := range slices.Backward(table[first:last]) {
		if s.Stream == stream && s.Version <= version {
			return s.Name, Success
		}
	}
	return "", VersionNotSufficient
}
