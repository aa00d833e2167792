#!/usr/bin/env bash
# Runs a program on an unmodified wheel of CuPy for ROCm with checks.
#
#   python3 -m venv venv && venv/bin/pip install numpy==2.3.4 cupy-rocm-7-0==14.2.0   # 73 MB
#   PYTHON=venv/bin/python CROSSLANE=crosslane examples/hosts/acceptance/cupy_rocm.sh cupy_rocm.py
#
#   python3 -m venv venv && venv/bin/pip install numpy==1.26.4 cupy-rocm-5-0==13.3.0   # 61 MB
#   PYTHON=venv/bin/python CROSSLANE=crosslane examples/hosts/acceptance/cupy_rocm.sh cupy_rocm_sort.py
#
# The wheel needs libraries of ROCm when it is imported. In place of those that the program does not call, this script puts
# libraries without functions, but for five functions of tracing. clang-22 and lld-22 must be there (or another version from 15).
set -Eeuo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

library() { cc -shared -x c - -o "$work/$1" "-Wl,-soname,$1" "${@:2}"; }

for name in librocfft.so.0 libhipfft.so.0 libhipblas.so.3 librocblas.so.5 librocsolver.so.0 libhipsparse.so.4 libhiprand.so.1 librccl.so.1 \
	libhipfft.so libhipblas.so.0 librocblas.so.0 libhipsparse.so.0; do
	library "$name" <<<'int crosslane_empty;'
done
echo 'ROCTRACER_4.0 { global: roctracer_*; };' >"$work/tracer.map"
library libroctracer64.so.4 "-Wl,--version-script,$work/tracer.map" <<<'int roctracer_start(void) { return 0; } int roctracer_stop(void) { return 0; }'
echo 'ROCTX_4.1 { global: roctx*; };' >"$work/roctx.map"
library libroctx64.so.4 "-Wl,--version-script,$work/roctx.map" <<<'void roctxMarkA(const char *m) { (void)m; } int roctxRangePushA(const char *m) { (void)m; return 0; } int roctxRangePop(void) { return 0; }'

LD_LIBRARY_PATH=$work "${CROSSLANE:-crosslane}" exec --check --device gfx803 -- "${PYTHON:-python3}" "$here/${1:-cupy_rocm.py}"
