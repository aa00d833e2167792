package fatbin

import "errors"

// uncompress refuses: the decoders would make the WebAssembly module larger by a twentieth.
func uncompress(bool, []byte, uint64) ([]byte, error) {
	return nil, errors.New("compressed entries are not read in WebAssembly; the command line reads them")
}
