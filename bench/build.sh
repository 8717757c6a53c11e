#!/bin/sh
# The cost of an installation from source: seconds of CPU and of the clock, lines and warnings of its log, bytes of the library.
# For each of two or more source trees, in turns, from nothing, without the CUDA module:
#   sh bench/build.sh TREE TREE ...
# Other work on the machine lengthens the seconds of all of them alike: compare the ratios.
set -eu

export NEARGP_CUDA=no MAKEFLAGS="${MAKEFLAGS:--j2}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# install_tree TREE: a row of the table.
install_tree() {
  rm -rf "$scratch/tree" "$scratch/library"
  mkdir "$scratch/library"
  git clone -q "$1" "$scratch/tree"
  start=$(date +%s)
  (
    R CMD INSTALL --no-multiarch --library="$scratch/library" "$scratch/tree" > "$scratch/log" 2>&1
    times > "$scratch/times"
  )
  wall=$(($(date +%s) - start))
  cpu=$(awk 'NR == 2 { split($1, user, "[ms]"); split($2, kernel, "[ms]"); printf "%.0f", 60 * (user[1] + kernel[1]) + user[2] + kernel[2] }' \
    "$scratch/times")
  echo "$(git -C "$1" log -1 --format=%h),$cpu,$wall,$(wc -l < "$scratch/log"),$(grep -c 'warning:' "$scratch/log" || true),$(
    wc -c < "$scratch/library/neargp/libs/neargp.so")"
}

echo "commit,cpu_seconds,wall_seconds,log_lines,warnings,library_bytes"
for tree in "$@"; do install_tree "$tree"; done
