#!/bin/sh
# Limits the cost of a build: the lines that the compiler reads over all units, the number of units, and the bytes of
# the library without its symbols. None may exceed its value in tools/build-cost.txt by more than 1%. Once they grew
# unseen, and a build took three times as long. Lines stand for seconds, which other work on the machine changes.
#
#   `sh tools/check-build-cost.sh [LIBRARY]`          Checks LIBRARY, or _build/library, where the package is installed.
#   `sh tools/check-build-cost.sh record [LIBRARY]`   Writes tools/build-cost.txt. The commit says what the growth buys.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
mode=check
[ "${1:-}" != record ] || { mode=record; shift; }
library=${1:-_build/library}
recorded=tools/build-cost.txt

skip() {
  echo "build cost: skipped, $1"
  exit 0
}

# Headers of other systems have other lengths.
[ "$(sed -n 's/^ID=//p; s/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release | sort | tr '\n' ' ')" = '12 debian ' ] ||
  skip 'the figures are those of Debian 12'
case $(g++ -dumpversion) in
  12*) ;;
  *) skip 'the figures are those of g++ 12' ;;
esac
[ -f "$library/neargp/libs/neargp.so" ] || { echo "build cost: $library has no neargp"; exit 1; }

includes=$(Rscript --vanilla -e 'cat("-I", R.home("include"), sep = "")' \
  -e 'for (x in c("Rcpp", "RcppEigen")) cat(" -I", system.file("include", package = x), sep = "")')
measured=$(mktemp)
trap 'rm -f "$measured"' EXIT

# "lines UNIT NUMBER", then "units NUMBER" and "bytes NUMBER".
measure() {
  units=$(sh tools/write-units.sh src/units | cut -d ' ' -f 1)
  # shellcheck disable=SC2016
  (cd src && printf '%s\n' "$units" | INCLUDES="$includes" xargs -n 1 -P 2 sh -c \
    'lines=$(g++ -std=gnu++17 -O2 -DNDEBUG -Icore $INCLUDES -E "$0" | wc -l) && echo "lines $0 $lines"') | sort
  echo "units $(printf '%s\n' "$units" | wc -l)"
  strip -o "$measured.so" "$library/neargp/libs/neargp.so"
  echo "bytes $(wc -c < "$measured.so")"
  rm "$measured.so"
}

measure > "$measured"
if [ "$mode" = record ]; then
  cp "$measured" "$recorded"
  echo "build cost: recorded in $recorded"
  exit 0
fi

awk '
  function judge(what, now, before) {
    printf "build cost: %d %s, %d recorded (%+.1f%%)\n", now, what, before, 100 * (now / before - 1)
    if (now > 1.01 * before) { wrong = 1; return 1 }
  }
  FNR == NR { before[$1, $2] = $NF; if ($1 == "lines") lines_before += $3; else before[$1] = $2; next }
  $1 == "lines" { lines += $3; if ($3 > before["lines", $2] + 0) grown = grown sprintf("  %s: %d, was %d\n", $2, $3, before["lines", $2]) }
  $1 != "lines" { now[$1] = $2 }
  END {
    if (judge("lines read by the compiler", lines, lines_before)) printf "Units that grew:\n%s", grown
    judge("units", now["units"], before["units"])
    judge("bytes of the stripped library", now["bytes"], before["bytes"])
    if (wrong) print "Include less, or record it with its reason: sh tools/check-build-cost.sh record"
    exit wrong
  }' "$recorded" "$measured"
