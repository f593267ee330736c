#!/usr/bin/env bash
# clang-tidy over the libraries and tools, and their headers (passes/ follows LLVM's style and is left out).
#   scripts/check_tidy.sh build/release [FOLDER...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/check_tidy.sh BUILD_FOLDER [FOLDER...]}
shift
folders=("$@")
[ "${#folders[@]}" -gt 0 ] || folders=(traces gpus scheduler cachesim wrapper)
pattern=$(IFS='|'; echo "^$PWD/(${folders[*]})/")
if ! run-clang-tidy-15 -quiet -p "$build" -j "$(nproc)" "$pattern" >"$build/clang-tidy.log" 2>&1; then
  grep -vE '^(clang-tidy-15 |[0-9]+ warnings generated|$)' "$build/clang-tidy.log" >&2
  exit 1
fi
echo "clang-tidy: nothing to report in ${folders[*]}"
