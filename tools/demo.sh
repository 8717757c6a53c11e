#!/bin/sh
# Fits a model to real data, scores it on held-out points, and draws the map.
# Works from a fresh clone: sets up the machine, builds the package, runs the demo.
set -eu

cd "$(dirname "$0")/.."
start=$(date +%s)
sh tools/install.sh run
R_LIBS="$PWD/_build/library" Rscript --vanilla tools/demo.R
echo "demo: that took $(($(date +%s) - start)) s."
