package codeobject

import "errors"

// uncompress refuses: the decoders would make the WebAssembly module larger by a twentieth.
func uncompress(uint16, []byte, uint64) (plain []byte, sum [16]byte, err error) {
	return nil, sum, errors.New("compressed bundles are not read in WebAssembly; the command line reads them")
}
