#!/bin/sh
# Builds and runs bench/products.cpp: sh bench/products.sh [libopenblas.so.0]
set -eu
cd "$(dirname "$0")/.."
eigen=$(Rscript -e 'cat(system.file("include", package = "RcppEigen"))')
mkdir -p _build
${CXX:-g++} -std=c++17 -O2 -pthread -Isrc/core -isystem "$eigen" -o _build/bench-products bench/products.cpp \
  src/core/linalg/blas_engine.cpp src/core/linalg/product_engine.cpp src/core/linalg/product_engine_avx2.cpp \
  src/core/linalg/product_engine_avx512.cpp src/core/simd/instruction_set.cpp src/core/base/shared_object.cpp -ldl
OPENBLAS_NUM_THREADS=1 _build/bench-products "$@"
