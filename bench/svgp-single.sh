#!/bin/sh
# Builds and runs bench/svgp-single.cpp: sh bench/svgp-single.sh [M ...]
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 500 1000
eigen=$(Rscript -e 'cat(system.file("include", package = "RcppEigen"))')
mkdir -p _build
${CXX:-g++} -std=c++17 -O2 -mavx2 -mfma -isystem "$eigen" -o _build/bench-svgp-single bench/svgp-single.cpp
_build/bench-svgp-single "$@"
