package jit_test

import (
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
)

// TestProducts runs every matrix product, on all tiers.
func TestProducts(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) { enginetest.Products(t, e, interp.Engine{Portable: true}) })
}

// TestMatrixRows compares ldmatrix and stmatrix with the interpreter's, on all tiers.
func TestMatrixRows(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) { enginetest.MatrixRows(t, e, interp.Engine{Portable: true}) })
}

// TestMatrixTiles compares wmma.load and wmma.store with the interpreter's, on all tiers.
func TestMatrixTiles(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) {
		enginetest.MatrixTiles(t, e, interp.Engine{Portable: true})
	})
}
