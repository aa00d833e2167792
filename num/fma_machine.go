//go:build !wasm

package num

import "math"

// fma returns a*b + c rounded once, to nearest even.
func fma(a, b, c float64) float64 { return math.FMA(a, b, c) }
