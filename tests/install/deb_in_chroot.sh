#!/usr/bin/env bash
# The Debian package on a Debian 12 that has neither source nor build: depends on what it needs, answers, and leaves nothing.
#   deb_in_chroot.sh [FILE.deb]    default: build/package is built and packed
# Needs root and a mirror, and installs mmdebstrap and dpkg-dev if they are missing. Exit status 1 if anything of this fails.
set -euo pipefail
case "${1:-}" in
  -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
cd "$(dirname "$0")/../.."
fail() { echo "package: $1" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "not root, and a chroot needs it"
missing=()
for tool in mmdebstrap dpkg-shlibdeps:dpkg-dev; do
  command -v "${tool%:*}" >/dev/null || missing+=("${tool#*:}")
done
if [ "${#missing[@]}" != 0 ]; then
  apt-get update -q >/dev/null || true  # the lists that are here may do
  apt-get -o DPkg::Lock::Timeout=400 install -y -q --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "cannot install ${missing[*]}"
fi
package=${1:-}
if [ -z "$package" ]; then
  rm -f build/package/*.deb
  cmake --preset package >/dev/null
  cmake --build --preset package
  cpack --preset package >/dev/null
  package=$(echo build/package/*.deb)
fi
[ -r "$package" ] || fail "$package: cannot be read, expected a Debian package"

mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | awk '$2 == "bookworm" || $2 == "stable" { print $1; exit }')
[ -n "$mirror" ] || fail "apt has no source of Debian 12 (apt-get indextargets), expected one to make the chroot from"
root=$(mktemp -d)
finish() {
  for place in dev proc sys; do mountpoint -q "$root/$place" && umount -l "$root/$place"; done
  rm -rf --one-file-system "$root"
}
trap finish EXIT
mmdebstrap --quiet --variant=apt bookworm "$root" "$mirror" || fail "mmdebstrap failed (see above)"
# What this machine's apt was told about proxies holds for the chroot, too.
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp /etc/resolv.conf "$root/etc/resolv.conf"
for place in proc sys dev; do mount --bind "/$place" "$root/$place"; done
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() { chroot --userspec=1234:1234 "$root" env -i PATH=/usr/bin:/bin HOME=/work sh -c "cd /work && $1"; }
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./work -o -path ./var/log \
  -o -path ./var/cache -o -path './var/lib/dpkg/*-old' \) -prune -o -print | sort); }

cp "$package" "$root/tmp/warpscope.deb"
inside apt-get update -q
inside apt-get satisfy -y -q --no-install-recommends "$(dpkg-deb -f "$package" Depends)"
mkdir -p "$root/work"
cp benchmarks/kernels/mm/mm.{cl,cu,launch} "$root/work"
chown -R 1234:1234 "$root/work"
files >"$root.before"
inside dpkg --install /tmp/warpscope.deb

as_user 'warpscope mm.cl --global 64,64 -o kernel' || fail "warpscope mm.cl: failed"
as_user 'warpscope mm.cu --global 64,64 --no-plots -o cuda' >/dev/null || fail "warpscope mm.cu: failed"
for answer in kernel cuda; do
  as_user "python3 -c 'import json; assert json.load(open(\"$answer/result.json\"))[\"total\"][\"load\"][\"lanes\"] == 2 * 64**3'" ||
    fail "$answer: another number of loads than 2 · 64³"
done
ls "$root"/work/kernel/*.png >/dev/null || fail "no plots"
as_user 'python3 -c "from warpscope import results"' || fail "the Python package cannot be imported"
inside sh -c 'cd /work && warpscope mm.cl --global 64,64 --no-plots -o root' >/dev/null || fail "warpscope mm.cl as root: failed"

inside dpkg --purge warpscope
rm -rf "$root/root/.cache"  # a user's compiled kernels
files >"$root.after"
diff "$root.before" "$root.after" || fail "removed, the package leaves or takes the files above"
rm -f "$root.before" "$root.after"
echo "package: $(basename "$package"): installs, answers, leaves nothing"
