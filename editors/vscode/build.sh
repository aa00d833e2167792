#!/usr/bin/env bash
# Tests and packages the extension: editors/vscode/build.sh [OUT.vsix]
# The package may have 200 kB; the command crosslane is not in it.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out=${1:-crosslane.vsix}
npm ci --silent --no-audit --no-fund
npm run --silent bundle
npm test --silent
cp ../../LICENSE LICENSE
npx vsce package --no-dependencies --allow-missing-repository --out "$out" >/dev/null
size=$(stat -c %s "$out")
if ((size > 200000)); then
	echo "$out has $size bytes, more than 200000" >&2
	exit 1
fi
echo "$out: $size bytes"
