#!/usr/bin/env bash
# The README's two commands on an empty Debian 12, in a chroot that debootstrap makes; needs root, a mirror, some GB.
#   first_run.sh [COMMAND…]    default: scripts/quickstart, then scripts/test
# Says "skipped" and why where there is no debootstrap or no mirror; exit status 1 if a command fails.
set -euo pipefail
case "${1:-}" in
  -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
cd "$(dirname "$0")/../.."
commands=("$@")
[ "${#commands[@]}" -gt 0 ] || commands=(scripts/quickstart scripts/test)
skip() { echo "first-run: skipped: $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "not root, and a chroot needs it"
command -v debootstrap >/dev/null || apt-get -o DPkg::Lock::Timeout=400 install -y -q --no-install-recommends debootstrap >/dev/null 2>&1 ||
  skip "no debootstrap, and apt-get does not get it"
# The mirror that this machine uses itself.
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | awk '$2 == "bookworm" || $2 == "stable" { print $1; exit }')
[ -n "$mirror" ] || skip "apt has no source of Debian 12"
root=$(mktemp -d)
finish() {
  for place in dev/pts dev proc sys; do mountpoint -q "$root/$place" && umount -l "$root/$place"; done
  rm -rf --one-file-system "$root"
}
trap finish EXIT
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail -n 3 "$root.log"; skip "debootstrap from $mirror failed"; }
rm -f "$root.log"
# What this machine's apt was told about proxies and mirrors holds for the chroot, too.
cp -a /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null || true
cp -a /usr/share/keyrings "$root/usr/share/" 2>/dev/null || true
cp /etc/resolv.conf "$root/etc/resolv.conf"
for place in proc sys dev dev/pts; do mount --bind "/$place" "$root/$place"; done
mkdir "$root/warpscope"
git archive HEAD | tar -x -C "$root/warpscope"
for command in "${commands[@]}"; do
  began=$SECONDS
  chroot "$root" /bin/bash -c "cd /warpscope && exec $command" || { echo "first-run: $command: FAILED"; exit 1; }
  echo "first-run: $command: passed, $((SECONDS - began)) s"
done
