#!/bin/sh
# Builds and runs bench/dspp-step.cpp on the core's objects of the installed package, those in src/:
#   sh bench/dspp-step.sh [inducing points] [rows] [width] [sites] [inputs] [libopenblas.so.0]
set -eu
cd "$(dirname "$0")/.."
eigen=$(Rscript -e 'cat(system.file("include", package = "RcppEigen"))')
mkdir -p _build
${CXX:-g++} -std=c++17 -O2 -pthread -Isrc/core -isystem "$eigen" -o _build/bench-dspp-step bench/dspp-step.cpp \
  src/core/*/*.o src/core/*/*/*.o -ldl
OPENBLAS_NUM_THREADS=1 _build/bench-dspp-step "$@"
