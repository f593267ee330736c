#!/usr/bin/env bash
# Compares every C++ file of ours with the style files. Fix with: clang-format-15 -i FILE
#   scripts/check_format.sh  takes no options; exit status 0 only if nothing differs
set -euo pipefail
case "${1:-}" in
  "") ;;
  -h | --help) sed -n '2,3s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "check_format.sh: '$1': expected no arguments; see --help" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.cpp' '*.h')
folders=$(awk '/^[a-z]/ { print $1 }' cmake/folders.txt)
for file in "${files[@]}"; do
  grep -qxF -- "${file%%/*}" <<<"$folders" || {
    echo "check_format.sh: $file: in no folder of cmake/folders.txt, expected a line there for every folder with C++" >&2
    exit 1
  }
done
[ "${#files[@]}" -gt 0 ] && printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 32 clang-format-15 --dry-run -Werror
echo "${#files[@]} files are formatted"
