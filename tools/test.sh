#!/bin/sh
# Runs the tests of the R interface and of the C++ core: all properties on small cases, a minute of one core, or, with
# NEARGP_EXTENDED_TESTS=true, all tests, kernels with each instruction set that this processor has, and small cases of all other
# numbers, too.
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

# The first set, the widest, runs all tests, the others the files whose numbers come from the kernels, on small cases.
left_out='^(autoplot|checks|conditions|control|folds|generics|instruction-set|interrupt|locations|mixture-|model-frame|plot|pkg-|print|scores|scoring-rules|threads|tidiers|variogram)'
export R_LIBS="$PWD/_build/library"
sets=${NEARGP_INSTRUCTION_SET:-$(Rscript --vanilla -e 'cat(neargp:::core_simd_available())')}
core_set=${NEARGP_INSTRUCTION_SET:-all}
if [ -z "${NEARGP_EXTENDED_TESTS:-}" ]; then
  sets=${sets%% *}
  core_set=${NEARGP_INSTRUCTION_SET:-} # tests of kernels go through all sets by themselves
fi

# Everything but the widest set's R tests runs meanwhile, on another core: the C++ tests, built with the package's own objects,
# and the R tests of the other sets.
run_others() {
  trap 'kill "$child" 2> /dev/null; exit 143' TERM
  echo "test: C++ core"
  attended env NEARGP_INSTRUCTION_SET="$core_set" PACKAGE_OBJECTS=1 JOBS=1 sh tools/test-core.sh "$other_counts" || echo "0 1 0" >> "$other_counts"
  unset NEARGP_EXTENDED_TESTS
  for set in "$@"; do run_r "$set" "$left_out" "$other_counts"; done
}

# run_r SET EXCLUDED COUNTS
run_r() {
  echo "test: R interface, instruction set $1"
  attended env NEARGP_INSTRUCTION_SET="$1" NEARGP_TEST_EXCLUDE="$2" Rscript --vanilla tools/test.R "$3" || echo "0 1 0" >> "$3"
}

# A shell answers a signal while it waits, but not while a command runs.
attended() {
  "$@" &
  child=$!
  wait "$child"
}

child=
other_counts=_build/other-test-counts
: > "$other_counts"
# shellcheck disable=SC2086
set -- $sets
widest=$1
shift
run_others "$@" > _build/other-tests-output 2>&1 &
others=$!
trap 'kill "$others" "$child" 2> /dev/null || true' EXIT
trap 'exit 130' INT TERM
run_r "$widest" '' "$counts"
wait "$others" || echo "0 1 0" >> "$other_counts"
trap - EXIT INT TERM
cat _build/other-tests-output
cat "$other_counts" >> "$counts"

awk '
  { passed += $1; failed += $2; skipped += $3 }
  END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit (failed > 0 || passed == 0)
  }' "$counts"
