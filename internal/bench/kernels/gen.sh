#!/bin/sh
# Compiles the kernels for both instruction sets with clang 22: gen.sh [OUT].
set -eu
cd "$(dirname "$0")"
out=${1:-.}
ptx() {
	for k; do
		clang-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib --cuda-feature=+ptx70 \
			-fno-verbose-asm -ffp-contract=off -Wno-unknown-attributes -Wno-ignored-attributes -O3 -S "$k.cu" -o "$out/$k.ptx"
	done
}
gcn3() {
	for k; do
		clang-22 -x hip --cuda-device-only --offload-arch=gfx803 -nogpuinc -nogpulib -fno-gpu-flush-denormals-to-zero \
			-fno-verbose-asm -ffp-contract=off -fuse-cuid=none --no-gpu-bundle-output -mcode-object-version=5 -O3 -S "$k.cu" -o "$out/$k.s"
	done
}
both="alu matmul mandelbrot gather histogram transpose nbody sha256 fft spmv bfs f64 f16 triad"
ptx $both warp mma softmax
gcn3 $both dpp
