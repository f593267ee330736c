#!/usr/bin/env bash
# Numba and PyCUDA of Debian, with the CUDA toolkit of its non-free part, unpacked into a folder and not installed: their kernels run, traced and
# untraced, equal NumPy's results, and captures name lines of Python. Needs a mirror, 500 MB, and nvcc for PyCUDA.
# Says "skipped" and why where packages cannot be had; exit status 1 if something is wrong.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${WARPSCOPE_BIN:-$here/../../build/release/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "python: skipped: $1"; exit 0; }
wrong() { echo "python: $1"; exit 1; }
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | awk '$2 == "bookworm" || $2 == "stable" { print $1; exit }')
[ -n "$mirror" ] || skip "apt has no source of Debian 12"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main contrib non-free" >"$work/sources.list"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages" "$work/root" "$work/home/bin" "$work/home/nvvm/lib64" "$work/home/nvvm/libdevice" "$work/home/lib64"
apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
apt-get "${apt[@]}" update -q >/dev/null 2>&1 || skip "apt-get update failed"
(cd "$work/packages" && apt-get "${apt[@]}" download libnvvm4 nvidia-cuda-toolkit python3-numba python3-llvmlite python3-pycuda python3-pytools python3-appdirs python3-platformdirs \
  python3-decorator python3-mako python3-markupsafe python3-typing-extensions libboost-python1.74.0 libboost-thread1.74.0 libllvm14 >/dev/null 2>&1) || skip "packages cannot be had"
for package in "$work"/packages/*.deb; do dpkg -x "$package" "$work/root"; done
libraries=$work/root/usr/lib/x86_64-linux-gnu
cp -L "$libraries"/libnvvm.so.4.* "$work/home/nvvm/lib64/"
cp -L "$work/root/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc" "$work/home/nvvm/libdevice/"
ln -s "$work/root/usr/bin/ptxas" "$work/root/usr/bin/nvlink" "$work/home/bin/"

run() { # run PROGRAM [VARIABLE=VALUE...]: traced and untraced, the same lines, and a capture that is intact
  local program=$1 name
  name=$(basename "$program" .py)
  shift
  env "$@" "$bin/trace-kernel" -o "$work/$name.wtrace" -- /usr/bin/python3 "$program" >"$work/$name.out" 2>"$work/$name.err" || { tail -n 5 "$work/$name.err"; wrong "$name: failed"; }
  grep -v -E ': equal$' "$work/$name.out" && wrong "$name: other results than NumPy's"
  [ -s "$work/$name.out" ] || wrong "$name: said nothing"
  env "$@" LD_LIBRARY_PATH="$bin/../lib/warpscope/driver:$libraries" /usr/bin/python3 "$program" 2>/dev/null | cmp - "$work/$name.out" || wrong "$name: untraced, it says something else"
  "$bin/trace-check" "$work/$name.wtrace" >/dev/null || wrong "$name: its capture is not intact"
  cat "$work/$name.out"
}

packages=(PYTHONPATH="$work/root/usr/lib/python3/dist-packages" LD_LIBRARY_PATH="$libraries" XDG_CACHE_HOME="$work/cache" WARPSCOPE_GPU=a6000)
run "$here/python/numba_kernels.py" "${packages[@]}" CUDA_HOME="$work/home"
"$bin/trace-view" --sites "$work/numba_kernels.wtrace" | grep -q 'numba_kernels.py:1[0-9]:' || wrong "no lines of Python in the capture"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "python: PyCUDA skipped: no nvcc"; exit 0; }
run "$here/python/pycuda_uses.py" "${packages[@]}" PATH="$(dirname "$nvcc"):$PATH"
echo "python: Numba and PyCUDA: passed"
