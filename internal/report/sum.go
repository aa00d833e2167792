//go:build !js

package report

import "crypto/sha256"

// sum256 is the SHA-256 of data.
func sum256(data []byte) [sha256.Size]byte { return sha256.Sum256(data) }
