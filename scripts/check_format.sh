#!/usr/bin/env bash
# Compares every C++ file of ours with the style files. Mend with: clang-format-15 -i FILE
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.cpp' '*.h')
[ "${#files[@]}" -gt 0 ] && printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 32 clang-format-15 --dry-run -Werror
echo "${#files[@]} files are formatted"
