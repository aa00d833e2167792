#!/bin/bash
# tinygrad.sh runs tinygrad's own tests of its operations on Crosslane, for each of its CUDA backends, and counts.
#
#   examples/hosts/acceptance/tinygrad.sh CHECKOUT                    CUDA:PTX and CUDA
#   examples/hosts/acceptance/tinygrad.sh CHECKOUT CUDA:PTX MOCK+CUDA:PTX
#
# CHECKOUT is a folder with the packages tinygrad and test: its repository, or the source package of a version that brings
# test/test_ops.py (0.12.0). MOCK+CUDA:PTX needs test/mockgpu, which only the repository has; it calls ptx_run.
#
# CROSSLANE is the command (crosslane), PYTHON is the interpreter (python3), OPTIONS are more options for exec, such as
# --check, SELECT is an expression for pytest -k, and OUT is a folder for the logs. The interpreter needs torch for the
# CPU (Debian: python3-torch and a venv with --system-site-packages) and
#   pip install numpy pytest pytest-timeout hypothesis "nvidia-cuda-nvrtc==13.*"
# and the program clang must be there, for tinygrad's own CPU device. A backend takes twenty minutes on two busy processors.
#
# Without --keep-going the first fault would make all later tests fail: tinygrad reads past the end of some buffers.
set -uo pipefail
checkout=$(cd "${1:?is a checkout of tinygrad}" && pwd) || exit 2
shift
[[ $# -gt 0 ]] || set -- CUDA:PTX CUDA
python=$(command -v "${PYTHON:-python3}") && crosslane=$(command -v "${CROSSLANE:-crosslane}") || exit 2
out=${OUT:-$(mktemp -d)}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2
cd "$checkout" || exit 2
tests=test/backend/test_ops.py
[[ -f $tests ]] || tests=test/test_ops.py
[[ -f $tests ]] || { echo "tinygrad.sh: $checkout has no test_ops.py" >&2; exit 2; }
nvrtc=$("$python" -c 'import nvidia.cu13 as m; print(list(m.__path__)[0] + "/lib")' 2> /dev/null)
export CI=1 PYTHONPATH=$checkout LD_LIBRARY_PATH=$nvrtc XDG_CACHE_HOME=$out PYTHONDONTWRITEBYTECODE=1
status=0
for backend in "$@"; do
	log=$out/${backend//[:+]/_}.log
	device=(env -u PYTHON "DEV=$backend")
	if grep -q CUDA_PTX tinygrad/helpers.py; then # 0.12: another spelling, and it looks for libcuda in folders of the system only
		[[ $backend != CUDA:PTX ]] || device=(env -u PYTHON CUDA_PTX=1)
		# shellcheck disable=SC2016
		device+=(CUDA=1 sh -c 'CUDA_PATH=${LD_LIBRARY_PATH%%:*}/libcuda.so.1 exec "$@"' sh)
	fi
	# shellcheck disable=SC2086
	"$crosslane" exec --keep-going ${OPTIONS:-} -- "${device[@]}" "$python" -m pytest -q -p no:cacheprovider --timeout 400 \
		--tb=line "$tests" ${SELECT:+-k "$SELECT"} > "$log" 2>&1
	counts=$(grep -E '[0-9]+ passed' "$log" | tail -1)
	[[ -n $counts ]] || { counts="broke off"; status=1; }
	echo "$backend: $counts; $(grep -c '\[out-of-bounds\]$' "$log") accesses out of bounds"
done
echo "logs: $out"
exit $status
