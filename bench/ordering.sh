#!/bin/sh
# Compares maxmin ordering and ordered neighbours of this version of the core with those of another commit, in turns on one
# machine. The results are CPU seconds, and seconds on two and 16 threads, computed from the recorded times of chunks. The last
# column is a digest of the order or the table, which must be the same for both.
#
# Expected: on 16 threads the ordering is 6 times as fast in the plane, 2.2 times on a lattice and 4.5 times in three dimensions.
# The search is 1.6 times as fast in the plane and 1.3 times in the cube. The CPU time of the ordering is at most 1.1 times, 1.7
# times and 1.6 times that of before. The CPU time of the search is at most 1.15 times that of before. All rows are those of a run on
# 16 threads, which are simulated.
#
#   `sh bench/ordering.sh [n] [k] [rounds] [commit]`
set -eu
cd "$(dirname "$0")/.."
n=${1:-1000000} k=${2:-30} rounds=${3:-3} commit=${4:-e809fff6}
work=_build/bench-ordering
rm -rf "$work"
mkdir -p "$work/before"
git archive "$commit" src/core | tar -x -C "$work/before"

# build VERSION CORE
build() {
  ${CXX:-g++} -std=c++17 -O2 -ffp-contract=off -pthread -DVERSION="\"$1\"" -Ibench/recorded -I"$2" -o "$work/$1-program" \
    bench/ordering.cpp "$2"/geometry/kd_tree.cpp "$2"/geometry/maxmin*.cpp "$2"/geometry/ordering.cpp \
    $(ls "$2"/geometry/points.cpp 2> /dev/null) "$2"/geometry/neighbors.cpp "$2"/geometry/engine_search.cpp "$2"/base/memory.cpp
}
build before "$work/before/src/core"
build after src/core

echo '"version","step","set","cpu_seconds","serial_seconds","two_threads","sixteen_threads","digest"' > "$work/table.csv"
for set in uniform cities gappy sphere cube; do
  for version in before after; do
    "$work/$version-program" "$set" "$n" "$k" "$rounds" | tee -a "$work/table.csv"
  done
done
Rscript --vanilla bench/save-result.R "$work/table.csv" geometry-threads
