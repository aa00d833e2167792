#!/usr/bin/env bash
# check.sh VENV OUT [ARCH...]: compiles the sources beside it with the nvcc of a Python environment
# and tells what check --static says of each; see README.md. Needs crosslane in PATH.
set -u
venv=$1 out=$2; shift 2
here=$(cd "$(dirname "$0")" && pwd)
lib=$(echo "$venv"/lib/python3*/site-packages)
cu=$lib/nvidia/cu13
mkdir -p "$out"
for arch in ${@:-75 80 90a 120a}; do
  for f in "$here"/*.cu; do
    to=$out/$(basename "$f" .cu).sm_$arch.ptx
    [ -s "$to" ] || "$cu/bin/nvcc" -ptx -arch="sm_$arch" -O3 -lineinfo -std=c++17 --expt-relaxed-constexpr -DARCH="${arch%a}" \
      -I"$cu/include/cccl" -I"$lib/cutlass_library/source/include" -o "$to" "$f" || exit 1
  done
done
status=0
for f in "$out"/*.ptx; do
  if ! crosslane check --static "$f" --fail-on warning > "$f.txt" 2>&1; then status=1; fi
  echo "$(basename "$f"): $(tail -1 "$f.txt")"
done
exit $status
