#!/bin/bash
# debian_numba.sh runs the CUDA tests that Numba 0.56.4 of Debian 12 brings, on Crosslane, and compares the failures with
# debian_numba.expected.
#
#   examples/hosts/acceptance/debian_numba.sh                    all tests
#   examples/hosts/acceptance/debian_numba.sh cudapy.test_atomics …
#
# CROSSLANE is the command (crosslane), OPTIONS are more options for exec, such as --check, and OUT is a folder for the
# logs. It needs
#   apt-get install python3-numba llvm-14
#
# A test may take 120 seconds. Each module has a process of its own, because a fault ends all later calls of a process. The
# exit status is 1 if a failure is not expected.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3
crosslane=$(command -v "${CROSSLANE:-crosslane}") || exit 2
out=${OUT:-$(mktemp -d)}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2
if [[ $# == 0 ]]; then
	tests=$("$python" -c 'import importlib.util as u, os; print(os.path.join(os.path.dirname(u.find_spec("numba").origin), "cuda/tests"))') || exit 2
	mapfile -t modules < <(cd "$tests" && find . -name 'test_*.py' -not -path './data/*' | sed 's,^\./,,; s,\.py$,,; s,/,.,g' | LC_ALL=C sort)
	set -- "${modules[@]}"
fi
export NUMBA_OUTCOMES=$out/outcomes PYTHONDONTWRITEBYTECODE=1
: > "$NUMBA_OUTCOMES"
cd "$out" || exit 2
for module; do
	before=$(wc -l < "$NUMBA_OUTCOMES")
	# Numba's tests of its cache look for files beside the module, so the variable that exec sets is removed.
	# shellcheck disable=SC2086
	"$crosslane" exec --keep-going --memory 2G ${OPTIONS:-} -- env -u NUMBA_CACHE_DIR "$python" "$here/unittest_outcomes.py" "numba.cuda.tests.$module" > "$module.out" 2> "$module.err"
	if [[ $(wc -l < "$NUMBA_OUTCOMES") == "$before" ]] && ! grep -q '^Ran 0 tests' "$module.err"; then
		echo "failed $module.broken-off" >> "$NUMBA_OUTCOMES"
	fi
	echo "$(date +%T) $module: $(grep -c ^passed "$NUMBA_OUTCOMES") tests passed so far" >&2
done
"$python" "$here/numba_compare.py" "$here/debian_numba.expected" "$NUMBA_OUTCOMES"
