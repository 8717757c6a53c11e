#!/bin/sh
# Builds and runs the C++ tests of the core, once with each instruction set of this processor. Appends "passed failed
# skipped", in test cases, to the file named as its argument. Variables change this:
#
# - SANITIZE=1 builds the tests with the address and undefined-behaviour sanitizers.
# - PACKAGE_OBJECTS=1 builds them with the core's objects as R built them.
# - CXX chooses the compiler, NEARGP_INSTRUCTION_SET one instruction set.
# - JOBS is the number of files that are compiled at a time.
# - HALVES=1 lets two processes run half the tests each.
# - TARGET=interpreted runs the tests of CUDA kernels on the interpreted GPU.
set -eu

cd "$(dirname "$0")/.."
counts=$1
mkdir -p _build
log=_build/test-core.log
case $(readlink -f "$(command -v "${CXX:-g++}")") in
  *ccache*) ;;  # it would not keep what is compiled with a precompiled header
  *) export PRECOMPILED="${PRECOMPILED-1}" ;;
esac

status=0
NEARGP_INSTRUCTION_SET=${NEARGP_INSTRUCTION_SET-all} \
  make --silent -C tests/cpp -j"${JOBS:-2}" "${TARGET:-test}" > "$log" 2>&1 &
build=$!
trap 'kill "$build" 2> /dev/null || true' EXIT TERM
wait "$build" || status=$?
trap - EXIT TERM
cat "$log"

# doctest ends with "[doctest] test cases: 3 | 3 passed | 0 failed | 0 skipped", once for each instruction set. A
# program that died lacks this line; a leak found at its end comes after it. To each of two halves (HALVES) the cases of
# the other are skipped ones.
sed -n 's/^\[doctest\] test cases: *//p' "$log" | awk -v status="$status" -v halves="${HALVES:-}" '
  { passed += $3; failed += $6; skipped += $9 }
  END {
    if (halves) skipped = (skipped - passed - failed) / 2
    print passed + 0, failed + (status != 0 && failed == 0), skipped + 0
  }
' >> "$counts"
