#!/usr/bin/env bash
# Checks files with crosslane, as action.yml and .pre-commit-hooks.yaml do.
#
#   check.sh FILE...
#
# Each FILE is checked with its launch file: k.launch.json beside k.ptx, if there is one.
# Without one it is checked with --static, and PTX, of which that is not supported, is
# skipped with a notice. The environment may hold
#   ARGS    further arguments of crosslane check
#   SARIF   a folder for SARIF files; without it the form is github in a workflow, else text
# The exit status is the greatest of all files'.
set -u
status=0
for f in "$@"; do
	set -f
	# shellcheck disable=SC2206 # words of ARGS are arguments
	args=(${ARGS-})
	set +f
	launch="${f%.*}.launch.json"
	if [ -e "$launch" ]; then
		args=(--launch "$launch" ${args[@]+"${args[@]}"})
	elif [ "${f##*.}" = ptx ]; then
		echo "$f: not checked: there is no $launch" >&2
		continue
	else
		args=(--static ${args[@]+"${args[@]}"})
	fi
	if [ -n "${SARIF-}" ]; then
		mkdir -p "$SARIF"
		name="${f//\//_}"
		crosslane check "$f" "${args[@]}" --format sarif >"$SARIF/$name.sarif"
	elif [ -n "${GITHUB_ACTIONS-}" ]; then
		crosslane check "$f" "${args[@]}" --format github
	else
		crosslane check "$f" "${args[@]}"
	fi
	rc=$?
	if [ "$rc" -gt "$status" ]; then status=$rc; fi
done
exit "$status"
