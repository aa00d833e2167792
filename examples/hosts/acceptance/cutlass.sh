#!/bin/bash
# cutlass.sh compiles products of CUTLASS 3 with nvcc, runs them on Crosslane and checks them.
#
#   examples/hosts/acceptance/cutlass.sh FOLDER                     all kernels
#   examples/hosts/acceptance/cutlass.sh FOLDER cooperative pingpong
#
# FOLDER is where "pip install --target FOLDER nvidia-cutlass==4.2.0.0" has put CUTLASS. The kernels are cooperative, pingpong,
# cluster (2 x 1 blocks, multicast) for sm_90a, and blackwell and pairs for sm_100a. CROSSLANE is the command (crosslane), NVCC the
# compiler (nvcc, 13.5), and OUT a folder for the programs. A program takes a minute to compile.
set -uo pipefail
source=$(cd "${1:?is the folder with CUTLASS}/cutlass_library/source" && pwd) || exit 2
shift
[[ $# -gt 0 ]] || set -- cooperative pingpong cluster blackwell pairs
here=$(cd "$(dirname "$0")" && pwd)
crosslane=$(command -v "${CROSSLANE:-crosslane}") && nvcc=$(command -v "${NVCC:-nvcc}") || exit 2
lib=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib
out=${OUT:-$(mktemp -d)}
mkdir -p "$out" || exit 2
status=0
for kernel in "$@"; do
	case $kernel in
	cooperative) variant=0 target=90a ;;
	pingpong) variant=1 target=90a ;;
	cluster) variant=2 target=90a ;;
	blackwell) variant=3 target=100a ;;
	pairs) variant=4 target=100a ;;
	*) echo "cutlass.sh: there is no kernel $kernel" >&2; exit 2 ;;
	esac
	program=$out/cutlass_$kernel
	"$nvcc" -std=c++17 -O1 -lineinfo --expt-relaxed-constexpr -gencode "arch=compute_$target,code=compute_$target" -DVARIANT=$variant \
		-I"$source/include" -I"$source/tools/util/include" -L"$lib" "$here/cutlass_gemm.cu" -o "$program" || { status=1; continue; }
	# The second size has tiles that end outside of the matrices.
	for size in "256 256 192" "136 264 200"; do
		for check in "" --check; do
			echo "== $kernel, sm_$target, $size $check"
			# shellcheck disable=SC2086
			"$crosslane" exec $check --device "sm_$target" -- "$program" $size || status=1
		done
	done
done
exit $status
