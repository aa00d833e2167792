//go:build !js

package codeobject

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"io"

	"github.com/klauspost/compress/zstd"
)

// uncompress uncompresses a bundle by its method, 0 for zlib and 1 for zstd. It returns at most one byte more than size, and the MD5 sum
// of what came out.
func uncompress(method uint16, data []byte, size uint64) (plain []byte, sum [md5.Size]byte, err error) {
	plain, err = [...]func([]byte, uint64) ([]byte, error){inflate, unzstd}[method](data, size)
	return plain, md5.Sum(plain), err
}

// inflate uncompresses with zlib. It returns at most one byte more than size.
func inflate(data []byte, size uint64) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, int64(size)+1))
}

// maxWindow is the largest window of zstd that is accepted, in bytes: clang's bundler uses 1<<27.
const maxWindow = 1 << 27

// unzstd uncompresses with zstd. It returns at most one byte more than size.
func unzstd(data []byte, size uint64) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(io.LimitReader(z, int64(size)+1))
}
