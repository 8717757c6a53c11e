#!/bin/sh
# Random calls of the package, valid and hostile. None may end in an error without a class, in a number that is not
# finite, or in one that a dense reference contradicts. Also compares random problems with dense formulas in plain R.
# The package is the one in _build/library (tools/install.sh puts it there).
#
#   `sh tools/fuzz.sh`                           About 600 calls of one seed: a minute.
#   `NEARGP_EXTENDED_TESTS=1 sh tools/fuzz.sh`   2,000 calls of each of five seeds. Tables go to bench/results/fuzz.txt.
#
# SANITIZE=1 takes the package that `SANITIZE=1 sh tools/install.sh` built with the address and undefined-behaviour
# sanitizers, and reports each of their findings as a crash. NEARGP_FUZZ_SEEDS="6 7" NEARGP_FUZZ_CALLS=500 choose
# others, NEARGP_FUZZ_METHODS="svgp swsgp" some of the methods. Logs are kept in _build/fuzz, and a campaign that was
# cut off goes on from its log. With NEARGP_FUZZ_FRESH=1, as after a change of the package, it starts from the
# beginning. To run one case again, with all details:
#   R_LIBS=_build/library Rscript tests/fuzz/run.R case 100042
set -eu

cd "$(dirname "$0")/.."
export R_LIBS="$PWD/_build/library${SANITIZE:+-sanitized}"
extended=${NEARGP_EXTENDED_TESTS:-}
seeds=${NEARGP_FUZZ_SEEDS:-1${extended:+ 2 3 4 5}}
calls=${NEARGP_FUZZ_CALLS:-$([ -n "$extended" ] && echo 2000 || echo 600)}
logs=_build/fuzz
if [ -n "${NEARGP_FUZZ_FRESH:-}" ]; then rm -rf "$logs"; fi
mkdir -p "$logs"

if [ -n "${SANITIZE:-}" ]; then
  # R itself is built without the sanitizer, which must be loaded before all else. R frees nothing at its end.
  LD_PRELOAD=$(${CXX:-g++} -print-file-name=libasan.so) && export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0
fi
files=
for seed in $seeds; do
  Rscript --vanilla tests/fuzz/run.R campaign "$seed" "$calls" "$logs/seed-$seed.tsv"
  files="$files $logs/seed-$seed.tsv"
done
status=0
# The names hold no blanks.
# shellcheck disable=SC2086
Rscript --vanilla tests/fuzz/run.R report $files ${extended:+$logs/fuzz.csv} || status=1
if [ -n "$extended" ]; then
  problems="gaussian=200 outputs=50 latent=20 units=40 $logs/fuzz-oracles.csv"
else
  problems='gaussian=10 outputs=5 latent=2 units=5'
fi
# shellcheck disable=SC2086
Rscript --vanilla tests/fuzz/run.R oracle $problems || status=1
if [ -n "$extended" ]; then
  for table in fuzz fuzz-oracles; do Rscript --vanilla bench/save-result.R "$logs/$table.csv" "$table"; done
fi
exit "$status"
