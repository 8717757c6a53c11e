#!/bin/sh
# Runs the kernels of the maxmin order and of the search of earlier neighbours without a GPU, on the interpreter of tests/cpp/interpreted.
# Compares the order and the neighbours with those of the CPU, and counts launches, instructions of warps and bytes that are sent. The
# points are uniform. Keeps table cuda-count-order, from which bench/cuda-predictions.R computes times.
#
#   sh bench/cuda-count-order.sh 2 20000 100000     for two coordinates and these numbers of rows
#
# Needs nvcc, and what tests/cpp/Makefile needs. After minutes of compilation, 100,000 rows take four minutes of one core.
set -eu

cd "$(dirname "$0")/.."
cxx=${CXX:-g++}
results=_build/cuda-count-order.csv
make --silent -C tests/cpp CXX="$cxx" counting-order
dim=$1
shift
echo part,n,dim,task,launches,instructions,double,clocks,sent,received > "$results"
for n in "$@"; do
  "_build/cpp-$(basename "$cxx")-plain/count-order" "$n" "$dim" 30 >> "$results"
done
cat "$results"
Rscript --vanilla bench/save-result.R "$results" cuda-count-order
