#!/usr/bin/env bash
# The Debian package on a Debian 12 that has neither source nor build: depends on what it needs, answers, and leaves nothing.
#   deb_in_chroot.sh [FILE.deb]    default: build/package is built and packed
# Needs root and a mirror, and installs mmdebstrap and dpkg-dev if they are missing. Exit status 1 if anything of this fails.
set -euo pipefail
case "${1:-}" in
  -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
cd "$(dirname "$0")/../.."
. tests/install/chroot.sh
[ "$(id -u)" = 0 ] || fail "not root, and a chroot needs it"
need mmdebstrap dpkg-shlibdeps:dpkg-dev gcc
package=${1:-}
[ -n "$package" ] || package=$(scripts/package deb | tee /dev/stderr | tail -n 1)
[ -r "$package" ] || fail "$package: cannot be read, expected a Debian package"

make_root bookworm apt
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./work -o -path ./said -o -path ./var/log \
  -o -path ./var/cache -o -path './var/lib/dpkg/*-old' \) -prune -o -print | sort); }

cp "$package" "$root/tmp/warpscope.deb"
inside apt-get update -q
inside apt-get satisfy -y -q --no-install-recommends "$(dpkg-deb -f "$package" Depends)"
copy_inputs
files >"$root.before"
inside dpkg --install /tmp/warpscope.deb

answers warpscope
as_user 'python3 -c "from warpscope import results"' || fail "the Python package cannot be imported"
inside sh -c 'cd /work && warpscope mm.cl --global 64,64 --no-plots -o root' >/dev/null || fail "warpscope mm.cl as root: failed"

inside dpkg --purge warpscope
rm -rf "$root/root/.cache"  # a user's compiled kernels
files >"$root.after"
diff "$root.before" "$root.after" || fail "removed, the package leaves or takes the files above"
rm -f "$root.before" "$root.after"
echo "package: $(basename "$package"): installs, answers, leaves nothing"
