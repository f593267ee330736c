# For tests of what is installed: chroots of Debian's releases, and what the tools have to answer in them. Sourced; needs root and a mirror.
fail() { echo "package: $1" >&2; exit 1; }

need() { # need PROGRAM[:PACKAGE]...; installs what is missing
  local missing=() tool
  for tool in "$@"; do
    command -v "${tool%:*}" >/dev/null || missing+=("${tool#*:}")
  done
  [ "${#missing[@]}" = 0 ] && return
  apt-get update -q >/dev/null || true  # the lists that are here may do
  apt-get -o DPkg::Lock::Timeout=400 install -y -q --no-install-recommends "${missing[@]}" >/dev/null || fail "cannot install ${missing[*]}"
}

make_root() { # make_root RELEASE VARIANT [OPTION OF mmdebstrap...]; sets the variable root, and removes it at the end
  local mirror
  case "$1" in
    jammy | noble | plucky | questing) # Ubuntu: Debian 12 has no keys of it, and nothing of it leaves the chroot
      mirror="deb [trusted=yes] http://archive.ubuntu.com/ubuntu $1 main universe" ;;
    *) mirror=$(debian_mirror) ;;
  esac
  [ -n "$mirror" ] || fail "apt has no source of Debian 12 (apt-get indextargets), expected one to make the chroot from"
  [ -z "${root:-}" ] || finish
  root=$(mktemp -d)
  trap finish EXIT
  mmdebstrap --quiet --variant="$2" --include=apt "${@:3}" "$1" "$root" "$mirror" || fail "mmdebstrap failed (see above)"
  # What this machine's apt was told about proxies holds for the chroot, too.
  cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  for place in proc sys dev; do mount --bind "/$place" "$root/$place"; done
  mkdir -p "$root/work"
}

debian_mirror() { # where this machine's apt has Debian from; nothing if it has not
  apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | awk '$2 == "bookworm" || $2 == "stable" { print $1; exit }'
}

finish() {
  local place
  for place in dev proc sys; do mountpoint -q "$root/$place" && umount -l "$root/$place"; done
  rm -rf --one-file-system "$root"
}

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() { chroot --userspec=1234:1234 "$root" env -i PATH=/usr/bin:/bin HOME=/work sh -c "cd /work && $1"; }

answers() { # answers COMMAND; of the kernels and of the host program scale in /work, as another user: COMMAND is warpscope for a shell
  local status
  as_user "$1 mm.cl --global 64,64 -o kernel" >"$root/said" || fail "mm.cl: exit status $?: $(tail -n 1 "$root/said")"
  as_user "$1 mm.cu --global 64,64 --no-plots -o cuda" >"$root/said" || fail "mm.cu: exit status $?: $(tail -n 1 "$root/said")"
  for answer in kernel cuda; do
    /usr/bin/python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["total"]["load"]["lanes"] == 2 * 64**3' "$root/work/$answer/result.json" ||
      fail "$answer: another number of loads than 2 · 64³"
  done
  ls "$root"/work/kernel/*.png >/dev/null || fail "no plots"
  as_user "$1 check mm.cl --global 64,64" >"$root/said" || fail "check mm.cl: exit status $?: $(tail -n 1 "$root/said")"
  status=0
  as_user "$1 check race.cl --global 128 --local 64 --arg out=count=128" >"$root/said" || status=$?
  [ "$status" = 4 ] && grep -q '^error\[race-global\] race.cl:2:' "$root/said" || fail "check race.cl: exit status $status, expected 4 and race-global"
  as_user "$1 check clusters.cubin --kernel everyone --grid 6,4 --block 64 --arg param_0=bytes=6144 --arg param_1=bytes=6144" >"$root/said" ||
    fail "check of machine code: exit status $?: $(tail -n 1 "$root/said")"
  judges "$1"
  serves "$1"
  runs "$1" scale
}

judges() { # judges COMMAND; under the limits of confine; the same bytes for root on one thread, in another folder
  local status=0
  as_user "$1 judge mm.cl --reference mm.cl --sizes small --json user.json" >"$root/said" || fail "judge mm.cl: exit status $?: $(tail -n 1 "$root/said")"
  inside POCL_MAX_PTHREAD_COUNT=1 HOME=/root sh -c "mkdir -p '/srv/other folder' && cd '/srv/other folder' && cp /work/mm.* . && $1 judge mm.cl --reference mm.cl --sizes small --json root.json" >"$root/said" ||
    fail "judge mm.cl as root: exit status $?: $(tail -n 1 "$root/said")"
  cmp "$root/work/user.json" "$root/srv/other folder/root.json" || fail "judge mm.cl: another user gets other bytes"
  rm -r "$root/srv/other folder" "$root/work/user.json"
  as_user "mkdir wrong && sed 's/k < width/k < width - 1/' mm.cl >wrong/mm.cl && $1 judge wrong/mm.cl --reference mm.cl --no-cost" >"$root/said" || status=$?
  [ "$status" = 4 ] && grep -q 'wrong-value' "$root/said" || fail "judge of a wrong kernel: exit status $status, expected 4 and wrong-value"
  as_user "rm -r wrong"
}

serves() { # serves COMMAND; one call by the Model Context Protocol
  local begin='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
  local call='{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_gpus","arguments":{"contains":"h100"}}}'
  as_user "(echo '$begin'; echo '$call'; sleep 20) | $1 serve" >"$root/said" || fail "serve: exit status $?"
  grep -q '"id":2.*"gpus":\["h100"' "$root/said" || fail "serve: '$(tail -n 1 "$root/said")', expected an answer with h100"
}

runs() { # runs COMMAND PROGRAM; a host program in /work, which says "right"
  as_user "$1 check -- ./$2" >"$root/said" || fail "check -- ./$2: exit status $?: $(tail -n 1 "$root/said")"
  grep -q '^right$' "$root/said" && grep -q 'checked: 1 launch' "$root/said" || fail "check -- ./$2: '$(tail -n 1 "$root/said")', expected 'right' and one launch"
}

copy_inputs() { # the kernels, and the OpenCL program as this machine compiles it
  cp benchmarks/kernels/mm/mm.{cl,cu,launch} tests/install/hosts/* "$root/work"
  cp tests/unit/machine/data/executed/clusters_sm90.cubin "$root/work/clusters.cubin"
  gcc -O1 -o "$root/work/scale" tests/install/hosts/scale.c -lOpenCL || fail "scale.c: does not compile here"
  chown -R 1234:1234 "$root/work"
}

build_here() { # build_here COMMAND; the host programs, by the chroot's own compiler
  inside apt-get update -q >/dev/null && inside apt-get install -y -q --no-install-recommends g++ ocl-icd-opencl-dev opencl-c-headers >/dev/null ||
    fail "apt-get in the chroot failed"
  as_user "rm -f scale && gcc -o scale scale.c -lOpenCL" || fail "scale.c: does not compile in the chroot"
  as_user "$1 reverse.cu -o reverse" || fail "warpscope-nvcc reverse.cu: failed"
}
