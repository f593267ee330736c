#!/bin/sh
# Runs a test, and appends its name, wall and CPU seconds to the file $WARPSCOPE_TEST_TIMES, if scripts/test gave one: ctest knows no CPU time.
#   timed.sh NAME COMMAND…
name=$1
shift
[ -n "$WARPSCOPE_TEST_TIMES" ] || exec "$@"
read -r began rest </proc/uptime
"$@"
status=$?
read -r ended rest </proc/uptime
times >"$WARPSCOPE_TEST_TIMES.$$"  # not into a pipe: a shell of its own would have no children
# Its second line is that of the children: user 1m2.34s, system 0m5.67s. What a child left running is not in it.
awk -v name="$name" -v began="$began" -v ended="$ended" '
  function seconds(text, part) { split(text, part, "[ms]"); return 60 * part[1] + part[2] }
  NR == 2 { printf "%s,%.2f,%.2f\n", name, ended - began, seconds($1) + seconds($2) }
' "$WARPSCOPE_TEST_TIMES.$$" >>"$WARPSCOPE_TEST_TIMES"
rm -f "$WARPSCOPE_TEST_TIMES.$$"
exit $status
