#!/bin/sh
# Runs the tests of the R interface and of the C++ core, those of numbers with each
# instruction set that this processor has.
# Works from a fresh clone: sets up the machine, builds the package, runs the tests.
# The last line says "N passed, N failed, N skipped"; the exit status is 1 if a
# test failed.
#
# NEARGP_TEST_FILTER=covariance runs only the R test files that match,
# NEARGP_INSTRUCTION_SET=avx2 only with that instruction set.
set -eu

cd "$(dirname "$0")/.."
sh tools/install.sh test

counts=_build/test-counts
: > "$counts"

# The first set, the widest, runs all files, the others those that compare what the kernels compute with dense references.
kept='^(core|covariance|exact-gp|fisher-scoring|label-objective|loo-k|mll-k|neighbors|predict|predict-joint|profile-likelihood|residuals|simulate|vecchia|vnngp-inducing)$'
export R_LIBS="$PWD/_build/library"
sets=${NEARGP_INSTRUCTION_SET:-$(Rscript --vanilla -e 'cat(neargp:::core_simd_available())')}
filter=${NEARGP_TEST_FILTER:-}
for set in $sets; do
  echo "test: R interface, instruction set $set"
  NEARGP_INSTRUCTION_SET=$set NEARGP_TEST_FILTER=$filter Rscript --vanilla tools/test.R "$counts" ||
    echo "0 1 0" >> "$counts"
  filter=${NEARGP_TEST_FILTER:-$kept}
done

echo "test: C++ core"
sh tools/test-core.sh "$counts"

awk '
  { passed += $1; failed += $2; skipped += $3 }
  END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit (failed > 0 || passed == 0)
  }' "$counts"
