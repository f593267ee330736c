#!/usr/bin/env bash
# The developer's loop: format, links, build of the preset dev, fast tests. Everything else: scripts/test
#   scripts/check.sh         takes no options; exit status 0 only if everything passed
set -euo pipefail
case "${1:-}" in
  "") ;;
  -h | --help) sed -n '2,3s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "check.sh: '$1': expected no arguments; see --help" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
scripts/check_format.sh
scripts/check_links
cmake --preset dev >/dev/null
cmake --build --preset dev
ctest --preset dev -j "$(nproc)" -L 'unit|error|lit'
