#!/bin/sh
# One kernel source for CPU and GPU, and how much the CPU would lose by it (bench/notes/one-kernel-source.md). Keeps table
# one-kernel-source. The times are the least CPU seconds of 15 interleaved repeats for 20,000 targets, on one thread with 8 lanes of
# AVX-512. Instructions for 2,000 targets are counted by callgrind with 4 lanes of AVX2, because valgrind does not support AVX-512. Needs
# valgrind.
#
#   sh bench/one-kernel-source.sh
set -eu

cd "$(dirname "$0")/.."
cxx=${CXX:-g++}
out=_build/one-kernel-source
results=$out/table.csv
mkdir -p "$out"

objects=_build/cpp-$(basename "${cxx%% *}")-plain
needed=
for source in src/core/*/*.cpp src/core/*/*/*.cpp; do
  object=${source#src/core/}
  needed="$needed $objects/core/${object%.cpp}.o"
done
# shellcheck disable=SC2086
(cd tests/cpp && make -s CXX="$cxx" $(printf '../../%s ' $needed))
eigen=$(Rscript --vanilla -e 'cat(system.file("include", package = "RcppEigen"))')
build() {
  # shellcheck disable=SC2086
  $cxx -std=c++17 -O2 -pthread $2 -Isrc/core -isystem "$eigen" -o "$out/$1" bench/one-kernel-source.cpp $needed -ldl
}
build avx512 "-mavx512f -mavx512dq -mavx512vl -mavx2 -mfma -DNEARGP_LANES=8 -DNEARGP_BLOCK=4"
build avx2 "-mavx2 -mfma -DNEARGP_LANES=4 -DNEARGP_BLOCK=3"

"$out/avx512" > "$results"
instructions() {
  valgrind --quiet --tool=callgrind --callgrind-out-file="$out/callgrind" "$out/avx2" "$1" > /dev/null 2>&1
  sed -n 's/^totals: //p' "$out/callgrind"
}
around=$(instructions nothing)
cpu=$(($(instructions cpu) - around))
for form in cpu gpu rows 'rows and contraction'; do
  own=$(($(instructions "$form") - around))
  echo "all four (instructions),$form,$own,$(awk "BEGIN { printf \"%.3f\", $own / $cpu }")," >> "$results"
done
cat "$results"
Rscript --vanilla bench/save-result.R "$results" one-kernel-source
