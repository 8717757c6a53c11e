#!/bin/sh
# Counts the instructions of fits and predictions by two or more installed versions of the package. The counts do not depend on what else
# the machine does. Prints task, library and millions of instructions. Needs valgrind, and a quarter of an hour for each library. A library
# is a folder that contains neargp.
#   sh bench/instructions.sh LIBRARY LIBRARY ...
set -eu
cd "$(dirname "$0")"
export NEARGP_INSTRUCTION_SET=avx2 OMP_NUM_THREADS=1
for task in none vecchia predict loo_k vnngp classes; do
  for library in "$@"; do
    count=$(R_LIBS=$library R -d "valgrind --tool=callgrind --callgrind-out-file=/dev/null" --vanilla --no-echo -f instructions.R \
      --args "$task" 2>&1 | sed -n 's/.*Collected : //p')
    echo "$task $library $((count / 1000000))"
  done
done
