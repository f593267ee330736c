#!/usr/bin/env bash
# clang-tidy over the libraries and tools, and their headers (passes/ follows LLVM's style and is left out).
#   scripts/check_tidy.sh build/release [FOLDER...]
# It reads the unity files of a build, which include a library's sources one after the other: the standard library's and
# Boost's headers, most of the work, are then looked at once per library.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -d "${1:-}" ] || {
  echo "usage: scripts/check_tidy.sh BUILD_FOLDER [FOLDER...]" >&2
  exit 2
}
build=$1
shift
folders=("$@")
[ "${#folders[@]}" -gt 0 ] || folders=(traces gpus scheduler cachesim wrapper)
pattern=$(IFS='|'; echo "^$PWD/$build/(${folders[*]})/.*/unity_[0-9]+_cxx.cxx$")
grep -q unity_0_cxx "$build/compile_commands.json" || {
  echo "$build: not a unity build, expected the preset release or asan-ubsan" >&2
  exit 2
}
if ! run-clang-tidy-15 -quiet -p "$build" -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option \
    "$pattern" >"$build/clang-tidy.log" 2>&1; then
  grep -vE '^(clang-tidy-15 |[0-9]+ warnings generated|$)' "$build/clang-tidy.log" >&2
  exit 1
fi
echo "clang-tidy: nothing to report in ${folders[*]}"
