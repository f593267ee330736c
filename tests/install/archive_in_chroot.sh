#!/usr/bin/env bash
# The self-contained archive in bare chroots: Debian 12 and 13 and Ubuntu 24.04 without compilers, Python or OpenCL, then with the release's own
# compiler; older ones, which it has to refuse. From a read-only folder with a blank in its name, as a user without rights.
#   archive_in_chroot.sh [FILE.tar.zst] [RELEASE...]    default: build/package is built and packed; bookworm trixie noble bullseye jammy
# Needs root and a mirror, and installs mmdebstrap and patchelf if they are missing. Exit status 1 if anything of this fails.
set -euo pipefail
case "${1:-}" in
  -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
cd "$(dirname "$0")/../.."
. tests/install/chroot.sh
[ "$(id -u)" = 0 ] || fail "not root, and a chroot needs it"
need mmdebstrap zstd gcc patchelf
archive=${1:-}
shift || true
[ -n "$archive" ] || archive=$(scripts/package archive | tee /dev/stderr | sed -n 's/^\(.*\.tar\.zst\): .*/\1/p' | tail -n 1)
[ -r "$archive" ] || fail "$archive: cannot be read, expected an archive"
releases=("$@")
[ "${#releases[@]}" != 0 ] || releases=(bookworm trixie noble bullseye jammy)

for release in "${releases[@]}"; do
  make_root "$release" minbase
  copy_inputs
  mkdir "$root/opt/a folder"
  tar --zstd -xf "$archive" -C "$root/opt/a folder"
  folder="/opt/a folder/$(basename "$archive" .tar.zst)"
  chmod -R a-w "$root$folder"
  command="'$folder/bin/warpscope'"
  case "$release" in
    bullseye) old=2.31 ;;
    jammy) old=2.35 ;;
    *) old= ;;
  esac
  if [ -n "$old" ]; then
    status=0
    as_user "$command mm.cl --global 64,64" >"$root/said" 2>&1 || status=$?
    [ "$status" = 2 ] && [ "$(wc -l <"$root/said")" = 1 ] && grep -q "this system has glibc $old, expected 2.36 or newer" "$root/said" ||
      fail "$release: exit status $status, '$(tail -n 1 "$root/said")', expected 2 and one line about glibc"
    echo "package: $release: refused in one line"
    continue
  fi
  [ ! -e "$root/usr/bin/python3" ] && [ ! -e "$root/usr/bin/ld" ] || fail "$release: has Python or a linker, expected a bare system"
  answers "$command"
  build_here "'$folder/bin/warpscope-nvcc'"
  runs "$command" scale
  runs "$command" reverse
  mv "$root/opt/a folder" "$root/srv/moved"
  runs "'/srv/moved/$(basename "$archive" .tar.zst)/bin/warpscope'" scale
  rm "$root"/usr/lib/x86_64-linux-gnu/libstdc++.so.6*  # then the archive's serves
  runs "'/srv/moved/$(basename "$archive" .tar.zst)/bin/warpscope'" scale
  echo "package: $release: $(basename "$archive") answers, from another folder, too"
done
