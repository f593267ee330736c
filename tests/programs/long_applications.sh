#!/usr/bin/env bash
# Larger programs through trace-kernel; minutes. Prints one line per program; fails at the first that differs.
#   long_applications.sh [BIN]     BIN: folder of the binaries, default build/release/bin
# Installs what is missing: scripts/setup --tests, hashcat, pytest and mako. PyOpenCL's own examples and tests come from
# Debian's package python-pyopencl-doc, which is only unpacked: many systems install no documentation.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "${1:-$source/build/release/bin}" && pwd)
"$source/scripts/setup" --tests
missing=()
for package in hashcat python3-pytest python3-mako; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed' || missing+=("$package")
done
if [ "${#missing[@]}" != 0 ]; then
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=400 install -y --no-install-recommends "${missing[@]}"
fi
echo "CLBlast's kernels against Oclgrind"
WARPSCOPE_BIN=$bin /usr/bin/python3 -B "$source/tests/programs/long_clblast.py" Clblast
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export PYOPENCL_NO_CACHE=1

# run NAME FILTER OPTIONS -- COMMAND: output through FILTER is that of an untraced run.
run() {
  local name=$1 filter=$2 options=()
  shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  "$@" 2>/dev/null | eval "$filter" >plain.txt
  local start=$SECONDS
  "$bin/trace-kernel" "${options[@]}" -o x.wtrace -- "$@" 2>trace.txt | eval "$filter" >traced.txt \
    || { echo "$name: trace-kernel or the program failed"; tail -n 5 trace.txt; exit 1; }
  diff plain.txt traced.txt >diff.txt || { echo "$name: output differs"; head diff.txt; exit 1; }
  if grep "not traced" trace.txt; then exit 1; fi
  "$bin/trace-check" x.wtrace >check.txt
  echo "$name: $((SECONDS - start)) s, $(cut -d, -f2- check.txt)"
}

names='sed "s/:.*//"'  # clpeak prints times: only what it measured is the same
# A tuner tries what the device takes: it has to be told of PoCL's own.
tuned='grep -o "^.*compiles\|results match\|status code.*" || true'
run "PyOpenCL" cat -- /usr/bin/python3 "$source/tests/programs/pyopencl_programs.py" elementwise reduction scan sort
run "clpeak, integer" "$names" --work-groups every:16 -- clpeak -p 0 --compute-integer
run "clpeak, floating point" "$names" --work-groups every:16 -- clpeak -p 0 --compute-sp
run "clpeak, bandwidth" "$names" --work-groups random:1% -- clpeak -p 0 --global-bandwidth
run "clpeak, latency" "$names" -- clpeak -p 0 --kernel-latency
run "CLBlast's tuner, xdot" "$tuned" --device-like pocl --work-groups every:64 -- clblast_tuner_xdot -platform 0 -runs 1
run "CLBlast's tuner, xger" "$tuned" --device-like pocl --work-groups every:64 -- clblast_tuner_xger -platform 0 -runs 1
echo -n hashcat1 | md5sum | cut -d' ' -f1 >hash.txt
# Folders that are empty in every run: from the binaries of an earlier one hashcat starts kernels that cannot be traced.
attack=(env XDG_DATA_HOME="$folder/home/data" XDG_CACHE_HOME="$folder/home/cache"
  sh -c 'rm -rf "${XDG_DATA_HOME%/data}"; mkdir -p "$XDG_DATA_HOME" "$XDG_CACHE_HOME"; exec "$@"' sh
  hashcat -D 1 -m 0 -a 3 hash.txt 'hashcat?d' --potfile-disable --force -n 1 -u 1)
found='grep -a "^Status\|^Recovered\|:hashcat1"'
run "hashcat" "$found" -- "${attack[@]}"

apt-get download python-pyopencl-doc >download.txt 2>&1 || { cat download.txt; exit 1; }
dpkg -x python-pyopencl-doc_*.deb unpacked
cd unpacked/usr/share/doc/python-pyopencl-doc/examples
export PYOPENCL_CTX=0 PYOPENCL_TEST=0
for example in demo demo_array demo_array_svm demo-struct-reduce demo_elementwise demo_meta_template narray svm; do
  run "PyOpenCL's example $example" cat -- /usr/bin/python3 "$example.py"
done
counts='tail -n 1 | sed "s/ in .*//"'  # so many passed, skipped, failed
for test in test_wrapper test_arrays_in_structs test_algorithm; do
  run "PyOpenCL's $test" "$counts" --work-groups every:8 -- /usr/bin/python3 -m pytest -q -p no:cacheprovider "$test.py"
done
