package num

// fma returns a*b + c rounded once, to nearest even.
func fma(a, b, c float64) float64 { return portableFMA(a, b, c) }
