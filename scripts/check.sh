#!/usr/bin/env bash
# The developer's loop: format, build, fast tests. Everything else: scripts/test
set -euo pipefail
cd "$(dirname "$0")/.."
command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
scripts/check_format.sh
cmake --preset release >/dev/null
cmake --build --preset release
ctest --preset release -j "$(nproc)" -L 'unit|error|lit'
