#!/bin/sh
# Everything that can be checked of the computations on GPUs.
#
#   `sh tools/test-cuda.sh`               Needs a GPU and CUDA's toolkit. Runs all R tests, with everything on the GPU
#                                         that it computes. Then runs those of numbers once more under each tool of
#                                         compute-sanitizer.
#   `sh tools/test-cuda.sh emulated`      Runs anywhere: all R tests with the module of
#                                         tests/cpp/modules/emulated_module.cpp, which is the CUDA module but for CUDA.
#   `sh tools/test-cuda.sh interpreted`   Needs nvcc. Runs the C++ tests of devices with the module as nvcc compiles it,
#                                         on an interpreted GPU (tests/cpp/interpreted). This GPU finds what
#                                         compute-sanitizer's tools find.
#
# NEARGP_TEST_FILTER=vecchia runs only the R test files that match. The last line says "N passed, N failed, N skipped";
# the exit status is 1 if a test failed.
set -eu

cd "$(dirname "$0")/.."
mode=${1:-gpu}
mkdir -p _build
counts=_build/test-cuda-counts
: > "$counts"

prepare_r() {
  sh tools/install.sh test
  export R_LIBS="$PWD/_build/library" NEARGP_TEST_DEVICE=cuda NEARGP_EXTENDED_TESTS=true
  # The tests of devices choose modules themselves. Those of workers compare workers, on CPUs, with the session. The
  # recorded output of print() names the device.
  export NEARGP_TEST_EXCLUDE='^(device|modules|cluster|print)'
}

# Uses R's flags for packages. The package's own library contains the rest of the core.
build_emulated() {
  config() { R CMD config "$1"; }
  library=$(Rscript --vanilla -e 'invisible(loadNamespace("neargp")); cat(getLoadedDLLs()[["neargp"]][["path"]])')
  eigen=$(Rscript --vanilla -e 'cat(system.file("include", package = "RcppEigen"))')
  NEARGP_CUDA_MODULE=$PWD/_build/emulated_module.so
  export NEARGP_CUDA_MODULE
  # shellcheck disable=SC2046
  $(config CXX17) $(config CXX17STD) -O2 -fPIC -shared -Itests/cpp -Isrc/core -isystem "$eigen" \
    -o "$NEARGP_CUDA_MODULE" tests/cpp/modules/emulated_module.cpp "$library" -pthread
}

run_tests() {
  "$@" Rscript --vanilla tools/test.R "$counts" || echo "0 1 0" >> "$counts"
}

# compute-sanitizer TOOL: the exit status covers the tool's findings as well. The tool makes kernels 10 to 100 times
# slower, so that only the tests that compare with dense matrices run under it.
run_sanitized() {
  echo "test: compute-sanitizer --tool $1"
  NEARGP_TEST_FILTER=${NEARGP_TEST_FILTER:-'^(neighbours-vecchia|neighbours-loo-k|neighbours-mll-k|predict|simulate|latent-mean-field|neighbors|svgp-device|precision|outputs-fit)$'} \
    run_tests compute-sanitizer --tool "$1" --error-exitcode 1 --target-processes all
}

case $mode in
  interpreted)
    # one set of instructions of the CPU, with which the results are compared
    NEARGP_INSTRUCTION_SET='' TARGET=interpreted sh tools/test-core.sh "$counts"
    ;;
  emulated)
    prepare_r
    build_emulated
    run_tests
    ;;
  gpu)
    prepare_r
    command -v compute-sanitizer > /dev/null || { echo "There is no compute-sanitizer on the PATH."; exit 1; }
    Rscript --vanilla -e 'neargp::neargp_sitrep(); invisible(neargp:::require_cuda())'
    run_tests
    for tool in memcheck racecheck initcheck; do run_sanitized "$tool"; done
    ;;
  *)
    echo "Usage: sh tools/test-cuda.sh [emulated | interpreted]"
    exit 1
    ;;
esac

awk '
  { passed += $1; failed += $2; skipped += $3 }
  END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit (failed > 0 || passed == 0)
  }' "$counts"
