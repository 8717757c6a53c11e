#!/bin/sh
# Runs the tests of the R interface and of the C++ core: all properties on small cases, a minute of one core, or, with
# NEARGP_EXTENDED_TESTS=true, all tests, those of the core with each instruction set that this processor has, and on small cases
# those of R's numbers, too.
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

# The C++ tests are built and run meanwhile, on another core, with the package's own objects.
core_counts=_build/test-core-counts
: > "$core_counts"
NEARGP_INSTRUCTION_SET=$core_set PACKAGE_OBJECTS=1 JOBS=1 sh tools/test-core.sh "$core_counts" > _build/test-core-output 2>&1 &
core=$!
trap 'kill "$core" 2> /dev/null || true' EXIT

exclude=
for set in $sets; do
  echo "test: R interface, instruction set $set"
  NEARGP_INSTRUCTION_SET=$set NEARGP_TEST_EXCLUDE=$exclude Rscript --vanilla tools/test.R "$counts" ||
    echo "0 1 0" >> "$counts"
  exclude=$left_out
  unset NEARGP_EXTENDED_TESTS
done

echo "test: C++ core"
wait "$core" || echo "0 1 0" >> "$core_counts"
trap - EXIT
cat _build/test-core-output
cat "$core_counts" >> "$counts"

awk '
  { passed += $1; failed += $2; skipped += $3 }
  END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit (failed > 0 || passed == 0)
  }' "$counts"
