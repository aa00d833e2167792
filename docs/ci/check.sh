#!/usr/bin/env bash
# Checks files with crosslane, as action.yml and .pre-commit-hooks.yaml do.
#
#   check.sh PATH...
#
# Each file is checked with its launch file, k.launch.json beside k.ptx, if there is one, and else
# on all paths, without a launch. A file that cannot be checked is an error. The environment may hold
#   ARGS    further arguments of crosslane check
#   SARIF   a folder for crosslane.sarif; without it the form is github in a workflow, else text
# The exit status is that of crosslane check.
set -u
set -f
# shellcheck disable=SC2206 # words of ARGS are arguments
args=(--require-all ${ARGS-})
set +f
if [ -n "${SARIF-}" ]; then
	mkdir -p "$SARIF"
	crosslane check "$@" "${args[@]}" --format sarif >"$SARIF/crosslane.sarif"
elif [ -n "${GITHUB_ACTIONS-}" ]; then
	crosslane check "$@" "${args[@]}" --format github
else
	crosslane check "$@" "${args[@]}"
fi
