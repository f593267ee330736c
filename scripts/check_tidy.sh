#!/usr/bin/env bash
# clang-tidy over the libraries and tools, and their headers (passes/ follows LLVM's style and is left out).
#   scripts/check_tidy.sh BUILD_FOLDER [FOLDER...]     for example build/release; default: all folders
# It reads the unity files of a build, which include a library's sources one after the other: the standard library's and
# Boost's headers, most of the work, are then looked at once per library.
set -euo pipefail
case "${1:-}" in
  -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
cd "$(dirname "$0")/.."
[ -d "${1:-}" ] || {
  echo "check_tidy.sh: '${1:-}': expected the folder of a build, such as build/release; see --help" >&2
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
