#!/bin/bash
# cupy.sh runs tests of CuPy 14.2.0 on Crosslane, each file in a process of its own, and counts.
#
#   SOURCE=cupy-14.2.0 examples/hosts/acceptance/cupy.sh                    the files below
#   SOURCE=cupy-14.2.0 examples/hosts/acceptance/cupy.sh core_tests/test_raw.py …
#
# SOURCE is the unpacked source of CuPy, whose folder tests is used; CROSSLANE is the command (crosslane), PYTHON is the
# interpreter (python3), OPTIONS are more options for exec, such as --check, OUT is a folder for the logs, and LIMIT is the
# number of seconds that a file may take (1800). Files are those of tests/cupy_tests; one of tests/cupyx_tests is named
# ../cupyx_tests/FILE. The interpreter needs
#   pip install "cupy-cuda13x==14.2.0" "nvidia-cuda-nvrtc==13.*" "nvidia-cuda-runtime==13.*" pytest
# NVCC names nvcc, with which test_raw.py makes binaries.
#
# Most tests compile kernels with NVRTC, which needs 0.1 to 0.3 seconds for each: all files together take an hour on two busy
# processors. What is compiled stays in the cache of exec, so a second run is faster.
set -uo pipefail
python=$(command -v "${PYTHON:-python3}") || { echo "there is no ${PYTHON:-python3}: PYTHON names the interpreter" >&2; exit 2; }
crosslane=$(command -v "${CROSSLANE:-crosslane}") || { echo "there is no ${CROSSLANE:-crosslane}: CROSSLANE names the command" >&2; exit 2; }
tests=$(cd "${SOURCE:?is the source of CuPy}/tests" && pwd) || exit 2
out=${OUT:-$(mktemp -d)}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2
if [[ $# == 0 ]]; then
	set -- core_tests/test_{function,carray,core,userkernel,flags,raw,scan,elementwise,cub_reduction,array_function,dlpack,gufuncs,include,internal,iter,mdspan}.py \
		core_tests/test_{reduction,ndarray_adv_indexing,ndarray_elementwise_op,ndarray_reduction}.py core_tests/fusion_tests/test_{array,indexing,routines}.py sorting_tests/test_sort.py \
		core_tests/test_ndarray{,_get,_contiguity,_cuda_array_interface,_owndata,_byteswap,_complex_ops,_conversion,_copy_and_view,_indexing,_math}.py \
		cuda_tests/test_{compiler,device,memory,stream}.py
fi
export COLUMNS=600 # for the reasons of failures
cd "$tests" || exit 2
for file in "$@"; do
	log=$out/$(tr / _ <<< "${file#../}").log
	# shellcheck disable=SC2086
	timeout --signal=INT --kill-after=60 "${LIMIT:-1800}" "$crosslane" exec --keep-going ${OPTIONS:-} -- "$python" -m pytest -q -p no:cacheprovider --tb=line --rootdir="$tests" \
		-o addopts= -m "not slow and not multi_gpu" "cupy_tests/$file" > "$log" 2>&1
	status=$?
	absent=$(grep -cE '^[^ ]*/cupy_backends/cuda/libs/__init__\.py:[0-9]+: ' "$log") # where CuPy loads libraries
	echo "$file: $(grep -E '^[0-9]+ (passed|failed)' "$log" | tail -1); of the failures $absent lack a library$([[ $status != 124 && $status != 137 ]] || echo "; ended after ${LIMIT:-1800} seconds")"
done
echo "logs: $out"
