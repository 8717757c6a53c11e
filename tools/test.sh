#!/bin/sh
# Runs the tests of the R interface and of the C++ core: all properties on small cases, some minutes of one core.
# NEARGP_EXTENDED_TESTS=true runs all tests with the widest instruction set of this processor. The other sets then run
# the C++ tests, and small cases of the R tests whose numbers come from the kernels. NEARGP_EXTENDED_TESTS=1/2 runs the
# first half of the extended tests of R. Works from a fresh clone: sets up the machine, builds the package, runs the
# tests. The last line says "N passed, N failed, N skipped"; the exit status is 1 if a test failed.
#
# NEARGP_TEST_FILTER=covariance runs only the test files whose names match, of R and of the core,
# NEARGP_INSTRUCTION_SET=avx2 only with that instruction set.
set -eu

cd "$(dirname "$0")/.."
start=$(date +%s)
sh tools/install.sh test
echo "test: running the tests. The first time, compiling those of the core takes some minutes of two cores."

counts=_build/test-counts
: > "$counts"

# The first set, the widest, runs all tests, the others the files whose numbers come from the kernels, on small cases.
left_out='^(autoplot|checks|conditions|control|folds|generics|instruction-set|interrupt|locations|mixture-|model-frame|plot|pkg-|print|scores|scoring-rules|threads|tidiers|variogram)'
export R_LIBS="$PWD/_build/library"
sets=${NEARGP_INSTRUCTION_SET:-$(Rscript --vanilla -e 'cat(neargp:::core_simd_available())')}
core_set=${NEARGP_INSTRUCTION_SET:-all}
if [ -z "${NEARGP_EXTENDED_TESTS:-}" ]; then
  sets=${sets%% *}
  core_set=$sets
fi

# Two processes take the jobs in this order. The C++ tests, built with the package's own objects, come first. Parts of
# the R tests with the widest set follow, then the R tests with each other set. A part more loads the packages of
# Suggests once more, some 6 s.
parts=1
core_jobs=2  # compilers of the C++ tests, which go on when those of R have ended
[ -z "${NEARGP_EXTENDED_TESTS:-}" ] || parts=5 core_jobs=1
[ -z "${NEARGP_TEST_FILTER:-}" ] || parts=1
# shellcheck disable=SC2086
set -- $sets
widest=$1
shift
jobs=core
part=1
while [ "$part" -le "$parts" ]; do
  jobs="$jobs r-$widest-$part"
  part=$((part + 1))
done
for set in "$@"; do jobs="$jobs r-$set-small"; done

folder=_build/test-jobs
rm -rf "$folder" && mkdir -p "$folder"

run_jobs() {
  for job in $jobs; do
    mkdir "$folder/$job" 2> /dev/null || continue # another has taken it
    job_counts=$folder/$job/counts
    : > "$job_counts"
    run_job "$job" > "$folder/$job/output" 2>&1 || echo "0 1 0" >> "$job_counts"
    cat "$folder/$job/output"
  done
}

run_job() {
  case $1 in
    core)
      echo "test: C++ core"
      attended env NEARGP_INSTRUCTION_SET="$core_set" PACKAGE_OBJECTS=1 JOBS="$core_jobs" \
        sh tools/test-core.sh "$job_counts" ;;
    *-small)
      set=${1#r-}
      set=${set%-small}
      echo "test: R interface, instruction set $set, small cases"
      attended env -u NEARGP_EXTENDED_TESTS NEARGP_INSTRUCTION_SET="$set" NEARGP_TEST_EXCLUDE="$left_out" \
        Rscript --vanilla tools/test.R "$job_counts" ;;
    *)
      echo "test: R interface, instruction set $widest, part ${1##*-} of $parts"
      attended env NEARGP_INSTRUCTION_SET="$widest" NEARGP_TEST_PART="${1##*-}/$parts" \
        Rscript --vanilla tools/test.R "$job_counts" ;;
  esac
}

# A shell answers a signal while it waits, but not while a command runs.
attended() {
  "$@" &
  child=$!
  wait "$child"
}

run_others() {
  trap 'kill "$child" 2> /dev/null; exit 143' TERM
  run_jobs
}

child=
run_others &
others=$!
trap 'kill "$others" "$child" 2> /dev/null || true' EXIT
trap 'exit 130' INT TERM
run_jobs
wait "$others" || echo "0 1 0" >> "$counts"
trap - EXIT INT TERM
cat "$folder"/*/counts >> "$counts"
awk '/^Failed: / { shown = 1 } !/^(Failed: |  )/ { shown = 0 } shown' "$folder"/*/output
echo "test: that took $(($(date +%s) - start)) s."

awk '
  { passed += $1; failed += $2; skipped += $3 }
  END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit (failed > 0 || passed == 0)
  }' "$counts"
