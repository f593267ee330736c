#!/usr/bin/env bash
# clang-tidy over the libraries and tools, and their headers.
#   scripts/check_tidy.sh BUILD_FOLDER [FOLDER...]     for example build/release; default: the "short" ones of cmake/folders.txt
#   scripts/check_tidy.sh BUILD_FOLDER --changed       the files of all folders that changed in the last 20 commits (stages/changed_units)
# It reads the unity files of a build, which include a library's sources one after the other: the standard library's and
# Boost's headers, most of the work, are then looked at once per library. A folder's own .clang-tidy counts for its files.
set -euo pipefail
case "${1:-}" in
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
cd "$(dirname "$0")/.."
[ -d "${1:-}" ] || {
  echo "check_tidy.sh: '${1:-}': expected the folder of a build, such as build/release; see --help" >&2
  exit 2
}
build=$1
shift
grep -q unity_0_cxx "$build/compile_commands.json" || {
  echo "$build: not a unity build, expected the preset release or asan-ubsan" >&2
  exit 2
}
if [ "${1:-}" = --changed ]; then
  scripts/stages/changed_units "$build"
  build=$build/changed
  mapfile -t folders < <(find "$build" -mindepth 1 -type d -printf '%f\n' | sort)
  [ "${#folders[@]}" -gt 0 ] || { echo "clang-tidy: no file changed"; exit 0; }
else
  folders=("$@")
  [ "${#folders[@]}" -gt 0 ] || mapfile -t folders < <(awk '/^[a-z]/ && $3 == "short" { print $1 }' cmake/folders.txt)
fi

tidy() { # tidy FOLDERS [OPTION...]; FOLDERS: a|b
  local pattern="^$PWD/($build/)?($1)/.*\\.(cxx|cpp)$"
  shift
  run-clang-tidy-15 -quiet -p "$build" -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option "$@" "$pattern" \
    >"$build/clang-tidy.log" 2>&1 && return
  grep -vE '^(clang-tidy-15 |[0-9]+ warnings generated|$)' "$build/clang-tidy.log" >&2
  return 1
}

plain=()
status=0
for folder in "${folders[@]}"; do
  if [ -f "$folder/.clang-tidy" ]; then
    # A unity file is in the build folder, from where it is not found.
    tidy "$folder" -config-file="$PWD/$folder/.clang-tidy" || status=1
  else
    plain+=("$folder")
  fi
done
[ "${#plain[@]}" = 0 ] || tidy "$(IFS='|'; echo "${plain[*]}")" || status=1
[ "$status" = 0 ] || exit 1
echo "clang-tidy: nothing to report in ${folders[*]}"
