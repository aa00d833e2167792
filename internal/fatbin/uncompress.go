//go:build !js

package fatbin

import (
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// uncompress uncompresses LZ4 or zstd. It returns at most size bytes.
func uncompress(isLZ4 bool, data []byte, size uint64) (out []byte, err error) {
	if isLZ4 {
		out = make([]byte, size)
		n, err := lz4.UncompressBlock(data, out)
		if err != nil {
			return nil, err
		}
		return out[:n], nil
	}
	// The limit is the capacity of the slice, which the decoder does not exceed.
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(data, make([]byte, 0, size))
}
