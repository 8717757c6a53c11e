#!/bin/sh
# Runs the intermediate code of a CUDA kernel without a GPU, on the interpreter of tests/cpp/interpreted. Compares its sums with those of
# the CPU, and counts its work for a target. The kernel computes Vecchia sums with gradient and information, for Matérn 3/2 in two
# dimensions, with response and constant. Matrices are in double and in single precision. Sums in single precision agree to about 1e-6.
# Keeps table cuda-count, from which bench/cuda-predictions.R computes times.
#
#   sh bench/cuda-count.sh 15 30 44     for k = 15, ...
#
# Needs nvcc, and what tests/cpp/Makefile needs. A few seconds for each k, after minutes of compilation.
set -eu

cd "$(dirname "$0")/.."
cxx=${CXX:-g++}
results=_build/cuda-count.csv
make --silent -C tests/cpp CXX="$cxx" counting

# In double precision a kernel for this covariance alone (src/core/conditional/gpu/plain_covariance.h).
echo precision,k,threads,bytes,instructions,constants,double,square_roots,inverse_roots,shared,accesses,clocks > "$results"
for precision in double single; do
  for k in "$@"; do
    "_build/cpp-$(basename "$cxx")-plain/count-instructions" $precision "$k" >> "$results"
  done
done
cat "$results"
Rscript --vanilla bench/save-result.R "$results" cuda-count
