package fatbin

import "sync"

// More bits of Entry.Flags.
const (
	flagDebug  = 0x2     // the code has debug information (nvcc -G)
	flagOpaque = 0x10000 // the payload is in a form that is not known: NVVM IR of nvcc 12 and newer
)

// Architecture names the architecture as the entry's header has it: sm_90a. Target is more exact for
// PTX, and uncompresses it.
func (e *Entry) Architecture() string { return e.describe() }

// Compression names the method of compression; "" if the payload is plain.
func (e *Entry) Compression() string {
	switch {
	case !e.packed:
		return ""
	case e.Flags&flagLZ4 != 0:
		return "LZ4"
	}
	return "zstd"
}

// Debug reports whether the header says that the code has debug information.
func (e *Entry) Debug() bool { return e.Flags&flagDebug != 0 }

// Opaque reports whether the payload is in a form that Payload cannot read.
func (e *Entry) Opaque() bool { return e.Flags&flagOpaque != 0 }

// Size is how many bytes the payload has uncompressed, with the zeros at its end.
func (e *Entry) Size() uint64 { return e.size }

// TooLarge reports whether the payload has more bytes than Payload uncompresses.
func (e *Entry) TooLarge() bool { return e.packed && e.size > maxPayload }

// Forget lets the memory of the payload go, and its share of what the entries of a file may have together. No other
// method may run at the same time.
func (e *Entry) Forget() {
	if e.packed && e.plain != nil {
		e.quota.Add(int64(e.size))
	}
	e.once, e.plain, e.err = sync.Once{}, nil, nil
}

// Raw returns the payload as it is in the file. The caller must not change it.
func (e *Entry) Raw() []byte { return e.data }
