#!/usr/bin/env bash
# The page report.html: rebuilds report/dist and compares every byte, runs the tests of its program, and opens five kernels' pages in
# a headless Chromium.
#   report/check.sh                  needs build/release
#   report/check.sh --every-kernel   opens the pages of all benchmark kernels
# Where npm is not installed or the package registry does not answer, it says so by name and passes without the rebuild. Exit status
# 1 if anything fails.
set -uo pipefail
kernels=(mm mt_tiled spmv_csr histogram reduction_ladder) browser_seconds=400
case "${1:-}" in
  "") ;;
  --every-kernel) kernels=(--every-kernel) browser_seconds=3600 ;;
  -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "report/check.sh: '$1': expected --every-kernel or nothing" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
installed=report/node_modules/.installed

# What npm says where nobody answers; all else is a failure.
no_answer='ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E50[0-9]|network'

install_packages() { # 0: installed; 1: failed; 3: no answer
  cmp -s report/package-lock.json "$installed" && return 0
  command -v npm >/dev/null || { echo "report/check.sh: npm is not installed: report/dist is NOT compared with report/src"; return 3; }
  local log status
  log=$(cd report && timeout 100 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 2>&1)
  status=$?
  if [ "$status" = 0 ]; then
    cp report/package-lock.json "$installed"
  elif [ "$status" = 124 ] || grep -qE "$no_answer" <<<"$log"; then
    echo "report/check.sh: the package registry does not answer: report/dist is NOT compared with report/src"
    return 3
  else
    echo "$log" >&2
    return 1
  fi
}

open_pages() { # a browser that stops answering is started again, once
  local attempt status
  for attempt in 1 2; do
    timeout -k 10 "$browser_seconds" /usr/bin/python3 -B tests/page/browser.py "${kernels[@]}"
    status=$?
    [ "$status" = 124 ] || [ "$status" = 137 ] || return "$status"
    echo "report/check.sh: the browser did not end within $browser_seconds s (attempt $attempt of 2)" >&2
  done
  return 1
}

failed=0
install_packages
case $? in
  0)
    (cd report && node_modules/.bin/tsc --noEmit && node build.mjs --check && node build.mjs --tests &&
      node --test build/tests/*.mjs >build/tests.log 2>&1 || { cat build/tests.log 2>/dev/null; exit 1; }) || failed=1
    grep -E '^# (tests|pass|fail) ' report/build/tests.log 2>/dev/null
    ;;
  1) failed=1 ;;
esac
if /usr/bin/python3 -c 'import selenium' 2>/dev/null && command -v chromium >/dev/null && [ -x /usr/bin/chromedriver ]; then
  open_pages || failed=1
else
  echo "report/check.sh: no chromium, chromium-driver or python3-selenium: run scripts/setup --tests" >&2
  failed=1
fi
exit "$failed"
