#!/bin/bash
# numba.sh runs the tests that numba-cuda 0.30.4 brings, on Crosslane, and compares the failures with numba.expected.
#
#   examples/hosts/acceptance/numba.sh              all tests: half an hour on two shared processors
#   examples/hosts/acceptance/numba.sh cudapy/test_atomics.py …
#
# CROSSLANE is the command (crosslane), PYTHON is the interpreter (python3), OPTIONS are more options for exec, such as
# --check, and OUT is a folder for the logs. The interpreter needs
#   pip install "numba-cuda[cu13]==0.30.4" "cuda-core==1.2.*" "cuda-bindings==13.5.*" "nvidia-nvjitlink==13.*" \
#       psutil pytest pytest-timeout cffi filecheck ml_dtypes scipy
#
# A test may take 120 seconds, and eight files run in a process. The exit status is 1 if a failure is not expected.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=$(command -v "${PYTHON:-python3}") && crosslane=$(command -v "${CROSSLANE:-crosslane}") || exit 2
out=${OUT:-$(mktemp -d)}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2
packages=$("$python" -c 'import importlib.util as u, os; print(os.path.dirname(os.path.dirname(u.find_spec("numba_cuda").origin)))') || exit 2
tests=$packages/numba_cuda/numba/cuda/tests
if [[ $# == 0 ]]; then
	mapfile -t files < <(cd "$tests" && find . -name 'test_*.py' -not -path './benchmarks/*' | sed 's,^\./,,' | LC_ALL=C sort)
	set -- "${files[@]}"
fi
export NUMBA_OUTCOMES=$out/outcomes PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1
: > "$NUMBA_OUTCOMES"
cd "$out" || exit 2
while [[ $# -gt 0 ]]; do
	files=("${@:1:8}")
	files=("${files[@]/#/$tests/}")
	name=$(basename "$1" .py)
	before=$(wc -l < "$NUMBA_OUTCOMES")
	echo "$(date +%T) $name and $(($# - 1)) more files; $(grep -c ^passed "$NUMBA_OUTCOMES") tests passed" >&2
	# Numba's tests of its cache look for files beside the module, so the variable that exec sets is removed.
	# shellcheck disable=SC2086
	"$crosslane" exec --keep-going ${OPTIONS:-} -- env -u NUMBA_CACHE_DIR "$python" -m pytest -v -p numba_plugin -p no:cacheprovider \
		-o addopts= --rootdir="$packages" --tb=short --timeout 120 "${files[@]}" > "$name.out" 2> "$name.err"
	[[ $(wc -l < "$NUMBA_OUTCOMES") -gt $before ]] || echo "failed ${1}::$name.out" >> "$NUMBA_OUTCOMES" # the process broke off
	shift $(($# < 8 ? $# : 8))
done
"$python" "$here/numba_compare.py" "$here/numba.expected" "$NUMBA_OUTCOMES"
