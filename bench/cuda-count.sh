#!/bin/sh
# Runs the intermediate code of a CUDA kernel without a GPU, its warps in lockstep, compares its sums with those of the CPU, and counts what
# it does for a target: Vecchia sums with gradient and information, Matern 3/2, two dimensions, response and constant, with
# matrices in double and in single precision (of which the sums agree to 1e-6 or so). Writes
# bench/results/cuda-count.csv, from which bench/cuda-predictions.R computes times.
#
#   sh bench/cuda-count.sh 15 30 44     for k = 15, ...
#   PYTHON=...                          a Python with numpy
#
# Needs nvcc, and what tests/cpp/Makefile needs. A few seconds for each k.
set -eu

cd "$(dirname "$0")/.."
cxx=${CXX:-g++}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
out=_build/cuda-count
results=bench/results/cuda-count.csv
mkdir -p "$out"

objects=_build/cpp-$(basename "$cxx")-plain
needed="$objects/tests/core_fixtures.o $objects/tests/dense_reference.o"
for source in src/core/*/*.cpp src/core/*/*/*.cpp; do
  object=${source#src/core/}
  needed="$needed $objects/core/${object%.cpp}.o"
done
# shellcheck disable=SC2086
(cd tests/cpp && make -s CXX="$cxx" $(printf '../../%s ' $needed))
eigen=$(Rscript --vanilla -e 'cat(system.file("include", package = "RcppEigen"))')
# shellcheck disable=SC2086
"$cxx" -std=c++17 -O1 -fopenmp -Isrc/core -Itests/cpp -isystem "$eigen" -o "$out/launch" bench/cuda-count.cpp $needed -rdynamic -ldl
compile() {
  "$nvcc" -std=c++17 -O3 -Isrc/core -Isrc/cuda -isystem "$eigen" -arch=compute_90 --ptx -o "$out/$1.ptx" "src/cuda/$1.cu"
}
compile plain_vecchia_sums
compile vecchia_sums

# In double precision a kernel for this covariance alone (src/core/conditional/gpu/plain_covariance.h).
echo precision,k,threads,bytes,instructions,constants,double,square_roots,inverse_roots,shared,accesses,clocks > "$results"
for precision in double single; do
  case $precision in
    double) code=plain_vecchia_sums kernel=TeamVecchiaSumsILb1EdNS_15PlainCovarianceIdNS_8Matern32E ;;
    single) code=vecchia_sums kernel=TeamVecchiaSumsILb1Ef ;;
  esac
  for k in "$@"; do
    "$out/launch" "$k" $precision "$out/launch.bin"
    counts=$("${PYTHON:-python3}" bench/cuda-count.py "$out/$code.ptx" "$kernel" "$out/launch.bin")
    echo "$precision,$k,$counts" >> "$results"
  done
done
cat "$results"
